"""Queries answered by the core: the structs of segment.h and query.h, and a handle that runs programs.

`indexer.search.programs` makes the programs; numbers, masks and lists come and go as numpy arrays or bytes.
"""

from __future__ import annotations

import ctypes
import itertools
import struct
from collections.abc import Iterator, Sequence
from ctypes import POINTER, byref, c_char_p, c_double, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexer.core.library import CORRUPT, NO_MEMORY, OK, core

KINDS = 10
LEAF, MASK, AND, OR, NOT, NEAR, SPANS, UNION, IN_ALL, BESIDE = range(10)
WORD, WORDS, PHRASE, ANY = range(4)
SHAPE_FACTS = 28  # bytes of fa_shape
FORM = "<IId"  # fa_form
LEAF_FORMAT = "<QQQdIIIIII"  # fa_leaf
NODE = "<IIII"  # fa_node
FoundRow = tuple[Any, ...]  # score, key, place, ordinal, document, is_near
FOUND_DOCUMENT = 4
_FOUND = struct.Struct("<dQIIII")  # fa_found
wish = struct.Struct("<IIIIddQQQ").pack  # fa_wish


class Array(ctypes.Structure):
    """fa_array"""

    _fields_ = (
        ("data", c_void_p),
        ("size", c_uint64),
        ("sums", c_void_p),
        ("verified", c_void_p),
        ("block", c_uint32),
        ("width", c_uint16),
        ("number", c_uint16),
    )


ARRAYS = (
    *(f"{items}_{what}" for items in ("pair", "ordinal", "position") for what in ("sizes", "great", "marks")),
    "ordinals", "positions", "shapes", "other_shapes", "rare_shapes", "shape_ranks", "shape_table", "lengths",
    "extent", "language", "norms",
)  # fmt: skip


class Segment(ctypes.Structure):
    """fa_segment; keep: what its pointers lead to."""

    _fields_ = (
        *((name, Array) for name in ARRAYS),
        ("shape_facts", c_void_p),
        ("bits", c_void_p),
        ("pairs", c_uint64),
        ("serial", c_uint64),
        ("versions", c_uint32),
        ("words", c_uint32),
        ("shape_count", c_uint32),
        ("languages", c_uint32),
        ("length_ends", c_uint8 * (KINDS + 1)),
    )
    keep: tuple[Any, ...]


class Fault(ctypes.Structure):
    """fa_fault"""

    _fields_ = (("segment", c_void_p), ("array", c_uint32))


class Live(ctypes.Structure):
    """fa_live"""

    _fields_ = (
        ("layers", c_void_p * 2),
        ("alive", c_void_p),
        ("shared", c_void_p),
        ("document", c_void_p),
        ("key", c_void_p),
        ("prior", c_void_p),
        ("prior_most", c_void_p),
        ("prior_of_word", c_void_p),
        ("slack", c_double),
    )


class Program(ctypes.Structure):
    """fa_program"""

    _fields_ = (
        *((name, c_void_p) for name in ("segments", "leaves", "nodes", "args", "masks", "pairs", "facts")),
        *(
            (name, c_uint32)
            for name in (
                "segment_count", "leaf_count", "scored_count", "node_count", "arg_count", "mask_count", "pair_count",
                "root",
            )
        ),
        *((name, c_double) for name in ("k1", "slope", "near")),
        *((name, c_double * KINDS) for name in ("boost", "b", "means")),
        ("versions", c_uint64),
        *((name, c_uint32) for name in ("is_plus_idf", "count", "pool", "ties")),
        ("finding_s", c_double),
        ("ranking_s", c_double),
        ("finding_looks", c_uint64),
        ("ranking_looks", c_uint64),
    )  # fmt: skip


class Told(NamedTuple):
    """What fa_answer tells beside the arrays."""

    total: int
    matching: int
    found_count: int
    greatest: float
    has_shared: int
    is_ranked: int
    wanted: int
    looks: int
    looked_at: int
    bad_place: int
    bad_layer: int
    bad_array: int
    scored: int


_told = partial(tuple.__new__, Told)  # without a call in Python
_ANSWER = struct.Struct("<QQQQQQQ")  # fa_answer: its arrays, and how many rows there is room for,
_TOLD = struct.Struct("<QQQdIIQQQIIII")  # and what it tells


