"""Archived pages made ready for the frame, and what was found out about them on the way.

The bar around a page asks for the same page as the frame does, a moment earlier: what
was rewritten is kept for a while, so that one look at a page costs one rewriting.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace

from archiver.warc import Location
from indexer import Capture, Index
from indexer.search.marking import Marker
from indexer.search.query import parse_query
from indexer.text.charset import decode_html
from webui.application import site
from webui.formats import clean, english_date, time_utc
from webui.i18n import said
from webui.preferences import chosen_language
from webui.rewrite import rewrite_page
from webui.rewrite_context import RewriteContext
from webui.stored import StoredResponse, read_stored

KEPT_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class RewrittenPage:
    """A page for the frame.

    stored: what it was made from, without the body. parts: addresses of pictures, styles and frames, with
    the modifier that each is asked for by. hits: places of the query that are marked. scripts: taken out.
    """

    stored: StoredResponse
    body: bytes
    parts: dict[str, str]
    hits: int
    scripts: int


_Key = tuple[Location, str, str, str, str, str, str]


class _Kept:
    """The pages rewritten last, up to KEPT_BYTES; safe to use from many threads."""

    def __init__(self) -> None:
        self._pages: OrderedDict[_Key, RewrittenPage] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, key: _Key) -> RewrittenPage | None:
        with self._lock:
            page = self._pages.get(key)
            if page is not None:
                self._pages.move_to_end(key)
            return page

    def put(self, key: _Key, page: RewrittenPage) -> None:
        if len(page.body) > KEPT_BYTES // 4:
            return
        with self._lock:
            if key in self._pages:
                return
            self._pages[key] = page
            self._bytes += len(page.body)
            while self._bytes > KEPT_BYTES:
                _, oldest = self._pages.popitem(last=False)
                self._bytes -= len(oldest.body)


_kept = _Kept()


def rewritten_page(
    index: Index, capture: Capture, timestamp: str, root: str, query: str = ""
) -> RewrittenPage | StoredResponse | None:
    """Return a page ready for the frame; what was stored when it is no page; None when nothing can be shown.

    timestamp: the time for which parts and links are asked; query: words to be marked.
    Raises ArchiveError or OSError when the archive cannot be read there (any more).
    """
    operator = site().settings.search.operator if query else ""
    key = (
        capture.original or capture.location,
        capture.url,
        timestamp,
        root,
        query,
        operator,
        chosen_language(),
    )
    found = _kept.get(key)
    if found is not None:
        return found
    stored = read_stored(index, capture)
    if stored is None or not stored.is_html or 300 <= stored.status < 400:
        return stored
    page = _rewritten(stored, capture, RewriteContext(capture.url, timestamp, root), query, operator)
    _kept.put(key, page)
    return page


def _rewritten(
    stored: StoredResponse, capture: Capture, context: RewriteContext, query: str, operator: str
) -> RewrittenPage:
    text, _ = decode_html(stored.body, stored.content_type)
    when = f"{english_date(capture.timestamp)} {time_utc(capture.timestamp)}".strip()
    html = rewrite_page(
        text,
        context,
        notice=said(stored.note),
        is_xhtml=stored.mime == "application/xhtml+xml",
        marker=Marker(parse_query(query, operator=operator)) if query else None,
        imprint=f"Archived copy of {clean(capture.url)[:2000]}, {when}",
    )
    return RewrittenPage(
        replace(stored, body=b""),
        html.encode("utf-8", "replace"),
        context.parts,
        context.hits,
        context.removed.get("script", 0),
    )
