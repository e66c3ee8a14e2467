"""A database is read beside SQLite, whose locks on it stay."""

from __future__ import annotations

import gc
import os
import random
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from shelf import open_catalogue, write_shelf

from indexer import open_index
from indexer.store.handles import connect, reading

# Another process: the last that has the database open removes the journal when it closes it.
ADD_ONE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("INSERT INTO numbers VALUES (1)")
connection.close()
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    made = str(tmp_path / "numbers.sqlite")
    with closing(sqlite3.connect(made, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE numbers (number INTEGER)")
    return made


def add_one(path: str) -> None:
    subprocess.run([sys.executable, "-c", ADD_ONE, path], check=True)


def count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT COUNT(*) FROM numbers").fetchone()[0])


def open_handles(path: str) -> int:
    folder = "/proc/self/fd"
    if not os.path.isdir(folder):
        pytest.skip("where open files are listed is only known on Linux")
    named = [os.path.join(folder, name) for name in os.listdir(folder)]
    return sum(os.path.exists(name) and os.path.samefile(name, path) for name in named)


def test_connections_see_what_other_processes_write_after_the_file_was_read_beside_them(path: str) -> None:
    seen = []
    with closing(connect(path)) as first, closing(connect(path, "?mode=ro")) as second:
        for _ in range(3):
            assert count(first) == count(second)
            with reading(path) as handle:
                assert os.pread(handle, 6, 0) == b"SQLite"
            add_one(path)
            assert os.path.exists(path + "-wal"), "the journal was removed under connections of ours"
            with closing(connect(path, "?mode=ro")) as third:
                seen.append((count(first), count(second), count(third)))
    assert seen == [(1, 1, 1), (2, 2, 2), (3, 3, 3)]


def test_descriptors_are_closed_with_the_last_connection(path: str) -> None:
    before = open_handles(path)
    with reading(path):
        assert open_handles(path) == before + 1
    assert open_handles(path) == before
    first, second = connect(path), connect(path)
    count(first), count(second)
    with_connections = open_handles(path)
    with reading(path), reading(path):
        assert open_handles(path) == with_connections + 1
    assert open_handles(path) == with_connections + 1
    first.close()
    del first
    assert open_handles(path) > before + 1
    second.close()
    del second
    gc.collect()
    assert open_handles(path) == before


def test_a_file_that_took_the_name_of_another_is_the_one_that_is_read(path: str, tmp_path: Path) -> None:
    with closing(connect(path)) as old:
        count(old)
        with reading(path) as handle:
            assert os.pread(handle, 100, 0)[:6] == b"SQLite"
        other = tmp_path / "other"
        other.write_bytes(b"another file")
        os.replace(other, path)
        with reading(path) as handle:
            assert os.pread(handle, 100, 0) == b"another file"
    with pytest.raises(FileNotFoundError), reading(path + "-not"):
        pass


def test_a_connection_that_cannot_be_made_leaves_nothing_open(path: str, tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        connect(str(tmp_path / "missing.sqlite"), "?mode=ro")
    with pytest.raises(sqlite3.Error):
        connect(path, "?vfs=no-such-vfs")
    with reading(path):
        pass
    assert open_handles(path) == 0


def test_a_name_with_signs_of_addresses_is_the_name_of_that_file(tmp_path: Path) -> None:
    for name in ("a?b", "a#b", "100%41", "é ü"):
        with closing(connect(str(tmp_path / name))) as connection:
            connection.execute("CREATE TABLE numbers (number INTEGER)")
            assert count(connection) == 0
        assert (tmp_path / name).exists()


def test_many_threads_that_open_read_and_close_lose_no_lock_and_leave_nothing_open(path: str) -> None:
    failed: list[BaseException] = []

    def use(seed: int) -> None:
        chance = random.Random(seed)
        try:
            for _ in range(60):
                connection = connect(path, "?mode=ro", check_same_thread=False)
                assert count(connection) >= 0
                with reading(path) as handle:
                    assert os.pread(handle, 6, 0) == b"SQLite"
                if chance.random() < 0.5:
                    connection.close()
        except BaseException as error:
            failed.append(error)

    with closing(connect(path)) as kept:
        count(kept)
        threads = [threading.Thread(target=use, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        add_one(path)
        assert os.path.exists(path + "-wal") and count(kept) == 1
    del kept
    gc.collect()
    assert failed == [] and open_handles(path) == 0


def test_an_open_index_and_one_opened_beside_it_see_every_run_of_another_process(tmp_path: Path) -> None:
    shelf = write_shelf(tmp_path / "shelf", files=4, pages=3)
    where = str(tmp_path / "index")
    app = str(Path(__file__).parents[3] / "app.py")

    def index_file(file: str) -> None:
        order = [sys.executable, app, "index", "-q", "--workers", "1", "--index", where, file]
        subprocess.run(order, check=True, capture_output=True)

    index_file(shelf[0])
    numbers = []
    with open_index(where) as kept:
        for file in shelf[1:]:
            index_file(file)
            with open_index(where) as other:
                assert other.check() == []
                assert kept.search("*").total == other.search("*").total
            numbers.append(kept.search("*").total)
            catalogue = open_catalogue(Path(where) / "g1" / "catalogue.sqlite")
            assert catalogue.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            catalogue.close()
    assert numbers == sorted(set(numbers)) and len(numbers) == 3
