"""What a page of results asks the core of the texts of its hits (passages.h): what is alike, the best passage."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from functools import lru_cache

from indexer.core.library import core
from indexer.core.tokens import WHOLE, Bytes, Tokenizer, Wanted, numbers

_FEWEST_PLACES = 2


@lru_cache(maxsize=64)
def _table_type(room: int) -> type[ctypes.Array[ctypes.c_uint64]]:
    return ctypes.c_uint64 * room


class WordRuns:
    """The runs of four words of a text, parted by white space. word_count, run_count: of all, of different ones."""

    def __init__(self, text: bytes) -> None:
        self._room = max(_FEWEST_PLACES, 1 << max(0, len(text) - 1).bit_length())
        self._runs = _table_type(self._room)()
        found = ctypes.c_size_t()
        self.word_count: int = core.fa_word_runs(
            Bytes(text, len(text)), self._runs, self._room, ctypes.byref(found)
        )
        assert self.word_count != WHOLE
        self.run_count = found.value

    def common(self, other: WordRuns) -> int:
        """Return how many runs stand in both texts."""
        found: int = core.fa_common_runs(self._runs, self._room, other._runs, other._room)
        return found


class _Passage(ctypes.Structure):
    """struct fa_passage."""

    _fields_ = [
        ("start", ctypes.c_uint32),
        ("kinds", ctypes.c_uint32),
        ("first", ctypes.c_uint32),
        ("end", ctypes.c_uint32),
    ]


class _LeftOut(ctypes.Structure):
    """struct fa_left_out."""

    _fields_ = [("kinds", ctypes.c_void_p), ("low", ctypes.c_uint32), ("high", ctypes.c_uint32)]


core.fa_word_runs.argtypes = [Bytes, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t)]
core.fa_word_runs.restype = ctypes.c_size_t
core.fa_common_runs.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]
core.fa_common_runs.restype = ctypes.c_size_t
core.fa_best_passage.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_uint32,
    ctypes.POINTER(_LeftOut),
    ctypes.c_void_p,
    ctypes.POINTER(_Passage),
]
core.fa_best_passage.restype = None
core.fa_kinds_among.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.POINTER(_LeftOut),
    ctypes.c_void_p,
]
core.fa_kinds_among.restype = ctypes.c_size_t


class WantedKinds:
    """Words that are looked for, each of a kind; used by any thread."""

    def __init__(self, words: Iterable[str], kind: Callable[[str], str]) -> None:
        self.words = Wanted(words)
        names = [kind(word) for word in self.words.words]
        order = {name: number for number, name in enumerate(dict.fromkeys(names))}
        self.kind_count = len(order)
        self.kind_of = (ctypes.c_uint32 * len(names))(*[order[name] for name in names])


class Places:
    """Where words that are looked for stand in a text, the first ones of each word."""

    def __init__(self, tokenizer: Tokenizer, text: bytes, wanted: WantedKinds, each: int) -> None:
        self._wanted = wanted
        self._spots, self.count = tokenizer.spots(text, wanted.words, each)

    @property
    def kinds(self) -> int:
        """How many kinds of words stand there."""
        return self._kinds_among(0, self.count, _NOTHING)[0]

    def best(self, reach: int) -> tuple[int, int]:
        """Return (place, kinds): behind which most kinds of words stand within so many characters; see passages.h."""
        found = self._best(reach, _NOTHING)
        return found.start, found.kinds

    def best_two(self, reach: int, apart: Callable[[int], tuple[int, int]]) -> tuple[int, int, int]:
        """Return (first place, second place, kinds behind both): the second is for words that the first has not.

        apart: gives, for the first place, from where on and up to where the second may not stand.
        """
        first = self._best(reach, _NOTHING)
        kinds, seen = self._kinds_among(first.first, first.end, _NOTHING)
        low, high = apart(first.start)
        others = _LeftOut(ctypes.cast(seen, ctypes.c_void_p), max(0, low), max(0, high))
        second = self._best(reach, others)
        return first.start, second.start, kinds + second.kinds

    def _best(self, reach: int, left_out: _LeftOut) -> _Passage:
        found = _Passage()
        inside = numbers(self._wanted.kind_count)
        core.fa_best_passage(
            self._spots,
            self.count,
            self._wanted.kind_of,
            self._wanted.kind_count,
            reach,
            left_out,
            inside,
            found,
        )
        return found

    def _kinds_among(
        self, first: int, end: int, left_out: _LeftOut
    ) -> tuple[int, ctypes.Array[ctypes.c_uint8]]:
        seen = (ctypes.c_uint8 * self._wanted.kind_count)()
        return core.fa_kinds_among(self._spots, first, end, self._wanted.kind_of, left_out, seen), seen


_NOTHING = _LeftOut(None, 0, 0)
