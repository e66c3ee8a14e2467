"""The page of results, put together: a frame that most searches of a reader share, and what was found.

Form, links and chrome of a page depend on the reader and, but for a few links, not on what was asked. As a template
that was half of the work of a page. Of a plain search, one without filters and further wishes, the frame is kept cut up
at the places where the query stands; it comes from the same template as the frame of any other search.
"""

from __future__ import annotations

import re
from typing import Any

from flask import current_app, render_template, request
from markupsafe import Markup

from indexer import Results
from indexer.store.recent import Recent
from webui.access import COOKIE
from webui.addresses import quoted
from webui.formats import clean, shorten
from webui.i18n import address_here
from webui.preferences import chosen_language, preferences
from webui.result_links import added_links, chips_of, sort_links, view_links, widening_links
from webui.search_request import SearchRequest
from webui.template_code import written

_FRAMES_KNOWN = 64  # about 10 kB each
_TITLE_CHARS = 60
# Words that stand where values go: of letters alone, so that they are the same however they are escaped.
_ASKED, _SHOWN, _TITLE, _HERE, _NOTED, _FOUND = (
    f"xPLACEx{name}x" for name in ("asked", "shown", "title", "here", "noted", "found")
)
_PLACE = re.compile(r"(xPLACEx[a-z]+x)")


def add_frames(app: Any) -> None:
    """Give the application room for frames."""
    app.extensions["findingaid.frames"] = Recent(_FRAMES_KNOWN)


def results_page(results: Results, wanted: SearchRequest, **found: object) -> str:
    """Return the page of the results of a search. found: what `_found.html` takes beside `results` and `wanted`."""
    notices = (*wanted.notices, *results.notices)
    noted = (
        render_template("_noted.html", notices=notices, results=results)
        if notices or results.did_you_mean
        else ""
    )
    below = render_template("_found.html", results=results, wanted=wanted, **found)
    title = shorten(clean(wanted.query or wanted.filters()), _TITLE_CHARS)
    if not wanted.is_plain or results.added:
        return _rendered(
            wanted, title=title, shown=wanted.query, noted=noted, found=below,
            added=added_links(results.added, wanted),
        )  # fmt: skip
    values = {
        _ASKED: written(quoted(wanted.query)),
        _SHOWN: written(clean(wanted.query)),
        _TITLE: written(title),
        _HERE: written(address_here()),
        _NOTED: noted,
        _FOUND: below,
    }
    frame = _frame(wanted).copy()
    frame[1::2] = [values[place] for place in frame[1::2]]
    return "".join(frame)


def _frame(wanted: SearchRequest) -> list[str]:
    """Return the frame of plain searches of this reader: every second piece names the value that is to stand there."""
    frames: Recent[list[str]] = current_app.extensions["findingaid.frames"]
    own_size = wanted.size if wanted.own_size else 0
    # all that the template looks at, beside what is filled in
    key = chosen_language(), request.script_root, preferences(), COOKIE in request.cookies, own_size
    frame = frames.find(key)
    if frame is None:
        anything = SearchRequest(_ASKED, size=wanted.size, own_size=wanted.own_size)
        frame = _PLACE.split(
            _rendered(anything, title=_TITLE, shown=_SHOWN, noted=_NOTED, found=_FOUND, here=_HERE, added=[])
        )
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
