"""Posting lists and their bytes, which the core writes (indexer/core/codec.c): decoded without a loop over postings.

A posting list has, for each version that holds the word, a *pair*: the ordinal of
the version, the shape of the pair (how often in which element), and the positions.

* ordinals: differences to the one before (the first to -1), minus one, in 1, 2 or 4 bytes,
  whichever the greatest needs; the width is the list's bytes divided by its pairs. Where most are small, each takes
  one byte and 255 stands for one of the numbers of two bytes that follow: a frequent word is absent from some run of
  pages nearly always, and the one great gap would double the list.
* shapes: one byte, an index into the segment's table of shapes, most frequent first;
  255 says that the index stands in the side array `rare_shapes`.
* positions: in bits, see runs.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.store.blocks import Values

RARE = 255
_ESCAPE = 255


def _places_behind(
    rows: NDArray[np.int64],
    byte_starts: NDArray[np.int64],
    list_starts: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return where the numbers of two bytes stand that the pairs of some rows stand for, rows rising."""
    own = np.searchsorted(list_starts, rows, side="right") - 1
    rank = np.arange(len(rows)) - np.searchsorted(rows, list_starts[own])
    places: NDArray[np.int64] = byte_starts[own] + counts[own] + 2 * rank
    return places


_WIDTHS: dict[int, np.dtype[Any]] = {1: np.dtype("u1"), 2: np.dtype("<u2"), 4: np.dtype("<u4")}


def decode_ordinals(data: NDArray[np.uint8], count: int) -> NDArray[np.int64]:
    """Return the ordinals of one list of `count` pairs from its bytes, rising, as int64."""
    width = len(data) // count
    gaps: NDArray[np.unsignedinteger] = np.frombuffer(data, _WIDTHS[width], count)
    if width == 1 and len(data) > count:
        gaps = gaps.astype(np.uint16)
        gaps[gaps == _ESCAPE] = np.frombuffer(data[count:].tobytes(), _WIDTHS[2])
    ordinals = gaps.cumsum(dtype=np.int64)
    if count > 1:
        ordinals += _counting(count)
    return ordinals


def decode_many_ordinals(
    data: Values,
    byte_starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    list_starts: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the ordinals of many lists, one list behind the other.

    byte_starts, sizes: where the bytes of each list begin in `data`, and how many they are;
    list_starts, counts: where each list begins among the pairs, and its number of pairs.
    """
    widths = sizes // counts
    width = np.repeat(widths, counts)
    inside = np.arange(len(width)) - np.repeat(list_starts, counts)
    place = np.repeat(byte_starts, counts) + inside * width
    gaps: NDArray[np.int64] = data[place].astype(np.int64)
    for byte in range(1, 4):
        wider = np.flatnonzero(width > byte)
        if not len(wider):
            break
        gaps[wider] |= data[place[wider] + byte].astype(np.int64) << (8 * byte)
    escaped = sizes != widths * counts
    if escaped.any():
        rows = np.flatnonzero((gaps == _ESCAPE) & np.repeat(escaped, counts))
        behind = _places_behind(rows, byte_starts, list_starts, counts)
        gaps[rows] = data[behind] | (data[behind + 1].astype(np.int64) << 8)
    steps: NDArray[np.int64] = np.cumsum(gaps + 1)
    before = steps[list_starts] - gaps[list_starts]
    steps -= np.repeat(before, counts)
    return steps


_arange = np.arange(1 << 12)


def _counting(count: int) -> NDArray[np.int64]:
    """Return 0, 1, ..., count - 1 without making it anew for each list."""
    global _arange
    if count > len(_arange):
        _arange = np.arange(max(count, 2 * len(_arange)))
    return _arange[:count]
