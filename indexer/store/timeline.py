"""Capture columns: when, and as what, each version of a segment was captured. For filters, facets and sorting.

The catalogue holds the captures; here they stand once more as arrays beside each segment, in a file `N.c<edition>`.
The writer notes in the catalogue's own transaction which versions gain or lose a capture, whatever the reason, and
writes the files of their segments anew before it commits: so a reader never sees the two disagree.
"""

from __future__ import annotations

import copy
import os
import sqlite3
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.store.arrayfile import ArrayFile, write_arrays
from indexer.store.errors import IndexCorruptError, IndexError_

CAPTURE_KINDS = ("response", "resource", "revisit", "conversion")
REVISIT = CAPTURE_KINDS.index("revisit")
_MIME_CHARS, _MIMES_AT_MOST = 100, 1 << 16
_GREATEST_STATUS = (1 << 16) - 1
_COLUMNS = ("ends", "timestamp", "status", "mime", "kind")

CaptureRow = tuple[int, str, int, str, str]  # ordinal of the version, timestamp, status, mime, type

# A temporary trigger runs inside the transaction of the change, and is rolled back with it.
_NOTES = """
CREATE TEMP TABLE touched (segment INTEGER NOT NULL, ordinal INTEGER NOT NULL, PRIMARY KEY (segment, ordinal));
CREATE TEMP TRIGGER capture_added AFTER INSERT ON main.captures WHEN NEW.version IS NOT NULL BEGIN
  INSERT OR IGNORE INTO touched SELECT segment, ordinal FROM versions WHERE id = NEW.version; END;
CREATE TEMP TRIGGER capture_removed AFTER DELETE ON main.captures WHEN OLD.version IS NOT NULL BEGIN
  INSERT OR IGNORE INTO touched SELECT segment, ordinal FROM versions WHERE id = OLD.version; END;
CREATE TEMP TRIGGER capture_changed AFTER UPDATE OF version, timestamp, status, mime, type, copy ON main.captures BEGIN
  INSERT OR IGNORE INTO touched SELECT segment, ordinal FROM versions WHERE id IN (OLD.version, NEW.version); END;
CREATE TEMP TRIGGER version_removed AFTER DELETE ON main.versions BEGIN
  INSERT OR IGNORE INTO touched VALUES (OLD.segment, OLD.ordinal); END;
"""


