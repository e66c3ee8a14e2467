"""Words of a dictionary that are spelled nearly like a word, or as a pattern says (spelled.h)."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from indexer.core.library import core
from indexer.core.lists import address_of, check


class _Words(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
        ("begins", ctypes.c_void_p),
        ("lengths", ctypes.c_void_p),
        ("letters", ctypes.c_void_p),
        ("held", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
    )


class _ByLength(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_void_p) for name in ("rows", "letters", "begins"))


core.fa_words_near.argtypes = [
    ctypes.POINTER(_Words),
    ctypes.POINTER(_ByLength),
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_uint32,
    ctypes.c_uint32,
    ctypes.c_uint32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_size_t),
]


core.fa_words_fitting.argtypes = [
    ctypes.POINTER(_Words),
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_uint32,
    ctypes.c_uint32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_size_t),
]
_WILD = {"*": 0xFFFFFFFF, "?": 0xFFFFFFFE}  # FA_STAR, FA_ANY_LETTER


class ByLength:
    """The words of a dictionary by length, of each length those first that most versions hold, as the core reads them.

    rows: their numbers; letters: of each of these; begins: where those of each length begin, and last how many.
    """

    def __init__(
        self, rows: NDArray[np.uint32], letters: NDArray[np.uint32], begins: NDArray[np.uint32]
    ) -> None:
        self.arrays = rows, letters, begins
        self.for_core = _ByLength(*map(address_of, self.arrays))


def by_length(lengths: NDArray[np.uint8], letters: NDArray[np.uint32], held: NDArray[np.uint32]) -> ByLength:
    """Return the words of a dictionary in that order, by what is known of each."""
    # no segment has more than 65,536 versions, and numbers of two bytes are put in order in a fraction of the time
    order = np.argsort(np.minimum(65_536 - held.astype(np.int64), 65_535).astype(np.uint16), kind="stable")
    rows = order[np.argsort(lengths[order], kind="stable")].astype(np.uint32)
    begins = np.cumsum([0, *np.bincount(lengths, minlength=256)]).astype(np.uint32)
    return ByLength(rows, letters[rows], begins)


class Spelled:
    """The words of a dictionary, one behind the other, with the lengths and letters of each, and how many hold it."""

    def __init__(
        self,
        data: NDArray[np.uint8],
        begins: NDArray[np.int64],
        lengths: NDArray[np.uint8],
        letters: NDArray[np.uint32],
        held: NDArray[np.uint32],
    ) -> None:
        self._keep, self._count = (data, begins, lengths, letters, held), len(lengths)
        self._words = _Words(
            address_of(data),
            len(data),
            address_of(begins),
            address_of(lengths),
            address_of(letters),
            address_of(held),
            len(lengths),
        )

    def near(
        self, by_length: ByLength, word: str, most: int, letters: int, least: int
    ) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return the rows of the words at most `most` changes away that `least` versions hold, in no order, and how
        many each is."""
        codes = np.frombuffer(word.encode("utf-32-le", "replace"), dtype=np.uint32)
        rows, changes = np.empty(self._count, dtype=np.uint32), np.empty(self._count, dtype=np.uint8)
        found = ctypes.c_size_t()
        check(
            core.fa_words_near(
                self._words, by_length.for_core, address_of(codes), len(codes), letters,
                most, least, address_of(rows), address_of(changes), found,
            )
        )  # fmt: skip
        return rows[: found.value].astype(np.int64), changes[: found.value]

    def fitting(
        self, pattern: str, letters: int, least: int, among: NDArray[np.uint32] | None = None
    ) -> NDArray[np.int64]:
        """Return the rows of the words that fit a pattern, in which these letters stand, and that `least` versions
        hold; rising. among: the rows that are looked at, rising; None: all."""
        codes = np.array([_WILD.get(letter, ord(letter)) for letter in pattern], dtype=np.uint32)
        rows, found = np.empty(self._count, dtype=np.uint32), ctypes.c_size_t()
        check(
            core.fa_words_fitting(
                self._words,
                address_of(codes),
                len(codes),
                letters,
                least,
                None if among is None else address_of(among),
                0 if among is None else len(among),
                address_of(rows),
                found,
            )
        )
        return rows[: found.value].astype(np.int64)
