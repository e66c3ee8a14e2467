"""The cached page: our bar around an archived page, and the tabs beside it.

    /cached/TIMESTAMP/URL                 the bar that says what and when, and a frame
    /cached/TIMESTAMP;view=text/URL       the text of the page, query words marked
    /cached/TIMESTAMP;view=details/URL    record, headers, digests, parts, same content elsewhere
    /cached/TIMESTAMP;view=cite/URL       citations ready to copy
    /cached/TIMESTAMP;view=payload/URL    the payload as a download; view=record the whole record
    /cached/TIMESTAMP;view=parts/URL      what is missing, as JSON for the bar
    /cached/TIMESTAMP;view=json/URL       the details, for programs

The bar stands outside the frame, so that no archived page can imitate it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from flask import Blueprint, Response, jsonify, make_response, render_template, request

from archiver.warc import HTML_TYPES, ArchiveError, Record, read_record_at
from indexer import Capture, Index
from webui import citations, record_details
from webui.access import frame_root
from webui.addresses import (
    DatedTarget,
    cached_address,
    captures_address,
    parse_dated,
    raw_target,
    replay_address,
)
from webui.application import as_json_response, error_response, json_error, site
from webui.asked import wants_json_by_field
from webui.i18n import gettext as _
from webui.json_shapes import capture_as_json, page_links_as_json
from webui.marks import MARK_ID
from webui.next_steps import next_steps
from webui.page_text import marked_text
from webui.parts import parts_report
from webui.replay import redirect_goal, redirected
from webui.rewrite import FRAME_RIGHTS
from webui.rewritten import RewrittenPage, rewritten_page
from webui.stored import (
    REDIRECTS,
    SVG,
    captures_of,
    closest,
    is_other_spelling,
    naming_digest,
    read_stored,
    shows_in_frame,
)
from webui.timeline import timeline_of

blueprint = Blueprint("cached", __name__)
log = logging.getLogger(__name__)

MAX_HIT_LINKS = 50
MAX_LINKS_SHOWN, MAX_LINKS_TOLD = 100, 1_000
_TABS = ("", "text", "details", "cite")
_DOWNLOADS = ("payload", "record")
_PIECE_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Bar:
    """What the bar of all tabs says.

    asked: the time asked for, when there is no capture of that time. asked_url: the address asked for, when the capture
    is of another spelling of it. naming: the digest that has to stand
    in addresses of this capture, "" when its time names it. previous, following: captures beside it.
    framed: what addresses below /web/ begin with; root: what those of our pages begin with. place: the fragment of the
    page that is shown, as a link said it.
    """

    capture: Capture
    query: str
    view: str
    asked: str
    asked_url: str
    naming: str
    count: int
    versions: int
    previous: Capture | None
    following: Capture | None
    previous_digest: str
    following_digest: str
    root: str
    framed: str
    place: str

    def address(self, view: str = "") -> str:
        """Return the address of a tab of this capture."""
        return cached_address(
            self.capture.url,
            self.capture.timestamp,
            self.root,
            query=self.query,
            digest=self.naming,
            view=view,
        )

    def beside(self, capture: Capture, digest: str) -> str:
        """Return the address of the same tab of another capture."""
        view = self.view if self.view in _TABS else ""
        return cached_address(
            capture.url, capture.timestamp, self.root, query=self.query, digest=digest, view=view
        )

    @property
    def frame(self) -> str:
        """The address that the frame shows."""
        return replay_address(
            self.capture.url,
            self.capture.timestamp,
            "if_" if self.capture.mime == SVG else "mp_",  # a drawing is shown as a picture on a page
            root=self.framed,
            query=self.query,
            digest=self.naming,
        )

    @property
    def frame_at_place(self) -> str:
        """The address that the frame shows at first: that place of the page to which the reader's link led."""
        return f"{self.frame}#{self.place}" if self.place else self.frame


@blueprint.get("/cached/<path:rest>")
def cached(rest: str) -> Response:
    target = parse_dated(raw_target(request.environ, "/cached/"))
    if target.timestamp == "*":
        return redirected(captures_address(target.url, root=request.script_root))
    view = target.extras.view
    if view not in (*_TABS, *_DOWNLOADS, "parts", "json"):
        return error_response(404, _("Nothing here"), _("A cached page has no such tab."))
    captures = captures_of(target.url)
    with site().index_access.lease() as index:
        capture = closest(index, target.url, target.timestamp, target.extras.digest)
        if capture is None:
            return _not_archived(target, captures, view == "json" or wants_json_by_field())
        bar = _bar(target, capture, captures)
        if view in _DOWNLOADS:
            return _download(index, capture, view)
        if view == "parts":
            return _parts(index, capture)
        if view == "json" or (not view and wants_json_by_field()):
            return _as_json(index, bar)
        if view == "text":
            return _page("cached_text.html", bar, captures, text=marked_text(index, capture, bar.query))
        if view == "details":
            return _details(index, bar, captures)
        if view == "cite":
            base = site().settings.server.base_url or request.host_url
            return _page(
                "cached_cite.html", bar, captures, citations=citations.citations(capture, base, bar.naming)
            )
        return _framed(index, bar, captures)


def _bar(target: DatedTarget, capture: Capture, captures: list[Capture]) -> Bar:
    place = next((number for number, other in enumerate(captures) if other.location == capture.location), -1)
    # captures that show the same bytes in the same second are one to a reader
    earlier = [other for other in captures[:place] if _is_another(other, capture)] if place >= 0 else []
    later = [other for other in captures[place + 1 :] if _is_another(other, capture)] if place >= 0 else []
    when = target.timestamp
    previous, following = earlier[-1] if earlier else None, later[0] if later else None
    return Bar(
        capture=capture,
        query=target.extras.query,
        view=target.extras.view,
        asked=when if when.strip("0") and not capture.timestamp.startswith(when) else "",
        asked_url=target.url if is_other_spelling(target.url, capture.url) else "",
        naming=naming_digest(capture, captures),
        count=len(captures),
        versions=len({other.digest for other in captures}),
        previous=previous,
        following=following,
        previous_digest=naming_digest(previous, captures) if previous else "",
        following_digest=naming_digest(following, captures) if following else "",
        root=request.script_root,
        framed=frame_root(),
        place=target.extras.place,
    )


def _is_another(other: Capture, capture: Capture) -> bool:
    return (other.timestamp, other.digest) != (capture.timestamp, capture.digest)


def _page(template: str, bar: Bar, captures: list[Capture], **more: Any) -> Response:
    capture = bar.capture
    page = render_template(
        template,
        bar=bar,
        capture=capture,
        timeline=timeline_of(captures, capture.timestamp),
        results_url=_results_page_we_came_from() or _results_page(bar.query),
        live_url=capture.url if capture.url.startswith(("http://", "https://")) else "",
        **more,
    )
    return make_response(page)


def _framed(index: Index, bar: Bar, captures: list[Capture]) -> Response:
    hits = None
    if bar.query and bar.capture.mime in ("", *HTML_TYPES):
        # the frame asks for the very same page in a moment, and then finds it ready
        try:
            found = rewritten_page(
                index, bar.capture, bar.capture.timestamp, bar.framed, bar.query, with_body=False
            )
        except (ArchiveError, OSError):
            found = None  # the frame says why
        hits = found.hits if isinstance(found, RewrittenPage) else None
    settings = site().settings
    player = ""
    if settings.replay.mode == "external":
        player = external_address(settings.replay.external, bar.capture)
    return _page(
        "cached.html",
        bar,
        captures,
        show_frame=shows_in_frame(bar.capture.mime) and not player,
        frame_rights=FRAME_RIGHTS,
        player=player,
        hits=hits,
        hit_links=range(1, min(hits or 0, MAX_HIT_LINKS) + 1),
        mark_id=MARK_ID,
        goal=_goal(index, bar.capture),
    )


def external_address(template: str, capture: Capture) -> str:
    """Return the address of a capture at another player, "" when the template gives no web address.

    template: with {timestamp} and {url}.
    """
    address = template.replace("{timestamp}", capture.timestamp).replace(
        "{url}", quote(capture.url, safe="%/:?#[]@!$&'()*+,;=~-._")
    )
    return address if address.startswith(("http://", "https://")) else ""


def _goal(index: Index, capture: Capture) -> str:
    """Return where a redirect leads, "" for a capture that is none."""
    if capture.status not in REDIRECTS:
        return ""
    try:
        stored = read_stored(index, capture)
    except (ArchiveError, OSError):
        return ""
    return redirect_goal(capture, stored) if stored is not None else ""


