"""Index: the library's front. Opens an index, searches it, and finds captures.

from indexer import open_index
with open_index("jobs/01/Index/MyIndex") as index:
    for hit in index.search("finding aid").hits:
        print(hit.url, hit.timestamp)
"""

from __future__ import annotations

import operator
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.results import Results, Tree
from indexer.search.deadline import Deadline
from indexer.search.hits import Hit, describe, describe_all, with_passages
from indexer.search.later import Later
from indexer.search.narrowing import narrowed
from indexer.search.nodes import describe as describe_tree
from indexer.search.query import Query, parse_query
from indexer.search.searcher import Found, Ranked, best_versions, search
from indexer.store.bm25f import Ranking
from indexer.store.compact import sort_key
from indexer.store.errors import IndexError_, IndexMissingError
from indexer.store.opened import ATTEMPTS, OpenedIndex
from indexer.store.snapshot import Snapshot

if TYPE_CHECKING:
    from archiver.warc import Location, Record
    from indexer.captures import Around, Capture
    from indexer.ledger import LedgerEntry, Statistics
    from indexer.listing import KeyRange, ListedCapture
    from indexer.search.expansion import Page, Widened, Wish
    from indexer.search.facets import Facets
    from indexer.search.link_graph import GraphWish, LinkGraph
    from indexer.search.page_links import PageLinks
    from indexer.search.suggest import Suggestion
    from indexer.search.widening import AddedWord, Widening
    from indexer.store.joined import JoinedSnapshot
    from indexer.store.removal import Removal
    from indexer.text.elements import PageText

_FILE = operator.attrgetter("file")
_LOOK_S = 0.2  # seconds for a look at what another spelling would find


class _Reading:
    """Reading an index in a state of it: errors of SQLite inside come out as errors of the index."""

    __slots__ = ("_opened", "_snapshot")

    def __init__(self, snapshot: Snapshot, opened: OpenedIndex) -> None:
        self._snapshot, self._opened = snapshot, opened

    def __enter__(self) -> Snapshot:
        return self._snapshot

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise self._opened.translated(error) from error


