"""The best hits of a query, and how many there are.

Which versions match, and how good they are, the core works out in one call (`running`, `indexer/core/query.h`).
Scores are exact: idf and mean lengths come from all live versions, counts and lengths from segments, in float64. The
stored weights only say which versions need not be scored. Words that stand near each other raise the score of the best
POOL versions, which are put in order anew; docs/ranking.md says exactly how.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from archiver.notices import Notice
from indexer.core import queries
from indexer.search.deadline import Deadline
from indexer.search.moments import PageOrder, looks_at_pages, page_masks
from indexer.search.nodes import Group
from indexer.search.prepared import Prepared, packed
from indexer.search.programs import Made, Masks, has_other_accents, program_of
from indexer.search.query import And, Leaf, Near, Node, Not, Or, Phrase, Query, Word, all_leaves, leaves
from indexer.search.running import FINDING, RANKING, Carried
from indexer.search.vocabulary import NOT_WIDE, Expansions, expand, wide_among
from indexer.store.bm25f import Ranking
from indexer.store.recent import Recent
from indexer.store.snapshot import Snapshot
from indexer.text.languages import STOP_WORDS

if TYPE_CHECKING:
    from indexer.search.explaining import Explanation
    from indexer.search.ordering import Placed
    from indexer.search.scoring import Scorer

# A language whose share of the versions is smaller than this brings no stop words: "war" is one in German.
_MAIN_LANGUAGE = 0.2
_QUERIES_KNOWN = 1024  # of each state of an index
_ENDLESS = Deadline()
RELAXED = Notice("no page has all of these words; these have some of them")


class Found(NamedTuple):
    """One page found. versions: (segment number, ordinal) of the best version, or of those that are equally good.

    explanation: of the score of the first of these, when it was asked for.
    """

    document: int
    score: float
    versions: tuple[tuple[int, int], ...]
    explanation: Explanation | None = None


_found = partial(tuple.__new__, Found)  # of a whole row: without a call in Python for each


class FoundAlone(Sequence[Found]):
    """Pages found none of which has several versions, made when they are looked at. rows: as the core gives them.

    Then the number of a page stands for its version, too.
    """

    __slots__ = ("_numbers", "rows")

    def __init__(self, rows: Sequence[queries.FoundRow], numbers: Sequence[int]) -> None:
        """numbers: of the segments."""
        self.rows, self._numbers = rows, numbers

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return FoundAlone(self.rows[place], self._numbers)
        score, _, segment, ordinal, document, _ = self.rows[place]
        return _found((document, score, ((self._numbers[segment], ordinal),), None))

    def only(self, places: Iterable[int]) -> FoundAlone:
        """Return some of the pages, by their places."""
        return FoundAlone([self.rows[place] for place in places], self._numbers)

    def versions(self) -> list[tuple[int, int]]:
        """Return the version of each page: (segment number, ordinal)."""
        numbers = self._numbers
        return [(numbers[row[2]], row[3]) for row in self.rows]


def best_versions(pages: Sequence[Found]) -> list[tuple[int, int]]:
    """Return the first of the best versions of each page: (segment number, ordinal)."""
    return pages.versions() if isinstance(pages, FoundAlone) else [found.versions[0] for found in pages]


@dataclass(slots=True)
class Ranked:
    """The answer to a query. total: pages, exact. found: from the best on. spellings: words to be marked.

    matched: ordinals of the versions that match, rising, for each segment of the snapshot.
    """

    query: Query
    total: int
    found: Sequence[Found]
    spellings: frozenset[str]
    phrases: tuple[tuple[str, ...], ...]
    matched: Sequence[NDArray[np.int64]] = ()
    timed_out: bool = False

    @property
    def is_relaxed(self) -> bool:
        """Whether no page has all of the words, so that pages with some of them were looked for."""
        return RELAXED in self.query.notices


class _Plan:
    """How a tree is carried out in one state of an index under one ranking, as far as it is always the same.

    made: the program; None where it has to be made each time.
    """

    def __init__(self, snapshot: Snapshot, tree: Node, ranking: Ranking, fold: float) -> None:
        self.tree, self.fold = tree, fold
        self.numbers = [live.number for live in snapshot.segments]
        self.root = _in_part(tree) if ranking.model == "pnorm" else None
        every = all_leaves(tree)
        self.looks_at_pages, self.is_wide = looks_at_pages(tree), bool(wide_among(every))
        self.has_folds = any(isinstance(leaf, Word) and not leaf.exact for leaf in every)
        phrases = [leaf for leaf in leaves(tree) if isinstance(leaf, Phrase)]
        self.phrases = tuple([leaf.words for leaf in dict.fromkeys(phrases)])
        self.made: Made | None = None
        if not self.looks_at_pages and not self.is_wide:
            self.made = program_of(snapshot, tree, ranking, fold, NOT_WIDE, self.root)


class _Asked:
    """A query in one state of an index under one ranking, without its stop words, and the plans to carry it out.

    relaxed: the query for pages with any of its words, where that makes sense.
    """

    def __init__(self, snapshot: Snapshot, query: Query, ranking: Ranking) -> None:
        self.query = without_stop_words(query, snapshot)
        self._plans: dict[tuple[bool, bool], _Plan] = {}
        self._has_other_accents: dict[bool, bool] = {}  # of the query, and of the relaxed one

    @cached_property
    def relaxed(self) -> Query | None:
        query = self.query
        wider = _any_of(query.tree) if query.tree else None
        return replace(query, tree=wider, notices=(*query.notices, RELAXED)) if wider else None

    @classmethod
    def of(cls, snapshot: Snapshot, query: Query, ranking: Ranking) -> _Asked:
        """Return a query as it was asked before, where it was: it comes again with its next page and its facets."""
        known: Recent[tuple[_Asked, object]] | None = snapshot.derived.get("asked")
        if known is None:
            known = snapshot.derived.setdefault("asked", Recent(_QUERIES_KNOWN))
        lives, _ = Prepared.of(snapshot).program(snapshot, ranking)
        key = (query, id(lives))
        found = known.find(key)
        if found is None:
            # `lives` stands for the ranking, and lives as long as its number
            found = cls(snapshot, query, ranking), lives
            known.keep(key, found)
        return found[0]

    def run(
        self,
        handle: queries.Query,
        snapshot: Snapshot,
        ranking: Ranking,
        deadline: Deadline,
        count: int,
        before: _Run | None = None,
    ) -> _Run:
        """Return where the query is found as it is typed; where it is nowhere, with other accents as a second chance.

        before: of the query as it was asked, of which the relaxed one is looked for now.
        """
        asked = self.query if before is None else self.relaxed
        assert asked is not None and asked.tree is not None
        run = before
        for fold in (0.0, ranking.fold):
            key = (before is not None, fold > 0)
            plan = self._plans.get(key)
            if plan is None:
                plan = self._plans[key] = _Plan(snapshot, asked.tree, ranking, fold)
            # the leaves are always the same, and stand for the same words
            run = _Run(handle, snapshot, plan, ranking, deadline, count, run)
            if run.total or not (ranking.fold and plan.has_folds) or run.timed_out:
                break
            if not fold and not self._is_worth_folding(snapshot, asked.tree, ranking, key[0]):
                break
        assert run is not None
        return run

    def _is_worth_folding(self, snapshot: Snapshot, tree: Node, ranking: Ranking, is_relaxed: bool) -> bool:
        """Tell whether the index holds words of a tree with other accents: a look that takes as long as a query."""
        found = self._has_other_accents.get(is_relaxed)
        if found is None:
            found = self._has_other_accents[is_relaxed] = has_other_accents(snapshot, tree, ranking)
        return found


def search(
    snapshot: Snapshot,
    query: Query,
    ranking: Ranking,
    *,
    offset: int,
    limit: int,
    sort: str = "relevance",
    budget_s: float | None = None,
    explain: bool = False,
) -> Ranked:
    """Return the pages `offset` to `offset + limit` of the ranked list, and the number of all that match.

    Order: falling score, then the MD5 of the address; or as `ordering` says for another `sort`. A page with several
    matching versions counts once, by its best. explain: say of each score what it is made of.
    When no page has all words of a plain query, pages with any of them are given, with a notice.
    budget_s: seconds after which nothing new is taken up, None for no limit; then the answer is partial, and
    `timed_out` and a notice say so.
    """
    deadline = _ENDLESS if budget_s is None else Deadline(budget_s)
    if query.tree is None or not snapshot.segments:
        nothing = tuple(np.zeros(0, dtype=np.int64) for _ in snapshot.segments)
        return Ranked(query, 0, (), frozenset(), (), nothing)
    asked = _Asked.of(snapshot, query, ranking)
    with queries.handle() as handle:
        return _answer(handle, snapshot, asked, ranking, deadline, offset, limit, sort, explain=explain)


def _answer(
    handle: queries.Query,
    snapshot: Snapshot,
    asked: _Asked,
    ranking: Ranking,
    deadline: Deadline,
    offset: int,
    limit: int,
    sort: str,
    *,
    explain: bool,
) -> Ranked:
    query, count = asked.query, offset + limit if sort == "relevance" else 0
    run = asked.run(handle, snapshot, ranking, deadline, count)
    if not run.total and not run.timed_out and asked.relaxed is not None:
        relaxed = asked.run(handle, snapshot, ranking, deadline, count, run)
        if relaxed.total:
            query, run = asked.relaxed, relaxed
    found: Sequence[Found]
    if sort == "relevance":
        found = run.best(count)
        if offset:
            found = found[offset:]
    else:
        from indexer.search.ordering import sorted_pages

        found = run.of_pages(sorted_pages(snapshot, run.matched, sort, offset=offset, limit=limit))
    if notices := run.notices:
        query = replace(query, notices=(*query.notices, *notices))
    if explain:
        found = [item._replace(explanation=run.explained(item)) for item in found]
    return Ranked(query, run.total, found, run.spellings, run.phrases, run.matched, run.timed_out)


def without_stop_words(query: Query, snapshot: Snapshot) -> Query:
    """Leave stop words out that stand beside other words, unless they are quoted or bound to an element."""
    tree = query.tree
    if not (isinstance(tree, Group) and tree.implied):
        return query
    kept, left_out = _without(tree, stop_words(snapshot))
    if not left_out:
        return query
    notice = Notice(
        "common words left out: %(words)s (quote them to look for them)",
        words=" ".join(dict.fromkeys(left_out)),
    )
    return replace(query, tree=kept, notices=(*query.notices, notice))


def stop_words(snapshot: Snapshot) -> set[str]:
    """Return the stop words of the languages that the index is mainly in."""
    found: set[str] | None = snapshot.derived.get("stop words")
    if found is None:
        share = Counter(snapshot.languages())
        many = sum(share.values()) * _MAIN_LANGUAGE
        found = {
            word
            for language, count in share.items()
            if count and count >= many
            for word in STOP_WORDS.get(language or "en", ())
        }
        snapshot.derived["stop words"] = found
    return found


def _without(tree: And | Or, stops: set[str]) -> tuple[Node, list[str]]:
    """Return what is left of words side by side, and which were left out; all stay when nothing else is there."""
    kept: list[Node] = []
    left_out: list[str] = []
    for part in tree.parts:
        if isinstance(part, Word) and not part.exact and part.elements is None and part.text in stops:
            left_out.append(part.text)
        elif isinstance(part, Or) and part.implied:
            inner, inner_left_out = _without(part, stops)
            kept.append(inner)
            left_out += inner_left_out
        else:
            kept.append(part)
    if not left_out or not any(isinstance(part, Leaf | Near | Group) for part in kept):
        return tree, []
    return replace(tree, parts=tuple(kept)) if len(kept) > 1 else kept[0], left_out


def _any_of(tree: Node) -> Node | None:
    """Return the query for pages with any of the words of a plain query; None when there is nothing to widen."""
    if not (isinstance(tree, And) and tree.implied):
        return None
    words = tuple(part for part in tree.parts if isinstance(part, Leaf))
    others = tuple(part for part in tree.parts if not isinstance(part, Leaf))
    if len(words) < 2:
        return None
    return And((Or(words), *others)) if others else Or(words)


def _in_part(tree: Node) -> Node:
    """Return the query for pages that meet a tree in part: any of what an AND asks for, all of what limits it."""
    if not isinstance(tree, And):
        return replace(tree, parts=tuple(map(_in_part, tree.parts))) if isinstance(tree, Or) else tree
    wanted = tuple(_in_part(part) for part in tree.parts if leaves(part))
    limits = tuple(part for part in tree.parts if not leaves(part) and not isinstance(part, Not))
    if len(wanted) < 2:
        return tree
    return And((Or(wanted), *limits)) if limits else Or(wanted)


# By segment: which versions match, and how many were looked at.
_Part = tuple[list[NDArray[np.bool_]], tuple[int, ...]]


class _Run:
    """One tree carried out over all segments."""

    __slots__ = (
        "_carried", "_complete", "_deadline", "_is_all_found", "_is_all_ranked", "_is_ranked", "_parts", "_plan",
        "_ranking", "_scorer_known", "_snapshot", "expansions", "matched", "timed_out", "total",
    )  # fmt: skip

    def __init__(
        self,
        handle: queries.Query,
        snapshot: Snapshot,
        plan: _Plan,
        ranking: Ranking,
        deadline: Deadline,
        count: int,
        before: _Run | None = None,
    ) -> None:
        """count: pages that will be asked for by relevance. before: of the same leaves, whose parts are known."""
        self._snapshot, self._plan, self._ranking, self._deadline = snapshot, plan, ranking, deadline
        self._is_ranked = True  # False when the time was up before all that was found was scored
        # parts that were carried out for themselves, by what other accents count for
        self._parts: dict[tuple[float, Node], _Part] = before._parts if before else {}
        self._complete: list[int] | None = None  # of these parts
        self._scorer_known: Scorer | None = None
        self.expansions: Expansions = before.expansions if before else NOT_WIDE
        if before is None and plan.is_wide:
            layers = (segment for live in snapshot.segments for segment in live.layers)
            self.expansions = expand(plan.tree, layers, deadline.part(FINDING * 0.5))
        made = plan.made or self._made(
            self._page_masks(plan.root or plan.tree) if plan.looks_at_pages else plan.root
        )
        self._carried = carried = Carried(
            handle, snapshot, made, deadline, count if ranking.model == "bm25f" else 0
        )
        self.total = carried.total  # pages that match
        self.matched = carried.matched  # ordinals of versions, rising, for each segment
        self._look_at_the_time()

    def _made(self, root: Node | Masks | None) -> Made:
        plan = self._plan
        return program_of(self._snapshot, plan.tree, self._ranking, plan.fold, self.expansions, root)

    @property
    def _scorer(self) -> Scorer:
        if self._scorer_known is None:
            from indexer.search.scoring import Scorer

            self._scorer_known = Scorer(
                self._snapshot, self._plan.tree, self._ranking, self._carried, self._masks_of
            )
        return self._scorer_known

    def _page_masks(self, asked: Node) -> Masks:
        """Return the versions that match a tree which looks at all versions of a page."""
        masks = page_masks(asked, self._snapshot.segments, self._masks_within, self._page_order)
        for mask, complete in zip(masks, self._complete or (), strict=False):
            mask[complete:] = False
        return tuple(map(packed, masks))

    def _masks_of(self, node: Node) -> list[NDArray[np.bool_]]:
        """Return by segment which versions match a part of the tree, removed ones left out."""
        plan = self._plan
        if node == (plan.root or plan.tree) and not plan.looks_at_pages:
            return self._carried.matched.masks()
        part = self._parts.get((plan.fold, node))
        if part is None:
            root: Node | Masks = node
            if looks_at_pages(node):
                root = self._page_masks(_in_part(node) if self._ranking.model == "pnorm" else node)
            part = self._parts[plan.fold, node] = self._part(node, root)
        return self._noted(part)

    def _masks_within(self, node: Node, within: list[NDArray[np.bool_]]) -> list[NDArray[np.bool_]]:
        """Return the same of some versions alone, for a part that does not look at pages."""
        masks = self._noted(self._part(node, node, tuple(map(packed, within))))
        return [mask[: len(one)] for mask, one in zip(masks, within, strict=True)]

    def _part(self, node: Node, root: Node | Masks, within: Masks | None = None) -> _Part:
        # its own leaves alone: those of the whole tree would be looked for anew for each of its parts
        made = program_of(self._snapshot, node, self._ranking, self._plan.fold, self.expansions, root, within)
        with queries.handle() as handle:
            carried = Carried(handle, self._snapshot, made, self._deadline)
        return carried.matched.masks(), carried.complete

    def _noted(self, part: _Part) -> list[NDArray[np.bool_]]:
        """Return the masks of a part; note which versions were looked at."""
        masks, complete = part
        self._complete = list(map(min, self._complete or complete, complete))
        return masks

    def _page_order(self) -> PageOrder:
        return self._snapshot.derived.once("pages", lambda: PageOrder(self._snapshot.segments))

    @property
    def phrases(self) -> tuple[tuple[str, ...], ...]:
        """The phrases among the leaves that count for the score."""
        return self._plan.phrases

    @property
    def spellings(self) -> frozenset[str]:
        """The words to be marked."""
        return self._carried.spellings()

    def of_pages(self, pages: Sequence[Placed]) -> list[Found]:
        """Return pages in the order given, each with the score of the version that stands for it."""
        found = [
            Found(
                page.document,
                float(self._scorer.exact(page.segment, np.array([page.ordinal], dtype=np.int64))[0]),
                ((self._snapshot.segments[page.segment].number, page.ordinal),),
            )
            for page in pages
        ]
        self._look_at_the_time()
        return found

    def explained(self, found: Found) -> Explanation:
        """Return what the score of a page found is made of."""
        number, ordinal = found.versions[0]
        place = next(i for i, live in enumerate(self._snapshot.segments) if live.number == number)
        near = any(row[5] for row in self._carried.found() if row[2:4] == (place, ordinal))
        return self._scorer.explain(place, ordinal, near=near)

    def _look_at_the_time(self) -> None:
        """Note whether the time was up before everything was looked at, or before all that was found was ranked."""
        told = self._carried.told
        self._is_all_ranked = self._is_ranked and told.is_ranked > 0
        self._is_all_found = self.expansions.is_whole and self._looked_at() == self._carried.versions
        self.timed_out = not (self._is_all_ranked and self._is_all_found)

    def _looked_at(self) -> int:
        """Return how many versions were looked at for all that was asked."""
        if self._complete is None:
            return self._carried.told.looked_at
        return sum(map(min, self._carried.complete, self._complete))

    @property
    def notices(self) -> Sequence[str]:
        """What the user has to know of how the query was carried out."""
        if not self.timed_out:
            return self.expansions.notices
        notices = list(self.expansions.notices)
        if not self._is_all_ranked:
            notices.append(
                Notice("the time was up before all pages found were ranked; better ones may be missing")
            )
        if not self._is_all_found:
            notices.append(
                Notice(
                    "the time was up: %(looked_at)s of %(versions)s page versions were looked at,"
                    " the answer is partial",
                    looked_at=self._looked_at(),
                    versions=self._carried.versions,
                )
            )
        return notices

    def best(self, count: int) -> Sequence[Found]:
        """Return the best `count` pages in order; fewer if fewer match."""
        carried, count = self._carried, min(count, self.total)
        if count <= 0:
            return []
        if self._ranking.model != "bm25f":
            scored, self._is_ranked = self._scorer.best_of_all(carried.matched, self._deadline.part(RANKING))
            self._look_at_the_time()
            return self._pages_of(scored, count)
        numbers = self._plan.numbers
        if not carried.told.has_shared:  # each version is a page
            return FoundAlone(list(carried.found(count)), numbers)
        while True:
            found = self._pages_of([(row[0], *row[2:5]) for row in carried.found()], count)
            told = carried.told
            if len(found) >= count or told.wanted >= told.matching or not told.is_ranked:
                break
            # a page may take several places
            carried.rank(told.wanted * 4, told.wanted * 4)
            self._look_at_the_time()
        return found

    def _pages_of(self, rows: Iterable[tuple[float, int, int, int]], count: int) -> list[Found]:
        """Return the first `count` pages of ranked versions (score, place, ordinal, page); fewer if there are fewer."""
        scores: dict[int, float] = {}
        versions: dict[int, list[tuple[int, int]]] = {}
        numbers = self._plan.numbers
        for score, place, ordinal, document in rows:
            known = scores.get(document)
            if known is None:
                if len(scores) == count:
                    break  # versions of one page with one score stand side by side
                scores[document], versions[document] = score, [(numbers[place], ordinal)]
            elif known == score:
                versions[document].append((numbers[place], ordinal))
        return [Found(document, score, tuple(versions[document])) for document, score in scores.items()]
