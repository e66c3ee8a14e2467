"""Scores of versions for one query: what they are made of, and those of other models than BM25F.

BM25F: score = sum over the words of idf * times / (1 + (k1 / weight) ** slope), plus a prior for short addresses and
linked pages; the core works it out. What near words add comes on top, for the best versions only; see docs/ranking.md.
Other models (`indexer.search.models`) have neither bounds, priors nor nearness: they are given counts by the core.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexer.search.deadline import Deadline
from indexer.search.nodes import describe
from indexer.search.prepared import HALF_LINKED
from indexer.search.query import Leaf, Node, leaves
from indexer.search.running import Carried
from indexer.store.bm25f import Ranking, idf, norms, saturate, weights
from indexer.store.columns import KINDS
from indexer.store.snapshot import Snapshot
from indexer.text.elements import ELEMENTS

if TYPE_CHECKING:
    from indexer.search import models
    from indexer.search.explaining import Explanation, PairShare, PriorShare, WordShare

Ordinals = NDArray[np.int64]
Floats = NDArray[np.float64]
_SCORED_AT_ONCE = 8192  # versions between two looks at the clock
_FIRST = 1000  # versions that are put in order first


class Scorer:
    """Scores the versions of a snapshot for one tree. Versions are told by segment (its place in the snapshot) and
    ordinal."""

    def __init__(
        self,
        snapshot: Snapshot,
        tree: Node,
        ranking: Ranking,
        carried: Carried,
        masks_of: Callable[[Node], Sequence[NDArray[np.bool_]]],
    ) -> None:
        """masks_of: gives by segment the versions that match a part of the tree."""
        self._snapshot, self._tree, self._ranking = snapshot, tree, ranking
        self._carried, self._masks_of = carried, masks_of
        self.is_bounded = ranking.model == "bm25f"

    def exact(self, place: int, ordinals: Ordinals) -> Floats:
        """Return the exact scores of some versions (rising ordinals) of a segment, without nearness."""
        if not len(ordinals):
            return np.zeros(0)
        if not self.is_bounded:
            return self._shares(self._given(place, ordinals, self._counts(place, ordinals))).total
        return self._carried.scores(place, ordinals)

    def best_of_all(
        self, matched: Sequence[Ordinals], deadline: Deadline
    ) -> tuple[Iterator[tuple[float, int, int, int]], bool]:
        """Return (score, place, ordinal, page) of all versions that match, best first, and whether all were scored."""
        scores, places, ordinals, is_whole = [np.zeros(0)], [np.zeros(0, int)], [np.zeros(0, int)], True
        keys, documents = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
        for place, live in enumerate(self._snapshot.segments):
            chosen = matched[place]
            counts: dict[Leaf, Floats] | None = None
            for start in range(0, len(chosen), _SCORED_AT_ONCE):
                if len(scores) > 1 and deadline.is_over():
                    is_whole = False
                    break
                some = chosen[start : start + _SCORED_AT_ONCE]
                if counts is None:  # lists are gone over once for all versions
                    counts = self._counts(place, chosen)
                of_some = {leaf: of_leaf[start : start + len(some)] for leaf, of_leaf in counts.items()}
                scores.append(self._shares(self._given(place, some, of_some)).total)
                places.append(np.full(len(some), place))
                ordinals.append(some)
                keys.append(live.segment.key[some])
                documents.append(live.segment.document[some].astype(np.int64))
        score, place_of, ordinal, key, document = map(
            np.concatenate, (scores, places, ordinals, keys, documents)
        )
        return _in_order(score, place_of, ordinal, document, key), is_whole

    def _norms(self, place: int, ordinals: Ordinals) -> Floats:
        live = self._snapshot.segments[place]
        return norms(self._ranking, live.lengths(ordinals), self._snapshot.means)

    def _counts(self, place: int, ordinals: Ordinals) -> dict[Leaf, Floats]:
        return {leaf: self._carried.counts(leaf, place, ordinals) for leaf in self._carried.leaves}

    def _given(self, place: int, ordinals: Ordinals, counts: dict[Leaf, Floats]) -> models.Given:
        from indexer.search import models
        from indexer.search.models.lengths import greatest_counts, vector_lengths

        snapshot, carried = self._snapshot, self._carried
        versions = max(snapshot.versions, 1)
        return models.Given(
            tree=self._tree,
            counts=counts,
            rarity={leaf: math.log10(versions / max(held, 1)) for leaf, held in carried.holding.items()},
            times={leaf: times * leaf.boost for leaf, times in Counter(leaves(self._tree)).items()},
            holds=lambda node: self._masks_of(node)[place][ordinals],
            lengths=lambda: vector_lengths(snapshot)[place][ordinals],
            greatest=lambda: greatest_counts(snapshot)[place][ordinals],
            p=self._ranking.p,
            size=len(ordinals),
        )

    def _shares(self, given: models.Given) -> models.Shares:
        from indexer.search.models import score

        return score(self._ranking.model, given)

    # -- why

    def explain(self, place: int, ordinal: int, *, near: bool) -> Explanation:
        """Return what the score of a version is made of; near: what near words add counts for it."""
        from indexer.search.explaining import Explanation, WordShare

        ordinals = np.array([ordinal], dtype=np.int64)
        model = self._ranking.model
        score = float(self.exact(place, ordinals)[0])
        if not self.is_bounded:
            given = self._given(place, ordinals, self._counts(place, ordinals))
            shares = self._shares(given)
            if not shares.parts:
                return Explanation(model, score, whole=score)
            words = tuple(
                WordShare(
                    describe(leaf), given.rarity[leaf], given.times[leaf], float(given.counts[leaf][0]),
                    _share(float(part[0]), given.rarity[leaf] * given.times[leaf]), float(part[0]),
                )
                for leaf, part in shares.parts.items()
            )  # fmt: skip
            return Explanation(model, score, words)
        pairs = self._explain_pairs(place, ordinals) if near else ()
        times = Counter(leaves(self._tree))
        return Explanation(
            model,
            score + sum(pair.score for pair in pairs),
            tuple(self._explain_word(place, ordinals, leaf, times[leaf]) for leaf in self._carried.scored),
            pairs,
            self._explain_priors(place, ordinal),
        )

    def _idf(self, leaf: Leaf) -> float:
        return idf(self._ranking, self._snapshot.versions, self._carried.holding[leaf])

    def _explain_word(self, place: int, ordinals: Ordinals, leaf: Leaf, times: int) -> WordShare:
        from indexer.search.explaining import ElementShare, WordShare

        norm, carried = self._norms(place, ordinals), self._carried
        lengths = self._snapshot.segments[place].lengths(ordinals)[0]
        weight = float(carried.weights(leaf, place, ordinals, norm)[0])
        saturation = float(saturate(self._ranking, np.array([weight]))[0])
        rarity = self._idf(leaf)
        score = rarity * leaf.boost * times * saturation
        elements = []
        for number, name in enumerate(ELEMENTS):
            only = np.zeros((1, KINDS))
            only[0, number] = 1.0
            count = float(carried.weights(leaf, place, ordinals, only)[0])
            if count:
                here = count * float(norm[0, number])
                elements.append(
                    ElementShare(
                        name, count, int(lengths[number]), float(self._snapshot.means[number]),
                        self._ranking.boost[name], float(norm[0, number]), here, score * _share(here, weight),
                    )
                )  # fmt: skip
        return WordShare(
            describe(leaf), rarity, times * leaf.boost, weight, saturation, score, tuple(elements)
        )

    def _explain_pairs(self, place: int, ordinals: Ordinals) -> tuple[PairShare, ...]:
        from indexer.search.explaining import PairShare

        norm, shares = self._norms(place, ordinals), []
        near = self._carried.nearness(place, int(ordinals[0]))
        for (first, second), counts in zip(self._carried.pairs, near, strict=True):
            weight = weights(counts[None], norm)
            factor = self._ranking.near * max(0.0, min(self._idf(first), self._idf(second)))
            score = float(factor * saturate(self._ranking, weight)[0])
            if score:
                shares.append(PairShare(f"{first.text} {second.text}", float(weight[0]), score))
        return tuple(shares)

    def _explain_priors(self, place: int, ordinal: int) -> tuple[PriorShare, ...]:
        from indexer.search.explaining import PriorShare

        inlinks, greatest = self._snapshot.segments[place].inlinks, self._carried.told.greatest
        if inlinks is None:
            return ()
        depth = int(inlinks.file.array("depths")[ordinal])
        sites = int(inlinks.file.array("linking_sites")[ordinal])
        shares = (
            PriorShare("depth", depth, greatest * self._ranking.depth / (1.0 + depth)),
            PriorShare("linked", sites, greatest * self._ranking.linked * sites / (HALF_LINKED + sites)),
        )
        return tuple(share for share in shares if share.score)


def _in_order(
    score: Floats, place: Ordinals, ordinal: Ordinals, document: Ordinals, key: NDArray[np.uint64]
) -> Iterator[tuple[float, int, int, int]]:
    """Yield versions, the best first: mostly a few of many are asked for."""
    done = np.zeros(len(score), dtype=np.bool_)
    for count in (_FIRST, len(score)):
        is_next = ~done
        if count < len(score):
            is_next &= _are_first(score, key, count)
        rows = np.flatnonzero(is_next)
        done[rows] = True
        rows = rows[np.lexsort((ordinal[rows], place[rows], key[rows], -score[rows]))]
        yield from zip(*(column[rows].tolist() for column in (score, place, ordinal, document)), strict=True)


def _are_first(score: Floats, key: NDArray[np.uint64], count: int) -> NDArray[np.bool_]:
    """Tell which versions are the first `count`, fewer than there are, and those of the same score and key as the last
    of them: many may have one score."""
    least = np.partition(score, -count)[-count]
    is_above, is_least = score > least, score == least
    keys = key[is_least]
    wanted = count - int(np.count_nonzero(is_above))
    first: NDArray[np.bool_] = is_above | (is_least & (key <= np.partition(keys, wanted - 1)[wanted - 1]))
    return first


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
