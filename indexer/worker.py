"""A worker process of an index run: archive files in, batches of segments out.

The coordinator (indexer.coordinator) hands out files and answers which pages are new; the worker
reads, parses, analyses and inverts, and writes the segment of each batch itself.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import logging
import mmap
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from functools import lru_cache
from multiprocessing.connection import Connection
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from archiver.memory import give_memory_back, memory_in_hand, tune_memory
from archiver.warc import Damage, Location
from archiver.warc.charsets import UTF_8
from indexer.core.batch import Batch as WordBatch
from indexer.core.intake import (
    LEFT_ADDRESSES,
    LEFT_LANGUAGE,
    LEFT_LINKS,
    LEFT_WORDS,
    MOST_PAGES,
    GivenPage,
    Taken,
)
from indexer.store import stems
from indexer.store.columns import VersionColumns
from indexer.store.commit_batch import NewCapture, NewVersion, Rows
from indexer.store.compact import doc_keys
from indexer.store.errors import DiskFullError
from indexer.store.fold import FoldTask, WeighTask
from indexer.store.inversion import write_inverted
from indexer.store.links import LinkCollector
from indexer.store.merge_task import MergeTask, run_merge
from indexer.store.removal import Takedowns
from indexer.text.analysis import MAX_TEXT
from indexer.text.detection import language_of
from indexer.text.documents import CaptureFound, FileEntry, PageBody, page_at, read_captures
from indexer.text.elements import MAX_TITLE
from indexer.text.page_words import PageWords
from indexer.text.turns import Turns
from indexer.worker_process import Status

log = logging.getLogger(__name__)

# A group is parsed and analysed at once, a batch becomes one segment.
GROUP_PAGES, GROUP_CHARACTERS = 64, 1_500_000
LARGE_PAGE = 2_000_000  # bytes of markup from which on a page is read by one worker at a time
GROUPS_AHEAD = 8  # that are read while one waits for its answers, as during some commits
BATCH_PAGES, BATCH_TOKENS, BATCH_CAPTURES = 5_000, 2_000_000, 10_000
# A worker that has come to hold more keeps nothing of one batch for the next, though the system takes its time to give
# memory anew: as archives grow, so would what lies between small pieces that live longer.
MEMORY_KEPT = 150 << 20
# gc.set_threshold: a batch makes millions of objects, and hardly any that refer to each other in a circle.
COLLECTED_AFTER = 100_000, 50, 100


@dataclass(slots=True)
class Batch:
    """What a worker has done since its last batch.

    segment, links: names of its files, "" when no new page came up. versions: by ordinal. claims: how many it rests on.
    Versions and captures are lists in the worker, and come to the coordinator as columns.
    finished: (file number, ledger entry) of files read to the end.
    repeats: (version, address, payload digest) of revisits whose page is held under another address.
    """

    segment: str = ""
    links: str = ""
    versions: Any = field(default_factory=list[NewVersion])
    captures: Any = field(default_factory=list[NewCapture])
    finished: list[tuple[int, FileEntry]] = field(default_factory=list)
    repeats: list[tuple[int, str, str]] = field(default_factory=list)
    sums: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    claims: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to the coordinator with versions and captures as columns: that takes a quarter of the time of rows."""
        rest = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name not in ("versions", "captures")
        }
        return _batch_of, (
            tuple(zip(*self.versions, strict=True)),
            tuple(zip(*self.captures, strict=True)),
            rest,
        )


def _batch_of(versions: Sequence[Any], captures: Sequence[Any], rest: dict[str, Any]) -> Batch:
    return Batch(versions=Rows(NewVersion, versions), captures=Rows(NewCapture, captures), **rest)


class _Group:
    """Captures read one after the other, and those of them that hold pages."""

    def __init__(self) -> None:
        self.captures: list[tuple[int, CaptureFound]] = []  # with the number of the file
        self.pages = 0
        self.has_large = False
        self._characters = 0

    def add(self, file: int, found: CaptureFound) -> bool:
        """Add a capture and tell whether that is enough.

        file: its number; 0: only the page is wanted, the catalogue has the capture.
        """
        self.captures.append((file, found))
        if page := found.page:
            self.pages += 1
            self._characters += page.size
            self.has_large |= page.size >= LARGE_PAGE
        return (
            self.pages >= GROUP_PAGES
            or self._characters >= GROUP_CHARACTERS
            or 8 * len(self.captures) >= BATCH_CAPTURES
        )


