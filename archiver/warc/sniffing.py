"""What a body is: one rule for the index, the crawl and the cached page, by the MIME Sniffing standard.

What a server declares counts; where it declares nothing that can be read, or an unknown type, the first bytes tell.
Two things go beyond the standard: what is declared HTML and begins as a picture, a PDF or packed data is that, as real
archives have it; and XML whose root is an HTML element is a page, as it is in browsers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .mediatype import media_type_of

if TYPE_CHECKING:
    from .record import Headers

HTML_TYPES = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
"""The media types of pages."""

START_BYTES = 1445
"""As many bytes of a body are looked at."""

_XHTML = "application/xhtml+xml"
_UNKNOWN = frozenset({"", "unknown/unknown", "application/unknown"})
_HTML_TAG = re.compile(
    rb"[\t\n\f\r ]*<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)"
    rb"[\t\n\f\r />])",
    re.IGNORECASE,
)
_XML = re.compile(rb"[\t\n\f\r ]*<\?xml")
_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<\?(?:[^?]|\?(?!>))*+\?>|<!--(?:[^-]|-(?!->))*+-->|<!DOCTYPE(?:[^<>\[]|\[[^\]]*+\])*+>)*+"
    rb"<(?:(?P<prefix>[A-Za-z_][\w.-]*+):)?html(?=[\s/>])(?P<attributes>(?:[^<>\"']|\"[^\"]*+\"|'[^']*+')*+)"
)
_NAMESPACE = re.compile(rb"""\sxmlns(?::([\w.-]+))?\s*=\s*["']http://www\.w3\.org/1999/xhtml["']""")
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"%PDF-", "application/pdf"),
    (b"%!PS-Adobe-", "application/postscript"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"Rar!\x1a\x07", "application/x-rar-compressed"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"BZh", "application/x-bzip2"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"OggS\x00", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"FWS", "application/x-shockwave-flash"),
    (b"CWS", "application/x-shockwave-flash"),
    (b"\x7fELF", "application/octet-stream"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/octet-stream"),  # documents of Office before 2007
)
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wave", b"AVI ": "video/avi"}
_MARKS = (b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf")
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_ANY_MAGIC = tuple(magic for magic, _ in _MAGIC)
# What old versions of Apache sent with every file that they did not know.
_NO_OPINION = re.compile(r"text/plain(?:; charset=(?:ISO-8859-1|iso-8859-1|UTF-8))?")


def may_be_page(declared: str) -> bool:
    """Tell whether a body of a declared media type ("" for none) may be a page, so that its bytes have to be seen."""
    return declared in HTML_TYPES or declared in _UNKNOWN or _is_xml(declared)


def computed_type(headers: Headers, start: bytes) -> str:
    """Return the media type that a body has: that which its header declares, or what its first bytes say.

    headers: of the HTTP response, or a Content-Type alone. start: START_BYTES of the decoded body, fewer if
    it is shorter.
    """
    declared = media_type_of(headers)
    start = start[:START_BYTES]
    if declared in _UNKNOWN:
        return _sniffed(start, may_be_script="nosniff" not in _first_value(headers, "X-Content-Type-Options"))
    if declared == "text/html":
        return _magic(start) or declared
    if _is_xml(declared):
        return _XHTML if declared not in HTML_TYPES and _is_html_root(start) else declared
    if declared == "text/plain" and _NO_OPINION.fullmatch(headers.get_all("Content-Type")[-1].strip()):
        return _text_or_binary(start)
    return declared


def _is_xml(media_type: str) -> bool:
    return media_type in ("text/xml", "application/xml") or media_type.endswith("+xml")


def _first_value(headers: Headers, name: str) -> str:
    return headers.get(name).partition(",")[0].strip().lower()


def _sniffed(start: bytes, *, may_be_script: bool) -> str:
    if may_be_script:
        if _HTML_TAG.match(start):
            return "text/html"
        if _XML.match(start):
            return _XHTML if _is_html_root(start) else "text/xml"
    return _magic(start) or _text_or_binary(start)


def _magic(start: bytes) -> str:
    if start.startswith(b"RIFF") and len(start) >= 12:
        return _RIFF.get(start[8:12], "application/octet-stream")
    if not start.startswith(_ANY_MAGIC):
        return ""
    return next((media_type for magic, media_type in _MAGIC if start.startswith(magic)), "")


def _text_or_binary(start: bytes) -> str:
    is_text = start.startswith(_MARKS) or not _BINARY.search(start)
    return "text/plain" if is_text else "application/octet-stream"


def _is_html_root(start: bytes) -> bool:
    """Tell whether XML has an `html` element of XHTML as its root."""
    root = _ROOT.match(start)
    return root is not None and any(
        found[1] == root["prefix"] for found in _NAMESPACE.finditer(root["attributes"])
    )
