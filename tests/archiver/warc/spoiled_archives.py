"""Archives of all formats, sound or spoiled in the ways that files are, and what must hold for each of them.

Used by the properties of this folder and, for as long as one likes, by `python -m tests.fuzz.reading`.
"""

from __future__ import annotations

import bz2
import gzip
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from unittest.mock import patch

import lz4.frame

from archiver.warc import (
    DEFAULT_LIMITS,
    ArchiveReader,
    Damage,
    Limits,
    Location,
    NotAnArchiveError,
    Record,
    find_record,
    read_record_at,
)
from indexer.core.records import RecordReader
from indexer.text.documents import CaptureFound, FileEntry, read_captures
from tests.archiver.warc.archive_bytes import arc, arc_file, http, skippable, warc, zip_file, zstd

LENGTHS = (
    "", "abc", "-5", "-0", "+5", "1e3", "0x10", " 7 ", "7, 7", "007", "1_000", "٣", "²", "1.5", "NaN", "0",
    *(str(2**bits + step) for bits in (31, 32, 63, 64) for step in (-1, 0, 1)), "9" * 19, "9" * 400, "9" * 5000,
)  # fmt: skip
"""What stands in the place of a length: numbers too large for any file, and what is no number."""

WORDS = (
    b"WARC/1.0\r\n", b"WARC/1.0\r\nWARC-Type: response\r\n", b"WARC/", b"\r\n\r\n", b"\n\n", b"\r\n" * 40, b"\0" * 9,
    b"Content-Length: 5\r\n", b"Content-Length: 99999999999999999999\r\n", b"\x1f\x8b\x08\0\0\0\0\0\0\xff",
    b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b"BZh9", b"PK\1\2", b"PK\3\4", b"PK\5\6", b"\x50\x2a\x4d\x18\5\0\0\0",
    b"\x5d\x2a\x4d\x18\xff\xff\xff\xff", b"\xff\xff\xff\xff", b"\xff" * 8, b"\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"http://b.example/ 192.0.2.7 20040925001013 text/html 9\n", b"\nhttp://b.example/ 192.0.2.7 20040925001013 t 3\n",
    b"HTTP/1.1 200 OK\r\n\r\n", b" ", b"\n", b"\r", b":", b"x",
)  # fmt: skip
"""What is put into archives to spoil them."""

NUMBER = re.compile(rb"(?<=ength: )\d+|(?<=/html )\d+")
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
SIZES = (0, 1, 3, 8, 60, 500, 1000, 1024, 1030, 9000, 9216, 9300, 16384, 65536, 65600)


def make_records(random: Random, most: int = 6) -> list[bytes]:
    """Return the records of a WARC or ARC file, most of them sound."""
    if random.random() < 0.3:
        version = random.choice((b"1 1", b"2 0"))
        middle = "200 9f8a - 209 a.arc " if version == b"2 0" else ""
        records = [
            arc(
                _block(random),
                _url(random),
                length=_length(random),
                after=random.choice((b"\n", b"\n", b"", b"\r\n\r\n")),
                middle=middle,
            )
            for _ in range(random.randint(0, most))
        ]
        return arc_file(*records, version=version)
    return [_warc(random) for _ in range(random.randint(1, most))]


def _warc(random: Random) -> bytes:
    kinds = (
        "response",
        "response",
        "resource",
        "revisit",
        "metadata",
        "request",
        "warcinfo",
        "continuation",
        "x",
    )
    block = _block(random)
    length = _length(random)
    if isinstance(length, int):
        length += len(block)
    return warc(
        block,
        _url(random),
        random.choice(kinds),
        length=length,
        extra=random.choice(
            ((), (), ("WARC-Segment-Number: 1",), ("X-Odd: WARC/1.0", "No colon"), (" folded",))
        ),
        version=random.choice(("WARC/1.0", "WARC/1.0", "WARC/1.1", "warc/0.18", "WARC/1.0 ")),
        eol=random.choice((b"\r\n", b"\r\n", b"\n")),
        tail=random.choice((b"\r\n\r\n",) * 4 + (b"\n\n", b"\r\n", b"", b"\r\n" * 9, b"rubbish", b"\0\0")),
    )


def _url(random: Random) -> str:
    return random.choice(
        ("http://a.example/", "https://b.example/x y", "dns:a.example", "", "urn:x", "<http://c/>")
    ) + (str(random.randint(0, 9)))


