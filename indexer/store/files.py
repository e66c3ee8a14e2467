"""Which archive files an index knows: by what name, where they are, in which state they were read.

A file is known by its whole path: the real path of its folder and its name there. So a relative name used in two
folders is two files, and a record can be opened from anywhere. The name it was given to `index` by is kept for display.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from archiver.warc.growing import final_name, name_now
from indexer.store.catalogue import Catalogue

_FINGERPRINT_BYTES = 1 << 16
_HOME = "home"
# Rows of captures that an archive file holds, by its number.
IN_FILE = (
    "id IN (SELECT c.id FROM pieces p JOIN capture_rows c ON c.id BETWEEN p.first AND p.last"
    " WHERE p.file = ?1 AND c.file = ?1)"
)

State = dict[str, Any]


def whole_path(path: str) -> str:
    """Return the path by which a file is known: links in its folders are followed, one in its own name is not.

    A file that is still being written goes by the name that it will have.
    """
    folder, name = os.path.split(final_name(path))
    return os.path.join(os.path.realpath(folder or "."), name)


def state_of(path: str) -> State:
    """Return what tells whether a file has changed: size, time of change, digest of its two ends."""
    try:
        if not os.path.isfile(path):
            return {"size": 0, "kind": "not a regular file"}
        found = os.stat(path)
        ends = _ends_of(path, found.st_size)
        return {"size": found.st_size, "changed_ns": found.st_mtime_ns, "ends": ends}
    except OSError as error:
        return {"size": 0, "unreadable": error.strerror or str(error)}


def growing_state(path: str, end: int) -> State:
    """Return the state in which a file that is still being written is read up to a byte; OSError if it cannot be."""
    return {"size": end, "ends": _ends_of(path, end), "growing": True}


def has_grown(path: str, before: State | None) -> bool:
    """Return whether a file was read while it was written, and begins with what was read of it then."""
    if not before or not before.get("growing") or "again" in before:
        return False
    try:
        size = int(before["size"])
        return os.path.getsize(path) >= size and _ends_of(path, size) == before["ends"]
    except OSError:
        return False


def _ends_of(path: str, size: int) -> str:
    """Return the digest of the two ends of the first `size` bytes of a file."""
    import hashlib

    digest = hashlib.sha256()
    with open(path, "rb") as file:
        digest.update(file.read(min(size, _FINGERPRINT_BYTES)))
        if size > _FINGERPRINT_BYTES:
            file.seek(max(_FINGERPRINT_BYTES, size - _FINGERPRINT_BYTES))
            digest.update(file.read(size - file.tell()))
    return digest.hexdigest()[:32]


def fingerprint(state: State | None) -> tuple[int, str] | None:
    """Return (size, digest of both ends), by which a file is known again elsewhere; None for none or an empty one."""
    if not state or not state.get("ends") or not state.get("size"):
        return None
    return int(state["size"]), str(state["ends"])


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file of an index. path: as it was named; whole: where it is; entry: its line of the ledger, None before
    it was read to its end; begun: its state when a run began to read it that has not finished.
    """

    number: int
    path: str
    whole: str
    entry: dict[str, Any] | None
    begun: State | None

    @property
    def state(self) -> State | None:
        """The state in which it was read."""
        return (self.entry or {}).get("state")


