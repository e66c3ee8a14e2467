"""Archived pages made ready for the frame, and what was found out about them on the way.

The bar around a page asks for the same page as the frame does, a moment earlier: what
was rewritten is kept for a while, so that one look at a page costs one rewriting.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from indexer import Capture, Index
from indexer.search.marking import Marker
from indexer.search.query import parse_query
from indexer.store.recent import Recent
from indexer.text.charset import decode_html
from webui.access import plain_root
from webui.application import site
from webui.formats import clean, english_date, time_utc
from webui.i18n import gettext as _
from webui.i18n import said
from webui.preferences import chosen_language
from webui.rewrite import rewrite_page
from webui.rewrite_context import RewriteContext
from webui.stored import StoredResponse, read_stored

KEPT_BYTES = 4 << 20
LARGEST_KEPT = KEPT_BYTES // 4
_ROOM_OF_REST = 2_000


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


def _room_of(page: RewrittenPage) -> int:
    """Return about how many bytes of memory a page takes: its own, its parts, the header it came with."""
    return (
        len(page.body) + sum(len(address) for address in page.parts) + 150 * len(page.parts) + _ROOM_OF_REST
    )


_kept: Recent[RewrittenPage] = Recent(KEPT_BYTES, _room_of)
# What was found out about pages that are too large to be kept themselves: the bar and its parts ask for no more.
_facts: Recent[RewrittenPage] = Recent(KEPT_BYTES // 4, _room_of)


def rewritten_page(
    index: Index,
    capture: Capture,
    timestamp: str,
    root: str,
    query: str = "",
    *,
    is_part: bool = False,
    with_body: bool = True,
) -> RewrittenPage | StoredResponse | None:
    """Return a page ready for the frame; what was stored when it is no page; None when nothing can be shown.

    timestamp: the time for which parts and links are asked; root: what their addresses below /web/ begin with; query:
    words to be marked. is_part: it is for a frame of another page. with_body: False where what was found out about the
    page is enough; its body may then be empty.
    Raises ArchiveError or OSError when the archive cannot be read there (any more).
    """
    operator = site().settings.search.operator if query else ""
    key = (
        capture.original or capture.location,
        capture.url,
        timestamp,
        root,
        is_part,
        query,
        operator,
        chosen_language(),
    )
    found = _kept.find(key) or (None if with_body else _facts.find(key))
    if found is not None:
        return found
    stored = read_stored(index, capture)
    if stored is None or not stored.is_html or stored.is_redirect:
        return stored
    text, charset = decode_html(stored.body, stored.content_type)
    context = RewriteContext(
        capture.url, timestamp, root, pages_root=plain_root(), is_part=is_part, charset=charset
    )
    page = _rewritten(stored, text, capture, context, query, operator)
    if len(page.body) <= LARGEST_KEPT:
        _kept.keep(key, page)
    else:
        _facts.keep(key, replace(page, body=b""))
    return page


def nothing_sent(stored: StoredResponse) -> str:
    """Return the sentence that stands for a redirect or an error that came without a body, "" for all else."""
    if 200 <= (stored.status or 200) < 300 or stored.body.strip():
        return ""
    return _("The site answered with status %(status)s and sent no page.", status=stored.status)


def _rewritten(
    stored: StoredResponse, text: str, capture: Capture, context: RewriteContext, query: str, operator: str
) -> RewrittenPage:
    when = f"{english_date(capture.timestamp)} {time_utc(capture.timestamp)}".strip()
    html = rewrite_page(
        text,
        context,
        notice=said(stored.note) or nothing_sent(stored),
        is_xhtml=stored.mime != "text/html",
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
