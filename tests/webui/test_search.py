"""Home page and results."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote_plus

import pytest
from flask.testing import FlaskClient

from indexer import IndexCorruptError, IndexVersionError
from indexer.search.query import parse_query
from tests.webui.archive_text import page, response, write_archive
from tests.webui.fake_index import FakeOpener, client_for
from webui import create_app
from webui.application import command_options, crawl_options
from webui.search_request import make_pager, parse_search
from webui.settings import Settings

CONTRACT = [
    "url",
    "title",
    "timestamp",
    "score",
    "snippet",
    "file",
    "offset",
    "length",
    "inner",
    "captures",
    "versions",
]


def test_home_says_what_the_archive_holds(client: FlaskClient) -> None:
    html = client.get("/").text
    assert "2 pages · 1 site" in html and "2015–2017" in html
    assert '<form class="search" role="search"' in html


def test_home_of_an_archive_without_index_gives_the_commands(settings: Settings) -> None:
    answer = create_app(settings, FakeOpener({})).test_client().get("/")
    assert answer.status_code == 200
    assert "findingaid index FOLDER-WITH-ARCHIVES" in answer.text


@pytest.mark.parametrize(
    ("options", "ending"),
    [
        ({"index": "private-shelf"}, " --index INDEX-FOLDER"),
        ({"archive.job_id": "02"}, " --job 02"),
        ({}, ""),
    ],
)
def test_commands_on_pages_mean_the_index_that_is_served(
    settings: Settings, options: dict[str, str], ending: str
) -> None:
    client = create_app(settings.reloaded(options), FakeOpener({})).test_client()
    for address in ("/", "/search?q=wombat"):
        text = client.get(address).text
        assert f"findingaid index FOLDER-WITH-ARCHIVES{ending}</code>" in text
        assert "private-shelf" not in text


def test_of_several_jobs_a_command_names_one(settings: Settings) -> None:
    """To index and to crawl, one job is wanted; which, a reader can change."""
    several = settings.reloaded({"archive.job_id": "02,03"})
    with create_app(several, FakeOpener({})).test_request_context("/"):
        assert (command_options(), crawl_options()) == (" --job 02", " --job 02 --index")
    with create_app(settings.reloaded({"archive.job_id": "*"}), FakeOpener({})).test_request_context("/"):
        assert command_options() == " --job 01"
    with create_app(settings.reloaded({"index": "private-shelf"}), FakeOpener({})).test_request_context("/"):
        assert crawl_options() == " --index-dir INDEX-FOLDER"


def test_an_index_made_later_is_found_without_a_restart(settings: Settings, archive: Path) -> None:
    opener = FakeOpener({})
    client = create_app(settings, opener).test_client()
    assert client.get("/search?q=wombat").status_code == 503
    opener.indexes["Index/MyIndex"] = [archive]
    assert client.get("/search?q=wombat").status_code == 200


def test_a_result_shows_title_address_date_snippet_and_the_way_to_the_copy(client: FlaskClient) -> None:
    html = client.get("/search?q=wombat").text
    assert "First light, again" in html
    assert "<mark>wombat</mark>" in html
    assert '<time datetime="2017-01-01T00:00:00Z">1 January 2017</time>' in html
    assert 'href="/cached/20170101000000;q=wombat/http://site.example/a"' in html
    assert 'href="/captures/*/http://site.example/a">2 captures, 2 versions' in html
    assert "1 page found" in html


def test_nothing_found_offers_next_steps(client: FlaskClient) -> None:
    answer = client.get("/search?q=walrus")
    assert answer.status_code == 200
    assert "Nothing found" in answer.text and "<code>OR</code>" in answer.text


def test_an_address_in_the_box_leads_to_its_captures(client: FlaskClient) -> None:
    assert (
        'href="/captures/*/http://site.example/a">see its 2 captures'
        in client.get("/search?q=http://site.example/a").text
    )


@pytest.mark.parametrize("address", ["/search?q=wombat&format=json", "/search.json?q=wombat"])
def test_json_has_the_shape_of_the_contract(client: FlaskClient, archive: Path, address: str) -> None:
    answer = client.get(address)
    assert answer.content_type == "application/json"
    found = json.loads(answer.data)
    assert list(found)[:4] == ["query", "total", "took_ms", "hits"]
    assert (found["query"], found["total"]) == ("wombat", 1)
    hit = found["hits"][0]
    assert list(hit)[: len(CONTRACT)] == CONTRACT
    assert hit["file"] == archive.name  # the folders of the server are not told
    assert "wombat" in hit["snippet"] and "<" not in hit["snippet"]
    assert any(part == {"t": "wombat", "hit": True} for part in hit["snippet_parts"])


def test_json_of_nothing_found_and_of_no_query(client: FlaskClient) -> None:
    assert client.get("/search.json?q=walrus").get_json()["hits"] == []
    assert client.get("/search.json").get_json()["total"] == 0


def test_pages_lead_to_each_other_and_the_total_is_that_of_all(settings: Settings, tmp_path: Path) -> None:
    records = [response(f"http://site.example/{n}", page(f"Page {n}", "zebra")) for n in range(25)]
    client = client_for(settings, write_archive(tmp_path / "many.warc.gz", *records))
    first, middle = client.get("/search?q=zebra").text, client.get("/search?q=zebra&page=2").text
    assert "25 pages found" in first and first.count('class="hit"') == 10
    assert 'rel="next" href="/search?q=zebra&amp;page=2"' in first and 'rel="prev"' not in first
    assert 'rel="prev"' in middle and 'rel="next"' in middle and 'start="11"' in middle
    assert "no results so far down" in client.get("/search?q=zebra&page=9").text
    assert len(client.get("/search.json?q=zebra&limit=7&offset=21").get_json()["hits"]) == 4


def test_page_links_leave_out_the_far_middle() -> None:
    pager = make_pager(parse_search({"q": "x", "page": "10"}, 100), 1000)
    assert pager is not None
    assert pager.pages == (1, None, 7, 8, 9, 10, 11, 12, 13, None, 100)
    assert (pager.previous, pager.next) == (9, 11)
    assert make_pager(parse_search({"q": "x"}, 100), 10) is None


@pytest.mark.parametrize(
    ("parameters", "status"),
    [
        ("format=xml", 400),
        ("page=x", 400),
        ("size=-1", 400),
        ("page=0", 200),
        ("page=99999999999999999999", 200),
        ("size=100000", 200),
        ("offset=5", 200),
        ("utm_source=x", 200),
        ("format=json&nope=1", 400),
        ("page=%C2%B2", 400),
    ],
)
def test_odd_parameters_are_answered_in_words(client: FlaskClient, parameters: str, status: int) -> None:
    answer = client.get("/search?q=wombat&" + parameters)
    assert answer.status_code == status
    if "json" in parameters:
        assert answer.get_json()["status"] == status


ODD_QUERIES = [
    '"',
    '""',
    '"""',
    "'",
    "(",
    ")",
    "[x}",
    "   ",
    "\t\n",
    "*",
    "?",
    "%",
    "%%%",
    "\\",
    "+",
    "-",
    "#",
    "&",
    "\x00",
    "x\x00y",
    "\x1b[31m",
    "'; DROP TABLE documents; --",
    "${7*7}{{7*7}}",
    "x" * 120_000,
    "(" * 6_000,
    '"' * 5_001,
    "word " * 24_000,
    "\ud83d\ude00",
    "\u202eabc",
    "a:b",
    "NOT",
    "AND OR",
    "-x",
    "site:",
    "title:",
]


