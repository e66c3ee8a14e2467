"""From a query to a wider one: finds the pages to learn from, asks each way for its words, and adds them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from archiver.notices import Notice
from indexer.search.query import Query
from indexer.search.searcher import Found, search
from indexer.search.widening import (
    WAYS,
    AddedWord,
    Widening,
    plain_words,
    with_synonyms,
    with_words,
    words_asked,
)
from indexer.store.bm25f import Ranking
from indexer.store.snapshot import Snapshot
from indexer.text.analysis import normalize
from indexer.text.elements import PageText

if TYPE_CHECKING:
    from indexer.search.vectors import PageReader

Page = tuple[str, PageText]
_UNREADABLE = Notice("no word was added: the archives of the pages found cannot be read now")


@dataclass(frozen=True, slots=True)
class Wish:
    """What a reader wants a query widened by.

    ways: some of WAYS. without: added words that are not wanted. relevant, nonrelevant: pages marked by hand, read
    already; with them Rocchio learns from these instead of from the best pages.
    """

    ways: tuple[str, ...] = ()
    without: frozenset[str] = frozenset()
    relevant: tuple[Page, ...] = ()
    nonrelevant: tuple[Page, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.ways or self.relevant or self.nonrelevant)

    @classmethod
    def of(
        cls,
        ways: Collection[str],
        without: Collection[str] = (),
        relevant: Sequence[Page] = (),
        nonrelevant: Sequence[Page] = (),
    ) -> Wish:
        """Return a wish. Raises ValueError for a way that there is none of."""
        for way in ways:
            if way not in WAYS:
                raise ValueError(f"expand: found {way!r}, expected some of {', '.join(WAYS)}")
        chosen = [way for way in WAYS if way in ways]
        if (relevant or nonrelevant) and "rocchio" not in chosen:
            chosen.insert(0, "rocchio")
        return cls(
            tuple(chosen),
            frozenset(" ".join(normalize(word).split()) for word in without),
            tuple(relevant),
            tuple(nonrelevant),
        )


@dataclass(slots=True)
class Widened:
    """A query made wider, what was added to it, and the query without that; None when nothing was asked to be added."""

    query: Query
    added: list[AddedWord] = field(default_factory=list)
    asked: Query | None = None


def widen(
    snapshot: Snapshot,
    query: Query,
    ranking: Ranking,
    options: Widening,
    wish: Wish,
    read_page: PageReader,
    near_words: Callable[[list[str]], list[AddedWord]],
    *,
    budget_s: float | None = None,
) -> Widened:
    """Return the query with the words that the wish asks for.

    near_words: gives words near in meaning to some words, for "lsi"; may raise LookupError with what is missing.
    budget_s: seconds for the search behind it, None for no limit.
    """
    from indexer.search.feedback import feedback_words, words_that_go_together
    from indexer.search.vectors import Terms, terms_of

    found = search(snapshot, query, ranking, offset=0, limit=_pages_needed(options, wish), budget_s=budget_s)
    query = found.query
    asked = words_asked(query.tree)
    if query.tree is None or not asked:
        return Widened(query)
    added: list[AddedWord] = []
    factors: dict[str, float] = {}
    notices: list[str] = []
    if "rocchio" in wish.ways:
        marked = bool(wish.relevant or wish.nonrelevant)
        good = list(wish.relevant) if marked else _read(found.found[: options.rocchio_relevant], read_page)
        last = (
            found.found[options.rocchio_relevant :][-options.rocchio_nonrelevant :]
            if options.rocchio_nonrelevant
            else ()
        )
        bad = list(wish.nonrelevant) if marked else _read(last, read_page)
        if good or bad:
            terms = terms_of(snapshot, [*good, *bad], ranking)
            rows = list(range(len(good))), list(range(len(good), len(good) + len(bad)))
            more, factors = feedback_words(asked, terms, *rows, snapshot.versions, options)
            added += more
        elif found.found:
            notices.append(_UNREADABLE)
    if "cooccur" in wish.ways:
        pages = _read(found.found[: options.cooccur_pages], read_page)
        terms = terms_of(snapshot, pages, ranking) if pages else Terms.none()
        added += words_that_go_together(asked, terms, snapshot.versions, options)
        if found.found and not pages:
            notices.append(_UNREADABLE)
    if "lsi" in wish.ways:
        try:
            added += near_words(asked)
        except LookupError as error:
            notices.append(error.args[0])
    added = [word for word in _each_once(added) if word.text not in wish.without]
    # when no word of the feedback is wanted, the query's own words count as they did
    tree = with_words(query.tree, added, factors if any(word.source == "rocchio" for word in added) else None)
    if "wordnet" in wish.ways:
        from indexer.search.wordnet import synonyms_of

        synonyms = {
            word: [one for one in found_ if one.text not in wish.without]
            for word, found_ in synonyms_of([word.text for word in plain_words(query.tree)], options).items()
        }
        tree = with_synonyms(tree, synonyms) if tree else None
        added += [one for found_ in synonyms.values() for one in found_]
    notices = [*query.notices, *dict.fromkeys(notices)]
    return Widened(replace(query, tree=tree, notices=tuple(notices)), added, query)


def _pages_needed(options: Widening, wish: Wish) -> int:
    needed = 0
    if "rocchio" in wish.ways and not (wish.relevant or wish.nonrelevant):
        needed = 1000 if options.rocchio_nonrelevant else options.rocchio_relevant
    return max(needed, options.cooccur_pages if "cooccur" in wish.ways else 0)


def _read(found: Sequence[Found], read_page: PageReader) -> list[Page]:
    return [page for one in found if (page := read_page(one)) is not None]


def _each_once(words: list[AddedWord]) -> list[AddedWord]:
    """Return the words, of those of the same text the heaviest."""
    best: dict[str, AddedWord] = {}
    for word in words:
        if word.text not in best or best[word.text].weight < word.weight:
            best[word.text] = word
    return list(best.values())
