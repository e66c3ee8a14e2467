"""The ledger and the totals of an index, or of several: what became of every file and every record."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass, field

from archiver.warc import Damage
from archiver.warc.dates import EARLIEST, latest_possible
from indexer.store.errors import IndexCorruptError
from indexer.store.files import IN_FILE, FileTable, KnownFile
from indexer.store.snapshot import Snapshot, not_hidden


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a whole index holds. records = captures + the sum of skipped.

    copies: captures of which another file holds the same record; they are not shown to readers, who see each once.

    first, last: timestamps of captures, "" when there is none. One date that cannot be true would make an archive of
    five years one of six centuries: such captures are left out of the two and counted in `impossible_dates`.
    """

    files: int = 0
    records: int = 0
    captures: int = 0
    copies: int = 0
    documents: int = 0
    versions: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    damaged: tuple[Damage, ...] = ()
    sites: int = 0
    first: str = ""
    last: str = ""
    impossible_dates: int = 0

    @property
    def shown_captures(self) -> int:
        """How many captures readers see: a record that several files hold counts once."""
        return self.captures - self.copies


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """What became of one archive file: records = captures + the sum of skipped; damage comes on top.

    status: "indexed", "damaged", "not an archive", "unreadable", "removed", or "unfinished" while it is read and after
    a run that was broken off; the next run that names the file finishes it. file: as it was named when indexed; path:
    the whole path by which the index knows it.
    """

    file: str
    status: str
    format: str
    records: int
    captures: int
    documents: int
    skipped: dict[str, int]
    damaged: tuple[Damage, ...]
    path: str = ""


def ledger_of(snapshot: Snapshot) -> list[LedgerEntry]:
    """Return what became of each file, by name."""
    entries = [
        entry
        for place, member in enumerate(snapshot.members)
        for entry in _ledger_of_one(member, set(snapshot.hidden_files(place)))
    ]
    return sorted(entries, key=lambda entry: (entry.file, entry.path))


def statistics_of(snapshot: Snapshot) -> Statistics:
    """Return the totals; worked out once for each state of the index, as they read all of the catalogue."""
    return snapshot.derived.once("statistics", lambda: _statistics_of(snapshot))


def _statistics_of(snapshot: Snapshot) -> Statistics:
    ledger = ledger_of(snapshot)
    skipped: Counter[str] = Counter()
    for entry in ledger:
        skipped.update(entry.skipped)
    documents = sum(member.pages() for member in snapshot.members) - snapshot.repeated_pages
    times: list[str] = []
    copies = impossible_dates = 0
    latest = latest_possible()
    for place, member in enumerate(snapshot.members):
        connection = member.catalogue.connection()
        hidden = set(snapshot.hidden_files(place))
        copies += sum(
            count
            for file, count in connection.execute(
                "SELECT file, COUNT(*) FROM capture_rows INDEXED BY copies WHERE copy = 1 GROUP BY file"
            )
            if file not in hidden
        )
        first, last, impossible = _moments_in(
            connection, not_hidden(snapshot, place), int(latest), all_at_once=not hidden
        )
        times += [f"{time:014d}" for time in (first, last) if time]
        impossible_dates += impossible
    return Statistics(
        files=len(ledger),
        records=sum(entry.records for entry in ledger),
        captures=sum(entry.captures for entry in ledger),
        copies=copies,
        documents=documents,
        versions=snapshot.versions,
        skipped=dict(sorted(skipped.items())),
        damaged=tuple(damage for entry in ledger for damage in entry.damaged),
        sites=snapshot.sites(),
        first=min(times, default=""),
        last=max(times, default=""),
        impossible_dates=impossible_dates,
    )


def _moments_in(
    connection: sqlite3.Connection, shown: str, latest: int, *, all_at_once: bool
) -> tuple[int | None, int | None, int]:
    """Return when the first and the last capture was made, and how many at moments that cannot be.

    shown: the SQL condition of captures that are; all_at_once: if those that are not are copies, which are of the same
    moments.
    """
    if all_at_once:
        # an index has all moments, and mostly these two tell that all of them are possible
        first, last = connection.execute(
            "SELECT MIN(time), MAX(time) FROM capture_rows INDEXED BY captures_by_url WHERE time >= 0"
        ).fetchone()
        if first is None or (first >= int(EARLIEST) and last <= latest):
            return first, last, 0
    found: tuple[int | None, int | None, int] = connection.execute(
        "SELECT MIN(CASE WHEN time BETWEEN ?1 AND ?2 THEN time END),"
        " MAX(CASE WHEN time BETWEEN ?1 AND ?2 THEN time END),"
        " COUNT(CASE WHEN time NOT BETWEEN ?1 AND ?2 THEN 1 END) FROM capture_rows c"
        f" WHERE time >= 0{shown}",
        (int(EARLIEST), latest),
    ).fetchone()
    return found


def _ledger_of_one(member: Snapshot, hidden: set[int]) -> list[LedgerEntry]:
    try:
        entries = [
            _ledger_entry(file) if file.entry is not None else _unfinished_entry(member, file)
            for file in FileTable(member.catalogue).all()
            if file.number not in hidden and (file.entry is not None or file.begun is not None)
        ]
        return [entry for entry in entries if entry.status != "unfinished" or entry.captures]
    except (LookupError, TypeError) as error:
        raise IndexCorruptError(
            f"{member.catalogue.path}: a ledger entry without what it must have ({error!r});"
            " index the archives again with --rebuild"
        ) from error


def _unfinished_entry(member: Snapshot, file: KnownFile) -> LedgerEntry:
    """Return the entry of a file that a run began to read and did not finish, or reads now."""
    captures, documents = (
        member.catalogue.connection()
        .execute(
            f"SELECT COUNT(*), COUNT(CASE WHEN type <> 'revisit' THEN version END) FROM captures WHERE {IN_FILE}",
            (file.number,),
        )
        .fetchone()
    )
    return LedgerEntry(file.path, "unfinished", "", captures, captures, documents, {}, (), file.whole)


def _ledger_entry(file: KnownFile) -> LedgerEntry:
    value = file.entry or {}
    damaged = tuple(
        Damage(
            value["file"],
            item["offset"],
            item["length"],
            item["problem"],
            item.get("member", ""),
            item.get("places", 1),
        )
        for item in value["damaged"]
    )
    return LedgerEntry(
        value["file"],
        value["status"],
        value["format"],
        value["records"],
        value["captures"],
        value["documents"],
        value["skipped"],
        damaged,
        file.whole,
    )
