"""How the files of a run are shared out: a large file is read by several workers at once, each taking a part of it.

Only who has read what stands before a record can be sure that it is one. So they read in turns (indexer.text.turns)
where a record is a gzip member, as in most archives; of other files each of them reads all, and keeps every other
stretch of records. Reading is a tenth of the work; decoding, parsing and inverting are the rest. So any format can be
shared, damage is met as by a single reader, and a share can be read again by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from indexer.choosing import ArchiveFile
from indexer.text.documents import FileEntry, is_for_turns

SHARED_BYTES = 8 << 20  # smaller files are read by one worker


@dataclass(frozen=True, slots=True)
class Share:
    """What one worker reads of a file: share `number` of `of`."""

    file: ArchiveFile
    number: int = 0
    of: int = 1
    in_turns: bool = False

    @property
    def path(self) -> str:
        return self.file.path

    @property
    def bytes(self) -> int:
        return self.file.size // self.of


def shares_of(files: Iterable[ArchiveFile], workers: int) -> list[Share]:
    """Return what is to be read, the last first: large files begin, and no worker is left alone with the last one.

    A file that is read anew, or carried on with, is read by one worker: what is found comes in one commit.
    """
    by_size = sorted(files, key=lambda file: file.size)
    fair = sum(file.size for file in by_size) / max(workers, 1)
    shares: list[Share] = []
    for place, file in enumerate(by_size):
        is_shared = (
            workers > 1
            and file.size >= SHARED_BYTES
            and not file.replaces
            and file.before is None
            and (file.size > fair or place == 0)
        )
        count = workers if is_shared else 1
        in_turns = count > 1 and is_for_turns(file.path)
        shares += [Share(file, number, count, in_turns) for number in range(count)]
    return shares


def joined_entry(entries: Sequence[FileEntry]) -> FileEntry:
    """Return the ledger entry of a file from those of its shares, in their order."""
    first = entries[0]
    if len(entries) == 1:
        return first
    # who has met a member of many records says so, too
    joined = FileEntry(
        first.file, status=first.status, format=max((entry.format for entry in entries), key=len)
    )
    for entry in entries:
        joined.records += entry.records
        joined.captures += entry.captures
        joined.documents += entry.documents
        joined.damaged += entry.damaged
        for reason, count in entry.skipped.items():
            joined.skipped[reason] = joined.skipped.get(reason, 0) + count
    joined.damaged.sort(key=lambda damage: damage.offset)
    statuses = {entry.status for entry in entries}
    if "unreadable" in statuses:
        joined.status = "unreadable"
    elif first.status == "indexed" and joined.damaged:
        joined.status = "damaged"
    return joined
