"""Which words of a segment share a stem, or a spelling without accents: its stem rows.

A spelling is stemmed once in each language and process, not in every batch anew: that took longer than all else that
is done with the words of a batch.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from indexer.core.stems import SPELLING_BIT, Names, StemTable
from indexer.store.columns import FOLDS, PAIRS, stem_name
from indexer.text.analysis import is_paired
from indexer.text.folding import folds_of, has_accent
from indexer.text.languages import NO_NUMBER, NUMBERS, STEMMED, is_stemmable, stem_words

_KEPT = 32 << 20  # bytes of words and keys in a process
_FOLDED, _PAIRED = stem_name(FOLDS, ""), stem_name(PAIRS, "")


def bits_of_versions(language: NDArray[np.integer], languages: list[str]) -> NDArray[np.uint8]:
    """Return for each version a number for its language, one of some thirty; 255 when it has no stemmer.

    language: for each version an index into `languages`, of which pages declare 18,000.
    """
    of_language = np.array([NUMBERS.get(name, NO_NUMBER) for name in languages], dtype=np.uint8)
    numbers: NDArray[np.uint8] = of_language[language]
    return numbers


def stem_rows(
    words: NDArray[np.uint8], ends: NDArray[np.uint32], languages: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return (keys, words) of the stem rows of a segment, by rising key: see docs/index-format.md.

    words, ends: its words in UTF-8, and where each ends; languages: a bit for each number of bits_of_versions among the
    versions that hold the word. A word that is its own stem and shares it with no other has no row. Beside stems stand
    words by their spellings without accents, and pairs of a script without spaces by their first character.
    """
    with _in_use:
        return _table.rows(words, ends, languages)


def _names_of(bit: int, words: list[bytes]) -> Names:
    if bit == SPELLING_BIT:
        names = [_spelling_names(word.decode()) for word in words]
        return Names("", [name.encode() for of_word in names for name in of_word], bytes(map(len, names)))
    language = STEMMED[bit]
    stems = stem_words(language, words)
    if b"".join(words).isalpha():  # of ASCII letters all
        return Names(stem_name(language, ""), stems, b"\1" * len(stems))
    is_counted = bytes(word.isalpha() or is_stemmable(word.decode()) for word in words)
    return Names(stem_name(language, ""), list(compress(stems, is_counted)), is_counted)


_begins_pair = lru_cache(8192)(is_paired)


def _spelling_names(word: str) -> tuple[str, ...]:
    if len(word) != 2 and not has_accent(word):
        return ()
    names = tuple(_FOLDED + fold for fold in folds_of(word))
    if len(word) == 2 and _begins_pair(word[0]):
        return (*names, _PAIRED + word[0])
    return names


def let_go() -> None:
    """Forget the stems of all words that were met: what comes now has few of them, and needs the memory."""
    global _table
    with _in_use:
        _table = StemTable(_names_of, _KEPT)


_table = StemTable(_names_of, _KEPT)
_in_use = threading.Lock()