@pytest.mark.parametrize("query", ODD_QUERIES, ids=range(len(ODD_QUERIES)))
def test_no_query_is_an_error_of_the_server(client: FlaskClient, query: str) -> None:
    query = query.encode("utf-16", "surrogatepass").decode("utf-16")
    for form in ("html", "json"):
        answer = client.get("/search", query_string={"q": query, "format": form})
        assert answer.status_code == 200, answer.text[:500]
        assert "Traceback" not in answer.text


def test_raw_bytes_that_are_no_utf8_are_answered(client: FlaskClient) -> None:
    assert client.get("/search?q=%ff%fe%00").status_code == 200


def test_a_long_query_is_cut_with_a_word_about_it(client: FlaskClient) -> None:
    answer = client.get("/search", query_string={"q": "wombat " * 12_000})
    assert "only its first" in answer.text
    assert "First light" in answer.text


MARKUP = [
    '"><script>run(1)</script>',
    "<img src=x onerror=run(2)>",
    '"><svg onload=run(3)>',
    "' onmouseover='run(4)",
]


def test_titles_texts_and_addresses_are_shown_and_never_obeyed(settings: Settings, tmp_path: Path) -> None:
    records = [
        response(f"http://site.example/{number}?q={evil}", page(evil, f"zebra {evil.replace('<', '&lt;')}"))
        for number, evil in enumerate(MARKUP)
    ]
    client = client_for(settings, write_archive(tmp_path / "markup.warc.gz", *records))
    for query in ["zebra", "script", *MARKUP, *("zebra " + evil for evil in MARKUP)]:
        for form in ("html", "json"):
            text = client.get("/search", query_string={"q": query, "format": form}).text.lower()
            assert not any(
                raw in text for raw in ("<script>run", "<img src=x", "<svg onload", "' onmouseover='run")
            )


