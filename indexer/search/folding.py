"""Near-duplicates among the hits shown together: the first stands for those like it.

Two pages are near-duplicates when their sets of runs of four words have a Jaccard coefficient of at least 0.9, as in
indexer.text.sketch. A sketch for each version would cost 512 bytes beside 1.8 kB of index; pages that are that much
alike also are about equally long, and of the few hits of one length the texts are at hand for their snippets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from indexer.text.analysis import words_of
from indexer.text.sketch import FEWEST_WORDS, NEAR_DUPLICATE, SHINGLE_WORDS

_CHARACTERS = 8_000  # of a text that are compared
_LONGEST_MEAN = 20  # longer words on average: a script without spaces, or no text at all


def fold(sizes: Sequence[int], text_of: Callable[[int], str]) -> list[int]:
    """Return for each hit the place of the hit that stands for it: its own, or that of an earlier near-duplicate.

    sizes: words of each hit's version. text_of: gives the text of the hit at a place; asked only where two hits are
    about equally long.
    """
    compared: dict[int, _Compared] = {}

    def at(place: int) -> _Compared:
        if place not in compared:
            compared[place] = _Compared(text_of(place))
        return compared[place]

    stands_for: list[int] = []
    for place, size in enumerate(sizes):
        kept = (other for other in range(place) if stands_for[other] == other)
        close = (
            other for other in kept if min(size, sizes[other]) >= NEAR_DUPLICATE * max(size, sizes[other])
        )
        stands_for.append(next((other for other in close if at(other).is_like(at(place))), place))
    return stands_for


class _Compared:
    """The words of a text, and, once another text may be like it, its runs of words."""

    def __init__(self, text: str) -> None:
        self._all = words_compared(text)
        self._distinct = frozenset(self._all)

    @cached_property
    def _shingles(self) -> frozenset[tuple[str, ...]]:
        return shingles_of(self._all)

    def is_like(self, other: _Compared) -> bool:
        """Tell whether two texts are near-duplicates.

        Their words tell most that are not, at a fifth of the cost: a word that stands in one of them only is in a run
        that stands there only, and a run has no more than four words. Of near-duplicates at most a tenth of all runs
        of both stand in one only, and all runs are at most ten ninths of those of either.
        """
        fewest = min(len(self._all), len(other._all))
        if 9 * len(self._distinct ^ other._distinct) > SHINGLE_WORDS * fewest:
            return False
        return are_alike(self._shingles, other._shingles)


def words_compared(text: str) -> list[str]:
    """Return the words of a text in their order; none for one that is too short to compare."""
    text = text[:_CHARACTERS]
    words = text.split()  # a tenth of the time of words_of; what it finds alike, is
    if len(words) * _LONGEST_MEAN < len(text):
        words = words_of(text)
    return words if len(words) >= FEWEST_WORDS else []


def shingles_of(words: list[str]) -> frozenset[tuple[str, ...]]:
    """Return the runs of four words."""
    return frozenset(zip(*(words[start:] for start in range(SHINGLE_WORDS)), strict=False))


def are_alike(first: frozenset[tuple[str, ...]], second: frozenset[tuple[str, ...]]) -> bool:
    """Tell whether two texts are near-duplicates."""
    return bool(first) and len(first & second) >= NEAR_DUPLICATE * len(first | second)
