"""What holds for every address of the application, whatever it answers: header sets, no folders, no traceback."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from archiver.crawl import CrawlJob, write_job
from indexer import build_index, open_index
from tests.webui.archive_text import page, response, write_archive
from webui import create_app
from webui.security import REPLAY_HEADERS, UI_HEADERS
from webui.settings import load_settings

A = "http://site.example/a"
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shelf-of-secrets")
    archive = write_archive(folder / "small.warc.gz", response(A, page("First", "<p>archive</p>")))
    build_index([str(archive)], str(folder / "ix"))
    write_job(CrawlJob("01", str(folder / "jobs" / "01"), seeds=(A,)))
    return folder


@pytest.fixture(scope="module")
def client(shelf: Path) -> Iterator[FlaskClient]:
    settings = load_settings(None, {}, {"archive.jobs_path": str(shelf / "jobs"), "index": str(shelf / "ix")})
    with open_index(str(shelf / "ix")) as index:
        app = create_app(settings, lambda path, ranking: index)
        app.testing = False
        yield app.test_client()


def addresses(app: Flask) -> list[str]:
    """Return an address for each rule, that finds something where it can, and one that finds nothing."""
    found = {"/nothing",
             "/search?q=archive", "/search?q=&format=xml", "/search.json?q=archive", "/search.csv?q=archive",
             "/search.wacz?q=archive", f"/similar?url={A}", f"/compare?url={A}", f"/graph?url={A}", "/graph?q=archive",
             "/suggest?q=arch",
             f"/cached/2015;view=text/{A}", f"/cached/2015;view=details/{A}", f"/cached/2015;view=cite/{A}",
             f"/cached/2015;view=json/{A}", f"/cached/2015;view=record/{A}", f"/cached/2015;view=payload/{A}",
             f"/captures/*/{A}", f"/web/2015mp_/{A}", f"/web/2015id_/{A}", f"/web/*/{A}", f"/cdx?url={A}"}  # fmt: skip
    for rule in app.url_map.iter_rules():
        for target in (f"2015/{A}", "link/" + A, A, "nothing"):
            address = rule.rule.replace("<path:rest>", target)
            address = re.sub(r"<any\(([^,)]*)[^>]*>", r"\1", address)
            address = address.replace("<job>", "01").replace("<kind>", "full.json").replace("<digest>", "0")
            address = address.replace("<name>", "findingaid.css")
            assert "<" not in address, f"{address}: this test does not know what to put there"
            found.add(address)
    return sorted(found)


def test_every_answer_carries_its_header_set(client: FlaskClient) -> None:
    """Found, not found, wrong method, error: below /web/ that of archived bytes, everywhere else ours."""
    seen = set()
    for address in addresses(client.application):
        path = address.partition("?")[0]
        wanted = REPLAY_HEADERS if path == "/web" or path.startswith("/web/") else UI_HEADERS
        for method in METHODS:
            answer = client.open(address, method=method)
            seen.add(answer.status_code)
            for name, value in wanted.items():
                assert answer.headers.getlist(name) == [value], (method, address, name)
            for name in ("Access-Control-Allow-Origin", "Server", "Set-Cookie"):
                assert name not in answer.headers or "/preferences" in address or "/logout" in address, (
                    address,
                    name,
                )
            answer.close()
    assert {200, 302, 400, 404, 405} <= seen and 500 not in seen


def test_no_answer_tells_a_folder_or_a_traceback(client: FlaskClient, shelf: Path) -> None:
    for address in addresses(client.application):
        for accept in ("text/html", "application/json"):
            answer = client.get(address, headers={"Accept": accept})
            if address == "/settings" and accept == "text/html":
                continue  # the form shows the folders that can be changed in it
            assert b"shelf-of-secrets" not in answer.data, address
            assert b"Traceback" not in answer.data, address


def test_get_changes_nothing(client: FlaskClient, shelf: Path) -> None:
    def state() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in sorted(shelf.rglob("*")) if path.is_file()}

    before = state()
    for address in addresses(client.application):
        client.get(address).close()
    assert state() == before


def test_a_forged_request_changes_nothing_anywhere(client: FlaskClient) -> None:
    for address in addresses(client.application):
        for fields in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "null"},
                       {"Origin": "http://localhost:9999"}):  # fmt: skip
            assert client.post(address, headers=fields).status_code == 403, address
