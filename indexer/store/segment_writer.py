"""SegmentWriter takes the lists that the core has made and writes one file of arrays, see docs/index-format.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.core.lists import Lists, coded_shapes
from indexer.store.arrayfile import strings_to_arrays, write_arrays
from indexer.store.columns import MAX_VERSIONS, VersionColumns
from indexer.store.ends import packed_ends
from indexer.store.spill import Spilled, SpillFile
from indexer.store.stems import stem_rows

_SMALL = ("word_ids", "word_ends", "words", "pair_ends", "ordinal_ends", "position_ends", "languages")


class SegmentWriter:
    """Takes lists out of the core part by part, then writes the segment."""

    def __init__(self, versions: VersionColumns, lists: Lists, spill_in: str | None = None) -> None:
        """spill_in: a folder for what grows with the segment until it is written; None to leave it in the core."""
        if len(versions) > MAX_VERSIONS:
            raise ValueError(f"{len(versions)} versions, a segment holds at most {MAX_VERSIONS}")
        self._versions, self._lists = versions, lists
        self._spills = spill_in is not None
        file = SpillFile(spill_in) if spill_in is not None else None
        self._ordinals, self._positions = Spilled(file, np.uint8), Spilled(file, np.uint8)
        self._shapes = Spilled(file, np.uint32)
        self._small: dict[str, list[NDArray[Any]]] = {name: [] for name in _SMALL}

    def take(self) -> None:
        """Take out what has been made of the lists since the last time; without a folder once. Raises DiskFullError."""
        lists = self._lists
        for name, chunks in self._small.items():
            column = lists.column(name)
            chunks.append(column.copy() if self._spills else column)
        for name, spilled in (
            ("ordinals", self._ordinals),
            ("positions", self._positions),
            ("shapes", self._shapes),
        ):
            spilled.append(lists.column(name))
        if self._spills:
            lists.empty()

    def write(
        self,
        path: str,
        more: Mapping[str, NDArray[np.integer]] | None = None,
        *,
        is_overlay: bool = False,
        is_synced: bool = True,
    ) -> None:
        """Write the segment file. Raises DiskFullError.

        more: further columns of whole numbers, a row a version; is_overlay: leave out what the segment has that it
        belongs to; is_synced: see `write_arrays`.
        """
        versions = self._versions
        small = {
            name: np.concatenate(chunks) if len(chunks) > 1 else chunks[0]
            for name, chunks in self._small.items()
        }
        stem_keys, stem_words = stem_rows(small["words"], small["word_ends"], small["languages"])
        shapes = self._ordered_shapes()
        length_bytes, lengths = _packed(versions.lengths)
        write_arrays(
            path,
            "segment",
            {
                "versions": len(versions),
                "words": len(small["word_ids"]),
                "pairs": int(self._lists.column("shape_uses").sum()),
                "occurrences": self._lists.occurrences,
                "length_bytes": length_bytes,
                **({} if is_overlay else {"languages": versions.languages}),
            },
            {
                "word_ids": small["word_ids"],
                **packed_ends("word", small["word_ends"]),
                "words": small["words"],
                **packed_ends("pair", small["pair_ends"]),
                **packed_ends("ordinal", small["ordinal_ends"]),
                "ordinals": self._ordinals,
                **packed_ends("position", small["position_ends"]),
                "positions": self._positions,
                **shapes,
                "lengths": lengths,
                "extent": _narrow(versions.extent),
                **({} if is_overlay else _own_columns(versions)),
                "stem_keys": (stem_keys >> np.uint64(32)).astype(np.uint32),
                "stem_words": stem_words,
                **{name: _narrow(column) for name, column in (more or {}).items()},
            },
            is_synced=is_synced,
        )

    def _ordered_shapes(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of shapes, numbered by how often they are used."""
        order, table = self._lists.shapes_in_order()
        place = np.empty(len(order), dtype=np.uint32)
        place[order] = np.arange(len(order))
        coded = coded_shapes(place, self._shapes, int(self._lists.column("shape_uses").sum()))
        return {**coded, "rare_shapes": _narrow(coded["rare_shapes"]), "shape_table": _narrow(table)}


def _own_columns(versions: VersionColumns) -> dict[str, NDArray[Any]]:
    """Return what a segment says of its versions and its overlay need not."""
    ends, hosts = strings_to_arrays(versions.hosts)
    return {
        "document": versions.document.astype(np.uint32),
        "key": versions.key.astype(np.uint64),
        "host": _narrow(versions.host),
        "language": _narrow(versions.language),
        "host_ends": ends,
        "hosts": hosts,
    }


def _packed(lengths: NDArray[np.uint32]) -> tuple[list[int], NDArray[np.uint8]]:
    """Return in how many bytes the length of each element is kept, and the lengths, a row a version."""
    sizes = [-(-int(column.max(initial=0)).bit_length() // 8) for column in lengths.T]
    rows = np.empty((len(lengths), sum(sizes)), dtype=np.uint8)
    place = 0
    for column, size in zip(lengths.T, sizes, strict=True):
        for byte in range(size):
            rows[:, place] = (column >> np.uint32(8 * byte)) & np.uint32(255)
            place += 1
    return sizes, rows


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers in the smallest unsigned type that holds them all."""
    greatest = int(values.max(initial=0))
    return values.astype(np.uint8 if greatest < 1 << 8 else np.uint16 if greatest < 1 << 16 else np.uint32)
