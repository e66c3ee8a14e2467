"""Copies: the same record in two archive files, as a file that was copied or merged holds it.

Both are in the catalogue, and the ledger counts both; readers are shown one, the first that was committed. The other is
marked as a copy in the same transaction, and takes its place when that goes.
"""

from __future__ import annotations

import sqlite3


def same_record(one: str, other: str) -> str:
    """Return the SQL condition that two captures are of one record, in two files.

    Address, second, kind, status and payload tell that; the payload says nothing where it is not known, and little of a
    redirect, whose goal stands in its header: there the length in the file has to be the same. What one file holds cut
    short is another version, and no copy.
    """
    alike = " AND ".join(
        f"{other}.{name} = {one}.{name}" for name in ("url", "timestamp", "type", "status", "payload")
    )
    return (
        f"{alike} AND {one}.timestamp <> '' AND ({one}.type = 'revisit' OR {other}.version IS {one}.version)"
        f" AND ({one}.payload <> '' AND {one}.status NOT BETWEEN 300 AND 399 OR {other}.length = {one}.length)"
        f" AND ({other}.file <> {one}.file OR {other}.member <> {one}.member)"
    )


NO_ORIGINAL = f"NOT EXISTS (SELECT 1 FROM captures o WHERE {same_record('c', 'o')} AND o.copy = 0)"

# A temporary trigger runs inside the transaction of the change, and is rolled back with it.
_MARKS = f"""
CREATE TEMP TRIGGER copy_added AFTER INSERT ON main.captures
WHEN EXISTS (SELECT 1 FROM captures o WHERE {same_record("NEW", "o")} AND o.copy = 0) BEGIN
  UPDATE captures SET copy = 1 WHERE id = NEW.id; END;
CREATE TEMP TRIGGER original_removed AFTER DELETE ON main.captures WHEN OLD.copy = 0 BEGIN
  UPDATE captures SET copy = 0 WHERE copy = 1 AND url = OLD.url AND timestamp = OLD.timestamp AND (file, member) =
    (SELECT c.file, c.member FROM captures c WHERE {same_record("OLD", "c")} AND c.copy = 1 AND {NO_ORIGINAL}
     ORDER BY c.id LIMIT 1); END;
"""


def mark_copies(connection: sqlite3.Connection) -> None:
    """Let a writing connection mark copies as they come, and show them when the others go."""
    connection.executescript(_MARKS)
