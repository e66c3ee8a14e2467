"""A file that others look at while it is made; SQLite alone would give up at once."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from archiver.crawl.statefile import StateFile
from archiver.sqlite_files import write_ahead


def hold(path: Path, how: str) -> Callable[[], None]:
    """Lock a fresh SQLite file from another connection; returns what lets it go."""
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    if how == "SHARED":
        other.execute("CREATE TABLE held (x)")
        other.execute("INSERT INTO held VALUES (1)")
        other.execute("BEGIN")
        other.execute("SELECT * FROM held").fetchall()
    else:
        other.execute(f"BEGIN {how}")
    return other.close


def make_state(path: Path) -> None:
    StateFile(str(path)).close()


@pytest.mark.parametrize("how", ["SHARED", "IMMEDIATE", "EXCLUSIVE"])
def test_a_file_that_somebody_holds_is_waited_for(tmp_path: Path, how: str) -> None:
    path = tmp_path / "file.sqlite"
    let_go = hold(path, how)
    threading.Timer(0.3, let_go).start()
    make_state(path)
    with closing(sqlite3.connect(path)) as made:
        assert made.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_the_waiting_has_an_end(tmp_path: Path) -> None:
    path = tmp_path / "file.sqlite"
    let_go = hold(path, "EXCLUSIVE")
    with closing(sqlite3.connect(path, timeout=0)) as mine:
        began = time.monotonic()
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            write_ahead(mine, wait_s=0.2)
        assert time.monotonic() - began >= 0.2
        let_go()
        write_ahead(mine, wait_s=0)


def test_other_errors_are_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "file.sqlite"
    path.write_bytes(b"not a database, but long enough to be looked at" * 50)
    with closing(sqlite3.connect(path)) as mine, pytest.raises(sqlite3.DatabaseError, match="not a database"):
        write_ahead(mine)


def test_many_that_make_the_same_state_at_once_make_one(tmp_path: Path) -> None:
    for attempt in range(20):
        path = tmp_path / f"{attempt}.sqlite"
        with ThreadPoolExecutor(8) as pool:
            for done in [pool.submit(make_state, path) for _ in range(8)]:
                done.result()
        with closing(sqlite3.connect(path)) as made:
            assert made.execute("SELECT COUNT(*) FROM meta").fetchone() == (0,)
