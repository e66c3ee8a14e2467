"""The live segments as the catalogue lists them: an entry a segment, and what follows from entries alone.

number: names its files. versions: how many it has; dead: the ordinals of those that were removed since, rising.
sums, counts: of each element its occurrences in all live versions, texts of links folded in, and the number of live
versions that have it. weights, captures, inlinks: editions of the files beside it; 0 for one that is not written yet.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.store.columns import KINDS
from indexer.store.layout import inlinks_path, segment_path
from indexer.store.segment import Overlay, Segment
from indexer.text.elements import INLINK

Entry = dict[str, Any]


def alive_in(entry: Entry, versions: int) -> NDArray[np.bool_]:
    """Return for each of the versions of a segment whether it is there still."""
    alive = np.ones(versions, dtype=bool)
    alive[entry["dead"]] = False
    return alive


def open_inlinks(folder: str, entry: Entry, segment: Segment) -> Overlay | None:
    """Return the texts of links folded into the pages of a segment, None while there are none."""
    return Overlay(inlinks_path(folder, entry), segment) if entry["inlinks"] else None


def sum_lengths(folder: str, entry: Entry, inlinks: str = "") -> None:
    """Bring sums and counts of an entry up to its live versions. inlinks: path of an overlay that has no name yet."""
    segment = Segment(segment_path(folder, entry["number"]))
    alive = alive_in(entry, len(segment))
    lengths = segment.lengths[alive]
    entry["sums"] = lengths.sum(axis=0, dtype=np.int64).tolist()
    entry["counts"] = (lengths > 0).sum(axis=0).tolist()
    overlay = Overlay(inlinks, segment) if inlinks else open_inlinks(folder, entry, segment)
    if overlay is not None:
        texts = overlay.lengths[alive, INLINK]
        entry["sums"][INLINK] += int(texts.sum(dtype=np.int64))
        entry["counts"][INLINK] += int((texts > 0).sum())


def mean_lengths(entries: Iterable[Entry]) -> NDArray[np.float64]:
    """Return the mean length of each element over the live versions that have it, 0 where none has."""
    sums = np.zeros(KINDS)
    counts = np.zeros(KINDS)
    for entry in entries:
        sums += entry["sums"]
        counts += entry["counts"]
    return np.divide(sums, counts, out=np.zeros(KINDS), where=counts > 0)


def fold_state(entries: Iterable[Entry]) -> list[list[int]]:
    """Return what tells whether pages came or went since links were folded: numbers are never used again."""
    return [[entry["number"], len(entry["dead"])] for entry in entries]
