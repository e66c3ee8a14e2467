"""The order of rows by columns, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from indexer.core.order import near_rows, order_of


@pytest.mark.parametrize("rows", [0, 1, 2, 1000, 70_000])
@pytest.mark.parametrize("bits", [1, 8, 12, 40, 64])
def test_rows_come_in_the_order_that_numpy_gives_them(rows: int, bits: int) -> None:
    random = np.random.default_rng(rows + bits)
    most = (1 << bits) - 1
    columns = [
        random.integers(0, most, rows, dtype=np.uint64, endpoint=True),
        random.integers(0, 3, rows),
        np.sort(random.integers(0, 1 << 16, rows)),
    ]
    for given in (columns, columns[::-1], columns[1:], [np.zeros(rows, dtype=np.uint8)]):
        assert np.array_equal(order_of(*given), np.lexsort(given))


def test_columns_of_different_length_have_no_order() -> None:
    with pytest.raises(ValueError, match="different length"):
        order_of(np.zeros(2, dtype=np.int64), np.zeros(3, dtype=np.int64))


@pytest.mark.parametrize("rows", [0, 1, 255, 256, 257, 5000])
@pytest.mark.parametrize("length", [0, 1, 2, 7, 12, 254, 255, 256, 258, 300, 1000])
def test_words_that_may_be_near_are_found(rows: int, length: int) -> None:
    rng = np.random.default_rng(rows + length)
    true_lengths = np.maximum(0, length + rng.integers(-5, 6, rows))
    true_lengths[::3] = rng.integers(0, 400, len(true_lengths[::3]))
    wanted = int(rng.integers(0, 1 << 32))
    letters = (wanted ^ (1 << rng.integers(0, 32, rows)) ^ (1 << rng.integers(0, 32, rows))).astype(np.uint32)
    letters[::5] ^= rng.integers(0, 1 << 32, len(letters[::5]), dtype=np.uint32)
    for edits in (0, 1, 2, 40):
        found = near_rows(true_lengths.astype(np.uint8), letters, length, wanted, edits).tolist()
        fits = [
            (int(mask) & ~wanted).bit_count() <= edits and (wanted & ~int(mask)).bit_count() <= edits
            for mask in letters
        ]
        surely = [row for row in range(rows) if fits[row] and abs(int(true_lengths[row]) - length) <= edits]
        assert found == sorted(set(found)) and set(surely) <= set(found)
        assert all(fits[row] for row in found)
        if length + edits < 256:  # lengths beyond are told modulo 256
            assert [row for row in found if true_lengths[row] < 256] == surely


def test_near_words_need_columns_of_one_length() -> None:
    with pytest.raises(ValueError, match="different length"):
        near_rows(np.zeros(2, dtype=np.uint8), np.zeros(3, dtype=np.uint32), 1, 1, 1)
