"""Errors of the index.

IndexError_              (exit 1 where no other code is named; a full disk is archiver.errors.DiskFullError)
├── IndexMissingError    no index where one was asked for
├── IndexVersionError    an index of another format version
├── IndexCorruptError    a file of the index does not hold what it should
├── IndexNotWritableError  the index may be read, not written
├── WriterLockedError    another process is writing this index (exit 7)
└── WorkerError          a worker process failed in a way that is not the fault of one page
"""

from __future__ import annotations

from archiver.errors import DiskFullError, ExitCode, FindingAidError, is_disk_full

__all__ = [
    "DiskFullError",
    "IndexCorruptError",
    "IndexError_",
    "IndexMissingError",
    "IndexNotWritableError",
    "IndexVersionError",
    "WorkerError",
    "WriterLockedError",
    "is_disk_full",
]


class IndexError_(FindingAidError):
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

    exit_code = ExitCode.LOCKED


class WorkerError(IndexError_):
    """A worker process of an index run failed."""
