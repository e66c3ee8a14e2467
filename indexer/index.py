"""Index: the library's front. Opens an index, searches it, and finds captures.

from indexer import open_index
with open_index("jobs/01/Index/MyIndex") as index:
    for hit in index.search("finding aid").hits:
        print(hit.url, hit.timestamp)
"""

from __future__ import annotations

import os
import re
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from archiver.warc import (
    ArchiveError,
    Damage,
    Location,
    Record,
    RecordError,
    UnreadableError,
    parse_head,
    parse_response,
    read_record_at,
)
from indexer.listing import KeyRange, ListedCapture, count_captures, list_captures
from indexer.search.expansion import Page, Widened, Wish, widen
from indexer.search.facets import Facets, count_facets
from indexer.search.feedback import telling_words
from indexer.search.folding import fold as near_duplicates
from indexer.search.hits import Hit, describe
from indexer.search.models import MODELS
from indexer.search.narrowing import narrowed
from indexer.search.nodes import describe as describe_tree
from indexer.search.ordering import SORTS, sorted_pages
from indexer.search.page_texts import PageTexts
from indexer.search.query import Query, parse_query
from indexer.search.searcher import Found, Ranked, search
from indexer.search.snippets import SnippetPart, page_snippet, quick_snippet, start_of_page
from indexer.search.spelling import FEW_PAGES, other_spellings
from indexer.search.suggest import Suggestion, host_suggestions, title_query, word_suggestions
from indexer.search.tree import TreeNode, site_tree
from indexer.search.vectors import MOST_MARKUP, terms_of
from indexer.search.widening import AddedWord, Widening, with_words
from indexer.store.bm25f import Ranking
from indexer.store.catalogue import Catalogue, sort_key
from indexer.store.checking import check_generation
from indexer.store.errors import IndexCorruptError, IndexError_
from indexer.store.files import FileTable, KnownFile, Places
from indexer.store.layout import live_folder
from indexer.store.removal import Removal, removals_of
from indexer.store.snapshot import Snapshot
from indexer.text.analysis import words_of
from indexer.text.charset import decode_html
from indexer.text.detection import language_of
from indexer.text.documents import HTML_TYPES, PAGE_LIMITS
from indexer.text.elements import PageText, collect_page


@dataclass(frozen=True, slots=True)
class Results:
    """The answer to a query. total: pages, exact. took_ms: from the parsed query to the hits, without snippets.

    facets: the pages counted by site, year, type, language and status, when they were asked for.
    added: the words that the query was widened by; `parsed` shows the query without them.
    notices: what was read or done otherwise than written. timed_out: the answer is partial, a notice says so.
    did_you_mean: a query that finds more, when this one finds little and a word of it may be misspelled; else None.
    """

    query: str
    parsed: str
    notices: tuple[str, ...]
    total: int
    took_ms: float
    hits: tuple[Hit, ...]
    facets: Facets | None = None
    added: tuple[AddedWord, ...] = ()
    timed_out: bool = False
    did_you_mean: str | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    """All pages found, by where they lie. total: pages, exact; root: its children are the domains."""

    query: str
    parsed: str
    notices: tuple[str, ...]
    total: int
    took_ms: float
    root: TreeNode


