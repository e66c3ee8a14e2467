"""What one commit of the writer is given: the rows of a batch, in the columns of the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar, overload


class NewVersion(NamedTuple):
    """One version of a batch: its number, that of its address, digest and title."""

    number: int
    document: int
    digest: bytes
    title: str | None


class NewCapture(NamedTuple):
    """One capture of a batch, in the columns of the catalogue; version 0 for none.

    document: number of its address; 0 while that has none, the address is in `url` then.
    """

    document: int
    timestamp: str
    type: str
    status: int
    mime: str
    payload: str
    file: int
    member: str
    offset: int
    length: int
    inner: int
    version: int
    refers_to: str
    url: str = ""


Row = TypeVar("Row", NewVersion, NewCapture)


class Rows(Sequence[Row], Generic[Row]):
    """Rows that lie as columns, as they come from a worker; one is put together where it is asked for."""

    def __init__(self, kind: type[Row], columns: Sequence[Sequence[Any]]) -> None:
        """columns: in the order of the fields of `kind`, all of one length; none where there is no row."""
        self._fields: tuple[str, ...] = kind._fields
        self._row: Any = partial(tuple.__new__, kind)  # `_make` takes three times as long
        self.columns = columns or ((),) * len(self._fields)

    @classmethod
    def of(cls, kind: type[Row], rows: Sequence[Row]) -> Rows[Row]:
        """Return rows as columns."""
        return rows if isinstance(rows, Rows) else cls(kind, tuple(zip(*rows, strict=True)))

    def column(self, name: str) -> Sequence[Any]:
        """Return a column by the name of its field."""
        return self.columns[self._fields.index(name)]

    def __len__(self) -> int:
        return len(self.columns[0])

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        if isinstance(place, slice):
            return list(map(self._row, zip(*(column[place] for column in self.columns), strict=True)))
        return self._row(column[place] for column in self.columns)  # type: ignore[no-any-return]


@dataclass(slots=True)
class Repeat:
    """The version shown by revisits of an address with a payload digest whose bytes another address holds."""

    version: int
    document: int
    payload: str


@dataclass(slots=True)
class CommitBatch:
    """What one commit adds: at most one segment file (and its links file) with its versions, captures, ledger entries.

    ledger: (number of the file, its entry) of files read to the end.
    replaces: numbers of files whose captures so far make place for those of the batches of this commit.
    given_up: numbers of files that could not be read to their end; their ledger entry counts the captures held.
    repeats: versions for revisits of which no file of the batch holds anything.
    """

    segment: str = ""
    links: str = ""
    sums: Sequence[int] = ()
    counts: Sequence[int] = ()
    versions: list[NewVersion] | Rows[NewVersion] = field(default_factory=list)
    captures: list[NewCapture] | Rows[NewCapture] = field(default_factory=list)
    ledger: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    replaces: set[int] = field(default_factory=set)
    given_up: set[int] = field(default_factory=set)
    repeats: list[Repeat] = field(default_factory=list)
