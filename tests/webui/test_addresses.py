"""Addresses of archived pages: written and read back without loss."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webui.addresses import (
    DatedTarget,
    Extras,
    archived_url,
    cached_address,
    parse_dated,
    parse_replay,
    quote_url,
    raw_target,
    replay_address,
)
from webui.errors import BadAddressError


def test_an_address_says_time_kind_and_url() -> None:
    target = parse_replay("20150503140211im_/http://h.example/a%2Fb?x=1&y=http://z/")
    assert (target.timestamp, target.modifier) == ("20150503140211", "im_")
    assert target.url == "http://h.example/a%2Fb?x=1&y=http://z/"


def test_an_address_without_a_modifier_means_the_page_with_the_bar() -> None:
    assert parse_replay("2015/http://h.example/").modifier == ""


def test_a_star_asks_for_all_captures() -> None:
    assert parse_replay("*/http://h.example/").timestamp == "*"
    assert parse_dated("*/h.example/x") == DatedTarget("*", "http://h.example/x")
    assert parse_dated("%2A/http%3A%2F%2Fh.example%2Fx") == DatedTarget("*", "http://h.example/x")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http:/h.example/a", "http://h.example/a"),
        ("https:/h.example/a", "https://h.example/a"),
        ("h.example/a", "http://h.example/a"),
        ("h.example:8080/a", "http://h.example:8080/a"),
        ("http://h.example/a#part", "http://h.example/a"),
        ("urn:uuid:1234", "urn:uuid:1234"),
        ("metadata://h.example/log", "metadata://h.example/log"),
    ],
)
def test_what_people_and_proxies_change_is_mended(written: str, meant: str) -> None:
    assert archived_url(written) == meant


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "x",
        "2015",
        "2015mp_",
        "2015mp_/",
        "2015zz_/http://h/",
        "123456789012345/http://h/",
        "2015mp_/..",
        "2015mp_//",
        "2015mp_/http://",
        "2015mp_/" + "x" * 9000,
        "..%2f..%2fetc/passwd",
        "-1/http://h/",
    ],
)
def test_what_is_no_address_is_refused(rest: str) -> None:
    with pytest.raises(BadAddressError):
        parse_replay(rest)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60))
def test_a_written_address_is_read_back(tail: str) -> None:
    url = "http://h.example/" + tail.strip().partition("#")[0].strip()
    address = replay_address(url, "20150503140211")
    assert address.isascii() and not set('"<> \n\r') & set(address)
    assert parse_replay(address.removeprefix("/web/")).url == quote_url(url)


def test_the_request_target_is_taken_as_it_was_sent() -> None:
    environ = {
        "REQUEST_URI": "/web/2015mp_/http://h/a%2Fb%3F?c=%26",
        "PATH_INFO": "/web/2015mp_/http://h/a/b?",
    }
    assert raw_target(environ, "/web/") == "2015mp_/http://h/a%2Fb%3F?c=%26"


def test_a_server_without_request_uri_is_served_from_path_and_query() -> None:
    environ = {"PATH_INFO": "/web/2015mp_/http://h/a b", "QUERY_STRING": "c=1"}
    assert raw_target(environ, "/web/") == "2015mp_/http://h/a%20b?c=1"


@given(st.text(max_size=40), st.text(max_size=20))
def test_what_an_address_says_beside_time_and_url_comes_back(query: str, digest: str) -> None:
    address = cached_address(
        "http://h.example/a;q=b?c", "2015", query=query, digest=f"sha1:{digest}", view="text"
    )
    target = parse_dated(address.removeprefix("/cached/"))
    assert target.url == "http://h.example/a;q=b?c"
    expected = query.replace("\x00", " ").strip().encode("utf-8", "replace").decode()
    assert (target.extras.query, target.extras.view) == (expected, "text")
    assert set(target.extras.digest) <= set(digest)


def test_unknown_extras_are_passed_over() -> None:
    target = parse_replay("2015mp_;x=1;q=two%20words;d=ABC/http://h.example/;q=no/x")
    assert target.extras == Extras("two words", "ABC", "")
    assert target.url == "http://h.example/;q=no/x"
