"""SegmentWriter takes posting columns sorted by word and writes one file of arrays, see docs/index-format.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.store.arrayfile import strings_to_arrays, write_arrays
from indexer.store.columns import KINDS, MAX_VERSIONS, RANK_BLOCK, Occurrences, Stems, VersionColumns
from indexer.store.postings import RARE, encode_ordinals
from indexer.store.runs import bit_widths, pack_runs
from indexer.store.spill import Spilled, SpillFile

# For each element a number that counts one of it: six bits an element.
_ONE_OF = np.uint64(1) << (np.arange(KINDS, dtype=np.uint64) * np.uint64(6))


class SegmentWriter:
    """Collects posting columns word range by word range, then writes the segment."""

    def __init__(self, versions: VersionColumns, spill_in: str | None = None) -> None:
        """spill_in: a folder for what grows with the segment until it is written; None to hold it in memory."""
        if len(versions) > MAX_VERSIONS:
            raise ValueError(f"{len(versions)} versions, a segment holds at most {MAX_VERSIONS}")
        self._versions = versions
        self._widths = bit_widths(versions.extent)
        self._words: list[str] = []
        self._ids: list[NDArray[np.uint32]] = []
        self._pair_counts: list[NDArray[np.uint32]] = []
        self._ordinal_sizes: list[NDArray[np.uint32]] = []
        self._position_sizes: list[NDArray[np.uint32]] = []
        file = SpillFile(spill_in) if spill_in is not None else None
        self._ordinals, self._positions = Spilled(file, np.uint8), Spilled(file, np.uint8)
        self._shapes = Spilled(file, np.uint32)
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
        shapes, rare, rank, table = self._order_shapes()
        hosts_ends, hosts = strings_to_arrays(versions.hosts)
        word_ends, words = strings_to_arrays(self._words)
        write_arrays(
            path,
            "segment",
            {
                "versions": len(versions),
                "words": len(self._words),
                "pairs": len(shapes),
                "occurrences": self._occurrences,
                "languages": versions.languages,
            },
            {
                "word_ids": self._ids or np.zeros(0, dtype=np.uint32),
                "word_ends": word_ends,
                "words": words,
                "pair_ends": _ends(self._pair_counts),
                "ordinal_ends": _ends(self._ordinal_sizes),
                "ordinals": self._ordinals,
                "position_ends": _ends(self._position_sizes),
                "positions": self._positions,
                "shapes": shapes,
                "rare_shapes": rare,
                "rare_ranks": rank,
                "shape_table": table,
                "document": versions.document.astype(np.uint32),
                "key": versions.key.astype(np.uint64),
                "lengths": _narrow(versions.lengths),
                "extent": versions.extent.astype(np.uint32),
                "host": _narrow(versions.host),
                "language": _narrow(versions.language),
                "host_ends": hosts_ends,
                "hosts": hosts,
                "stem_keys": stems.keys,
                "stem_words": stems.words,
                **{name: _narrow(column) for name, column in (more or {}).items()},
            },
        )

    def _order_shapes(self) -> tuple[NDArray[np.uint8], NDArray[Any], NDArray[np.uint32], NDArray[Any]]:
        """Number the shapes by how often they are used; part by part, for these are all pairs of a segment."""
        kinds = len(self._shape_numbers)
        frequency = np.zeros(kinds, dtype=np.int64)
        for numbers in self._shapes:
            frequency += np.bincount(numbers, minlength=kinds)
        order = np.argsort(-frequency, kind="stable")
        place = np.empty(kinds, dtype=np.uint32)
        place[order] = np.arange(kinds)
        shapes = np.zeros(int(frequency.sum()), dtype=np.uint8)
        rare: list[NDArray[np.uint32]] = [np.zeros(0, dtype=np.uint32)]
        done = 0
        for numbers in self._shapes:
            placed = place[numbers]
            shapes[done : done + len(placed)] = np.minimum(placed, RARE)
            rare.append(placed[placed >= RARE])
            done += len(placed)
        rank = np.zeros(len(shapes) // RANK_BLOCK + 2, dtype=np.uint32)
        where = np.flatnonzero(shapes == RARE) // RANK_BLOCK
        rank[1:] = np.cumsum(np.bincount(where, minlength=len(rank) - 1))
        table = np.frombuffer(b"".join(self._shape_numbers), dtype=np.uint32).reshape(-1, KINDS)[order]
        return shapes, _narrow(np.concatenate(rare)), rank, _narrow(table)


def _steps(ends: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the sizes of what ends at `ends`."""
    sizes: NDArray[np.uint32] = ends.copy()
    sizes[1:] -= ends[:-1]
    return sizes


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers in the smallest unsigned type that holds them all."""
    greatest = int(values.max(initial=0))
    return values.astype(np.uint8 if greatest < 1 << 8 else np.uint16 if greatest < 1 << 16 else np.uint32)


def _ends(sizes: list[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    joined = np.concatenate(sizes) if sizes else np.zeros(0, dtype=np.uint32)
    return np.cumsum(joined, dtype=np.int64).astype(np.uint32)
