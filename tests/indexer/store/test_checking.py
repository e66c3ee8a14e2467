"""check_generation finds faults that somebody planted, and says where they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from shelf import open_catalogue
from store_batches import commit_pages, write_segment

from indexer import Ranking
from indexer.store.checking import check_generation
from indexer.store.writer import IndexWriter

PAGES = {"http://a.example/": {("cat", 6): [0, 4], ("title", 0): [9]}, "http://b.example/": {("dog", 6): [1]}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    writer = IndexWriter(str(tmp_path / "g1"), Ranking())
    commit_pages(writer, "a.warc", PAGES)
    writer.merge()  # the end of a run: weights are written then
    writer.close()
    return tmp_path / "g1"


def plant(folder: Path, sql: str) -> None:
    connection = open_catalogue(folder / "catalogue.sqlite")
    connection.execute(sql)
    connection.commit()
    connection.close()


def test_a_sound_index_has_no_problems_and_tells_its_progress(folder: Path) -> None:
    said: list[str] = []
    assert check_generation(str(folder), said.append) == []
    assert said == ["catalogue", "segment 1 (2 versions)"]


@pytest.mark.parametrize(
    "sql, found",
    [
        ("UPDATE capture_rows SET url = 99 WHERE offset = 0", "1 captures of an address that is not there"),
        ("UPDATE capture_rows SET file = 99 WHERE offset = 0", "1 captures in a file that is not there"),
        (
            "UPDATE capture_rows SET version = 99 WHERE offset = 0",
            "1 captures that show a version that is not there",
        ),
        (
            "UPDATE versions SET url = 99 WHERE place & 65535 = 1",
            "1 versions of an address that is not there",
        ),
        ("UPDATE capture_rows SET kind = kind | 2 WHERE offset = 0", "1 versions that no capture holds"),
        ("UPDATE capture_rows SET kind = 99 WHERE offset = 0", "1 captures of a kind that is not there"),
        ("UPDATE capture_rows SET member = 9 WHERE offset = 0", "1 captures in a member that is not there"),
        (
            "UPDATE capture_rows SET offset = 7777 WHERE offset = 0",
            "1 captures that no piece of their file holds",
        ),
        ("UPDATE capture_rows SET offset = 0", "1 captures of one record more than once"),
        ("UPDATE addresses SET folder = 99 WHERE id = 1", "1 addresses in a folder that is not there"),
        ("UPDATE addresses SET folder = 1, name = 'x'", "1 addresses more than once"),
        ("DELETE FROM capture_rows WHERE offset = 0", "the ledger counts 2 captures, the index holds 1"),
        ("DELETE FROM versions WHERE place & 65535 = 1", "live versions are not those of the catalogue"),
        ("UPDATE versions SET url = 3 - url", "belong to other pages"),
        (
            "UPDATE catalogue SET value = replace(value, '\"records\":2', '\"records\":7')",
            "the ledger counts 7 records",
        ),
        (
            "UPDATE catalogue SET value = replace(value, '\"dead\":[]', '\"dead\":[1]')",
            "do not add up to the catalogue's sums",
        ),
        ("UPDATE catalogue SET value = replace(value, '\"dead\":[]', '\"dead\":[77]')", "catalogue.sqlite"),
        ("UPDATE catalogue SET value = replace(value, '\"number\":1', '\"number\":5')", "000005.seg"),
        ("UPDATE catalogue SET value = 'nothing' WHERE key = 'segments'", "expected JSON"),
        ("DELETE FROM catalogue WHERE key = 'segments'", "segments"),
        ("DROP TABLE capture_rows", "capture_rows"),
    ],
)
def test_a_planted_fault_is_found(folder: Path, sql: str, found: str) -> None:
    plant(folder, sql)
    problems = check_generation(str(folder))
    assert any(found in problem for problem in problems), problems
    assert all("\n" not in problem for problem in problems)


def test_a_segment_with_other_words_than_its_lengths_say(folder: Path) -> None:
    # sound in itself, but not the one that the catalogue and the weights were made for
    write_segment(
        str(folder / "000001.seg"),
        {"http://a.example/": {("cat", 6): [0]}, "http://b.example/": {("dog", 6): [1]}},
    )
    assert any("pairs" in problem for problem in check_generation(str(folder)))


def test_a_missing_folder_is_a_problem_not_a_crash(tmp_path: Path) -> None:
    [problem] = check_generation(str(tmp_path / "g9"))
    assert "catalogue.sqlite" in problem
