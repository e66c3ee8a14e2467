"""The results page over a real index: filters, facets, orders, the tree, and their links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qs, unquote

import pytest
from flask import url_for
from flask.testing import FlaskClient
from markupsafe import escape

from indexer import AddedWord, Index, Results, open_index
from indexer.search import models
from tests.indexer.making import BODY, DirectIndex
from tests.indexer.plain import PlainVersion
from webui import create_app
from webui.addresses import quote_url, quoted, without_fragment
from webui.formats import breadcrumb, host_of, live_address, path_parts
from webui.hits_html import _PLAIN_ADDRESS, _addresses_with
from webui.result_links import added_links
from webui.results_html import _ASKED, _FOUND, _HERE, _NOTED, _SHOWN, _TITLE, _page_links
from webui.search import address_in
from webui.search_request import MODELS, SearchRequest, make_pager, parse_search
from webui.settings import Settings
from webui.template_calls import calls_of_reader
from webui.template_code import written


def page(url: str, *captured: str, language: str = "en", title: str = "") -> PlainVersion:
    return PlainVersion(url, language, title, running=((BODY, "cat\n"),), captured=captured)


PAGES = [
    page("http://www.one.example/", "20100101000000", "20120101000000", title="Home of One"),
    page("http://www.one.example/docs/a", "20110101000000", language="de"),
    page("http://two.example/x?<b>=1", "20120601000000", title="<i>Two</i>"),
]


@pytest.fixture
def client(settings: Settings, tmp_path: Path) -> Iterator[FlaskClient]:
    with DirectIndex(tmp_path / "index" / "g1") as index:
        index.add("a.warc", PAGES)
    (tmp_path / "index" / "current").write_text("g1\n")
    with open_index(str(tmp_path / "index")) as opened:
        yield create_app(settings, lambda path, ranking: opened).test_client()


def links(html: str) -> dict[str, str]:
    """Return address by text of all links of a page."""
    found = re.findall(r'<a [^>]*?href="([^"]*)"[^>]*>(.*?)</a>', html, re.DOTALL)
    return {" ".join(re.sub(r"<[^>]*>", " ", text).split()): unescape(address) for address, text in found}


def test_each_facet_links_to_as_many_pages_as_it_says(client: FlaskClient) -> None:
    found = links(client.get("/search?q=cat").text)
    facets = {text: address for text, address in found.items() if re.search(r" \d+ pages?$", text)}
    assert set(facets) == {
        "www.one.example 2 pages", "two.example 1 page", "English 2 pages", "German 1 page",
        "2010 1 page", "2011 1 page", "2012 2 pages",
    }  # fmt: skip
    for text, address in facets.items():
        count = re.search(r"(\d+) pages?$", text)
        assert count and f"{count[0]} found" in client.get(address).text, address


@pytest.mark.parametrize("without", ["", "x", "%00", "%2500", "a&b=<c>"])
@pytest.mark.parametrize("names", [("site",), ("from", "to")])
def test_the_addresses_of_a_facet_are_those_of_flask(
    client: FlaskClient, names: tuple[str, ...], without: str
) -> None:
    wanted = SearchRequest("a%00b", lang="en", without=(unquote(without),) if without else ())
    with client.application.test_request_context("/search"):
        values = ("one.example", "a b", "<&>", "[::1]", "%00", "ü", "'\"", "2010")
        for value, address in zip(values, _addresses_with(names, values, wanted, url_for), strict=True):
            asked: dict[str, Any] = wanted.parameters(**dict.fromkeys(names, value))
            assert address == escape(url_for("search.search", **asked))


@pytest.mark.parametrize("seed", range(20))
def test_what_a_search_asks_for_is_written_as_flask_writes_it(client: FlaskClient, seed: int) -> None:
    random = Random(seed)

    def text() -> str:
        return "".join(
            random.choices([*"ab0 &=+%#?/:;'\"<>.,~-_!$()*@[]\\", "ü", "日", "%41"], k=random.randrange(8))
        )

    wanted = SearchRequest(
        text(), site=text(), lang=text(), since=random.choice(["", "2001"]), expand=("rocchio", "lsi"),
        without=(text(), text()), fold=random.random() < 0.5, explain=random.random() < 0.5, own_size=seed % 2 == 0,
    )  # fmt: skip
    changes: list[dict[str, object]] = [
        {}, {"page": 1}, {"page": 20}, {"q": ""}, {"q": text(), "site": ""}, {"sort": "newest"}, {"sort": "relevance"},
        {"from": text(), "to": None}, {"expand": "", "without": ""}, {"explain": "", "page": 2}, {"fold": 0},
    ]  # fmt: skip
    with client.application.test_request_context("/search"):
        for changed in changes:
            asked: dict[str, Any] = wanted.parameters(**changed)
            assert f"/search?{wanted.asked(**changed)}" == url_for("search.search", **asked)


@pytest.mark.parametrize("place", [1, 2, 7, 40])
@pytest.mark.parametrize(
    "more", [{}, {"site": "a&b"}, {"explain": "1", "size": "3"}, {"fold": "0", "sort": "url"}]
)
def test_links_to_other_pages_ask_for_the_same_search(
    client: FlaskClient, place: int, more: dict[str, str]
) -> None:
    wanted = parse_search({"q": "<a> &b", "page": str(place), **more}, 100)
    pager = make_pager(wanted, 40 * wanted.size)
    assert pager is not None
    with client.application.test_request_context("/search"):
        html = _page_links(pager, f"/search?{escape(wanted.asked())}", calls_of_reader())
    found = re.findall(r'<a (?:rel="(?:prev|next)" )?href="([^"]*)"', html)
    others = [page for page in (pager.previous, *pager.pages, pager.next) if page and page != pager.current]
    assert found == [f"/search?{escape(wanted.asked(page=page))}" for page in others]


def test_a_plain_address_is_shown_as_any_other_one() -> None:
    random, plain_ones = Random(3), 0
    for _ in range(10_000):
        url = "".join(
            random.choices([*"abcd/", "/x.html", "a" * 45, *".:@~-_%?#&'\"<+=;AÜ "], k=random.randrange(9))
        )
        url = random.choice(["http://", "https://", "HTTP://", "ftp://", "http:/"]) + url
        if plain := _PLAIN_ADDRESS.fullmatch(url):
            plain_ones += 1
            host, path = plain.groups("")
            assert url == written(quote_url(without_fragment(url))) == written(quoted(url))
            assert url == written(live_address(url)) and host == host_of(url)
            assert [host, *path_parts(path)] == breadcrumb(url)
    assert plain_ones > 100


def test_a_hit_is_written_for_each_reader_anew(client: FlaskClient) -> None:
    def hits(root: str = "", likes: str = "size=10") -> str:
        client.set_cookie("findingaid", likes)
        text = client.get("/search?q=cat", environ_overrides={"SCRIPT_NAME": root}).text
        return text.partition('<ol class="hits"')[2].partition("</ol>")[0]

    plain, tab, other, below = hits(), hits("", "new_tab=1"), hits("", "language=ar"), hits("/below")
    assert 'target="_blank"' in tab
    assert tab.replace(' target="_blank" rel="noopener"', "") == plain
    assert "Cached" in plain
    assert "Cached" not in other
    assert "/below/cached/" in below
    assert below.replace('"/below/', '"/') == plain
    assert (hits(), hits("", "new_tab=1"), hits("", "language=ar"), hits("/below")) == (
        plain,
        tab,
        other,
        below,
    )


ODD_QUERIES = [
    "cat", "cat OR dog", 'cat OR "<b>&\'%20+"', "cat OR x\u200ey", "cat OR \u732b " + "z" * 90, "nowhere", "cat -the",
    "xPLACExaskedx OR cat",
]  # fmt: skip


@pytest.mark.parametrize(
    "cookie", ["", "findingaid=theme=dark&language=ar&size=20&dense=1&new_tab=1", "findingaid_session=x"]
)
@pytest.mark.parametrize("root", ["", "/below&"])
def test_a_page_in_a_kept_frame_is_as_it_would_be_without_one(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, cookie: str, root: str
) -> None:
    shared = client.application.extensions

    def pages() -> list[str]:
        with shared["findingaid"].index_access.lease() as index:
            index.derived().pop("results pages", None)  # else they come as they were made before
        made = [
            client.get(
                "/search",
                query_string={"q": query, **more},
                headers={"Cookie": cookie, "Accept-Language": "ja"},
                environ_overrides={"SCRIPT_NAME": root},
            ).text
            for query in ODD_QUERIES
            for more in ({}, {"size": 1}, {"size": 1, "page": 2}, {"texts": "page"})
        ]
        return [re.sub(r'<span class="quiet">\([^<]*\)</span>', "", one) for one in made]  # how long it took

    framed = pages()
    assert pages() == framed
    for frame in shared["findingaid.frames"]._known.values():
        assert {_ASKED, _SHOWN, _TITLE, _HERE, _NOTED, _FOUND} == set(frame[1])
    monkeypatch.setattr(SearchRequest, "is_plain", False)
    assert pages() == framed


def test_a_filter_is_a_chip_that_leads_back(client: FlaskClient) -> None:
    html = client.get("/search?q=cat&site=www.one.example&lang=de&sort=newest").text
    assert "1 page found" in html
    found = links(html)
    assert found["site: www.one.example × (remove this filter)"] == "/search?q=cat&sort=newest&lang=de"
    assert (
        found["language: German × (remove this filter)"] == "/search?q=cat&sort=newest&site=www.one.example"
    )


def test_filters_alone_are_a_search(client: FlaskClient) -> None:
    assert "2 pages found" in client.get("/search?q=&site=one.example").text


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("newest", ["two.example/x", "one.example/", "docs/a"]),
        ("oldest", ["one.example/", "docs/a", "two.example/x"]),
        ("url", ["one.example/", "docs/a", "two.example/x"]),
    ],
)
def test_orders(client: FlaskClient, sort: str, order: list[str]) -> None:
    hits = client.get(f"/search.json?q=cat&sort={sort}").get_json()["hits"]
    assert [part in hit["url"] for part, hit in zip(order, hits, strict=True)] == [True] * 3
    assert (
        'aria-current="true">' + {"url": "address"}.get(sort, sort)
        in client.get(f"/search?q=cat&sort={sort}").text
    )


def test_json_tells_times_language_type_and_facets(client: FlaskClient) -> None:
    found = client.get("/search.json?q=home&facets=1").get_json()
    hit = found["hits"][0]
    assert (hit["first"], hit["last"], hit["language"]) == ("20100101000000", "20120101000000", "en")
    assert (hit["mime"], hit["status"]) == ("text/html", 200)
    assert found["facets"]["year"] == [{"value": "2010", "count": 1}, {"value": "2012", "count": 1}]
    assert client.get("/search.json?q=home").get_json()["facets"] == found["facets"]
    assert "facets" not in client.get("/search.json?q=home&facets=0").get_json()


def test_the_tree_opens_by_links_down_to_the_page(client: FlaskClient) -> None:
    found = links(client.get("/search?q=cat&view=tree").text)
    html = client.get(found["▸ www.one.example"]).text
    assert "Home of One" in html and "two.example" in html
    html = client.get(links(html)["▸ docs/"]).text
    assert links(html)["a"] == "/cached/20110101000000/http://www.one.example/docs/a"
    closed = client.get(links(html)["▾ www.one.example"]).text
    assert "Home of One" not in closed
    tree = client.get("/search.json?q=cat&view=tree&open=two.example").get_json()
    assert tree["total"] == 3 and tree["tree"]["children"][1]["children"][0]["title"] == "<i>Two</i>"


def test_the_whole_archive_by_site(client: FlaskClient) -> None:
    html = client.get(links(client.get("/").text)["Browse by site"]).text
    assert "All pages by site" in html and "3 pages found" in html


def test_home_shows_the_newest_captures(client: FlaskClient) -> None:
    html = client.get("/").text
    assert html.index("&lt;i&gt;Two&lt;/i&gt;") < html.index("Home of One")


def test_a_query_is_widened_by_links_and_each_added_word_can_be_taken_out(client: FlaskClient) -> None:
    found = links(client.get("/search?q=cat").text)
    assert found["with synonyms"] == "/search?q=cat&expand=wordnet"
    assert links(client.get("/search?q=cat&expand=wordnet").text)["without synonyms"] == "/search?q=cat"
    wanted = SearchRequest("cat", expand=("wordnet",), without=("lynx",))
    words = [AddedWord("kitty", 0.1, "wordnet"), AddedWord("true cat", 0.2, "wordnet")]
    assert [
        (link.label, parse_qs(link.asked)["without"][0]) for link in added_links(words, wanted)
    ] == [
        ("true cat", "lynx,true cat"), ("kitty", "lynx,kitty"),
    ]  # fmt: skip
    assert client.get("/search?q=cat&expand=magic").status_code == 400


def test_what_is_asked_for_reaches_the_index(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each parameter of an address: one that was forgotten on the way would show only in other results."""
    asked: dict[str, object] = {}
    search = Index.search

    def spy(self: Index, query: str, **options: Any) -> Results:
        asked.clear()
        asked.update(options)
        return search(self, query, **options)

    monkeypatch.setattr(Index, "search", spy)
    assert (
        client.get("/search?q=cat&expand=wordnet,cooccur&without=a,b&sort=oldest&page=2&lang=en").status_code
        == 200
    )
    assert asked["expand"] == ("wordnet", "cooccur") and asked["without"] == ("a", "b")
    assert (asked["sort"], asked["offset"], asked["filters"]) == ("oldest", 10, "lang:en")
    assert asked["fold"] is True and asked["facets"] is True and asked["budget_s"]
    client.get("/search?q=cat&fold=0")
    assert asked["fold"] is False
    client.get("/search.json?q=cat&size=3")
    assert (asked["fold"], asked["facets"], asked["limit"]) == (False, True, 3)


