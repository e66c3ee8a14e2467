"""The catalogue: the one SQLite file that says what an index holds.

Small maps (format, live segments, ledger, removed versions) are kept by sqlitedict in the
table `catalogue`, encoded as JSON, never pickle. Addresses, versions and captures are plain
tables of the same file, for range scans and bulk inserts. Both go through one connection, so
that a commit is one transaction: all of it is there after a crash, or nothing.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from archiver.errors import FindingAidError
from archiver.memory import give_memory_back
from archiver.sqlite_files import BUSY_S, write_ahead
from indexer.store import disk
from indexer.store.arrayfile import FORMAT_VERSION
from indexer.store.compact import add_functions
from indexer.store.errors import (
    DiskFullError,
    IndexCorruptError,
    IndexError_,
    IndexMissingError,
    IndexNotWritableError,
    IndexVersionError,
    is_disk_full,
)
from indexer.store.handles import connect
from indexer.store.pages import has_checksums, verify_pages, writing_vfs
from indexer.store.payloads import DIGEST_END, PAYLOAD_END

if TYPE_CHECKING:
    from indexer.store.dictionary import Dictionary

FILE_NAME = "catalogue.sqlite"
# Rows of a batch go to pages all over the indexes: what is kept at hand, and how much may stand in the journal before
# its pages go to the file, each sealed anew.
_WRITING_KIB, _JOURNAL_PAGES = 24_000, 6_000
_PACKING_KIB = 2_000  # packing reads and writes each page once, in two files that are kept at hand alike
_EMPTYING_MS = 2_000  # how long the end of a run waits for readers to be done with the journal
_SETTLES_NS = 2_000_000_000  # after so long another change has another time on every file system

_TABLES = f"""
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL, whole TEXT NOT NULL UNIQUE);
CREATE TABLE folders (id INTEGER PRIMARY KEY, prefix TEXT NOT NULL UNIQUE);
CREATE TABLE addresses (id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, name TEXT NOT NULL, written NOT NULL,
    page INTEGER NOT NULL);
CREATE INDEX addresses_by_name ON addresses (folder, name);
CREATE INDEX addresses_by_page ON addresses (page);
CREATE VIEW urls AS SELECT a.id, address(f.prefix || a.name, a.written) AS url, f.prefix || a.name AS urlkey, a.page,
    sort_key(address(f.prefix || a.name, a.written)) AS sort_key FROM addresses a JOIN folders f ON f.id = a.folder;
CREATE TABLE versions (id INTEGER PRIMARY KEY, url INTEGER NOT NULL, digest BLOB NOT NULL, place INTEGER NOT NULL,
    title TEXT);
CREATE INDEX versions_by_digest ON versions ({DIGEST_END.format("digest")}, url);
CREATE TABLE kinds (id INTEGER PRIMARY KEY, status INTEGER NOT NULL, mime TEXT NOT NULL);
CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE capture_rows (id INTEGER PRIMARY KEY, url INTEGER NOT NULL, time INTEGER NOT NULL, kind INTEGER NOT NULL,
    payload, file INTEGER NOT NULL, member INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL,
    inner INTEGER NOT NULL, version INTEGER, refers_to TEXT, copy INTEGER NOT NULL DEFAULT 0);
CREATE INDEX captures_by_url ON capture_rows (url, time);
CREATE INDEX copies ON capture_rows (url, time) WHERE copy = 1;
CREATE INDEX captures_by_payload ON capture_rows ({PAYLOAD_END.format("payload")}, url, version) WHERE payload <> '';
CREATE INDEX revisits_alone ON capture_rows (payload, url) WHERE kind & 3 = 2 AND version IS NULL AND payload <> '';
CREATE INDEX captures_by_version ON capture_rows (version) WHERE version IS NOT NULL;
CREATE TABLE pieces (file INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, low INTEGER NOT NULL,
    high INTEGER NOT NULL, PRIMARY KEY (file, first)) WITHOUT ROWID;
CREATE VIEW captures AS SELECT c.id, c.url, c.time,
    CASE WHEN c.time < 0 THEN '' ELSE printf('%014d', c.time) END AS timestamp,
    CASE c.kind & 3 WHEN 0 THEN 'response' WHEN 1 THEN 'resource' WHEN 2 THEN 'revisit' ELSE 'conversion' END AS type,
    k.status, k.mime, ifnull(c.payload, (SELECT v.digest FROM versions v WHERE v.id = c.version)) AS payload, c.file,
    ifnull((SELECT m.name FROM members m WHERE m.id = c.member), '') AS member, c.offset, c.length, c.inner, c.version,
    c.refers_to, c.copy FROM capture_rows c JOIN kinds k ON k.id = c.kind;