@dataclass(frozen=True, slots=True)
class Capture:
    """One address at one time. original: for a revisit the place of the record that it repeats, if it is known."""

    url: str
    timestamp: str
    type: str
    status: int
    mime: str
    digest: str
    location: Location
    original: Location | None
    title: str | None


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a whole index holds; first and last are timestamps of captures, "" when there is none."""

    files: int = 0
    records: int = 0
    captures: int = 0
    documents: int = 0
    versions: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    damaged: tuple[Damage, ...] = ()
    sites: int = 0
    first: str = ""
    last: str = ""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """What became of one archive file: records = captures + the sum of skipped; damage comes on top.

    status: "indexed", "damaged", "not an archive", "unreadable", or "unfinished" while it is read and after a run
    that was broken off; the next run that names the file finishes it. file: as it was named when indexed; path: the
    whole path by which the index knows it.
    """

    file: str
    status: str
    format: str
    records: int
    captures: int
    documents: int
    skipped: dict[str, int]
    damaged: tuple[Damage, ...]
    path: str = ""


_LOOK_S = 0.2  # seconds for a look at what another spelling would find
_ATTEMPTS = 20  # how often to look again when a writer replaces what is being read

_CAPTURE_COLUMNS = (
    "u.url, c.timestamp, c.type, c.status, c.mime, c.payload, f.whole, c.member, c.offset, c.length, c.inner, v.title,"
    " c.refers_to, c.id"
)
_CAPTURE_TABLES = (
    "captures c JOIN urls u ON u.id = c.url JOIN files f ON f.id = c.file"
    " LEFT JOIN versions v ON v.id = c.version"
)


class Index:
    """An open index, for reading. Safe from many threads; a new commit is seen by the next call."""

    def __init__(self, index_dir: str, ranking: Ranking, widening: Widening | None = None) -> None:
        self.index_dir = index_dir
        self.ranking = ranking
        self.widening = widening or Widening()
        self._lock = threading.Lock()
        self._learning = threading.Lock()
        self._learned: tuple[Any, Any] | None = (
            None  # what latent semantic indexing learned, and from which snapshot
        )
        self._folder = ""
        self._catalogue: Catalogue | None = None
        self._snapshot: Snapshot | None = None
        self._places: Places | None = None
        self._current()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files of the index."""
        with self._lock:
            if self._catalogue is not None:
                self._catalogue.close()
            self._catalogue = self._snapshot = self._places = None
            self._folder = ""

    def _current(self) -> Snapshot:
        """Return the newest committed state, opening it if it is not the one at hand."""
        for _ in range(_ATTEMPTS):
            folder = live_folder(self.index_dir)
            try:
                return self._newest_of(folder)
            except (IndexError_, sqlite3.Error, RuntimeError) as error:
                # a rebuild may have removed this generation after we read its name
                if live_folder(self.index_dir) == folder:
                    raise self._translated(error) from error
        raise IndexError_(f"{self.index_dir}: replaced again and again while it was opened; try again later")

    def _newest_of(self, folder: str) -> Snapshot:
        with self._lock:
            if self._catalogue is None or folder != self._folder or self._catalogue.outdated():
                # an older catalogue is left to the threads that still read it
                self._catalogue, self._folder, self._snapshot = Catalogue(folder), folder, None
                self._places = Places(self._catalogue, self.index_dir)
                self._watched = -1
            changes = self._watch()
            if self._snapshot is None or changes != self._watched:
                self._snapshot = Snapshot(self._catalogue)
                self._watched = changes
            snapshot = self._snapshot
        snapshot.catalogue.connection()  # this thread's own, opened while the files are there for sure
        return snapshot

    @contextmanager
    def _reading(self) -> Iterator[Snapshot]:
        """Give the newest state; errors of damaged files inside come out as errors of the index."""
        snapshot = self._current()
        try:
            yield snapshot
        except (sqlite3.Error, LookupError, ValueError, ArithmeticError, MemoryError) as error:
            damage = self._translated(error) if isinstance(error, sqlite3.Error) else snapshot.damage()
            if isinstance(damage, IndexError_):
                raise damage from error
            raise

    def _translated(self, error: Exception) -> Exception:
        if isinstance(error, sqlite3.Error) and self._catalogue is not None:
            return self._catalogue.translated(error)
        return error

    def _watch(self) -> int:
        # data_version belongs to a connection: always ask the same one
        assert self._catalogue is not None
        return self._catalogue.watched_changes()

    # -- searching

    def search(
        self,
        query: str,
        *,
        offset: int = 0,
        limit: int = 10,
        with_snippets: bool = True,
        operator: str = "and",
        sort: str = "relevance",
        facets: bool = False,
        expand: Sequence[str] = (),
        without: Sequence[str] = (),
        marked: tuple[Sequence[str], Sequence[str]] = ((), ()),
        budget_s: float | None = None,
        filters: str = "",
        fold: bool = False,
        model: str | None = None,
        explain: bool = False,
    ) -> Results:
        """Return the hits `offset` to `offset + limit` for a query in the query language, best first.

        operator: what words side by side mean, "and" (all of them) or "or" (any of them).
        sort: "relevance", "newest", "oldest" or "url"; see indexer.search.ordering.
        facets: count all pages found by site, year, type, language and status.
        budget_s: seconds after which the answer is given as far as it has come, None for no limit.
        expand: widen the query by some of "rocchio", "cooccur", "lsi", "wordnet"; see indexer.search.widening.
        without: added words that are not wanted, as `Results.added` spells them.
        marked: addresses of pages that a reader found relevant, and of others; Rocchio learns from these.
        filters: what else a page must fulfil, such as "site:example.org lang:en", in the query language.
        fold: leave out hits that are near-duplicates of one before them among these; that one counts them in `folded`.
        Totals, facets and what the next offset gives stay as they are.
        model: how pages are scored, one of indexer.search.models.MODELS; None for the setting.
        explain: say of each score what it is made of, as `Hit.explanation`.
        Raises ValueError for another operator, sort, model or way to expand.
        """
        if sort not in SORTS:
            raise ValueError(f"sort {sort!r}: expected one of {', '.join(SORTS)}")
        if model is not None and model not in MODELS:
            raise ValueError(f"model {model!r}: expected one of {', '.join(MODELS)}")
        ranking = self.ranking if model is None else replace(self.ranking, model=model)
        parsed = narrowed(parse_query(query, operator=operator), parse_query(filters))
        wish = Wish.of(expand, without, self._marked_pages(marked[0]), self._marked_pages(marked[1]))
        before: Snapshot | None = None
        for _ in range(_ATTEMPTS):
            with self._reading() as snapshot:
                started = time.perf_counter()
                widened = self._widened(snapshot, parsed, wish, ranking=ranking, budget_s=budget_s)
                ranked = search(
                    snapshot,
                    widened.query,
                    ranking,
                    offset=max(0, offset),
                    limit=max(0, limit),
                    sort=sort,
                    budget_s=budget_s,
                    explain=explain,
                )
                with snapshot.catalogue.snapshot():
                    hits = [describe(snapshot, found, oldest=sort == "oldest") for found in ranked.found]
                took_ms = (time.perf_counter() - started) * 1000
                counted = count_facets(snapshot, ranked.matched) if facets else None
                other = None if wish else self._did_you_mean(snapshot, parsed, ranked)
            if all(hit.file for hit in hits) or snapshot is before:
                break
            # a commit came between the ranking and the look at the catalogue, and has moved a page
            before = snapshot
        if fold:
            hits = self._folded(snapshot, hits, ranked)
        if with_snippets:
            hits = [replace(hit, snippet=self._snippet(snapshot, hit, ranked)) for hit in hits]
        return Results(
            query,
            str(widened.asked or ranked.query),
            ranked.query.notices,
            ranked.total,
            took_ms,
            tuple(hits),
            counted,
            tuple(widened.added),
            ranked.timed_out,
            other,
        )

    def tree(
        self,
        query: str,
        *,
        opened: str = "",
        operator: str = "and",
        filters: str = "",
        expand: Sequence[str] = (),
        without: Sequence[str] = (),
        marked: tuple[Sequence[str], Sequence[str]] = ((), ()),
    ) -> Tree:
        """Return the pages found as a tree of domains, hosts and folders, with one branch opened.

        opened: address of the node whose children are wanted; see indexer.search.tree. An empty query without filters
        asks for the tree of all pages. expand, without, marked: as in `search`.
        """
        parsed = narrowed(parse_query(query, operator=operator), parse_query(filters))
        wish = Wish.of(expand, without, self._marked_pages(marked[0]), self._marked_pages(marked[1]))
        with self._reading() as snapshot:
            started = time.perf_counter()
            if parsed.text.strip() or parsed.tree:
                widened = self._widened(snapshot, parsed, wish, ranking=self.ranking)
                ranked = search(snapshot, widened.query, self.ranking, offset=0, limit=0)
                parsed, matched = widened.asked or ranked.query, ranked.matched
            else:
                matched = snapshot.all_versions()
            with snapshot.catalogue.snapshot():
                root = site_tree(snapshot, matched, opened)
            took_ms = (time.perf_counter() - started) * 1000
        return Tree(query, str(parsed), parsed.notices, root.count, took_ms, root)

    def newest(self, limit: int) -> tuple[Hit, ...]:
        """Return the pages captured last, the newest first, at most `limit`; without scores and snippets."""
        with self._reading() as snapshot:
            pages = sorted_pages(snapshot, snapshot.all_versions(), "newest", offset=0, limit=limit)
            with snapshot.catalogue.snapshot():
                hits = [
                    describe(
                        snapshot,
                        Found(page.document, 0.0, ((snapshot.segments[page.segment].number, page.ordinal),)),
                    )
                    for page in pages
                ]
        return tuple(hit for hit in hits if hit.file)

    def ranked_pages(
        self,
        query: Query,
        limit: int | None,
        *,
        ranking: Ranking | None = None,
        expand: Sequence[str] = (),
        widening: Widening | None = None,
    ) -> list[tuple[str, float]]:
        """Return (address, score) of the best pages for a parsed query: what an evaluation needs, and no more.

        limit: how many; None for all. ranking, widening: other settings than those of the index.
        expand: as in `search`.
        """
        wish, ranking = Wish.of(expand), ranking or self.ranking
        with self._reading() as snapshot:
            most = snapshot.versions if limit is None else limit
            query = self._widened(snapshot, query, wish, ranking=ranking, widening=widening).query
            ranked = search(snapshot, query, ranking, offset=0, limit=most)
            with snapshot.catalogue.snapshot() as connection:
                addresses = [
                    connection.execute("SELECT url FROM urls WHERE id = ?", (found.document,)).fetchone()
                    for found in ranked.found
                ]
        # a page that a commit took away meanwhile has no address
        return [
            (row[0], found.score)
            for row, found in zip(addresses, ranked.found, strict=True)
            if row is not None
        ]

    def _widened(
        self,
        snapshot: Snapshot,
        query: Query,
        wish: Wish,
        *,
        ranking: Ranking,
        widening: Widening | None = None,
        budget_s: float | None = None,
    ) -> Widened:
        if not wish:
            return Widened(query)
        options = widening or self.widening
        return widen(
            snapshot,
            query,
            ranking,
            options,
            wish,
            lambda found: self._page_found(snapshot, found),
            lambda words: self._near_words(snapshot, words, options),
            budget_s=budget_s,
        )

    def _page_found(self, snapshot: Snapshot, found: Found) -> Page | None:
        """Return the address and the text of a page found; None when its archive cannot be read now."""
        with snapshot.catalogue.snapshot():
            hit = describe(snapshot, found)
        return self._page_at(
            hit.url, Location(self._now(hit.path), hit.offset, hit.length, hit.member, hit.inner)
        )

    def _page_at(self, url: str, location: Location) -> Page | None:
        body, content_type = self._page_body(location) if location.path else (b"", "")
        if not body:
            return None
        # what a page is about stands in its beginning; some pages are a hundred times longer
        text = collect_page(decode_html(body, content_type)[0][:MOST_MARKUP])
        text.language = language_of(text)
        return url, text

    def _marked_pages(self, urls: Sequence[str]) -> list[Page]:
        """Return the newest stored page of each of some addresses; what is not there, or unreadable, is missing."""
        pages = []
        for url in dict.fromkeys(urls):
            stored = [capture for capture in self.captures(url) if capture.mime in HTML_TYPES]
            if (
                stored
                and (page := self._page_at(url, stored[-1].original or stored[-1].location)) is not None
            ):
                pages.append(page)
        return pages

    def _did_you_mean(self, snapshot: Snapshot, query: Query, ranked: Ranked) -> str | None:
        """Return a query with other words of this index that more pages match; None when there is none, or no need."""
        found = 0 if ranked.is_relaxed else ranked.total
        if found >= FEW_PAGES or ranked.timed_out:
            return None
        for tree in other_spellings(snapshot, query.tree):
            other = replace(query, tree=tree, notices=())
            better = search(snapshot, other, self.ranking, offset=0, limit=0, budget_s=_LOOK_S)
            if not better.is_relaxed and better.total > found:
                return describe_tree(tree)
        return None

    def suggest(self, typed: str, *, limit: int = 8) -> list[Suggestion]:
        """Return suggestions for a query that is being typed: words, then titles, then hosts, at most `limit` of each.

        They come from this index alone; an empty list when nothing fits.
        """
        with self._reading() as snapshot:
            found = word_suggestions(snapshot, typed, limit)
            found += self._title_suggestions(snapshot, typed, limit)
            return found + host_suggestions(snapshot, typed, limit)

    def _title_suggestions(self, snapshot: Snapshot, typed: str, limit: int) -> list[Suggestion]:
        tree = title_query(snapshot, typed)
        if tree is None:
            return []
        ranked = search(snapshot, Query(typed, tree), self.ranking, offset=0, limit=2 * limit)
        titles: dict[str, Suggestion] = {}
        with snapshot.catalogue.snapshot() as connection:
            for found in ranked.found:
                row = connection.execute(
                    "SELECT v.title, u.url FROM versions v JOIN urls u ON u.id = v.url"
                    " WHERE v.segment = ? AND v.ordinal = ?",
                    found.versions[0],
                ).fetchone()
                if row is not None and row[0]:
                    quoted = 'title:"' + " ".join(words_of(row[0])) + '"'
                    titles.setdefault(row[0], Suggestion("title", row[0], quoted, url=row[1]))
        return list(titles.values())[:limit]

    def similar(self, url: str, *, limit: int = 10, with_snippets: bool = True) -> Results:
        """Return pages that share the most telling words of a page, best first, without the page itself.

        url: address of a page in this index; its newest stored copy counts. `added` holds the words that were looked
        for, heaviest first; without them (the address is not here, or its archive cannot be read) there are no hits.
        """
        pages = self._marked_pages([url])
        with self._reading() as snapshot:
            started = time.perf_counter()
            words = telling_words(terms_of(snapshot, pages, self.ranking), snapshot.versions) if pages else []
            tree = with_words(None, words)
            ranked = search(snapshot, Query(url, tree), self.ranking, offset=0, limit=max(0, limit) + 1)
            with snapshot.catalogue.snapshot():
                hits = [describe(snapshot, found) for found in ranked.found]
        took_ms = (time.perf_counter() - started) * 1000
        own = {sort_key(address) for address, _ in pages}
        others = [hit for hit in hits if sort_key(hit.url) not in own][: max(0, limit)]
        if with_snippets:
            others = [replace(hit, snippet=self._snippet(snapshot, hit, ranked)) for hit in others]
        total = max(0, ranked.total - bool(pages))
        return Results(url, str(ranked.query), (), total, took_ms, tuple(others), added=tuple(words))

    def _near_words(self, snapshot: Snapshot, words: list[str], options: Widening) -> list[AddedWord]:
        """Return words near in meaning, learned once for each commit. Raises LookupError without scipy."""
        from indexer.search.lsi import NearWords, learn

        key = (snapshot, options.lsi_pages, options.lsi_dimensions)
        with self._learning:
            learned = self._learned
            if learned is None or learned[0] != key:
                learned = self._learned = (key, learn(snapshot, options))
        near: NearWords = learned[1]
        return near.near(words, options)

    def _folded(self, snapshot: Snapshot, hits: list[Hit], ranked: Ranked) -> list[Hit]:
        """Return the hits that are not like one before them, each with the number of those that are like it."""
        sizes = [snapshot.words_in(*found.versions[0]) for found in ranked.found]
        stands_for = near_duplicates(sizes, lambda place: self._start_of(snapshot, hits[place])[0])
        return [
            replace(hit, folded=stands_for.count(place) - 1)
            for place, hit in enumerate(hits)
            if stands_for[place] == place
        ]

    def _snippet(self, snapshot: Snapshot, hit: Hit, ranked: Ranked) -> tuple[SnippetPart, ...]:
        start, markup = self._start_of(snapshot, hit)
        if found := quick_snippet(start, ranked.spellings, ranked.phrases):
            return found
        if not markup and hit.file:
            markup = self._markup(self._place_of(hit))
        return page_snippet(markup, ranked.spellings, ranked.phrases) if markup else ()

    def _start_of(self, snapshot: Snapshot, hit: Hit) -> tuple[str, str]:
        """Return (text at the start of a page, its markup where it had to be read for that)."""
        if not hit.file:
            return "", ""
        texts: PageTexts = snapshot.derived.setdefault("page texts", PageTexts())
        place = self._place_of(hit)
        start = texts.get(place)
        if start is not None:
            return start, ""
        markup = self._markup(place)
        start = start_of_page(markup)
        if markup:
            texts.keep(place, start)
        return start, markup

    def _place_of(self, hit: Hit) -> Location:
        return Location(self._now(hit.path), hit.offset, hit.length, hit.member, hit.inner)

    def _markup(self, place: Location) -> str:
        """Return a page's markup as text; "" when the archive cannot be read now."""
        body, content_type = self._page_body(place)
        return decode_html(body, content_type)[0] if body else ""

    def _page_body(self, location: Location) -> tuple[bytes, str]:
        """Return the decoded body of a record and its Content-Type; (b"", "") when the archive cannot be read now."""
        try:
            with read_record_at(location) as record:
                head = parse_head(record)
                response = parse_response(record, limits=PAGE_LIMITS)
        except (ArchiveError, OSError):
            return b"", ""
        if response is None:
            return b"", ""
        return response.body, head.headers.get("Content-Type") if head else ""

    def page_text(self, location: Location) -> PageText | None:
        """Return the text of the page in a record, None when the archive cannot be read now or holds no page there."""
        body, content_type = self._page_body(location)
        return collect_page(decode_html(body, content_type)[0]) if body else None

    # -- captures

    def captures(self, url: str) -> list[Capture]:
        """Return all captures of an address, oldest first; any spelling of the address, http and https alike."""
        with self._reading() as snapshot, snapshot.catalogue.snapshot() as connection:
            rows = connection.execute(
                f"SELECT {_CAPTURE_COLUMNS} FROM {_CAPTURE_TABLES} WHERE u.sort_key = ?"
                " ORDER BY c.timestamp, f.path, c.member, c.offset, c.inner",
                (sort_key(url),),
            ).fetchall()
            return self._captures_of_rows(snapshot.catalogue, rows)

    def list_captures(
        self,
        keys: KeyRange,
        *,
        first: str = "",
        last: str = "",
        after: tuple[str, str, int] | None = None,
        newest_first: bool = False,
        limit: int = 1000,
    ) -> list[ListedCapture]:
        """Return the next captures by address and time, at most `limit`; see indexer.listing."""
        with self._reading() as snapshot, snapshot.catalogue.snapshot() as connection:
            return list_captures(
                connection,
                keys,
                first=first,
                last=last,
                after=after,
                newest_first=newest_first,
                limit=limit,
                now=self._now,
            )

    def count_captures(self, keys: KeyRange, *, first: str = "", last: str = "") -> int:
        """Return how many captures `list_captures` gives in all."""
        with self._reading() as snapshot, snapshot.catalogue.snapshot() as connection:
            return count_captures(connection, keys, first=first, last=last)

    def captures_with_digest(self, digest: str, limit: int) -> list[Capture]:
        """Return captures whose payload has this digest, of any address, oldest first; at most `limit`."""
        if not digest:
            return []
        with self._reading() as snapshot, snapshot.catalogue.snapshot() as connection:
            rows = connection.execute(
                f"SELECT {_CAPTURE_COLUMNS} FROM {_CAPTURE_TABLES} WHERE c.payload = ?"
                " ORDER BY c.timestamp, u.url, f.path, c.member, c.offset, c.inner LIMIT ?",
                (digest, limit),
            ).fetchall()
            return self._captures_of_rows(snapshot.catalogue, rows)

    def _captures_of_rows(self, catalogue: Catalogue, rows: list[tuple[Any, ...]]) -> list[Capture]:
        # the original of a revisit mostly is one of the same address: then no further look is needed
        at_hand: dict[tuple[str, str], Location] = {}
        for url, _, kind, _, _, payload, path, member, offset, length, inner, *_ in rows:
            if payload and kind in ("response", "resource"):
                at_hand.setdefault((url, payload), Location(path, offset, length, member, inner))
        return [self._capture(catalogue, row, at_hand) for row in rows]

    def _capture(
        self, catalogue: Catalogue, row: tuple[Any, ...], at_hand: dict[tuple[str, str], Location]
    ) -> Capture:
        (
            url,
            timestamp,
            kind,
            status,
            mime,
            payload,
            path,
            member,
            offset,
            length,
            inner,
            title,
            refers_to,
            _,
        ) = row
        original = None
        if kind == "revisit":
            original = at_hand.get((url, payload)) or self._original(
                catalogue, url, timestamp, payload, refers_to
            )
        return Capture(
            url,
            timestamp,
            kind,
            status,
            mime,
            payload,
            Location(self._now(path), offset, length, member, inner),
            original,
            title,
        )

    def _original(
        self, catalogue: Catalogue, url: str, timestamp: str, payload: str, refers_to: str | None
    ) -> Location | None:
        """Return the record that a revisit repeats: same digest; the same address, then the named one, then any.

        Where the revisit or the response has no digest (an answer of 304; a chunked body), it is the last
        response before it from the address that it names, else from its own.
        """
        columns = (
            "SELECT f.whole, c.offset, c.length, c.member, c.inner FROM captures c JOIN urls u ON u.id = c.url"
            " JOIN files f ON f.id = c.file WHERE c.type IN ('response', 'resource') AND "
        )
        connection = catalogue.connection()
        row = None
        if payload:
            row = connection.execute(
                columns + "c.payload = ?"
                " ORDER BY u.url <> ?, u.url <> ?, c.timestamp, f.path, c.member, c.offset, c.inner LIMIT 1",
                (payload, url, refers_to or ""),
            ).fetchone()
        if row is None:
            row = connection.execute(
                columns + "u.url = ? AND c.timestamp <= ? AND (? = '' OR c.payload = '') AND c.status <> 304"
                " ORDER BY c.timestamp DESC, f.path, c.member, c.offset, c.inner LIMIT 1",
                (refers_to or url, timestamp, payload),
            ).fetchone()
        return Location(self._now(row[0]), *row[1:]) if row else None

    def closest(self, url: str, timestamp: str | None = None, digest: str = "") -> Capture | None:
        """Return the capture of an address nearest in time to `timestamp` (1 to 14 digits); the newest without one.

        Captures whose bytes are held come before revisits whose original is not known. Of several captures of one
        second the one whose payload digest begins with `digest` (with or without the name of the algorithm) is taken,
        else the one with the address as spelled, else the first by file and place.
        """
        found = self.captures(url)
        if not found:
            return None
        usable = [c for c in found if c.type != "revisit" or c.original is not None] or found
        exact = [c for c in usable if c.url == url] or usable
        if not timestamp:
            return exact[-1]
        wanted = _seconds(timestamp)
        return min(
            usable,
            key=lambda c: (abs(_seconds(c.timestamp) - wanted), not _has_digest(c, digest), c.url != url),
        )

    def record(self, capture: Capture) -> Record:
        """Return the record of a capture, opened; that of the original for a revisit. Close it, or use it in `with`.

        Raises ArchiveError when the archive cannot be read, RecordError when the original of a revisit is not held.
        """
        place = capture.location
        if capture.type == "revisit":
            if capture.original is None:
                raise RecordError(
                    place.path,
                    place.offset,
                    "a revisit whose original is not in this index; its payload is not held",
                )
            place = capture.original
        if not os.path.exists(place.path):
            raise UnreadableError(
                f"{place.path}: this archive is not there any more; put it back, or tell the index where it lies now:"
                " findingaid index FOLDER"
            )
        return read_record_at(place)

    def _now(self, whole: str) -> str:
        """Return the path to open for an archive file that the index knows by its whole path."""
        places = self._places
        return places.now(whole) if places is not None else whole

    # -- ledger and state

    def ledger(self) -> list[LedgerEntry]:
        """Return what became of each file, by name."""
        with self._reading() as snapshot:
            return _ledger_of(snapshot.catalogue)

    def statistics(self) -> Statistics:
        """Return the totals of the whole index."""
        with self._reading() as snapshot, snapshot.catalogue.snapshot() as connection:
            ledger = _ledger_of(snapshot.catalogue)
            documents = connection.execute("SELECT COUNT(DISTINCT url) FROM versions").fetchone()[0]
            versions = connection.execute("SELECT COUNT(*) FROM versions").fetchone()[0]
            first, last = connection.execute(
                "SELECT MIN(timestamp), MAX(timestamp) FROM captures WHERE timestamp <> ''"
            ).fetchone()
            sites = snapshot.sites()
        skipped: Counter[str] = Counter()
        for entry in ledger:
            skipped.update(entry.skipped)
        return Statistics(
            files=len(ledger),
            records=sum(entry.records for entry in ledger),
            captures=sum(entry.captures for entry in ledger),
            documents=documents,
            versions=versions,
            skipped=dict(sorted(skipped.items())),
            damaged=tuple(damage for entry in ledger for damage in entry.damaged),
            sites=sites,
            first=first or "",
            last=last or "",
        )

    def removals(self) -> list[Removal]:
        """Return what was taken out of the index, by whom and why, oldest first; also what was lifted since."""
        with self._reading() as snapshot:
            return removals_of(snapshot.catalogue)

    def missing_files(self) -> list[LedgerEntry]:
        """Return the ledger entries of archive files that are not where the index knows them, nor moved with it."""
        return [entry for entry in self.ledger() if not os.path.exists(self._now(entry.path))]

    def check(self, progress: Callable[[str], None] | None = None) -> list[str]:
        """Return one line for each problem found in the files of the index; empty when it is sound."""
        folder = live_folder(self.index_dir)
        problems = check_generation(folder, progress)
        while (
            problems and live_folder(self.index_dir) != folder
        ):  # a rebuild has removed what was being checked
            folder = live_folder(self.index_dir)
            problems = check_generation(folder, progress)
        return problems


