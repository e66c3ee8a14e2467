"""Removals: what was taken out of an index stays out, whatever is read again, until the removal is lifted.

The table `removals` of the catalogue is the audit: who took what out, when, why, and how much it was. Its rows are
never deleted; a rebuild carries them over. A page is named by its address in any spelling, a site by its host with all
hosts below it, an archive file by its whole path, or, where it moved or was copied to, by its fingerprint.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from archiver.errors import FindingAidError
from archiver.warc import surt_key, urlkey
from indexer.store.addresses import keys_between, with_key
from indexer.store.catalogue import FILE_NAME, Catalogue
from indexer.store.compact import address, page_number, signed, sort_key
from indexer.store.errors import IndexError_, IndexVersionError
from indexer.store.files import IN_FILE, KnownFile, State, fingerprint, ledger_key, state_of, whole_path
from indexer.store.handles import connect
from indexer.store.writer import IndexWriter

REASON = "removed"  # by which the ledger counts captures that were taken out
KINDS = ("url", "site", "file")


class NothingToRemoveError(IndexError_):
    """Nothing in the index is named by what shall be removed, or no removal by what shall be lifted."""


@dataclass(frozen=True, slots=True)
class Removal:
    """One line of the audit. kind: "url", "site" or "file"; target: as it was given; key: what it is matched by.

    at, lifted: 14 digits UTC; lifted is "" while the removal is in force. captures, pages: how much was taken out.
    """

    kind: str
    target: str
    key: str
    reason: str
    who: str
    at: str
    captures: int = 0
    pages: int = 0
    lifted: str = ""
    size: int = 0
    ends: str = ""


@dataclass(frozen=True, slots=True)
class Takedowns:
    """The removals in force, for whoever reads archives: small, and quick where there are none."""

    urls: frozenset[str] = frozenset()
    sites: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    fingerprints: frozenset[tuple[int, str]] = frozenset()

    @classmethod
    def of(cls, removals: Iterable[Removal]) -> Takedowns:
        live = [removal for removal in removals if not removal.lifted]
        return cls(
            frozenset(removal.key for removal in live if removal.kind == "url"),
            frozenset(removal.key for removal in live if removal.kind == "site"),
            frozenset(removal.key for removal in live if removal.kind == "file"),
            frozenset(
                (removal.size, removal.ends) for removal in live if removal.kind == "file" and removal.size
            ),
        )

    def names(self, url: str) -> bool:
        """Return whether an address was taken out."""
        if not self.urls and not self.sites:
            return False
        key = sort_key(url)
        return key in self.urls or bool(self.sites) and not self.sites.isdisjoint(_sites_of(key))

    def names_file(self, path: str, state: State) -> bool:
        """Return whether an archive file was taken out, here or under another path."""
        return whole_path(path) in self.files or fingerprint(state) in self.fingerprints


def removals_of(catalogue: Catalogue) -> list[Removal]:
    """Return the audit, oldest first."""
    return _audit(catalogue.connection())


def _audit(connection: sqlite3.Connection) -> list[Removal]:
    rows = connection.execute(
        "SELECT kind, target, key, reason, who, at, captures, pages, lifted, size, ends FROM removals ORDER BY id"
    )
    return [Removal(*row) for row in rows]


def removal_for(kind: str, target: str, *, reason: str = "", who: str = "") -> Removal:
    """Return the removal that something given by a person stands for. Raises ValueError with what is wrong."""
    target = target.strip()
    if not target:
        raise ValueError("nothing is named to be removed")
    now = time.strftime("%Y%m%d%H%M%S", time.gmtime())
    if kind == "url":
        return Removal(kind, target, sort_key(target), reason, who, now)
    if kind == "site":
        return Removal(kind, target, _site_key(target), reason, who, now)
    state = state_of(target)
    print_ = fingerprint(state) or (0, "")
    return Removal(kind, target, whole_path(target), reason, who, now, size=print_[0], ends=print_[1])


def _site_key(host: str) -> str:
    try:
        key = surt_key(host if "://" in host else f"http://{host}/")
    except ValueError as error:
        raise ValueError(f"{host}: no name of a host ({error})") from error
    return _without_port(key.partition(")")[0])


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _sites_of(key: str) -> list[str]:
    """Return the keys of the sites that an address belongs to: its host, and all above it."""
    if "://" in key.partition(")")[0]:  # of another scheme than http: its sort key is the address
        try:
            return _sites_of(surt_key(f"http://{urlsplit(key).hostname or ''}/"))
        except ValueError:
            return []
    host = _without_port(key.partition(")")[0])
    labels = host.split(",")
    return [",".join(labels[:count]) for count in range(1, len(labels) + 1)]


# Taking out and letting in again -------------------------------------------------------


def count_named(writer: IndexWriter, removal: Removal) -> tuple[int, int]:
    """Return how many captures and pages a removal would take out."""
    connection = writer.catalogue.connection()
    where, values = _where(writer, removal)
    captures, pages = connection.execute(
        f"SELECT COUNT(*), COUNT(DISTINCT CASE WHEN version IS NOT NULL THEN url END) FROM captures WHERE {where}",
        values,
    ).fetchone()
    return int(captures), int(pages)


def remove(writer: IndexWriter, removal: Removal) -> Removal:
    """Take out what a removal names, at once and for good, and return it with what it took.

    Link texts of pages taken out leave the pages they point to in the same commit. Raises NothingToRemoveError.
    """
    captures, pages = count_named(writer, removal)
    file = writer.files.find(removal.target) if removal.kind == "file" else None
    if not captures and file is None:
        others = _other_spellings(writer, removal) if removal.kind == "url" else []
        hint = f"; another spelling of it is in the index: {', '.join(others)}" if others else ""
        raise NothingToRemoveError(
            f"{removal.target}: nothing of this is in the index; nothing was removed{hint}"
        )
    removal = replace(removal, captures=captures, pages=pages)
    if file is not None and (known := fingerprint(file.state)):
        removal = replace(removal, size=known[0], ends=known[1])
    with writer.catalogue.transaction() as connection:
        where, values = _where(writer, removal)
        connection.execute(
            "INSERT INTO removals (kind, target, key, reason, who, at, captures, pages, lifted, size, ends)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [getattr(removal, name) for name in Removal.__slots__],
        )
        by_file = connection.execute(
            "SELECT file, COUNT(*), COUNT(CASE WHEN type <> 'revisit' THEN version END) FROM captures"
            f" WHERE {where} GROUP BY file",
            values,
        ).fetchall()
        for number, count, documents in by_file:
            _count_in_ledger(writer, number, count, documents)
        if file is not None:
            _close_file(writer, file)
        writer.drop_captures(connection, where, values)
    writer.remove_orphans()
    return removal


def _other_spellings(writer: IndexWriter, removal: Removal) -> list[str]:
    """Return some addresses that other tools take for the one named; whoever means one of them names it."""
    condition, values = with_key(urlkey(removal.target))
    rows = writer.catalogue.connection().execute(f"SELECT url FROM urls WHERE {condition} LIMIT 3", values)
    return [url for (url,) in rows]


def _where(writer: IndexWriter, removal: Removal) -> tuple[str, list[str | int]]:
    """Return the condition, and its values, for the captures that a removal names."""
    if removal.kind == "file":
        file = writer.files.find(removal.target)
        return IN_FILE, [file.number if file else 0]
    if removal.kind == "url":
        number = signed(page_number(removal.key))
        return "url IN (SELECT id FROM urls WHERE page = ? AND sort_key = ?)", [number, removal.key]
    key = removal.key
    writer.catalogue.connection().create_function(
        "is_of_site", 2, lambda sort_key, site: site in _sites_of(sort_key), deterministic=True
    )
    # An address that is made of its urlkey lies among those of its host: "org,example)", its ports: "org,example:", and
    # the hosts below: "org,example,"; each without www. What is written as it came may have any urlkey.
    host = urlkey(address(f"{key})/", 0)).partition(")")[0]
    ranges = [(host + mark, host + chr(ord(mark) + 1)) for mark in "),:"]
    conditions = [keys_between(*pair) for pair in ranges]
    among = " OR ".join(f"a.{condition}" for condition, _ in conditions)
    return (
        f"url IN (SELECT a.id FROM addresses a JOIN urls u ON u.id = a.id"
        f" WHERE ({among} OR typeof(a.written) = 'text') AND is_of_site(u.sort_key, ?))",
        [*(value for _, values in conditions for value in values), key],
    )


def _count_in_ledger(writer: IndexWriter, number: int, count: int, documents: int) -> None:
    dictionary = writer.catalogue.dictionary
    entry = dictionary.get(ledger_key(number))
    if entry is None:
        return  # it is not read to its end; who reads it again meets the removal
    entry["captures"] -= count
    entry["documents"] -= documents
    entry["skipped"][REASON] = entry["skipped"].get(REASON, 0) + count
    dictionary[ledger_key(number)] = entry


def _close_file(writer: IndexWriter, file: KnownFile) -> None:
    dictionary = writer.catalogue.dictionary
    entry = dictionary.get(ledger_key(file.number))
    if entry is not None:
        dictionary[ledger_key(file.number)] = {**entry, "status": REASON}
    dictionary.pop(f"reading:{file.number}", None)


def lift(writer: IndexWriter, removal: Removal) -> list[Removal]:
    """Lift the removals in force that have the kind and key of one, and return them.

    Files that something was taken out of are read again by the next run that names them. Raises NothingToRemoveError.
    """
    found = [
        other
        for other in removals_of(writer.catalogue)
        if not other.lifted and (other.kind, other.key) == (removal.kind, removal.key)
    ]
    if not found:
        raise NothingToRemoveError(f"{removal.target}: there is no removal of this to be undone")
    with writer.catalogue.transaction() as connection:
        connection.execute(
            "UPDATE removals SET lifted = ? WHERE kind = ? AND key = ? AND lifted = ''",
            (removal.at, removal.kind, removal.key),
        )
        for file in writer.files.all():
            if file.entry is not None and (REASON in file.entry["skipped"] or file.entry["status"] == REASON):
                state = {**(file.state or {}), "again": "a removal was lifted"}
                writer.catalogue.dictionary[ledger_key(file.number)] = {**file.entry, "state": state}
    return [replace(other, lifted=removal.at) for other in found]


def _removals_in(folder: str) -> list[Removal]:
    """Return the audit of a generation, also of one of another format: what was taken out stays out."""
    try:
        before = Catalogue(folder)
    except IndexVersionError as error:
        with closing(connect(os.path.join(folder, FILE_NAME), "?mode=ro")) as connection:
            if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'removals'").fetchone() is None:
                raise error
            return _audit(connection)
    try:
        return removals_of(before)
    finally:
        before.close()


def carry_over(folder: str, writer: IndexWriter) -> str:
    """Copy the removals of an older generation into a new one; return what to tell when they cannot be read."""
    if not os.path.isdir(folder):
        return ""
    try:
        removals = _removals_in(folder)
    except (FindingAidError, sqlite3.Error) as error:
        return (
            f"{folder}: its removals, if there are any, cannot be read and so not be carried over ({error})"
        )
    with writer.catalogue.transaction() as connection:
        connection.executemany(
            "INSERT INTO removals (kind, target, key, reason, who, at, captures, pages, lifted, size, ends)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [[getattr(removal, name) for name in Removal.__slots__] for removal in removals],
        )
    return ""
