"""The writer of segments that the core replaced, in numpy: what it writes is what the core has to write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from store_batches import stem_key

from indexer.store.arrayfile import strings_to_arrays, write_arrays
from indexer.store.columns import (
    FOLDS,
    KINDS,
    MAX_VERSIONS,
    PAIRS,
    RANK_BLOCK,
    Occurrences,
    VersionColumns,
    word_id,
)
from indexer.store.runs import Layout, bit_widths
from indexer.text.analysis import Tokens, is_paired
from indexer.text.folding import folds_of
from indexer.text.languages import has_stemmer, is_stemmable, stem_words

_AT_ONCE = 1 << 17


@dataclass(slots=True)
class Stems:
    """Which words of a segment share a stem in which language, sorted by key.

    keys: first 8 bytes of the MD5 of "language:stem"; words: index of a word in the segment.
    A word that is its own stem and shares it with no other has no row.
    Under the names FOLDS and PAIRS: words by a spelling without their accents, and pairs of a script without spaces
    by their first character.
    """

    keys: NDArray[np.uint64]
    words: NDArray[np.uint32]


def write_batch(
    path: str,
    groups: Sequence[Tokens],
    versions: VersionColumns,
    more: Mapping[str, NDArray[np.integer]] | None = None,
) -> None:
    """Write the segment of a batch; the pages of the groups, in order, are the versions. Raises DiskFullError.

    more: further columns, as SegmentWriter.write takes them.
    """
    numbers: dict[str, int] = {}
    # for each group the numbers of its words in the batch, numbered as they come
    batch_numbers = [
        np.fromiter(
            (numbers.setdefault(word, len(numbers)) for word in tokens.words),
            dtype=np.int64,
            count=len(tokens.words),
        )
        for tokens in groups
    ]
    rank, words, ids = sort_words(list(numbers))
    del numbers
    occurrences = _sorted_occurrences(words, groups, [rank[own] for own in batch_numbers])
    writer = SegmentWriter(versions)
    writer.add(occurrences, ids)
    bits = [name for name in versions.languages if has_stemmer(name)]
    seen = words_by_language(occurrences, versions.language, versions.languages)
    writer.write(path, stems_of_words(words, {name: seen[name] for name in bits}), more)


def _sorted_occurrences(
    words: list[str], groups: Sequence[Tokens], ranks: Sequence[NDArray[np.int64]]
) -> Occurrences:
    """Return the occurrences sorted by word, version, element, position.

    ranks: for each group the places of its words among `words`.
    """
    first_version = np.cumsum([0, *(len(tokens.extents) for tokens in groups)])
    version_bits = int(first_version[-1]).bit_length()
    position_bits = max((int(tokens.extents.max(initial=0)) for tokens in groups), default=0).bit_length()
    if len(words).bit_length() + version_bits + 4 + position_bits > 64:
        return _sorted_columns(words, groups, ranks, first_version)
    # a group at a time, so that a batch is in memory as numbers of 64 bits and its tokens, not as columns besides
    key = np.empty(sum(len(tokens.word) for tokens in groups), dtype=np.uint64)
    end = 0
    for tokens, own, version in zip(groups, ranks, first_version.tolist(), strict=False):
        part = key[end : end + len(tokens.word)]
        end += len(tokens.word)
        part[:] = own[tokens.word]
        for column, bits in (
            (tokens.document + np.uint32(version), version_bits),
            (tokens.element, 4),
            (tokens.position, position_bits),
        ):
            part <<= np.uint64(bits)
            part |= column
    key.sort()

    def take(bits: int) -> NDArray[np.int64]:
        column = (key & np.uint64((1 << bits) - 1)).astype(np.int64)
        np.right_shift(key, np.uint64(bits), out=key)
        return column

    position, element, version_column = take(position_bits), take(4).astype(np.uint8), take(version_bits)
    return Occurrences(words, key.view(np.int64), version_column, element, position)


def _sorted_columns(
    words: list[str],
    groups: Sequence[Tokens],
    ranks: Sequence[NDArray[np.int64]],
    first_version: NDArray[np.int64],
) -> Occurrences:
    """Return the same where an occurrence does not fit into 64 bits."""
    word = np.concatenate([own[tokens.word] for tokens, own in zip(groups, ranks, strict=True)])
    version = np.concatenate(
        [tokens.document + first for tokens, first in zip(groups, first_version, strict=False)]
    ).astype(np.int64)
    element = np.concatenate([tokens.element for tokens in groups])
    position = np.concatenate([tokens.position for tokens in groups]).astype(np.int64)
    order = np.lexsort((position, element, version, word))
    return Occurrences(words, word[order], version[order], element[order], position[order])


def sort_words(words: list[str]) -> tuple[NDArray[np.int64], list[str], NDArray[np.uint32]]:
    """Return (rank, sorted, ids): words in the order of a segment (by id, then spelling), and the rank of each."""
    return order_words(words, np.fromiter(map(word_id, words), dtype=np.uint32, count=len(words)))


def order_words(
    words: list[str], ids: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], list[str], NDArray[np.uint32]]:
    """Return the same as sort_words for words whose ids are known."""
    order = np.argsort(ids, kind="stable")
    ids = ids[order]
    # the few that share an id stand side by side and are put into the order of their spellings
    shared = np.flatnonzero(ids[1:] == ids[:-1]).tolist()
    for place in shared:
        first = place
        while first and ids[first - 1] == ids[place]:
            first -= 1
        order[first : place + 2] = sorted(order[first : place + 2].tolist(), key=words.__getitem__)
    rank = np.empty(len(words), dtype=np.int64)
    rank[order] = np.arange(len(words))
    return rank, [words[i] for i in order.tolist()], ids


def words_by_language(
    occurrences: Occurrences, language: NDArray[np.integer], languages: list[str]
) -> dict[str, NDArray[np.int64]]:
    """Return which words (by index, rising) occur in versions of each language that has a stemmer.

    Pages may declare 18,000 languages, of which some thirty have one: all others share a row.
    """
    stemmed = [number for number, name in enumerate(languages) if has_stemmer(name)]
    row_of = np.full(len(languages), len(stemmed), dtype=np.uint8)
    row_of[stemmed] = np.arange(len(stemmed))
    seen = np.zeros((len(stemmed) + 1, len(occurrences.words)), dtype=bool)
    seen[row_of[language][occurrences.version], occurrences.word] = True
    return {languages[number]: np.flatnonzero(seen[row]) for row, number in enumerate(stemmed)}


# For each element a number that counts one of it: six bits an element.
_ONE_OF = np.uint64(1) << (np.arange(KINDS, dtype=np.uint64) * np.uint64(6))


class SegmentWriter:
    """Collects posting columns word range by word range, then writes the segment."""

    def __init__(self, versions: VersionColumns) -> None:
        if len(versions) > MAX_VERSIONS:
            raise ValueError(f"{len(versions)} versions, a segment holds at most {MAX_VERSIONS}")
        self._versions = versions
        self._widths = bit_widths(versions.extent)
        self._words: list[str] = []
        self._ids: list[NDArray[np.uint32]] = []
        self._pair_counts: list[NDArray[np.uint32]] = []
        self._ordinal_sizes: list[NDArray[np.uint32]] = []
        self._position_sizes: list[NDArray[np.uint32]] = []
        nothing = np.zeros(0, dtype=np.uint8)
        self._ordinals: list[NDArray[Any]] = [nothing]
        self._positions: list[NDArray[Any]] = [nothing]
        self._shapes: list[NDArray[Any]] = []
        self._shape_numbers: dict[bytes, int] = {}
        self._occurrences = 0

    def add(self, occurrences: Occurrences, ids: NDArray[np.uint32]) -> None:
        """Add the lists of a range of words; words must follow those added before, each with an occurrence."""
        if not len(occurrences):
            return
        word, version = occurrences.word, occurrences.version
        begins_pair = np.empty(len(word), dtype=bool)
        begins_pair[0] = True
        np.logical_or(word[1:] != word[:-1], version[1:] != version[:-1], out=begins_pair[1:])
        pair_starts = np.flatnonzero(begins_pair)
        pair_word = word[pair_starts]
        list_starts = np.flatnonzero(np.append(True, pair_word[1:] != pair_word[:-1]))
        if len(list_starts) != len(occurrences.words):
            raise ValueError(f"{len(occurrences.words)} words but {len(list_starts)} posting lists")

        data, ends = encode_ordinals(version[pair_starts], list_starts)
        self._ordinals.append(data)
        self._ordinal_sizes.append(_steps(ends))
        begins_pair[1:] |= occurrences.element[1:] != occurrences.element[:-1]
        run_starts = np.flatnonzero(begins_pair)
        first_runs = np.searchsorted(run_starts, pair_starts[list_starts])
        data, ends = pack_runs(
            occurrences.position, run_starts, self._widths[version[run_starts]], first_runs
        )
        self._positions.append(data)
        self._position_sizes.append(_steps(ends))
        self._shapes.append(self._number_shapes(occurrences.element, pair_starts))
        self._pair_counts.append(np.diff(np.append(list_starts, len(pair_starts))).astype(np.uint32))
        self._words.extend(occurrences.words)
        self._ids.append(ids)
        self._occurrences += len(word)

    def _number_shapes(
        self, element: NDArray[np.uint8], pair_starts: NDArray[np.int64]
    ) -> NDArray[np.uint32]:
        """Return for each pair the number of its shape (count by element), new shapes numbered as they come."""
        totals = np.diff(np.append(pair_starts, len(element)))
        # six bits for each element's count tell shapes apart exactly while no count reaches 64
        keys = np.add.reduceat(_ONE_OF.take(element), pair_starts)
        great = np.flatnonzero(totals >= 64)
        keys[great] = np.uint64(1 << 63) | great.astype(np.uint64)
        distinct, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        numbers = np.empty(len(distinct), dtype=np.uint32)
        for i, pair in enumerate(first.tolist()):
            start = int(pair_starts[pair])
            counts = np.bincount(element[start : start + int(totals[pair])], minlength=KINDS).astype(
                np.uint32
            )
            numbers[i] = self._shape_numbers.setdefault(counts.tobytes(), len(self._shape_numbers))
        return numbers[inverse]

    def write(self, path: str, stems: Stems, more: Mapping[str, NDArray[np.integer]] | None = None) -> None:
        """Write the segment file; more: further columns of whole numbers, a row a version. Raises DiskFullError."""
        versions = self._versions
        shapes, table = self._order_shapes()
        hosts_ends, hosts = strings_to_arrays(versions.hosts)
        greatest = [int(versions.lengths[:, element].max(initial=0)) for element in range(KINDS)]
        length_bytes = [(length.bit_length() + 7) // 8 for length in greatest]
        rows = [
            b"".join(length.to_bytes(size, "little") for length, size in zip(row, length_bytes, strict=True))
            for row in versions.lengths.tolist()
        ]
        lengths = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), sum(length_bytes))
        word_ends, words = strings_to_arrays(self._words)
        write_arrays(
            path,
            "segment",
            {
                "versions": len(versions),
                "words": len(self._words),
                "pairs": len(shapes),
                "occurrences": self._occurrences,
                "length_bytes": length_bytes,
                "languages": versions.languages,
            },
            {
                "word_ids": self._ids or np.zeros(0, dtype=np.uint32),
                **_kept_sizes("word", np.diff(word_ends.astype(np.int64), prepend=0).tolist()),
                "words": words,
                **_kept_sizes("pair", [size for part in self._pair_counts for size in part.tolist()]),
                **_kept_sizes("ordinal", [size for part in self._ordinal_sizes for size in part.tolist()]),
                "ordinals": self._ordinals,
                **_kept_sizes("position", [size for part in self._position_sizes for size in part.tolist()]),
                "positions": self._positions,
                **_kept_shapes(shapes),
                "shape_table": table,
                "lengths": lengths,
                "extent": _narrow(versions.extent),
                "document": versions.document.astype(np.uint32),
                "key": versions.key.astype(np.uint64),
                "host": _narrow(versions.host),
                "language": _narrow(versions.language),
                "host_ends": hosts_ends,
                "hosts": hosts,
                "stem_keys": (stems.keys >> np.uint64(32)).astype(np.uint32),
                "stem_words": stems.words,
                **{name: _narrow(column) for name, column in (more or {}).items()},
            },
        )

    def _order_shapes(self) -> tuple[list[int], NDArray[Any]]:
        """Return the shape of each pair, numbered by how often they are used, and the counts of each."""
        kinds = len(self._shape_numbers)
        frequency = np.zeros(kinds, dtype=np.int64)
        for numbers in self._shapes:
            frequency += np.bincount(numbers, minlength=kinds)
        order = np.argsort(-frequency, kind="stable")
        place = np.empty(kinds, dtype=np.uint32)
        place[order] = np.arange(kinds)
        shapes = [shape for numbers in self._shapes for shape in place[numbers].tolist()]
        table = np.frombuffer(b"".join(self._shape_numbers), dtype=np.uint32).reshape(-1, KINDS)[order]
        return shapes, _narrow(table)


def _kept_shapes(shapes: list[int]) -> dict[str, NDArray[Any]]:
    """Return the arrays that tell the shape of each pair, one pair after the other."""
    others, rare, ranks = [], [], []
    for pair, shape in enumerate([*shapes, 0]):
        if pair % RANK_BLOCK == 0:
            ranks.append((len(others), len(rare)))
        if pair < len(shapes) and shape >= 15:
            others.append(min(shape, 255))
            rare.extend([shape] if shape >= 255 else [])
    halves = [min(shape, 15) for shape in shapes] + [0]
    return {
        "shapes": np.array(
            [low + 16 * high for low, high in zip(halves[:-1:2], halves[1::2], strict=True)], dtype=np.uint8
        ),
        "other_shapes": np.array(others, dtype=np.uint8),
        "rare_shapes": _narrow(np.array(rare, dtype=np.uint32)),
        "shape_ranks": np.array(ranks, dtype=np.uint32),
    }


def _steps(ends: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the sizes of what ends at `ends`."""
    sizes: NDArray[np.uint32] = ends.copy()
    sizes[1:] -= ends[:-1]
    return sizes


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers in the smallest unsigned type that holds them all."""
    greatest = int(values.max(initial=0))
    return values.astype(np.uint8 if greatest < 1 << 8 else np.uint16 if greatest < 1 << 16 else np.uint32)


def _kept_sizes(name: str, sizes: list[int]) -> dict[str, NDArray[Any]]:
    """Return sizes as a segment keeps them: see docs/index-format.md."""
    great = [size for size in sizes if size >= 255]
    marks = [
        (sum(sizes[:place]), sum(size >= 255 for size in sizes[:place]))
        for place in range(0, len(sizes) + 1, 64)
    ]
    return {
        f"{name}_sizes": np.array([min(size, 255) for size in sizes], dtype=np.uint8),
        f"{name}_great": np.array(great, dtype=np.uint32),
        f"{name}_marks": np.array(marks, dtype=np.uint32),
    }


def encode_ordinals(
    ordinals: NDArray[np.integer], starts: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Return (bytes, ends) of many lists at once.

    ordinals: rising within each list, the lists one behind the other; starts: where each list
    begins. ends: where the bytes of each list end. No list may be empty.
    """
    parts = [
        encode_list(ordinals[first:last])
        for first, last in zip(starts, np.append(starts[1:], len(ordinals)), strict=True)
    ]
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    return np.frombuffer(b"".join(parts), dtype=np.uint8), ends.astype(np.uint32)