def open_index(index_dir: str, *, ranking: Ranking | None = None, widening: Widening | None = None) -> Index:
    """Return the index in a folder, opened for reading, with settings other than the defaults where they are given.

    Raises IndexMissingError, IndexVersionError or IndexCorruptError.
    """
    return Index(os.fspath(index_dir), ranking or Ranking(), widening)


def _ledger_of(catalogue: Catalogue) -> list[LedgerEntry]:
    try:
        entries = [
            _ledger_entry(file) if file.entry is not None else _unfinished_entry(catalogue, file)
            for file in FileTable(catalogue).all()
            if file.entry is not None or file.begun is not None
        ]
        return sorted(
            (entry for entry in entries if entry.status != "unfinished" or entry.captures),
            key=lambda entry: (entry.file, entry.path),
        )
    except (LookupError, TypeError) as error:
        raise IndexCorruptError(
            f"{catalogue.path}: a ledger entry without what it must have ({error!r});"
            " index the archives again with --rebuild"
        ) from error


def _unfinished_entry(catalogue: Catalogue, file: KnownFile) -> LedgerEntry:
    """Return the entry of a file that a run began to read and did not finish, or reads now."""
    captures, documents = (
        catalogue.connection()
        .execute(
            "SELECT COUNT(*), COUNT(CASE WHEN type <> 'revisit' THEN version END) FROM captures WHERE file = ?",
            (file.number,),
        )
        .fetchone()
    )
    return LedgerEntry(file.path, "unfinished", "", captures, captures, documents, {}, (), file.whole)


