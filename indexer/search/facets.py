"""Facets: how many of the pages found come from which site, year, type, language and status. Counts are exact.

A page counts for a value when one of its versions that match the query has it: its site and language, and the year,
media type and status of every capture that shows the version. A page with several values counts for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from indexer.core.facets import NO_RANK, Column, Counter, Kinds
from indexer.search.prepared import Bits, Prepared, packed
from indexer.search.running import Matched
from indexer.store.scratch import in_scratch_file
from indexer.store.snapshot import LiveSegment, Snapshot
from indexer.store.timeline import CaptureColumns

SITES_AT_MOST, TYPES_AT_MOST = 20, 20
_YEAR = np.uint64(10**10)  # a timestamp of 14 digits divided by this is its year

Ordinals = NDArray[np.int64]
_NONE: Ordinals = np.zeros(0, dtype=np.int64)


@dataclass(slots=True)  # one that is frozen takes three times as long to make, and a page has forty
class FacetValue:
    """One value and the number of pages found that have it."""

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class Facets:
    """The pages found, counted by what they are; values that nobody knows (no date, no status) are left out.

    site: hosts of pages found, each with the hosts below it as `site:` takes them; the most frequent first, at most
    20 of `sites`.
    year: rising, four digits. type: media types; language: codes; status: the most frequent first.
    """

    site: tuple[FacetValue, ...] = ()
    year: tuple[FacetValue, ...] = ()
    type: tuple[FacetValue, ...] = ()
    language: tuple[FacetValue, ...] = ()
    status: tuple[FacetValue, ...] = ()
    sites: int = 0


def count_facets(snapshot: Snapshot, matched: Sequence[Ordinals]) -> Facets:
    """Return the facets of the versions that match, given by their ordinals (rising) in each segment."""
    columns = _columns_of(snapshot)
    totals = np.zeros(columns.ends[-1], dtype=np.int64)
    if columns.has_others:
        _count_others(columns, snapshot, matched, totals)
    bits = matched.all_bits() if isinstance(matched, Matched) else _bits_of(snapshot, matched)
    (sites, *site), (_, *year), (_, *kind), (_, *language), (_, *status) = columns.counter.count(bits, totals)
    return Facets(
        site=_values(columns.site.name, *site),
        year=_values(columns.year.name, *year),
        type=_values(columns.type.name, *kind),
        language=_values(columns.language.name, *language),
        status=_values(columns.status.name, *status),
        sites=sites,
    )


def _values(
    name: Callable[[int], str], values: Sequence[int], counts: Sequence[int]
) -> tuple[FacetValue, ...]:
    return tuple(map(FacetValue, map(name, values), counts))


def _count_others(
    columns: _Columns, snapshot: Snapshot, matched: Sequence[Ordinals], totals: NDArray[np.int64]
) -> None:
    """Add what `_Column.count` says of the segments whose versions are not counted by their kinds."""
    others = [_NONE if has_kinds else matched[place] for place, has_kinds in enumerate(columns.has_kinds)]
    begin = 0
    for column, end in zip(columns.all, columns.ends, strict=True):
        counts = column.count(snapshot, others)
        totals[begin : begin + len(counts)] += counts
        begin = end


def _bits_of(snapshot: Snapshot, matched: Sequence[Ordinals]) -> Bits:
    """Return the versions that match, a bit each, segment behind segment."""
    bits = [np.zeros(0, dtype=np.uint64)]
    for live, ordinals in zip(snapshot.segments, matched, strict=True):
        mask = np.zeros(len(live.segment), dtype=bool)
        mask[ordinals] = True
        bits.append(packed(mask))
    return np.concatenate(bits)


def count_hosts(snapshot: Snapshot, matched: Sequence[Ordinals]) -> dict[str, int]:
    """Return the number of pages found by host, without the hosts below it."""
    site = _columns_of(snapshot).site
    counts = site.count(snapshot, matched)
    return {site.name(host): int(counts[host]) for host in np.flatnonzero(counts).tolist()}


# ---- columns of values, worked out once for a state of the index


@dataclass(slots=True)
class _Part:
    """The values of one facet in one segment, as pairs of version and value, each pair once.

    versions: None where each version has exactly one value. values: most often mapped, as they stand in the segment.
    numbers: the number among all names of each value; None where the values are these numbers.
    """

    versions: NDArray[np.uint16] | None
    values: NDArray[np.integer]
    numbers: NDArray[np.int64] | None = None


@dataclass(slots=True)
class _Column:
    """The values of one facet in all segments. names: of the values, by number; None: the numbers are the values.

    name: gives the name of a value.
    """

    names: list[str] | None
    name: Callable[[int], str]
    parts: list[_Part]

    def count(self, snapshot: Snapshot, matched: Sequence[Ordinals]) -> NDArray[np.int64]:
        """Return for each value, up to the greatest that is found, the number of pages that have it.

        These are the pages with a matching version of that value.
        """
        counts = np.zeros(len(self.names or ()), dtype=np.int64)
        several: list[NDArray[np.uint64]] = []
        for live, part, ordinals in zip(snapshot.segments, self.parts, matched, strict=True):
            if not len(ordinals):
                continue
            version: NDArray[np.integer] = ordinals
            if part.versions is None:
                value = part.values[ordinals]
            else:
                wanted = np.zeros(len(live.segment), dtype=bool)
                wanted[ordinals] = True
                chosen = wanted[part.versions]
                version, value = part.versions[chosen], part.values[chosen]
            if live.shared is not None:
                # pages with several versions: the same page must not count twice for one value
                is_shared = live.shared[version]
                document = live.segment.document[version[is_shared]].astype(np.uint64)
                theirs = value[is_shared]
                number = theirs if part.numbers is None else part.numbers[theirs]
                several.append(document << np.uint64(32) | number.astype(np.uint64))
                value = value[~is_shared]
            if part.numbers is None:
                counts = _sum(counts, np.bincount(value))
            else:
                counts[part.numbers] += np.bincount(value, minlength=len(part.numbers))
        if several:
            pairs = np.sort(np.concatenate(several))
            first = np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]
            value = (pairs[first] & np.uint64(0xFFFFFFFF)).astype(np.int64)
            counts = _sum(counts, np.bincount(value, minlength=len(counts)))
        return counts


def _sum(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of two lists of counts, of which one may end earlier."""
    if len(first) < len(second):
        first, second = second, first
    total = first.copy()
    total[: len(second)] += second
    return total


