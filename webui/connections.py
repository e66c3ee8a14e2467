"""Who may stay connected, and how long: waitress, kept answering while others hold connections and do nothing.

waitress reads requests and sends answers in one thread, which polls all connections, and works on a request in another
thread only when the request is whole: a connection that waits holds no thread. But it takes no new ones above a number
of open ones, lets a client take all the time in the world for its request, and leaves a thread to an answer that nobody
fetches. Here the connection that has waited longest makes room for a new one, requests and answers have a time,
and a thread is kept only by who takes what it brings.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import time
from collections.abc import Iterator
from typing import Any

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask
from waitress.utilities import BadRequest

from webui.processes import ConnectionCounts

MOST_CONNECTIONS = 1_000  # of each process that answers; fewer where it may not open so many files
HEADER_S, BODY_S = 15.0, 60.0  # from the first byte of a request to the last of its header, of its body
IDLE_S = 75.0  # between two requests
TURN_S = 0.03  # for which other requests wait; a page of results takes a third of it
# An answer that waits for its reader costs memory or room on the disk; one that a thread waits for costs the thread.
SLOWEST_BYTES_S, SLOW_S = 1_000, 120.0
SLOWEST_FOR_A_THREAD_BYTES_S, SLOW_FOR_A_THREAD_S, SLOW_WHILE_OTHERS_WAIT_S = 64_000, 20.0, 1.0
MOST_UNFETCHED_BYTES = 1 << 30
# The longest list or body that is not sent from a file: up to here an answer is finished though nobody fetches it.
HELD_ANSWER_BYTES = 64 << 20
HELD_IN_MEMORY_BYTES = 1 << 17  # of one answer or request; what is more lies in a file without a name
MAX_HEADER_BYTES, MAX_HEADER_FIELDS = 1 << 16, 100
MAX_BODY_BYTES = 1_000_000
_MAX_CHUNK_LINE = 1_000
_CHECK_EVERY_S = 1
_ACCEPTED_AT_ONCE = 32
# A new connection is left to processes with fewer for so long; they may be at something else.
_LEFT_TO_OTHERS_S, _LOOK_AGAIN_S = 0.05, 0.001
_FILES_BESIDE = 400  # of the index and of the archives


class Request(HTTPRequestParser):  # type: ignore[misc]
    """A request as it is received; knows when it began, and ends what cannot become one."""

    def __init__(self, adjustments: Adjustments) -> None:
        super().__init__(adjustments)
        self.began = time.monotonic()

    def received(self, data: bytes) -> int:
        consumed: int = super().received(data)
        if self.completed:
            return consumed
        if self.body_rcv is None:
            begin = self.header_plus.lstrip(b"\r\n")[:1]
            if begin and not begin.isalpha():  # the greeting of TLS, most often
                self.parse_header(b"GET / HTTP/1.0\r\n")
                self._refuse("this is no HTTP request; this server speaks no TLS")
        elif self.chunked:
            # each byte that is added to such a line copies it
            held = max(len(self.body_rcv.control_line), len(self.body_rcv.trailer))
            if held > _MAX_CHUNK_LINE:
                self._refuse("a line between two chunks is too long")
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        # beside the fields there are the line of the request and the empty one at the end
        if header_plus.count(b"\n") > MAX_HEADER_FIELDS + 2:
            raise ParsingError(f"more than {MAX_HEADER_FIELDS} header fields")
        super().parse_header(header_plus)

    def _refuse(self, why: str) -> None:
        self.error = BadRequest(why)
        self.completed = True


class Answer(WSGITask):  # type: ignore[misc]
    """An answer as it is sent: its header leaves with the first of its body, so that the reader is woken up once."""

    def write(self, data: bytes) -> None:
        if self.wrote_header:
            super().write(data)
        else:
            with self.channel.in_one_piece():
                super().write(data)


class Connection(HTTPChannel):  # type: ignore[misc]
    """One connection.

    answered: when the last answer was ready, or the connection was made; all times are of the monotonic clock.
    """

    parser_class = Request
    task_class = Answer
    _pieces: list[bytes] | None = None  # what waits to be sent in one piece
    _is_sending = False  # in the thread that works on the request

    def __init__(self, *given: Any, **more: Any) -> None:
        self.answered = time.monotonic()
        self._sent = 0
        # while an answer waits: since when that is watched, and what had been sent by then
        self._watched: tuple[float, int] | None = None
        super().__init__(*given, **more)

    def service(self) -> None:
        super().service()
        self.answered = time.monotonic()

    def send(self, data: bytes, do_close: bool = True) -> int:
        sent: int = super().send(data, do_close)
        self._sent += sent
        return sent

    def write_soon(self, data: Any) -> int:
        """Take a part of an answer; a long one in pieces, as it would be copied as a whole before it goes to a file."""
        if self._pieces is not None:
            self._pieces.append(data)
            return len(data)
        self._is_sending = True
        try:
            if not isinstance(data, bytes) or len(data) <= HELD_IN_MEMORY_BYTES:
                return int(super().write_soon(data))
            for start in range(0, len(data), HELD_IN_MEMORY_BYTES):
                super().write_soon(data[start : start + HELD_IN_MEMORY_BYTES])
            return len(data)
        finally:
            self._is_sending = False
            if self.total_outbufs_len:
                self.server.pull_trigger()  # the rest is for the thread that polls

    @contextlib.contextmanager
    def in_one_piece(self) -> Iterator[None]:
        """Send all that is written meanwhile together."""
        self._pieces = []
        try:
            yield
        finally:
            pieces, self._pieces = self._pieces, None
            self.write_soon(b"".join(pieces))

    def writable(self) -> bool:
        """Tell whether the thread that polls has something to send.

        Not while the other one sends: that one gives way to all threads meanwhile, and a socket that can be written to
        wakes up the one that polls without end. It did so 28 times a request, for a tenth of all work.
        """
        if self._is_sending and self.total_outbufs_len <= self.adj.outbuf_high_watermark:
            return bool(self.will_close or self.close_when_flushed)
        return bool(super().writable())

    @property
    def can_be_dropped(self) -> bool:
        """Whether no request is worked on."""
        return not self.requests

    def waits_too_long(self, now: float, others_wait: bool) -> bool:
        """Tell whether the client has had its time. others_wait: requests wait for a thread."""
        if self.total_outbufs_len:
            return self._fetches_too_slowly(now, others_wait)
        self._watched = None
        if self.requests:
            return False
        request: Request | None = self.request
        if request is None:
            return now - self.answered > IDLE_S
        return now - request.began > (BODY_S if request.headers_finished else HEADER_S)

    def _fetches_too_slowly(self, now: float, others_wait: bool) -> bool:
        if self._watched is None:
            self._watched = (now, self._sent)
        since, sent = self._watched
        pace, watched_s = SLOWEST_BYTES_S, SLOW_S
        if self.requests and self.total_outbufs_len > self.adj.outbuf_high_watermark:
            pace = SLOWEST_FOR_A_THREAD_BYTES_S
            watched_s = SLOW_WHILE_OTHERS_WAIT_S if others_wait else SLOW_FOR_A_THREAD_S
        if now - since < watched_s:
            return False
        self._watched = (now, self._sent)
        return self._sent - sent < pace * (now - since)


class InTurn(ThreadedTaskDispatcher):  # type: ignore[misc]
    """Threads that take up requests in turn: the next one when the last is answered, or has taken longer than TURN_S.

    Python runs one thread at a time: several that make pages at once give way to each other at every call into the
    core, which costs more than it brings, and who came first is not answered first.
    """

    def __init__(self) -> None:
        super().__init__()
        self._has_turn: int | None = None  # the number of a thread
        self._until = 0.0
        self._is_watched = False  # a thread waits for the turn to be over, to take the next request

    def add_task(self, task: Any) -> None:
        with self.lock:
            self.queue.append(task)
            if self._has_turn is None or not self._is_watched:
                self.queue_cv.notify()

    def handler_thread(self, thread_no: int) -> None:
        while (task := self._next(thread_no)) is not None:
            try:
                task.service()
            except BaseException:
                self.logger.exception("Exception when servicing %r", task)

    def _next(self, thread_no: int) -> Any:
        """Return what the thread is to work on, as soon as it may; None when it is to end."""
        with self.lock:
            if self._has_turn == thread_no:
                self._has_turn = None
            while not self.stop_count:
                left = 0.0 if self._has_turn is None else self._until - time.monotonic()
                if self.queue and left <= 0:
                    task = self.queue.popleft()
                    self._has_turn, self._until = thread_no, time.monotonic() + TURN_S
                    if self.queue and not self._is_watched:
                        self.queue_cv.notify()
                    return task
                if self.queue and not self._is_watched:
                    self._is_watched = True
                    self.queue_cv.wait(left)
                    self._is_watched = False
                else:
                    self.queue_cv.wait()
            self.stop_count -= 1
            self.threads.discard(thread_no)
            self.thread_exit_cv.notify()
            return None


class Server(TcpWSGIServer):  # type: ignore[misc]
    """waitress with bounds on waiting. Connections are closed in the thread that polls them, nowhere else."""

    channel_class = Connection
    _counts: ConnectionCounts | None = None
    _place = 0
    _left_since = _left_at = 0.0

    def shares_with_others(self, counts: ConnectionCounts, place: int) -> None:
        """Leave new connections to those of several processes that have fewer. place: that of this one."""
        self._counts, self._place = counts, place

    def readable(self) -> bool:
        if self._counts is not None:
            self._counts.tell(self._place, len(self.active_channels))
        return bool(super().readable())

    def accept(self) -> Any:
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            self._drop(1)  # else the new one would be refused again and again, without a pause
            return None

    def handle_accept(self) -> None:
        for _ in range(_ACCEPTED_AT_ONCE):
            before = len(self.active_channels)
            if self._is_for_others():
                time.sleep(_LOOK_AGAIN_S)
                break
            super().handle_accept()
            if len(self.active_channels) == before:
                break
            # each is left to others anew: of all that wait, these take their share
            self._left_since = time.monotonic()
        # afterwards, so that no new one has the number of one that was closed in this round
        self._drop(len(self.active_channels) - (self.adj.connection_limit - _ACCEPTED_AT_ONCE))

    def _is_for_others(self) -> bool:
        if self._counts is None:
            return False
        self._counts.tell(self._place, len(self.active_channels))
        if not self._counts.another_has_fewer(self._place):
            return False
        now = time.monotonic()
        if now - self._left_at > _LEFT_TO_OTHERS_S:
            self._left_since = now  # the last one that was left to others was taken
        self._left_at = now
        return now - self._left_since < _LEFT_TO_OTHERS_S

    def maintenance(self, now: float) -> None:
        """Close the connections that have had their time; called once a second."""
        del now  # the wall clock may jump
        moment = time.monotonic()
        others_wait = bool(self.task_dispatcher.queue)
        for connection in list(self.active_channels.values()):
            if connection.waits_too_long(moment, others_wait):
                connection.handle_close()
        self._drop_unfetched()

    def _drop(self, number: int) -> None:
        """Close connections that no request is worked on of, those that had the last answer longest ago."""
        if number <= 0:
            return
        waiting = [one for one in self.active_channels.values() if one.can_be_dropped]
        for connection in sorted(waiting, key=lambda one: one.answered)[:number]:
            connection.handle_close()

    def _drop_unfetched(self) -> None:
        """Close connections whose answers have waited longest, when all that wait take too much room."""
        waiting = [one for one in list(self.active_channels.values()) if one.total_outbufs_len]
        too_much = sum(one.total_outbufs_len for one in waiting) - MOST_UNFETCHED_BYTES
        for connection in sorted(waiting, key=lambda one: one.answered):
            if too_much <= 0:
                break
            if connection.can_be_dropped:
                too_much -= connection.total_outbufs_len
                connection.handle_close()


def make_server(application: Any, listener: socket.socket, threads: int) -> Server:
    """Return a server of the application on a socket that listens; `run` it."""
    dispatcher = InTurn()
    dispatcher.set_thread_count(threads)
    adjustments = Adjustments(
        ident=None,
        threads=threads,
        asyncore_use_poll=True,  # select() knows no file above number 1023
        cleanup_interval=_CHECK_EVERY_S,
        connection_limit=most_connections() + _ACCEPTED_AT_ONCE,
        max_request_header_size=MAX_HEADER_BYTES,
        max_request_body_size=MAX_BODY_BYTES,
        inbuf_overflow=HELD_IN_MEMORY_BYTES,
        outbuf_overflow=HELD_IN_MEMORY_BYTES,
        outbuf_high_watermark=HELD_ANSWER_BYTES,
        clear_untrusted_proxy_headers=False,  # they tell that a request came through a proxy (`client_address`)
    )
    place = (listener.family, listener.type, listener.proto, listener.getsockname())
    return Server(
        application, map={}, _sock=listener, dispatcher=dispatcher, adj=adjustments, sockinfo=place, bind_socket=False
    )  # fmt: skip


def most_connections() -> int:
    """Return how many connections may be open at once, after asking for as many open files as they may take."""
    wanted = 2 * MOST_CONNECTIONS + _FILES_BESIDE  # an answer that waits may lie in a file
    try:
        import resource
    except ImportError:
        return MOST_CONNECTIONS // 4  # another system
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed != resource.RLIM_INFINITY and allowed < wanted:
        allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
        allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if allowed == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return max(32, min(MOST_CONNECTIONS, (allowed - _FILES_BESIDE) // 2))
