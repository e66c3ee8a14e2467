"""Which files a run reads: known by whole path, found again where they moved, told when they are gone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from faults import run_in_one_process
from shelf import answers, page, record, write_shelf

import indexer.coordinator
from archiver.warc import UnreadableError
from indexer import IndexOptions, build_index, open_index


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    run_in_one_process(monkeypatch)


def run(paths: list[str], index: Path | str, **options: Any) -> list[str]:
    """Index, and return what was told about files."""
    told: list[str] = []
    build_index(
        paths,
        str(index),
        options=IndexOptions(workers=1, **options),
        progress=lambda progress: told.extend(progress.problems),
    )
    return told


def nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer.coordinator, "_Worker", lambda *_: pytest.fail("nothing is to be read"))


def read_first_hit(index: Path | str, query: str) -> bytes:
    with open_index(str(index)) as opened:
        [hit] = opened.search(query).hits
        assert hit.snippet, "the archive was opened"
        capture = opened.closest(hit.url)
        assert capture is not None
        with opened.record(capture) as found:
            return found.read()


def test_one_relative_name_used_in_two_folders_is_two_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, folder in enumerate("ab"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.warc").write_bytes(record(f"http://{folder}.example/", page(number)))
        monkeypatch.chdir(tmp_path / folder)
        assert run(["x.warc"], tmp_path / "index") == []
    monkeypatch.chdir("/")
    with open_index(str(tmp_path / "index")) as index:
        assert [(entry.file, entry.path) for entry in index.ledger()] == [
            ("x.warc", str(tmp_path / folder / "x.warc")) for folder in "ab"
        ]
        assert [hit.file for hit in index.search("unique0 OR unique1").hits] == ["x.warc", "x.warc"]
    assert b"unique0" in read_first_hit(tmp_path / "index", "unique0")
    assert b"unique1" in read_first_hit(tmp_path / "index", "unique1")


def test_a_file_is_the_same_however_it_is_spelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [path] = write_shelf(tmp_path / "shelf", files=1, pages=2)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("shelf")
    run(["shelf/000.warc"], "index")
    nothing_is_read(monkeypatch)
    for spelling in (path, "./shelf/../shelf/000.warc", "link/000.warc"):
        assert run([spelling], "index") == []
    with open_index("index") as index:
        assert [entry.file for entry in index.ledger()] == ["shelf/000.warc"]


@pytest.mark.parametrize("name", ["000.warc", "renamed.warc"])
@pytest.mark.parametrize("how", ["named", "looked for", "beside"])
def test_a_file_that_moved_keeps_its_row_and_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, how: str
) -> None:
    paths = write_shelf(tmp_path / "shelf", files=2, pages=3)
    run(paths, tmp_path / "index")
    before = answers(tmp_path / "index")["searches"]
    elsewhere = tmp_path / ("shelf" if how == "beside" else "elsewhere") / f"new-{name}"
    elsewhere.parent.mkdir(exist_ok=True)
    shutil.copy(paths[0], elsewhere)  # not the same time of change
    os.remove(paths[0])
    nothing_is_read(monkeypatch)
    told = {
        "named": lambda: run([str(elsewhere)], tmp_path / "index"),
        "looked for": lambda: run(paths, tmp_path / "index", look_in=(str(elsewhere.parent),)),
        "beside": lambda: run(paths[1:], tmp_path / "index"),
    }[how]()
    assert told == [f"{paths[0]}: lies at {elsewhere} now; nothing of it is read again"]
    with open_index(str(tmp_path / "index")) as index:
        assert sorted(entry.file for entry in index.ledger()) == sorted([str(elsewhere), paths[1]])
        assert index.missing_files() == [] and index.check() == []
    assert b"unique1" in read_first_hit(tmp_path / "index", "unique1")
    after = answers(tmp_path / "index")["searches"]
    moved = {
        query: (
            total,
            notices,
            [(*row[:4], row[4].replace(str(elsewhere), paths[0]), *row[5:]) for row in rows],
        )
        for query, (total, notices, rows) in after.items()
    }
    assert moved == before
    assert run([paths[1], str(elsewhere)], tmp_path / "index") == [], "known there from now on"


def test_a_copy_is_another_file(tmp_path: Path) -> None:
    [path] = write_shelf(tmp_path / "shelf", files=1, pages=2)
    run([path], tmp_path / "index")
    copy = str(shutil.copy(path, tmp_path / "copy.warc"))
    assert run([path, copy], tmp_path / "index") == []
    with open_index(str(tmp_path / "index")) as index:
        first, second = index.ledger()
        assert first.captures == second.captures > 0
        assert index.search("unique1").hits[0].captures == 1  # readers see the record once


def test_a_file_with_other_content_at_the_new_place_is_another_file(tmp_path: Path) -> None:
    paths = write_shelf(tmp_path / "shelf", files=2, pages=2)
    run(paths[:1], tmp_path / "index")
    os.rename(paths[0], tmp_path / "away")
    assert run(paths[1:], tmp_path / "index") == []
    with open_index(str(tmp_path / "index")) as index:
        assert [entry.path for entry in index.missing_files()] == [paths[0]]
        assert len(index.ledger()) == 2


def test_files_that_are_gone_from_a_folder_are_told(tmp_path: Path) -> None:
    paths = write_shelf(tmp_path / "shelf", files=2, pages=2)
    other = write_shelf(tmp_path / "other", files=1, pages=2)
    run(paths + other, tmp_path / "index")
    os.remove(paths[0])
    os.remove(other[0])
    [line] = run(paths[1:], tmp_path / "index", folders=(str(tmp_path / "shelf"),))
    assert line.startswith(f"{paths[0]}: is gone") and f"findingaid remove --file {paths[0]}" in line


def test_an_index_that_moves_with_its_archives_finds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_shelf(tmp_path / "old" / "shelf", files=1, pages=3)
    monkeypatch.chdir(tmp_path / "old")
    run(["shelf/000.warc"], "index")
    monkeypatch.chdir("/")
    os.rename(tmp_path / "old", tmp_path / "new")
    index = tmp_path / "new" / "index"
    assert b"unique1" in read_first_hit(index, "unique1")
    with open_index(str(index)) as opened:
        assert opened.missing_files() == []
    nothing_is_read(monkeypatch)
    [line] = run([], index)
    assert str(tmp_path / "new/shelf/000.warc") in line
    with open_index(str(index)) as opened:
        assert [entry.path for entry in opened.ledger()] == [str(tmp_path / "new/shelf/000.warc")]
    assert run([str(tmp_path / "new/shelf/000.warc")], index) == []


def test_another_file_at_the_place_beside_a_moved_index_is_not_taken_for_the_archive(tmp_path: Path) -> None:
    [path] = write_shelf(tmp_path / "old" / "shelf", files=1, pages=3)
    run([path], tmp_path / "old" / "index")
    os.rename(tmp_path / "old", tmp_path / "new")
    (tmp_path / "new/shelf/000.warc").write_bytes(record("http://evil.example/", page(5)) * 9)
    with open_index(str(tmp_path / "new/index")) as index:
        [hit] = index.search("unique1").hits
        assert hit.snippet == ()
        capture = index.closest(hit.url)
        assert capture is not None
        with pytest.raises(UnreadableError, match="not there any more"):
            index.record(capture)


def test_what_lies_beside_the_archives_is_passed_over_and_told_when_named(tmp_path: Path) -> None:
    [path] = write_shelf(tmp_path / "shelf", files=1, pages=2)
    readme, broken = tmp_path / "shelf/README", tmp_path / "shelf/broken.warc.gz"
    readme.write_text("Crawls of 2014.")
    broken.write_bytes(b"not gzip at all")
    paths = [path, str(readme), str(broken)]
    told = run(paths, tmp_path / "index", found=frozenset(paths))
    assert f"{readme}: is no archive; passed over" in told
    with open_index(str(tmp_path / "index")) as index:
        entries = {entry.file: entry for entry in index.ledger()}
        assert entries[str(readme)].status == "not an archive" and entries[str(readme)].damaged == ()
        assert entries[str(broken)].damaged, "what is named like an archive is one that is damaged"
    assert run(paths, tmp_path / "index", found=frozenset(paths)) == []
    run([str(readme)], tmp_path / "index")
    with open_index(str(tmp_path / "index")) as index:
        assert {entry.file for entry in index.ledger() if entry.damaged} == {str(readme), str(broken)}
