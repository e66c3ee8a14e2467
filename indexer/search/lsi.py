"""Latent semantic indexing: words near in meaning to those of a query, learned from a sample of this archive's pages.

A matrix of log-entropy weights, words by pages, is cut down to its strongest directions (truncated singular value
decomposition, through scipy, the optional extra "lsi"); two words are near when the same pages, or pages about the
same, hold them. Source: Deerwester and others, "Indexing by latent semantic analysis" (1990).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from archiver.notices import Notice
from indexer.search.searcher import stop_words
from indexer.search.widening import AddedWord, Widening
from indexer.store.segment import Segment
from indexer.store.snapshot import Snapshot
from indexer.text.languages import is_stemmable, stem_words

SEED = 1990  # of the sample: the same index gives the same words
_LEAST_PAGES, _MOST_SHARE = (
    3,
    0.3,
)  # of the sample that hold a word; a rarer one has no company, a more frequent no meaning
_MOST_WORDS = 20_000
_PAIRS_AT_ONCE = 2_000_000
_NEAR = 0.4  # cosine from which words count as near
NO_SCIPY = Notice("latent semantic indexing needs scipy: pip install 'findingaid[lsi]'")


@dataclass(slots=True)
class NearWords:
    """The words of the sample as points, a row of length 1 for each."""

    words: list[str]
    place: dict[str, int]
    points: NDArray[np.float64]

    def near(self, asked: list[str], options: Widening) -> list[AddedWord]:
        """Return the words nearest to the middle of some words, the nearest first; none when no word is known."""
        known = [self.place[word] for word in dict.fromkeys(asked) if word in self.place]
        if not known:
            return []
        middle = self.points[known].sum(axis=0)
        length = float(np.sqrt(middle @ middle))
        if not length:
            return []
        cosine = self.points @ (middle / length)
        stems = set(stem_words("en", [word for word in asked if is_stemmable(word)])) | set(asked)
        added: list[AddedWord] = []
        for row in np.argsort(-cosine, kind="stable").tolist():
            if len(added) >= options.lsi_words or cosine[row] < _NEAR:
                break
            word = self.words[row]
            (stem,) = stem_words("en", [word]) if is_stemmable(word) else (word,)
            if stem not in stems and word not in stems:
                stems.add(stem)
                added.append(AddedWord(word, round(options.lsi_weight * float(cosine[row]), 4), "lsi"))
        return added


def learn(snapshot: Snapshot, options: Widening) -> NearWords:
    """Return what a sample of the live versions teaches. Raises LookupError when scipy is not there.

    Takes about a second for 2,000 pages, and memory for the pairs of word and version of one segment's range of words.
    """
    try:
        from scipy.sparse import csr_array
        from scipy.sparse.linalg import svds
    except ImportError as error:
        raise LookupError(NO_SCIPY) from error
    words, rows, columns, counts, pages = _sampled(snapshot, options.lsi_pages)
    dimensions = min(options.lsi_dimensions, len(words) - 1, pages - 1)
    if dimensions < 1:
        return NearWords([], {}, np.zeros((0, 1)))
    local = np.log1p(counts)
    total = np.bincount(rows, counts, minlength=len(words))
    share = counts / total[rows]
    entropy = 1 + np.bincount(rows, share * np.log(share), minlength=len(words)) / math.log(max(pages, 2))
    matrix = csr_array((local * entropy[rows], (rows, columns)), shape=(len(words), pages))
    start = np.random.default_rng(SEED).standard_normal(min(matrix.shape))
    left, strength, _ = svds(matrix, k=dimensions, v0=start)
    points = left * strength
    lengths = np.sqrt((points * points).sum(axis=1, keepdims=True))
    points = np.divide(points, lengths, out=np.zeros_like(points), where=lengths > 1e-12)
    return NearWords(words, {word: row for row, word in enumerate(words)}, points)


def _sampled(
    snapshot: Snapshot, most: int
) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], int]:
    """Return (words, word of each pair, page of each pair, occurrences of each pair, pages) of a sample of versions."""
    alive = [
        np.arange(len(live.segment)) if live.alive is None else np.flatnonzero(live.alive)
        for live in snapshot.segments
    ]
    everything = sum(map(len, alive))
    chosen = np.sort(np.random.default_rng(SEED).permutation(everything)[:most])
    stops = stop_words(snapshot)
    number: dict[str, int] = {}
    found: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []
    before = pages = 0
    for live, here in zip(snapshot.segments, alive, strict=True):
        mine = here[chosen[(chosen >= before) & (chosen < before + len(here))] - before]
        place = np.full(len(live.segment), -1, dtype=np.int64)
        place[mine] = np.arange(pages, pages + len(mine))
        found += _pairs(live.segment, place, number)
        before, pages = before + len(here), pages + len(mine)
    if not found:
        nothing = np.zeros(0, dtype=np.int64)
        return [], nothing, nothing, np.zeros(0), pages
    rows, columns, counts = (np.concatenate(part) for part in zip(*found, strict=True))
    held = np.bincount(rows, minlength=len(number))
    names = list(number)
    kept = [
        row
        for row in np.flatnonzero(
            (held >= _LEAST_PAGES) & (held <= max(_MOST_SHARE * pages, _LEAST_PAGES))
        ).tolist()
        if len(names[row]) > 1 and names[row] not in stops and not names[row].isdigit()
    ]
    kept = sorted(sorted(kept, key=lambda row: (-int(held[row]), names[row]))[:_MOST_WORDS])
    new = np.full(len(names), -1, dtype=np.int64)
    new[kept] = np.arange(len(kept))
    inside = new[rows] >= 0
    return (
        [names[row] for row in kept],
        new[rows[inside]],
        columns[inside],
        counts[inside].astype(np.float64),
        pages,
    )


def _pairs(
    segment: Segment, place: NDArray[np.int64], number: dict[str, int]
) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Return (word, page, occurrences) columns of the chosen versions of a segment, and number words as they come."""
    totals = segment.shape_table.sum(axis=1, dtype=np.int64)
    found = []
    for first, last in segment.word_ranges(_PAIRS_AT_ONCE):
        pairs = segment.pairs_of(first, last)
        page = place[pairs.ordinals]
        inside = np.flatnonzero(page >= 0)
        local = np.repeat(np.arange(last - first), pairs.counts)[inside]
        often = np.bincount(local, minlength=last - first) > 0
        renamed = np.zeros(last - first, dtype=np.int64)
        for row in np.flatnonzero(often).tolist():
            renamed[row] = number.setdefault(segment.word_at(first + row), len(number))
        found.append((renamed[local], page[inside], totals[pairs.shapes[inside]]))
    return found
