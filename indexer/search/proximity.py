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

from indexer.search.matches import Places
from indexer.search.nodes import Leaf, Word
from indexer.store.columns import KINDS
from indexer.store.segment import joined
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


def nearness(pairs: Sequence[tuple[Places, Places]], size: int) -> NDArray[np.float64]:
    """Return how often, and how near, pairs stand in each of `size` versions by element of the first word.

    Shape (len(pairs) * size, KINDS), pair behind pair.
    """
    shape = (len(pairs) * size, KINDS)
    firsts = joined([first.row + number * size for number, (first, _) in enumerate(pairs)])
    elements = joined([first.element for first, _ in pairs])
    # lines of different pairs are behind one another too, so that all are looked up at once
    here = _line(firsts, elements, joined([first.position for first, _ in pairs]))
    there = _line(
        joined([second.row + number * size for number, (_, second) in enumerate(pairs)]),
        joined([second.element for _, second in pairs]),
        joined([second.position for _, second in pairs]),
    )
    if not len(here) or not len(there):
        return np.zeros(shape)
    there.sort(kind="stable")  # what comes in runs is sorted 20 times as fast
    # what stands at the very same place, as the parts of "don't" do, is not beside it
    before, after = there.searchsorted(here), there.searchsorted(here, side="right")
    fence = np.empty(len(there) + 2, dtype=np.int64)
    fence[0], fence[1:-1], fence[-1] = -_FAR, there, _FAR
    distance = np.minimum(here - fence.take(before), fence.take(after + 1) - here)
    near = (distance <= REACH).nonzero()[0]
    # by version, element and place, so that sums are the same in whatever order occurrences came
    near = near[np.lexsort((here.take(near), elements.take(near)))]
    counts = np.bincount(
        firsts.take(near) * KINDS + elements.take(near),
        1.0 / distance.take(near) ** 2,
        minlength=shape[0] * KINDS,
    )
    return np.asarray(counts, dtype=np.float64).reshape(shape)


_ROOM = 1 << 32
_FAR = 1 << 62


def _line(
    row: NDArray[np.int64], element: NDArray[np.int64], position: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return places as numbers on one line: link texts and texts of different versions are far from each other."""
    line: NDArray[np.int64] = row * (2 * _ROOM) + position
    line += (element == INLINK) * np.int64(_ROOM)
    return line
