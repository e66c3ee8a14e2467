"""The crawl itself: threads that fetch, and one that watches; the rules are elsewhere.

frontier.py   which address next, and when        visitor.py   what happens to one address
keeper.py     records and what is known of them   states.py    the states and the commands
readers.py    what a page says, and its records
"""

from __future__ import annotations

import ctypes
import logging
import os
import shlex
import shutil
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from archiver.crawl.addresses import spell
from archiver.crawl.allowed import allowed_hosts
from archiver.crawl.errors import CrawlError, NoSeedError
from archiver.crawl.fetcher import Fetcher, FetchLimits
from archiver.crawl.frontier import Frontier
from archiver.crawl.guard import AddressGuard, Resolve, system_resolve
from archiver.crawl.items import Item
from archiver.crawl.job import JOB_FILE, LOG_FILE, CrawlJob, change_job, check_job, write_job
from archiver.crawl.keeper import Keeper
from archiver.crawl.numbers import Numbers
from archiver.crawl.readers import Readers
from archiver.crawl.reasons import MaybeReason, Reason, reason_text
from archiver.crawl.scope import Scope
from archiver.crawl.seeds import Provider, seeds_from
from archiver.crawl.statefile import StateFile
from archiver.crawl.states import (
    Command,
    JobLock,
    JobState,
    answer_command,
    check_move,
    new_commands,
    read_state,
    write_state,
)
from archiver.crawl.topic import Topic
from archiver.crawl.visitor import Visitor
from archiver.errors import DiskFullError, ExitCode, FindingAidError, is_disk_full

log = logging.getLogger(__name__)

_WATCH_S = 0.2


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """How a crawl ended.

    reason: one of reasons.FINISH_REASONS. archives: all files of the job.
    cut: how much was not had whole, by reason; see Numbers.count_cut.
    messages: one line for each seed that came to nothing, and for what else
        the user should know.
    """

    job: str
    state: str
    reason: str
    fetched: int
    failed: int
    skipped: dict[str, int]
    cut: dict[str, int]
    archives: tuple[str, ...]
    bytes: int
    seconds: float
    messages: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def exit_code(self) -> int:
        """The exit code of the command line."""
        if self.interrupted:
            return ExitCode.INTERRUPTED
        if self.reason == Reason.DISK_FULL:
            return ExitCode.DISK_FULL
        return (
            ExitCode.FAILED
            if self.reason in (Reason.ERROR, Reason.BLOCKED) or not self.fetched
            else ExitCode.DONE
        )

    def as_json(self) -> dict[str, object]:
        """Return what `crawl --json` prints."""
        return {
            "job": self.job,
            "state": self.state,
            "reason": self.reason,
            "fetched": self.fetched,
            "failed": self.failed,
            "skipped": self.skipped,
            "cut": self.cut,
            "archives": list(self.archives),
            "bytes": self.bytes,
            "seconds": round(self.seconds, 3),
        }


def run_crawl(
    job: CrawlJob,
    *,
    progress: Callable[[Numbers], None] | None = None,
    again: bool = False,
    resolve: Resolve = system_resolve,
    providers: dict[str, Provider] | None = None,
) -> CrawlResult:
    """Crawl a job until it is finished, or go on with one that was stopped or killed, and return how it ended.

    progress: called about once a second with the live numbers.
    again: visit the job's pages anew.
    providers: further seed sources by kind, such as the project's index.
    Raises JobError, JobRunningError, NoSeedError. Ctrl-C ends it in order, a
    second one at once.
    """
    check_job(job)
    lock = JobLock(job.folder)
    try:
        crawler = Crawler(job, progress=progress, resolve=resolve, providers=providers or {})
        try:
            return crawler.run(again)
        except sqlite3.Error as error:
            if is_disk_full(error):
                raise DiskFullError.at(job.state_path) from error
            raise CrawlError(f"{job.state_path}: {error}; start the same command again") from error
        finally:
            crawler.close()
    finally:
        lock.release()


