"""Bytes of a page -> text, by the ladder of the HTML standard.

Used by the indexer, the crawl and the cached page, so that all read the same text.
Order: byte order mark, HTTP header, meta element (`prescan`), then detection. UTF-32, which the standard leaves out, is
read, too. A charset goes by its name in the Encoding standard, see `archiver.warc.charsets`.
"""

from __future__ import annotations

import codecs
import re

from resiliparse.parse.encoding import detect_encoding

from archiver.warc.charsets import UTF_8, charset_named, decode
from indexer.core.charset import is_utf_8, labels_of

# How far a meta element is looked for. The prescan of the standard ends after 1,024 bytes, yet its parser changes the
# charset at an element that it meets later, and so do browsers; old pages put it late.
_REACH = 8192
_HEADER_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
# What switches 7-bit text to Japanese, and back to ASCII.
_JAPANESE_ESCAPE = re.compile(rb"\x1b\$[@B][!-~]{2}[^\x1b]*\x1b\([BJ]")
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF32_LE, "utf-32le"),  # before that of UTF-16, which it begins with
    (codecs.BOM_UTF32_BE, "utf-32be"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)
_OF_MARKS = {mark[:1] for mark, _ in _BYTE_ORDER_MARKS}

_LIKE_ASCII = (UTF_8, "windows-1252")  # of seven bits each byte is itself in these

_CSS_CHARSET = re.compile(rb'@charset "([A-Za-z0-9_.:-]{1,40})";')
_XML_CHARSET = re.compile(rb"[\0- ]*=[\0- ]*(?:\"([^\"\0- ]*)\"|'([^'\0- ]*)')")


def decode_html(body: bytes, content_type: str = "") -> tuple[str, str]:
    """Return the text of an HTML page and the charset that it was read in.

    content_type: the HTTP Content-Type field as archived; may be empty.
    Bytes that are wrong in the charset become U+FFFD; nothing raises.
    """
    charset, mark = _charset_of(body, content_type)
    return decode(body[mark:], charset), charset


def html_in_utf8(body: bytes, content_type: str = "") -> tuple[bytes, str]:
    """Return the text of an HTML page in UTF-8, and the charset that it was read in; see `decode_html`.

    Bytes that are right in UTF-8 are given back as they are, behind a byte order mark.
    """
    charset, mark = _charset_of(body, content_type)
    data = body[mark:] if mark else body
    if charset in _LIKE_ASCII and data.isascii() or charset == UTF_8 and is_utf_8(data):
        return data, charset
    return decode(data, charset).encode(UTF_8, "ignore"), charset


def decode_css(body: bytes, content_type: str) -> tuple[str, str]:
    """Return the text of a style sheet and the charset that it was read in.

    Order: byte order mark, HTTP header, @charset, then what fits.
    """
    match = _CSS_CHARSET.match(body)
    if match and "charset" not in content_type.lower():
        content_type = f"{content_type}; charset={match[1].decode('ascii')}"
    return decode_html(body, content_type)


def prescan(start: bytes) -> str | None:
    """Return the charset that the first bytes of a page declare in a meta element or an XML declaration, None for none.

    The algorithm is "prescan a byte stream to determine its encoding" of the HTML standard: the first meta element
    with a charset that browsers know; the XML declaration where there is no such element.
    """
    if start.startswith((b"<\0?\0x\0", b"\0<\0?\0x")):
        return "utf-16be" if start[0] == 0 else "utf-16le"
    for label in labels_of(start):
        if charset := _as_written(label):
            return charset
    return _declared_as_xml(start)


def _declared_as_xml(start: bytes) -> str | None:
    """Return the charset of the XML declaration that a page begins with, None for none."""
    end = start.find(b">")
    place = start.find(b"encoding", 0, max(0, end))
    if not start.startswith(b"<?xml") or place < 0:
        return None
    found = _XML_CHARSET.match(start, place + len(b"encoding"), end)
    return _as_written(found[1] or found[2] or b"") if found else None


def _as_written(label: bytes) -> str | None:
    """Return the charset that a label means in bytes which were read as ASCII up to it."""
    charset = charset_named(label.decode("latin-1"))
    if charset in ("utf-16le", "utf-16be"):
        return UTF_8
    return "windows-1252" if charset == "x-user-defined" else charset


def _charset_of(body: bytes, content_type: str) -> tuple[str, int]:
    if body[:1] in _OF_MARKS:
        for mark, charset in _BYTE_ORDER_MARKS:
            if body.startswith(mark):
                return charset, len(mark)
    if body.startswith((b"<\0\0\0", b"\0\0\0<")):  # no browser reads UTF-32, yet nothing else begins so
        return ("utf-32le" if body[0] else "utf-32be"), 0
    declared = _HEADER_CHARSET.search(content_type)
    if declared and (named := charset_named(declared[1])) and _may_be(named, body):
        return (_wide(body) or named) if named.startswith("utf-16") else named, 0
    return prescan(body[:_REACH]) or _detected(body), 0


def _may_be(charset: str, body: bytes) -> bool:
    """Markup in UTF-16 has a zero byte beside each of its brackets; without any it is something else."""
    return not charset.startswith("utf-16") or b"\0" in body[:_REACH] or b"<" not in body[:_REACH]


def _wide(body: bytes) -> str | None:
    """Return which UTF-16 the body is in if every other byte of its ASCII markup is zero, None if it is neither."""
    start = body[:_REACH]
    low, high = start[0::2], start[1::2]
    if high.count(0) > len(high) // 2 > 4 * low.count(0) and b"<" in low:
        return "utf-16le"
    if low.count(0) > len(low) // 2 > 4 * high.count(0) and b"<" in high:
        return "utf-16be"
    return None


def _detected(body: bytes) -> str:
    if b"\0" in body[:64] and (wide := _wide(body)):
        return wide
    if _JAPANESE_ESCAPE.search(body) and body.isascii():
        return "iso-2022-jp"
    if is_utf_8(body):
        return UTF_8
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        # only the last character of a cut page is wrong
        if error.start >= len(body) - 3 and error.start > 0:
            return UTF_8
    guess = detect_encoding(body, max_len=131072, html5_compatible=True, from_html_meta=False)
    return (charset_named(guess) if guess else None) or "windows-1252"
