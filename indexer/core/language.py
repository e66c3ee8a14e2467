"""What some text of a page says of its language (language.h): one call a page."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

import numpy as np

from indexer.core.library import core
from indexer.core.tokens import Bytes, encoded, hash_of

SCRIPTS, MOST_SPEAKERS, MOST_SAMPLE = 11, 64, 1500  # FA_SCRIPTS, FA_MOST_SPEAKERS, FA_MOST_SAMPLE


class Sample(ctypes.Structure):
    """struct fa_language_sample: words, letters and characters counted in a text."""

    _fields_ = [
        ("words", ctypes.c_uint32),
        ("letters", ctypes.c_uint32),
        ("foreign", ctypes.c_uint32),
        ("scripts", ctypes.c_uint32 * SCRIPTS),
        ("speaker_count", ctypes.c_uint32),
        ("speaking", ctypes.c_uint32 * MOST_SPEAKERS),
        ("speakers", ctypes.c_uint64 * MOST_SPEAKERS),
    ]
    words: int
    letters: int
    foreign: int


class StopWordTable(ctypes.Structure):
    """struct fa_stop_words."""

    _fields_ = [("hashes", ctypes.c_void_p), ("languages", ctypes.c_void_p), ("places", ctypes.c_size_t)]


core.fa_sample_language.argtypes = [Bytes, ctypes.POINTER(StopWordTable), ctypes.POINTER(Sample)]
core.fa_sample_language.restype = None
core.fa_small_letters.argtypes = [Bytes, ctypes.c_char_p]
core.fa_small_letters.restype = ctypes.c_int


def small_letters(text: str) -> str | None:
    """Return a text with small letters for capitals, None where the core does not know what str.lower makes of it."""
    spelled = encoded(text)
    room = ctypes.create_string_buffer(len(spelled) + 1)
    if not core.fa_small_letters(Bytes(spelled, len(spelled)), room):
        return None
    return room.raw[: len(spelled)].decode()


class StopWords:
    """The stop words of up to 64 languages, in a table for the core; used by any thread."""

    def __init__(self, words: Mapping[str, int]) -> None:
        """words: for each word the bits of the languages that it is a stop word of, at least one."""
        places = 1 << (4 * len(words) + 4).bit_length()
        self._hashes = np.zeros(places, dtype=np.uint64)
        self._languages = np.zeros(places, dtype=np.uint64)
        for word, languages in words.items():
            own = hash_of(word)
            place = own % places
            while self._languages[place]:
                place = (place + 1) % places
            self._hashes[place], self._languages[place] = own, languages
        self.table = StopWordTable(self._hashes.ctypes.data, self._languages.ctypes.data, places)

    def sample(self, text: str) -> Sample:
        """Return what is counted in a text in small letters; words are its runs of letters."""
        spelled = encoded(text)
        found = Sample()
        core.fa_sample_language(Bytes(spelled, len(spelled)), self.table, found)
        return found