class Crawler:
    """Joins frontier, robots, fetcher and writer; `run` is called once."""

    def __init__(
        self,
        job: CrawlJob,
        *,
        progress: Callable[[Numbers], None] | None,
        resolve: Resolve,
        providers: dict[str, Provider],
    ) -> None:
        os.makedirs(job.archive_folder, exist_ok=True)
        self._progress = progress
        self._providers = providers
        self.file = StateFile(job.state_path)
        self.job = job = replace(job, allow_private=allowed_hosts(self.file, job))
        self._messages: list[str] = []
        self._guard = AddressGuard(allow_private=job.allow_private, ports=job.ports, resolve=resolve)
        self._fetcher = Fetcher(
            self._guard,
            user_agent=job.full_user_agent,
            verify_tls=job.verify_tls,
            limits=FetchLimits(
                job.connect_timeout_s,
                job.read_timeout_s,
                job.total_timeout_s,
                job.page_size_kb * 1000,
                job.file_size_kb * 1000,
            ),
        )
        self._topic = Topic(job.topic, self.file.get("topic")) if job.topic.strip() else None
        self._stranded: list[Item] = []
        self._state = JobState.QUEUED
        self._pause_reason = ""
        self._disk_full = ""
        self._error = ""
        self._finish_reason: MaybeReason = ""
        self._interrupts = 0
        self._worker_ended = threading.Event()
        self._workers: dict[int, threading.Thread] = {}
        self._processor = _own_processor()
        self._readers = Readers(job.threads)
        self._log = open(os.path.join(job.folder, LOG_FILE), "a", encoding="utf-8")  # noqa: SIM115
        self._keeper = Keeper(self.file, job)  # first of all, for it queues again what was lost
        scope = Scope(job, [row[0] for row in self.file.execute("SELECT url FROM urls WHERE seed = 1")])
        self.frontier = Frontier(self.file, job, scope)
        self.numbers = Numbers(self.file, job)
        self._visitor = Visitor(
            job,
            self.frontier,
            self._keeper,
            self.numbers,
            self._guard,
            self._fetcher,
            self._topic,
            self._readers,
            self._write_log,
        )

    def close(self) -> None:
        """Let go of the files and of the process that helped."""
        self._readers.close()
        try:
            self._log.close()
        except OSError as error:
            log.warning("%s: the last lines are missing: %s", self._log.name, error.strerror)
        self.file.close()

    # ------------------------------------------------------------ the run

    def run(self, again: bool) -> CrawlResult:
        """Crawl until there is nothing left, a limit is reached or somebody says stop."""
        self._begin()
        try:
            self._add_seeds()
            if again:
                self.frontier.begin_again()
        except BaseException:
            write_state(self.file, JobState.FINISHED, Reason.ERROR)
            raise
        write_state(self.file, JobState.RUNNING)
        self._state = JobState.RUNNING
        self._rescope_if_changed()
        try:
            with self._signals_taken():
                self._watch()
        except KeyboardInterrupt:
            # At once: the threads never get this lock again, so that nothing is written behind our back.
            self.file.lock.acquire()
            self._finish_reason = Reason.USER
        reason = self._end()
        return self._result(reason)

    def _begin(self) -> None:
        state, _ = read_state(self.file)
        if state not in (JobState.QUEUED, JobState.FINISHED, JobState.CRASHED):
            # Its process was killed: the lock is ours, so nobody works on it.
            write_state(self.file, JobState.CRASHED)
        if read_state(self.file)[0] != JobState.QUEUED:
            write_state(self.file, JobState.QUEUED)
        if not os.path.exists(os.path.join(self.job.folder, JOB_FILE)):
            write_job(self.job)

    def _add_seeds(self) -> None:
        seeds: list[str] = []
        for text in self.job.seeds:
            try:
                seeds.append(spell(text if "://" in text else f"http://{text}"))
            except ValueError as error:
                self._messages.append(f"seed {text}: {error}")
        asked = self.file.get("sources")
        if self.job.sources and asked != repr(self.job.sources):
            found, problems = seeds_from(self.job, self._fetcher, self._providers, spell)
            seeds += found
            self._messages += problems
            self.file.put("sources", repr(self.job.sources))
        for command in new_commands(self.file):
            # Left while no crawl was running.
            if command.name == "add":
                self._obey(command)
            else:
                answer_command(self.file, command, "came too late")
        self.frontier.add_seeds(dict.fromkeys(seeds))
        if not self.file.execute("SELECT 1 FROM urls LIMIT 1").fetchone():
            raise NoSeedError(
                "; ".join(self._messages) or "no seeds: give --seed URL, or list seeds in the job file"
            )

    def _watch(self) -> None:
        """Do what threads that fetch must not be held up by: commands, limits, syncing, numbers."""
        state = JobState.RUNNING
        last_second, disk_full_since = 0.0, 0.0
        self._start_workers()
        while any(w.is_alive() for w in self._workers.values()):
            self._worker_ended.wait(_WATCH_S)
            self._worker_ended.clear()
            now = time.monotonic()
            for command in new_commands(self.file):
                state = self._obey(command, state)
            self._readers.tend()
            if now - last_second >= 1:
                last_second = now
                self._sync()
                self._report(state)
                disk_full_since, state = self._check_disk(state, disk_full_since, now)
            self._check_limits()
            if self._finish_reason and not self.frontier.stopped:
                if state in (JobState.RUNNING, JobState.PAUSED, JobState.PAUSING):
                    state = self._set_state(JobState.STOPPING, self._finish_reason)
                self._stop_workers()
            if state == JobState.PAUSING and not self.frontier.in_flight:
                state = self._set_state(JobState.PAUSED, self._pause_reason)

    @contextmanager
    def _signals_taken(self) -> Iterator[None]:
        """Let SIGINT and SIGTERM be noted; only a second one becomes a KeyboardInterrupt.

        An exception out of nowhere in the middle of a wait is no way to end in
        order: Thread.join of Python 3.11 then takes a running thread for ended.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def note(_number: int, _frame: object) -> None:
            self._interrupts += 1
            self._worker_ended.set()
            if self._interrupts > 1:
                raise KeyboardInterrupt

        before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _end(self) -> str:
        try:
            self._keeper.close()
            if self._topic:
                self.file.put("topic", self._topic.state())
        except (FindingAidError, sqlite3.Error, OSError) as error:
            self._error = self._error or str(error)
            if is_disk_full(error):
                self._finish_reason = Reason.DISK_FULL
        reason = self._finish_reason
        if not reason and self._error:
            reason = Reason.ERROR
        if not reason:
            queued = (
                self.frontier.page_limit_reached
                and self.file.execute("SELECT 1 FROM urls WHERE state IN (0, 5) LIMIT 1").fetchone()
            )
            ended = Reason.BLOCKED if self._blocked() else Reason.DONE
            reason = Reason.PAGE_LIMIT if queued else ended
        if self._error:
            self._messages.append(self._error)
        try:
            self.numbers.update(self.frontier, self._keeper.duplicates.near, [], self._disk_free())
            self.numbers.save(final=True)
            with self.file.transaction():
                check_move(self._state, JobState.FINISHED)
                self.file.put("state", JobState.FINISHED)
                self.file.put("reason", reason)
        except sqlite3.Error as error:
            self._messages.append(f"{self.file.path}: the last state could not be written: {error}")
        if self._progress:
            self._progress(self.numbers)
        return reason

    def _blocked(self) -> list[tuple[str, int]]:
        """Return the hosts that the crawl had to leave although it is there for them, with the number of their pages.

        That a page links to a machine in here is no reason; that pages of it were fetched before, or no others, is.
        """
        return self.file.execute(
            "SELECT o.origin, COUNT(*) FROM urls u JOIN origins o ON o.id = u.origin"
            " WHERE u.state = 3 AND u.reason = 'blocked-address' AND u.kind = 0"
            " AND (EXISTS (SELECT 1 FROM urls v JOIN pages p ON p.url = v.id WHERE v.origin = u.origin AND v.kind = 0)"
            " OR NOT EXISTS (SELECT 1 FROM urls v JOIN pages p ON p.url = v.id WHERE v.kind = 0))"
            " GROUP BY o.origin ORDER BY o.origin"
        ).fetchall()

    def _result(self, reason: str) -> CrawlResult:
        for url, state, why in self.file.execute(
            "SELECT url, state, reason FROM urls WHERE seed = 1 AND state IN (3, 4) ORDER BY id"
        ):
            text = self.numbers.seed_problems.get(url) or (
                f"could not be fetched: {reason_text(why)}" if state == 4 else f"left out: {reason_text(why)}"
            )
            self._messages.append(f"seed {url}: {text}")
        for origin, count in self._blocked() if reason == Reason.BLOCKED else ():
            host = urlsplit(origin).hostname or origin
            self._messages.append(
                f"{origin}: {count} of its pages are left, because its address or port is refused; to go on:"
                f" findingaid crawl {shlex.quote(self.job.folder)} --allow-private {shlex.quote(host)}"
            )
        folder = self.job.archive_folder
        archives = tuple(
            os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".warc.gz")
        )
        return CrawlResult(
            self.job.id,
            str(JobState.FINISHED),
            reason,
            self.numbers.fetched,
            self.numbers.failed,
            {reason: n for reason, n in self.frontier.skipped.items() if n > 0},
            dict(self.numbers.cut),
            archives,
            self.numbers.bytes,
            self.numbers.seconds,
            tuple(dict.fromkeys(self._messages)),
            self._interrupts > 0,
        )

    def _set_state(self, state: JobState, reason: str = "") -> JobState:
        """Move on, even if a full disk does not let it be written down."""
        check_move(self._state, state)
        self._state = state
        try:
            with self.file.transaction():
                self.file.put("state", state)
                self.file.put("reason", reason)
        except sqlite3.Error as error:
            self._note_full(error)
        return state

    def _start_workers(self) -> None:
        for number in range(self.job.threads):
            if number not in self._workers or not self._workers[number].is_alive():
                worker = threading.Thread(
                    target=self._work, args=(number,), name=f"crawl-{number}", daemon=True
                )
                self._workers[number] = worker
                worker.start()

    def _stop_workers(self) -> None:
        with self.frontier.changed:
            self.frontier.stopped = True
            self.frontier.changed.notify_all()

    def _obey(self, command: Command, state: JobState = JobState.QUEUED) -> JobState:
        answer = "done"
        try:
            if command.name == "pause" and state == JobState.RUNNING:
                state = self._pause(Reason.ASKED_TO)
            elif command.name == "resume" and state in (JobState.PAUSED, JobState.PAUSING):
                state = self._resume()
            elif command.name == "stop" and state in (JobState.RUNNING, JobState.PAUSING, JobState.PAUSED):
                self._finish_reason = Reason.USER
            elif command.name == "add":
                answer = self._add_more(command.arguments.get("seeds", []))
            elif command.name == "set":
                self._change(command.arguments)
            else:
                answer = f"not possible while {state}"
        except CrawlError as error:
            answer = str(error)
        answer_command(self.file, command, answer)
        return state

    def _pause(self, reason: str) -> JobState:
        self.frontier.paused = True
        self._pause_reason = reason
        return self._set_state(JobState.PAUSING, reason)

    def _resume(self) -> JobState:
        self._disk_full = ""
        stranded, self._stranded = self._stranded, []
        for item in stranded:
            self.frontier.put_back(item)
        if stranded:
            self.frontier.recount()
        state = self._set_state(JobState.RUNNING)
        with self.frontier.changed:
            self.frontier.paused = False
            self.frontier.changed.notify_all()
        return state

    def _add_more(self, texts: Iterable[str]) -> str:
        problems, seeds = [], []
        for text in texts:
            try:
                seeds.append(spell(text if "://" in text else f"http://{text}"))
            except ValueError as error:
                problems.append(str(error))
        new = self.frontier.add_seeds(seeds)
        return "; ".join([f"{new} new", *problems])

    def _change(self, values: dict[str, object]) -> None:
        job = change_job(self.job, values, where="set")
        self.job = job
        if set(values) & {"scope", "depth", "include", "exclude", "requisites"}:
            self._rescope(job)
        self.frontier.job = self.frontier.queues.job = self._visitor.job = job
        self._start_workers()

    def _rescope(self, job: CrawlJob) -> None:
        seeds = [row[0] for row in self.file.execute("SELECT url FROM urls WHERE seed = 1").fetchall()]
        self.frontier.rescope(job, Scope(job, seeds))
        self.file.put("reach", _reach(job))

    def _rescope_if_changed(self) -> None:
        """A job that goes on with another scope or depth, or private hosts allowed, looks again at what it left out."""
        known = self.file.get("reach")
        refused = "SELECT 1 FROM urls WHERE state = 3 AND reason = 'blocked-address' LIMIT 1"
        if known and (
            known != _reach(self.job) or (self.job.allow_private and self.file.execute(refused).fetchone())
        ):
            self._rescope(self.job)
        else:
            self.file.put("reach", _reach(self.job))

    # ------------------------------------------------------------ watching

    def _check_limits(self) -> None:
        if self._finish_reason:
            return
        if self._interrupts:
            self._finish_reason = Reason.USER
        elif self._error:
            self._finish_reason = Reason.ERROR
        elif self.job.max_mb and self.numbers.bytes >= self.job.max_mb * 1e6:
            self._finish_reason = Reason.BYTE_LIMIT
        elif self.job.max_minutes and self.numbers.seconds >= self.job.max_minutes * 60:
            self._finish_reason = Reason.TIME_LIMIT

    def _check_disk(self, state: JobState, since: float, now: float) -> tuple[float, JobState]:
        """Pause before the disk is full; go on when there is room again, end when there is none for long."""
        short = self._disk_free() < self.job.min_free_mb * 1e6
        if not short and not self._disk_full:
            return (
                (0.0, self._resume())
                if since and state in (JobState.PAUSED, JobState.PAUSING)
                else (0.0, state)
            )
        if not since:
            since = now
            self._messages.append(
                f"{self.job.folder}: {self._disk_free() / 1e6:.0f} MB are free on the disk, "
                f"the job wants {self.job.min_free_mb:g}; it pauses until there is more room"
            )
            if state == JobState.RUNNING:
                state = self._pause(Reason.DISK_FULL)
        elif not short and state == JobState.PAUSED and now - since > 5:
            self._disk_full = ""
        if now - since >= self.job.disk_wait_min * 60:
            self._finish_reason = Reason.DISK_FULL
        return since, state

    def _disk_free(self) -> int:
        return shutil.disk_usage(self.job.folder).free

    def _report(self, state: JobState) -> None:
        self.numbers.state = str(state)
        self.numbers.update(
            self.frontier,
            self._keeper.duplicates.near,
            [i.url for i in self.frontier.in_flight],
            self._disk_free(),
        )
        try:
            self.numbers.save()
            self.file.put("nofollow", str(self.frontier.nofollow))
        except sqlite3.Error as error:
            self._note_full(error)
        if self._progress:
            self._progress(self.numbers)

    def _sync(self) -> None:
        try:
            self._log.flush()
            self._keeper.sync()
        except (OSError, FindingAidError, sqlite3.Error) as error:
            self._note_full(error)

    def _write_log(self, line: str) -> None:
        try:
            self._log.write(line + "\n")
        except OSError as error:
            self._note_full(error)

    def _note_full(self, error: BaseException) -> None:
        text = str(error)
        if is_disk_full(error):
            self._disk_full = text
            self.frontier.paused = True
        else:
            self._error = text

    def _work(self, number: int) -> None:
        _stay_on(self._processor)
        try:
            self._visit_until_the_end(number)
        finally:
            self._worker_ended.set()

    def _visit_until_the_end(self, number: int) -> None:
        while number < self.job.threads:
            try:
                item = self.frontier.take()
            except sqlite3.Error as error:
                self._note_full(error)
                if self._error:
                    return
                time.sleep(1)
                continue
            if item is None:
                return
            try:
                self._visitor.visit(item)
            except (DiskFullError, sqlite3.Error) as error:
                self._note_full(error)
                self._stranded.append(item)
            except Exception as error:
                # One odd page must not end the crawl; it is counted, logged with its place, and left.
                log.exception("%s: could not be processed", item.url)
                try:
                    self._visitor.give_up(
                        item, Reason.INTERNAL, f"could not be processed: {error}", asked=False
                    )
                except sqlite3.Error as other:
                    self._note_full(other)


def _reach(job: CrawlJob) -> str:
    return repr((job.scope, job.depth, job.include, job.exclude, job.requisites))


def _own_processor() -> int:
    """Return the processor that this thread runs on, where the system has put it; -1 where that cannot be told."""
    try:
        return int(ctypes.CDLL(None).sched_getcpu())
    except AttributeError:
        return -1


def _stay_on(processor: int) -> None:
    """Keep this thread on one processor, if it is one of those that it may use.

    Python runs one thread at a time. Threads of one processor take turns at little cost; on several, each turn wakes
    another processor and finds its caches cold, and a page takes half as much time again.
    """
    if processor >= 0 and processor in os.sched_getaffinity(0):
        with suppress(OSError):  # a container may forbid it
            os.sched_setaffinity(0, {processor})
