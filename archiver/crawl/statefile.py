"""The job's SQLite file: its tables, and the one connection through which the crawl's threads use it.

The file lives in write-ahead mode, so that `findingaid crawl status` and other
commands read and write it from their own processes while the crawl runs.
Commits are not synced one by one: after a kill everything committed is there,
after a power failure the last moments may be missing, and recovery compares
with the archives (see crawler.py).
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable

from archiver.crawl.errors import CrawlError, JobError
from archiver.errors import DiskFullError, is_disk_full
from archiver.sqlite_files import BUSY_S, write_ahead

VERSION = 1

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- One line an address. key: 12 bytes of its BLAKE2 digest. See frontier.py for state, kind and priority.
CREATE TABLE urls (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL, key BLOB NOT NULL UNIQUE, origin INTEGER NOT NULL,
    queue INTEGER NOT NULL,
    state INTEGER NOT NULL, kind INTEGER NOT NULL, depth INTEGER NOT NULL, embed INTEGER NOT NULL,
    hops INTEGER NOT NULL,
    priority REAL NOT NULL, score REAL NOT NULL DEFAULT 0, due REAL, attempts INTEGER NOT NULL DEFAULT 0,
    reason TEXT,
    via INTEGER, seed INTEGER NOT NULL DEFAULT 0, for_origin INTEGER);
CREATE INDEX urls_pending ON urls (queue, priority, id) WHERE state = 0;
CREATE INDEX urls_in_flight ON urls (id) WHERE state = 1;
CREATE INDEX urls_deferred ON urls (due) WHERE state = 5;
CREATE INDEX urls_skipped ON urls (reason) WHERE state = 3;
CREATE INDEX urls_robots ON urls (for_origin) WHERE for_origin IS NOT NULL;
-- An origin is scheme, host and port: what a robots.txt speaks for.
CREATE TABLE origins (
    id INTEGER PRIMARY KEY, origin TEXT NOT NULL UNIQUE, queue INTEGER NOT NULL,
    robots_state INTEGER NOT NULL DEFAULT 0,
    robots BLOB, robots_until REAL NOT NULL DEFAULT 0);
CREATE INDEX origins_queue ON origins (queue);
-- A queue is what gets one request at a time: a host name, or several that share an address.
CREATE TABLE queues (
    id INTEGER PRIMARY KEY, host TEXT NOT NULL UNIQUE, state INTEGER NOT NULL DEFAULT 0, head REAL,
    next_at REAL NOT NULL DEFAULT 0,
    pause REAL NOT NULL DEFAULT 0, merged_into INTEGER);
CREATE INDEX queues_waiting ON queues (next_at) WHERE state = 1;
CREATE INDEX queues_ready ON queues (head, next_at) WHERE state = 2;
CREATE TABLE addresses (address TEXT PRIMARY KEY, queue INTEGER NOT NULL) WITHOUT ROWID;
-- What became of an address that was fetched; also the nodes of the crawl graph.
CREATE TABLE pages (
    url INTEGER PRIMARY KEY, status INTEGER NOT NULL, mime TEXT NOT NULL, size INTEGER NOT NULL,
    digest BLOB, fetched TEXT NOT NULL,
    archive TEXT NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL, record_id TEXT NOT NULL,
    title TEXT NOT NULL DEFAULT '',
    on_topic INTEGER, relevance REAL, duplicate_of INTEGER, etag TEXT, modified TEXT,
    round INTEGER NOT NULL DEFAULT 0,
    visits INTEGER NOT NULL DEFAULT 1, changes INTEGER NOT NULL DEFAULT 0,
    unchanged INTEGER NOT NULL DEFAULT 0);
CREATE INDEX pages_place ON pages (archive, offset);
CREATE TABLE edges (source INTEGER NOT NULL, target INTEGER NOT NULL, kind INTEGER NOT NULL,
    PRIMARY KEY (source, target, kind)) WITHOUT ROWID;
CREATE TABLE payloads (digest BLOB PRIMARY KEY, url TEXT NOT NULL, date TEXT NOT NULL, record_id TEXT NOT NULL,
    written TEXT NOT NULL, archive TEXT NOT NULL, offset INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE sketches (url INTEGER PRIMARY KEY, sketch BLOB NOT NULL);
CREATE TABLE bands (band INTEGER NOT NULL, url INTEGER NOT NULL, PRIMARY KEY (band, url)) WITHOUT ROWID;
CREATE TABLE patterns (pattern TEXT PRIMARY KEY, pages INTEGER NOT NULL, duplicates INTEGER NOT NULL,
    blocked INTEGER NOT NULL)
    WITHOUT ROWID;
-- size: bytes whose records are accounted for above; synced: bytes known to be on the disk.
CREATE TABLE archives (name TEXT PRIMARY KEY, size INTEGER NOT NULL, synced INTEGER NOT NULL,
    closed INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE commands (id INTEGER PRIMARY KEY, command TEXT NOT NULL, arguments TEXT NOT NULL,
    sent TEXT NOT NULL, answer TEXT);
"""