class Index:
    """An open index, or several as one, for reading. Safe from many threads; a new commit is seen by the next call."""

    def __init__(self, index_dirs: Sequence[str], ranking: Ranking, widening: Widening | None = None) -> None:
        """Open; index_dirs: the folders, at least one, each once. Raises the errors of open_index."""
        self.index_dirs = tuple(index_dirs)
        self.ranking = ranking
        self.widening = widening  # None: the defaults
        self._learning = threading.Lock()
        self._learned: tuple[Any, Any] | None = (
            None  # what latent semantic indexing learned, and from which snapshot
        )
        self._opened = [OpenedIndex(index_dir) for index_dir in index_dirs]
        self._joining = threading.Lock()
        self._joined: JoinedSnapshot | None = None
        try:
            self._current()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files of the index."""
        self._joined = None
        for opened in self._opened:
            opened.close()

    def rest(self) -> None:
        """Let go of what no process split from this one may have; what is asked for next takes it up again.

        What was read and worked out stays. To be called while nobody reads. Raises the errors of open_index.
        """
        for opened in self._opened:
            opened.rest()

    def frequent_words(self, limit: int) -> list[str]:
        """Return the words that most versions of pages hold, removed ones too, by falling number."""
        from indexer.search.lexicon import frequent_words

        return frequent_words(self._current(), limit)

    def _current(self) -> Snapshot:
        """Return the newest committed state of all."""
        if len(self._opened) == 1:
            return self._opened[0].current()
        members = [opened.current() for opened in self._opened]
        from indexer.store.joined import JoinedSnapshot

        with self._joining:
            for _ in range(ATTEMPTS):
                joined = self._joined
                if joined is not None and all(map(operator.is_, joined.members, members)):
                    return joined
                self._joined = JoinedSnapshot(members)
                members = [opened.current() for opened in self._opened]
        raise IndexError_(f"{self._name()}: written again and again while they were opened; try again later")

    def _name(self) -> str:
        return ", ".join(self.index_dirs)

    def _reading(self) -> _Reading:
        """Give the newest state; errors of damaged files inside come out as errors of the index."""
        return _Reading(self._current(), self._opened[0])

    def derived(self) -> dict[Any, Any]:
        """Return what is kept with the newest committed state, by name: what is worked out of it stays true there.

        A commit begins an empty one.
        """
        return self._current().derived

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
        if sort != "relevance":
            from indexer.search.ordering import SORTS

            if sort not in SORTS:
                raise ValueError(f"sort {sort!r}: expected one of {', '.join(SORTS)}")
        if model is not None:
            from indexer.search.models import MODELS

            if model not in MODELS:
                raise ValueError(f"model {model!r}: expected one of {', '.join(MODELS)}")
        ranking = self.ranking if model is None else replace(self.ranking, model=model)
        parsed = parse_query(query, operator=operator)
        if filters:
            parsed = narrowed(parsed, parse_query(filters))
        wish = self._wish(expand, without, marked)
        before: Snapshot | None = None
        for _ in range(ATTEMPTS):
            snapshot = self._current()
            try:
                started = time.perf_counter()
                widened = wish and self._widened(snapshot, parsed, wish, ranking=ranking, budget_s=budget_s)
                ranked = search(
                    snapshot,
                    widened.query if widened else parsed,
                    ranking,
                    offset=max(0, offset),
                    limit=max(0, limit),
                    sort=sort,
                    budget_s=budget_s,
                    explain=explain,
                )
                hits = describe_all(snapshot, ranked.found, oldest=sort == "oldest")
                took_ms = (time.perf_counter() - started) * 1000
                counted = self._counted(snapshot, ranked) if facets else None
            except sqlite3.Error as error:
                raise self._opened[0].translated(error) from error
            if all(map(_FILE, hits)) or snapshot is before:
                break
            # a commit came between the ranking and the look at the catalogue, and has moved a page
            before = snapshot
        if fold or with_snippets:
            hits = self._from_archives(snapshot, hits, ranked, fold=fold, with_snippets=with_snippets)
        return Results(
            query,
            str((widened and widened.asked) or ranked.query),
            ranked.query.notices,
            ranked.total,
            took_ms,
            tuple(hits),
            counted,
            tuple(widened.added) if widened else (),
            ranked.timed_out,
            Later(lambda: None if wish else self._did_you_mean(snapshot, parsed, ranked)),
        )

    def _counted(self, snapshot: Snapshot, ranked: Ranked) -> Facets:
        from indexer.search.facets import count_facets

        return count_facets(snapshot, ranked.matched)

    def _from_archives(
        self,
        snapshot: Snapshot,
        hits: Sequence[Hit],
        ranked: Ranked,
        *,
        fold: bool = False,
        with_snippets: bool = True,
    ) -> list[Hit]:
        """Return hits with what their pages are asked for.

        fold: without those that are like one before them; that one has the number of these.
        """
        from indexer.search.folding import fold as near_duplicates
        from indexer.stored_pages import StoredPages

        pages = StoredPages(snapshot, self._places_of(hits), ranked)
        shown: Sequence[int] = range(len(hits))
        if fold:
            stands_for = near_duplicates(snapshot.words_in(best_versions(ranked.found)), pages.text)
            shown = [place for place, other in enumerate(stands_for) if place == other]
            if len(shown) < len(hits):
                hits = [
                    hit._replace(folded=stands_for.count(place) - 1)
                    for place, hit in zip(shown, [hits[place] for place in shown], strict=True)
                ]
        snippets = list(map(pages.snippet, shown)) if with_snippets else [()] * len(hits)
        return with_passages(hits, snippets)

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
        from indexer.search.tree import site_tree

        parsed = narrowed(parse_query(query, operator=operator), parse_query(filters))
        wish = self._wish(expand, without, marked)
        with self._reading() as snapshot:
            started = time.perf_counter()
            if parsed.text.strip() or parsed.tree:
                widened = wish and self._widened(snapshot, parsed, wish, ranking=self.ranking)
                query_of_all = widened.query if widened else parsed
                ranked = search(snapshot, query_of_all, self.ranking, offset=0, limit=0)
                parsed, matched = (widened and widened.asked) or ranked.query, ranked.matched
            else:
                matched = snapshot.all_versions()
            with snapshot.reading():
                root = site_tree(snapshot, matched, opened)
            took_ms = (time.perf_counter() - started) * 1000
        return Tree(query, str(parsed), parsed.notices, root.count, took_ms, root)

    def newest(self, limit: int) -> tuple[Hit, ...]:
        """Return the pages captured last, the newest first, at most `limit`; without scores and snippets."""
        from indexer.search.ordering import newest_pages

        with self._reading() as snapshot:
            pages = newest_pages(snapshot, limit)
            hits = describe_all(
                snapshot,
                [
                    Found(page.document, 0.0, ((snapshot.segments[page.segment].number, page.ordinal),))
                    for page in pages
                ],
            )
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
        wish, ranking = self._wish(expand), ranking or self.ranking
        with self._reading() as snapshot:
            most = snapshot.versions if limit is None else limit
            if wish:
                query = self._widened(snapshot, query, wish, ranking=ranking, widening=widening).query
            ranked = search(snapshot, query, ranking, offset=0, limit=most)
            with snapshot.reading():
                addresses = snapshot.addresses([found.document for found in ranked.found])
        # a page that a commit took away meanwhile has no address
        return [
            (address, found.score) for address, found in zip(addresses, ranked.found, strict=True) if address
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
        from indexer.search.expansion import widen
        from indexer.search.widening import Widening

        options = widening or self.widening or Widening()
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
        hit = describe(snapshot, found)
        return self._page_at(hit.url, self._places_of([hit])[0])

    def _page_at(self, url: str, place: Location | None) -> Page | None:
        from indexer.page_records import markup_at
        from indexer.search.vectors import MOST_MARKUP
        from indexer.text.detection import language_of
        from indexer.text.pages import collect_page

        markup = markup_at(place)
        if not markup:
            return None
        # what a page is about stands in its beginning; some pages are a hundred times longer
        text = collect_page(markup[:MOST_MARKUP])
        text.language = language_of(text)
        return url, text

    def _wish(
        self,
        expand: Sequence[str],
        without: Sequence[str] = (),
        marked: tuple[Sequence[str], Sequence[str]] = ((), ()),
    ) -> Wish | None:
        if not (expand or marked[0] or marked[1]):
            return None
        from indexer.search.expansion import Wish

        return Wish.of(expand, without, self._marked_pages(marked[0]), self._marked_pages(marked[1])) or None

    def _marked_pages(self, urls: Sequence[str]) -> list[Page]:
        """Return the newest stored page of each of some addresses; what is not there, or unreadable, is missing."""
        from archiver.warc import HTML_TYPES

        pages = []
        for url in dict.fromkeys(urls):
            stored = [capture for capture in self.captures(url) if capture.mime in HTML_TYPES]
            if (
                stored
                and (page := self._page_at(stored[-1].url, stored[-1].original or stored[-1].location))
                is not None
            ):
                pages.append(page)
        return pages

    def _did_you_mean(self, snapshot: Snapshot, query: Query, ranked: Ranked) -> str | None:
        """Return a query with other words of this index that more pages match; None when there is none, or no need."""
        from indexer.search.spelling import FEW_PAGES, other_spellings

        found = 0 if ranked.is_relaxed else ranked.total
        if found >= FEW_PAGES or ranked.timed_out:
            return None
        with _Reading(snapshot, self._opened[0]):
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
        from indexer.search.suggest import host_suggestions, word_suggestions

        with self._reading() as snapshot:
            found = word_suggestions(snapshot, typed, limit)
            found += self._title_suggestions(snapshot, typed, limit)
            return found + host_suggestions(snapshot, typed, limit)

    def _title_suggestions(self, snapshot: Snapshot, typed: str, limit: int) -> list[Suggestion]:
        from indexer.search.suggest import Suggestion, title_query
        from indexer.text.analysis import words_of

        tree = title_query(snapshot, typed)
        if tree is None:
            return []
        ranked = search(snapshot, Query(typed, tree), self.ranking, offset=0, limit=2 * limit)
        titles: dict[str, Suggestion] = {}
        with snapshot.reading():
            urls = snapshot.addresses([found.document for found in ranked.found])
            for found, url in zip(ranked.found, urls, strict=True):
                title = snapshot.title_of(*found.versions[0])
                if title and url:
                    quoted = 'title:"' + " ".join(words_of(title)) + '"'
                    titles.setdefault(title, Suggestion("title", title, quoted, url=url))
        return list(titles.values())[:limit]

    def similar(self, url: str, *, limit: int = 10, with_snippets: bool = True) -> Results:
        """Return pages that share the most telling words of a page, best first, without the page itself.

        url: address of a page in this index; its newest stored copy counts. `added` holds the words that were looked
        for, heaviest first; without them (the address is not here, or its archive cannot be read) there are no hits.
        """
        from indexer.search.feedback import telling_words
        from indexer.search.vectors import terms_of
        from indexer.search.widening import with_words

        pages = self._marked_pages([url])
        with self._reading() as snapshot:
            started = time.perf_counter()
            words = telling_words(terms_of(snapshot, pages, self.ranking), snapshot.versions) if pages else []
            tree = with_words(None, words)
            ranked = search(snapshot, Query(url, tree), self.ranking, offset=0, limit=max(0, limit) + 1)
            hits = describe_all(snapshot, ranked.found)
        took_ms = (time.perf_counter() - started) * 1000
        own = {sort_key(address) for address, _ in pages}
        others = [hit for hit in hits if sort_key(hit.url) not in own][: max(0, limit)]
        if with_snippets:
            others = self._from_archives(snapshot, others, ranked)
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

    def _places_of(self, hits: Sequence[Hit]) -> list[Location | None]:
        """Return where the records of hits lie now; None for one of which no file is known any more."""
        from archiver.warc import Location

        now = {path: self._now(path) for path in {hit.path for hit in hits if hit.file}}
        missing = {path for path in now.values() if not os.path.exists(path)}
        location = partial(tuple.__new__, Location)  # without a call in Python for each
        places = [
            location((now[hit.path], hit.offset, hit.length, hit.member, hit.inner)) if hit.file else None
            for hit in hits
        ]
        if missing:
            from indexer.captures import present

            for number, place in enumerate(places):
                if place is not None and place.path in missing:
                    places[number] = present(self._current(), place, hits[number].path, self._now)
        return places

    def page_text(self, location: Location) -> PageText | None:
        """Return the text of the page in a record, None when the archive cannot be read now or holds no page there.

        Of a page above 4 MB, the text of its first 4 MB.
        """
        from indexer.page_records import page_text

        return page_text(location)

    # -- links

    def links(self, url: str, timestamp: str | None = None, *, limit: int = 100) -> PageLinks:
        """Return which pages of the index link to an address, and where it points, at most `limit` of each.

        Links out are those of the capture nearest to `timestamp` (1 to 14 digits), of the newest without one. When
        nothing links to the address as asked for, and another spelling of it is archived, links are of that one.
        """
        from archiver.warc import HTML_TYPES
        from indexer.search.page_links import PageLinks, links_in, links_out

        capture = self.closest(url, timestamp)
        page = None
        if capture is not None and (not capture.mime or capture.mime in HTML_TYPES):
            page = self.page_text(capture.original or capture.location)
        with self._reading_links() as snapshot:
            incoming, total_in = links_in(snapshot, url, limit)
            if not total_in and capture is not None and sort_key(capture.url) != sort_key(url):
                url = capture.url
                incoming, total_in = links_in(snapshot, url, limit)
            outgoing, total_out = links_out(snapshot, url, page, limit) if page else ([], 0)
        return PageLinks(url, tuple(incoming), tuple(outgoing), total_in, total_out, page is not None)

    def link_graph(
        self,
        query: str = "",
        *,
        filters: str = "",
        url: str = "",
        wish: GraphWish | None = None,
        operator: str = "and",
        budget_s: float | None = None,
    ) -> LinkGraph:
        """Return the graph of links between pages: of those that a query finds, of one and its neighbours, or of all.

        url: a page of the index; then `query` and `filters` only tell which nodes are `matched`.
        wish: how many links away, pages or hosts, and how many. budget_s: as in `search`.
        """
        from indexer.search.link_graph import GraphWish, make_graph
        from indexer.search.link_table import link_table

        wish = wish or GraphWish(depth=1 if url else 0)
        parsed = narrowed(parse_query(query, operator=operator), parse_query(filters))
        deadline = Deadline(budget_s)
        capture = self.closest(url) if url else None
        with self._reading_links() as snapshot:
            table = link_table(snapshot)
            notices: tuple[str, ...] = ()
            matched = np.ones(len(table), dtype=bool)
            if parsed.tree is not None or query.strip():
                ranked = search(snapshot, parsed, self.ranking, offset=0, limit=0, budget_s=budget_s)
                matched, notices = table.pages_of(ranked.matched), ranked.query.notices
            chosen = matched
            if url:
                page = table.page_of(sort_key(url))
                if page < 0 and capture is not None:
                    page = table.page_of(sort_key(capture.url))
                chosen = np.arange(len(table)) == page
            graph = make_graph(snapshot, table, chosen, matched, wish, deadline)
        return replace(graph, notices=notices)

    @contextmanager
    def _reading_links(self) -> Iterator[Snapshot]:
        """As `_reading`, with the links of all segments at hand: a merge may remove them before they are opened."""
        from indexer.search.link_table import links_of

        while True:
            with self._reading() as snapshot:
                try:
                    links_of(snapshot)
                except IndexMissingError:
                    if self._current() is snapshot:
                        raise
                    continue
                with snapshot.reading():
                    yield snapshot
                return

    # -- captures

    def captures(self, url: str, *, exact: bool = False) -> list[Capture]:
        """Return all captures of an address, oldest first; any spelling of the address, http and https alike.

        When there is none, those of the addresses that other web-archive tools take for the same: with or without
        www., the slash at the end, in other letter case (see archiver.warc.urlkey); not so if `exact`.
        """
        from indexer.captures import captures_of

        with self._reading() as snapshot, snapshot.reading():
            return captures_of(snapshot, url, self._now, exact=exact)

    def range_of(self, url: str) -> KeyRange:
        """Return the range of the captures that `captures` gives for an address."""
        from indexer.captures import is_held
        from indexer.listing import KeyRange

        with self._reading() as snapshot, snapshot.reading():
            return KeyRange.of_page(url) if is_held(snapshot, url) else KeyRange.of(url)

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
        from indexer.listing import list_captures

        with self._reading() as snapshot, snapshot.reading():
            return list_captures(
                snapshot,
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
        from indexer.listing import count_captures

        with self._reading() as snapshot, snapshot.reading():
            return count_captures(snapshot, keys, first=first, last=last)

    def captures_with_digest(self, digest: str, limit: int) -> list[Capture]:
        """Return captures whose payload has this digest, of any address, oldest first; at most `limit`."""
        from indexer.captures import captures_with_digest

        with self._reading() as snapshot, snapshot.reading():
            return captures_with_digest(snapshot, digest, limit, self._now)

    def closest(self, url: str, timestamp: str | None = None, digest: str = "") -> Capture | None:
        """Return the capture of an address nearest in time to `timestamp` (1 to 14 digits); the newest without one.

        The address is taken as in `captures`: the capture may be of another spelling, which its `url` says.

        Captures whose bytes are held come before revisits whose original is not known. Of several captures of one
        second the one whose payload digest begins with `digest` (with or without the name of the algorithm) is taken,
        else the one with the address as spelled, else the first by file and place.
        """
        from indexer.captures import closest_capture

        with self._reading() as snapshot, snapshot.reading():
            return closest_capture(snapshot, url, timestamp, digest, self._now)

    def capture_at(self, url: str, timestamp: str, location: Location) -> Capture | None:
        """Return the capture of an address whose record lies at a place; None when it is not known (any more)."""
        from indexer.captures import capture_at

        with self._reading() as snapshot, snapshot.reading():
            return capture_at(snapshot, url, timestamp, location, self._now)

    def around(self, url: str, timestamp: str) -> Around:
        """Return when else the page of an address was captured, besides at a timestamp of 14 digits."""
        from indexer.captures import around

        with self._reading() as snapshot, snapshot.reading():
            return around(snapshot, url, timestamp)

    def record(self, capture: Capture) -> Record:
        """Return the record of a capture, opened; that of the original for a revisit. Close it, or use it in `with`.

        Raises ArchiveError when the archive cannot be read, RecordError when the original of a revisit is not held.
        """
        from indexer.captures import open_record

        return open_record(capture)

    def _now(self, whole: str) -> str:
        """Return the path to open for an archive file that the index knows by its whole path."""
        if len(self._opened) == 1:
            return self._opened[0].now(whole)
        paths = (opened.now(whole) for opened in self._opened)
        return next((path for path in paths if os.path.exists(path)), whole)

    # -- ledger and state

    def ledger(self) -> list[LedgerEntry]:
        """Return what became of each file, by name."""
        from indexer.ledger import ledger_of

        with self._reading() as snapshot, snapshot.reading():
            return ledger_of(snapshot)

    def statistics(self) -> Statistics:
        """Return the totals of the whole index."""
        from indexer.ledger import statistics_of

        with self._reading() as snapshot, snapshot.reading():
            return statistics_of(snapshot)

    @property
    def versions(self) -> int:
        """How many versions of pages there are: what is nearest at hand of the totals."""
        return self._current().versions

    def size_bytes(self) -> int:
        """Return how much room the files of the index take on the disk."""
        with self._reading() as snapshot:
            total = 0
            for folder in {member.catalogue.index_dir for member in snapshot.members}:
                with suppress(OSError):  # replaced by a rebuild at this moment
                    total += sum(entry.stat().st_size for entry in os.scandir(folder) if entry.is_file())
            return total

    def removals(self) -> list[Removal]:
        """Return what was taken out of the index, by whom and why, oldest first; also what was lifted since."""
        from indexer.store.removal import removals_of

        with self._reading() as snapshot:
            found = [removal for member in snapshot.members for removal in removals_of(member.catalogue)]
            return sorted(found, key=lambda removal: removal.at)

    def missing_files(self) -> list[LedgerEntry]:
        """Return the ledger entries of archive files that are not where the index knows them, nor moved with it."""
        return [entry for entry in self.ledger() if not os.path.exists(self._now(entry.path))]

    def check(self, progress: Callable[[str], None] | None = None) -> list[str]:
        """Return one line for each problem found in the files of the index; empty when it is sound."""
        return [problem for opened in self._opened for problem in opened.check(progress)]


def open_index(
    index_dir: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    ranking: Ranking | None = None,
    widening: Widening | None = None,
) -> Index:
    """Return the index in a folder, opened for reading, with settings other than the defaults where they are given.

    index_dir: one folder, or several that are to be searched as one: a page that is in two of them counts once.
    Raises IndexMissingError, IndexVersionError or IndexCorruptError; ValueError when no folder is named.
    """
    if isinstance(index_dir, str | os.PathLike):
        index_dir = [index_dir]
    folders: dict[str, str] = {}
    for folder in index_dir:
        folders.setdefault(os.path.realpath(folder), os.fspath(folder))
    if not folders:
        raise ValueError("no index is named")
    return Index([*folders.values()], ranking or Ranking(), widening)
