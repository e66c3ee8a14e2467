"""Which addresses belong to a job, and why the others do not; traps are told from their addresses here too."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import re2
from publicsuffixlist import PublicSuffixList

from archiver.crawl.addresses import compared
from archiver.crawl.job import CrawlJob, host_of
from archiver.crawl.reasons import MaybeReason, Reason

_DIGITS = re.compile(r"\d+")


class Scope:
    """Tells whether an address belongs to the job.

    Both questions return "" for yes and else one word for the counts:
    "scope", "excluded" or "trap". Seeds can be added while the crawl runs. How
    an address is spelt makes no difference; patterns see its canonical spelling.
    """

    def __init__(self, job: CrawlJob, seeds: Iterable[str]) -> None:
        self._job = job
        self._include = [re2.compile(p) for p in job.include]
        self._exclude = [re2.compile(p) for p in job.exclude]
        self._seeds: set[str] = set()
        self._hosts: set[str] = set()
        self._domains: set[str] = set()
        self._subtrees: set[str] = set()
        for seed in seeds:
            self.add_seed(seed)

    def add_seed(self, url: str) -> bool:
        """Let the scope reach from this address too; return whether it reaches further than before."""
        url = compared(url)
        before = len(self._hosts), len(self._domains), len(self._subtrees)
        host = host_of(url)
        path = urlsplit(url).path or "/"
        self._seeds.add(url)
        self._hosts.add(host)
        self._domains.add(registered_domain(host))
        self._subtrees.add(host + path[: path.rfind("/") + 1])
        return before != (len(self._hosts), len(self._domains), len(self._subtrees))

    def refusal_of_page(self, url: str) -> MaybeReason:
        """Return why a page does not belong to the job, "" if it does."""
        url = compared(url)
        if url in self._seeds:
            return ""
        refusal = self._refusal_anywhere(url)
        if refusal:
            return refusal
        if not self._reaches(url):
            return Reason.SCOPE
        if self._include and not _any_matches(self._include, url):
            return Reason.EXCLUDED
        return ""

    def refusal_of_requisite(self, url: str) -> MaybeReason:
        """Return why a file that a page needs is not wanted, whatever its host; "" if it is."""
        return self._refusal_anywhere(compared(url))

    def _refusal_anywhere(self, url: str) -> MaybeReason:
        if self._exclude and _any_matches(self._exclude, url):
            return Reason.EXCLUDED
        if is_trap(url, self._job):
            return Reason.TRAP
        return ""

    def wants_sitemaps_of(self, url: str) -> bool:
        """Do the sitemaps of this site list pages of the job? Never in scope `page`; in `web` those of seeds."""
        if self._job.scope == "page":
            return False
        host = host_of(url)
        return host in self._hosts or (
            self._job.scope == "domain" and registered_domain(host) in self._domains
        )

    def _reaches(self, url: str) -> bool:
        scope = self._job.scope
        if scope == "web":
            return True
        if scope == "page":
            return False
        host = host_of(url)
        if scope == "host":
            return host in self._hosts
        if scope == "domain":
            return host in self._hosts or registered_domain(host) in self._domains
        address = host + (urlsplit(url).path or "/")
        return any(address.startswith(subtree) for subtree in self._subtrees)


def is_trap(url: str, job: CrawlJob) -> bool:
    """Does the address look made up by a server that links to ever more of them?"""
    if len(url) > job.max_url_length:
        return True
    if url.count("/") - 2 <= min(job.max_path_segments, job.max_path_repeats):
        return False  # there cannot be so many; nearly always
    segments = [s for s in urlsplit(url).path.split("/") if s]
    if len(segments) > job.max_path_segments:
        return True
    if len(segments) <= job.max_path_repeats:
        return False
    return max(Counter(segments).values()) > job.max_path_repeats


def pattern_of(url: str) -> str:
    """Return what siblings have in common: host and path without numbers, names of the query's fields.

    /cal?month=7&x=1 and /cal?month=8 on one host differ; /cal?month=7 and
    /cal?month=8 are siblings.
    """
    parts = urlsplit(compared(url))
    names = sorted({field.partition("=")[0] for field in parts.query.split("&") if field})
    return f"{parts.netloc}{_DIGITS.sub('0', parts.path)}?{'&'.join(names)}"


@lru_cache(maxsize=10_000)
def registered_domain(host: str) -> str:
    """Return the part of a host name that somebody registered; the host itself for addresses and bare names."""
    name = host.partition(":")[0]
    if not name or name[-1].isdigit() or host.startswith("["):
        return host
    return str(_suffixes().privatesuffix(name) or name)


@lru_cache(maxsize=1)
def _suffixes() -> Any:
    return PublicSuffixList()


def _any_matches(patterns: list[Any], url: str) -> bool:
    return any(p.search(url) for p in patterns)
