"""Which Content-Type counts: one rule for the index, the crawl and the cached page.

The Fetch standard ("extract a MIME type") takes the last value that can be read, over all fields of that name and
all commas in them; the MIME Sniffing standard ("parse a MIME type") says what can be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .record import Headers

_TOKEN = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_BLANKS = "\t\n\r "
_VALUE = re.compile(r'(?:"(?:[^"\\]|\\.)*(?:["\\]|\Z)|[^",])*', re.DOTALL)
"""Up to the next comma outside quotes; quotes that are never closed hold all that follows, later fields too."""

_ESSENCE = re.compile(rf"({_TOKEN}/{_TOKEN})[{_BLANKS}]*(?:;|\Z)")
_ESSENCE_CUT = re.compile(rf"({_TOKEN}/{_TOKEN})(?=[{_BLANKS};]|\Z)")
_PARAMETER = re.compile(
    rf'[{_BLANKS}]*([^;=]*)(?:=("(?:[^"\\]|\\.)*(?:["\\]|\Z))?([^;]*))?(?:;|\Z)', re.DOTALL
)
_PLAIN = re.compile(r"([a-z]+/[a-z0-9.+-]+)(?:; ?charset=([0-9A-Za-z_-]{1,100}))?")
"""As nearly all are: what is read in them by the rules below takes five times as long."""
_LABEL = re.compile(r"[!#-&(-+\-.:^_`|~0-9A-Za-z]{1,100}")
_ESCAPED = re.compile(r"\\(.?)", re.DOTALL)


def content_type_of(headers: Headers) -> str:
    """Return the Content-Type that counts as "text/html" or "text/html; charset=utf-8"; "" if none can be read.

    The media type is in lower case, of parameters only the charset is kept: that of an earlier value with the same
    type where the last one has none. Of values that are all unreadable by the standard one is taken whose media type
    is followed by a blank, as in "text/html charset=utf-8", which real archives have.
    """
    return _type_in(", ".join(headers.get_all("Content-Type")))


@lru_cache(1024)
def _type_in(joined: str) -> str:
    if plain := _PLAIN.fullmatch(joined):
        return f"{plain[1]}; charset={plain[2]}" if plain[2] else plain[1]
    return _last_readable(joined, _ESSENCE) or _last_readable(joined, _ESSENCE_CUT)


def media_type_of(headers: Headers) -> str:
    """Return the media type that counts, in lower case and without parameters; "" if there is none."""
    return content_type_of(headers).partition(";")[0]


def _last_readable(joined: str, pattern: re.Pattern[str]) -> str:
    essence = charset = ""
    for value in _split(joined):
        found = pattern.match(value)
        if not found or found[1] == "*/*":
            continue
        before, essence = essence, found[1].lower()
        named = _charset(value[found.end() :])
        if named or essence != before:
            charset = named
    return f"{essence}; charset={charset}" if charset else essence


def _split(joined: str) -> Iterator[str]:
    """Yield the values between commas that stand outside quotes."""
    at = 0
    while at <= len(joined):
        end = _VALUE.match(joined, at).end()  # type: ignore[union-attr]
        yield joined[at:end].strip(_BLANKS)
        at = end + 1


def _charset(parameters: str) -> str:
    """Return the first charset of the parameters behind a media type that can be a name of one; "" if none can."""
    for found in _PARAMETER.finditer(parameters):
        name, quoted, plain = found.groups()
        if name.lower() == "charset":
            value = _ESCAPED.sub(r"\1", quoted[1:].removesuffix('"')) if quoted else plain or ""
            value = value.strip(_BLANKS + "'")
            if _LABEL.fullmatch(value):
                return value
    return ""
