"""build_index: archive files -> a committed index, with one worker process a core.

The coordinator hands out files, answers which pages are new, commits what comes back, and looks
after workers that hang or die. A page that keeps a worker busy too long costs only itself.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import secrets
import shutil
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import wait
from typing import Any

from archiver.warc import Damage
from indexer.index import Statistics, open_index
from indexer.store.arrayfile import sync_folder
from indexer.store.bm25f import Ranking
from indexer.store.catalogue import FILE_NAME
from indexer.store.errors import (
    DiskFullError,
    IndexMissingError,
    IndexNotWritableError,
    WorkerError,
    is_disk_full,
)
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
    A file that is in the index and cannot be read now keeps what is held of it, with a line in Progress.problems.
    Ctrl-C ends the run in order: what was read is committed, then KeyboardInterrupt is raised; a second one ends it
    at once, which loses what is not yet committed and nothing else.
    Raises WriterLockedError, DiskFullError, IndexNotWritableError, IndexVersionError, IndexCorruptError, WorkerError.
    """
    options = options or IndexOptions()
    try:
        with writer_lock(index_dir), _deferred_interrupt() as interrupted:
            folder = _folder_to_write(index_dir, options)
            try:
                _write(folder, index_dir, paths, options, progress, interrupted)
            except BaseException:
                if options.rebuild:
                    shutil.rmtree(folder, ignore_errors=True)  # its room may be what the disk lacks
                raise
            if options.rebuild:
                make_live(index_dir, folder)
            remove_leftovers(index_dir)
    except OSError as error:
        if is_disk_full(error):
            raise DiskFullError(
                f"{index_dir}: no space left on the disk; free some and run again, nothing committed is lost"
            ) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise IndexNotWritableError(
                f"{error.filename or index_dir}: cannot be written: {error.strerror}"
            ) from error
        raise
    with open_index(index_dir) as index:
        return index.statistics()


def _write(
    folder: str,
    index_dir: str,
    paths: list[str],
    options: IndexOptions,
    progress: Callable[[Progress], None] | None,
    interrupted: Callable[[], bool],
) -> None:
    """Index archive files into a generation."""
    writer = IndexWriter(folder, options.ranking)
    try:
        if not options.rebuild and _is_new(index_dir):
            make_live(index_dir, folder)
        with _Run(writer, options, progress, interrupted) as run:
            run.index(paths)
        writer.merge(stop=interrupted)
        if interrupted():
            raise KeyboardInterrupt
    except sqlite3.Error as error:
        raise writer.catalogue.translated(error) from error
    finally:
        writer.close()


class _AtOnce(KeyboardInterrupt):
    """A second Ctrl-C."""


