"""The pages of hits as they lie in the archives: what they begin with, and their passages.

Most are read here, as they stand. Those that are not in UTF-8, packed otherwise or very long `page_records` reads: it
needs all that is known of archives and charsets, and is imported when such a page comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from archiver.warc import ArchiveError, Location, read_member_at
from archiver.warc.charsets import UTF_8, decode
from indexer.core.passages import CUT_SHORT, NOT_PLAIN, WantedKinds, snippet_of_page
from indexer.core.records import RecordReader
from indexer.search.nodes import words_asked
from indexer.search.searcher import Ranked
from indexer.search.snippets import (
    START_CHARS,
    PageStart,
    SnippetPart,
    as_part,
    looked_for,
    page_snippet,
    start_of_page,
    start_snippet,
)
from indexer.store.recent import Recent
from indexer.store.snapshot import Snapshot
from indexer.text.pages import own_reader

# What a page begins with is enough for most snippets: a character takes at most four bytes.
START_BYTES = 4 * START_CHARS
# Of a page whose start holds none of the words: a page of 8 MB takes as long as the results of ten others.
DEEP_BYTES = 1 << 20
_HEADER_BYTES = 64 << 10  # those of most records
# What is unpacked first: enough for a start with few characters of several bytes and headers as short as most.
_FIRST_BYTES = START_CHARS + (16 << 10)
_NO_PAGE = PageStart(b"", b"", True)
_BYTES_KEPT = 4_000_000  # of the starts of pages shown lately, for the next search that shows them

Snippet = tuple[SnippetPart, ...]


def snippets_of(snapshot: Snapshot, places: Iterable[Location | None], ranked: Ranked) -> Iterator[Snippet]:
    """Give of each page the passages that hold the words found; () when its archive cannot be read now."""
    spellings, phrases, sought = ranked.spellings, ranked.phrases, words_asked(ranked.query.tree)
    wanted = looked_for(spellings, phrases)
    for place in places:
        start, found = _start_and_snippet(snapshot, place, wanted, sought)
        if found is None:
            found = start_snippet(start, spellings, phrases, sought)
        if place and not found and not start.is_whole:
            found = _deep_snippet(place, spellings, phrases, start)
        yield found


def start_of(snapshot: Snapshot, place: Location | None) -> bytes:
    """Return the text at the start of a page; b"" where there is no place, or the archive cannot be read now."""
    return _start_and_snippet(snapshot, place)[0].text


def _start_and_snippet(
    snapshot: Snapshot, place: Location | None, wanted: WantedKinds | None = None, sought: int = 0
) -> tuple[PageStart, Snippet | None]:
    """Return what a page begins with, and its passages where it had to be read for that, else None."""
    if place is None:
        return _NO_PAGE, None
    starts: Recent[PageStart] | None = snapshot.derived.get("starts of pages")
    if starts is None:
        starts = snapshot.derived.setdefault("starts of pages", Recent(_BYTES_KEPT, _room_of))
    start = starts.find(place)
    if start is not None:
        return start, None
    start, snippet = _read_plain(place, wanted, sought) or (_read_any(place), None)
    if start is not _NO_PAGE:
        starts.keep(place, start)
    return start, snippet


def _read_plain(
    place: Location, wanted: WantedKinds | None = None, sought: int = 0
) -> tuple[PageStart, Snippet | None] | None:
    """Return what `_read_any` says of a page in UTF-8 as it stands, which most are, and its passages.

    None of any other page. Of a large one, only what is looked at is unpacked.
    """
    page = own_reader().page
    for most in (_FIRST_BYTES, START_BYTES + _HEADER_BYTES):
        try:
            read = read_member_at(place, most)
        except ArchiveError:
            return None
        if read is None:
            continue
        shown, is_whole, parts = snippet_of_page(page, *read, START_CHARS, wanted, sought)
        if shown == NOT_PLAIN:
            return None
        if shown != CUT_SHORT:
            says = page.contents
            start = PageStart(says.text.copy(), says.description.copy(), is_whole)
            return start, None if wanted is None else tuple(map(as_part, parts))
    return None


def _deep_snippet(
    place: Location, spellings: frozenset[str], phrases: tuple[tuple[str, ...], ...], start: PageStart
) -> Snippet:
    """Return the passages of a page behind whose start a word may stand."""
    from indexer.page_records import in_turn

    markup = _deep_markup(place)
    if not markup:
        return ()
    with in_turn(markup):
        return page_snippet(markup, spellings, phrases, start=start)


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


def _read_any(place: Location) -> PageStart:
    from indexer.page_records import start_markup_at

    markup, is_whole = start_markup_at(place, START_BYTES)
    return start_of_page(markup, is_whole=is_whole) if markup else _NO_PAGE


def _room_of(start: PageStart) -> int:
    return 100 + len(start.text) + len(start.description)  # a page without text takes room, too
