"""Archives for tests, put together byte by byte so that no library's idea of the format gets in."""

from __future__ import annotations

import bz2
import gzip
import io
import struct
import sys
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import lz4.frame

from archiver.warc import ArchiveReader, Damage, Record, parse_response

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

HTML = "Content-Type: text/html"


def http(body: bytes, *headers: str, status: str = "HTTP/1.1 200 OK", eol: bytes = b"\r\n") -> bytes:
    """An HTTP response with exactly these header lines."""
    lines = [status.encode("latin-1"), *(header.encode("latin-1") for header in headers or (HTML,))]
    return eol.join(lines) + eol + eol + body


def warc(
    block: bytes,
    url: str = "http://a.example/",
    kind: str = "response",
    content_type: str | None = "application/http; msgtype=response",
    length: object = None,
    extra: Iterable[str] = (),
    version: str = "WARC/1.0",
    date: str = "2020-01-02T03:04:05Z",
    eol: bytes = b"\r\n",
    tail: bytes = b"\r\n\r\n",
) -> bytes:
    """A WARC record. length: what Content-Length says, if not the truth; tail: what stands behind the block."""
    lines = [version, f"WARC-Type: {kind}", f"WARC-Date: {date}", f"WARC-Target-URI: {url}"]
    if content_type is not None:
        lines.append(f"Content-Type: {content_type}")
    lines += [*extra, f"Content-Length: {len(block) if length is None else length}"]
    return eol.join(line.encode("latin-1") for line in lines) + eol + eol + block + tail


def page(word: str, url: str = "", **more: object) -> bytes:
    """A WARC record with a small page that holds `word`."""
    return warc(http(f"<p>{word}</p>".encode()), url or f"http://a.example/{word}", **more)  # type: ignore[arg-type]


def arc_file(*records: bytes, version: bytes = b"1 1") -> list[bytes]:
    """The records of an ARC file: first the one that describes the file."""
    fields = b"URL IP-address Archive-date Content-type Archive-length"
    if version.startswith(b"2"):
        fields = fields.replace(b"type ", b"type Result-code Checksum Location Offset Filename ")
    body = version + b" ExampleOrg\n" + fields + b"\n"
    tail = b"200 - - 0 a.arc " if version.startswith(b"2") else b""
    head = b"filedesc://a.arc 0.0.0.0 20040925001013 text/plain " + tail + b"%d\n" % len(body)
    return [head + body + b"\n", *records]


def arc(
    block: bytes,
    url: str = "http://a.example/",
    mime: str = "text/html",
    date: str = "20040925001013",
    length: object = None,
    after: bytes = b"\n",
    middle: str = "",
) -> bytes:
    claimed = len(block) if length is None else length
    return f"{url} 192.0.2.7 {date} {mime} {middle}{claimed}\n".encode("latin-1") + block + after


def gzip_members(records: Iterable[bytes]) -> bytes:
    return b"".join(gzip.compress(record, mtime=0) for record in records)


PACKERS: dict[str, Callable[[list[bytes]], bytes]] = {
    "plain": b"".join,
    "gzip": gzip_members,
    "one gzip member": lambda records: gzip.compress(b"".join(records), mtime=0),
    "zstd": lambda records: b"".join(zstd.compress(record) for record in records),
    "one zstd frame": lambda records: zstd.compress(b"".join(records)),
    "lz4": lambda records: b"".join(lz4.frame.compress(record) for record in records),
    "bzip2": lambda records: b"".join(bz2.compress(record) for record in records),
}


def skippable(content: bytes, magic: int = 0x184D2A5D) -> bytes:
    return struct.pack("<II", magic, len(content)) + content


def zip_file(files: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


class Seen:
    """What a reader gives for a file: records with everything read, and damages."""

    def __init__(self, path: Path) -> None:
        self.urls: list[str] = []
        self.blocks: list[bytes] = []
        self.bodies: list[bytes] = []
        self.cut: list[str] = []
        self.types: list[str] = []
        self.locations = []
        self.damages: list[Damage] = []
        with ArchiveReader(str(path)) as reader:
            for item in reader:
                if isinstance(item, Damage):
                    self.damages.append(item)
                    continue
                self._add(item)
            self.format, self.compression, self.position = reader.format, reader.compression, reader.position

    def _add(self, record: Record) -> None:
        self.urls.append(record.url)
        self.types.append(record.type.value)
        block = record.peek(1 << 30)
        response = parse_response(record)
        self.blocks.append(block)
        self.bodies.append(response.body if response else b"")
        self.locations.append(record.location)
        self.cut.append(record.truncated)

    @property
    def words(self) -> list[str]:
        """The pages as the words that `page` was given."""
        return [body.decode("latin-1").removeprefix("<p>").removesuffix("</p>") for body in self.bodies]


def read(path: Path, data: bytes) -> Seen:
    """Write `data` to `path` and return what the reader gives."""
    path.write_bytes(data)
    return Seen(path)
