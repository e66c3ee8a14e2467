from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import DiskFullError, IndexCorruptError, IndexError_, IndexMissingError, IndexNotWritableError
from indexer.store.catalogue import Catalogue
from indexer.store.compact import doc_keys, page_number, sort_key


@pytest.fixture
def written(tmp_path: Path) -> Path:
    Catalogue(str(tmp_path), writing=True).close()
    return tmp_path


def test_all_of_a_transaction_is_there_or_nothing(written: Path) -> None:
    writing, reading = Catalogue(str(written), writing=True), Catalogue(str(written))
    with pytest.raises(RuntimeError), writing.transaction() as connection:
        connection.execute("INSERT INTO files (path, whole) VALUES ('a', '/a')")
        writing.dictionary["key"] = {"one": 1}
        raise RuntimeError
    assert "key" not in writing.dictionary
    with writing.transaction() as connection:
        connection.execute("INSERT INTO files (path, whole) VALUES ('b', '/b')")
        writing.dictionary["key"] = {"two": [2, None, "é"]}
        assert "key" not in reading.dictionary
    assert reading.dictionary["key"] == {"two": [2, None, "é"]}
    assert reading.connection().execute("SELECT path FROM files").fetchall() == [("b",)]
    writing.close()
    reading.close()


def test_a_snapshot_does_not_move(written: Path) -> None:
    writing, reading = Catalogue(str(written), writing=True), Catalogue(str(written))
    with reading.snapshot() as connection:
        assert connection.execute("SELECT COUNT(*) FROM files").fetchone() == (0,)
        with writing.transaction() as other:
            other.execute("INSERT INTO files (path, whole) VALUES ('a', '/a')")
        assert connection.execute("SELECT COUNT(*) FROM files").fetchone() == (0,)
    assert reading.connection().execute("SELECT COUNT(*) FROM files").fetchone() == (1,)
    writing.close()
    reading.close()


def test_a_change_is_seen_cheaply(written: Path) -> None:
    writing, reading = Catalogue(str(written), writing=True), Catalogue(str(written))
    before = reading.watched_changes()
    assert reading.watched_changes() == before
    with writing.transaction():
        writing.dictionary["key"] = 1
    assert reading.watched_changes() != before
    writing.close()
    reading.close()


def test_a_reader_cannot_write(written: Path) -> None:
    reading = Catalogue(str(written))
    with pytest.raises(sqlite3.OperationalError):
        reading.dictionary["key"] = 1
    reading.close()


def test_values_are_json_and_nothing_else_is_stored(written: Path) -> None:
    writing = Catalogue(str(written), writing=True)
    with pytest.raises(TypeError):
        writing.dictionary["key"] = object()
    writing.dictionary["key"] = {"a": [1]}
    assert writing.connection().execute("SELECT value FROM catalogue WHERE key = 'key'").fetchone() == (
        '{"a":[1]}',
    )
    writing.connection().execute("UPDATE catalogue SET value = 'cos\nsystem' WHERE key = 'key'")
    with pytest.raises(IndexCorruptError, match="expected JSON"):
        writing.dictionary["key"]
    writing.close()


def test_each_thread_reads_over_a_connection_of_its_own(written: Path) -> None:
    reading = Catalogue(str(written))
    connections = [reading.connection()]
    thread = threading.Thread(target=lambda: connections.append(reading.connection()))
    thread.start()
    thread.join()
    assert connections[0] is not connections[1] and reading.connection() is connections[0]
    reading.close()


@pytest.mark.parametrize(
    "name, text, expected",
    [
        ("SQLITE_FULL", "database or disk is full", DiskFullError),
        ("SQLITE_IOERR_WRITE", "disk I/O error", DiskFullError),
        ("SQLITE_CORRUPT", "database disk image is malformed", IndexCorruptError),
        ("SQLITE_NOTADB", "file is not a database", IndexCorruptError),
        ("SQLITE_READONLY", "attempt to write a readonly database", IndexNotWritableError),
        ("SQLITE_IOERR_READ", "disk I/O error", IndexError_),
    ],
)
def test_errors_of_sqlite_become_ours(written: Path, name: str, text: str, expected: type[Exception]) -> None:
    writing = Catalogue(str(written), writing=True)
    error = sqlite3.OperationalError(text)
    error.sqlite_errorname = name
    ours = writing.translated(error)
    assert type(ours) is expected and str(written) in str(ours) and "\n" not in str(ours)
    writing.close()


def test_no_catalogue(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match=r"catalogue\.sqlite: this file of the index is missing"):
        Catalogue(str(tmp_path))


@given(st.text())
def test_ids_and_keys_of_any_address(url: str) -> None:
    assert doc_keys([url]).tolist() == [page_number(url)]
    assert isinstance(sort_key(url), str)


def test_all_spellings_of_an_address_share_their_sort_key() -> None:
    keys = {sort_key(url) for url in ("http://A.example:80/x?q=1", "https://a.example/x?q=1")}
    assert len(keys) == 1


def test_closing_under_a_reader_does_not_close_what_it_reads_from(tmp_path: Path) -> None:
    Catalogue(str(tmp_path), writing=True).close()
    catalogue = Catalogue(str(tmp_path))
    connection = catalogue.connection()
    catalogue.close()
    assert connection.execute("SELECT COUNT(*) FROM captures").fetchone() == (0,)
