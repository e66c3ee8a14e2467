"""Properties: what is written is read back from every container, and no bytes whatever end in a crash or in silence."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from archive_bytes import PACKERS, arc, arc_file, http, page, read, warc
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archiver.warc import (
    ArchiveError,
    ArchiveReader,
    Damage,
    Location,
    RecordError,
    find_record,
    parse_response,
    read_record_at,
)

blocks = st.one_of(
    st.binary(max_size=200),
    st.binary(min_size=1, max_size=40).map(lambda part: http(part * 50)),
    st.sampled_from([b"", b"\r\n", b"\r\n\r\n", b"WARC/1.0\r\n", b"x" * 70_000]),
)
quick = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("container", PACKERS)
@quick
@given(written=st.lists(blocks, min_size=1, max_size=6))
def test_what_is_written_is_read_back(container: str, tmp_path: Path, written: list[bytes]) -> None:
    records = [warc(block, f"http://a.example/{number}") for number, block in enumerate(written)]
    seen = read(tmp_path / "a", PACKERS[container](records))
    assert seen.damages == []
    assert seen.blocks == written
    assert seen.urls == [f"http://a.example/{number}" for number in range(len(written))]
    for location, block in zip(seen.locations, written, strict=True):
        with read_record_at(location) as record:
            assert record.read() == block
            assert record.location == location


@pytest.mark.parametrize("container", PACKERS)
@quick
@given(written=st.lists(st.binary(max_size=300).map(lambda part: b"x" + part + b"x"), max_size=5))
def test_arc_records_are_read_back(container: str, tmp_path: Path, written: list[bytes]) -> None:
    records = arc_file(*(arc(block, f"http://a.example/{number}") for number, block in enumerate(written)))
    seen = read(tmp_path / "a", PACKERS[container](records))
    assert seen.format == "ARC/1.1"
    assert seen.damages == []
    assert seen.blocks[1:] == written
    for location, block in zip(seen.locations[1:], written, strict=True):
        with read_record_at(location) as record:
            assert (record.version, record.read()) == ("ARC/1.1", block)


@pytest.mark.parametrize("container", ["plain", "gzip", "zstd", "bzip2"])
def test_offsets_are_those_of_the_members(container: str, tmp_path: Path) -> None:
    records = [page("one"), page("two"), page("three")]
    members = [PACKERS[container]([record]) for record in records]
    seen = read(tmp_path / "a", b"".join(members))
    at = 0
    for member, location in zip(members, seen.locations, strict=True):
        newlines = 4 if container == "plain" else 0
        assert (location.offset, location.length, location.inner * bool(newlines == 0)) == (
            at,
            len(member) - newlines,
            0,
        )
        at += len(member)


@st.composite
def spoiled_archives(draw: st.DrawFn) -> bytes:
    """A sound archive with a few bytes changed, taken out or put in."""
    records = [page("one"), warc(b"x" * 300, kind="resource", content_type="text/plain"), page("three")]
    if draw(st.booleans()):
        records = arc_file(arc(http(b"<p>one</p>")), arc(b"two", "dns:a.example"), arc(http(b"<p>three</p>")))
    data = bytearray(PACKERS[draw(st.sampled_from(sorted(PACKERS)))](records))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(data) - 1)) if data else 0
        change = draw(st.binary(max_size=6))
        data[place : place + draw(st.integers(0, 12))] = change
    return bytes(data)


@settings(quick, max_examples=400)
@given(data=spoiled_archives())
def test_spoiled_bytes_end_in_records_and_damages(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "spoiled"
    path.write_bytes(data)
    covered = bytearray(len(data))
    found = []
    try:
        with ArchiveReader(str(path)) as reader:
            for item in reader:
                if not isinstance(item, Damage):
                    parse_response(item)
                    found.append((item.location, item.url))
                place = item if isinstance(item, Damage) else item.location
                assert 0 <= place.offset <= place.offset + place.length <= len(data)
                covered[place.offset : place.offset + place.length] = b"\1" * place.length
    except ArchiveError:
        return
    uncovered = bytes(byte for byte, known in zip(data, covered, strict=True) if not known)
    assert uncovered.strip(b"\r\n") in (b"", gzip.compress(b"", mtime=0)), "bytes that nobody accounts for"
    for location, url in found:
        with read_record_at(location) as record:
            assert record.url == url


@settings(quick, max_examples=200)
@given(data=st.binary(max_size=400), offset=st.integers(-5, 500))
def test_any_place_in_any_bytes_is_a_record_or_a_plain_refusal(
    tmp_path: Path, data: bytes, offset: int
) -> None:
    path = tmp_path / "any"
    path.write_bytes(data)
    try:
        with find_record(str(path), offset) as record:
            record.read()
    except RecordError as error:
        assert str(path) in str(error)


@pytest.mark.parametrize("container", ["plain", "gzip", "zstd", "lz4", "bzip2"])
def test_a_byte_beside_a_record_start_is_refused(container: str, tmp_path: Path) -> None:
    for records in ([page("one"), page("two")], arc_file(arc(http(b"one")), arc(http(b"two")))):
        seen = read(tmp_path / "a", PACKERS[container](records))
        place = seen.locations[1]
        for step in (-1, 1, 2):
            with pytest.raises(RecordError, match="no record begins here"):
                read_record_at(Location(place.path, place.offset + step, place.length))
