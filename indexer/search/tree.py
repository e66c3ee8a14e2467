"""The pages found as a tree: domain, host, folders of the path, page; each with the number of pages below it.

One branch is opened at a time, so that the cost does not grow with the tree. Domains and hosts are counted exactly
whatever their size; the folders of a host by the addresses of its pages, of the first 20,000 when there are more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from publicsuffixlist import PublicSuffixList

from indexer.search.facets import count_hosts
from indexer.search.ordering import Placed, sorted_pages
from indexer.store.snapshot import Snapshot

CHILDREN_AT_MOST, PAGES_AT_MOST = 200, 20_000
_DEPTH_AT_MOST = 50

Ordinals = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A domain, host or folder with the pages found below it, or a page.

    kind: "domain", "host", "folder" or "page". address: what opens it ("example.org", "www.example.org/",
    "www.example.org/docs/"); of a page its address. count: pages; is_exact: else there are more than `count`.
    children: of the opened branch, () for others; more: how many children are not listed.
    title, timestamp (14 digits, of the newest capture of a version that matches): of a page.
    """

    label: str
    kind: str
    address: str
    count: int
    is_exact: bool = True
    children: tuple[TreeNode, ...] = ()
    more: int = 0
    title: str | None = None
    timestamp: str = ""


def site_tree(snapshot: Snapshot, matched: Sequence[Ordinals], opened: str = "") -> TreeNode:
    """Return the root of the tree of the matching versions (ordinals by segment, rising).

    opened: address of the node whose children are wanted; they and those of the nodes above it are there. One that
    holds no page found is as if none was opened. Children with most pages first, then by name; folders before pages.
    """
    hosts = count_hosts(snapshot, matched)
    domains = _by_domain(hosts)
    host, slash, path = opened.partition("/")
    domain = domain_of(host) if slash else opened
    nodes = []
    for name, below in domains.items():
        node = _domain_node(name, below)
        if opened and name == domain:
            if not slash and len(below) == 1:  # a domain of one host is that host
                host, slash, path = below[0][0], "/", ""
            if slash and any(own == host for own, _ in below):
                node = _opened_domain(snapshot, matched, node, below, host, path)
            else:
                node = replace(node, **_listed(_host_node(own, count) for own, count in below))
        nodes.append(node)
    return TreeNode("", "root", "", sum(hosts.values()), **_listed(nodes))


def domain_of(host: str) -> str:
    """Return the domain that a host belongs to, as it is registered: example.co.uk; the host itself if it has none."""
    if ":" in host or host.rpartition(".")[2].isdigit():
        return host
    return _suffixes().privatesuffix(host) or host


@lru_cache(maxsize=1)
def _suffixes() -> Any:
    return PublicSuffixList()


def _by_domain(hosts: dict[str, int]) -> dict[str, list[tuple[str, int]]]:
    found: dict[str, list[tuple[str, int]]] = {}
    for host, count in hosts.items():
        found.setdefault(domain_of(host), []).append((host, count))
    return found


def _listed(children: Iterable[TreeNode]) -> dict[str, Any]:
    """Return the fields of a node with these children, of which only the first are listed."""
    ordered = sorted(children, key=lambda node: (node.kind == "page", -node.count, node.label, node.address))
    return {
        "children": tuple(ordered[:CHILDREN_AT_MOST]),
        "more": max(0, len(ordered) - CHILDREN_AT_MOST),
    }


def _domain_node(name: str, below: list[tuple[str, int]]) -> TreeNode:
    label = below[0][0] if len(below) == 1 else name
    # addresses without a host (urn:, file:) stand under a domain without a name
    return TreeNode(label, "domain", name or "/", sum(count for _, count in below))


def _host_node(host: str, count: int) -> TreeNode:
    return TreeNode(host, "host", host + "/", count)


def _opened_domain(
    snapshot: Snapshot,
    matched: Sequence[Ordinals],
    node: TreeNode,
    below: list[tuple[str, int]],
    host: str,
    path: str,
) -> TreeNode:
    """Return a domain with one of its hosts opened down to the folder `path` ("" or "a/b/")."""
    count = dict(below)[host]
    pages = _pages_of(snapshot, matched, host)
    folders = [part for part in path.split("/") if part][:_DEPTH_AT_MOST]
    branch = _folder_fields(snapshot, pages, host + "/", folders, is_exact=count <= PAGES_AT_MOST)
    if len(below) == 1:
        return replace(node, **branch)
    hosts = (_host_node(own, number) for own, number in below if own != host)
    return replace(node, **_listed([replace(_host_node(host, count), **branch), *hosts]))


@dataclass(slots=True)
class _Page:
    url: str
    rest: str  # of the path, below the folder looked at
    place: Placed


def _pages_of(snapshot: Snapshot, matched: Sequence[Ordinals], host: str) -> list[_Page]:
    """Return the pages found of one host, by address; at most PAGES_AT_MOST."""
    chosen = []
    for live, ordinals in zip(snapshot.segments, matched, strict=True):
        names = live.segment.hosts()
        number = names.index(host) if host in names else len(names)
        chosen.append(ordinals[live.segment.host[ordinals] == number])
    places = sorted_pages(snapshot, chosen, "url", offset=0, limit=PAGES_AT_MOST)
    addresses = snapshot.addresses([place.document for place in places])
    return [_Page(url, path_of(url), place) for url, place in zip(addresses, places, strict=True) if url]


def path_of(url: str) -> str:
    """Return what stands behind the host of an address: path and query, without the first slash."""
    host, slash, path = url.partition("://")[2].partition("/")
    if "?" in host:  # no path at all
        return "?" + host.partition("?")[2] + slash + path
    return path


def _folder_fields(
    snapshot: Snapshot, pages: list[_Page], address: str, opened: list[str], *, is_exact: bool
) -> dict[str, Any]:
    """Return the fields of a host or folder with what lies in it; `opened` leads on to the folder that is opened."""
    by_folder: dict[str, list[_Page]] = {}
    here: dict[str, _Page] = {}
    for page in pages:
        folder, slash, _ = page.rest.partition("?")[0].partition("/")
        if slash and folder:  # of "a//b" the rest is one name
            by_folder.setdefault(folder, []).append(page)
        else:
            here[page.url] = page
    nodes = [TreeNode(page.rest or "/", "page", url, 1) for url, page in here.items()]
    for folder, inside in by_folder.items():
        node = TreeNode(folder + "/", "folder", f"{address}{folder}/", len(inside), is_exact)
        if opened[:1] == [folder]:
            for page in inside:
                page.rest = page.rest[len(folder) + 1 :]
            fields = _folder_fields(snapshot, inside, node.address, opened[1:], is_exact=is_exact)
            node = replace(node, **fields)
        nodes.append(node)
    fields = _listed(nodes)
    fields["children"] = tuple(
        _described(snapshot, node, here[node.address].place) if node.kind == "page" else node
        for node in fields["children"]
    )
    return fields


def _described(snapshot: Snapshot, node: TreeNode, place: Placed) -> TreeNode:
    """Return a page with its title and time."""
    live = snapshot.segments[place.segment]
    captures = live.captures
    newest = int(captures.timestamp[int(captures.ends[place.ordinal]) - 1])
    title = snapshot.title_of(live.number, place.ordinal)
    return replace(node, title=title, timestamp=f"{newest:014d}" if newest else "")