@lru_cache(maxsize=64)
def _pages_type(pages: int) -> type[ctypes.Array[ctypes.c_char]]:
    return ctypes.c_char * (pages << 12)


def _room_of(size: int) -> ctypes.Array[ctypes.c_char]:
    """Return memory for so many bytes, zeroed: a type for each size would take thirty times as long to make."""
    return _pages_type((size >> 12) + 1)()


class Layout:
    """Where the parts of the room for an answer lie, see fa_query_ask. words: of the masks of all segments."""

    def __init__(self, words: int, leaves: int, segments: int) -> None:
        self.of_leaves, self.of_segments = struct.Struct(f"<{leaves}Q"), struct.Struct(f"<{segments}I")
        self.words, self.matched = words, _ANSWER.size + _TOLD.size
        self.holding = self.matched + 8 * words
        self.kept = self.holding + 8 * leaves
        self.complete = self.kept + 8 * leaves
        self.held_in = self.complete + (4 * segments + 7) // 8 * 8
        self.found = self.held_in + (2 * leaves * segments + 7) // 8 * 8


layout_of = lru_cache(maxsize=256)(Layout)


class Room:
    """An fa_answer with its arrays in one piece of memory. rows: of versions found that there is room for."""

    __slots__ = ("_found", "_layout", "data", "rows")

    def __init__(self, layout: Layout, rows: int) -> None:
        self._layout, self.rows = layout, rows
        self.data = _room_of(layout.found + rows * _FOUND.size)
        self._found = memoryview(self.data)[layout.found :]

    def told(self) -> Told:
        return _told(_TOLD.unpack_from(self.data, _ANSWER.size))

    def found(self, count: int) -> Iterator[FoundRow]:
        return _FOUND.iter_unpack(self._found[: _FOUND.size * count])

    def more_found(self, rows: int) -> None:
        """Make room for so many rows."""
        more = _room_of(rows * _FOUND.size)
        arrays = list(_ANSWER.unpack_from(self.data))
        arrays[4], arrays[6] = ctypes.addressof(more), rows
        _ANSWER.pack_into(self.data, 0, *arrays)
        self._found = memoryview(more)

    def matched(self) -> NDArray[np.uint64]:
        """Return the masks of what matches, segment behind segment."""
        layout = self._layout
        return np.frombuffer(memoryview(self.data), np.uint64, layout.words, layout.matched)

    def holding(self) -> tuple[int, ...]:
        return self._layout.of_leaves.unpack_from(self.data, self._layout.holding)

    def want_facts(self, wanted: Sequence[bool]) -> None:
        self._layout.of_leaves.pack_into(self.data, self._layout.kept, *wanted)

    def facts_sizes(self) -> tuple[int, ...]:
        return self._layout.of_leaves.unpack_from(self.data, self._layout.kept)

    def complete(self) -> tuple[int, ...]:
        return self._layout.of_segments.unpack_from(self.data, self._layout.complete)

    def held_in(self) -> bytes:
        return bytes(memoryview(self.data)[self._layout.held_in : self._layout.found])


_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "fa_segment_shapes": (ctypes.c_int, (c_void_p, c_void_p, POINTER(Fault))),
    "fa_segment_bits": (ctypes.c_int, (c_void_p, c_void_p, POINTER(Fault))),
    "fa_segment_list": (
        ctypes.c_int, (c_void_p, c_uint32, c_void_p, c_uint32, POINTER(c_uint32), POINTER(Fault)),
    ),
    "fa_segment_holding": (ctypes.c_int, (c_void_p, c_void_p, c_uint32, c_void_p, POINTER(Fault))),
    "fa_query_keep": (ctypes.c_int, (c_void_p, c_uint32, c_void_p, c_void_p, c_void_p, c_uint64)),
    "fa_query_new": (c_void_p, ()),
    "fa_query_free": (None, (c_void_p,)),
    "fa_query_rest": (None, (c_void_p,)),
    "fa_query_ask": (ctypes.c_int, (c_void_p, c_void_p, c_char_p, c_char_p, c_void_p, c_uint64)),
    "fa_query_rank": (ctypes.c_int, (c_void_p, c_uint64, c_uint64, c_void_p)),
    "fa_query_weights": (
        ctypes.c_int, (c_void_p, c_uint32, c_uint32, c_void_p, c_uint32, c_void_p, c_void_p, c_void_p),
    ),
    "fa_query_counts": (ctypes.c_int, (c_void_p, c_uint32, c_uint32, c_void_p, c_uint32, c_void_p, c_void_p)),
    "fa_segment_vectors": (
        ctypes.c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, POINTER(Fault)),
    ),
    "fa_segment_living": (ctypes.c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(Fault))),
    "fa_query_scores": (ctypes.c_int, (c_void_p, c_uint32, c_void_p, c_uint32, c_void_p, c_void_p)),
    "fa_query_nearness": (ctypes.c_int, (c_void_p, c_uint32, c_uint32, c_void_p, c_void_p)),
}  # fmt: skip
for _name, (_result, _arguments) in _FUNCTIONS.items():
    _function = getattr(core, _name)
    _function.restype, _function.argtypes = _result, _arguments


