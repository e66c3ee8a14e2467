"""Several indexes opened as one answer as one big index over the same files does: order, totals, scores, captures."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults import run_in_one_process
from shelf import QUERIES, WORDS, page, record, write_shelf

from indexer import Index, IndexMissingError, IndexOptions, build_index, open_index, remove_from_index
from indexer.listing import KeyRange

ONE = IndexOptions(workers=1)
MORE = (
    *QUERIES,
    "archive ledger shelf",
    "site:site1.example",
    "from:2021 archive",
    "walnut OR granite NEAR pepper",
)


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    run_in_one_process(monkeypatch)


def random_shelf(folder: Path, seed: int, files: int) -> list[str]:
    """Write archives of a small web: few pages, captured again and again in any file, changed or not, with revisits.

    The bytes of a page have one address: under another one, of which only revisits are held, a page is indexed where
    one index holds both, and several indexes together make none.
    """
    folder.mkdir(parents=True)
    chosen = random.Random(seed)
    paths = []
    for file in range(files):
        records = []
        for _ in range(chosen.randint(0, 14)):
            number, variant = chosen.randint(0, 9), chosen.choice([0, 0, 0, 1, 2])
            kind, status = chosen.choice([("response", 200)] * 8 + [("response", 404), ("revisit", 200)])
            records.append(
                record(
                    f"http{'s' if variant == 1 else ''}://site{number % 3}.example/{number}",
                    page(number * 10 + variant),
                    # times are unlike, so that nothing hangs on the order of equal ones
                    date=f"20{chosen.randint(10, 24)}-{chosen.randint(1, 12):02}-{chosen.randint(1, 28):02}"
                    f"T{file:02}:{len(records):02}:{chosen.randint(0, 59):02}Z",
                    kind=kind,
                    status=status,
                )
            )
        path = folder / f"{seed}-{file}.warc"
        path.write_bytes(b"".join(records) or record("http://alone.example/", page(90 + file)))
        paths.append(str(path))
    return paths


def all_of(index: Index) -> Any:
    """Return all that an index says, over all its members."""
    with index._reading() as snapshot:
        urls = {
            row[0]
            for member in snapshot.members
            for row in member.catalogue.connection().execute("SELECT url FROM urls")
        }
    listed = index.list_captures(KeyRange.everything(), limit=10**6)
    pieces, after = [], None
    while piece := index.list_captures(KeyRange.everything(), after=after, limit=3):
        pieces += piece
        after = piece[-1].cursor
    assert pieces == listed
    backwards, after = [], None
    while piece := index.list_captures(KeyRange.everything(), after=after, limit=4, newest_first=True):
        backwards += piece
        after = piece[-1].cursor
    assert backwards == listed[::-1]
    assert index.count_captures(KeyRange.everything()) == len(listed)
    searches = {}
    for query in (*MORE, *WORDS):
        for sort in ("relevance", "newest", "oldest", "url"):
            found = index.search(query, limit=1000, sort=sort, facets=True)
            searches[query, sort] = (
                found.total,
                found.notices,
                found.facets,
                [(hit.url, hit.title, hit.timestamp, round(hit.score, 9), hit.snippet, hit.file, hit.offset,
                  hit.captures, hit.versions, hit.first, hit.last, hit.language, hit.mime, hit.status)
                 for hit in found.hits],
            )  # fmt: skip
    return {
        "statistics": index.statistics(),
        "ledger": index.ledger(),
        "captures": {url: index.captures(url) for url in urls if index.captures(url)},
        "closest": {url: index.closest(url, "2017") for url in urls},
        "listed": sorted((c.key, c.timestamp, c.url, c.file, c.offset, c.title) for c in listed),
        "searches": searches,
        "tree": index.tree("archive").root.count,
        "newest": [hit.url for hit in index.newest(5)],
        "check": index.check(),
    }


@pytest.mark.parametrize("seed", range(12))
def test_several_indexes_answer_as_one_over_the_same_files(tmp_path: Path, seed: int) -> None:
    chosen = random.Random(seed)
    paths = random_shelf(tmp_path / "shelf", seed, chosen.randint(2, 6))
    members = chosen.randint(2, 3)
    parts = [paths[number::members] for number in range(members)]
    folders = []
    for number, part in enumerate(parts):
        folders.append(str(tmp_path / f"part{number}"))
        for path in part or paths[:1]:  # in two runs, so that there are several segments
            build_index([path], folders[-1], options=ONE)
    build_index(paths, str(tmp_path / "whole"), options=ONE)
    with open_index(folders) as joined, open_index(str(tmp_path / "whole")) as whole:
        mine, its = all_of(joined), all_of(whole)
    assert mine.keys() == its.keys()
    for key in its:
        assert mine[key] == its[key], key


def test_a_file_that_two_indexes_hold_counts_once(tmp_path: Path) -> None:
    paths = write_shelf(tmp_path / "shelf", files=3, pages=4)
    build_index(paths[:2], str(tmp_path / "a"), options=ONE)
    build_index(paths[1:], str(tmp_path / "b"), options=ONE)
    build_index(paths, str(tmp_path / "whole"), options=ONE)
    folders = [tmp_path / "a", tmp_path / "b", tmp_path / "a"]
    with open_index(folders) as joined, open_index(tmp_path / "whole") as whole:
        assert all_of(joined) == all_of(whole)


def test_commits_and_rebuilds_in_one_of_them_are_seen(tmp_path: Path) -> None:
    paths = write_shelf(tmp_path / "shelf", files=2, pages=4)
    folders = [str(tmp_path / name) for name in "ab"]
    for path, folder in zip(paths, folders, strict=True):
        build_index([path], folder, options=ONE)
    with open_index(folders) as joined:
        before = joined.search("archive OR shelf OR harbour").total
        late = tmp_path / "late.warc"
        late.write_bytes(record("http://late.example/", page(1)))
        build_index([str(late)], folders[1], options=ONE)
        assert joined.search("site:late.example").total == 1
        remove_from_index(folders[1], "site", "late.example")
        assert joined.search("site:late.example").total == 0
        assert joined.search("archive OR shelf OR harbour").total == before
        build_index(paths[1:], folders[1], options=IndexOptions(workers=1, rebuild=True))
        assert joined.search("archive OR shelf OR harbour").total == before
        assert len(joined.removals()) == 1


def test_pages_whose_keys_clash_stay_two_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.worker.doc_keys", lambda urls: np.full(len(urls), 7, dtype=np.uint64))
    for name in "ab":
        path = tmp_path / f"{name}.warc"
        path.write_bytes(record(f"http://{name}.example/", page(1)))
        build_index([str(path)], str(tmp_path / name), options=ONE)
    with open_index([tmp_path / "a", tmp_path / "b"]) as joined:
        found = joined.search("unique1")
        assert found.total == 2 and {hit.url for hit in found.hits} == {
            "http://a.example/",
            "http://b.example/",
        }


def test_one_that_is_missing_is_told_by_name(tmp_path: Path) -> None:
    [path] = write_shelf(tmp_path / "shelf", files=1, pages=2)
    build_index([path], str(tmp_path / "a"), options=ONE)
    with pytest.raises(IndexMissingError, match="nowhere"):
        open_index([tmp_path / "a", tmp_path / "nowhere"])
    with pytest.raises(ValueError, match="no index"):
        open_index([])


def test_an_index_that_moved_with_its_archives_is_read_beside_another(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        [path] = write_shelf(tmp_path / name / "shelf", files=1, pages=2)
        if name == "b":
            os.remove(path)
            shutil.copy(write_shelf(tmp_path / "other", files=2, pages=2)[1], path)
        build_index([path], str(tmp_path / name / "index"), options=ONE)
    os.rename(tmp_path / "b", tmp_path / "moved")
    with open_index([tmp_path / "a/index", tmp_path / "moved/index"]) as joined:
        assert [bool(hit.snippet) for hit in joined.search("unique0 OR unique2").hits] == [True, True]
        assert joined.missing_files() == []
