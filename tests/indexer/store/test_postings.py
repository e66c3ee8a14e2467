from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.store.postings import (
    decode_many_ordinals,
    decode_ordinals,
)
from tests.indexer.store.numpy_writer import encode_ordinals

# Lists of rising ordinals; the gaps need one, two and four bytes.
ordinal_lists = st.lists(
    st.sets(
        st.one_of(st.integers(0, 300), st.integers(0, 70_000), st.integers(0, 2**31)), min_size=1, max_size=12
    ).map(sorted),
    min_size=1,
    max_size=12,
)


def starts_of(lists: list[list[int]]) -> np.ndarray:
    return np.cumsum([0, *(len(item) for item in lists[:-1])], dtype=np.int64)


@given(ordinal_lists)
def test_ordinals_come_back_one_list_at_a_time(lists: list[list[int]]) -> None:
    data, ends = encode_ordinals(np.concatenate([np.array(item) for item in lists]), starts_of(lists))
    for item, start, end in zip(lists, [0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        assert decode_ordinals(data[start:end], len(item)).tolist() == item


@given(ordinal_lists)
def test_ordinals_come_back_all_at_once(lists: list[list[int]]) -> None:
    data, ends = encode_ordinals(np.concatenate([np.array(item) for item in lists]), starts_of(lists))
    counts = np.array([len(item) for item in lists])
    sizes = np.diff(ends.astype(np.int64), prepend=0)
    decoded = decode_many_ordinals(data, ends.astype(np.int64) - sizes, sizes, starts_of(lists), counts)
    assert decoded.tolist() == [ordinal for item in lists for ordinal in item]


@pytest.mark.parametrize("gap, width", [(0, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4)])
def test_a_list_takes_the_bytes_that_its_greatest_gap_needs(gap: int, width: int) -> None:
    data, _ = encode_ordinals(np.array([gap, gap + 1]), np.array([0]))
    assert len(data) == 2 * width


def test_one_great_gap_does_not_double_a_list() -> None:
    ordinals = np.array([0, 254, 510, 511, 60_000, 60_001, 60_002])
    data, _ = encode_ordinals(ordinals, np.array([0]))
    assert data.tolist() == [0, 253, 255, 0, 255, 0, 0, 255, 0, *(59_488).to_bytes(2, "little")]
    assert decode_ordinals(data, 7).tolist() == ordinals.tolist()
