"""One spelling for each address, without session ids."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archiver.crawl.addresses import _CANONICAL, spell
from archiver.warc.urls import canonical_url

BASE = "http://a.example/dir/page.html?q=1"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/x;jsessionid=ABC123?a=1", "http://a.example/x?a=1"),
        ("/x?PHPSESSID=abc&a=1", "http://a.example/x?a=1"),
        ("/x?sid=0123456789abcdef", "http://a.example/x"),
        ("/x?sid=7", "http://a.example/x?sid=7"),
        ("/x?sidebar=1&session=2", "http://a.example/x?sidebar=1&session=2"),
    ],
)
def test_session_ids_are_left_out(url: str, expected: str) -> None:
    assert spell(url, BASE) == expected


@pytest.mark.parametrize(
    "url", ["javascript:x()", "mailto:a@b", "http://", "http://[bad", "http://a:99999/", ""]
)
def test_what_is_no_page_is_refused(url: str) -> None:
    with pytest.raises(ValueError):
        spell(url)


PARTS = st.sampled_from(
    [
        "http://",
        "https://",
        "a.example",
        "B.example",
        "a",
        "/",
        "//",
        ".",
        "..",
        "/./",
        "x",
        "%41",
        "?",
        "#",
        "&a=1",
        ":80",
        ":443",
        ":8080",
        ":0",
        ";",
        "@",
        "é",
        " ",
        "1",
        "-",
        ":",
    ]
)


@given(st.lists(PARTS, max_size=9).map("".join), st.sampled_from([None, BASE, "https://a.example:8080/"]))
def test_the_fast_way_gives_what_canonical_url_gives(url: str, base: str | None) -> None:
    try:
        expected = canonical_url(url, base)
    except ValueError:
        expected = ""
    try:
        found = spell(url, base)
    except ValueError:
        found = ""
    assert found == expected
    if found:
        assert spell(found) == found


def test_the_fast_way_is_taken() -> None:
    assert _CANONICAL.fullmatch("http://www.a.example:8080/dir/page.html?a=1&b=2")
