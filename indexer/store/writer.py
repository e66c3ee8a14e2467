"""IndexWriter: turns finished batches into committed segments, all or nothing.

One process writes an index at a time (writer.lock). A commit first syncs segment files, then
runs one SQLite transaction; until that transaction ends, readers see the state before.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.store import disk
from indexer.store.bm25f import Ranking
from indexer.store.catalogue import Catalogue, doc_id, sort_key
from indexer.store.errors import IndexCorruptError, IndexError_
from indexer.store.files import FileTable
from indexer.store.inlinks import Source, write_overlay
from indexer.store.links import Links, merge_links
from indexer.store.merging import merge_segments
from indexer.store.segment import KINDS, MAX_VERSIONS, Segment
from indexer.store.timeline import captures_path, watch_captures, write_changed_captures
from indexer.store.weights import Basis, Weights, write_weights
from indexer.text.elements import INLINK

# Weights are computed anew when the mean lengths have moved by more than this since they were written:
# at the end of a run they shall fit well, in its course only well enough.
_DRIFT, _DRIFT_IN_RUN = 1.25, 2.5
_BESIDE_NAME = re.compile(r"\d+\.(?:[wci]\d+|links)")
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
    """What one commit adds: at most one segment file (and its links file) with its versions, captures, ledger entries.

    ledger: (number of the file, its entry) of files read to the end.
    replaces: numbers of files whose captures so far make place for those of the batches of this commit.
    given_up: numbers of files that could not be read to their end; their ledger entry counts the captures held.
    """

    segment: str = ""
    links: str = ""
    sums: Sequence[int] = ()
    counts: Sequence[int] = ()
    versions: list[NewVersion] = field(default_factory=list)
    captures: list[NewCapture] = field(default_factory=list)
    ledger: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    replaces: set[int] = field(default_factory=set)
    given_up: set[int] = field(default_factory=set)


class IndexWriter:
    """Writes one generation of an index; keep one per process and close it."""

    def __init__(self, folder: str, ranking: Ranking) -> None:
        """Open or create the generation in `folder`; the caller holds the lock of the index."""
        self.folder = folder
        self.ranking = ranking
        self.catalogue = Catalogue(folder, writing=True)
        self._dictionary = self.catalogue.dictionary
        self.files = FileTable(self.catalogue)
        self._remove_orphans(list(self._dictionary["segments"]), (".seg", ".new", ".tmp"))
        connection = self.catalogue.connection()
        watch_captures(connection)
        try:
            self._next_url = (
                int(connection.execute("SELECT COALESCE(MAX(id), 0) FROM urls").fetchone()[0]) + 1
            )
            self._next_version = (
                int(connection.execute("SELECT COALESCE(MAX(id), 0) FROM versions").fetchone()[0]) + 1
            )
        except sqlite3.Error as error:
            self.catalogue.close()
            raise self.catalogue.translated(error) from error
        self._new_urls: dict[str, int] = {}
        self._first_new_url = self._next_url

    def close(self) -> None:
        """Close the catalogue; what a run that failed or was stopped has left goes at once, the disk may be full."""
        with suppress(sqlite3.Error, OSError, IndexError_):
            self._remove_orphans(list(self._dictionary["segments"]), (".seg", ".new", ".tmp"))
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
        if document >= self._first_new_url:
            return 0  # the address itself is not committed yet
        row = (
            self.catalogue.connection()
            .execute("SELECT id FROM versions WHERE url = ? AND digest = ?", (document, digest))
            .fetchone()
        )
        return int(row[0]) if row else 0

    def new_version_number(self) -> int:
        number = self._next_version
        self._next_version += 1
        return number

    def begin_files(self, states: dict[str, dict[str, Any]]) -> dict[str, int]:
        """Note that files are about to be read, and in which state they are; return their numbers by path."""
        with self.catalogue.transaction():
            return {path: self.files.begin(path, state) for path, state in states.items()}

    def versions_shown_by(self, file: int) -> set[int]:
        """Return the numbers of the versions that the captures of a file show."""
        rows = self.catalogue.connection().execute(
            "SELECT DISTINCT version FROM captures WHERE file = ? AND version IS NOT NULL", (file,)
        )
        return {int(version) for (version,) in rows}

    # -- commits

    def commit(self, batches: Iterable[CommitBatch]) -> None:
        """Make batches part of the index, in one transaction. Raises DiskFullError."""
        batches = list(batches)
        with self.catalogue.transaction() as connection:
            shown: set[int] = set()
            for file in sorted({file for batch in batches for file in batch.replaces}):
                shown |= self.versions_shown_by(file)
                connection.execute("DELETE FROM captures WHERE file = ?", (file,))
            segments: list[dict[str, Any]] = list(self._dictionary["segments"])
            urls = list(self._new_urls.items())
            connection.executemany(
                "INSERT INTO urls (id, url, doc_id, sort_key) VALUES (?, ?, ?, ?)",
                [(number, url, doc_id(url), sort_key(url)) for url, number in urls],
            )
            for batch in batches:
                if batch.segment:
                    number = self._next_segment_number(segments)
                    disk.rename(os.path.join(self.folder, batch.segment), self._segment_path(number))
                    disk.rename(os.path.join(self.folder, batch.links), links_path(self.folder, number))
                    segments.append(
                        {
                            "number": number,
                            "versions": len(batch.versions),
                            "sums": list(batch.sums),
                            "counts": list(batch.counts),
                            "weights": 0,
                            "captures": 0,
                            "inlinks": 0,
                            "dead": [],
                        }
                    )
                    connection.executemany(
                        "INSERT INTO versions (id, url, digest, segment, ordinal, title) VALUES (?, ?, ?, ?, ?, ?)",
                        [
                            (v.number, v.document, v.digest, number, ordinal, v.title)
                            for ordinal, v in enumerate(batch.versions)
                        ],
                    )
                connection.executemany(
                    "INSERT OR IGNORE INTO captures (url, timestamp, type, status, mime, payload, file, member, offset,"
                    " length, inner, version, refers_to) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [
                        (
                            c.document,
                            c.timestamp,
                            c.type,
                            c.status,
                            c.mime,
                            c.payload,
                            c.file,
                            c.member,
                            c.offset,
                            c.length,
                            c.inner,
                            c.version or None,
                            c.refers_to or None,
                        )
                        for c in batch.captures
                    ],
                )
            payloads = self._bury(connection, self._without_bytes(connection, shown), segments)
            for batch in batches:
                for file, entry in batch.ledger:
                    if file in batch.given_up:
                        self._count_captures(connection, file, entry)
                    self.files.finish(file, entry)
            disk.sync_folder(self.folder)
            self._join_revisits(
                connection, payloads | {c.payload for batch in batches for c in batch.captures}
            )
            self._weigh(segments, _DRIFT_IN_RUN)
            self._keep(connection, segments)
        self._new_urls.clear()
        self._first_new_url = self._next_url
        self._remove_orphans(segments)

    def _keep(self, connection: sqlite3.Connection, segments: list[dict[str, Any]]) -> None:
        """Make these the live segments; the last step of a transaction that changed versions or captures."""
        write_changed_captures(connection, self.folder, segments)
        self._dictionary["segments"] = segments

    def _join_revisits(self, connection: Any, payloads: set[str]) -> None:
        """Give revisits the version they repeat: same payload digest, the same address before any other.

        payloads: digests of captures that came or lost their version. Only these are looked at: revisits of pictures,
        which never show a version, may be millions.
        """
        connection.execute("CREATE TEMP TABLE IF NOT EXISTS payloads_touched (payload TEXT PRIMARY KEY)")
        connection.execute("DELETE FROM payloads_touched")
        connection.executemany(
            "INSERT INTO payloads_touched VALUES (?)", [(payload,) for payload in payloads if payload]
        )
        connection.execute(
            """UPDATE captures SET version = (
                 SELECT o.version FROM captures o WHERE o.payload = captures.payload AND o.payload <> ''
                   AND o.url = captures.url AND o.version IS NOT NULL LIMIT 1)
               WHERE id IN (
                 SELECT r.id FROM payloads_touched t CROSS JOIN captures r INDEXED BY revisits_alone
                   ON r.payload = t.payload
                 WHERE r.type = 'revisit' AND r.version IS NULL AND r.payload <> ''
                   AND EXISTS (SELECT 1 FROM captures o WHERE o.payload = r.payload AND o.payload <> ''
                     AND o.url = r.url AND o.version IS NOT NULL))"""
        )

    def forget_file(self, path: str) -> None:
        """Take everything that only this file holds out of the index, and the file out of the ledger."""
        with self.catalogue.transaction() as connection:
            file = self.files.find(path)
            if file is None:
                return
            self.drop_captures(connection, "file = ?", [file.number], fold=False)
            self.files.forget(file.number)

    def drop_captures(
        self, connection: sqlite3.Connection, where: str, values: Sequence[Any], *, fold: bool = True
    ) -> None:
        """Take captures out that fit an SQL condition, with the versions and addresses that only they show.

        fold: so that link texts of pages that are gone leave other pages in the same transaction.
        """
        shown = {
            int(row[0])
            for row in connection.execute(
                f"SELECT DISTINCT version FROM captures WHERE version IS NOT NULL AND {where}", values
            )
        }
        urls = connection.execute(f"SELECT DISTINCT url FROM captures WHERE {where}", values).fetchall()
        connection.execute(f"DELETE FROM captures WHERE {where}", values)
        segments: list[dict[str, Any]] = list(self._dictionary["segments"])
        self._bury(connection, self._without_bytes(connection, shown), segments)
        connection.executemany(
            "DELETE FROM urls WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM captures WHERE url = ?1)", urls
        )
        if fold:
            self._fold(connection, segments)
        self._keep(connection, segments)

    def forget_addresses(self) -> None:
        """Take addresses out that have no capture any more."""
        with self.catalogue.transaction() as connection:
            connection.execute(
                "DELETE FROM urls WHERE NOT EXISTS (SELECT 1 FROM captures WHERE captures.url = urls.id)"
            )

    def _without_bytes(self, connection: Any, versions: set[int]) -> list[int]:
        """Return those of some versions that no capture holds; a revisit shows a version without holding it."""
        return [
            version
            for version in sorted(versions)
            if not connection.execute(
                "SELECT 1 FROM captures WHERE version = ? AND type <> 'revisit' LIMIT 1", (version,)
            ).fetchone()
        ]

    def _count_captures(self, connection: Any, file: int, entry: dict[str, Any]) -> None:
        """Let the ledger entry of a file that was given up count the captures that are held of it."""
        entry["captures"], entry["documents"] = connection.execute(
            "SELECT COUNT(*), COUNT(CASE WHEN type <> 'revisit' THEN version END) FROM captures WHERE file = ?",
            (file,),
        ).fetchone()
        entry["records"] = entry["captures"] + sum(entry["skipped"].values())

    def _bury(self, connection: Any, versions: list[int], segments: list[dict[str, Any]]) -> set[str]:
        """Mark versions as dead in their segments; a merge drops them for good.

        Returns the payload digests of revisits that showed one of them.
        """
        payloads: set[str] = set()
        by_number = {segment["number"]: segment for segment in segments}
        touched: set[int] = set()
        for version in versions:
            number, ordinal = connection.execute(
                "SELECT segment, ordinal FROM versions WHERE id = ?", (version,)
            ).fetchone()
            by_number[number]["dead"].append(ordinal)
            touched.add(number)
            payloads.update(
                row[0]
                for row in connection.execute("SELECT payload FROM captures WHERE version = ?", (version,))
            )
            connection.execute("UPDATE captures SET version = NULL WHERE version = ?", (version,))
            connection.execute("DELETE FROM versions WHERE id = ?", (version,))
        for number in sorted(touched):
            entry = by_number[number]
            entry["dead"] = sorted(entry["dead"])
            self._sum_lengths(entry)
        return payloads

    def _sum_lengths(self, entry: dict[str, Any]) -> None:
        """Bring sums and counts of a segment's entry up to its live versions."""
        segment = Segment(self._segment_path(entry["number"]))
        alive = np.ones(len(segment), dtype=bool)
        alive[entry["dead"]] = False
        lengths = segment.lengths[alive]
        entry["sums"] = lengths.sum(axis=0, dtype=np.int64).tolist()
        entry["counts"] = (lengths > 0).sum(axis=0).tolist()
        inlinks = self._inlinks_of(entry)
        if inlinks is not None:
            texts = inlinks.lengths[alive, INLINK]
            entry["sums"][INLINK] += int(texts.sum(dtype=np.int64))
            entry["counts"][INLINK] += int((texts > 0).sum())

    # -- link texts

    def fold_links(self) -> None:
        """Fold the texts of all links into the pages they point to, if the pages of the index have changed since."""
        state = _fold_state(self._dictionary["segments"])
        if self._dictionary.get("links folded") == state:
            return
        with self.catalogue.transaction() as connection:
            segments: list[dict[str, Any]] = list(self._dictionary["segments"])
            self._fold(connection, segments)
            self._dictionary["segments"] = segments
        self._remove_orphans(segments)

    def _fold(self, connection: Any, segments: list[dict[str, Any]]) -> None:
        sources = []
        for entry in segments:
            segment = Segment(self._segment_path(entry["number"]))
            alive = None
            if entry["dead"]:
                alive = np.ones(len(segment), dtype=bool)
                alive[entry["dead"]] = False
            sources.append(
                Source(segment, Links(links_path(self.folder, entry["number"]), len(segment)), alive)
            )
        for entry, source in zip(segments, sources, strict=True):
            addresses = [""] * len(source.segment)
            for ordinal, address in connection.execute(
                "SELECT v.ordinal, u.sort_key FROM versions v JOIN urls u ON u.id = v.url WHERE v.segment = ?",
                (entry["number"],),
            ):
                addresses[ordinal] = address
            entry["inlinks"] += 1
            write_overlay(inlinks_path(self.folder, entry), source.segment, addresses, sources)
            self._sum_lengths(entry)
        self._weigh(segments, 0)
        self._dictionary["links folded"] = _fold_state(segments)

    def _inlinks_of(self, entry: dict[str, Any]) -> Segment | None:
        return Segment(inlinks_path(self.folder, entry)) if entry["inlinks"] else None

    # -- weights and merging

    def _weigh(self, segments: list[dict[str, Any]], drift: float) -> None:
        """Write weights for segments that have none, or whose weights may be wrong by more than a factor of `drift`.

        drift: 0 for all segments.
        """
        means = mean_lengths(segments)
        now = Basis.of(self.ranking, means)
        for entry in segments:
            if entry["weights"] and drift:
                segment = Segment(self._segment_path(entry["number"]))
                if Weights(self._weights_path(entry), segment).basis.slack(now) <= drift:
                    continue
            segment = self._sound_segment(entry)
            entry["weights"] += 1
            path = self._weights_path(entry)
            write_weights(path, segment, self.ranking, means, self._inlinks_of(entry))

    def _reweigh(self, drift: float) -> None:
        """Compute weights anew where they do not fit the ranking of this writer, without reading an archive."""
        with self.catalogue.transaction():
            segments: list[dict[str, Any]] = list(self._dictionary["segments"])
            self._weigh(segments, drift)
            self._dictionary["segments"] = segments
        self._remove_orphans(segments)

    def merge(
        self,
        stop: Callable[[], bool] = lambda: False,
        *,
        all_of_it: bool = False,
        progress: Callable[[str, int, int], None] = lambda step, done, total: None,
    ) -> None:
        """Merge small segments into few large ones, drop dead versions, and fold links in. Bounded memory.

        stop: asked before each merge; True ends the merging, what was merged is committed. all_of_it: until no two
        segments fit into one, and no dead version is left. progress: called with a step, and how many of how many
        are done. What was merged is without texts of links until they are folded in, which is the last step.
        """
        segments = self.segments()
        sizes = {entry["number"]: self._occurrences_of(entry) for entry in segments}
        groups = (_whole_plan if all_of_it else _merge_plan)(segments, sizes)
        for done, chosen in enumerate(groups):
            if stop():
                break
            progress("merging segments", done, len(groups))
            self._merge_into_one(chosen)
        else:
            progress("merging segments", len(groups), len(groups))
        self.fold_links()
        self._reweigh(_DRIFT)

    def segments(self) -> list[dict[str, Any]]:
        """Return what the catalogue says of the live segments."""
        return list(self._dictionary["segments"])

    def remove_orphans(self) -> None:
        """Remove files that no commit names any more."""
        self._remove_orphans(self.segments())

    def _sound_segment(self, entry: dict[str, Any]) -> Segment:
        """Return a segment whose bytes fit their checksums: damage must not get into a new file."""
        segment = Segment(self._segment_path(entry["number"]))
        for problem in segment.file.problems():
            raise IndexCorruptError(problem)
        return segment

    def _occurrences_of(self, entry: dict[str, Any]) -> int:
        return int(sum(entry["sums"]))

    def _merge_into_one(self, chosen: list[dict[str, Any]]) -> None:
        segments: list[dict[str, Any]] = list(self._dictionary["segments"])
        number = self._next_segment_number(segments)
        opened = [self._sound_segment(entry) for entry in chosen]
        dead = [entry["dead"] for entry in chosen]
        places = merge_segments(self._segment_path(number), opened, dead)
        links = [
            Links(links_path(self.folder, e["number"]), len(s)) for e, s in zip(chosen, opened, strict=True)
        ]
        merge_links(links_path(self.folder, number), links, places)
        merged: dict[str, Any] = {
            "number": number,
            "versions": sum(int((place >= 0).sum()) for place in places),
            "weights": 0,
            "captures": 0,
            "inlinks": 0,
            "dead": [],
        }
        self._sum_lengths(merged)
        gone = {entry["number"] for entry in chosen}
        with self.catalogue.transaction() as connection:
            for entry, place in zip(chosen, places, strict=True):
                connection.executemany(
                    "UPDATE versions SET segment = ?, ordinal = ? WHERE segment = ? AND ordinal = ?",
                    [
                        (number, int(new), entry["number"], old)
                        for old, new in enumerate(place.tolist())
                        if new >= 0
                    ],
                )
            segments = [entry for entry in segments if entry["number"] not in gone]
            if merged["versions"]:
                segments.append(merged)
            self._weigh(segments, _DRIFT)
            self._keep(connection, segments)
        self._remove_orphans(segments)

    # -- files

    def _next_segment_number(self, segments: list[dict[str, Any]]) -> int:
        number: int = (
            max([int(self._dictionary.get("last segment", 0)), *(entry["number"] for entry in segments)]) + 1
        )
        self._dictionary["last segment"] = number
        return number

    def _segment_path(self, number: int) -> str:
        return segment_path(self.folder, number)

    def _weights_path(self, entry: dict[str, Any]) -> str:
        return weights_path(self.folder, entry)

    def _remove_orphans(self, segments: list[dict[str, Any]], endings: tuple[str, ...] = (".seg",)) -> None:
        """Remove files that no commit names: what a crash, a merge or a new weighing left behind."""
        live = {os.path.basename(self._segment_path(entry["number"])) for entry in segments}
        for path in (weights_path, captures_path, inlinks_path):
            live |= {os.path.basename(path(self.folder, entry)) for entry in segments}
        live |= {os.path.basename(links_path(self.folder, entry["number"])) for entry in segments}
        for name in os.listdir(self.folder):
            is_ours = name.endswith(endings) or _BESIDE_NAME.fullmatch(name)
            if is_ours and name not in live:
                disk.remove(os.path.join(self.folder, name))


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


