"""What a body is, from what was declared and how it begins."""

from __future__ import annotations

import pytest

from archiver.warc import HTML_TYPES, Headers, computed_type, may_be_page
from archiver.warc.sniffing import START_BYTES

HTML = b"<!DOCTYPE html><p>text"
XHTML = b"<?xml version='1.0'?>\n<html xmlns='http://www.w3.org/1999/xhtml' lang='en'><body/></html>"
PNG = b"\x89PNG\r\n\x1a\n...."


def of(start: bytes, *types: str, nosniff: str = "") -> str:
    fields = [("Content-Type", value) for value in types]
    return computed_type(Headers(fields + ([("X-Content-Type-Options", nosniff)] if nosniff else [])), start)


@pytest.mark.parametrize(
    "types",
    [
        [],
        [""],
        ["*/*"],
        ["html"],
        ["text/"],
        [";charset=utf-8"],
        ["unknown/unknown"],
        ["application/unknown"],
        ["*/*", ""],
    ],
)
@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (HTML, "text/html"),
        (b" \t\r\n\x0c<HTML>", "text/html"),
        (b"<html\nlang=en>", "text/html"),
        (b"<!--x--><html>", "text/html"),
        (b"<h1>x", "text/html"),
        (b"<p class=x>", "text/html"),
        (b"<a href=x>", "text/html"),
        (b"<b>\x00\x01", "text/html"),
        (b"<br/>", "text/html"),
        (b"<ul><li>x", "text/plain"),
        (b"<htmlx>", "text/plain"),
        (b"<abbr>x", "text/plain"),
        (b"<html", "text/plain"),
        (b"\xef\xbb\xbf<html>", "text/plain"),
        (b"text <html>", "text/plain"),
        (b"", "text/plain"),
        (b"\x00\x01<html>", "application/octet-stream"),
        (b"a\x1bb\x0cc", "text/plain"),
        (b"a\x1ab", "application/octet-stream"),
        (XHTML, "application/xhtml+xml"),
        (b"<?xml version='1.0'?><rss/>", "text/xml"),
        (PNG, "image/png"),
        (b"%PDF-1.4", "application/pdf"),
        (b"RIFF....WEBPVP", "image/webp"),
        (b"\x1f\x8b\x08", "application/gzip"),
    ],
)
def test_where_no_type_is_known_the_bytes_tell(types: list[str], start: bytes, expected: str) -> None:
    assert of(start, *types) == expected


@pytest.mark.parametrize(
    ("types", "start", "expected"),
    [
        (["text/html"], b"only text", "text/html"),
        (["text/html;"], b"only text", "text/html"),
        (["TEXT/HTML ; charset"], b"", "text/html"),
        (["text/html"], PNG, "image/png"),
        (["text/html"], b"%PDF-1.4", "application/pdf"),
        (["application/xhtml+xml"], b"x", "application/xhtml+xml"),
        (["application/vnd.wap.xhtml+xml"], b"x", "application/vnd.wap.xhtml+xml"),
        (["text/plain"], HTML, "text/plain"),
        (["text/plain"], PNG, "application/octet-stream"),
        (["text/plain; charset=ISO-8859-1"], b"a\x00", "application/octet-stream"),
        (["text/plain; charset=koi8-r"], b"a\x00", "text/plain"),
        (["text/plain"], b"\xff\xfea\x00", "text/plain"),
        (["application/octet-stream"], HTML, "application/octet-stream"),
        (["image/png"], HTML, "image/png"),
        (["www/unknown"], HTML, "www/unknown"),
    ],
)
def test_what_is_declared_counts(types: list[str], start: bytes, expected: str) -> None:
    assert of(start, *types) == expected


@pytest.mark.parametrize("declared", ["text/xml", "application/xml; charset=utf-8", "application/atom+xml"])
@pytest.mark.parametrize(
    ("start", "is_page"),
    [
        (XHTML, True),
        (b"\xef\xbb\xbf" + XHTML, True),
        (b"<!-- a -- b --><!DOCTYPE html PUBLIC '-//W3C//DTD' 'x' [<!ENTITY a 'b'>]>\n" + XHTML[22:], True),
        (b'<x:html xmlns:x="http://www.w3.org/1999/xhtml"/>', True),
        (b'<html a="<>" xmlns = "http://www.w3.org/1999/xhtml">', True),
        (b"<html><body/></html>", False),
        (b"<html xmlns:x='http://www.w3.org/1999/xhtml'>", False),
        (b"<x:html xmlns='http://www.w3.org/1999/xhtml'>", False),
        (b"<htmlx xmlns='http://www.w3.org/1999/xhtml'>", False),
        (b"<rss><html xmlns='http://www.w3.org/1999/xhtml'/></rss>", False),
        (b"<!-- " + XHTML, False),
    ],
)
def test_xml_is_a_page_where_its_root_is(declared: str, start: bytes, is_page: bool) -> None:
    assert (of(start, declared) in HTML_TYPES) == is_page


@pytest.mark.parametrize(
    ("nosniff", "expected"),
    [("nosniff", "text/plain"), (" NoSniff , x", "text/plain"), ("none", "text/html")],
)
def test_a_server_may_forbid_to_guess_html(nosniff: str, expected: str) -> None:
    assert of(HTML, nosniff=nosniff) == expected
    assert of(PNG, nosniff=nosniff) == "image/png"
    assert of(HTML, "text/html", nosniff=nosniff) == "text/html"


@pytest.mark.parametrize(
    ("blanks", "expected"), [(START_BYTES - 6, "text/html"), (START_BYTES - 5, "text/plain")]
)
def test_1445_bytes_are_looked_at(blanks: int, expected: str) -> None:
    assert of(b" " * blanks + b"<html>x") == expected


def test_only_pages_xml_and_what_is_unknown_need_a_look() -> None:
    assert all(map(may_be_page, (*HTML_TYPES, "", "unknown/unknown", "text/xml", "image/svg+xml")))
    assert not any(map(may_be_page, ("text/plain", "image/png", "application/octet-stream")))
