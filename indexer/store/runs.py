"""The positions of a segment as bits.

A *run* is the positions of a word in one element of one version, rising. The runs of a list follow each other pair by
pair, by rising element; a list starts at a whole byte. With b bits for the extent of its version, k positions are

* k numbers of b bits, where it is short (k < 8) or nearly full; else, with s = log2(k) rounded down and l = b - s,
* k numbers of l bits, the low bits of the positions, and then k + 2 ** s bits for the high ones: of position j, from 0,
  with the high bits h, bit h + j is 1. That takes about l + 2 bits a position (Elias, "Efficient storage and retrieval
  by content and address of static files", 1974).

So the size of a run follows from k and b alone, and any pair can be read without those before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.store.blocks import Values
from indexer.store.errors import IndexCorruptError

LONG = 8


def bit_widths(extents: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return how many bits hold every position below each extent."""
    # the exponent of n - 1 is the number of its bits
    widths: NDArray[np.int64] = np.frexp(np.maximum(extents, 1) - 1.0)[1].astype(np.int64)
    return widths


@dataclass(slots=True)
class Layout:
    """How runs lie in bits. low: bits of each number; split: log2 of the high values, -1 where there are none."""

    counts: NDArray[np.int64]
    low: NDArray[np.int64]
    split: NDArray[np.int64]
    bits: NDArray[np.int64]

    @classmethod
    def of(cls, counts: NDArray[np.int64], widths: NDArray[np.int64]) -> Layout:
        """Return the layout of runs of `counts` positions in versions of `widths` bits."""
        low, split, bits = widths.copy(), np.full(len(counts), -1, dtype=np.int64), counts * widths
        rows = np.flatnonzero(counts >= LONG)
        if len(rows):
            count, width = counts[rows], widths[rows]
            high = np.frexp(count)[1].astype(np.int64) - 1
            divided = high < width
            rows, high, count = rows[divided], high[divided], count[divided]
            low[rows] -= high
            split[rows] = high
            bits[rows] = count * low[rows] + count + (1 << high)
        return cls(counts, low, split, bits)


