"""The best hits of a query, and how many there are.

Scores are exact: idf and mean lengths come from all live versions, counts and lengths from the
segments, in float64. The stored weights only say which versions need not be scored at all.
Words that stand near each other raise the score of the best POOL versions, which are put in order anew;
docs/ranking.md says exactly how.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from archiver.notices import Notice
from indexer.search.deadline import Deadline, Portion
from indexer.search.explaining import Explanation
from indexer.search.masks import tree_mask, tree_ordinals
from indexer.search.matches import Match, NoMatch
from indexer.search.matching import match_leaf
from indexer.search.moments import PageOrder, looks_at_pages, page_masks
from indexer.search.ordering import Placed, sorted_pages
from indexer.search.query import And, Leaf, Near, Node, Not, Or, Phrase, Query, Word, all_leaves, leaves
from indexer.search.scoring import Scorer
from indexer.search.vocabulary import expand
from indexer.store.bm25f import Ranking
from indexer.store.snapshot import Snapshot
from indexer.text.languages import STOP_WORDS

# A language whose share of the versions is smaller than this brings no stop words: "war" is one in German.
_MAIN_LANGUAGE = 0.2
RELAXED = Notice("no page has all of these words; these have some of them")
_FEW = 256  # versions scored without looking at bounds first
POOL = 100  # versions in which near words count
_FINDING = 0.7  # the share of the time for finding pages; the rest is for their scores
_RANKING = 0.85  # the share after which no more are scored
_SCORED_AT_ONCE = 8192  # versions between two looks at the clock
_TIES = 32  # versions of one page with one score that stand at the border of the pool


@dataclass(frozen=True, slots=True)
class Found:
    """One page found. versions: (segment number, ordinal) of the best version, or of those that are equally good.

    explanation: of the score of the first of these, when it was asked for.
    """

    document: int
    score: float
    versions: tuple[tuple[int, int], ...]
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """The answer to a query. total: pages, exact. found: from the best on. spellings: words to be marked.

    matched: ordinals of the versions that match, rising, for each segment of the snapshot.
    """

    query: Query
    total: int
    found: tuple[Found, ...]
    spellings: frozenset[str]
    phrases: tuple[tuple[str, ...], ...]
    matched: tuple[NDArray[np.int64], ...] = ()
    timed_out: bool = False

    @property
    def is_relaxed(self) -> bool:
        """Whether no page has all of the words, so that pages with some of them were looked for."""
        return RELAXED in self.query.notices


def _run(snapshot: Snapshot, tree: Node, ranking: Ranking, deadline: Deadline) -> _Run:
    """Return where a query is found as it is typed; where it is nowhere, with other accents as a second chance."""
    as_typed = _Run(snapshot, tree, replace(ranking, fold=0.0), deadline)
    if as_typed.total or not ranking.fold or as_typed.timed_out:
        return as_typed
    return _Run(snapshot, tree, ranking, deadline)


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
    deadline = Deadline(budget_s)
    query = without_stop_words(query, snapshot)
    if query.tree is None or not snapshot.segments:
        nothing = tuple(np.zeros(0, dtype=np.int64) for _ in snapshot.segments)
        return Ranked(query, 0, (), frozenset(), (), nothing)
    run = _run(snapshot, query.tree, ranking, deadline)
    if not run.total and not run.timed_out and (wider := _any_of(query.tree)) is not None:
        relaxed = _run(snapshot, wider, ranking, deadline)
        if relaxed.total:
            query = replace(
                query,
                tree=wider,
                notices=(*query.notices, RELAXED),
            )
            run = relaxed
    found = (
        run.best(offset + limit)[offset:]
        if sort == "relevance"
        else run.scored(sorted_pages(snapshot, run.matched, sort, offset=offset, limit=limit))
    )
    if run.notices:
        query = replace(query, notices=(*query.notices, *run.notices))
    return Ranked(
        query,
        run.total,
        tuple(replace(item, explanation=run.explained(item)) if explain else item for item in found),
        frozenset(run.spellings),
        tuple(leaf.words for leaf in run.leaves if isinstance(leaf, Phrase)),
        tuple(run.matched),
        timed_out=run.timed_out,
    )


def without_stop_words(query: Query, snapshot: Snapshot) -> Query:
    """Leave stop words out that stand beside other words, unless they are quoted or bound to an element."""
    tree = query.tree
    if not (isinstance(tree, And | Or) and tree.implied):
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
    if not left_out or not any(isinstance(part, Leaf | Near | And | Or) for part in kept):
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


@dataclass(slots=True)
class _Top:
    """The best versions, in order. keys: order equal scores; places: of their segments in the snapshot."""

    scores: NDArray[np.float64]
    keys: NDArray[np.uint64]
    places: NDArray[np.int64]
    ordinals: NDArray[np.int64]

    @classmethod
    def empty(cls) -> _Top:
        return cls(np.zeros(0), np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0, np.int64))

    def __len__(self) -> int:
        return len(self.scores)

    def taken(self, rows: NDArray[np.int64] | slice) -> _Top:
        return _Top(self.scores[rows], self.keys[rows], self.places[rows], self.ordinals[rows])

    def joined(self, other: _Top) -> _Top:
        return _Top(
            np.concatenate([self.scores, other.scores]),
            np.concatenate([self.keys, other.keys]),
            np.concatenate([self.places, other.places]),
            np.concatenate([self.ordinals, other.ordinals]),
        )

    def ordered(self) -> _Top:
        return self.taken(np.lexsort((self.keys, -self.scores)))


class _Run:
    """One tree evaluated over all segments: masks first (for exact counts), scores only for what may reach the top."""

    def __init__(self, snapshot: Snapshot, tree: Node, ranking: Ranking, deadline: Deadline) -> None:
        self._snapshot = snapshot
        self._is_ranked = True  # False when the time was up before all that was found was scored
        finding = deadline.part(_FINDING)
        self._deadline = deadline.part(_RANKING)
        self.spellings: set[str] = set()
        self.leaves = list(dict.fromkeys(leaves(tree)))
        self._near: set[tuple[int, int]] = set()
        self._matches: list[dict[Leaf, Match]] = []
        self.matched: list[NDArray[np.int64]] = []
        holding: Counter[Leaf] = Counter()
        shared_documents: list[NDArray[np.uint32]] = []
        alone = 0
        everywhere = all_leaves(tree)
        segments = snapshot.segments
        self._expansions = expand(
            tree, [segment for live in segments for segment, _ in live.layers], deadline.part(0.5)
        )
        self._portions: list[Portion] = []
        for live in segments:
            portion = Portion(len(live.segment), finding)
            matches: dict[Leaf, Match] = {}
            slack = snapshot.slack(live, ranking)
            for leaf in everywhere:
                if portion.is_over():
                    portion.end_at(0)
                    matches[leaf] = NoMatch()
                    continue
                match, spellings = match_leaf(
                    leaf, live, ranking, snapshot.means, slack, self._expansions, portion
                )
                matches[leaf] = match
                holding[leaf] += (
                    match.count if live.alive is None else int(np.count_nonzero(live.alive[match.ordinals]))
                )
                if leaf in self.leaves:
                    self.spellings.update(spellings)
            self._matches.append(matches)
            self._portions.append(portion)
        found = self._ordinals_of(_in_part(tree) if ranking.model == "pnorm" else tree)
        for live, portion, matched in zip(segments, self._portions, found, strict=True):
            if not portion.is_whole:
                matched = matched[: matched.searchsorted(portion.complete)]
            if live.alive is not None:
                matched = matched[live.alive.take(matched)]
            self.matched.append(matched)
            if live.shared is None:
                alone += len(matched)
            else:
                is_shared = live.shared[matched]
                alone += len(matched) - int(is_shared.sum())
                shared_documents.append(live.segment.document[matched[is_shared]])
        distinct = _count_distinct(np.concatenate(shared_documents)) if shared_documents else 0
        self.total = alone + distinct
        self._has_shared = bool(distinct)
        self._scorer = Scorer(snapshot, tree, ranking, self._matches, self._portions, holding)

    def _ordinals_of(self, tree: Node) -> list[NDArray[np.int64]]:
        """Return the versions that match, by segment, removed ones too."""
        segments = self._snapshot.segments
        if looks_at_pages(tree):
            masks = page_masks(
                tree,
                segments,
                lambda node, place: tree_mask(
                    node, segments[place], self._matches[place], self._portions[place]
                ),
                self._page_order,
            )
            return [mask.nonzero()[0] for mask in masks]
        return [
            tree_ordinals(tree, live, matches, portion)
            for live, matches, portion in zip(segments, self._matches, self._portions, strict=True)
        ]

    def _page_order(self) -> PageOrder:
        derived = self._snapshot.derived
        found: PageOrder | None = derived.get("pages")
        if found is None:
            found = derived["pages"] = PageOrder(self._snapshot.segments)
        return found

    def scored(self, pages: Sequence[Placed]) -> list[Found]:
        """Return pages in the order given, each with the score of the version that stands for it."""
        return [
            Found(
                page.document,
                float(self._scorer.exact(page.segment, np.array([page.ordinal], dtype=np.int64))[0]),
                ((self._snapshot.segments[page.segment].number, page.ordinal),),
            )
            for page in pages
        ]

    def explained(self, found: Found) -> Explanation:
        """Return what the score of a page found is made of."""
        number, ordinal = found.versions[0]
        place = next(i for i, live in enumerate(self._snapshot.segments) if live.number == number)
        return self._scorer.explain(place, ordinal, near=(place, ordinal) in self._near)

    @property
    def timed_out(self) -> bool:
        """Whether the time was up before everything was looked at, or before all that was found was ranked."""
        return not (self._is_ranked and self._is_all_found)

    @property
    def _is_all_found(self) -> bool:
        return self._expansions.is_whole and all(portion.is_whole for portion in self._portions)

    @property
    def notices(self) -> list[str]:
        """What the user has to know of how the query was carried out."""
        notices = list(self._expansions.notices)
        if not self._is_ranked:
            notices.append(
                Notice("the time was up before all pages found were ranked; better ones may be missing")
            )
        if not self._is_all_found:
            looked_at = sum(portion.complete for portion in self._portions)
            versions = sum(portion.versions for portion in self._portions)
            notices.append(
                Notice(
                    "the time was up: %(looked_at)s of %(versions)s page versions were looked at,"
                    " the answer is partial",
                    looked_at=looked_at,
                    versions=versions,
                )
            )
        return notices

    def best(self, count: int) -> list[Found]:
        """Return the best `count` pages in order; fewer if fewer match."""
        count = min(count, self.total)
        if count <= 0:
            return []
        versions = sum(len(matched) for matched in self.matched)
        wanted = count * 2 if self._has_shared else count
        if self._scorer.pairs:
            wanted = max(wanted, POOL + _TIES * self._has_shared)
        while True:
            needed = wanted if self._has_shared else count  # a page may take several places
            top = self._best_versions(min(wanted, versions), needed)
            found = self._pages_of(self._with_nearness(top, needed), count)
            if len(found) >= count or wanted >= versions or not self._is_ranked:
                return found
            wanted *= 4

    def _pages_of(self, top: _Top, count: int) -> list[Found]:
        """Return the first `count` pages of ranked versions; fewer if there are fewer."""
        pages: dict[int, Found] = {}
        rows = zip(top.scores.tolist(), top.places.tolist(), top.ordinals.tolist(), strict=True)
        for score, place, ordinal in rows:
            live = self._snapshot.segments[place]
            document = int(live.segment.document[ordinal])
            known = pages.get(document)
            if known is None:
                if len(pages) == count:
                    break  # versions of one page with one score stand side by side
                pages[document] = Found(document, score, ((live.number, ordinal),))
            elif known.score == score:
                pages[document] = replace(known, versions=(*known.versions, (live.number, ordinal)))
        return list(pages.values())

    def _with_nearness(self, top: _Top, needed: int) -> _Top:
        """Return ranked versions with what near words add to the first POOL of them, the first `needed` in their new
        order.

        It is never negative, so the others stay behind them.
        """
        if not self._scorer.pairs or not len(top):
            return top
        end = min(POOL, len(top))
        last = top.scores[end - 1], top.keys[end - 1]
        while end < len(top) and (top.scores[end], top.keys[end]) == last:
            end += 1
        if len(top) > needed:
            # what is too far behind to get among the first by nearness may stay where it is
            within = top.scores[:end] >= float(top.scores[needed - 1]) - self._scorer.greatest_nearness
            end = int(np.count_nonzero(within))
        pool = top.taken(slice(0, end))
        for place in range(len(self._snapshot.segments)):
            here = np.flatnonzero(pool.places == place)
            here = here[np.argsort(pool.ordinals[here])]
            if len(here):
                pool.scores[here] = pool.scores[here] + self._scorer.nearness(place, pool.ordinals[here])
        self._near.update(zip(pool.places.tolist(), pool.ordinals.tolist(), strict=True))
        return pool.ordered().joined(top.taken(slice(end, len(top))))

    def _best_versions(self, count: int, needed: int) -> _Top:
        """Return the best `count` versions without nearness; without those that nearness cannot bring among the
        best `needed`."""
        top = _Top.empty()
        for place, live in enumerate(self._snapshot.segments):
            matched = self.matched[place]
            if not len(matched):
                continue
            if len(top) and self._deadline.is_over():
                self._is_ranked = False
                break
            chosen, score = self._score_segment(place, matched, count, needed, top.scores)
            here = _Top(score, live.segment.key[chosen], np.full(len(chosen), place), chosen)
            top = top.joined(here).ordered().taken(slice(0, count))
        return top

    def _score_segment(
        self, place: int, matched: NDArray[np.int64], count: int, needed: int, before: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return versions of a segment with their exact scores, among them all that are wanted; see _best_versions.

        before: the best scores of earlier segments, falling.
        """
        if len(matched) <= max(_FEW, count) or not self._scorer.is_bounded:
            return self._exact(place, matched)
        upper = self._scorer.upper(place, matched)
        cut = max(_nth_greatest(upper, count), self._floor(before, count, needed))
        first = (upper >= cut).nonzero()[0]
        first_scores = self._scorer.exact(place, matched.take(first))
        known = np.concatenate([before, first_scores])
        known.sort()
        floor = self._floor(known[::-1], count, needed)
        rest = ((upper < cut) & (upper >= floor)).nonzero()[0]
        if not len(rest):
            return matched.take(first), first_scores
        if self._deadline.is_over():
            self._is_ranked = False
            return matched.take(first), first_scores
        others, rest_scores = self._exact(place, matched.take(rest))
        return np.concatenate([matched.take(first), others]), np.concatenate([first_scores, rest_scores])

    def _exact(
        self, place: int, ordinals: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return versions of a segment with their exact scores; only the first of them when the time is up."""
        if len(ordinals) <= _SCORED_AT_ONCE:
            return ordinals, self._scorer.exact(place, ordinals)
        scores: list[NDArray[np.float64]] = []
        done = 0
        while done < len(ordinals) and not (scores and self._deadline.is_over()):
            some = ordinals[done : done + _SCORED_AT_ONCE]
            scores.append(self._scorer.exact(place, some))
            done += len(some)
        if done < len(ordinals):
            self._is_ranked = False
        return ordinals[:done], np.concatenate(scores)

    def _floor(self, scores: NDArray[np.float64], count: int, needed: int) -> float:
        """Return the score below which a version is not wanted, given some scores that are reached, falling."""
        floor = -np.inf
        if len(scores) >= count:
            floor = float(scores[count - 1])
        if len(scores) >= needed:
            floor = max(floor, float(scores[needed - 1]) - self._scorer.greatest_nearness)
        return floor


_BLOCKS = 16


def _nth_greatest(values: NDArray[np.float64], n: int) -> float:
    """Return the n-th greatest of some values, at least n."""
    size = len(values) // _BLOCKS
    if size > 4 * n:
        # the greatest of each block are some of the values: what they say of the n-th is never too much
        greatest = values[: size * _BLOCKS].reshape(_BLOCKS, size).max(axis=0)
        values = values[values >= np.partition(greatest, size - n)[size - n]]
    return float(np.partition(values, len(values) - n)[len(values) - n])


def _count_distinct(values: NDArray[np.integer]) -> int:
    # numpy.unique would import numpy.ma, which costs a cold search 70 ms
    ordered = np.sort(values)
    return int((ordered[1:] != ordered[:-1]).sum()) + bool(len(ordered))
