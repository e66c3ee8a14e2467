"""Where words stand in the versions of a segment: phrases, phrases with slop, and what is near what.

A place is one number: version, section of the page, position, from the highest bits to the lowest. So one
sorted array holds the places of a word in many versions, and nothing is near anything in another section.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.search.deadline import OutOfTime, Portion
from indexer.store.columns import KINDS
from indexer.store.segment import PositionList, PostingList, Segment
from indexer.text.elements import DESCRIPTION, INLINK, KEYWORDS, TITLE, URL

Ordinals = NDArray[np.int64]
Elements = frozenset[int] | None

_POSITIONS_AT_ONCE = 4_000_000
_POSITION_BITS = 26
_SECTION = np.zeros(KINDS, dtype=np.int64)
for _number, _element in enumerate((TITLE, DESCRIPTION, KEYWORDS, URL, INLINK)):
    _SECTION[_element] = _number + 1


def places_of(version: Ordinals, element: Ordinals, position: Ordinals) -> NDArray[np.int64]:
    """Return the place of each occurrence as one number, see above."""
    places: NDArray[np.int64] = ((version << 3) | _SECTION[element]) << _POSITION_BITS
    places |= position
    return places


def in_order(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return places sorted. They come in runs that rise, which a stable sort joins 20 times as fast as numpy's own."""
    return np.sort(places, kind="stable")


def version_of(places: NDArray[np.int64]) -> Ordinals:
    """Return the version in which each place is."""
    return places >> (_POSITION_BITS + 3)


def element_mask(elements: frozenset[int]) -> NDArray[np.bool_]:
    """Return for each element whether it is one of these."""
    mask = np.zeros(KINDS, dtype=bool)
    mask[list(elements)] = True
    return mask


