"""The committed state of an index as readers see it."""

from __future__ import annotations

import numpy as np
import pytest

from indexer.store.snapshot import _twice, distinct


@pytest.mark.parametrize("gap", [1, 1000])
def test_numbers_that_are_there_twice_are_found_with_and_without_gaps_between_them(gap: int) -> None:
    numbers = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]
    twice = _twice(np.array(numbers, dtype=np.uint32) * np.uint32(gap))
    assert twice.tolist() == [1 * gap, 3 * gap, 5 * gap]
    assert distinct(np.array(numbers, dtype=np.uint32) * np.uint32(gap)) == len(set(numbers))
    assert distinct(np.array([], dtype=np.uint32)) == 0
    assert _twice(np.array([], dtype=np.uint32)).tolist() == _twice(np.array([7 * gap])).tolist() == []