class FileTable:
    """The files of one generation. What changes them runs inside a transaction of the catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def find(self, path: str) -> KnownFile | None:
        """Return the file of a path, however it is spelled from here."""
        row = (
            self._catalogue.connection()
            .execute("SELECT id, path, whole FROM files WHERE whole = ?", (whole_path(path),))
            .fetchone()
        )
        return self._known(*row) if row else None

    def all(self) -> list[KnownFile]:
        """Return all files, by name."""
        values = dict(self._catalogue.dictionary.items())
        rows = self._catalogue.connection().execute("SELECT id, path, whole FROM files ORDER BY path, whole")
        return [
            KnownFile(number, path, whole, values.get(ledger_key(number)), values.get(reading_key(number)))
            for number, path, whole in rows.fetchall()
        ]

    def _known(self, number: int, path: str, whole: str) -> KnownFile:
        dictionary = self._catalogue.dictionary
        return KnownFile(
            number, path, whole, dictionary.get(ledger_key(number)), dictionary.get(reading_key(number))
        )

    def begin(self, path: str, state: State | None) -> int:
        """Note that a file is about to be read, and in which state it is; return its number.

        state: None for one that is carried on with: what is held of it stays whatever becomes of this run.
        """
        connection, whole = self._catalogue.connection(), whole_path(path)
        connection.execute(
            "INSERT INTO files (path, whole) VALUES (?, ?) ON CONFLICT (whole) DO UPDATE SET path = excluded.path",
            (path, whole),
        )
        number = int(connection.execute("SELECT id FROM files WHERE whole = ?", (whole,)).fetchone()[0])
        if state is not None:
            self._catalogue.dictionary[reading_key(number)] = state
        return number

    def finish(self, number: int, entry: dict[str, Any]) -> None:
        """Write the ledger entry of a file that was read to its end."""
        self._catalogue.dictionary[ledger_key(number)] = entry
        self._catalogue.dictionary.pop(reading_key(number), None)

    def move(self, file: KnownFile, path: str, state: State) -> None:
        """Note that a file lies at `path` now."""
        self._catalogue.connection().execute(
            "UPDATE files SET path = ?, whole = ? WHERE id = ?", (path, whole_path(path), file.number)
        )
        if file.entry is not None:
            self._catalogue.dictionary[ledger_key(file.number)] = {**file.entry, "file": path, "state": state}


# Where the files are now ---------------------------------------------------------------


def settle(catalogue: Catalogue, index_dir: str) -> None:
    """Note where the index lies, so that it can find its archives when all of it is moved. In a transaction."""
    here = os.path.realpath(index_dir)
    if catalogue.dictionary.get(_HOME) != here:
        catalogue.dictionary[_HOME] = here


def moved_along(catalogue: Catalogue, index_dir: str, whole: str) -> str | None:
    """Return where a file is when the index and its archives were moved together; None when the index stays at home."""
    home, here = catalogue.value(_HOME), os.path.realpath(index_dir)
    if not isinstance(home, str) or home == here:
        return None
    return os.path.normpath(os.path.join(here, os.path.relpath(whole, home)))


class Places:
    """Where the archive files of an index are, for readers, who cannot note that one has moved."""

    def __init__(self, catalogue: Catalogue, index_dir: str) -> None:
        self._catalogue, self._index_dir = catalogue, index_dir
        self._found: dict[str, str] = {}

    def now(self, whole: str) -> str:
        """Return the path to open for a file; `whole` itself when it is there, or nowhere."""
        if os.path.exists(whole) or name_now(whole) != whole:
            return name_now(whole)
        known = self._found.get(whole)
        if known is not None and os.path.exists(known):
            return known
        candidate = moved_along(self._catalogue, self._index_dir, whole)
        if candidate is None or not os.path.isfile(candidate):
            return whole
        row = (
            self._catalogue.connection().execute("SELECT id FROM files WHERE whole = ?", (whole,)).fetchone()
        )
        entry = self._catalogue.value(ledger_key(row[0])) if row else None
        if not entry or fingerprint(entry.get("state")) != fingerprint(state_of(candidate)):
            return whole
        self._found[whole] = candidate
        return candidate

    def missing(self, files: Iterable[KnownFile]) -> list[KnownFile]:
        """Return the files that are not there any more."""
        return [file for file in files if not os.path.exists(self.now(file.whole))]


def ledger_key(number: int) -> str:
    return f"ledger:{number}"


def reading_key(number: int) -> str:
    return f"reading:{number}"
