"""Facets: how many of the pages found come from which site, year, type, language and status. Counts are exact.

A page counts for a value when one of its versions that match the query has it: its site and language, and the year,
media type and status of every capture that shows the version. A page with several values counts for each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from indexer.core.facets import Kinds
from indexer.search.prepared import Bits, packed
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
    hosts, year, kind, language, status = _count(columns, snapshot, matched)
    with_below = np.where(hosts > 0, columns.site_tree.with_below(hosts), 0)
    years = year.nonzero()[0]
    return Facets(
        site=_most_frequent(columns.site.names, with_below, SITES_AT_MOST),
        year=tuple(
            [
                FacetValue(f"{value:04d}", count)
                for value, count in zip(years.tolist(), year[years].tolist(), strict=True)
                if value
            ]
        ),
        type=_most_frequent(columns.type.names, kind, TYPES_AT_MOST),
        language=_most_frequent(columns.language.names, language, TYPES_AT_MOST),
        status=_most_frequent(columns.status.names, status, TYPES_AT_MOST),
        sites=int(np.count_nonzero(hosts)),
    )


def _count(columns: _Columns, snapshot: Snapshot, matched: Sequence[Ordinals]) -> list[NDArray[np.int64]]:
    """Return what `count` says of each column: for most segments all is counted at once, by the kinds of versions."""
    totals = np.zeros(columns.ends[-1], dtype=np.int64)
    others: list[Ordinals] = []
    for place, (live, kinds) in enumerate(zip(snapshot.segments, columns.kinds, strict=True)):
        others.append(_NONE if kinds else matched[place])
        if kinds:
            kinds.count(_bits_of(matched, place, len(live.segment)), totals)
    counts = [totals[begin:end] for begin, end in pairwise((0, *columns.ends))]
    if any(map(len, others)):
        more = (column.count(snapshot, others) for column in columns.all)
        counts = [_sum(*both) for both in zip(counts, more, strict=True)]
    return counts


def _bits_of(matched: Sequence[Ordinals], place: int, versions: int) -> Bits:
    """Return the versions that match in a segment, a bit each."""
    if isinstance(matched, Matched):
        return matched.bits(place)
    mask = np.zeros(versions, dtype=bool)
    mask[matched[place]] = True
    return packed(mask)


def count_hosts(snapshot: Snapshot, matched: Sequence[Ordinals]) -> dict[str, int]:
    """Return the number of pages found by host, without the hosts below it."""
    site = _columns_of(snapshot).site
    counts = site.count(snapshot, matched)
    return {str(site.names[host]): int(counts[host]) for host in np.flatnonzero(counts).tolist()}


def _most_frequent(
    names: Sequence[str] | range, counts: NDArray[np.int64], at_most: int
) -> tuple[FacetValue, ...]:
    """Return the values with the greatest counts, falling, equal ones by name; without the unnamed value."""
    found = counts.nonzero()[0]
    if len(found) > 4 * at_most:  # many hosts: only those that may be shown are sorted by name
        least = np.partition(counts[found], len(found) - at_most - 1)[len(found) - at_most - 1]
        found = found[counts[found] >= least]
    ordered = sorted(
        [
            (-count, str(names[value]))
            for value, count in zip(found.tolist(), counts[found].tolist(), strict=True)
            if names[value]
        ]
    )
    return tuple([FacetValue(name, -count) for count, name in ordered[:at_most]])


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
    """The values of one facet in all segments. names: of the values, by number; numbers stand for themselves."""

    names: Sequence[str] | range
    parts: list[_Part]

    def count(self, snapshot: Snapshot, matched: Sequence[Ordinals]) -> NDArray[np.int64]:
        """Return for each value, up to the greatest that is found, the number of pages that have it.

        These are the pages with a matching version of that value.
        """
        counts = np.zeros(0 if isinstance(self.names, range) else len(self.names), dtype=np.int64)
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


@dataclass(slots=True)
class _SiteTree:
    """Which hosts lie below which; levels: (hosts, the nearest host above each), the deepest first."""

    levels: list[tuple[Ordinals, Ordinals]]

    @classmethod
    def of(cls, hosts: Sequence[str]) -> _SiteTree:
        numbers = {host: number for number, host in enumerate(hosts)}
        by_depth: dict[int, list[tuple[int, int]]] = {}
        for host, number in numbers.items():
            above = host.partition(".")[2]
            while above and above not in numbers:
                above = above.partition(".")[2]
            if above:
                by_depth.setdefault(host.count("."), []).append((number, numbers[above]))
        return cls(
            [
                (np.array([low for low, _ in level]), np.array([high for _, high in level]))
                for _, level in sorted(by_depth.items(), reverse=True)
            ]
        )

    def with_below(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each host its own count and those of all hosts below it: a page has one host."""
        total = counts.copy()
        for low, high in self.levels:
            np.add.at(total, high, total[low])
        return total


def _kinds_of(live: LiveSegment, parts: Sequence[_Part]) -> Kinds | None:
    """Return the versions of a segment by all of site, year, type, language and status, with places in each column.

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
    return Kinds(kind_of, np.stack(places, axis=1).astype(np.uint32))


@dataclass(slots=True)
class _Columns:
    """kinds: for each segment, None where each column must be counted by itself. ends: of the columns among totals."""

    site: _Column
    site_tree: _SiteTree
    year: _Column
    type: _Column
    language: _Column
    status: _Column
    kinds: list[Kinds | None]
    ends: list[int]

    @property
    def all(self) -> tuple[_Column, ...]:
        return self.site, self.year, self.type, self.language, self.status


def _columns_of(snapshot: Snapshot) -> _Columns:
    return snapshot.derived.once("facets", lambda: _make_columns(snapshot))


def _make_columns(snapshot: Snapshot) -> _Columns:
    segments = snapshot.segments
    site = _named((live.segment.hosts(), _Part(None, live.segment.host)) for live in segments)
    columns = _Columns(
        site=site,
        site_tree=_SiteTree.of([str(name) for name in site.names]),
        year=_Column(
            range(10_000),
            [
                _part_of_captures(live.captures, (live.captures.timestamp // _YEAR).astype(np.uint16))
                for live in segments
            ],
        ),
        type=_named(
            (live.captures.mimes, _part_of_captures(live.captures, live.captures.mime)) for live in segments
        ),
        language=_named((live.segment.languages, _Part(None, live.segment.language)) for live in segments),
        status=_Column(
            range(1 << 16), [_part_of_captures(live.captures, live.captures.status) for live in segments]
        ),
        kinds=[],
        ends=[],
    )
    parts = zip(*(column.parts for column in columns.all), strict=True)
    columns.kinds = [_kinds_of(live, own) for live, own in zip(segments, parts, strict=True)]
    for place, column in enumerate(columns.all):
        # of numbers that stand for themselves, those up to the greatest that there is
        size = len(column.names)
        if isinstance(column.names, range):
            size = 1 + max((int(part.values.max(initial=0)) for part in column.parts), default=0)
        begin = columns.ends[-1] if columns.ends else 0
        columns.ends.append(begin + size)
        for kinds in filter(None, columns.kinds):
            kinds.places[:, place] += np.uint32(begin)
    return columns


def _named(parts: Iterable[tuple[Sequence[str], _Part]]) -> _Column:
    """Return a column whose values, numbered within each segment, have a number through all of them, too."""
    numbers: dict[str, int] = {}
    numbered = []
    for names, part in parts:
        part.numbers = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)
        numbered.append(part)
    return _Column(list(numbers), numbered)


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
