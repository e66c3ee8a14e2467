"""Addresses are asked for as they are written, and compared by their canonical spelling without session ids."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archiver.crawl.addresses import _AS_IT_IS, compared, spell
from archiver.warc.urls import asked_url, canonical_url

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
def test_session_ids_do_not_count(url: str, expected: str) -> None:
    assert spell(url, BASE) == f"http://a.example{url}"
    assert compared(spell(url, BASE)) == expected


@pytest.mark.parametrize(
    "written", ["/%61?b=%3d", "/x?", "/a%2fb%2Fc", "/~u/%7eu", "/a|b[c]", "/100%", "/x//y", "/x;"]
)
def test_addresses_stay_as_they_are_written(written: str) -> None:
    assert spell(written, BASE) == f"http://a.example{written}"
    assert spell(f"http://a.example{written}") == f"http://a.example{written}"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/%61", "/a"),
        ("/a%2fb", "/a%2Fb"),
        ("/x?", "/x"),
        ("/~u", "/%7Eu"),
        ("/a|b", "/a%7cb"),
        ("/100%", "/100%25"),
    ],
)
def test_spellings_of_one_page_are_compared_as_one(one: str, other: str) -> None:
    assert compared(spell(one, BASE)) == compared(spell(other, BASE))


@pytest.mark.parametrize(
    ("one", "other"), [("/a%2Fb", "/a/b"), ("/a%3Fb", "/a?b"), ("/x//y", "/x/y"), ("/A", "/a")]
)
def test_different_pages_stay_different(one: str, other: str) -> None:
    assert compared(spell(one, BASE)) != compared(spell(other, BASE))


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
        "\\",
        "\n",
        "%2e",
        "page.html",
    ]
)
BASES = [
    None,
    BASE,
    "https://a.example:8080/",
    "http://a.example",
    "http://a.example?q=/",
    "http://a.example/d/?q=/x/y",
]


@given(st.lists(PARTS, max_size=9).map("".join), st.sampled_from(BASES))
@settings(max_examples=1000)
def test_the_fast_way_gives_what_the_slow_one_gives(url: str, base: str | None) -> None:
    try:
        expected = asked_url(url, base)
    except ValueError:
        expected = ""
    try:
        found = spell(url, base)
    except ValueError:
        found = ""
    assert found == expected
    if found:
        assert spell(found) == found
        assert compared(found) == canonical_url(url, base)


def test_the_fast_way_is_taken() -> None:
    assert _AS_IT_IS.fullmatch("http://www.a.example:8080/dir/page.html?a=1&b=2")
