"""Posting lists and their bytes: encode and decode without a loop over postings.

A posting list has, for each version that holds the word, a *pair*: the ordinal of
the version, the shape of the pair (how often in which element), and the positions.

* ordinals: differences to the one before (the first to -1), minus one, in 1, 2 or 4 bytes,
  whichever the greatest needs; the width is the list's bytes divided by its pairs.
* shapes: one byte, an index into the segment's table of shapes, most frequent first;
  255 says that the index stands in the side array `rare_shapes`.
* positions: for each pair its positions by rising element, then place; each in as many bits as the
  extent of its version needs, one behind the other; a list starts at a whole byte.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

RARE = 255


def encode_ordinals(
    ordinals: NDArray[np.integer], starts: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Return (bytes, ends) of many lists at once.

    ordinals: rising within each list, the lists one behind the other; starts: where each list
    begins. ends: where the bytes of each list end. No list may be empty.
    """
    count = len(ordinals)
    gaps = np.empty(count, dtype=np.int64)
    gaps[1:] = np.diff(ordinals.astype(np.int64)) - 1
    gaps[starts] = ordinals[starts]
    lengths = np.diff(np.append(starts, count))
    greatest = np.maximum.reduceat(gaps, starts)
    width = np.where(greatest < 1 << 8, 1, np.where(greatest < 1 << 16, 2, 4))
    ends = np.cumsum(lengths * width)
    width_of_pair = np.repeat(width, lengths)
    place = (
        np.repeat(ends - lengths * width, lengths)
        + (np.arange(count) - np.repeat(starts, lengths)) * width_of_pair
    )
    data = np.zeros(int(ends[-1]) if len(ends) else 0, dtype=np.uint8)
    for byte in range(4):
        chosen = width_of_pair > byte
        if byte and not chosen.any():
            break
        data[place[chosen] + byte] = (gaps[chosen] >> (8 * byte)) & 255
    return data, ends.astype(np.uint32)


_WIDTHS: dict[int, np.dtype[Any]] = {1: np.dtype("u1"), 2: np.dtype("<u2"), 4: np.dtype("<u4")}


def decode_ordinals(data: NDArray[np.uint8], count: int) -> NDArray[np.int64]:
    """Return the ordinals of one list of `count` pairs from its bytes, rising, as int64."""
    gaps: NDArray[np.unsignedinteger] = np.frombuffer(data, _WIDTHS[len(data) // count], count)
    ordinals = np.cumsum(gaps, dtype=np.int64)
    if count > 1:
        ordinals += _counting(count)
    return ordinals


def decode_many_ordinals(
    data: NDArray[np.uint8],
    byte_starts: NDArray[np.int64],
    widths: NDArray[np.int64],
    list_starts: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the ordinals of many lists, one list behind the other.

    byte_starts, widths: where the bytes of each list begin in `data`, and its bytes a pair;
    list_starts, counts: where each list begins among the pairs, and its number of pairs.
    """
    width = np.repeat(widths, counts)
    inside = np.arange(len(width)) - np.repeat(list_starts, counts)
    place = np.repeat(byte_starts, counts) + inside * width
    gaps = data[place].astype(np.int64)
    for byte in range(1, 4):
        wider = np.flatnonzero(width > byte)
        if not len(wider):
            break
        gaps[wider] |= data[place[wider] + byte].astype(np.int64) << (8 * byte)
    steps = np.cumsum(gaps + 1)
    before = steps[list_starts] - gaps[list_starts]
    return steps - np.repeat(before, counts)


_arange = np.arange(1 << 12)


def _counting(count: int) -> NDArray[np.int64]:
    """Return 0, 1, ..., count - 1 without making it anew for each list."""
    global _arange
    if count > len(_arange):
        _arange = np.arange(max(count, 2 * len(_arange)))
    return _arange[:count]


def pack_bits(
    values: NDArray[np.integer], widths: NDArray[np.integer], list_starts: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Return (bytes, ends) of many lists of numbers, number i in widths[i] <= 32 bits, lowest bit first.

    list_starts: where each list begins among the values (no empty list); each begins at a whole byte.
    """
    bits = np.cumsum(widths, dtype=np.int64)
    before = bits - widths
    lengths = np.diff(np.append(list_starts, len(values)))
    last = np.append(list_starts[1:], len(values)) - 1
    list_bits = bits[last] - before[list_starts]
    ends = np.cumsum((list_bits + 7) // 8)
    base = (ends - (list_bits + 7) // 8) * 8 - before[list_starts]
    offset = before + np.repeat(base, lengths)
    place = offset >> 3
    shifted = values.astype(np.uint64) << (offset & 7).astype(np.uint64)
    size = int(ends[-1]) if len(ends) else 0
    data = np.zeros(size, dtype=np.uint8)
    if not size:
        return data, ends.astype(np.uint32)  # every number is 0 in 0 bits
    lanes = (7 + int(widths.max(initial=0)) + 7) // 8
    for lane in range(lanes):
        part = ((shifted >> np.uint64(8 * lane)) & np.uint64(255)).astype(np.float64)
        # numbers share bytes but no bits, so that adding joins them
        sums = np.bincount(np.minimum(place + lane, size - 1), weights=part, minlength=size)
        data += sums.astype(np.uint8)
    return data, ends.astype(np.uint32)


def unpack_bits(
    eight_bytes: NDArray[np.uint64], offsets: NDArray[np.int64], widths: NDArray[np.integer]
) -> NDArray[np.int64]:
    """Return the numbers at the given bit offsets.

    eight_bytes: item i is the little-endian number of bytes i to i + 7 (ArrayFile.eight_bytes_at_each).
    """
    loaded = eight_bytes[offsets >> 3] >> (offsets & 7).astype(np.uint64)
    mask = (np.uint64(1) << widths.astype(np.uint64)) - np.uint64(1)
    numbers: NDArray[np.int64] = (loaded & mask).astype(np.int64)
    return numbers
