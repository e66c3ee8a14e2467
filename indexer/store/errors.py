"""Errors of the index.

IndexError_
├── IndexMissingError    no index where one was asked for
├── IndexVersionError    an index of another format version
├── IndexCorruptError    a file of the index does not hold what it should
├── IndexNotWritableError  the index may be read, not written
├── WriterLockedError    another process is writing this index
├── DiskFullError        no space left while writing; what was committed before stands
└── WorkerError          a worker process failed in a way that is not the fault of one page
"""

from __future__ import annotations

import errno


class IndexError_(Exception):
    """Something is wrong with an index; the message names the file and what to do."""


class IndexMissingError(IndexError_):
    """There is no index at the given place."""


class IndexVersionError(IndexError_):
    """The index was written in another format version; it is never misread."""


class IndexCorruptError(IndexError_):
    """A file of the index is damaged."""


class IndexNotWritableError(IndexError_):
    """The folder or a file of the index may not be written."""


class WriterLockedError(IndexError_):
    """Another process writes this index."""


class DiskFullError(IndexError_):
    """The disk is full; nothing of the last commit is lost."""


class WorkerError(IndexError_):
    """A worker process of an index run failed."""


def is_disk_full(error: OSError) -> bool:
    """Return whether an error says that there is no room: disk, quota, or the greatest size of a file."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
