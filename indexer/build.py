"""build_index: archive files -> a committed index, with one worker process a core.

The coordinator hands out files, answers which pages are new, commits what comes back, and looks
after workers that hang or die. A page that keeps a worker busy too long costs only itself.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import wait
from typing import Any

from archiver.warc import Damage
from indexer.index import Statistics, open_index
from indexer.store.arrayfile import sync_folder
from indexer.store.bm25f import Ranking
from indexer.store.errors import DiskFullError, IndexMissingError, WorkerError
from indexer.store.layout import live_folder, make_live, next_folder, remove_leftovers
from indexer.store.lock import writer_lock
from indexer.store.writer import CommitBatch, IndexWriter, NewCapture, NewVersion
from indexer.text.documents import FileEntry
from indexer.worker import Batch, Status, WorkerProcess

log = logging.getLogger(__name__)

_TICK_S = 0.25
_KILLS_AT_MOST = 20  # pages left out of one file before the file is given up
_FINGERPRINT_BYTES = 1 << 16


@dataclass(frozen=True)
class IndexOptions:
    """How to index. workers: processes, 0 for one a core. rebuild: from scratch, beside the live index.

    page_limit_s: a page whose markup takes longer is left out, with an entry in the ledger.
    commit_s: what is read is committed and searchable after about this many seconds.
    """

    workers: int = 0
    rebuild: bool = False
    page_limit_s: float = 60.0
    commit_s: float = 30.0
    ranking: Ranking = field(default_factory=Ranking)


@dataclass(slots=True)
class Progress:
    """How far a run is. problems: lines about files that have not been reported yet."""

    files_done: int = 0
    files_total: int = 0
    records: int = 0
    pages: int = 0
    bytes_done: int = 0
    bytes_total: int = 0
    seconds: float = 0.0
    current: str = ""
    problems: list[str] = field(default_factory=list)


def build_index(
    paths: list[str],
    index_dir: str,
    *,
    options: IndexOptions | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Statistics:
    """Index archive files and return the totals of the whole index.

    Files that are in the index and unchanged are passed over; grown or changed ones are read anew.
    KeyboardInterrupt ends the run in order: what was read is committed, then it is raised again.
    Raises WriterLockedError, DiskFullError, IndexVersionError, IndexCorruptError, WorkerError.
    """
    options = options or IndexOptions()
    try:
        with writer_lock(index_dir):
            folder = _folder_to_write(index_dir, options)
            writer = IndexWriter(folder, options.ranking)
            try:
                if not options.rebuild and _is_new(index_dir):
                    make_live(index_dir, folder)
                with _Run(writer, options, progress) as run:
                    run.index(paths)
                writer.merge()
            finally:
                writer.close()
            if options.rebuild:
                make_live(index_dir, folder)
            remove_leftovers(index_dir)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFullError(
                f"{index_dir}: no space left on the disk; free some and run again, nothing committed is lost"
            ) from error
        raise
    with open_index(index_dir) as index:
        return index.statistics()


def _is_new(index_dir: str) -> bool:
    try:
        live_folder(index_dir)
    except IndexMissingError:
        return True
    return False


def _folder_to_write(index_dir: str, options: IndexOptions) -> str:
    if options.rebuild or _is_new(index_dir):
        folder = next_folder(index_dir)
        os.makedirs(folder, exist_ok=True)
        sync_folder(index_dir)
        return folder
    return live_folder(index_dir)


@dataclass(slots=True)
class _File:
    """An archive file of this run."""

    number: int
    path: str
    size: int
    state: dict[str, Any]
    skip_pages: frozenset[tuple[str, int, int]] = frozenset()
    kills: int = 0


class _Worker(WorkerProcess):
    """A worker, and what it has in hand."""

    def __init__(self, folder: str, name: str) -> None:
        super().__init__(folder, name)
        self.reading: _File | None = None
        self.unfinished: list[_File] = []  # files read, or being read, whose batch has not come yet
        self.flushing = False


class _Run:
    """One run over a list of files."""

    def __init__(self, writer: IndexWriter, options: IndexOptions, progress: Callable[[Progress], None] | None) -> None:
        self._writer, self._options, self._report = writer, options, progress
        self._workers: list[_Worker] = []
        self._started = time.monotonic()
        self._files: dict[int, _File] = {}
        self._queue: list[_File] = []
        self._done = self._records_before = self._pages_before = self._bytes_before = 0
        self._total = 0
        self._problems: list[str] = []
        self._names = 0
        # pages granted to a worker and not yet committed: (address number, digest) -> (version, worker name)
        self._granted: dict[tuple[int, bytes], tuple[int, str]] = {}
        self._waiting: list[tuple[Batch, str]] = []
        self._last_flush = time.monotonic()

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, *exc: object) -> None:
        for worker in self._workers:
            if exc[0] is None:
                worker.stop()
            else:
                worker.kill()

    def index(self, paths: list[str]) -> None:
        """Read and commit all files that are new or changed."""
        interrupted = False
        try:
            self._choose(paths)
            cores = self._options.workers or len(os.sched_getaffinity(0))
            for _ in range(min(cores, len(self._queue))):
                self._start_worker()
            while self._queue or any(worker.reading for worker in self._workers):
                self._step()
        except KeyboardInterrupt:
            log.warning("interrupted: committing what has been read")
            interrupted = True
            self._queue.clear()
        self._finish(stop_reading=interrupted)
        self._show()
        if interrupted:
            raise KeyboardInterrupt

    # -- which files

    def _choose(self, paths: list[str]) -> None:
        for path in dict.fromkeys(paths):
            state = _state_of(path)
            known = self._writer.ledger_entry(path)
            if known is not None and known.get("state") == state:
                continue
            if known is not None:
                self._writer.forget_file(path)
            number = self._writer.file_number(path)
            file = _File(number, path, state.get("size", 0), state)
            self._files[number] = file
            self._queue.append(file)
        self._total = sum(file.size for file in self._queue)
        self._queue.sort(key=lambda file: -file.size)  # the longest first, so that no core waits for it at the end
        self._queue.reverse()

    # -- the loop

    def _start_worker(self) -> None:
        self._names += 1
        worker = _Worker(self._writer.folder, f"w{self._names}")
        self._workers.append(worker)
        self._hand_out(worker)

    def _hand_out(self, worker: _Worker) -> None:
        worker.reading = self._queue.pop() if self._queue else None
        if worker.reading:
            worker.unfinished.append(worker.reading)
            worker.pipe.send(("file", worker.reading.number, worker.reading.path, worker.reading.skip_pages))

    def _step(self) -> None:
        """Wait for news from the workers, at most a moment, and deal with them."""
        by_pipe = {worker.pipe: worker for worker in self._workers}
        for pipe in wait(list(by_pipe), _TICK_S):
            worker = by_pipe[pipe]  # type: ignore[index]
            if worker in self._workers:
                self._receive(worker)
        for worker in list(self._workers):
            if worker.busy_s() > self._options.page_limit_s:
                self._replace(worker, f"it took longer than {self._options.page_limit_s:.0f} s")
        if time.monotonic() - self._last_flush > self._options.commit_s:
            self._last_flush = time.monotonic()
            for worker in self._workers:
                if worker.reading is None and not worker.flushing and worker.unfinished:
                    worker.flushing = True
                    worker.pipe.send(("flush",))
        self._show()

    def _receive(self, worker: _Worker) -> None:
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):
            self._replace(worker, "the worker process died, perhaps for want of memory")
            return
        kind = message[0]
        if kind == "claim":
            try:
                worker.pipe.send(self._answer(message[1], worker.name))
            except OSError:
                self._replace(worker, "the worker process died, perhaps for want of memory")
        elif kind == "batch":
            self._take_batch(message[1], worker)
        elif kind == "idle":
            self._hand_out(worker)
        elif kind == "flushed":
            worker.flushing = False
        elif kind == "failed":
            _, name, number, text = message
            if name == "DiskFullError" or number in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFullError(text)
            raise WorkerError(f"a worker failed while reading {worker.reading.path if worker.reading else 'files'}: {name}: {text}")

    def _answer(self, pages: list[tuple[str, bytes]], name: str) -> list[tuple[int, int, bool]]:
        """Return (version, address number, whether this worker is to index it) for each page."""
        answers = []
        for url, digest in pages:
            document = self._writer.document_number(url)
            granted = self._granted.get((document, digest))
            if granted is not None:
                answers.append((granted[0], document, False))
                continue
            known = self._writer.known_version(document, digest)
            if known:
                answers.append((known, document, False))
                continue
            version = self._writer.new_version_number()
            self._granted[document, digest] = (version, name)
            answers.append((version, document, True))
        return answers

    # -- commits

    def _take_batch(self, batch: Batch, worker: _Worker) -> None:
        finished = {number for number, _ in batch.finished}
        worker.unfinished = [file for file in worker.unfinished if file.number not in finished]
        self._done += len(finished)
        for number, entry in batch.finished:
            self._records_before += entry.records
            self._bytes_before += self._files[number].size
        self._waiting.append((batch, worker.name))
        self._commit_ready()

    def _commit_ready(self) -> None:
        """Commit every waiting batch whose captures show only versions that are committed, or are in these batches."""
        ready = list(self._waiting)
        while True:
            there = {version for batch, _ in ready for version, _, _, _ in batch.versions}
            pending = {version for version, _ in self._granted.values()}
            keep = [
                (batch, name) for batch, name in ready
                if all(row.version in there or row.version not in pending for _, row in batch.captures)
            ]
            if len(keep) == len(ready):
                break
            ready = keep
        if not ready:
            return
        self._writer.commit([self._commit_batch(batch) for batch, _ in ready])
        for batch, _ in ready:
            for _, url, digest, _ in batch.versions:
                self._granted.pop((self._writer.document_number(url), digest), None)
            for number, entry in batch.finished:
                self._tell_problems(entry)
        chosen = {id(batch) for batch, _ in ready}
        self._waiting = [(batch, name) for batch, name in self._waiting if id(batch) not in chosen]

    def _commit_batch(self, batch: Batch) -> CommitBatch:
        number_of = self._writer.document_number
        captures = []
        for file, row in batch.captures:
            found, place = row.found, row.found.location
            captures.append(NewCapture(
                number_of(found.url), found.timestamp, found.type, found.status, found.mime, found.payload, file, place.member,
                place.offset, place.length, place.inner, row.version, found.refers_to,
            ))
        return CommitBatch(
            segment=batch.segment, sums=batch.sums, counts=batch.counts,
            versions=[NewVersion(n, number_of(url), url, digest, title) for n, url, digest, title in batch.versions],
            captures=captures,
            ledger=[self._ledger_row(self._files[number], entry) for number, entry in batch.finished],
        )

    def _ledger_row(self, file: _File, entry: FileEntry) -> dict[str, Any]:
        row = asdict(entry)
        for damage in row["damaged"]:
            del damage["path"]
        row["state"] = file.state
        return row

    def _tell_problems(self, entry: FileEntry) -> None:
        for damage in entry.damaged[:3]:
            inside = f" in {damage.member}" if damage.member else ""
            self._problems.append(f"{entry.file}{inside}: byte {damage.offset}: {damage.problem}")
        if len(entry.damaged) > 3:
            self._problems.append(f"{entry.file}: {len(entry.damaged) - 3} more places, see: findingaid ledger")

    def _finish(self, *, stop_reading: bool) -> None:
        """Have every worker hand over its last batch, and commit it."""
        if stop_reading:
            # what a worker has in hand of a file that is not read to its end is read again by the next run
            for worker in list(self._workers):
                if worker.reading is not None:
                    self._workers.remove(worker)
                    worker.kill()
                    self._release(worker)
        for worker in self._workers:
            worker.flushing = True
            worker.pipe.send(("flush",))
        while any(worker.flushing for worker in self._workers):
            self._step()
        if self._waiting and not stop_reading:
            raise WorkerError(f"{len(self._waiting)} batches wait for pages that no worker has; please report this")

    # -- workers that hang or die

    def _replace(self, worker: _Worker, why: str) -> None:
        """End a worker that hangs or has died, and have its files read again without the page it was at."""
        file, parsing = worker.reading, bool(worker.status[Status.PARSING])
        offset, inner = worker.status[Status.OFFSET], worker.status[Status.INNER]
        self._workers.remove(worker)
        status = worker.kill()
        self._release(worker)
        if file is None:
            raise WorkerError(f"a worker process ended with status {status} while it had nothing to read; please report this")
        file.kills += 1
        if parsing and file.kills <= _KILLS_AT_MOST:
            log.warning("%s: record at byte %d: its page is left out: %s", file.path, offset, why)
            # whichever member of a ZIP file it is in: the offset tells it well enough to be left out
            file.skip_pages |= {("", offset, inner)}
        elif file.kills > 1:
            worker.unfinished.remove(file)
            entry = FileEntry(file.path, status="unreadable")
            entry.damaged.append(Damage(file.path, 0, file.size, f"given up: {why}, more than once; please report this"))
            self._waiting.append((Batch(finished=[(file.number, entry)]), worker.name))
            self._done += 1
            self._commit_ready()
        self._queue.extend(worker.unfinished)
        self._start_worker()

    def _release(self, worker: _Worker) -> None:
        self._granted = {key: value for key, value in self._granted.items() if value[1] != worker.name or self._is_waiting(value[0])}

    def _is_waiting(self, version: int) -> bool:
        return any(version == number for batch, _ in self._waiting for number, _, _, _ in batch.versions)

    # -- progress

    def _show(self) -> None:
        if self._report is None:
            return
        reading = [worker for worker in self._workers if worker.reading]
        progress = Progress(
            files_done=self._done, files_total=len(self._files),
            records=self._records_before + sum(int(worker.status[Status.RECORDS]) for worker in reading),
            pages=sum(int(worker.status[Status.PAGES]) for worker in self._workers) + self._pages_before,
            bytes_done=min(self._total, self._bytes_before + sum(int(worker.status[Status.POSITION]) for worker in reading)),
            bytes_total=self._total,
            seconds=time.monotonic() - self._started,
            current=reading[0].reading.path if reading and reading[0].reading else "",
            problems=self._problems,
        )
        self._problems = []
        self._report(progress)


def _state_of(path: str) -> dict[str, Any]:
    """Return what tells whether a file has changed: size, time of change, digest of its two ends."""
    try:
        if not os.path.isfile(path):
            return {"size": 0, "kind": "not a regular file"}
        found = os.stat(path)
        digest = hashlib.sha256()
        with open(path, "rb") as file:
            digest.update(file.read(_FINGERPRINT_BYTES))
            if found.st_size > _FINGERPRINT_BYTES:
                file.seek(max(_FINGERPRINT_BYTES, found.st_size - _FINGERPRINT_BYTES))
                digest.update(file.read(_FINGERPRINT_BYTES))
        return {"size": found.st_size, "changed_ns": found.st_mtime_ns, "ends": digest.hexdigest()[:32]}
    except OSError as error:
        return {"size": 0, "unreadable": error.strerror or str(error)}

