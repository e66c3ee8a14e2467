"""The page of results, put together: a frame that most searches of a reader share, and what was found.

Form, links and chrome of a page depend on the reader and, but for a few links, not on what was asked. As a template
that was half of the work of a page. Of a plain search, one without filters and further wishes, the frame is kept cut up
at the places where the query stands; it comes from the same template as the frame of any other search.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from flask import render_template
from markupsafe import Markup

from indexer import Results, Statistics, Tree
from indexer.store.recent import Recent
from webui.access import plain_root
from webui.addresses import captures_address, quoted
from webui.formats import clean, number, number_in, shorten
from webui.found_out import app_now
from webui.hits_html import HitWriter, encoded, facets
from webui.i18n import address_here, said
from webui.preferences import reader
from webui.result_links import (
    Link,
    added_links,
    chips_of,
    facet_groups,
    sort_links,
    view_links,
    widening_links,
)
from webui.search_request import Pager, SearchRequest, make_pager
from webui.template_calls import Calls, calls_of_reader
from webui.template_code import escaped, written

_FRAMES_KNOWN = 64  # about 10 kB each
_TITLE_CHARS = 60
# Words that stand where values go: of letters alone, so that they are the same however they are escaped.
_ASKED, _SHOWN, _TITLE, _HERE, _NOTED, _FOUND = (
    f"xPLACEx{name}x" for name in ("asked", "shown", "title", "here", "noted", "found")
)
_FOR_PROGRAMS = {
    "JSON": "search.search_json", "CSV": "search.search_csv", "RSS": "search.search_rss", "WACZ": "search.search_wacz",
}  # fmt: skip
_PLACE = re.compile(r"(xPLACEx[a-z]+x)")


def add_frames(app: Any) -> None:
    """Give the application room for frames."""
    app.extensions["findingaid.frames"] = Recent(_FRAMES_KNOWN)


def results_page(
    results: Results,
    wanted: SearchRequest,
    *,
    shorter: Sequence[Link],
    address: str,
    address_captures: int,
    statistics: Statistics | None,
) -> bytes:
    """Return the page of the results of a search, as it is sent.

    address: what was typed as the address of a page, "" where that is none. address_captures: how many it has.
    shorter, statistics: of the query without each of its words, and of the index, where nothing was found.
    """
    notices = (*wanted.notices, *results.notices)
    noted = _noted(results, notices) if notices or results.did_you_mean else ""
    if results.total:
        below = _found(results, wanted)
    else:
        nothing = render_template(
            "_nothing.html", results=results, wanted=wanted, shorter=shorter, address=address,
            address_captures=address_captures, statistics=statistics,
        )  # fmt: skip
        below = encoded(nothing)
    if address_captures:
        below = encoded(_to_captures(address, address_captures)) + below
    title = shorten(clean(wanted.query or wanted.filters()), _TITLE_CHARS)
    if not wanted.is_plain or results.added:
        page = _rendered(
            wanted, title=title, shown=wanted.query, noted=noted, found=below.decode(),
            added=added_links(results.added, wanted),
        )  # fmt: skip
        return encoded(page)
    values = {
        _ASKED: encoded(written(quoted(wanted.query))),
        _SHOWN: encoded(written(clean(wanted.query))),
        _TITLE: encoded(written(title)),
        _HERE: encoded(written(address_here())),
        _NOTED: encoded(noted),
        _FOUND: below,
    }
    texts, places = _frame(wanted)
    pieces = [b""] * (len(texts) + len(places))
    pieces[::2], pieces[1::2] = texts, [values[place] for place in places]
    return b"".join(pieces)


def _frame(wanted: SearchRequest) -> tuple[list[bytes], list[str]]:
    """Return the frame of plain searches of this reader: its texts, and the names of the values that stand between."""
    frames: Recent[tuple[list[bytes], list[str]]] = app_now().extensions["findingaid.frames"]
    # all that the template looks at, beside what is filled in
    key = reader(), wanted.size if wanted.own_size else 0
    frame = frames.find(key)
    if frame is None:
        anything = SearchRequest(_ASKED, size=wanted.size, own_size=wanted.own_size)
        page = _rendered(
            anything, title=_TITLE, shown=_SHOWN, noted=_NOTED, found=_FOUND, here=_HERE, added=[]
        )
        pieces = _PLACE.split(page)
        frame = list(map(encoded, pieces[::2])), pieces[1::2]
        frames.keep(key, frame)
    return frame


def _rendered(wanted: SearchRequest, *, noted: str, found: str, **names: object) -> str:
    return render_template(
        "results.html",
        wanted=wanted,
        chips=chips_of(wanted),
        sorts=sort_links(wanted),
        views=view_links(wanted),
        widenings=widening_links(wanted),
        noted=Markup(noted),  # noqa: S704  of templates
        found=Markup(found),  # noqa: S704  of templates
        **names,
    )


def _noted(results: Results, notices: Sequence[str]) -> str:
    """Return what readers are told of a search before what it found: notices, another spelling."""
    calls = calls_of_reader()
    _, other = calls.gettext, results.did_you_mean
    pieces = [f'<p class="notice">{escaped(clean(said(notice)))}</p>\n' for notice in notices]
    if other and results.total:
        address, shown = calls.url_for("search.search", q=other), escaped(shorten(clean(other), 200))
        link = Markup(f'<a href="{escaped(address)}" dir="auto">{shown}</a>')  # noqa: S704
        meant = _("Did you mean %(query)s?", query=link)
        pieces.append(f'<p class="notice">{meant}</p>\n')
    return "".join(pieces)


# ---------------------------------------------------------------- what was found


def count_line(results: Results | Tree, wanted: SearchRequest) -> Markup:
    """Return the paragraph that tells how many pages were found, how long that took and how the query was read."""
    _, ngettext, _url_for, reader = calls_of_reader()
    total, parsed, number = results.total, results.parsed, number_in(reader.locale_name)
    counted = ngettext("%(count)s page found", "%(count)s pages found", total, count=number(total))
    begin = ""
    if wanted.offset and wanted.view == "list":
        begin = _(", ") + _("from %(place)s on", place=number(wanted.offset + 1))
    took_ms = int(round(results.took_ms, 0))
    took = _("%(time)s ms", time=number(took_ms)) if results.took_ms >= 1 else _("under 1 ms")
    read_as = ""
    if parsed and parsed not in (wanted.query, f"{wanted.query} {wanted.filters()}".strip()):
        label, shown = _("read as"), written(shorten(clean(parsed), 300))
        read_as = f'  <span class="parsed">{label} <code dir="auto">{shown}</code></span>\n'
    return Markup(  # noqa: S704  of texts that are safe
        f'<p class="count" role="status">\n  {counted}{begin}  <span class="quiet">({took})</span>\n{read_as}</p>'
    )


def _to_captures(address: str, count: int) -> str:
    """Return the paragraph that leads to the captures of an address that was typed."""
    _, ngettext, _url_for, _reader = calls_of_reader()
    typed, captures = _("That is a web address:"), captures_address(address, root=plain_root())
    see = ngettext("see its %(count)s capture", "see its %(count)s captures", count, count=number(count))
    return f'<p class="notice">{typed} <a href="{written(captures)}">{see}</a></p>\n'


def _found(results: Results, wanted: SearchRequest) -> bytes:
    """Return the list of hits with what stands around it."""
    calls = calls_of_reader()
    _, searched, asked = calls.gettext, calls.url_for("search.search"), written(wanted.asked())
    address = f"{written(searched)}?{asked}"
    groups = facet_groups(results.facets, wanted, calls) if results.facets else []
    narrow, far_down = _("Narrow down"), _("There are no results so far down the list.")
    jump = f'<p class="jump"><a href="#facets-title">{narrow}</a></p>' if groups else ""
    head = f'<div class="columns">\n<div class="list">\n{count_line(results, wanted)}{jump}'
    foot = (
        f"{_page_links(make_pager(wanted, results.total), address, calls)}{_formats(wanted, asked, calls)}</div>\n"
        f"{facets(groups, wanted, calls)}</div>\n"
    )
    if not results.hits:
        to_first = _("Go to the first results")
        return encoded(f'{head}<p>{far_down}\n  <a href="{address}">{to_first}</a></p>\n{foot}')
    begin = encoded(f'{head}<ol class="hits" start="{wanted.offset + 1}">\n')
    return b"".join((begin, _hits(results, wanted), b"</ol>\n", encoded(foot)))


def _hits(results: Results, wanted: SearchRequest) -> bytes:
    if wanted.explain:
        return encoded(render_template("_hits.html", results=results, wanted=wanted))
    return HitWriter(wanted).hits_encoded(results.hits)


def _page_links(pager: Pager | None, first: str, calls: Calls) -> str:
    """Return the links to other pages of a list. first: the address of the first one, as it stands in HTML."""
    if pager is None:
        return ""
    _, as_text = calls.gettext, number_in(calls.reader.locale_name)
    label, page, before, behind = _("Pages of results"), _("page"), _("previous"), _("next")

    def address(place: int) -> str:
        return first if place == 1 else f"{first}&amp;page={place}"

    pieces = [f'<nav class="pager" aria-label="{label}">\n']
    if pager.previous:
        pieces.append(
            f'<a rel="prev" href="{address(pager.previous)}"><span aria-hidden="true">‹ </span>{before}</a>'
        )
    for place in pager.pages:
        if place is None:
            pieces.append('<span aria-hidden="true">…</span>\n')
        elif place == pager.current:
            pieces.append(f'<span aria-current="page">{as_text(place)}</span>\n')
        else:
            pieces.append(
                f'<a href="{address(place)}"><span class="hidden-label">{page} </span>{as_text(place)}</a>'
            )
    if pager.next:
        pieces.append(
            f'<a rel="next" href="{address(pager.next)}">{behind}<span aria-hidden="true"> ›</span></a>'
        )
    pieces.append("</nav>\n")
    return "".join(pieces)


def _formats(wanted: SearchRequest, asked: str, calls: Calls) -> str:
    """Return the links to the same results with their scores explained, and for programs. asked: as it stands there."""
    _, url_for = calls.gettext, calls.url_for
    if wanted.explain:
        other, label = wanted.asked(explain="", page=wanted.page), _("Without the scores")
    else:
        other, label = wanted.asked(explain=1, page=wanted.page), _("Why these results?")
    programs, links = _("For programs:"), _links_of_programs(url_for).replace(_HERE, asked)
    return (
        f'<p class="formats"><a href="{written(url_for("search.search"))}?{written(other)}">{label}</a> ·\n'
        f"  {programs} {links}</p>\n"
    )


@lru_cache(maxsize=32)
def _links_of_programs(url_for: Callable[..., str]) -> str:
    """Return the links to what programs read, _HERE for what is asked."""
    links = [
        f'<a href="{written(url_for(endpoint))}?{_HERE}">{name}</a>'
        for name, endpoint in _FOR_PROGRAMS.items()
    ]
    return " · ".join(links)
