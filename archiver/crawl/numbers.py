"""The live numbers of a crawl, shown by the command line and the web page and kept in the state file."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter, deque
from typing import Any

from archiver.crawl.frontier import Frontier
from archiver.crawl.items import UrlState
from archiver.crawl.job import CrawlJob
from archiver.crawl.reasons import Reason
from archiver.crawl.statefile import StateFile

_WINDOW_S = 10.0
_MOST_TYPES = 50


class Numbers:
    """Counts of one job over all its runs; rates of this run."""

    def __init__(self, file: StateFile, job: CrawlJob) -> None:
        self._file = file
        self._job = job
        self._lock = threading.Lock()
        self._start = time.monotonic()
        self.state = "queued"
        before: dict[str, Any] = json.loads(file.get("numbers", "{}"))
        totals = before.get("totals", {})
        self._seconds_before = float(totals.get("seconds", 0.0))
        self.bytes = int(totals.get("bytes", 0))
        self.retried = int(totals.get("retried", 0))
        self.on_topic, self.off_topic = int(totals.get("on_topic", 0)), int(totals.get("off_topic", 0))
        self.statuses: Counter[str] = Counter(before.get("statuses", {}))
        self.types: Counter[str] = Counter(before.get("types", {}))
        self.failures: Counter[str] = Counter(before.get("failures", {}))
        self.cut: Counter[str] = Counter(before.get("cut", {}))
        # From the table, for the numbers are saved once a second only.
        self.fetched = int(
            file.execute(
                "SELECT IFNULL(SUM(p.visits), 0) FROM pages p JOIN urls u ON u.id = p.url"
                " WHERE u.kind IN (0, 1)"
            ).fetchone()[0]
        )
        self.failed = int(file.execute("SELECT COUNT(*) FROM urls WHERE state = 4").fetchone()[0])
        self.discovered_in_sitemaps = 0
        self.seed_problems: dict[str, str] = {}
        self._fetched_at_start, self._bytes_at_start = self.fetched, self.bytes
        self._marks: deque[tuple[float, int, int]] = deque()
        self.now: dict[str, Any] = {}

    @property
    def seconds(self) -> float:
        """Seconds that the job has been worked on, over all runs."""
        return self._seconds_before + time.monotonic() - self._start

    def count_bytes(self, size: int) -> None:
        """Count what was received."""
        with self._lock:
            self.bytes += size

    def count_fetch(self, status: int, mime: str, *, counted: bool = True) -> None:
        """Count a response; robots.txt and sitemaps are not counted as fetched."""
        with self._lock:
            self.statuses[str(status)] += 1
            if counted:
                self.fetched += 1
                name = mime or "none"
                self.types[name if name in self.types or len(self.types) < _MOST_TYPES else "other"] += 1

    def count_cut(self, reason: str) -> None:
        """Count what was not had whole.

        reason: that of an answer as WARC-Truncated has it ("length", "time", "disconnect", "unspecified");
            "links" for a page, "sitemap" for a sitemap of which not all addresses were taken;
            "redirect-loop" for redirects in a circle, of which no page came.
        """
        with self._lock:
            self.cut[reason] += 1

    def count_failure(self, reason: Reason) -> None:
        """Count an address that was given up."""
        with self._lock:
            self.failed += 1
            self.failures[reason] += 1

    def count_topic(self, on_topic: bool) -> None:
        """Count a page as on topic or not."""
        with self._lock:
            if on_topic:
                self.on_topic += 1
            else:
                self.off_topic += 1

    def update(self, frontier: Frontier, near_duplicates: int, current: list[str], disk_free: int) -> None:
        """Bring `now`, what status shows, up to date."""
        moment = time.monotonic()
        hosts = frontier.queues.active_hosts()
        with frontier.file.lock:
            states, skipped = frontier.states.copy(), frontier.skipped.copy()
        if frontier.nofollow:
            skipped[Reason.NOFOLLOW] = frontier.nofollow
        with self._lock:
            self._marks.append((moment, self.fetched, self.bytes))
            while moment - self._marks[0][0] > _WINDOW_S:
                self._marks.popleft()
            then, fetched_then, bytes_then = self._marks[0]
            lately = max(0.5, moment - then) if len(self._marks) > 1 else max(0.5, moment - self._start)
            ran = max(0.5, moment - self._start)
            queued = states[UrlState.QUEUED] + states[UrlState.DEFERRED] + states[UrlState.IN_FLIGHT]
            average = (self.fetched - self._fetched_at_start) / ran
            judged = self.on_topic + self.off_topic
            self.now = {
                "job": self._job.id,
                "state": self.state,
                "seconds": round(self.seconds, 1),
                "round": frontier.round,
                "discovered": sum(n for n in states.values() if n > 0),
                "queued": queued,
                "fetched": self.fetched,
                "failed": self.failed,
                "retried": self.retried,
                "skipped": {reason: n for reason, n in skipped.items() if n > 0},
                "failures": dict(self.failures),
                "cut": dict(self.cut),
                "pages_per_s": round((self.fetched - fetched_then) / lately, 1),
                "pages_per_s_average": round(average, 1),
                "kb_per_s": round((self.bytes - bytes_then) / lately / 1000, 1),
                "kb_per_s_average": round((self.bytes - self._bytes_at_start) / ran / 1000, 1),
                "bytes": self.bytes,
                "statuses": dict(self.statuses),
                "types": dict(self.types.most_common(20)),
                "hosts": [{"host": h, "pause_s": p, "queued": q} for h, p, q in hosts],
                "current": current[:10],
                "near_duplicates": near_duplicates,
                "on_topic_share": round(self.on_topic / judged, 3) if judged else None,
                "eta_s": round(queued / average) if average > 0.05 and queued else None,
                "disk_free_mb": disk_free // 1_000_000,
            }

    def save(self, *, final: bool = False) -> None:
        """Write the numbers to the state file, where `crawl status` and the next run find them."""
        totals = {
            "seconds": self.seconds,
            "bytes": self.bytes,
            "retried": self.retried,
            "on_topic": self.on_topic,
            "off_topic": self.off_topic,
        }
        now = {**self.now, "hosts": [], "current": []} if final else self.now
        self._file.put("numbers", json.dumps({**now, "totals": totals}))
