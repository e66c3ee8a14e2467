"""The back queues: which host may be asked, and when; with what is known of hosts, addresses and robots.txt.

Used by the frontier. A queue is a host name, or several that share an address:

    IDLE -> WAITING -> READY -> BUSY -> WAITING ...        BLOCKED: its robots.txt is asked for elsewhere

A queue with addresses waits until its next allowed time; the index on that time
is Mercator's heap. The index of ready queues by their best address is the way
from the front.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterable
from enum import IntEnum
from urllib.parse import urlsplit

from archiver.crawl.job import CrawlJob
from archiver.crawl.statefile import StateFile

ROBOTS_FIRST = -3e18  # priority of a robots.txt: before anything else of its host
_REMEMBERED = 20_000
_BEFORE_PATH = re.compile(r"[a-z]+://[^/?#]+")


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


class HostQueues:
    """The queues of a job, in its state file; methods that change something want a transaction around them.

    changed: notified whenever an address may have become ready.
    """

    def __init__(self, file: StateFile, job: CrawlJob) -> None:
        self.file = file
        self.job = job
        self.changed = threading.Condition(file.lock)
        self._clock = time.time() - time.monotonic()
        self._places: dict[str, tuple[int, int]] = {}
        self._joined: dict[str, int] = {}
        self._touched: dict[int, float] = {}
        file.after_rollback.append(self._forget)

    def _forget(self) -> None:
        self._places.clear()
        self._joined.clear()
        self._touched.clear()

    def now(self) -> float:
        """Return seconds since the epoch by a clock that never jumps while the crawl runs."""
        return time.monotonic() + self._clock

    def recover(self) -> None:
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

    def place_of(self, url: str) -> tuple[int, int]:
        """Return the numbers of the origin and the queue that an address belongs to."""
        before_path = _BEFORE_PATH.match(url)
        front = before_path.group() if before_path else url
        found = self._places.get(front)
        if found is None:
            if len(self._places) > _REMEMBERED:
                self._places.clear()
            found = self._places[front] = self._new_place(front)
        return found

    def _new_place(self, front: str) -> tuple[int, int]:
        parts = urlsplit(front)
        origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        row = self.file.execute("SELECT id, queue FROM origins WHERE origin = ?", (origin,)).fetchone()
        if row is None:
            host = parts.hostname or ""
            self.file.execute("INSERT OR IGNORE INTO queues (host) VALUES (?)", (host,))
            queue = self.live(
                self.file.execute("SELECT id FROM queues WHERE host = ?", (host,)).fetchone()[0]
            )
            number = self.file.execute(
                "INSERT INTO origins (origin, queue) VALUES (?, ?)", (origin, queue)
            ).lastrowid
            row = (number, queue)
        return int(row[0]), int(row[1])

    def touch(self, queue: int, priority: float) -> None:
        """Note that a queue got an address; `settle` tells the queue."""
        best = self._touched.get(queue)
        if best is None or priority < best:
            self._touched[queue] = priority

    def settle(self) -> None:
        """Tell the queues that got addresses, once for each however many there were."""
        if self._touched:
            self.file.executemany(
                "UPDATE queues SET head = MIN(IFNULL(head, ?1), ?1),"
                f" state = CASE WHEN state = {QueueState.IDLE}"
                f" OR (state = {QueueState.BLOCKED} AND ?1 <= {ROBOTS_FIRST})"
                f" THEN {QueueState.WAITING} ELSE state END WHERE id = ?2",
                [(p, q) for q, p in self._touched.items()],
            )
            self._touched.clear()
            self.changed.notify_all()

    def make_ready(self) -> None:
        """Make ready what has waited long enough."""
        self.file.execute(
            f"UPDATE queues SET state = {QueueState.READY} WHERE state = {QueueState.WAITING} AND next_at <= ?",
            (self.now(),),
        )

    def best_ready(self, below: float) -> tuple[int, float] | None:
        """Return (queue, pause it asks for) of the ready queue with the best address, of priority under `below`."""
        row = self.file.execute(
            f"SELECT id, pause FROM queues WHERE state = {QueueState.READY} AND head < ?"
            " ORDER BY head, next_at LIMIT 1",
            (below,),
        ).fetchone()
        return (int(row[0]), float(row[1])) if row else None

    def is_any_coming(self, below: float) -> bool:
        """Will a queue become ready by itself, with an address of priority under `below`?"""
        row = self.file.execute(
            f"SELECT 1 FROM queues WHERE state IN ({QueueState.WAITING}, {QueueState.READY}) AND head < ? LIMIT 1",
            (below,),
        ).fetchone()
        return row is not None

    def unblock_all(self, below: float) -> int:
        """Let blocked queues go on, when nobody is left to answer for the robots.txt they wait for."""
        return self.file.execute(
            f"UPDATE queues SET state = {QueueState.WAITING} WHERE state = {QueueState.BLOCKED} AND head < ?",
            (below,),
        ).rowcount

    def next_moment(self) -> float | None:
        """Return when the first waiting queue becomes ready, in seconds since the epoch."""
        row = self.file.execute("SELECT MIN(next_at) FROM queues WHERE state = 1").fetchone()
        return None if row[0] is None else float(row[0])

    def state_of(self, queue: int) -> QueueState:
        """Return the state of a queue."""
        return QueueState(self.file.execute("SELECT state FROM queues WHERE id = ?", (queue,)).fetchone()[0])

    def refresh(self, queue: int, state: QueueState) -> None:
        """Set a queue's head anew, and its state; without addresses READY and WAITING become IDLE."""
        row = self.file.execute(
            "SELECT priority FROM urls WHERE queue = ? AND state = 0 ORDER BY priority, id LIMIT 1", (queue,)
        ).fetchone()
        if row is None and state in (QueueState.READY, QueueState.WAITING):
            state = QueueState.IDLE
        self.file.execute(
            "UPDATE queues SET head = ?, state = ? WHERE id = ?", (row[0] if row else None, int(state), queue)
        )

    def give_back(self, queue: int, *, blocked: bool = False) -> None:
        """Let a queue be served again whose address was not asked for. blocked: not before its robots.txt is known."""
        live = self.live(queue)
        if live != queue and self.state_of(live) == QueueState.BUSY:
            # It has become part of a queue that has a request of its own out.
            self.refresh(live, QueueState.BUSY)
        else:
            self.refresh(live, QueueState.BLOCKED if blocked else QueueState.WAITING)
            head = self.file.execute("SELECT head FROM queues WHERE id = ?", (live,)).fetchone()[0]
            if blocked and head is not None and head <= ROBOTS_FIRST:
                self.refresh(live, QueueState.WAITING)
        self.changed.notify_all()

    def release(self, queue: int, seconds: float, wait_s: float = 0.0) -> None:
        """Let the queue of a request that is over be served again after its pause, counted from now.

        seconds: what the request took. wait_s: what the server asked for.
        """
        with self.file.lock:
            merged_into: int | None = queue
            while merged_into is not None:  # as `live`, in one statement for nearly all
                queue = merged_into
                merged_into, state, pause, next_at = self.file.execute(
                    "SELECT merged_into, state, pause, next_at FROM queues WHERE id = ?", (queue,)
                ).fetchone()
            pause = max(self.job.delay_s, pause, wait_s)
            if self.job.delay_s > 0:
                pause = max(pause, self.job.delay_factor * seconds)
            if pause <= 0 and state != QueueState.BUSY:
                return
            with self.file.transaction():
                if pause > 0:
                    self.file.execute(
                        "UPDATE queues SET next_at = ? WHERE id = ?",
                        (max(next_at, self.now() + pause), queue),
                    )
                if state == QueueState.BUSY or (pause > 0 and state == QueueState.READY):
                    self.refresh(queue, QueueState.WAITING)
                self.changed.notify_all()

    def is_joined(self, queue: int, host: str) -> bool:
        """Is it known that `join` would change nothing?"""
        return self._joined.get(host) == queue

    def join(self, queue: int, host: str, addresses: Iterable[str]) -> bool:
        """Let hosts that share an address share a queue; return whether the queue has become part of another."""
        mine = self.live(queue)
        other = mine
        for address in addresses:
            row = self.file.execute("SELECT queue FROM addresses WHERE address = ?", (address,)).fetchone()
            if row is not None and self.live(row[0]) != mine:
                other = self.live(row[0])
                break
        for address in addresses:
            self.file.execute("INSERT OR IGNORE INTO addresses VALUES (?, ?)", (address, other))
        if len(self._joined) > _REMEMBERED:
            self._joined.clear()
        self._joined[host] = other
        if other != mine:
            self._merge(mine, other)
        return other != mine

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
        self.refresh(
            into, QueueState.WAITING if state in (QueueState.IDLE, QueueState.READY) else QueueState(state)
        )
        self._places.clear()

    def live(self, queue: int) -> int:
        """Return the queue that a queue has become part of, or itself."""
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

    def set_robots(
        self, origin: int, state: RobotsState, body: bytes | None, pause_s: float, valid_s: float
    ) -> None:
        """Keep an origin's robots.txt and the pause it asks for, and let its queue go on."""
        with self.file.transaction():
            self.file.execute(
                "UPDATE origins SET robots_state = ?, robots = ?, robots_until = ? WHERE id = ?",
                (int(state), body, self.now() + valid_s, origin),
            )
            queue = self.live(
                self.file.execute("SELECT queue FROM origins WHERE id = ?", (origin,)).fetchone()[0]
            )
            self.file.execute("UPDATE queues SET pause = MAX(pause, ?) WHERE id = ?", (pause_s, queue))
            if (
                self.file.execute("SELECT state FROM queues WHERE id = ?", (queue,)).fetchone()[0]
                == QueueState.BLOCKED
            ):
                self.refresh(queue, QueueState.WAITING)
            self.changed.notify_all()

    def origin_of(self, number: int) -> str:
        """Return scheme, host and port of an origin."""
        with self.file.lock:
            return str(self.file.execute("SELECT origin FROM origins WHERE id = ?", (number,)).fetchone()[0])

    def active_hosts(self, limit: int = 10) -> list[tuple[str, float, int]]:
        """Return (host, seconds until it may be asked again, addresses queued) of hosts at work, soonest first."""
        with self.file.lock:
            rows = self.file.execute(
                "SELECT q.host, q.next_at, (SELECT COUNT(*) FROM (SELECT 1 FROM urls u WHERE u.queue = q.id"
                " AND u.state = 0 LIMIT 100000)) FROM queues q"
                " WHERE q.state IN (1, 2, 3, 4) ORDER BY q.next_at LIMIT ?",
                (limit,),
            ).fetchall()
        return [(host, max(0.0, round(next_at - self.now(), 1)), queued) for host, next_at, queued in rows]
