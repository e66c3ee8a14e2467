"""Bombs and floods: reading goes on, in bounded memory. Each runs in a process of its own, which tells its peak."""

from __future__ import annotations

import gzip
import os
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import pytest
from archive_bytes import http, page, warc, zip_file

from archiver.warc import Damage, Limits, Record, read_records

MEASURE = """
import sys
from archiver.warc import ArchiveError, Record, parse_response, read_records
records, problems = [], []
for item in read_records(sys.argv[1]):
    if isinstance(item, Record):
        response = parse_response(item)
        records.append(item.url.rpartition("/")[2])
        problems += response.problems if response else []
        item.location
    else:
        problems.append(item.problem)
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak) // 1024, ",".join(records), "; ".join(problems), sep="|")
"""


pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="peak memory is read from /proc"
)


def measure(path: Path) -> tuple[int, list[str], str]:
    """Return peak memory in MiB, the last path parts of the records' URLs, and all problems."""
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True, timeout=60
    )
    peak, records, problems = run.stdout.strip().split("|")
    return int(peak), records.split(","), problems


def gzip_of_blanks(mebibytes: int, before: bytes = b"", behind: bytes = b"") -> bytes:
    """Packed by packing one MiB and repeating the packed bytes; only the checksum needs all of them."""
    blanks = b" " * (1 << 20)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = packer.compress(before) + packer.flush(zlib.Z_FULL_FLUSH)
    once = packer.compress(blanks) + packer.flush(zlib.Z_FULL_FLUSH)
    end = packer.compress(behind) + packer.flush()
    checksum = zlib.crc32(before)
    for _ in range(mebibytes):
        checksum = zlib.crc32(blanks, checksum)
    checksum = zlib.crc32(behind, checksum)
    size = len(before) + (mebibytes << 20) + len(behind)
    trailer = struct.pack("<II", checksum, size & 0xFFFFFFFF)
    return b"\x1f\x8b\x08\0\0\0\0\0\x02\xff" + start + once * mebibytes + end + trailer


def record_of_blanks(mebibytes: int) -> bytes:
    """A gzip member that holds one page of so many MiB of blanks."""
    start = http(b"")
    record = warc(start, "http://a.example/big", length=len(start) + (mebibytes << 20), tail=b"")
    return gzip_of_blanks(mebibytes, record, b"\r\n\r\n")


def test_a_page_that_unpacks_to_431_mib_in_its_member(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(record_of_blanks(431) + gzip.compress(page("after")))
    peak, records, problems = measure(path)
    assert records == ["big", "after"]
    assert problems == "the body is longer than 64 MiB; the rest is cut off"
    assert peak < 300


def test_a_member_that_unpacks_without_end_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(record_of_blanks(20) + gzip.compress(page("after")))
    items = list(read_records(str(path), limits=Limits(member_bytes=8 << 20)))
    assert [item.url for item in items if isinstance(item, Record)] == [
        "http://a.example/big",
        "http://a.example/after",
    ]
    problems = [item.problem for item in items if isinstance(item, Damage)]
    assert problems[-1].startswith(
        "broken gzip member: it unpacks to more than 8 MiB, over 200 times its size"
    )


def test_a_large_member_of_honest_data_is_not(tmp_path: Path) -> None:
    path = tmp_path / "a"
    noise = os.urandom(1 << 20)
    path.write_bytes(gzip.compress(warc(noise * 4), 1) + gzip.compress(page("after")))
    items = list(read_records(str(path), limits=Limits(member_bytes=1 << 20)))
    assert [type(item) for item in items] == [Record, Record]


def test_a_gibibyte_in_a_content_coding(tmp_path: Path) -> None:
    bomb = http(gzip_of_blanks(1024), "Content-Encoding: gzip")
    path = tmp_path / "a"
    path.write_bytes(gzip.compress(warc(bomb, "http://a.example/bomb")) + gzip.compress(page("after")))
    peak, records, problems = measure(path)
    assert records == ["bomb", "after"]
    assert "unpacks beyond the limit" in problems
    assert peak < 300


@pytest.mark.parametrize("length", ["", "true", str(2**63)])
def test_a_record_that_goes_on_through_400_members(length: str, tmp_path: Path) -> None:
    """It was held whole, to look at its end."""
    start, blanks = http(b""), gzip.compress(b" " * (1 << 20), 9)
    text = length if length != "true" else str(len(start) + (400 << 20))
    path = tmp_path / "a"
    with path.open("wb") as file:
        file.write(gzip.compress(warc(start, "http://a.example/big", length=text, tail=b"")))
        file.writelines([blanks] * 400)
        file.write(gzip.compress(page("after")))
    peak, records, problems = measure(path)
    assert records == ["big", "after"]
    assert problems.startswith("the body is longer than 64 MiB; the rest is cut off")
    assert peak < 300


def test_a_header_line_without_end(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with path.open("wb") as file:
        file.write(b"WARC/1.0\r\nWARC-Type: ")
        for _ in range(200):
            file.write(b"x" * (1 << 20))
        file.write(b"\r\n\r\n" + page("after"))
    peak, records, problems = measure(path)
    assert (records, problems) == (["after"], "a record header longer than 1048576 bytes")
    assert peak < 100


def test_a_bomb_in_a_zip_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    big = warc(http(b" " * (120 << 20)), "http://a.example/big")
    path.write_bytes(zip_file({"a.warc": big, "b.warc": page("after")}, zipfile.ZIP_DEFLATED))
    peak, records, _ = measure(path)
    assert records == ["big", "after"]
    assert peak < 300
