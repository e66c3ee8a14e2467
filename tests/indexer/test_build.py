"""Index runs as a whole: kill -9 and Ctrl-C at many moments, workers that die, files that change between runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from faults import run_in_one_process
from shelf import answers, page, record, write_shelf

import indexer.coordinator
from indexer import IndexOptions, Progress, WorkerError, WriterLockedError, build_index, open_index
from indexer.choosing import ArchiveFile
from indexer.coordinator import Run
from indexer.store.bm25f import Ranking
from indexer.store.commit_batch import NewCapture
from indexer.store.layout import live_folder
from indexer.store.writer import IndexWriter
from indexer.text.documents import FileEntry
from indexer.worker import Batch, Worker
from indexer.worker_process import Status
from running import REPOSITORY
from tests.indexer.making import response, write_warc

ONE = IndexOptions(workers=1)
PAGES = 157  # of the shelf that is killed at

# A run in a process of its own. Workers are fresh interpreters with our sys.path, so that a sitecustomize.py
# of ours gives them small batches, and the run many commits and merges.
_SITE = """
import indexer.worker as w, indexer.store.plans as p
w.BATCH_PAGES, w.GROUP_PAGES, p.MERGE_VERSIONS = 12, 4, 50
"""
_RUN = """
import sys
from indexer import IndexOptions, build_index
index, rebuild, *paths = sys.argv[1:]
def show(progress):
    print(progress.pages, flush=True)
print("begun", flush=True)
build_index(paths, index, options=IndexOptions(workers=2, rebuild=rebuild == "rebuild", commit_s=0.1), progress=show)
"""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_shelf(tmp_path_factory.mktemp("kill") / "shelf", files=6, pages=25)


@pytest.fixture(scope="module")
def undisturbed(shelf: list[str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    index = str(tmp_path_factory.mktemp("kill") / "undisturbed")
    build_index(shelf, index, options=ONE)
    return answers(index)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(_SITE)
    return folder


def start(index: Path, paths: list[str], site: Path, mode: str = "run") -> subprocess.Popen[str]:
    """Start a run in a process group of its own, and wait until it has begun."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(site), str(REPOSITORY)))}
    run = subprocess.Popen(
        [sys.executable, "-c", _RUN, str(index), mode, *paths],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )
    assert run.stdout is not None and run.stdout.readline() == "begun\n"
    return run


def children_of(process: int) -> list[int]:
    with open(f"/proc/{process}/task/{process}/children") as file:
        return [int(child) for child in file.read().split()]


def kill_and_go_on(
    shelf: list[str],
    tmp_path: Path,
    site: Path,
    undisturbed: dict[str, Any],
    moments: Iterable[float],
    mode: str,
) -> None:
    for number, moment in enumerate(moments):
        index = tmp_path / f"index{number}"
        if mode == "rebuild":
            build_index(shelf, str(index), options=ONE)
        run = start(index, shelf, site, mode)
        wait_until_read(run, moment)
        workers = children_of(run.pid) if run.poll() is None else []
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
            if number % 2:
                for worker in workers:  # in half of the cases they are left to notice it themselves
                    os.kill(worker, signal.SIGKILL)
        run.communicate()
        if (index / "current").exists():
            with open_index(str(index)) as opened:
                assert opened.check() == [], f"killed at {moment:.2f}"
            if mode == "rebuild":
                assert answers(index) == undisturbed
        build_index(shelf, str(index), options=IndexOptions(workers=2, rebuild=mode == "rebuild"))
        with open_index(str(index)) as opened:
            assert opened.check() == [], f"killed at {moment:.2f}, and continued"
        assert answers(index) == undisturbed, f"killed at {moment:.2f}, and continued"


def wait_until_read(run: subprocess.Popen[str], share: float) -> None:
    """Wait until a run has read this share of the pages; from 1 on a moment longer, into its merge."""
    assert run.stdout is not None
    for line in run.stdout:
        if int(line) >= min(share, 1) * PAGES:
            break
    time.sleep(max(0.0, share - 1))


