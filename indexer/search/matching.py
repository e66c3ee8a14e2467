"""In which versions of a segment a word or phrase occurs, and how strongly: posting lists -> weights.

A leaf of a query (word, phrase, wildcard, fuzzy word) is looked up once in each segment and gives a Match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.search.deadline import Deadline, Portion
from indexer.search.forms import Form, forms_of
from indexer.search.positions import Elements, PhraseFinder, Spans, element_mask, places_of
from indexer.search.query import (
    Fuzzy,
    Leaf,
    Phrase,
    Wildcard,
    Word,
    is_implied,
)
from indexer.search.vocabulary import ANY_WORD, Expansions
from indexer.store.bm25f import Ranking, norms, weights
from indexer.store.segment import PostingList, Segment
from indexer.store.snapshot import LiveSegment
from indexer.store.weights import upper_bounds

Ordinals = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(slots=True)
class Places:
    """Occurrences, in no order: row of the version among those asked for, element, position.

    Positions in link texts (element INLINK) have nothing to do with those in the page itself.
    """

    row: NDArray[np.int64]
    element: NDArray[np.int64]
    position: NDArray[np.int64]

    @classmethod
    def joined(
        cls, columns: Sequence[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]
    ) -> Places:
        if not columns:
            return cls(*(np.zeros(0, dtype=np.int64) for _ in range(3)))
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))


class Match:
    """Where one leaf of a query occurs in one segment.

    ordinals: rising; upper: a weight for each that is never below the exact one.
    """

    ordinals: Ordinals
    upper: Floats

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        """Return the exact weight at the `wanted` ordinals (rising), 0 where the leaf does not occur.

        norm: boost over length norm of each wanted version, shape (len(wanted), KINDS).
        """
        raise NotImplementedError

    def spans(self, versions: Ordinals) -> Spans:
        """Return from where to where the leaf stands in some versions (rising)."""
        raise NotImplementedError

    def places(self, wanted: Ordinals) -> Places:
        """Return where a word stands in the `wanted` versions (rising ordinals); nothing for other leaves."""
        return Places.joined([])


class NoMatch(Match):
    """A leaf that does not occur in the segment."""

    def __init__(self) -> None:
        self.ordinals = np.zeros(0, dtype=np.int64)
        self.upper = np.zeros(0)

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        return np.zeros(len(wanted))

    def spans(self, versions: Ordinals) -> Spans:
        return Spans.joined([])


class AnyWordMatch(NoMatch):
    """The versions that hold any word at all; it weighs nothing."""

    def __init__(self, live: LiveSegment, elements: Elements) -> None:
        lengths = live.lengths(np.arange(len(live.segment)))
        lengths = lengths if elements is None else lengths[:, sorted(elements)]
        self.ordinals = np.flatnonzero(lengths.any(axis=1))
        self.upper = np.zeros(len(self.ordinals))


class WordMatch(Match):
    """A word in its forms."""

    def __init__(
        self,
        segment: Segment,
        forms: list[Form],
        codes: NDArray[np.uint8],
        slack: float,
        elements: Elements,
    ) -> None:
        self._segment = segment
        self.forms = forms
        self._mask = None if elements is None else element_mask(elements)
        bounds = upper_bounds(slack)
        self._chosen: list[tuple[Ordinals, Ordinals]] = []  # per form: ordinals, and their pair numbers
        uppers = []
        for form in forms:
            postings = form.postings
            ordinals, pairs = postings.ordinals, None
            keep: NDArray[np.bool_] | None = None
            if form.languages is not None:
                keep = form.languages[segment.language[ordinals]]
            if self._mask is not None:
                shapes = segment.shape_numbers(postings.start, postings.count)
                inside: NDArray[np.bool_] = np.any(segment.shape_table[:, self._mask], axis=1, keepdims=True)[
                    shapes, 0
                ]
                keep = inside if keep is None else keep & inside
            if keep is None:
                upper = bounds[codes[postings.start : postings.start + postings.count]]
                pairs = None
            else:
                rows = np.flatnonzero(keep)
                ordinals, pairs = ordinals[rows], rows + postings.start
                upper = bounds[codes[pairs]]
            uppers.append(upper if form.factor == 1 else upper * form.factor)
            self._chosen.append((ordinals, pairs if pairs is not None else np.zeros(0, dtype=np.int64)))
        if len(forms) == 1:
            self.ordinals, self.upper = self._chosen[0][0], uppers[0]
        else:
            total = np.zeros(len(segment))
            for (ordinals, _), upper in zip(self._chosen, uppers, strict=True):
                total[ordinals] += upper
            self.ordinals = np.flatnonzero(total)
            self.upper = total[self.ordinals]

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        places: list[Ordinals] = []  # of the versions that hold each form, in `wanted`
        counts: list[NDArray[Any]] = []
        factors: list[float] = []
        for form, (ordinals, pairs) in zip(self.forms, self._chosen, strict=True):
            found, rows = _common(wanted, ordinals)
            if len(found):
                numbers = pairs[rows] if len(pairs) else rows + form.postings.start
                places.append(found)
                counts.append(self._segment.shape_table[self._segment.shapes_at(numbers)])
                factors.append(form.factor)
        if not places:
            return np.zeros(len(wanted))
        # all forms at once: a word may have hundreds, and most of them stand in a few versions
        all_counts = np.concatenate(counts)
        if self._mask is not None:
            all_counts = all_counts * self._mask
        place = np.concatenate(places)
        weight = weights(all_counts, norm[place])
        if any(factor != 1 for factor in factors):
            weight = weight * np.repeat(factors, [len(found) for found in places])
        return np.bincount(place, weight, minlength=len(wanted)).astype(np.float64)

    def spans(self, versions: Ordinals) -> Spans:
        found = []
        for form, (ordinals, _) in zip(self.forms, self._chosen, strict=True):
            held = versions[_are_in(versions, ordinals)]
            if not len(held):
                continue
            rows = np.searchsorted(form.postings.ordinals, held)
            pair, element, position = self._segment.positions_of(form.postings).read(rows)
            if self._mask is not None:
                inside = self._mask[element]
                pair, element, position = pair[inside], element[inside], position[inside]
            places = places_of(held[pair], element, position)
            found.append(Spans.sorted(places, places))
        return Spans.joined(found)

    def places(self, wanted: Ordinals) -> Places:
        columns = []
        for form, (ordinals, _) in zip(self.forms, self._chosen, strict=True):
            if not len(ordinals):
                continue
            held = form.postings.ordinals
            at = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
            nearest = np.minimum(np.searchsorted(ordinals, wanted), len(ordinals) - 1)
            rows = np.flatnonzero((held[at] == wanted) & (ordinals[nearest] == wanted))
            pair, element, position = self._segment.positions_of(form.postings).read(at[rows])
            columns.append((rows[pair], element, position))
        found = Places.joined(columns)
        if self._mask is None:
            return found
        inside = self._mask[found.element]
        return Places(found.row[inside], found.element[inside], found.position[inside])


def _common(wanted: Ordinals, ordinals: Ordinals) -> tuple[Ordinals, Ordinals]:
    """Return where the numbers that stand in both of two rising lists stand in each of them."""
    if not len(wanted) or not len(ordinals):
        return ordinals[:0], ordinals[:0]
    if len(ordinals) < len(wanted):
        found, rows = _common(ordinals, wanted)
        return rows, found
    rows = np.minimum(np.searchsorted(ordinals, wanted), len(ordinals) - 1)
    found = np.flatnonzero(ordinals[rows] == wanted)
    return found, rows[found]


class PhraseMatch(Match):
    """A phrase, found by its positions; its weight is that of a word that occurs where it does."""

    def __init__(self, finder: PhraseFinder, ranking: Ranking, means: Floats) -> None:
        self._finder = finder
        self.ordinals, self._counts = finder.counts()
        lengths = finder.segment.lengths[self.ordinals]
        self.upper = weights(self._counts, norms(ranking, lengths, means)) * (1 + 1e-9)

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        total = np.zeros(len(wanted))
        if len(self.ordinals):
            rows = np.minimum(np.searchsorted(self.ordinals, wanted), len(self.ordinals) - 1)
            found = np.flatnonzero(self.ordinals[rows] == wanted)
            total[found] = weights(self._counts[rows[found]], norm[found])
        return total

    def spans(self, versions: Ordinals) -> Spans:
        held = versions[_are_in(versions, self.ordinals)]
        row, element, position = self._finder.begins(held)
        start = places_of(held[row], element, position)
        return Spans.sorted(start, start + self._finder.length - 1)


class LayeredMatch(Match):
    """A leaf in the text of pages and in the texts of links to them."""

    def __init__(self, layers: list[Match], size: int) -> None:
        self._layers = layers
        is_there = np.zeros(size, dtype=bool)
        total = np.zeros(size)
        for layer in layers:
            is_there[layer.ordinals] = True
            total[layer.ordinals] += layer.upper
        self.ordinals = np.flatnonzero(is_there)
        self.upper = total[self.ordinals]

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        total = np.zeros(len(wanted))
        for layer in self._layers:
            total += layer.exact(wanted, norm)
        return total

    def spans(self, versions: Ordinals) -> Spans:
        return Spans.joined([layer.spans(versions) for layer in self._layers])

    def places(self, wanted: Ordinals) -> Places:
        layers = [layer.places(wanted) for layer in self._layers]
        return Places.joined([(layer.row, layer.element, layer.position) for layer in layers])


def _are_in(wanted: Ordinals, ordinals: Ordinals) -> NDArray[np.bool_]:
    """Tell for each wanted ordinal whether it is one of `ordinals`; both rising."""
    if not len(ordinals):
        return np.zeros(len(wanted), dtype=bool)
    there: NDArray[np.bool_] = (
        ordinals[np.minimum(np.searchsorted(ordinals, wanted), len(ordinals) - 1)] == wanted
    )
    return there


def match_leaf(
    leaf: Leaf,
    live: LiveSegment,
    ranking: Ranking,
    means: Floats,
    slack: float,
    expansions: Expansions | None = None,
    portion: Portion | None = None,
) -> tuple[Match, list[str]]:
    """Return where a leaf occurs in a segment, and the spellings it was found by.

    expansions: what wildcards and fuzzy words stand for; portion: told where the time was up.
    """
    if isinstance(leaf, Wildcard) and leaf.pattern == ANY_WORD:
        return AnyWordMatch(live, leaf.elements), []
    portion = portion or Portion(len(live.segment), Deadline())
    matches: list[Match] = []
    found: list[str] = []
    for segment, codes in live.layers:
        match, spellings = _match_layer(leaf, segment, codes, ranking, means, slack, expansions, portion)
        if len(match.ordinals):
            matches.append(match)
            found += spellings
    return matches[0] if len(matches) == 1 else LayeredMatch(matches, len(live.segment)), found


def _match_layer(
    leaf: Leaf,
    segment: Segment,
    codes: NDArray[np.uint8],
    ranking: Ranking,
    means: Floats,
    slack: float,
    expansions: Expansions | None,
    portion: Portion,
) -> tuple[Match, list[str]]:
    """Return where a leaf occurs in one layer of a segment: its own text, or the texts of links to it."""
    if isinstance(leaf, Phrase):
        lists: dict[int, PostingList] = {}
        for place, text in enumerate(leaf.words):
            if is_implied(leaf.words, place):
                continue
            word = segment.find_word(text)
            if word is None:
                return NoMatch(), []
            lists[place] = segment.postings(word)
        finder = PhraseFinder(segment, lists, leaf.elements, leaf.slop, portion)
        return PhraseMatch(finder, ranking, means), list(leaf.words)
    if not isinstance(leaf, Word):
        return _expanded(leaf, segment, codes, slack, expansions)
    forms = forms_of(leaf, segment, ranking.fold, ranking.other_forms)
    if not forms:
        return NoMatch(), []
    return WordMatch(segment, forms, codes, slack, leaf.elements), [form.text for form in forms]


def _expanded(
    leaf: Wildcard | Fuzzy,
    segment: Segment,
    codes: NDArray[np.uint8],
    slack: float,
    expansions: Expansions | None,
) -> tuple[Match, list[str]]:
    """Return where the words occur that a wildcard or a fuzzy word stands for, and which are in the segment."""
    from indexer.search.expanded import WordsMatch  # it is built on this module

    factor_of = sorted((expansions.words.get(leaf, {}) if expansions else {}).items())
    words = segment.find_words([word for word, _ in factor_of])
    held = np.flatnonzero(words >= 0)
    if not len(held):
        return NoMatch(), []
    factors = np.array([factor for _, factor in factor_of])
    match = WordsMatch(segment, words[held], factors[held], codes, slack, leaf.elements)
    return match, [factor_of[place][0] for place in held.tolist()]
