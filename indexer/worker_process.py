"""The coordinator's side of a worker process: starting and ending it, and what it shows while it works.

Light to import: a command can start processes here before it imports what a run needs.
"""

from __future__ import annotations

import mmap
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection

from archiver.interpreter import start_python

_SENT_AHEAD = 4 << 20  # bytes of messages to the coordinator that it has not read yet


class Status:
    """Numbers that a worker shows the coordinator while it works, in shared memory: struct fa_shown in intake.h."""

    BUSY_SINCE_MS, OFFSET, INNER, POSITION, RECORDS, PAGES, PARSING = range(7)
    SIZE = 7


# What a worker runs. One that cannot even begin says why: no death to be tried again.
# At its end nothing is left to be tidied: what it wrote is written, and the coordinator waits for it.
_BOOT = """
import os, sys
try:
    from indexer.worker import serve
except Exception as error:
    from multiprocessing.connection import Connection
    Connection(int(sys.argv[1])).send(("unable", f"{type(error).__name__}: {error}"))
    sys.exit(1)
serve()
os._exit(0)
"""


class _Process:
    """A process that is about to be a worker. It is told what to work on when it is needed."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        # a batch is to be off a worker's hands while others are committed; the system gives as much of it as it may
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SENT_AHEAD)
        shared = tempfile.TemporaryFile()  # noqa: SIM115 (closed below)
        # written, not truncated to size: a hole in a file on a full disk would kill us at the first number
        shared.write(bytes(Status.SIZE * 8))
        shared.flush()
        self.status = memoryview(mmap.mmap(shared.fileno(), Status.SIZE * 8)).cast("q")
        self.process = start_python(
            ["-c", _BOOT, str(theirs.fileno()), str(shared.fileno())],
            pass_fds=(theirs.fileno(), shared.fileno()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the coordinator, which ends us in order
        )
        theirs.close()
        shared.close()
        self.pipe = Connection(ours.detach())


_A_START = 8 << 20
_early: list[_Process] = []


def start_early(files: Sequence[str], most: int) -> None:
    """Start processes for the workers of a run to come: they import what they need while we do the same.

    most: how many there may be, 0 for one a core. A process takes as long to start as it reads _A_START bytes: for less
    than that there is none.
    """
    size = sum(os.path.getsize(path) for path in files if os.path.isfile(path))
    count = min(most or len(os.sched_getaffinity(0)), size // _A_START)
    _early.extend(_Process() for _ in range(count))


def end_early() -> None:
    """End those that no worker came of."""
    while _early:
        process = _early.pop()
        process.process.kill()
        process.process.wait()
        process.pipe.close()


class WorkerProcess:
    """The coordinator's side of a worker: the process, the pipe to it, and the numbers it shows.

    A worker is a fresh interpreter, not a fork: it inherits no threads or locks, and a script or notebook
    that calls build_index need not be importable.
    """

    def __init__(self, folder: str, name: str) -> None:
        self.name = name
        started = _early.pop() if _early else _Process()
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
