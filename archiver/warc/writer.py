"""Writes WARC files that other tools can trust; used by the crawler.

Every record is a gzip member of its own, so that a reader can seek to it. A
file is called `NAME.warc.gz.open` while it grows and gets its final name only
when it is closed and synced; what a crash leaves behind is mended by
`repair_archive`. The headers of records are made by warcio, outside of any
lock; the file, its places, roll-over and syncing are ours.
"""

from __future__ import annotations

import hashlib
import os
import uuid
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from warcio.statusandheaders import StatusAndHeaders

from archiver.errors import DiskFullError, FindingAidError, is_disk_full
from archiver.files import UNFINISHED, sync_folder
from archiver.warc.errors import ArchiveError
from archiver.warc.growing import last_member_end
from archiver.warc.record import Location, RecordType

ROLL_OVER_BYTES = 1_000_000_000
HTTP_RESPONSE_TYPE = "application/http;msgtype=response"
HTTP_REQUEST_TYPE = "application/http;msgtype=request"
FIELDS_TYPE = "application/warc-fields"
IDENTICAL_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


def new_record_id() -> str:
    """Return a record id nobody else uses."""
    return f"<urn:uuid:{uuid.uuid4()}>"


# Two letters of base 32 for each number of ten bits: a digest takes 16 of them, in a fifth of the time of b32encode.
_BASE_32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_TWO_LETTERS = [first + second for first in _BASE_32 for second in _BASE_32]


def sha1_of(data: bytes) -> bytes:
    """Return the SHA-1 of bytes, as 20 bytes."""
    return hashlib.sha1(data, usedforsecurity=False).digest()


def written_digest(sha1: bytes) -> str:
    """Return a SHA-1 of 20 bytes as WARC writes it: `sha1:` and base 32."""
    bits = int.from_bytes(sha1, "big")
    return "sha1:" + "".join([_TWO_LETTERS[bits >> shift & 1023] for shift in range(150, -1, -10)])


def warc_date(moment: datetime) -> str:
    """Return a date that knows its zone as WARC writes it, in whole seconds of UTC."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")[:19] + "Z"


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A record about to be written.

    fields: further named fields in their order; those that every record has
        (type, id, date, target, content type, length, block digest) are
        made from the other attributes.
    """

    type: RecordType
    block: bytes
    date: datetime
    url: str = ""
    content_type: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    record_id: str = field(default_factory=new_record_id)


def warc_fields(pairs: Sequence[tuple[str, str]]) -> bytes:
    """Return `name: value` lines, the block of warcinfo and metadata records."""
    return "".join(f"{name}: {_one_line(value)}\r\n" for name, value in pairs).encode("utf-8")


def pack_record(record: NewRecord) -> bytes:
    """Return the record as one gzip member, its header made by warcio; needs no lock and may run in any thread."""
    headers = [
        ("WARC-Type", record.type.value),
        ("WARC-Record-ID", record.record_id),
        ("WARC-Date", warc_date(record.date)),
    ]
    if record.url:
        headers.append(("WARC-Target-URI", _one_line(record.url)))
    headers += [(name, _one_line(value)) for name, value in record.fields]
    if record.content_type:
        headers.append(("Content-Type", record.content_type))
    headers.append(("WARC-Block-Digest", written_digest(sha1_of(record.block))))
    headers.append(("Content-Length", str(len(record.block))))
    head = StatusAndHeaders("", headers, protocol="WARC/1.1").to_bytes()
    # Not by warcio's writer: it would copy the block into a temporary file, leave out that of a revisit, and have zlib
    # try as hard as it can, which takes twice the time for half a percent.
    return zlib.compress(b"".join((head, record.block, b"\r\n\r\n")), wbits=zlib.MAX_WBITS | 16)


