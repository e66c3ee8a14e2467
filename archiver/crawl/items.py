"""Addresses as the frontier takes them in, hands them out and takes them back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from archiver.crawl.links import LinkKind

NO_DEPTH = 1_000_000  # depth of what is known as a requisite only


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