def test_direction_marks_and_controls_of_a_title_are_gone(settings: Settings, tmp_path: Path) -> None:
    evil = response("http://site.example/", page("safe \u202e\x1b[31mexe.zebra", "zebra"))
    html = client_for(settings, write_archive(tmp_path / "bidi.warc.gz", evil)).get("/search?q=zebra").text
    assert "\u202e" not in html and "\x1b" not in html


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (IndexVersionError("/secret/place: version 9"), "another version"),
        (IndexCorruptError("/secret/place: checksum"), "damaged"),
    ],
)
def test_a_bad_index_is_told_in_words_without_paths(settings: Settings, error: Exception, words: str) -> None:
    def opener(path: str, ranking: object) -> object:
        raise error

    client = create_app(settings, opener).test_client()  # type: ignore[arg-type]
    page_answer, json_answer = client.get("/search?q=x"), client.get("/search.json?q=x")
    assert page_answer.status_code == json_answer.status_code == 503
    assert words in page_answer.text and "/secret" not in page_answer.text + json_answer.text
    assert client.get("/settings").status_code == 200


def test_an_unforeseen_error_shows_no_trace(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **more: object) -> None:
        raise RuntimeError("/secret/path exploded")

    client.application.config["PROPAGATE_EXCEPTIONS"] = False
    monkeypatch.setattr("tests.webui.fake_index.FakeIndex.search", fail)
    answer = client.get("/search?q=x")
    assert answer.status_code == 500
    assert "secret" not in answer.text and "Traceback" not in answer.text


def test_a_search_request_is_plain_data() -> None:
    wanted = parse_search({"q": " a ", "page": "3", "size": "20"}, 100)
    assert wanted == replace(wanted, query="a", offset=40, size=20, notices=())
    assert wanted.page == 3


def test_the_help_page_links_each_example_to_its_search(client: FlaskClient) -> None:
    shown = client.get("/help").text
    assert 'href="/search?q=heron+-boat"' in shown and ">heron -boat</code>" in shown
    examples = re.findall(r'href="/search\?q=([^"]*)"', shown)
    assert len(examples) > 10 and not [text for text in examples if parse_query(unquote_plus(text)).notices]
    assert shown.count("<kbd>") == 8 and "The keys are on." in shown
    client.set_cookie("findingaid", "shortcuts=0")
    assert "The keys are off." in client.get("/help").text
