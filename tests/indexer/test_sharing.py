"""A large file is read by several workers; ledger and answers are those of one."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from faults import run_in_one_process
from shelf import answers, page, record, write_shelf

import indexer.sharing
from indexer import IndexOptions, build_index, open_index
from indexer.choosing import ArchiveFile
from indexer.coordinator import Run
from indexer.sharing import joined_entry, shares_of
from indexer.text.documents import FileEntry

RECORDS = [record(f"http://site{n % 3}.example/{n}", page(n)) for n in range(40)]
OTHERS = [
    record("http://site1.example/1", page(1), kind="revisit", date="2023-01-01T00:00:00Z"),
    record("http://site1.example/1", page(7), date="2022-01-01T00:00:00Z"),
    record("http://site2.example/gone", "gone", status=404),
]


def plain() -> bytes:
    return b"".join(RECORDS + OTHERS)


def members() -> bytes:
    return b"".join(gzip.compress(each, mtime=0) for each in RECORDS + OTHERS)


def as_one_member() -> bytes:
    return gzip.compress(plain(), mtime=0)


def mixed() -> bytes:
    """One member a record, then many records in one, then a broken one, then garbage, then sound ones again."""
    broken = bytearray(gzip.compress(b"".join(RECORDS[20:24]), mtime=0))
    broken[len(broken) // 2] ^= 0xFF
    parts = [gzip.compress(each, mtime=0) for each in RECORDS[:12]]
    parts += [gzip.compress(b"".join(RECORDS[12:20]), mtime=0), bytes(broken), b"no archive" * 9]
    return b"".join(parts + [gzip.compress(each, mtime=0) for each in RECORDS[24:] + OTHERS])


def cut_short() -> bytes:
    return members()[:-100]


def trailing_garbage() -> bytes:
    return plain() + b"\x00" * 500 + b"garbage " * 50


def in_a_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("archive/a.warc.gz", members())
        packed.writestr("archive/b.warc", b"".join(RECORDS[:5]))
    return out.getvalue()


def no_archive() -> bytes:
    return b"This is a letter.\n" * 200


KINDS = [plain, members, as_one_member, mixed, cut_short, trailing_garbage, in_a_zip, no_archive]


@pytest.fixture(autouse=True)
def small_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    run_in_one_process(monkeypatch)
    monkeypatch.setattr(indexer.sharing, "SHARED_BYTES", 1)
    monkeypatch.setattr("indexer.text.documents.RECORDS_OF_A_SHARE", 4)


def told(index: Path) -> dict[str, Any]:
    """Return the answers of an index, with damage in the order of the file."""
    with open_index(str(index)) as opened:
        assert opened.check() == []
    found = answers(index)
    found["ledger"] = [
        replace(entry, damaged=tuple(sorted(entry.damaged, key=lambda damage: damage.offset)))
        for entry in found["ledger"]
    ]
    found["statistics"] = replace(found["statistics"], damaged=())
    return found


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_ledger_and_answers_are_those_of_one_worker(tmp_path: Path, make: Callable[[], bytes]) -> None:
    file = tmp_path / "large.warc"
    file.write_bytes(make())
    for workers in (1, 3):
        options = IndexOptions(workers=workers)
        build_index([str(file)], str(tmp_path / f"{workers}"), options=options)
    assert told(tmp_path / "3") == told(tmp_path / "1")


def lose_the_first_end(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Have the worker die whose batch tells first of the end of a share; the other workers are listed then."""
    take, left = Run._take_batch, list[Any]()

    def lose_the_first(run: Run, batch: Any, worker: Any) -> None:
        if not left and batch.finished:
            assert batch.finished[0][1].share[1] == 2
            left.extend(each for each in run._workers if each is not worker)
            run._replace(worker, "the test took its batch away")
        else:
            take(run, batch, worker)

    monkeypatch.setattr(Run, "_take_batch", lose_the_first)
    return left


def test_a_worker_that_dies_with_its_share_has_it_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "large.warc"
    file.write_bytes(members())
    build_index([str(file)], str(tmp_path / "one"), options=IndexOptions(workers=1))
    left = lose_the_first_end(monkeypatch)
    build_index([str(file)], str(tmp_path / "two"), options=IndexOptions(workers=2))
    assert len(left) == 1
    assert told(tmp_path / "two") == told(tmp_path / "one")


def test_what_was_read_again_while_others_handed_over_their_last_batch_is_handed_over_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "large.warc"
    file.write_bytes(members())
    build_index([str(file)], str(tmp_path / "one"), options=IndexOptions(workers=1))
    left, receive = lose_the_first_end(monkeypatch), Run._receive

    def hear_others_later(run: Run, worker: Any) -> None:
        again = [each for each in run._workers if left and each not in left]
        if again and worker in left and (again[0].reading or run._queue):
            return  # what it says stays in its pipe
        receive(run, worker)

    monkeypatch.setattr(Run, "_receive", hear_others_later)
    monkeypatch.setattr(Run, "_answering", lambda _: nullcontext())  # so does what it says during a commit
    build_index([str(file)], str(tmp_path / "two"), options=IndexOptions(workers=2))
    assert len(left) == 1
    assert told(tmp_path / "two") == told(tmp_path / "one")


def test_a_grown_file_is_read_by_one_worker_and_swapped_at_once(tmp_path: Path) -> None:
    paths = write_shelf(tmp_path / "shelf", files=1, pages=12)
    two = IndexOptions(workers=2)
    build_index(paths, str(tmp_path / "index"), options=two)
    with open(paths[0], "ab") as file:
        file.write(b"".join(OTHERS))
    build_index(paths, str(tmp_path / "index"), options=two)
    build_index(paths, str(tmp_path / "fresh"), options=two)
    assert told(tmp_path / "index") == told(tmp_path / "fresh")


def sizes_of(workers: int, *sizes: int) -> list[tuple[int, int, int]]:
    files = [ArchiveFile(number, str(number), size, {}) for number, size in enumerate(sizes)]
    return [(share.file.size, share.number, share.of) for share in reversed(shares_of(files, workers))]


def test_what_is_more_than_a_fair_share_and_what_comes_last_is_shared() -> None:
    assert sizes_of(2, 10, 100, 90) == [(100, 0, 1), (90, 0, 1), (10, 1, 2), (10, 0, 2)]
    assert sizes_of(2, 500, 20, 30)[:3] == [(500, 1, 2), (500, 0, 2), (30, 0, 1)]
    assert sizes_of(1, 500) == [(500, 0, 1)]
    assert sizes_of(4) == []


def test_small_files_are_read_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer.sharing, "SHARED_BYTES", 50)
    assert sizes_of(2, 40) == [(40, 0, 1)]


def test_the_entry_of_a_file_adds_up_its_shares() -> None:
    first = FileEntry("a", format="WARC/1.0, gzip", records=3, captures=2, skipped={"dns": 1}, share=(0, 2))
    second = FileEntry("a", records=2, captures=1, documents=1, skipped={"dns": 1}, share=(1, 2))
    joined = joined_entry([first, second])
    assert (joined.records, joined.captures, joined.documents) == (5, 3, 1)
    assert joined.skipped == {"dns": 2} and joined.format == "WARC/1.0, gzip" and joined.status == "indexed"
    lost = FileEntry("a", status="unreadable", share=(1, 2))
    assert joined_entry([first, lost]).status == "unreadable"
