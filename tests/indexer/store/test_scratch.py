"""Arrays in files without a name."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest

from indexer.store import scratch
from indexer.store.scratch import ScratchRooms, in_scratch_file

ARRAYS = (
    np.arange(5, dtype=np.uint8),
    np.array([], dtype=np.uint32),
    np.arange(6, dtype="<u4").reshape(2, 3),
)


def test_arrays_come_back_the_same_and_leave_nothing_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mapped = in_scratch_file(*ARRAYS)
    for before, after in zip(ARRAYS, mapped, strict=True):
        assert after is not before and not after.flags.writeable
        assert after.dtype == before.dtype and after.tolist() == before.tolist()
    assert list(tmp_path.iterdir()) == []


def test_without_a_folder_to_write_in_arrays_stay_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    assert all(after is before for before, after in zip(ARRAYS, in_scratch_file(*ARRAYS), strict=True))


def test_rooms_lie_one_behind_the_other_and_may_be_written_to() -> None:
    rooms = ScratchRooms()
    some = [rooms.room(size) for size in (1, 64, 65, 5 << 20, 100)]
    for number, room in enumerate(some):
        room[:] = number
    assert [len(room) for room in some] == [1, 64, 65, 5 << 20, 100]
    assert all((room == number).all() for number, room in enumerate(some))
    assert all(room.__array_interface__["data"][0] % 64 == 0 for room in some)


def test_rooms_are_in_memory_where_there_can_be_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scratch.os, "posix_fallocate", refuse)
    room = ScratchRooms().room(100)
    room[:] = 7
    assert len(room) == 100
