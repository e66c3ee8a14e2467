"""The best hits of a query, and how many there are.

Scores are exact: idf and mean lengths come from all live versions, counts and lengths from the
segments, in float64. The stored weights only say which versions need not be scored at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from indexer.search.deadline import Deadline, Portion
from indexer.search.masks import tree_mask
from indexer.search.matching import Match, NoMatch, match_leaf
from indexer.search.moments import page_masks
from indexer.search.ordering import Placed, sorted_pages
from indexer.search.query import And, Leaf, Near, Node, Or, Phrase, Query, Word, all_leaves, leaves
from indexer.search.vocabulary import expand
from indexer.store.bm25f import Ranking, idf, norms, saturate
from indexer.store.snapshot import Snapshot
from indexer.text.languages import STOP_WORDS

# A language whose share of the versions is smaller than this brings no stop words: "war" is one in German.
_MAIN_LANGUAGE = 0.2
RELAXED = "no page has all of these words; these have some of them"
_FEW = 256  # versions scored without looking at bounds first


@dataclass(frozen=True, slots=True)
class Found:
    """One page found. versions: (segment number, ordinal) of the best version, or of those that are equally good."""

    document: int
    score: float
    versions: tuple[tuple[int, int], ...]


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


def search(
    snapshot: Snapshot,
    query: Query,
    ranking: Ranking,
    *,
    offset: int,
    limit: int,
    sort: str = "relevance",
    budget_s: float | None = None,
) -> Ranked:
    """Return the pages `offset` to `offset + limit` of the ranked list, and the number of all that match.

    Order: falling score, then the MD5 of the address; or as `ordering` says for another `sort`. A page with several
    matching versions counts once, by its best.
    When no page has all words of a plain query, pages with any of them are given, with a notice.
    budget_s: seconds after which nothing new is taken up, None for no limit; then the answer is partial, and
    `timed_out` and a notice say so.
    """
    deadline = Deadline(budget_s)
    query = without_stop_words(query, snapshot)
    if query.tree is None or not snapshot.segments:
        nothing = tuple(np.zeros(0, dtype=np.int64) for _ in snapshot.segments)
        return Ranked(query, 0, (), frozenset(), (), nothing)
    run = _Run(snapshot, query.tree, ranking, deadline)
    if not run.total and (wider := _any_of(query.tree)) is not None:
        relaxed = _Run(snapshot, wider, ranking, deadline)
        if relaxed.total:
            query = replace(
                query,
                tree=wider,
                notices=(*query.notices, RELAXED),
            )
            run = relaxed
    if run.notices:
        query = replace(query, notices=(*query.notices, *run.notices))
    return Ranked(
        query,
        run.total,
        tuple(
            run.best(offset + limit)[offset:]
            if sort == "relevance"
            else run.scored(sorted_pages(snapshot, run.matched, sort, offset=offset, limit=limit))
        ),
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
    notice = f"common words left out: {' '.join(dict.fromkeys(left_out))} (quote them to look for them)"
    return replace(query, tree=kept, notices=(*query.notices, notice))


def stop_words(snapshot: Snapshot) -> set[str]:
    """Return the stop words of the languages that the index is mainly in."""
    share = Counter(snapshot.languages())
    many = sum(share.values()) * _MAIN_LANGUAGE
    return {
        word
        for language, count in share.items()
        if count and count >= many
        for word in STOP_WORDS.get(language or "en", ())
    }


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


class _Run:
    """One tree evaluated over all segments: masks first (for exact counts), scores only for what may reach the top."""

    def __init__(self, snapshot: Snapshot, tree: Node, ranking: Ranking, deadline: Deadline) -> None:
        self._snapshot, self._ranking = snapshot, ranking
        self.spellings: set[str] = set()
        scored = leaves(tree)
        self.leaves = list(dict.fromkeys(scored))
        self._times = Counter(scored)
        self._matches: list[dict[Leaf, Match]] = []
        self.matched: list[NDArray[np.int64]] = []
        holding: Counter[Leaf] = Counter()
        shared_documents: list[NDArray[np.uint32]] = []
        alone = 0
        everywhere = all_leaves(tree)
        segments = snapshot.segments
        self._expansions = expand(
            tree, [segment for live in segments for segment, _ in live.layers], deadline.half()
        )
        self._portions: list[Portion] = []
        for live in segments:
            portion = Portion(len(live.segment), deadline)
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
                if leaf in self._times:
                    self.spellings.update(spellings)
                    there = match.ordinals
                    holding[leaf] += len(there) if live.alive is None else int(live.alive[there].sum())
            self._matches.append(matches)
            self._portions.append(portion)
        masks = page_masks(
            tree,
            segments,
            lambda node, place: tree_mask(node, segments[place], self._matches[place], self._portions[place]),
        )
        for live, portion, mask in zip(segments, self._portions, masks, strict=True):
            mask[portion.complete :] = False
            if live.alive is not None:
                mask &= live.alive
            matched = np.flatnonzero(mask)
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
        self._idf = {
            leaf: idf(ranking, snapshot.versions, holding[leaf]) * leaf.boost for leaf in self.leaves
        }

    def scored(self, pages: Sequence[Placed]) -> list[Found]:
        """Return pages in the order given, each with the score of the version that stands for it."""
        scores = {
            (page.segment, page.ordinal): float(
                self._exact(page.segment, np.array([page.ordinal], dtype=np.int64))[0]
            )
            for page in pages
        }
        return [
            Found(
                page.document,
                scores[page.segment, page.ordinal],
                ((self._snapshot.segments[page.segment].number, page.ordinal),),
            )
            for page in pages
        ]

    @property
    def timed_out(self) -> bool:
        """Whether the time was up before everything was looked at."""
        return not (self._expansions.is_whole and all(portion.is_whole for portion in self._portions))

    @property
    def notices(self) -> list[str]:
        """What the user has to know of how the query was carried out."""
        notices = list(self._expansions.notices)
        if self.timed_out:
            looked_at = sum(portion.complete for portion in self._portions)
            versions = sum(portion.versions for portion in self._portions)
            notices.append(
                f"the time was up: {looked_at:,} of {versions:,} page versions were looked at, the answer is partial"
            )
        return notices

    def best(self, count: int) -> list[Found]:
        """Return the best `count` pages in order; fewer if fewer match."""
        count = min(count, self.total)
        if count <= 0:
            return []
        versions = sum(len(matched) for matched in self.matched)
        wanted = count * 2 if self._has_shared else count
        while True:
            found = self._best_versions(min(wanted, versions))
            pages: dict[int, Found] = {}
            for item in found:
                known = pages.setdefault(item.document, item)
                if known is not item and known.score == item.score:
                    pages[item.document] = replace(known, versions=known.versions + item.versions)
            if len(pages) >= count or wanted >= versions:
                return list(pages.values())[:count]
            wanted *= 4

    def _best_versions(self, count: int) -> list[Found]:
        scores, keys, places, ordinals = (
            np.zeros(0),
            np.zeros(0, np.uint64),
            np.zeros(0, np.int64),
            np.zeros(0, np.int64),
        )
        for place, live in enumerate(self._snapshot.segments):
            matched = self.matched[place]
            if not len(matched):
                continue
            floor = float(scores[-1]) if len(scores) >= count else -np.inf
            chosen, score = self._score_segment(place, matched, count, floor)
            scores = np.concatenate([scores, score])
            keys = np.concatenate([keys, live.segment.key[chosen]])
            places = np.concatenate([places, np.full(len(chosen), place)])
            ordinals = np.concatenate([ordinals, chosen])
            order = np.lexsort((keys, -scores))[:count]
            scores, keys, places, ordinals = scores[order], keys[order], places[order], ordinals[order]
        segments = self._snapshot.segments
        return [
            Found(int(segments[place].segment.document[ordinal]), score, ((segments[place].number, ordinal),))
            for place, ordinal, score in zip(places.tolist(), ordinals.tolist(), scores.tolist(), strict=True)
        ]

    def _score_segment(
        self, place: int, matched: NDArray[np.int64], count: int, floor: float
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return versions of a segment with their exact scores, among them all that may be of the best `count`.

        floor: what the versions of earlier segments already ask for.
        """
        if len(matched) <= max(_FEW, count):
            return matched, self._exact(place, matched)
        upper = self._upper(place)[matched]
        cut = max(float(np.partition(upper, len(upper) - count)[len(upper) - count]), floor)
        first = np.flatnonzero(upper >= cut)
        first_scores = self._exact(place, matched[first])
        if len(first) >= count:
            floor = max(floor, float(np.partition(first_scores, len(first) - count)[len(first) - count]))
        rest = np.flatnonzero((upper < cut) & (upper >= floor))
        rest_scores = self._exact(place, matched[rest])
        return matched[np.concatenate([first, rest])], np.concatenate([first_scores, rest_scores])

    def _upper(self, place: int) -> NDArray[np.float64]:
        """Return for each version of a segment a score that is never below the exact one."""
        upper = np.zeros(len(self._snapshot.segments[place].segment))
        for leaf in self.leaves:
            match = self._matches[place][leaf]
            factor = self._idf[leaf] * self._times[leaf]
            if factor > 0 and len(match.ordinals):
                # written so that an unbounded weight gives the whole factor
                bound = match.upper > 0  # a phrase where all boosts are 0 weighs nothing
                upper[match.ordinals[bound]] += factor / (1 + self._ranking.k1 / match.upper[bound])
        upper *= 1 + 1e-9  # whatever rounding does
        return upper

    def _exact(self, place: int, ordinals: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the exact scores of some versions (rising ordinals) of a segment."""
        score = np.zeros(len(ordinals))
        if not len(ordinals):
            return score
        lengths = self._snapshot.segments[place].lengths(ordinals)
        norm = norms(self._ranking, lengths, self._snapshot.means)
        for leaf in self.leaves:
            weight = self._matches[place][leaf].exact(ordinals, norm)
            score += self._idf[leaf] * self._times[leaf] * saturate(self._ranking, weight)
        return score


def _count_distinct(values: NDArray[np.integer]) -> int:
    # numpy.unique would import numpy.ma, which costs a cold search 70 ms
    ordered = np.sort(values)
    return int((ordered[1:] != ordered[:-1]).sum()) + bool(len(ordered))
