"""IndexWriter: turns finished batches into committed segments, all or nothing.

One process writes an index at a time (writer.lock). A commit first syncs segment files, then
runs one SQLite transaction; until that transaction ends, readers see the state before.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from archiver.errors import FindingAidError
from archiver.warc import Location
from archiver.warc.growing import name_now
from indexer.store import disk
from indexer.store.bm25f import Ranking
from indexer.store.catalogue import Catalogue
from indexer.store.commit_batch import CommitBatch
from indexer.store.compact import (
    PAYLOAD_END,
    compact_address,
    compact_digest,
    doc_id,
    page_number,
    signed,
    sort_key,
)
from indexer.store.copies import mark_copies
from indexer.store.entries import fold_state, mean_lengths, sum_lengths
from indexer.store.files import FileTable
from indexer.store.inlinks import write_overlays
from indexer.store.layout import inlinks_path, links_path, segment_path, weights_path
from indexer.store.merge_task import MergeTask, Places, run_merge
from indexer.store.plans import last_groups, whole_groups
from indexer.store.timeline import captures_path, watch_captures, write_changed_captures
from indexer.store.weights import weigh

_VERSION_REPEATED = f"""SELECT o.version FROM captures o INDEXED BY captures_by_payload
    WHERE {PAYLOAD_END.format("o.payload")} = {PAYLOAD_END.format("captures.payload")} AND o.payload = captures.payload
    AND o.payload <> '' AND o.url = captures.url AND o.version IS NOT NULL"""
# of the captures named behind it
_TAKE_VERSION = f"""SET version = ({_VERSION_REPEATED} ORDER BY o.version LIMIT 1)
    WHERE type = 'revisit' AND version IS NULL AND payload <> '' AND EXISTS ({_VERSION_REPEATED})"""
_SAME_PAYLOAD = (
    f"{PAYLOAD_END.format('o.payload')} = {PAYLOAD_END.format('?1')} AND o.payload = ?1 AND o.payload <> ''"
)
# Captures that hold the bytes of a page with a payload digest, whatever their address.
_HOLDERS = (
    "FROM captures o INDEXED BY captures_by_payload JOIN files f ON f.id = o.file"
    f" WHERE {_SAME_PAYLOAD} AND o.version IS NOT NULL AND o.type <> 'revisit' ORDER BY o.url, o.version, o.id LIMIT 1"
)
_ALONE = "r.type = 'revisit' AND r.version IS NULL AND r.payload <> ''"
# 0: of a record without an HTTP header. A redirect or an error with the bytes of a page is no page.
_OF_PAGES = "r.status IN (0, 200, 304)"
_REVISITS_LOOKED_AT = "revisits looked at"
_BESIDE_NAME = re.compile(r"\d+\.(?:[wci]\d+|links)")


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
        mark_copies(connection)
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
        self._left_urls: set[tuple[int]] = set()  # whose captures made place for those of a file read anew
        self._first_new_url = self._next_url

    def close(self) -> None:
        """Close the catalogue; what a run that failed or was stopped has left goes at once, the disk may be full."""
        with suppress(sqlite3.Error, OSError, FindingAidError):
            self._remove_orphans(list(self._dictionary["segments"]), (".seg", ".new", ".tmp"))
        self.catalogue.close()

    # -- numbers for addresses, versions and files

    def document_number(self, url: str) -> int:
        """Return the number of an address; a new one gets its row with the next commit."""
        number = self._new_urls.get(url)
        if number is None:
            row = (
                self.catalogue.connection()
                .execute("SELECT id FROM urls WHERE doc_id = ? AND url = ?", (doc_id(url), url))
                .fetchone()
            )
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
            .execute(
                "SELECT id FROM versions WHERE url = ?1 AND substr(digest, 1, 4) = substr(?2, 1, 4) AND digest = ?2",
                (document, digest),
            )
            .fetchone()
        )
        return int(row[0]) if row else 0

    def new_version_number(self) -> int:
        number = self._next_version
        self._next_version += 1
        return number

    def begin_files(self, states: Mapping[str, dict[str, Any] | None]) -> dict[str, int]:
        """Note that files are about to be read, and in which state they are (see FileTable.begin); return their numbers
        by path.
        """
        with self.catalogue.transaction():
            return {path: self.files.begin(path, state) for path, state in states.items()}

    def versions_shown_by(self, file: int) -> set[int]:
        """Return the numbers of the versions that the captures of a file show, or may hold for other addresses."""
        return self._versions_of(self.catalogue.connection(), "file = ?", (file,))

    @staticmethod
    def _versions_of(connection: sqlite3.Connection, where: str, values: Sequence[Any]) -> set[int]:
        """Return the versions that captures fitting an SQL condition show, and those of revisits of their bytes."""
        shown = {
            int(row[0])
            for row in connection.execute(
                f"SELECT DISTINCT version FROM captures WHERE version IS NOT NULL AND {where}", values
            )
        }
        payloads = connection.execute(
            "SELECT DISTINCT payload FROM captures"
            f" WHERE version IS NOT NULL AND type <> 'revisit' AND payload <> '' AND {where}",
            values,
        ).fetchall()
        for payload in payloads:
            shown.update(
                int(row[0])
                for row in connection.execute(
                    "SELECT DISTINCT o.version FROM captures o INDEXED BY captures_by_payload"
                    f" WHERE {_SAME_PAYLOAD} AND o.version IS NOT NULL AND o.type = 'revisit'",
                    payload,
                )
            )
        return shown

    # -- revisits of other addresses

    def revisits_of_others(self) -> list[tuple[str, str, Location]]:
        """Return (address, payload digest, place of the bytes) of revisits whose page is held under another address.

        Only of those that came since `looked_at_revisits`, or whose bytes did; each address and digest once.
        """
        connection = self.catalogue.connection()
        since = (int(self._dictionary.get(_REVISITS_LOOKED_AT) or 0),)
        alone = connection.execute(
            f"SELECT r.payload, r.url FROM captures r NOT INDEXED WHERE r.id > ? AND {_ALONE} AND {_OF_PAGES}",
            since,
        ).fetchall()
        alone += connection.execute(
            "SELECT r.payload, r.url FROM captures n NOT INDEXED CROSS JOIN captures r INDEXED BY revisits_alone"
            " ON r.payload = n.payload WHERE n.id > ? AND n.version IS NOT NULL AND n.type <> 'revisit'"
            f" AND {_ALONE} AND {_OF_PAGES}",
            since,
        ).fetchall()
        found = []
        payload, place = None, None
        for other, url in sorted(set(alone), key=lambda row: (str(row[0]), row[1])):
            if other != payload:
                payload = other
                place = connection.execute(
                    f"SELECT f.whole, o.offset, o.length, o.member, o.inner {_HOLDERS}", (payload,)
                ).fetchone()
            if place is not None:
                address, digest = connection.execute(
                    "SELECT url, digest_text(?) FROM urls WHERE id = ?", (payload, url)
                ).fetchone()
                found.append((str(address), str(digest), Location(name_now(place[0]), *place[1:])))
        return found

    def looked_at_revisits(self) -> None:
        """Note that all `revisits_of_others` so far are dealt with."""
        with self.catalogue.transaction() as connection:
            (last,) = connection.execute("SELECT COALESCE(MAX(id), 0) FROM captures").fetchone()
            self._dictionary[_REVISITS_LOOKED_AT] = int(last)

    # -- commits

    def commit(self, batches: Iterable[CommitBatch]) -> None:
        """Make batches part of the index, in one transaction. Raises DiskFullError."""
        batches = list(batches)
        with self.catalogue.transaction() as connection:
            shown: set[int] = set()
            for file in sorted({file for batch in batches for file in batch.replaces}):
                shown |= self.versions_shown_by(file)
                rows = connection.execute("SELECT DISTINCT url FROM captures WHERE file = ?", (file,))
                self._left_urls.update(rows.fetchall())
                connection.execute("DELETE FROM captures WHERE file = ?", (file,))
            (last_before,) = connection.execute("SELECT COALESCE(MAX(id), 0) FROM captures").fetchone()
            if last_before < int(self._dictionary.get(_REVISITS_LOOKED_AT) or 0):
                self._dictionary[_REVISITS_LOOKED_AT] = last_before  # numbers are given again
            segments: list[dict[str, Any]] = list(self._dictionary["segments"])
            urls = list(self._new_urls.items())
            connection.executemany(
                "INSERT INTO addresses (id, urlkey, written, page, doc_id) VALUES (?, ?, ?, ?, ?)",
                [
                    (number, *compact_address(url), signed(page_number(sort_key(url))), doc_id(url))
                    for url, number in urls
                ],
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
                            compact_digest(c.payload),
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
            self._join_revisits(connection, last_before, payloads)
            connection.executemany(
                "UPDATE captures INDEXED BY revisits_alone SET version = ?"
                " WHERE type = 'revisit' AND version IS NULL AND payload <> '' AND payload = ? AND url = ?",
                [
                    (repeat.version, compact_digest(repeat.payload), repeat.document)
                    for batch in batches
                    for repeat in batch.repeats
                ],
            )
            self._keep(connection, segments)
        self._new_urls.clear()
        self._first_new_url = self._next_url
        self._remove_orphans(segments)

    def _keep(self, connection: sqlite3.Connection, segments: list[dict[str, Any]]) -> None:
        """Make these the live segments; the last step of a transaction that changed versions or captures."""
        write_changed_captures(connection, self.folder, segments)
        self._dictionary["segments"] = segments

    def _join_revisits(self, connection: Any, last_before: int, payloads: set[bytes | str]) -> None:
        """Give revisits the version they repeat: same payload digest, same address.

        last_before: number of the last capture before this commit. payloads: digests of captures that lost their
        version. Nothing else is looked at: revisits of which nothing is held may be millions.
        """
        lost = [(payload,) for payload in payloads if payload]
        connection.execute(f"UPDATE captures NOT INDEXED {_TAKE_VERSION} AND id > ?", (last_before,))
        connection.executemany(
            f"UPDATE captures INDEXED BY revisits_alone {_TAKE_VERSION} AND payload = ?", lost
        )
        came = connection.execute(
            "SELECT DISTINCT version, payload, url FROM captures"
            " WHERE id > ? AND version IS NOT NULL AND payload <> '' ORDER BY version",
            (last_before,),
        ).fetchall()
        connection.executemany(
            "UPDATE captures INDEXED BY revisits_alone SET version = ?"
            " WHERE type = 'revisit' AND version IS NULL AND payload <> '' AND payload = ? AND url = ?",
            came,
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
        shown = self._versions_of(connection, where, values)
        urls = connection.execute(f"SELECT DISTINCT url FROM captures WHERE {where}", values).fetchall()
        connection.execute(f"DELETE FROM captures WHERE {where}", values)
        segments: list[dict[str, Any]] = list(self._dictionary["segments"])
        before = {entry["number"]: set(entry["dead"]) for entry in segments}
        self._bury(connection, self._without_bytes(connection, shown), segments)
        self._delete_urls(connection, urls)
        if fold:
            removed = {
                entry["number"]: sorted(set(entry["dead"]) - before[entry["number"]]) for entry in segments
            }
            self._fold(connection, segments, removed)
        self._keep(connection, segments)

    def forget_addresses(self, *, all_of_them: bool = False) -> None:
        """Take addresses out that lost their last capture by the commits of this writer.

        all_of_them: also those that a run left which was broken off; reads the whole catalogue.
        """
        with self.catalogue.transaction() as connection:
            if all_of_them:
                connection.execute(
                    "DELETE FROM addresses WHERE NOT EXISTS (SELECT 1 FROM captures WHERE captures.url = addresses.id)"
                )
            else:
                self._delete_urls(connection, self._left_urls)
        self._left_urls.clear()

    @staticmethod
    def _delete_urls(connection: sqlite3.Connection, urls: Iterable[tuple[int]]) -> None:
        """Delete those of some addresses that have no capture."""
        connection.executemany(
            "DELETE FROM addresses WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM captures WHERE url = ?1)", urls
        )

    def _without_bytes(self, connection: Any, versions: set[int]) -> list[int]:
        """Return those of some versions that no capture holds.

        A revisit shows a version without holding it; the bytes may be those of a page at another address.
        """

        def is_held(version: int) -> bool:
            if connection.execute(
                "SELECT 1 FROM captures WHERE version = ? AND type <> 'revisit' LIMIT 1", (version,)
            ).fetchone():
                return True
            payloads = connection.execute(
                "SELECT DISTINCT payload FROM captures WHERE version = ? AND payload <> ''", (version,)
            ).fetchall()
            return any(connection.execute(f"SELECT 1 {_HOLDERS}", payload).fetchone() for payload in payloads)

        return [version for version in sorted(versions) if not is_held(version)]

    def _count_captures(self, connection: Any, file: int, entry: dict[str, Any]) -> None:
        """Let the ledger entry of a file that was given up count the captures that are held of it."""
        entry["captures"], entry["documents"] = connection.execute(
            "SELECT COUNT(*), COUNT(CASE WHEN type <> 'revisit' THEN version END) FROM captures WHERE file = ?",
            (file,),
        ).fetchone()
        entry["records"] = entry["captures"] + sum(entry["skipped"].values())

    def _bury(self, connection: Any, versions: list[int], segments: list[dict[str, Any]]) -> set[bytes | str]:
        """Mark versions as dead in their segments; a merge drops them for good.

        Returns the payload digests of revisits that showed one of them.
        """
        payloads: set[bytes | str] = set()
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
            sum_lengths(self.folder, entry)
        return payloads

    # -- link texts

    def fold_links(self) -> None:
        """Fold the texts of all links into the pages they point to, if the pages of the index have changed since."""
        state = fold_state(self._dictionary["segments"])
        if self._dictionary.get("links folded") == state:
            return
        with self.catalogue.transaction() as connection:
            segments: list[dict[str, Any]] = list(self._dictionary["segments"])
            self._fold(connection, segments)
            self._dictionary["segments"] = segments
        self._remove_orphans(segments)

    def _fold(
        self,
        connection: sqlite3.Connection,
        segments: list[dict[str, Any]],
        removed: Mapping[int, Sequence[int]] = MappingProxyType({}),
    ) -> None:
        """Fold the texts of links anew, and weigh what that has changed. removed: what this transaction removed."""
        folded = self._dictionary.get("links folded")
        changed = write_overlays(connection, self.folder, segments, folded, removed)
        weigh(self.folder, segments, self.ranking, changed)
        self._dictionary["links folded"] = fold_state(segments)

    # -- weights and merging

    def _reweigh(self) -> None:
        """Compute weights anew where they do not fit the ranking of this writer, without reading an archive."""
        with self.catalogue.transaction():
            segments: list[dict[str, Any]] = list(self._dictionary["segments"])
            weigh(self.folder, segments, self.ranking)
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
        if all_of_it:
            self.forget_addresses(all_of_them=True)
        groups = (whole_groups if all_of_it else last_groups)(self.segments())
        for done, chosen in enumerate(groups):
            if stop():
                break
            progress("merging segments", done, len(groups))
            task = self.merge_task(chosen, "merge")
            self.commit_merge(task, run_merge(task))
        else:
            if groups:
                progress("merging segments", len(groups), len(groups))
        self.fold_links()
        self._reweigh()

    def merge_task(
        self, chosen: Sequence[dict[str, Any]], name: str, *, with_weights: bool = False
    ) -> MergeTask:
        """Return the merge of some live segments as a task. with_weights: when it is long until all are weighed."""
        return MergeTask(
            self.folder,
            name,
            tuple(entry["number"] for entry in chosen),
            tuple(tuple(entry["dead"]) for entry in chosen),
            self.ranking if with_weights else None,
            tuple(mean_lengths(self.segments()).tolist()),
        )

    def commit_merge(self, task: MergeTask, places: Places) -> None:
        """Put the result of a merge in the place of its segments."""
        gone = set(task.numbers)
        with self.catalogue.transaction() as connection:
            segments: list[dict[str, Any]] = list(self._dictionary["segments"])
            by_number = {entry["number"]: entry for entry in segments}
            number = self._next_segment_number(segments)
            merged: dict[str, Any] = {
                "number": number,
                "versions": sum(int((place >= 0).sum()) for place in places),
                "weights": 0 if task.ranking is None else 1,
                "captures": 0,
                "inlinks": 0,
                "dead": sorted(
                    int(place[ordinal])
                    for each, before, place in zip(task.numbers, task.dead, places, strict=True)
                    for ordinal in set(by_number[each]["dead"]) - set(before)
                ),
            }
            own = (
                self._segment_path(number),
                links_path(self.folder, number),
                weights_path(self.folder, merged),
            )
            for source, target in zip(task.files[: 2 + merged["weights"]], own, strict=False):
                disk.rename(source, target)
            disk.sync_folder(self.folder)
            for each, place in zip(task.numbers, places, strict=True):
                connection.executemany(
                    "UPDATE versions SET segment = ?, ordinal = ? WHERE segment = ? AND ordinal = ?",
                    [(number, int(new), each, old) for old, new in enumerate(place.tolist()) if new >= 0],
                )
            segments = [entry for entry in segments if entry["number"] not in gone]
            if merged["versions"] > len(merged["dead"]):
                sum_lengths(self.folder, merged)
                segments.append(merged)
            folded = dict(self._dictionary.get("links folded") or ())
            if any(each in folded and folded[each] != len(by_number[each]["dead"]) for each in task.numbers):
                self._dictionary["links folded"] = None  # links went, and nothing tells any more which
            self._keep(connection, segments)
        self._remove_orphans(segments)

    def segments(self) -> list[dict[str, Any]]:
        """Return what the catalogue says of the live segments."""
        return list(self._dictionary["segments"])

    def remove_orphans(self) -> None:
        """Remove files that no commit names any more."""
        self._remove_orphans(self.segments())

    # -- files

    def _next_segment_number(self, segments: list[dict[str, Any]]) -> int:
        number: int = (
            max([int(self._dictionary.get("last segment", 0)), *(entry["number"] for entry in segments)]) + 1
        )
        self._dictionary["last segment"] = number
        return number

    def _segment_path(self, number: int) -> str:
        return segment_path(self.folder, number)

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
