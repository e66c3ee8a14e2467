"""The links between the pages of a snapshot, as numbers: which page each version belongs to, and what links to what.

A page is known by its sort key, so all spellings of an address are one page. Links to what is no live page of the
snapshot are passed over here. Made once for a snapshot and kept with it; links are read in portions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.search.deadline import Deadline
from indexer.store.compact import page_number
from indexer.store.layout import links_path
from indexer.store.links import Links
from indexer.store.snapshot import LiveSegment, Snapshot

_LINKS_AT_ONCE = 1_000_000
_ROWS_AT_ONCE = 50_000

Numbers = NDArray[np.int64]


@dataclass(slots=True)
class LinkedSegment:
    """A segment with the links of its pages. page: of each version its number in the table, -1 for removed ones."""

    live: LiveSegment
    links: Links
    page: Numbers


class LinkTable:
    """The live pages of a snapshot, numbered by rising key, and the links between them.

    keys: what links know each page by; host: of each page a number in `hosts`; place: of each page (number of the
    segment in `segments`, ordinal) of the version captured last; captured: timestamp of that as a number, 0 for none.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        """Read the keys of all pages and map their links. Raises the errors of indexer.store.errors."""
        lives = snapshot.segments
        links = links_of(snapshot)
        keys = _keys_of_versions(snapshot)
        alive = [
            np.ones(len(live.segment), dtype=bool) if live.alive is None else live.alive for live in lives
        ]
        together = np.concatenate([*keys, _NO_KEYS])
        order = np.argsort(together)
        together = together[order]
        living = together[np.concatenate([*alive, np.zeros(0, dtype=bool)])[order]]
        # numpy.unique takes ten times as long, as does a search for keys that do not rise
        self.keys: NDArray[np.uint64] = living[np.append(True, living[1:] != living[:-1])[: len(living)]]
        pages = np.empty(len(order), dtype=np.int64)
        pages[order] = np.searchsorted(self.keys, together)
        parts = np.split(pages, np.cumsum([len(key) for key in keys])[:-1]) if keys else []
        self.segments = [
            LinkedSegment(live, link, np.where(there, page, -1))
            for live, link, page, there in zip(lives, links, parts, alive, strict=True)
        ]
        self.links = sum(len(link) for link in links)
        self.hosts, of_segments = _hosts_of(lives)
        self.host = np.zeros(len(self.keys), dtype=np.int64)
        self.place = np.zeros((len(self.keys), 2), dtype=np.int64)
        self.captured = np.full(len(self.keys), -1, dtype=np.int64)
        for number, part in enumerate(self.segments):
            self._take_newest(number, part, of_segments[number])

    def __len__(self) -> int:
        return len(self.keys)

    def _take_newest(self, number: int, part: LinkedSegment, host: Numbers) -> None:
        """Note for the pages of a segment which of their versions was captured last."""
        ordinals = np.flatnonzero(part.page >= 0)
        captured = last_captured(part.live)[ordinals]
        order = ordinals[np.argsort(captured, kind="stable")]
        newest = np.full(len(self.keys), -1, dtype=np.int64)
        newest[part.page[order]] = order  # of several versions of a page the last one stays
        pages = np.flatnonzero(newest >= 0)
        times = last_captured(part.live)[newest[pages]]
        later = times > self.captured[pages]
        pages, times = pages[later], times[later]
        self.captured[pages] = times
        self.place[pages, 0], self.place[pages, 1] = number, newest[pages]
        self.host[pages] = host[part.live.segment.host[newest[pages]]]

    def page_of(self, sort_key: str) -> int:
        """Return the number of a page, -1 for what is no live page."""
        key = np.uint64(page_number(sort_key))
        at = int(np.searchsorted(self.keys, key))
        return at if at < len(self.keys) and self.keys[at] == key else -1

    def pages_of(self, matched: Sequence[Numbers]) -> NDArray[np.bool_]:
        """Return which pages have one of some versions, given by their ordinals in each segment."""
        pages = np.zeros(len(self.keys), dtype=bool)
        for part, ordinals in zip(self.segments, matched, strict=True):
            found = part.page[ordinals]
            pages[found[found >= 0]] = True
        return pages

    def popularity(self) -> Numbers:
        """Return how many links there are to each page, those of several texts or versions counted each."""
        counts = np.zeros(len(self.keys), dtype=np.int64)
        for part in self.segments:
            counts += part.links.counts_to(self.keys)
        return counts

    def links_from(
        self, pages: Numbers, deadline: Deadline, *, to_others: bool = False
    ) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield (source, target) of the links from some pages to others, each pair once; ends early out of time.

        to_others: only links to other hosts, which mostly are few.
        """
        portion = max(1, len(self.keys) * _LINKS_AT_ONCE // max(self.links, 1))
        for first in range(0, len(pages), portion):
            if deadline.is_over():
                return
            wanted = np.zeros(len(self.keys) + 1, dtype=bool)  # removed versions have -1, the last place
            wanted[pages[first : first + portion]] = True
            columns = []
            for part in self.segments:
                target, _, source = part.links.links_from(wanted[part.page])
                at = np.searchsorted(self.keys, target)
                there = self.keys[np.minimum(at, len(self.keys) - 1)] == target
                source, at = part.page[source[there]], at[there]
                if to_others:
                    away = self.host[source] != self.host[at]
                    source, at = source[away], at[away]
                columns.append((source, at))
            yield self._pairs(columns)

    def links_to(self, pages: Numbers, deadline: Deadline) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield (source, target) of the links to some pages (rising) from others; ends early out of time."""
        counts = np.cumsum(self.popularity()[pages])
        first = 0
        while first < len(pages) and not deadline.is_over():
            before = int(counts[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(counts, before + _LINKS_AT_ONCE, side="right")))
            some = pages[first:last]
            columns = []
            for part in self.segments:
                edges = part.links.edges_to(self.keys[some])
                source = part.page[edges.source]
                there = source >= 0
                columns.append((source[there], some[edges.target[there]]))
            yield self._pairs(columns)
            first = last

    def _pairs(self, columns: list[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
        source, target = (np.concatenate(column) for column in zip(*columns, strict=True))
        other = source != target  # another spelling of the own address
        pairs = np.unique(source[other] * len(self.keys) + target[other])
        return pairs // len(self.keys), pairs % len(self.keys)


_NO_KEYS = np.zeros(0, dtype=np.uint64)


def link_table(snapshot: Snapshot) -> LinkTable:
    """Return the table of a snapshot, made when it is first asked for."""
    return snapshot.derived.once("link table", lambda: LinkTable(snapshot))


def links_of(snapshot: Snapshot) -> list[Links]:
    """Return the links of each segment of a snapshot, opened when they are first asked for."""
    links = snapshot.derived.get("links")
    if links is None:
        # the segments of several indexes stand side by side, in the order of the indexes
        links = snapshot.derived["links"] = [
            Links(links_path(member.catalogue.index_dir, live.number), len(live.segment))
            for member in snapshot.members
            for live in member.segments
        ]
    assert isinstance(links, list)
    return links


def last_captured(live: LiveSegment) -> Numbers:
    """Return the time of the last capture of each version as a number of 14 digits, 0 where it is not known."""
    ends = live.captures.ends.astype(np.int64)
    times = np.append(live.captures.timestamp.astype(np.int64), 0)
    return np.where(live.captures.counts() > 0, times[ends - 1], 0)


def _keys_of_versions(snapshot: Snapshot) -> list[NDArray[np.uint64]]:
    """Return for each segment the key of the page of each version; 0 for one whose address is gone."""
    found = []
    for member in snapshot.members:
        greatest = max((int(live.segment.document.max(initial=0)) for live in member.segments), default=0)
        keys = np.zeros(greatest + 1, dtype=np.uint64)
        # one that came since is in no segment of this state
        rows = member.catalogue.connection().execute(
            "SELECT id, page FROM addresses WHERE id <= ?", (greatest,)
        )
        while some := rows.fetchmany(_ROWS_AT_ONCE):
            numbers, pages = np.array(some, dtype=np.int64).T
            keys[numbers] = pages.astype(np.uint64)
        found += [keys[live.segment.document] for live in member.segments]
    return found


def _hosts_of(lives: list[LiveSegment]) -> tuple[list[str], list[Numbers]]:
    """Return all hosts, and for each segment the place there of each host of its own."""
    numbers: dict[str, int] = {}
    of_segments = [
        np.asarray([numbers.setdefault(name, len(numbers)) for name in live.segment.hosts()], dtype=np.int64)
        for live in lives
    ]
    return list(numbers), of_segments
