"""Several processes that answer on one listening socket: Python works on one core, a machine has more.

The first process makes the application, splits itself before it has any thread, and watches the others: one that dies
is started again, all end with the first, however that ends. They share what was imported, and one mark: that of the
last change of the settings in the browser (`SharedMark`).
"""

from __future__ import annotations

import contextlib
import logging
import mmap
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator

from webui.errors import WebError

log = logging.getLogger(__name__)

_SHORT_S, _SHORT_LIVES = 5.0, 5
PAGES_FOR_TWO = (
    200_000  # of a larger index, what each process keeps at hand takes more memory than a small machine has
)
_MARK_BYTES = 16
_NOT_YET = 0xFFFFFFFF  # more connections than any other has
_LOOK_AGAIN_S = 0.005
_ENDING_S = 15.0  # waitress gives requests in hand five seconds


class ConnectionCounts:
    """How many connections each process has open, for all to see: a new one is for who has fewest.

    A reader stays with the process that took the connection, and whoever wakes up first would take many at once.
    """

    def __init__(self, processes: int) -> None:
        self._counts = memoryview(mmap.mmap(-1, 4 * processes)).cast("I")
        for place in range(processes):
            self._counts[place] = _NOT_YET

    def wait_for_all(self, most_s: float) -> None:
        """Wait until all have told how many they have, so long at most: one may have ended before."""
        until = time.monotonic() + most_s
        while _NOT_YET in self._counts and time.monotonic() < until:
            time.sleep(_LOOK_AGAIN_S)

    def tell(self, place: int, count: int) -> None:
        """Say how many the process at a place has."""
        self._counts[place] = count

    def another_has_fewer(self, place: int) -> bool:
        """Tell whether another process has fewer than the one at a place."""
        return min(self._counts) < self._counts[place]


class SharedMark:
    """A mark that processes split from this one see as well; empty until it is first changed.

    No lock is needed, as there would be to count: of two that change it at the same time one is
    overwritten, but no process finds a mark there that it has seen before.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _MARK_BYTES)

    def get(self) -> bytes:
        return self._memory[:]

    def change(self) -> bytes:
        """Put another mark in its place, one that was never there, and return it."""
        mark = os.urandom(_MARK_BYTES)
        self._memory[:] = mark
        return mark


def how_many(wanted: int, pages: Callable[[], int]) -> int:
    """Return the number of processes for a setting: one where processes cannot be split, or not in this thread.

    pages: tells how many pages are searched; asked where the setting leaves the number open.
    """
    if not hasattr(os, "fork") or threading.current_thread() is not threading.main_thread():
        return 1
    if wanted:
        return wanted
    return 2 if (os.cpu_count() or 1) > 1 and pages() <= PAGES_FOR_TWO else 1


def threads_of_each(threads: int, processes: int) -> int:
    """Return how many of the threads of a server each of its processes has."""
    # one more each, so that one slow request never keeps half of the readers waiting alone
    return threads if processes == 1 else -(-threads // processes) + 1


def run_in_processes(
    number: int, serve: Callable[[int], None], begun: Callable[[], None] = lambda: None
) -> None:
    """Run `serve` in so many processes until this one is told to end (SystemExit, KeyboardInterrupt).

    serve: gets the place of its process among them; one that is started again has that of the one that ended.
    begun: called here once all were started.
    Raises WebError when one after the other dies at once.
    """
    alive, held = os.pipe()  # ends when this process does, even by SIGKILL
    children: dict[int, tuple[int, float]] = {}
    free = list(range(number))
    short_lives = 0

    def start_those_missing() -> None:
        while free:
            place = free.pop()
            with _no_signals() as before:
                children[_split(serve, place, alive, held, before)] = place, time.monotonic()

    try:
        start_those_missing()
        begun()
        while True:
            start_those_missing()
            pid, status = os.wait()
            if pid not in children:
                continue
            place, began = children.pop(pid)
            free.append(place)
            short_lives = short_lives + 1 if time.monotonic() - began < _SHORT_S else 0
            if short_lives >= _SHORT_LIVES:
                raise WebError("the processes that answer end as soon as they begin; the log says why")
            log.error("a process that answers has ended (status %d); another one takes its place", status)
    finally:
        _end(children)
        os.close(held)
        os.close(alive)


@contextlib.contextmanager
def _no_signals() -> Iterator[set[int]]:
    """Let what ends a process wait, and give what waits already: raised in the midst of a fork it would be lost."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _split(serve: Callable[[int], None], place: int, alive: int, held: int, signals: set[int]) -> int:
    with warnings.catch_warnings():
        # numpy's own threads are no danger: its library is prepared for being split
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the first process, which ends the others
        signal.pthread_sigmask(signal.SIG_SETMASK, signals)
        os.close(held)
        threading.Thread(target=_end_with_the_first, args=(alive,), daemon=True).start()
        serve(place)
        status = 0
    except SystemExit:
        status = 0
    except BaseException:
        log.exception("a process that answers fails")
    finally:
        logging.shutdown()
        os._exit(status)  # what the first process has still to do is not ours


def _end_with_the_first(alive: int) -> None:
    os.read(alive, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def _end(pids: Iterable[int]) -> None:
    """End processes of ours; one that does not hear it within _ENDING_S is killed."""
    left = set(pids)
    _tell(left, signal.SIGTERM)
    killed_at = time.monotonic() + _ENDING_S
    while left := {pid for pid in left if _is_running(pid)}:
        if time.monotonic() > killed_at:
            _tell(left, signal.SIGKILL)
        time.sleep(0.01)


def _tell(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(
            ProcessLookupError
        ):  # told to end between two steps, we may have waited for it before
            os.kill(pid, number)


def _is_running(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return False
