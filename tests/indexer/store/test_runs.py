"""Positions in bits: what is packed comes back, any pair without those before it, and a run takes what it should."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from indexer.store.errors import IndexCorruptError
from indexer.store.runs import Layout, RunReader, bit_widths
from tests.indexer.store.numpy_writer import pack_runs

Pair = tuple[int, list[int], list[int]]


def random_lists(seed: int) -> list[list[Pair]]:
    """Return lists of pairs: an extent, and rising positions below it in each of two elements."""
    chosen = random.Random(seed)

    def pair() -> Pair:
        extent = chosen.randint(1, chosen.choice((8, 60, 3000)))
        places = [
            sorted(
                chosen.sample(range(extent), chosen.randint(least, min(extent, chosen.choice((2, 9, 70)))))
            )
            for least in (1, 0)
        ]
        return extent, *chosen.sample(places, 2)

    return [[pair() for _ in range(chosen.randint(1, 5))] for _ in range(chosen.randint(1, 4))]


def packed(all_lists: list[list[Pair]]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return what RunReader reads, and the ends of the lists."""
    positions, run_starts, widths, list_starts = [], [], [], []
    for pairs in all_lists:
        list_starts.append(len(run_starts))
        for extent, *elements in pairs:
            for run in filter(None, elements):
                run_starts.append(len(positions))
                widths.append(int(bit_widths(np.array([extent]))[0]))
                positions += run
    columns = (positions, run_starts, widths, list_starts)
    data, ends = pack_runs(*(np.array(column, dtype=np.int64) for column in columns))
    stored = np.append(data, np.zeros(8, dtype=np.uint8))
    return np.ndarray((len(data) + 1,), dtype="<u8", buffer=stored, strides=(1,)), ends


@pytest.mark.parametrize("seed", range(40))
def test_positions_come_back(seed: int) -> None:
    all_lists = random_lists(seed)
    eight_bytes, ends = packed(all_lists)
    for pairs, begin in zip(all_lists, [0, *ends[:-1].tolist()], strict=True):
        table = np.array([[len(run) for run in elements] for _, *elements in pairs], dtype=np.uint8)
        reader = RunReader(eight_bytes, table, table.sum(axis=1, dtype=np.int64), "x.seg")
        shapes, widths = np.arange(len(pairs)), bit_widths(np.array([extent for extent, *_ in pairs]))
        sizes = reader.sizes(shapes, widths)
        first = 8 * begin + np.cumsum(sizes) - sizes
        for chosen in (shapes, shapes[1:], shapes[::2]):
            pair, element, position = reader.read(shapes[chosen], widths[chosen], first[chosen])
            assert list(zip(chosen[pair].tolist(), element.tolist(), position.tolist(), strict=True)) == [
                (row, number, place)
                for row in chosen.tolist()
                for number, run in enumerate(pairs[row][1:])
                for place in run
            ]


@pytest.mark.parametrize(
    ("count", "width", "bits"),
    [(1, 10, 10), (7, 10, 70), (8, 10, 8 * 7 + 8 + 8), (100, 10, 100 * 4 + 100 + 64), (8, 3, 24), (9, 0, 0)],
)
def test_a_long_run_takes_less(count: int, width: int, bits: int) -> None:
    assert Layout.of(np.array([count]), np.array([width])).bits.tolist() == [bits]


def test_bits_of_no_run_are_damage() -> None:
    reader = RunReader(
        np.zeros(100, dtype=np.uint64), np.array([[8]], dtype=np.uint8), np.array([8]), "x.seg"
    )
    with pytest.raises(IndexCorruptError, match="x.seg: 0 high bits of positions, expected 8"):
        reader.read(np.array([0]), np.array([10]), np.array([0]))
