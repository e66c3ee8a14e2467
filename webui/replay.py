"""Replay: archived bytes, made fit for the frame.

    /web/TIMESTAMPmod_/URL    as it is shown in the frame; `id_` gives the bytes untouched
    /web/TIMESTAMP/URL        leads to the page with the bar, see `cached.py`

Nothing here takes a file path: an address names a URL and a time, and the index
knows where the record lies. Everything below /web/ leaves under the replay header
set of `security.py`.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
from email.utils import format_datetime
from functools import cache
from importlib import resources
from urllib.parse import quote

from flask import Blueprint, Response, make_response, redirect, render_template, request

from archiver.warc import ArchiveError, resolve
from indexer import Capture, Index
from indexer.text.charset import decode_html
from webui.access import plain_root
from webui.addresses import (
    ReplayTarget,
    archived_url,
    cached_address,
    captures_address,
    parse_replay,
    raw_target,
    replay_address,
)
from webui.application import site
from webui.i18n import gettext as _
from webui.memento import answer_timegate, link_header, neighbours_of
from webui.preferences import chosen_language
from webui.rewrite_context import RewriteContext
from webui.rewrite_css import rewrite_css
from webui.rewritten import RewrittenPage, rewritten_page
from webui.stored import (
    CONTROLS,
    StoredResponse,
    as_datetime,
    as_seconds,
    captures_of,
    closest,
    decode_css,
    is_other_xml,
    nearest_with_content,
    read_stored,
    shows_in_frame,
)

blueprint = Blueprint("replay", __name__)
log = logging.getLogger(__name__)

MAX_ORIGINAL_HEADERS = 64
MAX_HEADER_CHARS = 4_000
MAX_REDIRECTS = 10
# All others are shown as X-Archive-Orig-NAME, which means nothing to a browser.
_NEVER_SHOWN = frozenset({"set-cookie", "set-cookie2"})
_TOKEN = re.compile(r"[^A-Za-z0-9!#$%&'*+.^_`|~-]")
_FILENAME = re.compile(r"filename\*?\s*=\s*(?:UTF-8'[^']*')?\"?([^\";]+)", re.IGNORECASE)


@blueprint.get("/web/<path:rest>")
def replay(rest: str) -> Response:
    target_text = raw_target(request.environ, "/web/")
    if target_text.lower().startswith(("http:/", "https:/")):
        return answer_timegate(archived_url(target_text))
    target = parse_replay(target_text)
    root = plain_root()
    if target.timestamp == "*":
        return redirected(captures_address(target.url, root=root))
    if not target.modifier:
        extras = {"query": target.extras.query, "digest": target.extras.digest, "view": target.extras.view}
        return redirected(cached_address(target.url, target.timestamp, root, **extras))
    with site().index_access.lease() as index:
        capture = closest(index, target.url, target.timestamp, target.extras.digest)
        if capture is None:
            return _not_archived(target, captures_of(target.url))
        if capture.type == "revisit" and capture.original is None:
            capture = nearest_with_content(capture, captures_of(capture.url))
            if capture is None:
                return _message(
                    404,
                    _("Only a reference is archived"),
                    _(
                        "The archive notes that this page was seen unchanged, but does not hold the copy it refers to."
                    ),
                    target.url,
                )
        if _has_it(capture, target):
            return _not_modified(capture, target)
        try:
            if target.modifier == "id_":
                found: RewrittenPage | StoredResponse | None = read_stored(index, capture, is_raw=True)
            else:
                found = rewritten_page(
                    index, capture, target.timestamp, request.script_root, target.extras.query
                )
        except (ArchiveError, OSError) as error:
            log.warning("%s: capture of %s cannot be read: %s", capture.location.path, capture.url, error)
            return _unreadable(capture, target)
        if isinstance(found, StoredResponse) and target.modifier != "id_" and 300 <= found.status < 400:
            return _archived_redirect(index, capture, found, target)
    if found is None:
        return _unreadable(capture, target)
    if isinstance(found, RewrittenPage):
        return _answer(capture, found.stored, target, found.body)
    return _answer(capture, found, target)


def _answer(
    capture: Capture, stored: StoredResponse, target: ReplayTarget, page: bytes | None = None
) -> Response:
    """Return what was stored under the headers that may leave; page: the rewritten page, if it is one."""
    body, content_type = stored.body, _safe_content_type(stored)
    is_download = False
    if page is not None:
        body, content_type = page, "text/html; charset=utf-8"
    elif target.modifier != "id_":
        if stored.mime == "text/css":
            context = RewriteContext(capture.url, target.timestamp, request.script_root)
            text = rewrite_css(decode_css(body, stored.content_type), context)
            body, content_type = text.encode("utf-8", "replace"), "text/css; charset=utf-8"
        elif is_other_xml(stored.mime):
            # A style sheet of its own could turn XML into any page; as text it is what was stored.
            content_type = "text/plain; charset=utf-8"
            body = decode_html(body, stored.content_type)[0].encode("utf-8", "replace")
        else:
            is_download = not shows_in_frame(stored.mime)
    response = make_response(body)
    # An archived answer of status 503 is no failure of this server; others keep their status.
    response.status_code = stored.status if 400 <= stored.status < 500 else 200
    response.headers["Content-Type"] = content_type
    _add_archived_headers(response, capture, stored, is_download)
    if response.status_code == 200:
        response.set_etag(_etag(capture, target))
        # Pictures and sound are asked for in pieces.
        response.make_conditional(request, accept_ranges=True, complete_length=len(body))
    return response


def _has_it(capture: Capture, target: ReplayTarget) -> bool:
    """Tell whether the browser has this very answer, as far as can be told without a look at the record."""
    # redirects and errors have no name; a font needs a header that a picture of the same bytes had not
    can_be_named = not 300 <= capture.status < 500 and request.headers.get("Sec-Fetch-Dest") != "font"
    return can_be_named and request.if_none_match.contains_weak(_etag(capture, target))


def _not_modified(capture: Capture, target: ReplayTarget) -> Response:
    response = make_response("", 304)
    response.set_etag(_etag(capture, target))
    return response


def _etag(capture: Capture, target: ReplayTarget) -> str:
    """Return the name of an answer: of what was stored, when it was asked for, how, and by which code it was made."""
    digest = _TOKEN.sub("", capture.digest) or f"{capture.location.offset}-{capture.location.length}"
    name = f"{digest[:80]}-{capture.timestamp}-{target.timestamp}{target.modifier}"
    if target.modifier == "id_":
        return name
    marks = f"{target.extras.query} {site().settings.search.operator}" if target.extras.query else ""
    return f"{name}-{hash_of(f'{_code()} {chosen_language()} {marks}')}"


@cache
def _code() -> str:
    """Return the name of the code that makes pages fit for the frame: what another version made is made anew."""
    sources = [entry for entry in resources.files("webui").iterdir() if entry.name.endswith(".py")]
    together = b"".join(entry.read_bytes() for entry in sorted(sources, key=lambda entry: entry.name))
    return hashlib.sha256(together).hexdigest()


def hash_of(text: str) -> str:
    """Return a short name of a text that can stand in a header field."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def _safe_content_type(stored: StoredResponse) -> str:
    charset = re.search(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", stored.content_type, re.IGNORECASE)
    return f"{stored.mime}; charset={charset[1]}" if charset else stored.mime


def _add_archived_headers(
    response: Response, capture: Capture, stored: StoredResponse, is_download: bool
) -> None:
    """Pass on archived header fields: few as they are, the rest under names without meaning."""
    language = _header_text(stored.headers.get("Content-Language"))
    if language:
        response.headers["Content-Language"] = language
    disposition = stored.headers.get("Content-Disposition")
    if is_download or disposition.strip().lower().startswith("attachment"):
        response.headers["Content-Disposition"] = _attachment(disposition, capture.url)
    if request.headers.get("Sec-Fetch-Dest") == "font" and _is_font(stored):
        # The sandboxed page has no origin, and fonts are loaded with CORS. Nothing else is opened to others.
        response.headers["Access-Control-Allow-Origin"] = "*"
    when = as_datetime(capture.timestamp)
    if when is not None:
        response.headers["Memento-Datetime"] = format_datetime(when, usegmt=True)
        near = None
        if not _is_part_of_page():  # a picture's captures are asked for by nobody
            with site().index_access.lease() as index:
                near = neighbours_of(index, capture)
        response.headers["Link"] = link_header(capture.url, near)
    if stored.status:
        response.headers["X-Archive-Orig-Status"] = str(stored.status)
    for number, (name, value) in enumerate(stored.headers):
        if number >= MAX_ORIGINAL_HEADERS:
            break
        token = _TOKEN.sub("", name)[:100]
        if token and token.lower() not in _NEVER_SHOWN:
            response.headers.add(f"X-Archive-Orig-{token}", _header_text(value))


def _header_text(value: str) -> str:
    """Return a value that can stand in a header field: one line, Latin-1, not endless."""
    text = CONTROLS.sub(" ", value[:MAX_HEADER_CHARS]).strip()
    return text.encode("latin-1", "replace").decode("latin-1")


def _attachment(disposition: str, url: str) -> str:
    match = _FILENAME.search(disposition)
    name = match[1] if match else re.split(r"[?#]", url)[0].rsplit("/", 1)[-1]
    name = CONTROLS.sub("", name).replace("/", "_").replace("\\", "_").strip(" .\"'") or "archived-file"
    plain = re.sub(r"[^A-Za-z0-9._ -]", "_", name)[:100]
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name[:100], safe='')}"