class Transaction:
    """What `StateFile.transaction` gives: entered and left by one thread at a time, as deep as it likes."""

    def __init__(self, file: StateFile) -> None:
        self._file = file
        self._depth = 0

    def __enter__(self) -> None:
        self._file.lock.acquire()
        try:
            if self._depth == 0:
                self._file.connection.execute("BEGIN IMMEDIATE")
            self._depth += 1
        except BaseException:
            self._file.lock.release()
            raise

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if self._depth == 1:
                self._end(failed=kind is not None)
        finally:
            self._depth -= 1
            self._file.lock.release()

    def _end(self, *, failed: bool) -> None:
        connection = self._file.connection
        try:
            if not failed:
                connection.execute("COMMIT")
        except BaseException:
            failed = True
            raise
        finally:
            if failed:
                # SQLite rolls back by itself when the disk is full.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                for forget in self._file.after_rollback:
                    forget()


class StateFile:
    """A connection that threads share, with a lock that may be taken again by its holder.

    read_only: for looking on from another process; needs the file to exist.
    after_rollback: called, under the lock, when a transaction came to nothing: what is remembered of it never was.
    """

    def __init__(self, path: str, *, read_only: bool = False, cache_mb: int = 48) -> None:
        self.path = path
        self.lock = threading.RLock()
        self._transaction = Transaction(self)
        self.after_rollback: list[Callable[[], None]] = []
        if read_only and not os.path.exists(path):
            raise JobError(f"{path}: this job has not been started yet")
        try:
            self.connection = sqlite3.connect(
                path, timeout=BUSY_S, isolation_level=None, check_same_thread=False, cached_statements=256
            )
            if not read_only:
                write_ahead(self.connection)
            self.connection.execute("PRAGMA synchronous = NORMAL")
            # A page writes to two dozen blocks, to most of them again before so many are folded back.
            self.connection.execute("PRAGMA wal_autocheckpoint = 4000")
            self.connection.execute(f"PRAGMA cache_size = -{cache_mb * 1024}")
            self._prepare(read_only)
        except sqlite3.DatabaseError as error:
            if is_disk_full(error):
                raise DiskFullError.at(path) from error
            raise CrawlError(f"{path}: the crawl's state cannot be read: {error}") from error
        self.execute = self.connection.execute
        self.executemany = self.connection.executemany

    def transaction(self) -> Transaction:
        """Hold the lock; what is written inside is committed at the end of the outermost block, or not at all."""
        return self._transaction

    def get(self, key: str, default: str = "") -> str:
        """Return a value of the meta table."""
        with self.lock:
            row = self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else default

    def put(self, key: str, value: str) -> None:
        """Set a value of the meta table."""
        with self.transaction():
            self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def close(self) -> None:
        """Close the connection; the last one out folds the write-ahead log back."""
        with self.lock:
            self.connection.close()

    def _make_tables(self) -> None:
        """Make the tables, unless another process has done so meanwhile."""
        with self.transaction():
            if self.connection.execute("PRAGMA user_version").fetchone()[0] == 0:
                for statement in _SCHEMA.split(";\n"):
                    self.connection.execute(statement)
                self.connection.execute(f"PRAGMA user_version = {VERSION}")

    def _prepare(self, read_only: bool) -> None:
        version = self.connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0 and not read_only:
            self._make_tables()
        elif version == 0:  # its process has just begun
            raise JobError(f"{self.path}: this job has not been started yet")
        elif version != VERSION:
            raise CrawlError(
                f"{self.path}: written by another version of the crawler (format {version}, this one knows "
                f"{VERSION}); finish the job with that version or start a new job"
            )
