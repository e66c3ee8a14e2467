"""IndexWriter: turns finished batches into committed segments, all or nothing.

One process writes an index at a time (writer.lock). A commit first syncs segment files, then
runs one SQLite transaction; until that transaction ends, readers see the state before.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import accumulate, compress, groupby, islice
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from archiver.errors import FindingAidError
from archiver.warc import Location
from archiver.warc.growing import name_now
from indexer.store import disk
from indexer.store.bm25f import Ranking
from indexer.store.catalogue import Catalogue
from indexer.store.commit_batch import CommitBatch, NewCapture, NewVersion, Rows
from indexer.store.compact import KeptAddress, compact_digest, compact_digests, kept_addresses, kept_times
from indexer.store.copies import note_seconds, settle_copies, watch_records
from indexer.store.entries import fold_state, mean_lengths, sum_lengths
from indexer.store.errors import DiskFullError
from indexer.store.files import IN_FILE, FileTable, KnownFile, State
from indexer.store.fold import Fold, FoldTask
from indexer.store.layout import inlinks_path, links_path, segment_path, weights_path
from indexer.store.merge_task import MergeTask, Places, run_merge
from indexer.store.payloads import DIGEST_END, IS_REVISIT, holder_of, same_payload, versions_repeated
from indexer.store.plans import last_groups, whole_groups
from indexer.store.timeline import (
    CAPTURE_KINDS,
    CaptureColumns,
    CaptureRow,
    captures_path,
    columns_of,
    merged_columns,
    note_shown,
    sound_columns,
    watch_captures,
    write_changed_captures,
)

_ALONE = f"{IS_REVISIT.format('r')} AND r.version IS NULL AND r.payload <> ''"
# 0: of a record without an HTTP header. A redirect or an error with the bytes of a page is no page.
_OF_PAGES = "(SELECT k.status FROM kinds k WHERE k.id = r.kind) IN (0, 200, 304)"
_URLS_KNOWN = 20_000
_ADDRESSES_AT_ONCE = 64  # that one statement looks up
_SEEN_BYTES = 1 << 22  # of bits that tell which addresses are new in a first run
_KINDS_KNOWN = 100_000  # also the folders that are kept at hand
_REVISITS_LOOKED_AT = "revisits looked at"
_LAST_VERSION = "last version"
_WALKED = 16  # rows that it may take to meet one that is moved
_NOTHING = nullcontext()
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
        self._pages_before = _pages_of(connection)
        watch_captures(connection)
        watch_records(connection)
        try:
            self._next_url = _greatest(connection, "addresses") + 1
            last_version = int(self._dictionary.get(_LAST_VERSION) or 0)
            self._next_version = max(last_version, _greatest(connection, "versions")) + 1
        except sqlite3.Error as error:
            self.catalogue.close()
            raise self.catalogue.translated(error) from error
        self._new_urls: dict[str, int] = {}
        self._known_urls: dict[str, int] = {}
        self._looked_for: dict[
            str, KeptAddress
        ] = {}  # of the new ones, those that were looked for in the catalogue
        self._kinds: dict[tuple[str, int, str], int] = {}
        self._folders: dict[str, int] = {}
        self._left_urls: set[tuple[int]] = set()  # whose captures made place for those of a file read anew
        self._first_new_url = self._next_url
        self._urls_seen = bytearray(_SEEN_BYTES if self._next_url == 1 else 0)

    def close(self) -> None:
        """Close the catalogue; what a run that failed or was stopped has left goes at once, the disk may be full."""
        with suppress(sqlite3.Error, OSError, FindingAidError):
            self._remove_orphans(list(self._dictionary["segments"]), (".seg", ".new", ".tmp"))
        self.catalogue.close()

    def pack(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Write the catalogue anew where most of it is new: rows of many batches lie in pages that are not full.

        It can be done without: where the disk lacks the room for a second one for a moment, it is left as it is.
        """
        connection = self.catalogue.connection()
        if _pages_of(connection) > 2 * self._pages_before:
            with suppress(DiskFullError):
                self.catalogue.pack(stop)
            self._pages_before = _pages_of(connection)

    # -- numbers for addresses, versions and files

    def document_numbers(self, urls: Sequence[str]) -> list[int]:
        """Return the numbers of some addresses; new ones get their rows with the next commit."""
        new, known = self._new_urls, self._known_urls
        numbers = [new.get(url) or known.get(url) for url in urls]
        unknown = list(dict.fromkeys(url for url, number in zip(urls, numbers, strict=True) if not number))
        if not unknown:
            return numbers  # type: ignore[return-value]  # none is missing
        found: dict[str, int] = {}
        seen = self._seen_before(unknown)
        if seen and self._first_new_url > 1:
            kept = dict(zip(seen, kept_addresses(seen), strict=True))
            found = self._committed(kept)
            self._know(found)
            self._looked_for.update((url, row) for url, row in kept.items() if url not in found)
        for url in unknown:
            if url not in found:
                found[url] = new[url] = self._next_url
                self._next_url += 1
        return [number or found[url] for url, number in zip(urls, numbers, strict=True)]

    def _seen_before(self, urls: Sequence[str]) -> Sequence[str]:
        """Return those of some addresses that may be in the catalogue, and note that all of them will be.

        In a first run nearly all are new, and need not be looked for. A bit for each is enough, if not for it alone.
        """
        bits = self._urls_seen
        if not bits:
            return urls
        seen, mask = [], len(bits) - 1
        for url in urls:
            number = hash(url)
            place, bit = number >> 3 & mask, 1 << (number & 7)
            if bits[place] & bit:
                seen.append(url)
            bits[place] |= bit
        return seen

    def _committed(self, addresses: Mapping[str, KeptAddress]) -> dict[str, int]:
        """Return the numbers of those of some addresses that are in the catalogue."""
        by_page: dict[int, list[str]] = {}
        for url, kept in addresses.items():
            by_page.setdefault(kept.page, []).append(url)
        found = {}
        pages = list(by_page)
        for start in range(0, len(pages), _ADDRESSES_AT_ONCE):
            some = pages[start : start + _ADDRESSES_AT_ONCE]
            for number, page, *kept in self.catalogue.connection().execute(
                "SELECT a.id, a.page, f.prefix, a.name, a.written FROM addresses a JOIN folders f ON f.id = a.folder"
                f" WHERE a.page IN ({','.join('?' * len(some))})",
                some,
            ):
                for url in by_page[page]:
                    if list(addresses[url][:3]) == kept:
                        found[url] = int(number)
        return found

    def _know(self, numbers: Mapping[str, int] | Sequence[tuple[str, int]]) -> None:
        """Keep numbers of committed addresses at hand: a page is claimed in one commit, and captured in a later one."""
        if len(self._known_urls) >= _URLS_KNOWN:
            self._known_urls.clear()
        self._known_urls.update(numbers)

    def known_version(self, document: int, digest: bytes) -> int:
        """Return the number of a committed version, 0 if there is none."""
        if document >= self._first_new_url:
            return 0  # the address itself is not committed yet
        row = (
            self.catalogue.connection()
            .execute(
                f"SELECT id FROM versions WHERE {DIGEST_END.format('digest')} = {DIGEST_END.format('?2')}"
                " AND url = ?1 AND digest = ?2",
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
        return self._versions_of(self.catalogue.connection(), IN_FILE, (file,))

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
                    "SELECT DISTINCT o.version FROM capture_rows o INDEXED BY captures_by_payload"
                    f" WHERE {same_payload('o', '?1')} AND o.version IS NOT NULL AND {IS_REVISIT.format('o')}",
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
            f"SELECT r.payload, r.url FROM capture_rows r NOT INDEXED WHERE r.id > ? AND {_ALONE} AND {_OF_PAGES}",
            since,
        ).fetchall()
        if connection.execute(
            f"SELECT 1 FROM capture_rows r INDEXED BY revisits_alone WHERE {_ALONE}"
        ).fetchone():
            alone += connection.execute(
                "SELECT r.payload, r.url FROM captures n CROSS JOIN capture_rows r INDEXED BY revisits_alone"
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
                    "SELECT f.whole, o.offset, o.length, o.member, o.inner FROM captures o"
                    f" JOIN files f ON f.id = o.file WHERE o.id = ({holder_of('?1')})",
                    (payload,),
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
            self._dictionary[_REVISITS_LOOKED_AT] = _greatest(connection, "capture_rows")

    # -- commits

    def commit(
        self, batches: Iterable[CommitBatch], beside: AbstractContextManager[object] = _NOTHING
    ) -> None:
        """Make batches part of the index, in one transaction. Raises DiskFullError.

        beside: is entered while that lasts. Meanwhile another thread, one, may ask `document_numbers`, `known_version`
        and `new_version_number`, unless a batch replaces a file: it sees what was committed before, and addresses that
        are new for it come with the next commit.
        """
        batches = list(batches)
        addresses, first_later = list(self._new_urls.items()), self._next_url
        try:
            with beside, self.catalogue.transaction() as connection:
                segments = self._commit(connection, batches, addresses)
        except BaseException:
            self._known_urls.clear()
            self._kinds.clear()  # some may be of rows that are not there now
            self._folders.clear()
            raise
        self._know(addresses)
        self._new_urls = dict(
            islice(self._new_urls.items(), len(addresses), None)
        )  # in the order of their numbers
        self._looked_for = {
            url: self._looked_for[url] for url in self._looked_for.keys() & self._new_urls.keys()
        }
        self._first_new_url = first_later
        self._remove_orphans(segments)

    def _commit(
        self,
        connection: sqlite3.Connection,
        batches: list[CommitBatch],
        addresses: Sequence[tuple[str, int]],
    ) -> list[dict[str, Any]]:
        shown: set[int] = set()
        for file in sorted({file for batch in batches for file in batch.replaces}):
            shown |= self.versions_shown_by(file)
            rows = connection.execute(f"SELECT DISTINCT url FROM capture_rows WHERE {IN_FILE}", (file,))
            self._left_urls.update(rows.fetchall())
            self._delete_captures(connection, IN_FILE, (file,))
            connection.execute("DELETE FROM pieces WHERE file = ?", (file,))
        last_before = _greatest(connection, "capture_rows")
        if last_before < int(self._dictionary.get(_REVISITS_LOOKED_AT) or 0):
            self._dictionary[_REVISITS_LOOKED_AT] = last_before  # numbers are given again
        segments: list[dict[str, Any]] = list(self._dictionary["segments"])
        self._add_addresses(connection, addresses)
        fresh: dict[int, CaptureColumns] = {}
        digests: dict[int, bytes] = {}  # of the versions that come
        numbers = []
        for batch in batches:
            number = 0
            if batch.segment:
                number = self._next_segment_number(segments)
                for name, path in (
                    (batch.segment, self._segment_path(number)),
                    (batch.links, links_path(self.folder, number)),
                ):
                    disk.sync_path(os.path.join(self.folder, name))
                    disk.rename(os.path.join(self.folder, name), path)
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
                versions, documents, own, titles = Rows.of(NewVersion, batch.versions).columns
                places = range(_place(number, 0), _place(number, 0) + len(versions))
                _insert(
                    connection, "versions", id=versions, url=documents, digest=own, place=places, title=titles
                )
                digests.update(zip(versions, own, strict=True))
            numbers.append(number)
        if digests:
            self._dictionary[_LAST_VERSION] = max(int(self._dictionary.get(_LAST_VERSION) or 0), *digests)
        for batch, number in zip(batches, numbers, strict=True):
            shown_now = self._add_captures(connection, batch, digests)
            if number:
                fresh[number] = columns_of(Rows.of(NewVersion, batch.versions).column("number"), shown_now)
        payloads = self._bury(connection, self._without_bytes(connection, shown), segments)
        for batch in batches:
            for file, entry in batch.ledger:
                if file in batch.given_up:
                    self._count_captures(connection, file, entry)
                self.files.finish(file, entry)
        self._join_revisits(connection, last_before, payloads)
        connection.executemany(
            "UPDATE capture_rows INDEXED BY revisits_alone SET version = ?"
            " WHERE kind & 3 = 2 AND version IS NULL AND payload <> '' AND payload = ? AND url = ?",
            [
                (repeat.version, compact_digest(repeat.payload), repeat.document)
                for batch in batches
                for repeat in batch.repeats
            ],
        )
        note_seconds(connection, "id > ?", (last_before,))
        settle_copies(connection)
        self._keep(connection, segments, fresh)
        return segments

    def _add_addresses(self, connection: sqlite3.Connection, addresses: Sequence[tuple[str, int]]) -> None:
        """Add the rows of new addresses: (address, its number)."""
        folders, looked_for = self._folders, self._looked_for
        others = [url for url, _ in addresses if url not in looked_for]
        kept = looked_for | dict(zip(others, kept_addresses(others), strict=True))
        names = [kept[url] for url, _ in addresses]
        _insert(
            connection,
            "addresses",
            id=[number for _, number in addresses],
            folder=[folders.get(row.folder) or self._folder(connection, row.folder) for row in names],
            name=[row.name for row in names],
            written=[row.written for row in names],
            page=[row.page for row in names],
        )

    def _folder(self, connection: sqlite3.Connection, prefix: str) -> int:
        number = self._folders.get(prefix)
        if number is None:
            row = connection.execute("SELECT id FROM folders WHERE prefix = ?", (prefix,)).fetchone()
            if row is None:
                connection.execute("INSERT INTO folders (prefix) VALUES (?)", (prefix,))
                row = connection.execute("SELECT last_insert_rowid()").fetchone()
            if len(self._folders) >= _KINDS_KNOWN:
                self._folders.clear()
            number = self._folders[prefix] = int(row[0])
        return number

    def _kind(self, connection: sqlite3.Connection, kind: tuple[str, int, str]) -> int:
        """Return the number of a (type, status, media type): its last two bits are the type."""
        number = self._kinds.get(kind)
        if number is None:
            type_, status, mime = CAPTURE_KINDS.index(kind[0]), *kind[1:]
            row = connection.execute(
                "SELECT id FROM kinds WHERE status = ? AND mime = ? AND id & 3 = ?", (status, mime, type_)
            ).fetchone()
            if row is None:
                row = (4 * (_greatest(connection, "kinds") // 4 + 1) + type_,)
                connection.execute(
                    "INSERT INTO kinds (id, status, mime) VALUES (?, ?, ?)", (*row, status, mime)
                )
            if len(self._kinds) >= _KINDS_KNOWN:
                self._kinds.clear()
            number = self._kinds[kind] = int(row[0])
        return number

    def _member(self, connection: sqlite3.Connection, name: str) -> int:
        """Return the number of an archive inside a WACZ file, 0 for none."""
        if not name:
            return 0
        connection.execute("INSERT OR IGNORE INTO members (name) VALUES (?)", (name,))
        return int(connection.execute("SELECT id FROM members WHERE name = ?", (name,)).fetchone()[0])

    def _add_captures(
        self, connection: sqlite3.Connection, batch: CommitBatch, digests: dict[int, bytes]
    ) -> Sequence[CaptureRow]:
        """Add the captures of a batch, less those that are there; return those that show versions of the batch.

        Of other versions it is noted that they have new ones. digests: of the versions that come with these batches.
        """
        captures = self._in_files(Rows.of(NewCapture, batch.captures))
        if not len(captures):
            return ()
        members = {name: self._member(connection, name) for name in set(captures.column("member"))}
        captures, pieces = self._not_there(connection, captures, members)
        documents, timestamps, types, statuses, mimes, payloads, files, member, offsets, lengths, inners, versions, \
            refers_to, _ = captures.columns  # fmt: skip
        last = _greatest(connection, "capture_rows")
        _insert(
            connection,
            "capture_rows",
            id=range(last + 1, last + 1 + len(captures)),
            url=documents,
            time=kept_times(timestamps),
            kind=self._kinds_of(connection, list(zip(types, statuses, mimes, strict=True))),
            payload=self._kept_payloads(connection, types, payloads, versions, digests),
            file=files,
            member=[members[name] for name in member],
            offset=offsets,
            length=lengths,
            inner=inners,
            version=[version or None for version in versions],
            refers_to=[other or None for other in refers_to],
        )
        connection.executemany(
            "INSERT OR REPLACE INTO pieces (file, first, last, low, high) VALUES (?, ?, ?, ?, ?)",
            [(file, last + first, last + end, low, high) for file, first, end, low, high in pieces],
        )
        ordinal_of = {
            number: n for n, number in enumerate(Rows.of(NewVersion, batch.versions).column("number"))
        }
        ordinals = [ordinal_of.get(version, -1) for version in versions]
        note_shown(connection, set(versions) - {0} - ordinal_of.keys())
        rows = zip(ordinals, timestamps, statuses, mimes, types, strict=True)
        return list(rows) if -1 not in ordinals else [row for row in rows if row[0] >= 0]

    @staticmethod
    def _in_files(captures: Rows[NewCapture]) -> Rows[NewCapture]:
        """Return captures so that those of one file stand together: their rows are found by ranges."""
        files = captures.column("file")
        begins = [file for file, _ in groupby(files)]
        first = {file: place for place, file in enumerate(dict.fromkeys(files))}
        if len(begins) == len(first):
            return captures
        order = sorted(range(len(files)), key=lambda row: first[files[row]])
        return Rows(NewCapture, [[column[row] for row in order] for column in captures.columns])

    @staticmethod
    def _not_there(
        connection: sqlite3.Connection, captures: Rows[NewCapture], members: Mapping[str, int]
    ) -> tuple[Rows[NewCapture], list[tuple[int, int, int, int, int]]]:
        """Return those of some captures that are not in the catalogue, each once, and the pieces that they will be.

        A piece: (file, number of its first one, of its last one, counted from 1, least and greatest offset).
        """
        files, offsets = captures.column("file"), captures.column("offset")
        numbers = map(members.__getitem__, captures.column("member"))
        places = list(zip(files, numbers, offsets, captures.column("inner"), strict=True))
        there: set[tuple[int, int, int, int]] = set()
        spans = []
        begin = 0
        for file, group in groupby(files):
            end = begin + sum(1 for _ in group)
            low, high = min(offsets[begin:end]), max(offsets[begin:end])
            spans.append((file, begin, end, low, high))
            begin = end
            for first, last in connection.execute(
                "SELECT first, last FROM pieces WHERE file = ? AND low <= ? AND high >= ?", (file, high, low)
            ).fetchall():
                there.update(
                    connection.execute(
                        "SELECT file, member, offset, inner FROM capture_rows WHERE id BETWEEN ? AND ? AND file = ?",
                        (first, last, file),
                    )
                )
        if not there and len(set(places)) == len(places):
            return captures, [(file, begin + 1, end, low, high) for file, begin, end, low, high in spans]
        is_new = [place not in there and not there.add(place) for place in places]  # type: ignore[func-returns-value]
        left = Rows(NewCapture, [list(compress(column, is_new)) for column in captures.columns])
        before = list(accumulate(is_new, initial=0))  # how many are left of those before
        return left, [
            (file, before[begin] + 1, before[end], low, high)
            for file, begin, end, low, high in spans
            if before[end] > before[begin]
        ]

    def _kinds_of(
        self, connection: sqlite3.Connection, kinds: Sequence[tuple[str, int, str]]
    ) -> Sequence[int]:
        """Return the numbers of (type, status, media type), most of which are known."""
        numbers = list(map(self._kinds.get, kinds))
        if None in numbers:
            numbers = [
                number or self._kind(connection, kind) for number, kind in zip(numbers, kinds, strict=True)
            ]
        return numbers  # type: ignore[return-value]

    def _kept_payloads(
        self,
        connection: sqlite3.Connection,
        types: Sequence[str],
        payloads: Sequence[str],
        versions: Sequence[int],
        digests: dict[int, bytes],
    ) -> Sequence[bytes | str | None]:
        """Return payload digests as the catalogue keeps them; None: it is that of the version, and no revisit."""
        for version in set(versions) - digests.keys() - {0}:
            self._digest(connection, version, digests)
        return [
            payload if payload != digest or type_ == "revisit" else None
            for payload, digest, type_ in zip(
                compact_digests(payloads), map(digests.get, versions), types, strict=True
            )
        ]

    @staticmethod
    def _digest(connection: sqlite3.Connection, version: int, digests: dict[int, bytes]) -> bytes | None:
        """Return the digest of a version that does not come with these batches; it is kept beside those that do."""
        row = connection.execute("SELECT digest FROM versions WHERE id = ?", (version,)).fetchone()
        if row is not None:
            digests[version] = row[0]
        return digests.get(version)

    @staticmethod
    def _delete_captures(connection: sqlite3.Connection, where: str, values: Sequence[Any]) -> None:
        """Delete the captures that fit a condition, a row at a time: triggers look at those that are left."""
        connection.execute(
            f"DELETE FROM capture_rows WHERE id IN (SELECT id FROM captures WHERE {where})", values
        )

    def _keep(
        self,
        connection: sqlite3.Connection,
        segments: list[dict[str, Any]],
        fresh: Mapping[int, CaptureColumns] = MappingProxyType({}),
    ) -> None:
        """Make these the live segments; the last step of a transaction that changed versions or captures.

        The names of all files that it has given or written become durable here, at once.
        """
        write_changed_captures(connection, self.folder, segments, fresh)
        disk.sync_folder(self.folder)
        self._dictionary["segments"] = segments

    def _join_revisits(
        self, connection: sqlite3.Connection, last_before: int, payloads: set[bytes | str]
    ) -> None:
        """Give revisits the version they repeat: same payload digest, same address.

        last_before: number of the last capture before this commit. payloads: digests of captures that lost their
        version. Nothing else is looked at: revisits of which nothing is held may be millions.
        """
        some = f"SELECT 1 FROM capture_rows r INDEXED BY revisits_alone WHERE {_ALONE} LIMIT 1"
        if not connection.execute(some).fetchone():
            return
        alone = connection.execute(
            f"SELECT DISTINCT r.payload, r.url FROM capture_rows r NOT INDEXED WHERE r.id > ? AND {_ALONE}",
            (last_before,),
        ).fetchall()
        for payload in payloads:
            alone += connection.execute(
                "SELECT DISTINCT r.payload, r.url FROM capture_rows r INDEXED BY revisits_alone"
                f" WHERE {_ALONE} AND r.payload = ?",
                (payload,),
            ).fetchall()
        alone += connection.execute(
            "SELECT DISTINCT c.payload, c.url FROM captures c"
            " WHERE c.id > ? AND c.version IS NOT NULL AND c.payload <> '' AND EXISTS"
            f" (SELECT 1 FROM capture_rows r INDEXED BY revisits_alone WHERE {_ALONE} AND r.payload = c.payload"
            " AND r.url = c.url)",
            (last_before,),
        ).fetchall()
        for payload, url in dict.fromkeys(alone):
            row = connection.execute(
                f"SELECT MIN(version) FROM ({versions_repeated('?1', '?2')})", (payload, url)
            ).fetchone()
            if row[0] is not None:
                connection.execute(
                    "UPDATE capture_rows INDEXED BY revisits_alone SET version = ?"
                    " WHERE kind & 3 = 2 AND version IS NULL AND payload <> '' AND payload = ? AND url = ?",
                    (row[0], payload, url),
                )

    def move_file(self, file: KnownFile, path: str, state: State) -> None:
        """Note that a file lies at `path` now; which of several copies is shown goes by the paths of their files."""
        with self.catalogue.transaction() as connection:
            self.files.move(file, path, state)
            note_seconds(connection, IN_FILE, (file.number,))
            settle_copies(connection)
            self._keep(connection, list(self._dictionary["segments"]))

    def drop_captures(self, connection: sqlite3.Connection, where: str, values: Sequence[Any]) -> None:
        """Take captures out that fit an SQL condition, with the versions and addresses that only they show.

        Link texts of pages that are gone leave other pages in the same transaction.
        """
        shown = self._versions_of(connection, where, values)
        urls = connection.execute(f"SELECT DISTINCT url FROM captures WHERE {where}", values).fetchall()
        self._delete_captures(connection, where, values)
        settle_copies(connection)
        segments: list[dict[str, Any]] = list(self._dictionary["segments"])
        before = {entry["number"]: set(entry["dead"]) for entry in segments}
        self._bury(connection, self._without_bytes(connection, shown), segments)
        self._delete_urls(connection, urls)
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
                    "DELETE FROM addresses WHERE NOT EXISTS (SELECT 1 FROM capture_rows c WHERE c.url = addresses.id)"
                )
                connection.execute(
                    "DELETE FROM folders WHERE NOT EXISTS (SELECT 1 FROM addresses a WHERE a.folder = folders.id)"
                )
                self._folders.clear()
                self._known_urls.clear()
            else:
                self._delete_urls(connection, self._left_urls)
        self._left_urls.clear()

    def _delete_urls(self, connection: sqlite3.Connection, urls: Iterable[tuple[int]]) -> None:
        """Delete those of some addresses that have no capture, and their folders if nothing else is in them."""
        gone = [
            url
            for url in urls
            if not connection.execute("SELECT 1 FROM capture_rows WHERE url = ?", url).fetchone()
        ]
        folders: set[tuple[int]] = set()
        for url in gone:
            folders.update(connection.execute("SELECT folder FROM addresses WHERE id = ?", url).fetchall())
        connection.executemany("DELETE FROM addresses WHERE id = ?", gone)
        connection.executemany(
            "DELETE FROM folders WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM addresses WHERE folder = ?1)",
            sorted(folders),
        )
        self._folders.clear()
        self._known_urls.clear()

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
            return any(connection.execute(holder_of("?1"), payload).fetchone() for payload in payloads)

        return [version for version in sorted(versions) if not is_held(version)]

    def _count_captures(self, connection: Any, file: int, entry: dict[str, Any]) -> None:
        """Let the ledger entry of a file that was given up count the captures that are held of it."""
        entry["captures"], entry["documents"] = connection.execute(
            f"SELECT COUNT(*), COUNT(CASE WHEN type <> 'revisit' THEN version END) FROM captures WHERE {IN_FILE}",
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
                "SELECT place >> 16, place & 65535 FROM versions WHERE id = ?", (version,)
            ).fetchone()
            by_number[number]["dead"].append(ordinal)
            touched.add(number)
            payloads.update(
                row[0]
                for row in connection.execute("SELECT payload FROM captures WHERE version = ?", (version,))
            )
            connection.execute(
                "UPDATE capture_rows SET version = NULL,"
                " payload = ifnull(payload, (SELECT digest FROM versions WHERE id = ?1)) WHERE version = ?1",
                (version,),
            )
            connection.execute("DELETE FROM versions WHERE id = ?", (version,))
        for number in sorted(touched):
            entry = by_number[number]
            entry["dead"] = sorted(entry["dead"])
            sum_lengths(self.folder, entry)
        return payloads

    # -- link texts

    def begin_fold(self, name: str, shares: int) -> tuple[Fold, list[FoldTask]]:
        """Return what folds the texts of all links into the pages they point to, and weighs; and its first tasks.

        name: of the new files; shares: how many processes there are for the tasks. Nothing may be committed until
        `commit_fold`.
        """
        fold = Fold(self.folder, self.segments(), self.ranking, name)
        folded = self._dictionary.get("links folded")
        return fold, fold.overlays(self.catalogue.connection(), folded, shares=shares)

    def commit_fold(self, fold: Fold) -> None:
        """Make what was folded and weighed part of the index."""
        with self.catalogue.transaction():
            fold.put()
            self._dictionary["segments"] = fold.segments
            self._dictionary["links folded"] = fold_state(fold.segments)
        self._remove_orphans(fold.segments)

    def fold_links(self) -> None:
        """Fold links and weigh in this process, where the pages of the index or its ranking have changed since."""
        fold, tasks = self.begin_fold("fold", 1)
        fold.run(tasks)
        weights = fold.weights()
        fold.run(weights)
        if tasks or weights:
            self.commit_fold(fold)

    def _fold(
        self,
        connection: sqlite3.Connection,
        segments: list[dict[str, Any]],
        removed: Mapping[int, Sequence[int]],
    ) -> None:
        """Fold the texts of links anew, and weigh what that has changed. removed: what this transaction removed."""
        fold = Fold(self.folder, segments, self.ranking, "fold")
        fold.run(fold.overlays(connection, self._dictionary.get("links folded"), removed))
        fold.run(fold.weights())
        fold.put()
        self._dictionary["links folded"] = fold_state(segments)

    # -- merging

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

    def commit_merge(
        self, task: MergeTask, places: Places, beside: AbstractContextManager[object] = _NOTHING
    ) -> None:
        """Put the result of a merge in the place of its segments. beside: as for `commit`."""
        gone = set(task.numbers)
        with beside, self.catalogue.transaction() as connection:
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
            before = self._columns_of(connection, by_number, task)
            columns = merged_columns(before, places, merged["versions"])
            for each, part, place in zip(task.numbers, before, places, strict=True):
                _move_versions(connection, each, part.numbers, place, merged)
            segments = [entry for entry in segments if entry["number"] not in gone]
            if merged["versions"] > len(merged["dead"]):
                sum_lengths(self.folder, merged)
                segments.append(merged)
            folded = dict(self._dictionary.get("links folded") or ())
            if any(each in folded and folded[each] != len(by_number[each]["dead"]) for each in task.numbers):
                self._dictionary["links folded"] = None  # links went, and nothing tells any more which
            self._keep(connection, segments, {number: columns})
        self._remove_orphans(segments)

    def _columns_of(
        self, connection: sqlite3.Connection, entries: Mapping[int, dict[str, Any]], task: MergeTask
    ) -> list[CaptureColumns]:
        """Return the capture columns of the segments of a merge."""
        return [sound_columns(connection, self.folder, entries[number]) for number in task.numbers]

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


def _place(segment: int, ordinal: int) -> int:
    """Return where a version is as one number, which hardly ever takes more bytes when it moves: rows stay as long."""
    return segment << 16 | ordinal


def _insert(connection: sqlite3.Connection, table: str, **columns: Sequence[Any]) -> None:
    """Add rows to a table, given as columns by their names.

    The sqlite3 module takes as long for each None or bytes as for all the numbers of a row: it asks whether they can
    be adapted. So columns of None are left out, and bytes go as what it takes as it is.
    """
    given: dict[str, Sequence[Any]] = {}
    for name, column in columns.items():
        types = set(map(type, column))
        if types - {type(None)}:
            given[name] = (
                [bytearray(value) if type(value) is bytes else value for value in column]
                if bytes in types
                else column
            )
    if not given:
        return
    connection.executemany(
        f"INSERT INTO {table} ({', '.join(given)}) VALUES ({', '.join('?' * len(given))})",
        zip(*given.values(), strict=True),
    )


def _move_versions(
    connection: sqlite3.Connection,
    segment: int,
    numbers: NDArray[np.int64],
    places: NDArray[np.int64],
    merged: dict[str, Any],
) -> None:
    """Note that the versions of a segment are in a merged one now.

    numbers: of its versions; places: their ordinals in the merged one, -1 for those that were dropped.
    """
    kept = np.flatnonzero(places >= 0)
    if not len(kept):
        return
    shifts = places[kept] - kept
    first, last = int(numbers.min()), int(numbers.max())
    if (shifts == shifts[0]).all() and last - first < _WALKED * len(kept):
        # to walk their rows and those between them takes a third of the time of looking each up
        connection.execute(
            "UPDATE versions SET place = place + ? WHERE id BETWEEN ? AND ? AND place BETWEEN ? AND ?",
            (
                _place(merged["number"] - segment, 0) + int(shifts[0]),
                first,
                last,
                _place(segment, 0),
                _place(segment + 1, 0) - 1,
            ),
        )
        return
    gone = set(merged["dead"])  # removed meanwhile: numbers say nothing of them
    connection.executemany(
        "UPDATE versions SET place = ? WHERE id = ?",
        [
            (_place(merged["number"], ordinal), number)
            for ordinal, number in zip(places[kept].tolist(), numbers[kept].tolist(), strict=True)
            if ordinal not in gone
        ],
    )


def _pages_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA page_count").fetchone()[0])


def _greatest(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT COALESCE(MAX(id), 0) FROM {table}").fetchone()[0])
