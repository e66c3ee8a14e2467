"""What a record is: the types that every reader and writer of archives shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


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


@dataclass(frozen=True, slots=True)
class Location:
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


class Headers:
    """Header fields in their written order; names compare without letter case, repeats are kept."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Iterable[tuple[str, str]] = ()) -> None:
        self._fields = list(fields)

    def get(self, name: str, default: str = "") -> str:
        """Return the first value of the field `name`, or `default`."""
        wanted = name.lower()
        for field, value in self._fields:
            if field.lower() == wanted:
                return value
        return default

    def get_all(self, name: str) -> list[str]:
        """Return all values of the field `name` in their order; empty if there is none."""
        wanted = name.lower()
        return [value for field, value in self._fields if field.lower() == wanted]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and any(f.lower() == name.lower() for f, _ in self._fields)

    def __repr__(self) -> str:
        return f"Headers({self._fields!r})"


@dataclass(frozen=True, slots=True)
class Damage:
    """A byte range of an archive that could not be read as the format says.

    offset, length: in the file as it lies on disk (in `member` for a ZIP-based file).
    problem: one plain sentence: what was found, what was expected.
    """

    path: str
    offset: int
    length: int
    problem: str
    member: str = ""
