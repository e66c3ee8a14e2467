"""Scores of versions for one query: exact ones, bounds that are never below them, and what they are made of.

BM25F: score = sum over the words of idf * times / (1 + (k1 / weight) ** slope), plus a prior for short addresses and
linked pages. What near words add (`nearness`) comes on top, for the best versions only; see docs/ranking.md. Other
models (`indexer.search.models`) have neither bounds, priors nor nearness.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from indexer.search import models
from indexer.search.deadline import Portion
from indexer.search.explaining import ElementShare, Explanation, PairShare, PriorShare, WordShare
from indexer.search.masks import tree_mask
from indexer.search.matches import Match, Places
from indexer.search.models.lengths import vectors_of
from indexer.search.nodes import describe
from indexer.search.proximity import nearness as counted_nearness
from indexer.search.proximity import pairs_of
from indexer.search.query import Leaf, Node, leaves
from indexer.search.words import WordMatch, exact_weights, places_of_words
from indexer.store.bm25f import Ranking, idf, norms, saturate, weights
from indexer.store.columns import KINDS
from indexer.store.scratch import in_scratch_file
from indexer.store.snapshot import Snapshot
from indexer.text.elements import ELEMENTS

Ordinals = NDArray[np.int64]
Floats = NDArray[np.float64]


class Scorer:
    """Scores the versions of a snapshot for one tree. Versions are told by segment (its place in the snapshot) and
    ordinal."""

    def __init__(
        self,
        snapshot: Snapshot,
        tree: Node,
        ranking: Ranking,
        matches: Sequence[dict[Leaf, Match]],
        portions: Sequence[Portion],
        holding: Counter[Leaf],
    ) -> None:
        """matches: of all leaves, by segment; portions: what of each segment was looked at in time;
        holding: in how many live versions each leaf occurs."""
        self._snapshot, self._tree, self._ranking, self._matches = snapshot, tree, ranking, matches
        scored = leaves(tree)
        self._times = Counter(scored)
        self.leaves = list(self._times)
        self._holding, self._portions = holding, portions
        self._idf = {leaf: idf(ranking, snapshot.versions, holding[leaf]) for leaf in self.leaves}
        self._factor = {leaf: self._idf[leaf] * leaf.boost * self._times[leaf] for leaf in self.leaves}
        self._greatest = sum(factor for factor in self._factor.values() if factor > 0)
        self.is_bounded = ranking.model == "bm25f"
        self.pairs = pairs_of(scored) if self.is_bounded and ranking.near > 0 else []

    def upper(self, place: int, wanted: Ordinals) -> Floats:
        """Return for some versions (rising ordinals) of a segment a score that is never below the exact one."""
        upper = np.zeros(len(wanted))
        for leaf in self.leaves:
            match, factor = self._matches[place][leaf], self._factor[leaf]
            if factor > 0 and match.count:
                upper += factor * saturate(self._ranking, match.upper(wanted))
        upper += self.prior(place, wanted)
        upper *= 1 + 1e-9  # whatever rounding does
        return upper

    def prior(self, place: int, ordinals: Ordinals) -> Floats:
        """Return what some versions have ahead, a share of the greatest score that the words of the query can give.

        Nothing while links are not folded in yet.
        """
        if self._snapshot.segments[place].inlinks is None or not self.is_bounded:
            return np.zeros(len(ordinals))
        prior: Floats = self._prior_shares(place).take(ordinals) * self._greatest
        return prior

    def _prior_shares(self, place: int) -> Floats:
        """Return for each version of a segment the share that it has ahead; worked out once for each state."""
        key = ("prior", place, self._ranking.depth, self._ranking.linked)
        shares: Floats | None = self._snapshot.derived.get(key)
        if shares is None:
            inlinks = self._snapshot.segments[place].inlinks
            assert inlinks is not None
            shares = np.zeros(len(inlinks))
            if self._ranking.depth:
                shares += self._ranking.depth / (1.0 + inlinks.file.array("depths"))
            if self._ranking.linked:
                sites = inlinks.file.array("linking_sites").astype(np.float64)
                shares += self._ranking.linked * sites / (_HALF_LINKED + sites)
            # eight bytes a version of the index: not in memory
            (self._snapshot.derived[key],) = (shares,) = in_scratch_file(shares)
        return shares

    def exact(self, place: int, ordinals: Ordinals) -> Floats:
        """Return the exact scores of some versions (rising ordinals) of a segment, without nearness."""
        if not len(ordinals):
            return np.zeros(0)
        if not self.is_bounded:
            return models.score(self._ranking.model, self._given(place, ordinals)).total
        score = np.zeros(len(ordinals))
        norm = self._norms(place, ordinals)
        for leaf, weight in self._exact_weights(place, ordinals, norm):
            score += self._factor[leaf] * saturate(self._ranking, weight)
        return score + self.prior(place, ordinals)

    def _exact_weights(self, place: int, ordinals: Ordinals, norm: Floats) -> Iterator[tuple[Leaf, Floats]]:
        """Yield the leaves in their order, each with its exact weight in some versions; words are read together."""
        found = self._matches[place]
        words = [match for leaf in self.leaves if isinstance(match := found[leaf], WordMatch)]
        rows = iter(exact_weights(words, ordinals, norm)) if words else iter(())
        for leaf in self.leaves:
            match = found[leaf]
            yield leaf, next(rows) if isinstance(match, WordMatch) else match.exact(ordinals, norm)

    def nearness(self, place: int, ordinals: Ordinals) -> Floats:
        """Return what words near each other add to the scores of some versions (rising ordinals)."""
        size = len(ordinals)
        words = list(dict.fromkeys(word for pair in self.pairs for word in pair))
        known = dict(zip(words, self._places(place, words, ordinals), strict=True))
        counts = counted_nearness([(known[first], known[second]) for first, second in self.pairs], size)
        norm = self._norms(place, ordinals)
        weight = weights(counts, norm if len(self.pairs) == 1 else np.tile(norm, (len(self.pairs), 1)))
        shares = saturate(self._ranking, weight).reshape(len(self.pairs), size)
        total = np.zeros(size)
        for pair, share in zip(self.pairs, shares, strict=True):
            total += self._pair_factor(*pair) * share
        return total

    def _places(self, place: int, words: Sequence[Leaf], ordinals: Ordinals) -> list[Places]:
        """Return where each of some words stands in some versions."""
        found = [self._matches[place][word] for word in words]
        read = [match for match in found if isinstance(match, WordMatch)]
        places = iter(places_of_words(read, ordinals))
        return [next(places) if isinstance(match, WordMatch) else match.places(ordinals) for match in found]

    @cached_property
    def greatest_nearness(self) -> float:
        """What words near each other can add at most."""
        return sum(self._pair_factor(*pair) for pair in self.pairs) * (1 + 1e-9)

    def _pair_factor(self, first: Leaf, second: Leaf) -> float:
        return self._ranking.near * max(0.0, min(self._idf[first], self._idf[second]))

    def _norms(self, place: int, ordinals: Ordinals) -> Floats:
        live = self._snapshot.segments[place]
        return norms(self._ranking, live.lengths(ordinals), self._snapshot.means)

    def _given(self, place: int, ordinals: Ordinals) -> models.Given:
        versions = max(self._snapshot.versions, 1)
        live, found = self._snapshot.segments[place], self._matches[place]
        ones = np.ones((len(ordinals), KINDS))
        return models.Given(
            tree=self._tree,
            counts={leaf: match.exact(ordinals, ones) for leaf, match in found.items()},
            rarity={leaf: math.log10(versions / max(self._holding[leaf], 1)) for leaf in found},
            times={leaf: times * leaf.boost for leaf, times in self._times.items()},
            holds=lambda node: tree_mask(node, live, found, self._portions[place])[ordinals],
            lengths=lambda: vectors_of(self._snapshot)[place].lengths[ordinals],
            greatest=lambda: vectors_of(self._snapshot)[place].greatest[ordinals],
            p=self._ranking.p,
            size=len(ordinals),
        )

    # -- why

    def explain(self, place: int, ordinal: int, *, near: bool) -> Explanation:
        """Return what the score of a version is made of; near: what near words add counts for it."""
        ordinals = np.array([ordinal], dtype=np.int64)
        model = self._ranking.model
        score = float(self.exact(place, ordinals)[0])
        if not self.is_bounded:
            given = self._given(place, ordinals)
            shares = models.score(model, given)
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
        return Explanation(
            model,
            score + sum(pair.score for pair in pairs),
            tuple(self._explain_word(place, ordinals, leaf) for leaf in self.leaves),
            pairs,
            self._explain_priors(place, ordinal),
        )

    def _explain_word(self, place: int, ordinals: Ordinals, leaf: Leaf) -> WordShare:
        match, norm = self._matches[place][leaf], self._norms(place, ordinals)
        lengths = self._snapshot.segments[place].lengths(ordinals)[0]
        weight = float(match.exact(ordinals, norm)[0])
        saturation = float(saturate(self._ranking, np.array([weight]))[0])
        score = self._factor[leaf] * saturation
        elements = []
        for number, name in enumerate(ELEMENTS):
            only = np.zeros((1, KINDS))
            only[0, number] = 1.0
            count = float(match.exact(ordinals, only)[0])
            if count:
                here = count * float(norm[0, number])
                elements.append(
                    ElementShare(
                        name, count, int(lengths[number]), float(self._snapshot.means[number]),
                        self._ranking.boost[name], float(norm[0, number]), here, score * _share(here, weight),
                    )
                )  # fmt: skip
        times = self._times[leaf] * leaf.boost
        return WordShare(describe(leaf), self._idf[leaf], times, weight, saturation, score, tuple(elements))

    def _explain_pairs(self, place: int, ordinals: Ordinals) -> tuple[PairShare, ...]:
        norm, found = self._norms(place, ordinals), self._matches[place]
        shares = []
        for first, second in self.pairs:
            near = counted_nearness([(found[first].places(ordinals), found[second].places(ordinals))], 1)
            weight = weights(near, norm)
            score = float(self._pair_factor(first, second) * saturate(self._ranking, weight)[0])
            if score:
                shares.append(PairShare(f"{first.text} {second.text}", float(weight[0]), score))
        return tuple(shares)

    def _explain_priors(self, place: int, ordinal: int) -> tuple[PriorShare, ...]:
        inlinks = self._snapshot.segments[place].inlinks
        if inlinks is None:
            return ()
        depth = int(inlinks.file.array("depths")[ordinal])
        sites = int(inlinks.file.array("linking_sites")[ordinal])
        shares = (
            PriorShare("depth", depth, self._greatest * self._ranking.depth / (1.0 + depth)),
            PriorShare(
                "linked", sites, self._greatest * self._ranking.linked * sites / (_HALF_LINKED + sites)
            ),
        )
        return tuple(share for share in shares if share.score)


_HALF_LINKED = 5.0  # linking sites at which half of what links can give is reached


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
