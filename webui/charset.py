"""The text of an archived page: the encoding ladder of the HTML standard.

Byte order mark, then the HTTP header, then the meta element, then a look at the
bytes. `rewrite.py` works on text, and what leaves us is always UTF-8, so a page
shows the same whatever it was written in.
"""

from __future__ import annotations

import codecs
import re

# Labels that the WHATWG Encoding standard reads otherwise than Python does (only those seen in archives).
_LABELS = {
    "ascii": "cp1252", "us-ascii": "cp1252", "latin1": "cp1252", "latin-1": "cp1252", "l1": "cp1252",
    "iso-8859-1": "cp1252", "iso8859-1": "cp1252", "iso_8859-1": "cp1252", "iso88591": "cp1252",
    "x-cp1252": "cp1252", "cp819": "cp1252", "ibm819": "cp1252", "ansi_x3.4-1968": "cp1252",
    "iso-8859-9": "cp1254", "iso8859-9": "cp1254", "latin5": "cp1254",
    "iso-8859-11": "cp874", "tis-620": "cp874", "windows-874": "cp874", "dos-874": "cp874",
    "gb2312": "gb18030", "gbk": "gb18030", "gb_2312-80": "gb18030", "x-gbk": "gb18030", "chinese": "gb18030",
    "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932",
    "ms_kanji": "cp932", "euc-kr": "cp949", "ks_c_5601-1987": "cp949", "ksc5601": "cp949", "korean": "cp949",
    "big5": "big5hkscs", "big5-hkscs": "big5hkscs", "x-x-big5": "big5hkscs", "cn-big5": "big5hkscs",
    "x-euc-jp": "euc_jp", "iso-8859-8-i": "iso-8859-8", "logical": "iso-8859-8", "visual": "iso-8859-8",
    "x-mac-roman": "mac-roman", "macintosh": "mac-roman", "x-mac-cyrillic": "mac-cyrillic", "koi8": "koi8-r",
    "koi8-ru": "koi8-u", "utf8": "utf-8", "unicode-1-1-utf-8": "utf-8", "x-unicode20utf8": "utf-8",
    "utf-16": "utf-16-le", "unicode": "utf-16-le", "ucs-2": "utf-16-le", "iso-10646-ucs-2": "utf-16-le",
}  # fmt: skip
# Python codecs that are no character encodings, or that the standard refuses (UTF-7 hides markup).
_REFUSED = frozenset({"utf-7", "hex", "base64", "bz2", "zlib", "uu", "quopri", "rot13", "idna", "punycode",
                      "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"})  # fmt: skip
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF16_LE, "utf-16-le"))
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,400}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_CSS = re.compile(rb'^@charset "([A-Za-z0-9_.:-]+)";')
_META_REACH = 4096  # the standard asks for 1024; real pages put long comments first


def decode_html(body: bytes, content_type: str = "") -> str:
    """Return the text of an HTML page; what cannot be decoded becomes U+FFFD, never an error.

    content_type: the value of the HTTP header, with its parameters.
    """
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(name, "replace")
    head = _COMMENT.sub(b"", body[:_META_REACH])
    declared = _label_in(_HEADER, content_type)
    if declared is None:
        for pattern in (_META, _XML):
            match = pattern.search(head)
            declared = python_codec(match[1].decode("ascii")) if match else None
            if declared is not None:
                # The standard: a meta element that can be read as ASCII cannot stand in a UTF-16 page.
                declared = "utf-8" if declared.startswith("utf-16") else declared
                break
    return body.decode(declared or _guess(body), "replace")


def decode_css(body: bytes, content_type: str = "", page_charset: str = "utf-8") -> str:
    """Return the text of a style sheet: byte order mark, HTTP header, @charset, then what fits."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(name, "replace")
    match = _CSS.match(body)
    declared = _label_in(_HEADER, content_type) or (python_codec(match[1].decode("ascii")) if match else None)
    return body.decode(declared or _guess(body), "replace")


def python_codec(label: str) -> str | None:
    """Return the name of the Python codec for an encoding label of the web, or None if there is none."""
    label = label.strip().lower()
    label = _LABELS.get(label, label)
    try:
        info = codecs.lookup(label)
    except (LookupError, ValueError):
        return None
    if info.name in _REFUSED or not getattr(info, "_is_text_encoding", True):
        return None
    return info.name


def _label_in(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return python_codec(match[1]) if match else None


def _guess(body: bytes) -> str:
    try:
        body.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError as error:
        # A page cut in the middle of a character is still UTF-8.
        return "utf-8" if error.start > len(body) - 4 and error.start > 0 else _guess_legacy(body)


def _guess_legacy(body: bytes) -> str:
    from charset_normalizer import from_bytes  # 30 ms to import; few pages need it

    best = from_bytes(body[:65536], cp_isolation=None).best()
    return (python_codec(best.encoding) if best else None) or "cp1252"
