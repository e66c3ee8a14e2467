"""Fuzzy sets: each word is a set to which a page belongs more or less.

AND is the least membership of its parts, OR the greatest, NOT what is missing to 1.
Source: Zadeh, "Fuzzy sets" (1965); for retrieval Radecki, "Fuzzy set theoretical approach to
document retrieval" (1979).
The membership of a page in the set of a word is its share of the greatest possible tf-idf weight there
(`indexer.search.models.weighing`).
"""

from __future__ import annotations

import numpy as np

from indexer.search.models import Floats, Given, Shares
from indexer.search.models.weighing import is_leaf, memberships
from indexer.search.nodes import And, Node, Not, Or


def score(given: Given) -> Shares:
    """Return the membership of each version in the set of the query, between 0 and 1."""
    of_leaf = memberships(given)

    def membership(node: Node) -> Floats:
        if is_leaf(node):
            return of_leaf[node]
        if isinstance(node, Not):
            return 1 - membership(node.part)
        if isinstance(node, And | Or):
            parts = np.stack([membership(part) for part in node.parts])
            joined: Floats = parts.min(axis=0) if isinstance(node, And) else parts.max(axis=0)
            return joined
        return given.holds(node).astype(np.float64)

    return Shares(membership(given.tree), {})
