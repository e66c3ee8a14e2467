"""Which words of a segment share a stem, or a spelling without accents: its stem rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.store.columns import FOLDS, PAIRS, stem_key
from indexer.text.analysis import is_paired
from indexer.text.folding import folds_of
from indexer.text.languages import has_stemmer, is_stemmable, stem_words


@dataclass(slots=True)
class Stems:
    """Which words of a segment share a stem in which language, sorted by key.

    keys: first 8 bytes of the MD5 of "language:stem"; words: index of a word in the segment.
    A word that is its own stem and shares it with no other has no row.
    Under the names FOLDS and PAIRS: words by a spelling without their accents, and pairs of a script without spaces
    by their first character.
    """

    keys: NDArray[np.uint64]
    words: NDArray[np.uint32]


NO_LANGUAGE = 255  # in place of a bit


def language_bits(languages: list[str]) -> dict[str, int]:
    """Return a number below 64 for each language that has a stemmer: of the 18,000 that pages declare, some thirty."""
    return {name: bit for bit, name in enumerate(name for name in languages if has_stemmer(name))}


def bits_of_versions(language: NDArray[np.integer], languages: list[str]) -> NDArray[np.uint8]:
    """Return for each version the number of its language as language_bits has it, else NO_LANGUAGE."""
    bits = language_bits(languages)
    of_language = np.array([bits.get(name, NO_LANGUAGE) for name in languages], dtype=np.uint8)
    numbers: NDArray[np.uint8] = of_language[language]
    return numbers


def stems_of_words(words: list[str], by_language: Mapping[str, NDArray[np.integer]]) -> Stems:
    """Return the rows of Stems for the words (by index, rising) that occur in versions of each language.

    Beside them stand rows under the names FOLDS and PAIRS: words by their spellings without accents, and pairs of a
    script without spaces by their first character.
    """
    keys: list[int] = []
    rows: list[int] = []
    for index, word in enumerate(words):
        if not word.isascii():
            for fold in folds_of(word):
                keys.append(stem_key(FOLDS, fold))
                rows.append(index)
            if len(word) == 2 and is_paired(word):
                keys.append(stem_key(PAIRS, word[0]))
                rows.append(index)
    for language, indexes in by_language.items():
        stemmed = [index for index in indexes.tolist() if is_stemmable(words[index])]
        stems = stem_words(language, [words[index] for index in stemmed])
        sharing = Counter(stems)
        known: dict[str, int] = {}
        for index, stem in zip(stemmed, stems, strict=True):
            if sharing[stem] > 1 or words[index] != stem:
                key = known.get(stem)
                if key is None:
                    key = known[stem] = stem_key(language, stem)
                keys.append(key)
                rows.append(index)
    key_column = np.asarray(keys, dtype=np.uint64)
    by_key = np.argsort(key_column, kind="stable")
    return Stems(key_column[by_key], np.asarray(rows, dtype=np.uint32)[by_key])
