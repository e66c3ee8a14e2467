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


def count_kinds(
    matching: NDArray[np.uint64],
    kind_of: NDArray[np.uint16],
    places: NDArray[np.uint32],
    totals: NDArray[np.int64],
) -> None:
    """Add the versions of a segment that match to the totals at the places of their kinds.

    matching: a bit for each version. kind_of: of each version. places: of each kind, shape (kinds, places each).
    Raises ValueError for a version, a kind or a place that is not there, MemoryError.
    """
    status = core.fa_count_kinds(
        *(address(matching), len(matching), address(kind_of), len(kind_of)),
        *(address(places), *places.shape, address(totals), len(totals)),
    )
    if status == CORRUPT:
        raise ValueError("versions that match are not of kinds that there are")
    check(status)
