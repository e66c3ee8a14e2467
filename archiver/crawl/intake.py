"""The way into the frontier: which addresses come in, as what, and in which order they will be asked for.

Links are kept even when they lead nowhere yet: if a page is later found nearer
to a seed, what hangs on it moves nearer too, and addresses that were too deep
come in. The set of pages crawled is therefore the same in every order.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from archiver.crawl.addresses import compared
from archiver.crawl.items import NO_DEPTH, Item, Outlink, UrlKind, UrlState
from archiver.crawl.job import CrawlJob
from archiver.crawl.links import LinkKind
from archiver.crawl.queues import ROBOTS_FIRST, HostQueues
from archiver.crawl.reasons import MaybeReason, Reason
from archiver.crawl.scope import Scope, pattern_of
from archiver.crawl.statefile import StateFile

MOST_EMBEDS = 4  # a page's style sheet's style sheet's picture
MOST_HOPS = 20  # redirects in a row
_KNOWN_URLS = 50_000
FIRST = {UrlKind.ROBOTS: ROBOTS_FIRST, UrlKind.SITEMAP: -2e18, UrlKind.REQUISITE: -1e18}


_INSERT = (
    "INSERT OR IGNORE INTO urls (id, url, key, origin, queue, state, kind, depth, embed, hops, priority, score,"
    " reason, via, seed, for_origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class _NewAddress(NamedTuple):
    """A line of the table urls, see statefile.py."""

    id: int
    url: str
    key: bytes
    origin: int
    queue: int
    state: int
    kind: int
    depth: int
    embed: int
    hops: int
    priority: float
    score: float
    reason: Reason | None
    via: int | None
    seed: int = 0
    for_origin: int | None = None


class Intake:
    """The half of the frontier that takes addresses in; `Frontier` hands them out. Not to be used by itself.

    states, skipped: how many addresses there are in each state, and skipped for each reason.
    """

    def __init__(self, file: StateFile, job: CrawlJob, scope: Scope) -> None:
        self.file = file
        self.job = job
        self.scope = scope
        self.queues = HostQueues(file, job)
        self.states: Counter[int] = Counter()
        self.skipped: Counter[str] = Counter()
        self._known: dict[str, tuple[int, int, int]] = {}
        self._last_id = self._sequence = int(
            file.execute("SELECT IFNULL(MAX(id), 0) FROM urls").fetchone()[0]
        )
        self._new: list[_NewAddress] = []
        self._other_ids: dict[int, int] = {}
        self._written = 0
        file.after_rollback.append(self._forget)
        self._blocked_patterns = {
            row[0] for row in file.execute("SELECT pattern FROM patterns WHERE blocked = 1")
        }

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
        targets = []
        ordered = links[::-1] if self.job.order == "dfs" else links
        with self.file.transaction():
            before = self._written
            # Asked anew: while the page was fetched, a shorter way to it may have been found.
            depth, embed, is_seed = self.file.execute(
                "SELECT depth, embed, seed FROM urls WHERE id = ?", (source.id,)
            ).fetchone() or (source.depth, source.embed, source.seed)
            places = (  # by LinkKind
                (min(NO_DEPTH, depth + 1), 0, 0),
                (NO_DEPTH, embed + 1, 0),
                (depth, embed, source.hops + 1),
            )
            for url, kind, score in ordered:
                place = places[kind]
                if kind != LinkKind.REDIRECT:
                    targets.append(self._offer_soon(url, *place, score, source.id))
                    continue
                self._write_new()
                key = self._key_behind_redirect(url)
                seed = bool(is_seed) and depth == 0
                if seed and self.scope.add_seed(url):
                    # Who names example.org as a seed means www.example.org too, if that is where it sends us.
                    self._admit()
                targets.append(self._offer(url, *place, score, source.id, seed=seed, key=key)[0])
            self._write_new()
            self.file.executemany(
                "INSERT OR IGNORE INTO edges VALUES (?, ?, ?)",
                [
                    (source.id, self._other_ids.get(target, target), link[1])
                    for target, link in zip(targets, ordered, strict=True)
                ],
            )
            self._other_ids.clear()
            self.queues.settle()
            return self._written - before

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

    def block_pattern(self, pattern: str) -> None:
        """Leave out addresses of this pattern from now on."""
        self._blocked_patterns.add(pattern)

    def is_blocked(self, url: str) -> bool:
        """Does the address have a pattern that turned out to be a trap?"""
        return bool(self._blocked_patterns) and pattern_of(url) in self._blocked_patterns

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
        key: bytes | None = None,
    ) -> tuple[int, bool]:
        """Take in one address; return its id and whether it was new. key: what it is looked up by, if not as usual."""
        known = None if key or seed else self._known_as_near(url, depth, embed)
        if known is not None:
            return known, False
        row = self.file.execute(
            "SELECT id, state, depth, embed, kind, priority, score, seed FROM urls WHERE key = ?",
            (key or key_of(url),),
        ).fetchone()
        if row is None:
            number = self._insert(url, depth, embed, hops, score, via, None, seed, key=key)
            self._remember(url, number, depth, embed)
            return number, True
        number, state, old_depth, old_embed, kind, _priority, old_score, was_seed = row
        best_depth = min(depth, old_depth)
        best_embed = min(e for e in (embed, old_embed) if e) if embed or old_embed else 0
        self._remember(url, number, best_depth, best_embed)
        if (
            (best_depth, best_embed) != (old_depth, old_embed)
            # in other orders it plays no part, and whether it was looked at would depend on what is remembered
            or (score > old_score and state == UrlState.QUEUED and self.job.order == "best")
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

    def _known_as_near(self, url: str, depth: int, embed: int) -> int | None:
        """Return the id of an address of which nothing new is to be learnt."""
        known = self._known.get(url)
        if known is None or known[1] > depth or (embed and not 0 < known[2] <= embed):
            return None
        return known[0] if self.job.order != "best" else None

    def _offer_soon(self, url: str, depth: int, embed: int, hops: int, score: float, via: int | None) -> int:
        """Take in one address, as `_offer` does, and return its id; one that seems new is written by `_write_new`.

        The id is only so far right: `_write_new` notes those that turn out to be known by another.
        """
        known = self._known_as_near(url, depth, embed)
        if known is not None:
            return known
        if url in self._known or self.job.order == "dfs":  # in which who is looked at later comes sooner
            self._write_new()
            return self._offer(url, depth, embed, hops, score, via)[0]
        kind, refusal = self._judge(url, depth, embed, hops)
        new = self._new_address(url, depth, embed, hops, score, via, kind, refusal)
        self._new.append(new)
        self._remember(url, new.id, depth, embed)
        return new.id

    def _write_new(self) -> None:
        """Write the addresses that `_offer_soon` took for new, all at once."""
        new, self._new = self._new, []
        if not new:
            return
        written: Container[int] = range(new[0].id, new[-1].id + 1)
        if self.file.executemany(_INSERT, new).rowcount < len(new):
            # Some are known by another spelling, or have been forgotten here.
            written = {row[0] for row in self.file.execute("SELECT id FROM urls WHERE id >= ?", (new[0].id,))}
        for address in new:
            if address.id in written:
                self._count_in(address)
            else:
                self._known.pop(address.url, None)
                self._other_ids[address.id] = self._offer(
                    address.url, address.depth, address.embed, address.hops, address.score, address.via
                )[0]

    def _key_behind_redirect(self, url: str) -> bytes:
        """Return what the target of a redirect is looked up by.

        Servers send /%61 to /a, and /x to /x;jsessionid=1: another spelling of an
        address that only redirects is an address of its own, or its page is never seen.
        """
        key = key_of(url)
        other = self.file.execute(
            "SELECT u.url FROM urls u JOIN pages p ON p.url = u.id WHERE u.key = ? AND p.status BETWEEN 300 AND 399",
            (key,),
        ).fetchone()
        return digest_of(f"as written: {url}") if other and other[0] != url else key

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
            if reason not in (Reason.DEPTH, Reason.SCOPE, Reason.EXCLUDED):
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
        refusal: MaybeReason = ""
        if kind is None:
            kind, refusal = self._judge(url, depth, embed, hops)
        new = self._new_address(
            url, depth, embed, hops, score, via, kind, refusal, seed=seed, for_origin=for_origin, key=key
        )
        if self.file.execute(_INSERT, new).rowcount == 0:
            return int(self.file.execute("SELECT id FROM urls WHERE key = ?", (new.key,)).fetchone()[0])
        self._count_in(new)
        return new.id

    def _new_address(
        self,
        url: str,
        depth: int,
        embed: int,
        hops: int,
        score: float,
        via: int | None,
        kind: UrlKind,
        refusal: MaybeReason,
        *,
        seed: bool = False,
        for_origin: int | None = None,
        key: bytes | None = None,
    ) -> _NewAddress:
        self._last_id += 1
        origin, queue = self.queues.place_of(url)
        return _NewAddress(
            self._last_id,
            url,
            key or key_of(url),
            origin,
            queue,
            int(UrlState.SKIPPED if refusal else UrlState.QUEUED),
            int(kind),
            depth,
            embed,
            hops,
            self._priority(kind, depth, score),
            score,
            refusal or None,
            via,
            int(seed),
            for_origin,
        )

    def _count_in(self, new: _NewAddress) -> None:
        """Count an address that was written, and tell its queue."""
        self._written += 1
        self.states[new.state] += 1
        if new.reason:
            self.skipped[new.reason] += 1
        else:
            self.queues.touch(new.queue, new.priority)

    def _judge(self, url: str, depth: int, embed: int, hops: int) -> tuple[UrlKind, MaybeReason]:
        """Return what an address is to be fetched as, and why not ("" if it is)."""
        if hops > MOST_HOPS:
            return UrlKind.PAGE, Reason.REDIRECTS
        refusal: MaybeReason = Reason.DEPTH if depth > self.job.depth else ""
        if depth < NO_DEPTH:
            refusal = self.scope.refusal_of_page(url) or refusal
            if not refusal and self.is_blocked(url):
                refusal = Reason.TRAP
            if not refusal:
                return UrlKind.PAGE, ""
        if 0 < embed <= MOST_EMBEDS and self.job.requisites:
            other = self.scope.refusal_of_requisite(url)
            if not other:
                return UrlKind.REQUISITE, ""
            refusal = other
        elif embed:
            refusal = Reason.REQUISITE
        return UrlKind.REQUISITE if embed else UrlKind.PAGE, refusal or Reason.SCOPE

    def _priority(self, kind: UrlKind, depth: int, score: float) -> float:
        if kind != UrlKind.PAGE:
            return FIRST[kind]
        if self.job.order == "dfs":
            self._sequence += 1
            return 1e15 - self._sequence
        if self.job.order == "best":
            return 1.0 - max(0.0, min(1.0, score))
        return float(depth)

    def _forget(self) -> None:
        """Forget what came with a transaction that failed."""
        self._known.clear()
        self._new.clear()
        self._other_ids.clear()

    def _remember(self, url: str, number: int, depth: int, embed: int) -> None:
        if len(self._known) >= _KNOWN_URLS:
            self._known.clear()
        self._known[url] = (number, depth, embed)

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


def key_of(url: str) -> bytes:
    """Return what an address is looked up by in the state file, the same for all its spellings."""
    return digest_of(compared(url))


def digest_of(text: str) -> bytes:
    """Return the key of what is no address of its own, such as one origin's robots.txt."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()
