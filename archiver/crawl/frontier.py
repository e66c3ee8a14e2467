"""The frontier: which address comes next and when, after Mercator, kept in the job's SQLite file.

    front: within a queue, addresses by priority     robots.txt, sitemaps, requisites, pages in the order of the job
    back:  one queue a host (or address)             IDLE -> WAITING -> READY -> BUSY -> WAITING ...

A queue with addresses waits until its next allowed time (an index on that time
is Mercator's heap), is then ready, and among the ready ones that with the best
head is served. So however many addresses wait, one `take` looks at a handful
of index entries, and memory does not grow with the number queued.

Links are kept even when they lead nowhere yet: if a page is later found nearer
to a seed, what hangs on it moves nearer too, and addresses that were too deep
come in. The set of pages crawled is therefore the same in every order.
Source: Heydon and Najork, "Mercator: a scalable, extensible web crawler" (1999).
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple
from urllib.parse import urlsplit

from archiver.crawl.job import CrawlJob
from archiver.crawl.links import LinkKind
from archiver.crawl.scope import Scope, pattern_of
from archiver.crawl.statefile import StateFile

NO_DEPTH = 1_000_000  # depth of what is known as a requisite only
MOST_EMBEDS = 4  # a page's style sheet's style sheet's picture
MOST_HOPS = 20  # redirects in a row
_KNOWN_URLS = 50_000


class UrlState(IntEnum):
    """What is to be done about an address; the numbers stand in the state file."""

    QUEUED = 0
    IN_FLIGHT = 1
    DONE = 2
    SKIPPED = 3
    FAILED = 4
    DEFERRED = 5


class UrlKind(IntEnum):
    """What an address is fetched for."""

    PAGE = 0
    REQUISITE = 1
    ROBOTS = 2
    SITEMAP = 3


class QueueState(IntEnum):
    """IDLE: nothing queued; WAITING: until its time; READY; BUSY: a request is out; BLOCKED: waits for robots.txt."""

    IDLE = 0
    WAITING = 1
    READY = 2
    BUSY = 3
    BLOCKED = 4


class RobotsState(IntEnum):
    """What is known of an origin's robots.txt."""

    UNKNOWN = 0
    PENDING = 1
    KNOWN = 2
    UNREACHABLE = 3


_SKIPPED_BY_REASON = (
    "SELECT reason, COUNT(*) FROM urls WHERE state IN (2, 3) AND reason IS NOT NULL GROUP BY reason"
)
_FIRST = {UrlKind.ROBOTS: -3e18, UrlKind.SITEMAP: -2e18, UrlKind.REQUISITE: -1e18}


@dataclass(frozen=True, slots=True)
class Item:
    """An address handed out to be fetched."""

    id: int
    url: str
    kind: UrlKind
    depth: int
    embed: int
    hops: int
    attempts: int
    origin: int
    queue: int
    via: int | None
    seed: bool
    for_origin: int | None
    score: float = 0.0


class Outlink(NamedTuple):
    """A link to offer to the frontier; score: how promising, 0 to 1, for the order `best`."""

    url: str
    kind: LinkKind
    score: float = 0.0