class CaptureColumns:
    """The captures of the versions of one segment, mapped into memory.

    ends: row i says where the captures of version i end; they begin where those of version i - 1 end. A version that
    was removed has none. timestamp: 14 digits as a number, 0 when unknown, rising within a version; status: HTTP
    status, 0 for none; mime: index into `mimes`; kind: index into CAPTURE_KINDS.
    """

    def __init__(self, path: str, versions: int) -> None:
        """Map the file. Raises IndexMissingError, IndexVersionError, IndexCorruptError."""
        self.file = file = ArrayFile(path, "captures")
        self.mimes: list[str] = file.meta["mimes"]
        rows = file.rows("timestamp")
        if file.rows("ends") != versions or any(file.rows(name) != rows for name in _COLUMNS[2:]):
            raise self._not_fitting(versions)

    def _not_fitting(self, versions: int) -> IndexCorruptError:
        ends, rows = self.file.rows("ends"), self.file.rows("timestamp")
        return IndexCorruptError(
            f"{self.file.path}: {ends} versions with {rows} captures, the segment has {versions} versions;"
            " index the archives again with --rebuild"
        )

    # Verified when they are first asked for.

    @cached_property
    def ends(self) -> NDArray[np.uint32]:
        ends = self.file.array("ends")
        if (int(ends[-1]) if len(ends) else 0) != self.file.rows("timestamp"):
            raise self._not_fitting(len(ends))
        return ends

    @cached_property
    def timestamp(self) -> NDArray[np.uint64]:
        return self.file.array("timestamp")

    @cached_property
    def status(self) -> NDArray[np.uint16]:
        return self.file.array("status")

    @cached_property
    def mime(self) -> NDArray[np.uint16]:
        return self.file.array("mime")

    @cached_property
    def kind(self) -> NDArray[np.uint8]:
        return self.file.array("kind")

    def __len__(self) -> int:
        return len(self.timestamp)

    def kept(self, row: CaptureRow) -> CaptureRow:
        """Return a row of the catalogue as these columns give it back: as `stored_row`, less media types too many."""
        stored = stored_row(row)
        is_full = len(self.mimes) >= _MIMES_AT_MOST
        return stored if not is_full or stored[3] in self._known_mimes else (*stored[:3], "", stored[4])

    @cached_property
    def _known_mimes(self) -> frozenset[str]:
        return frozenset(self.mimes)

    def counts(self) -> NDArray[np.int64]:
        """Return the number of captures of each version."""
        ends = self.ends.astype(np.int64)
        counts: NDArray[np.int64] = ends - np.append(0, ends)[:-1]
        return counts

    def version_of_rows(self) -> NDArray[np.int64]:
        """Return the ordinal of the version of each row, rising."""
        return np.repeat(np.arange(len(self.ends)), self.counts())

    def rows(self) -> list[CaptureRow]:
        """Return all captures as the catalogue writes them, in the order of the columns."""
        return [
            (version, f"{timestamp:014d}" if timestamp else "", status, self.mimes[mime], CAPTURE_KINDS[kind])
            for version, timestamp, status, mime, kind in zip(
                self.version_of_rows().tolist(),
                self.timestamp.tolist(),
                self.status.tolist(),
                self.mime.tolist(),
                self.kind.tolist(),
                strict=True,
            )
        ]

    def rows_of(self, version: int) -> list[CaptureRow]:
        """Return the captures of one version as the catalogue writes them."""
        start, end = int(self.ends[version - 1]) if version else 0, int(self.ends[version])
        return [
            (
                version,
                f"{self.timestamp[row]:014d}" if self.timestamp[row] else "",
                int(self.status[row]),
                self.mimes[self.mime[row]],
                CAPTURE_KINDS[self.kind[row]],
            )
            for row in range(start, end)
        ]

    def without(self, versions: Sequence[int]) -> CaptureColumns:
        """Return columns in memory that hold no capture of some versions."""
        of_rows = self.version_of_rows()
        keep = np.ones(len(self.ends), dtype=bool)
        keep[list(versions)] = False
        kept = keep[of_rows]
        left = copy.copy(self)
        left.timestamp, left.status = self.timestamp[kept], self.status[kept]
        left.mime, left.kind = self.mime[kept], self.kind[kept]
        left.ends = np.cumsum(np.bincount(of_rows[kept], minlength=len(self.ends))).astype(np.uint32)
        return left

    def with_rows(self, rows: Sequence[CaptureRow]) -> CaptureColumns:
        """Return columns in memory that hold some captures more."""
        more = sorted(stored_row(row) for row in rows)
        mimes = {name: number for number, name in enumerate(self.mimes)}
        mime = [
            mimes.setdefault(row[3], len(mimes)) if row[3] in mimes or len(mimes) < _MIMES_AT_MOST else 0
            for row in more
        ]
        version = np.append(self.version_of_rows(), np.array([row[0] for row in more], dtype=np.int64))
        timestamp = np.append(self.timestamp, np.array([int(row[1] or 0) for row in more], dtype=np.uint64))
        kinds = np.array([CAPTURE_KINDS.index(row[4]) for row in more], dtype=np.uint8)
        order = np.lexsort((timestamp, version))
        joined = copy.copy(self)
        joined.mimes = list(mimes)
        joined.timestamp = timestamp[order]
        joined.status = np.append(self.status, np.array([row[2] for row in more], dtype=np.uint16))[order]
        joined.mime = np.append(self.mime, np.array(mime, dtype=np.uint16))[order]
        joined.kind = np.append(self.kind, kinds)[order]
        joined.ends = np.cumsum(np.bincount(version, minlength=len(self.ends))).astype(np.uint32)
        return joined


