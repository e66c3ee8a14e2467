"""Several segments joined in the core (merge.h), part by part."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.core.library import CORRUPT, core
from indexer.core.lists import Bytes, Lists, address_of, check

ARRAYS = (
    "word_ids",
    "word_ends",
    "words",
    "pair_ends",
    "ordinal_ends",
    "ordinals",
    "position_ends",
    "positions",
    "shapes",
    "other_shapes",
    "rare_shapes",
    "shape_table",
    "extent",
)
"""Arrays of a segment that a merge reads."""


class _Source(ctypes.Structure):
    """struct fa_source."""

    _fields_ = [
        *((name, Bytes) for name in ARRAYS),
        ("rare_size", ctypes.c_uint32),
        ("shape_size", ctypes.c_uint32),
        ("versions", ctypes.c_uint32),
        ("places", ctypes.c_void_p),
    ]


core.fa_merge_new.argtypes = [
    ctypes.POINTER(_Source),
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.c_uint32,
]
core.fa_merge_new.restype = ctypes.c_void_p
core.fa_merge_free.argtypes = [ctypes.c_void_p]
core.fa_merge_free.restype = None
core.fa_merge_next.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_int)]
core.fa_merge_corrupt.argtypes = [ctypes.c_void_p]
core.fa_merge_corrupt.restype = ctypes.c_size_t
core.fa_merge_lists.argtypes = [ctypes.c_void_p]
core.fa_merge_lists.restype = ctypes.c_void_p


class DamagedSourceError(ValueError):
    """Segment `number` of those that are merged does not hold what a segment holds."""

    def __init__(self, number: int) -> None:
        super().__init__(f"segment {number} of a merge is damaged")
        self.number = number


class Merge:
    """The lists of several segments on their way to become those of one."""

    def __init__(
        self,
        sources: Sequence[Mapping[str, NDArray[Any]]],
        places: Sequence[NDArray[np.integer]],
        languages: NDArray[Any],
    ) -> None:
        """sources: the ARRAYS of each segment; places: the new ordinal of each of its versions, -1 for none, rising.

        languages: for each new version a number as Batch.invert takes it. Raises ValueError when the sizes of arrays
        do not fit each other.
        """
        # all that is passed by address lives as long as the merge
        self._held: list[Any] = [[np.ascontiguousarray(place, dtype=np.int32) for place in places], sources]
        given = (_Source * len(sources))()
        for source, place, struct in zip(sources, self._held[0], given, strict=True):
            if len(place) != len(source["extent"]):
                raise ValueError(f"{len(place)} places of {len(source['extent'])} versions")
            for name in ARRAYS:
                setattr(struct, name, Bytes(address_of(source[name]), source[name].nbytes))
            struct.rare_size = source["rare_shapes"].itemsize
            struct.shape_size = source["shape_table"].itemsize
            struct.versions = len(place)
            struct.places = address_of(place)
        languages = np.ascontiguousarray(languages, dtype=np.uint8)
        self._handle = core.fa_merge_new(given, len(sources), address_of(languages), len(languages))
        if not self._handle:
            raise ValueError("arrays that do not fit each other")

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            core.fa_merge_free(self._handle)

    @property
    def lists(self) -> Lists:
        """The lists that have been made."""
        return Lists(core.fa_merge_lists(self._handle), self)

    def step(self, most: int) -> bool:
        """Make about `most` bytes of lists, and tell whether there are more. Raises DamagedSourceError."""
        done = ctypes.c_int()
        status = core.fa_merge_next(self._handle, most, ctypes.byref(done))
        if status == CORRUPT:
            raise DamagedSourceError(core.fa_merge_corrupt(self._handle))
        check(status)
        return not done.value