next_serial = itertools.count(1).__next__  # for each segment that the core is shown


class DamagedError(Exception):
    """An array of a segment holds what cannot be. place, layer: of the segment in the program; array: its name."""

    def __init__(self, place: int, layer: int, array: str) -> None:
        super().__init__(array)
        self.place, self.layer, self.array = place, layer, array


def address(array: NDArray[Any]) -> int:
    """Return where an array begins in memory; the array has to stay as long as it is used there."""
    return int(array.__array_interface__["data"][0])


def segment_facts(segment: Segment) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return (shape facts, bits): what segment.h keeps of each shape, and bits of a position in each version.

    Raises DamagedError.
    """
    facts = np.zeros(SHAPE_FACTS * segment.shape_count, dtype=np.uint8)
    bits = np.zeros(segment.versions, dtype=np.uint8)
    fault = Fault()
    for function, room in ((core.fa_segment_shapes, facts), (core.fa_segment_bits, bits)):
        if function(byref(segment), address(room), byref(fault)) != OK:
            raise DamagedError(0, 0, ARRAYS[fault.array])
    return facts, bits


def ordinals_of(segment: Segment, word: int) -> NDArray[np.uint32]:
    """Return the ordinals of the posting list of a word. Raises DamagedError."""
    room, count, fault = np.zeros(segment.versions, dtype=np.uint32), c_uint32(), Fault()
    if core.fa_segment_list(byref(segment), word, address(room), len(room), byref(count), byref(fault)) != OK:
        raise DamagedError(0, 0, ARRAYS[fault.array])
    return room[: count.value]


def add_holding(segment: Segment, words: NDArray[np.uint32], counts: NDArray[np.int64]) -> None:
    """Add how many versions hold each of some words, 0xFFFFFFFF for one that is not there. Raises DamagedError."""
    fault = Fault()
    if (
        core.fa_segment_holding(byref(segment), address(words), len(words), address(counts), byref(fault))
        != OK
    ):
        raise DamagedError(0, 0, ARRAYS[fault.array])


def greatest_counts(segment: Segment) -> NDArray[np.float64]:
    """Return for each version how often its most frequent word stands there. Raises DamagedError."""
    greatest = np.zeros(segment.versions)
    _read_words(segment, None, None, None, address(greatest))
    return greatest


def squared_lengths(
    segment: Segment, of_shape: NDArray[np.float64], of_word: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return for each version the sum of the squares of of_shape * of_word for its words. Raises DamagedError."""
    squares = np.zeros(segment.versions)
    _read_words(segment, address(of_shape), address(of_word), address(squares), None)
    return squares