@pytest.mark.parametrize("mode, points", [("run", (0.0, 0.4, 0.8, 1.02)), ("rebuild", (0.5, 1.01))])
def test_kill_9_then_check_passes_and_the_next_run_completes_the_index(
    shelf: list[str],
    tmp_path: Path,
    site: Path,
    undisturbed: dict[str, Any],
    mode: str,
    points: tuple[float, ...],
) -> None:
    kill_and_go_on(shelf, tmp_path, site, undisturbed, points, mode)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["run", "rebuild"])
def test_kill_9_at_many_more_points(
    shelf: list[str], tmp_path: Path, site: Path, undisturbed: dict[str, Any], mode: str
) -> None:
    points = [i / 15 for i in range(15)] + [1 + i / 100 for i in range(10)]
    kill_and_go_on(shelf, tmp_path, site, undisturbed, points, mode)


def test_workers_end_with_their_run(shelf: list[str], tmp_path: Path, site: Path) -> None:
    run = start(tmp_path / "index", shelf, site)
    workers: list[int] = []
    while not workers and run.poll() is None:
        workers = children_of(run.pid)
    run.kill()
    run.communicate()
    deadline = time.monotonic() + 10
    while any(os.path.exists(f"/proc/{worker}/fd/0") for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert workers and not any(os.path.exists(f"/proc/{worker}/fd/0") for worker in workers)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_ctrl_c_commits_what_was_read_and_the_next_run_completes_it(
    shelf: list[str], tmp_path: Path, site: Path, undisturbed: dict[str, Any], share: float
) -> None:
    index = tmp_path / "index"
    run = start(index, shelf, site)
    wait_until_read(run, share)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=60)
    assert err == "" or err.rstrip().endswith("KeyboardInterrupt"), err
    if run.returncode != 0 and (index / "current").exists():
        with open_index(str(index)) as opened:
            assert opened.check() == []
        assert not [name for name in os.listdir(live_folder(str(index))) if name.endswith((".new", ".tmp"))]
    build_index(shelf, str(index), options=ONE)
    assert answers(index) == undisturbed


def test_ctrl_c_in_the_midst_of_a_commit_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: dict[str, Any], shelf: list[str]
) -> None:
    run_in_one_process(monkeypatch)
    commit = IndexWriter.commit
    commits = []
    signals = []

    def interrupted_commit(self: IndexWriter, *arguments: Any) -> None:
        replace = os.replace

        def interrupted_replace(source: str, target: str) -> None:
            replace(source, target)
            if not signals:
                signals.append(1)
                os.kill(os.getpid(), signal.SIGINT)

        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", interrupted_replace)
            commit(self, *arguments)
        commits.append(1)

    monkeypatch.setattr(IndexWriter, "commit", interrupted_commit)
    with pytest.raises(KeyboardInterrupt):
        build_index(shelf, str(tmp_path / "index"), options=ONE)
    assert commits, "the commit that was interrupted must be made"
    with open_index(str(tmp_path / "index")) as index:
        assert index.check() == [] and index.statistics().captures > 0
    build_index(shelf, str(tmp_path / "index"), options=ONE)
    assert answers(tmp_path / "index") == undisturbed


def test_a_second_ctrl_c_ends_the_run_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: dict[str, Any], shelf: list[str]
) -> None:
    run_in_one_process(monkeypatch)
    replace = os.replace

    def interrupted_replace(source: str, target: str) -> None:
        replace(source, target)
        if target.endswith(".seg"):
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupted_replace)
        with pytest.raises(KeyboardInterrupt):
            build_index(shelf, str(tmp_path / "index"), options=ONE)
    assert sound(tmp_path / "index")
    build_index(shelf, str(tmp_path / "index"), options=ONE)
    assert answers(tmp_path / "index") == undisturbed


def test_ctrl_c_in_a_progress_callback_ends_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: dict[str, Any], shelf: list[str]
) -> None:
    run_in_one_process(monkeypatch)

    def stop(progress: Progress) -> None:
        if progress.files_done:
            raise KeyboardInterrupt

    calls = 0

    def once(progress: Progress) -> None:
        nonlocal calls
        calls += progress.files_done > 0
        if calls == 1:
            stop(progress)

    with pytest.raises(KeyboardInterrupt):
        build_index(shelf, str(tmp_path / "index"), options=ONE, progress=once)
    build_index(shelf, str(tmp_path / "index"), options=ONE)
    assert answers(tmp_path / "index") == undisturbed