class Frontier:
    """Adds addresses, hands them out, takes back what became of them; safe from many threads.

    Every method that changes something does so in one transaction of the state
    file, or joins the one its caller has open.
    """

    def __init__(self, file: StateFile, job: CrawlJob, scope: Scope) -> None:
        self.file = file
        self.job = job
        self.scope = scope
        self.changed = threading.Condition(file.lock)
        self.paused = False
        self.stopped = False
        self.round = int(file.get("round", "0"))
        self._clock = time.time() - time.monotonic()
        self._origins: dict[str, tuple[int, int]] = {}
        self._joined: dict[str, int] = {}
        self._known: dict[str, tuple[int, int, int]] = {}
        self._in_flight: dict[int, Item] = {}
        self._touched: dict[int, float] = {}
        self.nofollow = int(file.get("nofollow", "0"))
        self._recover()
        self.states: Counter[int] = Counter()
        self.skipped: Counter[str] = Counter()
        self.pages_done = 0
        self.recount()
        self._sequence = int(file.execute("SELECT IFNULL(MAX(id), 0) FROM urls").fetchone()[0])
        self._blocked_patterns = {
            row[0] for row in file.execute("SELECT pattern FROM patterns WHERE blocked = 1")
        }

    def now(self) -> float:
        """Return seconds since the epoch by a clock that never jumps while the crawl runs."""
        return time.monotonic() + self._clock

    # ------------------------------------------------------------ adding

    def add_seeds(self, urls: Iterable[str]) -> int:
        """Queue seeds and let the scope reach from them; return how many were new."""
        urls = list(urls)
        if self.job.order == "dfs":
            urls.reverse()
        new, wider = 0, False
        with self.file.transaction():
            for url in urls:
                wider = self.scope.add_seed(url) or wider
                new += self._offer(url, 0, 0, 0, 1.0, None, seed=True)[1]
            if wider:
                self._admit()
            self._settle()
        return new

    def add_links(self, source: Item, links: Sequence[Outlink]) -> int:
        """Take in the links of a page in document order; return how many addresses were new."""
        new = 0
        edges = []
        ordered = reversed(links) if self.job.order == "dfs" else links
        with self.file.transaction():
            # Asked anew: while the page was fetched, a shorter way to it may have been found.
            depth, embed, is_seed = self.file.execute(
                "SELECT depth, embed, seed FROM urls WHERE id = ?", (source.id,)
            ).fetchone() or (source.depth, source.embed, source.seed)
            for link in ordered:
                seed = False
                if link.kind == LinkKind.REDIRECT:
                    place = (depth, embed, source.hops + 1)
                    seed = bool(is_seed) and depth == 0
                elif link.kind == LinkKind.REQUISITE:
                    place = (NO_DEPTH, embed + 1, 0)
                else:
                    place = (min(NO_DEPTH, depth + 1), 0, 0)
                if seed and self.scope.add_seed(link.url):
                    # Who names example.org as a seed means www.example.org too, if that is where it sends us.
                    self._admit()
                target, is_new = self._offer(link.url, *place, link.score, source.id, seed=seed)
                new += is_new
                edges.append((source.id, target, int(link.kind)))
            self.file.executemany("INSERT OR IGNORE INTO edges VALUES (?, ?, ?)", edges)
            self._settle()
        return new

    def add_sitemap(self, source: Item | None, url: str, hops: int) -> None:
        """Queue a sitemap."""
        with self.file.transaction():
            self._insert(url, NO_DEPTH, 0, hops, 0.0, source.id if source else None, UrlKind.SITEMAP, False)
            self._settle()

    def add_from_sitemap(self, source: Item, urls: Iterable[str]) -> int:
        """Queue the pages of a sitemap as if a seed linked to them; return how many were new."""
        new = 0
        with self.file.transaction():
            for url in urls:
                new += self._offer(url, 1, 0, 0, 0.0, source.id)[1]
            self._settle()
        return new

    def _offer(
        self,
        url: str,
        depth: int,
        embed: int,
        hops: int,
        score: float,
        via: int | None,
        *,
        seed: bool = False,
    ) -> tuple[int, bool]:
        """Take in one address; return its id and whether it was new."""
        known = self._known.get(url)
        if (
            known is not None
            and known[1] <= depth
            and (not embed or 0 < known[2] <= embed)
            and not seed
            and self.job.order != "best"
        ):
            return known[0], False
        row = self.file.execute(
            "SELECT id, state, depth, embed, kind, priority, score, seed FROM urls WHERE key = ?",
            (_key(url),),
        ).fetchone()
        if row is None:
            number = self._insert(url, depth, embed, hops, score, via, None, seed)
            self._remember(url, number, depth, embed)
            return number, True
        number, state, old_depth, old_embed, kind, _priority, old_score, was_seed = row
        best_depth = min(depth, old_depth)
        best_embed = min(e for e in (embed, old_embed) if e) if embed or old_embed else 0
        self._remember(url, number, best_depth, best_embed)
        if (
            (best_depth, best_embed) != (old_depth, old_embed)
            or (score > old_score and state == UrlState.QUEUED)
            or (seed and not was_seed)
        ):
            self._improve(
                number,
                url,
                state,
                kind,
                best_depth,
                best_embed,
                hops,
                max(score, old_score),
                seed or was_seed,
            )
            if best_depth < old_depth and state == UrlState.DONE:
                self._bring_nearer(number, best_depth)
        return number, False

    def _improve(
        self,
        number: int,
        url: str,
        state: int,
        kind: int,
        depth: int,
        embed: int,
        hops: int,
        score: float,
        seed: bool,
    ) -> None:
        """Note that an address is nearer to a seed than was known; queue it if that brings it in."""
        self.file.execute(
            "UPDATE urls SET depth = ?, embed = ?, score = ?, seed = ? WHERE id = ?",
            (depth, embed, score, int(seed), number),
        )
        if kind in (UrlKind.ROBOTS, UrlKind.SITEMAP) or state not in (UrlState.QUEUED, UrlState.SKIPPED):
            return
        reason = ""
        if state == UrlState.SKIPPED:
            reason = self.file.execute("SELECT reason FROM urls WHERE id = ?", (number,)).fetchone()[0]
            if reason not in ("depth", "scope", "excluded"):
                return
        new_kind, refusal = self._judge(url, depth, embed, hops)
        if refusal:
            if state == UrlState.SKIPPED and refusal != reason:
                self._move(number, state, UrlState.SKIPPED, refusal, reason)
            return
        priority = self._priority(new_kind, depth, score)
        queue = self.file.execute("SELECT queue FROM urls WHERE id = ?", (number,)).fetchone()[0]
        self.file.execute(
            "UPDATE urls SET kind = ?, priority = ? WHERE id = ?", (int(new_kind), priority, number)
        )
        self._move(number, state, UrlState.QUEUED, "", reason)
        self._touch(queue, priority)

    def _admit(self) -> None:
        """Queue what was left out before the scope grew."""
        for number, url, kind, depth, embed, hops, score, seed in self.file.execute(
            "SELECT id, url, kind, depth, embed, hops, score, seed FROM urls WHERE state = 3 AND reason = 'scope'"
        ).fetchall():
            self._improve(number, url, UrlState.SKIPPED, kind, depth, embed, hops, score, bool(seed))

    def _bring_nearer(self, number: int, depth: int) -> None:
        """Pass a smaller depth on along the links that were found before."""
        todo = [(number, depth)]
        while todo:
            source, depth = todo.pop()
            for (
                target,
                kind,
                url,
                state,
                old_depth,
                embed,
                target_kind,
                hops,
                score,
                seed,
            ) in self.file.execute(
                "SELECT e.target, e.kind, u.url, u.state, u.depth, u.embed, u.kind, u.hops, u.score, u.seed"
                " FROM edges e JOIN urls u ON u.id = e.target WHERE e.source = ?",
                (source,),
            ).fetchall():
                if kind == LinkKind.REQUISITE:
                    continue
                new_depth = depth + 1 if kind == LinkKind.PAGE else depth
                if new_depth >= old_depth:
                    continue
                self._remember(url, target, new_depth, embed)
                self._improve(target, url, state, target_kind, new_depth, embed, hops, score, bool(seed))
                if state == UrlState.DONE:
                    todo.append((target, new_depth))

    def _insert(
        self,
        url: str,
        depth: int,
        embed: int,
        hops: int,
        score: float,
        via: int | None,
        kind: UrlKind | None,
        seed: bool,
        for_origin: int | None = None,
        key: bytes | None = None,
    ) -> int:
        refusal = ""
        if kind is None:
            kind, refusal = self._judge(url, depth, embed, hops)
        origin, queue = self._origin_of(url)
        priority = self._priority(kind, depth, score)
        state = UrlState.SKIPPED if refusal else UrlState.QUEUED
        cursor = self.file.execute(
            "INSERT OR IGNORE INTO urls (url, key, origin, queue, state, kind, depth, embed, hops, priority, score, reason, via,"
            " seed, for_origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                url,
                key or _key(url),
                origin,
                queue,
                int(state),
                int(kind),
                depth,
                embed,
                hops,
                priority,
                score,
                refusal or None,
                via,
                int(seed),
                for_origin,
            ),
        )
        if cursor.rowcount == 0:
            return int(
                self.file.execute("SELECT id FROM urls WHERE key = ?", (key or _key(url),)).fetchone()[0]
            )
        self.states[state] += 1
        if refusal:
            self.skipped[refusal] += 1
        else:
            self._touch(queue, priority)
        return int(cursor.lastrowid or 0)

    def _judge(self, url: str, depth: int, embed: int, hops: int) -> tuple[UrlKind, str]:
        """Return what an address is to be fetched as, and why not ("" if it is)."""
        if hops > MOST_HOPS:
            return UrlKind.PAGE, "redirects"
        refusal = "depth" if depth > self.job.depth else ""
        if depth < NO_DEPTH:
            refusal = self.scope.refusal_of_page(url) or refusal
            if not refusal and self._blocked_patterns and pattern_of(url) in self._blocked_patterns:
                refusal = "trap"
            if not refusal:
                return UrlKind.PAGE, ""
        if 0 < embed <= MOST_EMBEDS and self.job.requisites:
            other = self.scope.refusal_of_requisite(url)
            if not other:
                return UrlKind.REQUISITE, ""
            refusal = other
        elif embed:
            refusal = "requisite"
        return UrlKind.REQUISITE if embed else UrlKind.PAGE, refusal or "scope"

    def _priority(self, kind: UrlKind, depth: int, score: float) -> float:
        if kind != UrlKind.PAGE:
            return _FIRST[kind]
        if self.job.order == "dfs":
            self._sequence += 1
            return 1e15 - self._sequence
        if self.job.order == "best":
            return 1.0 - max(0.0, min(1.0, score))
        return float(depth)

    def _origin_of(self, url: str) -> tuple[int, int]:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        found = self._origins.get(origin)
        if found is None:
            row = self.file.execute("SELECT id, queue FROM origins WHERE origin = ?", (origin,)).fetchone()
            if row is None:
                host = parts.hostname or ""
                self.file.execute("INSERT OR IGNORE INTO queues (host) VALUES (?)", (host,))
                queue = self._live_queue(
                    self.file.execute("SELECT id FROM queues WHERE host = ?", (host,)).fetchone()[0]
                )
                number = self.file.execute(
                    "INSERT INTO origins (origin, queue) VALUES (?, ?)", (origin, queue)
                ).lastrowid
                row = (number, queue)
            found = (int(row[0]), int(row[1]))
            if len(self._origins) > 20_000:
                self._origins.clear()
            self._origins[origin] = found
        return found

    def _remember(self, url: str, number: int, depth: int, embed: int) -> None:
        if len(self._known) >= _KNOWN_URLS:
            self._known.clear()
        self._known[url] = (number, depth, embed)

    def _touch(self, queue: int, priority: float) -> None:
        best = self._touched.get(queue)
        if best is None or priority < best:
            self._touched[queue] = priority

    def _settle(self) -> None:
        """Tell the queues that got addresses, once for each however many there were."""
        if self._touched:
            self.file.executemany(
                "UPDATE queues SET head = MIN(IFNULL(head, ?1), ?1),"
                f" state = CASE WHEN state = {QueueState.IDLE} OR (state = {QueueState.BLOCKED} AND ?1 <= -3e18)"
                f" THEN {QueueState.WAITING} ELSE state END WHERE id = ?2",
                [(p, q) for q, p in self._touched.items()],
            )
            self._touched.clear()
            self.changed.notify_all()

    # ------------------------------------------------------------ handing out

    def take(self) -> Item | None:
        """Return the next address as soon as one may be fetched; None when the crawl is stopped or has nothing left."""
        with self.changed:
            while not self.stopped:
                if not self.paused:
                    item = self._take_now()
                    if item is not None:
                        return item
                    if not self._in_flight and self._is_exhausted():
                        self.changed.notify_all()
                        return None
                self.changed.wait(self._wait_s())
        return None

    @property
    def in_flight(self) -> list[Item]:
        """The addresses that are being fetched now."""
        with self.file.lock:
            return list(self._in_flight.values())

    @property
    def page_limit_reached(self) -> bool:
        """Are as many pages fetched as the job allows?"""
        return bool(self.job.max_pages) and self.pages_done >= self.job.max_pages

    def _take_now(self) -> Item | None:
        now = self.now()
        with self.file.transaction():
            self._promote(now)
            # At the page limit only what the pages need is still fetched. Pages in flight count, so it is exact.
            flying = sum(i.kind == UrlKind.PAGE for i in self._in_flight.values())
            pages_left = not self.job.max_pages or self.pages_done + flying < self.job.max_pages
            row = self.file.execute(
                f"SELECT id, pause FROM queues WHERE state = {QueueState.READY} AND head < ? ORDER BY head, next_at LIMIT 1",
                (1e300 if pages_left else 0.0,),
            ).fetchone()
            if row is None:
                return None
            queue, pause = row
            found = self.file.execute(
                "SELECT id, url, kind, depth, embed, hops, attempts, origin, queue, via, seed, for_origin, score FROM urls"
                " WHERE queue = ? AND state = 0 ORDER BY priority, id LIMIT 1",
                (queue,),
            ).fetchone()
            if found is None:
                self._refresh(queue, QueueState.IDLE)
                return self._take_now()
            number, url, kind, depth, embed, hops, attempts, origin, at, via, seed, for_origin, score = found
            item = Item(
                number,
                url,
                UrlKind(kind),
                depth,
                embed,
                hops,
                attempts,
                origin,
                at,
                via,
                bool(seed),
                for_origin,
                score,
            )
            self._move(item.id, UrlState.QUEUED, UrlState.IN_FLIGHT)
            # Without a pause requests to one host may overlap.
            overlap = self.job.delay_s == 0 and pause == 0
            self._refresh(queue, QueueState.READY if overlap else QueueState.BUSY)
            self._in_flight[item.id] = item
            return item

    def _promote(self, now: float) -> None:
        """Make ready what has waited long enough."""
        due = self.file.execute(
            "SELECT id, queue, priority FROM urls WHERE state = 5 AND due <= ?", (now,)
        ).fetchall()
        for number, queue, priority in due:
            self._move(number, UrlState.DEFERRED, UrlState.QUEUED)
            self._touch(queue, priority)
        self._settle()
        self.file.execute(
            f"UPDATE queues SET state = {QueueState.READY} WHERE state = {QueueState.WAITING} AND next_at <= ?",
            (now,),
        )

    def _refresh(self, queue: int, state: QueueState) -> None:
        """Set a queue's head anew, and its state; without addresses READY and WAITING become IDLE."""
        row = self.file.execute(
            "SELECT priority FROM urls WHERE queue = ? AND state = 0 ORDER BY priority, id LIMIT 1", (queue,)
        ).fetchone()
        if row is None and state in (QueueState.READY, QueueState.WAITING):
            state = QueueState.IDLE
        self.file.execute(
            "UPDATE queues SET head = ?, state = ? WHERE id = ?", (row[0] if row else None, int(state), queue)
        )

    def _is_exhausted(self) -> bool:
        pages_left = not self.page_limit_reached
        waiting = self.file.execute(
            f"SELECT 1 FROM queues WHERE state IN ({QueueState.WAITING}, {QueueState.READY}) AND head < ? LIMIT 1",
            (1e300 if pages_left else 0.0,),
        ).fetchone()
        deferred = self.file.execute(
            "SELECT 1 FROM urls WHERE state = 5 AND priority < ? LIMIT 1", (1e300 if pages_left else 0.0,)
        ).fetchone()
        if waiting or deferred:
            return False
        with self.file.transaction():
            # Nobody is left to answer for the robots.txt they wait for: ask again.
            freed = self.file.execute(
                f"UPDATE queues SET state = {QueueState.WAITING} WHERE state = {QueueState.BLOCKED}"
                " AND head < ?",
                (1e300 if pages_left else 0.0,),
            ).rowcount
        return freed == 0

    def _wait_s(self) -> float:
        """Return how long nothing can become ready by itself; at most a second, for commands come from outside."""
        if self.paused:
            return 1.0
        first = self.file.execute("SELECT MIN(next_at) FROM queues WHERE state = 1").fetchone()[0]
        due = self.file.execute("SELECT MIN(due) FROM urls WHERE state = 5").fetchone()[0]
        moments = [m for m in (first, due) if m is not None]
        return max(0.001, min(1.0, min(moments) - self.now())) if moments else 1.0

    # ------------------------------------------------------------ taking back

    def done(self, item: Item, reason: str = "") -> None:
        """The address was fetched. reason: why nothing was kept of it, "" when its record is written."""
        self._finish(item, UrlState.DONE, reason)
        if reason:
            self.skipped[reason] += 1
        if item.kind == UrlKind.PAGE:
            self.pages_done += 1

    def skip(self, item: Item, reason: str, *, asked: bool = False) -> None:
        """The address is not wanted after all. asked: the host got a request for it."""
        self._finish(item, UrlState.SKIPPED, reason, asked=asked)

    def fail(self, item: Item, reason: str, *, asked: bool = True) -> None:
        """The address could not be fetched, and trying again is no use."""
        self._finish(item, UrlState.FAILED, reason, asked=asked)

    def defer(self, item: Item, pause_s: float, reason: str) -> None:
        """Try the address again after a pause."""
        with self.file.transaction():
            self.file.execute(
                "UPDATE urls SET due = ?, attempts = attempts + 1 WHERE id = ?",
                (self.now() + pause_s, item.id),
            )
            self._finish(item, UrlState.DEFERRED, reason)

    def put_back(self, item: Item, *, blocked: bool = False) -> None:
        """The address was not asked for and stays queued. blocked: until its robots.txt is known."""
        with self.file.transaction():
            self._move(item.id, UrlState.IN_FLIGHT, UrlState.QUEUED)
            self._in_flight.pop(item.id, None)
            queue = self._live_queue(item.queue)
            self._refresh(queue, QueueState.BLOCKED if blocked else QueueState.WAITING)
            if (
                blocked
                and self.file.execute(
                    "SELECT 1 FROM queues WHERE id = ? AND head <= -3e18", (queue,)
                ).fetchone()
            ):
                self._refresh(queue, QueueState.WAITING)
            self.changed.notify_all()

    def release(self, queue: int, seconds: float, wait_s: float = 0.0) -> None:
        """Let the queue of a request that is over be served again after its pause, counted from now.

        seconds: what the request took. wait_s: what the server asked for.
        """
        with self.file.transaction():
            queue = self._live_queue(queue)
            state, pause, next_at = self.file.execute(
                "SELECT state, pause, next_at FROM queues WHERE id = ?", (queue,)
            ).fetchone()
            pause = max(self.job.delay_s, pause, wait_s)
            if self.job.delay_s > 0:
                pause = max(pause, self.job.delay_factor * seconds)
            if pause > 0:
                self.file.execute(
                    "UPDATE queues SET next_at = ? WHERE id = ?", (max(next_at, self.now() + pause), queue)
                )
            if state == QueueState.BUSY or (pause > 0 and state == QueueState.READY):
                self._refresh(queue, QueueState.WAITING)
            self.changed.notify_all()

    def _finish(self, item: Item, state: UrlState, reason: str, *, asked: bool = True) -> None:
        with self.file.transaction():
            self._move(item.id, UrlState.IN_FLIGHT, state, reason)
            self._in_flight.pop(item.id, None)
            if not asked:
                queue = self._live_queue(item.queue)
                if (
                    self.file.execute("SELECT state FROM queues WHERE id = ?", (queue,)).fetchone()[0]
                    == QueueState.BUSY
                ):
                    self._refresh(queue, QueueState.WAITING)
            self.changed.notify_all()

    def _move(self, number: int, old: int, new: UrlState, reason: str = "", old_reason: str = "") -> None:
        self.file.execute(
            "UPDATE urls SET state = ?, reason = ? WHERE id = ?", (int(new), reason or None, number)
        )
        self.states[old] -= 1
        self.states[new] += 1
        if new == UrlState.SKIPPED:
            self.skipped[reason] += 1
        if old == UrlState.SKIPPED and old_reason:
            self.skipped[old_reason] -= 1

    # ------------------------------------------------------------ hosts, addresses, robots

    def join_addresses(self, item: Item, host: str, addresses: Iterable[str]) -> bool:
        """Let hosts that share an address share a queue; return whether the item is still in its queue.

        When not, it was put back into the queue of the other host.
        """
        if self._joined.get(host) == item.queue:
            return True
        with self.file.transaction():
            mine = self._live_queue(item.queue)
            other = mine
            for address in addresses:
                row = self.file.execute(
                    "SELECT queue FROM addresses WHERE address = ?", (address,)
                ).fetchone()
                if row is not None and self._live_queue(row[0]) != mine:
                    other = self._live_queue(row[0])
                    break
            for address in addresses:
                self.file.execute("INSERT OR IGNORE INTO addresses VALUES (?, ?)", (address, other))
            if len(self._joined) > 20_000:
                self._joined.clear()
            self._joined[host] = other
            if other == mine:
                return True
            self._merge(mine, other)
            self.put_back(item)
        return False

    def _merge(self, queue: int, into: int) -> None:
        self.file.execute("UPDATE urls SET queue = ? WHERE queue = ? AND state IN (0, 1, 5)", (into, queue))
        self.file.execute("UPDATE origins SET queue = ? WHERE queue = ?", (into, queue))
        pause, next_at = self.file.execute(
            "SELECT pause, next_at FROM queues WHERE id = ?", (queue,)
        ).fetchone()
        self.file.execute(
            f"UPDATE queues SET merged_into = ?, state = {QueueState.IDLE}, head = NULL WHERE id = ?",
            (into, queue),
        )
        self.file.execute(
            "UPDATE queues SET pause = MAX(pause, ?), next_at = MAX(next_at, ?) WHERE id = ?",
            (pause, next_at, into),
        )
        state = self.file.execute("SELECT state FROM queues WHERE id = ?", (into,)).fetchone()[0]
        self._refresh(
            into, QueueState.WAITING if state in (QueueState.IDLE, QueueState.READY) else QueueState(state)
        )
        self._origins.clear()

    def _live_queue(self, queue: int) -> int:
        while True:
            row = self.file.execute("SELECT merged_into FROM queues WHERE id = ?", (queue,)).fetchone()
            if row is None or row[0] is None:
                return queue
            queue = int(row[0])

    def robots_of(self, origin: int) -> tuple[RobotsState, bytes | None]:
        """Return what is known of an origin's robots.txt; body None for an origin without one."""
        with self.file.lock:
            state, body, until = self.file.execute(
                "SELECT robots_state, robots, robots_until FROM origins WHERE id = ?", (origin,)
            ).fetchone()
        if state in (RobotsState.KNOWN, RobotsState.UNREACHABLE) and until <= self.now():
            state = RobotsState.UNKNOWN
        return RobotsState(state), body

    def request_robots(self, origin: int, url: str, hops: int = 0, via: int | None = None) -> None:
        """Queue a robots.txt that speaks for an origin, before anything else of its host."""
        with self.file.transaction():
            self.file.execute(
                f"UPDATE origins SET robots_state = {RobotsState.PENDING} WHERE id = ?", (origin,)
            )
            key = _key(f"robots {origin} {hops} {url} {self.now()}")
            self._insert(url, NO_DEPTH, 0, hops, 0.0, via, UrlKind.ROBOTS, False, origin, key)
            self._settle()

    def is_robots_on_its_way(self, origin: int) -> bool:
        """Is a robots.txt for the origin queued, deferred or being fetched?"""
        with self.file.lock:
            return (
                self.file.execute(
                    "SELECT 1 FROM urls WHERE for_origin = ? AND state IN (0, 1, 5) LIMIT 1", (origin,)
                ).fetchone()
                is not None
            )

    def set_robots(
        self, origin: int, state: RobotsState, body: bytes | None, pause_s: float, valid_s: float
    ) -> None:
        """Keep an origin's robots.txt and the pause it asks for, and let its queue go on."""
        with self.file.transaction():
            self.file.execute(
                "UPDATE origins SET robots_state = ?, robots = ?, robots_until = ? WHERE id = ?",
                (int(state), body, self.now() + valid_s, origin),
            )
            queue = self._live_queue(
                self.file.execute("SELECT queue FROM origins WHERE id = ?", (origin,)).fetchone()[0]
            )
            self.file.execute("UPDATE queues SET pause = MAX(pause, ?) WHERE id = ?", (pause_s, queue))
            if (
                self.file.execute("SELECT state FROM queues WHERE id = ?", (queue,)).fetchone()[0]
                == QueueState.BLOCKED
            ):
                self._refresh(queue, QueueState.WAITING)
            self.changed.notify_all()

    def origin_of(self, number: int) -> str:
        """Return scheme, host and port of an origin."""
        with self.file.lock:
            return str(self.file.execute("SELECT origin FROM origins WHERE id = ?", (number,)).fetchone()[0])

    def active_hosts(self, limit: int = 10) -> list[tuple[str, float, int]]:
        """Return (host, seconds until it may be asked again, addresses queued) of hosts at work, soonest first."""
        with self.file.lock:
            rows = self.file.execute(
                "SELECT q.host, q.next_at, (SELECT COUNT(*) FROM (SELECT 1 FROM urls u WHERE u.queue = q.id AND u.state = 0"
                " LIMIT 100000)) FROM queues q WHERE q.state IN (1, 2, 3, 4) ORDER BY q.next_at LIMIT ?",
                (limit,),
            ).fetchall()
        return [(host, max(0.0, round(next_at - self.now(), 1)), queued) for host, next_at, queued in rows]

    # ------------------------------------------------------------ changes while running

    def block_pattern(self, pattern: str) -> None:
        """Leave out addresses of this pattern from now on."""
        self._blocked_patterns.add(pattern)

    def is_blocked(self, url: str) -> bool:
        """Does the address have a pattern that turned out to be a trap?"""
        return bool(self._blocked_patterns) and pattern_of(url) in self._blocked_patterns

    def rescope(
        self, job: CrawlJob, scope: Scope, *, step: int = 2000, between: Callable[[], None] = lambda: None
    ) -> None:
        """Judge every address anew that is queued or was left out, after scope, depth or patterns were changed."""
        with self.file.lock:
            self.job, self.scope = job, scope
            self._known.clear()
        last = 0
        while True:
            with self.file.transaction():
                rows = self.file.execute(
                    "SELECT id, url, state, kind, depth, embed, hops, score, queue FROM urls WHERE id > ? AND"
                    " (state IN (0, 5) OR (state = 3 AND reason IN ('depth', 'scope', 'excluded', 'trap', 'requisite')))"
                    " ORDER BY id LIMIT ?",
                    (last, step),
                ).fetchall()
                for number, url, state, kind, depth, embed, hops, score, queue in rows:
                    if kind in (UrlKind.ROBOTS, UrlKind.SITEMAP):
                        continue
                    new_kind, refusal = self._judge(url, depth, embed, hops)
                    if refusal:
                        self._move(number, state, UrlState.SKIPPED, refusal)
                        continue
                    priority = self._priority(new_kind, depth, score)
                    self.file.execute(
                        "UPDATE urls SET kind = ?, priority = ? WHERE id = ?",
                        (int(new_kind), priority, number),
                    )
                    if state == UrlState.SKIPPED:
                        self._move(number, state, UrlState.QUEUED)
                    self._touch(queue, priority)
                self._settle()
                if not rows:
                    self.recount()
                    for (queue,) in self.file.execute(
                        "SELECT id FROM queues WHERE head IS NOT NULL"
                    ).fetchall():
                        state = self.file.execute(
                            "SELECT state FROM queues WHERE id = ?", (queue,)
                        ).fetchone()[0]
                        self._refresh(queue, QueueState(state))
                    return
                last = rows[-1][0]
            between()

    def begin_again(self) -> int:
        """Queue the job's addresses for another visit and return how many; 0 if an earlier round is not over.

        Pages that changed in more of their visits come first. A page that was
        the same three times in a row sits out every second round, then three
        of four, at most seven of eight.
        """
        with self.file.transaction():
            if self.file.execute("SELECT 1 FROM urls WHERE state IN (0, 1, 5) LIMIT 1").fetchone():
                return 0
            self.round += 1
            queued = 0
            for number, kind, depth, queue, visits, changes, unchanged, gone in self.file.execute(
                "SELECT u.id, u.kind, u.depth, u.queue, IFNULL(p.visits, 0), IFNULL(p.changes, 0), IFNULL(p.unchanged, 0),"
                " IFNULL(p.status, 0) IN (404, 410) FROM urls u LEFT JOIN pages p ON p.url = u.id"
                " WHERE u.state IN (2, 4) AND u.kind != ?",
                (int(UrlKind.ROBOTS),),
            ).fetchall():
                if unchanged >= 3 and self.round % (1 << min(3, unchanged - 2)):
                    continue
                often = changes / visits if visits else 0.0
                priority = _FIRST.get(kind, 0.0)
                if kind == UrlKind.PAGE:
                    priority = (
                        (0.0 if depth == 0 else 2.0 - often)
                        + min(depth, 1000) / 10_000
                        + (5.0 if gone else 0.0)
                    )
                self.file.execute(
                    "UPDATE urls SET state = 0, attempts = 0, reason = NULL, priority = ? WHERE id = ?",
                    (priority, number),
                )
                self._touch(queue, priority)
                queued += 1
            self._settle()
            self.file.put("round", str(self.round))
            self.recount()
        return queued

    def _recover(self) -> None:
        """Take up what an earlier run left: requests that were out count as made just now."""
        with self.file.transaction():
            self.file.execute("UPDATE urls SET state = 0 WHERE state = 1")
            pause = max(self.job.delay_s, 0.0)
            self.file.execute(
                f"UPDATE queues SET next_at = MAX(next_at, ? + MAX(?, pause)) WHERE state = {QueueState.BUSY}",
                (self.now(), pause),
            )
            self.file.execute(
                "UPDATE queues SET head = (SELECT priority FROM urls u WHERE u.queue = queues.id AND u.state = 0"
                " ORDER BY priority, id LIMIT 1)"
            )
            self.file.execute("UPDATE queues SET state = CASE WHEN head IS NULL THEN 0 ELSE 1 END")

    def recount(self) -> None:
        """Count addresses by state and by reason anew, from the file."""
        with self.file.lock:
            count = self.file.execute
            self.states = Counter(dict(count("SELECT state, COUNT(*) FROM urls GROUP BY state").fetchall()))
            self.skipped = Counter(dict(count(_SKIPPED_BY_REASON).fetchall()))
            self.pages_done = int(
                count(
                    "SELECT COUNT(*) FROM pages p JOIN urls u ON u.id = p.url"
                    " WHERE p.round = ? AND u.kind = 0",
                    (self.round,),
                ).fetchone()[0]
            )


def _key(url: str) -> bytes:
    return hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=12).digest()
