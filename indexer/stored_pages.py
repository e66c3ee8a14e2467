"""The pages of hits as they lie in the archives: their markup, their text, their passages."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from archiver.warc import (
    ArchiveError,
    HttpResponse,
    Limits,
    Location,
    parse_response,
    read_member_at,
    read_record_at,
)
from archiver.warc.charsets import UTF_8, decode
from indexer.core.records import RecordReader
from indexer.search.nodes import words_asked
from indexer.search.searcher import Ranked
from indexer.search.snippets import (
    START_CHARS,
    PageStart,
    SnippetPart,
    page_snippet,
    start_of_page,
    start_snippet,
)
from indexer.store.recent import Recent
from indexer.store.snapshot import Snapshot
from indexer.text.charset import decode_html
from indexer.text.documents import PAGE_LIMITS, header_language
from indexer.text.elements import PageText
from indexer.text.pages import collect_page

# What a page begins with is enough for most snippets: a character takes at most four bytes.
START_LIMITS = replace(PAGE_LIMITS, body_bytes=4 * START_CHARS)
# Of a page whose start holds none of the words: a page of 8 MB takes as long as the results of ten others.
DEEP_LIMITS = replace(PAGE_LIMITS, body_bytes=1 << 20)
# What is told of a page beside a search: links with their texts, text to be exported.
SHOWN_BYTES = 4 << 20
SHOWN_LIMITS = replace(PAGE_LIMITS, body_bytes=SHOWN_BYTES)
# The tree and the text of a page take many times its size: one large page at a time, for all threads of a server.
LARGE_BYTES = 500_000
_one_large_page = threading.Lock()
# The body that is looked at, and the headers of most records.
_PLAIN_BYTES = START_LIMITS.body_bytes + (64 << 10)
_NO_PAGE = PageStart(b"", b"", True)
_BYTES_KEPT = 4_000_000  # of the starts of pages shown lately, for the next search that shows them


def snippet_of(snapshot: Snapshot, place: Location | None, ranked: Ranked) -> tuple[SnippetPart, ...]:
    """Return the passages of a page that hold the words found; () when its archive cannot be read now."""
    start, markup = _start_and_markup(snapshot, place)
    if found := start_snippet(start, ranked.spellings, ranked.phrases, words_asked(ranked.query.tree)):
        return found
    if start.is_whole:
        return ()
    if isinstance(markup, bytes):
        markup = decode(markup, UTF_8)
    markup = markup or _markup_of(_response_at(place, DEEP_LIMITS) if place else None)
    if not markup:
        return ()
    with _in_turn(markup):
        return page_snippet(markup, ranked.spellings, ranked.phrases, beyond_start=bool(start.text))


@contextmanager
def _in_turn(markup: str) -> Iterator[None]:
    """Keep others out while a large page is worked on."""
    if len(markup) <= LARGE_BYTES:
        yield
    else:
        with _one_large_page:
            yield


def start_of(snapshot: Snapshot, place: Location | None) -> bytes:
    """Return the text at the start of a page; b"" where there is no place, or the archive cannot be read now."""
    return _start_and_markup(snapshot, place)[0].text


def _start_and_markup(snapshot: Snapshot, place: Location | None) -> tuple[PageStart, str | bytes]:
    """Return what a page begins with, and its markup where the whole of it had to be read for that, else "".

    Markup as bytes is UTF-8.
    """
    if place is None:
        return _NO_PAGE, ""
    starts: Recent[PageStart] | None = snapshot.derived.get("starts of pages")
    if starts is None:
        starts = snapshot.derived.setdefault("starts of pages", Recent(_BYTES_KEPT, _room_of))
    start = starts.find(place)
    if start is not None:
        return start, ""
    start, markup = _read_plain(place) or _read_any(place)
    if start is not _NO_PAGE:
        starts.keep(place, start)
    return start, markup


def _read_plain(place: Location) -> tuple[PageStart, str | bytes] | None:
    """Return what `_read_any` says of a page in UTF-8 as it stands, which most are; None of any other."""
    try:
        member, whole = read_member_at(place, _PLAIN_BYTES) or (b"", 0)
    except ArchiveError:
        return None
    says = RecordReader().read(member, whole)
    if says is None or not says.is_plain_page:
        return None
    is_cut = whole > len(member)
    size = min(says.body_size, START_LIMITS.body_bytes)
    if is_cut and size < START_LIMITS.body_bytes:
        return None  # its headers are longer than most
    body = member[says.body : says.body + size]
    if size <= START_CHARS:
        return start_of_page(body), ""
    is_whole = size == says.body_size and not is_cut
    if (
        start := body[:START_CHARS]
    ).isascii():  # characters are bytes; the rest is decoded if it is looked at
        return start_of_page(start, is_whole=False), body if is_whole else ""
    markup = decode(body, UTF_8)
    return start_of_page(markup, is_whole=is_whole), markup if is_whole else ""


def _read_any(place: Location) -> tuple[PageStart, str]:
    response = _response_at(place, START_LIMITS)
    markup = _markup_of(response)
    if response is None or not markup:
        return _NO_PAGE, ""
    start = start_of_page(markup, is_whole=not response.truncated)
    return start, "" if response.truncated else markup


def _room_of(start: PageStart) -> int:
    return 100 + len(start.text) + len(start.description)  # a page without text takes room, too


def page_text(place: Location) -> PageText | None:
    """Return the text of the page in a record, None when the archive cannot be read now or holds no page there.

    Of a very large page, the text of its first SHOWN_BYTES.
    """
    response = _response_at(place, SHOWN_LIMITS)
    if response is None or not response.body:
        return None
    markup, charset = decode_html(response.body, response.content_type)
    language = header_language(response)
    del response  # the body, before the tree takes room as well
    with _in_turn(markup):
        page = collect_page(markup)
    page.charset = charset
    page.language = page.language or language
    return page


def markup_at(place: Location | None) -> str:
    """Return a page's markup as text; "" when there is no place, or the archive cannot be read now."""
    return _markup_of(_response_at(place)) if place else ""


def _markup_of(response: HttpResponse | None) -> str:
    return decode_html(response.body, response.content_type)[0] if response is not None else ""


def _response_at(place: Location, limits: Limits = PAGE_LIMITS) -> HttpResponse | None:
    """Return the response in a record, None when the archive cannot be read now or holds no response there."""
    try:
        with read_record_at(place) as record:
            return parse_response(record, limits=limits, with_sha1=False)
    except (ArchiveError, OSError):
        return None
