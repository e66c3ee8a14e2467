"""The decoders give the same, however their input is cut."""

from __future__ import annotations

import itertools
import struct
import zlib
from pathlib import Path

import pytest

from archiver.warc.decoders import GzipDecoder
from tests.archiver.warc.archive_bytes import page, read

DATA = b"a grey heron " * 40


def member(fields: tuple[str, ...], data: bytes = DATA, *, extra: bytes = b"e" * 20) -> bytes:
    """Return a gzip member whose header has these fields."""
    flags = sum(1 << FIELDS.index(field) + 1 for field in fields)
    header = b"\x1f\x8b\x08" + bytes([flags]) + b"\0" * 6
    header += struct.pack("<H", len(extra)) + extra if "extra" in fields else b""
    header += b"a name\0" if "name" in fields else b""
    header += b"a comment\0" if "comment" in fields else b""
    header += struct.pack("<H", zlib.crc32(header) & 0xFFFF) if "checksum" in fields else b""
    packing = zlib.compressobj(6, zlib.DEFLATED, -15)
    return header + packing.compress(data) + packing.flush() + struct.pack("<II", zlib.crc32(data), len(data))


FIELDS = ("checksum", "extra", "name", "comment")
ALL = [chosen for size in range(5) for chosen in itertools.combinations(FIELDS, size)]


@pytest.mark.parametrize("fields", ALL, ids="+".join)
def test_a_gzip_member_may_be_cut_anywhere(fields: tuple[str, ...]) -> None:
    packed = member(fields)
    for cut in range(1, len(packed)):
        decoder = GzipDecoder()
        got = decoder.decompress(packed[:cut], 10_000)
        if decoder.needs_input:
            got += decoder.decompress(memoryview(packed + b"next")[cut:], 10_000)
        assert got == DATA and decoder.eof
        assert decoder.unused_data == b"next"


def test_a_long_header_of_a_member_is_no_damage(tmp_path: Path) -> None:
    records = [page("heron"), page("coot"), page("wren")]
    long = member(("extra", "name"), records[1], extra=b"e" * 65_535)
    seen = read(tmp_path / "a.warc.gz", member((), records[0]) + long + member(("name",), records[2]))
    assert not seen.damages and seen.words == ["heron", "coot", "wren"]
