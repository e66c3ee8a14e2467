"""What an export holds: captures chosen by a query or by address, with the parts that their pages need.

Used by export_commands.py; knows no Flask.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

from archiver.warc import (
    HTML_TYPES,
    ArchiveError,
    LimitError,
    Location,
    RecordError,
    UnreadableError,
    parse_head,
    read_record_at,
)
from archiver.warc.cdxj import CdxLine, SortedLines
from archiver.warc.growing import final_name
from archiver.warc.reader import stored_at
from archiver.warc.wacz_writer import WaczWriter
from indexer import Capture, Hit, Index
from indexer.listing import KeyRange
from indexer.text.charset import decode_html
from indexer.text.documents import CaptureFound, payload_digest
from webui.limits import done_with_page
from webui.parts import find_parts
from webui.rewrite import rewrite_page
from webui.rewrite_context import RewriteContext
from webui.stored import read_stored

MOST_FRAMES_DEEP = 2
MOST_TOLD = 1_000
_HITS_AT_ONCE = 200
_SOURCE_ERRORS = (RecordError, UnreadableError, LimitError)


@dataclass(slots=True)
class LeftOut:
    """What could not be exported. places: the first MOST_TOLD of them, as (address, timestamp, reason)."""

    count: int = 0
    places: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, url: str, timestamp: str, reason: str) -> None:
        self.count += 1
        if len(self.places) < MOST_TOLD:
            self.places.append((url, timestamp, reason))


# ---------------------------------------------------------------- which captures


def captures_found(
    index: Index, query: str, *, operator: str, limit: int, every_capture: bool = False
) -> Iterator[Capture]:
    """Yield the captures that a search shows, best first: of at most `limit` pages the one that was found, or all."""
    for offset in range(0, limit, _HITS_AT_ONCE):
        hits = index.search(
            query,
            offset=offset,
            limit=min(_HITS_AT_ONCE, limit - offset),
            with_snippets=False,
            operator=operator,
        ).hits
        yield from captures_of_hits(index, hits, every_capture=every_capture)
        if len(hits) < _HITS_AT_ONCE:
            return


def captures_of_hits(index: Index, hits: Iterable[Hit], *, every_capture: bool = False) -> Iterator[Capture]:
    """Yield the capture that each hit shows, or all captures of its page."""
    for hit in hits:
        if every_capture:
            yield from index.captures(hit.url)
            continue
        place = Location(hit.path, hit.offset, hit.length, hit.member, hit.inner)
        shown = index.capture_at(hit.url, hit.timestamp, place)
        if shown is not None:
            yield shown


def captures_listed(index: Index, keys: KeyRange, *, first: str = "", last: str = "") -> Iterator[Capture]:
    """Yield all captures of a range of addresses, by address and time. first, last: timestamps, "" for no bound."""
    after = None
    while piece := index.list_captures(keys, first=first, last=last, after=after):
        after = piece[-1].cursor
        for listed in piece:
            place = listed.location
            if listed.type == "revisit":
                # only the full look-up knows which record a revisit repeats
                revisit = index.capture_at(listed.url, listed.timestamp, place)
                if revisit is not None:
                    yield revisit
            else:
                yield Capture(
                    listed.url,
                    listed.timestamp,
                    listed.type,
                    listed.status,
                    listed.mime,
                    listed.digest,
                    place,
                    None,
                    listed.title,
                )


# ---------------------------------------------------------------- WACZ


class WaczExport:
    """Puts captures into a WACZ file, each record once, with the parts of pages where they are wanted."""

    def __init__(
        self, index: Index, writer: WaczWriter, *, with_parts: bool = True, with_text: bool = True
    ) -> None:
        self.left_out = LeftOut()
        self._index = index
        self._writer = writer
        self._with_parts = with_parts
        self._with_text = with_text
        self._files: dict[tuple[str, str], int] = {}
        self._seen: set[tuple[int, int, int]] = set()

    def add_all(
        self, captures: Iterable[Capture], progress: Callable[[WaczWriter], None] = lambda writer: None
    ) -> None:
        """Add captures in their order. What cannot be read is in `left_out`.

        Raises ArchiveError when the WACZ file cannot be written.
        """
        for capture in captures:
            if self._add(capture) and _is_page(capture):
                self._add_page(capture)
                if self._with_parts:
                    self._add_parts(capture, MOST_FRAMES_DEEP)
            progress(self._writer)

    def _add(self, capture: Capture) -> bool:
        """Add the record of a capture, and the one that it repeats; tell whether it is there now for the first time."""
        if not self._is_new(capture.location):
            return False
        if not capture.timestamp:
            self.left_out.add(capture.url, "", "it has no date, and no player finds it without one")
            return False
        try:
            self._writer.add(cdx_line(capture), capture.location)
        except _SOURCE_ERRORS as error:
            self.left_out.add(capture.url, capture.timestamp, str(error))
            return False
        if capture.original is not None and self._is_new(capture.original):
            self._add_original(capture, capture.original)
        return True

    def _add_original(self, capture: Capture, original: Location) -> None:
        try:
            self._writer.add(_line_of_record(original), original)
        except _SOURCE_ERRORS as error:
            self.left_out.add(capture.url, capture.timestamp, f"what it repeats: {error}")

    def _is_new(self, place: Location) -> bool:
        file = self._files.setdefault((place.path, place.member), len(self._files))
        key = (file, place.offset, place.inner)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _add_page(self, capture: Capture) -> None:
        text = ""
        if self._with_text:
            found = self._index.page_text(capture.original or capture.location)
            text = found.text if found else ""
        self._writer.add_page(capture.url, capture.timestamp, capture.title or "", text)

    def _add_parts(self, capture: Capture, frames_deep: int) -> None:
        for _url, modifier, part in page_parts(self._index, capture):
            if part is None:
                continue
            is_first = self._add(part)
            if is_first and modifier in ("if_", "fr_") and frames_deep and _is_page(part):
                self._add_parts(part, frames_deep - 1)


def page_parts(index: Index, capture: Capture) -> list[tuple[str, str, Capture | None]]:
    """Return (address, modifier, nearest capture or None) of the pictures, styles and frames of a page."""
    try:
        stored = read_stored(index, capture)
    except (ArchiveError, OSError):
        return []
    if stored is None or not stored.is_html:
        return []
    text, charset = decode_html(stored.body, stored.content_type)
    del stored  # the body, before the tree takes room as well
    context = RewriteContext(capture.url, capture.timestamp, parts_only=True, charset=charset)
    rewrite_page(text, context)
    del text
    done_with_page()
    return find_parts(index, capture, context.parts)[0]


def _is_page(capture: Capture) -> bool:
    return capture.mime in HTML_TYPES and capture.status in (0, 200)


# ---------------------------------------------------------------- CDXJ


def cdx_line(capture: Capture) -> CdxLine:
    """Return what a list of captures tells of a capture, without its place."""
    return CdxLine(
        capture.url,
        capture.timestamp,
        "warc/revisit" if capture.type == "revisit" else capture.mime,
        str(capture.status) if capture.status else "",
        capture.digest,
    )


def _line_of_record(place: Location) -> CdxLine:
    with read_record_at(place) as record:
        head = parse_head(record)
        mime = head.media_type if head else record.content_type
        digest = payload_digest(record.headers.get("WARC-Payload-Digest"))
        return CdxLine(record.url, record.timestamp, mime, str(head.status) if head else "", digest)


class CdxjExport:
    """Collects captures as sorted lines of CDXJ that lead to their records in the archive files.

    Players seek in files: a record in a ZIP file is told by its place in that file. What lies deflated in one, or
    inside a member with other records, no player can reach; it is in `left_out`.
    """

    def __init__(self, lines: SortedLines, *, full_paths: bool = False) -> None:
        self.left_out = LeftOut()
        self._lines = lines
        self._full_paths = full_paths
        self._begins = lru_cache(maxsize=1000)(_begin_of)

    def add(self, line: CdxLine, place: Location) -> None:
        """Add a capture; `line` without its place."""
        if not line.timestamp:
            self.left_out.add(line.url, "", "it has no date")
            return
        begin = self._begins(place.path, place.member)
        if begin is None or place.inner:
            reason = (
                "it lies in the middle of a compressed member"
                if place.inner
                else "it lies deflated in a ZIP file"
            )
            self.left_out.add(line.url, line.timestamp, f"{reason}; players cannot seek to it")
            return
        path = final_name(place.path)
        name = os.path.abspath(path) if self._full_paths else os.path.basename(path)
        placed = replace(line, offset=str(begin + place.offset), length=str(place.length), filename=name)
        self._lines.add(placed.text())

    def add_found(self, found: CaptureFound) -> None:
        """Add a capture just read from an archive file."""
        mime = "warc/revisit" if found.type == "revisit" else found.mime
        status = str(found.status) if found.status else ""
        self.add(CdxLine(found.url, found.timestamp, mime, status, found.payload), found.location)


def _begin_of(path: str, member: str) -> int | None:
    try:
        return stored_at(Location(path, 0, 0, member))
    except ArchiveError:
        return None
