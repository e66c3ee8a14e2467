"""A tree carried out by the core: which versions match, how many pages, and the best versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.core import queries
from indexer.search.deadline import Deadline
from indexer.search.nodes import Leaf, Word
from indexer.search.prepared import unpacked
from indexer.search.programs import NO_FACTS, KnownFacts, Made, facts_of
from indexer.store.snapshot import Snapshot

POOL = 100  # versions in which near words count
TIES = 32  # versions of one page with one score that stand at the border of the pool
FINDING = 0.7  # the share of the time for finding pages; the rest is for their scores
RANKING = 0.85  # the share after which no more are scored

Ordinals = NDArray[np.int64]


class Matched(Sequence[Ordinals]):
    """The ordinals of the versions that match, rising, for each segment; made of a mask when asked for."""

    def __init__(self, room: queries.Room, offsets: Sequence[int]) -> None:
        self._room, self._offsets = room, offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, place: Any) -> Any:
        if not 0 <= place < len(self):
            raise IndexError(place)
        return self.masks(place, place + 1)[0].nonzero()[0]

    def all_bits(self) -> NDArray[np.uint64]:
        """Return which versions match, a bit each, segment behind segment as `Prepared.offsets` says."""
        return self._room.matched()

    def masks(self, begin: int = 0, end: int | None = None) -> list[NDArray[np.bool_]]:
        """Return for each segment, or some of them, which versions match."""
        bits, offsets = self._room.matched(), self._offsets[begin : None if end is None else end + 1]
        return [unpacked(bits[a:b], 64 * (b - a)) for a, b in pairwise(offsets)]


def _wish(count: int, pool: int, rows: int, is_learning: bool, deadline: Deadline) -> bytes:
    """Return what the core is asked: so many pages, in this time. rows: of versions found that there is room for."""
    looks = deadline.looks
    return queries.wish(
        min(count, 0xFFFFFFFF),
        pool,
        TIES,
        is_learning,
        deadline.left(FINDING),
        deadline.left(RANKING),
        0 if looks is None else int(looks * FINDING) + 1,
        0 if looks is None else int(looks * RANKING) + 1,
        rows,
    )


@lru_cache(maxsize=64)
def _endless_wish(count: int, pool: int, rows: int, is_learning: bool) -> bytes:
    return _wish(count, pool, rows, is_learning, Deadline())


class Carried:
    """One program carried out. Only inside `with queries.handle()` more can be asked of it.

    total: pages. told: what else the core says of the answer. matched: versions that match, by segment.
    """

    __slots__ = ("_facts", "_made", "_pointers", "_prepared", "_query", "_room", "matched", "told", "total")

    def __init__(
        self, query: queries.Query, snapshot: Snapshot, made: Made, deadline: Deadline, count: int = 0
    ) -> None:
        """made: the program, of this snapshot. count: pages that are wanted. Raises IndexCorruptError."""
        self._query, self._made, self._prepared = query, made, made.prepared
        known, keys = facts_of(snapshot), made.fact_keys
        self._facts = facts = known.find_all(keys)
        room = self._room = queries.Room(
            made.layout, min(max(2 * count, POOL + TIES), snapshot.versions) if count else 0
        )
        wanted = None
        if count and None in facts:
            wanted = [key is not None and one is None for key, one in zip(keys, facts, strict=True)]
            room.want_facts(wanted)
        if deadline.is_endless and deadline.looks is None:
            wish = _endless_wish(count, POOL, room.rows, wanted is not None)
        else:
            wish = _wish(count, POOL, room.rows, wanted is not None, deadline)
        pointers = self._pointers = made.layout.of_leaves.pack(*[one.address if one else 0 for one in facts])
        try:
            self.told = query.ask(made.program, wish, pointers, room)
        except queries.DamagedError as error:
            raise self._prepared.damage(error) from error
        self.total = self.told.total
        self.matched = Matched(room, self._prepared.offsets)
        if wanted is not None:
            self._learn(known, wanted)

    def _learn(self, known: KnownFacts, wanted: list[bool]) -> None:
        """Keep what was found out about words that had to be looked at as a whole."""
        # phrases are not looked for where nothing is found
        is_whole = self.told.looked_at == self.versions and self.total > 0
        given = zip(self._made.fact_keys, wanted, self._room.facts_sizes(), strict=True)
        for leaf, (key, is_wanted, size) in enumerate(given):
            if key and size:
                room = known.rooms.room(size)
                facts = self._query.facts(leaf, self._room, size, room.address)
                with suppress(OSError):  # then they are found out anew the next time
                    room.write(facts)
                    known.keep(key, queries.Facts(room.address, size, (room, self._made.keep)))
            elif is_wanted and is_whole:
                known.keep(key, NO_FACTS)

    @property
    def leaves(self) -> list[Leaf]:
        """The leaves, those that count for the score first."""
        return self._made.leaves

    @property
    def scored(self) -> list[Leaf]:
        return self._made.leaves[: self._made.scored]

    @property
    def pairs(self) -> list[tuple[Word, Word]]:
        """Words whose nearness counts."""
        return self._made.pairs

    @property
    def versions(self) -> int:
        """How many versions there are to look at, removed ones too."""
        return self._prepared.versions

    @property
    def complete(self) -> tuple[int, ...]:
        """By segment: versions below this ordinal were looked at."""
        return self._room.complete()

    @property
    def holding(self) -> dict[Leaf, int]:
        """In how many live versions each leaf occurs."""
        return dict(zip(self._made.leaves, self._room.holding(), strict=True))

    def spellings(self) -> frozenset[str]:
        """Return the spellings by which the leaves were found that count for the score."""
        if self._made.is_told:
            return self._made.always
        held_in, layers = self._room.held_in(), 2 * (len(self._prepared.offsets) - 1)
        found = [self._made.always]
        for number, made in enumerate(self._made.made_leaves[: self._made.scored]):
            if not made.always:
                row = held_in[layers * number : layers * (number + 1)]
                found += [
                    frozenset(texts) for is_held, texts in zip(row, made.spellings, strict=False) if is_held
                ]
        return frozenset().union(*found)

    def found(self, most: int | None = None) -> Iterator[queries.FoundRow]:
        """Give the best versions, in order."""
        count = self.told.found_count
        return self._room.found(count if most is None else min(most, count))

    # ---------------------------------------------------------------- inside the handle

    def rank(self, wanted: int, needed: int) -> None:
        """Look for more versions than before: `found` are the best `wanted`, the first `needed` of them as they are."""
        self._room.more_found(min(wanted, self.told.matching))
        with self._prepared.telling_damage():
            self._query.rank(wanted, needed, self._room)
        self.told = self._room.told()

    def scores(self, place: int, ordinals: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the exact scores of some versions (rising) of a segment, without nearness."""
        with self._prepared.telling_damage():
            return self._query.scores(place, ordinals.astype(np.uint32), self._room)

    def weights(
        self, leaf: Leaf, place: int, ordinals: NDArray[np.integer], norms: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the exact weight of a leaf in some versions (rising) of a segment; norms: shape (n, KINDS)."""
        number = self._made.leaves.index(leaf)
        with self._prepared.telling_damage():
            return self._query.weights(place, number, ordinals.astype(np.uint32), norms, self._room)

    def counts(self, leaf: Leaf, place: int, ordinals: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return how often a leaf stands in some versions (rising) of a segment, its forms times their factors."""
        number = self._made.leaves.index(leaf)
        with self._prepared.telling_damage():
            return self._query.counts(place, number, ordinals.astype(np.uint32), self._room)

    def nearness(self, place: int, ordinal: int) -> NDArray[np.float64]:
        """Return how near the words of each pair stand in a version by element, shape (pairs, KINDS)."""
        with self._prepared.telling_damage():
            return self._query.nearness(place, ordinal, len(self._made.pairs), self._room)
