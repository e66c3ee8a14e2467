"""Which words of the index a wildcard or a fuzzy word stands for.

The words of a segment are asked all at once: a wildcard looks for its longest letters in the bytes of the
dictionary, a fuzzy word for words of about its length and with about its letters; what is left is compared
one by one. Both take about a millisecond for 200,000 words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA

from archiver.notices import Notice
from indexer.search.deadline import Deadline
from indexer.search.lexicon import Lexicon, letters_of
from indexer.search.nodes import Fuzzy, Node, Wildcard, all_leaves
from indexer.store.segment import Segment

MAX_EXPANSIONS = 1000  # words that all wildcards and fuzzy words of a query stand for together
ANY_WORD = "*"


@dataclass(slots=True)
class Expansions:
    """For each wildcard and fuzzy word the words it stands for, with a factor for their weight."""

    words: dict[Wildcard | Fuzzy, dict[str, float]]
    notices: tuple[str, ...] = ()
    is_whole: bool = True  # False when the time was up before all words were looked at


def expand(
    tree: Node, segments: Iterable[Segment], deadline: Deadline, *, limit: int = MAX_EXPANSIONS
) -> Expansions:
    """Return what the wildcards and fuzzy words of a tree stand for in these segments.

    More than `limit` words in all are not taken: each leaf gets its share, of a wildcard's words those that most
    versions of a segment hold, of a fuzzy word's the nearest and then those; a notice says so.
    """
    wide = [
        leaf
        for leaf in all_leaves(tree)
        if isinstance(leaf, Fuzzy) or (isinstance(leaf, Wildcard) and leaf.pattern != ANY_WORD)
    ]
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
            ranked: dict[str, tuple[int, int]] = {}  # word -> (edits, versions)
            for segment in segments:
                words, is_whole = _words_of_segment(leaf, segment, share, deadline)
                found.is_whole &= is_whole
                for word, edits, versions in words:
                    ranked[word] = (edits, versions + ranked.get(word, (0, 0))[1])
            if len(ranked) > share:
                _count_everywhere(ranked, segments)
            order = sorted(ranked, key=lambda word: (ranked[word][0], -ranked[word][1], word))
            if len(order) > share:
                shown = leaf.pattern if isinstance(leaf, Wildcard) else f"{leaf.text}~{leaf.edits}"
                notices.append(
                    Notice(
                        "%(word)s stands for more than %(count)s words; the most frequent are looked for",
                        word=shown,
                        count=share,
                    )
                )
            known[bare] = {word: 0.5 ** ranked[word][0] for word in order[:share]}
        found.words[leaf] = known[bare]
    found.notices = tuple(notices)
    return found


def _count_everywhere(ranked: dict[str, tuple[int, int]], segments: list[Segment]) -> None:
    """Count the versions that hold each word in all segments, also where it was not among the most frequent."""
    words = list(ranked)
    versions = np.zeros(len(words), dtype=np.int64)
    for segment in segments:
        rows = segment.find_words(words)
        versions[rows >= 0] += segment.pair_counts(rows[rows >= 0])
    for word, held in zip(words, versions.tolist(), strict=True):
        ranked[word] = (ranked[word][0], held)


def _bare(leaf: Wildcard | Fuzzy) -> tuple[str, int]:
    return (leaf.pattern, 0) if isinstance(leaf, Wildcard) else (leaf.text, leaf.edits)


def _words_of_segment(
    leaf: Wildcard | Fuzzy, segment: Segment, most: int, deadline: Deadline
) -> tuple[list[tuple[str, int, int]], bool]:
    """Return (word, edits, versions that hold it) for the words of a segment that a leaf stands for.

    Words are looked at from the most frequent on. Of a wildcard at most one more than `most` are given. The other
    value tells whether the time allowed to look at all.
    """
    if isinstance(leaf, Wildcard):
        rows, fits = _candidates(leaf.pattern, segment), Pattern(leaf.pattern).fits
    else:
        rows = Lexicon.of(segment).near(leaf.text, leaf.edits)
    versions = segment.pair_counts(rows)
    order = np.argsort(-versions, kind="stable")
    found: list[tuple[str, int, int]] = []
    for number, (row, held) in enumerate(zip(rows[order].tolist(), versions[order].tolist(), strict=True)):
        if number % _LOOKED_AT_ONCE == 0 and deadline.is_over():
            return found, False
        word = segment.word_at(row)
        if isinstance(leaf, Fuzzy):
            edits = OSA.distance(leaf.text, word, score_cutoff=leaf.edits)
            if edits <= leaf.edits:
                found.append((word, edits, held))
        elif fits(word):
            found.append((word, 0, held))
            if len(found) > most:
                break
    return found, True


_LOOKED_AT_ONCE = 1000


# ---------------------------------------------------------------- wildcards


def _candidates(pattern: str, segment: Segment) -> NDArray[np.int64]:
    """Return the indexes of the words that may fit a pattern."""
    pieces = _WILD.split(pattern)
    rows = _holding(max(pieces, key=len), segment)
    shapes = Lexicon.of(segment)
    least = len(pattern.replace("*", ""))
    lengths = shapes.lengths[rows]
    rows = rows[(lengths >= least) if "*" in pattern else (lengths == least)]
    letters = letters_of("".join(pieces))
    rows = rows[(shapes.letters[rows] & letters) == letters]
    return _beginning(pieces[0], rows, segment)


_WILD = re.compile(r"[*?]+")


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


def _holding(letters: str, segment: Segment) -> NDArray[np.int64]:
    """Return the indexes of the words that hold these letters one behind the other, and of few others; rising."""
    starts, data = segment.word_bytes()
    if not letters:
        return np.arange(len(starts))
    wanted = letters.encode("utf-8", "replace")
    places = np.asarray(
        [found.start() for found in re.finditer(re.escape(wanted), data.data)], dtype=np.int64
    )
    # a find may reach into the next word and hide one there that overlaps it: that word holds the find's last byte
    rows = np.searchsorted(starts, np.concatenate([places, places + len(wanted) - 1]), side="right") - 1
    return _distinct(rows)


def _beginning(letters: str, rows: NDArray[np.int64], segment: Segment) -> NDArray[np.int64]:
    """Return those of the words, given by their indexes, that begin with these letters."""
    starts, data = segment.word_bytes()
    ends = np.append(starts[1:], len(data))
    wanted = letters.encode("utf-8", "replace")
    rows = rows[ends[rows] - starts[rows] >= len(wanted)]
    for place, byte in enumerate(wanted):
        rows = rows[data[starts[rows] + place] == byte]
    return rows


def _distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    # numpy.unique would import numpy.ma, which costs a cold search 70 ms
    ordered = np.sort(values)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered
