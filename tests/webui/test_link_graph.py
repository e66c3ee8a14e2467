"""The page of the graph of links, its files, and the links on the details of a cached page."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from faults import run_in_one_process
from flask.testing import FlaskClient

from indexer import Index, IndexOptions, build_index, open_index
from tests.indexer.making import response, write_warc
from webui import create_app, link_graph
from webui.limits import Slots
from webui.settings import load_settings

A, B, C = "http://a.example/", "http://b.example/=x", "http://c.example/"
GEXF = "{http://gexf.net/1.3}"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("graph")
    pages = [
        response(A, f'<title>=1+1 "Alpha"</title>heron <a href="{B}">to <b>b</b></a><a href="http://none.example/">x</a>'),
        response(B, f'<title><!-- --> & Beta\x0c</title>owl <a href="{C}">to c</a>'),
        response(C, "<title>Gamma</title>heron"),
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        run_in_one_process(patch)
        build_index(
            [write_warc(folder / "a.warc.gz", pages)], str(folder / "ix"), options=IndexOptions(workers=1)
        )
    with open_index(folder / "ix") as opened:
        yield opened
    shutil.rmtree(folder)


@pytest.fixture
def client(index: Index, tmp_path: Path) -> FlaskClient:
    settings = load_settings(None, {}, {"archive.jobs_path": str(tmp_path), "index": index.index_dirs[0]})
    return create_app(settings, lambda path, ranking: index).test_client()


def edges(client: FlaskClient, **query: str) -> set[tuple[str, str]]:
    told = client.get("/graph.json", query_string=query).json
    names = {node["id"]: node["label"] for node in told["nodes"]}
    return {(names[edge["source"]], names[edge["target"]]) for edge in told["edges"]}


def test_the_graph_of_all_pages_and_of_those_found(client: FlaskClient) -> None:
    a, b, c = "a.example/", "b.example/=x", "c.example/"
    assert edges(client) == {(a, b), (b, c)}
    assert edges(client, q="owl", depth="1") == {(a, b), (b, c)}
    assert edges(client, q="heron") == set()
    assert edges(client, url="a.example") == {(a, b)}
    assert edges(client, level="hosts") == {("a.example", "b.example"), ("b.example", "c.example")}
    told = client.get("/graph.json?url=http://a.example/&q=owl").json
    assert {node["label"]: node["groups"]["matched"] for node in told["nodes"]} == {
        a: "not found",
        b: "found",
    }
    assert (told["total"], told["total_links"], told["is_whole"]) == (2, 1, True)


def test_the_page_says_what_is_shown_and_needs_no_script(client: FlaskClient) -> None:
    page = client.get("/graph").text
    assert "Pages: 3 of 3." in page and "Links between them: 2 of 2." in page
    assert page.count("<circle") == 3 and page.count("<line ") == 2
    assert '<a href="/cached/20200101000000;view=details/http://a.example/"><bdi>a.example/</bdi></a>' in page
    assert 'href="/graph?url=http://a.example/"' in page
    hosts = client.get("/graph?level=hosts").text
    assert "Hosts: 3 of 3." in hosts and 'href="/search?q=&amp;site=a.example"' in hosts
    assert "is no page of the archive" in client.get("/graph?url=http://nowhere.example/").text
    assert "No page was found." in client.get("/graph?q=zebra").text


@pytest.mark.parametrize("query", ["depth=9", "level=x", "format=xml", "url=http://", "url=" + "x" * 9000])
def test_what_cannot_be_meant_is_refused(client: FlaskClient, query: str) -> None:
    assert client.get(f"/graph?{query}").status_code in (400, 414)
    assert client.get(f"/graph.json?{query}").status_code in (400, 414)
    assert client.get("/graph-exe").status_code == 404


def test_more_than_two_graphs_at_once_have_to_wait(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_graph, "_places", Slots(1, "graphs"))
    with link_graph._places.take():
        answer = client.get("/graph.json")
    assert answer.status_code == 503 and answer.headers["Retry-After"]
    assert client.get("/graph.json").status_code == 200


def test_files_for_other_programs(client: FlaskClient) -> None:
    gexf = ElementTree.fromstring(client.get("/graph-gexf?q=owl&depth=1").data)
    labels = {node.get("id"): node.get("label") for node in gexf.iter(f"{GEXF}node")}
    assert {(labels[e.get("source")], labels[e.get("target")]) for e in gexf.iter(f"{GEXF}edge")} == edges(
        client
    )
    assert {mark.get("value") for mark in gexf.iter(f"{GEXF}attvalue")} >= {
        '=1+1 "Alpha"',
        "<!-- --> & Beta",
        "found",
    }
    nodes = list(csv.DictReader(io.StringIO(client.get("/graph-nodes.csv").text, newline="")))
    assert [row["about"] for row in nodes if row["Label"] == "a.example/"] == ['\'=1+1 "Alpha"']
    links = list(csv.reader(io.StringIO(client.get("/graph-edges.csv").text, newline="")))
    assert links[0] == ["Source", "Target", "Weight"] and len(links) == 3
    answer = client.get("/graph-full.json")
    assert answer.json["total"] == 3 and "attachment" in answer.headers["Content-Disposition"]


def test_the_details_of_a_cached_page_tell_links_in_and_out(client: FlaskClient) -> None:
    page = client.get(f"/cached/2020;view=details/{B}").text
    assert "Links in: pages of the archive that point here (1)" in page
    assert '<a href="/cached/20200101000000/http://a.example/">' in page and '<q dir="auto">to b</q>' in page
    assert '<a href="/cached/20200101000000/http://c.example/">' in page
    told = client.get(f"/cached/2020;view=json/{A}").json
    assert [link["url"] for link in told["links_in"]] == [] and told["total_links_out"] == 2
    assert [(link["url"], link["texts"], bool(link["cached_url"])) for link in told["links_out"]] == [
        (B, ["to b"], True), ("http://none.example/", ["x"], False)
    ]  # fmt: skip
    assert "http://none.example/</bdi> <span" in client.get(f"/cached/2020;view=details/{A}").text


def test_results_and_home_lead_to_the_graph(client: FlaskClient) -> None:
    assert (
        'href="/graph?q=heron&amp;site=a.example"' in client.get("/search?q=heron&site=a.example&page=1").text
    )
    assert 'href="/graph"' in client.get("/").text
