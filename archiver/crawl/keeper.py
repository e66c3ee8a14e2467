"""What is kept of an exchange: records in the open archive, and one line in the state file; used by the visitor.

Archive and state file must say the same whatever happens. A kill leaves at most
records at the end of the open archive that no transaction speaks of; they are
cut off on restart and their addresses are fetched again. After a power failure
the archive may end before what the state file says; those are queued again.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from archiver.crawl.duplicates import Duplicates, Original
from archiver.crawl.fetcher import Exchange
from archiver.crawl.items import Item, Outlink
from archiver.crawl.job import CrawlJob
from archiver.crawl.reasons import MaybeReason
from archiver.crawl.records import PackedExchange, warcinfo_of
from archiver.crawl.statefile import StateFile
from archiver.files import UNFINISHED
from archiver.warc.record import Location
from archiver.warc.writer import WarcWriter, repair_archive, warc_date

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Kept:
    """What was found out about a response, to be kept in one transaction. dropped: why no record is written."""

    links: list[Outlink] = field(default_factory=list)
    packed: PackedExchange | None = None
    dropped: MaybeReason = ""
    digest: bytes = b""
    title: str = ""
    on_topic: bool | None = None
    relevance: float | None = None
    sketch: bytes = b""
    duplicate_of: int | None = None
    is_identical: bool = False
    is_html: bool = False


class Keeper:
    """Owns the open archive of a job; making one mends what an earlier run left."""

    def __init__(self, file: StateFile, job: CrawlJob) -> None:
        self.file = file
        self.job = job
        os.makedirs(job.archive_folder, exist_ok=True)
        self._recover()
        self.duplicates = Duplicates(file, job)
        self._writer = WarcWriter(
            job.archive_folder,
            job.id,
            warcinfo_of(job, datetime.now(UTC)),
            roll_over_bytes=int(job.roll_over_mb * 1e6),
            first_serial=self._next_serial(),
        )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction that also takes back the records written in it if it fails."""
        with self.file.lock:
            mark = self._writer.mark()
            try:
                with self.file.transaction():
                    yield
            except BaseException:
                self._writer.take_back(mark)
                raise

    def keep(self, item: Item, exchange: Exchange, kept: Kept, round_number: int) -> None:
        """Append the records and note the outcome; callers hold the transaction."""
        archive, offset, length, record_id = "", 0, 0, ""
        if kept.packed is not None:
            place = self._append(kept.packed.members)
            archive, offset, length = os.path.basename(place.path), place.offset, place.length
            record_id = kept.packed.record_id
            if kept.digest and not kept.packed.is_revisit:
                self.duplicates.add_payload(
                    kept.digest,
                    Original(item.url, kept.packed.date, record_id, kept.packed.payload_digest),
                    archive,
                    offset,
                )
        self.file.execute(
            "INSERT INTO pages (url, status, mime, size, digest, fetched, archive, offset, length, record_id, title,"
            " on_topic, relevance, duplicate_of, etag, modified, round)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (url) DO UPDATE SET visits = visits + 1,"
            " changes = changes + (digest IS NOT excluded.digest OR status != excluded.status),"
            " unchanged = CASE WHEN digest IS excluded.digest AND status = excluded.status"
            " THEN unchanged + 1 ELSE 0 END,"
            " status = excluded.status, mime = excluded.mime, size = excluded.size, digest = excluded.digest,"
            " fetched = excluded.fetched, archive = excluded.archive, offset = excluded.offset,"
            " length = excluded.length, record_id = excluded.record_id, title = excluded.title,"
            " on_topic = excluded.on_topic, relevance = excluded.relevance, duplicate_of = excluded.duplicate_of,"
            " etag = excluded.etag, modified = excluded.modified, round = excluded.round",
            (
                item.id,
                exchange.status,
                exchange.content_type[:100],
                len(exchange.head) + len(exchange.body),
                kept.digest or None,
                _moment(exchange),
                archive,
                offset,
                length,
                record_id,
                kept.title,
                kept.on_topic,
                kept.relevance,
                kept.duplicate_of,
                exchange.headers.get("ETag")[:500] or None,
                exchange.headers.get("Last-Modified")[:100] or None,
                round_number,
            ),
        )
        if kept.sketch and kept.duplicate_of is None and not kept.is_identical:
            self.duplicates.add_sketch(item.id, kept.sketch)
        if kept.duplicate_of is not None:
            self.duplicates.near += 1

    def keep_unchanged(
        self, item: Item, exchange: Exchange, packed: PackedExchange, round_number: int
    ) -> None:
        """Append the records of a 304; callers hold the transaction."""
        self._append(packed.members)
        self.file.execute(
            "UPDATE pages SET visits = visits + 1, unchanged = unchanged + 1, fetched = ?, round = ? WHERE url = ?",
            (_moment(exchange), round_number, item.id),
        )

    def _append(self, members: list[bytes]) -> Location:
        """Append records to the open archive, note how far it is accounted for, return the place of the first."""
        before = self._writer.path
        place = self._writer.write(members)[0]
        if before and place.path != before:
            self.file.execute(
                "UPDATE archives SET closed = 1, synced = size WHERE name = ?",
                (os.path.basename(before),),
            )
        self.file.execute(
            "INSERT INTO archives VALUES (?, ?, 0, 0) ON CONFLICT (name) DO UPDATE SET size = excluded.size",
            (os.path.basename(place.path), self._writer.size),
        )
        return place

    def previous(self, item: Item) -> Original | None:
        """Return the capture that a 304 speaks of."""
        with self.file.lock:
            row = self.file.execute(
                "SELECT digest, fetched, record_id FROM pages WHERE url = ? AND archive != ''", (item.id,)
            ).fetchone()
            if row is None:
                return None
            known = self.duplicates.original_of(row[0]) if row[0] else None
        if known is not None:
            return known
        date = datetime.strptime(row[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        return Original(item.url, date.strftime("%Y-%m-%dT%H:%M:%SZ"), row[2], "")

    def was_on_topic(self, number: int | None) -> bool:
        """Was the page with this number on topic?"""
        with self.file.lock:
            row = self.file.execute("SELECT on_topic FROM pages WHERE url = ?", (number,)).fetchone()
        return bool(row and row[0])

    def sync(self) -> None:
        """Bring the open archive onto the disk; what is on it is not looked at again after a power failure."""
        with self.file.lock:
            path = self._writer.path
            descriptor, safe = self._writer.handle()
        if descriptor < 0:
            return
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        with self.file.transaction():
            if path == self._writer.path:
                self.file.execute(
                    "UPDATE archives SET synced = ? WHERE name = ?", (safe, os.path.basename(path))
                )

    def close(self) -> None:
        """Close the open archive and give it its final name."""
        with self.file.lock:
            name, size = os.path.basename(self._writer.path), self._writer.size
            if self._writer.close():
                self.file.execute("UPDATE archives SET closed = 1, synced = ? WHERE name = ?", (size, name))

    # ------------------------------------------------------------ after a kill

    def _recover(self) -> None:
        """Mend archives that an earlier run left open, and queue again what they lost."""
        folder = self.job.archive_folder
        with self.file.transaction():
            for name in sorted(os.listdir(folder)):
                if not name.endswith(UNFINISHED):
                    continue
                final = name.removesuffix(UNFINISHED)
                row = self.file.execute(
                    "SELECT size, synced FROM archives WHERE name = ?", (final,)
                ).fetchone()
                size, synced = row or (0, 0)
                repair = repair_archive(os.path.join(folder, name), trusted=synced, acknowledged=size)
                if repair.removed:
                    log.info("%s: %d bytes of unfinished records cut off", final, repair.removed)
                if repair.size < size:
                    self._queue_lost(final, repair.size)
                self.file.execute(
                    "UPDATE archives SET closed = 1, size = ?, synced = ? WHERE name = ?",
                    (repair.size, repair.size, final),
                )
            for name, size in self.file.execute(
                "SELECT name, size FROM archives WHERE closed = 0"
            ).fetchall():
                path = os.path.join(folder, name)
                on_disk = os.path.getsize(path) if os.path.exists(path) else 0
                if on_disk < size:
                    self._queue_lost(name, on_disk)
                self.file.execute("UPDATE archives SET closed = 1 WHERE name = ?", (name,))

    def _queue_lost(self, archive: str, size: int) -> None:
        lost = self.file.execute(
            "UPDATE urls SET state = 0 WHERE state = 2 AND id IN (SELECT url FROM pages WHERE archive = ?"
            " AND offset + length > ?)",
            (archive, size),
        ).rowcount
        self.file.execute("DELETE FROM pages WHERE archive = ? AND offset + length > ?", (archive, size))
        self.file.execute("DELETE FROM payloads WHERE archive = ? AND offset >= ?", (archive, size))
        log.warning("%s: the last %d records never reached the disk; they are fetched again", archive, lost)

    def _next_serial(self) -> int:
        return 1 + int(self.file.execute("SELECT COUNT(*) FROM archives").fetchone()[0])


def _moment(exchange: Exchange) -> str:
    """Return when an exchange began, as 14 digits."""
    return "".join(filter(str.isdigit, warc_date(exchange.started)))
