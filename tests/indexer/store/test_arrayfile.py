from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as of_numpy

from indexer import IndexCorruptError
from indexer.store.arrayfile import ArrayFile, string_at, strings_to_arrays, write_arrays

TYPES = st.sampled_from(["|u1", "<u2", "<u4", "<u8"])
ARRAYS = TYPES.flatmap(
    lambda name: of_numpy.arrays(
        np.dtype(name), st.one_of(st.tuples(st.integers(0, 70)), st.tuples(st.integers(0, 9), st.just(10)))
    )
)


@settings(deadline=None)  # the machine may be busy
@given(st.lists(ARRAYS, max_size=5), st.dictionaries(st.text(max_size=9), st.integers(), max_size=3))
def test_arrays_come_back_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, arrays: list[np.ndarray], meta: dict[str, int]
) -> None:
    path = str(tmp_path_factory.getbasetemp() / "arrays")
    write_arrays(path, "test", meta, {f"array {n}": array for n, array in enumerate(arrays)})
    read = ArrayFile(path, "test")
    assert read.problems() == [] and read.meta == meta
    for number, array in enumerate(arrays):
        found = read.array(f"array {number}")
        assert found.dtype == array.dtype and found.shape == array.shape and (found == array).all()
        assert not found.flags.writeable


def test_an_array_may_come_in_chunks(tmp_path: Path) -> None:
    chunks = [np.arange(5, dtype=np.uint32), np.arange(0, dtype=np.uint32), np.arange(9, dtype=np.uint32)]
    write_arrays(str(tmp_path / "a"), "test", {}, {"numbers": chunks})  # type: ignore[dict-item]
    assert ArrayFile(str(tmp_path / "a"), "test").array("numbers").tolist() == [*range(5), *range(9)]


def test_eight_bytes_can_be_loaded_at_the_last_byte(tmp_path: Path) -> None:
    write_arrays(str(tmp_path / "a"), "test", {}, {"bytes": np.full(64, 0xAB, dtype=np.uint8)})
    view = ArrayFile(str(tmp_path / "a"), "test").eight_bytes_at_each("bytes")
    assert int(view[0]) == 0xABABABABABABABAB and int(view[63]) == 0xAB and int(view[64]) == 0


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    write_arrays(str(tmp_path / "a"), "weights", {}, {})
    with pytest.raises(IndexCorruptError, match="'weights', expected .* 'segment'"):
        ArrayFile(str(tmp_path / "a"), "segment")


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    write_arrays(str(tmp_path / "a"), "test", {}, {})
    opened = ArrayFile(str(tmp_path / "a"), "test")
    with pytest.raises(IndexCorruptError, match="'pairs'"):
        opened.meta["pairs"]
    with pytest.raises(IndexCorruptError, match="'words'"):
        opened.array("words")


def test_an_open_file_outlives_its_name(tmp_path: Path) -> None:
    write_arrays(str(tmp_path / "a"), "test", {}, {"numbers": np.arange(9, dtype=np.uint16)})
    opened = ArrayFile(str(tmp_path / "a"), "test")
    os.remove(tmp_path / "a")
    assert opened.array("numbers").tolist() == [*range(9)] and opened.problems() == []


def test_no_half_written_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(handle: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError):
        write_arrays(str(tmp_path / "a"), "test", {}, {})
    assert os.listdir(tmp_path) == []


@given(st.lists(st.text()))
def test_strings_come_back(strings: list[str]) -> None:
    ends, data = strings_to_arrays(strings)
    assert [string_at(ends, data, place) for place in range(len(strings))] == strings
