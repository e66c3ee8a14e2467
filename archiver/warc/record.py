"""What a record is: the types that every reader and writer of archives shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from .limits import MOST_BYTES

if TYPE_CHECKING:
    from .records import RecordStream


class RecordType(StrEnum):
    """The WARC record types; ARC records come out as RESPONSE, RESOURCE or WARCINFO (filedesc)."""

    WARCINFO = "warcinfo"
    RESPONSE = "response"
    RESOURCE = "resource"
    REQUEST = "request"
    METADATA = "metadata"
    REVISIT = "revisit"
    CONVERSION = "conversion"
    CONTINUATION = "continuation"
    UNKNOWN = "unknown"


class Location(NamedTuple):
    """Where a record lies.

    path: the archive file as it was named by the user.
    offset, length: bytes in that file (in `member` for a ZIP-based file) of the
        record's gzip member, Zstandard or LZ4 frame; without compression of the
        record header and block, without the newlines behind it.
    member: name of the archive inside a WACZ or ZIP file; "" for other files.
    inner: byte offset of the record in the unpacked member; not 0 only when
        several records share one member (a file compressed as a whole).
    """

    path: str
    offset: int
    length: int
    member: str = ""
    inner: int = 0


@dataclass(slots=True)
class WholeRecord:
    """A record that is alone in its gzip member, read by who asked for it: see `ArchiveReader.with_whole`.

    found: what was made of `data`, the unpacked member. offset, length: of the member in its file.
    """

    found: Any
    data: bytes
    path: str
    offset: int
    length: int
    member: str

    @property
    def location(self) -> Location:
        """Where the record lies."""
        return Location(self.path, self.offset, self.length, self.member)


class Headers:
    """Header fields in their written order; names compare without letter case, repeats are kept."""

    __slots__ = ("_fields", "_first")

    def __init__(self, fields: Iterable[tuple[str, str]] = ()) -> None:
        self._fields = fields if isinstance(fields, list) else list(fields)
        self._first: dict[str, str] | None = None  # the first value by lower-case name

    def get(self, name: str, default: str = "") -> str:
        """Return the first value of the field `name`, or `default`."""
        return self._firsts().get(name.lower(), default)

    def _firsts(self) -> dict[str, str]:
        if self._first is None:
            self._first = {field.lower(): value for field, value in reversed(self._fields)}
        return self._first

    def get_all(self, name: str) -> list[str]:
        """Return all values of the field `name` in their order; empty if there is none."""
        wanted = name.lower()
        if wanted not in self._firsts():
            return []
        return [value for field, value in self._fields if field.lower() == wanted]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._firsts()

    def __repr__(self) -> str:
        return f"Headers({self._fields!r})"


@dataclass(frozen=True, slots=True)
class Damage:
    """A byte range of an archive that could not be read as the format says.

    offset, length: in the file as it lies on disk (in `member` for a ZIP-based file).
    problem: one plain sentence: what was found, what was expected. places: how many ranges it stands for; of several,
    `offset` is that of the first and `length` the sum.
    """

    path: str
    offset: int
    length: int
    problem: str
    member: str = ""
    places: int = 1


def number_of(text: str) -> int:
    """Return a byte count, `MOST_BYTES` for all larger ones; -1 for what is none, such as "", "abc", "+5", "1e3"."""
    if not (text.isascii() and text.isdigit()):
        return -1
    return min(int(text.lstrip("0")[:20] or "0"), MOST_BYTES)


RECORD_TYPES = {kind.value: kind for kind in RecordType}


class Record:
    """One record. Its block is read from the archive when asked for, so it is valid until the reader moves on.

    type, type_name: the type, and as it is written, such as "X-odd".
    version: "WARC/1.0", "ARC/1.1".
    url: target URI as written, without < and >; "" when there is none.
    timestamp: 14 digits in UTC; "" when there is none that can be read.
    headers: named fields; those of an ARC line come under the WARC names.
    content_type: media type of the block as the record says, lower case and
        without parameters; "" when there is none.
    raw_header: the bytes of the header as stored, unpacked, up to where the block begins.
    block_length: what the header claims; -1 if there is no usable number.
    truncated: "", or the value of WARC-Truncated, or "file" when the file ends
        or breaks before the block does; known for certain once the block is read.
    """

    __slots__ = (
        "_stream",
        "block_length",
        "content_type",
        "headers",
        "raw_header",
        "timestamp",
        "truncated",
        "type",
        "type_name",
        "url",
        "version",
    )

    def __init__(
        self,
        stream: RecordStream,
        type_name: str,
        version: str,
        url: str,
        timestamp: str,
        headers: Headers,
        content_type: str,
        block_length: int,
        truncated: str,
        raw_header: bytes = b"",
    ) -> None:
        self._stream = stream
        self.raw_header = raw_header
        self.type = RECORD_TYPES.get(type_name.lower(), RecordType.UNKNOWN)
        self.type_name = type_name
        self.version = version
        self.url = url
        self.timestamp = timestamp
        self.headers = headers
        self.content_type = content_type
        self.block_length = block_length
        self.truncated = truncated

    @property
    def part(self) -> int:
        """Which part of a record that is split into several this is, from 1 on; 0 for a whole one.

        The parts (WARC-Segment-Number, type continuation) are not joined: they were split because a file was full, so
        they lie in different ones.
        """
        number = number_of(self.headers.get("WARC-Segment-Number"))
        if self.type == RecordType.CONTINUATION:
            return max(number, 2)
        total = number_of(self.headers.get("WARC-Segment-Total-Length"))
        return 0 if number < 1 or (number == 1 and total == self.block_length) else number

    def read(self, limit: int = -1) -> bytes:
        """Return the next bytes of the block, at most `limit` (-1: all that are left); b"" at its end."""
        return self._stream.read_block(self, limit)

    def peek(self, count: int) -> bytes:
        """Return the first `count` bytes of what is left of the block (fewer if it ends) and keep them for `read`."""
        return self._stream.peek_block(self, count)

    @property
    def location(self) -> Location:
        """Where the record lies; passes over the rest of the block if its end is not known yet."""
        return self._stream.locate(self)

    def close(self) -> None:
        """Let go of the file; needed only for a record from `read_record_at` that is not read to its end."""
        self._stream.close_if_owner()

    def __enter__(self) -> Record:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Record {self.type_name} {self.url!r} {self.timestamp}>"
