"""Arrays in files without a name."""

from __future__ import annotations

import os
import tempfile
from ctypes import string_at
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


def test_rooms_lie_one_behind_the_other_and_hold_what_is_written_to_them() -> None:
    rooms = ScratchRooms()
    sizes = (1, 64, 65, 5 << 20, 100)
    some = [rooms.room(size) for size in sizes]
    for number, (room, size) in enumerate(zip(some, sizes, strict=True)):
        room.write(np.full(size, number, dtype=np.uint8))
    for number, (room, size) in enumerate(zip(some, sizes, strict=True)):
        assert string_at(room.address, size) == bytes([number]) * size
        assert room.address % 64 == 0


def test_a_file_of_rooms_is_closed_when_they_are_written_and_others_come_from_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed: list[int] = []
    close = scratch.os.close
    monkeypatch.setattr(scratch.os, "close", lambda handle: (closed.append(handle), close(handle)))
    rooms = ScratchRooms()
    first, second = rooms.room(100), rooms.room(100)
    rooms.room(5 << 20)
    first.write(np.full(100, 1, dtype=np.uint8))
    assert closed == []
    second.write(np.full(100, 2, dtype=np.uint8))
    assert len(closed) == 1
    assert string_at(first.address, 100) + string_at(second.address, 100) == b"\1" * 100 + b"\2" * 100


def test_bytes_that_cannot_be_written_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    room = ScratchRooms().room(100)
    monkeypatch.setattr(scratch.os, "pwrite", lambda *_: 50)
    with pytest.raises(OSError, match="cannot be written"):
        room.write(np.zeros(100, dtype=np.uint8))


def test_rooms_are_in_memory_where_there_can_be_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scratch.os, "posix_fallocate", refuse)
    room = ScratchRooms().room(100)
    room.write(np.full(100, 7, dtype=np.uint8))
    assert string_at(room.address, 100) == b"\7" * 100


def test_a_process_writes_to_no_file_of_the_one_that_it_was_split_from() -> None:
    rooms = ScratchRooms()
    rooms.room(100).write(np.full(100, 1, dtype=np.uint8))
    pid = os.fork()
    if not pid:
        rooms.room(100).write(np.full(100, 2, dtype=np.uint8))
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    room = rooms.room(100)
    assert string_at(room.address, 100) == bytes(100)
    room.write(np.full(100, 3, dtype=np.uint8))
    assert string_at(room.address, 100) == b"\3" * 100
