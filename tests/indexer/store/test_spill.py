from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from indexer import DiskFullError
from indexer.store.arrayfile import ArrayFile, write_arrays
from indexer.store.spill import Spilled, SpillFile

CHUNKS = [np.arange(5), np.arange(0), np.arange(9)]
NUMBERS = [*range(5), *range(9)]


@pytest.mark.parametrize("in_memory", [False, True])
def test_columns_that_share_a_file_come_back_as_often_as_asked(tmp_path: Path, in_memory: bool) -> None:
    file = None if in_memory else SpillFile(str(tmp_path))
    small, large = Spilled(file, np.uint8), Spilled(file, np.uint32)
    for chunk in CHUNKS:
        small.append(chunk)
        large.append(chunk + 70_000)
    assert os.listdir(tmp_path) == []  # the file has no name
    for _ in range(2):
        assert np.concatenate(list(small)).tolist() == NUMBERS
        assert np.concatenate(list(large)).tolist() == [number + 70_000 for number in NUMBERS]


@pytest.mark.parametrize("chunks", [CHUNKS, []])
def test_a_spilled_column_is_written_as_one_array(tmp_path: Path, chunks: list[np.ndarray]) -> None:
    column = Spilled(SpillFile(str(tmp_path)), np.uint32)
    for chunk in chunks:
        column.append(chunk)
    write_arrays(str(tmp_path / "a"), "test", {}, {"numbers": column, "behind": np.ones(3, dtype=np.uint8)})
    read = ArrayFile(str(tmp_path / "a"), "test")
    assert read.problems() == []
    assert read.array("numbers").dtype == np.uint32
    assert read.array("numbers").tolist() == (NUMBERS if chunks else [])
    assert read.array("behind").tolist() == [1, 1, 1]


def test_a_full_disk_is_named_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("indexer.store.spill.tempfile.TemporaryFile", full)
    with pytest.raises(DiskFullError, match="no space left on the disk to merge segments"):
        Spilled(SpillFile(str(tmp_path)), np.uint8).append(np.arange(3))