def _ledger_entry(file: KnownFile) -> LedgerEntry:
    value = file.entry or {}
    damaged = tuple(
        Damage(value["file"], item["offset"], item["length"], item["problem"], item.get("member", ""))
        for item in value["damaged"]
    )
    return LedgerEntry(
        value["file"],
        value["status"],
        value["format"],
        value["records"],
        value["captures"],
        value["documents"],
        value["skipped"],
        damaged,
        file.whole,
    )


def _has_digest(capture: Capture, start: str) -> bool:
    return bool(start) and (
        capture.digest.startswith(start) or capture.digest.partition(":")[2].startswith(start)
    )


def _seconds(timestamp: str) -> float:
    """Return a timestamp of 1 to 14 digits as a number of seconds that orders and measures; 0 for none."""
    digits = re.sub(r"\D", "", timestamp)[:14]
    if not digits:
        return 0.0
    full = (
        digits + "00000101000000"[len(digits) :] if len(digits) >= 4 else digits.ljust(4, "0") + "0101000000"
    )
    year, month, day, hour, minute, second = (
        int(full[a:b]) for a, b in ((0, 4), (4, 6), (6, 8), (8, 10), (10, 12), (12, 14))
    )
    return ((((year * 12 + month) * 31 + day) * 24 + hour) * 60 + minute) * 60.0 + second
