"""Replay: archived bytes, made fit for the frame.

    /web/TIMESTAMPmod_/URL    as it is shown in the frame; `id_` gives the bytes untouched
    /web/TIMESTAMP/URL        leads to the page with the bar, see `cached.py`

How a body leaves goes by its type. Pages and style sheets are rewritten, other XML is shown as text, drawings (SVG)
as pictures; pictures, sound, fonts and plain text are only looked at. All else, and all that is not rewritten because
the untouched bytes are asked for, is a file to be saved. A browser that opens any of it connects nowhere.

Nothing here takes a file path: an address names a URL and a time, and the index
knows where the record lies. Everything below /web/ leaves under the replay header
set of `security.py`.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
from dataclasses import dataclass
from email.utils import format_datetime
from functools import cache
from importlib import resources
from urllib.parse import quote

from flask import Blueprint, Response, make_response, redirect, render_template, request

from archiver.warc import ArchiveError, resolve
from indexer import Capture, Index
from indexer.text.charset import decode_css, decode_html
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
from webui.next_steps import next_steps
from webui.preferences import chosen_language
from webui.rewrite_context import RewriteContext
from webui.rewrite_css import rewrite_css
from webui.rewritten import RewrittenPage, nothing_sent, rewritten_page
from webui.stored import (
    CONTROLS,
    REDIRECTS,
    SVG,
    StoredResponse,
    acts_by_itself,
    as_datetime,
    as_seconds,
    captures_of,
    closest,
    is_other_xml,
    is_passive,
    naming_digest,
    nearest_with_content,
    read_stored,
)

blueprint = Blueprint("replay", __name__)
log = logging.getLogger(__name__)

MAX_ORIGINAL_HEADERS = 64
MAX_HEADER_CHARS = 4_000
MAX_REDIRECTS = 10
# All others are shown as X-Archive-Orig-NAME, which means nothing to a browser.
_NEVER_SHOWN = frozenset({"set-cookie", "set-cookie2"})
# Who asked for no part, has no copy and uses no proxy cannot be answered so: browsers show an error of their own.
_NEVER_SENT = frozenset({206, 304, 407})
_PARTS = frozenset({"if_", "fr_"})
_OTHERS_SHOWN = 20
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
        extras = target.extras
        return redirected(
            cached_address(
                target.url,
                target.timestamp,
                root,
                query=extras.query,
                digest=extras.digest,
                view=extras.view,
                place=extras.place,
            )
        )
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
                    index,
                    capture,
                    target.timestamp,
                    request.script_root,
                    target.extras.query,
                    is_part=target.modifier in _PARTS,
                )
        except (ArchiveError, OSError) as error:
            log.warning("%s: capture of %s cannot be read: %s", capture.location.path, capture.url, error)
            return _unreadable(capture, target)
        if isinstance(found, StoredResponse) and found.is_redirect:
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
    is_raw = target.modifier == "id_"
    if page is None and not is_raw and not _is_part_of_page() and nothing_sent(stored):
        return _nothing_was_sent(capture, stored)
    body, content_type, is_download = (
        (page, "text/html; charset=utf-8", False)
        if page is not None
        else _as_it_leaves(capture, stored, target, is_raw)
    )
    response = make_response(body)
    response.status_code = _sent_status(stored.status)
    response.headers["Content-Type"] = content_type
    _add_archived_headers(response, capture, stored, is_download)
    if response.status_code == 200:
        response.set_etag(_etag(capture, target))
        # Pictures and sound are asked for in pieces.
        response.make_conditional(request, accept_ranges=True, complete_length=len(body))
    return response


def _as_it_leaves(
    capture: Capture, stored: StoredResponse, target: ReplayTarget, is_raw: bool
) -> tuple[bytes, str, bool]:
    """Return body, content type, and whether it is to be saved and not shown, of what is no rewritten page."""
    body, mime = stored.body, stored.mime
    if acts_by_itself(mime):
        return body, "application/octet-stream", True
    if not is_raw:
        if mime == "text/css":
            text, charset = decode_css(body, stored.content_type)
            context = RewriteContext(capture.url, target.timestamp, request.script_root, charset=charset)
            return rewrite_css(text, context).encode("utf-8", "replace"), "text/css; charset=utf-8", False
        if is_other_xml(mime) or (mime.startswith("text/") and not is_passive(mime)):
            # A style sheet of its own could turn XML into any page; as text it is what was stored.
            return _as_text(stored), "text/plain; charset=utf-8", False
        if mime == SVG and _is_shown_as_page(target):
            picture = replay_address(
                capture.url, target.timestamp, "im_", request.script_root, digest=target.extras.digest
            )
            page = render_template("frame_picture.html", picture=picture, url=capture.url)
            return page.encode("utf-8", "replace"), "text/html; charset=utf-8", False
    # As a part of a page a drawing is shown although it is a file to be saved, and may load nothing.
    return body, _safe_content_type(stored), not is_passive(mime)


def _as_text(stored: StoredResponse) -> bytes:
    return decode_html(stored.body, stored.content_type)[0].encode("utf-8", "replace")


def _is_shown_as_page(target: ReplayTarget) -> bool:
    """Tell whether a window or frame asks, and no page that wants a picture."""
    purpose = request.headers.get("Sec-Fetch-Dest")
    return target.modifier in _PARTS or purpose in ("document", "iframe", "frame", "embed", "object")


def _sent_status(status: int) -> int:
    """Return the status that an archived answer is sent with: its own (RFC 7089, 4.5), where a client can take it."""
    return status if 200 <= status < 600 and status not in _NEVER_SENT else 200


def _has_it(capture: Capture, target: ReplayTarget) -> bool:
    """Tell whether the browser has this very answer, as far as can be told without a look at the record."""
    # redirects and errors have no name; a font needs a header that a picture of the same bytes had not, and a
    # drawing is a page or a picture
    can_be_named = (
        _sent_status(capture.status) == 200
        and request.headers.get("Sec-Fetch-Dest") != "font"
        and capture.mime != SVG
    )
    has_names = bool(request.if_none_match)
    return has_names and can_be_named and request.if_none_match.contains_weak(_etag(capture, target))


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


@dataclass(frozen=True, slots=True)
class _Goal:
    """Where a stored redirect leads in the archive. capture: what lies there, None if nothing does."""

    url: str
    timestamp: str
    digest: str
    capture: Capture | None


def _archived_redirect(
    index: Index, capture: Capture, stored: StoredResponse, target: ReplayTarget
) -> Response:
    """Lead on to the goal of a stored redirect; one that leads nowhere is told in words."""
    is_raw = target.modifier == "id_"
    named = redirect_goal(capture, stored)
    goal = _goal(index, capture, stored, target.timestamp) if named else None
    if goal is None or _leads_in_a_circle(index, capture, goal, target.timestamp):
        if is_raw:
            return _answer(capture, stored, target)  # without Location, which would be followed for ever
        if not named:
            return _message(
                404,
                _("A redirect without a usable goal"),
                _("The archive holds a redirect here that names no web address."),
                capture.url,
            )
        others = [other for other in captures_of(named) if other.status not in REDIRECTS]
        return _message(404, _("Not archived"), _only_redirects(goal is not None), named, others)
    response = redirected(
        replay_address(
            goal.url,
            goal.timestamp,
            target.modifier,
            request.script_root,
            query=target.extras.query,
            digest=goal.digest,
        )
    )
    if is_raw:  # the bytes that were archived, as for every answer
        location = response.headers["Location"]
        response = _answer(capture, stored, target)
        response.headers["Location"] = location
    else:
        response.status_code = stored.status
        _add_archived_headers(response, capture, stored, is_download=False)
    response.headers["Cache-Control"] = "no-cache"  # a later capture may lie nearer to the time asked for
    return response


def redirect_goal(capture: Capture, stored: StoredResponse) -> str:
    """Return the web address that a stored redirect names, "" if it names none."""
    location = CONTROLS.sub("", stored.headers.get("Location")).strip()
    try:
        goal = resolve(location, capture.url) if location else ""
    except ValueError:
        return ""
    return goal if goal.lower().startswith(("http://", "https://")) else ""


def _goal(index: Index, capture: Capture, stored: StoredResponse, timestamp: str) -> _Goal | None:
    """Return where a stored redirect leads from; None when it names nothing but what it is itself.

    A page may have answered with a redirect to itself once, to set a cookie, and http:// and https:// of one page are
    one address to the archive: then it leads to the page nearest in time, by its exact time and digest.
    """
    url = redirect_goal(capture, stored)
    found = closest(index, url, timestamp) if url else None
    if not url or found is None or found.location != capture.location:
        return _Goal(url, timestamp, "", found) if url else None
    captures = captures_of(url)
    when = as_seconds(capture.timestamp)
    pages = [other for other in captures if other.status == 200]
    page = min(pages, key=lambda other: abs(as_seconds(other.timestamp) - when), default=None)
    return _Goal(page.url, page.timestamp, naming_digest(page, captures), page) if page is not None else None


def _leads_in_a_circle(index: Index, first: Capture, goal: _Goal, timestamp: str) -> bool:
    """Tell whether redirects, followed on from `first`, come back to one that was met before, or find no end."""
    met = {first.location}
    step: _Goal | None = goal
    for _step in range(MAX_REDIRECTS):
        capture = step.capture if step is not None else None
        if step is None:
            return True
        if capture is None or capture.status not in REDIRECTS:
            return False
        if capture.location in met:
            return True
        met.add(capture.location)
        try:
            stored = read_stored(index, capture)
        except (ArchiveError, OSError):
            return False
        if stored is None or not redirect_goal(capture, stored):
            return False  # that is told when it is met
        step = _goal(index, capture, stored, timestamp)
    return True


def _only_redirects(in_circle: bool) -> str:
    if in_circle:
        return _("The archive holds redirects that lead in a circle, but not the page itself.")
    return _("The archive holds a redirect to this page, but not the page itself.")


# ---------------------------------------------------------------- messages in the frame


def _not_archived(target: ReplayTarget, others: list[Capture]) -> Response:
    if _is_part_of_page():
        response = make_response("Not archived.\n", 404)
        response.headers["Content-Type"] = "text/plain; charset=utf-8"
        return response
    return _message(
        404, _("Not archived"), _("The archive holds no copy of this address."), target.url, others
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
) -> Response:
    """Return a page of words, with the captures and the other ways that a reader can go on by, in the whole window."""
    page = render_template(
        "frame_message.html",
        title=title,
        message=message,
        url=url,
        others=(others or [])[-_OTHERS_SHOWN:],
        steps=next_steps(url),
    )
    return make_response(page, status)


def _nothing_was_sent(capture: Capture, stored: StoredResponse) -> Response:
    """Return a page of words for an archived answer without a body, where a browser would show an error of its own."""
    others = [other for other in captures_of(capture.url) if other.status == 200]
    status = _sent_status(stored.status)
    response = _message(
        404 if status == 200 else status, _("Nothing to show"), nothing_sent(stored), capture.url, others
    )
    _add_archived_headers(response, capture, stored, is_download=False)
    return response


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
