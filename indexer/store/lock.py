"""One writer an index: a lock on INDEX/writer.lock that dies with its process."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from indexer.store import disk
from indexer.store.errors import IndexNotWritableError, WriterLockedError, is_disk_full

_NAME = "writer.lock"


@contextmanager
def writer_lock(index_dir: str) -> Iterator[None]:
    """Hold the lock of an index, making its folder if needed.

    Raises WriterLockedError when another process has it, IndexNotWritableError when the folder may not be written.
    """
    try:
        disk.make_folder(index_dir)
        handle = os.open(os.path.join(index_dir, _NAME), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        if is_disk_full(error):
            raise
        raise IndexNotWritableError(
            f"{index_dir}: cannot be written: {error.strerror}; an index needs a folder that this user may write"
        ) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise
            holder = os.read(handle, 32).decode("ascii", "replace").strip()
            by = f" (process {holder})" if holder.isdigit() else ""
            raise WriterLockedError(
                f"{index_dir}: another run{by} is writing this index; wait until it has ended, then run again"
            ) from error
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        os.close(handle)
