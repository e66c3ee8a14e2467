"""The segments of a snapshot as the core sees them: made once for each state of an index, and for each ranking."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.core import queries
from indexer.core.forms import Dictionaries
from indexer.store.bm25f import Ranking
from indexer.store.errors import IndexCorruptError
from indexer.store.scratch import in_scratch_file
from indexer.store.segment import Segment, damage
from indexer.store.snapshot import LiveSegment, Snapshot
from indexer.store.weights import Weights
from indexer.text.elements import ELEMENTS

Bits = NDArray[np.uint64]
# What versions have ahead: of each, and the greatest of each eight and each 64, rounded up
Priors = tuple[NDArray[np.float64], NDArray[np.float32], NDArray[np.float32]]
HALF_LINKED = 5.0  # linking sites at which half of what links can give is reached
_RANKINGS_KNOWN = 4
_lock = threading.Lock()


def packed(mask: NDArray[np.bool_]) -> Bits:
    """Return a mask of one bit a version, in numbers of 64 bits."""
    room = np.zeros((len(mask) + 63) // 64 * 8, dtype=np.uint8)
    bits = np.packbits(mask, bitorder="little")
    room[: len(bits)] = bits
    return room.view(np.uint64)


def unpacked(bits: Bits, size: int) -> NDArray[np.bool_]:
    """Return the mask of `size` versions that was packed."""
    return np.unpackbits(bits.view(np.uint8), count=size, bitorder="little").view(np.bool_)


def _greatest(shares: NDArray[np.float64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the greatest of each eight numbers that are not negative, and of each 64, rounded up; zeros up to 64."""
    room = np.zeros((len(shares) + 63) // 64 * 64)
    room[: len(shares)] = shares
    eights = (room.reshape(-1, 8).max(axis=1) * (1 + 1e-6)).astype(np.float32)
    return eights, eights.reshape(-1, 8).max(axis=1)


class Prepared:
    """The segments of a snapshot, in memory that the core reads. Safe from many threads.

    offsets: where the mask of each segment begins among the masks of all, one behind the other, in numbers of 64 bits.
    versions: of all segments, removed ones too.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        """Raises IndexCorruptError."""
        self._segments = snapshot.segments
        self.layers = [
            [_core_segment(layer, live.weights) for layer in live.layers] for live in snapshot.segments
        ]
        self.dictionaries = Dictionaries(
            [
                layer.dictionary() if layer else None
                for live in snapshot.segments
                for layer in (*live.layers, None)[:2]
            ]
        )
        self._masks = [
            [None if mask is None else packed(mask) for mask in (live.alive, live.shared)]
            for live in snapshot.segments
        ]
        self._columns = [
            (
                np.ascontiguousarray(live.segment.document, dtype=np.uint32),
                np.ascontiguousarray(live.segment.key, dtype=np.uint64),
            )
            for live in snapshot.segments
        ]
        sizes = [(len(live.segment) + 63) // 64 for live in snapshot.segments]
        self.offsets: list[int] = [0, *np.cumsum(sizes, dtype=np.int64).tolist()]
        self.versions = sum(len(live.segment) for live in snapshot.segments)
        self.means = (ctypes.c_double * queries.KINDS)(*snapshot.means.tolist())
        self._by_ranking: list[tuple[Ranking, tuple[Any, queries.Program]]] = []
        self._priors: dict[tuple[int, float, float], Priors] = {}

    @classmethod
    def of(cls, snapshot: Snapshot) -> Prepared:
        """Return the segments of a snapshot; made when first asked for."""
        found: Prepared | None = snapshot.derived.get("prepared")
        if found is None:
            with _lock:
                found = snapshot.derived.get("prepared")
                if found is None:
                    found = snapshot.derived["prepared"] = cls(snapshot)
        return found

    def program(self, snapshot: Snapshot, ranking: Ranking) -> tuple[Any, queries.Program]:
        """Return (segments, program) under a ranking: a program in which all but these is 0, not to be changed."""
        for asked, made in self._by_ranking:
            if asked is ranking:
                return made
        for asked, made in self._by_ranking:
            if asked == ranking:
                return made
        with _lock:
            made = self._template(snapshot, ranking)
            self._by_ranking = [(ranking, made), *self._by_ranking[: _RANKINGS_KNOWN - 1]]
        return made

    def _template(self, snapshot: Snapshot, ranking: Ranking) -> tuple[Any, queries.Program]:
        lives = (queries.Live * max(len(self.layers), 1))()
        for place, live in enumerate(self._segments):
            made = lives[place]
            for number, layer in enumerate(self.layers[place]):
                made.layers[number] = ctypes.addressof(layer)
            alive, shared = self._masks[place]
            made.alive = queries.address(alive) if alive is not None else None
            made.shared = queries.address(shared) if shared is not None else None
            document, key = self._columns[place]
            made.document, made.key = queries.address(document), queries.address(key)
            prior = self._prior(place, live, ranking)
            if prior is not None:
                made.prior, made.prior_most, made.prior_of_word = (queries.address(one) for one in prior)
            made.slack = snapshot.slack(live, ranking)
        kinds = ctypes.c_double * queries.KINDS
        program = queries.Program(
            segments=ctypes.addressof(lives),
            segment_count=len(self.layers),
            k1=ranking.k1,
            slope=ranking.slope,
            near=ranking.near,
            boost=kinds(*(ranking.boost[name] for name in ELEMENTS)),
            b=kinds(*(ranking.b[name] for name in ELEMENTS)),
            means=self.means,
            versions=snapshot.versions,
            is_plus_idf=ranking.idf == "plus",
        )
        return lives, program

    def _prior(self, place: int, live: LiveSegment, ranking: Ranking) -> Priors | None:
        """Return for each version of a segment the share that it has ahead; None while links are not folded in yet."""
        if live.inlinks is None or ranking.model != "bm25f":
            return None
        key = (place, ranking.depth, ranking.linked)
        found = self._priors.get(key)
        if found is None:
            inlinks = live.inlinks
            shares = np.zeros(len(inlinks))
            if ranking.depth:
                shares += ranking.depth / (1.0 + inlinks.file.array("depths"))
            if ranking.linked:
                sites = inlinks.file.array("linking_sites").astype(np.float64)
                shares += ranking.linked * sites / (HALF_LINKED + sites)
            if len(shares):
                # eight bytes a version of the index: not in memory
                (shares,) = in_scratch_file(shares)
            found = self._priors[key] = (shares, *_greatest(shares))
        return found

    @contextmanager
    def telling_damage(self) -> Iterator[None]:
        """Raise IndexCorruptError for damage that the core finds in the block."""
        try:
            yield
        except queries.DamagedError as error:
            raise self.damage(error) from error

    def damage(self, error: queries.DamagedError) -> IndexCorruptError:
        """Return the error of the index that stands for damage found by the core."""
        if error.place >= len(self._segments):
            return IndexCorruptError("the index is damaged; index the archives again with --rebuild")
        live = self._segments[error.place]
        segment = live.layers[error.layer]
        return damage(live.weights.path if error.array == "norms" else segment.path, error)


def _core_segment(segment: Segment, weights: Weights) -> queries.Segment:
    """Return a layer of a segment as the core sees it. Raises IndexCorruptError."""
    made = segment.for_core(weights.placed("norms"))
    made.keep = (*made.keep, weights)
    return made
