"""One address from the frontier to the archive; used by the crawler's threads.

Its host's addresses are checked -> robots.txt allows it -> it is fetched, and
its host's pause begins -> its links are read -> its records are packed. Then, in
one transaction under one lock: the records are appended, the address is done,
its links are queued.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import urlsplit

from archiver.crawl.addresses import compared, spell
from archiver.crawl.cookies import Cookies
from archiver.crawl.errors import AddressRefusedError, FetchError
from archiver.crawl.fetcher import Exchange, Fetcher
from archiver.crawl.frontier import Frontier
from archiver.crawl.guard import AddressGuard
from archiver.crawl.items import Item, Outlink, UrlKind
from archiver.crawl.job import CrawlJob
from archiver.crawl.keeper import Keeper, Kept
from archiver.crawl.links import LinkKind, PageParts, css_links, robots_directives, sitemap_links
from archiver.crawl.numbers import Numbers
from archiver.crawl.queues import RobotsState
from archiver.crawl.readers import PageTask, Readers, text_to_read
from archiver.crawl.reasons import Reason
from archiver.crawl.records import PackedExchange, pack_exchange, pack_notes
from archiver.crawl.robots import (
    CACHE_S,
    LIMIT_BYTES,
    MOST_REDIRECTS,
    Answer,
    RobotsRules,
    free_rules,
    meaning_of,
    parse_robots,
)
from archiver.crawl.topic import ON_TOPIC, Topic
from archiver.warc import HTML_TYPES, computed_type, content_type_of, may_be_page
from archiver.warc.sniffing import START_BYTES
from archiver.warc.writer import sha1_of, warc_date
from indexer.text.charset import decode_css, decode_html

log = logging.getLogger(__name__)

_RETRY_STATUS = frozenset({429, 502, 503, 504})
_LONGEST_RETRY_AFTER_S = 3600.0
_MOST_WALLS = 100_000
_MOST_SITEMAP_URLS = 50_000
_SITEMAP_BYTES = 50_000_000
_MOST_SITEMAPS = 100  # that one robots.txt may name
_DEEPEST_SITEMAP = 4  # a list of lists of lists


class Visitor:
    """Visits addresses, from many threads at once; `job` may be replaced while it does.

    topic: the task of the job, None without one. note: takes errors of the
        disk, which are for the crawler to deal with.
    """

    def __init__(
        self,
        job: CrawlJob,
        frontier: Frontier,
        keeper: Keeper,
        numbers: Numbers,
        guard: AddressGuard,
        fetcher: Fetcher,
        topic: Topic | None,
        readers: Readers,
        write_log: Callable[[str], None],
    ) -> None:
        self.job = job
        self.file = frontier.file
        self.frontier = frontier
        self._keeper = keeper
        self._duplicates = keeper.duplicates
        self.numbers = numbers
        self._guard = guard
        self._fetcher = fetcher
        self._topic = topic
        self._readers = readers
        self._write_line = write_log
        self._agent = job.robots_token
        self._rules: dict[int, tuple[float, RobotsRules]] = {}
        self._cookies = Cookies()
        self._with_cookies: dict[int, str] = {}

    def visit(self, item: Item) -> None:
        """Fetch an address and keep what came, or find out why not."""
        if item.kind in (UrlKind.PAGE, UrlKind.REQUISITE) and self.frontier.is_blocked(item.url):
            self.frontier.skip(item, Reason.TRAP)
            return
        host = urlsplit(item.url).hostname or ""
        try:
            addresses = self._guard.check(
                host, urlsplit(item.url).port or (443 if item.url.startswith("https") else 80)
            )
        except AddressRefusedError as error:
            self._refuse(item, str(error))
            return
        except OSError:
            self._failed(item, FetchError(item.url, Reason.DNS, "the host name has no address"), asked=False)
            return
        if not self.frontier.join_addresses(item, host, addresses):
            return
        if item.kind != UrlKind.ROBOTS and self.job.obey_robots and not self._may_fetch(item):
            return
        self._fetch(item)

    def _may_fetch(self, item: Item) -> bool:
        """Does robots.txt allow it? If not, or not yet known, the item is dealt with."""
        rules = self._rules_of(item)
        if rules is None:
            return False
        if not (rules.can_fetch(item.url) and rules.can_fetch(compared(item.url))):
            self.numbers.seed_problems[item.url] = "left out: robots.txt of its site does not allow it"
            self.frontier.skip(item, Reason.ROBOTS)
            return False
        return True

    def _rules_of(self, item: Item) -> RobotsRules | None:
        known = self._rules.get(item.origin)
        if known is not None and known[0] > self.frontier.queues.now():
            return known[1]
        with self.file.lock:
            # Read and acted upon in one go, or two threads ask for the same robots.txt.
            state, body = self.frontier.queues.robots_of(item.origin)
            if state in (RobotsState.UNKNOWN, RobotsState.PENDING):
                if state == RobotsState.UNKNOWN or not self.frontier.is_robots_on_its_way(item.origin):
                    self.frontier.request_robots(
                        item.origin, self.frontier.queues.origin_of(item.origin) + "/robots.txt"
                    )
                self.frontier.put_back(item, blocked=True)
                return None
        if state == RobotsState.KNOWN:
            rules = free_rules(self._agent) if body is None else parse_robots(body, self._agent)
            if len(self._rules) > 500:
                self._rules.clear()
            self._rules[item.origin] = (self.frontier.queues.now() + 600, rules)
            return rules
        self.give_up(
            item,
            Reason.ROBOTS_UNREACHABLE,
            "its site's robots.txt cannot be had, so nothing may be fetched",
            asked=False,
        )
        return None

    def _fetch(self, item: Item) -> None:
        fields = self._fields(item)
        limit = {
            UrlKind.ROBOTS: LIMIT_BYTES,
            UrlKind.SITEMAP: self.job.file_size_kb * 1000,
            UrlKind.REQUISITE: self.job.file_size_kb * 1000,
        }.get(item.kind)
        start = time.monotonic()
        try:
            exchange = self._fetcher.fetch(item.url, fields, body_limit=limit)
        except AddressRefusedError as error:
            self.frontier.release(item, 0)
            self._refuse(item, str(error))
            return
        except FetchError as error:
            self.frontier.release(item, time.monotonic() - start)
            self._failed(item, error)
            return
        wait = min(_LONGEST_RETRY_AFTER_S, exchange.retry_after_s) if exchange.status in (429, 503) else 0.0
        self.numbers.count_bytes(len(exchange.head) + len(exchange.body))
        if exchange.redirect_target:
            self._cookies.take(item.url, exchange.headers)
        if item.kind == UrlKind.ROBOTS:
            # Only now is the pause known that this host asks for.
            self._take_robots(item, exchange)
            self.frontier.release(item, exchange.seconds, wait)
            return
        self.frontier.release(item, exchange.seconds, wait)
        if exchange.status in _RETRY_STATUS and item.attempts < self.job.retries:
            self.numbers.retried += 1
            self.frontier.defer(item, max(wait, self._pause_s(item)), f"status {exchange.status}")
        elif (
            exchange.status == 304 and item.attempts < self.job.retries and not _is_meant_by(exchange, fields)
        ):
            # Of something else than what we have, or nobody asked: the next try is without conditions.
            self.numbers.retried += 1
            self.frontier.defer(item, self._pause_s(item), "status 304")
        elif exchange.redirect_target == item.url and self._has_cookie_to_try(item.id, item.url):
            self.frontier.ask_again(item)
        elif item.kind == UrlKind.SITEMAP:
            self._take_sitemap(item, exchange)
        else:
            self._take_page(item, exchange, is_conditional=_is_meant_by(exchange, fields))

    def _fields(self, item: Item) -> dict[str, str]:
        """Return the further fields of a request: the cookies that opened a wall, or conditions on another visit."""
        if item.id in self._with_cookies:
            return {"Cookie": self._with_cookies[item.id]}
        if self.frontier.round and item.kind != UrlKind.ROBOTS and not item.attempts:
            return self._conditions(item)
        return {}

    def _has_cookie_to_try(self, number: int, url: str) -> bool:
        """Was a cookie set that the address was not asked for with yet? Then it goes with the next request."""
        cookies = self._cookies.field_for(url)
        if not cookies or number in self._with_cookies or len(self._with_cookies) >= _MOST_WALLS:
            return False
        self._with_cookies[number] = cookies
        return True

    def _conditions(self, item: Item) -> dict[str, str]:
        with self.file.lock:
            # What was cut has no digest; it is asked for anew.
            row = self.file.execute(
                "SELECT etag, modified, status FROM pages WHERE url = ? AND archive != '' AND digest IS NOT NULL",
                (item.id,),
            ).fetchone()
        if row is None or row[2] not in (200, 304):
            return {}
        names = (("If-None-Match", row[0]), ("If-Modified-Since", row[1]))
        return {name: value for name, value in names if value and value.isascii() and value.isprintable()}

    def _pause_s(self, item: Item) -> float:
        return float(self.job.retry_pause_s * 4**item.attempts)

    def _failed(self, item: Item, error: FetchError, *, asked: bool = True) -> None:
        if item.kind == UrlKind.ROBOTS:
            self._robots_trouble(item, error.problem, asked=asked)
        elif error.lasting or item.attempts >= self.job.retries:
            self.give_up(item, error.reason, error.problem, asked=asked)
            if error.reason == Reason.DNS and item.kind != UrlKind.SITEMAP:
                self.frontier.queues.set_robots(item.origin, RobotsState.UNREACHABLE, None, 0, CACHE_S)
        else:
            self.numbers.retried += 1
            with self.file.transaction():
                self.frontier.defer(item, self._pause_s(item), error.reason)
                if not asked:
                    self.frontier.release(item, 0)

    def give_up(self, item: Item, reason: Reason, problem: str, *, asked: bool) -> None:
        """Note that an address cannot be fetched. asked: its host got a request."""
        log.warning("%s: %s", item.url, problem)
        self.numbers.seed_problems[item.url] = f"could not be fetched: {problem}"
        self.numbers.count_failure(reason)
        self._write_log(item, 0, 0, "-", reason)
        self.frontier.fail(item, reason, asked=asked)

    def _refuse(self, item: Item, problem: str) -> None:
        log.warning("%s: %s", item.url, problem)
        self.numbers.seed_problems[item.url] = f"refused: {problem}"
        with self.file.transaction():
            if item.kind == UrlKind.ROBOTS and item.for_origin is not None:
                # Its rules lie where we must not go; nobody may say the site had none.
                self.frontier.queues.set_robots(item.for_origin, RobotsState.UNREACHABLE, None, 0, CACHE_S)
            self.frontier.skip(item, Reason.BLOCKED_ADDRESS)

    # ------------------------------------------------------------ robots.txt and sitemaps

    def _take_robots(self, item: Item, exchange: Exchange) -> None:
        origin = item.for_origin
        assert origin is not None
        answer = meaning_of(exchange.status)
        broke_off = answer == Answer.RULES and exchange.truncated not in ("", "length")
        if answer == Answer.WAIT or broke_off:
            # Half of the rules may allow what the other half forbids.
            problem = f"it broke off ({exchange.truncated})" if broke_off else f"status {exchange.status}"
            self._robots_trouble(item, problem, exchange)
            return
        target = ""
        if answer == Answer.REDIRECT and item.hops < MOST_REDIRECTS:
            try:
                target = spell(exchange.redirect_target)
            except ValueError:
                target = ""
        packed = pack_exchange(exchange)
        body = exchange.decoded(LIMIT_BYTES) if answer == Answer.RULES else None
        rules = parse_robots(body, self._agent) if body is not None else None
        with self._keeper.transaction():
            self._keep(item, exchange, Kept(packed=packed), count=False)
            if target:
                self.frontier.request_robots(origin, target, item.hops + 1, item.id)
                return
            self.frontier.queues.set_robots(
                origin, RobotsState.KNOWN, body, rules.crawl_delay_s if rules else 0.0, CACHE_S
            )
            if (
                rules
                and self.job.sitemaps
                and self.job.depth > 0
                and self.frontier.scope.wants_sitemaps_of(self.frontier.queues.origin_of(origin) + "/")
            ):
                if len(rules.sitemaps) > _MOST_SITEMAPS:
                    self.numbers.count_cut(Reason.SITEMAP)
                for sitemap in rules.sitemaps[:_MOST_SITEMAPS]:
                    try:
                        self.frontier.add_sitemap(item, spell(sitemap), 0)
                    except ValueError:
                        continue
        self._rules.pop(origin, None)

    def _robots_trouble(
        self, item: Item, problem: str, exchange: Exchange | None = None, *, asked: bool = True
    ) -> None:
        """Wait and come back; after some tries the site counts as closed for a day."""
        assert item.for_origin is not None
        with self._keeper.transaction():
            if item.attempts < self.job.retries:
                wait = min(_LONGEST_RETRY_AFTER_S, exchange.retry_after_s) if exchange else 0.0
                self.frontier.defer(item, max(wait, self._pause_s(item)), problem)
                if not asked:
                    self.frontier.release(item, 0)
                return
            if exchange is not None:
                self._keep(item, exchange, Kept(packed=pack_exchange(exchange)), count=False)
            else:
                self.frontier.fail(item, Reason.ROBOTS_UNREACHABLE, asked=asked)
            self.frontier.queues.set_robots(item.for_origin, RobotsState.UNREACHABLE, None, 0, CACHE_S)
        log.warning("%s: %s; the site is left alone", item.url, problem)

    def _take_sitemap(self, item: Item, exchange: Exchange) -> None:
        urls: list[str] = []
        is_index, target = False, ""
        if exchange.redirect_target:
            target = exchange.redirect_target
        elif exchange.status == 200:
            body = exchange.decoded(_SITEMAP_BYTES)
            if body[:2] == b"\x1f\x8b":
                body = _gunzip(body, _SITEMAP_BYTES)
            found, is_index = sitemap_links(decode_html(body, content_type_of(exchange.headers))[0])
            if len(body) >= _SITEMAP_BYTES or len(found) > _MOST_SITEMAP_URLS:
                self.numbers.count_cut(Reason.SITEMAP)
            for url in found[:_MOST_SITEMAP_URLS]:
                try:
                    urls.append(spell(url))
                except ValueError:
                    continue
        packed = pack_exchange(exchange)
        with self._keeper.transaction():
            self._keep(item, exchange, Kept(packed=packed), count=False)
            if item.hops >= _DEEPEST_SITEMAP and (is_index or target):
                self.numbers.count_cut(Reason.SITEMAP)
            elif is_index or target:
                for url in [target] if target else urls:
                    try:
                        self.frontier.add_sitemap(item, spell(url), item.hops + 1)
                    except ValueError:
                        continue
            else:
                self.numbers.discovered_in_sitemaps += self.frontier.add_from_sitemap(item, urls)

    # ------------------------------------------------------------ pages and what they need

    def _take_page(self, item: Item, exchange: Exchange, *, is_conditional: bool) -> None:
        kept = Kept()
        previous = self._keeper.previous(item) if exchange.status == 304 and is_conditional else None
        if previous is not None:
            kept.packed = pack_exchange(exchange, original=previous, not_modified=True)
            with self._keeper.transaction():
                self._keep_unchanged(item, exchange, kept.packed)
            return
        if exchange.redirect_target:
            try:
                kept.links.append(Outlink(spell(exchange.redirect_target), LinkKind.REDIRECT, item.score))
            except ValueError:
                log.info("%s: redirects to no address: %s", item.url, exchange.redirect_target)
        sha1 = sha1_of(exchange.entity) if exchange.entity and not exchange.truncated else b""
        is_new = not sha1 or self._duplicates.original_of(sha1) is None
        self._read(item, exchange, kept, sha1, is_new=is_new)
        if kept.dropped:
            kept.packed = None
            kept.links = [link for link in kept.links if link.kind != LinkKind.REQUISITE]
        else:
            self._pack(exchange, kept, sha1)
        with self._keeper.transaction():
            self._keep(item, exchange, kept)
            self.frontier.add_links(item, kept.links)
            if exchange.redirect_target:
                self._break_circle(item)
            else:
                self._with_cookies.pop(item.id, None)
            if kept.is_html and item.kind == UrlKind.PAGE and exchange.status == 200:
                pattern = self._duplicates.count_sibling(
                    item.url, kept.duplicate_of is not None or kept.is_identical
                )
                if pattern:
                    log.warning(
                        "%s: more than %d near-duplicates under %s; the rest is left out",
                        item.url,
                        self.job.max_siblings,
                        pattern,
                    )
                    self.frontier.block_pattern(pattern)

    def _break_circle(self, item: Item) -> None:
        """Where redirects lead in a circle, ask for the next address once more with a cookie set on the way."""
        circle = self.frontier.redirect_circle(item)
        for number, url in circle.items():
            if self._has_cookie_to_try(number, url):
                self.frontier.queue_again(number)
                return
        if circle:
            self.numbers.count_cut(Reason.REDIRECT_LOOP)
            self.numbers.seed_problems[item.url] = "redirects in a circle"

    def _read(self, item: Item, exchange: Exchange, kept: Kept, sha1: bytes, *, is_new: bool) -> None:
        """Read links, text and what the page asks of robots. sha1: that of the payload. is_new: none before was alike.

        The records of a page are packed by the way, if it is certain that they are wanted.
        """
        directives = frozenset(
            d
            for v in exchange.headers.get_all("X-Robots-Tag")
            for d in robots_directives(v, self._agent.lower())
        )
        if 200 <= exchange.status < 300 and exchange.entity:
            kind = exchange.content_type
            if kind == "text/css":
                body, is_cut = text_to_read(exchange)
                if is_cut:
                    self.numbers.count_cut(Reason.LINKS)
                text, charset = decode_css(body, content_type_of(exchange.headers))
                kept.links += [
                    Outlink(link.url, link.kind) for link in css_links(text, item.url, charset, spell=spell)
                ]
            elif (
                may_be_page(kind)
                and computed_type(exchange.headers, exchange.decoded(START_BYTES)) in HTML_TYPES
            ):
                kept.is_html = True
                task = PageTask(
                    exchange,
                    self._agent.lower(),
                    with_link_text=self.job.order == "best",
                    with_sketch=item.kind == UrlKind.PAGE,
                    with_text=item.kind == UrlKind.PAGE and self._topic is not None,
                    with_records=is_new and (self._topic is None or self.job.keep_all),
                    sha1=sha1,
                )
                page = self._readers.read(task)
                for _ in range(page.is_cut + page.parts.is_cut):
                    self.numbers.count_cut(Reason.LINKS)
                directives |= page.parts.robots
                kept.packed, kept.sketch = page.packed, page.sketch
                self._look_at_page(item, page.parts, kept)
        if self.job.obey_meta_robots:
            if directives & {"nofollow", "none"}:
                self.frontier.nofollow += len([link for link in kept.links if link.kind == LinkKind.PAGE])
                kept.links = [link for link in kept.links if link.kind != LinkKind.PAGE]
            if directives & {"noindex", "noarchive", "none"} and item.kind == UrlKind.PAGE:
                kept.dropped = Reason.NOARCHIVE if "noarchive" in directives else Reason.NOINDEX
        if (
            self._topic
            and not self.job.keep_all
            and item.kind == UrlKind.PAGE
            and not kept.dropped
            and 200 <= exchange.status < 300
        ):
            on_topic = kept.on_topic if kept.on_topic is not None else self._keeper.was_on_topic(item.via)
            if not on_topic:
                kept.dropped = Reason.OFF_TOPIC

    def _look_at_page(self, item: Item, parts: PageParts, kept: Kept) -> None:
        kept.title = parts.title[:500]
        if self._topic and item.kind == UrlKind.PAGE:
            kept.on_topic = self._topic.is_on_topic(parts.keywords, parts.title, parts.text)
            if self.job.order == "best":
                kept.relevance = self._topic.relevance(parts.title, parts.text)
                kept.on_topic = kept.on_topic or kept.relevance >= ON_TOPIC
            if kept.on_topic:
                self._topic.accept(parts.title, parts.text)
            self.numbers.count_topic(kept.on_topic)
        for url, kind, text, is_nofollow in parts.links:
            if is_nofollow and self.job.obey_nofollow:
                self.frontier.nofollow += 1
                continue
            score = 0.0
            if kept.relevance is not None and self._topic and kind == LinkKind.PAGE:
                words = self._topic.relevance_of_words(f"{text} {urlsplit(url).path}")
                score = 0.3 * float(bool(kept.on_topic)) + 0.3 * kept.relevance + 0.4 * words
            kept.links.append(Outlink(url, kind, score))
        if item.kind == UrlKind.PAGE:
            near = self._duplicates.near_duplicate_of(item.id, kept.sketch)
            if near:
                kept.duplicate_of = near[0]

    def _pack(self, exchange: Exchange, kept: Kept, sha1: bytes) -> None:
        """Pack the records, if that is still to be done, and note what the page is a near-duplicate of."""
        # Asked anew: while the page was read, another thread may have kept the same.
        original = self._duplicates.original_of(sha1) if sha1 else None
        kept.digest, kept.is_identical = sha1, original is not None
        if kept.packed is None or original is not None:
            kept.packed = pack_exchange(exchange, sha1=sha1, original=original)
        if kept.duplicate_of is not None and not kept.is_identical:
            with self.file.lock:
                other = self.file.execute(
                    "SELECT url FROM urls WHERE id = ?", (kept.duplicate_of,)
                ).fetchone()[0]
            notes = (
                ("near-duplicate-of", other),
                ("near-duplicate-measure", "MinHash of word shingles, Jaccard >= 0.9"),
            )
            kept.packed.members.append(pack_notes(exchange, kept.packed.record_id, notes))

    def _keep(self, item: Item, exchange: Exchange, kept: Kept, *, count: bool = True) -> None:
        """Keep a response; callers hold the keeper's transaction."""
        self._keeper.keep(item, exchange, kept, self.frontier.round)
        self.frontier.done(item, kept.dropped)
        self.numbers.count_fetch(exchange.status, exchange.content_type, counted=count)
        if exchange.truncated:
            self.numbers.count_cut(exchange.truncated)
        is_revisit = kept.packed is not None and kept.packed.is_revisit
        note = kept.dropped or exchange.truncated or (Reason.REVISIT if is_revisit else "-")
        self._write_log(item, exchange.status, len(exchange.body), exchange.content_type or "-", note)

    def _keep_unchanged(self, item: Item, exchange: Exchange, packed: PackedExchange) -> None:
        self._keeper.keep_unchanged(item, exchange, packed, self.frontier.round)
        self.frontier.done(item)
        self.numbers.count_fetch(exchange.status, exchange.content_type)
        self._write_log(item, exchange.status, 0, "-", Reason.REVISIT)

    def _write_log(self, item: Item, status: int, size: int, mime: str, note: str) -> None:
        moment = warc_date(datetime.now(UTC))
        depth = "-" if item.kind != UrlKind.PAGE else str(item.depth)
        kind, note = item.kind.name.lower(), note.replace(" ", "-")
        self._write_line(f"{moment} {status} {size} {mime} {kind} {depth} {note} {item.url}")


def _is_meant_by(exchange: Exchange, fields: dict[str, str]) -> bool:
    """Is a 304 the answer to these conditions, and of the version that they name?"""
    asked, told = fields.get("If-None-Match", ""), exchange.headers.get("ETag").strip(" \t")
    is_conditional = bool(asked or fields.get("If-Modified-Since"))
    return is_conditional and (not asked or not told or asked.removeprefix("W/") == told.removeprefix("W/"))


def _gunzip(body: bytes, limit: int) -> bytes:
    import zlib

    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(body, limit)
    except zlib.error:
        return b""
