"""The crawl itself: threads that fetch, and one that watches; the rules are elsewhere.

The life of an address: the frontier hands it out -> its host's addresses are
checked -> robots.txt allows it -> it is fetched, and its host's pause begins ->
its links are read -> its records are packed. Then, in one transaction under
one lock: the records are appended, the address is done, its links are queued.

A kill at any moment leaves at most records at the end of the open archive that
no transaction speaks of; they are cut off on restart and their addresses are
fetched again. After a power failure the archive may end before what the state
file says; those addresses are queued again.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlsplit

from archiver.crawl.addresses import spell
from archiver.crawl.duplicates import Duplicates, Original
from archiver.crawl.errors import AddressRefusedError, CrawlError, FetchError, NoSeedError
from archiver.crawl.fetcher import Exchange, Fetcher, FetchLimits
from archiver.crawl.frontier import Frontier, Item, Outlink, RobotsState, UrlKind
from archiver.crawl.guard import AddressGuard, Resolve, system_resolve
from archiver.crawl.job import JOB_FILE, LOG_FILE, CrawlJob, change_job, check_job, write_job
from archiver.crawl.links import LinkKind, PageParts, css_links, read_page, robots_directives, sitemap_links
from archiver.crawl.numbers import Numbers
from archiver.crawl.records import PackedExchange, pack_exchange, warcinfo_of
from archiver.crawl.robots import (
    CACHE_S,
    LIMIT_BYTES,
    MOST_REDIRECTS,
    Answer,
    RobotsRules,
    free_rules,
    meaning_of,
    parse_robots,
)
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
from archiver.crawl.topic import ON_TOPIC, Topic
from archiver.warc.errors import ArchiveError
from archiver.warc.record import Location
from archiver.warc.writer import OPEN_SUFFIX, DiskFullError, WarcWriter, repair_archive
from indexer.text.analysis import words_of
from indexer.text.charset import decode_html
from indexer.text.sketch import sketch_of

log = logging.getLogger(__name__)

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_RETRY_STATUS = frozenset({429, 502, 503, 504})
_LONGEST_RETRY_AFTER_S = 3600.0
_WATCH_S = 0.2
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_MOST_SITEMAP_URLS = 50_000
_REQUISITE_LIMIT_IN_SITEMAPS = 50_000_000


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """How a crawl ended.

    reason: one of states.FINISH_REASONS. archives: all files of the job.
    messages: one line for each seed that came to nothing, and for what else
        the user should know.
    """

    job: str
    state: str
    reason: str
    fetched: int
    failed: int
    skipped: dict[str, int]
    archives: tuple[str, ...]
    bytes: int
    seconds: float
    messages: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def exit_code(self) -> int:
        """The exit code of the command line."""
        if self.interrupted:
            return 130
        if self.reason == "disk_full":
            return 6
        return 1 if self.reason == "error" or not self.fetched else 0

    def as_json(self) -> dict[str, object]:
        """Return what `crawl --json` prints."""
        return {
            "job": self.job,
            "state": self.state,
            "reason": self.reason,
            "fetched": self.fetched,
            "failed": self.failed,
            "skipped": self.skipped,
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
            raise CrawlError(
                f"{job.state_path}: {error}; see whether the disk is full, then start the same command again"
            ) from error
        finally:
            crawler.close()
    finally:
        lock.release()


@dataclass(slots=True)
class _Kept:
    """What processing a response found out, to be written in one transaction."""

    links: list[Outlink] = field(default_factory=list)
    packed: PackedExchange | None = None
    dropped: str = ""
    digest: bytes = b""
    title: str = ""
    on_topic: bool | None = None
    relevance: float | None = None
    sketch: bytes = b""
    duplicate_of: int | None = None
    is_identical: bool = False
    is_html: bool = False


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
        self.job = job
        self._progress = progress
        self._providers = providers
        self.file = StateFile(job.state_path)
        self._messages: list[str] = []
        self._guard = AddressGuard(allow_private=job.allow_private, ports=job.ports, resolve=resolve)
        self._fetcher = Fetcher(
            self._guard,
            user_agent=job.full_user_agent,
            threads=job.threads,
            verify_tls=job.verify_tls,
            limits=FetchLimits(
                job.connect_timeout_s,
                job.read_timeout_s,
                job.total_timeout_s,
                job.page_size_kb * 1000,
                job.file_size_kb * 1000,
            ),
        )
        self._agent = job.robots_token
        self._topic = Topic(job.topic, self.file.get("topic")) if job.topic.strip() else None
        self._rules: dict[int, tuple[float, RobotsRules]] = {}
        self._stranded: list[Item] = []
        self._state = JobState.QUEUED
        self._pause_reason = ""
        self._disk_full = ""
        self._error = ""
        self._finish_reason = ""
        self._interrupts = 0
        self._workers: dict[int, threading.Thread] = {}
        self._log = open(os.path.join(job.folder, LOG_FILE), "a", encoding="utf-8")  # noqa: SIM115
        self._recover_archives()
        self._writer = WarcWriter(
            job.archive_folder,
            job.id,
            warcinfo_of(job, datetime.now(UTC)),
            roll_over_bytes=int(job.roll_over_mb * 1e6),
            first_serial=self._next_serial(),
        )
        self._open_since = 0.0
        scope = Scope(job, [row[0] for row in self.file.execute("SELECT url FROM urls WHERE seed = 1")])
        self.frontier = Frontier(self.file, job, scope)
        self._duplicates = Duplicates(self.file, job)
        self.numbers = Numbers(self.file, job)

    def close(self) -> None:
        """Let go of files and connections."""
        self._fetcher.close()
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
            write_state(self.file, JobState.FINISHED, "error")
            raise
        write_state(self.file, JobState.RUNNING)
        self._state = JobState.RUNNING
        self._rescope_if_changed()
        try:
            self._watch()
        except KeyboardInterrupt:
            self._interrupts = 2
            self._finish_reason = "user"
            self.frontier.stopped = True
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
                seeds.append(self._spell(text if "://" in text else f"http://{text}"))
            except ValueError as error:
                self._messages.append(f"seed {text}: {error}")
        asked = self.file.get("sources")
        if self.job.sources and asked != repr(self.job.sources):
            found, problems = seeds_from(self.job, self._fetcher, self._providers, self._spell)
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
                "\n".join(self._messages) or "no seeds: give --seed URL, or list seeds in the job file"
            )

    def _watch(self) -> None:
        """Do what threads that fetch must not be held up by: commands, limits, syncing, numbers."""
        state = JobState.RUNNING
        last_second, disk_full_since = 0.0, 0.0
        self._start_workers()
        while any(w.is_alive() for w in self._workers.values()):
            try:
                for worker in list(self._workers.values()):
                    worker.join(_WATCH_S / max(1, len(self._workers)))
                    if not worker.is_alive():
                        break
                now = time.monotonic()
                for command in new_commands(self.file):
                    state = self._obey(command, state)
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
            except KeyboardInterrupt:
                self._interrupts += 1
                if self._interrupts > 1:
                    raise
                self._finish_reason = "user"

    def _end(self) -> str:
        try:
            with self.file.lock:
                self._close_archive()
            if self._topic:
                self.file.put("topic", self._topic.state())
        except (ArchiveError, sqlite3.Error, OSError) as error:
            self._error = self._error or str(error)
            if isinstance(error, DiskFullError):
                self._finish_reason = "disk_full"
        reason = self._finish_reason
        if not reason and self._error:
            reason = "error"
        if not reason:
            queued = (
                self.frontier.page_limit_reached
                and self.file.execute("SELECT 1 FROM urls WHERE state IN (0, 5) LIMIT 1").fetchone()
            )
            reason = "page_limit" if queued else "done"
        if self._error:
            self._messages.append(self._error)
        try:
            self.numbers.update(self.frontier, self._duplicates.near, [], self._disk_free())
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

    def _result(self, reason: str) -> CrawlResult:
        for url, state, why in self.file.execute(
            "SELECT url, state, reason FROM urls WHERE seed = 1 AND state IN (3, 4) ORDER BY id"
        ):
            text = self.numbers.seed_problems.get(url) or (
                f"could not be fetched: {why}" if state == 4 else f"left out: {why}"
            )
            self._messages.append(f"seed {url}: {text}")
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
                state = self._pause("asked to")
            elif command.name == "resume" and state in (JobState.PAUSED, JobState.PAUSING):
                state = self._resume()
            elif command.name == "stop" and state in (JobState.RUNNING, JobState.PAUSING, JobState.PAUSED):
                self._finish_reason = "user"
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
                seeds.append(self._spell(text if "://" in text else f"http://{text}"))
            except ValueError as error:
                problems.append(str(error))
        new = self.frontier.add_seeds(seeds)
        return "; ".join([f"{new} new", *problems])

    def _change(self, values: dict[str, object]) -> None:
        job = change_job(self.job, values, where="set")
        self.job = job
        if set(values) & {"scope", "depth", "include", "exclude", "requisites"}:
            self._rescope(job)
        self.frontier.job = job
        self._start_workers()

    def _rescope(self, job: CrawlJob) -> None:
        seeds = [row[0] for row in self.file.execute("SELECT url FROM urls WHERE seed = 1").fetchall()]
        self.frontier.rescope(job, Scope(job, seeds))
        self.file.put("reach", _reach(job))

    def _rescope_if_changed(self) -> None:
        """A job that goes on with another scope or depth looks again at what it left out."""
        known = self.file.get("reach")
        if known and known != _reach(self.job):
            self._rescope(self.job)
        else:
            self.file.put("reach", _reach(self.job))

    # ------------------------------------------------------------ watching

    def _check_limits(self) -> None:
        if self._finish_reason:
            return
        if self._error:
            self._finish_reason = "error"
        elif self.job.max_mb and self.numbers.bytes >= self.job.max_mb * 1e6:
            self._finish_reason = "byte_limit"
        elif self.job.max_minutes and self.numbers.seconds >= self.job.max_minutes * 60:
            self._finish_reason = "time_limit"

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
                state = self._pause("disk_full")
        elif not short and state == JobState.PAUSED and now - since > 5:
            self._disk_full = ""
        if now - since >= self.job.disk_wait_min * 60:
            self._finish_reason = "disk_full"
        return since, state

    def _disk_free(self) -> int:
        return shutil.disk_usage(self.job.folder).free

    def _report(self, state: JobState) -> None:
        self.numbers.state = str(state)
        self.numbers.update(
            self.frontier, self._duplicates.near, [i.url for i in self.frontier.in_flight], self._disk_free()
        )
        try:
            self.numbers.save()
        except sqlite3.Error as error:
            self._note_full(error)
        if self._progress:
            self._progress(self.numbers)

    def _sync(self) -> None:
        """Bring the open archive onto the disk; what is on it is not looked at again after a power failure."""
        try:
            self._log.flush()
            with self.file.lock:
                path = self._writer.path
            safe = self._writer.sync() if path else 0
            with self.file.transaction():
                if path and path == self._writer.path:
                    self.file.execute(
                        "UPDATE archives SET synced = ? WHERE name = ?", (safe, os.path.basename(path))
                    )
                    age = time.monotonic() - self._open_since
                    if self.job.roll_over_s and age >= self.job.roll_over_s and self._writer.records:
                        self._close_archive()
        except (OSError, ArchiveError, sqlite3.Error) as error:
            self._note_full(error)

    def _close_archive(self) -> None:
        name = os.path.basename(self._writer.path)
        size = self._writer.size
        if self._writer.close():
            self.file.execute("UPDATE archives SET closed = 1, synced = ? WHERE name = ?", (size, name))

    def _note_full(self, error: BaseException) -> None:
        text = str(error)
        if isinstance(error, DiskFullError) or "full" in text or "No space" in text:
            self._disk_full = text
            self.frontier.paused = True
        else:
            self._error = text

    # ------------------------------------------------------------ one address

    def _work(self, number: int) -> None:
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
                self._process(item)
            except (DiskFullError, sqlite3.Error) as error:
                self._note_full(error)
                self._stranded.append(item)
            except Exception as error:
                # One odd page must not end the crawl; it is counted, logged with its place, and left.
                log.exception("%s: could not be processed", item.url)
                try:
                    self._give_up(item, "internal", f"could not be processed: {error}", asked=False)
                except sqlite3.Error as other:
                    self._note_full(other)

    def _process(self, item: Item) -> None:
        if item.kind in (UrlKind.PAGE, UrlKind.REQUISITE) and self.frontier.is_blocked(item.url):
            self.frontier.skip(item, "trap")
            return
        host = urlsplit(item.url).hostname or ""
        try:
            addresses = self._guard.check(
                host, urlsplit(item.url).port or (443 if item.url.startswith("https") else 80)
            )
        except AddressRefusedError as error:
            self._refuse(item, str(error))
            return
        except OSError:
            self._failed(item, FetchError(item.url, "dns", "the host name has no address"), asked=False)
            return
        if not self.frontier.join_addresses(item, host, addresses):
            return
        if item.kind != UrlKind.ROBOTS and self.job.obey_robots and not self._may_fetch(item):
            return
        self._fetch(item)

    def _may_fetch(self, item: Item) -> bool:
        """Does robots.txt allow it? If not, or not yet known, the item is dealt with."""
        rules = self._rules_of(item)
        if rules is None:
            return False
        if not rules.can_fetch(item.url):
            self.numbers.seed_problems[item.url] = "left out: robots.txt of its site does not allow it"
            self.frontier.skip(item, "robots")
            return False
        return True

    def _rules_of(self, item: Item) -> RobotsRules | None:
        known = self._rules.get(item.origin)
        if known is not None and known[0] > self.frontier.now():
            return known[1]
        state, body = self.frontier.robots_of(item.origin)
        if state == RobotsState.KNOWN:
            rules = free_rules(self._agent) if body is None else parse_robots(body, self._agent)
            if len(self._rules) > 500:
                self._rules.clear()
            self._rules[item.origin] = (self.frontier.now() + 600, rules)
            return rules
        if state == RobotsState.UNREACHABLE:
            self._give_up(
                item,
                "robots unreachable",
                "its site's robots.txt cannot be had, so nothing may be fetched",
                asked=False,
            )
            return None
        with self.file.lock:
            if state == RobotsState.UNKNOWN or not self.frontier.is_robots_on_its_way(item.origin):
                self.frontier.request_robots(
                    item.origin, self.frontier.origin_of(item.origin) + "/robots.txt"
                )
            self.frontier.put_back(item, blocked=True)
        return None

    def _fetch(self, item: Item) -> None:
        fields = self._conditions(item) if self.frontier.round and item.kind != UrlKind.ROBOTS else {}
        limit = {
            UrlKind.ROBOTS: LIMIT_BYTES,
            UrlKind.SITEMAP: self.job.file_size_kb * 1000,
            UrlKind.REQUISITE: self.job.file_size_kb * 1000,
        }.get(item.kind)
        start = time.monotonic()
        try:
            exchange = self._fetcher.fetch(item.url, fields, body_limit=limit)
        except AddressRefusedError as error:
            self.frontier.release(item.queue, 0)
            self._refuse(item, str(error))
            return
        except FetchError as error:
            self.frontier.release(item.queue, time.monotonic() - start)
            self._failed(item, error)
            return
        wait = min(_LONGEST_RETRY_AFTER_S, exchange.retry_after_s) if exchange.status in (429, 503) else 0.0
        self.numbers.count_bytes(len(exchange.head) + len(exchange.body))
        if item.kind == UrlKind.ROBOTS:
            # Only now is the pause known that this host asks for.
            self._take_robots(item, exchange)
            self.frontier.release(item.queue, exchange.seconds, wait)
            return
        self.frontier.release(item.queue, exchange.seconds, wait)
        if exchange.status in _RETRY_STATUS and item.attempts < self.job.retries:
            self.numbers.retried += 1
            self.frontier.defer(item, max(wait, self._pause_s(item)), f"status {exchange.status}")
        elif item.kind == UrlKind.SITEMAP:
            self._take_sitemap(item, exchange)
        else:
            self._take_page(item, exchange)

    def _conditions(self, item: Item) -> dict[str, str]:
        with self.file.lock:
            row = self.file.execute(
                "SELECT etag, modified, status FROM pages WHERE url = ? AND archive != ''", (item.id,)
            ).fetchone()
        if row is None or row[2] not in (200, 304):
            return {}
        names = (("If-None-Match", row[0]), ("If-Modified-Since", row[1]))
        return {name: value for name, value in names if value and value.isascii() and value.isprintable()}

    def _pause_s(self, item: Item) -> float:
        return float(self.job.retry_pause_s * 4**item.attempts)

    def _failed(self, item: Item, error: FetchError, *, asked: bool = True) -> None:
        if item.kind == UrlKind.ROBOTS:
            self._robots_trouble(item, error.problem, asked=asked)
        elif error.lasting or item.attempts >= self.job.retries:
            self._give_up(item, error.reason, error.problem, asked=asked)
            if error.reason == "dns" and item.kind != UrlKind.SITEMAP:
                self.frontier.set_robots(item.origin, RobotsState.UNREACHABLE, None, 0, CACHE_S)
        else:
            self.numbers.retried += 1
            with self.file.transaction():
                self.frontier.defer(item, self._pause_s(item), error.reason)
                if not asked:
                    self.frontier.release(item.queue, 0)

    def _give_up(self, item: Item, reason: str, problem: str, *, asked: bool) -> None:
        log.warning("%s: %s", item.url, problem)
        self.numbers.seed_problems[item.url] = f"could not be fetched: {problem}"
        self.numbers.count_failure(reason)
        self._write_log(item, 0, 0, "-", reason)
        self.frontier.fail(item, reason, asked=asked)

    def _refuse(self, item: Item, problem: str) -> None:
        log.warning("%s: %s", item.url, problem)
        self.numbers.seed_problems[item.url] = f"refused: {problem}"
        with self.file.transaction():
            if item.kind == UrlKind.ROBOTS and item.for_origin is not None:
                # Its rules lie where we must not go; nobody may say the site had none.
                self.frontier.set_robots(item.for_origin, RobotsState.UNREACHABLE, None, 0, CACHE_S)
            self.frontier.skip(item, "blocked-address")

    # ------------------------------------------------------------ robots.txt and sitemaps

    def _take_robots(self, item: Item, exchange: Exchange) -> None:
        origin = item.for_origin
        assert origin is not None
        answer = meaning_of(exchange.status)
        if answer == Answer.WAIT:
            self._robots_trouble(item, f"status {exchange.status}", exchange)
            return
        target = ""
        if answer == Answer.REDIRECT and item.hops < MOST_REDIRECTS:
            try:
                target = self._spell(exchange.redirect_target)
            except ValueError:
                target = ""
        packed = pack_exchange(exchange)
        body = exchange.decoded(LIMIT_BYTES) if answer == Answer.RULES else None
        rules = parse_robots(body, self._agent) if body is not None else None
        with self._keeping():
            self._write(item, exchange, _Kept(packed=packed), count=False)
            if target:
                self.frontier.request_robots(origin, target, item.hops + 1, item.id)
                return
            self.frontier.set_robots(
                origin, RobotsState.KNOWN, body, rules.crawl_delay_s if rules else 0.0, CACHE_S
            )
            if (
                rules
                and self.job.sitemaps
                and self.job.depth > 0
                and self.frontier.scope.wants_sitemaps_of(self.frontier.origin_of(origin) + "/")
            ):
                for sitemap in rules.sitemaps[:100]:
                    try:
                        self.frontier.add_sitemap(item, self._spell(sitemap), 0)
                    except ValueError:
                        continue
        self._rules.pop(origin, None)

    def _robots_trouble(
        self, item: Item, problem: str, exchange: Exchange | None = None, *, asked: bool = True
    ) -> None:
        """Wait and come back; after some tries the site counts as closed for a day."""
        assert item.for_origin is not None
        with self._keeping():
            if item.attempts < self.job.retries:
                wait = min(_LONGEST_RETRY_AFTER_S, exchange.retry_after_s) if exchange else 0.0
                self.frontier.defer(item, max(wait, self._pause_s(item)), problem)
                if not asked:
                    self.frontier.release(item.queue, 0)
                return
            if exchange is not None:
                self._write(item, exchange, _Kept(packed=pack_exchange(exchange)), count=False)
            else:
                self.frontier.fail(item, problem, asked=asked)
            self.frontier.set_robots(item.for_origin, RobotsState.UNREACHABLE, None, 0, CACHE_S)
        log.warning("%s: %s; the site is left alone", item.url, problem)

    def _take_sitemap(self, item: Item, exchange: Exchange) -> None:
        urls: list[str] = []
        is_index, target = False, ""
        if exchange.redirect_target:
            target = exchange.redirect_target
        elif exchange.status == 200:
            body = exchange.decoded(_REQUISITE_LIMIT_IN_SITEMAPS)
            if body[:2] == b"\x1f\x8b":
                body = _gunzip(body, _REQUISITE_LIMIT_IN_SITEMAPS)
            found, is_index = sitemap_links(decode_html(body, exchange.headers.get("Content-Type"))[0])
            for url in found[:_MOST_SITEMAP_URLS]:
                try:
                    urls.append(self._spell(url))
                except ValueError:
                    continue
        packed = pack_exchange(exchange)
        with self._keeping():
            self._write(item, exchange, _Kept(packed=packed), count=False)
            if item.hops < 4 and (is_index or target):
                for url in [target] if target else urls:
                    try:
                        self.frontier.add_sitemap(item, self._spell(url), item.hops + 1)
                    except ValueError:
                        continue
            elif not is_index and not target:
                self.numbers.discovered_in_sitemaps += self.frontier.add_from_sitemap(item, urls)

    # ------------------------------------------------------------ pages and what they need

    def _take_page(self, item: Item, exchange: Exchange) -> None:
        kept = _Kept()
        previous = self._previous(item) if exchange.status == 304 else None
        if previous is not None:
            kept.packed = pack_exchange(exchange, original=previous, not_modified=True)
            with self._keeping():
                self._write_unchanged(item, exchange, kept)
            return
        if exchange.redirect_target:
            try:
                kept.links.append(
                    Outlink(self._spell(exchange.redirect_target), LinkKind.REDIRECT, item.score)
                )
            except ValueError:
                log.info("%s: redirects to no address: %s", item.url, exchange.redirect_target)
        self._read(item, exchange, kept)
        if kept.dropped:
            kept.links = [link for link in kept.links if link.kind == LinkKind.PAGE]
        else:
            self._pack(item, exchange, kept)
        with self._keeping():
            self._write(item, exchange, kept)
            self.frontier.add_links(item, kept.links)
            if kept.is_html and item.kind == UrlKind.PAGE and exchange.status == 200:
                pattern = self._duplicates.count_sibling(
                    item.url, kept.duplicate_of is not None or kept.is_identical
                )
                if pattern:
                    log.warning(
                        "%s: more than %d near-duplicates under %s; the rest is left out",
                        item.url,
                        self.job.max_siblings,
                        pattern,
                    )
                    self.frontier.block_pattern(pattern)

    def _read(self, item: Item, exchange: Exchange, kept: _Kept) -> None:
        """Read links, text and what the page asks of robots."""
        directives = frozenset(
            d
            for v in exchange.headers.get_all("X-Robots-Tag")
            for d in robots_directives(v, self._agent.lower())
        )
        if 200 <= exchange.status < 300 and exchange.entity:
            kind = exchange.content_type
            limit = (self.job.page_size_kb if item.kind == UrlKind.PAGE else self.job.file_size_kb) * 10_000
            if kind == "text/css":
                text = decode_html(exchange.decoded(limit), exchange.headers.get("Content-Type"))[0]
                kept.links += [
                    Outlink(link.url, link.kind) for link in css_links(text, item.url, spell=self._spell)
                ]
            elif kind in _HTML_TYPES or (not kind and _looks_like_html(exchange.entity)):
                kept.is_html = True
                parts = read_page(
                    exchange.decoded(limit),
                    item.url,
                    exchange.headers.get("Content-Type"),
                    agent=self._agent.lower(),
                    with_text=item.kind == UrlKind.PAGE,
                    with_link_text=self.job.order == "best",
                    spell=self._spell,
                )
                directives |= parts.robots
                self._look_at_page(item, parts, kept)
        if self.job.obey_meta_robots:
            if directives & {"nofollow", "none"}:
                self.frontier.nofollow += len([link for link in kept.links if link.kind == LinkKind.PAGE])
                kept.links = [link for link in kept.links if link.kind != LinkKind.PAGE]
            if directives & {"noindex", "noarchive", "none"} and item.kind == UrlKind.PAGE:
                kept.dropped = "noarchive" if "noarchive" in directives else "noindex"
        if (
            self._topic
            and not self.job.keep_all
            and item.kind == UrlKind.PAGE
            and not kept.dropped
            and 200 <= exchange.status < 300
        ):
            on_topic = kept.on_topic if kept.on_topic is not None else self._was_on_topic(item.via)
            if not on_topic:
                kept.dropped = "off topic"

    def _look_at_page(self, item: Item, parts: PageParts, kept: _Kept) -> None:
        kept.title = parts.title[:500]
        if self._topic and item.kind == UrlKind.PAGE:
            kept.on_topic = self._topic.is_on_topic(parts.keywords, parts.title, parts.text)
            if self.job.order == "best":
                kept.relevance = self._topic.relevance(parts.title, parts.text)
                kept.on_topic = kept.on_topic or kept.relevance >= ON_TOPIC
            if kept.on_topic:
                self._topic.accept(parts.title, parts.text)
            self.numbers.count_topic(kept.on_topic)
        for link in parts.links:
            if link.nofollow and self.job.obey_nofollow:
                self.frontier.nofollow += 1
                continue
            score = 0.0
            if kept.relevance is not None and self._topic and link.kind == LinkKind.PAGE:
                words = self._topic.relevance_of_words(f"{link.text} {urlsplit(link.url).path}")
                score = 0.3 * float(bool(kept.on_topic)) + 0.3 * kept.relevance + 0.4 * words
            kept.links.append(Outlink(link.url, link.kind, score))
        if item.kind == UrlKind.PAGE:
            kept.sketch = sketch_of(_words(parts.text[:200_000]))
            near = self._duplicates.near_duplicate_of(item.id, kept.sketch)
            if near:
                kept.duplicate_of = near[0]

    def _pack(self, item: Item, exchange: Exchange, kept: _Kept) -> None:
        original = None
        if exchange.entity and not exchange.truncated:
            kept.digest = hashlib.sha1(exchange.entity, usedforsecurity=False).digest()
            original = self._duplicates.original_of(kept.digest)
            kept.is_identical = original is not None
        notes: tuple[tuple[str, str], ...] = ()
        if kept.duplicate_of is not None and not kept.is_identical:
            with self.file.lock:
                other = self.file.execute(
                    "SELECT url FROM urls WHERE id = ?", (kept.duplicate_of,)
                ).fetchone()[0]
            notes = (
                ("near-duplicate-of", other),
                ("near-duplicate-measure", "MinHash of word shingles, Jaccard >= 0.9"),
            )
        kept.packed = pack_exchange(exchange, original=original, notes=notes)

    def _write(self, item: Item, exchange: Exchange, kept: _Kept, *, count: bool = True) -> None:
        """Append the records and note the outcome; callers hold the transaction."""
        archive, offset, length, record_id = "", 0, 0, ""
        if kept.packed is not None:
            place = self._append(kept.packed.members)
            archive, offset, length = os.path.basename(place.path), place.offset, place.length
            record_id = kept.packed.record_id
            if kept.digest and not kept.packed.is_revisit:
                self._duplicates.add_payload(
                    kept.digest,
                    Original(item.url, kept.packed.date, record_id, kept.packed.payload_digest),
                    archive,
                    offset,
                )
        self.file.execute(
            "INSERT INTO pages (url, status, mime, size, digest, fetched, archive, offset, length, record_id, title, on_topic,"
            " relevance, duplicate_of, etag, modified, round) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (url) DO UPDATE SET status = excluded.status, mime = excluded.mime, size = excluded.size,"
            " visits = visits + 1, changes = changes + (digest IS NOT excluded.digest OR status != excluded.status),"
            " unchanged = CASE WHEN digest IS excluded.digest AND status = excluded.status THEN unchanged + 1 ELSE 0 END,"
            " digest = excluded.digest, fetched = excluded.fetched, archive = excluded.archive, offset = excluded.offset,"
            " length = excluded.length, record_id = excluded.record_id, title = excluded.title, on_topic = excluded.on_topic,"
            " relevance = excluded.relevance, duplicate_of = excluded.duplicate_of, etag = excluded.etag,"
            " modified = excluded.modified, round = excluded.round",
            (
                item.id,
                exchange.status,
                exchange.content_type[:100],
                len(exchange.head) + len(exchange.body),
                kept.digest or None,
                exchange.started.strftime("%Y%m%d%H%M%S"),
                archive,
                offset,
                length,
                record_id,
                kept.title,
                kept.on_topic,
                kept.relevance,
                kept.duplicate_of,
                exchange.headers.get("ETag")[:500] or None,
                exchange.headers.get("Last-Modified")[:100] or None,
                self.frontier.round,
            ),
        )
        if kept.sketch and kept.duplicate_of is None and not kept.is_identical:
            self._duplicates.add_sketch(item.id, kept.sketch)
        if kept.duplicate_of is not None:
            self._duplicates.near += 1
        self.frontier.done(item, kept.dropped)
        self.numbers.count_fetch(exchange.status, exchange.content_type, counted=count)
        self._write_log(
            item,
            exchange.status,
            len(exchange.body),
            exchange.content_type or "-",
            kept.dropped
            or exchange.truncated
            or ("revisit" if kept.packed and kept.packed.is_revisit else "-"),
        )

    def _write_unchanged(self, item: Item, exchange: Exchange, kept: _Kept) -> None:
        assert kept.packed is not None
        self._append(kept.packed.members)
        self.file.execute(
            "UPDATE pages SET visits = visits + 1, unchanged = unchanged + 1, fetched = ?, round = ? WHERE url = ?",
            (exchange.started.strftime("%Y%m%d%H%M%S"), self.frontier.round, item.id),
        )
        self.frontier.done(item)
        self.numbers.count_fetch(exchange.status, exchange.content_type)
        self._write_log(item, exchange.status, 0, "-", "revisit")

    @contextmanager
    def _keeping(self) -> Iterator[None]:
        """A transaction that also takes back the records written in it if it fails."""
        with self.file.lock:
            mark = self._writer.mark()
            try:
                with self.file.transaction():
                    yield
            except BaseException:
                self._writer.take_back(mark)
                raise

    def _append(self, members: list[bytes]) -> Location:
        """Append records to the open archive, note how far it is accounted for, return the place of the first."""
        before = self._writer.path
        place = self._writer.write(members)[0]
        if place.path != before:
            self._open_since = time.monotonic()
            if before:
                self.file.execute(
                    "UPDATE archives SET closed = 1, synced = size WHERE name = ?",
                    (os.path.basename(before),),
                )
        self.file.execute(
            "INSERT INTO archives VALUES (?, ?, 0, 0) ON CONFLICT (name) DO UPDATE SET size = excluded.size",
            (os.path.basename(place.path), self._writer.size),
        )
        return place

    def _previous(self, item: Item) -> Original | None:
        """Return the capture that a 304 speaks of."""
        with self.file.lock:
            row = self.file.execute(
                "SELECT digest, fetched, record_id FROM pages WHERE url = ? AND archive != ''", (item.id,)
            ).fetchone()
            if row is None:
                return None
            known = self._duplicates.original_of(row[0]) if row[0] else None
        if known is not None:
            return known
        date = datetime.strptime(row[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        return Original(item.url, date.strftime("%Y-%m-%dT%H:%M:%SZ"), row[2], "")

    def _was_on_topic(self, number: int | None) -> bool:
        with self.file.lock:
            row = self.file.execute("SELECT on_topic FROM pages WHERE url = ?", (number,)).fetchone()
        return bool(row and row[0])

    def _spell(self, url: str, base: str | None = None) -> str:
        return spell(url, base)

    def _write_log(self, item: Item, status: int, size: int, mime: str, note: str) -> None:
        moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        depth = "-" if item.kind != UrlKind.PAGE else str(item.depth)
        kind, note = item.kind.name.lower(), note.replace(" ", "-")
        try:
            self._log.write(f"{moment} {status} {size} {mime} {kind} {depth} {note} {item.url}\n")
        except OSError as error:
            self._note_full(error)

    # ------------------------------------------------------------ after a kill

    def _recover_archives(self) -> None:
        """Mend archives that an earlier run left open, and queue again what they lost."""
        folder = self.job.archive_folder
        with self.file.transaction():
            for name in sorted(os.listdir(folder)):
                if not name.endswith(OPEN_SUFFIX):
                    continue
                final = name.removesuffix(OPEN_SUFFIX)
                row = self.file.execute(
                    "SELECT size, synced FROM archives WHERE name = ?", (final,)
                ).fetchone()
                size, synced = row or (0, 0)
                repair = repair_archive(os.path.join(folder, name), trusted=synced, acknowledged=size)
                if repair.removed:
                    log.info("%s: %d bytes of unfinished records cut off", final, repair.removed)
                if repair.size < size:
                    self._queue_lost(final, repair.size)
                self.file.execute(
                    "UPDATE archives SET closed = 1, size = ?, synced = ? WHERE name = ?",
                    (repair.size, repair.size, final),
                )
            for name, size in self.file.execute(
                "SELECT name, size FROM archives WHERE closed = 0"
            ).fetchall():
                path = os.path.join(folder, name)
                on_disk = os.path.getsize(path) if os.path.exists(path) else 0
                if on_disk < size:
                    self._queue_lost(name, on_disk)
                self.file.execute("UPDATE archives SET closed = 1 WHERE name = ?", (name,))

    def _queue_lost(self, archive: str, size: int) -> None:
        lost = self.file.execute(
            "UPDATE urls SET state = 0 WHERE state = 2 AND id IN (SELECT url FROM pages WHERE archive = ?"
            " AND offset + length > ?)",
            (archive, size),
        ).rowcount
        self.file.execute("DELETE FROM pages WHERE archive = ? AND offset + length > ?", (archive, size))
        self.file.execute("DELETE FROM payloads WHERE archive = ? AND offset >= ?", (archive, size))
        log.warning("%s: the last %d records never reached the disk; they are fetched again", archive, lost)

    def _next_serial(self) -> int:
        return 1 + int(self.file.execute("SELECT COUNT(*) FROM archives").fetchone()[0])


def _reach(job: CrawlJob) -> str:
    return repr((job.scope, job.depth, job.include, job.exclude, job.requisites))


def _looks_like_html(body: bytes) -> bool:
    start = body[:512].lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<body"))


def _words(text: str) -> list[str]:
    """The words to compare pages by; the indexer's way is needed only where words are not parted by blanks."""
    return _ASCII_WORD.findall(text.lower()) if text.isascii() else words_of(text)


def _gunzip(body: bytes, limit: int) -> bytes:
    import zlib

    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(body, limit)
    except zlib.error:
        return b""
