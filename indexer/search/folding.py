"""Near-duplicates among the hits shown together: the first stands for those like it.

Two pages are near-duplicates when their sets of runs of four words have a Jaccard coefficient of at least 0.9, as in
indexer.text.sketch. A sketch for each version would cost 512 bytes beside 1.8 kB of index; pages that are that much
alike also are about equally long, and of the few hits of one length the texts are at hand for their snippets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from indexer.text.analysis import words_of
from indexer.text.sketch import FEWEST_WORDS, NEAR_DUPLICATE, SHINGLE_WORDS

_CHARACTERS = 8_000  # of a text that are compared
_LONGEST_MEAN = 20  # longer words on average: a script without spaces, or no text at all


def fold(sizes: Sequence[int], text_of: Callable[[int], str]) -> list[int]:
    """Return for each hit the place of the hit that stands for it: its own, or that of an earlier near-duplicate.

    sizes: words of each hit's version. text_of: gives the text of the hit at a place; asked only where two hits are
    about equally long.
    """
    shingles: dict[int, frozenset[tuple[str, ...]]] = {}

    def shingles_at(place: int) -> frozenset[tuple[str, ...]]:
        if place not in shingles:
            shingles[place] = shingles_of(text_of(place))
        return shingles[place]

    stands_for: list[int] = []
    for place, size in enumerate(sizes):
        kept = (other for other in range(place) if stands_for[other] == other)
        close = (
            other for other in kept if min(size, sizes[other]) >= NEAR_DUPLICATE * max(size, sizes[other])
        )
        stands_for.append(
            next((other for other in close if are_alike(shingles_at(other), shingles_at(place))), place)
        )
    return stands_for


def shingles_of(text: str) -> frozenset[tuple[str, ...]]:
    """Return the runs of four words of a text; none for one that is too short to compare."""
    text = text[:_CHARACTERS]
    words = text.split()  # a tenth of the time of words_of; what it finds alike, is
    if len(words) * _LONGEST_MEAN < len(text):
        words = words_of(text)
    if len(words) < FEWEST_WORDS:
        return frozenset()
    return frozenset(zip(*(words[start:] for start in range(SHINGLE_WORDS)), strict=False))


def are_alike(first: frozenset[tuple[str, ...]], second: frozenset[tuple[str, ...]]) -> bool:
    """Tell whether two texts are near-duplicates."""
    return bool(first) and len(first & second) >= NEAR_DUPLICATE * len(first | second)
