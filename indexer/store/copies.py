"""Copies: the same record in two archive files, as a file that was copied or merged holds it.

Both are in the catalogue, and the ledger counts both; readers are shown one, the first that was committed. The other is
marked as a copy in the same transaction, and takes its place when that goes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from indexer.store.payloads import IS_REVISIT


def same_record(one: str, other: str) -> str:
    """Return the SQL condition that two rows of captures are of one record, in two files.

    Address, second, kind and payload tell that; the payload says nothing where it is not known, and little of a
    redirect, whose goal stands in its header: there the length in the file has to be the same. What one file holds cut
    short is another version, and no copy.
    """
    redirect = f"(SELECT k.status FROM kinds k WHERE k.id = {one}.kind) BETWEEN 300 AND 399"
    return (
        f"{other}.url = {one}.url AND {other}.time = {one}.time AND {other}.kind = {one}.kind AND {one}.time >= 0"
        f" AND {other}.payload IS {one}.payload AND ({IS_REVISIT.format(one)} OR {other}.version IS {one}.version)"
        f" AND ({one}.payload IS NOT '' AND NOT {redirect} OR {other}.length = {one}.length)"
        f" AND ({other}.file <> {one}.file OR {other}.member <> {one}.member)"
    )


NO_ORIGINAL = f"NOT EXISTS (SELECT 1 FROM capture_rows o WHERE {same_record('c', 'o')} AND o.copy = 0)"

# A temporary trigger runs inside the transaction of the change, and is rolled back with it.
_MARKS = f"""
CREATE TEMP TRIGGER original_removed AFTER DELETE ON main.capture_rows WHEN OLD.copy = 0 BEGIN
  UPDATE capture_rows SET copy = 0 WHERE copy = 1 AND url = OLD.url AND time = OLD.time AND (file, member) =
    (SELECT c.file, c.member FROM capture_rows c WHERE {same_record("OLD", "c")} AND c.copy = 1 AND {NO_ORIGINAL}
     ORDER BY c.id LIMIT 1); END;
"""
_ORIGINALS = (
    f"SELECT o.id, o.copy FROM capture_rows c JOIN capture_rows o ON {same_record('c', 'o')}"
    " WHERE c.id = ? AND o.id < c.id"
)


def show_copies(connection: sqlite3.Connection) -> None:
    """Let a writing connection show copies when the captures that stood for them go."""
    connection.executescript(_MARKS)


def mark_copies(connection: sqlite3.Connection, captures: Iterable[int]) -> None:
    """Mark those of some new captures, whose ids rise, that are copies of one that is shown."""
    marked: set[int] = set()
    for capture in captures:
        others = connection.execute(_ORIGINALS, (capture,)).fetchall()
        if any(not is_copy and other not in marked for other, is_copy in others):
            marked.add(capture)
    connection.executemany(
        "UPDATE capture_rows SET copy = 1 WHERE id = ?", [(each,) for each in sorted(marked)]
    )