def _is_font(stored: StoredResponse) -> bool:
    return (
        stored.mime.startswith("font/")
        or "font" in stored.mime
        or stored.body[:4] in (b"wOFF", b"wOF2", b"\x00\x01\x00\x00", b"OTTO", b"true")
    )


def _archived_redirect(
    index: Index, capture: Capture, stored: StoredResponse, target: ReplayTarget
) -> Response:
    """Follow a stored redirect inside the archive; one that leads back to itself is told in words."""
    goal = redirect_goal(capture, stored)
    if not goal:
        return _message(
            404,
            _("A redirect without a usable goal"),
            _("The archive holds a redirect here that names no web address."),
            capture.url,
        )
    next_capture = closest(index, goal, target.timestamp)
    if next_capture is not None and next_capture.location == capture.location:
        # http:// and https:// of one page are one address to the archive: look for a page beside the redirect.
        others = [other for other in captures_of(goal) if other.status == 200]
        if not others:
            return _only_a_redirect(goal)
        nearest = min(
            others, key=lambda other: abs(as_seconds(other.timestamp) - as_seconds(capture.timestamp))
        )
        goal, timestamp = nearest.url, nearest.timestamp
    elif next_capture is not None and _leads_in_a_circle(index, capture, next_capture, target.timestamp):
        return _only_a_redirect(goal)
    else:
        timestamp = target.timestamp
    address = replay_address(goal, timestamp, target.modifier, request.script_root, query=target.extras.query)
    return redirected(address)


