"""Pages as their records hold them, whatever the archive, the coding and the charset: their markup and their text."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from archiver.warc import ArchiveError, HttpResponse, Limits, Location, parse_response, read_record_at
from indexer.text.charset import decode_html
from indexer.text.documents import PAGE_LIMITS, header_language
from indexer.text.elements import PageText
from indexer.text.pages import collect_page

# What is told of a page beside a search: links with their texts, text to be exported.
SHOWN_BYTES = 4 << 20
SHOWN_LIMITS = replace(PAGE_LIMITS, body_bytes=SHOWN_BYTES)
# The tree and the text of a page take many times its size: one large page at a time, for all threads of a server.
LARGE_BYTES = 500_000
_one_large_page = threading.Lock()


@contextmanager
def in_turn(markup: str) -> Iterator[None]:
    """Keep others out while a large page is worked on."""
    if len(markup) <= LARGE_BYTES:
        yield
    else:
        with _one_large_page:
            yield


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
    with in_turn(markup):
        page = collect_page(markup)
    page.charset = charset
    page.language = page.language or language
    return page


def markup_at(place: Location | None) -> str:
    """Return a page's markup as text; "" when there is no place, or the archive cannot be read now."""
    return _markup_of(_response_at(place)) if place else ""


def start_markup_at(place: Location, most: int) -> tuple[str, bool]:
    """Return (markup, is whole): the first bytes of a page's markup as text, and whether that is all of it."""
    response = _response_at(place, replace(PAGE_LIMITS, body_bytes=most))
    return _markup_of(response), response is not None and not response.truncated


def _markup_of(response: HttpResponse | None) -> str:
    return decode_html(response.body, response.content_type)[0] if response is not None else ""


def _response_at(place: Location, limits: Limits = PAGE_LIMITS) -> HttpResponse | None:
    """Return the response in a record, None when the archive cannot be read now or holds no response there."""
    try:
        with read_record_at(place) as record:
            return parse_response(record, limits=limits, with_sha1=False)
    except (ArchiveError, OSError):
        return None
