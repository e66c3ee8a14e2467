"""Errors of the archive formats.

ArchiveError
├── UnreadableError      the file cannot be opened or read
├── NotAnArchiveError    the file holds no record that we can read
├── RecordError          one record cannot be read; others can
└── LimitError           a size, ratio or nesting limit was reached
"""

from __future__ import annotations

from archiver.errors import FindingAidError


class ArchiveError(FindingAidError):
    """Something is wrong with an archive file; the message names file and byte."""


class UnreadableError(ArchiveError):
    """The file cannot be opened or read: it is not there, not a regular file, not ours to read, or the disk fails."""


class NotAnArchiveError(ArchiveError):
    """The file holds no record of a format that we know."""


class RecordError(ArchiveError):
    """One broken record; the reader can go on at the next one."""

    def __init__(self, path: str, offset: int, problem: str) -> None:
        super().__init__(f"{path}: record at byte {offset}: {problem}")
        self.path = path
        self.offset = offset
        self.problem = problem


class LimitError(ArchiveError):
    """A limit on size, ratio or nesting was reached; what came before it is kept."""
