"""One spelling for each URL."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archiver.warc import base_of, canonical_url, capture_key, in_charset, resolve, surt_key, urlkey
from archiver.warc.urls import _urlkey_of_bytes, asked_url, player_key

A = "http://a.example"


@pytest.mark.parametrize(
    "spellings",
    [
        [
            A,
            A + "/",
            "HTTP://A.EXAMPLE:80/",
            A + "/#top",
            A + ":/",
            " " + A + "\n",
            "http://a.example./",
            A + "/?",
        ],
        [A + "/a/b", A + "/a/./x/../b", A + "/a/b#frag", A + "/a/%62", A + "/../a/b", A + "\\a\\b"],
        ["https://a.example/x", "https://a.example:443/x", "https://a.example:0443/x"],
        [A + "/~user", A + "/%7Euser", A + "/%7euser"],
        [A + "/%C3%A9", A + "/%c3%a9", A + "/é"],
        [A + "/a%20b", A + "/a b"],
        [A + "/?q=%C3%A9&b", A + "/?q=é&b"],
        [A + "/%25", A + "/%"],
        ["http://xn--bcher-kva.example/", "http://bücher.example/", "http://B%C3%BCcher.example/"],
        ["http://[::1]/", "http://[0:0:0:0:0:0:0:1]:80/"],
    ],
)
def test_spellings_of_one_address(spellings: list[str]) -> None:
    assert len({canonical_url(url) for url in spellings}) == 1
    assert len({surt_key(url) for url in spellings}) == 1


PAGE = "http://a.example/x/y"


@pytest.mark.parametrize(
    ("link", "base", "meant"),
    [
        # before a host it does not matter how many slashes there are, and which
        *[
            (f"{scheme}{slashes}b.example/z", None, f"{scheme.lower()}//b.example/z")
            for scheme in ("http:", "https:", "HTTP:")
            for slashes in ("", "/", "//", "///", "////", "\\", "\\\\", "/\\", "\\/", "\\\\\\/")
        ],
        ("http:///b.example/z", PAGE, "http://b.example/z"),
        ("http:/\\b.example/z", PAGE, "http://b.example/z"),
        ("https:b.example/z", PAGE, "https://b.example/z"),
        ("https:/b.example/z", PAGE, "https://b.example/z"),
        ("http:z", PAGE, "http://a.example/x/z"),
        ("http:/z", PAGE, "http://a.example/z"),
        ("http:\\z", PAGE, "http://a.example/z"),
        ("http:", PAGE, PAGE),
        ("http:?q", PAGE, "http://a.example/x/y?q"),
        ("//b.example/z", PAGE, "http://b.example/z"),
        ("///b.example/z", PAGE, "http://b.example/z"),
        ("//////b.example/z", "https://a.example/", "https://b.example/z"),
        ("\\\\b.example\\z", PAGE, "http://b.example/z"),
        ("/\\b.example/z", PAGE, "http://b.example/z"),
        # backslashes in paths, not behind "?" and "#"
        ("z\\w", PAGE, "http://a.example/x/z/w"),
        ("..\\z", PAGE, "http://a.example/z"),
        ("z?a\\b", PAGE, "http://a.example/x/z?a\\b"),
        ("http://a.example\\z#a\\b", None, "http://a.example/z#a\\b"),
        # line breaks and tabs anywhere, blanks and controls around
        ("ht\ntp:/\t/b.exam\r\nple/z", None, "http://b.example/z"),
        (" \x00\x1f\n/z\n\x1f ", PAGE, "http://a.example/z"),
        ("h\tttp:z", PAGE, "http://a.example/x/z"),
        ("/\n/b.example/z", PAGE, "http://b.example/z"),
        # other schemes stay as they are
        ("mailto:a\\b@a.example", PAGE, "mailto:a\\b@a.example"),
        ("dns:a.example", None, "dns:a.example"),
        ("z", None, "z"),
    ],
)
def test_links_are_resolved_as_the_url_standard_says(link: str, base: str | None, meant: str) -> None:
    assert resolve(link, base) == meant
    if meant.startswith("http"):
        assert resolve(meant, base) == meant
        assert canonical_url(link, base) == canonical_url(meant)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/A", "/a"),
        ("/a", "/a/"),
        ("/x?a=1&b=2", "/x?a=1"),
        ("/x?a=1&b=2", "/x?b=2&a=1"),
        ("/x?a=A", "/x?a=a"),
        (":8080/", "/"),
        ("/a%2Fb", "/a/b"),
        ("/a%3Fb", "/a?b"),
        ("/a%23b", "/a"),
        ("/a+b", "/a%20b"),
    ],
)
def test_addresses_that_differ(one: str, other: str) -> None:
    assert canonical_url(A + one) != canonical_url(A + other)
    assert surt_key(A + one) != surt_key(A + other)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:void(0)",
        "mailto:a@a.example",
        "http://",
        "http:///",
        "https:////?x",
        "http://[bad",
        "http://[::zz]/",
        "http://a.example:99999/",
        "http://a.example:8x/",
        "http://a b.example/",
        "http://./",
        "",
        "about:blank",
        "/relative",
        "dns:a.example",
        "http://" + "a" * 300 + ".example/",
    ],
)
def test_what_is_no_page_is_turned_away_and_still_has_a_key(url: str) -> None:
    with pytest.raises(ValueError):
        canonical_url(url)
    assert capture_key(f" {url}\r\n") == url


@pytest.mark.parametrize(
    ("link", "url"),
    [
        ("c?d", "http://a.example/x/c?d"),
        ("../c", "http://a.example/c"),
        ("//b.example/c", "http://b.example/c"),
        ("?q", "http://a.example/x/y?q"),
        ("", "http://a.example/x/y?z"),
        ("#top", "http://a.example/x/y?z"),
        ("\n https://b.example/c \t", "https://b.example/c"),
        ("/\\b.example/c", "http://b.example/c"),
        ("c//d", "http://a.example/x/c//d"),
        ("c;", "http://a.example/x/c;"),
        ("http:c", "http://a.example/x/c"),
        ("a:b", None),
    ],
)
def test_links_are_relative_to_their_page(link: str, url: str | None) -> None:
    base = "http://a.example/x/y?z"
    if url is None:
        with pytest.raises(ValueError):
            canonical_url(link, base)
    else:
        assert canonical_url(link, base) == url


@pytest.mark.parametrize(
    ("link", "asked"),
    [
        ("/%61%3d?%3D", "http://a.example/%61%3d?%3D"),
        ("c?", "http://a.example/x/c?"),
        ("?", "http://a.example/x/y?"),
        ("./%2e%2E/c", "http://a.example/c"),
        ("/a|b[c]^", "http://a.example/a|b[c]%5E"),
        (
            '/caf\xe9 "<>`{}?\'"<> \xe9|`{}',
            "http://a.example/caf%C3%A9%20%22%3C%3E%60%7B%7D?'%22%3C%3E%20%C3%A9|`{}",
        ),
        ("/100%", "http://a.example/100%"),
        ("HTTP://A.Example:80", "http://a.example/"),
        ("/a\\b?c\\d", "http://a.example/a/b?c\\d"),
    ],
)
def test_a_browser_asks_for_what_was_written(link: str, asked: str) -> None:
    assert asked_url(link, "http://a.example/x/y?z") == asked


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.Example.com/Path?q", "com,example,www)/Path?q"),
        ("https://www.example.com:8443", "com,example,www:8443)/"),
        ("http://user:secret@example.com/", "com,example)/"),
        ("http://192.0.2.7/a", "192.0.2.7)/a"),
        ("http://[2001:db8::1]:8080/a", "[2001:db8::1]:8080)/a"),
    ],
)
def test_sort_keys(url: str, key: str) -> None:
    assert surt_key(url) == key


addresses = st.one_of(
    st.text(),
    st.text(alphabet="http:/%2fF.@[]?#ab é\\\x00\n;:&=+").map(lambda rest: "http://" + rest),
    st.tuples(st.sampled_from(["http://a.example/", "https://[::1]:8/", "http://ü.example?"]), st.text()).map(
        "".join
    ),
)


@settings(max_examples=500, deadline=None)
@given(url=addresses, base=st.none() | addresses)
def test_the_key_of_a_key_is_itself(url: str, base: str | None) -> None:
    try:
        canonical = canonical_url(url, base)
    except ValueError:
        canonical = None
    try:
        asked = asked_url(url, base)
    except ValueError:
        asked = None
    assert (asked is None) == (canonical is None)
    if asked is not None:
        assert canonical_url(asked) == canonical
        assert asked_url(asked) == asked
    if canonical is not None:
        assert canonical_url(canonical) == canonical
        assert canonical.isascii() and not any(byte <= " " for byte in canonical)
        surt_key(canonical)
    key = capture_key(url)
    assert capture_key(key) == key


# ---------------------------------------------------------------- the key of web-archive tools

SURT_KEYS = Path(__file__).with_name("surt_keys.jsonl")
"""Addresses by hand and 1,200 generated ones, each with its key as the package surt 0.3.1 gives it (and pywb takes)."""


def test_the_key_is_that_of_the_other_tools() -> None:
    wrong = [
        (url, key, urlkey(url))
        for url, key in map(json.loads, SURT_KEYS.read_text().splitlines())
        if urlkey(url) != key
    ]
    assert not wrong


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://example.org/a", "https://WWW.Example.org:443/A/#top"),
        ("http://example.org/?a=1&b=2", "http://www3.example.org?b=2&a=1"),
        ("http://example.org/a%2cb", "http://example.org/a,b"),
        ("http://example.org/x/http://b/", "http://example.org/x//http:/b"),
        ("http://example.org/a?", "http://example.org/a"),
        ("http://192.0.2.7/", "http://3221225991/"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
    ],
)
def test_spellings_that_other_tools_take_for_one_have_one_key(one: str, other: str) -> None:
    assert urlkey(one) == urlkey(other)


@pytest.mark.parametrize(
    "url", ["http://a.example:x/", "http://a.example:65536/", "filedesc://a b", "urn:é \x00"]
)
def test_what_other_tools_cannot_read_is_its_own_key(url: str) -> None:
    assert urlkey(url).startswith(url[:4])


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.Example.org/A%2Cb.PNG", "org,example)/a%2cb.png"),
        ("https://example.org:443/a/?b=2&a=%5B1%5D#x", "org,example)/a/?a=%5b1%5d&b=2"),
        ("http://example.org:8080//a//b/", "org,example:8080)//a//b/"),
        ("http://user@example.org/a b{c}é?d 'e", "org,example)/a%20b%7Bc%7D%C3%A9?d%20%27e"),
        ("http://example.org?", "org,example)/"),
        ("http://[::1]/", "[::1])/"),
        ("http://192.0.2.7/", "7,2,0,192)/"),
        ("urn:pageinfo:http://www.Example.org/A/", "urn:pageinfo:http://www.Example.org/A/"),
    ],
)
def test_the_key_of_replayweb_page(url: str, key: str) -> None:
    assert player_key(url) == key


@settings(max_examples=500, deadline=None)
@given(addresses)
def test_a_key_is_one_ascii_word_whatever_the_address(url: str) -> None:
    for key in (urlkey(url), player_key(url)):
        assert key.isascii() and key.isprintable() and " " not in key


@settings(max_examples=300, deadline=None)
@given(
    st.from_regex(
        r"https?://(www[0-9]?\.)?[a-z0-9.]{1,8}\.(org|c)(/[aB0._-]{0,3}){0,3}(\?[aB&=]{0,6})?", fullmatch=True
    )
)
def test_plain_addresses_have_the_key_that_the_long_way_gives(url: str) -> None:
    assert urlkey(url) == _urlkey_of_bytes(url.encode())


@pytest.mark.parametrize(
    "url",
    [
        "http://a/" + "%25" * 100_000,
        "http://a/%" + "25" * 100_000,
        "http://a/?" + "cfid=" * 100_000 + "&cftoken=",
        "http://a/" + f"({'a' * 24})/%3f.aspx/" * 10_000,
        "http://" + "é." * 100_000,
        "http://" + "1" * 300_000,
        "http://a?" + "&" * 300_000,
    ],
)
def test_long_hostile_addresses_have_a_key(url: str) -> None:
    """Each of them takes minutes with code whose time grows with the square of the length."""
    assert urlkey(url).isascii()


@pytest.mark.parametrize(
    ("link", "charset", "expected"),
    [
        ("/s?q=é", "windows-1252", "/s?q=%E9"),
        ("/s?q=é", "utf-8", "/s?q=é"),
        ("/é?q=é#é", "windows-1252", "/é?q=%E9#é"),
        ("/é#?é", "windows-1252", "/é#?é"),
        ("?a=я&b=語'\"<> x", "windows-1251", "?a=%FF&b=%26%2335486%3B%27%22%3C%3E%20x"),
        (" HTTP://b.example/?é\n", "koi8-r", "HTTP://b.example/?%26%23233%3B"),
        ("https://b.example?é=%E9%", "windows-1252", "https://b.example?%E9=%E9%"),
        ("?\té", "windows-1252", "?%E9"),
        ("?表", "shift_jis", "?%95\\"),
        ("?語", "iso-2022-jp", "?%1B$B8l%1B(B"),
        ("?é", "utf-16le", "?%C3%A9"),
        ("mailto:a@b?subject=é", "windows-1252", "mailto:a@b?subject=é"),
        ("/é", "windows-1252", "/é"),
        ("", "windows-1252", ""),
    ],
)
def test_a_query_goes_in_the_charset_of_its_page_and_all_else_in_utf_8(
    link: str, charset: str, expected: str
) -> None:
    assert in_charset(link, charset) == expected


@pytest.mark.parametrize(
    ("href", "base"),
    [
        (None, "http://a.example/x/y"),
        ("", "http://a.example/x/y"),
        ("/z/", "http://a.example/z/"),
        ("?é", "http://a.example/x/y?%E9"),
        ("mailto:nobody", "http://a.example/x/y"),
        ("http://[", "http://a.example/x/y"),
    ],
)
def test_the_base_of_a_page(href: str | None, base: str) -> None:
    assert base_of("http://a.example/x/y", href, "windows-1252") == base
