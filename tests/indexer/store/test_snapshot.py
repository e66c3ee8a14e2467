"""The committed state of an index as readers see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from indexer.store import checking, snapshot
from indexer.store.errors import IndexMissingError
from indexer.store.snapshot import _twice, distinct
from tests.indexer.making import DirectIndex
from tests.indexer.plain import PlainVersion


@pytest.mark.parametrize("gap", [1, 1000])
def test_numbers_that_are_there_twice_are_found_with_and_without_gaps_between_them(gap: int) -> None:
    numbers = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]
    twice = _twice(np.array(numbers, dtype=np.uint32) * np.uint32(gap))
    assert twice.tolist() == [1 * gap, 3 * gap, 5 * gap]
    assert distinct(np.array(numbers, dtype=np.uint32) * np.uint32(gap)) == len(set(numbers))
    assert distinct(np.array([], dtype=np.uint32)) == 0
    assert _twice(np.array([], dtype=np.uint32)).tolist() == _twice(np.array([7 * gap])).tolist() == []


@pytest.mark.parametrize("place", [snapshot.Snapshot, checking], ids=["reading", "checking"])
def test_an_index_opens_however_often_a_merge_takes_a_file_away_before_it_is_opened(
    place: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, written = place._open, 0

    with DirectIndex(tmp_path) as made:

        def add() -> None:
            nonlocal written
            written += 1
            made.add(f"{written}.warc", [PlainVersion(url=f"http://a.example/{written}", title="heron")])

        def outrun(*given: Any) -> Any:
            if written < 30:
                add()
                raise IndexMissingError("taken away")
            return opened(*given)

        add()
        monkeypatch.setattr(place, "_open", outrun)
        if place is checking:
            assert checking.check_generation(str(tmp_path)) == []
        else:
            assert made.snapshot().versions == 30


@pytest.mark.parametrize("place", [snapshot.Snapshot, checking], ids=["reading", "checking"])
def test_a_file_that_no_merge_took_away_is_told(
    place: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*given: Any) -> Any:
        raise IndexMissingError("is lost")

    with DirectIndex(tmp_path) as made:
        made.add("a.warc", [PlainVersion(url="http://a.example/", title="heron")])
        monkeypatch.setattr(place, "_open", gone)
        if place is checking:
            assert checking.check_generation(str(tmp_path)) == ["is lost"]
        else:
            with pytest.raises(IndexMissingError, match="is lost"):
                made.snapshot()
