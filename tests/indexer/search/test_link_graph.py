"""The graph of links: exactly the links between the live pages that were chosen, whatever wrote them down and where."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults import run_in_one_process
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer import GraphWish, IndexOptions, LinkGraph, build_index, open_index, remove_from_index
from indexer.search import link_table
from indexer.search.deadline import Deadline
from indexer.search.link_graph import make_graph
from indexer.store.compact import sort_key
from indexer.store.joined import JoinedSnapshot
from tests.indexer.making import DirectIndex, record, response, write_warc
from tests.indexer.plain import PlainVersion

ONE = IndexOptions(workers=1)
A, B, C, D = (f"http://{name}.example/" for name in "abcd")


def named_edges(graph: LinkGraph) -> set[tuple[str, str, int]]:
    names = {node.number: node.name for node in graph.nodes}
    return {(names[edge.source], names[edge.target], edge.count) for edge in graph.edges}


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Two archives: A -> B, C, itself and what is nowhere; B -> A; C -> B twice. In the second: D -> A."""
    folder = tmp_path_factory.mktemp("links")
    nowhere, picture = '<a href="/nowhere">gone</a>', '<a href="/p.png">picture</a>'
    first = [
        response(A, f'<title>Alpha</title>heron <a href="{B}">to b</a><a href="{C}x#part">to c</a>'
                    f'<a href="/">home</a>{nowhere}{picture}'),
        response(A, f'<title>Alpha, later</title>heron <a href="{B}">to b</a>', date="2021-01-01T00:00:00Z"),
        response(B, '<title>Beta</title>heron <a href="HTTPS://A.example:443">to a</a>'),
        response(f"{C}x", f'<title>Gamma</title>owl <a href="{B}">one</a><a href="{B}"><b>two</b></a>'),
        record("resource", f"{A}p.png", b"x", "Content-Type: image/png"),
    ]  # fmt: skip
    second = [response(D, f'<title>Delta</title>owl <a href="{A}">from elsewhere</a>')]
    return {
        "first": write_warc(folder / "first.warc.gz", first),
        "second": write_warc(folder / "second.warc.gz", second),
    }