def _length(random: Random) -> object:
    """Return None for the truth, an int for what is added to it, a text for what stands in its place."""
    if random.random() < 0.75:
        return None
    text = random.choice(LENGTHS).encode().decode("latin-1")
    return random.choice((text, random.randint(-600, 600), random.randint(-9, 9)))


def _block(random: Random) -> bytes:
    size = random.choice(SIZES)
    body = random.choice(
        (
            lambda: b"<p>%d" % random.randint(0, 99),
            lambda: b"x" * size,
            lambda: random.randbytes(size),
            lambda: b"\r\n" * random.randint(0, 9),
            lambda: random.choice(WORDS) + b"x" * random.randint(0, 9) + random.choice(WORDS),
            lambda: warc(http(b"inner"), "http://inner.example/"),
            lambda: b"x\n" + arc(http(b"inner"), "http://inner.example/"),
            lambda: b"x" * (size - 5) + random.choice(WORDS) + b"x" * 5,
            lambda: gzip.compress(warc(http(b"inner"), "http://inner.example/"), mtime=0),
        )
    )()
    return http(body) if random.random() < 0.7 else body


def pack(random: Random, records: list[bytes]) -> bytes:
    """Return the records as a file: plain, packed, packed in other pieces than records, or joined from several."""
    kind = random.random()
    if kind < 0.08 and len(records) > 1:
        half = len(records) // 2
        return pack(random, records[:half]) + pack(random, records[half:])
    if kind < 0.15:  # members without regard to records
        data = b"".join(records)
        step = random.choice((7, 40, 100, 300, 5000)) if len(data) < 4000 else 5000
        records = [data[at : at + step] for at in range(0, len(data), step)]
    elif kind < 0.25:  # several in one member
        step = random.randint(2, 9)
        records = [b"".join(records[at : at + step]) for at in range(0, len(records), step)]
    return random.choice(_PACKERS)(records)


def _zstd_with_dictionary(records: list[bytes]) -> bytes:
    dictionary = zstd.ZstdDict(b"".join(records)[:2000].ljust(64, b"."), is_raw=True)
    frames = b"".join(zstd.compress(record, zstd_dict=dictionary) for record in records)
    return skippable(dictionary.dict_content) + frames


