"""What a site asks of robots, by RFC 9309; the parsing is Protego's. Used by the crawler before every request."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from protego import Protego

LIMIT_BYTES = 500 * 1024  # RFC 9309, section 2.5: at least so much must be parsed
CACHE_S = 24 * 3600  # section 2.4: not longer than a day
MOST_REDIRECTS = 5  # section 2.3.1.2
LONGEST_DELAY_S = 300.0  # a Crawl-delay of a day would be a ban; an honest one is shorter than this


class Answer(IntEnum):
    """What the answer to the request for a robots.txt means."""

    RULES = 0  # it holds rules
    FREE = 1  # there is none: everything may be fetched
    WAIT = 2  # the server is in trouble: nothing may be fetched until it answers
    REDIRECT = 3  # the rules are elsewhere


def meaning_of(status: int) -> Answer:
    """Return what a status means; 429 is taken as trouble, for free access is hardly what that server wants."""
    if 200 <= status < 300:
        return Answer.RULES
    if status in (301, 302, 303, 307, 308):
        return Answer.REDIRECT
    if status == 429 or status >= 500:
        return Answer.WAIT
    return Answer.FREE


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """The rules of one site for one crawler.

    crawl_delay_s: pause the site asks for, 0 when it does not.
    sitemaps: addresses of sitemaps, for anybody.
    """

    _rules: Protego | None
    _agent: str
    crawl_delay_s: float = 0.0
    sitemaps: tuple[str, ...] = ()

    def can_fetch(self, url: str) -> bool:
        """May this address be fetched?"""
        return self._rules is None or bool(self._rules.can_fetch(url, self._agent))


def parse_robots(body: bytes, agent: str) -> RobotsRules:
    """Return the rules in a robots.txt for the crawler with this product name; rubbish has no rules."""
    text = body[:LIMIT_BYTES].decode("utf-8-sig", "replace")
    rules = Protego.parse(text)
    delay = rules.crawl_delay(agent)
    rate = rules.request_rate(agent)
    if rate is not None and rate.requests:
        delay = max(delay or 0.0, rate.seconds / rate.requests)
    if delay is None or not math.isfinite(delay) or delay < 0:
        delay = 0.0
    return RobotsRules(rules, agent, min(float(delay), LONGEST_DELAY_S), tuple(_texts(rules.sitemaps)))


def free_rules(agent: str) -> RobotsRules:
    """Return rules that allow everything."""
    return RobotsRules(None, agent)


def _texts(values: Iterable[object]) -> list[str]:
    return [str(v) for v in values]
