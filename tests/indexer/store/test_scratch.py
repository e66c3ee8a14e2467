"""Arrays in files without a name."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest

from indexer.store.scratch import in_scratch_file

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
