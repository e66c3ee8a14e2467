"""Words of a dictionary that are spelled nearly like a word (spelled.h)."""

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
        ("count", ctypes.c_size_t),
    )


core.fa_words_near.argtypes = [
    ctypes.POINTER(_Words),
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_uint32,
    ctypes.c_uint32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_size_t),
]


def words_near(
    word: str,
    most: int,
    letters: int,
    *,
    data: NDArray[np.uint8],
    begins: NDArray[np.int64],
    lengths: NDArray[np.uint8],
    letters_of_words: NDArray[np.uint32],
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return the rows of the words at most `most` changes away, and how many each is."""
    codes = np.frombuffer(word.encode("utf-32-le", "replace"), dtype=np.uint32)
    rows, changes = np.empty(len(lengths), dtype=np.uint32), np.empty(len(lengths), dtype=np.uint8)
    words = _Words(
        address_of(data),
        len(data),
        address_of(begins),
        address_of(lengths),
        address_of(letters_of_words),
        len(lengths),
    )
    found = ctypes.c_size_t()
    check(
        core.fa_words_near(
            words, address_of(codes), len(codes), letters, most, address_of(rows), address_of(changes), found
        )
    )
    return rows[: found.value].astype(np.int64), changes[: found.value]