@pytest.fixture(scope="module")
def built(archives: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("built")
    folders = [str(folder / name) for name in archives]
    with pytest.MonkeyPatch.context() as patch:
        run_in_one_process(patch)
        for one, archive in zip(folders, archives.values(), strict=True):
            build_index([archive], one, options=ONE)
    return folders


def test_the_graph_holds_the_links_between_the_pages_each_once(built: list[str]) -> None:
    with open_index(built[0]) as index:
        graph = index.link_graph()
        assert named_edges(graph) == {(A, B, 1), (A, f"{C}x", 1), (B, A, 1), (f"{C}x", B, 1)}
        assert (graph.level, graph.pages, graph.total, graph.total_edges, graph.is_whole) == (
            "pages",
            3,
            3,
            4,
            True,
        )
        by_name = {node.name: node for node in graph.nodes}
        assert (by_name[B].links_in, by_name[B].links_out) == (2, 1)
        alpha = by_name[A]
        assert (alpha.title, alpha.timestamp, alpha.status) == ("Alpha, later", "20210101000000", 200)
        hosts = index.link_graph(wish=GraphWish(level="hosts"))
        assert [node.name for node in hosts.nodes] == ["a.example", "b.example", "c.example"]
        ab, bc = ("a.example", "b.example"), ("c.example", "b.example")
        assert named_edges(hosts) == {(*ab, 1), ("a.example", "c.example", 1), (*ab[::-1], 1), (*bc, 1)}


def test_pages_that_a_query_finds_with_what_they_are_linked_with(built: list[str]) -> None:
    with open_index(built[0]) as index:
        assert named_edges(index.link_graph("heron")) == {(A, B, 1), (B, A, 1)}
        around = index.link_graph("owl", wish=GraphWish(depth=1))
        assert {node.name: (node.steps, node.matched) for node in around.nodes} == {
            f"{C}x": (0, 1), A: (1, 0), B: (1, 0)
        }  # fmt: skip
        assert index.link_graph("nothing").nodes == ()
        assert [node.name for node in index.link_graph(filters="site:b.example").nodes] == [B]


def test_one_page_and_its_neighbours_in_both_directions(built: list[str]) -> None:
    with open_index(built) as index:
        near = index.link_graph(url="https://d.example", query="heron")
        assert {node.name: (node.steps, node.matched) for node in near.nodes} == {D: (0, 0), A: (1, 1)}
        far = index.link_graph(url=D, wish=GraphWish(depth=2))
        assert {node.name: node.steps for node in far.nodes} == {D: 0, A: 1, B: 2, f"{C}x": 2}
        assert index.link_graph(url="http://nowhere.example/").total == 0


def test_several_indexes_are_one_graph(built: list[str]) -> None:
    with open_index(built) as index:
        assert (D, A, 1) in named_edges(index.link_graph()) and index.link_graph().total_edges == 5


def test_removed_pages_are_no_nodes_and_their_links_are_gone(built: list[str], tmp_path: Path) -> None:
    folder = shutil.copytree(built[0], tmp_path / "copy")
    with open_index(folder) as index:
        index.link_graph()
        remove_from_index(str(folder), "url", f"{C}x")
        assert named_edges(index.link_graph()) == {(A, B, 1), (B, A, 1)}
        assert index.links(B).total_in == 1


def test_what_is_listed_is_bounded_and_what_there_is_is_told(built: list[str]) -> None:
    with open_index(built[0]) as index:
        graph = index.link_graph(wish=GraphWish(level="pages", nodes=1))
        assert ([node.name for node in graph.nodes], graph.total) == ([B], 3)  # most links lead there
        fewer = index.link_graph(wish=GraphWish(edges=1))
        assert (len(fewer.edges), fewer.total_edges) == (1, 4)
        assert index.link_graph(wish=GraphWish(nodes=2)).level == "hosts"
        assert index.link_graph(filters="site:a.example", wish=GraphWish(nodes=0)).level == "pages"
        late = index.link_graph(budget_s=0.0)
        assert not late.is_whole and not late.edges


# ---------------------------------------------------------------- against a slow plain one


PAGES = [f"http://{host}.example/{page}" for host in "xyz" for page in range(3)]
LINKS = st.lists(
    st.tuples(st.sampled_from([*PAGES, "http://none.example/"]), st.sampled_from(["a", "b", ""])), max_size=4
)
WEB = st.lists(st.tuples(st.sampled_from(PAGES), LINKS), min_size=1, max_size=12)


@settings(max_examples=12, deadline=None)
@given(
    webs=st.lists(WEB, min_size=1, max_size=3),
    gone=st.booleans(),
    depth=st.integers(0, 2),
    start=st.sampled_from(PAGES),
    at_once=st.sampled_from([1, 3, 1000]),
)
def test_the_graph_equals_that_of_a_loop_over_all_links(
    tmp_path_factory: Any, webs: list[Any], gone: bool, depth: int, start: str, at_once: int
) -> None:
    folder = tmp_path_factory.mktemp("graph")
    snapshots, live = [], []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)  # nothing is to survive here
        for place, web in enumerate(webs):
            with DirectIndex(folder / str(place)) as index:
                index.add(
                    "kept", [PlainVersion(url, title="t", links=tuple(links)) for url, links in web[::2]]
                )
                index.add(
                    "lost", [PlainVersion(url, title="t", links=tuple(links)) for url, links in web[1::2]]
                )
                if gone:
                    index.forget("lost")
                index.writer.merge()
                snapshots.append(index.snapshot())
                live += index.live()
    pages = {version.url for version in live}
    links = {(v.url, target) for v in live for target, _ in v.links if target in pages and target != v.url}
    steps = {start: 0} if start in pages else {}
    for step in range(1, depth + 1):
        near = {b for a, b in links if a in steps} | {a for a, b in links if b in steps}
        steps |= dict.fromkeys(near - steps.keys(), step)
    inside = {(a, b) for a, b in links if a in steps and b in steps}
    hosts = [(a.split("/")[2], b.split("/")[2]) for a, b in links]

    snapshot = snapshots[0] if len(snapshots) == 1 else JoinedSnapshot(snapshots)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(link_table, "_LINKS_AT_ONCE", at_once)
        table = link_table.LinkTable(snapshot)
        everything = np.ones(len(table), dtype=bool)
        chosen = np.arange(len(table)) == table.page_of(sort_key(start))
        around = make_graph(snapshot, table, chosen, everything, GraphWish(depth, "pages"), Deadline())
        by_host = make_graph(snapshot, table, everything, everything, GraphWish(0, "hosts"), Deadline())
    assert {node.name: node.steps for node in around.nodes} == steps
    assert named_edges(around) == {(a, b, 1) for a, b in inside}
    assert {(n.name, n.links_in, n.links_out) for n in around.nodes} == {
        (url, sum(b == url for _, b in inside), sum(a == url for a, _ in inside)) for url in steps
    }
    assert named_edges(by_host) == {(a, b, hosts.count((a, b))) for a, b in hosts if a != b}
    assert {(n.name, n.pages) for n in by_host.nodes} == {
        (host, sum(url.split("/")[2] == host for url in pages))
        for host in {url.split("/")[2] for url in pages}
    }