CREATE TABLE removals (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, target TEXT NOT NULL, key TEXT NOT NULL,
    reason TEXT NOT NULL, who TEXT NOT NULL, at TEXT NOT NULL, captures INTEGER NOT NULL, pages INTEGER NOT NULL,
    lifted TEXT NOT NULL, size INTEGER NOT NULL, ends TEXT NOT NULL);
"""


def encode(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def decode(value: Any) -> Any:
    try:
        return json.loads(value)
    except (ValueError, TypeError) as error:
        raise IndexCorruptError(
            f"{FILE_NAME}: a value of table catalogue is {str(value)[:20]!r}, expected JSON;"
            " index the archives again with --rebuild"
        ) from error


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


class Catalogue:
    """An open catalogue, which may be used from many threads; a writing one is guarded by store.lock."""

    def __init__(self, index_dir: str, *, writing: bool = False) -> None:
        """Open, and create when writing. Raises the errors of indexer.store.errors."""
        self.index_dir = index_dir
        self.path = os.path.join(index_dir, FILE_NAME)
        self._writing = writing
        self._local = threading.local()
        self._all: list[sqlite3.Connection] = []
        self._all_lock = threading.Lock()
        self._watcher: sqlite3.Connection | None = None
        # Where we may not write, SQLite cannot make the files that readers share with a writer. Without a journal
        # nobody writes now, and the file can be read as it is until it changes; see `outdated`.
        self._frozen = None if writing or os.access(index_dir, os.W_OK) or self._state()[2] else self._state()
        self._verified = (0, 0)
        self._has_checksums = False
        if writing:
            disk.make_folder(index_dir)
        elif not os.path.isfile(self.path):
            raise self._missing()
        try:
            if not writing or os.path.exists(self.path):
                self.verify()
            self._check_format()
        except sqlite3.DatabaseError as error:
            self.close()
            raise self.translated(error) from error
        except Exception:
            self.close()
            raise

    def verify(self) -> None:
        """Hold the pages of the file against their checksums, if it is not as it was when this was done last.

        Of what a run has written lately, in the journal beside the file, SQLite itself takes care.
        Raises IndexCorruptError.
        """
        state = self._state()[:2]
        if state != self._verified:
            try:
                self._has_checksums = has_checksums(self.path)
                if self._has_checksums:
                    verify_pages(self.path)
            except FileNotFoundError as error:
                raise self._missing() from error
            self._verified = state

    def _missing(self) -> IndexMissingError:
        return IndexMissingError(
            f"{self.path}: this file of the index is missing; index the archives again with --rebuild"
        )

    # -- connections

    def connection(self) -> sqlite3.Connection:
        """Return the connection of this thread (what a writer writes goes through the first one alone)."""
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            found = self._connect()
            self._local.connection = found
            with self._all_lock:
                self._all.append(found)
        return found

    def _connect(self) -> sqlite3.Connection:
        if self._writing:
            is_new = not os.path.exists(self.path) or not os.path.getsize(self.path)
            vfs = writing_vfs() if is_new or has_checksums(self.path) else ""
            connection = connect(
                self.path,
                f"?vfs={vfs}" if vfs else "",
                timeout=BUSY_S,
                isolation_level=None,
                check_same_thread=False,
            )
            add_functions(connection)
            write_ahead(connection)
            connection.execute("PRAGMA synchronous=FULL")
            if not self._all:  # those after it are for a few look-ups
                connection.execute(f"PRAGMA cache_size=-{_WRITING_KIB}")
            connection.execute(f"PRAGMA wal_autocheckpoint={_JOURNAL_PAGES}")
            return connection
        options = "?mode=ro" if self._frozen is None else "?mode=ro&immutable=1"
        connection = connect(
            self.path, options, timeout=BUSY_S, isolation_level=None, check_same_thread=False
        )
        add_functions(connection)
        connection.execute("PRAGMA query_only=1")
        # SQLite opens its files at the first read: from here on this connection outlives a rebuild that removes them
        connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        return connection

    @property
    def dictionary(self) -> Dictionary:
        """The small maps, as a sqlitedict over this thread's connection."""
        found: Dictionary | None = getattr(self._local, "dictionary", None)
        if found is None:
            # imported here: with what it needs it takes longer than opening an index
            from indexer.store.dictionary import Dictionary

            found = Dictionary(self.path, self.connection(), read_only=not self._writing)
            self._local.dictionary = found
        return found

    def value(self, name: str) -> Any:
        """Return what the small maps have under a name, None for nothing. Raises IndexCorruptError."""
        row = self.connection().execute("SELECT value FROM catalogue WHERE key = ?", (name,)).fetchone()
        return None if row is None else decode(row[0])

    def watched_changes(self) -> int:
        """Return a number that changes when a commit was made; asked by one thread at a time."""
        if self._watcher is None:
            self._watcher = self._connect()
            with self._all_lock:
                self._all.append(self._watcher)
        return int(self._watcher.execute("PRAGMA data_version").fetchone()[0])

    def outdated(self) -> bool:
        """Return whether the file has changed under a reader that cannot see it happen; open it anew then."""
        return self._frozen is not None and self._state() != self._frozen

    def settled_state(self) -> tuple[int, ...] | None:
        """Return what is another one after each commit, None where one was made just now.

        The clock of files may give two changes shortly after each other the same time.
        """
        state = self._state()
        newest_ns = max(state[0], state[3])
        return state if newest_ns < time.time_ns() - _SETTLES_NS else None

    def _state(self) -> tuple[int, int, int, int]:
        """Return when the file was changed and its size, the size of the journal and when that was; 0 for none."""
        found, journal = _stat(self.path), _stat(self.path + "-wal")
        return (
            found.st_mtime_ns if found else 0,
            found.st_size if found else 0,
            journal.st_size if journal else 0,
            journal.st_mtime_ns if journal else 0,
        )

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Everything written inside is committed at the end, or nothing of it. Raises DiskFullError."""
        connection = self.connection()
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        except BaseException as error:
            try:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            except sqlite3.Error:
                pass  # a failed write has rolled back already
            if isinstance(error, sqlite3.DatabaseError):
                raise self.translated(error) from error
            raise

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """All reads inside see one state of the catalogue."""
        connection = self.connection()
        try:
            connection.execute("BEGIN")
            yield connection
        except sqlite3.DatabaseError as error:
            raise self.translated(error) from error
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def pack(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Write the file anew without what was deleted, beside readers; `stop` ends it, and nothing is changed then."""
        connection = self.connection()
        connection.set_progress_handler(lambda: int(stop()), 100_000)
        try:
            connection.execute(f"PRAGMA cache_size=-{_PACKING_KIB}")
            give_memory_back()
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.DatabaseError as error:
            if not stop():
                raise self.translated(error) from error
        finally:
            connection.set_progress_handler(None, 0)
            connection.execute(f"PRAGMA cache_size=-{_WRITING_KIB}")

    def close(self) -> None:
        """Let go of all connections; one that a thread is still reading from closes when that thread is done.

        Closing it under the thread would crash the process, not raise an error.
        """
        with self._all_lock:
            if self._writing:
                for connection in self._all:
                    # else the journal stays with what it holds where readers are, whose bytes nobody verifies
                    with suppress(sqlite3.Error):
                        connection.execute(f"PRAGMA busy_timeout={_EMPTYING_MS}")
                        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                    connection.close()
            self._all.clear()
            self._watcher = None
        self._local = threading.local()

    def disconnect(self) -> None:
        """Close all connections; the next look opens one. To be called while no thread reads."""
        with self._all_lock:
            for connection in self._all:
                connection.close()  # left to itself, it would be open until Python looks for garbage
        self.close()

    # -- format and lock

    def _check_format(self) -> None:
        connection = self.connection()
        known = connection.execute("SELECT name FROM sqlite_master WHERE name = 'catalogue'").fetchone()
        if known is None and self._writing:
            if connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
                raise IndexCorruptError(
                    f"{self.path}: an SQLite file, but not an index; choose another folder"
                )
            connection.execute("BEGIN IMMEDIATE")
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            self.dictionary["format"] = {"version": FORMAT_VERSION, "checksums": bool(writing_vfs())}
            self.dictionary["segments"] = []
            connection.execute("COMMIT")
            return
        if known is None:
            raise IndexCorruptError(
                f"{self.path}: holds no catalogue; index the archives again with --rebuild"
            )
        described = self.value("format")
        version = described.get("version") if isinstance(described, dict) else None
        if version != FORMAT_VERSION:
            raise IndexVersionError(
                f"{self.path}: index format {version}, this program reads format {FORMAT_VERSION};"
                " index the archives again with --rebuild"
            )
        if described.get("checksums") != self._has_checksums:
            raise IndexCorruptError(
                f"{self.path}: its header does not say what its pages carry; index the archives again with --rebuild"
            )

    def translated(self, error: sqlite3.Error) -> FindingAidError:
        """Return the error of ours that stands for an error of SQLite."""
        name = getattr(error, "sqlite_errorname", "") or ""
        text = str(error)
        if is_disk_full(error):
            return DiskFullError(
                f"{self.path}: no space left on the disk; free some and run again, nothing committed is lost"
            )
        if self._writing and name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
            return IndexNotWritableError(
                f"{self.path}: {text}; the folder and the files of the index must be writable"
            )
        is_cut = name.startswith("SQLITE_IOERR_SHORT_READ")
        if not is_cut and name.startswith(
            ("SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_BUSY", "SQLITE_READONLY")
        ):
            return IndexError_(f"{self.path}: cannot be read now: {text}")
        return IndexCorruptError(f"{self.path}: {text}; index the archives again with --rebuild")