def _zstd_with_trained_dictionary(records: list[bytes]) -> bytes:
    try:
        # beginnings will do: to train with all of some large records takes longer and more memory than to read them
        samples = [record[:10_000] for record in records]
        dictionary = zstd.train_dict(samples * (200 // len(samples) + 1), 4096)
    except (zstd.ZstdError, ZeroDivisionError, ValueError):  # of too little
        return _zstd_with_dictionary(records)
    frames = b"".join(zstd.compress(record, zstd_dict=dictionary) for record in records)
    return skippable(dictionary.dict_content) + frames


_PACKERS: tuple[Callable[[list[bytes]], bytes], ...] = (
    b"".join,
    b"".join,
    b"".join,
    lambda records: b"".join(gzip.compress(record, 1, mtime=0) for record in records),
    lambda records: b"".join(gzip.compress(record, 1, mtime=0) for record in records),
    lambda records: b"".join(zstd.compress(record) for record in records),
    _zstd_with_dictionary,
    _zstd_with_trained_dictionary,
    lambda records: b"".join(lz4.frame.compress(record) for record in records),
    lambda records: b"".join(bz2.compress(record, 1) for record in records),
)


def spoil(random: Random, data: bytes) -> bytes:
    """Return the bytes with one thing changed."""
    if not data:
        return random.choice(WORDS)
    at = random.randrange(len(data) + 1)
    if random.random() < 0.3:  # near something that matters
        marks = [data.find(mark, at) for mark in (b"WARC/", b"ength", b"\r\n\r\n", b"PK\1\2", b"\x1f\x8b")]
        marks = [place for place in marks if place >= 0]
        at = min(len(data), random.choice(marks) + random.randint(0, 12)) if marks else at
    count = random.choice((1, 1, 2, 3, 8, 40, 500))
    end = min(len(data), at + count)
    change = random.randrange(10)
    if change == 9 and (numbers := [found.span() for found in NUMBER.finditer(data, at)][:9]):
        first, last = random.choice(numbers)
        return data[:first] + random.choice(LENGTHS).encode() + data[last:]
    if change == 0:
        return data[:at]
    if change == 1:
        return data[:at] + data[end:]
    if change == 2:
        return data[:at] + bytes(end - at) + data[end:]
    if change == 3:
        return data[:at] + random.choice(WORDS) + data[at:]
    if change == 4:
        return data[:end] + data[at:]
    if change == 5:
        return data[:at] + random.choice(WORDS) + data[end:]
    if change == 6:
        return data[at:]
    if change == 7 and at < len(data):
        return data[:at] + bytes((data[at] ^ 1 << random.randrange(8),)) + data[at + 1 :]
    return data[:at] + random.randbytes(end - at) + data[end:]


def make_file(random: Random) -> bytes:
    """Return a file that is an archive, was one, or nearly is one."""
    records = make_records(random)
    for _ in range(random.choice((0, 0, 0, 1, 1, 2))):
        place = random.randrange(len(records))
        records[place] = spoil(random, records[place])
    data = pack(random, records)
    for _ in range(random.choice((0, 0, 1, 1, 2, 4))):
        data = spoil(random, data)
    if random.random() < 0.2:
        data = _in_zip(random, data)
        if random.random() < 0.2:
            data = zip_file({"inner.wacz": data, "b.warc": warc(http(b"beside"))}, random.choice(METHODS))
        for _ in range(random.choice((0, 0, 1, 1, 2))):
            data = spoil(random, data)
    return data


def make_large_file(random: Random) -> bytes:
    """Return a file with blocks about as long as what is looked at ahead, and wrong lengths."""
    records = []
    for number in range(random.randint(1, 4)):
        noise = random.randbytes(1000) if random.random() < 0.5 else b" " * 1000
        body = (noise * 1100)[: (1 << 20) + random.choice((-600_000, -500, -4, 0, 4, 500, 40_000))]
        place = random.randrange(len(body))
        body = body[:place] + random.choice((b"", warc(http(b"inner")), *WORDS)) + body[place:]
        block = http(body)
        wrong = random.choice((0, 0, -7, 7, 5000, 1 << 21, 1 << 62, 1 << 63))
        records.append(warc(block, f"http://a.example/{number}", length=len(block) + wrong))
        records.append(_warc(random))
    data = pack(random, records)
    return spoil(random, data) if random.random() < 0.5 else data


def _in_zip(random: Random, data: bytes) -> bytes:
    files = {"datapackage.json": b"{}", random.choice(("archive/a.warc.gz", "archive\\a.warc", "a")): data}
    if random.random() < 0.5:
        name = random.choice(("archive/b.warc", "__MACOSX/archive/._a.warc.gz", "c.txt"))
        files[name] = pack(random, make_records(random, 2))
    return zip_file(files, random.choice(METHODS))


# ---------------------------------------------------------------- what must hold


class Read(NamedTuple):
    """A record with all that is in it."""

    location: Location
    type_name: str
    version: str
    url: str
    timestamp: str
    fields: tuple[tuple[str, str], ...]
    raw_header: bytes
    block: bytes
    truncated: str


def taken(record: Record) -> Read:
    block = record.read()
    return Read(
        record.location,
        record.type_name,
        record.version,
        record.url,
        record.timestamp,
        tuple(record.headers),
        record.raw_header,
        block,
        record.truncated,
    )


def read_whole(path: Path, limits: Limits = DEFAULT_LIMITS) -> tuple[list[Read], list[Damage]]:
    """Return the records and damages of a file; none of both where it is no archive."""
    records: list[Read] = []
    damages: list[Damage] = []
    try:
        with ArchiveReader(str(path), limits=limits) as reader:
            for item in reader:
                if isinstance(item, Damage):
                    damages.append(item)
                else:
                    records.append(taken(item))
    except NotAnArchiveError:
        assert not records
    return records, damages


def check(path: Path, limits: Limits = DEFAULT_LIMITS) -> int:
    """Assert all that must hold for any file, whatever its bytes; return how many records it has."""
    records, damages = read_whole(path, limits)
    for record in records:
        _check_place(record, limits)
    data = path.read_bytes()
    if records and not data.startswith((b"PK\3\4", b"PK\5\6")):
        check_cover(data, records, damages)
    if limits is DEFAULT_LIMITS:
        check_ledger(path, len(records), len(damages))
    return len(records)


def check_cover(data: bytes, records: list[Read], damages: list[Damage]) -> None:
    """Records and damages, line ends, empty members and skippable frames make up the file.

    Records without compression lie apart, and a damage lies in one of them or apart from all.
    """
    plain = sorted(
        (place.offset, place.offset + place.length)
        for place, *_, header, _block, _cut in records
        if data.startswith(header, place.offset)
    )
    for (_, end), (begin, _) in pairwise(plain):
        assert end <= begin, f"records overlap at byte {begin}"
    for damage in damages:
        begin, end = damage.offset, damage.offset + damage.length
        assert 0 <= begin <= end <= len(data), damage
        for first, last in plain:
            assert end <= first or last <= begin or first <= begin <= end <= last, (
                f"{damage} overlaps {first}-{last}"
            )
    at = 0
    for place in sorted([*(record.location for record in records), *damages], key=lambda place: place.offset):
        if place.offset > at:
            _check_padding(data, at, place.offset)
        at = max(at, place.offset + place.length)
    assert at <= len(data)
    _check_padding(data, at, len(data))


def _check_padding(data: bytes, at: int, end: int) -> None:
    """Line ends, skippable frames, and members in which a record goes on or nothing is."""
    padding = rest = data[at:end]
    while rest := rest.lstrip(b"\r\n"):
        if re.match(rb"[\x50-\x5f]\x2a\x4d\x18", rest, re.DOTALL) and len(rest) >= 8:
            rest = rest[8 + struct.unpack("<I", rest[4:8])[0] :]
            continue
        decoder = _decoder_of(rest, data)
        assert decoder, f"bytes that nobody accounts for at {at}: {padding[:200]!r}"
        decoder.decompress(rest)
        assert decoder.eof, f"a cut member that nobody accounts for at {at}: {padding[:200]!r}"
        rest = decoder.unused_data or b""  # lz4 says None


def _decoder_of(member: bytes, data: bytes) -> Any:
    if member.startswith(b"\x1f\x8b"):
        return zlib.decompressobj(31)
    if member.startswith(b"\x28\xb5\x2f\xfd"):
        size = int.from_bytes(data[4:8], "little") if data.startswith(b"\x5d\x2a\x4d\x18") else 0
        return zstd.ZstdDecompressor(zstd.ZstdDict(data[8 : 8 + size], is_raw=True) if size > 7 else None)
    if member.startswith(b"\x04\x22\x4d\x18"):
        return lz4.frame.LZ4FrameDecompressor()
    return bz2.BZ2Decompressor() if member.startswith(b"BZh") else None


def check_ledger(path: Path, records: int, damages: int) -> None:
    """The sums of the ledger agree with what is in the file, however many workers share it and whoever reads it."""
    read = FileEntry(str(path))
    captures = _said_by(read_captures(str(path), read))
    with patch.object(RecordReader, "read_members", lambda self, packed, most: ([], False)):
        entry = FileEntry(str(path))
        assert _said_by(read_captures(str(path), entry)) == captures, (
            "records that the core reads say something else"
        )
        assert entry == read
    for shares in (1, 2):
        entries = [FileEntry(str(path), share=(share, shares)) for share in range(shares)]
        for entry in entries:
            captures = list(read_captures(str(path), entry))
            assert entry.captures == len(captures)
            assert entry.records == entry.captures + sum(entry.skipped.values())
            assert entry.documents == sum(capture.page is not None for capture in captures)
        assert sum(entry.records for entry in entries) == records
        assert (entries[0].status == "not an archive") <= (records == 0)
        assert (entries[0].status == "indexed") == (records > 0 and not entries[0].damaged)
        assert len(entries[0].damaged) >= damages


def _said_by(captures: Iterable[CaptureFound]) -> list[tuple[Any, ...]]:
    """Return captures without their pages, and what these say: their bytes may lie in those of the record, or alone."""
    said: list[tuple[Any, ...]] = []
    for capture in captures:
        page = capture.page
        says = (page.digest, page.html, page.charset, page.language) if page else ()
        said.append((replace(capture, page=None), *says))
    return said


def _check_place(record: Read, limits: Limits) -> None:
    place = record.location
    with read_record_at(place, limits=limits) as again:
        _check_same(taken(again), record)
    with find_record(place.path, place.offset, place.member, place.inner, limits=limits) as again:
        _check_same(taken(again), record)


def _check_same(again: Read, record: Read) -> None:
    for name in Read._fields:
        found, expected = getattr(again, name), getattr(record, name)
        assert found == expected, (
            f"{name} at {record.location}: {found!r:.300}, in the whole file {expected!r:.300}"
        )
