"""Near-duplicates among the hits shown together: the first stands for those like it.

Two pages are near-duplicates when their sets of runs of four words have a Jaccard coefficient of at least 0.9, as in
indexer.text.sketch. A sketch for each version would cost 512 bytes beside 1.8 kB of index; pages that are that much
alike also are about equally long, and of the few hits of one length the texts are at hand for their snippets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from indexer.core.alike import Likeness, fold_alike
from indexer.text.sketch import FEWEST_WORDS, NEAR_DUPLICATE

_CHARACTERS = 8_000  # of a text that are compared
_LONGEST_MEAN = 20  # longer words on average: a script without spaces, or no text at all
_LIKENESS = Likeness(NEAR_DUPLICATE, FEWEST_WORDS, _CHARACTERS, _LONGEST_MEAN)


def fold(sizes: Sequence[int], text_of: Callable[[int], bytes]) -> list[int]:
    """Return for each hit the place of the hit that stands for it: its own, or that of an earlier near-duplicate.

    sizes: words of each hit's version. text_of: gives the text of the hit at a place; asked only where two hits are
    about equally long.
    """
    by_size = sorted(range(len(sizes)), key=sizes.__getitem__)
    compared = set[int]()
    for least, most in zip(by_size, by_size[1:], strict=False):
        if sizes[least] >= NEAR_DUPLICATE * sizes[most]:
            compared |= {least, most}
    if not compared:
        return list(range(len(sizes)))
    # of many hits no more is kept than is looked at: a character takes at most four bytes
    texts = [text_of(place)[: 4 * _CHARACTERS] if place in compared else b"" for place in range(len(sizes))]
    return fold_alike(texts, sizes, _LIKENESS)
