"""How an index run is to go, and how far it is: what callers give and are told."""

from __future__ import annotations

from dataclasses import dataclass, field

from indexer.store.bm25f import Ranking


@dataclass(frozen=True)
class IndexOptions:
    """How to index. workers: processes, 0 for one a core. rebuild: from scratch, beside the live index.

    page_limit_s: a page whose markup takes longer is left out, with an entry in the ledger.
    commit_s: what is read is committed and searchable after about this many seconds.
    found, folders: which of the paths were found in folders, and in which: what is no archive there is no damage,
    and files that are gone from there are told. look_in: folders where files that have moved may lie.
    """

    workers: int = 0
    rebuild: bool = False
    page_limit_s: float = 60.0
    commit_s: float = 30.0
    ranking: Ranking = field(default_factory=Ranking)
    found: frozenset[str] = frozenset()
    folders: tuple[str, ...] = ()
    look_in: tuple[str, ...] = ()


@dataclass(slots=True)
class Progress:
    """How far a run is. problems: lines about files that have not been reported yet."""

    files_done: int = 0
    files_total: int = 0
    records: int = 0
    pages: int = 0
    bytes_done: int = 0
    bytes_total: int = 0
    seconds: float = 0.0
    current: str = ""
    problems: list[str] = field(default_factory=list)


class AtOnce(KeyboardInterrupt):
    """A second Ctrl-C."""
