"""Capture columns: when, and as what, each version of a segment was captured. For filters, facets and sorting.

The catalogue holds the captures; here they stand once more as arrays beside each segment, in a file `N.c<edition>`.
The writer notes in the catalogue's own transaction which versions gain or lose a capture, whatever the reason, and
writes the files of their segments anew before it commits: so a reader never sees the two disagree.
"""

from __future__ import annotations

import copy
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from operator import ge
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.store.arrayfile import ArrayFile, write_arrays
from indexer.store.errors import IndexCorruptError, IndexError_

CAPTURE_KINDS = ("response", "resource", "revisit", "conversion")
_NUMBER_OF_KIND = {name: number for number, name in enumerate(CAPTURE_KINDS)}
REVISIT = _NUMBER_OF_KIND["revisit"]
_MIME_CHARS, _MIMES_AT_MOST = 100, 1 << 16
_GREATEST_STATUS = (1 << 16) - 1
_COLUMNS = ("ends", "timestamp", "status", "mime", "kind")

CaptureRow = tuple[int, str, int, str, str]  # ordinal of the version, timestamp, status, mime, type

# Temporary triggers run inside the transaction of the change, and are rolled back with it. New captures are noted by
# note_shown instead: a trigger for each would cost more than the row.
_NOTES = """
CREATE TEMP TABLE touched (version INTEGER PRIMARY KEY, segment INTEGER NOT NULL, ordinal INTEGER NOT NULL);
CREATE TEMP TRIGGER capture_removed AFTER DELETE ON main.capture_rows WHEN OLD.version IS NOT NULL BEGIN
  INSERT OR IGNORE INTO touched SELECT id, place >> 16, place & 65535 FROM versions WHERE id = OLD.version; END;
CREATE TEMP TRIGGER capture_changed AFTER UPDATE OF version, time, kind, copy ON main.capture_rows BEGIN
  INSERT OR IGNORE INTO touched SELECT id, place >> 16, place & 65535 FROM versions
    WHERE id IN (OLD.version, NEW.version); END;
CREATE TEMP TRIGGER version_removed AFTER DELETE ON main.versions BEGIN
  INSERT OR IGNORE INTO touched VALUES (OLD.id, OLD.place >> 16, OLD.place & 65535); END;
"""


class CaptureColumns:
    """The captures of the versions of one segment, mapped into memory.

    numbers: of each version, the number by which the catalogue knows it; of one that was removed it says nothing.
    ends: row i says where the captures of version i end; they begin where those of version i - 1 end. A version that
    was removed has none. timestamp: 14 digits as a number, 0 when unknown, rising within a version; status: HTTP
    status, 0 for none; mime: index into `mimes`; kind: index into CAPTURE_KINDS.
    """

    def __init__(self, path: str, versions: int) -> None:
        """Map the file. Raises IndexMissingError, IndexVersionError, IndexCorruptError."""
        self.file = file = ArrayFile(path, "captures")
        self.mimes: list[str] = file.meta["mimes"]
        rows = file.rows("timestamp")
        if {file.rows("ends"), file.rows("version")} != {versions} or any(
            file.rows(name) != rows for name in _COLUMNS[2:]
        ):
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
    def numbers(self) -> NDArray[np.int64]:
        numbers: NDArray[np.int64] = self.file.array("version").astype(np.int64) + int(
            self.file.meta["first"]
        )
        return numbers

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
        ordinals, timestamps, statuses, names, kinds = _columns(rows)
        if not _are_stored(timestamps, statuses, names) or any(map(ge, ordinals, ordinals[1:])):
            ordinals, timestamps, statuses, names, kinds = _columns(sorted(map(stored_row, rows)))
        mimes = {name: number for number, name in enumerate(self.mimes)}
        for name in dict.fromkeys(names):
            if len(mimes) < _MIMES_AT_MOST:
                mimes.setdefault(name, len(mimes))
        mime = [mimes.get(name, 0) for name in names]
        kind = [_NUMBER_OF_KIND[name] for name in kinds]
        version = np.append(self.version_of_rows(), np.array(ordinals, dtype=np.int64))
        timestamp = np.append(
            self.timestamp, np.array(list(map(int, (each or 0 for each in timestamps))), dtype=np.uint64)
        )
        order = np.lexsort((timestamp, version))
        joined = copy.copy(self)
        joined.mimes = list(mimes)
        joined.timestamp = timestamp[order]
        joined.status = np.append(self.status, np.array(statuses, dtype=np.uint16))[order]
        joined.mime = np.append(self.mime, np.array(mime, dtype=np.uint16))[order]
        joined.kind = np.append(self.kind, np.array(kind, dtype=np.uint8))[order]
        joined.ends = np.cumsum(np.bincount(version, minlength=len(self.ends))).astype(np.uint32)
        return joined


