"""Near-duplicates among the hits shown together: the first stands for those like it.

Two pages are near-duplicates when their sets of runs of four words have a Jaccard coefficient of at least 0.9, as in
indexer.text.sketch. A sketch for each version would cost 512 bytes beside 1.8 kB of index; pages that are that much
alike also are about equally long, and of the few hits of one length the texts are at hand for their snippets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from indexer.core.passages import WordRuns
from indexer.core.tokens import encoded
from indexer.text.analysis import words_of
from indexer.text.sketch import FEWEST_WORDS, NEAR_DUPLICATE

_CHARACTERS = 8_000  # of a text that are compared
_LONGEST_MEAN = 20  # longer words on average: a script without spaces, or no text at all


def fold(sizes: Sequence[int], text_of: Callable[[int], bytes]) -> list[int]:
    """Return for each hit the place of the hit that stands for it: its own, or that of an earlier near-duplicate.

    sizes: words of each hit's version. text_of: gives the text of the hit at a place; asked only where two hits are
    about equally long.
    """
    compared: dict[int, WordRuns] = {}

    def at(place: int) -> WordRuns:
        if place not in compared:
            compared[place] = runs_of(text_of(place))
        return compared[place]

    stands_for: list[int] = []
    kept: list[int] = []
    for place, size in enumerate(sizes):
        for other in kept:
            least, most = sorted((size, sizes[other]))
            if least >= NEAR_DUPLICATE * most and are_alike(at(other), at(place)):
                stands_for.append(other)
                break
        else:
            stands_for.append(place)
            kept.append(place)
    return stands_for


def runs_of(text: bytes) -> WordRuns:
    """Return the runs of four words of a text in UTF-8."""
    start = text[:_CHARACTERS]
    characters = len(start)
    if not start.isascii():
        decoded = text[: 4 * _CHARACTERS].decode("utf-8", "ignore")[:_CHARACTERS]
        start, characters = encoded(decoded), len(decoded)
    runs = WordRuns(start)  # a tenth of the time of words_of; what it finds alike, is
    if runs.word_count * _LONGEST_MEAN < characters:
        runs = WordRuns(encoded(" ".join(words_of(start.decode()))))
    return runs


def are_alike(first: WordRuns, second: WordRuns) -> bool:
    """Tell whether two texts are near-duplicates; one that is too short to compare is like no other."""
    if min(first.word_count, second.word_count) < FEWEST_WORDS:
        return False
    both = first.run_count + second.run_count
    common = min(first.run_count, second.run_count)  # at most
    if common >= NEAR_DUPLICATE * (both - common):
        common = first.common(second)
    return common >= NEAR_DUPLICATE * (both - common)
