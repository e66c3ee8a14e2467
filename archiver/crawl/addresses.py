"""The spelling of addresses for one job: the canonical one, without session ids, its query kept or sorted."""

from __future__ import annotations

import re

from archiver.warc.urls import canonical_url

_SESSION_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?;]*", re.IGNORECASE)
_SESSION_FIELD = re.compile(
    r"(?:jsessionid|phpsessid|aspsessionid[a-z]*|cfid|cftoken|zenid|osCsid|sessionid|session_id|sid=[0-9a-f]{16,})(?:=|$)",
    re.IGNORECASE)
_MAY_HOLD_SESSION = re.compile(r"sess|sid|cfid|cftoken|zenid", re.IGNORECASE)


def spell(url: str, base: str | None = None, *, strip_session_ids: bool = True, sort_query: bool = False) -> str:
    """Return the address as the crawl knows it, always the same for the same page.

    Raises ValueError for what is no address of a web page.
    """
    url = canonical_url(url, base)
    if strip_session_ids and _MAY_HOLD_SESSION.search(url):
        head, mark, query = url.partition("?")
        kept = "&".join(f for f in query.split("&") if not _SESSION_FIELD.match(f))
        url = _SESSION_PATH.sub("", head) + (mark + kept if kept else "")
    if sort_query and "&" in url:
        head, mark, query = url.partition("?")
        url = head + mark + "&".join(sorted(query.split("&")))
    return url
