"""Where a word occurs in a segment in all its forms, in the text of pages and in the texts of links to them.

A form in one of the two is a posting list. Lists are decoded when the match is made; bounds, weights and positions are
read for the versions that are asked for, of all lists and of several words at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.search.forms import forms_of
from indexer.search.matches import Floats, Mask, Match, Ordinals, Places, are_in, in_both
from indexer.search.nodes import Word
from indexer.search.positions import Spans, element_mask, places_of
from indexer.store.bm25f import Ranking, weights
from indexer.store.segment import PostingList, Segment, joined, read_positions
from indexer.store.snapshot import LiveSegment
from indexer.store.weights import upper_bounds


@dataclass(frozen=True, slots=True)
class FormList:
    """The posting list of a form in one layer. layer: its number in the live segment; segment: the layer's lists.

    ordinals: of the versions in which it counts; pairs: the rows of these in the posting list, None for all rows.
    factor: what an occurrence counts for. codes: the weights of its pairs in one byte each.
    """

    layer: int
    segment: Segment
    postings: PostingList
    ordinals: Ordinals
    rows: Ordinals | None
    factor: float
    codes: NDArray[np.uint8]

    def in_versions(self, wanted: Ordinals) -> tuple[Ordinals, Ordinals]:
        """Return which of the wanted versions (rising) hold it, and the rows of these in the posting list."""
        found, at = in_both(wanted, self.ordinals)
        return found, at if self.rows is None else self.rows.take(at)


class WordMatch(Match):
    """A word in its forms."""

    def __init__(self, leaf: Word, live: LiveSegment, ranking: Ranking, slack: float) -> None:
        self._size = len(live.segment)
        self._bounds = upper_bounds(slack)
        self.mask = None if leaf.elements is None else element_mask(leaf.elements)
        self.spellings: list[str] = []
        self.lists: list[FormList] = []
        for number, (segment, codes) in enumerate(live.layers):
            for form in forms_of(leaf, segment, ranking.fold, ranking.other_forms):
                postings = segment.postings(form.word)
                rows = self._counting_rows(postings, segment, form.languages)
                ordinals = postings.ordinals if rows is None else postings.ordinals.take(rows)
                self.spellings.append(form.text)
                if len(ordinals):
                    own = codes[postings.start : postings.start + postings.count]
                    self.lists.append(
                        FormList(number, segment, postings, ordinals, rows, form.factor,
                                 own if rows is None else own.take(rows))
                    )  # fmt: skip

    def _counting_rows(
        self, postings: PostingList, segment: Segment, languages: NDArray[np.bool_] | None
    ) -> Ordinals | None:
        """Return the rows of a list that count, None for all: those in versions of these languages, in the elements."""
        keep: Mask | None = None
        if languages is not None:
            keep = languages.take(segment.language.take(postings.ordinals))
        if self.mask is not None:
            has = segment.shape_table[:, self.mask].any(axis=1)
            inside = has.take(segment.shape_numbers(postings.start, postings.count))
            keep = inside if keep is None else keep & inside
        return None if keep is None or keep.all() else keep.nonzero()[0]

    @cached_property
    def marked(self) -> Mask:
        """For each version of the segment whether it holds the word; not to be changed."""
        mask = np.zeros(self._size, dtype=bool)
        self.mark(mask)
        return mask

    @cached_property
    def ordinals(self) -> Ordinals:
        if len(self.lists) == 1:
            return self.lists[0].ordinals
        return self.marked.nonzero()[0] if self.lists else np.zeros(0, dtype=np.int64)

    @cached_property
    def count(self) -> int:
        if len(self.lists) == 1:
            return len(self.lists[0].ordinals)
        return int(np.count_nonzero(self.marked)) if self.lists else 0

    def mark(self, mask: Mask) -> None:
        for held in self.lists:
            mask[held.ordinals] = True

    def holding(self, wanted: Ordinals) -> Ordinals:
        if len(self.lists) == 1:
            return wanted[are_in(wanted, self.lists[0].ordinals)]
        return wanted[self.marked.take(wanted)]

    def upper(self, wanted: Ordinals) -> Floats:
        if len(self.lists) == 1:
            [held] = self.lists
            bounds: Floats = self._bounds * held.factor
            if wanted is held.ordinals:
                whole: Floats = bounds[held.codes]
                return whole
            total = np.zeros(len(wanted))
            found, at = in_both(wanted, held.ordinals)
            total[found] = bounds.take(held.codes.take(at))
            return total
        if not self.lists:
            return np.zeros(len(wanted))
        every: Floats = np.asarray(
            np.bincount(
                np.concatenate([held.ordinals for held in self.lists]),
                np.concatenate([(self._bounds * held.factor).take(held.codes) for held in self.lists]),
                minlength=self._size,
            ),
            dtype=np.float64,
        )
        at_wanted: Floats = every[wanted]
        return at_wanted

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        weight: Floats = exact_weights([self], wanted, norm)[0]
        return weight

    def spans(self, versions: Ordinals) -> Spans:
        found = self.places(versions)
        places = places_of(versions[found.row], found.element, found.position)
        return Spans.sorted(places, places)

    def places(self, wanted: Ordinals) -> Places:
        return places_of_words([self], wanted)[0]


def exact_weights(matches: Sequence[WordMatch], wanted: Ordinals, norm: Floats) -> Floats:
    """Return the exact weight of each word in each of the `wanted` versions (rising) of a segment, a row a word.

    norm: as for Match.exact.
    """
    columns: list[Ordinals] = []  # where in the table a pair counts
    found_in: list[Ordinals] = []
    factors: list[float] = []
    masks: list[Mask | None] = []
    counts: list[NDArray[Any]] = []
    # all lists at once: a word may have hundreds of forms, and most of them stand in a few versions
    for layer in range(2):
        pairs: list[Ordinals] = []
        segment: Segment | None = None
        for number, match in enumerate(matches):
            for held in match.lists:
                if held.layer != layer:
                    continue
                found, rows = held.in_versions(wanted)
                if len(found):
                    segment = held.segment
                    pairs.append(rows + held.postings.start)
                    found_in.append(found)
                    columns.append(found + number * len(wanted))
                    factors.append(held.factor)
                    masks.append(match.mask)
        if segment is not None:
            counts.append(segment.shape_table[segment.shapes_of(joined(pairs))])
    size = len(matches) * len(wanted)
    if not counts:
        return np.zeros((len(matches), len(wanted)))
    sizes = [len(found) for found in found_in]
    all_counts = counts[0] if len(counts) == 1 else np.concatenate(counts)
    if any(mask is not None for mask in masks):
        every = np.ones(norm.shape[1], dtype=bool)
        all_counts = all_counts * np.repeat(
            [every if mask is None else mask for mask in masks], sizes, axis=0
        )
    weight = weights(all_counts, norm[joined(found_in)])
    if any(factor != 1 for factor in factors):
        weight *= np.repeat(factors, sizes)
    total = np.asarray(np.bincount(joined(columns), weight, minlength=size), dtype=np.float64)
    return total.reshape(len(matches), len(wanted))


def places_of_words(matches: Sequence[WordMatch], wanted: Ordinals) -> list[Places]:
    """Return where each of some words stands in the `wanted` versions (rising) of a segment."""
    parts: list[list[tuple[Ordinals, Ordinals, Ordinals]]] = [[] for _ in matches]
    for layer in range(2):
        lists: list[tuple[Segment, PostingList, Ordinals]] = []
        of_pair: list[Ordinals] = []
        owners: list[tuple[int, int]] = []  # word, and how many pairs of it follow
        for number, match in enumerate(matches):
            before = len(of_pair)
            for held in match.lists:
                if held.layer == layer:
                    found, rows = held.in_versions(wanted)
                    if len(found):
                        lists.append((held.segment, held.postings, rows))
                        of_pair.append(found)
            owners.append((number, sum(len(found) for found in of_pair[before:])))
        if not lists:
            continue
        pair, element, position = read_positions(lists)
        row = joined(of_pair).take(pair)
        ends = pair.searchsorted(np.cumsum([count for _, count in owners])).tolist()
        begin = 0
        for (number, _), end in zip(owners, ends, strict=True):
            if end > begin:
                parts[number].append((row[begin:end], element[begin:end], position[begin:end]))
            begin = end
    return [_inside(Places.joined(part), match.mask) for part, match in zip(parts, matches, strict=True)]


def _inside(found: Places, mask: Mask | None) -> Places:
    """Return the occurrences in the elements of a mask, None for all."""
    if mask is None:
        return found
    inside = mask[found.element]
    return Places(found.row[inside], found.element[inside], found.position[inside])
