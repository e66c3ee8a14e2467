"""Bytes of a page -> text, by the ladder of the HTML standard.

Used by the indexer and by the cached page, so that both read the same text.
Order: byte order mark, HTTP header, meta element, then detection. UTF-32, which the standard leaves out, is read, too.
"""

from __future__ import annotations

import codecs
import re

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

# The standard stops looking for a meta element after 1,024 bytes; old pages put it later.
_META_REACH = 8192
_META = re.compile(rb"<meta[^>]+?charset\s*=\s*[\"']?\s*([a-zA-Z0-9_:.\-]+)", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_HEADER_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
_XML_DECLARATION = re.compile(rb"^\s*<\?xml[^>]*?encoding\s*=\s*[\"']([a-zA-Z0-9_.\-]+)", re.IGNORECASE)
# What switches 7-bit text to Japanese, and back to ASCII.
_JAPANESE_ESCAPE = re.compile(rb"\x1b\$[@B][!-~]{2}[^\x1b]*\x1b\([BJ]")
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before that of UTF-16, which it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What browsers read under these names is the larger set of the same family.
_WIDER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
}
# Codecs of Python that are no encodings of pages; a page that names one is read as if it named none.
_NO_BROWSER_READS = frozenset(
    {
        "idna",
        "punycode",
        "unicode_escape",
        "raw_unicode_escape",
        "undefined",
        "mbcs",
        "oem",
        "utf_7",
        "utf_32",
        "utf_32_le",
        "utf_32_be",
    }
)


def decode_html(body: bytes, content_type: str = "") -> tuple[str, str]:
    """Return the text of an HTML page and the name of the Python codec that read it.

    content_type: the HTTP Content-Type field as archived; may be empty.
    Bytes that are wrong in the encoding become U+FFFD; nothing raises.
    """
    encoding, mark = _encoding_of(body, content_type)
    return body[mark:].decode(encoding, "replace"), encoding


def _encoding_of(body: bytes, content_type: str) -> tuple[str, int]:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return encoding, len(mark)
    if body.startswith((b"<\0\0\0", b"\0\0\0<")):  # no browser reads UTF-32, yet nothing else begins so
        return ("utf-32-le" if body[0] else "utf-32-be"), 0
    declared = _HEADER_CHARSET.search(content_type)
    if declared and (codec := _codec(declared.group(1))) and _may_be(codec, body):
        return (_wide(body) or codec) if codec.startswith("utf-16") else codec, 0
    head = _COMMENT.sub(b"", body[:_META_REACH])
    for pattern in (_META, _XML_DECLARATION):
        if (found := pattern.search(head)) and (codec := _codec(found.group(1).decode("ascii"))):
            # a meta element that can be read as ASCII cannot stand in UTF-16 text
            return ("utf-8" if codec.startswith("utf-16") else codec), 0
    return _detected(body), 0


def _may_be(codec: str, body: bytes) -> bool:
    """Markup in UTF-16 has a zero byte beside each of its brackets; without any it is something else."""
    return not codec.startswith("utf-16") or b"\0" in body[:_META_REACH] or b"<" not in body[:_META_REACH]


def _wide(body: bytes) -> str | None:
    """Return which UTF-16 the body is in if every other byte of its ASCII markup is zero, None if it is neither."""
    start = body[:_META_REACH]
    low, high = start[0::2], start[1::2]
    if high.count(0) > len(high) // 2 > 4 * low.count(0) and b"<" in low:
        return "utf-16-le"
    if low.count(0) > len(low) // 2 > 4 * high.count(0) and b"<" in high:
        return "utf-16-be"
    return None


def _codec(label: str) -> str | None:
    """Return the Python codec that browsers use for an encoding label, None for an unknown one."""
    label = label.strip().lower()
    try:
        found = codecs.lookup(label)
    except (LookupError, ValueError):
        mapped = map_encoding_to_html5(label, fallback_utf8=False)
        try:
            found = codecs.lookup(mapped) if mapped else None  # type: ignore[assignment]
        except (LookupError, ValueError):
            return None
        if found is None:
            return None
    if not found._is_text_encoding or found.name.replace("-", "_") in _NO_BROWSER_READS:
        return None
    return _WIDER.get(found.name, found.name)


def _detected(body: bytes) -> str:
    if b"\0" in body[:64] and (wide := _wide(body)):
        return wide
    if _JAPANESE_ESCAPE.search(body) and body.isascii():
        return "iso2022_jp"
    try:
        body.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError as error:
        # only the last character of a cut page is wrong
        if error.start >= len(body) - 3 and error.start > 0:
            return "utf-8"
    guess = detect_encoding(body, max_len=131072, html5_compatible=True, from_html_meta=False)
    return (_codec(guess) if guess else None) or "cp1252"
