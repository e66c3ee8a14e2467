"""The coordinator's side of a worker process: starting and ending it, and what it shows while it works.

Light to import: a command can start processes here before it imports what a run needs.
"""

from __future__ import annotations

import gc
import mmap
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Protocol

from archiver.interpreter import start_python

_SENT_AHEAD = 4 << 20  # bytes of messages to the coordinator that it has not read yet


class Status:
    """Numbers that a worker shows the coordinator while it works, in shared memory: struct fa_shown in intake.h."""

    BUSY_SINCE_MS, OFFSET, INNER, POSITION, RECORDS, PAGES, PARSING = range(7)
    SIZE = 7


class _Child(Protocol):
    """A process that was started here."""

    pid: int

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def kill(self) -> None: ...


# What a fresh interpreter runs. One that cannot even begin says why: no death to be tried again.
# At its end nothing is left to be tidied: what it wrote is written, and the coordinator waits for it.
_BOOT = """
import os, sys
pipe, shown = map(int, sys.argv[1:])
try:
    from indexer.worker import serve
except Exception as error:
    from multiprocessing.connection import Connection
    Connection(pipe).send(("unable", f"{type(error).__name__}: {error}"))
    sys.exit(1)
serve(pipe, shown)
os._exit(0)
"""


def _fresh(pipe: int, shown: int) -> _Child:
    """Start a worker in an interpreter of its own: it inherits no threads or locks, and a script or notebook that
    calls build_index need not be importable."""
    return start_python(
        ["-c", _BOOT, str(pipe), str(shown)],
        pass_fds=(pipe, shown),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for the coordinator, which ends us in order
    )


class _Forked:
    """A worker that is a copy of this process, with all that is imported here: no time passes until it can work."""

    def __init__(self, pipe: int, shown: int) -> None:
        self._process = get_context("fork").Process(target=_serve_as_copy, args=(pipe, shown), daemon=True)
        self._process.start()
        self.pid = self._process.pid or 0

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        status = self.poll()
        if status is None:
            raise subprocess.TimeoutExpired("worker", timeout or 0)
        return status

    def kill(self) -> None:
        self._process.kill()


def _serve_as_copy(pipe: int, shown: int) -> None:
    """Be a worker in a copy of the coordinator's process, and end it."""
    from indexer.worker import serve

    os.setsid()  # Ctrl-C is for the coordinator, which ends us in order
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    for other in _early:
        other.pipe.close()  # the coordinator's ends: while we hold one, that worker is not told that it is gone
    serve(pipe, shown)
    os._exit(0)


class _Process:
    """A process that is about to be a worker. It is told what to work on when it is needed."""

    process: _Child

    def __init__(self) -> None:
        ours, self._theirs = socket.socketpair()
        self.pipe = Connection(ours.detach())
        # a batch is to be off a worker's hands while others are committed; the system gives as much of it as it may
        self._theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SENT_AHEAD)
        self._shared = tempfile.TemporaryFile()  # noqa: SIM115 (closed below)
        # written, not truncated to size: a hole in a file on a full disk would kill us at the first number
        self._shared.write(bytes(Status.SIZE * 8))
        self._shared.flush()
        self.status = memoryview(mmap.mmap(self._shared.fileno(), Status.SIZE * 8)).cast("q")

    def start(self, how: Callable[[int, int], _Child]) -> _Process:
        """Start it as a fresh interpreter or as a copy of us, and return it."""
        with self._theirs, self._shared:
            self.process = how(self._theirs.fileno(), self._shared.fileno())
        return self


_A_START = 8 << 20
_early: list[_Process] = []


def start_early(files: Sequence[str], most: int) -> None:
    """Start processes for the workers of a run to come, before anything is opened for it.

    On Linux they are copies of this process, if it has no threads beside this one: an interpreter of their own would
    import anew, each of them, what we need as well. Elsewhere copies are not safe.

    most: how many there may be, 0 for one a core. A process takes as long to start as it reads _A_START bytes: for less
    than that there is none.
    """
    size = sum(os.path.getsize(path) for path in files if os.path.isfile(path))
    count = min(most or len(os.sched_getaffinity(0)), size // _A_START)
    start = _Forked if count and _may_be_copied() else _fresh
    for _ in range(count):
        _early.append(_Process())  # first: a copy closes the pipes of all that are here, its own among them
        _early[-1].start(start)


def _may_be_copied() -> bool:
    """Whether copies of this process work: all that is imported is ready then, and no other thread holds a lock."""
    if sys.platform != "linux":
        return False
    import indexer.coordinator
    import indexer.worker  # noqa: F401

    gc.freeze()  # what is imported stays: no collection writes on what the copies share with us
    return len(os.listdir("/proc/self/task")) == 1


def end_early() -> None:
    """End those that no worker came of."""
    while _early:
        process = _early.pop()
        process.process.kill()
        process.process.wait()
        process.pipe.close()


class WorkerProcess:
    """The coordinator's side of a worker: the process, the pipe to it, and the numbers it shows."""

    def __init__(self, folder: str, name: str) -> None:
        self.name = name
        started = _early.pop() if _early else _Process().start(_fresh)
        self._process, self.pipe, self.status = started.process, started.pipe, started.status
        with suppress(OSError):  # one that has just died is noticed when it is listened to
            self.pipe.send((folder, name))

    def busy_s(self) -> float:
        """Return for how many seconds the worker has been at the same record or page, 0 when it waits."""
        since = self.status[Status.BUSY_SINCE_MS]
        return time.monotonic() - since / 1000 if since else 0.0

    def end_told(self) -> str:
        """Return how a worker that has closed its pipe came to its end."""
        try:
            status = self._process.wait(5)
        except subprocess.TimeoutExpired:
            return "the worker process closed its pipe"
        if status == -signal.SIGKILL:
            return "the worker process was killed (SIGKILL), perhaps for want of memory"
        if status < 0:
            return f"the worker process crashed ({signal.Signals(-status).name})"
        return f"the worker process ended with exit status {status}"

    def stop(self) -> int:
        """Ask the worker to end, wait a little, and return its exit status."""
        try:
            self.pipe.send(("stop",))
            self._process.wait(5)
        except (OSError, subprocess.TimeoutExpired):
            pass
        return self.kill()

    def kill(self) -> int:
        """End the worker at once and return its exit status."""
        self._process.kill()
        status = self._process.wait()
        self.pipe.close()
        return status
