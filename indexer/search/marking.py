"""Where the words of a query stand in one text: what a cached page marks, without a look at the index.

A word of the text is marked when a search would have counted it: it is spelled like a
word of the query, has the same stem in the language of the text, or differs by accents
alone; a phrase is marked where its words stand in a row.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from rapidfuzz.distance import OSA

from indexer.search.nodes import Fuzzy, Phrase, Wildcard, Word, leaves
from indexer.search.query import Query, is_implied
from indexer.search.vocabulary import Pattern
from indexer.text.analysis import MAX_WORD, compounds_of, is_paired, is_picture, normalize, word_spans_of
from indexer.text.folding import folds_of
from indexer.text.languages import STOP_WORDS, has_stemmer, is_stemmable, stem_words

# Letters and digits; the marks that stand inside words are added by `_token`.
_JOINERS = "\u00ad\u034f\u061c\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
_JOINER = re.compile(f"[{_JOINERS}]")
_LAST_MARK = 0x1F000  # but for variation selectors
_SELECTORS = "\U000e0100-\U000e01ef"
# From here on whole blocks are letters of scripts without spaces.
_HAN = 0x3400
_BEYOND = (
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\ua9e0-\ua9ef"
    "\ua9fa-\ua9ff\uaa60-\uaa7f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)

# what makes a compound of the word before it, and one more character, which tells whether the signs end there
_SIGNS = re.compile(f"([#＃]|[+＋][{_JOINERS}]*[+＋])[{_JOINERS}]*.?", re.DOTALL)

MOST_SPANS = 10_000
_LONGEST_TOKEN = 4_000  # what is longer is looked at in pieces

Span = tuple[int, int]
_Run = tuple[str, int, int]  # a word as it is compared, and where it stands


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
        exact = {word.text for word in wanted}.union(*self._phrases)
        runs = _runs_by_token(text, exact)
        there = {run[0] for token_runs in runs.values() for run in token_runs}
        there.update(run[0] for run in _compound_runs(text))
        forms = _forms(wanted, there, language) | self._similar(there)
        characters = {word.text for word in wanted if len(word.text) == 1 and not word.exact}

        def is_chosen(word: str) -> bool:
            return word in forms or (len(word) == 2 and word[0] in characters and is_paired(word[0]))

        chosen = {token: spans for token, spans in runs.items() if any(is_chosen(run[0]) for run in spans)}
        found = _first_joined((run[1:] for run in _in_order(text, chosen) if is_chosen(run[0])), most)
        found += _first_joined((run[1:] for run in _compound_runs(text) if run[0] in forms), most)
        for phrase in self._phrases:
            found += _first_joined(_in_a_row(phrase, _as_asked(text, runs, phrase)), most)
        return _joined(found)[:most]

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


def _tokens(text: str) -> Iterator[tuple[int, str, bool]]:
    """Give (place, token, whether it ends there) for the tokens of a text.

    Of a very long word only the beginning is given: it is what words are compared by. A long run of a script without
    spaces comes in pieces that overlap by the character which begins a pair in both.
    """
    for match in _token().finditer(text):
        start, end = match.span()
        if end - start > _LONGEST_TOKEN and not is_paired(text[start]):
            end = start + _LONGEST_TOKEN
        while end - start > _LONGEST_TOKEN:
            cut = start + _LONGEST_TOKEN
            while cut > start + 2 and _JOINER.match(text[cut - 1]):
                cut -= 1
            yield start, text[start:cut], False
            start = cut - 1
        yield start, text[start:end], True


def _runs_by_token(text: str, exact: set[str]) -> dict[str, list[_Run]]:
    """Return the words of each distinct token of a text, with their places in it; most tokens are one word.

    exact: what is looked for. Runs of scripts without spaces that hold nothing of it have no words here: they
    take far longer than others to be parted.
    """
    asks_for_pairs = any(word and is_paired(word[0]) for word in exact)
    runs: dict[str, list[_Run]] = {}
    for _start, token, _is_end in _tokens(text):
        if token in runs:
            continue
        if token.isascii():
            runs[token] = [(token.lower()[:MAX_WORD], 0, len(token))]
            continue
        word = normalize(token)
        if _is_one_word(word):
            runs[token] = [(word[:MAX_WORD], 0, len(token))]
        elif not is_paired(token[0]) or (asks_for_pairs and any(part in word for part in exact)):
            runs[token] = word_spans_of(token)
        else:
            runs[token] = []
    return runs


def _in_order(text: str, runs: dict[str, list[_Run]]) -> Iterator[_Run]:
    """Give the words of those tokens that have some, where they stand in the text."""
    for start, token, is_end in _tokens(text):
        found = runs.get(token, ())
        # the last character of a piece stands alone only in the piece
        for word, low, high in found if is_end else found[:-1]:
            yield word, start + low, start + high


def _compound_runs(text: str) -> Iterator[_Run]:
    """Give the compounds of a text, such as C++, where they stand: each begins with a word that is a token too."""
    for start, token, is_end in _tokens(text) if _SIGNS.search(text) else ():
        signs = _SIGNS.match(text, start + len(token)) if is_end else None
        found = _compound(token, signs[0], len(signs[1])) if signs else None
        if signs and found:
            yield found[0], start + found[1], signs.end(1)


@lru_cache(maxsize=4096)
def _compound(token: str, signs: str, length: int) -> tuple[str, int] | None:
    """Return the compound that a token and the signs behind it make, and where it begins in the token.

    length: of the signs alone; one more character may follow, which tells whether they end there.
    """
    if (
        token.isascii() and signs.isascii()
    ):  # as most are; the other way gives the same, and takes fifty times as long
        behind = signs[length:]
        is_one = not behind.isalnum() if signs[0] == "#" else behind != "+"
        return (token.lower() + signs[:length], 0) if is_one and len(token) <= MAX_WORD - 2 else None
    words = word_spans_of(token)
    for compound in compounds_of(token + signs)[-1:]:
        if words and normalize(token).endswith(compound.rstrip("+#")):
            return compound, words[-1][1]
    return None


def _as_asked(text: str, runs: dict[str, list[_Run]], phrase: tuple[str, ...]) -> Iterator[_Run]:
    """Give the words of a text in their order, with a compound in place of a word where the phrase has it."""
    compounds = (run for run in _compound_runs(text) if run[0] in phrase)
    compound = next(compounds, None)
    for run in _in_order(text, runs):
        while compound is not None and compound[1] < run[1]:
            compound = next(compounds, None)
        yield compound if compound is not None and compound[1] == run[1] else run


def _is_one_word(word: str) -> bool:
    return all(
        unicodedata.category(character)[0] in "LMN" and not is_paired(character) for character in word
    ) and bool(word)


@cache
def _token() -> re.Pattern[str]:
    """Return what matches picture signs, and runs of letters, digits and marks; of scripts without spaces apart."""
    paired = _class_of(code for code in range(0xE00, _HAN) if is_paired(chr(code))) + _BEYOND
    marks = _class_of(
        code
        for code in range(0x300, _LAST_MARK)
        if unicodedata.category(chr(code))[0] == "M" and not is_paired(chr(code))
    )
    pictures = _class_of(code for code in range(0x2300, 0x1FB00) if is_picture(chr(code)))
    return re.compile(
        # "++": one that could go back would remember every character of a word of megabytes
        f"[{pictures}]|[{paired}][{paired}{_JOINERS}]*|(?:[^\\W_{paired}]|[{marks}{_JOINERS}{_SELECTORS}])++"
    )


def _class_of(codes: Iterable[int]) -> str:
    """Return rising code points as the inside of a character class."""
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges)


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


def _in_a_row(phrase: tuple[str, ...], runs: Iterable[_Run]) -> Iterator[Span]:
    """Give the places of the words of a phrase, rising, wherever they stand in a row; implied ones are passed over."""
    told = [(place, word) for place, word in enumerate(phrase) if not is_implied(phrase, place)]
    if not told:
        return
    first, last = told[0][0], told[-1][0]
    window: deque[_Run] = deque(maxlen=last - first + 1)
    held: set[Span] = (
        set()
    )  # a match may begin inside of the one before, at a word that was passed over there
    for number, run in enumerate(runs):
        window.append(run)
        # before the first word that is told there must be room for those that are not
        if number >= last and all(window[place - first][0] == word for place, word in told):
            held.update(window[place - first][1:] for place, _word in told)
        passed = sorted(span for span in held if span[0] < window[0][1])
        yield from passed
        held.difference_update(passed)
    yield from sorted(held)


def _first_joined(spans: Iterable[Span], most: int) -> list[Span]:
    """Return the first of the spans, which come in their order, joined where they overlap; at most one too many."""
    joined: list[Span] = []
    for low, high in spans:
        if joined and low < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        elif len(joined) > most:
            break
        else:
            joined.append((low, high))
    return joined


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