def living_pairs(segment: Segment, alive: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many of the versions that are alive hold each word. Raises DamagedError."""
    counts, alive = np.empty(segment.words, dtype=np.int64), np.ascontiguousarray(alive)
    room, fault = np.empty(segment.versions, dtype=np.uint32), Fault()
    if (
        core.fa_segment_living(byref(segment), address(alive), address(room), address(counts), byref(fault))
        != OK
    ):
        raise DamagedError(0, 0, ARRAYS[fault.array])
    return counts


def _read_words(segment: Segment, *asked: int | None) -> None:
    of_shape, of_word, squares, greatest = asked
    room, fault = np.empty(segment.versions, dtype=np.uint32), Fault()
    if (
        core.fa_segment_vectors(
            byref(segment), of_shape, of_word, address(room), squares, greatest, byref(fault)
        )
        != OK
    ):
        raise DamagedError(0, 0, ARRAYS[fault.array])


class Facts(NamedTuple):
    """What a word comes to in the segments of a program, kept from query to query.

    address: where it is; size: in bytes; keep: the memory that it takes, and that of its program and leaf.
    """

    address: int
    size: int
    keep: tuple[object, ...]


class Query:
    """A handle that runs programs, one after the other; not for two threads at once."""

    def __init__(self) -> None:
        self._handle = core.fa_query_new()
        if not self._handle:
            raise MemoryError

    def __del__(self) -> None:
        core.fa_query_free(self._handle)

    def rest(self) -> None:
        """Let go of what the last program needed."""
        core.fa_query_rest(self._handle)

    def ask(self, program: Program, wish: bytes, facts: bytes | None, room: Room) -> Told:
        """Find what matches and the best versions. Program, facts and room have to stay until the next one.

        facts: addresses by leaf. Raises DamagedError.
        """
        data = room.data
        status = core.fa_query_ask(self._handle, byref(program), wish, facts, data, len(data))
        told = room.told()
        if status != OK:
            _check(status, told)
        return told

    def facts(self, leaf: int, answer: Room, size: int, place: int) -> NDArray[np.uint8]:
        """Return the facts of a leaf of the program that was run, of the size that the answer told.

        place: the address at which they are to lie when they are used.
        """
        made = np.empty(size, dtype=np.uint8)
        self._check(core.fa_query_keep(self._handle, leaf, answer.data, address(made), place, size), answer)
        return made

    def rank(self, wanted: int, needed: int, answer: Room) -> None:
        """Find more of the best versions of the program that was run."""
        self._check(core.fa_query_rank(self._handle, wanted, needed, answer.data), answer)

    def weights(
        self, place: int, leaf: int, ordinals: NDArray[np.uint32], norms: NDArray[np.float64], answer: Room
    ) -> NDArray[np.float64]:
        """Return the exact weight of a leaf in some versions (rising) of a segment; norms: shape (n, KINDS)."""
        found, norms = np.zeros(len(ordinals)), np.ascontiguousarray(norms, dtype=np.float64)
        self._check(
            core.fa_query_weights(
                self._handle, place, leaf, address(ordinals), len(ordinals), address(norms), address(found),
                answer.data,
            ),
            answer,
        )  # fmt: skip
        return found

    def counts(
        self, place: int, leaf: int, ordinals: NDArray[np.uint32], answer: Room
    ) -> NDArray[np.float64]:
        """Return how often a leaf stands in some versions (rising) of a segment, its forms times their factors."""
        found = np.zeros(len(ordinals))
        self._check(
            core.fa_query_counts(
                self._handle, place, leaf, address(ordinals), len(ordinals), address(found), answer.data
            ),
            answer,
        )
        return found

    def scores(self, place: int, ordinals: NDArray[np.uint32], answer: Room) -> NDArray[np.float64]:
        """Return the exact scores of some versions (rising) of a segment, without nearness."""
        found = np.zeros(len(ordinals))
        self._check(
            core.fa_query_scores(
                self._handle, place, address(ordinals), len(ordinals), address(found), answer.data
            ),
            answer,
        )
        return found

    def nearness(self, place: int, ordinal: int, pairs: int, answer: Room) -> NDArray[np.float64]:
        """Return how near the words of each pair stand in a version by element, shape (pairs, KINDS)."""
        found = np.zeros((pairs, KINDS))
        self._check(core.fa_query_nearness(self._handle, place, ordinal, address(found), answer.data), answer)
        return found

    def _check(self, status: int, answer: Room) -> None:
        if status != OK:
            _check(status, answer.told())


def _check(status: int, told: Told) -> None:
    if status == NO_MEMORY:
        raise MemoryError
    if status == CORRUPT:
        raise DamagedError(told.bad_place, told.bad_layer, ARRAYS[told.bad_array])
    raise ValueError(f"the core refused a program: {status}")


_idle: list[Query] = []
_MOST_IDLE = 16


class handle:
    """Lend a handle that nobody else uses, as long as the block of its `with` goes on."""

    __slots__ = ("_query",)

    def __enter__(self) -> Query:
        try:
            self._query = _idle.pop()  # one step, of which no other thread comes between
        except IndexError:
            self._query = Query()
        return self._query

    def __exit__(self, *exc: object) -> None:
        self._query.rest()
        if len(_idle) < _MOST_IDLE:
            _idle.append(self._query)
