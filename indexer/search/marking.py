"""Where the words of a query stand in one text: what a cached page marks, without a look at the index.

A word of the text is marked when a search would have counted it: it is spelled like a
word of the query, has the same stem in the language of the text, or differs by accents
alone; a phrase is marked where its words stand in a row.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA

from indexer.core.tokens import Wanted, decoded, encoded, let_go, tokenizer
from indexer.search.nodes import Fuzzy, Phrase, Wildcard, Word, leaves
from indexer.search.query import Query, is_implied
from indexer.search.vocabulary import Pattern
from indexer.text.analysis import is_paired
from indexer.text.folding import folds_of
from indexer.text.languages import STOP_WORDS, has_stemmer, is_stemmable, stem_words

MOST_SPANS = 10_000
CHARACTERS_AT_ONCE = 200_000  # a long text is looked at in parts, so that its tokens take little memory
LONG_TEXT = 50_000  # characters from which on the tokenizer of a thread is not kept
_BREAKS = "\n .\u3002"  # in no word, nor in a compound

Span = tuple[int, int]


class _Spot(NamedTuple):
    """Where a word that is looked for stands, and its place among the words of the text."""

    start: int
    end: int
    rank: int
    word: str


class Marker:
    """Finds the words and phrases of one query in texts."""

    def __init__(self, query: Query) -> None:
        found = leaves(query.tree)
        self._words = [leaf for leaf in found if isinstance(leaf, Word)]
        self._phrases = [leaf.words for leaf in found if isinstance(leaf, Phrase) and not leaf.slop]
        # the words of a loose phrase may stand in any order: each is marked where it stands
        loose = [word for leaf in found if isinstance(leaf, Phrase) and leaf.slop for word in leaf.words]
        self._words += [Word(word, exact=True) for word in loose]
        self._patterns = [
            Pattern(leaf.pattern) for leaf in found if isinstance(leaf, Wildcard) and leaf.pattern.strip("*?")
        ]
        self._fuzzy = [leaf for leaf in found if isinstance(leaf, Fuzzy)]

    def __bool__(self) -> bool:
        return bool(self._words or self._phrases or self._patterns or self._fuzzy)

    def spans(self, text: str, language: str, most: int = MOST_SPANS) -> list[Span]:
        """Return (start, end) of what is to be marked, rising and apart from each other; the first `most` of them.

        language: of the text, as `language_of` tells it; "" when it is not known.
        """
        wanted = self._wanted_words(language)
        if not self:
            return []
        parts = _parts(text)
        there = _words_there(parts)
        forms = _forms(wanted, there, language) | self._similar(there)
        characters = {
            word.text for word in wanted if len(word.text) == 1 and is_paired(word.text) and not word.exact
        }
        if characters:
            forms.update(
                word for word in there if len(word) == 2 and word[0] in characters and is_paired(word)
            )
        spots = _found(parts, Wanted(there & forms.union(*self._phrases)))
        if len(text) > LONG_TEXT:
            let_go()
        spans = [(spot.start, spot.end) for spot in spots if spot.word in forms]
        for phrase in self._phrases:
            spans += _in_a_row(phrase, spots)
        return _joined(spans)[:most]

    def _similar(self, there: set[str]) -> set[str]:
        """Return the words among those `there` that a wildcard or a fuzzy word stands for."""
        if not self._patterns and not self._fuzzy:
            return set()
        return {
            word
            for word in there
            if any(pattern.fits(word) for pattern in self._patterns)
            or any(
                OSA.distance(leaf.text, word, score_cutoff=leaf.edits) <= leaf.edits for leaf in self._fuzzy
            )
        }

    def _wanted_words(self, language: str) -> list[Word]:
        """Leave out stop words of the language beside other words, as a search does."""
        stops = STOP_WORDS.get(language or "en", frozenset())
        telling = [word for word in self._words if word.exact or word.text not in stops]
        return telling if telling or self._phrases or self._patterns or self._fuzzy else self._words


def _parts(text: str) -> list[tuple[int, bytes]]:
    """Return a text in parts that no word reaches over, each with its place, as the core takes them."""
    parts: list[tuple[int, bytes]] = []
    begin = 0
    while begin < len(text) or not parts:
        end = begin + CHARACTERS_AT_ONCE
        if end < len(text):
            middle = begin + CHARACTERS_AT_ONCE // 2
            end = max(text.rfind(sign, middle, end) for sign in _BREAKS) + 1 or end
        parts.append((begin, encoded(text[begin:end])))
        begin = end
    return parts


def _words_there(parts: list[tuple[int, bytes]]) -> set[str]:
    """Return the words and compounds of a text."""
    there: set[str] = set()
    known: NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)
    core = tokenizer()
    for _, part in parts:
        tokens = core.tokenize(part)
        hashes, first = np.unique(tokens["hash"], return_index=True)
        first = first[~_is_among(hashes, known)]
        known = np.union1d(known, hashes) if len(known) else hashes
        normal = core.normal
        begins, sizes = tokens["begin"][first].tolist(), tokens["size"][first].tolist()
        there.update(decoded(normal[begin : begin + size]) for begin, size in zip(begins, sizes, strict=True))
    return there


def _found(parts: list[tuple[int, bytes]], wanted: Wanted) -> list[_Spot]:
    """Return where words stand in a text, in their order."""
    spots: list[_Spot] = []
    rank = 0
    for place, part in parts:
        core = tokenizer()
        for start, end, own, which in core.find(part, wanted, len(part), len(part)):
            spots.append(_Spot(start + place, end + place, own + rank, wanted.words[which]))
        rank += core.extent
    return spots


def _is_among(hashes: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """wanted: rising."""
    if not len(wanted):
        return np.zeros(len(hashes), dtype=bool)
    place = np.minimum(np.searchsorted(wanted, hashes), len(wanted) - 1)
    found: NDArray[np.bool_] = wanted[place] == hashes
    return found


def _forms(wanted: list[Word], there: set[str], language: str) -> set[str]:
    """Return the words among those `there` that a word of the query stands for."""
    forms = {word.text for word in wanted}
    free = [word.text for word in wanted if not word.exact]
    keys = {spelling for text in free for spelling in (text, *folds_of(text))}
    forms.update(keys)
    forms.update(word for word in there if not word.isascii() and not keys.isdisjoint(folds_of(word)))
    stemmed = [text for text in free if is_stemmable(text)]
    if stemmed and has_stemmer(language):
        stems = set(stem_words(language, stemmed))
        candidates = [word for word in there if is_stemmable(word)]
        forms.update(
            word
            for word, stem in zip(candidates, stem_words(language, candidates), strict=True)
            if stem in stems
        )
    return forms


def _in_a_row(phrase: tuple[str, ...], spots: list[_Spot]) -> list[Span]:
    """Return the places of the words of a phrase wherever they stand in a row; implied ones are passed over.

    Before the first word that is told there must be room for those that are not.
    """
    told = [(place, word) for place, word in enumerate(phrase) if not is_implied(phrase, place)]
    # where the phrase may begin, by each of its words
    begins = [{spot.rank - place for spot in spots if spot.word == word} for place, word in told]
    whole = {begin for begin in set.intersection(*begins) if begin >= 0} if told else set()
    return [
        (spot.start, spot.end)
        for spot in spots
        if any(spot.word == word and spot.rank - place in whole for place, word in told)
    ]


def _joined(spans: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for low, high in sorted(spans):
        if joined and low < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined


def spans_within(spans: list[Span], start: int, end: int) -> list[Span]:
    """Return the parts of spans that lie between two places, counted from the first of them."""
    first = max(0, bisect_left(spans, (start, start)) - 1)
    inside = []
    for low, high in spans[first:]:
        if low >= end:
            break
        if high > start:
            inside.append((max(low, start) - start, min(high, end) - start))
    return inside
