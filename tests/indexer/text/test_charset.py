"""Bytes of a page -> text: who is believed when header, mark, meta element and bytes contradict each other."""

from __future__ import annotations

import encodings.aliases

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.text.charset import decode_html

RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю. "


@pytest.mark.parametrize(
    "body, content_type, text",
    [
        # the byte order mark beats the header
        ("\ufeffcafé".encode(), "text/html; charset=windows-1252", "café"),
        ("\ufeffcafé".encode("utf-16-le"), "text/html; charset=utf-8", "café"),
        ("\ufeffcafé".encode("utf-16-be"), "text/html", "café"),
        # the header beats the meta element
        (
            "<meta charset=windows-1251>Чай".encode(),
            "text/html; charset=utf-8",
            "<meta charset=windows-1251>Чай",
        ),
        ("Чай".encode("cp1251"), 'text/html;charset="windows-1251"', "Чай"),
        # an unknown name in the header counts as none
        (
            "<meta charset=windows-1251>Чай".encode("cp1251"),
            "text/html; charset=nonsense",
            "<meta charset=windows-1251>Чай",
        ),
        (
            "<META http-equiv=content-type content='text/html; charset=koi8-r'>Чай".encode("koi8-r"),
            "",
            "<META http-equiv=content-type content='text/html; charset=koi8-r'>Чай",
        ),
        (
            "<?xml version='1.0' encoding='iso-8859-2'?>Łódź".encode("iso-8859-2"),
            "",
            "<?xml version='1.0' encoding='iso-8859-2'?>Łódź",
        ),
        # a meta element in a comment is none; utf-16 in one that can be read means utf-8
        (
            "<!-- <meta charset=koi8-r> --><meta charset=utf-8>Чай".encode(),
            "",
            "<!-- <meta charset=koi8-r> --><meta charset=utf-8>Чай",
        ),
        ("<meta charset=utf-16>café".encode(), "", "<meta charset=utf-16>café"),
        # what browsers read under a narrower name
        (b"\x93quoted\x94", "text/html; charset=ISO-8859-1", "\u201cquoted\u201d"),
        (b"\x93quoted\x94", "text/html; charset=us-ascii", "\u201cquoted\u201d"),
        ("①".encode("cp932"), "text/html; charset=Shift_JIS", "①"),
        ("\u3400".encode("gb18030"), "text/html; charset=gb2312", "\u3400"),
        # nothing is said
        ("café".encode(), "", "café"),
        ((RUSSIAN * 20).encode("cp1251"), "", RUSSIAN * 20),
        # a page cut in the middle of its last character is still UTF-8
        ("Чай".encode()[:-1], "", "Ча\ufffd"),
        # bytes that are wrong in what is declared
        (b"caf\xe9", "text/html; charset=utf-8", "caf\ufffd"),
        # names of Python's own that no browser reads
        (b"caf\\u00e9", "text/html; charset=unicode_escape", "caf\\u00e9"),
        (b"a+AOk-", "text/html; charset=utf-7", "a+AOk-"),
        (b"", "", ""),
    ],
)
def test_the_ladder(body: bytes, content_type: str, text: str) -> None:
    assert decode_html(body, content_type)[0] == text


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "iso2022_jp", "utf-8"])
def test_nothing_is_declared_and_the_bytes_tell(codec: str) -> None:
    page = "<html><title>Plain page</title><p>These words stand in a page of ASCII text.</p>"
    if codec == "iso2022_jp":
        page += "図書館の資料"
    assert decode_html(page.encode(codec)) == (page, codec)


@pytest.mark.parametrize("codec", ["utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(
    "content_type", ["text/html", "text/html; charset=utf-32", "text/html; charset=utf-16"]
)
def test_utf_32_is_read_though_no_browser_does(codec: str, mark: str, content_type: str) -> None:
    assert decode_html((mark + "<p>žluť</p>").encode(codec), content_type) == ("<p>žluť</p>", codec)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_read_in_the_order_that_its_bytes_have(codec: str) -> None:
    body = "<html><body><p>ascii markup</p>žluť</body></html>".encode(codec)
    assert decode_html(body, "text/html; charset=utf-16")[0].endswith("žluť</body></html>")


def test_utf_16_is_not_believed_where_no_byte_is_zero() -> None:
    page = "<title>Café</title><p>words"
    assert decode_html(page.encode(), "text/html; charset=utf-16")[0] == page
    assert decode_html(page.encode("utf-16-le"), "text/html; charset=utf-16le")[0] == page
    assert decode_html("図書館".encode("utf-16-le"), "text/html; charset=utf-16le")[0] == "図書館"


def test_zero_bytes_and_escapes_alone_change_nothing() -> None:
    for page in ("a\0b <p>\0" * 9, "<p>\x1b$B", "<pre>\x1b[1mbold\x1b(B", "\0" * 500):
        assert decode_html(page.encode()) == (page, "utf-8")


def test_a_label_of_any_kind_raises_nothing() -> None:
    labels = {
        *encodings.aliases.aliases,
        *encodings.aliases.aliases.values(),
        "x-user-defined",
        "x-sjis",
        "a\0b",
        "é",
        "iso-8859-8-i",
    }
    for label in sorted(labels):
        text, codec = decode_html(b"plain \xff\xe9 text", f"text/html; charset={label}")
        assert isinstance(text, str) and codec


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.text(max_size=30))
def test_any_bytes_under_any_header_raise_nothing(body: bytes, content_type: str) -> None:
    decode_html(body, content_type)
    decode_html(b"<meta charset='" + body[:20] + b"'>" + body, "")
