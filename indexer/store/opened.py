"""One index folder, open for reading: always its newest committed state, whatever is written, merged or rebuilt."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable

from archiver.errors import FindingAidError
from indexer.store.catalogue import Catalogue
from indexer.store.errors import IndexError_
from indexer.store.files import Places
from indexer.store.layout import CURRENT, live_folder
from indexer.store.snapshot import Snapshot

ATTEMPTS = 20  # how often to look again when a writer replaces what is being read


class OpenedIndex:
    """The index in one folder. Safe from many threads."""

    def __init__(self, index_dir: str) -> None:
        self.index_dir = index_dir
        self._current = f"{index_dir}/{CURRENT}"
        self._lock = threading.Lock()
        self._folder = ""
        self._live: tuple[tuple[int, ...], str] = (), ""  # what told the live generation, and what it told
        self._catalogue: Catalogue | None = None
        self._snapshot: Snapshot | None = None
        self._places: Places | None = None
        self._watched = -1
        self._state_at_rest: tuple[int, ...] | None = None

    def close(self) -> None:
        """Close the files of the index."""
        with self._lock:
            if self._catalogue is not None:
                self._catalogue.close()
            self._catalogue = self._snapshot = self._places = None
            self._folder = ""

    def rest(self) -> None:
        """Close the connections to SQLite, which no process split from this one may have; all else stays at hand.

        What is asked for next opens new ones, and begins anew where the index has changed meanwhile. To be called while
        nobody reads. Raises the errors of indexer.store.errors.
        """
        catalogue = self.current().catalogue
        state = catalogue.settled_state()
        is_newest = self.current().catalogue is catalogue  # that of this state
        with self._lock:
            catalogue.disconnect()
            self._watched = -1
            self._state_at_rest = state if is_newest else None

    def current(self) -> Snapshot:
        """Return the newest committed state, opening it if it is not the one at hand.

        Raises the errors of indexer.store.errors.
        """
        for _ in range(ATTEMPTS):
            folder = self._live_folder()
            try:
                return self._newest_of(folder)
            except (FindingAidError, sqlite3.Error, RuntimeError) as error:
                # a rebuild may have removed this generation after we read its name
                if live_folder(self.index_dir) == folder:
                    raise self.translated(error) from error
        raise IndexError_(f"{self.index_dir}: replaced again and again while it was opened; try again later")

    def _live_folder(self) -> str:
        """Return the folder of the live generation, read anew when another file says so than at the last look."""
        try:
            found = os.stat(self._current)  # asked for by every query
        except OSError:
            return live_folder(self.index_dir)  # which tells what is wrong
        state = (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size)
        known, folder = self._live
        if known != state:
            folder = live_folder(self.index_dir)
            self._live = state, folder
        return folder

    def _newest_of(self, folder: str) -> Snapshot:
        with self._lock:
            if self._catalogue is None or folder != self._folder or self._catalogue.outdated():
                # an older catalogue is left to the threads that still read it
                self._catalogue, self._folder, self._snapshot = Catalogue(folder), folder, None
                self._places = Places(self._catalogue, self.index_dir)
                self._watched, self._state_at_rest = -1, None
            # data_version belongs to a connection: always the same one is asked
            changes = self._catalogue.watched_changes()
            if self._state_at_rest is not None:
                if self._catalogue.settled_state() == self._state_at_rest:
                    self._watched = changes
                self._state_at_rest = None
            if self._snapshot is None or changes != self._watched:
                self._catalogue.verify()
                self._snapshot = Snapshot(self._catalogue)
                self._watched = changes
            snapshot = self._snapshot
        snapshot.catalogue.connection()  # this thread's own, opened while the files are there for sure
        return snapshot

    def translated(self, error: Exception) -> Exception:
        """Return the error of ours that stands for one of SQLite; others as they are."""
        if isinstance(error, sqlite3.Error) and self._catalogue is not None:
            return self._catalogue.translated(error)
        return error

    def now(self, whole: str) -> str:
        """Return the path to open for an archive file that the index knows by its whole path."""
        places = self._places
        return places.now(whole) if places is not None else whole

    def check(self, progress: Callable[[str], None] | None = None) -> list[str]:
        """Return one line for each problem found in the files of the index; empty when it is sound."""
        from indexer.store.checking import check_generation

        folder = live_folder(self.index_dir)
        problems = check_generation(folder, progress)
        while problems and live_folder(self.index_dir) != folder:
            # a rebuild has removed what was being checked
            folder = live_folder(self.index_dir)
            problems = check_generation(folder, progress)
        return problems
