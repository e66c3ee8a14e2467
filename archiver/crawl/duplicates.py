"""What was seen before: identical payloads, near-duplicates, and patterns of addresses that give nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from archiver.crawl.job import CrawlJob
from archiver.crawl.scope import pattern_of
from archiver.crawl.statefile import StateFile
from indexer.text.sketch import NEAR_DUPLICATE, bands_of, resemblance

_MOST_CANDIDATES = 16


@dataclass(frozen=True, slots=True)
class Original:
    """The first capture of a payload.

    written: the payload digest as it stands in that record, for a revisit
        record has to repeat it letter for letter.
    """

    url: str
    date: str
    record_id: str
    written: str


class Duplicates:
    """Remembers payloads and sketches of a job in its state file; callers hold its transaction when they write."""

    def __init__(self, file: StateFile, job: CrawlJob) -> None:
        self._file = file
        self._job = job
        self.near = int(
            file.execute("SELECT COUNT(*) FROM pages WHERE duplicate_of IS NOT NULL").fetchone()[0]
        )

    def original_of(self, digest: bytes) -> Original | None:
        """Return the first capture with this payload (the SHA-1 of the body without transfer coding)."""
        with self._file.lock:
            row = self._file.execute(
                "SELECT url, date, record_id, written FROM payloads WHERE digest = ?", (digest,)
            ).fetchone()
        return Original(*row) if row else None

    def add_payload(self, digest: bytes, original: Original, archive: str, offset: int) -> None:
        """Remember the first capture of a payload and where its record lies."""
        self._file.execute(
            "INSERT OR IGNORE INTO payloads VALUES (?, ?, ?, ?, ?, ?, ?)",
            (digest, original.url, original.date, original.record_id, original.written, archive, offset),
        )

    def near_duplicate_of(self, number: int, sketch: bytes) -> tuple[int, str, float] | None:
        """Return (id, address, resemblance) of the most alike page among those before, None if none reaches 0.9."""
        bands = bands_of(sketch)
        if not bands:
            return None
        marks = ", ".join("?" * len(bands))
        with self._file.lock:
            rows = self._file.execute(
                f"SELECT b.url, s.sketch, u.url, COUNT(*) AS shared FROM bands b JOIN sketches s ON s.url = b.url"
                f" JOIN urls u ON u.id = b.url WHERE b.band IN ({marks}) AND b.url != ? GROUP BY b.url"
                f" ORDER BY shared DESC, b.url LIMIT {_MOST_CANDIDATES}",
                (*bands, number),
            ).fetchall()
        found = max(((resemblance(sketch, other), -page, url) for page, other, url, _ in rows), default=None)
        return (-found[1], found[2], found[0]) if found and found[0] >= NEAR_DUPLICATE else None

    def add_sketch(self, number: int, sketch: bytes) -> None:
        """File the sketch of a page that is no near-duplicate; its near-duplicates need none, they are found by it."""
        if sketch:
            self._file.execute("INSERT OR REPLACE INTO sketches VALUES (?, ?)", (number, sketch))
            self._file.executemany(
                "INSERT OR IGNORE INTO bands VALUES (?, ?)", [(b, number) for b in bands_of(sketch)]
            )

    def count_sibling(self, url: str, is_duplicate: bool) -> str:
        """Count a page under its pattern; return the pattern if it has just turned out to be a trap, else ""."""
        pattern = pattern_of(url)
        self._file.execute(
            "INSERT INTO patterns VALUES (?, 1, ?, 0) ON CONFLICT (pattern) DO UPDATE SET pages = pages + 1,"
            " duplicates = duplicates + excluded.duplicates",
            (pattern, int(is_duplicate)),
        )
        if not is_duplicate:
            return ""
        pages, duplicates, blocked = self._file.execute(
            "SELECT pages, duplicates, blocked FROM patterns WHERE pattern = ?", (pattern,)
        ).fetchone()
        if blocked or duplicates < self._job.max_siblings or duplicates < 0.9 * pages:
            return ""
        self._file.execute("UPDATE patterns SET blocked = 1 WHERE pattern = ?", (pattern,))
        return pattern
