"""The spellings in a segment that a word of a query stands for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from indexer.search.nodes import Word
from indexer.store.columns import FOLDS, PAIRS, stem_key
from indexer.store.recent import Recent
from indexer.store.segment import Segment
from indexer.text.analysis import is_paired
from indexer.text.folding import folds_of
from indexer.text.languages import has_stemmer, is_stemmable, stem_words

_WORDS_KNOWN = (
    4096  # of each segment, whose forms are remembered: looking them up takes longer than reading lists
)


@dataclass(frozen=True, slots=True)
class Form:
    """A spelling that a query word stands for in one segment.

    word: its index in the segment. languages: True for each language of the segment in whose versions it counts;
    None for all. factor: what its occurrences count for, above 0; 1 for the word itself.
    exact: spelled as in the query.
    """

    text: str
    word: int
    languages: NDArray[np.bool_] | None
    factor: float = 1.0
    exact: bool = False


def forms_of(leaf: Word, segment: Segment, fold: float, other_forms: float = 1.0) -> tuple[Form, ...]:
    """Return the spellings in a segment that a word stands for, in the order of their text.

    A version matches when it holds the word itself, a word with the same stem in the version's language, which counts
    `other_forms` times as much, or the word with other accents or none: that counts `fold` times as much, and nothing
    when fold is 0. An exact word is only itself. One character of a script without spaces is every pair that starts
    with it.
    """
    known: Recent[tuple[Form, ...]] | None = segment.derived.get("forms")
    if known is None:
        known = segment.derived.setdefault("forms", Recent(_WORDS_KNOWN))
    key = (leaf.text, leaf.exact, fold, other_forms)
    return known.get(key, lambda: tuple(_forms(leaf, segment, fold, other_forms)))


def _forms(leaf: Word, segment: Segment, fold: float, other_forms: float) -> list[Form]:
    numbers = segment.languages
    whole: dict[str, list[int] | None] = {leaf.text: None}  # spelling -> languages in which it counts in full
    if not leaf.exact:
        if len(leaf.text) == 1 and is_paired(leaf.text):
            whole.update(dict.fromkeys(_pairs_from(leaf.text, segment)))
        elif is_stemmable(leaf.text):
            for spelling, valid in _same_stem(leaf.text, segment).items():
                if spelling != leaf.text:
                    whole[spelling] = None if len(valid) == len(numbers) else valid
    folded = _same_folds(leaf.text, segment) if fold > 0 and not leaf.exact else set()
    forms = []
    spellings = sorted(whole.keys() | folded)
    for spelling, word in zip(spellings, segment.find_words(spellings).tolist(), strict=True):
        if word < 0:
            continue
        chosen = None
        if spelling in whole and (languages := whole[spelling]) is not None:
            chosen = np.zeros(len(numbers), dtype=bool)
            chosen[languages] = True
            if spelling in folded:
                forms.append(Form(spelling, word, ~chosen, fold))
        is_stemmed = spelling != leaf.text and not is_paired(leaf.text)
        factor = fold if spelling not in whole else other_forms if is_stemmed else 1.0
        forms.append(Form(spelling, word, chosen, factor, exact=spelling == leaf.text))
    return forms


def _pairs_from(character: str, segment: Segment) -> list[str]:
    words = [segment.word_at(index) for index in segment.words_of_stem(PAIRS, character)]
    return [word for word in words if word.startswith(character) and len(word) == 2]


@lru_cache(maxsize=1 << 12)  # a word has 25 stems, and all segments ask for them one after the other
def _stem(language: str, text: str) -> tuple[str, int]:
    """Return the stem of a word in a language, and the key that segments know it by."""
    stem = stem_words(language, [text])[0]
    return stem, stem_key(language, stem)


def _same_stem(text: str, segment: Segment) -> dict[str, list[int]]:
    """Return spellings with the stem of a word, and the numbers of the languages in which they have it."""
    valid: dict[str, list[int]] = {}
    stemmed = [number for number, language in enumerate(segment.languages) if has_stemmer(language)]
    stems = [_stem(segment.languages[number], text) for number in stemmed]
    words_of = segment.words_of_keys([key for _, key in stems])
    for number, (stem, _), words in zip(stemmed, stems, words_of, strict=True):
        if stem == text and not words:
            continue  # so it is in most of the many languages of a segment
        language = segment.languages[number]
        for spelling in sorted({stem, *map(segment.word_at, words)}):
            if is_stemmable(spelling) and _stem(language, spelling)[0] == stem:
                valid.setdefault(spelling, []).append(number)
    return valid


def _same_folds(text: str, segment: Segment) -> set[str]:
    """Return the spellings that differ from a word by their accents alone."""
    keys = {text, *folds_of(text)}
    found = set(keys)
    for key in keys:
        for index in segment.words_of_stem(FOLDS, key):
            spelling = segment.word_at(index)
            if keys.intersection(folds_of(spelling)):
                found.add(spelling)
    found.discard(text)
    return found
