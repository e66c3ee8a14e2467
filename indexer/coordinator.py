"""The coordinator of an index run: hands out files, answers which pages are new, commits what comes back.

It looks after workers that hang or die. A page that keeps a worker busy too long costs only itself.
"""

from __future__ import annotations

import errno
import logging
import os
import select
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from typing import Any

from archiver.memory import give_memory_back, memory_in_hand
from archiver.warc import Damage
from indexer.choosing import ArchiveFile, choose_files
from indexer.grants import Grants
from indexer.options import AtOnce, IndexOptions, Progress
from indexer.run_merges import RunMerges
from indexer.sharing import Share, joined_entry, shares_of
from indexer.store.errors import DiskFullError, IndexCorruptError, WorkerError
from indexer.store.fold import FoldTask, WeighTask
from indexer.store.merge_task import MergeTask, Places
from indexer.store.removal import Takedowns, removals_of
from indexer.store.writer import IndexWriter
from indexer.text.documents import FileEntry
from indexer.waiting import Together, Waiting, commit_batch, problems_of
from indexer.worker import Batch
from indexer.worker_process import Status, WorkerProcess, end_early

log = logging.getLogger(__name__)

_TICK_S = 0.25
# While claims are answered beside a commit: how soon it is seen that it is over, and how long one of the two threads
# has Python for itself; by default that is so long that an answer, which needs it several times, would come late.
_COMMIT_TICK_S, _SWITCH_S = 0.005, 0.0005
MEMORY_KEPT = 80 << 20  # when this process holds more, it keeps nothing of one commit for the next
_HEARD_AT_MOST = 2  # messages of a worker, batches most of them, that wait in memory for the end of a commit
_REPEATS_AT_ONCE = 500  # revisits given to a worker at a time
_KILLS_AT_MOST = 20  # pages left out of one file before the file is given up


class _Worker(WorkerProcess):
    """A worker, and what it has in hand."""

    def __init__(self, folder: str, name: str) -> None:
        super().__init__(folder, name)
        self.reading: Share | None = None
        self.unfinished: list[Share] = []  # files read, or being read, whose batch has not come yet
        self.handed_records = self.handed_pages = 0  # what came with its batches
        self.flushing = False
        self.heard: deque[Any] = deque()  # messages that came during a commit, and wait for its end
        self.merging: MergeTask | None = None
        self.task: FoldTask | WeighTask | None = None
        self.promised: list[
            set[int]
        ] = []  # of each claim: versions that captures of a batch to come will show


