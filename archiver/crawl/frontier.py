"""The frontier: which address comes next and when, after Mercator, kept in the job's SQLite file.

    front: within a queue, addresses by priority     robots.txt, sitemaps, requisites, pages in the order of the job
    back:  one queue a host (or address)             see queues.py

Among the queues whose time has come, that with the best address is served. So
however many addresses wait, one `take` looks at a handful of index entries, and
memory does not grow with the number queued.

What comes in, and with which priority, is in intake.py.
Source: Heydon and Najork, "Mercator: a scalable, extensible web crawler" (1999).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from archiver.crawl.intake import FIRST, MOST_HOPS, Intake, digest_of
from archiver.crawl.items import NO_DEPTH, Item, UrlKind, UrlState
from archiver.crawl.job import CrawlJob
from archiver.crawl.links import LinkKind
from archiver.crawl.queues import QueueState, RobotsState
from archiver.crawl.reasons import MaybeReason, Reason
from archiver.crawl.scope import Scope
from archiver.crawl.statefile import StateFile

_SKIPPED_BY_REASON = (
    "SELECT reason, COUNT(*) FROM urls WHERE state IN (2, 3) AND reason IS NOT NULL GROUP BY reason"
)
_ANY = 1e300  # above every priority


class Frontier(Intake):
    """Adds addresses, hands them out, takes back what became of them; safe from many threads.

    Every method that changes something does so in one transaction of the state
    file, or joins the one its caller has open.
    """

    def __init__(self, file: StateFile, job: CrawlJob, scope: Scope) -> None:
        super().__init__(file, job, scope)
        self.changed = self.queues.changed
        self.paused = False
        self.stopped = False
        self.round = int(file.get("round", "0"))
        self._in_flight: dict[int, Item] = {}
        self.nofollow = int(file.get("nofollow", "0"))
        with file.transaction():
            file.execute("UPDATE urls SET state = 0 WHERE state = 1")
            self.queues.recover()
        self.pages_done = 0
        self.recount()

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

    def done(self, item: Item, reason: MaybeReason = "") -> None:
        """The address was fetched. reason: why nothing was kept of it, "" when its record is written."""
        self._finish(item, UrlState.DONE, reason)
        if reason:
            self.skipped[reason] += 1
        if item.kind == UrlKind.PAGE:
            self.pages_done += 1

    def skip(self, item: Item, reason: Reason, *, asked: bool = False) -> None:
        """The address is not wanted after all. asked: the host got a request for it."""
        self._finish(item, UrlState.SKIPPED, reason, asked=asked)

    def fail(self, item: Item, reason: Reason, *, asked: bool = True) -> None:
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

    def ask_again(self, item: Item) -> None:
        """Ask for the address once more, as soon as its host may be asked; this was none of the tries of a failure."""
        with self.file.transaction():
            self.file.execute("UPDATE urls SET due = ? WHERE id = ?", (self.queues.now(), item.id))
            self._finish(item, UrlState.DEFERRED, "")

    def queue_again(self, number: int) -> None:
        """Ask once more for an address that was fetched."""
        with self.file.transaction():
            queue, priority = self.file.execute(
                "SELECT queue, priority FROM urls WHERE id = ?", (number,)
            ).fetchone()
            self._move(number, UrlState.DONE, UrlState.QUEUED)
            self.queues.touch(self.queues.live(queue), priority)
            self.queues.settle()

    def redirect_circle(self, item: Item) -> dict[int, str]:
        """Return the addresses of the circle that a redirect closes, by id, the next one first; empty for no circle."""
        with self.file.lock:
            circle: dict[int, str] = {}
            here = item.id
            while len(circle) <= MOST_HOPS:
                row = self.file.execute(
                    "SELECT u.id, u.url FROM edges e JOIN urls u ON u.id = e.target JOIN pages p ON p.url = u.id"
                    " WHERE e.source = ? AND e.kind = ? AND u.state = ? AND p.status BETWEEN 300 AND 399"
                    " ORDER BY u.id = ? DESC, u.id DESC LIMIT 1",
                    (here, int(LinkKind.REDIRECT), int(UrlState.DONE), item.id),
                ).fetchone()
                if row is None or row[0] in circle:
                    return {}
                here, url = row
                circle[here] = url
                if here == item.id:
                    return circle
        return {}

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

    # ------------------------------------------------------------ hosts and robots

    def join_addresses(self, item: Item, host: str, addresses: Iterable[str]) -> bool:
        """Let hosts that share an address share a queue; return whether the item is still in its queue.

        When not, it was put back into the queue of the other host.
        """
        if self.queues.is_joined(item.queue, host):
            return True
        with self.file.transaction():
            if not self.queues.join(item.queue, host, addresses):
                return True
            self.put_back(item)
        return False

    def release(self, item: Item, seconds: float, wait_s: float = 0.0) -> None:
        """Let the host of a request that is over be asked again after its pause, counted from now.

        seconds: what the request took. wait_s: what the server asked for.
        """
        self.queues.release(item.queue, seconds, wait_s)

    def request_robots(self, origin: int, url: str, hops: int = 0, via: int | None = None) -> None:
        """Queue a robots.txt that speaks for an origin, before anything else of its host."""
        with self.file.transaction():
            self.file.execute(
                f"UPDATE origins SET robots_state = {RobotsState.PENDING} WHERE id = ?", (origin,)
            )
            key = digest_of(f"robots {origin} {hops} {url} {self.queues.now()}")
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
                priority = FIRST.get(kind, 0.0)
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
