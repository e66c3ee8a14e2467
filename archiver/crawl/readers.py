"""What a page costs besides waiting for it and keeping it: it is read and packed, once there is much to do by a helper.

Python runs one thread of a process at a time, so the helper is a process. It knows nothing of the job and keeps
nothing: when it ends, whatever the reason, the crawl reads its pages itself.
"""

from __future__ import annotations

import logging
import os
import queue
import selectors
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection

from archiver.crawl.addresses import spell
from archiver.crawl.fetcher import Exchange
from archiver.crawl.links import PageParts, read_page
from archiver.crawl.records import PackedExchange, pack_exchange
from archiver.interpreter import Started, start_python
from archiver.warc import content_type_of
from indexer.text.sketch import sketch_of

log = logging.getLogger(__name__)

# Of a page or a style sheet without its codings; links behind that are not looked for.
_READ_BYTES = 16_000_000
_SKETCHED = 200_000  # characters of a page that are compared with other pages
_PAGES_BEFORE_HELP = 50  # a helper takes a quarter of a second to start
_MOST_HELPED_BYTES = 1_000_000  # of a body; a larger one would keep those of other threads waiting
_SERVE = "from archiver.crawl.readers import serve; serve()"


@dataclass(frozen=True, slots=True)
class PageTask:
    """A page to be read.

    agent, with_link_text: see read_page. with_sketch: it will be compared with other pages. with_text: its text is
    wanted, too. with_records: its records are; sha1: that of its payload.
    """

    exchange: Exchange
    agent: str
    with_link_text: bool
    with_sketch: bool
    with_text: bool
    with_records: bool
    sha1: bytes


@dataclass(frozen=True, slots=True)
class PageRead:
    """What a page says. packed: None unless records were asked for. is_cut: not all of it was looked at for links."""

    parts: PageParts
    sketch: bytes
    packed: PackedExchange | None
    is_cut: bool


def text_to_read(exchange: Exchange) -> tuple[bytes, bool]:
    """Return a body without its codings as far as it is read for links, and whether there is more."""
    body = exchange.decoded(_READ_BYTES + 1)
    return body[:_READ_BYTES], len(body) > _READ_BYTES


def read_task(task: PageTask) -> PageRead:
    """Read a page, here and now."""
    exchange = task.exchange
    body, is_cut = text_to_read(exchange)
    parts = read_page(
        body,
        exchange.url,
        content_type_of(exchange.headers),
        agent=task.agent,
        with_text=task.with_sketch or task.with_text,
        with_link_text=task.with_link_text,
        spell=spell,
    )
    sketch = sketch_of(parts.text[:_SKETCHED]) if task.with_sketch else b""
    if not task.with_text:
        parts.text = ""
    packed = pack_exchange(exchange, sha1=task.sha1) if task.with_records else None
    return PageRead(parts, sketch, packed, is_cut)


class Readers:
    """Reads pages for as many threads, with the one helper of them all; another thread calls `tend` now and then."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pages = 0
        self._process: Started | None = None
        self._starting: list[Connection] = []
        self._free: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        self._mine = threading.local()
        self._is_helping = False

    def read(self, task: PageTask) -> PageRead:
        """Read a page. Raises what reading it raises."""
        self._pages += 1
        pipe = self._pipe() if len(task.exchange.body) <= _MOST_HELPED_BYTES else None
        if pipe is None:
            return read_task(task)
        try:
            pipe.send(task)
            result = pipe.recv()
        except (OSError, EOFError):
            if self._is_helping:
                log.warning("the process that reads pages has ended; the crawl goes on without it")
            self._is_helping = False
            return read_task(task)
        if isinstance(result, Exception):
            raise result
        assert isinstance(result, PageRead)
        return result

    def _pipe(self) -> Connection | None:
        """Return the pipe of this thread to the helper, None for a thread that has none."""
        if not self._is_helping:
            return None
        pipe: Connection | None = getattr(self._mine, "pipe", None)
        if pipe is None and not self._free.empty():
            pipe = self._mine.pipe = self._free.get()
        return pipe

    def tend(self) -> None:
        """Start the helper once there is enough to do; it is asked when it is ready.

        Not to be called by a thread that is kept on one processor: the helper, which would be too, is for another one.
        """
        if self._process is None and self._pages >= _PAGES_BEFORE_HELP and len(os.sched_getaffinity(0)) > 1:
            self._start()
        if self._starting and self._starting[0].poll():
            try:
                self._starting[0].recv()
            except (OSError, EOFError):
                log.warning("the process that reads pages could not start; the crawl goes on without it")
            else:
                for pipe in self._starting:
                    self._free.put(pipe)
                self._is_helping = True
            self._starting = []

    def _start(self) -> None:
        pairs = [socket.socketpair() for _ in range(self._threads)]
        theirs = [pair[1].fileno() for pair in pairs]
        self._process = start_python(
            ["-c", _SERVE, *map(str, theirs)],
            pass_fds=theirs,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the crawl, which ends in order
        )
        for our_end, their_end in pairs:
            their_end.close()
            self._starting.append(Connection(our_end.detach()))

    def close(self) -> None:
        """End the helper."""
        self._is_helping = False
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def serve() -> None:
    """Be the helper: read what comes over the sockets named on the command line until the crawl has closed them."""
    pipes = [Connection(int(number)) for number in sys.argv[1:]]
    with selectors.DefaultSelector() as waiting:
        for pipe in pipes:
            waiting.register(pipe, selectors.EVENT_READ, pipe)
        with suppress(OSError):  # the crawl may have been killed meanwhile
            pipes[0].send("ready")
        while waiting.get_map():
            for key, _ in waiting.select():
                pipe = key.data
                try:
                    pipe.send(_result(pipe.recv()))
                except (EOFError, OSError):
                    waiting.unregister(pipe)
                    pipe.close()


def _result(task: PageTask) -> PageRead | Exception:
    try:
        return read_task(task)
    except Exception as error:
        return error