def links_path(folder: str, number: int) -> str:
    """Return the path of the links of a segment's pages."""
    return os.path.join(folder, f"{number:06d}.links")


def inlinks_path(folder: str, entry: dict[str, Any]) -> str:
    """Return the path of the link texts folded into a segment's pages, by its entry in the catalogue."""
    return os.path.join(folder, f"{entry['number']:06d}.i{entry['inlinks']}")


def _fold_state(segments: list[dict[str, Any]]) -> list[list[int]]:
    """Return what tells whether pages came or went since links were folded: numbers are never used again."""
    return [[entry["number"], len(entry["dead"])] for entry in segments]


def _merge_plan(segments: list[dict[str, Any]], occurrences: dict[int, int]) -> list[list[dict[str, Any]]]:
    """Return groups of segments to be merged: neighbours while they fit one segment; alone only to drop many dead."""
    groups: list[list[dict[str, Any]]] = []
    current: list[dict[str, Any]] = []
    versions = size = 0
    for entry in segments:
        alive = entry["versions"] - len(entry["dead"])
        if current and (
            versions + alive > _MERGE_VERSIONS or size + occurrences[entry["number"]] > _MERGE_OCCURRENCES
        ):
            groups.append(current)
            current, versions, size = [], 0, 0
        current.append(entry)
        versions += alive
        size += occurrences[entry["number"]]
    if current:
        groups.append(current)
    return [group for group in groups if len(group) > 1 or len(group[0]["dead"]) * 4 > group[0]["versions"]]


def _whole_plan(segments: list[dict[str, Any]], occurrences: dict[int, int]) -> list[list[dict[str, Any]]]:
    """Return groups of segments to be merged so that few are left: large ones first, each to where it fits tightest."""
    groups: list[list[dict[str, Any]]] = []
    filled: list[tuple[int, int]] = []
    for entry in sorted(segments, key=lambda entry: len(entry["dead"]) - entry["versions"]):
        alive, size = entry["versions"] - len(entry["dead"]), occurrences[entry["number"]]
        fitting = [
            place
            for place, (versions, held) in enumerate(filled)
            if versions + alive <= _MERGE_VERSIONS and held + size <= _MERGE_OCCURRENCES
        ]
        if fitting:
            place = max(fitting, key=lambda place: filled[place])
            groups[place].append(entry)
            filled[place] = (filled[place][0] + alive, filled[place][1] + size)
        else:
            groups.append([entry])
            filled.append((alive, size))
    return [group for group in groups if len(group) > 1 or group[0]["dead"]]
