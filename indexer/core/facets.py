"""Versions that match, counted by their kinds, in the core (facets.h)."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from indexer.core.library import CORRUPT, core
from indexer.core.lists import check
from indexer.core.queries import address

core.fa_count_kinds.argtypes = [
    *(ctypes.c_void_p, ctypes.c_size_t) * 3, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t
]  # fmt: skip


class Kinds:
    """The versions of a segment by their kinds. places: of each kind, where it counts, shape (kinds, places each)."""

    def __init__(self, kind_of: NDArray[np.uint16], places: NDArray[np.uint32]) -> None:
        """kind_of: of each version. Both are kept where they lie; the numbers in `places` may be changed there."""
        self._kind_of, self.places = kind_of, places
        self._for_core = address(kind_of), len(kind_of), address(places), *places.shape

    def count(self, matching: NDArray[np.uint64], totals: NDArray[np.int64]) -> None:
        """Add the versions that match, a bit each, to the totals at the places of their kinds.

        Raises ValueError for a version, a kind or a place that is not there, MemoryError.
        """
        status = core.fa_count_kinds(
            address(matching), len(matching), *self._for_core, address(totals), len(totals)
        )
        if status == CORRUPT:
            raise ValueError("versions that match are not of kinds that there are")
        check(status)
