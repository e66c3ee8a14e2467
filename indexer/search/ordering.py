"""Other orders than relevance: the pages found by time, or by address. Exact and stable, page after page.

Equal pages are ordered by the MD5 of their address, as equal scores are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from archiver.warc.dates import latest_possible
from indexer.store.snapshot import Snapshot
from indexer.store.timeline import CaptureColumns

SORTS = ("relevance", "newest", "oldest", "url")
_NEVER = np.iinfo(np.uint64).max

Ordinals = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Placed:
    """One page in its place: its number, and the segment (by its place in the snapshot) and ordinal of a version."""

    document: int
    segment: int
    ordinal: int


def sorted_pages(
    snapshot: Snapshot, matched: Sequence[Ordinals], sort: str, *, offset: int, limit: int
) -> list[Placed]:
    """Return the pages `offset` to `offset + limit` of the matching versions (ordinals by segment, rising).

    sort: "newest": falling by the newest capture of any matching version, dates in the future left out; "oldest":
    rising by the oldest; pages without a date come last in both. "url": by address, host turned round, so that the
    pages of a site stand together.
    The version named for a page is the one that has that capture; for "url" the one captured last.
    """
    if sort not in SORTS[1:]:
        raise ValueError(f"sort {sort!r}: expected one of {', '.join(SORTS[1:])}")
    rows = _joined(snapshot, matched, sort)
    if any(live.shared is not None for live in snapshot.segments):
        rows = _first_of_each_page(rows)
    if sort == "url":
        rows.value = snapshot.address_ranks()[rows.document]
    rows = _first_rows(rows, offset + limit)
    return [
        Placed(document, segment, ordinal)
        for document, segment, ordinal in zip(
            rows.document[offset : offset + limit].tolist(),
            rows.segment[offset : offset + limit].tolist(),
            rows.ordinal[offset : offset + limit].tolist(),
            strict=True,
        )
    ]


def newest_pages(snapshot: Snapshot, limit: int) -> Sequence[Placed]:
    """Return the pages captured last of all, at most `limit`; the most that were asked for are kept with the state."""

    def found() -> tuple[int, list[Placed]]:
        return limit, sorted_pages(snapshot, snapshot.all_versions(), "newest", offset=0, limit=limit)

    known = snapshot.derived.once("newest", found)
    if known[0] < limit:
        known = snapshot.derived["newest"] = found()
    return known[1][:limit]


@dataclass(slots=True)
class _Rows:
    """Versions as columns; value: what they are sorted by, rising."""

    value: NDArray[np.uint64]
    key: NDArray[np.uint64]
    document: NDArray[np.uint32]
    segment: NDArray[np.uint32]
    ordinal: Ordinals

    def __getitem__(self, chosen: NDArray[np.integer] | NDArray[np.bool_] | slice) -> _Rows:
        return _Rows(
            self.value[chosen],
            self.key[chosen],
            self.document[chosen],
            self.segment[chosen],
            self.ordinal[chosen],
        )

    def __len__(self) -> int:
        return len(self.value)


def _joined(snapshot: Snapshot, matched: Sequence[Ordinals], sort: str) -> _Rows:
    values: list[NDArray[Any]] = []
    keys: list[NDArray[Any]] = []
    documents: list[NDArray[Any]] = []
    places: list[NDArray[Any]] = []
    for place, (live, ordinals) in enumerate(zip(snapshot.segments, matched, strict=True)):
        values.append(_moments(live.captures, oldest=sort == "oldest")[ordinals])
        keys.append(live.segment.key[ordinals])
        documents.append(live.segment.document[ordinals])
        places.append(np.full(len(ordinals), place, dtype=np.uint32))
    return _Rows(*(np.concatenate(column) for column in (values, keys, documents, places, matched)))


def _moments(captures: CaptureColumns, *, oldest: bool) -> NDArray[np.uint64]:
    """Return for each version the number that sorts it: the smaller, the earlier its place. _NEVER for no date."""
    times = captures.timestamp
    ends = captures.ends.astype(np.int64)
    starts = np.append(0, ends)[:-1]
    held = ends > starts
    value = np.full(len(ends), _NEVER, dtype=np.uint64)
    if oldest:
        # unknown dates, written as 0, come first within a version
        known = np.cumsum(times == 0)
        unknown = np.append(0, known)[ends] - np.append(0, known)[starts]
        dated = held & (starts + unknown < ends)
        value[dated] = times[(starts + unknown)[dated]]
    else:
        # dates that lie in the future come last within a version
        passed = np.append(0, np.cumsum(times <= np.uint64(latest_possible())))
        ends = starts + passed[ends] - passed[starts]
        held = ends > starts
        last = times[ends[held] - 1]
        value[held] = np.where(last > 0, _NEVER - last, _NEVER)
    return value


def _first_rows(rows: _Rows, count: int) -> _Rows:
    """Return the first `count` rows in their order."""
    if len(rows) > 2 * count + 64:
        bound = np.partition(rows.value, count)[count]
        rows = rows[rows.value <= bound]
    return rows[np.lexsort((rows.document, rows.key, rows.value))[:count]]


def _first_of_each_page(rows: _Rows) -> _Rows:
    """Return the version of each page that comes first."""
    rows = rows[np.lexsort((rows.ordinal, rows.segment, rows.value, rows.document))]
    return rows[np.append(True, rows.document[1:] != rows.document[:-1])[: len(rows)]]
