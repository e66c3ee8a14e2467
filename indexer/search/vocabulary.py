"""Which words of the index a wildcard or a fuzzy word stands for.

The words of a segment are asked all at once: a wildcard looks for its longest letters in the bytes of the
dictionary, a fuzzy word has all words of about its length and letters compared by the core. Both take about a
millisecond for 200,000 words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from archiver.notices import Notice
from indexer.search.deadline import Deadline
from indexer.search.lexicon import Lexicon, letters_of
from indexer.search.nodes import Fuzzy, Node, Wildcard, all_leaves
from indexer.store.segment import Segment

MAX_EXPANSIONS = 1000  # words that all wildcards and fuzzy words of a query stand for together
ANY_WORD = "*"


@dataclass(frozen=True, slots=True)
class Rows:
    """Indexes in a segment of words that a leaf stands for, -1 for those it does not hold.

    is_all: whether no other word of the segment is one.
    """

    known: dict[str, int]
    is_all: bool

    def of(self, words: Sequence[str], segment: Segment) -> NDArray[np.int64]:
        """Return the indexes of some words that the leaf stands for, -1 for those the segment does not hold."""
        if not self.is_all:
            missing = [word for word in words if word not in self.known]
            self.known.update(zip(missing, segment.find_words(missing).tolist(), strict=True))
        return np.array([self.known.get(word, -1) for word in words], dtype=np.int64)


@dataclass(slots=True)
class Expansions:
    """For each wildcard and fuzzy word the words it stands for, with a factor for their weight."""

    words: dict[Wildcard | Fuzzy, dict[str, float]]
    rows: dict[tuple[str, int, Segment], Rows] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    is_whole: bool = True  # False when the time was up before all words were looked at

    def rows_of(self, leaf: Wildcard | Fuzzy, segment: Segment) -> NDArray[np.int64]:
        """Return the index in a segment of each word of a leaf, in the order of `words`; -1 where it is not there."""
        words = list(self.words[leaf])
        known = self.rows.get((*_bare(leaf), segment))
        return known.of(words, segment) if known is not None else segment.find_words(words)


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
            ranked: dict[str, tuple[int, int]] = {}  # word -> (edits, versions)
            if isinstance(leaf, Wildcard):
                given = [_words_fitting(leaf.pattern, segment, share, deadline) for segment in segments]
            else:
                given = _words_alike(leaf, segments, share, deadline)
            for segment, (words, is_whole, is_all) in zip(segments, given, strict=True):
                found.is_whole &= is_whole
                found.rows[*bare, segment] = Rows({word: row for word, _, _, row in words}, is_all)
                for word, edits, versions, _ in words:
                    ranked[word] = (edits, versions + ranked.get(word, (0, 0))[1])
            if len(ranked) > share:
                _count_everywhere(ranked, {segment: found.rows[*bare, segment] for segment in segments})
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


NOT_WIDE = Expansions({})  # of a tree without such leaves


def wide_leaves(tree: Node) -> tuple[Wildcard | Fuzzy, ...]:
    """Return the leaves that stand for several words."""
    return tuple(
        leaf
        for leaf in all_leaves(tree)
        if isinstance(leaf, Fuzzy) or (isinstance(leaf, Wildcard) and leaf.pattern != ANY_WORD)
    )


def _count_everywhere(ranked: dict[str, tuple[int, int]], listed: dict[Segment, Rows]) -> None:
    """Count the versions that hold each word in all segments, also where it was not among the most frequent."""
    words = list(ranked)
    versions = np.zeros(len(words), dtype=np.int64)
    for segment, known in listed.items():
        rows = known.of(words, segment)
        versions[rows >= 0] += segment.pair_counts(rows[rows >= 0])
    for word, held in zip(words, versions.tolist(), strict=True):
        ranked[word] = (ranked[word][0], held)


def _bare(leaf: Wildcard | Fuzzy) -> tuple[str, int]:
    return (leaf.pattern, 0) if isinstance(leaf, Wildcard) else (leaf.text, leaf.edits)


# (word, edits, versions that hold it, index) for words of a segment; whether the time allowed to look at all; whether
# no other word of the segment is meant
_Listed = tuple[list[tuple[str, int, int, int]], bool, bool]


def _words_fitting(pattern: str, segment: Segment, most: int, deadline: Deadline) -> _Listed:
    """Return words that a wildcard stands for, the most frequent first: at most one more than `most`."""
    if deadline.is_over():
        return [], False, False
    rows, fits = _candidates(pattern, segment)
    versions = segment.pair_counts(rows)
    # no segment has more than 65,536 versions, and two bytes are sorted in a tenth of the time
    order = np.argsort((65_536 - versions).astype(np.uint16), kind="stable")
    found: list[tuple[str, int, int, int]] = []
    for start in range(0, len(rows), _LOOKED_AT_ONCE):
        if deadline.is_over():
            return found, False, False
        some = order[start : start + _LOOKED_AT_ONCE]
        held, places = versions[some].tolist(), rows[some].tolist()
        found += [
            (word, 0, count, place)
            for word, count, place in zip(_spelled(segment, places), held, places, strict=True)
            if fits is None or fits(word)
        ]
        if len(found) > most:
            return found[: most + 1], True, False
    return found, True, True


def _words_alike(leaf: Fuzzy, segments: Sequence[Segment], most: int, deadline: Deadline) -> list[_Listed]:
    """Return for each segment the words that a fuzzy word stands for; of many those that may be among the best `most`.

    Best are the nearest, and of those that are as near the ones that most versions hold. What is left out leaves more
    than `most`.
    """
    near, counts = [], []
    for segment in segments:
        rows, edits = Lexicon.of(segment).near(leaf.text, leaf.edits)
        near.append((rows, edits))
        counts.append(segment.pair_counts(rows))
        if deadline.is_over():
            return [([], False, False)] * len(segments)
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
        places = rows[kept].tolist()
        words = zip(_spelled(segment, places), edits[kept].tolist(), held[kept].tolist(), places, strict=True)
        found.append((list(words), True, len(places) == len(rows)))
    return found


def _spelled(segment: Segment, rows: list[int]) -> list[str]:
    """Return some words of a segment by their indexes."""
    begins, ends, data = Lexicon.of(segment).word_bytes()
    letters = data.data
    return [
        str(letters[a:b], "utf-8", "replace")
        for a, b in zip(begins[rows].tolist(), ends[rows].tolist(), strict=True)
    ]


_LOOKED_AT_ONCE = 500


# ---------------------------------------------------------------- wildcards


def _candidates(pattern: str, segment: Segment) -> tuple[NDArray[np.int64], Callable[[str], bool] | None]:
    """Return the indexes of the words that may fit a pattern, and how to tell which do; None when all of them do."""
    pieces = _WILD.split(pattern)
    first, last = pieces[0], pieces[-1]
    middle = [piece for piece in pieces[1:-1] if piece]
    shapes = Lexicon.of(segment)
    if first:
        rows = np.sort(shapes.beginning(first))
    elif len(longest := max(middle, key=len, default="").encode("utf-8", "replace")) > 1 and len(
        longest
    ) > len(last):
        rows = _holding(longest, segment)
    else:
        rows = np.arange(len(segment.word_ids))
    least = len(pattern.replace("*", ""))
    lengths = shapes.lengths[rows]
    rows = rows[(lengths >= least) if "*" in pattern else (lengths == least)]
    letters = letters_of("".join(pieces))
    rows = rows[(shapes.letters[rows] & letters) == letters]
    rows = _ending(last, rows, segment)
    if "?" not in pattern and len(pieces) == 2:
        return rows, None  # one star, before or behind it what was compared
    if "?" not in pattern and not first and not last and len(middle) == 1:
        return rows, lambda word: middle[0] in word
    return rows, Pattern(pattern).fits


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


def _holding(wanted: bytes, segment: Segment) -> NDArray[np.int64]:
    """Return the indexes of the words that hold these bytes, at least two; rising."""
    starts, _, data = Lexicon.of(segment).word_bytes()
    places = (data == wanted[0]).nonzero()[0]
    places = places[: places.searchsorted(len(data) - len(wanted), side="right")]
    for at, byte in enumerate(wanted[1:], 1):
        places = places[data.take(places + at) == byte]
    rows = starts.searchsorted(places, side="right") - 1
    # what reaches into the next word is no find
    inside = starts.searchsorted(places + (len(wanted) - 1), side="right") - 1 == rows
    return _distinct(rows[inside])


def _ending(letters: str, rows: NDArray[np.int64], segment: Segment) -> NDArray[np.int64]:
    """Return those of the words, given by their indexes, that end with these letters."""
    wanted = letters.encode("utf-8", "replace")
    if not wanted:
        return rows
    starts, ends, data = Lexicon.of(segment).word_bytes()
    rows = rows[ends[rows] - starts[rows] >= len(wanted)]
    for place, byte in enumerate(reversed(wanted), 1):
        rows = rows[data[ends[rows] - place] == byte]
    return rows


def _distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    # numpy.unique would import numpy.ma, which costs a cold search 70 ms
    ordered = np.sort(values)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered
