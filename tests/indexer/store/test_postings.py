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

# Lists of rising ordinals: few and many, near each other and far.
ordinal_lists = st.lists(
    st.one_of(
        st.sets(st.integers(0, 65_535), min_size=1, max_size=12).map(sorted),
        st.sets(st.integers(0, 40), min_size=1, max_size=40).map(sorted),
        st.sets(st.one_of(st.integers(0, 300), st.integers(60_000, 65_535)), min_size=1, max_size=40).map(
            sorted
        ),
    ),
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


@pytest.mark.parametrize("count, size", [(1, 2), (3, 6), (4, 2), (8, 2), (9, 3), (65_536, 8193)])
def test_a_word_of_each_page_takes_a_bit_a_page(count: int, size: int) -> None:
    data, _ = encode_ordinals(np.arange(count), np.array([0]))
    assert len(data) == size and decode_ordinals(data, count).tolist() == list(range(count))


def test_one_great_gap_does_not_double_a_list() -> None:
    ordinals = np.array([0, 3, 5, 6, 8, 65_535])
    data, _ = encode_ordinals(ordinals, np.array([0]))
    # gaps of two bits, the last of which says: behind
    assert data.tolist() == [2, 0b00_01_10_00, 0b11_01, *(65_526).to_bytes(2, "little")]
    assert decode_ordinals(data, 6).tolist() == ordinals.tolist()


def test_the_greatest_gap_has_all_ones_in_any_number_of_bits() -> None:
    ordinals = np.array([0, 1, 2, 65_535])
    for first in (0, 65_532):
        ordinals = np.arange(first, first + 4)
        data, _ = encode_ordinals(ordinals, np.array([0]))
        assert decode_ordinals(data, 4).tolist() == ordinals.tolist()
