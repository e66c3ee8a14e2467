"""The spellings in a segment that a word of a query stands for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.search.nodes import Word
from indexer.store.segment import FOLDS, PAIRS, PostingList, Segment
from indexer.text.analysis import is_paired
from indexer.text.folding import folds_of
from indexer.text.languages import has_stemmer, is_stemmable, stem_words


@dataclass(slots=True)
class Form:
    """A spelling that a query word stands for in one segment.

    languages: True for each language of the segment in whose versions it counts; None for all.
    factor: what its occurrences count for, above 0; 1 for the word itself. exact: spelled as in the query.
    """

    text: str
    postings: PostingList
    languages: NDArray[np.bool_] | None
    factor: float = 1.0
    exact: bool = False


def forms_of(leaf: Word, segment: Segment, fold: float, other_forms: float = 1.0) -> list[Form]:
    """Return the spellings in a segment that a word stands for, in the order of their text.

    A version matches when it holds the word itself, a word with the same stem in the version's language, which counts
    `other_forms` times as much, or the word with other accents or none: that counts `fold` times as much, and nothing
    when fold is 0. An exact word is only itself. One character of a script without spaces is every pair that starts
    with it.
    """
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
    for spelling in sorted(whole.keys() | folded):
        word = segment.find_word(spelling)
        if word is None:
            continue
        chosen = None
        postings = segment.postings(word)
        if spelling in whole and (languages := whole[spelling]) is not None:
            chosen = np.zeros(len(numbers), dtype=bool)
            chosen[languages] = True
            if spelling in folded:
                forms.append(Form(spelling, postings, ~chosen, fold))
        is_stemmed = spelling != leaf.text and not is_paired(leaf.text)
        factor = fold if spelling not in whole else other_forms if is_stemmed else 1.0
        forms.append(Form(spelling, postings, chosen, factor, exact=spelling == leaf.text))
    return forms


def _pairs_from(character: str, segment: Segment) -> list[str]:
    words = [segment.word_at(index) for index in segment.words_of_stem(PAIRS, character)]
    return [word for word in words if word.startswith(character) and len(word) == 2]


def _same_stem(text: str, segment: Segment) -> dict[str, list[int]]:
    """Return spellings with the stem of a word, and the numbers of the languages in which they have it."""
    valid: dict[str, list[int]] = {}
    stemmed = [number for number, language in enumerate(segment.languages) if has_stemmer(language)]
    languages = [segment.languages[number] for number in stemmed]
    stems = [(language, stem_words(language, [text])[0]) for language in languages]
    for number, (language, stem), words in zip(stemmed, stems, segment.words_of_stems(stems), strict=True):
        candidates = {stem, *map(segment.word_at, words)}
        if candidates == {text}:
            continue  # so it is in most of the many languages of a segment
        spellings = sorted(spelling for spelling in candidates if is_stemmable(spelling))
        for spelling, own in zip(spellings, stem_words(language, spellings), strict=True):
            if own == stem:
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