def _below(hosts: Sequence[str]) -> NDArray[np.uint32]:
    """Return (host, the nearest one above it) of those that have one, by number, the deepest first."""
    numbers = {host: number for number, host in enumerate(hosts)}
    by_depth: dict[int, list[tuple[int, int]]] = {}
    for host, number in numbers.items():
        above = host.partition(".")[2]
        while above and above not in numbers:
            above = above.partition(".")[2]
        if above:
            by_depth.setdefault(host.count("."), []).append((number, numbers[above]))
    pairs = [pair for _, level in sorted(by_depth.items(), reverse=True) for pair in level]
    return np.array(pairs, dtype=np.uint32).reshape(-1, 2)


def _ranks(column: _Column, size: int) -> NDArray[np.uint32]:
    """Return the places of values in the order of their names; the unnamed value, and those that are not, have none."""
    ranks = np.full(size, NO_RANK, dtype=np.uint32)
    if column.names is not None:
        held = [number for number, name in enumerate(column.names) if name]
    else:
        counts = [np.bincount(part.values, minlength=size) for part in column.parts]
        held = [value for value in np.sum(counts, axis=0).nonzero()[0].tolist() if value] if counts else []
    held.sort(key=column.name)
    ranks[held] = np.arange(len(held), dtype=np.uint32)
    return ranks


def _kinds_of(
    live: LiveSegment, parts: Sequence[_Part]
) -> tuple[NDArray[np.uint16], NDArray[np.uint32]] | None:
    """Return the versions of a segment by all of site, year, type, language and status: which is of which kind, and
    what these are, the number of the value in each column.

    None where a version may have several values, or a page several versions: those are counted one by one.
    """
    sizes = [int(part.values.max(initial=0)) + 1 for part in parts]
    if live.shared is not None or any(part.versions is not None for part in parts) or prod(sizes) >> 64:
        return None
    key = np.zeros(len(live.segment), dtype=np.uint64)
    for part, size in zip(parts, sizes, strict=True):
        key = key * np.uint64(size) + part.values.astype(np.uint64)
    ordered = np.sort(key)
    kinds = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
    number = np.searchsorted(kinds, key)
    one_of_each = np.zeros(len(kinds), dtype=np.int64)
    one_of_each[number] = np.arange(len(key))
    values = [part.values[one_of_each] for part in parts]
    (kind_of,) = in_scratch_file(number.astype(np.uint16))  # a segment has no more versions
    places = [
        value if part.numbers is None else part.numbers[value]
        for part, value in zip(parts, values, strict=True)
    ]
    return kind_of, np.stack(places, axis=1).astype(np.uint32)


