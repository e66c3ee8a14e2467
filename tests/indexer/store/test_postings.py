from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.store.postings import (
    decode_many_ordinals,
    decode_ordinals,
    encode_ordinals,
    pack_bits,
    unpack_bits,
)

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
    decoded = decode_many_ordinals(
        data, ends.astype(np.int64) - sizes, sizes // counts, starts_of(lists), counts
    )
    assert decoded.tolist() == [ordinal for item in lists for ordinal in item]


@pytest.mark.parametrize("gap, width", [(0, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4)])
def test_a_list_takes_the_bytes_that_its_greatest_gap_needs(gap: int, width: int) -> None:
    data, _ = encode_ordinals(np.array([gap, gap + 1]), np.array([0]))
    assert len(data) == 2 * width


numbers_in_bits = st.lists(
    st.lists(
        st.integers(0, 32).flatmap(lambda width: st.tuples(st.integers(0, (1 << width) - 1), st.just(width))),
        min_size=1,
        max_size=12,
    ),
    min_size=1,
    max_size=8,
)


@given(numbers_in_bits)
@settings(max_examples=200)
def test_packed_numbers_come_back(lists: list[list[tuple[int, int]]]) -> None:
    values = np.array([value for item in lists for value, _ in item], dtype=np.int64)
    widths = np.array([width for item in lists for _, width in item], dtype=np.int64)
    data, ends = pack_bits(values, widths, starts_of(lists))  # type: ignore[arg-type]
    stored = np.append(data, np.zeros(8, dtype=np.uint8))
    eight_bytes = np.ndarray((len(data) + 1,), dtype="<u8", buffer=stored, strides=(1,))
    begins = [0, *ends[:-1].tolist()]
    offsets = [
        8 * begin + sum(width for _, width in item[:place])
        for begin, item in zip(begins, lists, strict=True)
        for place in range(len(item))
    ]
    assert unpack_bits(eight_bytes, np.array(offsets), widths).tolist() == values.tolist()
    for item, begin, end in zip(lists, begins, ends.tolist(), strict=True):
        assert end - begin == -(-sum(width for _, width in item) // 8), (
            "a list begins at a whole byte and wastes none"
        )