def test_an_interrupted_rebuild_leaves_the_old_index_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shelf: list[str], undisturbed: dict[str, Any]
) -> None:
    run_in_one_process(monkeypatch)
    index = tmp_path / "index"
    build_index(shelf, str(index), options=ONE)

    def stop(progress: Progress) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        build_index(shelf, str(index), options=IndexOptions(workers=1, rebuild=True), progress=stop)
    assert answers(index) == undisturbed
    assert sorted(os.listdir(index)) == ["current", "g1", "writer.lock"]


def test_two_writers_at_once(
    shelf: list[str], tmp_path: Path, site: Path, undisturbed: dict[str, Any]
) -> None:
    index = tmp_path / "index"
    run = start(index, shelf, site)
    while not (index / "current").exists() and run.poll() is None:
        time.sleep(0.01)
    os.kill(run.pid, signal.SIGSTOP)
    try:
        with pytest.raises(WriterLockedError) as raised:
            build_index(shelf, str(index), options=ONE)
        assert str(index) in str(raised.value) and str(run.pid) in str(raised.value)
    finally:
        os.kill(run.pid, signal.SIGCONT)
    run.communicate(timeout=60)
    assert run.returncode == 0
    build_index(shelf, str(index), options=ONE)
    assert answers(index) == undisturbed


# batches that wait for each other


class Hand:
    """A worker that does nothing: the test hands over its batches."""

    def __init__(self, name: str) -> None:
        self.name, self.unfinished, self.reading = name, list[Any](), None
        self.status, self.handed_records = [0] * Status.SIZE, 0
        self.promised: list[set[int]] = []


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    folder = tmp_path / "g1"
    folder.mkdir()
    writer = IndexWriter(str(folder), Ranking())
    run = Run(writer, str(tmp_path), ONE, None)
    for path, number in writer.begin_files({"a.warc": {}, "b.warc": {}}).items():
        run._files[number] = ArchiveFile(number, path, 0, {})
    yield run
    writer.close()


def new_capture(url: str, offset: int, version: int = 0) -> NewCapture:
    return NewCapture(
        0, "20200101000000", "response", 200, "text/html", "", 1, "", offset, 10, 0, version, "", url
    )


def held(run: Run) -> list[tuple[Any, ...]]:
    return (
        run._writer.catalogue.connection()
        .execute(
            "SELECT f.path, c.offset, c.version FROM captures c JOIN files f ON f.id = c.file ORDER BY 1, 2"
        )
        .fetchall()
    )


def test_the_end_of_a_file_waits_for_its_captures(run: Run) -> None:
    first, second = Hand("w1"), Hand("w2")
    [(version, _, is_new)] = run._grants.answer([("http://x.example/", b"d")], second.name)
    assert is_new
    run._take_batch(Batch(captures=[new_capture("http://x.example/", 0, version)]), first)  # type: ignore[arg-type]
    end = FileEntry("a.warc", records=2, captures=2)
    run._take_batch(Batch(captures=[new_capture("http://y.example/", 9)], finished=[(1, end)]), first)  # type: ignore[arg-type]
    assert held(run) == [] and run._writer.files.find("a.warc").entry is None  # type: ignore[union-attr]
    assert run._writer.files.find("a.warc").begun == {}  # type: ignore[union-attr]


def test_captures_that_show_a_page_of_a_dead_worker_wait_until_another_has_read_it(run: Run) -> None:
    first, second, third = Hand("w1"), Hand("w2"), Hand("w3")
    [(version, _, _)] = run._grants.answer([("http://x.example/", b"d")], second.name)
    run._grants.answer([("http://x.example/", b"d")], first.name)
    end = FileEntry("a.warc", records=1, captures=1)
    batch = Batch(captures=[new_capture("http://x.example/", 0, version)], finished=[(1, end)])
    run._take_batch(batch, first)  # type: ignore[arg-type]
    run._release(second)  # type: ignore[arg-type]
    run._commit_ready()
    assert held(run) == []
    [(again, _, is_new)] = run._grants.answer([("http://x.example/", b"d")], third.name)
    assert is_new and again == version, "the number that waiting captures show"


