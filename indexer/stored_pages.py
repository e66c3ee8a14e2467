"""The pages of hits as they lie in the archives: what they begin with, and their passages.

Most are read here, as they stand. Those that are not in UTF-8, packed otherwise or very long `page_records` reads: it
needs all that is known of archives and charsets, and is imported when such a page comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from archiver.warc import Location, read_packed_at
from indexer.core.passages import Snippet, WantedKinds
from indexer.core.stored_pages import Depth, PageStart, stored_pages
from indexer.search.nodes import words_asked
from indexer.search.searcher import Ranked
from indexer.search.snippets import (
    START_CHARS,
    looked_for,
    page_snippet,
    start_of_page,
    start_snippet,
)
from indexer.store.recent import Recent
from indexer.store.snapshot import Snapshot
from indexer.text.pages import own_reader

PAGES_AT_ONCE = 10  # a page of results
# What a page begins with is enough for most snippets: a character takes at most four bytes.
START_BYTES = 4 * START_CHARS
# Of a page whose start holds none of the words: a page of 8 MB takes as long as the results of ten others.
DEEP_BYTES = 1 << 20
_HEADER_BYTES = 64 << 10  # those of most records
# What is unpacked first: enough for a start with few characters of several bytes and headers as short as most.
_FIRST_BYTES = START_CHARS + (16 << 10)
_MOST_BYTES = DEEP_BYTES + _HEADER_BYTES
_DEPTH = Depth(_FIRST_BYTES, START_BYTES + _HEADER_BYTES, _MOST_BYTES, START_CHARS, DEEP_BYTES)
_NO_PAGE = PageStart(b"", b"", True)
# Of the starts of pages shown lately, some 1,500, for the next search that shows them.
_BYTES_KEPT = 16_000_000


class StoredPages:
    """The pages of some hits, read from their archives: what they begin with, and the passages that hold words found.

    They are read some at a time, for they may be many and long; best asked for in their order.
    """

    def __init__(self, snapshot: Snapshot, places: Iterable[Location | None], ranked: Ranked) -> None:
        """places: None where a page cannot be read now."""
        self._places = list(places)
        self._asked = ranked.spellings, ranked.phrases
        self._sought = words_asked(ranked.query.tree)
        known: Recent[PageStart] | None = snapshot.derived.get("starts of pages")
        if known is None:
            known = snapshot.derived.setdefault("starts of pages", Recent(_BYTES_KEPT, _room_of))
        self._known = known
        self._starts: dict[int, PageStart] = {}  # of those at hand
        self._found: dict[int, Snippet] = {}  # of those that were read

    def text(self, number: int) -> bytes:
        """Return the text at the start of a page; b"" where its archive cannot be read now."""
        return self._start(number).text

    def snippet(self, number: int) -> Snippet:
        """Return the passages of a page that hold the words found; () when its archive cannot be read now."""
        if found := self._found.get(number):
            return found
        place, start = self._places[number], self._start(number)
        found = self._found.get(number)
        if found is None:
            found = start_snippet(start, *self._asked, self._sought)
        if place and not found and not start.is_whole:
            found = self._further(place, start)
        return found

    def _further(self, place: Location, start: PageStart) -> Snippet:
        """Return the passages of a page behind whose start a word may stand."""
        [page] = _read_plain([place], [start], looked_for(*self._asked), further=True)
        return (page and page[1]) or _deep_snippet(place, *self._asked, start)

    def _start(self, number: int) -> PageStart:
        found = self._starts.get(number)
        if found is None:
            self._read(number - number % PAGES_AT_ONCE)
            found = self._starts[number]
        return found

    def _read(self, first: int) -> None:
        """Have the pages from one on at hand, and no others."""
        numbers = range(first, min(first + PAGES_AT_ONCE, len(self._places)))
        self._starts = dict.fromkeys(numbers, _NO_PAGE)
        there = {number: place for number in numbers if (place := self._places[number])}
        places = list(there.values())
        known = self._known.find_all(places)
        new: dict[Location, PageStart] = {}
        pages = _read_plain(places, known, looked_for(*self._asked), self._sought)
        for number, was_known, page in zip(there, known, pages, strict=True):
            if page is None:
                start = _read_any(there[number])
            else:
                start, self._found[number] = page
            self._starts[number] = start
            if was_known is None and start is not _NO_PAGE:
                new[there[number]] = start
        self._known.keep_all(new)


def _read_plain(
    places: Sequence[Location],
    known: Sequence[PageStart | None],
    wanted: WantedKinds,
    sought: int = 0,
    *,
    further: bool = False,
) -> list[tuple[PageStart, Snippet] | None]:
    """Return what `_read_any` says of pages in UTF-8 as they stand, which most are, and their passages.

    None of any other page. Of a large one, only what is looked at is unpacked; one that is known is not read again, but
    to look `further`.
    """
    asked = places
    if not further:
        asked = [place for place, start in zip(places, known, strict=True) if start is None]
    packed = read_packed_at(asked, 4 * _MOST_BYTES)
    return stored_pages(own_reader().page, packed, known, _DEPTH, wanted, sought, further=further)


def _deep_snippet(
    place: Location, spellings: frozenset[str], phrases: tuple[tuple[str, ...], ...], start: PageStart
) -> Snippet:
    """Return what the core finds behind the start of a page, of a page that is not in UTF-8 as it stands."""
    from indexer.page_records import in_turn, start_markup_at

    markup, _ = start_markup_at(place, DEEP_BYTES)
    if not markup:
        return ()
    with in_turn(markup):
        return page_snippet(markup, spellings, phrases, start=start)


def _read_any(place: Location) -> PageStart:
    from indexer.page_records import start_markup_at

    markup, is_whole = start_markup_at(place, START_BYTES)
    return start_of_page(markup, is_whole=is_whole) if markup else _NO_PAGE


def _room_of(start: PageStart) -> int:
    return 100 + len(start.text) + len(start.description)  # a page without text takes room, too
