"""Posting lists and their bytes, which the core writes (indexer/core/codec.c): decoded without a loop over postings.

A posting list has, for each version that holds the word, a *pair*: the ordinal of
the version, the shape of the pair (how often in which element), and the positions.

* ordinals: differences to the one before (the first to -1), minus one. A list of fewer than FEW has two bytes for each;
  any other begins with a byte that says in how many bits, those for which the list is smallest: a number whose bits are
  all ones stands for one of the numbers of two bytes behind them.
* shapes: four bits, an index into the segment's table of shapes, most frequent first; 15 says that the index stands in
  the side array `other_shapes`, a byte each, in which 255 says that it stands in a further one, `rare_shapes`.
* positions: in bits, see runs.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

OTHER = 15
RARE = 255
FEW = 4
GAP_BITS = 16


def decode_ordinals(data: NDArray[np.uint8], count: int) -> NDArray[np.int64]:
    """Return the ordinals of one list of `count` pairs from its bytes, rising, as int64."""
    nothing = np.zeros(1, dtype=np.int64)
    return decode_many_ordinals(data, nothing, np.array([len(data)]), nothing, np.array([count]))


def decode_many_ordinals(
    data: NDArray[np.uint8],
    byte_starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    list_starts: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the ordinals of many lists, one list behind the other.

    byte_starts, sizes: where the bytes of each list begin in `data`, and how many they are;
    list_starts, counts: where each list begins among the pairs, and its number of pairs. Raises IndexError or gives
    wrong numbers for bytes that are no lists.
    """
    is_packed = counts >= FEW
    widths = np.full(len(counts), GAP_BITS, dtype=np.int64)
    widths[is_packed] = data[byte_starts[is_packed]]
    first = byte_starts + is_packed
    inside = np.arange(int(counts.sum())) - np.repeat(list_starts, counts)
    width = np.repeat(widths, counts)
    bit = np.repeat(first * 8, counts) + inside * width
    padded = np.append(data, np.zeros(4, dtype=np.uint8))
    four_bytes = np.ndarray((len(data) + 1,), dtype="<u4", buffer=padded.data, strides=(1,))
    masks = (1 << width) - 1
    gaps: NDArray[np.int64] = (four_bytes[bit >> 3].astype(np.int64) >> (bit & 7)) & masks
    rows = np.flatnonzero((gaps == masks) & np.repeat(is_packed, counts))
    if len(rows):
        own = np.searchsorted(list_starts, rows, side="right") - 1
        rank = np.arange(len(rows)) - np.searchsorted(rows, list_starts[own])
        behind = first[own] + (counts[own] * widths[own] + 7) // 8 + 2 * rank
        gaps[rows] = four_bytes[behind] & 0xFFFF
    steps: NDArray[np.int64] = np.cumsum(gaps + 1)
    before = steps[list_starts] - gaps[list_starts]
    steps -= np.repeat(before, counts)
    return steps