def _with_news(workers: Sequence[_Worker], wait_s: float) -> list[_Worker]:
    """Return the workers that have said something or are gone, as soon as there is one."""
    poll = select.poll()  # multiprocessing.connection.wait takes 20 times as long
    by_pipe = {worker.pipe.fileno(): worker for worker in workers}
    for pipe in by_pipe:
        poll.register(pipe, select.POLLIN)
    return [by_pipe[pipe] for pipe, _ in poll.poll(1000 * wait_s)]


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
        self._done = self._bytes_before = self._bytes_told = 0
        self._records_before = self._pages_before = 0  # of workers that are gone
        self._total = 0
        self._problems: list[str] = []
        self._takedowns = Takedowns.of(removals_of(writer.catalogue))
        self._names = 0
        # a worker that outlives a killed run must never write a file that this run writes too
        self._run_name = os.urandom(4).hex()
        self._grants = Grants(writer)
        self._waiting: list[Waiting] = []
        self._committing = False
        self._beside = ThreadPoolExecutor(1)  # answers claims during a commit
        self._is_answering = False
        self._all_were_heard = False  # since the news of this step were looked for
        self._old_versions: dict[int, set[int]] = {}  # of files that are read anew: the versions they held
        self._last_flush = time.monotonic()
        self._ending = False  # no file is begun any more
        self._merges = RunMerges(writer, self._run_name)
        self._deaths_at_rest = 0

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *exc: object) -> None:
        self._is_answering = False
        self._beside.shutdown()
        if exc[0] is None:
            self._dismiss()
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
            end_early()
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
            self._index_repeats()
            self._merge_the_rest()
            self._fold_and_weigh()
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
            part = (file.start, file.end)
            turns = f"{self._run_name}-{file.number}.turns.tmp" if share.in_turns else ""
            if turns:
                turns = os.path.join(self._writer.folder, turns)
            self._tell(
                worker,
                ("file", file.number, file.path, file.skip_pages, (share.number, share.of), part, turns),
            )

    def _tell(self, worker: _Worker, message: Any) -> None:
        """Send a message to a worker; one that has just died is noticed when it is listened to."""
        with suppress(OSError):
            worker.pipe.send(message)

    def _step(self) -> None:
        """Wait for news from the workers, at most a moment, and deal with them."""
        heard = [worker for worker in self._workers if worker.heard]
        self._all_were_heard = False
        for worker in heard or _with_news(self._workers, _TICK_S):
            if self._all_were_heard:
                break  # during a commit for one before: what this one had to say may be dealt with, and nothing follow
            if worker in self._workers:
                self._receive(worker)
        for worker in list(self._workers):
            if worker.busy_s() > self._options.page_limit_s:
                self._replace(worker, f"it took longer than {self._options.page_limit_s:g} s", died=False)
        if time.monotonic() - self._last_flush > self._options.commit_s:
            self._last_flush = time.monotonic()
            for worker in self._workers:
                if worker.reading is None:
                    self._flush(worker)
        self._show()

    def _flush(self, worker: _Worker) -> None:
        """Have a worker hand over what it has in hand, if it has read something of which no batch has come."""
        if worker.unfinished and not worker.flushing:
            worker.flushing = True
            self._tell(worker, ("flush",))

    def _receive(self, worker: _Worker) -> None:
        try:
            message = worker.heard.popleft() if worker.heard else worker.pipe.recv()
        except (EOFError, OSError):
            self._replace(worker, worker.end_told())
            return
        kind = message[0]
        if kind == "claim":
            self._answer(worker, message[1])
        elif kind == "batch":
            self._take_batch(message[1], worker)
        elif kind == "idle":
            self._hand_out(worker)
            if worker.reading is None:
                self._flush(worker)  # while others are still reading
        elif kind == "flushed":
            worker.flushing = False
        elif kind == "merged":
            self._take_merge(message[1], worker)
        elif kind == "done":
            worker.task = None
        elif kind == "unable":
            raise WorkerError(f"a worker process cannot begin: {message[1]}; is the program installed whole?")
        elif kind == "failed":
            _, name, number, text = message
            if name == "MemoryError":
                self._replace(worker, f"the worker process ran out of memory: {text}")
                return
            if name == "DiskFullError" or number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise DiskFullError(text)
            if name == "IndexCorruptError":  # of a segment that was to be merged
                raise IndexCorruptError(text)
            raise WorkerError(
                f"a worker failed while reading {worker.reading.path if worker.reading else 'files'}: {name}: {text}"
            )

    # -- claims

    def _answer(self, worker: _Worker, claim: list[tuple[str, bytes]]) -> None:
        answers = self._grants.answer(claim, worker.name)
        worker.promised.append({version for version, _, _ in answers})
        self._tell(worker, ("answers", answers))

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Have claims answered by another thread while this one commits, for which most of the time goes to SQLite.

        What is committed is granted until the commit is over, whether the other thread sees it in the catalogue or not.
        """
        self._is_answering = self._all_were_heard = True
        before = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_S)
        answered = self._beside.submit(self._answer_claims)
        try:
            yield
        finally:
            self._is_answering = False
            sys.setswitchinterval(before)
            answered.result()

    def _answer_claims(self) -> None:
        """Answer claims until a commit is over. All else waits for that, and so does who says a second thing of it.

        No claim has to do with a batch or a merge that was told before it.
        """
        listening = [worker for worker in self._workers if len(worker.heard) < _HEARD_AT_MOST]
        while self._is_answering:
            for worker in _with_news(listening, _COMMIT_TICK_S):
                try:
                    message = worker.pipe.recv()
                except (EOFError, OSError):
                    listening.remove(worker)  # its end is dealt with later, its pipe will say the same again
                    continue
                if message[0] == "claim":
                    self._answer(worker, message[1])
                else:
                    worker.heard.append(message)
                    if len(worker.heard) == _HEARD_AT_MOST:
                        listening.remove(worker)

    # -- commits

    def _take_batch(self, batch: Batch, worker: _Worker) -> None:
        finished = {(number, entry.share[0]) for number, entry in batch.finished}
        worker.unfinished = [
            share for share in worker.unfinished if (share.file.number, share.number) not in finished
        ]
        for number, entry in batch.finished:
            worker.handed_records += entry.records
            self._bytes_before += self._files[number].size // entry.share[1]
        batch.finished = self._whole_files(batch.finished)
        self._done += len(batch.finished)
        worker.handed_pages = int(worker.status[Status.PAGES])
        del worker.promised[: batch.claims]
        self._waiting.append(Waiting(batch))
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
            together = Together(ready, [waiting for waiting in self._waiting if waiting not in ready])
            kept = [waiting for waiting in ready if self._may_commit(waiting, together)]
            if len(kept) == len(ready):
                break
            ready = kept
        if not ready:
            return
        self._committing = True
        batches = [commit_batch(waiting.batch, self._files, self._writer) for waiting in ready]
        # a file read anew takes versions away, of which nothing may be told until it is done
        replaces = any(batch.replaces for batch in batches)
        self._writer.commit(batches, nullcontext() if replaces else self._answering())
        self._committing = False
        if memory_in_hand() > MEMORY_KEPT:
            give_memory_back()
        self._merges.note_made([batch.segment.rpartition("-")[0] for batch in batches if batch.segment])
        for waiting, batch in zip(ready, batches, strict=True):
            self._grants.end(batch.versions)
            for number, entry in waiting.batch.finished:
                self._problems += problems_of(self._files[number], entry)
        self._waiting = [waiting for waiting in self._waiting if waiting not in ready]
        self._merge_what_is_full()

    def _may_commit(self, waiting: Waiting, together: Together) -> bool:
        """Return whether a batch may be committed together with others.

        - A version that its captures show is committed, or in these batches.
        - A file that ends in it has no other batch that waits, so that a ledger entry stands for all of its captures.
        - A file read anew, or carried on with, ends in these batches.
        - A file read anew takes no version away that other captures are about to show.
        """
        replaced = {number for number in waiting.files if self._files[number].replaces}
        carried_on = {number for number in waiting.files if self._files[number].before is not None}
        if (replaced | carried_on) - together.ends or waiting.ends & together.files_later:
            return False
        if self._grants.are_missing(waiting.shows - together.holds):
            return False
        if not replaced:
            return True
        going = self._versions_before(replaced) - together.shows
        return not going & together.shows_later.union(
            *(claim for worker in self._workers for claim in worker.promised)
        )

    def _versions_before(self, files: set[int]) -> set[int]:
        for number in files - self._old_versions.keys():
            self._old_versions[number] = self._writer.versions_shown_by(number)
        return set[int]().union(*(self._old_versions[number] for number in files))

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
                self._flush(worker)
            while any(worker.flushing for worker in self._workers):
                self._step()
            if not self._queue and not any(worker.unfinished for worker in self._workers):
                break
            self._read_all()  # a worker died with its last batch in hand; another has read that since, or does so now
        self._commit_ready()

    def _index_repeats(self) -> None:
        """Index pages under the addresses of revisits too, where other addresses hold their bytes."""
        repeats = self._writer.revisits_of_others()
        while repeats:
            if not self._workers:
                self._start_worker()
            for worker in self._workers:
                worker.flushing = bool(repeats)
                if repeats:
                    self._tell(worker, ("repeats", repeats[:_REPEATS_AT_ONCE]))
                    del repeats[:_REPEATS_AT_ONCE]
            while any(worker.flushing for worker in self._workers):
                if self._interrupted():
                    raise KeyboardInterrupt
                self._step()
        self._writer.looked_at_revisits()

    def _read_waiting_again(self) -> None:
        """Drop the batches that wait for a page of a worker that died, and read their files once more."""
        again: dict[int, ArchiveFile] = {}
        kept: list[Waiting] = []
        for waiting in self._waiting:
            self._grants.end(waiting.batch.versions)
            for name in filter(None, (waiting.batch.segment, waiting.batch.links)):
                with suppress(FileNotFoundError):
                    os.remove(os.path.join(self._writer.folder, name))
            given_up = [end for end in waiting.batch.finished if self._files[end[0]].given_up]
            if given_up:
                kept.append(Waiting(Batch(finished=given_up)))
            self._done -= len(waiting.ends) - len(given_up)
            again.update(
                {number: self._files[number] for number in waiting.files if not self._files[number].given_up}
            )
        self._waiting = kept
        self._grants.forget_lost()
        self._commit_ready()
        self._queue.extend(Share(file) for file in again.values())
        for worker in self._workers:
            if self._queue:
                self._hand_out(worker)

    # -- merges, done by workers between two batches

    def _merge_what_is_full(self) -> None:
        """Have a worker merge small segments that fill a large one, one merge at a time: memory is for reading."""
        if self._workers and not self._at_work():
            worker = self._workers[self._merges.begun % len(self._workers)]
            growth = self._total / max(self._bytes_done(), 1)
            if (task := self._merges.when_full(growth, len(self._workers))) is not None:
                self._ask_to_merge(task, worker)

    def _merge_the_rest(self) -> None:
        """Merge what is left when all is read, by all workers at once."""
        self._wait_for_merges()
        groups = self._merges.at_the_end(len(self._workers))
        while groups and self._workers and not self._merges.are_given_up:
            if self._interrupted():
                raise KeyboardInterrupt
            for worker in self._workers:
                if groups and worker.merging is None:
                    group = max(groups, key=partial(self._merges.made_by, worker.name))
                    if self._merges.has_room_for(group, self._at_work()):
                        groups.remove(group)
                        self._ask_to_merge(self._merges.task(group), worker)
            self._step()
        self._wait_for_merges()

    def _wait_for_merges(self) -> None:
        while self._at_work():
            if self._interrupted():
                raise KeyboardInterrupt
            self._step()

    def _at_work(self) -> list[MergeTask]:
        return [worker.merging for worker in self._workers if worker.merging is not None]

    def _ask_to_merge(self, task: MergeTask, worker: _Worker) -> None:
        worker.merging = task
        self._tell(worker, ("merge", task))

    def _take_merge(self, places: Places, worker: _Worker) -> None:
        task, worker.merging = worker.merging, None
        assert task is not None
        self._committing = True
        self._writer.commit_merge(task, places, self._answering())
        self._committing = False
        if not self._ending and any(each.unfinished for each in self._workers):
            self._merge_what_is_full()  # once all is read, what is left is merged by groups that are chosen already

    # -- texts of links and weights, when all is merged

    def _fold_and_weigh(self) -> None:
        """Have the workers fold the texts of links in, and weigh; where one dies at it, the end of the run does it.

        The catalogue is packed meanwhile: what is committed after it are a few rows.
        """
        if not self._workers or self._merges.are_given_up:
            return
        fold, tasks = self._writer.begin_fold(f"{self._run_name}-f", len(self._workers))
        if not self._are_done(tasks, meanwhile=lambda: self._writer.pack(self._interrupted)):
            fold.discard()
            return
        weights = fold.weights()
        if not self._are_done(weights):
            fold.discard()
        elif tasks or weights:
            self._dismiss()
            self._committing = True
            self._writer.commit_fold(fold)
            self._committing = False

    def _dismiss(self) -> None:
        """Let the workers end, all at the same time and beside what is left to do here."""
        for worker in self._workers:
            self._tell(worker, ("stop",))

    def _are_done(
        self, tasks: Sequence[FoldTask] | Sequence[WeighTask], meanwhile: Callable[[], None] | None = None
    ) -> bool:
        """Share tasks out among the workers, and tell whether all were done; none is at work then.

        meanwhile: what is done here once every worker has a task.
        """
        left: list[FoldTask | WeighTask] = list(tasks)
        at_work, before = len(self._workers), self._deaths_at_rest
        while left or any(worker.task for worker in self._workers):
            if self._interrupted():
                raise KeyboardInterrupt
            if len(self._workers) < at_work or self._deaths_at_rest > before:
                left.clear()
                if not self._workers:
                    break
            for worker in self._workers:
                if left and worker.task is None:
                    worker.task = left.pop(0)
                    self._tell(worker, ("task", worker.task))
            if meanwhile is not None:
                meanwhile()
                meanwhile = None
            self._step()
        return len(self._workers) == at_work and self._deaths_at_rest == before

    # -- workers that hang or die

    def _replace(self, worker: _Worker, why: str, *, died: bool = True) -> None:
        """End a worker that hangs or has died, and have its files read again.

        A page that a worker hangs at is left out then; a page that one dies at only if the next one dies there too,
        for the first may have been killed for what others did.
        """
        share, parsing = worker.reading, bool(worker.status[Status.PARSING])
        offset, inner = worker.status[Status.OFFSET], worker.status[Status.INNER]
        self._workers.remove(worker)
        worker.kill()
        self._records_before += worker.handed_records
        self._pages_before += worker.handed_pages
        self._release(worker)
        if worker.merging is not None:
            self._merges.fail(worker.merging)
        if self._ending:
            return  # what it had in hand is read again by the next run
        if share is None:
            self._deaths_at_rest += 1
            if self._deaths_at_rest > _KILLS_AT_MOST:
                raise WorkerError(f"{why}, again and again, before it handed over what it had read")
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
            self._waiting.append(Waiting(batch))
            self._done += len(batch.finished)
            self._commit_ready()
        self._queue.extend(worker.unfinished)
        self._start_worker()

    def _release(self, worker: _Worker) -> None:
        """Take back what was granted to a worker that is gone, except what waits to be committed."""
        waiting = set[int]().union(*(waiting.holds for waiting in self._waiting))
        self._grants.release(worker.name, waiting)

    # -- progress

    def _show(self) -> None:
        if self._report is None:
            return
        reading = [worker for worker in self._workers if worker.reading]
        read = self._shares_in_hand()
        progress = Progress(
            files_done=self._done + sum(share.of == 1 for share in read),
            files_total=len(self._files),
            records=self._records_before
            + sum(int(worker.status[Status.RECORDS]) for worker in self._workers),
            pages=sum(int(worker.status[Status.PAGES]) for worker in self._workers) + self._pages_before,
            bytes_done=self._bytes_done(),
            bytes_total=self._total,
            seconds=time.monotonic() - self._started,
            current=reading[0].reading.path if reading and reading[0].reading else "",
            problems=self._problems,
        )
        self._problems = []
        self._report(progress)

    def _shares_in_hand(self) -> list[Share]:
        """Return what is read and not handed over yet: many small files fill one batch."""
        return [share for worker in self._workers for share in worker.unfinished if share != worker.reading]

    def _bytes_done(self) -> int:
        reading = [(worker, worker.reading) for worker in self._workers if worker.reading]
        done = (
            self._bytes_before
            + sum(share.bytes for share in self._shares_in_hand())
            + sum(int(worker.status[Status.POSITION]) // share.of for worker, share in reading)
        )
        # a worker that was given a file a moment ago still shows its place in the one before
        self._bytes_told = max(self._bytes_told, min(done, self._total))
        return self._bytes_told
