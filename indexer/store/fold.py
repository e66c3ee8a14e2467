"""The end of a run and of a removal: texts of links folded into pages, and weights, as tasks.

Any process can do them beside the writer; the files have names that no commit knows until the writer puts them in their
places, all in one transaction: a reader never sees an overlay of link texts with weights that were made without it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.store import disk
from indexer.store.bm25f import Ranking
from indexer.store.catalogue import Catalogue
from indexer.store.compact import sort_key_of_kept, unsigned
from indexer.store.entries import Entry, alive_in, fold_state, mean_lengths, sum_lengths
from indexer.store.inlinks import changed_targets, depth_of, open_source, write_overlay
from indexer.store.layout import inlinks_path, segment_path, weights_path
from indexer.store.segment import Overlay, Segment
from indexer.store.weights import to_be_weighed, write_weights

_ADDRESSES_AT_ONCE = 500
_SENT_AT_ONCE = 8 << 20  # bytes of numbers of pages in one task


@dataclass(frozen=True, slots=True)
class NewOverlay:
    """An overlay to be written. number: of its segment.

    pages: pages and depths as `write_overlay` takes them; None to look them up in the catalogue.
    """

    number: int
    path: str
    pages: tuple[NDArray[np.uint64], NDArray[np.uint32]] | None


@dataclass(frozen=True, slots=True)
class FoldTask:
    """Some overlays. segments: (number, removed versions) of all segments of the index, whose links are folded in."""

    folder: str
    segments: tuple[tuple[int, tuple[int, ...]], ...]
    overlays: tuple[NewOverlay, ...]

    def run(self) -> None:
        """Write the overlays, synced. Raises IndexCorruptError, DiskFullError."""
        sources = [open_source(self.folder, number, dead) for number, dead in self.segments]
        numbers = [number for number, _ in self.segments]
        for overlay in self.overlays:
            place = numbers.index(overlay.number)
            pages, depths = overlay.pages or self._pages_in_catalogue(*self.segments[place])
            write_overlay(overlay.path, sources[place].segment, pages, depths, sources)
            for read in sources:
                read.segment.file.let_go()
                read.links.file.let_go()

    def _pages_in_catalogue(
        self, number: int, dead: tuple[int, ...]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        catalogue = Catalogue(self.folder)
        try:
            return _pages_of(catalogue.connection(), self.folder, {"number": number, "dead": list(dead)})
        finally:
            catalogue.close()


@dataclass(frozen=True, slots=True)
class WeighTask:
    """The weights of a segment and its overlay. inlinks: path of that, "" for none; means: lengths of elements."""

    segment: str
    inlinks: str
    path: str
    ranking: Ranking
    means: tuple[float, ...]

    def run(self) -> None:
        """Write the weights, synced. Raises IndexCorruptError, DiskFullError."""
        segment = Segment(self.segment)
        inlinks = Overlay(self.inlinks, segment) if self.inlinks else None
        write_weights(self.path, segment, self.ranking, np.asarray(self.means), inlinks)


@dataclass(slots=True)
class Fold:
    """What is to be folded and weighed. First `overlays`, then `weights`, then `put`; or `discard`.

    segments: entries of all live segments, which are brought up to date; name: of the new files, without an ending.
    """

    folder: str
    segments: list[Entry]
    ranking: Ranking
    name: str
    anew: dict[int, str] = field(default_factory=dict)  # paths of new overlays by segment
    weighed: dict[int, str] = field(default_factory=dict)  # and of new weights

    def overlays(
        self,
        connection: sqlite3.Connection,
        folded: Any,
        removed: Mapping[int, Sequence[int]] = MappingProxyType({}),
        shares: int = 1,
    ) -> list[FoldTask]:
        """Return tasks for the overlays of the segments that links to their pages came to or went from.

        folded, removed: as in `changed_targets`; shares: how many processes there are for them.
        """
        if folded == fold_state(self.segments):
            return []
        changed = None
        if isinstance(folded, list):
            sources = [open_source(self.folder, entry["number"], entry["dead"]) for entry in self.segments]
            changed = changed_targets(self.segments, sources, folded, removed)
        overlays = []
        for entry in self.segments:
            number = entry["number"]
            # where much is new, there is no need to know all pages here, and every task can see what is committed
            pages = None
            if changed is not None:
                pages = _pages_of(connection, self.folder, entry)
                is_linked_anew = bool(np.isin(pages[0], changed).any())
                if entry["inlinks"] and not removed.get(number) and not is_linked_anew:
                    continue
            self.anew[number] = os.path.join(self.folder, f"{self.name}-{number}.i.new")
            overlays.append(NewOverlay(number, self.anew[number], pages))
        alike = tuple((entry["number"], tuple(entry["dead"])) for entry in self.segments)
        return [FoldTask(self.folder, alike, part) for part in _shared(overlays, shares)]

    def weights(self) -> list[WeighTask]:
        """Return a task for each segment whose weights are missing or do not fit; the overlays are written."""
        for entry in self.segments:
            if entry["number"] in self.anew:
                sum_lengths(self.folder, entry, self.anew[entry["number"]])
        means = mean_lengths(self.segments)
        tasks = []
        for entry in self.segments:
            number = entry["number"]
            if number in self.anew or to_be_weighed(self.folder, entry, self.ranking, means):
                path = self.weighed[number] = os.path.join(self.folder, f"{self.name}-{number}.w.new")
                before = inlinks_path(self.folder, entry) if entry["inlinks"] else ""
                inlinks = self.anew.get(number, before)
                tasks.append(
                    WeighTask(
                        segment_path(self.folder, number), inlinks, path, self.ranking, tuple(means.tolist())
                    )
                )
        return tasks

    def run(self, tasks: Sequence[FoldTask] | Sequence[WeighTask]) -> None:
        """Do tasks in this process."""
        for task in tasks:
            task.run()

    def put(self) -> None:
        """Give the new files the names by which the entries know them; in the transaction that commits the entries."""
        for entry in self.segments:
            number = entry["number"]
            for new, what, path in (
                (self.anew, "inlinks", inlinks_path),
                (self.weighed, "weights", weights_path),
            ):
                if number in new:
                    entry[what] += 1
                    disk.rename(new[number], path(self.folder, entry))
        disk.sync_folder(self.folder)

    def discard(self) -> None:
        """Remove what was written of it."""
        for path in (*self.anew.values(), *self.weighed.values()):
            disk.remove(path)


def _shared(overlays: Sequence[NewOverlay], shares: int) -> Iterator[tuple[NewOverlay, ...]]:
    """Yield the overlays in about as many parts as there are shares, in each at most _SENT_AT_ONCE."""
    part: list[NewOverlay] = []
    size = -(-len(overlays) // max(shares, 1))
    for overlay in overlays:
        part.append(overlay)
        if len(part) >= size or sum(each.pages[0].nbytes for each in part if each.pages) > _SENT_AT_ONCE:
            yield tuple(part)
            part = []
    if part:
        yield tuple(part)


def _pages_of(
    connection: sqlite3.Connection, folder: str, entry: Entry
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return pages and depths of the versions of a segment, as `write_overlay` takes them."""
    document = Segment(segment_path(folder, entry["number"])).document
    pages = np.zeros(len(document), dtype=np.uint64)
    depths = np.zeros(len(document), dtype=np.uint32)
    alive = np.flatnonzero(alive_in(entry, len(document)))
    for start in range(0, len(alive), _ADDRESSES_AT_ONCE):
        some = alive[start : start + _ADDRESSES_AT_ONCE]
        numbers = document[some].tolist()
        rows = connection.execute(
            "SELECT a.id, a.page, f.prefix, a.name, a.written FROM addresses a JOIN folders f ON f.id = a.folder"
            f" WHERE a.id IN ({','.join('?' * len(numbers))})",
            numbers,
        )
        found = {number: (page, _depth(*kept)) for number, page, *kept in rows}
        for ordinal, number in zip(some.tolist(), numbers, strict=True):
            if number in found:
                pages[ordinal], depths[ordinal] = unsigned(found[number][0]), found[number][1]
    return pages, depths


def _depth(prefix: str, name: str, written: int | bytes | str) -> int:
    """Return how deep an address lies; where its urlkey does not say it all, its sort key tells."""
    if isinstance(written, str):
        return depth_of(sort_key_of_kept(written))
    if ")" not in prefix:
        return depth_of(prefix + name)
    with_a_name, alone = _depths_in(prefix)
    return (alone if not name or name[0] == "?" else with_a_name) + ("?" in name)


@lru_cache(4096)  # the pages of a folder stand together
def _depths_in(folder: str) -> tuple[int, int]:
    """Return how deep pages of a folder lie that have a name there, and one that has none; neither has a query."""
    return depth_of(folder + "x"), depth_of(folder)
