"""An index run in one process, and disks that fail, forget or write short: for the tests of durability.

What a crash would leave is not made by killing anything: the disk under the store makes an image of itself at each of
its calls, as kill -9 would leave it and as a loss of power would, and the tests open these images one after the other.
"""

from __future__ import annotations

import errno
import io
import os
import random
import socket
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, BinaryIO

import pytest

import indexer.coordinator
import indexer.store.catalogue
from indexer.store import disk
from indexer.worker import Worker
from indexer.worker_process import Status


class ThreadWorker:
    """Stands where a worker process stands, as a thread: nothing to start, and faults reach it too."""

    def __init__(self, folder: str, name: str) -> None:
        self.name = name
        ours, theirs = socket.socketpair()
        self.pipe, pipe = Connection(ours.detach()), Connection(theirs.detach())
        self.status = memoryview(bytearray(8 * Status.SIZE)).cast("q")
        self.reading: Any = None
        self.unfinished: list[Any] = []
        self.flushing = False
        self.heard: deque[Any] = deque()
        self.handed_records = self.handed_pages = 0
        self.merging: Any = None
        self.task: Any = None
        self.promised: list[set[int]] = []
        self._thread = threading.Thread(target=self._serve, args=(pipe, folder), daemon=True)
        self._thread.start()

    def _serve(self, pipe: Connection, folder: str) -> None:
        with pipe:
            try:
                Worker(pipe, self.status, folder, self.name).run()
            except (EOFError, BrokenPipeError, ConnectionResetError):
                pass
            except Exception as error:
                with suppress(OSError):  # the coordinator may be gone
                    pipe.send(
                        ("failed", type(error).__name__, getattr(error, "errno", None) or 0, str(error))
                    )

    def busy_s(self) -> float:
        return 0.0

    def end_told(self) -> str:
        return "the thread ended"

    def stop(self) -> int:
        with suppress(OSError):  # it was told already
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


# Calls of the disk that go wrong --------------------------------------------------------

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


