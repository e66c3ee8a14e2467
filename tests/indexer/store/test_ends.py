"""Where items end, kept as sizes of one byte each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.store.arrayfile import ArrayFile, write_arrays
from indexer.store.ends import MARK, Ends, packed_ends
from indexer.store.errors import IndexCorruptError

sizes_of_items = st.lists(
    st.one_of(st.integers(0, 3), st.sampled_from([253, 254, 255, 256, 70_000])), max_size=3 * MARK
)


def written(path: Path, arrays: dict[str, np.ndarray]) -> Ends:
    write_arrays(str(path), "segment", {}, arrays)
    return Ends(ArrayFile(str(path), "segment"), "item")


@given(sizes_of_items, st.lists(st.integers(0, 3 * MARK), max_size=9))
@pytest.mark.parametrize("more", [0, MARK - 1, MARK, MARK + 1])
def test_items_are_found_where_they_were_put(
    tmp_path_factory: pytest.TempPathFactory, more: int, sizes: list[int], asked: list[int]
) -> None:
    sizes = [1] * more + sizes
    ends = np.cumsum(sizes, dtype=np.int64)
    found = written(tmp_path_factory.mktemp("ends") / "f", packed_ends("item", ends))
    bounds = list(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=False))
    rows = [item for item in asked if item < len(sizes)]
    assert len(found) == len(sizes) and found.whole().tolist() == ends.tolist()
    assert [found.bounds(item) for item in rows] == [bounds[item] for item in rows]
    first, last = sorted((len(sizes) // 3, len(sizes) // 2))
    assert found.between(first, last).tolist() == [0, *ends.tolist()][first : last + 1]


@pytest.mark.parametrize("name", ["item_great", "item_marks"])
def test_sizes_that_are_not_there_are_damage(tmp_path: Path, name: str) -> None:
    arrays = packed_ends("item", np.array([300, 301, 900]))
    arrays[name] = arrays[name][:0]
    with pytest.raises(IndexCorruptError, match="the sizes of 'item' do not fit each other"):
        ends = written(tmp_path / "f", arrays)
        ends.between(0, 3)
    arrays = packed_ends("item", np.array([300, 301, 900]))
    arrays["item_great"] = arrays["item_great"][:1]
    with pytest.raises(IndexCorruptError, match="do not fit"):
        written(tmp_path / "f", arrays).bounds(2)