def encode_list(ordinals: NDArray[np.integer]) -> bytes:
    """Return the bytes of one list: see docs/index-format.md."""
    gaps = np.diff(ordinals.astype(np.int64), prepend=-1) - 1
    if len(gaps) < 4:
        return gaps.astype("<u2").tobytes()
    width = min(range(1, 17), key=lambda width: len(gaps) * width + 16 * int((gaps + 1 >= 1 << width).sum()))
    escape = (1 << width) - 1
    bits = (np.minimum(gaps, escape)[:, None] >> np.arange(width)) & 1
    packed = np.packbits(bits.astype(np.uint8).ravel(), bitorder="little")
    return bytes([width]) + packed.tobytes() + gaps[gaps >= escape].astype("<u2").tobytes()


def pack_runs(
    positions: NDArray[np.signedinteger],
    run_starts: NDArray[np.int64],
    widths: NDArray[np.int64],
    list_starts: NDArray[np.int64],
) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Return (bytes, ends) of the positions of many lists; ends: where the bytes of each list end.

    run_starts: where each run begins among the positions; widths: bits of the version of each run; list_starts: where
    each list begins among the runs. No run and no list is empty.
    """
    counts = np.diff(np.append(run_starts, len(positions)))
    layout = Layout.of(counts, widths)
    before = np.cumsum(layout.bits) - layout.bits
    list_bits = np.add.reduceat(layout.bits, list_starts) if len(list_starts) else layout.bits
    list_bytes = (list_bits + 7) >> 3
    ends = np.cumsum(list_bytes)
    base = (ends - list_bytes) * 8 - before[list_starts]
    run_bit = before + np.repeat(base, np.diff(np.append(list_starts, len(run_starts))))
    words = np.zeros((int(ends[-1] if len(ends) else 0) >> 3) + 2, dtype="<u8")
    first = 0
    while first < len(counts):
        reached = int(run_starts[first]) + _AT_ONCE
        last = max(first + 1, int(np.searchsorted(run_starts, reached)))
        end = int(run_starts[last]) if last < len(counts) else len(positions)
        part = positions[int(run_starts[first]) : end].astype(np.int64)
        _pack_part(words, part, _between(layout, first, last), run_bit[first:last])
        first = last
    return words.view(np.uint8)[: int(ends[-1]) if len(ends) else 0], ends.astype(np.uint32)


def _between(layout: Layout, first: int, last: int) -> Layout:
    rows = slice(first, last)
    return Layout(layout.counts[rows], layout.low[rows], layout.split[rows], layout.bits[rows])


def _pack_part(
    words: NDArray[np.uint64], positions: NDArray[np.int64], layout: Layout, run_bit: NDArray[np.int64]
) -> None:
    """Put the positions of some runs, which begin at the bits `run_bit`, into a stream of bits."""
    counts = layout.counts
    run_starts = np.cumsum(counts) - counts
    low = np.repeat(layout.low, counts)
    inside = np.arange(len(positions)) - np.repeat(run_starts, counts)
    offset = np.repeat(run_bit, counts) + inside * low
    numbers = positions.astype(np.uint64) & ((np.uint64(1) << low.astype(np.uint64)) - np.uint64(1))
    _join(words, numbers, offset)
    rows = np.flatnonzero(layout.split >= 0)
    if len(rows):
        row, place = _spread(counts[rows])
        high = positions[run_starts[rows][row] + place] >> layout.low[rows][row]
        bit = (run_bit + counts * layout.low)[rows][row] + high + place
        _join(words, np.ones(len(bit), dtype=np.uint64), bit)


def _join(words: NDArray[np.uint64], numbers: NDArray[np.uint64], offsets: NDArray[np.int64]) -> None:
    """Put numbers into a stream of bits at rising offsets where nothing is yet."""
    if not len(numbers):
        return
    at = offsets >> 6
    shift = (offsets & 63).astype(np.uint64)
    first = np.flatnonzero(np.append(True, at[1:] != at[:-1]))
    words[at[first]] |= np.bitwise_or.reduceat(numbers << shift, first)
    # what goes over the end of 64 bits: of the last number there only
    last = np.append(first[1:], len(at)) - 1
    over = last[shift[last] > 0]
    words[at[over] + 1] |= numbers[over] >> (np.uint64(64) - shift[over])


def _spread(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each item of groups of `counts` items its group, and its place in it."""
    group = np.repeat(np.arange(len(counts)), counts)
    return group, np.arange(len(group)) - np.repeat(np.cumsum(counts) - counts, counts)


