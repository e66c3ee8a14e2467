"""What is done to an index besides reading archives into it: remove, restore, optimize. Each is the one writer."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from indexer.build import deferred_interrupt, told_by_errors_of_ours
from indexer.store.bm25f import Ranking
from indexer.store.layout import live_folder
from indexer.store.lock import writer_lock
from indexer.store.removal import Removal, count_named, lift, removal_for, remove
from indexer.store.writer import IndexWriter


@dataclass(frozen=True, slots=True)
class Optimized:
    """What optimizing did; sizes are those of all files of the index."""

    segments_before: int
    segments: int
    bytes_before: int
    bytes: int
    dropped_versions: int


def remove_from_index(
    index_dir: str,
    kind: str,
    target: str,
    *,
    reason: str = "",
    who: str = "",
    ranking: Ranking | None = None,
    confirm: Callable[[int, int], bool] = lambda captures, pages: True,
) -> Removal | None:
    """Take a page ("url"), a site ("site": a host and all below it) or an archive ("file") out of an index.

    It is gone from all answers at once, from the segments at the next merge, and stays out when files are read again.
    confirm: asked with the numbers of captures and pages; None is returned when it says no.
    Raises ValueError for a target that names nothing, NothingToRemoveError, and the errors of build_index.
    """
    wanted = removal_for(kind, target, reason=reason, who=who)
    with _writing(index_dir, ranking) as (writer, _):
        if not confirm(*count_named(writer, wanted)):
            return None
        return remove(writer, wanted)


def restore_to_index(
    index_dir: str, kind: str, target: str, *, ranking: Ranking | None = None
) -> list[Removal]:
    """Lift removals, and return them; the next run that names their files reads what was taken out again."""
    wanted = removal_for(kind, target)
    with _writing(index_dir, ranking) as (writer, _):
        return lift(writer, wanted)


def optimize_index(
    index_dir: str,
    *,
    ranking: Ranking | None = None,
    progress: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> Optimized:
    """Merge segments as far as their bounds allow, drop what was removed for good, and pack the catalogue.

    Readers work beside it. progress: called with a step, and how many of how many are done. Ctrl-C ends it in order:
    what was merged is kept, then KeyboardInterrupt is raised.
    """
    with _writing(index_dir, ranking) as (writer, interrupted):
        before, size_before = len(writer.segments()), _size(writer.folder)
        dead = sum(len(entry["dead"]) for entry in writer.segments())
        writer.merge(stop=interrupted, all_of_it=True, progress=progress)
        if not interrupted():
            progress("packing the catalogue", 0, 1)
            writer.catalogue.pack(stop=interrupted)
        if interrupted():
            raise KeyboardInterrupt
        progress("packing the catalogue", 1, 1)
        left = sum(len(entry["dead"]) for entry in writer.segments())
        return Optimized(before, len(writer.segments()), size_before, _size(writer.folder), dead - left)


@contextmanager
def _writing(index_dir: str, ranking: Ranking | None) -> Iterator[tuple[IndexWriter, Callable[[], bool]]]:
    """Give the writer of an index that is there, and what tells whether Ctrl-C was pressed."""
    live_folder(index_dir)  # before the lock makes a folder where there is no index
    with told_by_errors_of_ours(index_dir), writer_lock(index_dir), deferred_interrupt() as interrupted:
        writer = IndexWriter(live_folder(index_dir), ranking or Ranking())
        try:
            yield writer, interrupted
        except sqlite3.Error as error:
            raise writer.catalogue.translated(error) from error
        finally:
            writer.close()


def _size(folder: str) -> int:
    return sum(entry.stat().st_size for entry in os.scandir(folder) if entry.is_file())
