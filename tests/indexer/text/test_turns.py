"""Several workers read one file in turns."""

from __future__ import annotations

import gzip
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from shelf import page, record

import indexer.core.records
from indexer.text.documents import CaptureFound, FileEntry, is_for_turns, read_captures
from indexer.text.turns import Turns

MEMBERS = [gzip.compress(record(f"http://a.example/{n}", page(n)), mtime=0) for n in range(12)]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One record is read after the other, so that turns end behind each."""
    monkeypatch.setattr(indexer.core.records, "AT_ONCE", 1)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(MEMBERS))
    return str(path)


@pytest.fixture
def turns(tmp_path: Path) -> str:
    return str(tmp_path / "turns")


def read(file: str, turns: Turns, count: int) -> list[str]:
    """Return the addresses of one share, which takes `count` captures in each of its turns."""
    found = []
    for capture in read_captures(file, FileEntry(file, share=(0, 2)), turns=turns):
        found.append(capture.url[-1])
        if len(found) % count == 0:
            turns.leave()
    return found


def test_who_comes_later_goes_on_where_the_one_before_has_left(file: str, turns: str) -> None:
    first, second = Turns(turns, 0), Turns(turns, 1)
    captures = read_captures(file, FileEntry(file), turns=first)
    assert [next(captures).url[-1] for _ in range(3)] == ["0", "1", "2"]
    first.leave()
    others = read_captures(file, FileEntry(file), turns=second)
    assert [next(others).url[-1] for _ in range(2)] == ["3", "4"]
    second.leave()
    assert len(list(captures)) == 7
    assert list(others) == []
    assert Turns(turns, 2).begin() is None


def test_one_waits_while_another_reads_when_nothing_else_is_to_be_done(file: str, turns: str) -> None:
    first, begun, waits = Turns(turns, 0), [], []
    assert first.begin() == 0

    nothing_left = threading.Event()

    def do_something() -> bool:
        waits.append(True)
        if len(waits) == 3:
            nothing_left.set()
        return len(waits) < 3

    other = threading.Thread(target=lambda: begun.append(Turns(turns, 1, do_something).begin()))
    other.start()
    assert nothing_left.wait(10)
    first.reach(None)
    first.leave()  # nobody may go on here
    assert first.is_mine and begun == []
    first.reach(700)
    first.leave()
    other.join(10)
    assert begun == [700] and waits == [True] * 3


def test_what_one_took_that_died_is_read_again_and_no_more(file: str, turns: str) -> None:
    lost = Turns(turns, 0)
    assert read(file, lost, 5) == list("0123456789") + ["0", "1"]
    again = Turns(turns, 0)
    assert read(file, again, 100) == list("0123456789") + ["0", "1"]
    assert read(file, Turns(turns, 1), 5) == []


def test_a_turn_ends_with_the_worker(file: str, turns: str) -> None:
    dead = Turns(turns, 0)
    captures = read_captures(file, FileEntry(file), turns=dead)
    for _ in range(4):
        next(captures)
    dead.leave()
    next(captures)  # of the next turn, which nobody is told of
    dead.close()
    with open(turns, "ab") as rows:
        rows.write(b"half a row")
    assert len(read(file, Turns(turns, 1), 3)) == 8
    assert read(file, Turns(turns, 0), 3) == list("0123")


def test_which_files_are_read_in_turns(tmp_path: Path) -> None:
    def is_so(content: bytes) -> bool:
        path = tmp_path / "file"
        path.write_bytes(content)
        return is_for_turns(str(path))

    assert is_so(b"".join(MEMBERS))
    assert not is_so(gzip.decompress(b"".join(MEMBERS)))
    assert not is_so(gzip.compress(gzip.decompress(b"".join(MEMBERS))))
    assert not is_so(b"no archive" * 9)
    assert not is_for_turns(str(tmp_path / "missing"))


def test_a_file_that_became_another_one_ends_the_share(tmp_path: Path, turns: str) -> None:
    path = tmp_path / "b.warc"
    path.write_bytes(gzip.decompress(b"".join(MEMBERS)))
    assert read(str(path), Turns(turns, 0), 3) == []


def test_who_leaves_a_turn_keeps_the_records_that_were_read_at_once(
    file: str, turns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer.core.records, "AT_ONCE", 5)
    first = Turns(turns, 0)
    captures = read_captures(file, FileEntry(file), turns=first)
    assert [next(captures).url[-1] for _ in range(2)] == ["0", "1"]
    first.leave()
    others = read_captures(file, FileEntry(file), turns=Turns(turns, 1))
    assert [capture.url[-1] for capture in others] == ["5", "6", "7", "8", "9", "0", "1"]
    assert [capture.url[-1] for capture in captures] == ["2", "3", "4"]


@pytest.mark.parametrize("seed", range(30))
def test_shares_are_all_of_a_file_whoever_leaves_or_dies_when(
    file: str, turns: str, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    shares: dict[int, list[str]] = {0: [], 1: [], 2: []}
    entries: dict[int, FileEntry] = {}

    def begun(share: int) -> tuple[Turns, Iterator[CaptureFound]]:
        monkeypatch.setattr(indexer.core.records, "AT_ONCE", chance.randrange(1, 9))
        entries[share], shares[share] = FileEntry(file, share=(share, 3)), []
        taken = Turns(turns, share, lambda: False)
        return taken, read_captures(file, entries[share], turns=taken)

    at_work = {share: begun(share) for share in shares}
    while at_work:
        share = chance.choice(list(at_work))
        taken, captures = at_work[share]
        for _ in range(chance.randrange(1, 6)):
            if (capture := next(captures, None)) is None:
                del at_work[share]
                break
            shares[share].append(capture.url)
        else:
            while taken.is_mine:  # else the others would wait
                taken.leave()
                if taken.is_mine and (capture := next(captures, None)) is not None:
                    shares[share].append(capture.url)
            if chance.random() < 0.2:
                captures.close()  # type: ignore[attr-defined]
                taken.close()
                at_work[share] = begun(share)
    assert sorted(url for urls in shares.values() for url in urls) == sorted(
        f"http://a.example/{n}" for n in range(12)
    )
    assert sum(entry.records for entry in entries.values()) == 12
