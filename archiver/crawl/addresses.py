"""The spelling of addresses: the canonical one, without session ids; made fast, for a page has hundreds of links."""

from __future__ import annotations

import re
from functools import lru_cache

from archiver.warc.urls import canonical_url

_SESSION_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?;]*", re.IGNORECASE)
_SESSION_FIELD = re.compile(
    r"(?:jsessionid|phpsessid|aspsessionid[a-z]*|cfid|cftoken|zenid|osCsid|sessionid|session_id|sid=[0-9a-f]{16,})(?:=|$)",
    re.IGNORECASE,
)
_MAY_HOLD_SESSION = re.compile(r"sess|sid|cfid|cftoken|zenid", re.IGNORECASE)
# An address of this form is its own canonical spelling (a test holds this against canonical_url).
_CANONICAL = re.compile(
    r"https?://[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::(?!0|80(?!\d)|443(?!\d))[1-9]\d{1,3})?"
    r"(?:/(?!\.)[A-Za-z0-9_~!$&'()*+,;=:@-][A-Za-z0-9_~!$&'()*+,;=:@.-]*|/)*(?<=/)?"
    r"(?:\?[A-Za-z0-9_~!$&'()*+,;=:@./?-]+)?"
)
_ORIGIN = re.compile(r"https?://[^/?#]+")
_CACHED = 30_000


def spell(url: str, base: str | None = None) -> str:
    """Return the address as the crawl knows it, always the same for the same page.

    Raises ValueError for what is no address of a web page.
    """
    if base is not None:
        # What does not depend on the whole base is looked up under less of it.
        if url.startswith(("http://", "https://")):
            base = None
        elif url.startswith("/") and not url.startswith("//"):
            base = _origin(base)
    found = _spell(url, base)
    if not found:
        raise ValueError(_problem(url, base))
    return found


@lru_cache(maxsize=256)
def _origin(base: str) -> str:
    match = _ORIGIN.match(base)
    return match.group() + "/" if match else base


@lru_cache(maxsize=_CACHED)
def _spell(url: str, base: str | None) -> str:
    absolute = url
    if base is not None:
        is_path = url.startswith("/") and not url.startswith("//") and base.endswith("/")
        absolute = base[:-1] + url if is_path else ""
    if not (absolute and absolute.count("/") > 2 and "/." not in absolute and _CANONICAL.fullmatch(absolute)):
        try:
            absolute = canonical_url(url, base)
        except ValueError:
            return ""
    if _MAY_HOLD_SESSION.search(absolute):
        head, mark, query = absolute.partition("?")
        kept = "&".join(f for f in query.split("&") if not _SESSION_FIELD.match(f))
        absolute = _SESSION_PATH.sub("", head) + (mark + kept if kept else "")
    return absolute


def _problem(url: str, base: str | None) -> str:
    try:
        canonical_url(url, base)
    except ValueError as error:
        return str(error)
    return f"not an address of a page: {url[:200]!r}"
