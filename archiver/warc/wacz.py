"""WACZ and other ZIP files: archives inside, read in place, nothing unpacked to disk. Used by `reader.py`.

The table of contents is read here rather than by `zipfile`, which holds all of
it in memory, however long it is, and gives no place of a stored file's bytes.
What is read of an entry of the table (offsets in bytes, little-endian):

    0  50 4b 01 02   8 flags   10 method   16 checksum   20 packed size   24 size
    28 length of name, 30 of extra fields, 32 of comment   42 place of the local header   46 name ...
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace

from .errors import ArchiveError
from .header import LONGEST_SCAN, NEWLINES, find_header, starts_with_header
from .limits import KIB, Limits
from .members import PackedStream, Streams
from .source import InflateSource, PartSource, Source

END_MARK = b"PK\x05\x06"
END64_MARK = b"PK\x06\x06"
END64_LOCATOR = b"PK\x06\x07"
ENTRY_MARK = b"PK\x01\x02"
LOCAL_MARK = b"PK\x03\x04"
STORED, DEFLATED = 0, 8
ENCRYPTED, UTF8 = 1, 0x800
TOO_LARGE_32 = 0xFFFFFFFF

LIKE_AN_ARCHIVE = re.compile(r"\.w?arc(\.(gz|zstd?|lz4|bz2))?(\.open)?$", re.IGNORECASE)
OF_MACOS = re.compile(r"(^|/)(__MACOSX/|\._)")
"""What macOS puts into ZIP files beside the files themselves, under the same names."""

LIKE_A_ZIP = re.compile(r"\.(wacz|zip)$", re.IGNORECASE)
UNSAFE_NAME = re.compile(r"[\x00-\x1f\x7f]|^/|^[A-Za-z]:|(^|/)\.\.(/|$)")


class ZipError(ArchiveError):
    """The table of contents of a ZIP file cannot be read."""


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """One file inside: its name with "/" between folders, how it is packed, and where its local header stands.

    within: the ZIP file inside the ZIP file that holds it, None for most; begin: where that one begins in the outer
    file. broken: why that one cannot be read, and so has no entries of its own.
    """

    name: str
    flags: int
    method: int
    checksum: int
    packed_size: int
    size: int
    header_at: int
    within: Source | None = None
    begin: int = 0
    broken: str = ""

    def problem(self) -> str:
        """Return why the entry cannot be read; "" if it can."""
        if self.broken:
            return self.broken
        if not self.name:
            return "a file inside the ZIP file has no name; it is not read"
        if UNSAFE_NAME.search(self.name):
            return f"the name {self.name[:200]!r} inside the ZIP file leads elsewhere; it is not read"
        if self.flags & ENCRYPTED:
            return "the file inside the ZIP file is encrypted"
        if self.method not in (STORED, DEFLATED):
            return (
                f"the file inside the ZIP file is packed by method {self.method}; expected stored or deflated"
            )
        return ""


def is_zip(source: Source) -> bool:
    return bytes(source.read_at(0, 4)) in (LOCAL_MARK, END_MARK)


def zip_entries(source: Source, limits: Limits) -> Iterator[ZipEntry]:
    """Yield the files of a ZIP file as its table of contents has them; folders and empty files are left out.

    A ZIP file inside (a WACZ of several WACZ files) gives its files in its place, as "inner.wacz/archive/a.warc.gz".
    Of files with the same name each has a name of its own: the second is "(2) a.warc.gz".
    Raises ZipError when the table is missing, broken or longer than allowed.
    """
    names: dict[str, int] = {}
    places: set[int] = set()
    nested = 0
    for entry in _entries_of(source, limits):
        if entry.header_at in places:
            entry = replace(entry, broken="the file inside the ZIP file begins where another one does")
        places.add(entry.header_at)
        names[entry.name] = count = names.get(entry.name, 0) + 1
        if count > 1:
            entry = replace(entry, name=f"({count}) {entry.name}")
        if LIKE_A_ZIP.search(entry.name) and not entry.problem():
            for inner in _entries_inside(source, entry, limits):
                nested += 1
                if nested > limits.zip_entries:
                    raise ZipError(f"the ZIP file holds more than {limits.zip_entries} files in others")
                yield inner
        else:
            yield entry


def _entries_inside(source: Source, entry: ZipEntry, limits: Limits) -> Iterator[ZipEntry]:
    """Yield the files of a ZIP file that is an entry of another, or the entry itself if it is none."""
    try:
        inner, begin = open_entry(source, entry)
        if not is_zip(inner):
            yield entry
            return
        for found in _entries_of(inner, limits):
            yield replace(found, name=f"{entry.name}/{found.name}", within=inner, begin=begin)
    except ZipError as error:
        yield replace(entry, broken=f"{error} (inside {entry.name})")


def _entries_of(source: Source, limits: Limits) -> Iterator[ZipEntry]:
    at, size, count, shift = _find_table(source)
    if size > limits.zip_directory_bytes or count > limits.zip_entries:
        raise ZipError(f"the ZIP file lists {count} files in {size} bytes, more than allowed")
    end = at + size
    number = 0
    while at < end:
        fixed = bytes(source.read_at(at, 46))
        if len(fixed) < 46 or not fixed.startswith(ENTRY_MARK):
            raise ZipError(f"the table of contents of the ZIP file is broken at byte {at}")
        flags, method = struct.unpack_from("<HH", fixed, 8)
        checksum, packed_size, file_size = struct.unpack_from("<III", fixed, 16)
        name_length, extra_length, comment_length = struct.unpack_from("<HHH", fixed, 28)
        header_at: int = struct.unpack_from("<I", fixed, 42)[0]
        variable = bytes(source.read_at(at + 46, name_length + extra_length))
        if TOO_LARGE_32 in (packed_size, file_size, header_at):
            extra = variable[name_length:]
            file_size, packed_size, header_at = _zip64_sizes(extra, file_size, packed_size, header_at)
        at += 46 + name_length + extra_length + comment_length
        number += 1
        if number > limits.zip_entries:
            raise ZipError(f"the ZIP file lists more than {limits.zip_entries} files")
        name = _name(variable[:name_length], flags).replace("\\", "/")  # some writers on Windows leave it
        if packed_size and not name.endswith("/"):
            yield ZipEntry(name, flags, method, checksum, packed_size, file_size, header_at + shift)


def _find_table(source: Source) -> tuple[int, int, int, int]:
    """Return place, size and number of entries of the table, and how far all places are shifted by bytes in front."""
    file_size = source.size()
    tail_at = max(0, file_size - 22 - 0xFFFF)
    tail = bytes(source.read_at(tail_at, file_size - tail_at))
    place = tail.rfind(END_MARK)
    if place < 0 or len(tail) - place < 22:
        raise ZipError("the ZIP file has no table of contents; it is cut short")
    count, size, at = struct.unpack_from("<HII", tail, place + 10)
    table_end = tail_at + place
    locator = tail[place - 20 : place] if place >= 20 else b""
    if locator.startswith(END64_LOCATOR):
        end64_at: int = struct.unpack_from("<Q", locator, 8)[0]
        end64 = bytes(source.read_at(end64_at, 56))
        if len(end64) == 56 and end64.startswith(END64_MARK):
            count, size, at = struct.unpack_from("<QQQ", end64, 32)
            table_end = end64_at
    shift = table_end - size - at
    if size > table_end or shift < 0:
        raise ZipError(f"the ZIP file says its table of contents of {size} bytes is at byte {at}; it is not")
    return at + shift, size, count, shift


def _zip64_sizes(extra: bytes, *sizes: int) -> tuple[int, int, int]:
    """Return size, packed size and place, those that do not fit in 32 bits taken from the extra field 1."""
    at = 0
    values: list[int] = []
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            field = extra[at + 4 : at + 4 + length]
            values = [number for (number,) in struct.iter_unpack("<Q", field[: len(field) // 8 * 8])]
            break
        at += 4 + length
    size, packed_size, place = (
        values.pop(0) if values and number == TOO_LARGE_32 else number for number in sizes
    )
    return size, packed_size, place


def _name(raw: bytes, flags: int) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp437" if not flags & UTF8 else "latin-1")


def open_entry(source: Source, entry: ZipEntry) -> tuple[Source, int]:
    """Return the unpacked bytes of an entry, and where its packed bytes begin in the ZIP file.

    Raises ZipError if there is no local header where the table says.
    """
    source = entry.within or source
    local = bytes(source.read_at(entry.header_at, 30))
    if len(local) < 30 or not local.startswith(LOCAL_MARK):
        raise ZipError(f"no file begins at byte {entry.header_at} of the ZIP file, where its table says")
    name_length, extra_length = struct.unpack_from("<HH", local, 26)
    begin = entry.header_at + 30 + name_length + extra_length
    packed = PartSource(source, begin, entry.packed_size)
    place = begin + entry.begin if not isinstance(entry.within, InflateSource) else entry.begin
    return (packed if entry.method == STORED else InflateSource(packed, entry.size, entry.checksum)), place


def is_stored(inner: Source, entry: ZipEntry) -> bool:
    """Do the bytes of an entry lie in the ZIP file as they are?"""
    return isinstance(inner, PartSource) and not isinstance(entry.within, InflateSource)


def member_problem(inner: Source, entry: ZipEntry) -> str:
    """Return what was wrong with the bytes of an entry that has been read to its end; "" if nothing."""
    if isinstance(inner, InflateSource):
        return inner.problem
    if inner.size() < entry.packed_size:
        return f"the ZIP file ends after {inner.size()} of the {entry.packed_size} bytes that it promises"
    return ""


def holds_archive(inner: Source, name: str, limits: Limits) -> bool:
    """Do the bytes begin as an archive? Where the name promises one, a record further on is enough."""
    stream = Streams(inner, limits).first()
    if not stream.next_member():
        return False
    stream.ensure(64 * KIB)
    begin = NEWLINES.match(stream.buffer).end()  # type: ignore[union-attr]
    first = b"\n" + stream.buffer[begin : begin + LONGEST_SCAN]
    if starts_with_header(first, 1, "WARC") or find_header(first, 0, 2, "ARC") == 1:
        return True
    if isinstance(stream, PackedStream) and stream.problem and stream.end < inner.size():
        return True
    return (
        bool(LIKE_AN_ARCHIVE.search(name)) and find_header(stream.buffer, begin, len(stream.buffer), "") >= 0
    )
