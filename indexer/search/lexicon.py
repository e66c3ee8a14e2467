"""The words of a segment, to be asked all at once: which begin with some letters, which are spelled nearly alike.

What this needs beside the dictionary is made when first asked for, about 33 bytes a word, and goes with the segment.
It lies in a file without a name, not in memory: a million pages have five million words in their segments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.core.forms import Dictionaries, numbers_in
from indexer.core.queries import DamagedError, add_holding
from indexer.core.spelled import ByLength, Spelled, by_length
from indexer.search.prepared import Prepared
from indexer.store.scratch import in_scratch_file
from indexer.store.segment import Segment, damage
from indexer.store.snapshot import LiveSegment, Snapshot

_START = 4  # bytes that words are ordered by
_OFTEN = 16  # versions that hold a word
# Words of each segment that are counted for each of the most frequent ones: one may have others than the next.
_LOOKED_AT = 4


@dataclass(slots=True)
class Lexicon:
    """lengths: of each word in code points; letters: a bit for each letter.

    begins: where each word begins among the bytes of all, and last how many these are. held: how many versions hold
    each word, removed ones too.
    """

    segment: Segment
    lengths: NDArray[np.uint8]
    letters: NDArray[np.uint32]
    begins: NDArray[np.int64]
    held: NDArray[np.uint32]

    @classmethod
    def of(cls, segment: Segment) -> Lexicon:
        """Return the lexicon of a segment."""
        return segment.derived.once("lexicon", lambda: cls._made(segment))

    @classmethod
    def _made(cls, segment: Segment) -> Lexicon:
        first, data = segment.word_bytes()
        if not len(first):
            nothing = np.zeros(0, dtype=np.uint32)
            return cls(
                segment,
                nothing.astype(np.uint8),
                nothing,
                np.zeros(1, dtype=np.int64),
                nothing,
            )
        is_inner = (data & 0xC0) == 0x80
        bits = _BIT_OF_BYTE[data]
        bits[:-1][is_inner[1:]] = 0  # a character gives one bit: that of its last byte
        begins = np.append(first, len(data))
        lengths = np.add.reduceat(~is_inner, first, dtype=np.uint8)
        letters = np.bitwise_or.reduceat(bits, first)
        held = segment.all_pair_counts().astype(np.uint32)
        return cls(segment, *in_scratch_file(lengths, letters, begins, held))

    def word_bytes(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
        """Return (begins, ends, bytes): the words one behind the other in UTF-8, and where each begins and ends."""
        return self.begins[:-1], self.begins[1:], self.segment.all_words()

    def _by_start(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Return (order, starts): the words by their first bytes, and these; put in order when first asked for."""
        return self.segment.derived.once("words by start", self._put_in_order)

    def _put_in_order(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        first, sizes = self.begins[:-1], np.diff(self.begins)
        padded = np.append(self.segment.all_words(), np.zeros(_START, dtype=np.uint8))
        starts = np.zeros(len(first), dtype=np.uint32)
        for place in range(_START):
            starts = starts << np.uint32(8) | np.where(sizes > place, padded[first + place], 0).astype(
                np.uint32
            )
        # numbers of two bytes are put in order in a fraction of the time
        order = np.argsort(starts.astype(np.uint16), kind="stable")
        order = order[np.argsort((starts >> np.uint32(16)).astype(np.uint16)[order], kind="stable")]
        by_start, starts = in_scratch_file(order.astype(np.uint32), starts[order])
        return by_start, starts

    def beginning(self, letters: str) -> NDArray[np.int64]:
        """Return the indexes of the words that begin with some letters, at least one, in no order."""
        wanted = letters.encode("utf-8", "replace")
        low = int.from_bytes(wanted[:_START].ljust(_START, b"\0"), "big")
        high = int.from_bytes(wanted[:_START].ljust(_START, b"\xff"), "big")
        order, starts = self._by_start()
        a = int(np.searchsorted(starts, np.uint32(low)))
        b = int(np.searchsorted(starts, np.uint32(high), side="right"))
        rows = order[a:b].astype(np.int64)
        first, ends, data = self.word_bytes()
        rows = rows[ends[rows] - first[rows] >= len(wanted)]
        for place in range(_START, len(wanted)):
            rows = rows[data[first[rows] + place] == wanted[place]]
        return rows

    def near(self, word: str, edits: int, *, least: int = 0) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return (indexes, changes) of the words at most `edits` changes away that `least` versions hold, in no order.

        A change is a letter added, left out or replaced, or two neighbours swapped.
        """
        return self._spelled().near(self._by_length(), word, edits, letters_of(word), least)

    def _by_length(self) -> ByLength:
        """Return the words by length, those first that most versions hold; put in order when first asked for."""
        return self.segment.derived.once(
            "words by length",
            lambda: ByLength(*in_scratch_file(*by_length(self.lengths, self.letters, self.held).arrays)),
        )

    def fitting(self, pattern: str, *, least: int = 0) -> NDArray[np.int64]:
        """Return the indexes of the words that fit a wildcard and that `least` versions hold; rising."""
        head = pattern[:-1]
        if head and pattern[-1] == "*" and not {"*", "?"}.intersection(head):  # these stand together
            rows = self.beginning(head)
            return np.sort(rows[self.held[rows] >= least])
        letters = letters_of(pattern.replace("*", "").replace("?", ""))
        among = self._often() if least >= _OFTEN else None
        return self._spelled().fitting(pattern, letters, least, among)

    def _often(self) -> NDArray[np.uint32]:
        """Return the indexes of the words that many versions hold: a small part of all."""
        return self.segment.derived.once(
            "frequent words", lambda: np.flatnonzero(self.held >= _OFTEN).astype(np.uint32)
        )

    def _spelled(self) -> Spelled:
        return self.segment.derived.once(
            "words as spelled",
            lambda: Spelled(self.segment.all_words(), self.begins, self.lengths, self.letters, self.held),
        )

    def alike(self, word: str, edits: int, *, least: int = 1) -> list[tuple[int, str, int]]:
        """Return (index, word, changes) of the words at most `edits` changes away that `least` versions hold."""
        near, changes = self.near(word, edits, least=least)
        return [
            (row, self.segment.word_at(row), changed)
            for row, changed in zip(near.tolist(), changes.tolist(), strict=True)
        ]


_BIT_OF_BYTE = np.uint32(1) << (np.arange(256) & 31).astype(np.uint32)


def letters_of(text: str) -> int:
    """Return the bits of the letters of a text."""
    # each character gives one bit: that of its last byte
    last = text.encode() if text.isascii() else [one.encode("utf-8", "replace")[-1] for one in text]
    letters = 0
    for byte in set(last):
        letters |= 1 << (byte & 31)
    return letters


def numbers_of(words: Sequence[str], segments: Sequence[Segment]) -> NDArray[np.uint32]:
    """Return by segment the index of each word, NO_WORD where it is not there. Raises IndexCorruptError."""
    if not words or not segments:
        return np.zeros((len(segments), len(words)), dtype=np.uint32)
    return _numbers_in(_dictionaries(segments), words, segments)


def _dictionaries(segments: Sequence[Segment]) -> Dictionaries:
    return Dictionaries([segment.derived.once("dictionary", segment.dictionary) for segment in segments])


def _numbers_in(
    dictionaries: Dictionaries, words: Sequence[str], segments: Sequence[Segment]
) -> NDArray[np.uint32]:
    try:
        return numbers_in(dictionaries, words)
    except DamagedError as error:
        raise damage(segments[2 * error.place + error.layer].path, error) from error


def frequent_words(snapshot: Snapshot, limit: int) -> list[str]:
    """Return the words that most versions hold, removed ones too, by falling number; of many segments nearly those."""
    held: Counter[str] = Counter()
    for live in snapshot.segments:
        counts = Lexicon.of(live.segment).held
        most = _LOOKED_AT * limit
        rows = np.argpartition(counts, -most)[-most:] if len(counts) > most else np.arange(len(counts))
        for row in rows.tolist():
            held[live.segment.word_at(row)] += int(counts[row])
    return sorted(held, key=lambda word: (-held[word], word))[:limit]


def holdings(snapshot: Snapshot, words: Sequence[str]) -> NDArray[np.int64]:
    """Return how many versions hold each word, removed ones too."""
    held = np.zeros(len(words), dtype=np.int64)
    if not words or not snapshot.segments:
        return held
    segments = [live.segment for live in snapshot.segments]
    dictionaries = snapshot.derived.once("dictionaries of pages", lambda: _dictionaries(segments))
    numbers = _numbers_in(dictionaries, words, segments)
    prepared = Prepared.of(snapshot)
    for (segment, *_), live, rows in zip(prepared.layers, snapshot.segments, numbers, strict=True):
        try:
            add_holding(segment, rows, held)
        except DamagedError as error:
            raise damage(live.segment.path, error) from error
    return held


def live_holding(live: LiveSegment, row: int) -> int:
    """Return how many versions of a segment that were not removed hold the word at an index."""
    postings = live.segment.postings(row)
    return postings.count if live.alive is None else int(live.alive[postings.ordinals].sum())
