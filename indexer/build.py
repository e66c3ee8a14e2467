"""build_index: archive files -> a committed index, with one worker process a core.

Here is what frames a run: the lock, the generation that is written, Ctrl-C, a full disk. indexer.coordinator runs it.
"""

from __future__ import annotations

import errno
import gc
import logging
import os
import shutil
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from indexer.coordinator import Run
from indexer.ledger import Statistics, statistics_of
from indexer.options import AtOnce, IndexOptions, Progress
from indexer.store import disk
from indexer.store.catalogue import FILE_NAME
from indexer.store.errors import (
    DiskFullError,
    IndexMissingError,
    IndexNotWritableError,
    is_disk_full,
)
from indexer.store.layout import folder_before, live_folder, make_live, next_folder, remove_leftovers
from indexer.store.lock import writer_lock
from indexer.store.opened import OpenedIndex
from indexer.store.removal import carry_over
from indexer.store.writer import IndexWriter
from indexer.worker import COLLECTED_AFTER

log = logging.getLogger(__name__)

__all__ = ["IndexOptions", "Progress", "build_index"]


def build_index(
    paths: list[str],
    index_dir: str,
    *,
    options: IndexOptions | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Statistics:
    """Index archive files and return the totals of the whole index.

    Files that are in the index and unchanged are passed over; grown or changed ones are read anew.
    A file that is in the index and cannot be read now keeps what is held of it, with a line in Progress.problems.
    Ctrl-C ends the run in order: what was read is committed, then KeyboardInterrupt is raised; a second one ends it
    at once, which loses what is not yet committed and nothing else.
    Raises WriterLockedError, DiskFullError, IndexNotWritableError, IndexVersionError, IndexCorruptError, WorkerError.
    """
    options = options or IndexOptions()
    with (
        told_by_errors_of_ours(index_dir),
        writer_lock(index_dir),
        deferred_interrupt() as interrupted,
        rare_collections(),
    ):
        folder = _folder_to_write(index_dir, options)
        try:
            _write(folder, index_dir, paths, options, progress, interrupted)
        except BaseException:
            if options.rebuild:
                shutil.rmtree(folder, ignore_errors=True)  # its room may be what the disk lacks
            raise
        if options.rebuild:
            make_live(index_dir, folder)
        remove_leftovers(index_dir)
    return _totals(index_dir)


def _totals(index_dir: str) -> Statistics:
    """Return the totals of the index as it is now; nothing is imported for it that only searching needs."""
    with closing(OpenedIndex(index_dir)) as opened:
        snapshot = opened.current()
        try:
            with snapshot.reading():
                return statistics_of(snapshot)
        except sqlite3.Error as error:
            raise opened.translated(error) from error


def _write(
    folder: str,
    index_dir: str,
    paths: list[str],
    options: IndexOptions,
    progress: Callable[[Progress], None] | None,
    interrupted: Callable[[], bool],
) -> None:
    """Index archive files into a generation."""
    writer = IndexWriter(folder, options.ranking)
    try:
        if options.rebuild:
            if lost := carry_over(folder_before(index_dir, folder), writer):
                log.warning("%s", lost)
        elif _is_new(index_dir):
            make_live(index_dir, folder)
        with Run(writer, index_dir, options, progress, interrupted) as run:
            run.index([os.fspath(path) for path in paths])
        writer.merge(stop=interrupted)
        writer.pack(stop=interrupted)
        if interrupted():
            raise KeyboardInterrupt
    except sqlite3.Error as error:
        raise writer.catalogue.translated(error) from error
    finally:
        writer.close()


@contextmanager
def told_by_errors_of_ours(index_dir: str) -> Iterator[None]:
    """Let errors of the file system that a user can mend come out as errors of the index."""
    try:
        yield
    except OSError as error:
        if is_disk_full(error):
            raise DiskFullError(
                f"{index_dir}: no space left on the disk; free some and run again, nothing committed is lost"
            ) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise IndexNotWritableError(
                f"{error.filename or index_dir}: cannot be written: {error.strerror}"
            ) from error
        raise


@contextmanager
def deferred_interrupt() -> Iterator[Callable[[], bool]]:
    """Give a function that tells whether Ctrl-C was pressed; only the second one raises KeyboardInterrupt.

    An exception in the midst of a commit, or of a message to a worker, would leave half of it done. Where somebody
    else handles the signal, or outside the main thread, things stay as they are.
    """
    asked = False

    def handle(number: int, frame: object) -> None:
        nonlocal asked
        if asked:
            raise AtOnce
        asked = True

    ours = threading.current_thread() is threading.main_thread() and (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if ours:
        signal.signal(signal.SIGINT, handle)
    try:
        yield lambda: asked
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Have Python look for objects that refer to each other in a circle less often: a commit makes none."""
    before = gc.get_threshold()
    gc.set_threshold(*COLLECTED_AFTER)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _is_new(index_dir: str) -> bool:
    try:
        live_folder(index_dir)
    except IndexMissingError:
        return True
    return False


def _folder_to_write(index_dir: str, options: IndexOptions) -> str:
    if options.rebuild or _is_new(index_dir):
        folder = next_folder(index_dir)
        disk.make_folder(folder)
        return folder
    folder = live_folder(index_dir)
    if not os.path.exists(os.path.join(folder, FILE_NAME)):
        raise IndexMissingError(
            f"{folder}/{FILE_NAME}: this file of the index is missing; index the archives again with --rebuild"
        )
    return folder
