"""The links of pages: collected, written, merged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archiver.warc import canonical_url, surt_key
from indexer.store.compact import page_number, sort_key
from indexer.store.errors import IndexCorruptError
from indexer.store.links import LinkCollector, Links, merge_links
from indexer.text.elements import PageText


def key(url: str) -> int:
    return page_number(sort_key(url))


def written(path: Path, pages: list[tuple[str, list[tuple[str, str]]]]) -> Links:
    collector = LinkCollector()
    for ordinal, (url, links) in enumerate(pages):
        collector.add(ordinal, url, PageText(links=links))
    collector.write(str(path))
    return Links(str(path), len(pages))


def contents(links: Links) -> set[tuple[int, str, int]]:
    """Return (target, text, ordinal) of all links."""
    target, text, source = links.columns_between(0, 1 << 64)
    return {
        (key, links.text_at(number), ordinal)
        for key, number, ordinal in zip(target.tolist(), text.tolist(), source.tolist(), strict=True)
    }


@pytest.mark.parametrize(
    "href",
    ["http://b.example/x/y", "HTTPS://B.example:443/x/./y#part", "//b.example/x/y", "/x/y", "y", "./y", "?q"],
)
def test_addresses_are_met_in_every_spelling(tmp_path: Path, href: str) -> None:
    links = written(tmp_path / "a.links", [("http://b.example/x/z", [(href, "text")])])
    expected = "http://b.example/x/z?q" if href == "?q" else "http://b.example/x/y"
    assert contents(links) == {(key(expected), "text", 0)}


@pytest.mark.parametrize(
    "href", ["#top", "z", "mailto:a@b.example", "javascript:go()", "http://", "urn:x", "", " "]
)
def test_what_leads_to_no_other_page_is_left_out(tmp_path: Path, href: str) -> None:
    assert contents(written(tmp_path / "a.links", [("http://b.example/x/z", [(href, "text")])])) == set()


def test_queries_lead_where_the_charset_of_the_page_says(tmp_path: Path) -> None:
    collector = LinkCollector()
    for ordinal, charset in enumerate(("windows-1251", "koi8-r", "utf-8", "windows-1252")):
        collector.add(ordinal, "http://a.example/x/", PageText(links=[("y?я", "text")], charset=charset))
    collector.write(str(tmp_path / "a.links"))
    queries = ("%FF", "%D1", "%D1%8F", "%26%231103%3B")
    assert contents(Links(str(tmp_path / "a.links"), 4)) == {
        (key(f"http://a.example/x/y?{query}"), "text", ordinal) for ordinal, query in enumerate(queries)
    }


def test_a_base_moves_relative_addresses(tmp_path: Path) -> None:
    collector = LinkCollector()
    collector.add(0, "http://a.example/x/", PageText(links=[("y", "one")], base="/deep/z"))
    collector.add(1, "http://a.example/x/", PageText(links=[("y", "two")], base="mailto:nobody"))
    collector.write(str(tmp_path / "a.links"))
    assert contents(Links(str(tmp_path / "a.links"), 2)) == {
        (key("http://a.example/deep/y"), "one", 0),
        (key("http://a.example/x/y"), "two", 1),
    }


def test_links_of_a_merged_segment_are_those_of_its_live_versions(tmp_path: Path) -> None:
    first = written(
        tmp_path / "1.links",
        [
            ("http://a.example/", [("/b", "B"), ("/b", "B"), ("/c", "C")]),
            ("http://a.example/d", [("/b", "B")]),
        ],
    )
    second = written(
        tmp_path / "2.links", [("http://b.example/", [("http://a.example/b", "B"), ("/e", "é")])]
    )
    merge_links(str(tmp_path / "3.links"), [first, second], [np.array([-1, 0]), np.array([1])])
    assert contents(Links(str(tmp_path / "3.links"), 2)) == {
        (key("http://a.example/b"), "B", 0),
        (key("http://a.example/b"), "B", 1),
        (key("http://b.example/e"), "é", 1),
    }


def test_no_links_at_all(tmp_path: Path) -> None:
    links = written(tmp_path / "a.links", [("http://a.example/", [])])
    assert len(links) == 0 and contents(links) == set()
    assert links.counts_to(np.array([1, 2], dtype=np.uint64)).tolist() == [0, 0]


def test_links_of_another_segment_are_refused(tmp_path: Path) -> None:
    written(tmp_path / "a.links", [("http://a.example/", []), ("http://a.example/x", [("/y", "text")])])
    with pytest.raises(IndexCorruptError, match=r"a\.links: the lists of links do not fit"):
        Links(str(tmp_path / "a.links"), 1)


scraps = st.lists(
    st.sampled_from("../ / ./ a b.html C ~d .. . e-f/ ?q=1 ;p %41 // : é".split(" ") + ["g h"]),
    max_size=6,
).map("".join)
absolute = st.sampled_from(["http://b.example/", "http://B..example"])


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(
        ["http://a.example/", "http://a.example:81/x.y/z/", "https://WWW.a.example/p/q.html?r#s", "http://u@[::1]/t//u/v/",
         "http://a.example/w;x/y", "http://a.example", "http://1.2.3.4/k/", "http://-/l/"]
    ),
    st.lists(st.one_of(scraps, st.tuples(absolute, scraps).map("".join)), max_size=5),
)  # fmt: skip
def test_links_lead_to_where_their_canonical_addresses_say(url: str, hrefs: list[str]) -> None:
    collector = LinkCollector()
    expected = []
    for ordinal, href in enumerate(hrefs):
        collector.add(ordinal, url, PageText(links=[(href, "")]))
        try:
            key = page_number(surt_key(canonical_url(href, url)))
        except ValueError:
            continue
        if href and key != page_number(sort_key(url)) and "#" not in href:
            expected.append((ordinal, key))
    assert list(zip(collector._sources, collector._targets, strict=True)) == expected
