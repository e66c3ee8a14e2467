"""IndexWriter: turns finished batches into committed segments, all or nothing.

One process writes an index at a time (writer.lock). A commit first syncs segment files, then
runs one SQLite transaction; until that transaction ends, readers see the state before.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.store.bm25f import Ranking
from indexer.store.catalogue import Catalogue, doc_id, sort_key
from indexer.store.merging import merge_segments
from indexer.store.segment import KINDS, MAX_VERSIONS, Segment
from indexer.store.weights import Basis, Weights, write_weights

# Weights are computed anew when the mean lengths have moved by more than this since they were written:
# at the end of a run they shall fit well, in its course only well enough.
_DRIFT, _DRIFT_IN_RUN = 1.25, 2.5
_WEIGHTS_NAME = re.compile(r"\d+\.w\d+")
# Segments smaller than this are merged at the end of a run; what is merged stays below both bounds.
_MERGE_VERSIONS, _MERGE_OCCURRENCES = MAX_VERSIONS, 60_000_000


@dataclass(slots=True)
class NewVersion:
    """One version of a batch: its number, address, digest and title."""

    number: int
    document: int
    url: str
    digest: bytes
    title: str | None


@dataclass(slots=True)
class NewCapture:
    """One capture of a batch, in the columns of the catalogue; version 0 for none."""

    document: int
    timestamp: str
    type: str
    status: int
    mime: str
    payload: str
    file: int
    member: str
    offset: int
    length: int
    inner: int
    version: int
    refers_to: str


@dataclass(slots=True)
class CommitBatch:
    """What one commit adds: at most one segment file with its versions, captures, and ledger entries."""

    segment: str = ""
    sums: Sequence[int] = ()
    counts: Sequence[int] = ()
    versions: list[NewVersion] = field(default_factory=list)
    captures: list[NewCapture] = field(default_factory=list)
    ledger: list[dict[str, Any]] = field(default_factory=list)


class IndexWriter:
    """Writes one generation of an index; keep one per process and close it."""

    def __init__(self, folder: str, ranking: Ranking) -> None:
        """Open or create the generation in `folder`; the caller holds the lock of the index."""
        self.folder = folder
        self.ranking = ranking
        self.catalogue = Catalogue(folder, writing=True)
        self._dictionary = self.catalogue.dictionary
        self._remove_orphans(list(self._dictionary["segments"]), (".seg", ".new", ".tmp"))
        connection = self.catalogue.connection()
        self._next_url = int(connection.execute("SELECT COALESCE(MAX(id), 0) FROM urls").fetchone()[0]) + 1
        self._next_version = int(connection.execute("SELECT COALESCE(MAX(id), 0) FROM versions").fetchone()[0]) + 1
        self._new_urls: dict[str, int] = {}

    def close(self) -> None:
        self.catalogue.close()

    # -- numbers for addresses, versions and files

    def document_number(self, url: str) -> int:
        """Return the number of an address; a new one gets its row with the next commit."""
        number = self._new_urls.get(url)
        if number is None:
            row = self.catalogue.connection().execute("SELECT id FROM urls WHERE url = ?", (url,)).fetchone()
            if row:
                return int(row[0])
            number = self._new_urls[url] = self._next_url
            self._next_url += 1
        return number

    def known_version(self, document: int, digest: bytes) -> int:
        """Return the number of a committed version, 0 if there is none."""
        row = self.catalogue.connection().execute(
            "SELECT id FROM versions WHERE url = ? AND digest = ?", (document, digest)
        ).fetchone()
        return int(row[0]) if row else 0

    def new_version_number(self) -> int:
        number = self._next_version
        self._next_version += 1
        return number

    def file_number(self, path: str) -> int:
        """Return the number of an archive file, giving it one if it is new."""
        connection = self.catalogue.connection()
        connection.execute("INSERT OR IGNORE INTO files (path) VALUES (?)", (path,))
        return int(connection.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()[0])

    def ledger_entry(self, path: str) -> dict[str, Any] | None:
        """Return what the ledger says of a file."""
        entry: dict[str, Any] | None = self._dictionary.get(_ledger_key(path))
        return entry

    # -- commits

    def commit(self, batches: Iterable[CommitBatch]) -> None:
        """Make batches part of the index, in one transaction. Raises DiskFullError."""
        with self.catalogue.transaction() as connection:
            segments: list[dict[str, Any]] = list(self._dictionary["segments"])
            urls = list(self._new_urls.items())
            connection.executemany(
                "INSERT INTO urls (id, url, doc_id, sort_key) VALUES (?, ?, ?, ?)",
                [(number, url, doc_id(url), sort_key(url)) for url, number in urls],
            )
            for batch in batches:
                if batch.segment:
                    number = self._next_segment_number(segments)
                    os.replace(os.path.join(self.folder, batch.segment), self._segment_path(number))
                    segments.append(
                        {"number": number, "versions": len(batch.versions), "sums": list(batch.sums),
                         "counts": list(batch.counts), "weights": 0, "dead": []}
                    )
                    connection.executemany(
                        "INSERT INTO versions (id, url, digest, segment, ordinal, title) VALUES (?, ?, ?, ?, ?, ?)",
                        [(v.number, v.document, v.digest, number, ordinal, v.title) for ordinal, v in enumerate(batch.versions)],
                    )
                connection.executemany(
                    "INSERT OR IGNORE INTO captures (url, timestamp, type, status, mime, payload, file, member, offset,"
                    " length, inner, version, refers_to) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [(c.document, c.timestamp, c.type, c.status, c.mime, c.payload, c.file, c.member, c.offset, c.length,
                      c.inner, c.version or None, c.refers_to or None) for c in batch.captures],
                )
                for entry in batch.ledger:
                    self._dictionary[_ledger_key(entry["file"])] = entry
            self._join_revisits(connection)
            self._weigh(segments, _DRIFT_IN_RUN)
            self._dictionary["segments"] = segments
        self._new_urls.clear()
        self._remove_orphans(segments)

    def _join_revisits(self, connection: Any) -> None:
        """Give revisits the version they repeat: same payload digest, the same address before any other."""
        connection.execute(
            """UPDATE captures SET version = (
                 SELECT o.version FROM captures o WHERE o.payload = captures.payload AND o.payload <> ''
                   AND o.url = captures.url AND o.version IS NOT NULL LIMIT 1)
               WHERE type = 'revisit' AND version IS NULL AND payload <> ''
                 AND EXISTS (SELECT 1 FROM captures o WHERE o.payload = captures.payload AND o.url = captures.url
                   AND o.version IS NOT NULL)"""
        )

    def forget_file(self, path: str) -> None:
        """Take everything that only this file holds out of the index, before it is read anew."""
        with self.catalogue.transaction() as connection:
            row = connection.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
            if row is None:
                return
            shown = {
                int(v) for (v,) in connection.execute(
                    "SELECT DISTINCT version FROM captures WHERE file = ? AND version IS NOT NULL", (row[0],)
                )
            }
            urls = connection.execute("SELECT DISTINCT url FROM captures WHERE file = ?", (row[0],)).fetchall()
            connection.execute("DELETE FROM captures WHERE file = ?", (row[0],))
            # a revisit elsewhere shows a version only while a capture that holds its bytes is there
            lost = [
                version for version in shown if not connection.execute(
                    "SELECT 1 FROM captures WHERE version = ? AND type <> 'revisit' LIMIT 1", (version,)
                ).fetchone()
            ]
            self._bury(connection, lost)
            connection.executemany(
                "DELETE FROM urls WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM captures WHERE url = ?1)", urls
            )
            self._dictionary.pop(_ledger_key(path), None)

    def _bury(self, connection: Any, versions: list[int]) -> None:
        """Mark versions as dead in their segments; a merge drops them for good."""
        segments: list[dict[str, Any]] = list(self._dictionary["segments"])
        by_number = {segment["number"]: segment for segment in segments}
        for version in versions:
            number, ordinal = connection.execute(
                "SELECT segment, ordinal FROM versions WHERE id = ?", (version,)
            ).fetchone()
            by_number[number]["dead"].append(ordinal)
            connection.execute("UPDATE captures SET version = NULL WHERE version = ?", (version,))
            connection.execute("DELETE FROM versions WHERE id = ?", (version,))
        for number in {s["number"] for s in segments if s["dead"]}:
            entry = by_number[number]
            segment = Segment(self._segment_path(number))
            alive = np.ones(len(segment), dtype=bool)
            alive[entry["dead"]] = False
            entry["dead"] = sorted(entry["dead"])
            entry["sums"] = segment.lengths[alive].sum(axis=0, dtype=np.int64).tolist()
            entry["counts"] = (segment.lengths[alive] > 0).sum(axis=0).tolist()
        self._dictionary["segments"] = segments

    # -- weights and merging

    def _weigh(self, segments: list[dict[str, Any]], drift: float) -> None:
        """Write weights for segments that have none, or whose weights may be wrong by more than a factor of `drift`."""
        means = mean_lengths(segments)
        now = Basis.of(self.ranking, means)
        for entry in segments:
            segment = None
            if entry["weights"]:
                segment = Segment(self._segment_path(entry["number"]))
                if Weights(self._weights_path(entry), segment).basis.slack(now) <= drift:
                    continue
            segment = segment or Segment(self._segment_path(entry["number"]))
            entry["weights"] += 1
            write_weights(self._weights_path(entry), segment, self.ranking, means)

    def _reweigh(self, drift: float) -> None:
        """Compute weights anew where they do not fit the ranking of this writer, without reading an archive."""
        with self.catalogue.transaction():
            segments: list[dict[str, Any]] = list(self._dictionary["segments"])
            self._weigh(segments, drift)
            self._dictionary["segments"] = segments
        self._remove_orphans(segments)

    def merge(self) -> None:
        """Merge small segments into few large ones, and drop dead versions. Bounded memory."""
        segments: list[dict[str, Any]] = list(self._dictionary["segments"])
        for chosen in _merge_plan(segments, {s["number"]: self._occurrences_of(s) for s in segments}):
            self._merge_into_one(chosen)
        self._reweigh(_DRIFT)

    def _occurrences_of(self, entry: dict[str, Any]) -> int:
        return sum(entry["sums"])

    def _merge_into_one(self, chosen: list[dict[str, Any]]) -> None:
        segments: list[dict[str, Any]] = list(self._dictionary["segments"])
        number = self._next_segment_number(segments)
        opened = [Segment(self._segment_path(entry["number"])) for entry in chosen]
        places = merge_segments(self._segment_path(number), opened, [entry["dead"] for entry in chosen])
        merged: dict[str, Any] = {
            "number": number, "versions": sum(int((place >= 0).sum()) for place in places),
            "sums": np.sum([entry["sums"] for entry in chosen], axis=0).tolist(),
            "counts": np.sum([entry["counts"] for entry in chosen], axis=0).tolist(), "weights": 0, "dead": [],
        }
        gone = {entry["number"] for entry in chosen}
        with self.catalogue.transaction() as connection:
            for entry, place in zip(chosen, places, strict=True):
                connection.executemany(
                    "UPDATE versions SET segment = ?, ordinal = ? WHERE segment = ? AND ordinal = ?",
                    [(number, int(new), entry["number"], old) for old, new in enumerate(place.tolist()) if new >= 0],
                )
            segments = [entry for entry in segments if entry["number"] not in gone]
            if merged["versions"]:
                segments.append(merged)
            self._weigh(segments, _DRIFT)
            self._dictionary["segments"] = segments
        self._remove_orphans(segments)

    # -- files

    def _next_segment_number(self, segments: list[dict[str, Any]]) -> int:
        number = max([int(self._dictionary.get("last segment", 0)), *(entry["number"] for entry in segments)]) + 1
        self._dictionary["last segment"] = number
        return number

    def _segment_path(self, number: int) -> str:
        return segment_path(self.folder, number)

    def _weights_path(self, entry: dict[str, Any]) -> str:
        return weights_path(self.folder, entry)

    def _remove_orphans(self, segments: list[dict[str, Any]], endings: tuple[str, ...] = (".seg",)) -> None:
        """Remove files that no commit names: what a crash, a merge or a new weighing left behind."""
        live = {os.path.basename(self._segment_path(entry["number"])) for entry in segments}
        live |= {os.path.basename(self._weights_path(entry)) for entry in segments}
        for name in os.listdir(self.folder):
            is_ours = name.endswith(endings) or _WEIGHTS_NAME.fullmatch(name)
            if is_ours and name not in live:
                os.remove(os.path.join(self.folder, name))


def mean_lengths(segments: Sequence[dict[str, Any]]) -> NDArray[np.float64]:
    """Return the mean length of each element over the live versions that have it, 0 where none has."""
    sums = np.zeros(KINDS)
    counts = np.zeros(KINDS)
    for entry in segments:
        sums += entry["sums"]
        counts += entry["counts"]
    return np.divide(sums, counts, out=np.zeros(KINDS), where=counts > 0)


def segment_path(folder: str, number: int) -> str:
    """Return the path of a segment file."""
    return os.path.join(folder, f"{number:06d}.seg")


def weights_path(folder: str, entry: dict[str, Any]) -> str:
    """Return the path of the weights of a segment, by its entry in the catalogue."""
    return os.path.join(folder, f"{entry['number']:06d}.w{entry['weights']}")


def _ledger_key(path: str) -> str:
    return "ledger:" + path


def _merge_plan(segments: list[dict[str, Any]], occurrences: dict[int, int]) -> list[list[dict[str, Any]]]:
    """Return groups of segments to be merged: neighbours while they fit one segment; alone only to drop many dead."""
    groups: list[list[dict[str, Any]]] = []
    current: list[dict[str, Any]] = []
    versions = size = 0
    for entry in segments:
        alive = entry["versions"] - len(entry["dead"])
        if current and (versions + alive > _MERGE_VERSIONS or size + occurrences[entry["number"]] > _MERGE_OCCURRENCES):
            groups.append(current)
            current, versions, size = [], 0, 0
        current.append(entry)
        versions += alive
        size += occurrences[entry["number"]]
    if current:
        groups.append(current)
    return [group for group in groups if len(group) > 1 or len(group[0]["dead"]) * 4 > group[0]["versions"]]
