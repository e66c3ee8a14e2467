"""One merge as a task: several segments with their links and weights -> new files that no commit knows yet.

Any process can do it beside the writer, which makes the result part of the index (IndexWriter.commit_merge). Versions
that are removed meanwhile are removed from the result then.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.store import disk
from indexer.store.bm25f import Ranking
from indexer.store.layout import links_path, segment_path
from indexer.store.links import Links, merge_links
from indexer.store.merging import merge_segments
from indexer.store.segment import Segment
from indexer.store.weights import write_weights

Places = list[NDArray[np.int64]]
"""For each segment the new ordinals of its versions, -1 for those that were dropped."""


@dataclass(frozen=True, slots=True)
class MergeTask:
    """What to merge. numbers, dead: of the segments, and the versions to leave out of each.

    name: of the new files, without an ending. ranking, means: to weigh the result by; None when it is weighed later.
    """

    folder: str
    name: str
    numbers: tuple[int, ...]
    dead: tuple[tuple[int, ...], ...]
    ranking: Ranking | None = None
    means: tuple[float, ...] = ()

    @property
    def files(self) -> tuple[str, str, str]:
        """Paths of the new segment, its links, and its weights."""
        base = os.path.join(self.folder, self.name)
        return f"{base}.new", f"{base}.links.new", f"{base}.w.new"

    def discard(self) -> None:
        """Remove what was written of it."""
        for path in self.files:
            disk.remove(path)


def run_merge(task: MergeTask) -> Places:
    """Write the new files, synced, and return the places of the versions. Bounded memory.

    Raises IndexCorruptError when what is merged does not fit its checksums, DiskFullError.
    """
    segments = [Segment(segment_path(task.folder, number)) for number in task.numbers]
    path, links, weights = task.files
    places = merge_segments(path, segments, task.dead)
    merge_links(
        links,
        [
            Links(links_path(task.folder, number), len(segment))
            for number, segment in zip(task.numbers, segments, strict=True)
        ],
        places,
    )
    if task.ranking is not None:
        write_weights(weights, Segment(path), task.ranking, np.asarray(task.means))
    return places
