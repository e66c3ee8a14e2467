"""An address in another usual spelling finds the page, at every door, and the doors say that it is another."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from archiver.warc import urlkey
from indexer import Index, IndexOptions, build_index, open_index
from running import Run
from tests.webui.archive_text import page, record, response, write_archive
from webui import create_app
from webui.settings import Settings

Command = Callable[..., Run]
HELD = "http://www.site.example/Deep/Page/"
LOWER, UPPER = "http://case.example/wiki/heron", "http://case.example/wiki/Heron"
QUERY = "https://site.example/find?sid=0123456789abcdef0123456789abcdef&b=2&a=1"
COMMA = "http://site.example/a%2Cb.png"
IDN = "http://xn--bcher-kva.example/"
INFO = f"urn:pageinfo:{HELD}"
LINKING = "http://other.example/"

SPELLINGS = {
    HELD: [
        "http://site.example/Deep/Page/", "http://www.site.example/Deep/Page", "http://site.example/deep/page",
        "https://WWW2.SITE.example:443/deep//PAGE#top", "http://user@www.site.example:80/deep/page?",
        "site.example/deep/page", "http://www.site.example/deep/%50age", "http://www.site.example/x/../deep/page/",
    ],
    QUERY: ["http://www.site.example/find?a=1&b=2", "https://site.example/Find/?a=1&B=2"],
    COMMA: ["http://site.example/a,b.png", "http://site.example/A%2cB.png"],
    IDN: ["http://bücher.example/", "http://www.B%C3%BCcher.example"],
    INFO: ["urn:pageinfo:http://www.site.example/deep/page"],
}  # fmt: skip
ASKED = [(asked, held) for held, spellings in SPELLINGS.items() for asked in (held, *spellings)]


@pytest.fixture(scope="module")
def index_dir(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("spellings")
    archive = write_archive(
        folder / "a.warc.gz",
        response(HELD, page("Held", "<p>wombat</p>"), date="2010-01-01T00:00:00Z"),
        response(LOWER, page("Small", "<p>small heron</p>"), date="2010-01-01T00:00:00Z"),
        response(UPPER, page("Large", "<p>large heron</p>"), date="2012-01-01T00:00:00Z"),
        response(QUERY, page("Query", "<p>otter</p>"), date="2011-01-01T00:00:00Z"),
        response(COMMA, b"\x89PNG\r\n\x1a\n", "image/png", date="2011-01-01T00:00:00Z"),
        response(IDN, page("Books", "<p>newt</p>"), date="2011-01-01T00:00:00Z"),
        record("resource", INFO, b"{}", "application/json", "2011-01-01T00:00:00Z"),
        response(LINKING, page("Links", f"<a href='{HELD}'>to a wombat</a>"), date="2011-01-01T00:00:00Z"),
    )  # fmt: skip
    build_index([str(archive)], str(folder / "ix"), options=IndexOptions(workers=1))
    return str(folder / "ix")


@pytest.fixture
def index(index_dir: str) -> Iterator[Index]:
    with open_index(index_dir) as opened:
        yield opened


@pytest.fixture
def client(settings: Settings, index: Index) -> FlaskClient:
    web = create_app(settings, lambda path, ranking: index)
    web.testing = False
    return web.test_client()


@pytest.mark.parametrize(("asked", "held"), ASKED)
def test_every_door_finds_the_page_under_every_spelling(client: FlaskClient, asked: str, held: str) -> None:
    path = quote(asked.partition("#")[0], safe="%/:?&=@,;")
    listed = client.get(f"/captures/*;view=json/{path}").json
    assert [capture["url"] for capture in listed["captures"]] == [held]
    assert client.get(f"/cached/2010;view=json/{path}").json["url"] == held
    assert client.get(f"/web/2010id_/{path}").status_code == 200
    assert held.partition("://")[2] in client.get(f"/timegate/{path}").headers["Location"]
    assert len(client.get(f"/timemap/json/{path}").json["mementos"]["list"]) == 1
    available = client.get("/wayback/available", query_string={"url": asked}).json
    assert held in available["archived_snapshots"]["closest"]["url"]
    line = client.get("/cdx", query_string={"url": asked}).text.splitlines()
    assert len(line) == 1 and json.loads(line[0].split(" ", 2)[2])["url"] == held
    assert client.get("/cdx/search/cdx", query_string={"url": asked}).text.split(" ")[2] == held


@pytest.mark.parametrize(
    "asked",
    ["http://site.example/deep/pages", "http://sub.site.example/deep/page", "http://site.example:81/deep/page",
     "http://site.example/deep/page?x", "ftp://www.site.example:21/deep/page", "urn:x"],
)  # fmt: skip
def test_what_is_another_address_is_not_found(client: FlaskClient, asked: str) -> None:
    assert client.get(f"/captures/*;view=json/{asked}").status_code == 404
    assert client.get(f"/web/2010id_/{asked}").status_code == 404
    assert client.get("/cdx", query_string={"url": asked}).status_code == 404


def test_pages_that_differ_in_letter_case_are_both_reached_and_listed(client: FlaskClient) -> None:
    for url, title in ((LOWER, "Small"), (UPPER, "Large")):
        assert f"<title>{title}</title>" in client.get(f"/web/2011id_/{url}").text
        listed = client.get(f"/captures/*;view=json/{url}").json
        assert [capture["url"] for capture in listed["captures"]] == [url]
        assert listed["other_spellings"] == []
        assert len(client.get(f"/timemap/json/{url}").json["mementos"]["list"]) == 1
        assert client.get("/cdx", query_string={"url": url}).text.count("\n") == 2
    neither = client.get("/captures/*;view=json/http://case.example/WIKI/HERON").json
    assert [capture["url"] for capture in neither["captures"]] == [LOWER, UPPER] == neither["other_spellings"]
    for when, nearest in ((2010, LOWER), (2013, UPPER)):
        assert client.get(f"/cached/{when};view=json/http://case.example/WIKI/HERON").json["url"] == nearest


def test_pages_say_that_they_show_another_spelling(client: FlaskClient) -> None:
    asked = "http://site.example/deep/page"
    cached = client.get(f"/cached/2010/{asked}").text
    assert "This is another spelling of it." in cached and asked in cached and HELD in cached
    assert client.get(f"/cached/2010;view=json/{asked}").json["asked_url"] == asked
    assert "but of other spellings of it" in client.get(f"/captures/*/{asked}").text
    for same in (HELD, HELD.replace("http:", "https:"), HELD.replace("www.site", "WWW.SITE")):
        assert "spelling of it" not in client.get(f"/cached/2010/{same}").text
        assert client.get(f"/cached/2010;view=json/{same}").json["asked_url"] == ""
        assert "other spellings" not in client.get(f"/captures/*/{same}").text


def test_keys_of_cdx_are_those_of_other_tools_and_hold_for_prefix_host_and_domain(
    client: FlaskClient,
) -> None:
    def urls(**query: str) -> list[str]:
        text = client.get("/cdx", query_string=query).text
        keys = [line.split(" ", 1)[0] for line in text.splitlines()]
        found = [json.loads(line.split(" ", 2)[2])["url"] for line in text.splitlines()]
        assert keys == [urlkey(url) for url in found] == sorted(keys)
        return found

    assert urls(url="www.SITE.example/Deep*") == urls(url="site.example/deep/", matchType="prefix") == [HELD]
    assert set(urls(url="site.example", matchType="host")) == {HELD, QUERY, COMMA}
    assert set(urls(url="https://www.site.example", matchType="domain")) == {HELD, QUERY, COMMA}
    assert urls(url="http://xn--bcher-kva.example/*") == urls(url="bücher.example/*") == [IDN]
    assert urls(url="urn:pageinfo:*") == [INFO]
    assert client.get("/cdx?url=urn:pageinfo:x&matchType=host").status_code == 400


def test_links_and_similar_pages_are_those_of_the_other_spelling(index: Index) -> None:
    links = index.links("http://site.example/deep/page")
    assert (links.url, links.total_in) == (HELD, 1) and links.incoming[0].url == LINKING
    graph = index.link_graph(url="http://site.example/deep/page")
    assert {node.name for node in graph.nodes} == {HELD, LINKING}
    assert HELD not in {hit.url for hit in index.similar("http://site.example/deep/page").hits}
    out = index.links(LINKING).outgoing
    assert [(link.url, link.is_archived) for link in out] == [(HELD, True)]


def test_the_command_line_finds_it_and_says_so(index_dir: str, findingaid: Command) -> None:
    asked = "http://site.example/deep/page"
    found = findingaid("cached", asked, "--index", index_dir)
    assert found.code == 0 and "wombat" in found.out
    assert f"{asked}: not archived here; another spelling of it is: {HELD}" in found.err
    exact = findingaid("cached", HELD, "--index", index_dir)
    assert exact.code == 0 and "spelling" not in exact.err
    listed = findingaid("export", "cdxj", "--url", asked, "--index", index_dir)
    assert listed.out.startswith(f"{urlkey(HELD)} 20100101000000 ") and listed.out.count("\n") == 1


def test_what_is_taken_out_is_the_address_itself(index_dir: str, tmp_path: Path, findingaid: Command) -> None:
    folder = str(tmp_path / "ix")
    copytree(index_dir, folder)
    asked = findingaid("remove", "http://site.example/deep/page", "--index", folder, "--yes")
    assert asked.code == 1 and f"another spelling of it is in the index: {HELD}" in asked.err
    assert findingaid("remove", LOWER.replace("http:", "https:"), "--index", folder, "--yes").code == 0
    with open_index(folder) as index:
        assert [capture.url for capture in index.captures(LOWER)] == [UPPER]  # the nearest that is left
        assert [capture.url for capture in index.captures(HELD)] == [HELD]
