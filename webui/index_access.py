"""The index that the web front end searches: opened once, exchanged when the settings change.

All views use it through `lease()`, so an index that was exchanged is closed only
after the last request that still reads it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from archiver.errors import FindingAidError

if TYPE_CHECKING:
    from indexer import Index, IndexOptions, Ranking, Widening
    from webui.settings import Settings

log = logging.getLogger(__name__)

_REHEARSED_S = 1.0
OpenIndex = Callable[[Sequence[str], "Ranking"], "Index"]


def ranking_from(settings: Settings) -> Ranking:
    """Return the ranking that the settings describe."""
    from indexer import Ranking

    search = settings.search
    return Ranking(
        model=search.model, k1=search.k1, slope=search.slope, idf=search.idf, fold=search.fold,
        other_forms=search.other_forms, near=search.near, depth=search.depth, linked=search.linked, p=search.p,
        boost=dict(search.boost), b=dict(search.b),
    )  # fmt: skip


def widening_from(settings: Settings) -> Widening:
    """Return how the settings say that queries are widened."""
    from indexer import Widening

    return Widening(**vars(settings.widening))


def index_options_from(settings: Settings, **of_this_run: Any) -> IndexOptions:
    """Return how the settings say that archives are indexed. of_this_run: further fields of IndexOptions, or others."""
    from indexer import IndexOptions

    options = IndexOptions(
        workers=settings.index.workers,
        page_limit_s=settings.index.page_limit_s,
        commit_s=settings.index.commit_s,
        ranking=ranking_from(settings),
    )
    return replace(options, **of_this_run)


class IndexAccess:
    """Holds the open index of the settings in force; safe to use from many threads."""

    def __init__(self, settings: Settings, open_index: OpenIndex | None = None) -> None:
        self._open_index = open_index or _open_index
        self._lock = threading.Lock()
        self._settings = settings
        self._paths = settings.index_paths
        self._ranking, self._widening = ranking_from(settings), widening_from(settings)
        self._index: Index | None = None
        self._readers: dict[int, int] = {}
        self._retired: dict[int, Index] = {}

    def lease(self) -> _Lease:
        """Give the open index for the length of a request; raises an `IndexError_` when it cannot be opened.

        An index that is missing is looked for again each time, so the first
        `findingaid index` shows without a restart.
        """
        return _Lease(self)

    def _take(self) -> Index:
        self._follow_jobs()
        with self._lock:
            if self._index is None:
                self._index = self._open_index(self._paths, self._ranking)
                self._index.widening = self._widening
                log.info("%s: opened", ", ".join(self._paths))
            index = self._index
            self._readers[id(index)] = self._readers.get(id(index), 0) + 1
        return index

    def configure(self, settings: Settings) -> None:
        """Take over changed settings: a new ranking counts at once, another folder is opened when next asked."""
        ranking, widening = ranking_from(settings), widening_from(settings)
        with self._lock:
            moved = settings.index_paths != self._paths
            self._settings, self._paths = settings, settings.index_paths
            self._ranking, self._widening = ranking, widening
            if self._index is None:
                return
            if not moved:
                self._index.ranking, self._index.widening = ranking, widening
                return
            old, self._index = self._index, None
            self._retired[id(old)] = old
        self._close_if_unread(old)

    def rehearse(self) -> int:
        """Ask once what readers ask, so that the first of them need not wait for what is read and worked out then.

        Returns how many versions of pages there are.
        """
        try:
            with self.lease() as index:
                index.search("a", facets=True, fold=True, budget_s=_REHEARSED_S)
                return index.versions
        except FindingAidError as error:
            log.info("there is nothing to search yet: %s", error)  # readers are told what to do
            return 0

    def rest(self) -> None:
        """Have nothing open that a process split from this one may not share; what was worked out is there for it.

        To be called while no request is answered.
        """
        try:
            with self.lease() as index:
                index.rest()
        except FindingAidError as error:
            log.info("there is nothing to search yet: %s", error)
            self.reopen()

    def pages(self) -> int:
        """Return how many versions of pages are there to be searched; 0 while there is no index. It is closed again."""
        try:
            with self.lease() as index:
                return index.versions
        except FindingAidError:
            return 0
        finally:
            self.reopen()

    def _follow_jobs(self) -> None:
        """Where all jobs are served, take in one that has got an index since."""
        if self._settings.archive.job_id.strip() == "*" and self._settings.index_paths != self._paths:
            self.configure(self._settings)

    def reopen(self) -> None:
        """Let the next request open the index anew; called after it was found damaged."""
        with self._lock:
            old, self._index = self._index, None
            if old is None:
                return
            self._retired[id(old)] = old
        self._close_if_unread(old)

    def _give_back(self, index: Index) -> None:
        with self._lock:
            self._readers[id(index)] -= 1
            if id(index) not in self._retired:
                return
        self._close_if_unread(index)

    def _close_if_unread(self, index: Index) -> None:
        with self._lock:
            if self._readers.get(id(index), 0) > 0 or self._retired.pop(id(index), None) is None:
                return
            self._readers.pop(id(index), None)
        index.close()


class _Lease:
    """The open index, for the length of a `with`."""

    def __init__(self, access: IndexAccess) -> None:
        self._access = access

    def __enter__(self) -> Index:
        self._index = self._access._take()
        return self._index

    def __exit__(self, *exc: object) -> None:
        self._access._give_back(self._index)


def _open_index(paths: Sequence[str], ranking: Ranking) -> Index:
    from indexer import open_index

    return open_index(paths, ranking=ranking)
