"""Segments are merged while a run goes on, by its workers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from faults import run_in_one_process
from shelf import answers, write_shelf

import indexer.worker
from indexer import IndexCorruptError, IndexOptions, build_index, open_index
from indexer.coordinator import Run
from indexer.run_merges import RunMerges
from indexer.store import plans
from indexer.store.fold import FoldTask, WeighTask
from indexer.store.merge_task import MergeTask, run_merge
from indexer.store.writer import IndexWriter

TWO = IndexOptions(workers=2)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    run_in_one_process(monkeypatch, batch_pages=5)
    return write_shelf(tmp_path / "shelf", files=4, pages=22)


@pytest.fixture
def whole(tmp_path: Path, shelf: list[str]) -> dict[str, Any]:
    """What an index answers that was merged at the end alone."""
    build_index(shelf, str(tmp_path / "whole"), options=TWO)
    return answers(tmp_path / "whole")


@pytest.fixture
def merges(whole: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of live segments after each merge."""
    monkeypatch.setattr(plans, "MERGE_VERSIONS", 20)
    counts: list[int] = []
    commit_merge = IndexWriter.commit_merge

    def counted(writer: IndexWriter, *arguments: Any) -> None:
        commit_merge(writer, *arguments)
        counts.append(len(writer.segments()))

    monkeypatch.setattr(IndexWriter, "commit_merge", counted)
    return counts


def sound_answers(index: Path) -> dict[str, Any]:
    with open_index(str(index)) as opened:
        assert opened.check() == []
    return answers(index)


def test_segments_stay_few_and_the_answers_are_the_same(
    tmp_path: Path, shelf: list[str], whole: dict[str, Any], merges: list[int]
) -> None:
    build_index(shelf, str(tmp_path / "index"), options=TWO)
    assert len(merges) >= 4 and max(merges) <= 13, "of 18 batches"
    assert sound_answers(tmp_path / "index") == whole


def test_the_last_merges_are_chosen_once(
    tmp_path: Path,
    shelf: list[str],
    whole: dict[str, Any],
    merges: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A merge that is begun beside them would take their segments away."""
    when_full, merge_the_rest = RunMerges.when_full, Run._merge_the_rest
    at_the_end: list[int] = []  # merges until then
    asked_at_the_end: list[int] = []

    def asked(self: RunMerges, growth: float, workers: int) -> MergeTask | None:
        asked_at_the_end.extend(at_the_end)
        return when_full(self, growth, workers)

    def last(run: Run) -> None:
        at_the_end.append(len(merges))
        merge_the_rest(run)

    monkeypatch.setattr(RunMerges, "when_full", asked)
    monkeypatch.setattr(Run, "_merge_the_rest", last)
    build_index(shelf, str(tmp_path / "index"), options=TWO)
    assert at_the_end[0] < len(merges) and asked_at_the_end == []
    assert sound_answers(tmp_path / "index") == whole


def test_the_last_merges_are_shared_and_workers_merge_what_they_made(
    tmp_path: Path, shelf: list[str], whole: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plans, "LEAST_PART", 1)
    ask, own = Run._ask_to_merge, []

    def asked(run: Run, task: MergeTask, worker: Any) -> None:
        group = [entry for entry in run._writer.segments() if entry["number"] in task.numbers]
        own.append((run._merges.made_by(worker.name, group), len(group)))
        ask(run, task, worker)

    monkeypatch.setattr(Run, "_ask_to_merge", asked)
    build_index(shelf, str(tmp_path / "index"), options=TWO)
    assert len(own) == 2 and any(made == count for made, count in own)
    assert sound_answers(tmp_path / "index") == whole
    # a run that brings nothing leaves them as they are, one that brings a page does not write them anew
    build_index(shelf, str(tmp_path / "index"), options=TWO)
    more = write_shelf(tmp_path / "more", files=1, pages=1)
    build_index([*shelf, *more], str(tmp_path / "index"), options=TWO)
    assert len(own) == 2


def test_a_worker_that_dies_at_a_merge_costs_nothing(
    tmp_path: Path,
    shelf: list[str],
    whole: dict[str, Any],
    merges: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deaths: list[str] = []

    def die_twice(task: MergeTask) -> Any:
        if len(deaths) < 2:
            deaths.append(task.name)
            Path(task.files[0]).write_bytes(b"half a segment")
            raise EOFError
        return run_merge(task)

    monkeypatch.setattr(indexer.worker, "run_merge", die_twice)
    build_index(shelf, str(tmp_path / "index"), options=TWO)
    assert len(deaths) == 2 and merges
    assert sound_answers(tmp_path / "index") == whole
    assert not list((tmp_path / "index" / "g1").glob("*.new"))


def test_when_no_worker_can_merge_the_run_does_it_itself(
    tmp_path: Path,
    shelf: list[str],
    whole: dict[str, Any],
    merges: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def die(task: MergeTask) -> Any:
        raise EOFError

    monkeypatch.setattr(indexer.worker, "run_merge", die)
    build_index(shelf, str(tmp_path / "index"), options=TWO)
    assert merges
    assert sound_answers(tmp_path / "index") == whole


@pytest.mark.parametrize("at", [FoldTask, WeighTask])
def test_a_worker_that_dies_at_the_last_tasks_costs_nothing(
    tmp_path: Path,
    shelf: list[str],
    whole: dict[str, Any],
    merges: list[int],
    monkeypatch: pytest.MonkeyPatch,
    at: type[FoldTask] | type[WeighTask],
) -> None:
    run, deaths = at.run, []

    def die_once(task: Any) -> None:
        run(task)
        if not deaths:
            deaths.append(task)
            raise EOFError

    monkeypatch.setattr(at, "run", die_once)
    build_index(shelf, str(tmp_path / "index"), options=TWO)
    assert len(deaths) == 1
    assert sound_answers(tmp_path / "index") == whole
    assert not list((tmp_path / "index" / "g1").glob("*.new"))


def test_a_damaged_segment_is_not_merged_into_a_sound_one(
    tmp_path: Path, shelf: list[str], merges: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = IndexWriter.commit

    def commit_then_damage(writer: IndexWriter, *given: Any) -> None:
        commit(writer, *given)
        for path in sorted(Path(writer.folder).glob("*.seg"))[:1]:
            with path.open("r+b") as file:  # in place: a worker may open it meanwhile
                file.seek(-200, os.SEEK_END)
                file.write(bytes(200))

    monkeypatch.setattr(IndexWriter, "commit", commit_then_damage)
    with pytest.raises(IndexCorruptError, match="checksum"):
        build_index(shelf, str(tmp_path / "index"), options=TWO)
