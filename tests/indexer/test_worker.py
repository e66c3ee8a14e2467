"""Workers and their coordinator: pages claimed once, pages that take too long, workers that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from faults import run_in_one_process

from indexer import IndexOptions, LedgerEntry, Progress, build_index, open_index, worker_process
from indexer.coordinator import Run
from indexer.core.batch import Batch
from indexer.core.intake import STOPPED_UNREAD, Intake
from indexer.store.commit_batch import CommitBatch
from indexer.store.writer import IndexWriter
from indexer.worker import Worker
from indexer.worker_process import Status, WorkerProcess
from running import REPOSITORY
from tests.indexer.making import record, response, write_warc


def pages(name: str, count: int, words: int = 20) -> Iterator[bytes]:
    for number in range(count):
        text = " ".join(f"{name}{number}x{place}" for place in range(words))
        yield response(
            f"http://{name}.example/{number}", f"<title>{name} {number}</title><p>common {text}</p>"
        )


def contents(folder: Path) -> tuple[Any, ...]:
    """Return what an index answers, without what a run may number as it likes."""
    with open_index(str(folder)) as index:
        assert index.check() == []
        hits = index.search("common", limit=10_000, with_snippets=False).hits
        captures = [
            (
                c.url,
                c.timestamp,
                c.location.length,
                c.title,
            )  # which of two files shows it depends on who was first
            for hit in hits[:50]
            for c in index.captures(hit.url)
        ]
        return index.statistics(), [(hit.url, round(hit.score, 9), hit.captures) for hit in hits], captures


def ledger(folder: Path) -> dict[str, LedgerEntry]:
    with open_index(str(folder)) as index:
        return {os.path.basename(entry.file): entry for entry in index.ledger()}


@pytest.fixture
def when_busy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., list[str]]]:
    """Call a function with each of the first workers that fulfil a condition; gives the names of those it met."""
    stop = threading.Event()
    threads: list[threading.Thread] = []

    def watch(
        condition: Callable[[WorkerProcess], bool], act: Callable[[WorkerProcess], object], times: int = 1
    ) -> list[str]:
        made: list[WorkerProcess] = []
        met: list[str] = []
        make = WorkerProcess.__init__

        def init(self: WorkerProcess, *arguments: Any) -> None:
            make(self, *arguments)
            made.append(self)

        def loop() -> None:
            while not stop.is_set() and len(met) < times:
                for worker in list(made):
                    if (
                        worker.name not in met
                        and len(met) < times
                        and worker._process.poll() is None
                        and condition(worker)
                    ):
                        met.append(worker.name)
                        act(worker)
                time.sleep(0.0005)

        monkeypatch.setattr(WorkerProcess, "__init__", init)
        threads.append(threading.Thread(target=loop))
        threads[-1].start()
        return met

    yield watch
    stop.set()
    for thread in threads:
        thread.join()


def kill(worker: WorkerProcess) -> None:
    os.kill(worker._process.pid, signal.SIGKILL)


def test_a_page_in_two_files_read_at_once_is_one_version(tmp_path: Path) -> None:
    records = list(pages("same", 150))
    files = [write_warc(tmp_path / f"{name}.warc.gz", records) for name in "ab"]
    statistics = build_index(files, str(tmp_path / "index"), options=IndexOptions(workers=2))
    assert (statistics.versions, statistics.documents) == (150, 150)
    assert (statistics.captures, statistics.shown_captures) == (300, 150)
    with open_index(str(tmp_path / "index")) as index:
        assert index.check() == []
        hits = index.search("common", limit=1000, with_snippets=False).hits
        assert [(hit.captures, hit.versions) for hit in hits] == [(1, 1)] * 150
        assert {len(index.captures(hit.url)) for hit in hits} == {1}
        assert all(capture.title for hit in hits for capture in index.captures(hit.url))


@pytest.fixture
def shelf(tmp_path: Path) -> list[str]:
    """Three files, and a fourth that holds pages of the others too."""
    files = [
        write_warc(tmp_path / f"{name}.warc.gz", pages(name, 250, 60)) for name in ("alpha", "beta", "gamma")
    ]
    shared = [record for name in ("alpha", "beta") for record in pages(name, 100, 60)]
    return [*files, write_warc(tmp_path / "shared.warc.gz", shared)]


@pytest.mark.parametrize("moment", ["reading", "parsing", "many pages on"])
def test_a_worker_killed_in_mid_run_changes_nothing(
    tmp_path: Path, shelf: list[str], when_busy: Callable[..., list[str]], moment: str
) -> None:
    conditions: dict[str, Callable[[WorkerProcess], bool]] = {
        "reading": lambda worker: worker.status[Status.RECORDS] > 3,
        "parsing": lambda worker: bool(worker.status[Status.PARSING]) and worker.status[Status.PAGES] > 10,
        "many pages on": lambda worker: worker.status[Status.PAGES] > 150,
    }
    build_index(shelf, str(tmp_path / "undisturbed"), options=IndexOptions(workers=2))
    met = when_busy(conditions[moment], kill)
    build_index(shelf, str(tmp_path / "index"), options=IndexOptions(workers=2))
    assert len(met) == 1
    assert contents(tmp_path / "index") == contents(tmp_path / "undisturbed")


def test_a_worker_killed_with_its_last_batch_in_hand_changes_nothing(
    tmp_path: Path, shelf: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(shelf, str(tmp_path / "undisturbed"), options=IndexOptions(workers=2))
    flush = Run._flush_all
    killed: list[WorkerProcess] = []

    def flush_after_a_death(run: Run) -> None:
        if not killed:
            killed.append(run._workers[0])
            kill(run._workers[0])
        flush(run)

    monkeypatch.setattr(Run, "_flush_all", flush_after_a_death)
    build_index(shelf, str(tmp_path / "index"), options=IndexOptions(workers=2))
    assert len(killed) == 1
    assert contents(tmp_path / "index") == contents(tmp_path / "undisturbed")


def test_a_worker_that_hangs_costs_only_the_page_it_was_at(
    tmp_path: Path, shelf: list[str], when_busy: Callable[..., list[str]]
) -> None:
    met = when_busy(
        lambda worker: bool(worker.status[Status.PARSING]) and worker.status[Status.PAGES] > 10,
        lambda worker: os.kill(worker._process.pid, signal.SIGSTOP),
    )
    statistics = build_index(shelf, str(tmp_path / "index"), options=IndexOptions(workers=2, page_limit_s=3))
    assert len(met) == 1
    assert statistics.captures == 950
    damaged = [entry for entry in ledger(tmp_path / "index").values() if entry.damaged]
    if statistics.versions == 749:  # else it was stopped just after the page, or another file holds it too
        assert len(damaged) == 1 and "left out" in damaged[0].damaged[0].problem
    assert statistics.versions >= 749
    with open_index(str(tmp_path / "index")) as index:
        assert index.check() == []


_TARRIES = """
import time
from indexer.core.intake import Intake
take_pages = Intake.take_pages