def _new_capture(file: int, found: CaptureFound, version: int = 0, document: int = 0) -> NewCapture:
    """Return the row of a capture; without a document it has its address."""
    place = found.location
    return NewCapture(
        document,
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
        version,
        found.refers_to,
        "" if document else found.url,
    )


class Worker:
    """The state of one worker process."""

    def __init__(self, pipe: Connection, status: Any, folder: str, name: str) -> None:
        self._pipe, self._status, self._folder, self._name = pipe, status, folder, name
        self._shown = (ctypes.c_int64 * Status.SIZE).from_buffer(status)  # the same numbers, for the core
        self._batches = 0
        self._records_ended = 0  # of files that are read to their end
        self._takedowns = Takedowns()
        self._pages = PageWords()
        self._merges: list[MergeTask] = []  # to be done when the batch in hand is
        self._words = WordBatch()
        self._group = _Group()
        self._claimed: deque[_Group] = deque()  # groups the answers for which are on their way
        self._start_batch()

    def _start_batch(self) -> None:
        self._batch = Batch()
        self._words.empty()
        self._urls: list[str] = []
        self._languages: list[str] = []
        self._links = LinkCollector()
        self._pages.end_batch()

    def run(self) -> None:
        """Serve the coordinator until it says stop or goes away."""
        while True:
            message = self._pipe.recv()
            if message[0] == "file":
                self._read(*message[1:])
                self._pipe.send(("idle",))
            elif message[0] == "repeats":
                self._read_repeats(message[1])
                self._pipe.send(("flushed",))
            elif message[0] == "takedowns":
                self._takedowns = message[1]
            elif message[0] == "merge":
                self._merges.append(message[1])
                if not len(self._words):
                    self._merge()
            elif message[0] == "task":
                task: FoldTask | WeighTask = message[1]
                stems.let_go()
                self._make_room()
                task.run()
                give_memory_back()
                self._pipe.send(("done",))
            elif message[0] == "flush":
                self._finish_batch()
                give_memory_back()
                self._pipe.send(("flushed",))
            else:
                return

    def _read(
        self,
        number: int,
        path: str,
        skip_pages: frozenset[tuple[str, int, int]],
        share: tuple[int, int],
        part: tuple[int, int | None],
        turns_path: str = "",
    ) -> None:
        entry = FileEntry(path, share=share)
        status = self._status
        status[Status.POSITION] = 0
        status[Status.BUSY_SINCE_MS] = _now_ms()

        def show(position: int) -> None:
            status[Status.POSITION] = position - part[0]
            status[Status.RECORDS] = self._records_ended + entry.records
            status[Status.BUSY_SINCE_MS] = _now_ms()
            status[Status.PARSING] = 0

        pages = FileEntry(path)  # what is wrong with them, however much was read before they were parsed

        def work_meanwhile() -> bool:
            status[Status.BUSY_SINCE_MS] = 0  # waiting is no work
            return self._is_answered() and self._work(pages)

        turns = Turns(turns_path, share[0], work_meanwhile) if turns_path else None
        for found in self._captures(path, entry, skip_pages, show, part, turns):
            if self._group.add(number, found):
                if turns:
                    turns.leave()
                self._go_on(pages, kept=1 if turns else 0)
        if turns:
            turns.close()
        self._go_on(pages, to_the_end=True)
        if pages.damaged:
            entry.damaged += pages.damaged
            entry.damaged.sort(key=lambda damage: damage.offset)
        if entry.damaged and entry.status == "indexed":
            entry.status = "damaged"  # found while parsing, after the reader was done
        status[Status.BUSY_SINCE_MS] = 0
        self._batch.finished.append((number, entry))
        self._records_ended += entry.records
        status[Status.RECORDS] = self._records_ended

    def _read_repeats(self, repeats: list[tuple[str, str, Location]]) -> None:
        """Index pages under the addresses of revisits: (address, payload digest, place of the bytes)."""
        entry = FileEntry("")  # what is wrong with the page stands in the ledger for the file that holds it
        for url, payload, place in repeats:
            page = page_at(place)
            if page is None:
                continue
            found = CaptureFound(url, "", "revisit", 0, "", payload, "", place, page)
            if self._group.add(0, found):
                self._go_on(entry)
        self._go_on(entry, to_the_end=True)
        self._finish_batch()

    def _go_on(self, entry: FileEntry, *, to_the_end: bool = False, kept: int = 0) -> None:
        """Ask which pages of the group in hand are new, and work on those before that are answered.

        The coordinator answers in no time, but not always while it commits: more is read then. to_the_end: work on all.
        kept: how many groups are left otherwise, as work for the time in which another worker reads.
        """
        group, self._group = self._group, _Group()
        self._claim(group)
        must = to_the_end or group.has_large
        while len(self._claimed) > (0 if must else kept) and (
            must or len(self._claimed) > GROUPS_AHEAD or self._is_answered()
        ):
            self._work(entry)

    def _is_answered(self) -> bool:
        """Return whether the first of the groups that were asked for can be worked on now."""
        return bool(self._claimed) and (not self._claimed[0].pages or self._pipe.poll())

    def _work(self, entry: FileEntry) -> bool:
        """Work on the first of the groups that were asked for. entry: takes what is wrong with its pages."""
        group = self._claimed.popleft()
        with self._turn(group.has_large):
            self._analyze(group, entry)
            if (
                len(self._urls) >= BATCH_PAGES
                or self._words.occurrences >= BATCH_TOKENS
                or len(self._batch.captures) >= BATCH_CAPTURES
            ):
                self._finish_batch()
        return True

    @contextmanager
    def _turn(self, has_large: bool) -> Iterator[None]:
        """While the group in hand has a large page, no other worker has one: what such a page needs is there once.

        The turn is a lock on the folder of the index; it ends with the process, too.
        """
        if not has_large:
            yield
            return
        self._status[Status.BUSY_SINCE_MS] = 0  # waiting is no work
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
            give_memory_back()
        finally:
            os.close(folder)

    def _captures(
        self,
        path: str,
        entry: FileEntry,
        skip_pages: frozenset[tuple[str, int, int]],
        show: Callable[[int], None],
        part: tuple[int, int | None],
        turns: Turns | None,
    ) -> Iterator[CaptureFound]:
        """Read a file; an error nobody thought of costs the rest of it, not the run, and stands in the ledger."""
        try:
            yield from read_captures(
                path,
                entry,
                skip_pages=skip_pages,
                on_record=show,
                is_removed=self._takedowns.names,
                part=part,
                turns=turns,
            )
        except (MemoryError, Exception) as error:
            log.exception("%s: unexpected error", path)
            entry.status = "damaged"
            entry.damaged.append(
                Damage(
                    path,
                    0,
                    0,
                    f"not read to its end: unexpected {type(error).__name__}: {error}; please report this",
                )
            )

    def _claim(self, group: _Group) -> None:
        """Ask which pages of a group are new; the answers come in the order of what was asked."""
        claim = [(found.url, page.digest) for _, found in group.captures if (page := found.page)]
        if claim:
            self._pipe.send(("claim", claim))
        if group.captures:
            self._claimed.append(group)

    def _analyze(self, group: _Group, entry: FileEntry) -> None:
        """Add the captures of a group to the batch, and the pages that are new."""
        self._status[Status.BUSY_SINCE_MS] = 0
        answers = iter(self._answers() if group.pages else ())
        self._batch.claims += group.pages > 0
        new: list[tuple[CaptureFound, PageBody, int, int]] = []
        for file, found in group.captures:
            version = document = 0
            if page := found.page:
                version, document, is_new = next(answers)
                found.page = None  # it goes when it is read
                if is_new:
                    new.append((found, page, version, document))
            if file:
                self._batch.captures.append(_new_capture(file, found, version, document))
            else:
                self._batch.repeats.append((version, found.url, found.payload))
        at_once = 1 if group.has_large else MOST_PAGES
        for begin in range(0, len(new), at_once):
            self._add_pages(new[begin : begin + at_once], entry)
        if group.has_large:
            self._pages.let_go()
        self._status[Status.BUSY_SINCE_MS] = self._status[Status.PARSING] = 0

    def _add_pages(self, new: list[tuple[CaptureFound, PageBody, int, int]], entry: FileEntry) -> None:
        """Add pages to the batch; while one is read, the status tells which it is."""
        given = []
        for found, body, _, _ in new:
            data, body.data = body.data, b""  # a large page is in memory once
            place, in_utf_8 = found.location, body.charset == UTF_8
            given.append(
                GivenPage(
                    data, body.begin, body.size, found.url, body.language, in_utf_8, place.offset, place.inner
                )
            )
        rows = iter(new)
        for taken in self._pages.take_pages(
            self._words, self._links.links, given, self._shown, most=MAX_TEXT
        ):
            for number, (language, title, is_cut) in enumerate(taken.told, start=1):
                found, body, version, document = next(rows)
                if taken.left and number == len(taken.told):
                    language, is_cut = self._add_rest(taken.left, found.url, body)
                if is_cut:
                    problem = f"the text of the page is longer than {MAX_TEXT} characters"
                    entry.damaged.append(_at(found, f"{problem}; what is beyond is not indexed"))
                self._languages.append(language)
                self._urls.append(found.url)
                self._batch.versions.append(
                    NewVersion(version, document, body.digest, title[:MAX_TITLE] or None)
                )
            if taken.is_unread:
                place = new[taken.begin + len(taken.told)][0].location
                log.error("%s: no memory for the page at byte %d", place.path, place.offset)
                problem = "the page has no text: there was no memory to read it"
                entry.damaged.append(Damage(place.path, place.offset, place.length, problem, place.member))

    def _add_rest(self, taken: Taken, url: str, body: PageBody) -> tuple[str, bool]:
        """Add what the core has left of a page that is not as most are; return its language and whether it is cut."""
        ordinal, pages = len(self._urls), self._pages
        language = taken.language
        if taken.left & (LEFT_ADDRESSES | LEFT_LINKS | LEFT_LANGUAGE):
            page = pages.sample()
            page.language, page.charset = page.language or body.language, body.charset
            if taken.left & LEFT_ADDRESSES:
                self._links.explain(ordinal, url, page.base, pages.page, taken.own, taken.asked)
            if taken.left & LEFT_LINKS:
                self._links.add(ordinal, url, page, pages.page)
            if taken.left & LEFT_LANGUAGE:
                language = language_of(page)
        if taken.left & LEFT_WORDS:
            words = pages.words(url, language, MAX_TEXT)
            self._words.add_page(words)
            return language, words.is_cut
        return language, bool(taken.is_cut)

    def _answers(self) -> list[tuple[int, int, bool]]:
        """Return the answers to a claim; a merge that is asked for meanwhile waits until the batch is done."""
        while True:
            kind, told = self._pipe.recv()
            if kind == "answers":
                answers: list[tuple[int, int, bool]] = told
                return answers
            self._merges.append(told)

    def _merge(self) -> None:
        """Do the merges that were asked for; no batch is in memory then."""
        while self._merges:
            self._make_room()
            self._pipe.send(("merged", run_merge(self._merges.pop(0))))
            give_memory_back()

    def _make_room(self) -> None:
        """Have the memory that pages and batches keep for each other for what comes now; no batch is in hand."""
        self._words = WordBatch()
        self._pages.let_go()
        give_memory_back()

    def _finish_batch(self) -> None:
        """Write the segment of the batch and hand the batch over; the coordinator commits it."""
        batch = self._batch
        if batch.versions:
            self._batches += 1
            batch.segment = f"{self._name}-{self._batches}.new"
            columns = version_columns(
                self._urls,
                [version.document for version in batch.versions],
                self._languages,
                self._words.lengths(),
                self._words.extents(),
            )
            batch.sums = columns.lengths.sum(axis=0, dtype=np.int64).tolist()
            batch.counts = (columns.lengths > 0).sum(axis=0).tolist()
            # the commit syncs both: meanwhile the next pages are read
            path = os.path.join(self._folder, batch.segment)
            write_inverted(path, self._words, columns, is_synced=False)
            batch.links = f"{self._name}-{self._batches}.links.new"
            self._links.write(os.path.join(self._folder, batch.links), is_synced=False)
        self._start_batch()
        self._pipe.send(("batch", batch))
        if memory_in_hand() > MEMORY_KEPT:
            self._make_room()
        self._status[Status.BUSY_SINCE_MS] = 0
        self._merge()