class WarcWriter:
    """Appends records to `.warc.gz.open` files of one folder and rolls over to a new file in time.

    Not safe from several threads at once; callers hold a lock around `write`
    (packing, the slow part, is done before). The first record of each file is
    a warcinfo record made from `info`, a function so that settings changed
    while it runs stand in the next file.
    """

    def __init__(
        self,
        folder: str,
        prefix: str,
        info: Sequence[tuple[str, str]],
        *,
        roll_over_bytes: int = ROLL_OVER_BYTES,
        first_serial: int = 1,
    ) -> None:
        self.folder = folder
        self.prefix = prefix
        self.info = tuple(info)
        self.roll_over_bytes = roll_over_bytes
        self._serial = first_serial
        self._descriptor = -1
        self.path = ""  # final name of the file that is open now; "" when none is
        self.size = 0  # bytes in it
        self.records = 0  # records in it without the warcinfo record
        self.info_id = ""
        self._info_size = 0

    def write(self, members: Sequence[bytes]) -> list[Location]:
        """Append packed records that belong together into one file and return their places.

        The locations carry the final name of the file. Raises DiskFullError
        after taking back a record that fitted only in part.
        """
        needed = sum(len(m) for m in members)
        if self.path and self.records and self.size + needed > self.roll_over_bytes:
            self.close()
        if not self.path:
            self._open_next()
        places, offset = [], self.size
        for member in members:
            places.append(Location(self.path, offset, len(member)))
            offset += len(member)
        self._append(b"".join(members))
        self.records += len(members)
        return places

    def mark(self) -> tuple[str, int, int]:
        """Return where the writer is, for `take_back`."""
        return self.path, self.size, self.records

    def take_back(self, mark: tuple[str, int, int]) -> None:
        """Cut off what was written since the mark; a file begun since then keeps its warcinfo record only."""
        if self._descriptor < 0:
            return
        path, size, records = mark
        if path != self.path:
            size, records = self._info_size, 0
        if size < self.size:
            os.ftruncate(self._descriptor, size)
            self.size, self.records = size, records

    def handle(self) -> tuple[int, int]:
        """Return a second descriptor of the open file and the bytes in it, for syncing outside of any lock.

        The caller closes it; -1 when no file is open.
        """
        return (os.dup(self._descriptor) if self._descriptor >= 0 else -1), self.size

    def close(self) -> str:
        """Sync the open file, give it its final name and return that; "" when none was open."""
        if not self.path:
            return ""
        path, descriptor = self.path, self._descriptor
        self.path, self._descriptor = "", -1
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(path + UNFINISHED, path)
        sync_folder(self.folder)
        return path

    def _open_next(self) -> None:
        os.makedirs(self.folder, exist_ok=True)
        now = datetime.now(UTC)
        while True:
            path = os.path.join(self.folder, f"{self.prefix}-{now:%Y%m%d%H%M%S}-{self._serial:05d}.warc.gz")
            self._serial += 1
            if os.path.exists(path):
                continue
            try:
                self._descriptor = os.open(
                    path + UNFINISHED, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644
                )
                break
            except FileExistsError:
                continue
            except OSError as error:
                raise translate(error, path) from error
        self.path, self.size, self.records = path, 0, 0
        record = NewRecord(
            RecordType.WARCINFO,
            warc_fields(self.info),
            now,
            content_type=FIELDS_TYPE,
            fields=(("WARC-Filename", os.path.basename(path)),),
        )
        self.info_id = record.record_id
        self._append(pack_record(record))
        self._info_size = self.size

    def _append(self, data: bytes) -> None:
        view, written = memoryview(data), 0
        try:
            while written < len(data):
                written += os.write(self._descriptor, view[written:])
        except OSError as error:
            os.ftruncate(self._descriptor, self.size)
            raise translate(error, self.path) from error
        self.size += len(data)


@dataclass(frozen=True, slots=True)
class Repair:
    """What `repair_archive` did: the final path ("" when nothing worth keeping was left), bytes cut off."""

    path: str
    size: int
    removed: int


def repair_archive(open_path: str, *, trusted: int = 0, acknowledged: int | None = None) -> Repair:
    """Cut an `.open` file after its last whole record, sync it and give it its final name.

    trusted: bytes known to be on disk, not read again.
    acknowledged: bytes that somebody relies on; whole records behind that are
        cut off too, for their addresses will be fetched once more. None keeps
        every whole record.
    """
    end = last_member_end(open_path, trusted)
    if acknowledged is not None:
        end = min(end, acknowledged)
    size = os.path.getsize(open_path)
    final = open_path.removesuffix(UNFINISHED)
    if end == 0:
        os.unlink(open_path)
        sync_folder(os.path.dirname(open_path))
        return Repair("", 0, size)
    descriptor = os.open(open_path, os.O_RDWR)
    try:
        if end < size:
            os.ftruncate(descriptor, end)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.rename(open_path, final)
    sync_folder(os.path.dirname(final))
    return Repair(final, end, size - end)


def _one_line(value: str) -> str:
    """A value that cannot start a field of its own."""
    return value if value.isprintable() else "".join(" " if c in "\r\n\0" else c for c in value)


def translate(error: OSError, path: str) -> FindingAidError:
    """Return the error of ours for one of writing a file: DiskFullError when the disk is full, else ArchiveError."""
    if is_disk_full(error):
        return DiskFullError.at(path)
    return ArchiveError(f"{path}: cannot be written: {error.strerror}")
