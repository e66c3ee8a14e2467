"""What every SQLite file of ours needs that several processes open at once."""

from __future__ import annotations

import sqlite3
import time

BUSY_S = 30.0  # how long a statement waits for another connection
_PAUSE_S = 0.01


def write_ahead(connection: sqlite3.Connection, *, wait_s: float = BUSY_S) -> None:
    """Put the file of a connection into write-ahead mode; it stays in it.

    The switch needs the file for itself, and SQLite does not wait for that as it does for any other lock: whoever
    looked at a file that had just been made would make its writer fail. So the waiting is done here.
    Raises sqlite3.OperationalError when another connection holds the file longer than `wait_s`.
    """
    deadline = time.monotonic() + wait_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                raise
        time.sleep(_PAUSE_S)
