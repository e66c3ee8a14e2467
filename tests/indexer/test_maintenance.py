"""Removing pages, sites and files, letting them in again, and optimizing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from faults import run_in_one_process
from shelf import answers, page, record, write_shelf

from indexer import (
    IndexMissingError,
    IndexOptions,
    NothingToRemoveError,
    build_index,
    open_index,
    optimize_index,
    remove_from_index,
    restore_to_index,
)
from indexer.store.removal import Takedowns, removal_for

ONE = IndexOptions(workers=1)


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    run_in_one_process(monkeypatch)


@pytest.fixture
def shelf(tmp_path: Path) -> list[str]:
    return write_shelf(tmp_path / "shelf", files=3, pages=8)


@pytest.fixture
def index(tmp_path: Path, shelf: list[str]) -> str:
    folder = str(tmp_path / "index")
    build_index(shelf, folder, options=ONE)
    return folder


def without(paths: list[str], folder: Path, needle: bytes) -> list[str]:
    """Return copies of archives that never held the records whose address contains `needle`."""
    folder.mkdir()
    kept = []
    for path in paths:
        parts = Path(path).read_bytes().split(b"WARC/1.0\r\n")[1:]
        content = b"".join(
            b"WARC/1.0\r\n" + part for part in parts if needle not in part.split(b"WARC-Date")[0]
        )
        (folder / os.path.basename(path)).write_bytes(content)
        kept.append(str(folder / os.path.basename(path)))
    return kept


def searches(index: str) -> Any:
    """Return all answers with scores, without the places that differ where other records went before."""
    found = answers(index)["searches"]
    return {
        query: (total, notices, [(*row[:4], *row[6:]) for row in rows])
        for query, (total, notices, rows) in found.items()
    }


def sound(index: str) -> None:
    with open_index(index) as opened:
        assert opened.check() == []
        for entry in opened.ledger():
            assert entry.records == entry.captures + sum(entry.skipped.values())


@pytest.mark.parametrize(
    "kind, target, needle",
    [
        ("url", "HTTPS://Shared.Example:443/", b"http://shared.example/"),
        ("url", "http://site1.example/changing", b"http://site1.example/changing"),
        ("site", "site1.example", b"http://site1.example/"),
        ("site", "example", b".example/"),
    ],
)
@pytest.mark.parametrize("then", ["at once", "merged", "read again", "rebuilt"])
def test_what_is_removed_is_as_if_it_had_never_been_there(
    tmp_path: Path, index: str, shelf: list[str], kind: str, target: str, needle: bytes, then: str
) -> None:
    removal = remove_from_index(index, kind, target, reason="a request", who="ada")
    assert removal is not None and removal.captures > 0
    if then == "merged":
        optimize_index(index)
    elif then == "read again":
        for path in shelf:
            os.utime(path, (1, 1))
        build_index(shelf, index, options=ONE)
    elif then == "rebuilt":
        build_index(shelf, index, options=IndexOptions(workers=1, rebuild=True))
    build_index(without(shelf, tmp_path / "never", needle), str(tmp_path / "pure"), options=ONE)
    assert searches(index) == searches(str(tmp_path / "pure"))
    sound(index)
    with open_index(index) as opened, open_index(str(tmp_path / "pure")) as pure:
        mine, its = opened.statistics(), pure.statistics()
        assert (mine.captures, mine.documents, mine.versions, mine.sites) == (
            its.captures,
            its.documents,
            its.versions,
            its.sites,
        )
        assert mine.skipped["removed"] == removal.captures
        assert opened.captures(target if kind == "url" else "http://site1.example/changing") == []
        [line] = opened.removals()
        assert (line.reason, line.who, line.captures, line.lifted) == (
            "a request",
            "ada",
            removal.captures,
            "",
        )


def test_link_texts_of_a_removed_page_go_with_it(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(
        record("http://a.example/", '<a href="http://b.example/">zebra</a> text')
        + record("http://b.example/", "<p>plain page")
    )
    index = str(tmp_path / "index")
    build_index([str(path)], index, options=ONE)
    with open_index(index) as opened:
        assert opened.search("zebra").total == 2
        remove_from_index(index, "url", "http://a.example/")
        assert opened.search("zebra").total == 0
    sound(index)


@pytest.mark.parametrize(
    "kind, target", [("url", "http://shared.example/"), ("site", "site1.example"), ("file", "")]
)
def test_an_undone_removal_is_as_if_it_had_never_been(
    index: str, shelf: list[str], kind: str, target: str
) -> None:
    before = answers(index)
    target = target or shelf[0]
    remove_from_index(index, kind, target)
    assert answers(index) != before
    build_index(shelf, index, options=ONE)
    assert answers(index) != before
    [lifted] = restore_to_index(index, kind, target)
    assert lifted.lifted
    build_index(shelf, index, options=ONE)
    assert answers(index) == before
    with pytest.raises(NothingToRemoveError, match="no removal of this"):
        restore_to_index(index, kind, target)
    sound(index)


def test_a_removed_file_stays_out_wherever_it_lies(tmp_path: Path, index: str, shelf: list[str]) -> None:
    removal = remove_from_index(index, "file", shelf[0])
    assert removal is not None
    build_index(shelf[1:], str(tmp_path / "pure"), options=ONE)
    copy = str(shutil.copy(shelf[0], tmp_path / "copy.warc"))
    for paths, rebuild in (([*shelf, copy], False), ([*shelf, copy], True)):
        told: list[str] = []
        build_index(
            paths,
            index,
            options=IndexOptions(workers=1, rebuild=rebuild),
            progress=lambda progress, told=told: told.extend(progress.problems),  # type: ignore[misc]
        )
        assert [line.split(":")[0] for line in told] == [shelf[0], copy]
        assert "findingaid remove --undo --file" in told[0]
        assert searches(index) == searches(str(tmp_path / "pure"))
        sound(index)
    with open_index(index) as opened:
        assert [entry.file for entry in opened.ledger()] == shelf[1:]


def test_a_removed_file_keeps_its_line_in_the_ledger(index: str, shelf: list[str]) -> None:
    with open_index(index) as opened:
        before = opened.ledger()[0]
    remove_from_index(index, "file", shelf[0])
    with open_index(index) as opened:
        after = opened.ledger()[0]
    assert (after.status, after.records, after.captures, after.documents) == ("removed", before.records, 0, 0)
    assert after.skipped == {**before.skipped, "removed": before.captures}


def test_what_is_not_there_is_told_and_nothing_is_kept(index: str) -> None:
    for kind, target in (("url", "http://nowhere.example/"), ("site", "xample"), ("file", "none.warc")):
        with pytest.raises(NothingToRemoveError, match="nothing was removed"):
            remove_from_index(index, kind, target)
    with pytest.raises(ValueError, match="no name of a host"):
        remove_from_index(index, "site", "not a host")
    with open_index(index) as opened:
        assert opened.removals() == []
    with pytest.raises(IndexMissingError):
        remove_from_index(index + "x", "url", "http://shared.example/")
    assert not os.path.exists(index + "x")


def test_who_is_asked_and_says_no_keeps_everything(index: str) -> None:
    before, asked = answers(index), []

    def no(captures: int, pages: int) -> bool:
        asked.append((captures, pages))
        return False

    assert remove_from_index(index, "url", "http://shared.example/", confirm=no) is None
    assert asked == [(3, 1)] and answers(index) == before


@pytest.mark.parametrize(
    "url, named",
    [
        ("http://example.org/", True),
        ("https://EXAMPLE.org:8443/x?y", True),
        ("http://a.b.example.org/", True),
        ("ftp://ftp.example.org/x", True),
        ("http://myexample.org/", False),
        ("http://example.org.evil.com/", False),
        ("http://org/", False),
        ("urn:uuid:example.org", False),
        ("http://1.2.3.4/", False),
        ("", False),
    ],
)
def test_a_site_is_a_host_and_all_below_it(url: str, named: bool) -> None:
    for spelling in ("example.org", "Example.ORG.", "https://example.org/some/page"):
        assert Takedowns.of([removal_for("site", spelling)]).names(url) is named


def test_optimizing_leaves_one_segment_without_dead_versions_and_the_same_answers(
    index: str, shelf: list[str]
) -> None:
    before = answers(index)
    for number in range(3):
        path = os.path.join(os.path.dirname(shelf[0]), f"more{number}.warc")
        Path(path).write_bytes(record(f"http://more.example/{number}", page(500 + number)))
        build_index([path], index, options=ONE)
    remove_from_index(index, "site", "more.example")
    said: list[str] = []
    with open_index(index) as reader:
        first = reader.search("archive")
        done = optimize_index(index, progress=lambda step, done, total: said.append(step))
        second = reader.search("archive")
        assert [(hit.url, hit.score) for hit in first.hits] == [(hit.url, hit.score) for hit in second.hits]
    assert (done.segments, done.dropped_versions) == (1, 3) and done.bytes < done.bytes_before
    assert said[-1] == "packing the catalogue" and "merging segments" in said
    said.clear()
    optimize_index(index, progress=lambda step, done, total: said.append(step))
    assert set(said) == {"packing the catalogue"}, (
        "a second time there is nothing to merge, and no word of it"
    )
    assert searches(index).keys() == before["searches"].keys()
    sound(index)
    content = b"".join(
        (Path(index) / "g1" / name).read_bytes()
        for name in os.listdir(Path(index) / "g1")
        if "wal" not in name
    )
    assert b"more.example/2" not in content, "what was removed is gone from the files"


def test_what_is_kept_of_a_state_ends_with_it(index: str) -> None:
    with open_index(index) as opened:
        few, many = opened.newest(2), opened.newest(50)
        pages = opened.statistics().documents
        assert few == many[:2] == opened.newest(2) and len(many) == pages
        remove_from_index(index, "url", few[0].url)
        assert opened.newest(50) == many[1:]
        assert opened.statistics().documents == pages - 1
