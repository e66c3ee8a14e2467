"""Results as CSV, RSS and JSON, the OpenSearch description, and the JSON twin of each page; over a real index."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from indexer import build_index, open_index
from tests.webui.archive_text import page, response, write_archive
from webui import create_app
from webui.feeds import as_cell, as_xml
from webui.json_shapes import shown_file
from webui.settings import Settings, load_settings

A = "http://site.example/a"
OPENSEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
EVIL = "=cmd|' /C calc'!A0 \x1b[31m</title><script>alert(1)</script> &amp; \u202eevil"


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("feeds")
    archive = write_archive(
        folder / "small.warc.gz",
        response(A, page("First light", "<p>A wombat, 2009</p>"), date="2009-05-03T14:02:11Z"),
        response(A, page("First light", "<p>A wombat, 2015</p>"), date="2015-05-03T14:02:11Z"),
        response(
            "http://site.example/e", page("=cmd|' /C calc'!A0 &lt;script&gt;", "<p>+wombat \u202e&lt;b&gt;</p>"),
            date="2016-01-01T00:00:00Z",
        ),
        response("http://site.example/p.png", b"\x89PNG", "image/png", date="2013-01-01T00:00:00Z"),
    )  # fmt: skip
    build_index([str(archive)], str(folder / "ix"))
    return folder


@pytest.fixture
def client(settings: Settings, shelf: Path) -> Iterator[FlaskClient]:
    with open_index(str(shelf / "ix")) as index:
        app = create_app(settings, lambda path, ranking: index)
        app.testing = False
        yield app.test_client()


# ---------------------------------------------------------------- CSV


def test_results_as_a_table(client: FlaskClient) -> None:
    answer = client.get("/search.csv?q=wombat&sort=newest")
    assert answer.headers["Content-Type"].startswith("text/csv; charset=utf-8")
    assert "attachment" in answer.headers["Content-Disposition"]
    head, first, second = csv.reader(io.StringIO(answer.text, newline=""))
    assert head[:4] == ["rank", "url", "title", "timestamp"]
    assert second[:4] == ["2", A, "First light", "20150503140211"]
    assert first[2].startswith("'=cmd")  # no spreadsheet takes it for a formula
    assert client.get(second[head.index("cached_url")].removeprefix("http://localhost")).status_code == 200
    assert client.get("/search?q=wombat&sort=newest&format=csv").data == answer.data


@given(
    st.text() | st.tuples(st.text(max_size=2), st.sampled_from("=+-@\u2212\uff1d"), st.text()).map("".join)
)
def test_no_cell_is_a_formula(text: str) -> None:
    cell = as_cell(text)
    assert not re.match(r"[\s\u200b\ufeff\u00ad]*[=+\-@\u2212\uff1d\t\r\n]", cell)
    assert as_cell(-1) == "-1"


# ---------------------------------------------------------------- RSS


def test_results_as_a_feed(client: FlaskClient) -> None:
    answer = client.get("/search.rss?q=wombat&size=1&page=2&sort=oldest")
    assert answer.headers["Content-Type"] == "application/rss+xml; charset=utf-8"
    channel = ElementTree.fromstring(answer.data).find("channel")
    assert channel is not None
    numbers = {
        name: channel.findtext(OPENSEARCH + name) for name in ("totalResults", "startIndex", "itemsPerPage")
    }
    assert numbers == {"totalResults": "2", "startIndex": "2", "itemsPerPage": "1"}
    [item] = channel.findall("item")
    assert item.findtext("title") == "=cmd|' /C calc'!A0 <script>"
    assert item.findtext("pubDate") == "Fri, 01 Jan 2016 00:00:00 GMT"
    link = item.findtext("link") or ""
    assert client.get(link.removeprefix("http://localhost")).status_code == 200
    assert "<b>" not in (item.findtext("description") or "") and "&lt;b&gt;" in (
        item.findtext("description") or ""
    )


def test_the_newest_captures_as_a_feed_and_as_json(client: FlaskClient) -> None:
    channel = ElementTree.fromstring(client.get("/newest.rss?size=1").data).find("channel")
    assert channel is not None and len(channel.findall("item")) == 1
    hits = client.get("/newest.json").json["hits"]
    assert [hit["url"] for hit in hits] == ["http://site.example/e", A]
    assert client.get("/newest.rss?size=1000").status_code == 400


@given(st.text())
def test_any_text_is_fit_for_xml(text: str) -> None:
    ElementTree.fromstring(f"<a>{as_xml(text).replace('&', '&amp;').replace('<', '&lt;')}</a>")


# ---------------------------------------------------------------- OpenSearch


def test_the_description_is_as_opensearch_wants_it(client: FlaskClient) -> None:
    answer = client.get("/opensearch.xml")
    assert answer.headers["Content-Type"].startswith("application/opensearchdescription+xml")
    root = ElementTree.fromstring(answer.data)
    assert root.tag == OPENSEARCH + "OpenSearchDescription"
    assert len(root.findtext(OPENSEARCH + "ShortName") or "x" * 99) <= 16
    assert len(root.findtext(OPENSEARCH + "LongName") or "x" * 99) <= 48
    templates = {
        (url.get("type"), url.get("rel")): url.get("template") or "" for url in root.iter(OPENSEARCH + "Url")
    }
    for (kind, relation), template in templates.items():
        address = re.sub(r"\{\w+\?\}", "", template.replace("{searchTerms}", "wombat")).removeprefix(
            "http://localhost"
        )
        found = client.get(address)
        assert found.status_code == 200, template
        assert found.headers["Content-Type"].startswith(kind or "none"), relation
    assert f'href="{"/opensearch.xml"}"' in client.get("/").text


def test_addresses_come_from_the_settings_not_from_the_request(shelf: Path) -> None:
    settings = load_settings(None, {}, {"server.base_url": "https://shelf.example/find"})
    with open_index(str(shelf / "ix")) as index:
        client = create_app(settings, lambda path, ranking: index).test_client()
        text = client.get("/opensearch.xml", base_url="https://shelf.example").text
        feed = client.get("/search.rss?q=wombat", base_url="https://shelf.example").text
    assert 'template="https://shelf.example/find/search?q=' in text and "localhost" not in text + feed
    assert "<link>https://shelf.example/find/cached/" in feed


# ---------------------------------------------------------------- JSON twins


TWINS = {
    "/?format=json": "/",
    "/search.json?q=wombat": "/search?q=wombat",
    f"/captures/*;view=json/{A}": f"/captures/*/{A}",
    f"/cached/2009;view=json/{A}": f"/cached/2009/{A}",
    "/settings.json": "/settings",
    f"/similar.json?url={A}": f"/similar?url={A}",
    "/crawl.json": "/crawl",
}


@pytest.mark.parametrize("address", TWINS)
def test_every_page_has_a_twin_by_address_and_by_the_accept_field(client: FlaskClient, address: str) -> None:
    twin = client.get(address)
    assert twin.status_code == 200 and twin.headers["Content-Type"].startswith("application/json")
    asked = client.get(TWINS[address], headers={"Accept": "application/json"})
    hide = re.compile(rb'"took_ms": [\d.]+')
    assert hide.sub(b"", asked.data) == hide.sub(b"", twin.data)
    browser = client.get(TWINS[address], headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert browser.headers["Content-Type"].startswith("text/html")
    assert "Accept" in browser.headers["Vary"]


def test_the_twins_tell_no_folder_of_the_server(client: FlaskClient, shelf: Path) -> None:
    for address in (
        *TWINS,
        "/newest.json",
        "/search.csv?q=wombat",
        "/search.rss?q=wombat",
        "/readyz",
        "/nothing.json",
    ):
        assert str(shelf) not in client.get(address).text, address
    [hit] = [hit for hit in client.get("/search.json?q=wombat").json["hits"] if hit["url"] == A]
    assert hit["file"] == "small.warc.gz"
    for name in ("cached_url", "raw_url", "record_url"):
        assert client.get(hit[name]).status_code == 200
    assert client.get(hit["raw_url"]).data.startswith(b"<!doctype html>")


@pytest.mark.parametrize(
    ("name", "shown"),
    [("/shelf/Arcs/a.warc.gz", "a.warc.gz"), ("/shelf/Arcs/more/a.warc.gz", "more/a.warc.gz"),
     ("/elsewhere/a.warc.gz", "a.warc.gz"), ("warcs/a.warc.gz", "warcs/a.warc.gz"), ("../../a.warc.gz", "a.warc.gz"),
     ("x/../../a.warc.gz", "a.warc.gz"), ("", ".")],
)  # fmt: skip
def test_files_are_named_below_the_archives_of_the_job(name: str, shown: str) -> None:
    assert shown_file(name, "/shelf/Arcs") == shown


def test_captures_and_details_for_programs(client: FlaskClient) -> None:
    told = client.get(f"/captures/*;view=json/{A}").json
    assert (told["total"], [capture["timestamp"][:4] for capture in told["captures"]]) == (
        2,
        ["2009", "2015"],
    )
    assert [capture["version"] for capture in told["captures"]] == [1, 2]
    details = client.get(f"/cached/2009;view=json/{A}").json
    assert details["next"]["timestamp"] == "20150503140211" and details["previous"] is None
    assert ["WARC-Target-URI", A] in details["record_fields"] and details["http_line"] == "HTTP/1.1 200 OK"
    missing = client.get("/captures/*;view=json/http://nowhere.example/")
    assert missing.status_code == 404 and missing.json["ok"] is False


def test_settings_for_programs_hold_no_secret(client: FlaskClient) -> None:
    told = {setting["key"]: setting for setting in client.get("/settings.json").json["settings"]}
    assert told["search.k1"]["origin"] == "file"
    assert "scrypt" not in json.dumps(told)


@pytest.mark.parametrize("address", ["/search?q=a&format=xml", "/search.csv?q=a&nope=1", "/search.rss?q=a&page=x",
                                     "/search.csv?q=a&view=tree"])  # fmt: skip
def test_errors_have_one_shape(client: FlaskClient, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 400
    if "format=xml" not in address:
        assert answer.json["ok"] is False and answer.json["status"] == 400 and answer.json["errors"]


# ---------------------------------------------------------------- WACZ


def test_results_as_a_web_archive(client: FlaskClient, tmp_path: Path) -> None:
    answer = client.get("/search.wacz?q=wombat&size=1&sort=oldest")
    assert answer.headers["Content-Type"] == "application/wacz"
    assert answer.headers["Content-Length"] == str(len(answer.data))
    (tmp_path / "r.wacz").write_bytes(answer.data)
    with zipfile.ZipFile(tmp_path / "r.wacz") as archive:
        pages = [json.loads(line) for line in archive.read("pages/pages.jsonl").splitlines()[1:]]
        told = json.loads(archive.read("datapackage.json"))
    assert [(one["url"], one["ts"]) for one in pages] == [(A, "2009-05-03T14:02:11Z")]
    assert told["findingaid"] == {"chosen_by": "query", "query": "wombat", "total": 2, "offset": 0}


def test_an_export_that_is_too_large_or_not_ours_to_ask_is_refused(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/search.wacz?q=nowhereword").status_code == 404
    assert client.get("/search.wacz?q=wombat", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    monkeypatch.setattr("webui.wacz_door.MOST_BYTES", 100)
    assert client.get("/search.wacz?q=wombat").status_code == 413


def test_exports_and_long_lists_leave_threads_for_others(client: FlaskClient) -> None:
    from webui import cdx, wacz_door

    with wacz_door._exports.take():
        busy = client.get("/search.wacz?q=wombat")
        assert busy.status_code == 503 and busy.headers["Retry-After"] == "5"
    with client.get("/search.wacz?q=wombat") as answer:
        assert answer.status_code == 200  # the place was given back
    for _ in range(5):  # a place is given back also when the client goes away in the middle
        client.get("/cdx?url=site.example/*", buffered=False).close()
        assert client.get("/cdx?url=site.example/*&showNumPages=true").status_code == 200
        assert client.get("/cdx?url=site.example/*&page=7").status_code == 400
    with cdx._long_lists.take(), cdx._long_lists.take(), cdx._long_lists.take():
        assert client.get("/cdx?url=site.example/*").status_code == 503
        assert client.get("/cdx?url=site.example/*&showNumPages=true").status_code == 503
        assert client.get("/cdx?url=site.example/a").status_code == 200
    assert client.get("/cdx?url=site.example/*").status_code == 200
