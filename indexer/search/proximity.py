"""Words of a query that stand near each other: how near, for some versions.

Two words that stand next to each other in the query make a pair. Each occurrence of its first word counts 1 / d**2, d
being the distance to the nearest occurrence of the second, up to REACH places before or behind; so a phrase counts 1,
and what is ten words apart a hundredth. Counts are weighed by element and saturate as those of a word do.
After Buettcher, Clarke and Lushman, "Term proximity scoring for ad-hoc retrieval on very large text collections"
(2006).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from indexer.search.matching import Places
from indexer.search.nodes import Leaf, Word
from indexer.store.segment import KINDS
from indexer.text.elements import INLINK

REACH = 10  # less than SECTION_GAP: pairs never reach from one section or link text into another
MAX_PAIRS = 8

Pair = tuple[Word, Word]


def pairs_of(scored: Sequence[Leaf]) -> list[Pair]:
    """Return the pairs of a query, in order: neighbours that were asked for themselves, not added to it."""
    pairs = [
        (first, second)
        for first, second in zip(scored, scored[1:], strict=False)
        if isinstance(first, Word) and isinstance(second, Word)
        if first.text != second.text and first.boost == second.boost == 1
    ]
    return list(dict.fromkeys(pairs))[:MAX_PAIRS]


def nearness(first: Places, second: Places, size: int) -> NDArray[np.float64]:
    """Return for each of `size` versions how often, and how near, a pair stands there by element of its first word."""
    counts = np.zeros((size, KINDS))
    if not len(first.row) or not len(second.row):
        return counts
    here, there = _line(first), np.sort(_line(second))
    # what stands at the very same place, as the parts of "don't" do, is not beside it
    before, after = np.searchsorted(there, here) - 1, np.searchsorted(there, here, side="right")
    distance = np.minimum(
        np.where(before >= 0, here - there[np.maximum(before, 0)], _ROOM),
        np.where(after < len(there), there[np.minimum(after, len(there) - 1)] - here, _ROOM),
    )
    near = np.flatnonzero(distance <= REACH)
    # by version, element and place, so that sums are the same in whatever order occurrences came
    near = near[np.lexsort((here[near], first.element[near]))]
    np.add.at(counts, (first.row[near], first.element[near]), 1.0 / distance[near] ** 2)
    return counts


_ROOM = 1 << 32


def _line(places: Places) -> NDArray[np.int64]:
    """Return places as numbers on one line: link texts and texts of different versions are far from each other."""
    line: NDArray[np.int64] = (places.row * 2 + (places.element == INLINK)) * _ROOM + places.position
    return line
