"""The coordinator of an index run: hands out files, answers which pages are new, commits what comes back.

It looks after workers that hang or die. A page that keeps a worker busy too long costs only itself.
"""

from __future__ import annotations

import errno
import logging
import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import wait
from typing import Any

from archiver.warc import Damage
from indexer.choosing import ArchiveFile, choose_files
from indexer.sharing import Share, joined_entry, shares_of
from indexer.store.bm25f import Ranking
from indexer.store.commit_batch import CommitBatch, NewCapture, NewVersion
from indexer.store.errors import DiskFullError, IndexCorruptError, WorkerError
from indexer.store.merge_task import MergeTask, Places
from indexer.store.plans import full_group, last_groups
from indexer.store.removal import Takedowns, removals_of
from indexer.store.writer import IndexWriter
from indexer.text.documents import FileEntry
from indexer.worker import Batch, Status, WorkerProcess

log = logging.getLogger(__name__)

_TICK_S = 0.25
_KILLS_AT_MOST = 20  # pages left out of one file before the file is given up
_MERGED_AT_ONCE = 50_000_000  # occurrences of segments that are merged at the same time
_FAILED_MERGES_AT_MOST = 3  # workers lost while they merge, before this process does it itself at the end


@dataclass(frozen=True)
class IndexOptions:
    """How to index. workers: processes, 0 for one a core. rebuild: from scratch, beside the live index.

    page_limit_s: a page whose markup takes longer is left out, with an entry in the ledger.
    commit_s: what is read is committed and searchable after about this many seconds.
    found, folders: which of the paths were found in folders, and in which: what is no archive there is no damage,
    and files that are gone from there are told. look_in: folders where files that have moved may lie.
    """

    workers: int = 0
    rebuild: bool = False
    page_limit_s: float = 60.0
    commit_s: float = 30.0
    ranking: Ranking = field(default_factory=Ranking)
    found: frozenset[str] = frozenset()
    folders: tuple[str, ...] = ()
    look_in: tuple[str, ...] = ()


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


class AtOnce(KeyboardInterrupt):
    """A second Ctrl-C."""


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
        self.reading: Share | None = None
        self.unfinished: list[Share] = []  # files read, or being read, whose batch has not come yet
        self.flushing = False
        self.merging: MergeTask | None = None
        self.promised: set[int] = set()  # versions that the captures of its next batch will show


