"""Versions that match, counted by their kinds, and what most of them are, in the core (facets.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import c_size_t, c_uint64, c_void_p

import numpy as np
from numpy.typing import NDArray

from indexer.core.library import CORRUPT, core
from indexer.core.lists import check
from indexer.core.queries import address

NO_RANK = 0xFFFFFFFF  # of a value that is not told


class Kinds(ctypes.Structure):
    """fa_kinds: the versions of a segment by their kinds."""

    _fields_ = (
        ("kind_of", c_void_p),
        ("places", c_void_p),
        *((name, c_uint64) for name in ("versions", "kind_count", "first", "words")),
    )

    def __init__(self, kind_of: NDArray[np.uint16], places: NDArray[np.uint32], first: int) -> None:
        """kind_of: of each version. places: of each kind, where it counts, shape (kinds, columns).

        first: where the bits of the segment begin among those of all, in numbers of 64. Both are kept where they lie.
        """
        self.keep = kind_of, places
        words = (len(kind_of) + 63) // 64
        super().__init__(address(kind_of), address(places), len(kind_of), len(places), first, words)


class Column(ctypes.Structure):
    """fa_column: a facet whose values lie side by side among the totals."""

    _fields_ = (
        ("ranks", c_void_p),
        ("below", c_void_p),
        *((name, c_uint64) for name in ("pairs", "begin", "end", "most")),
    )

    def __init__(
        self, begin: int, end: int, most: int, ranks: NDArray[np.uint32] | None, below: NDArray[np.uint32]
    ) -> None:
        """most: values that are told. ranks: of each value between equal totals, NO_RANK: it is not told.

        None: values are told as they rise, without 0. below: values and those above them, shape (n, 2), the lowest
        first.
        """
        self.keep = ranks, below
        places = None if ranks is None else address(ranks), address(below)
        super().__init__(*places, len(below), begin, end, most)


core.fa_count_kinds.argtypes = [*(c_void_p, c_size_t) * 4, c_void_p]


class Counter:
    """Counts versions that match for what they are, in segments that have kinds, and tells what most of them are."""

    def __init__(self, segments: Sequence[Kinds], columns: Sequence[Column]) -> None:
        self._keep = segments, columns
        self._segments, self._columns = (Kinds * len(segments))(*segments), (Column * len(columns))(*columns)
        self._begins: list[tuple[int, int]] = []  # of what is told of each column, with how much that may be
        self._told = 0
        for column in columns:
            self._begins.append((self._told, column.most))
            self._told += 2 + 2 * column.most

    def count(
        self, matching: NDArray[np.uint64], totals: NDArray[np.int64]
    ) -> list[tuple[int, list[int], list[int]]]:
        """Return of each column how many values have versions, and of those told (values, totals), the greatest first.

        matching: the versions of all segments that match, a bit each. totals: what they are added to.
        Raises ValueError for a version, a kind or a place that is not there, MemoryError.
        """
        room = np.empty(self._told, dtype=np.int64)
        status = core.fa_count_kinds(
            address(matching), len(matching), self._segments, len(self._segments), self._columns,
            len(self._columns), address(totals), len(totals), address(room),
        )  # fmt: skip
        if status == CORRUPT:
            raise ValueError("versions that match are not of kinds that there are")
        check(status)
        told = room.tolist()
        found = []
        for begin, most in self._begins:
            held, count = told[begin : begin + 2]
            values = begin + 2
            found.append((held, told[values : values + count], told[values + most : values + most + count]))
        return found