def columns_of(numbers: Sequence[int] | NDArray[np.int64], rows: Iterable[CaptureRow]) -> CaptureColumns:
    """Return the capture columns of a segment in memory. numbers: of its versions."""
    empty = CaptureColumns.__new__(CaptureColumns)
    empty.mimes = [""]
    empty.numbers = np.asarray(numbers, dtype=np.int64)
    empty.ends = np.zeros(len(empty.numbers), dtype=np.uint32)
    empty.timestamp = np.zeros(0, dtype=np.uint64)
    empty.status = empty.mime = np.zeros(0, dtype=np.uint16)
    empty.kind = np.zeros(0, dtype=np.uint8)
    return empty.with_rows(list(rows))


def merged_columns(
    parts: Sequence[CaptureColumns], places: Sequence[NDArray[np.int64]], versions: int
) -> CaptureColumns:
    """Return the columns of a segment that was merged from others, in memory.

    places: for each of them the new ordinal of each version, -1 for one that was dropped and has no capture.
    """
    merged = columns_of(np.zeros(versions, dtype=np.int64), ())
    mimes = {"": 0}
    columns: list[list[NDArray[Any]]] = [[], [], [], [], []]
    for part, place in zip(parts, places, strict=True):
        kept = place >= 0
        merged.numbers[place[kept]] = part.numbers[kept]
        number_of = np.array(
            [
                mimes.setdefault(name, len(mimes)) if name in mimes or len(mimes) < _MIMES_AT_MOST else 0
                for name in part.mimes
            ],
            dtype=np.uint16,
        )
        rows: tuple[NDArray[Any], ...] = (
            place[part.version_of_rows()],
            part.timestamp,
            part.status,
            number_of[part.mime],
            part.kind,
        )
        for column, values in zip(columns, rows, strict=True):
            column.append(values[rows[0] >= 0])
    if parts:
        version, timestamp, status, mime, kind = [np.concatenate(column) for column in columns]
        order = np.argsort(version, kind="stable")  # of one version they are in order already
        merged.mimes = list(mimes)
        merged.timestamp, merged.status = timestamp[order], status[order]
        merged.mime, merged.kind = mime[order], kind[order]
        merged.ends = np.cumsum(np.bincount(version, minlength=versions)).astype(np.uint32)
    return merged


def write_columns(path: str, columns: CaptureColumns) -> None:
    """Write the capture columns of a segment. Raises DiskFullError."""
    first = int(columns.numbers.min(initial=1 << 62)) if len(columns.numbers) else 0
    numbers = columns.numbers - first
    arrays: dict[str, NDArray[Any]] = {name: getattr(columns, name) for name in _COLUMNS}
    arrays["version"] = numbers.astype(_smallest(int(numbers.max(initial=0))))
    write_arrays(path, "captures", {"mimes": columns.mimes, "first": first}, arrays)


def _smallest(greatest: int) -> type[np.unsignedinteger[Any]]:
    return np.uint8 if greatest < 1 << 8 else np.uint16 if greatest < 1 << 16 else np.uint32


def _columns(rows: Sequence[CaptureRow]) -> Sequence[Sequence[Any]]:
    return tuple(zip(*rows, strict=True)) or ((),) * 5


