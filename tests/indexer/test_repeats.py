"""Revisits whose bytes are held under another address: the page is found under both, whatever comes first or goes."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from faults import run_in_one_process
from shelf import page, record

from indexer import IndexOptions, build_index, open_index, remove_from_index, restore_to_index

ONE = IndexOptions(workers=1)
ORIGINAL, OTHER, THIRD = "http://a.example/page", "http://b.example/copy", "http://c.example/copy"


@pytest.fixture(autouse=True)
def _one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    run_in_one_process(monkeypatch)


@pytest.fixture
def index_dir(tmp_path: Path) -> str:
    return str(tmp_path / "index")


def written(path: Path, *records: bytes) -> str:
    path.write_bytes(b"".join(records))
    return str(path)


def found(index_dir: str, words: str = "unique1") -> dict[str, tuple[str, str, int]]:
    """Return (first, last, captures) of each address found; each hit must be readable and the index sound."""
    with open_index(index_dir) as index:
        assert index.check() == []
        hits = index.search(words).hits
        for hit in hits:
            capture = index.closest(hit.url, hit.timestamp)
            assert capture is not None and capture.url == hit.url
            with index.record(capture) as stored:
                assert words.encode() in stored.read()
            assert any(part.hit for part in hit.snippet)
        return {hit.url: (hit.first, hit.last, hit.captures) for hit in hits}


def files_of(tmp_path: Path) -> list[str]:
    return [
        written(tmp_path / "original.warc", record(ORIGINAL, page(1), date="2020-01-01T00:00:00Z")),
        written(tmp_path / "first.warc", record(OTHER, page(1), kind="revisit", date="2021-01-01T00:00:00Z")),
        written(
            tmp_path / "second.warc", record(OTHER, page(1), kind="revisit", date="2023-01-01T00:00:00Z")
        ),
    ]


BOTH = {
    ORIGINAL: ("20200101000000", "20200101000000", 1),
    OTHER: ("20210101000000", "20230101000000", 2),
}


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("together", [True, False])
def test_the_page_is_found_under_both_addresses_in_any_order_of_files(
    tmp_path: Path, index_dir: str, order: tuple[int, ...], together: bool
) -> None:
    files = files_of(tmp_path)
    paths = [files[number] for number in order]
    for some in [paths] if together else [[path] for path in paths]:
        build_index(some, index_dir, options=ONE)
    assert found(index_dir) == BOTH
    with open_index(index_dir) as index:
        assert [hit.url for hit in index.search("unique1 from:2021 to:2021").hits] == [OTHER]
        assert index.search("unique1 from:2022 to:2022").total == 0
        assert index.search("copy").total == 1  # a word of its own address
        assert [entry.documents for entry in index.ledger()] == [
            int(entry.file.endswith("original.warc")) for entry in index.ledger()
        ]


def test_it_is_found_in_one_file_too_and_with_several_workers(
    tmp_path: Path, index_dir: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # real processes
    paths = [
        written(
            tmp_path / f"{number}.warc",
            record(
                f"http://r{number}.example/", page(number + 1), kind="revisit", date="2021-01-01T00:00:00Z"
            ),
            record(f"http://o{number}.example/", page(number), date="2020-01-01T00:00:00Z"),
        )
        for number in range(6)
    ]
    build_index(paths, index_dir, options=IndexOptions(workers=2))
    for number in range(1, 6):
        assert set(found(index_dir, f"unique{number}")) == {
            f"http://r{number - 1}.example/",
            f"http://o{number}.example/",
        }


def test_when_the_original_goes_its_bytes_go_under_every_address(tmp_path: Path, index_dir: str) -> None:
    files = files_of(tmp_path)
    build_index(files, index_dir, options=ONE)
    remove_from_index(index_dir, "url", ORIGINAL)
    assert found(index_dir) == {}
    build_index(files, index_dir, options=ONE)
    assert found(index_dir) == {}
    with open_index(index_dir) as index:
        assert [capture.original for capture in index.captures(OTHER)] == [None, None]
    restore_to_index(index_dir, "url", ORIGINAL)
    build_index(files, index_dir, options=ONE)
    assert found(index_dir) == BOTH


def test_a_takedown_of_the_revisited_address_leaves_the_original(tmp_path: Path, index_dir: str) -> None:
    files = files_of(tmp_path)
    build_index(files, index_dir, options=ONE)
    remove_from_index(index_dir, "url", OTHER)
    assert found(index_dir) == {ORIGINAL: BOTH[ORIGINAL]}
    build_index(files, index_dir, options=ONE)
    assert found(index_dir) == {ORIGINAL: BOTH[ORIGINAL]}


def test_another_holder_of_the_bytes_keeps_the_page(tmp_path: Path, index_dir: str) -> None:
    files = files_of(tmp_path)
    files.append(written(tmp_path / "third.warc", record(THIRD, page(1), date="2019-01-01T00:00:00Z")))
    build_index(files, index_dir, options=ONE)
    third = {THIRD: ("20190101000000", "20190101000000", 1)}
    assert found(index_dir) == BOTH | third
    remove_from_index(index_dir, "file", files[0])
    assert found(index_dir) == {OTHER: BOTH[OTHER]} | third


def test_a_file_that_holds_something_else_later_takes_the_page_with_it(
    tmp_path: Path, index_dir: str
) -> None:
    files = files_of(tmp_path)
    build_index(files, index_dir, options=ONE)
    written(tmp_path / "original.warc", record(ORIGINAL, page(2), date="2020-01-01T00:00:00Z"))
    build_index(files, index_dir, options=ONE)
    assert found(index_dir) == {}
    assert set(found(index_dir, "unique2")) == {ORIGINAL}
    written(tmp_path / "original.warc", record(ORIGINAL, page(1), date="2020-01-01T00:00:00Z"))
    build_index(files, index_dir, options=ONE)
    assert found(index_dir) == BOTH


def test_a_response_of_its_own_joins_the_version_that_revisits_show(tmp_path: Path, index_dir: str) -> None:
    files = files_of(tmp_path)
    build_index(files, index_dir, options=ONE)
    files.append(written(tmp_path / "own.warc", record(OTHER, page(1), date="2022-01-01T00:00:00Z")))
    build_index(files, index_dir, options=ONE)
    assert found(index_dir) == BOTH | {OTHER: ("20210101000000", "20230101000000", 3)}
    remove_from_index(index_dir, "url", ORIGINAL)
    assert set(found(index_dir)) == {OTHER}


@pytest.mark.parametrize(("status", "is_page"), [(200, True), (304, True), (301, False), (404, False)])
def test_a_redirect_with_the_bytes_of_a_page_is_none(
    tmp_path: Path, index_dir: str, status: int, is_page: bool
) -> None:
    path = written(
        tmp_path / "a.warc",
        record(ORIGINAL, page(1), date="2020-01-01T00:00:00Z"),
        record(OTHER, page(1), kind="revisit", date="2021-01-01T00:00:00Z", status=status),
    )
    build_index([path], index_dir, options=ONE)
    assert set(found(index_dir)) == ({ORIGINAL, OTHER} if is_page else {ORIGINAL})
