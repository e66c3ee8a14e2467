"""What one commit of the writer is given: the rows of a batch, in the columns of the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


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
    versions: list[NewVersion] = field(default_factory=list)
    captures: list[NewCapture] = field(default_factory=list)
    ledger: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    replaces: set[int] = field(default_factory=set)
    given_up: set[int] = field(default_factory=set)
    repeats: list[Repeat] = field(default_factory=list)
