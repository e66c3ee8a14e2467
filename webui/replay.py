"""Cached pages: what was archived, shown as it was stored.

    /cached/TIMESTAMP/URL     our page: a bar that says what and when, and a frame
    /captures/WHEN/URL        our page: all captures of one address
    /web/TIMESTAMPmod_/URL    archived bytes, made fit for the frame; `id_` gives them untouched

Nothing here takes a file path: an address names a URL and a time, and the index
knows where the record lies. Everything below /web/ leaves under the replay header
set of `security.py`.
"""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from urllib.parse import quote, unquote, urljoin, urlsplit

from flask import Blueprint, Response, make_response, redirect, render_template, request

from archiver.warc import DEFAULT_LIMITS, ArchiveError, Headers, parse_head, parse_response
from indexer import Capture, Index
from indexer.text.charset import decode_html
from webui.addresses import (
    ReplayTarget,
    archived_url,
    cached_address,
    captures_address,
    parse_dated,
    parse_replay,
    raw_target,
    replay_address,
)
from webui.application import site
from webui.memento import answer_timegate, link_header, neighbours
from webui.rewrite import RewriteContext, rewrite_css, rewrite_page

blueprint = Blueprint("replay", __name__)
log = logging.getLogger(__name__)

MAX_CAPTURES_SHOWN = 500
LARGE_PAGE_BYTES = 500_000
# Pages and style sheets are rewritten in memory; what is passed on as it is may be larger.
PAGE_LIMITS = replace(DEFAULT_LIMITS, body_bytes=4 << 20)
_one_large_page = threading.Lock()
MAX_ORIGINAL_HEADERS = 64
MAX_HEADER_CHARS = 4_000
# All others are shown as X-Archive-Orig-NAME, which means nothing to a browser.
_NEVER_SHOWN = frozenset({"set-cookie", "set-cookie2"})
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]{1,100}/[a-z0-9!#$&^_.+-]{1,100}")
_TOKEN = re.compile(r"[^A-Za-z0-9!#$%&'*+.^_`|~-]")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_CSS_CHARSET = re.compile(rb'^@charset "([A-Za-z0-9_.:-]{1,40})";')
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_FILENAME = re.compile(r"filename\*?\s*=\s*(?:UTF-8'[^']*')?\"?([^\";]+)", re.IGNORECASE)
_LOOKS_LIKE_HTML = re.compile(rb"^\s*(?:<!--.*?-->\s*|<\?xml[^>]*>\s*)*<(?:!doctype html|html|head|body|title)\b",
                              re.IGNORECASE | re.DOTALL)  # fmt: skip
_MAGIC = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"GIF8", "image/gif"), (b"\xff\xd8\xff", "image/jpeg"),
          (b"%PDF-", "application/pdf"), (b"wOFF", "font/woff"), (b"wOF2", "font/woff2"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A capture read from its archive: what is needed to show it."""

    status: int
    headers: Headers
    body: bytes
    mime: str
    content_type: str
    note: str


# ---------------------------------------------------------------- our own pages


@blueprint.get("/cached/<path:rest>")
def cached(rest: str) -> Response:
    when, url = parse_dated(raw_target(request.environ, "/cached/"))
    if when == "*":
        return _redirect(captures_address(url, root=request.script_root))
    captures = captures_of(url)
    with site().index_access.lease() as index:
        capture = _closest(index, url, when)
    if capture is None:
        return make_response(render_template("not_archived.html", url=url, when=when, captures=captures), 404)
    times = sorted({other.timestamp for other in captures})
    earlier = [time for time in times if time < capture.timestamp]
    later = [time for time in times if time > capture.timestamp]
    page = render_template(
        "cached.html",
        capture=capture,
        show_frame=_shows_in_frame(capture.mime),
        asked=when if when.strip("0") and not capture.timestamp.startswith(when) else "",
        count=len(captures),
        versions=len({other.digest for other in captures}),
        first=times[0] if times else capture.timestamp,
        last=times[-1] if times else capture.timestamp,
        previous=earlier[-1] if earlier else "",
        following=later[0] if later else "",
        file_name=os.path.basename(capture.location.path),
        results_url=_results_page_we_came_from(),
    )
    return make_response(page)


@blueprint.get("/captures/<path:rest>")
def captures(rest: str) -> Response:
    when, url = parse_dated(raw_target(request.environ, "/captures/"))
    found = captures_of(url)
    if not found:
        return make_response(render_template("not_archived.html", url=url, when="", captures=[]), 404)
    years: dict[str, int] = {}
    for capture in found:
        years[capture.timestamp[:4]] = years.get(capture.timestamp[:4], 0) + 1
    chosen = [capture for capture in found if when == "*" or capture.timestamp.startswith(when)]
    numbers: dict[str, int] = {}
    for capture in found:
        numbers.setdefault(capture.digest, len(numbers) + 1)
    page = render_template(
        "captures.html",
        url=url,
        when=when,
        captures=chosen[:MAX_CAPTURES_SHOWN],
        chosen=len(chosen),
        total=len(found),
        years=sorted(years.items()),
        most=max(years.values()),
        numbers=numbers,
    )
    return make_response(page, 200 if chosen else 404)


def captures_of(url: str) -> list[Capture]:
    """Return all captures of an address, oldest first."""
    with site().index_access.lease() as index:
        for spelling in _spellings(url):
            with suppress(ValueError):  # what is no address has no captures
                found = index.captures(spelling)
                if found:
                    return found
    return []


def _spellings(url: str) -> Iterator[str]:
    """Give the address as asked for, then as an archive may hold it that writes odd ones as they came."""
    yield url
    plain = unquote(url)
    if plain != url:
        yield plain
    if url.startswith("http://"):
        yield plain.removeprefix("http://")


# ---------------------------------------------------------------- archived bytes


@blueprint.get("/web/<path:rest>")
def replay(rest: str) -> Response:
    target_text = raw_target(request.environ, "/web/")
    if target_text.lower().startswith(("http:/", "https:/")):
        return answer_timegate(archived_url(target_text))
    target = parse_replay(target_text)
    root = request.script_root
    if target.timestamp == "*":
        return _redirect(captures_address(target.url, root=root))
    if not target.modifier:
        return _redirect(cached_address(target.url, target.timestamp, root))
    with site().index_access.lease() as index:
        capture = _closest(index, target.url, target.timestamp)
        if capture is None:
            return _not_archived(target, captures_of(target.url))
        if capture.type == "revisit" and capture.original is None:
            capture = _nearest_with_content(capture, captures_of(capture.url))
            if capture is None:
                return _message(
                    404, "Only a reference is archived",
                    "The archive notes that this page was seen unchanged, but does not hold the copy it refers to.",
                    target.url,
                )  # fmt: skip
        try:
            stored = _read(index, capture, target.modifier == "id_")
        except (ArchiveError, OSError) as error:
            log.warning("%s: capture of %s cannot be read: %s", capture.location.path, capture.url, error)
            return _unreadable(capture, target)
        if stored is not None and target.modifier != "id_" and 300 <= stored.status < 400:
            return _archived_redirect(index, capture, stored, target)
    if stored is None:
        return _unreadable(capture, target)
    return _answer(capture, stored, target)


def _closest(index: Index, url: str, timestamp: str) -> Capture | None:
    """Return the capture of `url` nearest in time; the timestamp 0 asks for the newest."""
    for spelling in _spellings(url):
        with suppress(ValueError):
            found = index.closest(spelling, timestamp if timestamp.strip("0") else None)
            if found:
                return found
    return None


def _nearest_with_content(capture: Capture, others: list[Capture]) -> Capture | None:
    """Return the capture nearest in time that holds content, for a revisit whose original is not archived."""
    able = [other for other in others if other.type != "revisit" or other.original is not None]
    when = _as_number(capture.timestamp)
    return min(able, key=lambda other: abs(_as_number(other.timestamp) - when), default=None)


def _read(index: Index, capture: Capture, is_raw: bool) -> StoredResponse | None:
    """Return what was stored, decoded; None when the record holds no answer that can be shown.

    is_raw: the bytes are not to be rewritten, so that a large page costs no more than its size.
    Raises ArchiveError or OSError when the archive cannot be read there (any more).
    """
    with index.record(capture) as record:
        head = parse_head(record)
        if head is None:
            return None
        is_page = (
            head.media_type in _HTML_TYPES or head.media_type == "text/css" or _is_other_xml(head.media_type)
        )
        response = parse_response(record, limits=PAGE_LIMITS if is_page and not is_raw else DEFAULT_LIMITS)
        cut_by_crawler = record.truncated not in ("", "file")
    if response is None:
        return None
    content_type = _CONTROLS.sub(" ", response.headers.get("Content-Type")).strip()
    mime = response.media_type
    if not _MEDIA_TYPE.fullmatch(mime):
        mime = capture.mime if _MEDIA_TYPE.fullmatch(capture.mime) else ""
        mime = mime or _sniffed(response.body)
        content_type = mime
    note = ""
    if response.truncated:
        note = f"This copy is cut short: {'; '.join(response.problems) or 'a part is missing'}."
    elif cut_by_crawler:
        note = "This copy is cut short: the crawler kept only the first part."
    return StoredResponse(response.status, response.headers, response.body, mime, content_type, note)


def _sniffed(body: bytes) -> str:
    """Return a media type for a body that was stored without one."""
    for magic, mime in _MAGIC:
        if body.startswith(magic):
            return mime
    if _LOOKS_LIKE_HTML.match(body[:1024]):
        return "text/html"
    return "application/octet-stream" if b"\x00" in body[:1024] else "text/plain"


def _answer(capture: Capture, stored: StoredResponse, target: ReplayTarget) -> Response:
    context = RewriteContext(capture.url, target.timestamp, request.script_root)
    body, content_type = stored.body, _safe_content_type(stored)
    is_download = False
    if target.modifier != "id_":
        if stored.mime in _HTML_TYPES:
            body, content_type = _rewritten(stored, context), "text/html; charset=utf-8"
        elif stored.mime == "text/css":
            text = rewrite_css(decode_css(body, stored.content_type), context)
            body, content_type = text.encode("utf-8", "replace"), "text/css; charset=utf-8"
        elif _is_other_xml(stored.mime):
            # A style sheet of its own could turn XML into any page; as text it is what was stored.
            content_type = "text/plain; charset=utf-8"
            body = decode_html(body, stored.content_type)[0].encode("utf-8", "replace")
        else:
            is_download = not _shows_in_frame(stored.mime)
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


def _rewritten(stored: StoredResponse, context: RewriteContext) -> bytes:
    # The tree of a large page takes many times its size: one at a time.
    with _one_large_page if len(stored.body) > LARGE_PAGE_BYTES else nullcontext():
        text, _ = decode_html(stored.body, stored.content_type)
        is_xhtml = stored.mime == "application/xhtml+xml"
        return rewrite_page(text, context, notice=stored.note, is_xhtml=is_xhtml).encode("utf-8", "replace")


def decode_css(body: bytes, content_type: str) -> str:
    """Return the text of a style sheet: byte order mark, HTTP header, @charset, then what fits."""
    match = _CSS_CHARSET.match(body)
    if match and "charset" not in content_type.lower():
        content_type = f"{content_type}; charset={match[1].decode('ascii')}"
    return decode_html(body, content_type)[0]


def _etag(capture: Capture, target: ReplayTarget) -> str:
    digest = _TOKEN.sub("", capture.digest) or f"{capture.location.offset}-{capture.location.length}"
    return f"{digest[:80]}-{capture.timestamp}-{target.timestamp}{target.modifier}"


def _safe_content_type(stored: StoredResponse) -> str:
    charset = re.search(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", stored.content_type, re.IGNORECASE)
    return f"{stored.mime}; charset={charset[1]}" if charset else stored.mime


def _is_other_xml(mime: str) -> bool:
    return mime in ("text/xml", "application/xml", "text/xsl") or (
        mime.endswith("+xml") and mime != "image/svg+xml"
    )


def _shows_in_frame(mime: str) -> bool:
    """Tell whether a browser shows the type inside a sandboxed frame; PDF is shown nowhere there."""
    return (
        mime.startswith(("text/", "image/", "audio/", "video/", "font/"))
        or mime in _HTML_TYPES
        or mime in ("", "application/json", "application/javascript", "application/x-javascript", "application/xml",
                    "application/font-woff", "application/vnd.ms-fontobject", "application/x-font-ttf")
        or mime.endswith(("+xml", "+json"))
    )  # fmt: skip


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
    when = _as_datetime(capture.timestamp)
    if when is not None:
        response.headers["Memento-Datetime"] = format_datetime(when, usegmt=True)
        near = None
        if not _is_part_of_page():  # a picture's captures are asked for by nobody
            with site().index_access.lease() as index:
                near = neighbours(index, capture.url, capture.timestamp)
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
    text = _CONTROLS.sub(" ", value[:MAX_HEADER_CHARS]).strip()
    return text.encode("latin-1", "replace").decode("latin-1")


def _attachment(disposition: str, url: str) -> str:
    match = _FILENAME.search(disposition)
    name = match[1] if match else re.split(r"[?#]", url)[0].rsplit("/", 1)[-1]
    name = _CONTROLS.sub("", name).replace("/", "_").replace("\\", "_").strip(" .\"'") or "archived-file"
    plain = re.sub(r"[^A-Za-z0-9._ -]", "_", name)[:100]
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name[:100], safe='')}"


def _is_font(stored: StoredResponse) -> bool:
    return (
        stored.mime.startswith("font/")
        or "font" in stored.mime
        or stored.body[:4] in (b"wOFF", b"wOF2", b"\x00\x01\x00\x00", b"OTTO", b"true")
    )


def _as_datetime(timestamp: str) -> datetime | None:
    try:
        return datetime.strptime(timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def _archived_redirect(
    index: Index, capture: Capture, stored: StoredResponse, target: ReplayTarget
) -> Response:
    """Follow a stored redirect inside the archive; one that leads to itself is told in words."""
    location = _CONTROLS.sub("", stored.headers.get("Location")).strip()
    try:
        goal = urljoin(capture.url, location) if location else ""
    except ValueError:
        goal = ""
    if not goal.lower().startswith(("http://", "https://")):
        return _message(
            404, "A redirect without a usable goal", "The archive holds a redirect here that names no web address.",
            capture.url,
        )  # fmt: skip
    next_capture = _closest(index, goal, target.timestamp)
    if next_capture is not None and next_capture.location == capture.location:
        # http:// and https:// of one page are one address to the archive: look for a page beside the redirect.
        others = [other for other in captures_of(goal) if other.status == 200]
        if not others:
            return _message(
                404,
                "Not archived",
                "The archive holds a redirect to this page, but not the page itself.",
                goal,
            )
        nearest = min(
            others, key=lambda other: abs(_as_number(other.timestamp) - _as_number(capture.timestamp))
        )
        return _redirect(replay_address(nearest.url, nearest.timestamp, target.modifier, request.script_root))
    return _redirect(replay_address(goal, target.timestamp, target.modifier, request.script_root))


def _as_number(timestamp: str) -> float:
    when = _as_datetime(timestamp)
    return when.timestamp() if when else 0.0


# ---------------------------------------------------------------- messages in the frame


def _not_archived(target: ReplayTarget, others: list[Capture]) -> Response:
    if _is_part_of_page():
        response = make_response("Not archived.\n", 404)
        response.headers["Content-Type"] = "text/plain; charset=utf-8"
        return response
    return _message(404, "Not archived", "The archive holds no copy of this address.", target.url, others)


def _unreadable(capture: Capture, target: ReplayTarget) -> Response:
    others = [other for other in captures_of(capture.url) if other.location != capture.location]
    name = os.path.basename(capture.location.path)
    message = (
        f"The copy of {capture.timestamp} cannot be read: the archive file {name} is damaged, was moved, "
        "or holds no web page at that place. Other copies may be fine."
    )
    return _message(404, "This copy cannot be shown", message, target.url, others)


def _message(
    status: int, title: str, message: str, url: str, others: list[Capture] | None = None
) -> Response:
    page = render_template(
        "frame_message.html", title=title, message=message, url=url, others=(others or [])[-20:]
    )
    return make_response(page, status)


def _is_part_of_page() -> bool:
    """Tell whether the browser asks for a picture, style or the like, where nobody would read a page of words."""
    purpose = request.headers.get("Sec-Fetch-Dest", "document")
    return purpose not in ("document", "iframe", "frame", "embed", "object", "empty")


# ---------------------------------------------------------------- small helpers


def _redirect(address: str) -> Response:
    response = redirect(address, 302)
    assert isinstance(response, Response)
    return response


def _results_page_we_came_from() -> str:
    """Return the results page of ours that linked here, "" if there is none."""
    try:
        parts = urlsplit(request.referrer or "")
    except ValueError:
        return ""
    if parts.netloc != request.host or parts.path != f"{request.script_root}/search":
        return ""
    return f"{parts.path}?{parts.query}"
