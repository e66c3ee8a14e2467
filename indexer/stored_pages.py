"""The pages of hits as they lie in the archives: their markup, their text, their passages."""

from __future__ import annotations

from dataclasses import replace

from archiver.warc import ArchiveError, Limits, Location, parse_response, read_record_at
from indexer.search.nodes import words_asked
from indexer.search.searcher import Ranked
from indexer.search.snippets import START_CHARS, SnippetPart, page_snippet, quick_snippet, start_of_page
from indexer.store.recent import Recent
from indexer.store.snapshot import Snapshot
from indexer.text.charset import decode_html
from indexer.text.documents import PAGE_LIMITS
from indexer.text.elements import PageText, collect_page

# What a page begins with is enough for most snippets: a character takes at most four bytes.
START_LIMITS = replace(PAGE_LIMITS, body_bytes=4 * START_CHARS)
_CHARACTERS_KEPT = 4_000_000  # of the starts of pages shown lately, for the next search that shows them


def snippet_of(snapshot: Snapshot, place: Location | None, ranked: Ranked) -> tuple[SnippetPart, ...]:
    """Return the passages of a page that hold the words found; () when its archive cannot be read now."""
    start, markup = start_of(snapshot, place)
    if found := quick_snippet(start, ranked.spellings, ranked.phrases, words_asked(ranked.query.tree)):
        return found
    markup = markup or markup_at(place)
    if not markup:
        return ()
    return page_snippet(markup, ranked.spellings, ranked.phrases, beyond_start=bool(start))


def start_of(snapshot: Snapshot, place: Location | None) -> tuple[str, str]:
    """Return (text at the start of a page, its markup where the whole of it had to be read for that).

    Both are "" where there is no place, or the archive cannot be read now.
    """
    if place is None:
        return "", ""
    texts: Recent[str] | None = snapshot.derived.get("page texts")
    if texts is None:
        texts = snapshot.derived.setdefault("page texts", Recent(_CHARACTERS_KEPT, _room_of))
    start = texts.find(place)
    if start is not None:
        return start, ""
    body, content_type, is_whole = _body_at(place, START_LIMITS)
    markup = decode_html(body, content_type)[0] if body else ""
    start = start_of_page(markup)
    if markup:
        texts.keep(place, start)
    return start, markup if is_whole else ""


def _room_of(start: str) -> int:
    return 100 + len(start)  # a page without text takes room, too


def page_text(place: Location) -> PageText | None:
    """Return the text of the page in a record, None when the archive cannot be read now or holds no page there."""
    markup, charset = _markup_at(place)
    if not markup:
        return None
    page = collect_page(markup)
    page.charset = charset
    return page


def markup_at(place: Location | None) -> str:
    """Return a page's markup as text; "" when there is no place, or the archive cannot be read now."""
    return _markup_at(place)[0] if place else ""


def _markup_at(place: Location) -> tuple[str, str]:
    body, content_type, _ = _body_at(place)
    return decode_html(body, content_type)


def _body_at(place: Location, limits: Limits = PAGE_LIMITS) -> tuple[bytes, str, bool]:
    """Return the decoded body of a record, its Content-Type, and whether the body is whole.

    (b"", "", False) when the archive cannot be read now.
    """
    try:
        with read_record_at(place) as record:
            response = parse_response(record, limits=limits, with_sha1=False)
    except (ArchiveError, OSError):
        return b"", "", False
    if response is None:
        return b"", "", False
    return response.body, response.content_type, not response.truncated