def redirect_goal(capture: Capture, stored: StoredResponse) -> str:
    """Return the web address that a stored redirect names, "" if it names none."""
    location = CONTROLS.sub("", stored.headers.get("Location")).strip()
    try:
        goal = resolve(location, capture.url) if location else ""
    except ValueError:
        return ""
    return goal if goal.lower().startswith(("http://", "https://")) else ""


def _leads_in_a_circle(index: Index, first: Capture, capture: Capture, timestamp: str) -> bool:
    """Tell whether redirects, followed from `capture` on, come back to one that was met before."""
    met = {first.location}
    step: Capture | None = capture
    for _step in range(MAX_REDIRECTS):
        if step is None or not 300 <= step.status < 400:
            return False
        if step.location in met:
            return True
        met.add(step.location)
        try:
            stored = read_stored(index, step)
        except (ArchiveError, OSError):
            return False
        goal = redirect_goal(step, stored) if stored is not None else ""
        step = closest(index, goal, timestamp) if goal else None
    return True


def _only_a_redirect(goal: str) -> Response:
    return _message(
        404, _("Not archived"), _("The archive holds a redirect to this page, but not the page itself."), goal
    )


# ---------------------------------------------------------------- messages in the frame


def _not_archived(target: ReplayTarget, others: list[Capture]) -> Response:
    if _is_part_of_page():
        response = make_response("Not archived.\n", 404)
        response.headers["Content-Type"] = "text/plain; charset=utf-8"
        return response
    return _message(
        404,
        _("Not archived"),
        _("The archive holds no copy of this address."),
        target.url,
        others,
        crawl=True,
    )


def _unreadable(capture: Capture, target: ReplayTarget) -> Response:
    others = [other for other in captures_of(capture.url) if other.location != capture.location]
    message = _(
        "The copy of %(when)s cannot be read: the archive file %(file)s is damaged, was moved, or holds no web page "
        "at that place. Other copies may be fine.",
        when=capture.timestamp,
        file=os.path.basename(capture.location.path),
    )
    return _message(404, _("This copy cannot be shown"), message, target.url, others)


def _message(
    status: int,
    title: str,
    message: str,
    url: str,
    others: list[Capture] | None = None,
    *,
    crawl: bool = False,
) -> Response:
    """Return a page of words; crawl: offer to crawl the address, where the reader can follow that link."""
    # Inside a frame our own pages do not open, and should not.
    is_alone = request.headers.get("Sec-Fetch-Dest") == "document"
    page = render_template(
        "frame_message.html",
        title=title,
        message=message,
        url=url,
        others=(others or [])[-20:],
        offers_crawl=crawl and is_alone and url.startswith(("http://", "https://")),
    )
    return make_response(page, status)


def _is_part_of_page() -> bool:
    """Tell whether the browser asks for a picture, style or the like, where nobody would read a page of words."""
    purpose = request.headers.get("Sec-Fetch-Dest", "document")
    return purpose not in ("document", "iframe", "frame", "embed", "object", "empty")


# ---------------------------------------------------------------- small helpers


def redirected(address: str) -> Response:
    """Return the answer that leads to another of our addresses."""
    response = redirect(address, 302)
    assert isinstance(response, Response)
    return response
