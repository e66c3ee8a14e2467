"""In which versions of a segment a leaf of a query occurs, and how strongly: posting lists -> weights.

A leaf (word, phrase, wildcard, fuzzy word) is looked up once in each segment and gives a Match.
"""

from __future__ import annotations

import numpy as np

from indexer.search.deadline import Deadline, Portion
from indexer.search.expanded import WordsMatch
from indexer.search.matches import Floats, Match, NoMatch, Ordinals, are_in, spread
from indexer.search.positions import Elements, PhraseFinder, Spans, places_of
from indexer.search.query import Fuzzy, Leaf, Phrase, Wildcard, Word, is_implied
from indexer.search.vocabulary import ANY_WORD, Expansions
from indexer.search.words import WordMatch
from indexer.store.blocks import Values
from indexer.store.bm25f import Ranking, norms, weights
from indexer.store.segment import PostingList, Segment
from indexer.store.snapshot import LiveSegment


class AnyWordMatch(NoMatch):
    """The versions that hold any word at all; it weighs nothing."""

    def __init__(self, live: LiveSegment, elements: Elements) -> None:
        lengths = live.lengths(np.arange(len(live.segment)))
        lengths = lengths if elements is None else lengths[:, sorted(elements)]
        self._ordinals = np.flatnonzero(lengths.any(axis=1))


class PhraseMatch(Match):
    """A phrase, found by its positions; its weight is that of a word that occurs where it does."""

    def __init__(self, finder: PhraseFinder, ranking: Ranking, means: Floats) -> None:
        self._finder = finder
        self._ordinals, self._counts = finder.counts()
        lengths = finder.segment.lengths[self.ordinals]
        self._upper = weights(self._counts, norms(ranking, lengths, means)) * (1 + 1e-9)

    def upper(self, wanted: Ordinals) -> Floats:
        return spread(self.ordinals, self._upper, wanted)

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        total = np.zeros(len(wanted))
        if len(self.ordinals):
            rows = np.minimum(np.searchsorted(self.ordinals, wanted), len(self.ordinals) - 1)
            found = np.flatnonzero(self.ordinals[rows] == wanted)
            total[found] = weights(self._counts[rows[found]], norm[found])
        return total

    def spans(self, versions: Ordinals) -> Spans:
        held = versions[are_in(versions, self.ordinals)]
        row, element, position = self._finder.begins(held)
        start = places_of(held[row], element, position)
        return Spans.sorted(start, start + self._finder.length - 1)


class LayeredMatch(Match):
    """A leaf in the text of pages and in the texts of links to them."""

    def __init__(self, layers: list[Match], size: int) -> None:
        self._layers = layers
        is_there = np.zeros(size, dtype=bool)
        for layer in layers:
            layer.mark(is_there)
        self._ordinals = np.flatnonzero(is_there)

    def upper(self, wanted: Ordinals) -> Floats:
        total = np.zeros(len(wanted))
        for layer in self._layers:
            total += layer.upper(wanted)
        return total

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        total = np.zeros(len(wanted))
        for layer in self._layers:
            total += layer.exact(wanted, norm)
        return total

    def spans(self, versions: Ordinals) -> Spans:
        return Spans.joined([layer.spans(versions) for layer in self._layers])


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
    if isinstance(leaf, Word):
        word = WordMatch(leaf, live, ranking, slack)
        return word, word.spellings
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
    leaf: Phrase | Wildcard | Fuzzy,
    segment: Segment,
    codes: Values,
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
            if portion.is_over():
                portion.end_at(0)
                return NoMatch(), []
            word = segment.find_word(text)
            if word is None:
                return NoMatch(), []
            lists[place] = segment.postings(word)
        finder = PhraseFinder(segment, lists, leaf.elements, leaf.slop, portion)
        return PhraseMatch(finder, ranking, means), list(leaf.words)
    return _expanded(leaf, segment, codes, slack, expansions)


def _expanded(
    leaf: Wildcard | Fuzzy,
    segment: Segment,
    codes: Values,
    slack: float,
    expansions: Expansions | None,
) -> tuple[Match, list[str]]:
    """Return where the words occur that a wildcard or a fuzzy word stands for, and which are in the segment."""
    if expansions is None or leaf not in expansions.words:
        return NoMatch(), []
    factor_of = list(expansions.words[leaf].items())
    words = expansions.rows_of(leaf, segment)
    held = np.flatnonzero(words >= 0)
    if not len(held):
        return NoMatch(), []
    factors = np.array([factor for _, factor in factor_of])
    match = WordsMatch(segment, words[held], factors[held], codes, slack, leaf.elements)
    return match, [factor_of[place][0] for place in held.tolist()]
