"""Match: where one leaf of a query occurs in one segment, and how strongly. What all kinds of leaves have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.search.positions import Spans

Ordinals = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(slots=True)
class Places:
    """Occurrences, in no order: row of the version among those asked for, element, position.

    Positions in link texts (element INLINK) have nothing to do with those in the page itself.
    """

    row: NDArray[np.int64]
    element: NDArray[np.int64]
    position: NDArray[np.int64]

    @classmethod
    def joined(
        cls, columns: Sequence[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]
    ) -> Places:
        if not columns:
            return cls(*(np.zeros(0, dtype=np.int64) for _ in range(3)))
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))


class Match:
    """Where one leaf of a query occurs in one segment.

    ordinals: of the versions that hold it, rising; `count` is their number.
    """

    _ordinals: Ordinals

    @property
    def ordinals(self) -> Ordinals:
        return self._ordinals

    @property
    def count(self) -> int:
        return len(self.ordinals)

    def mark(self, mask: Mask) -> None:
        """Mark the versions that hold the leaf, in a mask of all versions of the segment."""
        mask[self.ordinals] = True

    def holding(self, wanted: Ordinals) -> Ordinals:
        """Return those of the `wanted` versions (rising) that hold the leaf."""
        return wanted[are_in(wanted, self.ordinals)]

    def upper(self, wanted: Ordinals) -> Floats:
        """Return for each of the `wanted` versions (rising) a weight that is never below the exact one."""
        raise NotImplementedError

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        """Return the exact weight at the `wanted` ordinals (rising), 0 where the leaf does not occur.

        norm: boost over length norm of each wanted version, shape (len(wanted), KINDS).
        """
        raise NotImplementedError

    def spans(self, versions: Ordinals) -> Spans:
        """Return from where to where the leaf stands in some versions (rising)."""
        raise NotImplementedError

    def places(self, wanted: Ordinals) -> Places:
        """Return where a word stands in the `wanted` versions (rising ordinals); nothing for other leaves."""
        return Places.joined([])


class NoMatch(Match):
    """A leaf that does not occur in the segment."""

    def __init__(self) -> None:
        self._ordinals = np.zeros(0, dtype=np.int64)

    def upper(self, wanted: Ordinals) -> Floats:
        return np.zeros(len(wanted))

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        return np.zeros(len(wanted))

    def spans(self, versions: Ordinals) -> Spans:
        return Spans.joined([])


def are_in(wanted: Ordinals, ordinals: Ordinals) -> Mask:
    """Tell for each wanted ordinal whether it is one of `ordinals`; both rising."""
    if not len(ordinals):
        return np.zeros(len(wanted), dtype=bool)
    at = ordinals.searchsorted(wanted)
    if wanted[-1:] > ordinals[-1:]:
        np.minimum(at, len(ordinals) - 1, out=at)
    there: Mask = ordinals.take(at) == wanted
    return there


def in_both(wanted: Ordinals, ordinals: Ordinals) -> tuple[Ordinals, Ordinals]:
    """Return where the numbers that stand in both of two rising lists stand in each of them."""
    if ordinals.size < wanted.size:
        rows, found = _of_few(ordinals, wanted)
        return found, rows
    return _of_few(wanted, ordinals)


def _of_few(few: Ordinals, many: Ordinals) -> tuple[Ordinals, Ordinals]:
    if not few.size:
        return few, few
    rows = many.searchsorted(few)
    if few[-1] > many[-1]:
        np.minimum(rows, many.size - 1, out=rows)
    found = (many.take(rows) == few).nonzero()[0]
    return found, rows.take(found)


def spread(ordinals: Ordinals, values: Floats, wanted: Ordinals) -> Floats:
    """Return the values of some ordinals at the wanted ones, 0 where there is none; both rising."""
    spread_ = np.zeros(len(wanted))
    found, rows = in_both(wanted, ordinals)
    spread_[found] = values[rows]
    return spread_
