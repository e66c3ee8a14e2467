"""Files that are there as a whole or not at all; used by all that writes a file for somebody to read."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TextIO

from archiver.errors import DiskFullError, is_disk_full

UNFINISHED = ".open"


@contextmanager
def whole_file(path: str, *, mode: int | None = None) -> Iterator[IO[bytes]]:
    """Give a file to write; when the block ends it is on the disk and called `path`, in place of what was there.

    If the block fails nothing is left, and what was there stays. What is there and is no regular file, such as a pipe
    or /dev/stdout, is written to as it is. mode: who may read the file; as the system has it by default.
    Raises DiskFullError; other errors of the system as they are.
    """
    try:
        if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            with open(path, "wb") as file:
                yield file
            return
        real = os.path.realpath(path)  # a link stays a link
        unfinished = f"{real}.{os.getpid()}{UNFINISHED}"
        try:
            with open(unfinished, "wb") as file:
                if mode is not None:
                    os.fchmod(file.fileno(), mode)
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, real)
        except BaseException:
            if os.path.exists(unfinished):
                os.unlink(unfinished)
            raise
    except OSError as error:
        if is_disk_full(error):
            raise DiskFullError.at(path) from error
        raise
    sync_folder(os.path.dirname(real))


@contextmanager
def whole_text_file(path: str, *, newline: str | None = None) -> Iterator[TextIO]:
    """Give a text file in UTF-8 to write, as `whole_file` does. newline: as of open()."""
    with whole_file(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline=newline)
        yield text
        text.detach()


def sync_folder(folder: str) -> None:
    """Bring the names in a folder onto the disk."""
    handle = os.open(folder or ".", os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
