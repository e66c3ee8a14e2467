"""Copies: the same record in two archive files, as a file that was copied or merged holds it.

Both are in the catalogue, and the ledger counts both; readers are shown one, the others are marked as copies. A file
may itself hold a record several times; these are no copies of each other. So of all files that hold a record, that one
is shown which holds it most often; of several such files, the one whose path comes first, then whose member does. That
follows from the files that are there, whatever order they were read in or others went in: the records of a second of
an address are looked at anew whenever one comes or goes, in the same transaction.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from indexer.store.payloads import IS_REVISIT

_REDIRECT = "(SELECT k.status FROM kinds k WHERE k.id = {}.kind) BETWEEN 300 AND 399"


def same_record(one: str, other: str) -> str:
    """Return the SQL condition that two rows of captures are of one record, in two files.

    Address, second, kind and payload tell that; the payload says nothing where it is not known, and little of a
    redirect, whose goal stands in its header: there the length in the file has to be the same. What one file holds cut
    short is another version, and no copy.
    """
    return (
        f"{other}.url = {one}.url AND {other}.time = {one}.time AND {other}.kind = {one}.kind AND {one}.time >= 0"
        f" AND {other}.payload IS {one}.payload AND ({IS_REVISIT.format(one)} OR {other}.version IS {one}.version)"
        f" AND ({one}.payload IS NOT '' AND NOT {_REDIRECT.format(one)} OR {other}.length = {one}.length)"
        f" AND ({other}.file <> {one}.file OR {other}.member <> {one}.member)"
    )


# The rows of a second of an address: first what is the same in rows that `same_record` calls one, then whose they are.
_ROWS = (
    f"SELECT c.kind, c.payload, CASE WHEN NOT ({IS_REVISIT.format('c')}) THEN c.version END,"
    f" CASE WHEN c.payload IS '' OR {_REDIRECT.format('c')} THEN c.length END,"
    " ifnull((SELECT f.whole FROM files f WHERE f.id = c.file), ''), c.file,"
    " ifnull((SELECT m.name FROM members m WHERE m.id = c.member), ''), c.id, c.copy"
    " FROM capture_rows c WHERE c.url = ? AND c.time = ?"
)

# Captures that go are noted by a temporary trigger: it runs inside the transaction, and is rolled back with it.
_NOTES = """
CREATE TEMP TABLE seconds_changed (url INTEGER NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (url, time)) WITHOUT ROWID;
CREATE TEMP TRIGGER record_removed AFTER DELETE ON main.capture_rows
  WHEN OLD.time >= 0 AND EXISTS (SELECT 1 FROM capture_rows c WHERE c.url = OLD.url AND c.time = OLD.time) BEGIN
  INSERT OR IGNORE INTO seconds_changed VALUES (OLD.url, OLD.time); END;
"""


def watch_records(connection: sqlite3.Connection) -> None:
    """Let a writing connection note which captures go that others may be copies of; see `settle_copies`."""
    connection.executescript(_NOTES)


def note_seconds(connection: sqlite3.Connection, where: str, values: Sequence[Any]) -> None:
    """Note the captures that fit an SQL condition and are not the only ones of their address and second."""
    connection.execute(
        "INSERT OR IGNORE INTO temp.seconds_changed SELECT url, time FROM capture_rows NOT INDEXED"
        f" WHERE {where} AND time >= 0 AND EXISTS (SELECT 1 FROM capture_rows o"
        " WHERE o.url = capture_rows.url AND o.time = capture_rows.time AND o.id <> capture_rows.id)",
        values,
    )


def settle_copies(connection: sqlite3.Connection) -> None:
    """Say anew which captures are copies where some went, or came and were noted, in this transaction."""
    changed = connection.execute("SELECT url, time FROM temp.seconds_changed")
    for is_copy, capture in _wrong_marks(connection, changed):
        connection.execute("UPDATE capture_rows SET copy = ? WHERE id = ?", (is_copy, capture))
    connection.execute("DELETE FROM temp.seconds_changed")


def count_wrong_copies(connection: sqlite3.Connection) -> int:
    """Return how many captures are marked as a copy and are none, or are one and not marked; for `check`."""
    seconds = connection.execute(
        "SELECT url, time FROM capture_rows WHERE copy = 1 UNION"
        " SELECT url, time FROM capture_rows WHERE time >= 0 GROUP BY url, time HAVING COUNT(*) > 1"
    )
    return sum(1 for _ in _wrong_marks(connection, seconds))


def _wrong_marks(
    connection: sqlite3.Connection, seconds: Iterable[tuple[int, int]]
) -> Iterator[tuple[bool, int]]:
    """Yield what `copy` has to be, and the number of the capture, for captures of some seconds where it is not."""
    for url, time in seconds:
        records: dict[Any, dict[Any, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
        for *record, path, file, member, capture, is_copy in connection.execute(
            _ROWS, (url, time)
        ).fetchall():
            records[tuple(record)][path, member, file].append((capture, is_copy))
        for holders in records.values():
            shown = min(holders, key=lambda holder: (-len(holders[holder]), *holder))
            for holder, captures in holders.items():
                to_be = holder != shown and time >= 0
                yield from ((to_be, capture) for capture, is_copy in captures if bool(is_copy) != to_be)
