"""Addresses as they are asked for, and what they are compared by; made fast, for a page has hundreds of links.

An address is asked for as it was written, for to a server "/%61" and "/a" may be
different pages. It is compared by its canonical spelling without session ids, so
that a page is not fetched once for each spelling of the links to it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from archiver.warc.urls import asked_url, canonical_url

_SESSION_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?;]*", re.IGNORECASE)
_SESSION_FIELD = re.compile(
    r"(?:jsessionid|phpsessid|aspsessionid[a-z]*|cfid|cftoken|zenid|osCsid|sessionid|session_id|sid=[0-9a-f]{16,})(?:=|$)",
    re.IGNORECASE,
)
# An address of this form is asked for as it is (tests hold this against urls.py).
_AS_IT_IS = re.compile(
    r"https?://[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::(?!0|80(?!\d)|443(?!\d))[1-9]\d{1,3})?(?=/)"
    r"(?:/(?!\.)[A-Za-z0-9_~!$&'()*+,;=:@-][A-Za-z0-9_~!$&'()*+,;=:@.-]*|/)*(?<=/)?"
    r"(?:\?[A-Za-z0-9_~!$&'()*+,;=:@./?%-]+)?"
)
# What is joined to the folder of its base: no scheme, nothing to be removed.
_RELATIVE = re.compile(r"[A-Za-z0-9_~][A-Za-z0-9_~.-]*(?:[/?].*)?", re.DOTALL)
# An address that `spell` gave has a canonical host and no dots to remove, so that only escapes may be left to do: those
# of letters, digits and -._~, those in small letters, and characters that have none yet.
_ESCAPE = "%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|[46]0|5[B-E]|7[BCDF])"
_PLAIN = r"[A-Za-z0-9_~!$&'()*+,;=:@./-]*+"
_IN_QUERY = r"[A-Za-z0-9_~!$&'()*+,;=:@./?-]*+"
_COMPARED = re.compile(
    rf"https?://[^/]+/{_PLAIN}(?:{_ESCAPE}{_PLAIN})*+(?:\?(?!\Z){_IN_QUERY}(?:{_ESCAPE}{_IN_QUERY})*+)?"
)
_ORIGIN = re.compile(r"https?://[^/?#]+")
_CACHED = 30_000


def spell(url: str, base: str | None = None) -> str:
    """Return the address that is asked for, absolute; see `asked_url`.

    Raises ValueError for what is no address of a web page.
    """
    place = url.find("#")
    if place > 0 and url[place - 1] > " ":  # a blank before it is part of the address
        url = url[:place]
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
        folder = ""
        if url.startswith("/"):
            folder = (
                base[:-1] if base.count("/") == 3 and base.endswith("/") and not url.startswith("//") else ""
            )
        elif _RELATIVE.fullmatch(url):
            page = base.partition("?")[0]
            folder = page[: page.rfind("/") + 1] if page.count("/") > 2 else ""
        absolute = folder + url if folder else ""
    if "/." not in absolute and _AS_IT_IS.fullmatch(absolute):
        return absolute
    try:
        return asked_url(url, base)
    except ValueError:
        return ""


@lru_cache(maxsize=_CACHED)
def compared(url: str) -> str:
    """Return what an address that `spell` gave is compared by: always the same for the same page."""
    if not _COMPARED.fullmatch(url):
        url = canonical_url(url)
    lower = url.lower()
    if "sess" in lower or "sid" in lower or "cfid" in lower or "cftoken" in lower or "zenid" in lower:
        head, mark, query = url.partition("?")
        kept = "&".join(f for f in query.split("&") if not _SESSION_FIELD.match(f))
        url = _SESSION_PATH.sub("", head) + (mark + kept if kept else "")
    return url


def _problem(url: str, base: str | None) -> str:
    try:
        asked_url(url, base)
    except ValueError as error:
        return str(error)
    return f"not an address of a page: {url[:200]!r}"
