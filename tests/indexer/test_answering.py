"""Claims are answered while the coordinator commits: nothing is granted twice, and nothing is lost."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from contextlib import closing, contextmanager, nullcontext
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from faults import ThreadWorker, run_in_one_process
from shelf import answers, write_shelf
from store_batches import Page, commit_pages

from indexer import IndexOptions, Ranking, build_index, coordinator, open_index
from indexer.grants import Grants
from indexer.store.checking import check_generation
from indexer.store.writer import IndexWriter
from tests.indexer.making import response, write_warc

TWO = IndexOptions(workers=2)
CAT: Page = {("cat", 6): [0, 4]}
WAIT_S = 20


class Answered:
    """Counts the claims that are answered, and those beside a commit apart."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.beside = 0
        self.pages: list[tuple[int, int]] = []  # (version, document) of those granted
        self.came = threading.Event()
        answer = Grants.answer

        def counted(grants: Grants, *given: Any) -> Any:
            found = answer(grants, *given)
            self.pages += [(version, document) for version, document, is_new in found if is_new]
            if threading.current_thread() is not threading.main_thread():
                self.beside += 1
                self.came.set()
            return found

        monkeypatch.setattr(Grants, "answer", counted)


def slow_commits(monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], None]) -> None:
    """Have something happen in the midst of each commit, when its rows are written and are not committed yet."""
    keep = IndexWriter._keep

    def slow(writer: IndexWriter, *given: Any) -> None:
        meanwhile()
        keep(writer, *given)

    monkeypatch.setattr(IndexWriter, "_keep", slow)


def test_a_commit_keeps_no_worker_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_in_one_process(monkeypatch, batch_pages=60)  # more than are read ahead
    shelf = write_shelf(tmp_path / "shelf", files=4, pages=100)
    build_index(shelf, str(tmp_path / "undisturbed"), options=TWO)
    answered, commits = Answered(monkeypatch), []

    def wait_for_a_claim() -> None:
        if not commits:
            assert answered.came.wait(WAIT_S), "the first commit waits for what the workers claim meanwhile"
        commits.append(1)

    slow_commits(monkeypatch, wait_for_a_claim)
    build_index(shelf, str(tmp_path / "index"), options=TWO)
    assert answers(tmp_path / "index") == answers(tmp_path / "undisturbed")
    with open_index(str(tmp_path / "index")) as index:
        assert index.check() == []


class Mute(ThreadWorker):
    """A worker that says nothing but what the test says into `mouth`."""

    def _serve(self, pipe: Connection, folder: str) -> None:
        self.mouth = pipe


def test_who_was_heard_during_a_commit_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers have news. The first's are committed, and the claim of the second is answered meanwhile; it says
    nothing more before the first is answered, too: it waits for its turn to read."""
    first, second = (Mute("", name) for name in ("first", "second"))
    for worker in (first, second):
        worker._thread.join()

    def commit_until_the_second_is_answered(run: coordinator.Run, batch: object, worker: object) -> None:
        with run._answering():
            assert second.mouth.poll(WAIT_S), "a claim is answered during a commit"

    monkeypatch.setattr(coordinator.Run, "_take_batch", commit_until_the_second_is_answered)
    writer = IndexWriter(str(tmp_path / "g1"), Ranking())
    with closing(writer), coordinator.Run(writer, str(tmp_path), TWO, None) as run:
        run._workers = [first, second]
        first.mouth.send(("batch", None))
        second.mouth.send(("claim", []))
        step = threading.Thread(target=run._step, daemon=True)
        step.start()
        step.join(WAIT_S)
        assert not step.is_alive(), "the coordinator waits for a worker that has nothing to say"
        assert second.mouth.recv() == ("answers", [])


@pytest.mark.parametrize("seed", range(4))
def test_a_page_is_granted_once_whatever_is_committed_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Files that share most of their pages, in two runs: claims meet pages at work, committed, and being committed."""
    run_in_one_process(monkeypatch)
    chosen = random.Random(seed)
    known = [(f"http://{n % 3}.example/{n}", f"<p>page {n} {body}") for n in range(50) for body in range(2)]
    paths, shown = [], set()
    for file in range(6):
        some = chosen.choices(known, k=60)
        paths.append(write_warc(tmp_path / f"{file}.warc.gz", [response(*page) for page in some]))
        shown |= set(some)
    answered, come = Answered(monkeypatch), threading.Event()
    slow_commits(monkeypatch, lambda: come.wait(chosen.choice([0, 0.001, 0.03])))
    for some_paths in (paths[:3], paths):
        build_index(some_paths, str(tmp_path / "index"), options=TWO)
    assert answered.beside
    assert len(answered.pages) == len({version for version, _ in answered.pages}) == len(shown)
    with open_index(str(tmp_path / "index")) as index:
        assert index.check() == []
        assert (index.statistics().captures, index.statistics().versions) == (6 * 60, len(shown))
        for entry in index.ledger():
            assert (entry.records, entry.captures) == (60, 60)