def test_files_that_wait_for_a_page_that_nobody_has_are_read_again(run: Run) -> None:
    first, second = Hand("w1"), Hand("w2")
    [(version, _, _)] = run._grants.answer([("http://x.example/", b"d")], second.name)
    end = FileEntry("a.warc", records=1, captures=1)
    batch = Batch(captures=[new_capture("http://x.example/", 0, version)], finished=[(1, end)])
    run._take_batch(batch, first)  # type: ignore[arg-type]
    run._release(second)  # type: ignore[arg-type]
    run._read_waiting_again()
    assert [file.path for file in run._queue] == ["a.warc"]
    assert run._grants.answer([("http://x.example/", b"d")], first.name)[0][2], (
        "this time the worker that asks reads it"
    )


# files that change between runs


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    run_in_one_process(monkeypatch)


def fresh(paths: list[str], folder: Path) -> dict[str, Any]:
    """Return the answers of an index made from scratch."""
    folder = folder / f"fresh{len(os.listdir(folder))}"
    build_index(paths, str(folder), options=ONE)
    return answers(folder)


def sound(index: Path) -> bool:
    with open_index(str(index)) as opened:
        assert opened.check() == []
    return True


def test_unchanged_files_are_not_read(
    tmp_path: Path, one_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = write_shelf(tmp_path / "shelf", files=3, pages=3)
    build_index(paths, str(tmp_path / "index"), options=ONE)
    monkeypatch.setattr(indexer.coordinator, "_Worker", lambda *_: pytest.fail("nothing is to be read"))
    before = answers(tmp_path / "index")
    build_index(paths, str(tmp_path / "index"), options=ONE)
    assert answers(tmp_path / "index") == before


@pytest.mark.parametrize("change", ["grown", "replaced", "shrunk", "emptied", "swapped"])
def test_a_changed_file_is_read_anew(tmp_path: Path, one_process: None, change: str) -> None:
    paths = write_shelf(tmp_path / "shelf", files=3, pages=4)
    index = tmp_path / "index"
    build_index(paths, str(index), options=ONE)
    first, second = Path(paths[0]), Path(paths[1])
    content = first.read_bytes()
    if change == "grown":
        first.write_bytes(content + record("http://late.example/", page(55)))
    elif change == "replaced":
        first.write_bytes(record("http://else.example/", page(56)) + content[: content.index(b"WARC/1.0", 9)])
    elif change == "shrunk":
        first.write_bytes(content[: content.index(b"WARC/1.0", 9)])
    elif change == "emptied":
        first.write_bytes(b"")
    else:
        second_content = second.read_bytes()
        first.write_bytes(second_content)
        second.write_bytes(content)
    build_index(paths, str(index), options=ONE)
    assert sound(index)
    assert answers(index) == fresh(paths, tmp_path)


def test_a_file_with_all_pages_that_becomes_empty_leaves_an_index_without_pages(
    tmp_path: Path, one_process: None
) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(record("http://a.example/", page(1)))
    index = tmp_path / "index"
    build_index([str(path)], str(index), options=ONE)
    path.write_bytes(b"nothing here")
    build_index([str(path)], str(index), options=ONE)
    assert sound(index)
    with open_index(str(index)) as opened:
        assert (opened.statistics().documents, opened.statistics().captures) == (0, 0)
        assert opened.search("unique1").total == 0
        assert opened.ledger()[0].status == "not an archive"


def test_pages_that_a_grown_file_had_before_are_not_indexed_again(tmp_path: Path, one_process: None) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(record(f"http://a.example/{n}", page(n)) for n in range(9)))
    build_index([str(path)], str(tmp_path / "index"), options=ONE)
    with path.open("ab") as file:
        file.write(record("http://a.example/new", page(100)))
    pages = []
    build_index([str(path)], str(tmp_path / "index"), options=ONE, progress=lambda p: pages.append(p.pages))
    assert pages[-1] == 1


