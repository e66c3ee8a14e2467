"""The order of rows by columns of numbers, as numpy.lexsort gives it, and words spelled nearly alike (order.h)."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.core.library import core
from indexer.core.lists import address_of, check

core.fa_near_rows.argtypes = [
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32,
    ctypes.c_void_p,
]  # fmt: skip
core.fa_near_rows.restype = ctypes.c_size_t
core.fa_order_rows.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]


def order_of(*columns: NDArray[np.integer]) -> NDArray[Any]:
    """Return the places of the rows in their order: by the last column first, then by the one before, and so on.

    Rows that are the same in all columns stay as they were. The numbers are not negative; the columns have one length.
    """
    held = [np.ascontiguousarray(column).astype(np.uint64, copy=False) for column in columns]
    rows = len(held[0])
    if any(len(column) != rows for column in held):
        raise ValueError("columns of different length")
    order = np.empty(rows, dtype=np.uint32)
    given = (ctypes.c_void_p * len(held))(*map(address_of, held))
    check(core.fa_order_rows(given, len(held), rows, address_of(order)))
    return order


def near_rows(
    lengths: NDArray[np.uint8], letters: NDArray[np.uint32], length: int, wanted: int, edits: int
) -> NDArray[np.uint32]:
    """Return the rows of the words that may be at most `edits` changes away from one, rising.

    lengths, letters: of each word, its characters modulo 256 and the bits of its letters; length, wanted: of that one.
    """
    rows = len(lengths)
    if len(letters) != rows:
        raise ValueError("columns of different length")
    near = np.empty(rows, dtype=np.uint32)
    lengths, letters = np.ascontiguousarray(lengths), np.ascontiguousarray(letters)
    count = core.fa_near_rows(
        address_of(lengths), address_of(letters), rows, length, wanted, edits, address_of(near)
    )
    return near[:count]
