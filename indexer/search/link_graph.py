"""The graph of links between the pages of an index, or between their hosts: chosen, bounded, counted exactly.

Pages are chosen by a query, or are one page with what is linked with it; all others are neighbours, up to a number
of steps. Every number that is given in all (`total`) is exact; what is listed is the foremost part of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.search.deadline import Deadline
from indexer.search.link_table import LinkTable, Numbers
from indexer.store.snapshot import Snapshot

MOST_NODES, MOST_EDGES = 2_000, 20_000
LEVELS = ("pages", "hosts")


@dataclass(frozen=True, slots=True)
class LinkNode:
    """A page, or a host with pages of it.

    number: what edges name it by. name: address of the page, or the host. pages: 1, or how many chosen ones the host
    has; matched: how many of them the query finds. steps: from the pages that were asked for, the fewest.
    links_in, links_out: links between it and other nodes that are listed. title, timestamp (14 digits, "" if not
    known), status: of the page as captured last.
    """

    number: int
    name: str
    host: str
    pages: int
    matched: int
    steps: int
    links_in: int
    links_out: int
    title: str | None = None
    timestamp: str = ""
    status: int = 0


@dataclass(frozen=True, slots=True)
class LinkEdge:
    """Links from one node to another. count: pairs of a linking page and a linked one; 1 between pages."""

    source: int
    target: int
    count: int


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """level: "pages" or "hosts". nodes: the foremost first; edges: between them, the heaviest first.

    pages: chosen in all; total: nodes that there are; total_edges: links between the nodes listed, of which the
    foremost are in `edges`. is_whole: False when time ran out, so that links may be missing.
    notices: what was read in the query otherwise than written.
    """

    level: str
    nodes: tuple[LinkNode, ...]
    edges: tuple[LinkEdge, ...]
    pages: int
    total: int
    total_edges: int
    is_whole: bool = True
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphWish:
    """What a graph is to show. level: "pages", "hosts", or "" for pages if there are few enough of them.

    depth: how many links away from the chosen pages others may be. nodes, edges: how many are listed at most.
    """

    depth: int = 0
    level: str = ""
    nodes: int = MOST_NODES
    edges: int = MOST_EDGES


def make_graph(
    snapshot: Snapshot,
    table: LinkTable,
    chosen: NDArray[np.bool_],
    matched: NDArray[np.bool_],
    wish: GraphWish,
    deadline: Deadline,
) -> LinkGraph:
    """Return the graph around the chosen pages. matched: the pages that the query finds."""
    steps = _steps(table, chosen, wish.depth, deadline)
    pages = np.flatnonzero(steps >= 0)
    few = len(pages) <= wish.nodes or len(np.unique(table.host[pages])) == 1
    is_pages = wish.level == "pages" or (wish.level != "hosts" and few)
    make = _of_pages if is_pages else _of_hosts
    return make(snapshot, table, pages, steps, matched, wish, deadline)


def _steps(table: LinkTable, chosen: NDArray[np.bool_], depth: int, deadline: Deadline) -> Numbers:
    """Return how many links each page is away from the chosen ones, in either direction; -1 beyond `depth`."""
    steps = np.where(chosen, 0, -1)
    for step in range(1, depth + 1):
        frontier = np.flatnonzero(steps == step - 1)
        near = np.zeros(len(table), dtype=bool)
        for _, target in table.links_from(frontier, deadline):
            near[target] = True
        for source, _ in table.links_to(frontier, deadline):
            near[source] = True
        steps[near & (steps < 0)] = step
    return steps


def _of_pages(
    snapshot: Snapshot,
    table: LinkTable,
    pages: Numbers,
    steps: Numbers,
    matched: NDArray[np.bool_],
    wish: GraphWish,
    deadline: Deadline,
) -> LinkGraph:
    order = np.lexsort((pages, -table.popularity()[pages], steps[pages]))
    shown = pages[order[: wish.nodes]]
    place = np.full(len(table), -1, dtype=np.int64)
    place[shown] = np.arange(len(shown))
    codes = [
        place[source[there]] * len(shown) + place[target[there]]
        for source, target in table.links_from(np.sort(shown), deadline)
        for there in [place[target] >= 0]
    ]
    pairs = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *codes]))
    source, target = pairs // max(len(shown), 1), pairs % max(len(shown), 1)
    going, coming = (np.bincount(ends, minlength=len(shown)) for ends in (source, target))
    foremost = np.argsort(np.maximum(source, target), kind="stable")[: wish.edges]
    nodes = [
        LinkNode(number, url, table.hosts[table.host[page]], 1, int(matched[page]), int(steps[page]),
                 int(coming[number]), int(going[number]), *facts)
        for number, (page, url, facts) in enumerate(
            zip(shown.tolist(), _addresses(snapshot, table, shown), _facts(snapshot, table, shown), strict=True)
        )
    ]  # fmt: skip
    edges = [
        LinkEdge(a, b, 1) for a, b in zip(source[foremost].tolist(), target[foremost].tolist(), strict=True)
    ]
    return LinkGraph(
        "pages", tuple(nodes), tuple(edges), len(pages), len(pages), len(pairs), not deadline.is_over()
    )


def _addresses(snapshot: Snapshot, table: LinkTable, pages: Numbers) -> list[str]:
    segments = table.segments
    return snapshot.addresses(
        [int(segments[at].live.segment.document[ordinal]) for at, ordinal in table.place[pages].tolist()]
    )


def _facts(snapshot: Snapshot, table: LinkTable, pages: Numbers) -> Iterator[tuple[str | None, str, int]]:
    """Yield (title, timestamp, status) of the version of each page that was captured last."""
    for page, (at, ordinal) in zip(pages.tolist(), table.place[pages].tolist(), strict=True):
        live = table.segments[at].live
        captured = int(table.captured[page])
        status = int(live.captures.status[int(live.captures.ends[ordinal]) - 1])
        yield snapshot.title_of(live.number, ordinal), f"{captured:014d}" if captured > 0 else "", status


def _of_hosts(
    snapshot: Snapshot,
    table: LinkTable,
    pages: Numbers,
    steps: Numbers,
    matched: NDArray[np.bool_],
    wish: GraphWish,
    deadline: Deadline,
) -> LinkGraph:
    host, many = table.host[pages], len(table.hosts)
    sizes = np.bincount(host, minlength=many)
    there = np.flatnonzero(sizes)
    by_name = sorted(there.tolist(), key=lambda number: (-int(sizes[number]), table.hosts[number]))
    shown = np.asarray(by_name[: wish.nodes], dtype=np.int64)
    place = np.full(many, -1, dtype=np.int64)
    place[shown] = np.arange(len(shown))
    codes, counts = _host_links(table, pages, deadline)
    source, target = place[codes // many], place[codes % many]
    inside = (source >= 0) & (target >= 0)
    source, target, counts = source[inside], target[inside], counts[inside]
    coming = np.bincount(target, weights=counts, minlength=len(shown))
    going = np.bincount(source, weights=counts, minlength=len(shown))
    found = np.bincount(host, weights=matched[pages], minlength=many)
    nearest = np.full(many, np.iinfo(np.int64).max)
    np.minimum.at(nearest, host, steps[pages])
    nodes = tuple(
        LinkNode(number, table.hosts[one], table.hosts[one], int(sizes[one]), int(found[one]), int(nearest[one]),
                 int(coming[number]), int(going[number]))
        for number, one in enumerate(shown.tolist())
    )  # fmt: skip
    order = np.lexsort((target, source, -counts))[: wish.edges]
    edges = tuple(
        LinkEdge(a, b, n)
        for a, b, n in zip(
            source[order].tolist(), target[order].tolist(), counts[order].tolist(), strict=True
        )
    )
    return LinkGraph("hosts", nodes, edges, len(pages), len(there), len(source), not deadline.is_over())


def _host_links(table: LinkTable, pages: Numbers, deadline: Deadline) -> tuple[Numbers, Numbers]:
    """Return (source * hosts + target, pairs of pages) of the links between different hosts of some pages."""
    chosen = np.zeros(len(table), dtype=bool)
    chosen[pages] = True
    many = len(table.hosts)
    known, counts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for source, target in table.links_from(pages, deadline, to_others=True):
        inside = chosen[target]
        codes = table.host[source[inside]] * many + table.host[target[inside]]
        codes, numbers = np.unique(codes, return_counts=True)
        known, where = np.unique(np.concatenate([known, codes]), return_inverse=True)
        counts = np.bincount(where, weights=np.concatenate([counts, numbers])).astype(np.int64)
    return known, counts