def _details(index: Index, bar: Bar, captures: list[Capture]) -> Response:
    capture = bar.capture
    report = None
    scripts = 0
    try:
        found = rewritten_page(index, capture, capture.timestamp, bar.framed, bar.query, with_body=False)
        if isinstance(found, RewrittenPage):
            report, scripts = parts_report(index, capture, found.parts), found.scripts
    except (ArchiveError, OSError) as error:
        log.warning("%s: capture of %s cannot be read: %s", capture.location.path, capture.url, error)
    return _page(
        "cached_details.html",
        bar,
        captures,
        details=record_details.record_details(index, capture),
        links=index.links(capture.url, capture.timestamp or None, limit=MAX_LINKS_SHOWN),
        file_name=os.path.basename(capture.location.path),
        report=report,
        scripts=scripts,
        first=next((other for other in captures if other.timestamp), capture),
        last=captures[-1] if captures else capture,
    )


def _parts(index: Index, capture: Capture) -> Response:
    try:
        found = rewritten_page(index, capture, capture.timestamp, frame_root(), with_body=False)
    except (ArchiveError, OSError):
        found = None
    if not isinstance(found, RewrittenPage):
        return jsonify({"ok": True, "total": 0, "missing": 0, "widest_s": 0, "text": ""})
    report = parts_report(index, capture, found.parts)
    return jsonify(
        {
            "ok": True,
            "total": len(report.parts),
            "missing": report.missing,
            "widest_s": report.widest_s,
            "text": report.in_words(),
        }
    )


def _as_json(index: Index, bar: Bar) -> Response:
    """Return what the Details tab shows, for programs."""
    capture, root = bar.capture, request.script_root
    archives = site().settings.archives_path
    details = record_details.record_details(index, capture)
    links = index.links(capture.url, capture.timestamp or None, limit=MAX_LINKS_TOLD)
    beside = {"previous": (bar.previous, bar.previous_digest), "next": (bar.following, bar.following_digest)}
    return as_json_response(
        {
            **capture_as_json(capture, archives, root, bar.naming),
            "asked": bar.asked,
            "asked_url": bar.asked_url,
            "captures": bar.count,
            "versions": bar.versions,
            "language": details.language,
            "body_bytes": details.body_bytes,
            "problems": [text for text in (details.problem, *details.problems) if text],
            "record_version": details.version,
            "record_fields": [list(field) for field in details.record_fields],
            "http_line": details.http_line,
            "http_fields": [list(field) for field in details.http_fields],
            **page_links_as_json(links, root),
            "same_content": [capture_as_json(other, archives, root, other.digest) for other in details.same],
            **{
                name: capture_as_json(other, archives, root, digest) if other else None
                for name, (other, digest) in beside.items()
            },
        }
    )


# ---------------------------------------------------------------- downloads


def _download(index: Index, capture: Capture, what: str) -> Response:
    """Return the payload (codings undone) or the record (header and block, unpacked) as a file to keep."""
    try:
        if what == "record":
            record = read_record_at(capture.location)
            response = Response(_pieces(record), mimetype="application/warc")
        else:
            stored = read_stored(index, capture, is_raw=True)
            response = make_response(stored.body if stored is not None else b"")
            response.headers["Content-Type"] = "application/octet-stream"
    except (ArchiveError, OSError) as error:
        log.warning("%s: capture of %s cannot be read: %s", capture.location.path, capture.url, error)
        return error_response(
            404,
            _("This copy cannot be shown"),
            _("The archive file of this capture is damaged or was moved; the log of the server says more."),
        )
    name = f"{capture.timestamp or 'capture'}.{'warc' if what == 'record' else 'payload'}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _pieces(record: Record) -> Iterator[bytes]:
    with record:
        yield record.raw_header
        while piece := record.read(_PIECE_BYTES):
            yield piece
        yield b"\r\n\r\n"


# ---------------------------------------------------------------- what is not there, and the way back


def _not_archived(target: DatedTarget, captures: list[Capture], is_json: bool) -> Response:
    if is_json:
        return json_error(404, _("The archive holds no copy of this address."))
    page = render_template(
        "not_archived.html",
        url=target.url,
        when=target.timestamp,
        captures=captures,
        steps=next_steps(target.url),
    )
    return make_response(page, 404)


def _results_page(query: str) -> str:
    return f"{request.script_root}/search?q={quote(query, safe='')}" if query else ""


def _results_page_we_came_from() -> str:
    """Return the results page of ours that linked here, "" if there is none."""
    try:
        parts = urlsplit(request.referrer or "")
    except ValueError:
        return ""
    if parts.netloc != request.host or parts.path != f"{request.script_root}/search":
        return ""
    return f"{parts.path}?{parts.query}"
