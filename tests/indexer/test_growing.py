"""A file that is still being written is read up to its last whole record, then carried on with, as if read at once."""

from __future__ import annotations

import gzip
import os
import random
from pathlib import Path
from typing import Any

import pytest
from faults import run_in_one_process
from shelf import answers, page, record

import indexer.text.documents
from indexer import IndexOptions, build_index, open_index
from indexer.options import AtOnce
from indexer.store.writer import IndexWriter

ONE = IndexOptions(workers=1)


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    run_in_one_process(monkeypatch)


def member(number: int, *, kind: str = "response", same_as: int | None = None, moment: int = 0) -> bytes:
    html = page(number if same_as is None else same_as)
    seconds = moment or 10_800 + number
    date = f"2020-01-02T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}Z"
    return gzip.compress(
        record(f"http://site{number % 3}.example/{number % 40}", html, kind=kind, date=date), mtime=0
    )


def members(count: int, chosen: random.Random) -> list[bytes]:
    """Return records as a crawl writes them: pages, pages as before, revisits, requests.

    Each has a second of its own: of two versions of a page from one second, if equally good, either may be shown.
    """
    made = []
    for number, moment in enumerate(chosen.sample(range(1, 86_400), count)):
        turn = chosen.random()
        if turn < 0.2:
            made.append(member(number, kind="revisit", moment=moment))
        elif turn < 0.4:
            made.append(member(number, same_as=number // 2, moment=moment))
        elif turn < 0.5:
            made.append(
                gzip.compress(
                    record(f"http://site{number % 3}.example/{number}", "", kind="request"), mtime=0
                )
            )
        else:
            made.append(member(number, moment=moment))
    return made


def index_at_once(folder: Path, content: bytes, path: Path, index: Path) -> dict[str, Any]:
    """Return what an index says that reads the closed file for the first time."""
    kept = path.read_bytes() if path.exists() else None
    path.write_bytes(content)
    build_index([str(path)], str(index), options=ONE)
    found = answers(index)
    if kept is None:
        path.unlink()
    return found


def files_in(folder: Path) -> list[str]:
    return sorted(str(file) for file in folder.iterdir())


@pytest.mark.parametrize("seed", range(12))
def test_read_at_any_moment_it_ends_as_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Cut anywhere, by runs that are broken off, with records taken back and others written; renamed at last."""
    chosen = random.Random(seed)
    arcs, index = tmp_path / "arcs", tmp_path / "index"
    arcs.mkdir()
    growing = arcs / "x.warc.gz.open"
    whole = b""
    commit = IndexWriter.commit
    for _ in range(chosen.randint(2, 6)):
        more = members(chosen.randint(1, 25), chosen)
        if (
            chosen.random() < 0.25 and whole
        ):  # a transaction failed: the last records are cut off, others follow
            whole = whole[: whole.rfind(b"\x1f\x8b\x08", 1)] if whole.rfind(b"\x1f\x8b\x08", 1) > 0 else b""
        ends = [len(whole)]
        for one in more:
            ends.append(ends[-1] + len(one))
        whole += b"".join(more)
        for cut in sorted(chosen.choices(range(ends[0], len(whole) + 1), k=2)) + [len(whole)]:
            growing.write_bytes(whole[:cut])
            if chosen.random() < 0.3:
                after = chosen.randint(0, 2)

                def break_off(writer: IndexWriter, *given: Any, left: list[int] = [after]) -> None:  # noqa: B006
                    if not left[0]:
                        raise AtOnce
                    left[0] -= 1
                    commit(writer, *given)

                with monkeypatch.context() as patched:
                    patched.setattr(IndexWriter, "commit", break_off)
                    try:
                        build_index(files_in(arcs), str(index), options=ONE)
                    except KeyboardInterrupt:
                        continue
            build_index(files_in(arcs), str(index), options=ONE)
            if os.path.exists(index / "current"):
                with open_index(str(index)) as opened:
                    for entry in opened.ledger():
                        assert (entry.status, entry.damaged) == ("indexed", ())
                        assert entry.records == entry.captures + sum(entry.skipped.values())
                        assert entry.records == sum(end <= cut for end in record_ends(whole))
                    assert opened.check() == [] and opened.missing_files() == []
    growing.write_bytes(whole)
    os.rename(growing, arcs / "x.warc.gz")
    if chosen.random() < 0.5:  # closed with more in it
        whole += b"".join(members(chosen.randint(1, 9), chosen))
        (arcs / "x.warc.gz").write_bytes(whole)
    build_index(files_in(arcs), str(index), options=ONE)
    at_once = index_at_once(tmp_path, whole, arcs / "x.warc.gz", tmp_path / "at once")
    assert answers(index) == at_once
    build_index(files_in(arcs), str(index), options=ONE)
    assert answers(index) == at_once


def record_ends(content: bytes) -> list[int]:
    """Return where each gzip member ends, by unpacking one after the other."""
    import zlib

    ends, at = [], 0
    while at < len(content):
        unpacker = zlib.decompressobj(31)
        unpacker.decompress(content[at:])
        at = len(content) - len(unpacker.unused_data)
        ends.append(at)
    return ends


def grow(path: Path, *numbers: int, tail: bytes = b"") -> None:
    path.write_bytes(b"".join(map(member, numbers)) + tail)


def read_by(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int | None]]:
    """Return the list of parts that are read from now on."""
    parts: list[tuple[int, int | None]] = []
    reader = indexer.text.documents.ArchiveReader

    def noting(path: str, *, start: int = 0, end: int | None = None, **more: Any) -> Any:
        parts.append((start, end))
        return reader(path, start=start, end=end, **more)

    monkeypatch.setattr("indexer.text.documents.ArchiveReader", noting)
    return parts


def test_nothing_is_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    growing, index = tmp_path / "x.warc.gz.open", str(tmp_path / "index")
    parts = read_by(monkeypatch)
    sizes = [0]
    for count in (3, 4, 4, 9):
        grow(growing, *range(count), tail=member(99)[:-1])
        build_index([str(growing)], index, options=ONE)
        sizes.append(sum(len(member(number)) for number in range(count)))
    assert parts == [(0, sizes[1]), (sizes[1], sizes[2]), (sizes[3], sizes[4])]
    grow(tmp_path / "x.warc.gz", *range(9))
    growing.unlink()
    build_index([str(tmp_path / "x.warc.gz")], index, options=ONE)
    assert len(parts) == 3, "closed, and nothing came"
    with open_index(index) as opened:
        [entry] = opened.ledger()
        assert (entry.file, entry.records, entry.status) == (str(tmp_path / "x.warc.gz"), 9, "indexed")


def test_a_page_can_be_shown_while_its_file_grows_and_after_it_is_closed(tmp_path: Path) -> None:
    growing, index = tmp_path / "x.warc.gz.open", str(tmp_path / "index")
    grow(growing, 0, 1)
    build_index([str(growing)], index, options=ONE)
    with open_index(index) as opened:
        capture = opened.closest("http://site1.example/1")
        assert capture is not None
        with opened.record(capture) as found:
            assert b"unique1" in found.read()
        os.rename(growing, tmp_path / "x.warc.gz")
        with opened.record(capture) as found:  # its place was looked up before
            assert b"unique1" in found.read()
        assert opened.missing_files() == []
        again = opened.closest("http://site1.example/1")
        assert again is not None and again.location.path == str(tmp_path / "x.warc.gz")


def test_what_is_not_whole_is_damage_once_the_file_is_closed(tmp_path: Path) -> None:
    growing, index = tmp_path / "x.warc.gz.open", str(tmp_path / "index")
    grow(growing, 0, 1, tail=member(2)[:50])
    build_index([str(growing)], index, options=ONE)
    os.rename(growing, tmp_path / "x.warc.gz")
    build_index([str(tmp_path / "x.warc.gz")], index, options=ONE)
    with open_index(index) as opened:
        [entry] = opened.ledger()
        assert (entry.status, entry.captures) == ("damaged", 2)
        assert entry.damaged[0].offset == len(member(0)) + len(member(1)) and entry.damaged[0].length == 50


def test_a_growing_file_beside_its_closed_copy_is_not_read(tmp_path: Path) -> None:
    grow(tmp_path / "x.warc.gz.open", 0)
    grow(tmp_path / "x.warc.gz", 0, 1)
    for turn in (1, -1):
        paths = files_in(tmp_path)[::turn]
        build_index(
            [path for path in paths if "index" not in path], str(tmp_path / f"index{turn}"), options=ONE
        )
        with open_index(str(tmp_path / f"index{turn}")) as opened:
            assert [entry.captures for entry in opened.ledger()] == [2]


def test_a_removal_that_is_lifted_reads_the_growing_file_again(tmp_path: Path) -> None:
    from indexer import remove_from_index, restore_to_index

    growing, index = tmp_path / "x.warc.gz.open", str(tmp_path / "index")
    grow(growing, *range(6))
    build_index([str(growing)], index, options=ONE)
    remove_from_index(index, "url", "http://site1.example/1")
    grow(growing, *range(9))
    build_index([str(growing)], index, options=ONE)
    restore_to_index(index, "url", "http://site1.example/1")
    grow(growing, *range(10))
    build_index([str(growing)], index, options=ONE)
    os.rename(growing, tmp_path / "x.warc.gz")
    build_index([str(tmp_path / "x.warc.gz")], index, options=ONE)
    content = (tmp_path / "x.warc.gz").read_bytes()
    assert answers(index) == index_at_once(tmp_path, content, tmp_path / "x.warc.gz", tmp_path / "at once")


def test_a_growing_file_that_holds_nothing_whole_is_no_damage(tmp_path: Path) -> None:
    growing, index = tmp_path / "x.warc.gz.open", str(tmp_path / "index")
    for tail in (b"", b"\x1f", member(0)[:-1]):
        growing.write_bytes(tail)
        build_index([str(growing)], index, options=ONE)
        with open_index(index) as opened:
            assert opened.ledger() == []