@contextmanager
def _deferred_interrupt() -> Iterator[Callable[[], bool]]:
    """Give a function that tells whether Ctrl-C was pressed; only the second one raises KeyboardInterrupt.

    An exception in the midst of a commit, or of a message to a worker, would leave half of it done. Where somebody
    else handles the signal, or outside the main thread, things stay as they are.
    """
    asked = False

    def handle(number: int, frame: object) -> None:
        nonlocal asked
        if asked:
            raise _AtOnce
        asked = True

    ours = threading.current_thread() is threading.main_thread() and (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if ours:
        signal.signal(signal.SIGINT, handle)
    try:
        yield lambda: asked
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


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
    folder = live_folder(index_dir)
    if not os.path.exists(os.path.join(folder, FILE_NAME)):
        raise IndexMissingError(
            f"{folder}/{FILE_NAME}: this file of the index is missing; index the archives again with --rebuild"
        )
    return folder


@dataclass(slots=True)
class _File:
    """An archive file of this run.

    replaces: it has been read before, in another state; what is held of it makes place when it is read to its end,
    so that readers see the old captures or the new ones, never a gap. given_up: its worker died too often.
    """

    number: int
    path: str
    size: int
    state: dict[str, Any]
    skip_pages: frozenset[tuple[str, int, int]] = frozenset()
    kills: int = 0
    replaces: bool = False
    given_up: bool = False
    died_at: tuple[int, int] | None = None  # (offset, inner) of the page at which a worker died last


class _Waiting:
    """A batch that waits to be committed.

    shows: versions of its captures; files: those it holds captures or the end of.
    """

    def __init__(self, batch: Batch, worker: str) -> None:
        self.batch, self.worker = batch, worker
        self.holds = {version for version, _, _, _ in batch.versions}
        self.shows = {row.version for _, row in batch.captures if row.version}
        self.ends = {number for number, _ in batch.finished}
        self.files = {number for number, _ in batch.captures} | self.ends


class _Together:
    """Batches that may be committed in one transaction, and what those that would still wait have to do with them."""

    def __init__(self, ready: list[_Waiting], later: list[_Waiting]) -> None:
        self.holds = set[int]().union(*(waiting.holds for waiting in ready))
        self.shows = set[int]().union(*(waiting.shows for waiting in ready))
        self.ends = set[int]().union(*(waiting.ends for waiting in ready))
        self.shows_later = set[int]().union(*(waiting.shows for waiting in later))
        self.files_later = set[int]().union(*(waiting.files for waiting in later))


class _Worker(WorkerProcess):
    """A worker, and what it has in hand."""

    def __init__(self, folder: str, name: str) -> None:
        super().__init__(folder, name)
        self.reading: _File | None = None
        self.unfinished: list[_File] = []  # files read, or being read, whose batch has not come yet
        self.flushing = False
        self.promised: set[int] = set()  # versions that the captures of its next batch will show


class _Run:
    """One run over a list of files."""

    def __init__(
        self,
        writer: IndexWriter,
        options: IndexOptions,
        progress: Callable[[Progress], None] | None,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        self._writer, self._options, self._report, self._interrupted = writer, options, progress, interrupted
        self._workers: list[_Worker] = []
        self._started = time.monotonic()
        self._files: dict[int, _File] = {}
        self._queue: list[_File] = []
        self._done = self._records_before = self._pages_before = self._bytes_before = 0
        self._total = 0
        self._problems: list[str] = []
        self._names = 0
        # a worker that outlives a killed run must never write a file that this run writes too
        self._run_name = secrets.token_hex(4)
        # pages granted to a worker and not yet committed: (address number, digest) -> (version, worker name)
        self._granted: dict[tuple[int, bytes], tuple[int, str]] = {}
        # pages granted to a worker that died: whoever claims one next gets the same number,
        # for captures may show it already
        self._lost: dict[tuple[int, bytes], int] = {}
        self._waiting: list[_Waiting] = []
        self._committing = False
        self._old_versions: dict[int, set[int]] = {}  # of files that are read anew: the versions they held
        self._last_flush = time.monotonic()
        self._ending = False  # no file is begun any more
        self._deaths_at_rest = 0

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
            self._read_all()
            self._flush_all()
            rounds = 0
            while self._waiting:
                rounds += 1
                if rounds > _KILLS_AT_MOST:
                    raise WorkerError(
                        f"{len(self._waiting)} batches wait for pages that no worker has; please report this"
                    )
                self._read_waiting_again()
                self._read_all()
                self._flush_all()
        except KeyboardInterrupt as error:
            if isinstance(error, _AtOnce) or self._committing:
                raise  # the batches of a commit that was broken off are gone; the next run reads their files again
            log.warning("interrupted: committing what has been read")
            interrupted = True
            self._queue.clear()
            self._ending = True
            self._end_reading()
            self._flush_all()
        if any(file.replaces for file in self._files.values()):
            self._writer.forget_addresses()
        self._show()
        if interrupted:
            raise KeyboardInterrupt

    def _read_all(self) -> None:
        while self._queue or any(worker.reading for worker in self._workers):
            if self._interrupted():
                raise KeyboardInterrupt
            self._step()

    # -- which files

    def _choose(self, paths: list[str]) -> None:
        states: dict[str, dict[str, Any]] = {}
        replaced: set[str] = set()
        for path in dict.fromkeys(paths):
            if self._interrupted():
                raise KeyboardInterrupt
            state = _state_of(path)
            known = self._writer.ledger_entry(path)
            begun = self._writer.begun_state(path)
            if known is not None and begun is None and known.get("state") == state:
                continue
            if "ends" not in state and known is not None and "ends" in known.get("state", {}):
                why = state.get("unreadable") or state["kind"]
                log.warning("%s: cannot be read now: %s; what the index holds of it stays", path, why)
                self._problems.append(f"{path}: cannot be read now: {why}; what the index holds of it stays")
                continue
            if known is not None or (begun is not None and begun != state):
                replaced.add(path)
            if known is not None and known.get("state") != state and not os.path.isabs(path):
                # the same relative name may mean another file in another folder; replacing it is never silent
                self._problems.append(
                    f"{path}: is not as it was when indexed under this name: what the index holds of it is replaced by"
                    f" {os.path.abspath(path)}; if these are two files, name them by their whole paths"
                )
            states[path] = state
        for path, number in self._writer.begin_files(states).items():
            file = _File(number, path, states[path].get("size", 0), states[path], replaces=path in replaced)
            self._files[number] = file
            self._queue.append(file)
        self._total = sum(file.size for file in self._queue)
        self._queue.sort(
            key=lambda file: -file.size
        )  # the longest first, so that no core waits for it at the end
        self._queue.reverse()

    # -- the loop

    def _start_worker(self) -> None:
        self._names += 1
        worker = _Worker(self._writer.folder, f"{self._run_name}-w{self._names}")
        self._workers.append(worker)
        self._hand_out(worker)

    def _hand_out(self, worker: _Worker) -> None:
        worker.reading = self._queue.pop() if self._queue else None
        if worker.reading:
            worker.unfinished.append(worker.reading)
            self._tell(
                worker, ("file", worker.reading.number, worker.reading.path, worker.reading.skip_pages)
            )

    def _tell(self, worker: _Worker, message: Any) -> None:
        """Send a message to a worker; one that has just died is noticed when it is listened to."""
        with suppress(OSError):
            worker.pipe.send(message)

    def _step(self) -> None:
        """Wait for news from the workers, at most a moment, and deal with them."""
        by_pipe = {worker.pipe: worker for worker in self._workers}
        for pipe in wait(list(by_pipe), _TICK_S):
            worker = by_pipe[pipe]  # type: ignore[index]
            if worker in self._workers:
                self._receive(worker)
        for worker in list(self._workers):
            if worker.busy_s() > self._options.page_limit_s:
                self._replace(worker, f"it took longer than {self._options.page_limit_s:g} s", died=False)
        if time.monotonic() - self._last_flush > self._options.commit_s:
            self._last_flush = time.monotonic()
            for worker in self._workers:
                if worker.reading is None and not worker.flushing and worker.unfinished:
                    worker.flushing = True
                    self._tell(worker, ("flush",))
        self._show()

    def _receive(self, worker: _Worker) -> None:
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):
            self._replace(worker, "the worker process died, perhaps for want of memory")
            return
        kind = message[0]
        if kind == "claim":
            answers = self._answer(message[1], worker.name)
            worker.promised.update(version for version, _, _ in answers)
            self._tell(worker, answers)
        elif kind == "batch":
            self._take_batch(message[1], worker)
        elif kind == "idle":
            self._hand_out(worker)
        elif kind == "flushed":
            worker.flushing = False
        elif kind == "failed":
            _, name, number, text = message
            if name == "DiskFullError" or number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise DiskFullError(text)
            raise WorkerError(
                f"a worker failed while reading {worker.reading.path if worker.reading else 'files'}: {name}: {text}"
            )

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
            version = self._lost.pop((document, digest), 0) or self._writer.new_version_number()
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
        worker.promised.clear()
        self._waiting.append(_Waiting(batch, worker.name))
        self._commit_ready()

    def _commit_ready(self) -> None:
        """Commit the waiting batches that leave nothing half done, in one transaction."""
        ready = list(self._waiting)
        while True:
            together = _Together(ready, [waiting for waiting in self._waiting if waiting not in ready])
            kept = [waiting for waiting in ready if self._may_commit(waiting, together)]
            if len(kept) == len(ready):
                break
            ready = kept
        if not ready:
            return
        self._committing = True
        self._writer.commit([self._commit_batch(waiting.batch) for waiting in ready])
        self._committing = False
        for waiting in ready:
            for _, url, digest, _ in waiting.batch.versions:
                self._granted.pop((self._writer.document_number(url), digest), None)
            for _, entry in waiting.batch.finished:
                self._tell_problems(entry)
        self._waiting = [waiting for waiting in self._waiting if waiting not in ready]

    def _may_commit(self, waiting: _Waiting, together: _Together) -> bool:
        """Return whether a batch may be committed together with others.

        - A version that its captures show is committed, or in these batches.
        - A file that ends in it has no other batch that waits, so that a ledger entry stands for all of its captures.
        - A file read anew ends in these batches, and takes no version away that other captures are about to show.
        """
        replaced = {number for number in waiting.files if self._files[number].replaces}
        if replaced - together.ends or waiting.ends & together.files_later:
            return False
        missing = waiting.shows - together.holds
        if not missing.isdisjoint(self._lost.values()) or not missing.isdisjoint(
            v for v, _ in self._granted.values()
        ):
            return False
        if not replaced:
            return True
        going = self._versions_before(replaced) - together.shows
        return not going & together.shows_later.union(*(worker.promised for worker in self._workers))

    def _versions_before(self, files: set[int]) -> set[int]:
        for number in files - self._old_versions.keys():
            self._old_versions[number] = self._writer.versions_shown_by(number)
        return set[int]().union(*(self._old_versions[number] for number in files))

    def _commit_batch(self, batch: Batch) -> CommitBatch:
        number_of = self._writer.document_number
        captures = []
        for file, row in batch.captures:
            found, place = row.found, row.found.location
            captures.append(
                NewCapture(
                    number_of(found.url),
                    found.timestamp,
                    found.type,
                    found.status,
                    found.mime,
                    found.payload,
                    file,
                    place.member,
                    place.offset,
                    place.length,
                    place.inner,
                    row.version,
                    found.refers_to,
                )
            )
        return CommitBatch(
            segment=batch.segment,
            links=batch.links,
            sums=batch.sums,
            counts=batch.counts,
            versions=[
                NewVersion(n, number_of(url), url, digest, title) for n, url, digest, title in batch.versions
            ],
            captures=captures,
            ledger=[self._ledger_row(self._files[number], entry) for number, entry in batch.finished],
            replaces={number for number, _ in batch.finished if self._files[number].replaces},
            given_up={number for number, _ in batch.finished if self._files[number].given_up},
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
            self._problems.append(
                f"{entry.file}: {len(entry.damaged) - 3} more places, see: findingaid ledger"
            )

    def _end_reading(self) -> None:
        """End the workers that are in a file: what they have in hand is read again by the next run."""
        for worker in list(self._workers):
            if worker.reading is not None:
                self._workers.remove(worker)
                worker.kill()
                self._release(worker)

    def _flush_all(self) -> None:
        """Have every worker hand over its last batch, and commit it."""
        while True:
            for worker in self._workers:
                worker.flushing = True
                self._tell(worker, ("flush",))
            while any(worker.flushing for worker in self._workers):
                self._step()
            if not self._queue and not any(worker.reading for worker in self._workers):
                break
            self._read_all()  # a worker died with its last batch in hand
        self._commit_ready()

    def _read_waiting_again(self) -> None:
        """Drop the batches that wait for a page of a worker that died, and read their files once more."""
        again: dict[int, _File] = {}
        kept: list[_Waiting] = []
        for waiting in self._waiting:
            for _, url, digest, _ in waiting.batch.versions:
                self._granted.pop((self._writer.document_number(url), digest), None)
            for name in filter(None, (waiting.batch.segment, waiting.batch.links)):
                with suppress(FileNotFoundError):
                    os.remove(os.path.join(self._writer.folder, name))
            given_up = [end for end in waiting.batch.finished if self._files[end[0]].given_up]
            if given_up:
                kept.append(_Waiting(Batch(finished=given_up), waiting.worker))
            self._done -= len(waiting.ends) - len(given_up)
            again.update(
                {number: self._files[number] for number in waiting.files if not self._files[number].given_up}
            )
        self._waiting = kept
        self._lost.clear()
        self._commit_ready()
        self._queue.extend(again.values())
        for worker in self._workers:
            if self._queue:
                self._hand_out(worker)

    # -- workers that hang or die

    def _replace(self, worker: _Worker, why: str, *, died: bool = True) -> None:
        """End a worker that hangs or has died, and have its files read again.

        A page that a worker hangs at is left out then; a page that one dies at only if the next one dies there too,
        for the first may have been killed for what others did.
        """
        file, parsing = worker.reading, bool(worker.status[Status.PARSING])
        offset, inner = worker.status[Status.OFFSET], worker.status[Status.INNER]
        self._workers.remove(worker)
        status = worker.kill()
        self._release(worker)
        if self._ending:
            return  # what it had in hand is read again by the next run
        if file is None:
            self._deaths_at_rest += 1
            if self._deaths_at_rest > _KILLS_AT_MOST:
                raise WorkerError(
                    f"worker processes end with status {status} before they hand over what they have read"
                )
            self._queue.extend(worker.unfinished)
            if self._queue:
                self._start_worker()
            return
        file.kills += 1
        if parsing and died and file.died_at != (offset, inner) and file.kills <= _KILLS_AT_MOST:
            log.warning("%s: record at byte %d: %s; the file is read again", file.path, offset, why)
            file.died_at = (offset, inner)
        elif parsing and file.kills <= _KILLS_AT_MOST:
            log.warning("%s: record at byte %d: its page is left out: %s", file.path, offset, why)
            # whichever member of a ZIP file it is in: the offset tells it well enough to be left out
            file.skip_pages |= {("", offset, inner)}
        elif file.kills > 1:
            worker.unfinished.remove(file)
            entry = FileEntry(file.path, status="unreadable")
            entry.damaged.append(
                Damage(file.path, 0, file.size, f"given up: {why}, more than once; please report this")
            )
            file.given_up = True
            self._waiting.append(_Waiting(Batch(finished=[(file.number, entry)]), worker.name))
            self._done += 1
            self._commit_ready()
        self._queue.extend(worker.unfinished)
        self._start_worker()

    def _release(self, worker: _Worker) -> None:
        """Take back what was granted to a worker that is gone, except what waits to be committed."""
        waiting = set[int]().union(*(waiting.holds for waiting in self._waiting))
        for key, (version, name) in list(self._granted.items()):
            if name == worker.name and version not in waiting:
                del self._granted[key]
                self._lost[key] = version

    # -- progress

    def _show(self) -> None:
        if self._report is None:
            return
        reading = [worker for worker in self._workers if worker.reading]
        progress = Progress(
            files_done=self._done,
            files_total=len(self._files),
            records=self._records_before + sum(int(worker.status[Status.RECORDS]) for worker in reading),
            pages=sum(int(worker.status[Status.PAGES]) for worker in self._workers) + self._pages_before,
            bytes_done=min(
                self._total,
                self._bytes_before + sum(int(worker.status[Status.POSITION]) for worker in reading),
            ),
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
