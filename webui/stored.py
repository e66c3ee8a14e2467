"""Stored answers: finds the capture that an address means and reads what its record holds.

Used by all pages that show something archived (`replay.py`, `cached.py`, `compare.py`).
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from archiver.notices import Notice
from archiver.warc import DEFAULT_LIMITS, HTML_TYPES, Headers, parse_head, parse_response
from indexer import Capture, Index
from indexer.store.compact import sort_key
from webui.application import site
from webui.errors import BusyError
from webui.limits import takes_much

# Pages and style sheets are rewritten in memory; what is passed on as it is may be larger.
PAGE_LIMITS = replace(DEFAULT_LIMITS, body_bytes=4 << 20)
SVG = "image/svg+xml"
# These lead somewhere else (RFC 9110, 15.4); 300 and 305 do not, and 304 says that nothing was sent.
REDIRECTS = frozenset({301, 302, 303, 307, 308})
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]{1,100}/[a-z0-9!#$&^_.+-]{1,100}")
_PASSIVE = frozenset({
    "text/plain", "text/css", "text/csv", "text/javascript", "text/vtt", "application/json", "application/javascript",
    "application/x-javascript", "application/octet-stream", "application/font-woff", "application/x-font-ttf",
    "application/vnd.ms-fontobject",
})  # fmt: skip
# Lists of films in pieces: a player goes on to the addresses in them.
_ACTIVE_MEDIA = frozenset({"audio/mpegurl", "audio/x-mpegurl", "video/mpegurl", "video/x-mpegurl"})
_PACKED_PAGES = frozenset({
    "application/signed-exchange", "application/webbundle", "application/x-mimearchive", "application/x-web-archive",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A capture read from its archive: what is needed to show it."""

    status: int
    headers: Headers
    body: bytes
    mime: str
    content_type: str
    note: str

    @property
    def is_html(self) -> bool:
        return self.mime in HTML_TYPES

    @property
    def is_redirect(self) -> bool:
        return self.status in REDIRECTS


# ---------------------------------------------------------------- which capture


def captures_of(url: str) -> list[Capture]:
    """Return all captures of an address, oldest first; see Index.captures."""
    with site().index_access.lease() as index:
        return index.captures(url)


def closest(index: Index, url: str, timestamp: str, digest: str = "") -> Capture | None:
    """Return the capture of `url` nearest in time; the timestamp 0 asks for the newest.

    digest: how the payload digest begins, where several captures share the second.
    """
    return index.closest(url, timestamp if timestamp.strip("0") else None, digest)


def is_other_spelling(asked: str, held: str) -> bool:
    """Tell whether a capture is of another address than the one asked for, which only other tools take for the same."""
    return sort_key(asked) != sort_key(held)


def nearest_with_content(capture: Capture, others: list[Capture]) -> Capture | None:
    """Return the capture nearest in time that holds content, for a revisit whose original is not archived."""
    able = [other for other in others if other.type != "revisit" or other.original is not None]
    when = as_seconds(capture.timestamp)
    return min(able, key=lambda other: abs(as_seconds(other.timestamp) - when), default=None)


def naming_digest(capture: Capture, captures: list[Capture]) -> str:
    """Return the digest of a capture if its address and time alone do not name it, else ""."""
    same = {other.digest for other in captures if other.timestamp == capture.timestamp}
    return capture.digest if len(same | {capture.digest}) > 1 else ""


def as_datetime(timestamp: str) -> datetime | None:
    """Return the time of a 14-digit timestamp, None when it is none."""
    if len(timestamp) != 14 or not timestamp.isascii() or not timestamp.isdigit():
        return None
    with suppress(ValueError):
        return datetime.fromisoformat(f"{timestamp[:8]}T{timestamp[8:]}Z")
    return None


def as_seconds(timestamp: str) -> float:
    """Return a 14-digit timestamp in seconds since 1970; 0 when it is none."""
    when = as_datetime(timestamp)
    return when.timestamp() if when else 0.0


# ---------------------------------------------------------------- what it holds


def read_stored(
    index: Index, capture: Capture, *, is_raw: bool = False, for_text: bool = False
) -> StoredResponse | None:
    """Return what was stored, decoded; None when the record holds no answer that can be shown.

    is_raw: the bytes are not to be rewritten, so that a large page costs no more than its size. for_text: the start of
    a text file is enough, too: PAGE_LIMITS hold a million characters, whatever they are.
    Raises BusyError when too many large pages are asked for, ArchiveError or OSError when the archive cannot be read
    there (any more).
    """
    with index.record(capture) as record:
        head = parse_head(record)
        if head is None:
            return None
        is_page = head.media_type in (*HTML_TYPES, "text/css") or is_other_xml(head.media_type)
        response = parse_response(
            record, limits=PAGE_LIMITS if for_text or (is_page and not is_raw) else DEFAULT_LIMITS
        )
        cut_by_crawler = record.truncated not in ("", "file") or record.part > 0
    if response is None:
        return None
    if not is_raw:
        try:
            takes_much(len(response.body))
        except BusyError:
            response = None  # the error holds this frame for a while, which must not hold the body
            raise
    mime = response.computed_type
    if not _MEDIA_TYPE.fullmatch(mime):
        mime = "application/octet-stream"
    note: str = ""
    if response.truncated:
        note = Notice("This copy is cut short: a part is missing.")
        if response.problems:
            note = Notice("This copy is cut short: %(why)s.", why="; ".join(response.problems))
    elif cut_by_crawler:
        note = Notice("This copy is cut short: the crawler kept only the first part.")
    return StoredResponse(response.status, response.headers, response.body, mime, response.content_type, note)


def is_other_xml(mime: str) -> bool:
    """Tell whether the type is XML that is neither a page nor a picture."""
    return mime in ("text/xml", "application/xml", "text/xsl") or (
        mime.endswith("+xml") and mime not in (SVG, "application/xhtml+xml")
    )


def is_text(mime: str) -> bool:
    """Tell whether a body of this type is text that a reader may want to read as it stands."""
    return (
        mime.startswith("text/")
        or is_other_xml(mime)
        or mime in ("application/json", "application/javascript", "application/x-javascript")
        or mime.endswith("+json")
    )


def is_passive(mime: str) -> bool:
    """Tell whether a browser only shows a body of this type, so that nothing in it can ask for anything."""
    if mime in (SVG, *_ACTIVE_MEDIA) or is_other_xml(mime):
        return False
    return (
        mime.startswith(("image/", "audio/", "video/", "font/")) or mime in _PASSIVE or mime.endswith("+json")
    )


def acts_by_itself(mime: str) -> bool:
    """Tell whether a browser takes a body of this type apart even where it is to be saved, such as packed pages."""
    return mime.startswith(("multipart/", "message/")) or mime in _PACKED_PAGES


def shows_in_frame(mime: str) -> bool:
    """Tell whether a browser shows the type inside a sandboxed frame; PDF is shown nowhere there."""
    return (
        mime.startswith(("text/", "image/", "audio/", "video/", "font/"))
        or mime in HTML_TYPES
        or mime in ("", "application/json", "application/javascript", "application/x-javascript", "application/xml",
                    "application/font-woff", "application/vnd.ms-fontobject", "application/x-font-ttf")
        or mime.endswith(("+xml", "+json"))
    )  # fmt: skip
