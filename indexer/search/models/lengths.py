"""Numbers of whole pages that the vector models need: the length of their vector, and the greatest count in it."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.search.models import Floats, log_frequency
from indexer.store.segment import Segment
from indexer.store.snapshot import Snapshot

_PAIRS_AT_ONCE = 1 << 19
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Vectors:
    """Of each version of a segment: length of its ltc vector, greatest count of a word."""

    lengths: Floats
    greatest: Floats


def vectors_of(snapshot: Snapshot) -> list[Vectors]:
    """Return the numbers of all versions by segment; read once for each state of an index, which takes a second
    for some ten thousand pages.

    Each spelling is a dimension of its own, in the page's own text and in the texts of links to it apart. Words that
    share an id count as one for their rarity.
    """
    with _lock:
        found: list[Vectors] | None = snapshot.derived.get("vectors")
        if found is None:
            found = snapshot.derived["vectors"] = _read(snapshot)
        return found


def _read(snapshot: Snapshot) -> list[Vectors]:
    layers = [live.layers for live in snapshot.segments]
    rarity = [
        _rarities(snapshot, [row[depth] for row in layers if depth < len(row)], depth) for depth in range(2)
    ]
    vectors = []
    for live, row in zip(snapshot.segments, layers, strict=True):
        squares, greatest = np.zeros(len(live.segment)), np.zeros(len(live.segment))
        for segment, (ids, values) in zip(row, rarity, strict=False):
            for first, last in segment.word_ranges(_PAIRS_AT_ONCE):
                pairs = segment.pairs_of(first, last)
                counts = segment.shape_table.sum(axis=1, dtype=np.int64)[pairs.shapes].astype(np.float64)
                value = np.repeat(values[np.searchsorted(ids, segment.word_ids[first:last])], pairs.counts)
                squares += np.bincount(
                    pairs.ordinals, (log_frequency(counts) * value) ** 2, minlength=len(squares)
                )
                np.maximum.at(greatest, pairs.ordinals, counts)
        vectors.append(Vectors(np.sqrt(squares), greatest))
    return vectors


def _rarities(snapshot: Snapshot, segments: list[Segment], depth: int) -> tuple[NDArray[np.uint32], Floats]:
    """Return the ids of all words of a layer, rising, and log10(versions / versions that hold it) of each."""
    ids: list[NDArray[np.uint32]] = [np.zeros(0, dtype=np.uint32)]
    holding: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    alive = [live.alive for live in snapshot.segments if depth < len(live.layers)]
    for segment, living in zip(segments, alive, strict=True):
        for first, last in segment.word_ranges(_PAIRS_AT_ONCE):
            pairs = segment.pairs_of(first, last)
            held = pairs.counts
            if living is not None:
                held = np.add.reduceat(living[pairs.ordinals].astype(np.int64), pairs.list_starts)
            ids.append(segment.word_ids[first:last])
            holding.append(held)
    distinct, place = np.unique(np.concatenate(ids), return_inverse=True)
    counts = np.bincount(place, np.concatenate(holding), minlength=len(distinct))
    return distinct, np.log10(max(snapshot.versions, 1) / np.maximum(counts, 1))
