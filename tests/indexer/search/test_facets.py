"""Facets and other orders against a slow plain walk over every version."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.search.facets import Facets, FacetValue, count_facets
from indexer.search.ordering import SORTS, sorted_pages
from indexer.search.query import parse_query
from indexer.search.searcher import search
from indexer.store.bm25f import Ranking
from indexer.store.snapshot import Snapshot
from tests.indexer.making import BODY, DirectIndex, addresses
from tests.indexer.plain import PlainSearch, PlainVersion
from tests.indexer.plain_lists import captures_by_version, plain_facets, plain_order

HOSTS = ("one.example", "www.one.example", "deep.www.one.example", "two.org", "10.0.0.1", "xone.example")
TIMES = ("19990504030201", "20090101000000", "20091231235959", "20100630120000", "20210101000000", "")
QUERIES = ("cat", "dog", "cat OR dog", "=cat -dog", "NOT cat", "site:one.example", "cat bird", "title:cat")


@st.composite
def versions(draw: st.DrawFn) -> PlainVersion:
    return PlainVersion(
        url=f"http://{draw(st.sampled_from(HOSTS))}/{draw(st.sampled_from(['', 'a', 'b']))}",
        language=draw(st.sampled_from(["en", "de", ""])),
        title=draw(st.sampled_from(["", "cat"])),
        running=((BODY, draw(st.sampled_from(["cat\n", "dog\n", "cat dog\n", "bird\n"]))),),
        captured=tuple(draw(st.lists(st.sampled_from(TIMES), min_size=1, max_size=4))),
        status=draw(st.sampled_from([200, 200, 0, 203])),
        mime=draw(st.sampled_from(["text/html", "application/xhtml+xml", ""])),
    )


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda handle: None)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    batches=st.lists(st.lists(versions(), min_size=1, max_size=7), min_size=1, max_size=4),
    forgotten=st.integers(0, 3),
    merged=st.booleans(),
)
def test_facets_and_orders_are_those_of_a_plain_walk(
    batches: list[list[PlainVersion]], forgotten: int, merged: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder, DirectIndex(Path(folder)) as index:
        for number, batch in enumerate(batches):
            index.add(f"{number}.warc", batch)
        if f"{forgotten}.warc" in index.files and len(index.files) > 1:
            index.forget(f"{forgotten}.warc")
        if merged:
            index.writer.merge()
        captures = captures_by_version(version for added in index.files.values() for version in added)
        plain = PlainSearch(index.live(), Ranking(depth=0.0))
        snapshot = index.snapshot()
        url_of = addresses(snapshot)
        for text in QUERIES:
            query = parse_query(text)
            assert query.tree is not None
            matching = plain.matching(query.tree)
            ranked = search(snapshot, query, Ranking(), offset=0, limit=100)
            if matching:  # else the query may be widened to any of its words
                assert count_facets(snapshot, ranked.matched) == plain_facets(matching, captures), text
                for sort in SORTS[1:]:
                    expected = plain_order(matching, captures, sort)
                    found = [
                        url_of[page.document]
                        for at in range(
                            0, len(expected) + 3, 3
                        )  # in portions, as pages of a list are asked for
                        for page in sorted_pages(snapshot, ranked.matched, sort, offset=at, limit=3)
                    ]
                    assert found == expected, (text, sort)
                    scored = search(snapshot, query, Ranking(), offset=1, limit=2, sort=sort)
                    assert scored.total == ranked.total
                    assert [url_of[item.document] for item in scored.found] == expected[1:3]


def page(url: str, *captured: str) -> PlainVersion:
    return PlainVersion(url, running=((BODY, "cat\n"),), captured=captured)


def facets_of(snapshot: Snapshot, query: str) -> Facets:
    return count_facets(snapshot, search(snapshot, parse_query(query), Ranking(), offset=0, limit=0).matched)


def test_a_page_captured_in_two_years_counts_in_both(tmp_path: Path) -> None:
    with DirectIndex(tmp_path) as index:
        index.add("a.warc", [page("http://a/", "20090101000000", "20090201000000", "20100101000000")])
        facets = facets_of(index.snapshot(), "cat")
    assert facets.year == (FacetValue("2009", 1), FacetValue("2010", 1))


def test_versions_of_one_page_count_once(tmp_path: Path) -> None:
    with DirectIndex(tmp_path) as index:
        index.add("a.warc", [page("http://a/", "20090101000000")])
        index.add("b.warc", [PlainVersion("http://a/", title="cat", captured=("20090101000000",))])
        facets = facets_of(index.snapshot(), "cat")
    assert facets.site == (FacetValue("a", 1),)
    assert facets.year == (FacetValue("2009", 1),)


def test_a_site_counts_the_hosts_below_it(tmp_path: Path) -> None:
    with DirectIndex(tmp_path) as index:
        index.add(
            "a.warc", [page("http://a.example/"), page("http://www.a.example/"), page("http://ba.example/")]
        )
        facets = facets_of(index.snapshot(), "cat")
    assert facets.site == (
        FacetValue("a.example", 2), FacetValue("ba.example", 1), FacetValue("www.a.example", 1)
    )  # fmt: skip
    assert facets.sites == 3


def test_only_the_most_frequent_sites_are_named(tmp_path: Path) -> None:
    with DirectIndex(tmp_path) as index:
        index.add("a.warc", [page(f"http://s{n:03d}/{m}") for n in range(100) for m in range(1 + n % 7)])
        facets = facets_of(index.snapshot(), "cat")
    assert facets.sites == 100
    assert [value.value for value in facets.site] == [f"s{n:03d}" for n in range(100) if n % 7 == 6] + [
        f"s{n:03d}" for n in range(100) if n % 7 == 5
    ][:6]


def test_an_index_without_a_match_has_empty_facets(tmp_path: Path) -> None:
    with DirectIndex(tmp_path) as index:
        assert facets_of(index.snapshot(), "cat") == Facets()
        index.add("a.warc", [page("http://a/")])
        assert facets_of(index.snapshot(), "dog") == Facets()


def test_an_unknown_order_is_an_error(tmp_path: Path) -> None:
    with (
        DirectIndex(tmp_path) as index,
        pytest.raises(ValueError, match="sort 'best': expected one of newest"),
    ):
        sorted_pages(index.snapshot(), [], "best", offset=0, limit=1)
