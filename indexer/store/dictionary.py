"""The small maps of a catalogue, for who writes them: a sqlitedict over a connection of ours."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from sqlitedict import SqliteDict

from indexer.store.catalogue import decode, encode


class _SharedConnection:
    """Stands where sqlitedict keeps its own thread: its statements become part of our transaction.

    sqlitedict's own connection runs with synchronous=OFF and commits on its own; an index may not.
    """

    autocommit = False

    def __init__(self, connection: sqlite3.Connection, *, read_only: bool) -> None:
        self._connection = connection
        self._read_only = read_only

    def execute(self, sql: str, arguments: Sequence[Any] = (), result: object = None) -> None:
        if not (self._read_only and sql.startswith("CREATE")):
            self._connection.execute(sql, arguments)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        self._connection.executemany(sql, rows)

    def select(self, sql: str, arguments: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        return iter(self._connection.execute(sql, arguments).fetchall())

    def select_one(self, sql: str, arguments: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        return cast("tuple[Any, ...] | None", self._connection.execute(sql, arguments).fetchone())

    def commit(self, blocking: bool = True) -> None:
        """Transactions are ended by the catalogue alone."""

    def close(self, force: bool = False) -> None:
        """The connection belongs to the catalogue."""


class Dictionary(SqliteDict):  # type: ignore[misc]
    """sqlitedict over a connection of ours, with JSON values."""

    def __init__(self, path: str, connection: sqlite3.Connection, *, read_only: bool) -> None:
        self._shared = _SharedConnection(connection, read_only=read_only)
        # by its bare name: sqlitedict wants the folder to be there, which a rebuild may have removed meanwhile
        super().__init__(
            os.path.basename(path), tablename="catalogue", flag="c", encode=encode, decode=decode
        )

    def _new_conn(self) -> _SharedConnection:
        return self._shared
