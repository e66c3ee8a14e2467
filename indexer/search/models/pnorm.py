"""Extended Boolean retrieval: AND and OR that are met in part, by the distance of the p-norm.

OR of n parts with weights w is (sum w**p / n) ** (1/p), the distance from having none of them; AND is
1 - (sum (1 - w)**p / n) ** (1/p), the nearness to having all. p = 1 makes both the mean, as in the vector model; a p
without bound makes them those of fuzzy sets. NOT is 1 - w.
Source: Salton, Fox and Wu, "Extended Boolean information retrieval" (1983). The weight of a word in a page is theirs:
its frequency as a share of the page's greatest, times its rarity as a share of the greatest of the query.
"""

from __future__ import annotations

import numpy as np

from indexer.search.models import Floats, Given, Shares
from indexer.search.models.weighing import is_leaf, memberships
from indexer.search.nodes import And, Node, Not, Or


def score(given: Given) -> Shares:
    """Return how well each version answers the query, between 0 and 1."""
    of_leaf = memberships(given)

    def answer(node: Node) -> Floats:
        if is_leaf(node):
            return of_leaf[node]
        if isinstance(node, Not):
            return 1 - answer(node.part)
        if isinstance(node, And | Or):
            weights = np.stack([answer(part) for part in node.parts])
            return both_of(weights, given.p) if isinstance(node, And) else any_of(weights, given.p)
        return given.holds(node).astype(np.float64)

    return Shares(answer(given.tree), {})


def any_of(weights: Floats, p: float) -> Floats:
    """Return the OR of parts, a row a part."""
    result: Floats = np.mean(weights**p, axis=0) ** (1 / p)
    return result


def both_of(weights: Floats, p: float) -> Floats:
    """Return the AND of parts, a row a part."""
    return 1 - any_of(1 - weights, p)