class Faults:
    """Counts the calls of the disk, and lets the Nth go wrong; the calls after it work again."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.at = 0  # 0 for never
        self.fault: Fault = fail_with(errno.EIO)
        self.forever = False  # as on a full disk: each call from the Nth on goes wrong
        self.shelf: Images | None = None  # where images of the disk are kept, when they are asked for
        self._lock = threading.RLock()

    def call(self, what: str) -> None:
        with self._lock:
            self.calls.append(what)
            count = len(self.calls)
            if self.shelf is not None:
                self.shelf.take(what)
        if self.at and (count == self.at or self.forever and count > self.at):
            self.fault(what)

    def reset(self, at: int = 0) -> None:
        self.calls.clear()
        self.at = at

    @contextmanager
    def alone(self) -> Iterator[Images | None]:
        """No other call is made meanwhile."""
        with self._lock:
            yield self.shelf


class _Raw(io.FileIO):
    """A file opened for writing whose first and eighth write are counted, and that may write less than it is given."""

    faults: Faults
    at_once = 0

    def write(self, data: Any) -> int:  # type: ignore[override]
        self.writes = getattr(self, "writes", 0) + 1
        if self.writes in (1, 8):  # one more write of many is no new situation
            self.faults.call("write")
        data = memoryview(data).cast("B")
        return super().write(data[: self.at_once] if self.at_once else data)


@contextmanager
def faulty_files(monkeypatch: pytest.MonkeyPatch, *, at_once: int = 0) -> Iterator[Faults]:
    """Put faults under every write, sync, rename and commit of the index. at_once: bytes a write takes at most."""
    faults = Faults()
    raw = type("Raw", (_Raw,), {"faults": faults, "at_once": at_once})
    real_create, real_sync, real_rename, real_sync_folder = (
        disk.create,
        disk.sync,
        disk.rename,
        disk.sync_folder,
    )

    def create(path: str) -> BinaryIO:
        faults.call("create")
        with faults.alone() as shelf:
            file = real_create(path)
            if shelf is not None:
                shelf.created(path)
        return file

    def sync(file: BinaryIO) -> None:
        file.flush()
        faults.call("sync")
        with faults.alone() as shelf:
            if shelf is None:
                real_sync(file)  # it costs time, and an image says what it would have kept
            else:
                shelf.synced(file.raw.name)  # type: ignore[attr-defined]

    def rename(source: str, target: str) -> None:
        faults.call(f"rename {os.path.basename(target)}")
        with faults.alone() as shelf:
            real_rename(source, target)
            if shelf is not None:
                shelf.renamed(source, target)
        faults.call(f"renamed {os.path.basename(target)}")

    def sync_folder(folder: str) -> None:
        faults.call("sync folder")
        with faults.alone() as shelf:
            if shelf is None:
                real_sync_folder(folder)
            else:
                shelf.folder_synced(folder)

    class FaultyConnection(sqlite3.Connection):
        def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
            if sql in ("BEGIN IMMEDIATE", "COMMIT"):
                faults.call(sql)
            with faults.alone() as shelf:
                done = super().execute(sql, *args)
                if shelf is not None and sql in ("COMMIT", "VACUUM"):
                    # whether a commit is synced is a setting of the connection
                    is_synced = super().execute("PRAGMA synchronous").fetchone()[0] >= 2
                    if is_synced:
                        shelf.committed(super().execute("PRAGMA database_list").fetchone()[2])
            if sql == "COMMIT":
                faults.call("committed")
            return done

    real_connect = sqlite3.connect

    def connect(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        return real_connect(*args, **{**kwargs, "factory": FaultyConnection})

    with monkeypatch.context() as patch:
        patch.setattr(disk, "open_raw", lambda path: raw(path, "wb"))
        patch.setattr(disk, "create", create)
        patch.setattr(disk, "sync", sync)
        patch.setattr(disk, "rename", rename)
        patch.setattr(disk, "sync_folder", sync_folder)
        patch.setattr(indexer.store.catalogue.sqlite3, "connect", connect)
        yield faults


# Images of a disk -----------------------------------------------------------------------

Tree = dict[str, bytes | None]
"""What a disk holds: path -> content, None for a folder."""


@dataclass(slots=True)
class Image:
    """What the disk holds at one call of a run: `killed` when the process dies there, the others when power is lost.

    forgetful: nothing is left that was not synced. torn: of each name and each file that was not synced, a seeded coin
    says whether it is there, and how much of it.
    """

    number: int
    what: str
    killed: Tree
    forgetful: Tree
    torn: Tree

    def write(self, kind: str, folder: Path) -> Path:
        """Lay the image down in a folder and return it."""
        folder.mkdir(parents=True)
        for path, content in sorted(getattr(self, kind).items()):
            if content is None:
                (folder / path).mkdir(exist_ok=True)
            else:
                (folder / path).write_bytes(content)
        return folder


@dataclass
class Images:
    """A disk as seen from below: which bytes and which names of `root` have been synced, and an image of each call."""

    root: str
    taken: list[Image] = field(default_factory=list)
    _kept: dict[str, dict[str, tuple[Any, bytes]]] = field(
        default_factory=dict
    )  # synced names of each folder
    _synced: dict[Any, bytes] = field(default_factory=dict)  # synced bytes of each file
    _ids: dict[str, object] = field(default_factory=dict)  # of the files that were made meanwhile, by path
    _read: dict[str, tuple[tuple[int, ...], bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """What is there when the run begins has been synced long since."""
        self.root = os.path.abspath(self.root)
        for folder, _, names in os.walk(self.root):
            for name in names:
                self.synced(os.path.join(folder, name))
        for folder, _, _ in os.walk(self.root):
            self.folder_synced(folder)

    def created(self, path: str) -> None:
        self._ids[os.path.abspath(path)] = object()

    def synced(self, path: str) -> None:
        self._synced[self._id(path)] = self._bytes(path)

    def renamed(self, source: str, target: str) -> None:
        source, target = os.path.abspath(source), os.path.abspath(target)
        self._ids[target] = self._ids.pop(source, None) or object()

    def folder_synced(self, folder: str) -> None:
        folder = os.path.abspath(folder)
        self._kept[folder] = {
            entry.name: (None if entry.is_dir() else self._id(entry.path)) for entry in os.scandir(folder)
        }

    def committed(self, catalogue: str) -> None:
        """SQLite has synced its journal and the name of it, and so the names beside it."""
        if not catalogue.startswith(self.root):
            return
        names = self._kept.setdefault(os.path.dirname(catalogue), {})
        for path in (catalogue, f"{catalogue}-wal"):
            if os.path.exists(path):
                self.synced(path)
                names[os.path.basename(path)] = self._id(path)

    def take(self, what: str) -> None:
        coin = random.Random(len(self.taken))
        self.taken.append(Image(len(self.taken) + 1, what, self._now(), self._after(None), self._after(coin)))

    def _id(self, path: str) -> Any:
        return self._ids.setdefault(os.path.abspath(path), object())

    def _bytes(self, path: str) -> bytes:
        found = os.stat(path)
        mark = (found.st_ino, found.st_size, found.st_mtime_ns)
        if path not in self._read or self._read[path][0] != mark or "sqlite" in path:
            self._read[path] = (mark, Path(path).read_bytes())
        return self._read[path][1]

    def _now(self) -> Tree:
        found: Tree = {}
        for folder, folders, names in os.walk(self.root):
            for name in folders:
                found[os.path.relpath(os.path.join(folder, name), self.root)] = None
            for name in names:
                if not name.endswith("-shm"):  # of memory, not of a disk
                    found[os.path.relpath(os.path.join(folder, name), self.root)] = self._bytes(
                        os.path.join(folder, name)
                    )
        return found

    def _after(self, coin: random.Random | None) -> Tree:
        """Return what a loss of power leaves; coin: decides about what was not synced, None for the worst of all."""
        found: Tree = {}
        if os.path.isdir(self.root):
            self._add_folder(found, self.root, coin)
        return found

    def _add_folder(self, found: Tree, folder: str, coin: random.Random | None) -> None:
        now = {
            entry.name: (None if entry.is_dir() else self._id(entry.path)) for entry in os.scandir(folder)
        } if os.path.isdir(folder) else {}  # fmt: skip
        kept = self._kept.get(folder, {})
        for name in sorted(kept.keys() | now.keys()):
            known = kept
            if coin and coin.random() < 0.5 and "sqlite" not in name:
                known = now
            if name not in known or name.endswith("-shm"):
                continue
            path = os.path.join(folder, name)
            if known[name] is None:
                found[os.path.relpath(path, self.root)] = None
                self._add_folder(found, path, coin)
                continue
            content = self._synced.get(known[name], b"")
            if known[name] not in self._synced and coin and now.get(name) is known[name]:
                written = self._bytes(path)
                content = written[: coin.randrange(len(written) + 1)]
            found[os.path.relpath(path, self.root)] = content


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