def portions(sizes: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield ranges of versions that hold a few million positions together; sizes: positions of each version."""
    reached = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        before = int(reached[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(reached, before + _POSITIONS_AT_ONCE, side="right")))
        yield first, last
        first = last


class PhraseFinder:
    """Finds the occurrences of a phrase in a segment."""

    def __init__(
        self, segment: Segment, lists: dict[int, PostingList], elements: Elements, slop: int, portion: Portion
    ) -> None:
        """lists: posting list of each word by its place in the phrase; place 0 is always there."""
        self.segment, self.slop, self._lists, self._portion = segment, slop, lists, portion
        self.length = max(lists) + 1
        self._mask = None if elements is None else element_mask(elements)
        common = min(lists.values(), key=lambda postings: postings.count).ordinals
        for postings in lists.values():
            nearest = np.minimum(np.searchsorted(postings.ordinals, common), postings.count - 1)
            common = common[postings.ordinals[nearest] == common]
        self.candidates: Ordinals = common
        self._readers: dict[int, PositionList] = {}
        if len(common):
            self._readers = {place: segment.positions_of(postings) for place, postings in lists.items()}

    def counts(self) -> tuple[Ordinals, NDArray[np.int64]]:
        """Return the versions that hold the phrase, and how often by element of its first word.

        When the time is up, the versions from there on are left out, and the portion says so.
        """
        common = self.candidates
        counts = np.zeros((len(common), KINDS), dtype=np.int64)
        # words in a row take a byte for each place, which the processor's cache had better hold
        share = 1 if self.slop else 2
        for first, last in portions(self.segment.extent[common].astype(np.int64) * share):
            try:
                self._portion.check()
                row, element, _ = self.begins(common[first:last])
            except OutOfTime:
                self._portion.end_at(int(common[first]))
                break
            found = np.bincount(row * KINDS + element, minlength=(last - first) * KINDS)
            counts[first:last] = found.reshape(-1, KINDS)
        held = np.flatnonzero(counts.any(axis=1))
        return common[held], counts[held]

    def begins(self, versions: Ordinals) -> tuple[Ordinals, Ordinals, Ordinals]:
        """Return (index into versions, element, position) of the first word of each occurrence.

        versions: some of the candidates, rising.
        """
        if not len(versions):
            return versions, versions, versions
        rows = {
            place: np.searchsorted(postings.ordinals, versions) for place, postings in self._lists.items()
        }
        return self._moved(rows) if self.slop else self._in_a_row(rows, versions)

    def _read(self, place: int, rows: Ordinals) -> tuple[Ordinals, Ordinals, Ordinals]:
        pair, element, position = self._readers[place].read(rows)
        if self._mask is not None:
            inside = self._mask[element]
            pair, element, position = pair[inside], element[inside], position[inside]
        return pair, element, position

    def _in_a_row(self, rows: dict[int, Ordinals], versions: Ordinals) -> tuple[Ordinals, Ordinals, Ordinals]:
        room = self.length - 1  # positions are moved up by it, so that none gets below 0
        extents = self.segment.extent[versions].astype(np.int64) + 2 * room + 1
        base = np.cumsum(extents) - extents
        begins: NDArray[np.bool_] | None = None
        left = np.arange(len(versions))  # where the phrase may still be
        # the rarest word first; the first word of the phrase last, so that its elements are those of the phrase
        for place in sorted(rows, key=lambda place: (place == 0, self._lists[place].count)):
            self._portion.check()
            pair, element, position = self._read(place, rows[place][left])
            pair = left[pair]
            start = base[pair] + position + (room - place)
            if begins is not None:
                keep = begins[start]
                pair, element, position, start = pair[keep], element[keep], position[keep], start[keep]
            if place != 0:
                begins = np.zeros(int(extents.sum()), dtype=bool)
                begins[start] = True
                is_left = np.zeros(len(versions), dtype=bool)
                is_left[pair] = True
                left = is_left.nonzero()[0]
        return pair, element, position

    def _moved(self, rows: dict[int, Ordinals]) -> tuple[Ordinals, Ordinals, Ordinals]:
        """Find the phrase with slop: each word moved back by its place, all within `slop` of each other."""
        pair, element, position = self._read(0, rows[0])
        first = places_of(pair, element, position)
        read: dict[int, NDArray[np.int64]] = {}
        left = np.arange(len(rows[0]))  # where the phrase may still be
        # the rarest word first: where it is nowhere near the first word, the others need not be read
        for place in sorted(rows, key=lambda place: self._lists[place].count):
            if not place:
                continue
            self._portion.check()
            of_left, *rest = self._read(place, rows[place][left])
            read[place] = in_order(places_of(left[of_left], *rest))
            near = _any_between(read[place], first + (place - self.slop), first + (place + self.slop))
            pair, element, position, first = pair[near], element[near], position[near], first[near]
            is_left = np.zeros(len(rows[0]), dtype=bool)
            is_left[pair] = True
            left = is_left.nonzero()[0]
        others = [(place, self._lists[place].word, read[place]) for place in sorted(read)]
        if len(others) == 1:
            found = self._two_words(first, *others[0])
        else:
            found = np.zeros(len(first), dtype=bool)
            for before in range(self.slop + 1):
                self._portion.check()
                left = np.flatnonzero(~found)
                found[left[self._in_window(first[left], first[left] - before, others)]] = True
        return pair[found], element[found], position[found]

    def _two_words(
        self, first: NDArray[np.int64], place: int, word: int, places: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Tell for each first word that is near the other one whether that is not the first word itself."""
        if word != self._lists[0].word or place > self.slop:
            return np.ones(len(first), dtype=bool)
        low = np.searchsorted(places, first + (place - self.slop))
        high = np.searchsorted(places, first + (place + self.slop), side="right")
        within: NDArray[np.bool_] = high - low > 1
        return within

    def _in_window(
        self,
        first: NDArray[np.int64],
        begin: NDArray[np.int64],
        others: list[tuple[int, int, NDArray[np.int64]]],
    ) -> NDArray[np.bool_]:
        """Tell for each first word whether the others, moved back by their places, stand in begin to begin + slop.

        A word that stands in the phrase several times takes different places: the lowest that is free for each.
        """
        fits = np.ones(len(first), dtype=bool)
        taken: dict[int, NDArray[np.int64]] = {}  # word -> the last place it took
        repeated = {word for _, word, _ in others if sum(word == other for _, other, _ in others) > 1}
        for place, word, places in others:
            if not len(places):
                return np.zeros(len(first), dtype=bool)
            self._portion.check()
            low = begin + place
            if word in taken:
                low = np.maximum(low, taken[word] + 1)
            at = np.searchsorted(places, low)
            if word == self._lists[0].word:
                at += places[np.minimum(at, len(places) - 1)] == first
            there = np.minimum(at, len(places) - 1)
            fits &= (at < len(places)) & (places[there] <= begin + place + self.slop)
            if word in repeated:
                taken[word] = places[there]
        return fits


@dataclass(slots=True)
class Spans:
    """From which place to which (both included) something stands; sorted by start, end."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]

    @classmethod
    def sorted(cls, start: NDArray[np.int64], end: NDArray[np.int64]) -> Spans:
        """Return the spans in order."""
        order = np.lexsort((end, start))
        return cls(start[order], end[order])

    @classmethod
    def joined(cls, several: list[Spans]) -> Spans:
        """Return the spans of all, sorted."""
        if len(several) == 1:
            return several[0]
        start = np.concatenate([spans.start for spans in several] or [np.zeros(0, dtype=np.int64)])
        end = np.concatenate([spans.end for spans in several] or [np.zeros(0, dtype=np.int64)])
        return cls.sorted(start, end)

    def near(self, others: Spans, distance: int) -> Spans:
        """Return those spans before or behind which another ends or begins at most `distance` places away."""
        ends = in_order(others.end)
        near = _any_between(ends, self.start - distance, self.start - 1)
        near |= _any_between(others.start, self.end + 1, self.end + distance)
        return self.chosen(near)

    def chosen(self, keep: NDArray[np.bool_]) -> Spans:
        return Spans(self.start[keep], self.end[keep])

    def in_versions(self, wanted: NDArray[np.bool_]) -> Spans:
        """Return the spans in the versions that are marked."""
        return self.chosen(wanted[version_of(self.start)])

    def versions(self, size: int) -> NDArray[np.bool_]:
        """Return for each of `size` versions whether a span is in it."""
        held = np.zeros(size, dtype=bool)
        held[version_of(self.start)] = True
        return held


def _any_between(
    values: NDArray[np.int64], low: NDArray[np.int64], high: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Tell for each range, both ends included, whether a value is in it; values: sorted."""
    if not len(values):
        return np.zeros(len(low), dtype=bool)
    at = np.searchsorted(values, low)
    inside: NDArray[np.bool_] = (at < len(values)) & (values[np.minimum(at, len(values) - 1)] <= high)
    return inside