def _now_ms() -> int:
    return int(time.monotonic() * 1000)


def version_columns(
    urls: list[str],
    documents: list[int],
    languages: list[str],
    lengths: NDArray[np.uint32],
    extents: NDArray[np.uint32],
) -> VersionColumns:
    """Return the columns of the versions of a batch."""
    hosts, host = _numbered(_host_of_start(_start_of(url)) for url in urls)
    language_names, language = _numbered(languages)
    return VersionColumns(
        document=np.asarray(documents, dtype=np.uint32),
        key=doc_keys(urls),
        lengths=lengths,
        extent=extents,
        host=host,
        language=language,
        hosts=hosts,
        languages=language_names,
    )


def _numbered(names: Iterable[str]) -> tuple[list[str], Any]:
    numbers: dict[str, int] = {}
    column = [numbers.setdefault(name, len(numbers)) for name in names]
    return list(numbers), np.asarray(column, dtype=np.uint32)


def _start_of(url: str) -> str:
    """Return an address up to the end of its host: as much as its host name depends on."""
    begin = url.find("://")
    end = url.find("/", begin + 3) if begin >= 0 else -1
    return url[:end] if end >= 0 else url


@lru_cache(4096)  # the pages of a site stand together
def _host_of_start(start: str) -> str:
    return host_of(start)


