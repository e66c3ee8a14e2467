"""Which words of a segment share a stem, or a spelling without accents: its stem rows.

A spelling is stemmed once in each language and process, not in every batch anew: that took longer than all else that
is done with the words of a batch.
"""

from __future__ import annotations

import threading
from functools import cache

import numpy as np
import Stemmer
from numpy.typing import NDArray

from indexer.core.stems import FoldRules, Stemmers, StemTable
from indexer.store.columns import FOLDS, PAIRS, stem_name
from indexer.text.folding import accented_letters
from indexer.text.languages import NO_NUMBER, NUMBERS, STEMMED, STEMMERS, stem_words

_KEPT = 32 << 20  # bytes of words and keys in a process


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
    global _table
    with _in_use:
        _table = _table or _new_table()
        return _table.rows(words, ends, languages)


def _stems_of(number: int, words: list[bytes]) -> list[bytes]:
    return stem_words(STEMMED[number], words)


@cache
def _rules() -> FoldRules:
    return FoldRules(accented_letters(), stem_name(FOLDS, ""), stem_name(PAIRS, ""))


@cache
def _stemmers(library: str = Stemmer.__file__) -> Stemmers:
    """Return the stemmers of PyStemmer for the core: through Python a stem costs twice as much."""
    names = [stem_name(language, "") for language in STEMMED]
    return Stemmers(library, [STEMMERS[language] for language in STEMMED], names)


@cache
def stemmers_for_queries() -> tuple[threading.Lock, Stemmers]:
    """Return stemmers, and what is to be held while they are in use; without functions where there are none."""
    return threading.Lock(), _stemmers.__wrapped__()


def _new_table(most: int = _KEPT, stemmers: Stemmers | None = None) -> StemTable:
    return StemTable(_rules(), stemmers or _stemmers(), _stems_of, most)


def let_go() -> None:
    """Forget the stems of all words that were met: what comes now has few of them, and needs the memory."""
    global _table
    with _in_use:
        _table = None


_table: StemTable | None = None
_in_use = threading.Lock()