def tarrying(self, pages, begin, end, now_ms, shown):
    for place in range(begin, end):
        if b"tarry here" not in pages._data[place]:
            continue
        if place > begin:
            return take_pages(self, pages, begin, place, now_ms, shown)
        shown[:3], shown[6] = [now_ms, pages._offset[place], 0], 1
        time.sleep(60)
    return take_pages(self, pages, begin, end, now_ms, shown)

Intake.take_pages = tarrying
"""


def test_a_page_that_takes_too_long_is_left_out_and_the_rest_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No markup that we know of takes the reader long: a worker is made to tarry."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(_TARRIES)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    slow = "<html><body>common tarry here"
    records = [*pages("before", 3), response("http://slow.example/", slow), *pages("after", 3)]
    path = write_warc(tmp_path / "slow.warc.gz", records)
    statistics = build_index(
        [path], str(tmp_path / "index"), options=IndexOptions(workers=1, page_limit_s=1.5)
    )
    assert (statistics.captures, statistics.versions) == (7, 6)
    with open_index(str(tmp_path / "index")) as index:
        assert index.check() == []
        assert index.search("common").total == 6
        (capture,) = index.captures("http://slow.example/")
    (entry,) = ledger(tmp_path / "index").values()
    assert (entry.status, entry.records, entry.captures, entry.documents) == ("damaged", 7, 7, 6)
    (damage,) = entry.damaged
    assert damage.offset == capture.location.offset and "left out" in damage.problem


class Told:
    """A pipe that gives messages, answers each claim with new versions, and keeps the kinds of what is sent."""

    def __init__(self, *messages: tuple[Any, ...]) -> None:
        self._messages = [*messages, ("stop",)]
        self.sent: list[str] = []

    def send(self, message: tuple[Any, ...]) -> None:
        self.sent.append(message[0])
        if message[0] == "claim":
            answers = [(number, number, True) for number, _ in enumerate(message[1], start=1)]
            self._messages.insert(0, ("answers", answers))

    def recv(self) -> tuple[Any, ...]:
        return self._messages.pop(0)

    def poll(self) -> bool:
        return True


def test_a_merge_waits_until_no_batch_is_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[weakref.ref[Batch]] = []
    held: list[int] = []  # batches with pages, at each merge

    class Noted(Batch):
        def __init__(self) -> None:
            super().__init__()
            batches.append(weakref.ref(self))

    def merge_nothing(task: object) -> list[object]:
        held.append(sum(len(batch) > 0 for each in batches if (batch := each()) is not None))
        return []

    monkeypatch.setattr("indexer.worker.WordBatch", Noted)
    monkeypatch.setattr("indexer.worker.run_merge", merge_nothing)
    path = write_warc(tmp_path / "a.warc.gz", pages("a", 1))
    merge = ("merge", None)
    pipe = Told(merge, ("file", 1, path, frozenset(), (0, 1), (0, None)), merge, ("flush",))
    status = memoryview(bytearray(8 * Status.SIZE)).cast("q")
    Worker(pipe, status, str(tmp_path), "w").run()  # type: ignore[arg-type]
    assert pipe.sent == ["merged", "claim", "idle", "batch", "merged", "flushed"]
    assert held == [0, 0]


def test_a_page_that_cannot_be_read_is_there_by_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in_one_process(monkeypatch)
    take_pages = Intake.take_pages

    def take_but_one(self: Intake, given: Any, begin: int, end: int, *rest: Any) -> tuple[int, int]:
        for place in range(begin, end):
            if b"a1x0" in given._data[place] and given._size[place]:
                if place == begin:
                    return begin, STOPPED_UNREAD
                return take_pages(self, given, begin, place, *rest)
        return take_pages(self, given, begin, end, *rest)

    monkeypatch.setattr(Intake, "take_pages", take_but_one)
    path = write_warc(tmp_path / "a.warc.gz", pages("a", 3))
    assert build_index([path], str(tmp_path / "index"), options=IndexOptions(workers=1)).versions == 3
    with open_index(str(tmp_path / "index")) as index:
        assert index.check() == []
        assert index.search("common").total == 2  # nothing of the page before, either
        assert index.search("a0x0").total == index.search("a2x0").total == 1
        assert index.search("inurl:a").total == 3
    (entry,) = ledger(tmp_path / "index").values()
    assert "the page has no text: there was no memory to read it" in entry.damaged[0].problem


def test_captures_without_pages_end_a_batch_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of a million pictures must not wait in memory for a page."""
    run_in_one_process(monkeypatch)
    monkeypatch.setattr("indexer.worker.BATCH_CAPTURES", 10)
    sizes: list[int] = []
    commit = IndexWriter.commit

    def counted(self: IndexWriter, batches: Sequence[CommitBatch], *beside: Any) -> None:
        sizes.extend(len(batch.captures) for batch in batches)
        commit(self, batches, *beside)

    monkeypatch.setattr(IndexWriter, "commit", counted)
    pictures = [
        record("resource", f"http://a.example/{number}.png", b"picture", "Content-Type: image/png")
        for number in range(35)
    ]
    path = write_warc(tmp_path / "a.warc.gz", [*pictures, *pages("dog", 1), *pictures[:5]])
    build_index([path], str(tmp_path / "index"), options=IndexOptions(workers=1))
    assert sizes == [10, 10, 10, 10, 1]
    with open_index(str(tmp_path / "index")) as index:
        assert index.statistics().captures == 41
        assert index.search("dog0x0").total == 1


