"""Writes WACZ 1.1.1 files: records of other archives with the index and the list of pages that players need.

archive/data-0001.warc.gz    the records, stored, so that a player seeks to one inside the ZIP file; a new file
                             begins when one has reached 1 GB
indexes/index.cdx.gz, .idx   the captures as CDXJ, packed in blocks of 3,000 lines, and where each block begins; where
                             ReplayWeb.page would look into another block than the one that holds the line, because its
                             key of the address is another, a second line stands there under that key
pages/pages.jsonl            the pages, a JSON object a line
datapackage.json             what is inside, with the SHA-256 of each; datapackage-digest.json that of this file

ReplayWeb.page takes for granted that a file inside has the same extra fields at its place as in the table of the
ZIP file: so the fields for files beyond 2 GB are written only where they are needed.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import os
import tempfile
import uuid
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import IO, Any, cast

from .cdxj import CdxLine, SortedLines
from .copying import copy_record
from .errors import ArchiveError
from .record import Location, RecordType
from .urls import player_key, urlkey
from .writer import FIELDS_TYPE, NewRecord, pack_record, translate, warc_fields

WACZ_VERSION = "1.1.1"
ROLL_OVER_BYTES = 1_000_000_000
MOST_TEXT = 1_000_000  # characters of a page's text
_BLOCK_LINES = 3_000
_COPY_BYTES = 1 << 16
_SECOND, _SECOND_END = " ", b" \n"  # at the end of a line that is under the key of ReplayWeb.page


class WaczWriter:
    """A WACZ file that grows; it gets its name when it is whole, and nothing is left when it fails.

    path: must not exist. title, description: what it is, for people. software: who wrote it.
    about: further fields of datapackage.json. records, pages: how many are in it; as_they_lay: of the records,
    those copied byte for byte, the others having been packed anew.
    """

    def __init__(
        self,
        path: str,
        *,
        title: str,
        software: str,
        description: str = "",
        about: Mapping[str, Any] | None = None,
        created: datetime | None = None,
    ) -> None:
        self.path = path
        self.records = self.pages = self.as_they_lay = 0
        self._archives = self._finished_bytes = 0
        self._created = created or datetime.now(UTC)
        self._head: dict[str, Any] = {"title": title, "description": description, "software": software}
        self._about = dict(about or {})
        self._resources: list[dict[str, Any]] = []
        self._main_page: dict[str, str] = {}
        self._page_ids: set[bytes] = set()
        self._has_text = False
        self._open_path = f"{path}.open"
        self._stack = ExitStack()
        if os.path.exists(path):
            raise ArchiveError(f"{path}: there is a file of this name; remove it or choose another name")
        try:
            self._file = open(self._open_path, "wb")  # noqa: SIM115
            self._stack.callback(self._remove)
            self._zip = zipfile.ZipFile(self._file, "w", allowZip64=True)
            self._stack.callback(self._let_go)
            self._lines = self._stack.enter_context(SortedLines())
            self._page_lines = self._stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
            self._archive = self._next_archive(0)
        except OSError as error:
            self._stack.close()
            raise translate(error, path) from error

    @property
    def size(self) -> int:
        """The bytes of records written so far."""
        return self._finished_bytes + self._archive.size

    def add(self, capture: CdxLine, location: Location) -> None:
        """Copy the record at a place and list it as `capture`; its offset, length and file name are filled in.

        Raises RecordError when no whole record lies there, ArchiveError when a file cannot be read or written.
        """
        copied = copy_record(location)
        with self._translated():
            if self._archive.size + location.length > ROLL_OVER_BYTES and self._archive.records:
                self._finish(self._archive)
                self._finished_bytes += self._archive.size
                self._archive = self._next_archive(location.length)
            offset = self._archive.size
            length = copied.write_to(cast("IO[bytes]", self._archive))
        name = os.path.basename(self._archive.name)
        line = replace(capture, offset=str(offset), length=str(length), filename=name)
        self._lines.add(line.text())
        if (other := player_key(capture.url)) != urlkey(capture.url):
            self._lines.add(line.text(other) + _SECOND)
        self._archive.records += 1
        self.records += 1
        self.as_they_lay += copied.as_it_lies

    def add_page(self, url: str, timestamp: str, title: str, text: str = "", size: int = 0) -> None:
        """List a page whose record has been added; the first one is shown when a player opens the file."""
        page_id = uuid.uuid5(uuid.NAMESPACE_URL, f"{timestamp} {url}")
        if page_id.bytes in self._page_ids:
            return  # captured twice in one second: players tell pages by address and time
        self._page_ids.add(page_id.bytes)
        page: dict[str, Any] = {
            "id": page_id.hex,
            "url": url,
            "ts": _iso(timestamp),
            "title": title or url,
        }
        if size:
            page["size"] = size
        if text:
            page["text"] = text[:MOST_TEXT]
            self._has_text = True
        if not self.pages:
            self._main_page = {"mainPageUrl": url, "mainPageDate": page["ts"]}
        with self._translated():
            self._page_lines.write(json.dumps(page).encode() + b"\n")
        self.pages += 1

    def close(self) -> None:
        """Write the index and the lists, sync the file and give it its name. Raises ArchiveError, DiskFullError."""
        with self._stack, self._translated():
            self._finish(self._archive)
            self._write_index()
            size = self._page_lines.tell() + 1000
            with _Member(
                self._zip, self._new_entry("pages/pages.jsonl", zipfile.ZIP_DEFLATED, size)
            ) as pages:
                head = {
                    "format": "json-pages-1.0",
                    "id": "pages",
                    "title": "All Pages",
                    "hasText": self._has_text,
                }
                pages.write(json.dumps(head).encode() + b"\n")
                self._page_lines.seek(0)
                while data := self._page_lines.read(_COPY_BYTES):
                    pages.write(data)
            self._finish(pages)
            self._write_package()
            self._zip.close()
            self._file.flush()
            os.fsync(self._file.fileno())
            os.rename(self._open_path, self.path)

    def abort(self) -> None:
        """Leave nothing behind."""
        self._stack.close()

    def __enter__(self) -> WaczWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exc: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()

    def _write_index(self) -> None:
        places: list[str] = []
        with _Member(self._zip, self._new_entry("indexes/index.cdx.gz")) as index:
            for block in _in_blocks(self._lines):
                packed = gzip.compress(b"".join(block), 6, mtime=0)
                place = {
                    "offset": index.size,
                    "length": len(packed),
                    "digest": _sha256(packed),
                    "filename": "index.cdx.gz",
                }
                key, timestamp, _ = block[0].decode("ascii", "backslashreplace").split(" ", 2)
                places.append(f"{key} {timestamp} {json.dumps(place)}\n")
                index.write(packed)
        self._finish(index)
        with _Member(self._zip, self._new_entry("indexes/index.idx", zipfile.ZIP_DEFLATED)) as table:
            table.write(b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n')
            for line in places:
                table.write(line.encode())
        self._finish(table)

    def _write_package(self) -> None:
        package: dict[str, Any] = {
            "profile": "data-package",
            "resources": self._resources,
            "created": self._created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "wacz_version": WACZ_VERSION,
            **{name: value for name, value in self._head.items() if value},
            **self._main_page,
            **self._about,
        }
        raw = (json.dumps(package, indent=2) + "\n").encode()
        digest = {"path": "datapackage.json", "hash": _sha256(raw)}
        self._zip.writestr(self._new_entry("datapackage.json", zipfile.ZIP_DEFLATED), raw)
        self._zip.writestr(
            self._new_entry("datapackage-digest.json", zipfile.ZIP_DEFLATED),
            json.dumps(digest, indent=2) + "\n",
        )

    def _next_archive(self, expected_bytes: int) -> _Member:
        self._archives += 1
        name = f"data-{self._archives:04d}.warc.gz"
        archive = _Member(self._zip, self._new_entry(f"archive/{name}", size=expected_bytes))
        archive.write(_warcinfo(name, self._head["software"], self._created))
        return archive

    def _new_entry(self, name: str, method: int = zipfile.ZIP_STORED, size: int = 0) -> zipfile.ZipInfo:
        entry = zipfile.ZipInfo(name, self._created.timetuple()[:6])
        entry.compress_type = method
        entry.external_attr = 0o644 << 16
        entry.file_size = size  # what is expected; beyond 2 GB zipfile writes the larger fields
        return entry

    def _finish(self, member: _Member) -> None:
        member.close()
        self._resources.append(
            {
                "name": os.path.basename(member.name),
                "path": member.name,
                "hash": f"sha256:{member.digest.hexdigest()}",
                "bytes": member.size,
            }
        )

    def _let_go(self) -> None:
        """Close what zipfile holds open; after a failure it may not be able to write its table, which nobody needs."""
        with contextlib.suppress(OSError, ValueError):
            self._archive.close()
        with contextlib.suppress(OSError, ValueError):
            self._zip.close()
        with contextlib.suppress(OSError):
            self._file.close()

    def _remove(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._open_path)

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise translate(error, self.path) from error


class _Member(io.RawIOBase):
    """A file inside the ZIP file while it is written, with its size and digest."""

    def __init__(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
        super().__init__()
        self.name = entry.filename
        self.size = self.records = 0
        self.digest = hashlib.sha256()
        self._out = archive.open(entry, "w")

    def write(self, data: Any) -> int:
        self._out.write(data)
        self.digest.update(data)
        self.size += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._out.close()
        super().close()


def _warcinfo(name: str, software: str, created: datetime) -> bytes:
    block = warc_fields([("software", software), ("format", "WARC File Format 1.1")])
    return pack_record(
        NewRecord(
            RecordType.WARCINFO,
            block,
            created,
            content_type=FIELDS_TYPE,
            fields=(("WARC-Filename", name),),
        )
    )


def _in_blocks(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield the lines of each block, _BLOCK_LINES captures or fewer; second lines only where they are needed."""
    block: list[bytes] = []
    captures = 0
    for line in lines:
        is_second = line.endswith(_SECOND_END)
        if (captures == _BLOCK_LINES and not is_second) or len(block) == 2 * _BLOCK_LINES:
            yield _needed(block)
            block, captures = [], 0
        block.append(line)
        captures += not is_second
    if block:
        yield _needed(block)


def _needed(block: list[bytes]) -> list[bytes]:
    """Return a block without the second lines of captures that are in it.

    But one that the block begins with stays: without it, its key would lead into the block before.
    """
    here = {_told(line) for line in block if not line.endswith(_SECOND_END)}
    kept: list[bytes] = []
    for line in block:
        if not line.endswith(_SECOND_END):
            kept.append(line)
            continue
        line = line.removesuffix(_SECOND_END) + b"\n"
        if not kept or _told(line) not in here:
            kept.append(line)
    return kept


def _told(line: bytes) -> bytes:
    return line.partition(b" ")[2]


def _sha256(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _iso(timestamp: str) -> str:
    t = timestamp.ljust(14, "0")
    return f"{t[:4]}-{t[4:6]}-{t[6:8]}T{t[8:10]}:{t[10:12]}:{t[12:14]}Z"
