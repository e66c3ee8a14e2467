"""Which words of the index a wildcard or a fuzzy word stands for.

The words of a segment are asked all at once: the core compares those of about the length and with the letters that are
asked for. That takes about a millisecond for 200,000 words; those that begin with some letters stand together, and take
no look at others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from archiver.notices import Notice
from indexer.core.forms import NO_WORD
from indexer.search.deadline import Deadline
from indexer.search.lexicon import Lexicon, numbers_of
from indexer.search.nodes import Fuzzy, Leaf, Node, Wildcard, all_leaves
from indexer.store.segment import Segment

MAX_EXPANSIONS = 1000  # words that all wildcards and fuzzy words of a query stand for together
ANY_WORD = "*"
_LEAST = (256, 16, 0)  # versions that hold the words that are looked at, until there are enough


@dataclass(slots=True)
class Expansions:
    """For each wildcard and fuzzy word the words it stands for, with a factor for their weight.

    rows: by segment the index there of each word of a leaf, in the order of `words`; NO_WORD where it is not there.
    """

    words: dict[Wildcard | Fuzzy, dict[str, float]]
    rows: dict[tuple[str, int], dict[Segment, list[int]]] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    is_whole: bool = True  # False when the time was up before all words were looked at

    def rows_of(self, leaf: Wildcard | Fuzzy, segment: Segment) -> list[int]:
        """Return the index in a segment of each word of a leaf, in the order of `words`; NO_WORD: it is not there."""
        return self.rows[_bare(leaf)][segment]


def expand(
    tree: Node, segments: Iterable[Segment], deadline: Deadline, *, limit: int = MAX_EXPANSIONS
) -> Expansions:
    """Return what the wildcards and fuzzy words of a tree stand for in these segments.

    More than `limit` words in all are not taken: each leaf gets its share, of a wildcard's words those that most
    versions of a segment hold, of a fuzzy word's the nearest and then those; a notice says so.
    """
    wide = wide_leaves(tree)
    found = Expansions({})
    if not wide:
        return found
    segments = list(segments)
    share = max(1, limit // len({_bare(leaf) for leaf in wide}))
    known: dict[tuple[str, int], dict[str, float]] = {}
    notices: list[str] = []
    for leaf in wide:
        bare = _bare(leaf)
        if bare not in known:
            edits_of: dict[str, int] = {}
            if isinstance(leaf, Wildcard):
                given = [_words_fitting(leaf.pattern, segment, share, deadline) for segment in segments]
            else:
                given = _words_alike(leaf, segments, share, deadline)
            for words, is_whole in given:
                found.is_whole &= is_whole
                edits_of.update(words)
            listed = list(edits_of)
            numbers = numbers_of(listed, segments)
            held = _holdings(numbers, segments).tolist()
            order = sorted(
                range(len(listed)), key=lambda place: (edits_of[listed[place]], -held[place], listed[place])
            )
            if len(listed) > share:
                shown = leaf.pattern if isinstance(leaf, Wildcard) else f"{leaf.text}~{leaf.edits}"
                notices.append(
                    Notice(
                        "%(word)s stands for more than %(count)s words; the most frequent are looked for",
                        word=shown,
                        count=share,
                    )
                )
            order = order[:share]
            known[bare] = {listed[place]: 0.5 ** edits_of[listed[place]] for place in order}
            found.rows[bare] = {
                segment: row[order].tolist() for segment, row in zip(segments, numbers, strict=True)
            }
        found.words[leaf] = known[bare]
    found.notices = tuple(notices)
    return found


NOT_WIDE = Expansions({})  # of a tree without such leaves


def wide_leaves(tree: Node) -> tuple[Wildcard | Fuzzy, ...]:
    """Return the leaves that stand for several words."""
    return wide_among(all_leaves(tree))


def wide_among(leaves: Iterable[Leaf]) -> tuple[Wildcard | Fuzzy, ...]:
    """Return those of some leaves that stand for several words."""
    return tuple(
        [
            leaf
            for leaf in leaves
            if isinstance(leaf, Fuzzy) or (isinstance(leaf, Wildcard) and leaf.pattern != ANY_WORD)
        ]
    )


def _holdings(numbers: NDArray[np.uint32], segments: Sequence[Segment]) -> NDArray[np.int64]:
    """Return how many versions hold each word in all segments, also where it was not among the most frequent."""
    versions = np.zeros(numbers.shape[1], dtype=np.int64)
    for segment, rows in zip(segments, numbers, strict=True):
        is_there = rows != NO_WORD
        versions[is_there] += Lexicon.of(segment).held[rows[is_there]]
    return versions


def _bare(leaf: Wildcard | Fuzzy) -> tuple[str, int]:
    return (leaf.pattern, 0) if isinstance(leaf, Wildcard) else (leaf.text, leaf.edits)


# (word, edits) for words of a segment; whether the time allowed to look at all
_Listed = tuple[list[tuple[str, int]], bool]


def _words_fitting(pattern: str, segment: Segment, most: int, deadline: Deadline) -> _Listed:
    """Return words that a wildcard stands for, the most frequent first: at most one more than `most`."""
    if deadline.is_over():
        return [], False
    lexicon = Lexicon.of(segment)
    for least in _LEAST:  # of a pattern that many words fit few have to be looked at
        rows = lexicon.fitting(pattern, least=least)
        if len(rows) > most:
            break
    # no segment has more than 65,536 versions, and two bytes are sorted in a tenth of the time
    order = np.argsort((65_536 - lexicon.held[rows]).astype(np.uint16), kind="stable")
    return [(word, 0) for word in _spelled(segment, rows[order[: most + 1]].tolist())], True


def _words_alike(leaf: Fuzzy, segments: Sequence[Segment], most: int, deadline: Deadline) -> list[_Listed]:
    """Return for each segment the words that a fuzzy word stands for; of many those that may be among the best `most`.

    Best are the nearest, and of those that are as near the ones that most versions hold. What is left out leaves more
    than `most`.
    """
    near, counts = [], []
    for segment in segments:
        rows, edits = Lexicon.of(segment).near(leaf.text, leaf.edits)
        near.append((rows, edits))
        counts.append(Lexicon.of(segment).held[rows].astype(np.int64))
        if deadline.is_over():
            return [([], False)] * len(segments)
    # so many changes are enough for some segment alone, and so many versions in one of the segments
    enough = min((np.partition(edits, most)[most] for _, edits in near if len(edits) > most), default=255)
    least = 0
    for (_, edits), held in zip(near, counts, strict=True):
        as_near = held[edits == enough]
        if len(as_near) > most:
            least = max(least, int(np.partition(as_near, -most - 1)[-most - 1]))
    found: list[_Listed] = []
    for segment, (rows, edits), held in zip(segments, near, counts, strict=True):
        kept = (edits < enough) | ((edits == enough) & (held * len(segments) >= least))
        words = _spelled(segment, rows[kept].tolist())
        found.append((list(zip(words, edits[kept].tolist(), strict=True)), True))
    return found


def _spelled(segment: Segment, rows: list[int]) -> list[str]:
    """Return some words of a segment by their indexes."""
    begins, ends, data = Lexicon.of(segment).word_bytes()
    letters = data.data
    return [
        str(letters[a:b], "utf-8", "replace")
        for a, b in zip(begins[rows].tolist(), ends[rows].tolist(), strict=True)
    ]


class Pattern:
    """Compares words with a pattern from left to right, each piece at its first place.

    It never goes back, so that many stars take no longer than one.
    """

    def __init__(self, pattern: str) -> None:
        parts = pattern.split("*")
        pieces = [re.compile(re.escape(part).replace(r"\?", "."), re.DOTALL) for part in parts]
        self._first, self._middle, self._last = pieces[0], pieces[1:-1], pieces[-1]
        self._last_length = len(parts[-1])
        self._has_star = len(parts) > 1

    def fits(self, word: str) -> bool:
        """Tell whether a word fits."""
        if not self._has_star:
            return self._first.fullmatch(word) is not None
        found = self._first.match(word)
        end = len(word) - self._last_length
        for piece in self._middle:
            found = found and piece.search(word, found.end(), max(end, 0))
        return found is not None and found.end() <= end and self._last.fullmatch(word, end) is not None