@pytest.mark.parametrize("in_hand, is_kept", [(0, True), (150 << 20, True), ((150 << 20) + 1, False)])
def test_a_worker_that_holds_much_keeps_nothing_of_a_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_hand: int, is_kept: bool
) -> None:
    monkeypatch.setattr("indexer.worker.memory_in_hand", lambda: in_hand)
    made: list[Batch] = []

    class Noted(Batch):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr("indexer.worker.WordBatch", Noted)
    path = write_warc(tmp_path / "a.warc.gz", pages("a", 1))
    pipe = Told(("file", 1, path, frozenset(), (0, 1), (0, None)), ("flush",))
    status = memoryview(bytearray(8 * Status.SIZE)).cast("q")
    Worker(pipe, status, str(tmp_path), "w").run()  # type: ignore[arg-type]
    assert pipe.sent == ["claim", "idle", "batch", "flushed"]
    assert len(made) == (1 if is_kept else 2)


@pytest.mark.parametrize("turns, claimed", [("", [1, 2, 3, 4]), ("turns", [2, 3, 4, 4])])
def test_who_reads_in_turns_has_a_group_to_work_on_while_others_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turns: str, claimed: list[int]
) -> None:
    monkeypatch.setattr("indexer.worker.GROUP_PAGES", 1)
    path = write_warc(tmp_path / "a.warc.gz", pages("a", 4))
    pipe = Told(
        ("file", 1, path, frozenset(), (0, 2), (0, None), str(tmp_path / turns) if turns else ""), ("flush",)
    )
    told: list[int] = []  # how much was asked for when a group was worked on
    analyze = Worker._analyze

    def noted(self: Worker, group: Any, entry: Any) -> None:
        if group.pages:
            told.append(pipe.sent.count("claim"))
        analyze(self, group, entry)

    monkeypatch.setattr(Worker, "_analyze", noted)
    status = memoryview(bytearray(8 * Status.SIZE)).cast("q")
    Worker(pipe, status, str(tmp_path), "w").run()  # type: ignore[arg-type]
    assert told == claimed
    assert pipe.sent == ["claim"] * 4 + ["idle", "batch", "flushed"]


