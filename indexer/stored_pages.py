"""The pages of hits as they lie in the archives: what they begin with, and their passages.

Most are read here, as they stand. Those that are not in UTF-8, packed otherwise or very long `page_records` reads: it
needs all that is known of archives and charsets, and is imported when such a page comes.
"""

from __future__ import annotations

from archiver.warc import ArchiveError, Location, read_member_at
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

# What a page begins with is enough for most snippets: a character takes at most four bytes.
START_BYTES = 4 * START_CHARS
# Of a page whose start holds none of the words: a page of 8 MB takes as long as the results of ten others.
DEEP_BYTES = 1 << 20
_HEADER_BYTES = 64 << 10  # those of most records
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
    from indexer.page_records import in_turn

    markup = markup or (_deep_markup(place) if place else "")
    if not markup:
        return ()
    with in_turn(markup):
        return page_snippet(markup, ranked.spellings, ranked.phrases, beyond_start=bool(start.text))


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
    found = _plain_body(place, START_BYTES)
    if found is None:
        return None
    body, is_whole = found
    if len(body) <= START_CHARS:
        return start_of_page(body), ""
    start = body[:START_CHARS]
    if start.isascii():  # characters are bytes; the rest is decoded if it is looked at
        return start_of_page(start, is_whole=False), body if is_whole else ""
    markup = decode(body, UTF_8)
    return start_of_page(markup, is_whole=is_whole), markup if is_whole else ""


def _plain_body(place: Location, most: int) -> tuple[bytes, bool] | None:
    """Return the body of a page in UTF-8 as it stands, up to `most` bytes, and whether these are all.

    None of any other page. Of a large one, only what is looked at is unpacked.
    """
    try:
        member, whole = read_member_at(place, most + _HEADER_BYTES) or (b"", 0)
    except ArchiveError:
        return None
    says = RecordReader().read(member, whole)
    if says is None or not says.is_plain_page:
        return None
    is_cut = whole > len(member)
    if is_cut and says.body_size < most:
        return None  # its headers are longer than most
    return member[says.body : says.body + min(says.body_size, most)], says.body_size <= most and not is_cut


def _deep_markup(place: Location) -> str:
    """Return as much of a page's markup as is ever looked at."""
    if plain := _plain_body(place, DEEP_BYTES):
        return decode(plain[0], UTF_8)
    from indexer.page_records import start_markup_at

    return start_markup_at(place, DEEP_BYTES)[0]


def _read_any(place: Location) -> tuple[PageStart, str]:
    from indexer.page_records import start_markup_at

    markup, is_whole = start_markup_at(place, START_BYTES)
    if not markup:
        return _NO_PAGE, ""
    return start_of_page(markup, is_whole=is_whole), markup if is_whole else ""


def _room_of(start: PageStart) -> int:
    return 100 + len(start.text) + len(start.description)  # a page without text takes room, too
