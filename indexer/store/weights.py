"""Precomputed BM25F components: for each version and element what an occurrence there weighs, in one byte.

A byte c stands for the interval (2**((c - 1 - ZERO) / STEPS), 2**((c - ZERO) / STEPS)] that holds the norm
boost / ((1 - b) + b * length / mean) at the time of weighing. Search adds up the upper ends to leave out what cannot
reach the top, and computes the exact weight, from counts and lengths, only for what is left. So a stored norm that no
longer fits (mean lengths have moved, boosts were changed) costs time, never a wrong rank: `slack` says by how much the
intervals have to be widened.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.store.arrayfile import ArrayFile, PlacedArray, write_arrays
from indexer.store.bm25f import Ranking, norms
from indexer.store.entries import Entry
from indexer.store.errors import IndexCorruptError
from indexer.store.layout import segment_path, weights_path
from indexer.store.segment import Segment
from indexer.text.elements import ELEMENTS, INLINK

# At the end of a run weights are computed anew where the mean lengths have moved by more than this since.
_DRIFT = 1.25
STEPS, ZERO = 12, 120  # 2**-10 to 2**11 in steps of 6 %, as in indexer/core/query_bounds.c


@dataclass(frozen=True)
class Basis:
    """What weights were computed from: norms of the ranking over these mean lengths."""

    boost: tuple[float, ...]
    b: tuple[float, ...]
    means: tuple[float, ...]

    @classmethod
    def of(cls, ranking: Ranking, means: NDArray[np.float64]) -> Basis:
        return cls(
            tuple(ranking.boost[name] for name in ELEMENTS),
            tuple(ranking.b[name] for name in ELEMENTS),
            tuple(means.tolist()),
        )

    def slack(self, other: Basis) -> float:
        """Return a factor >= 1 by which no weight under `other` differs from the weight under this basis.

        norm = boost / ((1 - b) + b * length / mean). The ratio of two norms is monotone in the length, so it lies
        between its values for length 0 and for a length without bound.
        """
        worst = 1.0
        for boost, b, mean, boost2, b2, mean2 in zip(
            self.boost, self.b, self.means, other.boost, other.b, other.means, strict=True
        ):
            if mean <= 0 and mean2 <= 0:
                continue  # no version has this element
            if boost <= 0 and boost2 <= 0:
                continue
            if min(boost, boost2, mean, mean2) <= 0:
                return float("inf")
            for here, there in ((1 - b, 1 - b2), (b / mean, b2 / mean2)):
                if here <= 0 and there <= 0:
                    continue
                if min(here, there) <= 0:
                    return float("inf")
                ratio = boost2 / boost * here / there
                worst = max(worst, ratio, 1 / ratio)
        return worst


def write_weights(
    path: str, segment: Segment, ranking: Ranking, means: NDArray[np.float64], inlinks: Segment | None = None
) -> None:
    """Compute and write the norms of a segment and of its overlay of link texts. Raises DiskFullError."""
    lengths = segment.lengths
    if inlinks is not None:
        lengths[:, INLINK] += inlinks.lengths[:, INLINK]
    codes = encode_norms(norms(ranking, lengths, means))
    basis = Basis.of(ranking, means)
    write_arrays(
        path,
        "weights",
        {"boost": basis.boost, "b": basis.b, "means": basis.means, "pairs": segment.pairs},
        {"norms": np.ascontiguousarray(codes.T)},
    )


def to_be_weighed(folder: str, entry: Entry, ranking: Ranking, means: NDArray[np.float64]) -> bool:
    """Return whether a segment has no weights, or some that may be wrong by more than a factor of _DRIFT."""
    if not entry["weights"]:
        return True
    weights = Weights(weights_path(folder, entry), Segment(segment_path(folder, entry["number"])))
    return weights.basis.slack(Basis.of(ranking, means)) > _DRIFT


def encode_norms(norm: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the byte of each norm; 0 for 0 and below the scale, 255 for what may be above it."""
    with np.errstate(divide="ignore"):
        steps = np.ceil(np.log2(norm) * STEPS - 1e-9)
    return (np.clip(steps, -ZERO, 255 - ZERO) + ZERO).astype(np.uint8)


class Weights:
    """The norms of one segment and its overlay of link texts, mapped into memory.

    path: of their file, "" while a segment has none; then every weight is without bound, until the run that wrote the
    segment ends, and queries score what they find there instead of leaving most of it out.
    """

    def __init__(self, path: str, segment: Segment) -> None:
        """Raises IndexMissingError, IndexVersionError, IndexCorruptError."""
        self.path = path
        self._file = ArrayFile(path, "weights") if path else None
        if self._file is None:
            self.basis = _NO_BASIS
            return
        meta: dict[str, Any] = self._file.meta
        found = (meta["pairs"], self._file.shape("norms"))
        expected = (segment.pairs, (len(ELEMENTS), len(segment)))
        if found != expected:
            raise IndexCorruptError(
                f"{path}: weights of {found[0]} pairs, norms of shape {found[1]}; the segment has {expected[0]} and"
                f" {expected[1]}; index the archives again with --rebuild"
            )
        self.basis = Basis(tuple(meta["boost"]), tuple(meta["b"]), tuple(meta["means"]))

    def placed(self, name: str) -> PlacedArray | None:
        """Return where the array `name` lies in memory, None while there are no weights."""
        return None if self._file is None else self._file.placed(name)

    def problems(self) -> list[str]:
        """Return one line for each array whose bytes do not fit their checksum."""
        return self._file.problems() if self._file is not None else []


_NO_BASIS = Basis((0.0,) * len(ELEMENTS), (0.0,) * len(ELEMENTS), (0.0,) * len(ELEMENTS))


def open_weights(folder: str, entry: Entry, segment: Segment) -> Weights:
    """Return the norms of a segment, by its entry in the catalogue. Raises as Weights does."""
    return Weights(weights_path(folder, entry) if entry["weights"] else "", segment)
