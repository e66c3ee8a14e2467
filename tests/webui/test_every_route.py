"""What holds for every address of the application, whatever it answers: header sets, no folders, no traceback."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from werkzeug.security import generate_password_hash

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


# ---------------------------------------------------------------- whatever a request holds

# What the fields of requests are made of; the fuzzing puts some of these behind each other, and bytes between.
PIECES = (
    b"", b"\xff", b"\x80\xfe", "é".encode(), b"basic ", b"Basic ", b"Bearer ", b"Digest ", b"YTpw", b"/w==",
    b"OnB3", b"=", b"==", b'"', b",", b";", b"q=", b"0.5", b"q=nan", b"q=inf", b"1e999", b"-1", b"*", b"bytes=",
    b"0-", b"-5", b"5-2", b"9" * 30, b"0-0,2-3", b"Thu, 31 May 2007 20:35:00 GMT",
    b"Thu, 99 May 99999 99:99:99 GMT", b"Mon, 01 Jan 0001 00:00:00 +2359", b"Fri, 31 Dec 9999 23:59:59 -2359",
    b"\x20", b"\t", b"\\", b'W/"',
    b"text/html", b"application/json", b"en", b"zh-Hant-" * 3, b"x" * 300, b"multipart/form-data; boundary=",
    b"charset=utf-16", b"charset=nope", b"application/x-www-form-urlencoded", b"%", b"%00", b"%ff", b"%zz",
    b"\x7f", b"\x01", b"[::1]", b"[", b"localhost", b":8080", b":99999", b"@", b"for=", b"unknown", b"http://",
    b"http://[", "²".encode(), "٣".encode(), b"findingaid=theme=dark", b"findingaid_session=", b"eyJ.a.b",
    b"same-origin", b"font", b"null", b"/", b"//", b"..",
)  # fmt: skip
FIELDS = (
    "AUTHORIZATION", "COOKIE", "ACCEPT", "ACCEPT_LANGUAGE", "ACCEPT_ENCODING", "ACCEPT_CHARSET",
    "ACCEPT_DATETIME", "RANGE", "IF_NONE_MATCH", "IF_MATCH", "IF_MODIFIED_SINCE", "IF_UNMODIFIED_SINCE",
    "IF_RANGE", "HOST", "FORWARDED", "X_FORWARDED_FOR", "REFERER", "ORIGIN", "SEC_FETCH_SITE", "SEC_FETCH_DEST",
    "USER_AGENT", "CACHE_CONTROL", "ACCESS_CONTROL_REQUEST_METHOD", "ACCESS_CONTROL_REQUEST_HEADERS",
)  # fmt: skip
NAMES = (
    "q", "page", "size", "limit", "offset", "format", "sort", "view", "open", "site", "type", "lang", "status",
    "from", "to", "facets", "expand", "without", "fold", "model", "url", "a", "b", "phrase", "depth", "level",
    "matchType", "fl", "output", "closest", "filter", "collapse", "resumeKey", "showNumPages", "pageSize",
    "timestamp", "saved", "theme", "running", "texts", "back", "language", "password", "hash", "search.k1",
    "seeds", "action",
)  # fmt: skip
SOMETHING = (st.lists(st.sampled_from(PIECES), max_size=4) | st.lists(st.binary(max_size=8), max_size=3)).map(
    lambda pieces: b"".join(pieces).replace(b"\r", b"").replace(b"\n", b"")
)
QUERIES = st.lists(st.tuples(st.sampled_from(NAMES), SOMETHING), max_size=4).map(
    lambda pairs: b"&".join(name.encode() + b"=" + value for name, value in pairs)
)


@pytest.fixture(scope="module")
def guarded(shelf: Path) -> Iterator[Flask]:
    """The application with a password, which is "pw"."""
    options = {"server.password": generate_password_hash("pw", "pbkdf2:sha256:1"), "server.metrics_token": "t",
               "server.cors_origins": ["http://localhost"], "server.proxies": ["127.0.0.1"],
               "archive.jobs_path": str(shelf / "jobs"), "index": str(shelf / "ix")}  # fmt: skip
    with open_index(str(shelf / "ix")) as index:
        app = create_app(load_settings(None, {}, options), lambda path, ranking: index)
        app.testing = False
        yield app


def ask(
    app: Flask, method: str, target: bytes, fields: dict[str, bytes] | None = None, body: bytes = b""
) -> tuple[int, bytes]:
    """Return status and body of the answer to a request that holds any bytes, as waitress hands them on."""
    path, _, query = target.partition(b"?")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method, "SCRIPT_NAME": "", "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "REQUEST_URI": target.decode("latin-1"), "QUERY_STRING": query.decode("latin-1"), "SERVER_NAME": "localhost",
        "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "localhost",
        "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(body), "wsgi.errors": io.StringIO(), "wsgi.version": (1, 0),
        "wsgi.multithread": True, "wsgi.multiprocess": False, "wsgi.run_once": False, "CONTENT_LENGTH": str(len(body)),
        "CONTENT_TYPE": "application/x-www-form-urlencoded",
        **{name: value.decode("latin-1") for name, value in (fields or {}).items()},
    }  # fmt: skip
    status = 0

    def start(line: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        nonlocal status
        status = int(line.split()[0])
        for name, value in headers:
            assert not re.search(r"[\r\n]", name + value)
            (name + value).encode("latin-1")

    pieces = app.wsgi_app(environ, start)
    answer = b"".join(pieces)
    getattr(pieces, "close", lambda: None)()
    return status, answer


@hypothesis_settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), method=st.sampled_from(METHODS), body=QUERIES)
def test_no_request_is_an_error_of_ours(
    client: FlaskClient, guarded: Flask, data: Any, method: str, body: bytes
) -> None:
    """Any bytes in any field, in the path and in the query, at all routes, with a password and without."""
    app = data.draw(st.sampled_from([client.application, guarded]))
    path, _, query = data.draw(st.sampled_from(addresses(app))).encode().partition(b"?")
    path += data.draw(st.just(b"") | SOMETHING)
    query = data.draw(st.just(query) | QUERIES | QUERIES.map(lambda more: query + b"&" + more))
    fields = data.draw(st.dictionaries(st.sampled_from(FIELDS).map("HTTP_{}".format), SOMETHING, max_size=3))
    fields |= data.draw(st.just({}) | st.fixed_dictionaries({"CONTENT_TYPE": SOMETHING}))
    fields = data.draw(st.just({}) | st.just({"HTTP_AUTHORIZATION": b"Basic OnB3"})) | fields
    target = path + b"?" + query if query else path
    assert ask(app, method, target, fields, body)[0] not in (0, 500), (method, target, fields, body)


@pytest.mark.parametrize(
    "credentials", [b"basic \xff", b"Basic \xc3\xa9", b"BASIC \x80=", b"Basic", b"Basic ====", b"\xff"]
)
def test_credentials_that_are_none_are_refused(
    client: FlaskClient, guarded: Flask, credentials: bytes
) -> None:
    fields = {"HTTP_AUTHORIZATION": credentials}
    assert ask(guarded, "GET", b"/search.json?q=archive", fields)[0] == 401
    assert ask(client.application, "GET", b"/search.json?q=archive", fields)[0] == 200


def test_bytes_that_were_not_percent_encoded_mean_what_they_are(client: FlaskClient) -> None:
    def title(target: bytes) -> str:
        return ask(client.application, "GET", target)[1].decode().partition("<title>")[2].partition("<")[0]

    for written in ("/search?q=é", "/captures/*/http://x.example/é?é"):
        assert title(written.encode()) == title(written.replace("é", "%C3%A9").encode())
    assert title("/search?q=é".encode()).startswith("é ")
