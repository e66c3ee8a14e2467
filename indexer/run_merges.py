"""The merges of an index run: which are due, and for which of them there is room beside others."""

from __future__ import annotations

from collections.abc import Sequence

from indexer.store.entries import Entry
from indexer.store.merge_task import MergeTask
from indexer.store.plans import can_wait, full_group, last_groups
from indexer.store.writer import IndexWriter

_MERGED_AT_ONCE = 60_000_000  # occurrences of segments that are merged at the same time
_FAILED_AT_MOST = (
    3  # workers lost while they merge, before the process of the writer does it itself at the end
)


class RunMerges:
    """Makes the tasks; who does them is up to the run."""

    def __init__(self, writer: IndexWriter, run_name: str) -> None:
        self._writer, self._run_name = writer, run_name
        self.begun = self._failed = 0
        self._makers: dict[int, str] = {}  # of each segment of this run, the worker

    @property
    def are_given_up(self) -> bool:
        """Have too many workers been lost at it?"""
        return self._failed >= _FAILED_AT_MOST

    def when_full(self, growth: float, workers: int) -> MergeTask | None:
        """Return the merge of small segments that fill a large one; None while there are not enough.

        Also when all that is small at the end can be merged then by all workers at once, so that none is alone at it.
        growth: by how much that will have grown.
        """
        segments = self._writer.segments()
        if self.are_given_up or can_wait(segments, growth, workers, _MERGED_AT_ONCE):
            return None
        group = full_group(segments)
        return self.task(group, with_weights=True) if group else None

    def note_made(self, makers: Sequence[str]) -> None:
        """Note which workers have made the last segments that were committed."""
        if makers:
            numbers = [entry["number"] for entry in self._writer.segments()[-len(makers) :]]
            self._makers.update(zip(numbers, makers, strict=True))

    def at_the_end(self, workers: int) -> list[list[Entry]]:
        """Return the groups of segments to be merged when all is read: what a worker has made stands together.

        Whoever merges what it has made itself knows the stems of its words.
        """
        segments = sorted(self._writer.segments(), key=lambda entry: self._makers.get(entry["number"], ""))
        return last_groups(segments, workers)

    def made_by(self, worker: str, group: Sequence[Entry]) -> int:
        """Return how many segments of a group a worker has made."""
        return sum(self._makers.get(entry["number"]) == worker for entry in group)

    def task(self, group: Sequence[Entry], *, with_weights: bool = False) -> MergeTask:
        """Return the merge of a group, to be given to a worker."""
        self.begun += 1
        name = f"{self._run_name}-m{self.begun}"
        return self._writer.merge_task(group, name, with_weights=with_weights)

    def has_room_for(self, group: Sequence[Entry], at_work: Sequence[MergeTask]) -> bool:
        """Return whether memory allows another merge beside those at work: what it takes grows with what is merged."""
        busy = {number for task in at_work for number in task.numbers}
        beside = sum(sum(entry["sums"]) for entry in self._writer.segments() if entry["number"] in busy)
        return not busy or beside + sum(sum(entry["sums"]) for entry in group) <= _MERGED_AT_ONCE

    def fail(self, task: MergeTask) -> None:
        """Note that the worker at a merge is gone: the segments are as they were, the end of the run merges them."""
        self._failed += 1
        task.discard()