def test_a_score_is_explained_and_its_parts_add_up(client: FlaskClient) -> None:
    html = client.get(links(client.get("/search?q=cat").text)["Why these results?"]).text
    assert html.count("Why this result: score") == 3 and "body × 1" in html
    for model in ("", *MODELS):
        for hit in client.get(f"/search.json?q=cat&explain=1&model={model}").get_json()["hits"]:
            why = hit["explanation"]
            parts = [part["score"] for name in ("words", "pairs", "priors") for part in why[name]]
            assert sum(parts) + why["whole"] == pytest.approx(hit["score"])
    assert "explanation" not in client.get("/search.json?q=cat").get_json()["hits"][0]
    assert client.get("/search?q=cat&model=magic").status_code == 400


def test_the_models_are_those_of_the_index() -> None:
    assert set(MODELS) == set(models.MODELS)


def test_nothing_found_counts_what_fewer_words_find(client: FlaskClient) -> None:
    html = client.get("/search?q=%22cat+dog%22").text
    assert "Use other words, or fewer." in html
    html = client.get("/search?q=cat+absent&site=one.example").text
    assert "some of them" in html  # any of the words, before nothing


def test_did_you_mean(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.index.Index._did_you_mean", lambda *_: "<home>")
    html = client.get("/search?q=hone&lang=en").text
    assert links(html)["&lt;home&gt;"] == "/search?q=%3Chome%3E"
    assert client.get("/search.json?q=hone").get_json()["did_you_mean"] == "<home>"


def test_suggestions_are_those_of_opensearch(client: FlaskClient) -> None:
    answer = client.get("/suggest?q=ho")
    assert answer.content_type == "application/x-suggestions+json"
    typed, queries, texts, _ = answer.get_json(force=True)
    assert typed == "ho" and "home" in texts and len(queries) == len(texts)
    assert client.get("/suggest").get_json(force=True) == ["", [], [], []]


def test_pages_like_a_page_that_cannot_be_read(client: FlaskClient) -> None:
    answer = client.get("/similar?url=http://two.example/<b>")
    assert answer.status_code == 200 and "No similar pages" in answer.text and "<b>" not in answer.text
    assert client.get("/similar").status_code == 400


def test_nothing_found_offers_the_query_without_a_word_or_a_filter(client: FlaskClient) -> None:
    found = links(client.get("/search?q=cat+site:nowhere.example").text)
    assert "Search the whole archive, without the filters" not in found
    found = links(client.get("/search?q=cat&site=nowhere.example").text)
    assert found["Search the whole archive, without the filters"] == "/search?q=cat"
    shorter = SearchRequest("grey heron").shorter()
    assert [part.query for part in shorter] == ["heron", "grey"]
    assert SearchRequest('"grey heron"').shorter() == SearchRequest("heron").shorter() == []


def test_what_the_archive_holds_is_never_markup(client: FlaskClient) -> None:
    for address in ("/", "/search?q=cat", "/search?q=cat&view=tree&open=two.example"):
        text = client.get(address).text
        assert "<i>Two" not in text and "?<b>" not in text


@pytest.mark.parametrize(
    ("parameters", "filters"),
    [
        ({"site": "Example.org", "lang": "pt-BR"}, "site:example.org lang:pt-br"),
        ({"type": "text/html", "status": "4xx"}, "type:text/html status:4xx"),
        ({"from": "2010", "to": "2012-05-01"}, "from:2010..20120501"),
        ({"from": "2010-05"}, "from:201005"),
        ({"to": "2012"}, "to:2012"),
        ({"site": "a OR b", "from": "yesterday", "type": 'x"y', "status": "20"}, ""),
    ],
)
def test_filters_become_a_query_and_cannot_end_it(
    client: FlaskClient, parameters: dict[str, str], filters: str
) -> None:
    with client.application.test_request_context():
        wanted = parse_search({"q": "x", **parameters}, 100)
    assert wanted.filters() == filters
    assert len(wanted.notices) == (0 if filters else 4)


@pytest.mark.parametrize("odd", ["view=graph", "sort=best", "sort=%00"])
def test_an_unknown_view_or_order_is_an_error_in_words(client: FlaskClient, odd: str) -> None:
    answer = client.get("/search?q=cat&" + odd)
    assert answer.status_code == 400 and "expected" in answer.text


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("http://a/", "http://a/"),
        ("example.org", "http://example.org"),
        ("www.example.org:8080/a?b", "http://www.example.org:8080/a?b"),
        ("bücher.example/ü", "http://bücher.example/ü"),
        ("heron", ""),
        ("3.14", ""),
        ("foo_bar.h", ""),
        ("site:example.org", ""),
        ("example.org heron", ""),
        ("name@example.org", ""),
    ],
)
def test_an_address_is_recognised_without_its_scheme(query: str, address: str) -> None:
    assert address_in(query) == address


