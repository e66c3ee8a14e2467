"""Pages of the catalogue carry checksums of themselves."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from pathlib import Path

import pytest
from shelf import open_catalogue

from indexer import IndexCorruptError
from indexer.store import catalogue as module
from indexer.store.catalogue import Catalogue
from indexer.store.pages import PAGE, has_checksums, verify_pages


@pytest.fixture
def path(tmp_path: Path) -> Path:
    writing = Catalogue(str(tmp_path), writing=True)
    with writing.transaction() as connection:
        connection.executemany(
            "INSERT INTO files (path, whole) VALUES (?, ?)",
            [("p" * 90 + str(n), str(n)) for n in range(2000)],
        )
    writing.close()
    return tmp_path / "catalogue.sqlite"


def names_in(path: Path) -> list[str]:
    reading = Catalogue(str(path.parent))
    names = [name for (name,) in reading.connection().execute("SELECT path FROM files")]
    reading.close()
    return names


def test_what_is_written_is_sealed_also_when_it_is_changed_and_packed(path: Path) -> None:
    assert has_checksums(str(path))
    verify_pages(str(path))
    writing = Catalogue(str(path.parent), writing=True)
    with writing.transaction() as connection:
        connection.execute("DELETE FROM files WHERE id % 3 = 0")
        connection.execute("UPDATE files SET path = path || path WHERE id % 3 = 1")
    writing.pack()
    writing.close()
    verify_pages(str(path))
    assert len(names_in(path)) == 2000 - 666
    # any program that knows SQLite can read it
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_flipped_bit_in_any_page_is_found_when_the_catalogue_is_opened(path: Path) -> None:
    whole = path.read_bytes()
    assert len(whole) > 50 * PAGE
    places = (30, 4087, 4090, 4095)
    for number, page in enumerate(range(0, len(whole), PAGE)):
        for inside in places if number < 2 else places[number % 4 :][:1]:
            place = page + inside
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
            with pytest.raises(IndexCorruptError, match=f"byte {page} does not fit.*--rebuild"):
                Catalogue(str(path.parent))


def test_a_header_that_denies_the_checksums_is_refused(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:20] + b"\0" + whole[21:])
    with pytest.raises(IndexCorruptError, match="--rebuild"):
        Catalogue(str(path.parent))


def test_a_reader_finds_damage_that_came_since_it_opened_the_file(path: Path) -> None:
    reading = Catalogue(str(path.parent))
    for connection in (open_catalogue(path), sqlite3.connect(path)):  # the second writes pages as they are
        reading.verify()
        connection.execute("UPDATE files SET path = path || 'other' WHERE id = 7")
        connection.commit()
        time.sleep(0.05)  # times of files go in steps of some milliseconds
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.close()
    with pytest.raises(IndexCorruptError):
        reading.verify()


def test_a_page_torn_on_its_way_from_the_journal_is_read_from_there(path: Path, tmp_path: Path) -> None:
    writing = Catalogue(str(path.parent), writing=True)
    with writing.transaction() as connection:
        connection.execute("UPDATE files SET path = 'new' WHERE id = 7")
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in (path.name, path.name + "-wal"):
        shutil.copy(path.parent / name, copy / name)
    writing.close()
    frame = (copy / f"{path.name}-wal").read_bytes()[32:56]
    place = (int.from_bytes(frame[:4], "big") - 1) * PAGE
    data = bytearray((copy / path.name).read_bytes())
    data[place + 1000 : place + PAGE] = os.urandom(PAGE - 1000)
    (copy / path.name).write_bytes(data)
    assert "new" in names_in(copy / path.name)


def test_where_sqlite_cannot_be_reached_there_are_no_checksums(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(module, "writing_vfs", lambda: "")
        writing = Catalogue(str(tmp_path), writing=True)
        with writing.transaction() as connection:
            connection.execute("INSERT INTO files (path, whole) VALUES ('a', 'b')")
        writing.close()
    path = tmp_path / "catalogue.sqlite"
    assert not has_checksums(str(path)) and names_in(path) == ["a"]
    # and another machine, where it can be, leaves these bytes alone
    writing = Catalogue(str(tmp_path), writing=True)
    with writing.transaction() as connection:
        connection.execute("UPDATE files SET path = ?", ("c" * 9000,))
    writing.close()
    assert names_in(path) == ["c" * 9000]
