"""Weights between 0 and 1 of words in pages, for the models that know nothing greater than 1."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from indexer.search.models import Floats, Given
from indexer.search.nodes import Fuzzy, Leaf, Node, Phrase, Wildcard, Word


def is_leaf(node: Node) -> TypeGuard[Leaf]:
    return isinstance(node, Word | Phrase | Wildcard | Fuzzy)


def memberships(given: Given) -> dict[Leaf, Floats]:
    """Return for each leaf its weight in each version: count / greatest count there * rarity / greatest rarity.

    Source: Salton, Fox and Wu (1983). A version that holds a word that all hold still weighs more than one without any:
    a rarity of 0 counts as a hundredth of the greatest.
    """
    greatest = np.maximum(given.greatest(), 1)
    rarest = max([*given.rarity.values(), 0.0]) or 1.0
    return {
        leaf: np.minimum(counts / greatest, 1) * min(max(given.rarity[leaf] / rarest, 0.01), 1)
        for leaf, counts in given.counts.items()
    }