class Run:
    """One run over a list of files."""

    def __init__(
        self,
        writer: IndexWriter,
        index_dir: str,
        options: IndexOptions,
        progress: Callable[[Progress], None] | None,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        self._writer, self._index_dir, self._options = writer, index_dir, options
        self._report, self._interrupted = progress, interrupted
        self._workers: list[_Worker] = []
        self._started = time.monotonic()
        self._files: dict[int, ArchiveFile] = {}
        self._queue: list[Share] = []
        self._ended: dict[
            int, dict[int, FileEntry]
        ] = {}  # of files not all shares of which are read: those that are
        self._done = self._records_before = self._pages_before = self._bytes_before = 0
        self._total = 0
        self._problems: list[str] = []
        self._takedowns = Takedowns.of(removals_of(writer.catalogue))
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
        self._merges = 0
        self._failed_merges = 0
        self._deaths_at_rest = 0

    def __enter__(self) -> Run:
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
            for _ in range(min(self._cores(), len(self._queue))):
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
            self._merge_the_rest()
        except KeyboardInterrupt as error:
            if isinstance(error, AtOnce) or self._committing:
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

    def _cores(self) -> int:
        return self._options.workers or len(os.sched_getaffinity(0))

    def _read_all(self) -> None:
        while self._queue or any(worker.reading for worker in self._workers):
            if self._interrupted():
                raise KeyboardInterrupt
            self._step()

    # -- which files

    def _choose(self, paths: list[str]) -> None:
        options = self._options
        choice = choose_files(
            self._writer,
            self._index_dir,
            paths,
            found=options.found,
            folders=options.folders,
            look_in=options.look_in,
            takedowns=self._takedowns,
            stopped=self._interrupted,
        )
        self._problems += choice.problems
        self._files = {file.number: file for file in choice.files}
        self._total = sum(file.size for file in choice.files)
        self._queue = shares_of(choice.files, self._cores())

    # -- the loop

    def _start_worker(self) -> None:
        self._names += 1
        worker = _Worker(self._writer.folder, f"{self._run_name}-w{self._names}")
        self._workers.append(worker)
        self._tell(worker, ("takedowns", self._takedowns))
        self._hand_out(worker)

    def _hand_out(self, worker: _Worker) -> None:
        worker.reading = self._queue.pop() if self._queue else None
        if worker.reading:
            share, file = worker.reading, worker.reading.file
            worker.unfinished.append(share)
            self._tell(worker, ("file", file.number, file.path, file.skip_pages, (share.number, share.of)))

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
            self._tell(worker, ("answers", answers))
        elif kind == "batch":
            self._take_batch(message[1], worker)
        elif kind == "idle":
            self._hand_out(worker)
        elif kind == "flushed":
            worker.flushing = False
        elif kind == "merged":
            self._take_merge(message[1], worker)
        elif kind == "failed":
            _, name, number, text = message
            if name == "DiskFullError" or number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise DiskFullError(text)
            if name == "IndexCorruptError":  # of a segment that was to be merged
                raise IndexCorruptError(text)
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
        finished = {(number, entry.share[0]) for number, entry in batch.finished}
        worker.unfinished = [
            share for share in worker.unfinished if (share.file.number, share.number) not in finished
        ]
        for number, entry in batch.finished:
            self._records_before += entry.records
            self._bytes_before += self._files[number].size // entry.share[1]
        batch.finished = self._whole_files(batch.finished)
        self._done += len(batch.finished)
        worker.promised.clear()
        self._waiting.append(_Waiting(batch, worker.name))
        self._commit_ready()

    def _whole_files(self, finished: list[tuple[int, FileEntry]]) -> list[tuple[int, FileEntry]]:
        """Return the ends of files of which all shares are read now, when these are."""
        whole = []
        for number, entry in finished:
            ended = self._ended.setdefault(number, {})
            ended[entry.share[0]] = entry
            if len(ended) == entry.share[1]:
                whole.append((number, joined_entry([ended[share] for share in sorted(ended)])))
                del self._ended[number]
        return whole

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
            for number, entry in waiting.batch.finished:
                self._tell_problems(self._files[number], entry)
        self._waiting = [waiting for waiting in self._waiting if waiting not in ready]
        self._merge_what_is_full()

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
            ledger=[
                (number, self._ledger_row(self._files[number], entry)) for number, entry in batch.finished
            ],
            replaces={number for number, _ in batch.finished if self._files[number].replaces},
            given_up={number for number, _ in batch.finished if self._files[number].given_up},
        )

    def _ledger_row(self, file: ArchiveFile, entry: FileEntry) -> dict[str, Any]:
        row = asdict(entry)
        for damage in row["damaged"]:
            del damage["path"]
        del row["share"]
        row["state"] = file.state
        if file.is_no_archive(row):
            row["damaged"] = []
        return row

    def _tell_problems(self, file: ArchiveFile, entry: FileEntry) -> None:
        if file.is_no_archive(asdict(entry)):
            self._problems.append(f"{entry.file}: is no archive; passed over")
            return
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
        again: dict[int, ArchiveFile] = {}
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
        self._queue.extend(Share(file) for file in again.values())
        for worker in self._workers:
            if self._queue:
                self._hand_out(worker)

    # -- merges, done by workers between two batches

    def _merge_what_is_full(self) -> None:
        """Have a worker merge small segments that fill a large one, one merge at a time: memory is for reading."""
        if any(worker.merging for worker in self._workers) or self._failed_merges >= _FAILED_MERGES_AT_MOST:
            return
        group = full_group(self._writer.segments())
        if group and self._workers:
            self._ask_to_merge(group, self._workers[self._merges % len(self._workers)], with_weights=True)

    def _merge_the_rest(self) -> None:
        """Merge what is left when all is read, by all workers at once."""
        self._wait_for_merges()
        groups = last_groups(self._writer.segments())
        while groups and self._workers and self._failed_merges < _FAILED_MERGES_AT_MOST:
            if self._interrupted():
                raise KeyboardInterrupt
            for worker in self._workers:
                if groups and worker.merging is None and self._has_room_for(groups[0]):
                    self._ask_to_merge(groups.pop(0), worker)
            self._step()
        self._wait_for_merges()

    def _has_room_for(self, group: list[dict[str, Any]]) -> bool:
        """Return whether memory allows another merge beside those at work: what it takes grows with what is merged."""
        busy = {number for worker in self._workers if worker.merging for number in worker.merging.numbers}
        beside = sum(sum(entry["sums"]) for entry in self._writer.segments() if entry["number"] in busy)
        return not busy or beside + sum(sum(entry["sums"]) for entry in group) <= _MERGED_AT_ONCE

    def _wait_for_merges(self) -> None:
        while any(worker.merging for worker in self._workers):
            if self._interrupted():
                raise KeyboardInterrupt
            self._step()

    def _ask_to_merge(
        self, group: list[dict[str, Any]], worker: _Worker, *, with_weights: bool = False
    ) -> None:
        self._merges += 1
        name = f"{self._run_name}-m{self._merges}"
        worker.merging = self._writer.merge_task(group, name, with_weights=with_weights)
        self._tell(worker, ("merge", worker.merging))

    def _take_merge(self, places: Places, worker: _Worker) -> None:
        task, worker.merging = worker.merging, None
        assert task is not None
        self._committing = True
        self._writer.commit_merge(task, places)
        self._committing = False
        if not self._ending:
            self._merge_what_is_full()

    # -- workers that hang or die

    def _replace(self, worker: _Worker, why: str, *, died: bool = True) -> None:
        """End a worker that hangs or has died, and have its files read again.

        A page that a worker hangs at is left out then; a page that one dies at only if the next one dies there too,
        for the first may have been killed for what others did.
        """
        share, parsing = worker.reading, bool(worker.status[Status.PARSING])
        offset, inner = worker.status[Status.OFFSET], worker.status[Status.INNER]
        self._workers.remove(worker)
        status = worker.kill()
        self._release(worker)
        if worker.merging is not None:
            self._failed_merges += 1  # the segments are as they were; the end of the run merges them
            worker.merging.discard()
        if self._ending:
            return  # what it had in hand is read again by the next run
        if share is None:
            self._deaths_at_rest += 1
            if self._deaths_at_rest > _KILLS_AT_MOST:
                raise WorkerError(
                    f"worker processes end with status {status} before they hand over what they have read"
                )
            self._queue.extend(worker.unfinished)
            if self._queue:
                self._start_worker()
            return
        file = share.file
        if worker.merging is not None and not parsing:
            self._queue.extend(worker.unfinished)  # the merge was too much, not the file
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
            worker.unfinished.remove(share)
            entry = FileEntry(file.path, status="unreadable", share=(share.number, share.of))
            entry.damaged.append(
                Damage(file.path, 0, file.size, f"given up: {why}, more than once; please report this")
            )
            file.given_up = True
            batch = Batch(finished=self._whole_files([(file.number, entry)]))
            self._waiting.append(_Waiting(batch, worker.name))
            self._done += len(batch.finished)
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
                self._bytes_before
                + sum(int(w.status[Status.POSITION]) // w.reading.of for w in reading if w.reading),
            ),
            bytes_total=self._total,
            seconds=time.monotonic() - self._started,
            current=reading[0].reading.path if reading and reading[0].reading else "",
            problems=self._problems,
        )
        self._problems = []
        self._report(progress)
