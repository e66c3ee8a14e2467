"""Which versions of a segment match a query, and how strongly: posting lists -> masks and weights.

A leaf (word or phrase) is looked up once in each segment and gives a Match; the boolean tree is then
evaluated with masks of one byte a version, at most 65,536 of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indexer.search.forms import Form, forms_of
from indexer.search.query import And, Leaf, Node, Not, Or, Phrase, Site, Word, is_implied
from indexer.store.bm25f import Ranking, norms, weights
from indexer.store.segment import KINDS, PositionList, PostingList, Segment
from indexer.store.snapshot import LiveSegment
from indexer.store.weights import upper_bounds

Ordinals = NDArray[np.int64]
Floats = NDArray[np.float64]


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


class NoMatch(Match):
    """A leaf that does not occur in the segment."""

    def __init__(self) -> None:
        self.ordinals = np.zeros(0, dtype=np.int64)
        self.upper = np.zeros(0)

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        return np.zeros(len(wanted))


class WordMatch(Match):
    """A word in its forms."""

    def __init__(
        self,
        segment: Segment,
        forms: list[Form],
        codes: NDArray[np.uint8],
        slack: float,
        elements: frozenset[int] | None,
    ) -> None:
        self._segment = segment
        self._forms = forms
        self._mask = None if elements is None else _element_mask(elements)
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
        total = np.zeros(len(wanted))
        for form, (ordinals, pairs) in zip(self._forms, self._chosen, strict=True):
            if not len(ordinals):
                continue
            rows = np.minimum(np.searchsorted(ordinals, wanted), len(ordinals) - 1)
            found = np.flatnonzero(ordinals[rows] == wanted)
            numbers = pairs[rows[found]] if len(pairs) else rows[found] + form.postings.start
            counts = self._segment.shape_table[self._segment.shapes_at(numbers)]
            if self._mask is not None:
                counts = counts * self._mask
            total[found] += weights(counts, norm[found]) * form.factor
        return total


class PhraseMatch(Match):
    """A phrase, found by its positions; its weight is that of a word that occurs where it does."""

    def __init__(
        self,
        segment: Segment,
        lists: dict[int, PostingList],
        elements: frozenset[int] | None,
        ranking: Ranking,
        means: Floats,
    ) -> None:
        ordinals, self._counts = _phrase_counts(segment, lists, elements)
        self.ordinals = ordinals
        self.upper = weights(self._counts, norms(ranking, segment.lengths[ordinals], means)) * (1 + 1e-9)

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        total = np.zeros(len(wanted))
        if len(self.ordinals):
            rows = np.minimum(np.searchsorted(self.ordinals, wanted), len(self.ordinals) - 1)
            found = np.flatnonzero(self.ordinals[rows] == wanted)
            total[found] = weights(self._counts[rows[found]], norm[found])
        return total


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


def _phrase_counts(
    segment: Segment, lists: dict[int, PostingList], elements: frozenset[int] | None
) -> tuple[Ordinals, NDArray[np.int64]]:
    """Return the versions that hold a phrase, and how often by element of its first word.

    lists: posting list of each word by its place in the phrase; place 0 is always there.
    """
    common = min(lists.values(), key=lambda postings: postings.count).ordinals
    for postings in lists.values():
        nearest = np.minimum(np.searchsorted(postings.ordinals, common), postings.count - 1)
        common = common[postings.ordinals[nearest] == common]
    if not len(common):
        return common, np.zeros((0, KINDS), dtype=np.int64)
    counts = np.zeros((len(common), KINDS), dtype=np.int64)
    readers = {place: segment.positions_of(postings) for place, postings in lists.items()}
    rows = {place: np.searchsorted(postings.ordinals, common) for place, postings in lists.items()}
    room = max(lists)  # positions are moved up by it, so that none gets below 0
    extents = segment.extent[common].astype(np.int64) + 2 * room + 1
    reached = np.cumsum(extents)
    first = 0
    while first < len(common):
        before = int(reached[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(reached, before + _POSITIONS_AT_ONCE, side="right")))
        base = reached[first:last] - extents[first:last] - before
        here = {place: row[first:last] for place, row in rows.items()}
        counts[first:last] = _count_in_a_row(
            readers, here, base, room, int(reached[last - 1]) - before, elements
        )
        first = last
    held = np.flatnonzero(counts.any(axis=1))
    return common[held], counts[held]


_POSITIONS_AT_ONCE = 8_000_000


def _count_in_a_row(
    readers: dict[int, PositionList],
    rows: dict[int, Ordinals],
    base: Ordinals,
    room: int,
    size: int,
    elements: frozenset[int] | None,
) -> NDArray[np.int64]:
    """Return how often a phrase begins in each of some versions, by element of its first word.

    base: where the positions of each version begin in one row of marks, `size` in all.
    """
    mask = None if elements is None else _element_mask(elements)
    begins: NDArray[np.bool_] | None = None
    # the first word is looked at last, so that its elements are those of the phrase
    for place in sorted(
        readers, key=lambda place: (place == 0, int(readers[place].totals[rows[place]].sum()))
    ):
        pair, element, position = readers[place].read(rows[place])
        if mask is not None:
            inside = mask[element]
            pair, element, position = pair[inside], element[inside], position[inside]
        start = base[pair] + position + (room - place)
        if begins is not None:
            keep = begins[start]
            pair, element, start = pair[keep], element[keep], start[keep]
        if place != 0:
            begins = np.zeros(size, dtype=bool)
            begins[start] = True
    counts = np.bincount(pair * KINDS + element, minlength=len(base) * KINDS)
    return counts.reshape(len(base), KINDS)


def _element_mask(elements: frozenset[int]) -> NDArray[np.bool_]:
    mask = np.zeros(KINDS, dtype=bool)
    mask[list(elements)] = True
    return mask


def match_leaf(
    leaf: Leaf, live: LiveSegment, ranking: Ranking, means: Floats, slack: float
) -> tuple[Match, list[str]]:
    """Return where a word or phrase occurs in a segment, and the spellings it was found by."""
    matches: list[Match] = []
    found: list[str] = []
    for segment, codes in live.layers:
        match, spellings = _match_layer(leaf, segment, codes, ranking, means, slack)
        if len(match.ordinals):
            matches.append(match)
            found += spellings
    return matches[0] if len(matches) == 1 else LayeredMatch(matches, len(live.segment)), found


def _match_layer(
    leaf: Leaf, segment: Segment, codes: NDArray[np.uint8], ranking: Ranking, means: Floats, slack: float
) -> tuple[Match, list[str]]:
    """Return where a word or phrase occurs in one layer of a segment: its own text, or the texts of links to it."""
    if isinstance(leaf, Phrase):
        lists: dict[int, PostingList] = {}
        for place, text in enumerate(leaf.words):
            if is_implied(leaf.words, place):
                continue
            word = segment.find_word(text)
            if word is None:
                return NoMatch(), []
            lists[place] = segment.postings(word)
        return PhraseMatch(segment, lists, leaf.elements, ranking, means), list(leaf.words)
    forms = forms_of(leaf, segment, ranking.fold) if isinstance(leaf, Word) else []
    if not forms:
        return NoMatch(), []
    return WordMatch(segment, forms, codes, slack, leaf.elements), [form.text for form in forms]


def tree_mask(node: Node, live: LiveSegment, matches: dict[Leaf, Match]) -> NDArray[np.bool_]:
    """Return for each version of a segment whether the query matches it; removed versions are not left out here."""
    size = len(live.segment)
    if isinstance(node, Word | Phrase):
        mask = np.zeros(size, dtype=bool)
        mask[matches[node].ordinals] = True
        return mask
    if isinstance(node, Site):
        return site_mask(node.host, live.segment)
    if isinstance(node, Not):
        return ~tree_mask(node.part, live, matches)
    if not isinstance(node, And | Or):
        raise NotImplementedError(f"{type(node).__name__} is not searched yet")
    first, *others = node.parts
    mask = tree_mask(first, live, matches)
    for part in others:
        if isinstance(node, And):
            if not mask.any():
                break
            mask &= tree_mask(part, live, matches)
        else:
            mask |= tree_mask(part, live, matches)
    return mask


def site_mask(host: str, segment: Segment) -> NDArray[np.bool_]:
    """Return for each version whether its host is `host` or lies below it."""
    below = "." + host
    wanted = [name == host or name.endswith(below) for name in segment.hosts()]
    mask: NDArray[np.bool_] = np.asarray(wanted, dtype=bool)[segment.host]
    return mask
