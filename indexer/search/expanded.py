"""Where the many words that a wildcard or a fuzzy word stands for occur in a segment, looked up all at once."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from indexer.search.matches import Floats, Match, Ordinals, spread
from indexer.search.positions import Elements, Spans, element_mask, in_order, places_of
from indexer.store.blocks import Values
from indexer.store.bm25f import weights
from indexer.store.segment import Segment
from indexer.store.weights import upper_bounds


class WordsMatch(Match):
    """Many words that count as one: the weights of all add up, each times its factor."""

    def __init__(
        self,
        segment: Segment,
        words: NDArray[np.int64],
        factors: Floats,
        codes: Values,
        slack: float,
        elements: Elements,
    ) -> None:
        """words: indexes in the segment; factors: one for each."""
        self._segment, self._words = segment, words
        self._whole_lists: tuple[Ordinals, Ordinals, Ordinals] | None = None
        self._mask = None if elements is None else element_mask(elements)
        pairs, counts, ordinals = segment.pairs_of_words(words)
        factor = np.repeat(factors, counts)
        if self._mask is None:
            self._whole_lists = pairs, counts, ordinals
        else:
            has = np.any(segment.shape_table[:, self._mask], axis=1, keepdims=True)[:, 0]
            inside = has[segment.shapes_of_lists(pairs, counts)]
            pairs, ordinals, factor = pairs[inside], ordinals[inside], factor[inside]
        self._pairs, self._held_in, self._factor = pairs, ordinals, factor
        total = _sums(ordinals, upper_bounds(slack)[codes[pairs]] * factor, len(segment))
        self._ordinals = np.flatnonzero(np.bincount(ordinals, minlength=len(segment)))
        self._upper = total[self.ordinals]

    def upper(self, wanted: Ordinals) -> Floats:
        return spread(self.ordinals, self._upper, wanted)

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        place = np.full(len(self._segment), -1, dtype=np.int64)
        place[wanted] = np.arange(len(wanted))
        place_of_pair = place[self._held_in]
        chosen = np.flatnonzero(place_of_pair >= 0)
        rows = place_of_pair[chosen]
        counts = self._segment.shape_table[self._segment.shapes_of(self._pairs[chosen])]
        if self._mask is not None:
            counts = counts * self._mask
        weight = weights(counts, norm[rows]) * self._factor[chosen]
        return _sums(rows, weight, len(wanted))

    def spans(self, versions: Ordinals) -> Spans:
        ordinals, shapes, widths, first_bits = self._runs
        wanted = np.zeros(len(self._segment), dtype=bool)
        wanted[versions] = True
        rows = wanted.take(ordinals).nonzero()[0]
        pair, element, position = self._segment.runs.read(
            shapes.take(rows), widths.take(rows), first_bits.take(rows)
        )
        held = ordinals.take(rows).take(pair)
        if self._mask is not None:
            inside = self._mask[element]
            held, element, position = held[inside], element[inside], position[inside]
        places = in_order(places_of(held, element, position))
        return Spans(places, places)

    @cached_property
    def _runs(self) -> tuple[Ordinals, Ordinals, Ordinals, Ordinals]:
        """Return (ordinal, shape, width, first bit) of the positions of each pair of the words."""
        pairs, counts, ordinals = self._whole_lists or self._segment.pairs_of_words(self._words)
        shapes = self._segment.shapes_of_lists(pairs, counts)
        return ordinals, shapes, *self._segment.first_bits_of_words(self._words, counts, ordinals, shapes)


def _sums(places: NDArray[np.int64], values: Floats, size: int) -> Floats:
    """Return for each of `size` places the sum of its values."""
    return np.asarray(np.bincount(places, weights=values, minlength=size), dtype=np.float64)
