"""An index run in one process, and a file layer that fails or dies at its Nth call: for the tests of durability."""

from __future__ import annotations

import builtins
import errno
import os
import signal
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

import pytest

import indexer.coordinator
import indexer.store.arrayfile
import indexer.store.catalogue
import indexer.store.layout
from indexer.worker import Status, Worker


class ThreadWorker:
    """Stands where a worker process stands, as a thread: nothing to start, and faults reach it too."""

    def __init__(self, folder: str, name: str) -> None:
        self.name = name
        ours, theirs = socket.socketpair()
        self.pipe, pipe = Connection(ours.detach()), Connection(theirs.detach())
        self.status = [0] * Status.SIZE
        self.reading: Any = None
        self.unfinished: list[Any] = []
        self.flushing = False
        self.promised: set[int] = set()
        self._thread = threading.Thread(target=self._serve, args=(pipe, folder), daemon=True)
        self._thread.start()

    def _serve(self, pipe: Connection, folder: str) -> None:
        with pipe:
            try:
                Worker(pipe, self.status, folder, self.name).run()
            except (EOFError, BrokenPipeError, ConnectionResetError):
                pass
            except Exception as error:
                pipe.send(("failed", type(error).__name__, getattr(error, "errno", None) or 0, str(error)))

    def busy_s(self) -> float:
        return 0.0

    def stop(self) -> int:
        self.pipe.send(("stop",))
        self._thread.join(10)
        return self.kill()

    def kill(self) -> int:
        self.pipe.close()
        self._thread.join(10)
        return -9


def run_in_one_process(monkeypatch: pytest.MonkeyPatch, *, batch_pages: int = 6) -> None:
    """Make build_index use threads for workers, and batches of a few pages, so that a small run has many commits."""
    monkeypatch.setattr(indexer.coordinator, "_Worker", ThreadWorker)
    monkeypatch.setattr("indexer.worker.BATCH_PAGES", batch_pages)
    monkeypatch.setattr("indexer.worker.GROUP_PAGES", 3)


Fault = Callable[[str], None]


def fail_with(number: int) -> Fault:
    """Return a fault that raises OSError `number`."""

    def fail(what: str) -> None:
        if what in ("BEGIN IMMEDIATE", "COMMIT"):
            raise sqlite3.OperationalError(
                "database or disk is full" if number == errno.ENOSPC else "disk I/O error"
            )
        raise OSError(number, os.strerror(number), what)

    return fail


def die(what: str) -> None:
    """End this process at once, as kill -9 does."""
    os.kill(os.getpid(), signal.SIGKILL)


class Faults:
    """Counts calls of the file layer of the index, and lets the Nth go wrong; the calls after it work again."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.at = 0  # 0 for never
        self.fault: Fault = die
        self.forever = False  # as on a full disk: each call from the Nth on goes wrong
        self._lock = threading.Lock()

    def call(self, what: str) -> None:
        with self._lock:
            self.calls.append(what)
            count = len(self.calls)
        if self.at and (count == self.at or self.forever and count > self.at):
            self.fault(what)

    def reset(self, at: int = 0) -> None:
        self.calls.clear()
        self.at = at


class _File:
    """A file opened for writing whose first and eighth write are counted."""

    def __init__(self, file: Any, faults: Faults) -> None:
        self._file, self._faults, self._writes = file, faults, 0

    def write(self, data: Any) -> int:
        self._writes += 1
        if self._writes in (1, 8):  # one more write of many is no new situation
            self._faults.call("write")
        return int(self._file.write(data))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()


@contextmanager
def faulty_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[Faults]:
    """Put faults under every write, sync, rename and commit of the index."""
    faults = Faults()
    real_fsync, real_replace, real_connect = os.fsync, os.replace, sqlite3.connect

    def fsync(handle: int) -> None:
        faults.call("fsync")
        real_fsync(handle)

    def replace(source: str, target: str) -> None:
        faults.call(f"replace {os.path.basename(target)}")
        real_replace(source, target)
        faults.call(f"replaced {os.path.basename(target)}")

    def open_(path: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        file = builtins.open(path, mode, *args, **kwargs)  # noqa: SIM115  closed by who asked for it
        return _File(file, faults) if "w" in mode else file

    class FaultyConnection(sqlite3.Connection):
        def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
            if sql in ("BEGIN IMMEDIATE", "COMMIT"):
                faults.call(sql)
            done = super().execute(sql, *args)
            if sql == "COMMIT":
                faults.call("committed")
            return done

    def connect(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        return real_connect(*args, factory=FaultyConnection, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        patch.setattr(os, "replace", replace)
        patch.setattr(indexer.store.catalogue.sqlite3, "connect", connect)
        patch.setattr(indexer.store.arrayfile, "open", open_, raising=False)
        patch.setattr(indexer.store.layout, "open", open_, raising=False)
        yield faults


def in_child(action: Callable[[], Any]) -> int:
    """Run something in a forked process and return how it ended: 0, an exit code, or minus the signal."""
    child = os.fork()
    if child == 0:
        try:
            os.close(2)  # what dies need not be heard
            action()
        except BaseException:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)