def write_captures(path: str, versions: int, rows: Iterable[CaptureRow]) -> None:
    """Write the capture columns of a segment. Raises DiskFullError."""
    ordered = sorted(stored_row(row) for row in rows)
    mimes: dict[str, int] = {"": 0}
    mime = [
        mimes.setdefault(row[3], len(mimes)) if row[3] in mimes or len(mimes) < _MIMES_AT_MOST else 0
        for row in ordered
    ]
    counts = np.bincount(np.array([row[0] for row in ordered], dtype=np.int64), minlength=versions)
    write_arrays(
        path,
        "captures",
        {"mimes": list(mimes)},
        {
            "ends": np.cumsum(counts).astype(np.uint32),
            "timestamp": np.array([int(row[1] or 0) for row in ordered], dtype=np.uint64),
            "status": np.array([row[2] for row in ordered], dtype=np.uint16),
            "mime": np.array(mime, dtype=np.uint16),
            "kind": np.array([CAPTURE_KINDS.index(row[4]) for row in ordered], dtype=np.uint8),
        },
    )


def _write_columns(path: str, columns: CaptureColumns) -> None:
    write_arrays(
        path,
        "captures",
        {"mimes": columns.mimes},
        {name: getattr(columns, name) for name in _COLUMNS},
    )


def stored_row(row: CaptureRow) -> CaptureRow:
    """Return a row of the catalogue as the columns give it back: what does not fit them is unknown there."""
    ordinal, timestamp, status, mime, kind = row
    sound = len(timestamp) == 14 and timestamp.isascii() and timestamp.isdigit() and timestamp.strip("0")
    return (
        ordinal,
        timestamp if sound else "",
        status if 0 <= status <= _GREATEST_STATUS else 0,
        mime[:_MIME_CHARS],
        kind,
    )


# ---- keeping the columns true, for the writer


def watch_captures(connection: sqlite3.Connection) -> None:
    """Let a writing connection note which versions gain or lose captures."""
    connection.executescript(_NOTES)


def write_changed_captures(
    connection: sqlite3.Connection, folder: str, segments: list[dict[str, Any]]
) -> None:
    """Write the columns of the segments whose captures changed, or that have none; their entries get a new edition.

    segments: entries of the list of live segments. Call it last in the transaction that changes captures.
    """
    touched = {row[0] for row in connection.execute("SELECT DISTINCT segment FROM touched")}
    for entry in segments:
        if entry["number"] in touched or not entry["captures"]:
            updated = _updated(connection, folder, entry)
            entry["captures"] += 1
            path = captures_path(folder, entry)
            if updated is not None:
                _write_columns(path, updated)
            else:
                write_captures(path, entry["versions"], catalogue_rows(connection, entry["number"]))
    connection.execute("DELETE FROM touched")


def _updated(connection: sqlite3.Connection, folder: str, entry: dict[str, Any]) -> CaptureColumns | None:
    """Return the captures of a segment as they are now, from the edition before; None where there is no sound one.

    Only versions that changed are asked of the catalogue: a segment has 65,536, and a commit may touch all segments.
    """
    number = entry["number"]
    if entry["captures"]:
        try:
            before = CaptureColumns(captures_path(folder, entry), entry["versions"])
            changed = connection.execute(
                "SELECT ordinal FROM touched WHERE segment = ?", (number,)
            ).fetchall()
            now = connection.execute(
                "SELECT v.ordinal, c.timestamp, c.status, c.mime, c.type FROM touched t"
                " JOIN versions v ON v.segment = t.segment AND v.ordinal = t.ordinal"
                " JOIN captures c ON c.version = v.id AND c.copy = 0 WHERE t.segment = ?",
                (number,),
            ).fetchall()
            return before.without([row[0] for row in changed]).with_rows(now)
        except IndexError_:
            pass  # all of it can be had from the catalogue
    return None


def catalogue_rows(connection: sqlite3.Connection, segment: int) -> list[CaptureRow]:
    """Return the captures of the versions of a segment as the catalogue has them, in no order."""
    return connection.execute(
        "SELECT v.ordinal, c.timestamp, c.status, c.mime, c.type FROM versions v"
        " JOIN captures c ON c.version = v.id AND c.copy = 0 WHERE v.segment = ?",
        (segment,),
    ).fetchall()


def captures_path(folder: str, entry: dict[str, Any]) -> str:
    """Return the path of the capture columns of a segment, by its entry in the catalogue."""
    return os.path.join(folder, f"{entry['number']:06d}.c{entry['captures']}")
