"""The order of rows by columns, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from indexer.core.order import order_of


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