def host_of(url: str) -> str:
    """Return the host name of an address in lower case, "" when it has none."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def _at(found: CaptureFound, problem: str) -> Damage:
    place = found.location
    return Damage(place.path, place.offset, place.length, problem, place.member)


def serve(connection: int, shown: int) -> None:
    """Be a worker process: serve the coordinator until it is done.

    connection, shown: file descriptors of the pipe to it, and of the memory that shows it how far we are.
    """
    _end_with_parent()
    _keep_memory()
    gc.set_threshold(*COLLECTED_AFTER)
    pipe = Connection(connection)
    status = memoryview(mmap.mmap(shown, Status.SIZE * 8)).cast("q")
    try:
        folder, name = pipe.recv()
        Worker(pipe, status, folder, name).run()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the coordinator is gone; what it committed stands
    except Exception as error:
        if not isinstance(error, DiskFullError | OSError):
            log.exception("worker failed")
        with suppress(OSError):  # the coordinator may be gone
            pipe.send(("failed", type(error).__name__, getattr(error, "errno", None) or 0, str(error)))


def _keep_memory() -> None:
    """Have the C library keep what it is given back between two pages or batches: to be given it anew takes longer.

    It goes back to the system when the worker turns to something else, or has come to hold much. What is larger than
    4 MB goes back at once: to keep more leaves holes that nothing else fits in, and less than that is asked for anew
    hundreds of times.
    """
    tune_memory(trim_threshold=64 << 20, top_pad=4 << 20, mmap_threshold=4 << 20)


def _end_with_parent() -> None:
    """On Linux, have the kernel end this worker when the coordinator dies, however deep in a page it is.

    Elsewhere a worker ends when it next turns to its pipe.
    """
    if sys.platform == "linux":
        try:
            ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # 1 is PR_SET_PDEATHSIG
        except (OSError, AttributeError):
            log.debug("no prctl here; the pipe alone tells when the coordinator is gone")
