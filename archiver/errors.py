"""The root of all errors of ours, and the exit codes of the command line.

FindingAidError            exit 1, unless a line below or the class itself says otherwise
├── DiskFullError          no room for what is to be written (exit 6)
├── ArchiveError           archiver.warc.errors
├── CrawlError             archiver.crawl.errors
├── IndexError_            indexer.store.errors
├── WebError               webui.errors
├── SettingsError          webui.setting_infos (exit 3)
└── CommandError           command_line: the exit code that is given to it

An error knows its exit code: a new one needs no line elsewhere.
"""

from __future__ import annotations

import errno
import sqlite3
from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended; the table stands in docs/commands.md."""

    DONE = 0
    FAILED = 1
    MISUSED = 2
    WRONG_SETTINGS = 3
    DONE_WITH_DAMAGE = 4
    DISK_FULL = 6
    LOCKED = 7
    INTERRUPTED = 130


class FindingAidError(Exception):
    """Something that cannot be done, for a reason that was foreseen; the message says it to the user."""

    exit_code: int = ExitCode.FAILED


class DiskFullError(FindingAidError):
    """There is no room for what is to be written; what was finished before stands."""

    exit_code = ExitCode.DISK_FULL

    @classmethod
    def at(cls, path: str) -> DiskFullError:
        """Return the error for a file or folder that cannot be written to its end."""
        return cls(f"{path}: no room left on the disk; free some space and start the same command again")


def is_disk_full(error: BaseException) -> bool:
    """Return whether an error says that there is no room: on the disk, in the quota, or in the greatest size of a file.

    Errors of the system, of SQLite and of ours may say so.
    """
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    if isinstance(error, sqlite3.Error):
        name = getattr(error, "sqlite_errorname", "") or ""
        full = ("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMOPEN")
        return name.startswith(full) or "disk is full" in str(error)
    return isinstance(error, DiskFullError)


def exit_code_of(error: BaseException) -> int | None:
    """Return the exit code for an error that ends a command; None for one that nobody foresaw."""
    if is_disk_full(error):
        return ExitCode.DISK_FULL
    code = getattr(error, "exit_code", None)
    return ExitCode.FAILED if code is None and isinstance(error, OSError) else code