def test_progress_counts_files_that_wait_for_their_batch_to_fill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in_one_process(monkeypatch, batch_pages=100)
    paths = [
        write_warc(tmp_path / f"{name}.warc.gz", pages(name, 3)) for name in ("ant", "bee", "cat", "dog")
    ]
    told: list[tuple[int, int, bool]] = []

    def show(progress: Progress) -> None:
        told.append((progress.files_done, progress.records, progress.bytes_done <= progress.bytes_total))

    build_index(paths, str(tmp_path / "index"), options=IndexOptions(workers=1), progress=show)
    assert [files for files, _, _ in told] == sorted(files for files, _, _ in told)
    assert {1, 2, 3, 4} <= {files for files, _, _ in told}
    # at the moment in which a batch is handed over its records may not be counted
    assert any(records >= 3 * files for files, records, _ in told if 0 < files < 4)
    assert told[-1][1] == 12 and all(fits for _, _, fits in told)


@pytest.fixture(params=["copies", "interpreters"])
def started_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Callable[[str, int], list[worker_process._Child]]]:
    """Start so many processes early, of both kinds, and give them."""

    def start(warc: str, count: int) -> list[worker_process._Child]:
        worker_process.start_early([warc], count)
        return [each.process for each in worker_process._early]

    monkeypatch.setattr(worker_process, "_A_START", 10)
    monkeypatch.setattr(worker_process, "_may_be_copied", lambda: request.param == "copies")
    yield start
    worker_process.end_early()


def test_processes_started_early_become_the_workers_and_the_others_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started_early: Callable[..., list[worker_process._Child]]
) -> None:
    warc = write_warc(tmp_path / "a.warc.gz", pages("early", 150))
    started = started_early(warc, 3)
    assert len(started) == 3 and len({process.pid for process in started}) == 3
    monkeypatch.setattr(worker_process, "_Process", None)  # no more are started
    assert build_index([warc], str(tmp_path / "index"), options=IndexOptions(workers=2)).documents == 150
    assert worker_process._early == [] and all(process.poll() is not None for process in started)
    # one file, and too small to be read by several
    assert sorted(process.wait() for process in started) == [-signal.SIGKILL, -signal.SIGKILL, 0]


def test_little_to_read_starts_nothing_early(tmp_path: Path) -> None:
    warc = write_warc(tmp_path / "a.warc", [response("http://a.example/", "<p>heron")])
    worker_process.start_early([warc, str(tmp_path / "missing")], 3)
    assert worker_process._early == []


def test_a_worker_started_early_that_dies_is_replaced(
    tmp_path: Path,
    started_early: Callable[..., list[worker_process._Child]],
    when_busy: Callable[..., list[str]],
) -> None:
    warc = write_warc(tmp_path / "a.warc.gz", pages("early", 250, 60))
    started = started_early(warc, 2)
    killed = when_busy(lambda worker: worker.status[Status.RECORDS] > 20, kill)
    assert build_index([warc], str(tmp_path / "index"), options=IndexOptions(workers=2)).documents == 250
    assert len(killed) == 1
    assert -signal.SIGKILL in [process.wait() for process in started]
    with open_index(str(tmp_path / "index")) as index:
        assert index.check() == []


@pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")
@pytest.mark.parametrize("told", [True, False], ids=["by the system", "by the pipe"])
def test_copies_end_with_the_coordinator_whatever_ends_it(tmp_path: Path, told: bool) -> None:
    warc = write_warc(tmp_path / "a.warc", [response("http://a.example/", "<p>heron")])
    program = (
        "import os, signal, indexer.worker\n"
        "from indexer import worker_process as wp\n"
        f"indexer.worker._end_with_parent = indexer.worker._end_with_parent if {told} else lambda: None\n"
        f"wp._A_START = 1; wp.start_early([{warc!r}], 3)\n"
        "assert all(type(each.process) is wp._Forked for each in wp._early)\n"
        "print(*[each.process.pid for each in wp._early], flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=REPOSITORY)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    pids = [int(pid) for pid in ended.stdout.split()]
    assert len(pids) == 3
    deadline = time.monotonic() + 20
    while any(is_running(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(is_running(pid) for pid in pids)


def is_running(pid: int) -> bool:
    """Whether a process does more than wait for its parent to take note of its end."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_process_with_threads_is_not_copied() -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert not worker_process._may_be_copied()
    finally:
        done.set()
        thread.join()
