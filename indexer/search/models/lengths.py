"""Numbers of whole pages that the models need: the length of their vector, and the greatest count in it.

Read once for each state of an index, when a model first asks for them: a tenth of a second for some ten thousand pages.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.core import queries
from indexer.search.models import Floats, log_frequency
from indexer.search.prepared import Prepared
from indexer.store.segment import Segment, damage
from indexer.store.snapshot import Snapshot

_lock = threading.Lock()


def greatest_counts(snapshot: Snapshot) -> list[Floats]:
    """Return by segment how often the most frequent word of each version stands there."""
    with _lock:
        found: list[Floats] | None = snapshot.derived.get("greatest counts")
        if found is None:
            found = snapshot.derived["greatest counts"] = [
                np.maximum.reduce(
                    [
                        _asked(queries.greatest_counts, layer, segment)
                        for layer, segment in zip(live.layers, segments, strict=True)
                    ]
                )
                for live, segments in zip(snapshot.segments, Prepared.of(snapshot).layers, strict=True)
            ]
        return found


def vector_lengths(snapshot: Snapshot) -> list[Floats]:
    """Return by segment the length of the ltc vector of each version.

    Each spelling is a dimension of its own, in the page's own text and in the texts of links to it apart. Words that
    share an id count as one for their rarity.
    """
    with _lock:
        found: list[Floats] | None = snapshot.derived.get("vector lengths")
        if found is None:
            found = snapshot.derived["vector lengths"] = _read_lengths(snapshot)
        return found


def _asked(
    function: Callable[..., NDArray[Any]], layer: Segment, segment: queries.Segment, *given: NDArray[Any]
) -> NDArray[Any]:
    """Return what the core finds in a layer. Raises IndexCorruptError."""
    try:
        return function(segment, *given)
    except queries.DamagedError as error:
        raise damage(layer.path, error) from error


def _read_lengths(snapshot: Snapshot) -> list[Floats]:
    prepared = Prepared.of(snapshot)
    squares = [np.zeros(len(live.segment)) for live in snapshot.segments]
    for depth in range(2):
        places = [place for place, layers in enumerate(prepared.layers) if depth < len(layers)]
        for place, of_word in zip(places, _rarities(snapshot, prepared, places, depth), strict=True):
            layer = snapshot.segments[place].layers[depth]
            of_shape = log_frequency(layer.shape_table.sum(axis=1, dtype=np.int64).astype(np.float64))
            segment = prepared.layers[place][depth]
            squares[place] += _asked(queries.squared_lengths, layer, segment, of_shape, of_word)
    return [np.sqrt(sums) for sums in squares]


def _rarities(snapshot: Snapshot, prepared: Prepared, places: list[int], depth: int) -> list[Floats]:
    """Return log10(versions / versions that hold it) of each word in a layer of some segments, in their order."""
    layers = [snapshot.segments[place].layers[depth] for place in places]
    if not layers:
        return []
    holding = []
    for place, layer in zip(places, layers, strict=True):
        held = layer.all_pair_counts()
        alive = snapshot.segments[place].alive
        if alive is not None:
            held = _asked(queries.living_pairs, layer, prepared.layers[place][depth], alive)
        holding.append(held)
    ids = np.concatenate([layer.word_ids for layer in layers])
    order = np.argsort(ids, kind="stable")
    ids = ids[order]
    is_first = np.append(True, ids[1:] != ids[:-1])[: len(ids)]
    before = np.append(0, np.cumsum(np.concatenate(holding)[order]))
    counts = np.diff(before[np.append(np.flatnonzero(is_first), len(ids))])
    values = np.log10(max(snapshot.versions, 1) / np.maximum(counts, 1))
    of_word = np.empty(len(ids))
    of_word[order] = values[np.cumsum(is_first) - 1]
    return np.split(of_word, np.cumsum([len(held) for held in holding])[:-1])
