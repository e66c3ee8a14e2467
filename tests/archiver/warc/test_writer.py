"""The WARC writer: what it writes is read by others, and survives being cut off."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import resource
import signal
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from archiver.warc.growing import last_member_end
from archiver.warc.record import RecordType
from archiver.warc.writer import (
    HTTP_RESPONSE_TYPE,
    DiskFullError,
    NewRecord,
    WarcWriter,
    pack_record,
    repair_archive,
    sha1_of,
    warc_date,
    written_digest,
)

MOMENT = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
INFO = (("software", "findingaid"),)


def page(url: str, text: str = "Hello") -> bytes:
    block = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{text}".encode()
    digest = written_digest(sha1_of(text.encode()))
    return pack_record(
        NewRecord(
            RecordType.RESPONSE,
            block,
            MOMENT,
            url,
            HTTP_RESPONSE_TYPE,
            (("WARC-IP-Address", "192.0.2.1"), ("WARC-Payload-Digest", digest)),
        )
    )


def read(path: str) -> list[tuple[str, str, bytes]]:
    with open(path, "rb") as file:
        return [
            (r.rec_type, r.rec_headers.get_header("WARC-Target-URI") or "", r.content_stream().read())
            for r in ArchiveIterator(file, check_digests="raise")
        ]


def test_other_tools_read_what_was_written(tmp_path: Path) -> None:
    writer = WarcWriter(str(tmp_path), "01", INFO)
    writer.write([page("http://a.example/")])
    path = writer.close()
    assert read(path) == [
        ("warcinfo", "", b"software: findingaid\r\n"),
        ("response", "http://a.example/", b"Hello"),
    ]


def test_each_record_is_one_gzip_member_at_its_place(tmp_path: Path) -> None:
    writer = WarcWriter(str(tmp_path), "01", INFO)
    places = writer.write([page("http://a.example/1"), page("http://a.example/2")])
    path = writer.close()
    data = Path(path).read_bytes()
    for number, place in enumerate(places, 1):
        assert place.path == path
        member = gzip.decompress(data[place.offset : place.offset + place.length])
        assert f"WARC-Target-URI: http://a.example/{number}\r\n".encode() in member


def test_file_has_its_final_name_only_when_closed(tmp_path: Path) -> None:
    writer = WarcWriter(str(tmp_path), "01", INFO)
    writer.write([page("http://a.example/")])
    assert [p.suffix for p in tmp_path.iterdir()] == [".open"]
    path = writer.close()
    assert [str(p) for p in tmp_path.iterdir()] == [path]


def test_rolls_over_without_parting_records_that_belong_together(tmp_path: Path) -> None:
    writer = WarcWriter(str(tmp_path), "01", INFO, roll_over_bytes=1500)
    for number in range(10):
        first, second = writer.write(
            [page(f"http://a.example/{number}"), page(f"http://a.example/{number}/meta")]
        )
        assert first.path == second.path
    writer.close()
    files = sorted(tmp_path.iterdir())
    assert len(files) > 1 and all(f.name.endswith(".warc.gz") for f in files)
    assert sum(len(read(str(f))) - 1 for f in files) == 20


@pytest.mark.parametrize("cut", [1, 2, 10, 100])
def test_truncated_last_member_is_cut_off_on_restart(tmp_path: Path, cut: int) -> None:
    writer = WarcWriter(str(tmp_path), "01", INFO)
    (first,) = writer.write([page("http://a.example/1")])
    writer.write([page("http://a.example/2")])
    os.truncate(writer.path + ".open", writer.size - cut)
    repair = repair_archive(writer.path + ".open")
    assert repair.size == first.offset + first.length
    assert [url for _, url, _ in read(repair.path)] == ["", "http://a.example/1"]


def test_records_nobody_relies_on_are_cut_off_too(tmp_path: Path) -> None:
    writer = WarcWriter(str(tmp_path), "01", INFO)
    writer.write([page("http://a.example/1")])
    acknowledged = writer.size
    writer.write([page("http://a.example/2")])
    repair = repair_archive(writer.path + ".open", acknowledged=acknowledged)
    assert [url for _, url, _ in read(repair.path)] == ["", "http://a.example/1"]


def test_zeros_after_a_power_failure_end_the_file(tmp_path: Path) -> None:
    writer = WarcWriter(str(tmp_path), "01", INFO)
    writer.write([page("http://a.example/1")])
    good = writer.size
    with open(writer.path + ".open", "ab") as file:
        file.write(bytes(5000))
    assert last_member_end(writer.path + ".open") == good


def test_a_value_cannot_smuggle_in_a_field(tmp_path: Path) -> None:
    member = pack_record(
        NewRecord(RecordType.METADATA, b"x", MOMENT, "http://a.example/\r\nWARC-Type: response")
    )
    (record,) = list(ArchiveIterator(io.BytesIO(member)))
    assert record.rec_type == "metadata"


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=5))
def test_any_block_comes_back_byte_for_byte(blocks: list[bytes]) -> None:
    data = b"".join(pack_record(NewRecord(RecordType.METADATA, block, MOMENT)) for block in blocks)
    assert [r.raw_stream.read() for r in ArchiveIterator(io.BytesIO(data), check_digests="raise")] == blocks


def test_full_disk_leaves_whole_records(tmp_path: Path) -> None:
    """A file size limit stands in for the full disk: the write that hits it fails in part."""
    pid = os.fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
            writer = WarcWriter(str(tmp_path), "01", INFO)
            try:
                for number in range(100):
                    writer.write([page(f"http://a.example/{number}", os.urandom(50).hex())])
            except DiskFullError:
                writer.close()
                os._exit(0)
            os._exit(1)
        except BaseException:
            os._exit(2)
    assert os.waitpid(pid, 0)[1] == 0
    (path,) = tmp_path.iterdir()
    assert len(read(str(path))) > 3


@given(st.binary(max_size=50))
def test_digests_are_in_base_32(data: bytes) -> None:
    sha1 = hashlib.sha1(data).digest()
    assert sha1_of(data) == sha1
    assert written_digest(sha1) == f"sha1:{base64.b32encode(sha1).decode()}"


@given(st.datetimes(timezones=st.timezones()))
def test_dates_are_in_whole_seconds_of_utc(moment: datetime) -> None:
    try:
        utc = moment.astimezone(UTC)
    except OverflowError:  # the first and the last day of the calendar
        return
    assert warc_date(moment) == f"{utc.year:04}-{utc:%m-%dT%H:%M:%SZ}"
