"""Slow and plain: facets, other orders, and the tree, by walking every version that matches."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence

from archiver.warc import urlkey
from indexer.search.facets import Facets, FacetValue
from tests.indexer.plain import PlainVersion

Captures = dict[
    PlainVersion, list[PlainVersion]
]  # a version -> the same with its captures, for each time it was added


def captures_by_version(added: Iterable[PlainVersion]) -> Captures:
    found: Captures = defaultdict(list)
    for version in added:
        found[version].append(version)
    return found


def plain_facets(matching: Sequence[PlainVersion], captures: Captures) -> Facets:
    """Return what count_facets has to give."""
    pages: dict[str, dict[str, set[str]]] = {name: defaultdict(set) for name in Facets.__slots__}
    hosts = {version.host for version in matching}
    for version in matching:
        for host in hosts:
            if version.host == host or version.host.endswith("." + host):
                pages["site"][host].add(version.url)
        pages["language"][version.language].add(version.url)
        for added in captures[version]:
            pages["type"][added.mime].add(version.url)
            pages["status"][str(added.status or "")].add(version.url)
            for timestamp in added.captured:
                pages["year"][timestamp[:4]].add(version.url)
    values = {
        name: sorted(
            (FacetValue(value, len(urls)) for value, urls in found.items() if value),
            key=lambda each: (-each.count, each.value),
        )[:20]
        for name, found in pages.items()
    }
    values["year"].sort(key=lambda each: each.value)
    return Facets(
        **{name: tuple(values[name]) for name in ("site", "year", "type", "language", "status")},
        sites=len({version.host for version in matching}),
    )


def plain_order(matching: Sequence[PlainVersion], captures: Captures, sort: str) -> list[str]:
    """Return the addresses of the pages in the order of `sort`."""
    times: dict[str, list[str]] = defaultdict(list)
    for version in matching:
        times[version.url] += [t for added in captures[version] for t in added.captured if t]

    def place(url: str) -> tuple[bool, float | str, bytes]:
        tie = hashlib.md5(url.encode()).digest()[:8]
        if sort == "url":
            return False, urlkey(url), tie
        dated = times[url]
        if not dated:
            return True, 0, tie
        return False, (-int(max(dated)) if sort == "newest" else int(min(dated))), tie

    return sorted(times, key=place)


def plain_branch(urls: Iterable[str], opened: str) -> dict[str, int]:
    """Return for the folder that `opened` names ("host/a/b/") each child with the number of pages in it."""
    found: dict[str, int] = defaultdict(int)
    for url in set(urls):
        rest = url.split("://")[1]
        if rest.startswith(opened):
            below = rest[len(opened) :]
            path = below.split("?")[0]
            inside = "/" in path and not path.startswith("/")
            found[path.split("/")[0] + "/" if inside else url] += 1
    return dict(found)
