"""A segment: a whole small index of up to 65,536 versions that never changes, mapped into memory.

segment_writer.py writes it; docs/index-format.md describes the bytes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from indexer.core import forms, queries
from indexer.store.arrayfile import ArrayFile, PlacedArray, string_at
from indexer.store.columns import KINDS, RANK_BLOCK, Occurrences, VersionColumns, word_id
from indexer.store.ends import Ends
from indexer.store.errors import IndexCorruptError
from indexer.store.postings import OTHER, RARE, decode_many_ordinals, decode_ordinals
from indexer.store.recent import Derived
from indexer.store.runs import RunReader, bit_widths
from indexer.text.languages import NO_NUMBER, NUMBERS

_READ_AT_ONCE = 1 << 17  # positions that are read at once to be merged


@dataclass(slots=True)
class Pairs:
    """The pairs of a range of words, list behind list.

    start: number of the first pair in the segment; list_starts, counts: where the list of each word begins
    in the columns, and its length; ordinals, shapes: a row for each pair.
    """

    start: int
    list_starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    ordinals: NDArray[np.int64]
    shapes: NDArray[np.int64]


@dataclass(slots=True)
class PostingList:
    """One word in one segment: pairs from `start` to `start + count`, ordinals rising."""

    word: int
    start: int
    count: int
    ordinals: NDArray[np.int64]


def damage(path: str, error: queries.DamagedError) -> IndexCorruptError:
    """Return the error of the index that stands for damage which the core found in a file."""
    return IndexCorruptError(
        f"{path}: the bytes of {error.array!r} do not fit their checksum, or do not mean anything;"
        " index the archives again with --rebuild"
    )


class Segment:
    """Reads a segment; safe from many threads, since nothing in it changes."""

    _PER_VERSION: tuple[str, ...] = ("document", "key", "lengths", "extent", "host", "language")

    def __init__(self, path: str) -> None:
        """Map the file. Raises IndexMissingError, IndexVersionError, IndexCorruptError."""
        self.file = file = ArrayFile(path, "segment")
        self.path = path
        self.size: int = file.meta["versions"]
        self.pairs: int = file.meta["pairs"]
        self.occurrences: int = file.meta["occurrences"]
        self.languages: list[str] = self._languages()
        self.length_ends = self._length_ends()
        self.word_ids = file.column("word_ids")
        self.ends = {f"{items}_ends": Ends(file, items) for items in ("word", "pair", "ordinal", "position")}
        self._word_ends, self._pair_ends = self.ends["word_ends"], self.ends["pair_ends"]
        self._words, self._ordinals = file.column("words"), file.column("ordinals")
        self.shapes = file.column("shapes")
        self._other_shapes, self._rare_shapes = file.column("other_shapes"), file.column("rare_shapes")
        self._shape_ranks = file.column("shape_ranks")
        self._check_sizes()
        self._facts: tuple[NDArray[np.uint8], NDArray[np.uint8]] | None = None
        self.derived = Derived()  # what searches work out of this segment

    def _check_sizes(self) -> None:
        rows, words = self.file.rows, self.file.meta["words"]
        if (
            rows("word_ids") != words
            or any(len(ends) != words for ends in self.ends.values())
            or any(rows(name) != self.size for name in self._PER_VERSION)
            or rows("shapes") != (self.pairs + 1) // 2
            or self.file.shape("shape_ranks") != (self.pairs // RANK_BLOCK + 1, 2)
            or self.file.shape("lengths")[1:] != (self.length_ends[-1],)
            or self.file.shape("shape_table")[1:] != (KINDS,)
        ):
            raise IndexCorruptError(
                f"{self.path}: its arrays are not as long as {words} words, {self.pairs} pairs and {self.size}"
                " versions ask for; index the archives again with --rebuild"
            )

    # Columns of the versions: as a whole, verified when they are first asked for.

    @cached_property
    def document(self) -> NDArray[np.uint32]:
        return self.file.array("document")

    @cached_property
    def key(self) -> NDArray[np.uint64]:
        return self.file.array("key")

    @property
    def lengths(self) -> NDArray[np.uint32]:
        """Occurrences by element, shape (versions, KINDS), made anew each time."""
        return self._unpacked(self._packed_lengths)

    def lengths_of(self, ordinals: NDArray[np.integer]) -> NDArray[np.uint32]:
        """Return the rows of `lengths` of some versions."""
        return self._unpacked(self._packed_lengths[ordinals])

    def words_of(self, ordinals: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return how many words some versions have, of all elements together."""
        words: NDArray[np.int64] = self._packed_lengths[ordinals] @ self._worth_of_bytes
        return words

    @cached_property
    def _worth_of_bytes(self) -> NDArray[np.int64]:
        """What each byte of a row of packed lengths counts for in the sum of them."""
        ends = self.length_ends
        return np.array([256**byte for a, b in pairwise(ends) for byte in range(b - a)], dtype=np.int64)

    @cached_property
    def _packed_lengths(self) -> NDArray[np.uint8]:
        return self.file.array("lengths")

    def _unpacked(self, rows: NDArray[np.uint8]) -> NDArray[np.uint32]:
        lengths = np.zeros((len(rows), KINDS), dtype=np.uint32)
        for element in range(KINDS):
            first, end = self.length_ends[element : element + 2]
            for byte in range(first, end):
                lengths[:, element] |= rows[:, byte].astype(np.uint32) << np.uint32(8 * (byte - first))
        return lengths

    def _length_ends(self) -> list[int]:
        """Return where the length of each element begins in a row of `lengths`, and last how many bytes a row has."""
        sizes = self.file.meta["length_bytes"]
        if (
            not isinstance(sizes, list)
            or len(sizes) != KINDS
            or not all(size in (0, 1, 2, 3, 4) for size in sizes)
        ):
            raise IndexCorruptError(
                f"{self.path}: the header gives {str(sizes)[:50]} as bytes of lengths;"
                " index the archives again with --rebuild"
            )
        return [0, *accumulate(sizes)]

    def _languages(self) -> list[str]:
        languages: list[str] = self.file.meta["languages"]
        return languages

    def placed(self, name: str) -> PlacedArray:
        """Return where an array lies, for the core."""
        return self.file.placed(name)

    def for_core(self, norms: PlacedArray | None) -> queries.Segment:
        """Return the segment as the core sees it; norms: see `Weights.placed`. Raises IndexCorruptError."""
        made = queries.Segment(
            pairs=self.pairs,
            serial=queries.next_serial(),
            versions=self.size,
            words=self.file.rows("word_ids"),
            shape_count=self.file.rows("shape_table"),
            languages=len(self.languages),
            length_ends=tuple(self.length_ends),
        )
        for number, name in enumerate(queries.ARRAYS):
            placed = norms if name == "norms" else self.placed(name)
            if placed is not None:
                setattr(made, name, queries.Array(*placed, number))
        try:
            facts, bits = self._facts = self._facts or queries.segment_facts(made)
        except queries.DamagedError as error:
            raise damage(self.path, error) from error
        made.shape_facts, made.bits = queries.address(facts), queries.address(bits)
        made.keep = (self, facts, bits)
        return made

    def dictionary(self) -> forms.Dictionary:
        """Return the words of the segment as the core sees them."""
        ways = bytes(NUMBERS.get(language, NO_NUMBER) for language in self.languages)
        arrays = [queries.Array(*self.file.placed(name), n) for n, name in enumerate(forms.ARRAYS)]
        made = forms.Dictionary(*arrays, ctypes.cast(ctypes.c_char_p(ways), ctypes.c_void_p), len(ways))
        made.keep = self, ways
        return made

    @cached_property
    def extent(self) -> NDArray[np.unsignedinteger]:
        return self.file.array("extent")

    @cached_property
    def host(self) -> NDArray[np.unsignedinteger]:
        return self.file.array("host")

    @cached_property
    def language(self) -> NDArray[np.unsignedinteger]:
        return self.file.array("language")

    @cached_property
    def shape_table(self) -> NDArray[np.unsignedinteger]:
        return self.file.array("shape_table")

    def __len__(self) -> int:
        return self.size

    # What follows is made when the first positions are read: an index of many segments opens sooner.

    @cached_property
    def _shape_totals(self) -> NDArray[np.uint32]:
        totals = np.zeros(len(self.shape_table), dtype=np.uint32)
        for element in range(KINDS):  # column by column: several times as fast as a sum of short rows
            totals += self.shape_table[:, element].astype(np.uint32)
        return totals

    @cached_property
    def runs(self) -> RunReader:
        return RunReader(
            self.file.eight_bytes_at_each("positions"), self.shape_table, self._shape_totals, self.path
        )

    def totals_of(self, shapes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of occurrences of each of some shapes."""
        return self._shape_totals.take(shapes).astype(np.int64)

    @cached_property
    def _widths(self) -> NDArray[np.uint8]:
        return bit_widths(self.extent).astype(np.uint8)

    def widths_of(self, ordinals: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return how many bits hold a position in each of some versions."""
        return self._widths.take(ordinals).astype(np.int64)

    def word_at(self, index: int) -> str:
        start, end = self._word_ends.bounds(index)
        word: str = self._words[start:end].tobytes().decode("utf-8", "replace")
        return word

    def all_words(self) -> NDArray[np.uint8]:
        """Return the words one behind the other in UTF-8."""
        return self._words.whole()

    def word_bytes(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return (starts, bytes): the words one behind the other in UTF-8, and where each begins."""
        return self._word_ends.between(0, len(self._word_ends))[:-1], self.all_words()

    def all_pair_counts(self) -> NDArray[np.int64]:
        """Return for each word, by its index, how many versions hold it; removed ones count too."""
        return np.diff(self._pair_ends.between(0, len(self._pair_ends)))

    def words_between(self, first: int, last: int) -> list[str]:
        """Return the words `first` to `last` (exclusive)."""
        begins = self._word_ends.between(first, max(first, last))
        data = self._words[int(begins[0]) : int(begins[-1])].tobytes()
        begins -= begins[0]
        return [str(data[low:high], "utf-8", "replace") for low, high in pairwise(begins.tolist())]

    def find_words(self, words: list[str]) -> NDArray[np.int64]:
        """Return the indexes of those of the words that this segment holds, -1 for the others."""
        ids = np.array([word_id(word) for word in words], dtype=np.uint32)
        found = np.full(len(words), -1, dtype=np.int64)
        if not len(self.word_ids):
            return found
        at = np.minimum(self.word_ids.searchsorted(ids), len(self.word_ids) - 1)
        held = np.flatnonzero(self.word_ids[at] == ids)
        for place in held.tolist():  # mostly one or two, for which to look at them all at once takes longer
            index: int | None = int(at[place])
            if self.word_at(int(at[place])) != words[place]:
                index = self.find_word(words[place])  # two words share an id
            found[place] = -1 if index is None else index
        return found

    def hosts(self) -> list[str]:
        ends, data = self.file.array("host_ends"), self.file.array("hosts")
        return [string_at(ends, data, i) for i in range(len(ends))]

    def find_word(self, word: str) -> int | None:
        """Return the index of a word, None if no version of this segment holds it."""
        wanted = np.uint32(word_id(word))
        index = int(self.word_ids.searchsorted(wanted))
        while index < len(self.word_ids) and self.word_ids[index] == wanted:
            if self.word_at(index) == word:
                return index
            index += 1
        return None

    def postings(self, word: int) -> PostingList:
        """Return the posting list of the word at an index of this segment."""
        start, end = self._pair_ends.bounds(word)
        data = self._ordinals[slice(*self.ends["ordinal_ends"].bounds(word))]
        return PostingList(word, start, end - start, decode_ordinals(data, end - start))

    def shape_numbers(self, start: int, count: int) -> NDArray[np.int64]:
        """Return the shape (row of shape_table) of `count` pairs from pair `start` on."""
        numbers = self._coded_shapes(start, start + count)
        others = (numbers == OTHER).nonzero()[0]
        if others.size:
            block = start // RANK_BLOCK
            first, rare_before = self._shape_ranks[block].tolist()
            before = first + int((self._coded_shapes(block * RANK_BLOCK, start) == OTHER).sum())
            found = self._other_shapes[before : before + len(others)].astype(np.int64)
            rare = (found == RARE).nonzero()[0]
            if rare.size:
                rare_before += int((self._other_shapes[first:before] == RARE).sum())
                found[rare] = self._rare_shapes[rare_before : rare_before + len(rare)]
            numbers[others] = found
        return numbers

    def _coded_shapes(self, first: int, last: int) -> NDArray[np.int64]:
        """Return the numbers of the pairs `first` to `last` (exclusive) in `shapes`."""
        both = self.shapes[first // 2 : (last + 1) // 2].astype(np.int64)
        halves = np.stack((both & 15, both >> 4), axis=1).reshape(-1)
        return halves[first % 2 : first % 2 + last - first]

    def pairs_of(self, first: int, last: int) -> Pairs:
        """Return all pairs of the words `first` to `last` (exclusive), decoded at once; at least one word."""
        begins = self._pair_ends.between(first, last)
        counts = np.diff(begins)
        list_starts = begins[:-1] - begins[0]
        bytes_of = self.ends["ordinal_ends"].between(first, last)
        data = self._ordinals[int(bytes_of[0]) : int(bytes_of[-1])]
        ordinals = decode_many_ordinals(
            data, bytes_of[:-1] - bytes_of[0], np.diff(bytes_of), list_starts, counts
        )
        start = int(begins[0])
        return Pairs(start, list_starts, counts, ordinals, self.shape_numbers(start, int(begins[-1]) - start))

    def occurrences_of(self, first: int, last: int) -> Occurrences:
        """Return all occurrences of the words `first` to `last` (exclusive), to be merged or checked.

        Numbers of four bytes, read part by part: of a common word there are millions.
        """
        words = self.words_between(first, last)
        nothing = np.zeros(0, dtype=np.int32)
        if not words:
            return Occurrences(words, nothing, nothing, nothing.astype(np.uint8), nothing)
        pairs = self.pairs_of(first, last)
        widths = self.widths_of(pairs.ordinals)
        bits = self.runs.sizes(pairs.shapes, widths)
        before = np.cumsum(bits) - bits
        byte_starts = self.ends["position_ends"].between(first, last)[:-1]
        base = byte_starts * 8 - before[pairs.list_starts]
        first_bit = before + np.repeat(base, pairs.counts)
        word_of = np.repeat(np.arange(len(words), dtype=np.int32), pairs.counts)
        ends = np.cumsum(self.totals_of(pairs.shapes))
        count = int(ends[-1])
        word, version, position = (np.empty(count, dtype=np.int32) for _ in range(3))
        element = np.empty(count, dtype=np.uint8)
        low = done = 0
        while low < len(ends):
            high = max(low + 1, int(np.searchsorted(ends, done + _READ_AT_ONCE)))
            rows = slice(done, int(ends[high - 1]))
            pair, element[rows], position[rows] = self.runs.read(
                pairs.shapes[low:high], widths[low:high], first_bit[low:high]
            )
            word[rows] = word_of[low:high][pair]
            version[rows] = pairs.ordinals[low:high][pair]
            low, done = high, rows.stop
        return Occurrences(words, word, version, element, position)

    def version_columns(self) -> VersionColumns:
        """Return the columns of the versions, as given to the writer."""
        return VersionColumns(
            self.document,
            self.key,
            self.lengths,
            self.extent.astype(np.uint32),
            self.host.astype(np.uint32),
            self.language.astype(np.uint32),
            self.hosts(),
            self.languages,
        )

    def word_ranges(self, pairs: int) -> Iterator[tuple[int, int]]:
        """Yield ranges of words that hold about `pairs` pairs each, in order."""
        ends = self._pair_ends.whole()
        first = reached = 0
        while first < len(ends):
            last = max(first + 1, int(ends.searchsorted(reached + pairs, side="right")))
            yield first, last
            first, reached = last, int(ends[last - 1])


class Overlay(Segment):
    """The texts of links to the pages of a segment: lists like its own, in a file that leaves out what it has."""

    _PER_VERSION = ("lengths", "extent")

    def __init__(self, path: str, segment: Segment) -> None:
        """Map the file. Raises IndexMissingError, IndexVersionError, IndexCorruptError."""
        self._segment = segment
        super().__init__(path)
        if self.size != len(segment):
            raise IndexCorruptError(
                f"{path}: {self.size} versions, {segment.path} has {len(segment)};"
                " index the archives again with --rebuild"
            )

    def _languages(self) -> list[str]:
        return self._segment.languages

    def placed(self, name: str) -> PlacedArray:
        return (self._segment if name == "language" else self).file.placed(name)

    def version_columns(self) -> VersionColumns:
        own = self._segment.version_columns()
        own.lengths, own.extent = self.lengths, self.extent.astype(np.uint32)
        return own
