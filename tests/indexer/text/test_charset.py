"""Bytes of a page -> text: who is believed when header, mark, meta element and bytes contradict each other."""

from __future__ import annotations

import encodings.aliases

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.core.charset import is_utf_8
from indexer.text import charset
from indexer.text.charset import decode_html, html_in_utf8, prescan
from tests.indexer.text.plain_prescan import declared_by_meta

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


@pytest.mark.parametrize("charset", ["utf-16le", "utf-16be", "iso-2022-jp", "utf-8"])
def test_nothing_is_declared_and_the_bytes_tell(charset: str) -> None:
    page = "<html><title>Plain page</title><p>These words stand in a page of ASCII text.</p>"
    if charset == "iso-2022-jp":
        page += "図書館の資料"
    assert decode_html(page.encode(charset)) == (page, charset)


@pytest.mark.parametrize("charset", ["utf-32le", "utf-32be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(
    "content_type", ["text/html", "text/html; charset=utf-32", "text/html; charset=utf-16"]
)
def test_utf_32_is_read_though_no_browser_does(charset: str, mark: str, content_type: str) -> None:
    assert decode_html((mark + "<p>žluť</p>").encode(charset), content_type) == ("<p>žluť</p>", charset)


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


META = b"<meta http-equiv=content-type content='text/html; charset=koi8-r'>"


@pytest.mark.parametrize(
    ("start", "charset"),
    [
        (b"", None),
        (b"<meta charset=koi8-r>", "koi8-r"),
        (b"<META/CHARSET = 'KOI8-R' >", "koi8-r"),
        (b'<meta\ncharset="koi8-r"', None),  # the tag has no end
        (b'<meta charset="koi8-r>', None),  # nor has the value
        (META, "koi8-r"),
        (b"<meta content='text/html; charset=koi8-r' http-equiv='Content-Type'>", "koi8-r"),
        # what says charset= and declares nothing
        (b"<meta content='text/html; charset=koi8-r'>", None),
        (b"<meta name=description content='how to write charset=koi8-r'>", None),
        (b"<meta http-equiv=refresh content='text/html; charset=koi8-r'>", None),
        (b"<meta http-equiv=' content-type ' content='charset=koi8-r'>", None),
        (b"<meta data-charset=koi8-r>", None),
        (b"<meta name='charset=koi8-r'>", None),
        (b"<metadata charset=koi8-r>", None),
        (b"<p data-x='<meta charset=koi8-r>'>", None),
        (b'<p title="<meta charset=koi8-r>"><meta charset=gbk>', "gbk"),
        (b"<a href=x<meta charset=koi8-r>", None),
        (b"<title>charset=koi8-r</title>", None),
        # comments and other markup that is passed over
        (b"<!-- <meta charset=koi8-r> --><meta charset=gbk>", "gbk"),
        (b"<!--><meta charset=koi8-r>", "koi8-r"),
        (b"<!---><meta charset=koi8-r>", "koi8-r"),
        (b"<!-- > <meta charset=koi8-r>", None),
        (b"<!DOCTYPE html '<meta charset=koi8-r>'><meta charset=gbk>", "gbk"),
        (b"<?php <meta charset=koi8-r> <meta charset=gbk>", "gbk"),
        (b"</ <meta charset=koi8-r>", None),
        (b"</p title='<meta charset=koi8-r>'><meta charset=gbk>", "gbk"),
        (b"< meta charset=koi8-r>", None),
        # the first that browsers know
        (b"<meta charset=bogus><meta charset=gbk>", "gbk"),
        (b"<meta charset=koi8-r><meta charset=gbk>", "koi8-r"),
        (b"<meta charset=koi8-r charset=gbk>", "koi8-r"),
        (b"<meta charset=bogus http-equiv=content-type content='charset=koi8-r'>", None),
        (b"<meta http-equiv=content-type content='charset=koi8-r' charset=gbk>", "gbk"),
        (b"<meta http-equiv=content-type content='charset=koi8-r' charset=bogus>", None),
        (b"<meta http-equiv=content-type content='charset=bogus' content='charset=koi8-r'>", None),
        (b"<meta http-equiv=x http-equiv=content-type content='charset=koi8-r'>", None),
        # how the charset stands in content
        (b"<meta http-equiv=content-type content='charset:gbk charset = koi8-r;x'>", "koi8-r"),
        (b"<meta http-equiv=content-type content='charset=&quot;koi8-r&quot;'>", None),
        (b"<meta http-equiv=content-type content='charset=\"koi8-r\"gbk'>", "koi8-r"),
        (b"<meta http-equiv=content-type content='charset=\"koi8-r'>", None),
        (b"<meta http-equiv=content-type content='xcharset=koi8-r'>", "koi8-r"),
        (b"<meta http-equiv=content-type content=text/html;charset=koi8-r>", "koi8-r"),
        (b"<meta http-equiv=content-type content=charset= >", None),
        # what cannot be, since the element was read
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=UTF-16BE>", "utf-8"),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b"<meta charset=utf-32><meta charset=gbk>", "gbk"),
        # the XML declaration comes last, and must be the first thing of all
        (b"<?xml version='1.0' encoding='koi8-r'?>", "koi8-r"),
        (b"<?xml version='1.0' encoding=\"utf-16\"?>", "utf-8"),
        (b"<?xml encoding='koi8-r'?><meta charset=gbk>", "gbk"),
        (b"<?xml encoding='koi8-r'?><meta charset=bogus>", "koi8-r"),
        (b" <?xml encoding='koi8-r'?>", None),
        (b"<?XML encoding='koi8-r'?>", None),
        (b"<?xml version='1.0'?><p encoding='koi8-r'>", None),
        (b"<?xml encoding=koi8-r?>", None),
        (b"<?xml encoding=' koi8-r'?>", None),
        (b"<?xml encoding='koi8-r'", None),
        ("<?xml encoding='koi8-r'?>".encode("utf-16-le"), "utf-16le"),
        ("<?xml encoding='koi8-r'?>".encode("utf-16-be"), "utf-16be"),
    ],
)
def test_the_prescan(start: bytes, charset: str | None) -> None:
    assert prescan(start) == charset


@pytest.mark.parametrize(("before", "charset"), [(8192 - len(META), "koi8-r"), (8193 - len(META), "utf-8")])
def test_a_meta_element_is_looked_for_in_the_first_8192_bytes(before: int, charset: str) -> None:
    assert decode_html(b" " * before + META)[1] == charset


def test_a_scan_of_hostile_markup_is_one_pass() -> None:
    for piece in (
        b"<meta ",
        b"<meta charset='",
        b"<a b=",
        b"<!--",
        b"<",
        b"<meta http-equiv=content-type content=charset=",
    ):
        assert prescan(piece * 100_000) is None


PIECES = (
    b"< > <!-- --> -- - <meta <META charset= utf-8 latin1 \" ' = / <p <a href= </ <! <?xml encoding= <b> \x00 & x "
    b"http-equiv=content-type content='text/html;charset=koi8-r' content=charset=gbk charset=bogus <meta/ charset "
    b"</p <meta\t <div class='a'> <i x=\"y\"> <!--x--> <br/>"
).split(b" ")


# the edges of each length, surrogates, and what would be another spelling of a shorter one
UTF_8_PIECES = [
    *(chr(code).encode("utf-8", "surrogatepass") for code in (0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDFFF)),
    *(chr(code).encode() for code in (0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF)),
    b"\xc0\x80", b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xff",
    b"\x80", b"\xe2\x82", b"\xf0\x9f\x90", b"abcdefg", b"abcdefgh", b"x" * 15,
]  # fmt: skip


@settings(max_examples=500)
@given(
    st.lists(st.sampled_from([*PIECES, b" ", b"\n"]), max_size=20),
    st.sampled_from([b"", META, b" " + META, b">" + META]),
)
def test_the_prescan_is_that_of_the_standard_step_by_step(pieces: list[bytes], end: bytes) -> None:
    start = b"".join(pieces) + end
    assert prescan(start) == (declared_by_meta(start) or charset._declared_as_xml(start))


@settings(max_examples=1000)
@given(st.lists(st.sampled_from(UTF_8_PIECES), max_size=8).map(b"".join), st.integers(0, 9))
def test_utf_8_is_what_python_decodes(data: bytes, start: int) -> None:
    data = data[start:]
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        assert not is_utf_8(data)
    else:
        assert is_utf_8(data)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"<p>plain", ""),
        ("<p>café".encode(), "text/html; charset=utf-8"),
        ("\ufeff<p>café".encode(), ""),
        (b"<p>caf\xe9", "text/html; charset=utf-8"),
        (b"<p>caf\xe9", "text/html; charset=iso-8859-1"),
        (b"<p>cafe", "text/html; charset=iso-8859-1"),
        (b"<p>\xed\xa0\x80", "text/html; charset=utf-8"),
        ("<p>日本".encode("shift_jis"), "text/html; charset=shift_jis"),
        (b"\x1b$B4A\x1b(B", "text/html; charset=iso-2022-jp"),
        ("<p>a".encode("utf-16-le"), "text/html; charset=utf-16le"),
        (b"", ""),
    ],
)
def test_a_page_in_utf_8_says_what_its_text_says(body: bytes, content_type: str) -> None:
    text, name = decode_html(body, content_type)
    assert html_in_utf8(body, content_type) == (text.encode(), name)
