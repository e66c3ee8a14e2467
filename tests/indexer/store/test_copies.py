"""The same record in two files: readers see it once, the ledger counts both, and either file can go."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from itertools import permutations
from pathlib import Path

import pytest
from faults import run_in_one_process
from shelf import page, record

from indexer import IndexOptions, build_index, open_index, remove_from_index
from indexer.listing import KeyRange
from indexer.store.copies import count_wrong_copies
from indexer.store.layout import live_folder

ONE = IndexOptions(workers=1)
URL, OTHER = "http://a.example/", "http://b.example/"


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    run_in_one_process(monkeypatch, batch_pages=3)


def build(folder: Path, **files: list[bytes]) -> str:
    paths = []
    for name, records in files.items():
        paths.append(folder / f"{name}.warc")
        paths[-1].write_bytes(b"".join(records))
    build_index([str(path) for path in paths], str(folder / "index"), options=ONE)
    return str(folder / "index")


def redirect(goal: str) -> bytes:
    """Return a redirect: its goal stands in the header, so that the payload is that of any other."""
    answer = record(URL, "", date="2010-01-01T00:00:00Z", status=302)
    field = f"Location: {goal}\r\n"
    length = answer.split(b"Content-Length: ")[1].split(b"\r")[0]
    longer = b"Content-Length: %d" % (int(length) + len(field))
    return answer.replace(b"Content-Length: " + length, longer).replace(
        b"Content-Type: text/html; charset=utf-8\r\n",
        f"Content-Type: text/html; charset=utf-8\r\n{field}".encode(),
    )


FIRST = record(URL, page(1), date="2010-01-01T00:00:00Z")
SECOND = record(URL, page(2), date="2011-01-01T00:00:00Z")
SEEN = record(URL, page(2), kind="revisit", date="2012-01-01T00:00:00Z")
ELSEWHERE = record(OTHER, page(3), date="2010-01-01T00:00:00Z")


def test_a_merged_file_shows_each_capture_once(tmp_path: Path) -> None:
    folder = build(tmp_path, a=[FIRST, SECOND, SEEN], b=[ELSEWHERE], merged=[FIRST, SECOND, SEEN, ELSEWHERE])
    with open_index(folder) as index:
        assert [c.timestamp[:4] for c in index.captures(URL)] == ["2010", "2011", "2012"]
        assert len(index.captures(OTHER)) == 1
        assert (
            len(index.list_captures(KeyRange.everything()))
            == 4
            == index.count_captures(KeyRange.everything())
        )
        totals = index.statistics()
        assert (totals.records, totals.captures, totals.copies, totals.shown_captures) == (8, 8, 4, 4)
        assert {(e.file.rpartition("/")[2], e.captures) for e in index.ledger()} == {
            ("a.warc", 3), ("b.warc", 1), ("merged.warc", 4)
        }  # fmt: skip
        results = index.search("site:a.example", facets=True)
        assert [(hit.captures, hit.versions) for hit in results.hits] == [(3, 2)]
        assert index.check() == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (FIRST, record(URL, page(2), date="2010-01-01T00:00:00Z")),  # other bytes in the same second
        (FIRST, record(URL, page(1), date="2010-01-01T00:00:01Z")),  # a second later
        (FIRST, record(URL.replace("http", "https"), page(1), date="2010-01-01T00:00:00Z")),
        (FIRST, record(URL, page(1), status=404, date="2010-01-01T00:00:00Z")),
        (redirect("/a"), redirect("/longer")),
    ],
)
def test_what_differs_is_shown_twice(tmp_path: Path, one: bytes, other: bytes) -> None:
    folder = build(tmp_path, a=[one], b=[other])
    with open_index(folder) as index:
        found = index.captures(URL) + index.captures(URL.replace("http", "https"))
        assert len({capture.location.path for capture in found}) == 2 and index.statistics().copies == 0


def test_equal_redirects_in_two_files_are_one(tmp_path: Path) -> None:
    with open_index(build(tmp_path, a=[redirect("/a")], b=[redirect("/a")])) as index:
        assert len(index.captures(URL)) == 1


def test_when_one_file_is_not_there_the_other_serves(tmp_path: Path) -> None:
    folder = build(tmp_path, a=[FIRST, SECOND, SEEN], b=[FIRST, SECOND, SEEN])
    for gone in ("a", "b"):
        shutil.move(tmp_path / f"{gone}.warc", tmp_path / "aside")
        with open_index(folder) as index:
            for capture in index.captures(URL):
                with index.record(capture) as opened:
                    assert opened.location.path.endswith(f"{'ba'[gone == 'b']}.warc")
            assert index.closest(URL, "2011") in index.captures(URL)
            hit = index.search("site:a.example").hits[0]
            assert hit.snippet
        shutil.move(tmp_path / "aside", tmp_path / f"{gone}.warc")


def test_copies_against_a_look_at_all_records_through_files_that_come_and_go(tmp_path: Path) -> None:
    """Files of random records, each removed in turn: what is shown is each record once, of those files left."""
    some = random.Random(5)
    urls = (URL, OTHER)
    pool = [record(some.choice(urls), page(n % 4), date=f"2010-01-01T00:00:{n:02}Z") for n in range(20)]
    files = {name: some.sample(pool, some.randint(3, 12)) for name in "abcdef"}
    folder = build(tmp_path, **files)
    left = dict(files)
    for gone in some.sample(sorted(files), 6):
        with open_index(folder) as index:
            shown = index.list_captures(KeyRange.everything())
            held = {record for records in left.values() for record in records}
            assert len(shown) == len(held)
            assert sorted(c.timestamp for c in shown) == sorted(
                f"201001010000{pool.index(each):02}" for each in held
            )
            totals = index.statistics()
            assert totals.shown_captures == len(shown)
            assert totals.captures == sum(map(len, left.values()))
            assert index.check() == []
            hits = index.search("site:example", limit=100).hits
            assert sum(hit.captures for hit in hits) == len(shown)
        remove_from_index(folder, "file", str(tmp_path / f"{gone}.warc"))
        del left[gone]
    with open_index(folder) as index:
        assert index.list_captures(KeyRange.everything()) == []


# -- files that hold a record several times

TWICE = {"x": [FIRST, FIRST, SECOND], "y": [FIRST, SECOND, SECOND, SECOND], "z": [SECOND, FIRST]}


def shown_places(folder: str) -> list[tuple[str, int, int]]:
    """Return file, offset and copy of each row of the catalogue, and hold `check` and the counts against them."""
    with closing(sqlite3.connect(f"{live_folder(folder)}/catalogue.sqlite")) as catalogue:
        rows = catalogue.execute(
            "SELECT f.whole, c.offset, c.copy FROM capture_rows c JOIN files f ON f.id = c.file ORDER BY 1, 2"
        ).fetchall()
    with open_index(folder) as index:
        assert index.check() == []
        totals = index.statistics()
        assert (totals.captures, totals.copies) == (len(rows), sum(row[2] for row in rows))
        hits = index.search("site:example", limit=100).hits
        assert sum(hit.captures for hit in hits) == totals.shown_captures
    return [(Path(whole).name, offset, copy) for whole, offset, copy in rows]


def plain_places(files: dict[str, list[bytes]]) -> list[tuple[str, int, int]]:
    """Return what `shown_places` has to say, from the files themselves."""
    places = []
    for name, records in sorted(files.items()):
        for number, each in enumerate(records):
            holder = min(files, key=lambda other: (-files[other].count(each), other))
            places.append((f"{name}.warc", sum(map(len, records[:number])), int(holder != name)))
    return places


def write(folder: Path, name: str, records: list[bytes]) -> str:
    path = folder / f"{name}.warc"
    path.write_bytes(b"".join(records))
    return str(path)


@pytest.mark.parametrize("order", list(permutations(TWICE)), ids="".join)
def test_which_are_shown_does_not_depend_on_the_order_of_runs(tmp_path: Path, order: tuple[str, ...]) -> None:
    folder = str(tmp_path / "index")
    for name in order:
        build_index([write(tmp_path, name, TWICE[name])], folder, options=ONE)
    assert shown_places(folder) == plain_places(TWICE)
    left = dict(TWICE)
    for name in order:
        remove_from_index(folder, "file", str(tmp_path / f"{name}.warc"))
        del left[name]
        assert shown_places(folder) == plain_places(left)


def test_files_that_come_grow_move_and_go_against_the_files_themselves(tmp_path: Path) -> None:
    """Random files with records repeated in them; after each step the marks are those of what is there."""
    some = random.Random(17)
    pool = [
        record(some.choice((URL, OTHER)), page(n % 3), kind=some.choice(("response", "resource")),
               date=f"2010-01-01T00:00:{n % 5:02}Z")
        for n in range(12)
    ]  # fmt: skip
    folder, names, left = str(tmp_path / "index"), list("abcdefghijkl"), dict[str, list[bytes]]()
    for step in range(40):
        name = some.choice(names)
        if name in left and some.random() < 0.3:
            remove_from_index(folder, "file", str(tmp_path / f"{name}.warc"))  # what is removed stays away
            names.remove(name)
            del left[name]
        elif name in left and some.random() < 0.4:
            goal = some.choice([other for other in "mnopqrstuvwxyz" if other not in left])
            shutil.move(tmp_path / f"{name}.warc", tmp_path / f"{goal}.warc")
            build_index([str(tmp_path / f"{goal}.warc")], folder, options=ONE)
            left[goal] = left.pop(name)
        else:
            left[name] = some.choices(pool, k=some.randint(1, 15)) + [
                record(f"http://only.example/{step}", page(9), date="2011-01-01T00:00:00Z")
            ]
            build_index([write(tmp_path, name, left[name])], folder, options=ONE)
        assert shown_places(folder) == plain_places(left), step


@pytest.mark.parametrize("wrong", ["0", "1", "1 - copy"])
def test_check_sees_a_wrong_mark(tmp_path: Path, wrong: str) -> None:
    folder = build(tmp_path, a=[FIRST, SECOND], b=[FIRST, SECOND])
    with closing(sqlite3.connect(f"{live_folder(folder)}/catalogue.sqlite")) as catalogue:
        assert count_wrong_copies(catalogue) == 0
        catalogue.execute(f"UPDATE capture_rows SET copy = {wrong}")
        assert count_wrong_copies(catalogue) == (4 if "-" in wrong else 2)


def test_two_files_in_turn_many_records_of_one_second(tmp_path: Path) -> None:
    """Looked at once a commit, not once a record."""
    files = {"a": [FIRST] * 300, "b": [FIRST] * 301}
    folder = str(tmp_path / "index")
    build_index([write(tmp_path, name, records) for name, records in files.items()], folder, options=ONE)
    assert shown_places(folder) == plain_places(files)
