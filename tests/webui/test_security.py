"""Header sets, host check, forged requests."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from webui.security import REPLAY_HEADERS, UI_HEADERS, SecurityMiddleware, forgery_problem

OWN_PAGES = [
    "/",
    "/search?q=wombat",
    "/search?q=zzz",
    "/search.json?q=wombat",
    "/search.json?nope=1",
    "/settings",
    "/nope",
    "/cached/2015/http://site.example/a",
    "/cached/2015/http://nowhere.example/",
    "/captures/*/http://site.example/a",
    "/static/x/findingaid.css",
    "/static/x/nope",
    "/favicon.ico",
    "/robots.txt",
    "/healthz",
    "/webx",
]
REPLAYED = [
    "/web/2015mp_/http://site.example/a",
    "/web/2015id_/http://site.example/a",
    "/web/2015/http://site.example/a",
    "/web/2015im_/http://site.example/p.png",
    "/web/2015mp_/http://site.example/gone",
    "/web/nonsense",
    "/web/2015mp_/http://site.example/old",
    "/web/2015mp_/http://nowhere.example/",
    "/web/*/http://site.example/a",
    "/web/",
    "/web",
    "/web/2015mp_/http://site.example/doc.pdf",
]


@pytest.mark.parametrize("address", OWN_PAGES)
def test_every_page_of_ours_carries_the_interface_headers(client: FlaskClient, address: str) -> None:
    answer = client.get(address)
    for name, value in UI_HEADERS.items():
        assert answer.headers.getlist(name) == [value]
    assert "unsafe" not in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("address", REPLAYED)
def test_every_byte_below_web_carries_the_sandbox(client: FlaskClient, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code < 500
    for name, value in REPLAY_HEADERS.items():
        assert answer.headers.getlist(name) == [value]
    assert answer.headers["Content-Security-Policy"].startswith(
        "sandbox allow-top-navigation-by-user-activation; default-src 'none';"
    )
    assert "Cross-Origin-Resource-Policy" not in answer.headers
    assert "frame-ancestors" not in answer.headers["Content-Security-Policy"]


def test_other_methods_are_answered_with_the_headers_too(client: FlaskClient) -> None:
    assert (
        client.post("/web/2015mp_/http://site.example/a")
        .headers["Content-Security-Policy"]
        .startswith("sandbox")
    )
    assert client.delete("/search").headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("LOCALHOST", True),
        ("localhost:80", True),
        ("[::1]", True),
        ("127.0.0.1.evil.example", False),
        ("evil.example", False),
        ("localhost.", False),
        ("localhost:81", False),
        ("", False),
        ("user@localhost", False),
        ("localhost:80:80", False),
        ("localhost\tx", False),
        ("[::1", False),
    ],
)
def test_only_own_host_names_are_answered(client: FlaskClient, host: str, allowed: bool) -> None:
    environ = {"HTTP_HOST": host, "SERVER_PORT": "80", "wsgi.url_scheme": "http"}
    guard = SecurityMiddleware(client.application.wsgi_app, host="127.0.0.1")
    assert guard.allows_host(environ) is allowed


def test_a_foreign_host_name_gets_421_and_reaches_nothing(client: FlaskClient) -> None:
    answer = client.get("/", headers={"Host": "evil.example"})
    assert answer.status_code == 421
    assert b"<" not in answer.data


def test_the_address_behind_a_proxy_is_answered() -> None:
    guard = SecurityMiddleware(
        lambda environ, start: [], host="127.0.0.1", base_url="https://archive.example/"
    )
    assert guard.allows_host({"HTTP_HOST": "archive.example", "SERVER_PORT": "8080"})


def test_a_server_for_all_addresses_answers_for_numbers_not_for_names() -> None:
    guard = SecurityMiddleware(lambda environ, start: [], host="0.0.0.0")
    assert guard.allows_host({"HTTP_HOST": "192.0.2.7:8080", "SERVER_PORT": "8080"})
    assert not guard.allows_host({"HTTP_HOST": "evil.example:8080", "SERVER_PORT": "8080"})


@pytest.mark.parametrize(
    ("method", "fields", "trusted"),
    [
        ("GET", {"HTTP_SEC_FETCH_SITE": "cross-site"}, True),
        ("POST", {"HTTP_SEC_FETCH_SITE": "same-origin"}, True),
        ("POST", {"HTTP_SEC_FETCH_SITE": "none"}, True),
        ("POST", {"HTTP_SEC_FETCH_SITE": "same-site"}, False),
        ("POST", {"HTTP_SEC_FETCH_SITE": "cross-site"}, False),
        ("POST", {"HTTP_SEC_FETCH_SITE": "cross-site", "HTTP_ORIGIN": "http://localhost"}, False),
        ("POST", {"HTTP_SEC_FETCH_SITE": ""}, False),
        ("POST", {"HTTP_ORIGIN": "http://localhost"}, True),
        ("POST", {"HTTP_ORIGIN": "https://localhost"}, False),
        ("POST", {"HTTP_ORIGIN": "http://localhost:81"}, False),
        ("POST", {"HTTP_ORIGIN": "null"}, False),
        ("POST", {}, True),
        ("DELETE", {"HTTP_ORIGIN": "null"}, False),
    ],
)
def test_requests_that_change_something_must_come_from_our_own_pages(
    method: str, fields: dict[str, str], trusted: bool
) -> None:
    environ = {"REQUEST_METHOD": method, "HTTP_HOST": "localhost", "wsgi.url_scheme": "http", **fields}
    assert (forgery_problem(environ) == "") is trusted
