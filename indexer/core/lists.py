"""The lists of a segment as the core makes them (codec.h): columns of numbers with a row a word or a pair."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import indexer.core.tokens  # noqa: F401  # sets the secret of all tables of words
from indexer.core.library import CORRUPT, NO_MEMORY, OK, TOO_LARGE, core

_COLUMNS: dict[str, tuple[int, Any]] = {
    name: (number, np.dtype(dtype))
    for number, (name, dtype) in enumerate(
        (
            ("word_ids", "<u4"),
            ("word_ends", "<u4"),
            ("words", "u1"),
            ("pair_ends", "<u4"),
            ("ordinal_ends", "<u4"),
            ("ordinals", "u1"),
            ("position_ends", "<u4"),
            ("positions", "u1"),
            ("languages", "<u8"),
            ("shapes", "<u4"),
            ("shape_counts", "<u4"),
            ("shape_uses", "<u8"),
        )
    )
}
ELEMENTS = 10


class Bytes(ctypes.Structure):
    """struct fa_bytes: bytes that belong to somebody else."""

    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    def view(self, dtype: Any) -> NDArray[Any]:
        """Return the bytes as numbers, where they lie; they are gone when their owner changes or goes."""
        if not self.size:
            return np.zeros(0, dtype=dtype)
        return np.frombuffer((ctypes.c_uint8 * self.size).from_address(self.data), dtype=dtype)


def address_of(array: NDArray[Any]) -> int:
    """Return where the numbers of an array lie, one behind the other; the array has to live as long."""
    if not array.flags.c_contiguous:
        raise ValueError("an array that is not in one piece")
    address: int = array.__array_interface__["data"][0]
    return address


core.fa_lists_column.argtypes = [ctypes.c_void_p, ctypes.c_int]
core.fa_lists_column.restype = Bytes
core.fa_lists_empty.argtypes = [ctypes.c_void_p]
core.fa_lists_empty.restype = None
core.fa_lists_order_shapes.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
core.fa_lists_occurrences.argtypes = [ctypes.c_void_p]
core.fa_lists_occurrences.restype = ctypes.c_uint64


class Lists:
    """Lists that belong to `owner`, a batch or a merge, which is kept alive as long as they are."""

    def __init__(self, handle: int, owner: Any) -> None:
        self._handle, self._owner = handle, owner

    @property
    def occurrences(self) -> int:
        """How many occurrences there are in all lists so far."""
        return int(core.fa_lists_occurrences(self._handle))

    def column(self, name: str) -> NDArray[Any]:
        """Return a column where it lies, to be read before anything else is done with the lists."""
        number, dtype = _COLUMNS[name]
        found: NDArray[Any] = core.fa_lists_column(self._handle, number).view(dtype)
        return found

    def empty(self) -> None:
        """Let go of all rows of words and pairs; ends go on from there."""
        core.fa_lists_empty(self._handle)

    def shapes_in_order(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Return (numbers, counts) of the shapes, the most frequent first; counts has a column an element."""
        counts = self.column("shape_counts").reshape(-1, ELEMENTS)
        order = np.empty(len(counts), dtype=np.uint32)
        check(core.fa_lists_order_shapes(self._handle, address_of(order)))
        return order, counts[order]


class _Codes(ctypes.Structure):
    """struct fa_shape_codes."""

    _fields_ = [
        ("places", ctypes.c_void_p),
        ("place_count", ctypes.c_size_t),
        ("pairs", ctypes.c_size_t),
        *((name, ctypes.c_void_p) for name in ("shapes", "others", "rare", "ranks")),
        *((name, ctypes.c_size_t) for name in ("done", "other_count", "rare_count")),
    ]


core.fa_code_shapes.argtypes = [ctypes.POINTER(_Codes), ctypes.c_void_p, ctypes.c_size_t]
_RANK_BLOCK = 256


def coded_shapes(
    places: NDArray[np.uint32], numbers: Iterable[NDArray[np.uint32]], pairs: int
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a segment that tell the shapes of its pairs; shape_ranks has two columns.

    places: of each shape in the table; numbers: of the shapes of all pairs, in parts. Raises ValueError.
    """
    made: dict[str, NDArray[Any]] = {
        "shapes": np.zeros(pairs // 2 + pairs % 2, dtype=np.uint8),
        "other_shapes": np.empty(pairs, dtype=np.uint8),
        "rare_shapes": np.empty(pairs, dtype=np.uint32),
        "shape_ranks": np.zeros((pairs // _RANK_BLOCK + 1, 2), dtype=np.uint32),
    }
    codes = _Codes(address_of(places), len(places), pairs, *map(address_of, made.values()))
    for some in numbers:
        check(core.fa_code_shapes(ctypes.byref(codes), address_of(some), len(some)))
    if codes.done != pairs:
        raise ValueError(f"{codes.done} shapes of {pairs} pairs")
    if pairs % _RANK_BLOCK == 0:
        made["shape_ranks"][-1] = codes.other_count, codes.rare_count
    made["other_shapes"] = made["other_shapes"][: codes.other_count]
    made["rare_shapes"] = made["rare_shapes"][: codes.rare_count]
    return made


def check(status: int) -> None:
    """Raise MemoryError, OverflowError or ValueError for anything but OK."""
    if status == NO_MEMORY:
        raise MemoryError("the core has no memory left")
    if status == TOO_LARGE:
        raise OverflowError("more than a segment holds")
    if status == CORRUPT:
        raise ValueError("columns that do not fit each other")
    if status != OK:
        raise RuntimeError(f"the core gave the status {status}")
