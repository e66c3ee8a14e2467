"""Copies single records into another archive: byte for byte where they lie in a gzip member of their own.

Else the same bytes of the record are packed anew; an ARC record becomes a WARC record with the same block.
Used by `wacz_writer.py`.
"""

from __future__ import annotations

import gzip
import tempfile
import uuid
from collections.abc import Iterator
from typing import IO, cast

from .decoders import DECODER_ERRORS, GzipDecoder
from .errors import RecordError
from .limits import DEFAULT_LIMITS, Limits
from .reader import open_place, read_record_at
from .record import Location, Record, RecordType
from .source import BLOCK, Source

_GZIP = b"\x1f\x8b"
_MOST_NEWLINES = 16  # bytes of line ends that may stand before and behind a record in its member
_IN_MEMORY = 4 << 20
_SMALL = 1 << 16


class CopiedRecord:
    """A record ready to be written as one gzip member. as_it_lies: its bytes are those of the archive it comes from."""

    def __init__(self, as_it_lies: bool, pieces: Iterator[bytes]) -> None:
        self.as_it_lies = as_it_lies
        self._pieces = pieces

    def write_to(self, out: IO[bytes]) -> int:
        """Write the member and return its length in bytes."""
        return sum(out.write(piece) for piece in self._pieces)


def copy_record(location: Location, *, limits: Limits = DEFAULT_LIMITS) -> CopiedRecord:
    """Return the record at a place for writing elsewhere, read to its end before: what is broken is never copied.

    Raises RecordError when no whole record lies there, ArchiveError when the file cannot be read.
    """
    with read_record_at(location, limits=limits) as record:
        is_arc = record.version.startswith("ARC/")
        size = len(record.raw_header) + max(record.block_length, 0)
        if not is_arc and not location.inner and record.block_length >= 0:
            source = open_place(location, limits=limits)
            try:
                is_alone = _is_alone(source, location, size)
            except BaseException:
                source.close()
                raise
            if is_alone:
                return CopiedRecord(True, _pieces(source, location))
            source.close()
        packed = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
        header = _warc_header(record, location) if is_arc else record.raw_header
        _pack(record, header, packed, location)
    return CopiedRecord(False, _pieces_of(cast("IO[bytes]", packed)))


def _is_alone(source: Source, location: Location, record_bytes: int) -> bool:
    """Tell whether a gzip member lies at the place that holds this record and nothing else.

    Raises RecordError when the data is broken: it must not get a new checksum that is right.
    """
    if bytes(source.read_at(location.offset, 2)) != _GZIP:
        return False
    decoder = GzipDecoder()
    at, end, unpacked = location.offset, location.offset + location.length, 0
    try:
        while not decoder.eof:
            packed = source.read_at(at, min(BLOCK, end - at)) if decoder.needs_input else b""
            if decoder.needs_input and not packed:
                return False
            at += len(packed)
            unpacked += len(decoder.decompress(packed, BLOCK))
            if unpacked > record_bytes + _MOST_NEWLINES:
                return False
    except DECODER_ERRORS as error:
        raise RecordError(
            location.path, location.offset, "the gzip data is broken, or has a wrong checksum"
        ) from error
    return at == end and not decoder.unused_data and unpacked >= record_bytes


def _pieces(source: Source, location: Location) -> Iterator[bytes]:
    try:
        at, end = location.offset, location.offset + location.length
        while at < end:
            data = bytes(source.read_at(at, min(BLOCK, end - at)))
            if not data:
                raise RecordError(location.path, at, "the file has become shorter while it was copied")
            yield data
            at += len(data)
    finally:
        source.close()


def _pieces_of(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while data := file.read(BLOCK):
            yield data


def _pack(record: Record, header: bytes, out: IO[bytes], location: Location) -> None:
    written = 0
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=6, mtime=0) as packer:
        packer.write(header)
        while data := record.read(_SMALL):
            packer.write(data)
            written += len(data)
        packer.write(b"\r\n\r\n")
    if record.truncated == "file" or written != record.block_length:
        out.close()
        raise RecordError(
            location.path,
            location.offset,
            f"{written} bytes of the record are there, its header says {record.block_length}",
        )


def _warc_header(record: Record, location: Location) -> bytes:
    """Return the header of the WARC record that stands for an ARC record."""
    is_http = record.type == RecordType.RESPONSE
    content_type = "application/http;msgtype=response" if is_http else record.content_type
    stamp = record.timestamp
    date = f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}T{stamp[8:10]}:{stamp[10:12]}:{stamp[12:14]}Z"
    name = f"{record.url} {stamp} {location.offset} {location.inner} {record.block_length}"
    fields = [
        ("WARC-Type", "response" if is_http else "resource"),
        ("WARC-Record-ID", f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, name)}>"),
        ("WARC-Date", date),
        ("WARC-Target-URI", record.url),
        ("WARC-IP-Address", record.headers.get("WARC-IP-Address")),
        ("Content-Type", content_type or "application/octet-stream"),
        ("Content-Length", str(record.block_length)),
    ]
    lines = [f"{field}: {' '.join(value.split())}\r\n" for field, value in fields if value]
    return f"WARC/1.1\r\n{''.join(lines)}\r\n".encode("utf-8", "replace")