def test_the_home_page_tells_since_when_and_until_when_the_newest_pages_were_seen(
    client: FlaskClient,
) -> None:
    """What is shown of a page is the newest capture with a body; a revisit of it may be the reason that it is here."""
    shown = re.sub(r"<[^>]*>", "", client.get("/").text)
    assert "two.example · 1 June 2012" in shown
    assert "www.one.example · seen 1 January 2010 to 1 January 2012" in shown


def test_dates_that_cannot_be_true_move_neither_the_span_nor_the_newest(
    settings: Settings, tmp_path: Path
) -> None:
    """One date typed wrong made an archive of 16 years one of six centuries."""
    with DirectIndex(tmp_path / "index" / "g1") as index:
        index.add(
            "a.warc.gz",
            [page("http://one.example/", "20080101000000"), page("http://two.example/", "20240203040506")],
        )
        index.add(
            "b.warc.gz",
            [page("http://odd.example/", "26050101000000"), page("http://unset.example/", "19700101000000")],
        )
        index.add("c.warc.gz", [page("http://both.example/", "20100101000000", "29990101000000")])
    (tmp_path / "index" / "current").write_text("g1\n")
    with open_index(str(tmp_path / "index")) as opened:
        client = create_app(settings, lambda path, ranking: opened).test_client()
        html = " ".join(client.get("/").text.split())
        assert "2008–2024" in html and "3 captures have dates that cannot be true" in html
        assert client.get("/statistics.json").json["impossible_dates"] == 3
        newest = [item["url"] for item in client.get("/newest.json").json["hits"]]
        assert newest == [f"http://{name}.example/" for name in ("two", "both", "one", "unset", "odd")]
