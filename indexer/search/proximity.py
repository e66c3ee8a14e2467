"""Words of a query that stand near each other: which pairs count (the core counts them, see query_near.c).

Two words that stand next to each other in the query make a pair. Each occurrence of its first word counts 1 / d**2, d
being the distance to the nearest occurrence of the second, up to REACH places before or behind; so a phrase counts 1,
and what is ten words apart a hundredth. Counts are weighed by element and saturate as those of a word do.
After Buettcher, Clarke and Lushman, "Term proximity scoring for ad-hoc retrieval on very large text collections"
(2006).
"""

from __future__ import annotations

from collections.abc import Sequence

from indexer.search.nodes import Leaf, Word

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
