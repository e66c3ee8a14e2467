"""A tree carried out by the core: which versions match, how many pages, and the best versions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.core import queries
from indexer.search.deadline import Deadline
from indexer.search.nodes import Leaf, Word
from indexer.search.prepared import Bits, Prepared, unpacked
from indexer.search.programs import NO_FACTS, KnownFacts, Made, facts_of
from indexer.store.snapshot import Snapshot

POOL = 100  # versions in which near words count
TIES = 32  # versions of one page with one score that stand at the border of the pool
FINDING = 0.7  # the share of the time for finding pages; the rest is for their scores
RANKING = 0.85  # the share after which no more are scored

Ordinals = NDArray[np.int64]


class Matched(Sequence[Ordinals]):
    """The ordinals of the versions that match, rising, for each segment; made of a mask when asked for."""

    def __init__(self, bits: Bits, offsets: Sequence[int]) -> None:
        self._bits, self._offsets = bits, offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, place: Any) -> Any:
        if not 0 <= place < len(self):
            raise IndexError(place)
        part = self._bits[self._offsets[place] : self._offsets[place + 1]]
        return unpacked(part, 64 * len(part)).nonzero()[0]


class Carried:
    """One program carried out. Only inside `with queries.handle()` more can be asked of it.

    total: pages; matching: versions; has_shared: whether pages match that have several versions.
    complete: by segment, versions below this ordinal were looked at; is_ranked: all that may be among the best were.
    found: the best versions in order; wanted: how many were looked for.
    """

    def __init__(
        self,
        query: queries.Query,
        snapshot: Snapshot,
        made: Made,
        deadline: Deadline,
        *,
        count: int = 0,
    ) -> None:
        """made: the program, of this snapshot. count: pages that are wanted. Raises IndexCorruptError."""
        self._query, self._made, self._prepared = query, made, Prepared.of(snapshot)
        self._program = program = queries.Program.from_buffer_copy(made.program)
        segments, leaves = len(snapshot.segments), len(made.leaves)
        program.count, program.pool, program.ties = min(count, 0xFFFFFFFF), POOL, TIES
        program.finding_s, program.ranking_s = deadline.left(FINDING), deadline.left(RANKING)
        if deadline.looks is not None:
            program.finding_looks = int(deadline.looks * FINDING) + 1
            program.ranking_looks = int(deadline.looks * RANKING) + 1
        # one piece of memory: masks of what matches, holding (8 bytes a leaf), complete (4 bytes a segment), held_in
        # (2 bytes a leaf and segment), pointers to facts and the sizes of new ones, and the rows of `found`
        masks = self._prepared.offsets[-1]
        room = min(max(2 * count, POOL + TIES), snapshot.versions) if count else 0
        facts = masks + leaves + segments + leaves * segments
        behind = facts + 2 * leaves
        memory = np.empty(behind + room * queries.FOUND_WORDS, dtype=np.uint64)
        self._bits, self._numbers, self._found = memory[:masks], memory[masks:facts], memory[behind:]
        at = queries.address(memory)
        known = facts_of(snapshot)
        self._facts = known.find_all(made.fact_keys)
        memory[facts : facts + leaves] = [one.address if one else 0 for one in self._facts]
        program.facts = at + 8 * facts
        is_learning = count > 0 and None in self._facts
        if is_learning:
            wanted = list(map(known.are_wanted, made.fact_keys, self._facts))
            memory[behind - leaves : behind] = wanted
        self._answer = answer = queries.Answer(
            at,
            at + 8 * (masks + leaves),
            at + 8 * masks,
            at + 8 * (masks + leaves + segments),
            at + 8 * behind,
            at + 8 * (facts + leaves) if is_learning else None,
            room,
        )
        self._sizes = leaves, segments
        with self._prepared.telling_damage():
            query.run(program, answer)
        self.total: int = answer.total
        if is_learning:
            self._learn(known, wanted, memory[behind - leaves : behind].tolist())

    def _learn(self, known: KnownFacts, wanted: list[bool], sizes: list[int]) -> None:
        """Keep what was found out about words that had to be looked at as a whole."""
        is_whole = self.looked_at == self.versions
        for leaf, (key, is_wanted, size) in enumerate(zip(self._made.fact_keys, wanted, sizes, strict=True)):
            if key and size:
                room = known.rooms.room(size)
                self._query.write_facts(leaf, self._answer, room)
                known.keep(key, queries.Facts(queries.address(room), size, (room, self._made.keep)))
            elif is_wanted and is_whole:
                known.keep(key, NO_FACTS)

    @property
    def matching(self) -> int:
        return int(self._answer.matching)

    @property
    def has_shared(self) -> bool:
        return bool(self._answer.has_shared)

    @property
    def is_ranked(self) -> bool:
        return bool(self._answer.is_ranked)

    @property
    def scored_versions(self) -> int:
        """How many versions were scored exactly; bounds left the others out."""
        return int(self._answer.scored)

    @property
    def looks(self) -> int:
        """How often the clock was looked at."""
        return int(self._answer.looks)

    @property
    def looked_at(self) -> int:
        """How many versions were looked at."""
        return int(self._answer.looked_at)

    @property
    def wanted(self) -> int:
        return int(self._answer.wanted)

    @property
    def greatest(self) -> float:
        """What the words of the query can give at most."""
        return float(self._answer.greatest)

    @property
    def matched(self) -> Matched:
        return Matched(self._bits, self._prepared.offsets)

    def masks(self) -> list[NDArray[np.bool_]]:
        """Return for each segment which versions match."""
        offsets = self._prepared.offsets
        return [unpacked(self._bits[a:b], 64 * (b - a)) for a, b in zip(offsets, offsets[1:], strict=False)]

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

    @cached_property
    def complete(self) -> list[int]:
        leaves, segments = self._sizes
        found: list[int] = self._numbers[leaves:].view(np.uint32)[:segments].tolist()
        return found

    @cached_property
    def holding(self) -> dict[Leaf, int]:
        """In how many live versions each leaf occurs."""
        return dict(zip(self._made.leaves, self._numbers[: self._sizes[0]].tolist(), strict=True))

    def spellings(self) -> frozenset[str]:
        """Return the spellings by which the leaves were found that count for the score."""
        if self._made.is_told:
            return self._made.always
        leaves, segments = self._sizes
        held_in = self._numbers[leaves + segments :].view(np.uint8).tolist()
        found = [self._made.always]
        for number, made in enumerate(self._made.made_leaves[: self._made.scored]):
            if not made.always:
                row = held_in[2 * segments * number : 2 * segments * (number + 1)]
                found += [
                    frozenset(texts) for is_held, texts in zip(row, made.spellings, strict=False) if is_held
                ]
        return frozenset().union(*found)

    # ---------------------------------------------------------------- inside the handle

    def found(self, most: int | None = None) -> list[queries.FoundRow]:
        count = self._answer.found_count if most is None else min(most, self._answer.found_count)
        return queries.found_rows(self._found, count)

    def rank(self, wanted: int, needed: int) -> None:
        """Look for more versions than before: `found` are the best `wanted`, the first `needed` of them as they are."""
        room = min(wanted, self.matching)
        self._found = np.empty(room * queries.FOUND_WORDS, dtype=np.uint64)
        self._answer.found, self._answer.room = queries.address(self._found), room
        with self._prepared.telling_damage():
            self._query.rank(wanted, needed, self._answer)

    def scores(self, place: int, ordinals: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the exact scores of some versions (rising) of a segment, without nearness."""
        with self._prepared.telling_damage():
            return self._query.scores(place, ordinals.astype(np.uint32), self._answer)

    def weights(
        self, leaf: Leaf, place: int, ordinals: NDArray[np.integer], norms: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the exact weight of a leaf in some versions (rising) of a segment; norms: shape (n, KINDS)."""
        number = self._made.leaves.index(leaf)
        with self._prepared.telling_damage():
            return self._query.weights(place, number, ordinals.astype(np.uint32), norms, self._answer)

    def nearness(self, place: int, ordinal: int) -> NDArray[np.float64]:
        """Return how near the words of each pair stand in a version by element, shape (pairs, KINDS)."""
        with self._prepared.telling_damage():
            return self._query.nearness(place, ordinal, len(self._made.pairs), self._answer)