def test_nothing_is_answered_while_a_file_is_taken_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in_one_process(monkeypatch)
    pages = [response(f"http://a.example/{n}", f"<p>page {n}") for n in range(40)]
    first, second = tmp_path / "a.warc.gz", tmp_path / "b.warc.gz"
    write_warc(first, pages[:20])
    build_index([str(first)], str(tmp_path / "index"), options=TWO)
    write_warc(first, pages[10:30])
    write_warc(second, pages)
    commit, replacing = IndexWriter.commit, []

    def watched(writer: IndexWriter, batches: Any, beside: Any) -> None:
        if any(batch.replaces for batch in batches):
            replacing.append(isinstance(beside, nullcontext))
        commit(writer, batches, beside)

    monkeypatch.setattr(IndexWriter, "commit", watched)
    build_index([str(first), str(second)], str(tmp_path / "index"), options=TWO)
    assert replacing == [True]
    with open_index(str(tmp_path / "index")) as index:
        assert index.check() == []
        assert (index.statistics().captures, index.statistics().versions) == (60, 40)


def test_an_error_of_the_thread_that_answers_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in_one_process(monkeypatch, batch_pages=60)
    shelf = write_shelf(tmp_path / "shelf", files=2, pages=150)
    failed, answer = threading.Event(), Grants.answer

    def fail(grants: Grants, *given: Any) -> Any:
        if threading.current_thread() is threading.main_thread():
            return answer(grants, *given)
        failed.set()
        raise MemoryError("no room for answers")

    slow_commits(monkeypatch, lambda: assert_set(failed))
    with monkeypatch.context() as patched:
        patched.setattr(Grants, "answer", fail)
        with pytest.raises(MemoryError, match="no room for answers"):
            build_index(shelf, str(tmp_path / "index"), options=TWO)
    monkeypatch.undo()
    build_index(shelf, str(tmp_path / "index"), options=TWO)
    build_index(shelf, str(tmp_path / "undisturbed"), options=TWO)
    assert answers(tmp_path / "index") == answers(tmp_path / "undisturbed")


def assert_set(event: threading.Event) -> None:
    assert event.wait(WAIT_S)


def test_addresses_asked_for_during_a_commit_come_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the commit fails: then what it was to add comes with the next, too."""
    writer = IndexWriter(str(tmp_path / "g1"), Ranking())
    [old] = writer.document_numbers(["http://old.example/"])
    commit_pages(writer, "a.warc", {"http://old.example/": CAT})
    urls = [
        "http://later.example/",
        "http://old.example/",
        "http://now.example/",
        "http://later.example/",
    ]
    commit, found = IndexWriter.commit, []

    def ask() -> None:
        found.append(writer.document_numbers(urls))
        assert writer.known_version(found[-1][2], b"http://now.example/") == 0
        assert writer.known_version(old, b"http://old.example/") == 1

    @contextmanager
    def asking() -> Any:
        yield
        beside = threading.Thread(target=ask)
        beside.start()
        beside.join()

    class BrokenOff(Exception):
        pass

    def fail(writer: IndexWriter, *given: Any) -> None:
        raise BrokenOff

    monkeypatch.setattr(IndexWriter, "commit", lambda writer, batches: commit(writer, batches, in_it()))

    @contextmanager
    def in_it() -> Any:
        keep = IndexWriter._keep

        def slow(writer: IndexWriter, *given: Any) -> None:
            with asking():
                pass
            if len(found) == 1:
                raise BrokenOff
            keep(writer, *given)

        with monkeypatch.context() as patched:
            patched.setattr(IndexWriter, "_keep", slow)
            yield

    with pytest.raises(BrokenOff):
        commit_pages(writer, "b.warc", {"http://now.example/": CAT})
    commit_pages(writer, "c.warc", {"http://now.example/": CAT})
    assert found[0] == found[1] == [3, old, 2, 3]
    assert writer.document_numbers(urls) == found[0]
    monkeypatch.undo()
    assert check_generation(writer.folder) == []
    commit_pages(writer, "d.warc", {"http://later.example/": CAT})
    rows = writer.catalogue.connection().execute("SELECT id, url FROM urls ORDER BY id").fetchall()
    assert rows == [(1, "http://old.example/"), (2, "http://now.example/"), (3, "http://later.example/")]
    assert check_generation(writer.folder) == []
    writer.close()
