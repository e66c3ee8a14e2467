"""The tree of the pages found, against plain counting of their addresses."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.search import tree
from indexer.search.query import parse_query
from indexer.search.searcher import search
from indexer.search.tree import TreeNode, domain_of, path_of, site_tree
from indexer.store.bm25f import Ranking
from tests.indexer.making import BODY, DirectIndex
from tests.indexer.plain import PlainVersion
from tests.indexer.plain_lists import plain_branch


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda handle: None)


def page(url: str, *captured: str, text: str = "cat", title: str = "") -> PlainVersion:
    return PlainVersion(
        url, title=title, running=((BODY, text + "\n"),), captured=captured or ("20200101000000",)
    )


def tree_of(index: DirectIndex, opened: str = "") -> TreeNode:
    snapshot = index.snapshot()
    ranked = search(snapshot, parse_query("cat"), Ranking(), offset=0, limit=0)
    return site_tree(snapshot, ranked.matched, opened)


def lines(node: TreeNode) -> list[str]:
    """Return a tree as lines, indented."""
    count = f"{node.count}" if node.is_exact else f">{node.count}"
    return [f"{node.label} {count}"] + [" " + line for child in node.children for line in lines(child)]


URLS = [
    "http://a.example.org/",
    "http://a.example.org/docs/one",
    "http://a.example.org/docs/two?x=1/2",
    "https://a.example.org/docs/deep/three/",
    "http://b.example.org/x",
    "http://other.co.uk/one",
    "http://10.0.0.1/one",
]


def test_a_closed_tree_lists_the_domains_with_most_pages_first(tmp_path: Path) -> None:
    with DirectIndex(tmp_path) as index:
        index.add("a.warc", [page(url) for url in URLS])
        assert lines(tree_of(index)) == [" 7", " example.org 5", " 10.0.0.1 1", " other.co.uk 1"]


def test_one_branch_is_opened_down_to_its_pages(tmp_path: Path) -> None:
    with DirectIndex(tmp_path) as index:
        index.add("a.warc", [page(url) for url in URLS])
        opened = tree_of(index, "a.example.org/docs/")
        assert lines(opened.children[0]) == [
            "example.org 5",
            " a.example.org 4",
            "  docs/ 3",
            "   deep/ 1",
            "   one 1",
            "   two?x=1/2 1",
            "  / 1",
            " b.example.org 1",
        ]
        assert lines(tree_of(index, "other.co.uk").children[2]) == ["other.co.uk 1", " one 1"]


def test_what_is_not_there_cannot_be_opened(tmp_path: Path) -> None:
    with DirectIndex(tmp_path) as index:
        index.add("a.warc", [page(url) for url in URLS])
        closed = lines(tree_of(index))
        for opened in (
            "nowhere.example",
            "nowhere.example/",
            "c.example.org/",
            "/",
            "//",
            "?",
            "\x00/",
            "a" * 5000,
        ):
            assert [line for line in lines(tree_of(index, opened)) if not line.startswith("  ")] == closed


def test_a_page_has_its_title_and_the_time_of_its_newest_version_that_matches(tmp_path: Path) -> None:
    with DirectIndex(tmp_path) as index:
        index.add("a.warc", [page("http://a/x", "20100101000000", "20110101000000", title="Eleven")])
        index.add("b.warc", [page("http://a/x", "20120101000000", text="dog", title="No match")])
        [found] = tree_of(index, "a/").children[0].children
    assert (found.kind, found.address, found.title) == ("page", "http://a/x", "Eleven")
    assert (found.timestamp, found.count) == ("20110101000000", 1)


def test_beyond_a_bound_counts_say_that_there_are_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree, "PAGES_AT_MOST", 3)
    monkeypatch.setattr(tree, "CHILDREN_AT_MOST", 2)
    with DirectIndex(tmp_path) as index:
        index.add("a.warc", [page(f"http://a/{part}") for part in ("b/1", "b/2", "c/1", "d/1", "e/1")])
        root = tree_of(index, "a/")
        assert lines(root) == [" 5", " a 5", "  b/ >2", "  c/ >1"]
        monkeypatch.setattr(tree, "PAGES_AT_MOST", 5)
        node = tree_of(index, "a/").children[0]
        assert (len(node.children), node.more) == (2, 2)


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.org", "example.org"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("10.0.0.1", "10.0.0.1"),
        ("[::1]", "[::1]"),
        ("localhost", "localhost"),
        ("co.uk", "co.uk"),
        ("", ""),
    ],
)
def test_the_domain_of_a_host(host: str, domain: str) -> None:
    assert domain_of(host) == domain


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://a/", ""),
        ("http://a", ""),
        ("http://a/b/c?d", "b/c?d"),
        ("http://a?b/c", "?b/c"),
        ("dns:a", ""),
    ],
)
def test_the_path_of_an_address(url: str, path: str) -> None:
    assert path_of(url) == path


paths = st.lists(st.sampled_from(["a", "b", "", "c?q", "c?q/r"]), max_size=4).map("/".join)
schemes = st.sampled_from(["http", "https"])
addresses = st.builds("{}://{}/{}".format, schemes, st.sampled_from(["a.org", "x.a.org"]), paths)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(addresses, min_size=1, max_size=12), st.lists(addresses, max_size=4))
def test_every_branch_counts_what_a_plain_walk_counts(urls: list[str], captured_twice: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder, DirectIndex(Path(folder)) as index:
        index.add("one.warc", [page(url) for url in urls])
        index.add("two.warc", [page(url, text="cat again") for url in captured_twice])
        urls = urls + captured_twice
        hosts = {url.split("/")[2] for url in urls}
        root = tree_of(index)
        assert root.count == len(set(urls)) == root.children[0].count
        to_open = [f"{host}/" for host in hosts]
        while to_open:
            opened = to_open.pop()
            node = _find(tree_of(index, opened), opened)
            assert node.count == sum(child.count for child in node.children)
            found = {c.address if c.kind == "page" else c.label: c.count for c in node.children}
            assert found == plain_branch(urls, opened), opened
            to_open += [child.address for child in node.children if child.kind == "folder"]


def _find(node: TreeNode, address: str) -> TreeNode:
    """Return the opened node of an address; a domain of one host stands for that host."""
    is_host = node.kind == "domain" and node.children and node.children[0].kind != "host"
    if node.address == address or (is_host and node.label + "/" == address):
        return node
    for child in node.children:
        if child.children:
            return _find(child, address)
    raise AssertionError(f"{address} is not open")
