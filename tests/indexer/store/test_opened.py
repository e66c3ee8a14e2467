"""An index that is read before this process is split, and by the processes split from it."""

from __future__ import annotations

import contextlib
import gc
import os
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer import open_index
from indexer.store.layout import make_live
from indexer.store.opened import OpenedIndex
from tests.indexer.making import DirectIndex
from tests.indexer.plain import PlainVersion

SETTLED_S = 3600


@pytest.fixture
def made(tmp_path: Path) -> Iterator[DirectIndex]:
    folder = tmp_path / "g1"
    with DirectIndex(folder) as index:
        index.add("1.warc", [PlainVersion(url="http://a.example/1", title="heron")])
        make_live(str(tmp_path), str(folder))
        yield index


def settle(folder: Path) -> None:
    """Have the files of a catalogue as if they were written an hour ago."""
    then = time.time() - SETTLED_S
    for file in folder.glob("**/catalogue.sqlite*"):
        os.utime(file, (then, then))


def found(opened: OpenedIndex) -> tuple[int, int]:
    snapshot = opened.current()
    rows = snapshot.catalogue.connection().execute("SELECT COUNT(*) FROM versions").fetchone()[0]
    return snapshot.versions, rows


def test_what_was_read_before_a_rest_is_there_after_it(made: DirectIndex, tmp_path: Path) -> None:
    settle(tmp_path)
    opened = OpenedIndex(str(tmp_path))
    before = opened.current()
    opened.rest()
    assert opened.current() is before
    assert found(opened) == (1, 1)
    opened.close()


def test_no_connection_is_open_while_an_index_rests(made: DirectIndex, tmp_path: Path) -> None:
    made.writer.close()
    opened = OpenedIndex(str(tmp_path))
    opened.current()
    assert journals_open(tmp_path)
    opened.rest()
    assert not journals_open(tmp_path)


def journals_open(folder: Path) -> list[str]:
    files = []
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            files.append(os.readlink(f"/proc/self/fd/{name}"))
    return [file for file in files if file.startswith(str(folder)) and file.endswith("-wal")]


@pytest.mark.parametrize("is_settled", [True, False])
def test_a_commit_that_comes_while_an_index_rests_is_seen(
    is_settled: bool, made: DirectIndex, tmp_path: Path
) -> None:
    if is_settled:
        settle(tmp_path)
    opened = OpenedIndex(str(tmp_path))
    before = opened.current()
    opened.rest()
    made.add("2.warc", [PlainVersion(url="http://a.example/2", title="egret")])
    assert opened.current() is not before
    assert found(opened) == (2, 2)
    made.add("3.warc", [PlainVersion(url="http://a.example/3", title="ibis")])
    assert found(opened) == (3, 3)
    opened.close()


def test_an_index_that_was_written_just_now_is_read_anew(made: DirectIndex, tmp_path: Path) -> None:
    # another commit might come with the same time of change, and the same size
    opened = OpenedIndex(str(tmp_path))
    before = opened.current()
    opened.rest()
    assert opened.current() is not before
    assert found(opened) == (1, 1)
    opened.close()


def test_processes_split_while_an_index_rests_read_it_each_on_its_own(
    made: DirectIndex, tmp_path: Path
) -> None:
    settle(tmp_path)
    with open_index(str(tmp_path)) as index:
        index.search("heron", facets=True)
        before = index._current()
        index.rest()
        children = []
        for word, total in (("heron", 1), ("egret", 0)):
            pid = os.fork()
            if not pid:
                try:
                    is_same = index._current() is before
                    os._exit(0 if is_same and index.search(word).total == total else 1)
                finally:
                    os._exit(2)
            children.append(pid)
        assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children] == [0, 0]
        assert index._current() is before


def test_a_state_goes_with_its_last_reader(made: DirectIndex, tmp_path: Path) -> None:
    # the server has Python look at nothing for garbage that was there when it began: a state that refers to itself
    # would hold the files that it maps for ever
    gc.collect()
    gc.disable()
    try:
        with open_index(str(tmp_path)) as index:
            for query in ("heron", "hero", '"a heron"', "heron NEAR/3 egret"):
                index.search(query, facets=True, fold=True)
            state = weakref.ref(index._current())
            assert state() is not None
            made.add("2.warc", [PlainVersion(url="http://a.example/2", title="egret")])
            assert index.search("egret").total == 1
            assert state() is None
    finally:
        gc.enable()
