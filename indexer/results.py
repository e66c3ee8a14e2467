"""What a search gives: the hits with what belongs to them, or the pages found as a tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.search.hits import Hit
from indexer.search.later import Later

if TYPE_CHECKING:
    from indexer.search.facets import Facets
    from indexer.search.tree import TreeNode
    from indexer.search.widening import AddedWord


@dataclass(slots=True)
class Results:
    """The answer to a query. total: pages, exact. took_ms: from the parsed query to the hits, without snippets.

    facets: the pages counted by site, year, type, language and status, when they were asked for.
    added: the words that the query was widened by; `parsed` shows the query without them.
    notices: what was read or done otherwise than written. timed_out: the answer is partial, a notice says so.
    did_you_mean: a query that finds more, when this one finds little and a word of it may be misspelled; else None.
    It is looked for when it is asked for, in the state of the index that this answer comes from.
    """

    query: str
    parsed: str
    notices: tuple[str, ...]
    total: int
    took_ms: float
    hits: tuple[Hit, ...]
    facets: Facets | None = None
    added: tuple[AddedWord, ...] = ()
    timed_out: bool = False
    other: Later[str | None] = field(default_factory=lambda: Later(lambda: None), repr=False, compare=False)

    @property
    def did_you_mean(self) -> str | None:
        return self.other.value()


@dataclass(frozen=True, slots=True)
class Tree:
    """All pages found, by where they lie. total: pages, exact; root: its children are the domains."""

    query: str
    parsed: str
    notices: tuple[str, ...]
    total: int
    took_ms: float
    root: TreeNode
