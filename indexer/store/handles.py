"""Reading the file of an SQLite database beside SQLite itself, without losing the locks that SQLite has on it.

When a process closes any descriptor of a file, the system drops all locks that the process has on that file (POSIX;
https://www.sqlite.org/howtocorrupt.html, 2.2). A writer elsewhere then takes itself for the last one that has it open
and removes the journal, and the connections of this process go on with a journal that is gone: they stay at an old
state, or find the file malformed. So a descriptor is closed when no connection of this process is open on its file.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

_Key = tuple[int, int]  # device and inode


class _File:
    """A file that is in use. users: connections to it, and those who read it now."""

    __slots__ = ("handles", "users")

    def __init__(self) -> None:
        self.handles: list[int] = []
        self.users = 0


class _Connection(sqlite3.Connection):
    """One that a weak reference can be made to."""


_files: dict[_Key, _File] = {}
_left: deque[_Key] = deque()  # files that a user has let go of
_lock = threading.Lock()


@contextmanager
def reading(path: str) -> Iterator[int]:
    """Give a descriptor to read a file with, by `os.pread`: others may be reading with it. Raises OSError."""
    key, handle = _open(path)
    try:
        yield handle
    finally:
        _let_go(key)


def connect(path: str, options: str = "", **more: Any) -> sqlite3.Connection:
    """Return a connection to a database. options: what follows the path in its address. Raises sqlite3.Error."""
    place = os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    key = _use(path)  # before SQLite has a lock that could be lost
    try:
        made = sqlite3.connect(f"file:{place}{options}", uri=True, factory=_Connection, **more)
    except BaseException:
        _let_go(key)
        raise
    if key is None:  # SQLite has made the file
        key = _use(path)
    weakref.finalize(made, _let_go, key).atexit = False
    return made


def _use(path: str) -> _Key | None:
    """Count one more user of a file; return its key, None where there is no file."""
    with suppress(FileNotFoundError):
        found = os.stat(path)
        key = found.st_dev, found.st_ino
        with _lock:
            _files.setdefault(key, _File()).users += 1
        _forget_unused()
        return key
    return None


def _open(path: str) -> tuple[_Key, int]:
    found = os.stat(path)
    with _lock:
        known = _files.get((found.st_dev, found.st_ino))
        if known is None or not known.handles:
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            found = os.fstat(handle)  # another one may have its name now
            known = _files.setdefault((found.st_dev, found.st_ino), _File())
            known.handles.append(handle)
        known.users += 1
        handle = known.handles[0]
    _forget_unused()
    return (found.st_dev, found.st_ino), handle


def _let_go(key: _Key | None) -> None:
    if key is not None:
        _left.append(key)
        _forget_unused()


def _forget_unused() -> None:
    """Close the descriptors of files that have no users left."""
    # Connections are let go of at any moment, also while this thread has the lock: who has it looks once more then.
    while _left and _lock.acquire(blocking=False):
        try:
            while _left:
                key = _left.popleft()
                known = _files[key]
                known.users -= 1
                if known.users == 0:
                    del _files[key]
                    for handle in known.handles:
                        os.close(handle)
        finally:
            _lock.release()