def test_what_is_told_of_the_way_never_goes_back_and_ends_with_all(tmp_path: Path, one_process: None) -> None:
    paths = write_shelf(tmp_path / "shelf", files=5, pages=30)
    told: list[Progress] = []
    build_index(
        paths, str(tmp_path / "index"), options=IndexOptions(workers=2, commit_s=0.0), progress=told.append
    )
    for number in ("records", "pages", "bytes_done", "files_done"):
        numbers = [getattr(progress, number) for progress in told]
        assert numbers == sorted(numbers), number
    with open_index(str(tmp_path / "index")) as index:
        assert told[-1].records == sum(entry.records for entry in index.ledger())
    assert (told[-1].files_done, told[-1].bytes_done) == (5, told[-1].bytes_total)


def test_a_page_that_moves_to_another_file_stays(tmp_path: Path, one_process: None) -> None:
    one, two = tmp_path / "1.warc", tmp_path / "2.warc"
    pages = [record(f"http://a.example/{n}", page(n)) for n in range(8)]
    one.write_bytes(b"".join(pages))
    index = tmp_path / "index"
    build_index([str(one)], str(index), options=ONE)
    for split in (6, 3, 0):
        one.write_bytes(b"".join(pages[:split]))
        two.write_bytes(b"".join(pages[split:]))
        build_index([str(one), str(two)], str(index), options=IndexOptions(workers=2))
        assert sound(index)
        assert answers(index) == fresh([str(one), str(two)], tmp_path)


def test_a_file_that_changes_between_a_killed_run_and_the_next(tmp_path: Path, one_process: None) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(record(f"http://a.example/{n}", page(n)) for n in range(20)))
    index = tmp_path / "index"

    def stop(progress: Progress) -> None:
        if progress.pages > 12:  # more than one batch has been committed, the file is not read to its end
            raise RuntimeError("stop here")

    with pytest.raises(RuntimeError):
        build_index([str(path)], str(index), options=ONE, progress=stop)
    path.write_bytes(
        b"".join(record(f"http://a.example/{n}", "<title>other</title>" + page(n)) for n in range(7))
    )
    build_index([str(path)], str(index), options=ONE)
    assert sound(index)
    assert answers(index) == fresh([str(path)], tmp_path)


def test_a_file_that_is_not_named_any_more_stays_in_the_index(tmp_path: Path, one_process: None) -> None:
    paths = write_shelf(tmp_path / "shelf", files=2, pages=3)
    build_index(paths, str(tmp_path / "index"), options=ONE)
    before = answers(tmp_path / "index")
    build_index(paths[:1], str(tmp_path / "index"), options=ONE)
    assert answers(tmp_path / "index") == before


def test_a_file_that_is_gone_keeps_what_the_index_holds_of_it(tmp_path: Path, one_process: None) -> None:
    paths = write_shelf(tmp_path / "shelf", files=2, pages=3)
    build_index(paths, str(tmp_path / "index"), options=ONE)
    before = answers(tmp_path / "index")
    away = tmp_path / "another disk"
    os.rename(paths[0], away)
    problems: list[str] = []
    build_index(paths, str(tmp_path / "index"), options=ONE, progress=lambda p: problems.extend(p.problems))
    assert [problem for problem in problems if paths[0] in problem and "stays" in problem]
    assert answers(tmp_path / "index") == before
    os.rename(away, paths[0])
    build_index(paths, str(tmp_path / "index"), options=ONE)
    assert answers(tmp_path / "index") == before


