"""How the store writes: every file, sync and rename of an index goes through here, SQLite's own apart.

So there is one place that says what survives a crash, and a test can put a disk under it that fails, forgets what was
not synced, or writes less than it was given. The rules:

* A file is written under a name that no commit knows, synced, and only then renamed to its own. Files of batches are
  synced by the commit: a worker would wait for the disk, 10 ms a file.
* A rename or a new file lasts when its folder was synced; a new folder when the folder above was.
* What a transaction of the catalogue names is synced before that transaction ends.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO

open_raw: Callable[[str], io.RawIOBase] = lambda path: io.FileIO(path, "wb")  # noqa: E731  tests put another here


def create(path: str) -> BinaryIO:
    """Return a new empty file, open for writing; one of that name is replaced."""
    return io.BufferedWriter(open_raw(path), 1 << 16)  # its write goes on after a short write


def sync(file: BinaryIO) -> None:
    """Make what was written to a file durable; its name lasts when its folder is synced."""
    file.flush()
    os.fsync(file.fileno())


def sync_path(path: str) -> None:
    """Make what was written to a file durable that is closed already, by another process maybe."""
    with open(path, "r+b") as file:
        sync(file)


def rename(source: str, target: str) -> None:
    """Give a file another name, in one step, replacing what has it; it lasts when the folder is synced."""
    os.replace(source, target)


def sync_folder(folder: str) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder or ".", os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(path: str) -> None:
    """Make a folder, and those above it that are missing, and make their names durable."""
    path = os.path.abspath(path)
    missing = []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for folder in reversed(missing):
        with suppress(FileExistsError):
            os.mkdir(folder)
        sync_folder(os.path.dirname(folder))


def remove(path: str) -> None:
    """Remove a file if it is there. Nothing depends on it: after a crash it may be there again."""
    with suppress(FileNotFoundError):
        os.remove(path)
