"""The doors for other programs: CDX in two dialects, Memento, the availability call; over a real index."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient

from indexer import build_index, open_index
from indexer.listing import KeyRange
from tests.webui.archive_text import page, response, write_archive
from webui import create_app
from webui.settings import Settings

A, B = "http://site.example/a", "http://site.example/b?x=1&y=2"


@pytest.fixture(scope="module")
def index_dir(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("doors")
    archive = write_archive(
        folder / "small.warc.gz",
        *(
            response(A, page(f"Year {year}", f"<p>wombat {year}</p>"), date=f"{year}-05-03T14:02:11Z")
            for year in (2009, 2011, 2015, 2015)
        ),
        response(B, page("Second", "<p>heron</p>"), date="2010-01-01T00:00:00Z"),
        response("http://sub.site.example/", page("Below", "<p>otter</p>"), date="2012-01-01T00:00:00Z"),
        response("http://site-two.example/", page("Other", "<p>newt</p>"), date="2012-01-01T00:00:00Z"),
        response("http://site.example/p.png", b"\x89PNG", "image/png", date="2013-01-01T00:00:00Z"),
        response(
            "http://site.example/gone", page("Gone", ""), status="404 Not Found", date="2014-01-01T00:00:00Z"
        ),
    )
    build_index([str(archive)], str(folder / "ix"))
    return str(folder / "ix")


@pytest.fixture
def client(settings: Settings, index_dir: str) -> Iterator[FlaskClient]:
    with open_index(index_dir) as index:
        app = create_app(settings, lambda path, ranking: index)
        app.testing = False
        yield app.test_client()


def lines(client: FlaskClient, address: str) -> list[str]:
    return client.get(address).text.splitlines()


# ---------------------------------------------------------------- CDX


def test_pywb_gets_a_line_of_cdxj_for_each_capture(client: FlaskClient) -> None:
    answer = client.get("/cdx?url=site.example/a")
    assert answer.headers["Content-Type"] == "text/x-cdxj; charset=utf-8"
    assert len(answer.text.splitlines()) == 4
    key, timestamp, block = answer.text.splitlines()[0].split(" ", 2)
    assert (key, timestamp) == ("example,site)/a", "20090503140211")
    fields = json.loads(block)
    assert fields["url"] == A and fields["status"] == "200" and fields["mime"] == "text/html"
    assert fields["filename"] == "small.warc.gz" and fields["offset"].isdigit() and fields["length"].isdigit()


def test_the_internet_archive_gets_its_fields_and_its_table(client: FlaskClient) -> None:
    text = lines(client, "/cdx/search/cdx?url=site.example/a")
    assert text[0].split(" ")[:3] == ["example,site)/a", "20090503140211", A]
    table = client.get("/cdx/search/cdx?url=site.example/a&output=json&fl=timestamp,original").json
    assert table[0] == ["timestamp", "original"] and len(table) == 5
    assert client.get("/cdx/search/cdx?url=nowhere.example&output=json").json == []
    assert client.get("/cdx/search/cdx?url=nowhere.example").text == ""


def test_what_is_not_held_is_an_error_to_pywb(client: FlaskClient) -> None:
    answer = client.get("/cdx?url=http://nowhere.example/")
    assert answer.status_code == 404
    assert answer.json == {"error": "No Captures found for: http://nowhere.example/"}


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("url=site.example/a&from=2011&to=2011", 1),
        ("url=site.example/a&from=2010", 3),
        ("url=site.example/a&to=20110503140211", 2),
        ("url=site.example/a&limit=2", 2),
        ("url=site.example/*", 7),
        ("url=site.example&matchType=host", 7),
        ("url=*.site.example", 8),
        ("url=site.example/&matchType=domain", 8),
        ("url=site.example/b*", 1),
        ("url=site.example&matchType=host&filter=mime:image", 1),
        ("url=site.example&matchType=host&filter=!mime:image", 6),
        ("url=site.example&matchType=host&filter==status:404", 1),
        ("url=site.example&matchType=host&filter=~status:40[34]", 1),
        ("url=site.example&matchType=host&filter=statuscode:200&filter=mimetype:html", 5),
        ("url=site.example/a&collapse=timestamp:4", 3),
        ("url=site.example/a&collapse=urlkey", 1),
        ("url=site.example/a&page=0&pageSize=1", 4),
    ],
)
def test_what_is_asked_for_is_what_is_listed(client: FlaskClient, query: str, count: int) -> None:
    assert len(lines(client, f"/cdx?{query}")) == count


def test_order_and_nearness(client: FlaskClient) -> None:
    def times(query: str) -> list[str]:
        return [
            line.split(" ")[0]
            for line in lines(client, f"/cdx/search/cdx?fl=timestamp&url=site.example/a&{query}")
        ]

    assert times("sort=reverse")[0].startswith("2015")
    assert [time[:4] for time in times("limit=-1")] == ["2015"]
    assert [time[:4] for time in times("closest=2011&sort=closest&limit=2")] == ["2011", "2009"]


def test_a_resume_key_leads_through_all_captures_once(client: FlaskClient) -> None:
    seen: list[str] = []
    key = ""
    for _ in range(10):
        found = client.get(
            "/cdx/search/cdx",
            query_string={"url": "site.example", "matchType": "domain", "limit": 3, "showResumeKey": "true",
                          "fl": "timestamp,original", "resumeKey": key},
        ).text.splitlines()  # fmt: skip
        blank = found.index("") if "" in found else len(found)
        seen += found[:blank]
        if blank == len(found):
            break
        key = found[-1]
    assert seen == lines(client, "/cdx/search/cdx?url=site.example&matchType=domain&fl=timestamp,original")


def test_pages_are_counted_in_both_dialects(client: FlaskClient) -> None:
    assert client.get("/cdx?url=site.example/*&showNumPages=true").json == {
        "pages": 1,
        "pageSize": 10,
        "blocks": 1,
    }
    assert client.get("/cdx/search/cdx?url=site.example/*&showNumPages=true").text == "1\n"
    assert client.get("/cdx/search/cdx?url=site.example/*&page=0").status_code == 200
    assert client.get("/cdx/search/cdx?url=site.example/*&page=1").status_code == 400


@pytest.mark.parametrize(
    "query",
    ["matchType=range", "from=yesterday", "limit=x", "fl=nope", "filter=status", "filter=~status:(", "output=xml",
     "pageSize=0", "pageSize=9999", "resumeKey=zzz", "page=-1", "collapse=nope", "closest=now",
     "&".join(["filter=status:2"] * 11), "url=", "url=http://"],
)  # fmt: skip
def test_what_cannot_be_meant_is_told(client: FlaskClient, query: str) -> None:
    answer = client.get(f"/cdx?url=a.example&{query}")
    assert answer.status_code == 400 and answer.json["error"]


def test_a_hostile_pattern_takes_no_time(client: FlaskClient) -> None:
    """RE2 has no way to go back: (a+)+$ cannot blow up."""
    assert client.get(
        "/cdx", query_string={"url": "site.example/*", "filter": "~url:" + "(a+)+" * 50 + "$"}
    ).status_code in (200, 400, 404)


def test_the_range_of_a_domain_holds_its_hosts_and_no_others() -> None:
    keys = KeyRange.of("http://site.example/", "domain")
    inside = ["example,site)/", "example,site)/a", "example,site,sub)/"]
    outside = ["example,site-two)/", "example,sit)/", "example,siteb)/", "example,a)/"]
    assert all(keys.low <= key < keys.high for key in inside)
    assert not any(keys.low <= key < keys.high for key in outside)


# ---------------------------------------------------------------- Memento


def links(text: str) -> list[tuple[str, dict[str, str]]]:
    """Return (target, attributes) of each link of a link-format text."""
    return [
        (target, dict(re.findall(r'(\w+)="([^"]*)"', attributes)))
        for target, attributes in re.findall(r"<([^>]*)>((?:;\s*\w+=\"[^\"]*\")*)", text)
    ]


@pytest.mark.parametrize("path", ["/timegate/", "/web/"])
@pytest.mark.parametrize(
    ("asked", "given"),
    [("Sat, 01 Jan 2011 00:00:00 GMT", "20110503140211"), ("Thu, 01 Jan 1998 00:00:00 GMT", "20090503140211"),
     ("Fri, 01 Jan 2038 00:00:00 GMT", "20150503140211"), ("", "20150503140211")],
)  # fmt: skip
def test_a_timegate_leads_to_the_nearest_capture(
    client: FlaskClient, path: str, asked: str, given: str
) -> None:
    answer = client.get(path + A, headers={"Accept-Datetime": asked} if asked else {})
    assert answer.status_code == 302
    assert answer.location == f"/web/{given}mp_/{A}"
    assert answer.headers["Vary"] == "accept-datetime"
    assert "Memento-Datetime" not in answer.headers
    relations = {
        name: target for target, about in links(answer.headers["Link"]) for name in about["rel"].split()
    }
    assert {"original", "timegate", "timemap", "first", "last", "memento"} <= set(relations)
    assert relations["original"] == A


def test_a_date_that_is_none_is_refused_and_an_unknown_page_is_told(client: FlaskClient) -> None:
    assert client.get("/timegate/" + A, headers={"Accept-Datetime": "yesterday"}).status_code == 400
    assert client.get("/timegate/http://nowhere.example/").status_code == 404


@pytest.mark.parametrize("modifier", ["mp_", "id_"])
def test_a_capture_says_what_it_is_and_what_lies_around_it(client: FlaskClient, modifier: str) -> None:
    answer = client.get(f"/web/20110503140211{modifier}/{A}")
    assert answer.headers["Memento-Datetime"] == "Tue, 03 May 2011 14:02:11 GMT"
    around = {about["rel"]: about.get("datetime") for _, about in links(answer.headers["Link"])}
    assert around["first prev memento"] == "Sun, 03 May 2009 14:02:11 GMT"
    assert around["next last memento"] == "Sun, 03 May 2015 14:02:11 GMT"
    assert around["memento"] == answer.headers["Memento-Datetime"]


def test_a_time_map_lists_the_captures_oldest_first(client: FlaskClient) -> None:
    answer = client.get("/timemap/link/" + A)
    assert answer.headers["Content-Type"].startswith("application/link-format")
    found = links(answer.text)
    assert [about["rel"] for _, about in found] == [
        "original", "self", "timegate", "first memento", "memento", "last memento",
    ]  # fmt: skip
    assert found[1][1]["from"] == "Sun, 03 May 2009 14:02:11 GMT"
    assert all(client.get(target.removeprefix("http://localhost")).status_code == 200 for target, about in found
               if "memento" in about["rel"].split())  # fmt: skip


def test_a_time_map_as_json_and_as_cdxj(client: FlaskClient) -> None:
    told = client.get("/web/timemap/json/" + A).json
    assert [entry["datetime"][:4] for entry in told["mementos"]["list"]] == ["2009", "2011", "2015"]
    text = lines(client, "/timemap/cdxj/" + A)
    assert [line[:4] for line in text if not line.startswith("!")] == ["2009", "2011", "2015"]


def test_a_long_time_map_goes_on_in_another(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webui.memento.MOST_IN_MAP", 2)
    first = links(client.get("/timemap/link/" + A).text)
    [more] = [target for target, about in first if about["rel"] == "timemap"]
    second = links(client.get(more.removeprefix("http://localhost")).text)
    both = [about["datetime"] for _, about in first + second if "memento" in about["rel"].split()]
    assert [when[12:16] for when in both] == ["2009", "2011", "2015"]


def test_the_query_of_an_archived_address_belongs_to_it(client: FlaskClient) -> None:
    assert client.get("/timegate/" + B).location.endswith(B)
    assert links(client.get("/timemap/link/" + B).text)[0][0] == B


@pytest.mark.parametrize(
    "path", ["/timemap/xml/http://a.example/", "/timemap/link/", "/timegate/", "/timemap/link/http://"]
)
def test_addresses_that_are_none(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code in (400, 404)


# ---------------------------------------------------------------- availability


def test_is_it_archived(client: FlaskClient) -> None:
    told = client.get("/wayback/available?url=site.example/a&timestamp=2011").json
    closest = told["archived_snapshots"]["closest"]
    assert closest == {"available": True, "timestamp": "20110503140211", "status": "200",
                       "url": f"http://localhost/web/20110503140211/{A}"}  # fmt: skip
    assert client.get("/wayback/available?url=nowhere.example").json["archived_snapshots"] == {}
    assert client.get("/wayback/available").status_code == 400