@pytest.mark.parametrize("kind", ["pipe", "folder", "dangling link", "absent"])
def test_what_is_no_file_stands_in_the_ledger(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "odd.warc"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "dangling link":
        path.symlink_to("nowhere")
    good = tmp_path / "good.warc"
    good.write_bytes(record("http://a.example/", page(1)))
    begun = time.monotonic()
    build_index(
        [str(path), str(good)], str(tmp_path / "index"), options=IndexOptions(workers=1, page_limit_s=20)
    )
    assert time.monotonic() - begun < 15
    with open_index(str(tmp_path / "index")) as index:
        entries = {entry.file: entry for entry in index.ledger()}
        assert entries[str(good)].status == "indexed"
        assert entries[str(path)].status == "unreadable" and len(entries[str(path)].damaged) == 1
        assert index.check() == []
    path.rmdir() if kind == "folder" else path.unlink(missing_ok=True)
    path.write_bytes(record("http://b.example/", page(2)))
    build_index([str(path)], str(tmp_path / "index"), options=ONE)
    with open_index(str(tmp_path / "index")) as index:
        assert index.search("unique2").total == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_stands_in_the_ledger(tmp_path: Path, one_process: None) -> None:
    path = tmp_path / "secret.warc"
    path.write_bytes(record("http://a.example/", page(1)))
    path.chmod(0)
    build_index([str(path)], str(tmp_path / "index"), options=ONE)
    with open_index(str(tmp_path / "index")) as index:
        assert index.ledger()[0].status == "unreadable"
    path.chmod(0o600)
    build_index([str(path)], str(tmp_path / "index"), options=ONE)
    with open_index(str(tmp_path / "index")) as index:
        assert index.ledger()[0].status == "indexed"


def test_a_revisit_without_a_digest_repeats_the_last_response_before_it(
    tmp_path: Path, one_process: None
) -> None:
    def without_digest(data: bytes) -> bytes:
        return b"".join(
            line for line in data.splitlines(keepends=True) if not line.startswith(b"WARC-Payload-Digest")
        )

    url, path = "http://a.example/", tmp_path / "a.warc"
    path.write_bytes(
        record(url, page(1), date="2020-01-01T00:00:00Z")
        + record(url, page(2), date="2021-01-01T00:00:00Z")
        + without_digest(record(url, "", kind="revisit", status=304, date="2022-01-01T00:00:00Z"))
        + record(url, page(3), date="2023-01-01T00:00:00Z")
    )
    build_index([str(path)], str(tmp_path / "index"), options=ONE)
    with open_index(str(tmp_path / "index")) as index:
        captures = index.captures(url)
        assert captures[2].type == "revisit" and captures[2].original == captures[1].location


def test_captures_of_one_second_are_told_apart_by_their_digest(tmp_path: Path, one_process: None) -> None:
    url, path = "http://a.example/", tmp_path / "a.warc"
    path.write_bytes(
        record(url, page(1), date="2020-01-01T00:00:00Z") + record(url, page(2), date="2020-01-01T00:00:00Z")
    )
    build_index([str(path)], str(tmp_path / "index"), options=ONE)
    with open_index(str(tmp_path / "index")) as index:
        for number in (1, 2):
            [hit] = index.search(f"unique{number}").hits
            named = index.closest(url, hit.timestamp, hit.digest)
            assert hit.digest and named is not None
            assert (named.location.path, named.location.offset) == (hit.file, hit.offset)
            short = index.closest(url, hit.timestamp, hit.digest.removeprefix("sha1:")[:8])
            assert short == named
            assert index.captures_with_digest(hit.digest, 5) == [named]
        assert index.captures_with_digest("", 5) == []


def test_a_time_that_names_one_record_needs_no_digest(tmp_path: Path, one_process: None) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(record("http://a.example/", page(1)) + record("http://a.example/", page(1)))
    build_index([str(path)], str(tmp_path / "index"), options=ONE)
    with open_index(str(tmp_path / "index")) as index:
        assert [hit.digest for hit in index.search("unique1").hits] == [""]


@pytest.mark.parametrize("original_first", [True, False])
def test_a_revisit_joins_its_original_in_another_file_whichever_comes_first(
    tmp_path: Path, one_process: None, original_first: bool
) -> None:
    original, revisit = tmp_path / "original.warc", tmp_path / "revisit.warc"
    original.write_bytes(record("http://a.example/", page(3)))
    revisit.write_bytes(record("http://a.example/", page(3), kind="revisit", date="2024-01-01T00:00:00Z"))
    order = [str(original), str(revisit)] if original_first else [str(revisit), str(original)]
    for path in order:
        build_index([path], str(tmp_path / "index"), options=ONE)
    with open_index(str(tmp_path / "index")) as index:
        [first, second] = index.captures("http://a.example/")
        assert second.type == "revisit" and second.original == first.location
        assert first.title == second.title == "walnut page 3" or first.title == second.title
        with index.record(second) as found:
            assert b"unique3" in found.read()
        assert index.search("unique3").hits[0].captures == 2
        assert index.check() == []


def test_near_duplicates_are_folded_and_totals_stay(tmp_path: Path) -> None:
    """Hits that are left out are counted by the one that stands for them; pages of the list stay where they are."""
    text = " ".join(f"heron{number}" for number in range(60)) + " marsh"
    pages = [(f"http://a.example/{n}", text + (" again" if n % 2 else "")) for n in range(5)]
    pages.append(("http://b.example/", "another page about the marsh and the birds that live on it " * 3))
    path = write_warc(tmp_path / "a.warc.gz", [response(url, f"<p>{body}") for url, body in pages])
    build_index([path], str(tmp_path / "index"), options=IndexOptions(workers=1))
    with open_index(str(tmp_path / "index")) as index:
        folded = index.search("marsh", fold=True, facets=True)
        assert folded.total == 6 and len(folded.hits) == 2
        assert sorted(hit.folded for hit in folded.hits) == [0, 4]
        plain = index.search("marsh", limit=3, offset=2)
        part = index.search("marsh", limit=3, offset=2, fold=True)
        assert [hit.url for hit in plain.hits if hit.url in {h.url for h in part.hits}] == [
            hit.url for hit in part.hits
        ]
        assert sum(hit.folded + 1 for hit in part.hits) == 3


def harm_workers(folder: Path, monkeypatch: pytest.MonkeyPatch, harm: str) -> None:
    """Have workers that are processes run a line before they begin."""
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text(f"import os, sys\n{harm}\n")
    monkeypatch.syspath_prepend(str(folder / "site"))


def test_a_worker_that_cannot_import_a_module_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harm_workers(tmp_path, monkeypatch, "sys.modules['resiliparse'] = None")
    path = write_warc(tmp_path / "a.warc.gz", [response("http://a.example/", "<p>heron")])
    with pytest.raises(
        WorkerError, match="a worker process cannot begin: ModuleNotFoundError: .*resiliparse"
    ):
        build_index([path], str(tmp_path / "index"), options=ONE)


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        ("os._exit(7)", "the worker process ended with exit status 7"),
        ("os.kill(os.getpid(), 9)", "the worker process was killed (SIGKILL), perhaps for want of memory"),
        ("os.kill(os.getpid(), 11)", "the worker process crashed (SIGSEGV)"),
    ],
)
def test_how_a_worker_ended_is_told_truly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str, said: str
) -> None:
    harm_workers(
        tmp_path, monkeypatch, f"import indexer.worker; indexer.worker.Worker.run = lambda self: {harm}"
    )
    path = write_warc(tmp_path / "a.warc.gz", [response("http://a.example/", "<p>heron")])
    build_index([path], str(tmp_path / "index"), options=ONE)
    with open_index(str(tmp_path / "index")) as index:
        [entry] = index.ledger()
    assert entry.status == "unreadable"
    assert [damage.problem for damage in entry.damaged] == [
        f"given up: {said}, more than once; please report this"
    ]


def test_a_worker_without_memory_is_replaced_as_one_that_died(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in_one_process(monkeypatch)
    real, tried = Worker._analyze, list[int]()

    def fail_once(self: Worker, group: Any, entry: FileEntry) -> None:
        tried.append(1)
        if len(tried) == 2:
            raise MemoryError("Unable to allocate 9.3 GiB")
        real(self, group, entry)

    monkeypatch.setattr(Worker, "_analyze", fail_once)
    pages = [response(f"http://a.example/{n}", f"<p>heron {n}") for n in range(9)]
    path = write_warc(tmp_path / "a.warc.gz", pages)
    assert build_index([path], str(tmp_path / "index"), options=ONE).versions == 9
