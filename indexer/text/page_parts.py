"""What a page needs to look right: the rules that the crawl, which fetches it, and replay, which asks for it, share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

MAX_SRCDOC_DEPTH, MAX_SRCDOCS, MAX_SRCDOC_CHARS = 3, 100, 500_000
"""Frames whose page lies in an attribute (srcdoc): as many one inside the other, and of one page, are read so far."""

PICTURE_STYLES = frozenset(
    {
        "fill",
        "stroke",
        "filter",
        "mask",
        "clip-path",
        "cursor",
        "marker",
        "marker-start",
        "marker-mid",
        "marker-end",
    }
)
"""Attributes of drawings that are read as styles."""

HREF_PARTS = frozenset(
    {
        "image",
        "feimage",
        "use",
        "pattern",
        "lineargradient",
        "radialgradient",
        "textpath",
        "mpath",
        "filter",
        "tref",
    }
)
"""Elements of drawings whose href (or xlink:href) is shown with them; in lower case."""

_LAZY_SOURCES = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-hi-res-src")
_NO_PICTURE = re.compile(r"\s*(?:data:|\Z)", re.IGNORECASE)
# An address may hold commas inside, not at its ends; what follows it, up to the next comma outside brackets, says how
# large the picture is.
_CANDIDATE = re.compile(r"[\t\n\f\r ,]*([^\t\n\f\r ]+)((?<!,)(?:[^,(]|\([^)]*(?:\)|\Z))*)?")


def picture_of(attributes: Mapping[str, str | None]) -> tuple[str, str]:
    """Return (src, srcset) of an img element as its script would have filled them in; "" for none."""
    source = (attributes.get("src") or "").strip()
    if _NO_PICTURE.match(source):
        lazy = ((attributes.get(name) or "").strip() for name in _LAZY_SOURCES)
        source = next(filter(None, lazy), source)
    return source, attributes.get("srcset") or attributes.get("data-srcset") or ""


def srcset_of(value: str) -> Iterator[tuple[str, str]]:
    """Yield (address, how large it is) of the pictures in a srcset attribute, without those that lie in the page."""
    for match in _CANDIDATE.finditer(value):
        address = match[1].rstrip(",")
        if address and address[0] != "#" and address[:5].lower() != "data:":
            yield address, (match[2] or "").strip()
