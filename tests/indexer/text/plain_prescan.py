"""The prescan of the HTML standard in plain steps: what indexer/core/charset.c is held against."""

from __future__ import annotations

import re

from archiver.warc.charsets import UTF_8, charset_named

_BLANK = rb"\t\n\f\r "
# An attribute as the prescan reads it: a name, then perhaps a value in quotes or without them.
_ATTRIBUTE = re.compile(
    rb"[%(blank)s/]*+(?P<name>=?+[^%(blank)s=/>]*+)"
    rb"(?P<has_value>[%(blank)s]*+=[%(blank)s]*+)?+"
    rb"(?(has_value)(?:\"([^\"]*)\"|'([^']*)'|((?!['\"])[^%(blank)s>]*+)))" % {b"blank": _BLANK}
)
_META = re.compile(rb"<meta(?=[%b/])" % _BLANK, re.IGNORECASE)
_TAG = re.compile(rb"</?[A-Za-z][^%b>]*+" % _BLANK)
_CONTENT_CHARSET = re.compile(
    rb"charset[%(blank)s]*=[%(blank)s]*(?:\"([^\"]*)\"|'([^']*)'|([^\"'%(blank)s;][^%(blank)s;]*)|)"
    % {b"blank": _BLANK},
    re.IGNORECASE,
)


def declared_by_meta(start: bytes) -> str | None:
    """Return the charset that the first meta element declares which declares one that browsers know, None for none."""
    place = start.find(b"<")
    while place >= 0:
        if start.startswith(b"<!--", place):
            end = start.find(b"-->", place + 2)
            place = end + 2 if end >= 0 else len(start)
        elif _META.match(start, place):
            attributes, place = _attributes(start, place + len(b"<meta"))
            if place < len(start) and (charset := _declared_by(attributes)):
                return charset
        elif tag := _TAG.match(start, place):
            _, place = _attributes(start, tag.end())
        elif start[place + 1 : place + 2] in (b"!", b"/", b"?"):
            end = start.find(b">", place + 1)
            place = end if end >= 0 else len(start)
        else:
            place += 1
        place = start.find(b"<", place)
    return None


def _attributes(start: bytes, place: int) -> tuple[list[tuple[bytes, bytes]], int]:
    """Return the attributes of a tag (names in lower case) and the place of its ">", or the end of the bytes."""
    found = []
    while match := _ATTRIBUTE.match(start, place):
        if match["name"]:
            found.append((match["name"].lower(), next((value for value in match.groups()[2:] if value), b"")))
        place = match.end()
        if start[place : place + 1] in (b">", b""):
            return found, place
    return found, len(start)  # a quote that is never closed


def _declared_by(attributes: list[tuple[bytes, bytes]]) -> str | None:
    """Return the charset that a meta element declares, None for none."""
    seen = set()
    is_pragma, needs_pragma = False, False
    charset: str | None = None
    decided = False
    for name, value in attributes:
        if name in seen:
            continue
        seen.add(name)
        if name == b"http-equiv":
            is_pragma = is_pragma or value.lower() == b"content-type"
        elif name == b"content" and not decided:
            charset = _in_content(value)
            needs_pragma = decided = charset is not None
        elif name == b"charset":
            charset, needs_pragma, decided = _as_written(value), False, True
    return charset if is_pragma or not needs_pragma else None


def _in_content(content: bytes) -> str | None:
    """Return the charset in the content attribute of a meta element, None for none."""
    found = _CONTENT_CHARSET.search(content)
    label = next((group for group in found.groups() if group), b"") if found else b""
    return _as_written(label)


def _as_written(label: bytes) -> str | None:
    """Return the charset that a label means in bytes which were read as ASCII up to it."""
    charset = charset_named(label.decode("latin-1"))
    if charset in ("utf-16le", "utf-16be"):
        return UTF_8
    return "windows-1252" if charset == "x-user-defined" else charset
