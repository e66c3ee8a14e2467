"""The frontier: which address comes next and when, after Mercator, kept in the job's SQLite file.

    front: within a queue, addresses by priority     robots.txt, sitemaps, requisites, pages in the order of the job
    back:  one queue a host (or address)             see queues.py

Among the queues whose time has come, that with the best address is served. So
however many addresses wait, one `take` looks at a handful of index entries, and
memory does not grow with the number queued.

Links are kept even when they lead nowhere yet: if a page is later found nearer
to a seed, what hangs on it moves nearer too, and addresses that were too deep
come in. The set of pages crawled is therefore the same in every order.
Source: Heydon and Najork, "Mercator: a scalable, extensible web crawler" (1999).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from archiver.crawl.job import CrawlJob
from archiver.crawl.links import LinkKind
from archiver.crawl.queues import ROBOTS_FIRST, HostQueues, QueueState, RobotsState
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


_SKIPPED_BY_REASON = (
    "SELECT reason, COUNT(*) FROM urls WHERE state IN (2, 3) AND reason IS NOT NULL GROUP BY reason"
)
_ANY = 1e300  # above every priority
_FIRST = {UrlKind.ROBOTS: ROBOTS_FIRST, UrlKind.SITEMAP: -2e18, UrlKind.REQUISITE: -1e18}


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
        self.queues = HostQueues(file, job)
        self.changed = self.queues.changed
        self.paused = False
        self.stopped = False
        self.round = int(file.get("round", "0"))
        self._known: dict[str, tuple[int, int, int]] = {}
        self._in_flight: dict[int, Item] = {}
        self.nofollow = int(file.get("nofollow", "0"))
        with file.transaction():
            file.execute("UPDATE urls SET state = 0 WHERE state = 1")
            self.queues.recover()
        self.states: Counter[int] = Counter()
        self.skipped: Counter[str] = Counter()
        self.pages_done = 0
        self.recount()
        self._sequence = int(file.execute("SELECT IFNULL(MAX(id), 0) FROM urls").fetchone()[0])
        self._blocked_patterns = {
            row[0] for row in file.execute("SELECT pattern FROM patterns WHERE blocked = 1")
        }

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
            self.queues.settle()
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
            self.queues.settle()
        return new

    def add_sitemap(self, source: Item | None, url: str, hops: int) -> None:
        """Queue a sitemap."""
        with self.file.transaction():
            self._insert(url, NO_DEPTH, 0, hops, 0.0, source.id if source else None, UrlKind.SITEMAP, False)
            self.queues.settle()

    def add_from_sitemap(self, source: Item, urls: Iterable[str]) -> int:
        """Queue the pages of a sitemap as if a seed linked to them; return how many were new."""
        new = 0
        with self.file.transaction():
            for url in urls:
                new += self._offer(url, 1, 0, 0, 0.0, source.id)[1]
            self.queues.settle()
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
        self.queues.touch(queue, priority)

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
        origin, queue = self.queues.place_of(url)
        priority = self._priority(kind, depth, score)
        state = UrlState.SKIPPED if refusal else UrlState.QUEUED
        cursor = self.file.execute(
            "INSERT OR IGNORE INTO urls (url, key, origin, queue, state, kind, depth, embed, hops, priority, score,"
            " reason, via, seed, for_origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
            self.queues.touch(queue, priority)
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

    def _remember(self, url: str, number: int, depth: int, embed: int) -> None:
        if len(self._known) >= _KNOWN_URLS:
            self._known.clear()
        self._known[url] = (number, depth, embed)

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
        with self.file.transaction():
            self._promote()
            # At the page limit only what the pages need is still fetched. Pages in flight count, so it is exact.
            flying = sum(i.kind == UrlKind.PAGE for i in self._in_flight.values())
            pages_left = not self.job.max_pages or self.pages_done + flying < self.job.max_pages
            ready = self.queues.best_ready(_ANY if pages_left else 0.0)
            if ready is None:
                return None
            queue, pause = ready
            found = self.file.execute(
                "SELECT id, url, kind, depth, embed, hops, attempts, origin, queue, via, seed, for_origin, score"
                " FROM urls WHERE queue = ? AND state = 0 ORDER BY priority, id LIMIT 1",
                (queue,),
            ).fetchone()
            if found is None:
                self.queues.refresh(queue, QueueState.IDLE)
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
            self.queues.refresh(queue, QueueState.READY if overlap else QueueState.BUSY)
            self._in_flight[item.id] = item
            return item

    def _promote(self) -> None:
        """Make ready what has waited long enough."""
        due = self.file.execute(
            "SELECT id, queue, priority FROM urls WHERE state = 5 AND due <= ?", (self.queues.now(),)
        ).fetchall()
        for number, queue, priority in due:
            self._move(number, UrlState.DEFERRED, UrlState.QUEUED)
            self.queues.touch(queue, priority)
        self.queues.settle()
        self.queues.make_ready()

    def _is_exhausted(self) -> bool:
        below = 0.0 if self.page_limit_reached else _ANY
        deferred = self.file.execute("SELECT 1 FROM urls WHERE state = 5 AND priority < ? LIMIT 1", (below,))
        if self.queues.is_any_coming(below) or deferred.fetchone():
            return False
        with self.file.transaction():
            return self.queues.unblock_all(below) == 0

    def _wait_s(self) -> float:
        """Return how long nothing can become ready by itself; at most a second, for commands come from outside."""
        if self.paused:
            return 1.0
        first = self.queues.next_moment()
        due = self.file.execute("SELECT MIN(due) FROM urls WHERE state = 5").fetchone()[0]
        moments = [m for m in (first, due) if m is not None]
        return max(0.001, min(1.0, min(moments) - self.queues.now())) if moments else 1.0

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
                (self.queues.now() + pause_s, item.id),
            )
            self._finish(item, UrlState.DEFERRED, reason)

    def put_back(self, item: Item, *, blocked: bool = False) -> None:
        """The address was not asked for and stays queued. blocked: until its robots.txt is known."""
        with self.file.transaction():
            self._move(item.id, UrlState.IN_FLIGHT, UrlState.QUEUED)
            self._in_flight.pop(item.id, None)
            self.queues.give_back(item.queue, blocked=blocked)

    def _finish(self, item: Item, state: UrlState, reason: str, *, asked: bool = True) -> None:
        with self.file.transaction():
            self._move(item.id, UrlState.IN_FLIGHT, state, reason)
            self._in_flight.pop(item.id, None)
            if not asked:
                self.queues.give_back(item.queue)
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

    # ------------------------------------------------------------ hosts and robots

    def join_addresses(self, item: Item, host: str, addresses: Iterable[str]) -> bool:
        """Let hosts that share an address share a queue; return whether the item is still in its queue.

        When not, it was put back into the queue of the other host.
        """
        with self.file.transaction():
            if not self.queues.join(item.queue, host, addresses):
                return True
            self.put_back(item)
        return False

    def release(self, item: Item, seconds: float, wait_s: float = 0.0) -> None:
        """Let the host of a request that is over be asked again after its pause, counted from now.

        seconds: what the request took. wait_s: what the server asked for.
        """
        with self.file.transaction():
            self.queues.release(item.queue, seconds, wait_s)

    def request_robots(self, origin: int, url: str, hops: int = 0, via: int | None = None) -> None:
        """Queue a robots.txt that speaks for an origin, before anything else of its host."""
        with self.file.transaction():
            self.file.execute(
                f"UPDATE origins SET robots_state = {RobotsState.PENDING} WHERE id = ?", (origin,)
            )
            key = _key(f"robots {origin} {hops} {url} {self.queues.now()}")
            self._insert(url, NO_DEPTH, 0, hops, 0.0, via, UrlKind.ROBOTS, False, origin, key)
            self.queues.settle()

    def is_robots_on_its_way(self, origin: int) -> bool:
        """Is a robots.txt for the origin queued, deferred or being fetched?"""
        with self.file.lock:
            return (
                self.file.execute(
                    "SELECT 1 FROM urls WHERE for_origin = ? AND state IN (0, 1, 5) LIMIT 1", (origin,)
                ).fetchone()
                is not None
            )

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
        """Judge every address anew that is queued or was left out, after scope, depth, patterns or hosts changed.

        The address guard decides again when an address that it refused is asked for.
        """
        with self.file.lock:
            self.job = self.queues.job = job
            self.scope = scope
            self._known.clear()
        last = 0
        while True:
            with self.file.transaction():
                rows = self.file.execute(
                    "SELECT id, url, state, kind, depth, embed, hops, score, queue FROM urls WHERE id > ? AND"
                    " (state IN (0, 5) OR"
                    " (state = 3 AND reason IN ('depth', 'scope', 'excluded', 'trap', 'requisite', 'blocked-address')))"
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
                    self.queues.touch(queue, priority)
                self.queues.settle()
                if not rows:
                    self.recount()
                    for (queue,) in self.file.execute(
                        "SELECT id FROM queues WHERE head IS NOT NULL"
                    ).fetchall():
                        state = self.file.execute(
                            "SELECT state FROM queues WHERE id = ?", (queue,)
                        ).fetchone()[0]
                        self.queues.refresh(queue, QueueState(state))
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
                "SELECT u.id, u.kind, u.depth, u.queue, IFNULL(p.visits, 0), IFNULL(p.changes, 0),"
                " IFNULL(p.unchanged, 0),"
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
                self.queues.touch(queue, priority)
                queued += 1
            self.queues.settle()
            self.file.put("round", str(self.round))
            self.recount()
        return queued

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