def _are_stored(timestamps: Sequence[str], statuses: Sequence[int], mimes: Sequence[str]) -> bool:
    """Tell whether the columns give back all of some rows as they are, as those of most batches."""
    if not timestamps:
        return True
    digits = "".join(timestamps)
    return (
        set(map(len, timestamps)) == {14}
        and digits.isascii()
        and digits.isdigit()
        and "0" * 14 not in timestamps
        and min(statuses) >= 0
        and max(statuses) <= _GREATEST_STATUS
        and max(map(len, mimes)) <= _MIME_CHARS
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
    """Let a writing connection note which versions lose captures, or have one that changes."""
    connection.executescript(_NOTES)


def note_shown(connection: sqlite3.Connection, versions: Iterable[int]) -> None:
    """Note that some versions, which are in the catalogue, have new captures."""
    connection.executemany(
        "INSERT OR IGNORE INTO touched SELECT id, place >> 16, place & 65535 FROM versions WHERE id = ?",
        [(version,) for version in versions],
    )


def write_changed_captures(
    connection: sqlite3.Connection,
    folder: str,
    segments: list[dict[str, Any]],
    fresh: Mapping[int, CaptureColumns] = MappingProxyType({}),
) -> None:
    """Write the columns of the segments whose captures changed, or that have none; their entries get a new edition.

    segments: entries of the list of live segments; fresh: columns of new ones, as they are without what was noted.
    Call it last in the transaction that changes captures.
    """
    touched = {row[0] for row in connection.execute("SELECT DISTINCT segment FROM touched")}
    for entry in segments:
        if entry["number"] in touched or not entry["captures"]:
            columns = _updated(connection, folder, entry, fresh)
            entry["captures"] += 1
            write_columns(captures_path(folder, entry), columns)
    connection.execute("DELETE FROM touched")


def _updated(
    connection: sqlite3.Connection, folder: str, entry: dict[str, Any], fresh: Mapping[int, CaptureColumns]
) -> CaptureColumns:
    """Return the captures of a segment as they are now, from the edition before, or from what is known of a new one.

    Only versions that changed are asked of the catalogue: a segment has 65,536, and a commit may touch all segments.
    """
    number = entry["number"]
    before = fresh.get(number)
    if before is None:
        before = sound_columns(connection, folder, entry)
    changed = connection.execute("SELECT ordinal FROM touched WHERE segment = ?", (number,)).fetchall()
    if not changed:
        return before
    # CROSS: what was touched first, else SQLite may walk all captures there are
    now = connection.execute(
        "SELECT t.ordinal, c.timestamp, c.status, c.mime, c.type FROM touched t"
        " CROSS JOIN captures c ON c.version = t.version AND c.copy = 0 WHERE t.segment = ?",
        (number,),
    ).fetchall()
    return before.without([row[0] for row in changed]).with_rows(now)


def sound_columns(connection: sqlite3.Connection, folder: str, entry: dict[str, Any]) -> CaptureColumns:
    """Return the columns of a segment, verified; made from the catalogue where the last edition is not sound."""
    if entry["captures"]:
        try:
            columns = CaptureColumns(captures_path(folder, entry), entry["versions"])
            for name in ("numbers", *_COLUMNS):
                getattr(columns, name)
            return columns
        except IndexError_:
            pass  # all of it can be had from the catalogue
    numbers = np.zeros(entry["versions"], dtype=np.int64)
    for ordinal, version in connection.execute(
        "SELECT place & 65535, id FROM versions WHERE place >> 16 = ?", (entry["number"],)
    ):
        numbers[ordinal] = version
    numbers[numbers == 0] = numbers.max(initial=0)  # of versions that are no more
    return columns_of(numbers, catalogue_rows(connection, entry["number"]))


def catalogue_rows(connection: sqlite3.Connection, segment: int) -> list[CaptureRow]:
    """Return the captures of the versions of a segment as the catalogue has them, in no order. Reads all versions."""
    return connection.execute(
        "SELECT v.place & 65535, c.timestamp, c.status, c.mime, c.type FROM versions v"
        " JOIN captures c ON c.version = v.id AND c.copy = 0 WHERE v.place >> 16 = ?",
        (segment,),
    ).fetchall()


def captures_path(folder: str, entry: dict[str, Any]) -> str:
    """Return the path of the capture columns of a segment, by its entry in the catalogue."""
    return os.path.join(folder, f"{entry['number']:06d}.c{entry['captures']}")
