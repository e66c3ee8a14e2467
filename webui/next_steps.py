"""Where a reader can go on from an address that is not archived; used by `cached.py` and `replay.py`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlencode, urlsplit

from webui.access import plain_root

_MAX_WORDS = 6
_WORD = re.compile(r"[^\W\d_]{3,40}")
_NO_WORDS = frozenset(
    {"index", "default", "html", "htm", "php", "asp", "aspx", "jsp", "cgi", "pdf", "www", "page"}
)


@dataclass(frozen=True, slots=True)
class NextSteps:
    """Addresses of pages of ours, "" for what cannot be offered.

    site, site_search: the host, and the search for all that is archived of it. words, words_search: the words
    that the address is made of, and the search for them. crawl: the form to crawl the address. home: the search page.
    """

    site: str
    site_search: str
    words: str
    words_search: str
    crawl: str
    home: str


def next_steps(url: str) -> NextSteps:
    """Return what can be offered in place of `url`."""
    root = plain_root()
    try:
        parts = urlsplit(url)
        site = re.sub(r"[^\w.-]", "", parts.hostname or "")[:255]
    except ValueError:
        parts, site = urlsplit(""), ""
    found = _WORD.findall(unquote(parts.path)[-300:])
    words = " ".join([word for word in found if word.lower() not in _NO_WORDS][-_MAX_WORDS:])

    def search(**parameters: str) -> str:
        return f"{root}/search?{urlencode(parameters)}"

    return NextSteps(
        site=site,
        site_search=search(q=f"site:{site}") if site else "",
        words=words,
        words_search=search(q=words) if words else "",
        crawl=f"{root}/crawl?{urlencode({'seed': url})}" if url.startswith(("http://", "https://")) else "",
        home=f"{root}/",
    )
