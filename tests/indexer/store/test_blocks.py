"""What is read of an array is verified before, block by block."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import IndexCorruptError
from indexer.store import blocks
from indexer.store.arrayfile import ArrayFile, write_arrays
from indexer.store.blocks import Column, checksums_of


def written(path: Path, numbers: np.ndarray, *, flipped: int | None = None) -> ArrayFile:
    """Write a file with one array; flipped: a byte of the array that is another one in the file."""
    write_arrays(str(path), "test", {}, {"numbers": numbers})
    if flipped is not None:
        data = bytearray(path.read_bytes())
        data[data.rindex(numbers.tobytes()) + flipped] ^= 1
        path.write_bytes(data)
    return ArrayFile(str(path), "test")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 64)
    monkeypatch.setattr(blocks, "SMALL", 0)


NUMBERS = np.arange(100, 180, dtype=np.uint32)  # five blocks of 16 numbers


@pytest.mark.parametrize(
    ("key", "first", "last"),  # the blocks that are read
    [
        (0, 0, 0), (15, 0, 0), (16, 1, 1), (79, 4, 4), (-1, 4, 4), (np.int64(17), 1, 1),
        (slice(0, 16), 0, 0), (slice(0, 17), 0, 1), (slice(16, 32), 1, 1), (slice(70, None), 4, 4),
        (slice(40, 40), 0, -1),
        (np.array([20, 31]), 1, 1), (np.array([[16], [40]]), 1, 2), (np.array([], dtype=np.int64), 0, -1),
        (NUMBERS == 105, 0, 4),
    ],
)  # fmt: skip
def test_only_the_blocks_that_are_read_must_be_sound(tmp_path: Path, key: Any, first: int, last: int) -> None:
    for block in range(5):
        column = written(tmp_path / "a", NUMBERS, flipped=block * 64 + 5).column("numbers")
        if first <= block <= last and not isinstance(key, np.ndarray):
            with pytest.raises(IndexCorruptError, match="'numbers' do not fit their checksum"):
                column[key]
        elif isinstance(key, np.ndarray) and (
            key.dtype == bool or block in set((key.ravel() // 16).tolist())
        ):
            with pytest.raises(IndexCorruptError):
                column[key]
        else:
            assert np.array_equal(column[key], NUMBERS[key])
        with pytest.raises(IndexCorruptError):
            column.whole()
        with pytest.raises(IndexCorruptError):
            np.asarray(column)


@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=90).map(sorted),
    st.lists(st.integers(0, 61), min_size=1, max_size=9),
    st.sampled_from(["left", "right"]),
    st.one_of(st.none(), st.integers(0, 10_000)),
)
def test_a_search_in_a_damaged_column_is_right_or_refused(
    tmp_path_factory: pytest.TempPathFactory,
    numbers: list[int],
    wanted: list[int],
    side: Any,
    flipped: int | None,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", 16)
        rising = np.array(numbers, dtype=np.uint32)
        place = None if flipped is None else flipped % rising.nbytes
        column = written(tmp_path_factory.getbasetemp() / "rising", rising, flipped=place).column("numbers")
        values = np.array(wanted, dtype=np.uint32)
        try:
            found = column.searchsorted(values, side)
        except IndexCorruptError:
            assert flipped is not None
        else:
            assert found.tolist() == rising.searchsorted(values, side).tolist()


def test_eight_bytes_at_a_byte_need_the_blocks_that_they_reach_into(tmp_path: Path) -> None:
    data = np.arange(128, dtype=np.uint8)
    column = written(tmp_path / "a", data, flipped=64).eight_bytes_at_each("numbers")
    assert int(column[np.array([56])][0]) == int.from_bytes(bytes(range(56, 64)), "little")
    for place in (57, 63, 64, 71, 120):
        with pytest.raises(IndexCorruptError):
            column[np.array([3, place])]
    sound = written(tmp_path / "b", data).eight_bytes_at_each("numbers")
    assert int(sound[np.array([127])][0]) == 127 and int(sound[np.array([128])][0]) == 0


def test_rows_of_two_numbers_need_no_block_but_their_own(tmp_path: Path) -> None:
    rows = np.arange(160, dtype=np.uint32).reshape(80, 2)  # eight in a block
    column = written(tmp_path / "a", rows, flipped=64).column("numbers")
    for key in (np.array([0]), np.array([0, 7]), np.array([16, 19]), slice(0, 8), 7):
        assert np.array_equal(column[key], rows[key])
    for key in (np.array([8]), np.array([0, 15]), slice(0, 9), 15):
        with pytest.raises(IndexCorruptError):
            column[key]


def test_what_was_verified_is_not_verified_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path / "a", NUMBERS)
    column = file.column("numbers")
    verified: list[int] = []
    verify = blocks.Blocks._verify
    monkeypatch.setattr(
        blocks.Blocks, "_verify", lambda self, block: (verified.append(block), verify(self, block))[1]
    )
    for _ in range(3):
        assert column[17] == 117 and column.take(np.array([40])).tolist() == [140]
    assert verified == [1, 2]
    assert file.array("numbers").tolist() == NUMBERS.tolist() and column[3] == 103
    assert sorted(verified) == [0, 1, 2, 3, 4]


@given(st.lists(st.integers(0, 40), max_size=6))
def test_checksums_do_not_depend_on_the_chunks(sizes: list[int]) -> None:
    numbers = np.arange(sum(sizes), dtype=np.uint16)
    chunks = np.split(numbers, np.cumsum(sizes)[:-1]) if sizes else [numbers]
    assert checksums_of(chunks) == checksums_of([numbers])
    assert len(checksums_of([numbers])) == blocks.blocks_of(numbers.nbytes)


def test_a_column_is_read_forwards_and_has_no_negative_rows(tmp_path: Path) -> None:
    column: Column = written(tmp_path / "a", NUMBERS).column("numbers")
    with pytest.raises(ValueError):
        column[::2]
    with pytest.raises(ValueError):
        column[np.array([-1])]