@dataclass(slots=True)
class _Columns:
    """has_kinds: of each segment, whether the counter counts it. ends: of the columns among totals."""

    site: _Column
    year: _Column
    type: _Column
    language: _Column
    status: _Column
    has_kinds: list[bool]
    has_others: bool
    ends: list[int]
    counter: Counter

    @property
    def all(self) -> tuple[_Column, ...]:
        return self.site, self.year, self.type, self.language, self.status


def _columns_of(snapshot: Snapshot) -> _Columns:
    return snapshot.derived.once("facets", lambda: _make_columns(snapshot))


def _make_columns(snapshot: Snapshot) -> _Columns:
    segments = snapshot.segments
    site = _named((live.segment.hosts(), _Part(None, live.segment.host)) for live in segments)
    year = _Column(
        None,
        "%04d".__mod__,
        [
            _part_of_captures(live.captures, (live.captures.timestamp // _YEAR).astype(np.uint16))
            for live in segments
        ],
    )
    kind = _named(
        (live.captures.mimes, _part_of_captures(live.captures, live.captures.mime)) for live in segments
    )
    language = _named((live.segment.languages, _Part(None, live.segment.language)) for live in segments)
    status = _Column(None, str, [_part_of_captures(live.captures, live.captures.status) for live in segments])
    columns = site, year, kind, language, status
    counted, ends = [], [0]
    nothing = np.zeros((0, 2), dtype=np.uint32)
    for column, most in zip(columns, (SITES_AT_MOST, None, *[TYPES_AT_MOST] * 3), strict=True):
        # of numbers that stand for themselves, those up to the greatest that there is
        size = 1 + max((int(part.values.max(initial=0)) for part in column.parts), default=0)
        if column.names is not None:
            size = len(column.names)
        ranks: NDArray[np.uint32] | None = _ranks(column, size)
        if most is None:  # years are told as they rise, all of them
            most, ranks = int(np.count_nonzero(ranks != NO_RANK)), None
        below = _below(column.names) if column is site and column.names else nothing
        counted.append(Column(ends[-1], ends[-1] + size, most, ranks, below))
        ends.append(ends[-1] + size)
    offsets = Prepared.of(snapshot).offsets
    kinds, has_kinds = [], []
    for live, offset, *parts in zip(segments, offsets, *(column.parts for column in columns), strict=False):
        found = _kinds_of(live, parts)
        has_kinds.append(found is not None)
        if found is not None:
            kinds.append(Kinds(found[0], found[1] + np.array(ends[:-1], dtype=np.uint32), offset))
    return _Columns(*columns, has_kinds, not all(has_kinds), ends[1:], Counter(kinds, counted))


def _named(parts: Iterable[tuple[Sequence[str], _Part]]) -> _Column:
    """Return a column whose values, numbered within each segment, have a number through all of them, too."""
    numbers: dict[str, int] = {}
    numbered = []
    for names, part in parts:
        part.numbers = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)
        numbered.append(part)
    names = [str(name) for name in numbers]
    return _Column(names, names.__getitem__, numbered)


def _part_of_captures(captures: CaptureColumns, values: NDArray[np.integer]) -> _Part:
    """Return the distinct pairs of version and value of a column of captures.

    Small numbers, for they are kept: there is a pair or more for each version of the index.
    """
    if len(captures) == len(captures.ends) and bool((np.diff(captures.ends) == 1).all()):
        return _Part(None, values)  # a capture each, nearly always: the column as it is
    pairs = np.sort(captures.version_of_rows().astype(np.uint64) << np.uint64(32) | values.astype(np.uint64))
    pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]]
    version = (pairs >> np.uint64(32)).astype(np.uint16)
    value = (pairs & np.uint64(0xFFFFFFFF)).astype(values.dtype)
    has_one_each = len(version) == len(captures.ends) and bool((version[1:] != version[:-1]).all())
    return _Part(None if has_one_each else version, value)
