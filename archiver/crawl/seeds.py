"""Seeds found automatically; each source is one small function, and one that fails does not stop the others."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from urllib.parse import quote, urlsplit

from archiver.crawl.errors import CrawlError
from archiver.crawl.fetcher import Exchange, Fetcher
from archiver.crawl.job import CrawlJob, SeedSource
from archiver.crawl.links import sitemap_links
from archiver.crawl.robots import parse_robots
from archiver.warc import content_type_of
from indexer.text.charset import decode_html

Provider = Callable[[SeedSource], list[str]]
"""A function from a source to addresses; raises an exception that says what is wrong."""

_MOST_SITEMAPS = 50
_ANSWER_BYTES = 20_000_000


def seeds_from(
    job: CrawlJob, fetcher: Fetcher, providers: dict[str, Provider], spell: Callable[[str], str]
) -> tuple[list[str], list[str]]:
    """Return the seeds of all sources of the job, each once, and one line for each source that failed.

    providers: sources by kind that the caller knows better, such as the
        project's own index; they come before those known here.
    """
    known: dict[str, Provider] = {
        "file": _from_file,
        "sitemap": lambda s: _from_sitemap(s, fetcher),
        "search": lambda s: _from_search(s, fetcher),
        "cdx": lambda s: _from_cdx(s, fetcher),
        **providers,
    }
    seeds: dict[str, None] = {}
    problems = []
    for source in job.sources:
        source = source if source.query else SeedSource(source.kind, source.where, job.topic, source.limit)
        provider = known.get(source.kind)
        if provider is None:
            problems.append(f"seeds from {source.kind} {source.where}: not available here")
            continue
        try:
            found = provider(source)
        except (CrawlError, OSError, ValueError, KeyError, TypeError) as error:
            problems.append(f"seeds from {source.kind} {source.where}: {error}")
            continue
        good = 0
        for url in found:
            if good >= source.limit:
                break
            try:
                seeds[spell(url)] = None
                good += 1
            except ValueError:
                continue
        if not good:
            problems.append(f"seeds from {source.kind} {source.where}: it gave no address")
    return list(seeds), problems


def _from_file(source: SeedSource) -> list[str]:
    if source.where == "-":
        lines = sys.stdin.read().splitlines()
    else:
        with open(source.where, encoding="utf-8-sig", errors="replace") as file:
            lines = file.read().splitlines()
    stripped = [line.strip() for line in lines]
    return [
        line if "://" in line else f"http://{line}" for line in stripped if line and not line.startswith("#")
    ]


def _from_sitemap(source: SeedSource, fetcher: Fetcher) -> list[str]:
    """A site's robots.txt names its sitemaps; an address that is a sitemap itself is taken as one."""
    parts = urlsplit(source.where if "://" in source.where else f"http://{source.where}")
    if parts.path in ("", "/", "/robots.txt"):
        site = f"{parts.scheme}://{parts.netloc}"
        answer = fetcher.fetch(f"{site}/robots.txt", body_limit=_ANSWER_BYTES)
        todo = list(parse_robots(_body(answer), "").sitemaps) if answer.status == 200 else []
        todo = todo or [f"{site}/sitemap.xml"]
    else:
        todo = [parts.geturl()]
    found: list[str] = []
    seen: set[str] = set()
    while todo and len(seen) < _MOST_SITEMAPS and len(found) < source.limit:
        url = todo.pop(0)
        if url in seen:
            continue
        seen.add(url)
        answer = fetcher.fetch(url, body_limit=_ANSWER_BYTES)
        if answer.redirect_target:
            todo.insert(0, answer.redirect_target)
            continue
        if answer.status != 200:
            continue
        urls, is_index = sitemap_links(decode_html(_body(answer), content_type_of(answer.headers))[0])
        if is_index:
            todo += urls
        else:
            found += urls
    return found


def _from_search(source: SeedSource, fetcher: Fetcher) -> list[str]:
    """A SearXNG-style endpoint: GET ...?q=WORDS&format=json gives {"results": [{"url": ...}]}."""
    mark = "&" if "?" in source.where else "?"
    data = json.loads(_good(fetcher, f"{source.where}{mark}q={quote(source.query)}&format=json"))
    return [str(result["url"]) for result in data["results"]]


def _from_cdx(source: SeedSource, fetcher: Fetcher) -> list[str]:
    """A CDX server: GET ...?url=PATTERN&fl=original; the answer is lines, or JSON rows under a header."""
    mark = "&" if "?" in source.where else "?"
    text = _good(
        fetcher,
        f"{source.where}{mark}url={quote(source.query, safe='*/:')}&fl=original&collapse=urlkey"
        f"&filter=statuscode:200&limit={source.limit}",
    ).decode("utf-8", "replace")
    if text.lstrip().startswith("[["):
        rows = json.loads(text)
        place = rows[0].index("original") if "original" in rows[0] else 0
        return [str(row[place]) for row in rows[1:]]
    if text.lstrip().startswith("{"):
        return [
            str(entry.get("original") or entry.get("url", ""))
            for entry in map(json.loads, text.splitlines())
            if entry
        ]
    return [line.split()[0] for line in text.splitlines() if line.strip()]


def _good(fetcher: Fetcher, url: str) -> bytes:
    answer = fetcher.fetch(url, body_limit=_ANSWER_BYTES)
    if answer.status != 200:
        raise ValueError(f"answered with status {answer.status}, expected 200")
    return _body(answer)


def _body(answer: Exchange) -> bytes:
    import zlib

    body = answer.decoded(_ANSWER_BYTES)
    if body[:2] == b"\x1f\x8b":
        try:
            return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(body, _ANSWER_BYTES)
        except zlib.error:
            return body
    return body