class RunReader:
    """Reads the positions of pairs from the bits of a segment."""

    def __init__(
        self,
        eight_bytes: Values,
        table: NDArray[np.integer],
        totals: NDArray[np.uint32],
        path: str,
    ) -> None:
        """eight_bytes: item i is the little-endian number of bytes i to i + 7; table: counts by element of each shape.

        totals: occurrences of each shape; path: the file, to be named when it is damaged.
        """
        self._bytes, self._table, self._totals, self._path = eight_bytes, table, totals, path
        self._has_long = np.zeros(len(table), dtype=bool)
        for element in range(table.shape[1]):
            self._has_long |= table[:, element] >= LONG

    def sizes(self, shapes: NDArray[np.int64], widths: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many bits the positions of each pair take; widths: bits of the extents of their versions."""
        bits = self._totals.take(shapes).astype(np.int64)
        bits *= widths
        rows = np.flatnonzero(self._has_long[shapes])
        if len(rows):
            counts = self._table[shapes[rows]].astype(np.int64)
            layout = Layout.of(counts.ravel(), np.repeat(widths[rows], counts.shape[1]))
            bits[rows] = layout.bits.reshape(counts.shape).sum(axis=1)
        return bits

    def read(
        self, shapes: NDArray[np.int64], widths: NDArray[np.int64], first_bit: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return (pair, element, position) of all occurrences of some pairs, ordered by pair, element, position.

        first_bit: where the positions of each pair begin. Raises IndexCorruptError.
        """
        table = self._table[shapes]
        totals = self._totals.take(shapes).astype(np.int64)
        pair = np.arange(len(totals)).repeat(totals)
        element = _element_numbers(len(shapes), table.shape[1]).repeat(table.ravel())
        if not self._has_long.take(shapes).any():
            # bit of an occurrence = first bit of its pair + its place in the pair * width
            width = widths.take(pair)
            base = first_bit - (totals.cumsum() - totals) * widths
            offset = np.arange(len(pair)) * width
            offset += base.take(pair)
            return pair, element, unpack_bits(self._bytes, offset, width)
        of_pair, of_element = np.nonzero(table)
        counts = table[of_pair, of_element].astype(np.int64)
        layout = Layout.of(counts, widths[of_pair])
        before = np.cumsum(layout.bits) - layout.bits
        pair_starts = np.searchsorted(of_pair, np.arange(len(shapes)))
        run_bit = before + (first_bit - np.append(before, 0)[pair_starts])[of_pair]
        return pair, element, self._unpack(layout, run_bit)

    def _unpack(self, layout: Layout, run_bit: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the positions of runs, one run behind the other; run_bit: where each begins."""
        counts = layout.counts
        before = counts.cumsum() - counts
        low = layout.low.repeat(counts)
        offset = np.arange(len(low)) * low
        offset += (run_bit - before * layout.low).repeat(counts)
        positions = unpack_bits(self._bytes, offset, low)
        is_split = layout.split >= 0
        rows = is_split.nonzero()[0]
        if not len(rows):
            return positions
        count, low_of_run = counts[rows], layout.low[rows]
        first = run_bit[rows] + count * low_of_run  # of the high bits of each run
        ones, begins = self._ones(first, first + count + (1 << layout.split[rows]))
        long = is_split.repeat(counts).nonzero()[0]
        if len(ones) != len(long):
            raise IndexCorruptError(
                f"{self._path}: {len(ones)} high bits of positions, expected {len(long)};"
                " index the archives again with --rebuild"
            )
        # a one at place p of its run that is the k-th there stands for the high bits p - k
        ones -= np.arange(len(ones), dtype=np.int64)
        begins += count
        begins -= count.cumsum()
        ones -= begins.repeat(count)
        ones <<= low_of_run.repeat(count)
        positions[long] |= ones
        return positions

    def _ones(
        self, first: NDArray[np.int64], last: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return which of the bits `first` to `last` (excluded) of some ranges are 1, and where each range begins.

        Both count the bits of the whole bytes that hold the ranges, one range behind the other. A range has more than
        8 bits, as no run is split that has fewer than LONG positions.
        """
        first_byte = first >> 3
        sizes = ((last + 7) >> 3) - first_byte
        ends = sizes.cumsum()
        begins = ends - sizes
        at = np.arange(int(ends[-1]))
        at += (first_byte - begins).repeat(sizes)
        held = self._bytes[at].astype(np.uint8)  # the lowest of the eight
        held[begins] &= (255 << (first & 7)).astype(np.uint8)
        held[ends - 1] &= (255 >> (-last & 7)).astype(np.uint8)
        ones = np.unpackbits(held, bitorder="little").view(np.bool_).nonzero()[0]
        return ones, begins * 8 + (first & 7)


def unpack_bits(
    eight_bytes: Values, offsets: NDArray[np.int64], widths: NDArray[np.integer]
) -> NDArray[np.int64]:
    """Return the numbers of `widths` bits at the given bit offsets."""
    loaded: NDArray[np.int64] = eight_bytes[offsets >> 3].view("<i8")
    loaded >>= offsets & 7  # a sign that moves in stands above 57 bits; no number is as wide
    loaded &= _MASKS.take(widths)
    return loaded


_MASKS = (1 << np.arange(63, dtype=np.int64)) - 1


_numbers = np.tile(np.arange(10), 256)


def _element_numbers(pairs: int, elements: int) -> NDArray[np.int64]:
    """Return 0, 1, ... elements - 1 over and over, once a pair."""
    if elements == 10 and pairs <= 256:  # nearly always: then without making them anew
        return _numbers[: 10 * pairs]
    return np.tile(np.arange(elements), pairs)