def stems_of_words(words: list[str], by_language: Mapping[str, NDArray[np.integer]]) -> Stems:
    """Return the rows of Stems for the words (by index, rising) that occur in versions of each language.

    Beside them stand rows under the names FOLDS and PAIRS: words by their spellings without accents, and pairs of a
    script without spaces by their first character.
    """
    keys: list[int] = []
    rows: list[int] = []
    for index, word in enumerate(words):
        if not word.isascii():
            for fold in folds_of(word):
                keys.append(stem_key(FOLDS, fold))
                rows.append(index)
            if len(word) == 2 and is_paired(word):
                keys.append(stem_key(PAIRS, word[0]))
                rows.append(index)
    for language, indexes in by_language.items():
        stemmed = [index for index in indexes.tolist() if is_stemmable(words[index])]
        stems = stem_words(language, [words[index] for index in stemmed])
        sharing = Counter(stems)
        known: dict[str, int] = {}
        for index, stem in zip(stemmed, stems, strict=True):
            if sharing[stem] > 1 or words[index] != stem:
                key = known.get(stem)
                if key is None:
                    key = known[stem] = stem_key(language, stem)
                keys.append(key)
                rows.append(index)
    key_column = np.asarray(keys, dtype=np.uint64)
    by_key = np.argsort(key_column, kind="stable")
    return Stems(key_column[by_key], np.asarray(rows, dtype=np.uint32)[by_key])
