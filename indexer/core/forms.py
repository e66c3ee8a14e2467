"""The spellings that a word stands for in all segments of an index, looked up by the core (forms.h)."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from ctypes import (
    POINTER,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_uint32,
    c_uint64,
    c_void_p,
    string_at,
)
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import indexer.core.tokens  # noqa: F401  # sets the secret of all tables of words
from indexer.core.library import CORRUPT, NO_MEMORY, OK, core
from indexer.core.lists import address_of
from indexer.core.queries import FORM, Array, DamagedError
from indexer.core.stems import Stemmers

ARRAYS = ("word_sizes", "word_great", "word_marks", "words", "word_ids", "stem_keys", "stem_words")
FOLD, ALWAYS, WAYS = 62, 63, 64  # ways beside those of stems, and the number of all
NO_WORD = 0xFFFFFFFF
FORM_BYTES = struct.calcsize(FORM)


class Dictionary(ctypes.Structure):
    """fa_dictionary; keep: what its pointers lead to."""

    _fields_ = (*((name, Array) for name in ARRAYS), ("ways", c_void_p), ("languages", c_uint64))
    keep: tuple[object, ...]


class Dictionaries:
    """The dictionaries of all layers of an index: two for each segment, None where there is no second layer.

    stems: the ways of stems that any of them has.
    """

    def __init__(self, layers: Sequence[Dictionary | None]) -> None:
        self.layers = layers
        self.pointers = (c_void_p * len(layers))(*(ctypes.addressof(one) if one else None for one in layers))
        ways = frozenset().union(*(string_at(one.ways, one.languages) for one in layers if one))
        self.stems = sorted(way for way in ways if way < FOLD)
        self.ways_of_stems = bytes(self.stems)

    def __len__(self) -> int:
        return len(self.layers)


class _Strings(ctypes.Structure):
    """fa_strings"""

    _fields_ = (("data", c_char_p), ("ends", c_char_p), ("count", c_uint64))


class _Found(ctypes.Structure):
    """fa_forms_found"""

    _fields_ = (
        ("spellings", c_void_p), ("ends", c_void_p), ("ways", c_void_p), ("count", c_uint64),
        ("bad_place", c_uint32), ("bad_array", c_uint32),
    )  # fmt: skip


class _Made(ctypes.Structure):
    """fa_forms_made"""

    _fields_ = (
        *((name, c_void_p) for name in ("forms", "ends", "sets", "used")),
        *((name, c_uint64) for name in ("form_count", "set_bytes", "used_bytes")),
    )  # fmt: skip


core.fa_forms_new.argtypes, core.fa_forms_new.restype = (), c_void_p
core.fa_forms_free.argtypes, core.fa_forms_free.restype = (c_void_p,), None
core.fa_forms_find.argtypes = (
    c_void_p, c_void_p, c_uint32, POINTER(_Strings), POINTER(_Strings), c_char_p, c_uint32, POINTER(_Found),
)  # fmt: skip
core.fa_forms_find.restype = c_int
core.fa_forms_numbers.argtypes = (
    c_void_p, c_uint32, POINTER(_Strings), c_void_p, POINTER(c_uint32), POINTER(c_uint32),
)  # fmt: skip
core.fa_forms_numbers.restype = c_int
core.fa_forms_make.argtypes = (c_void_p, c_void_p, c_double, c_double, POINTER(_Made))
core.fa_forms_make.restype = c_int
core.fa_forms_stemmed.argtypes = (
    c_void_p, c_void_p, c_uint32, POINTER(_Strings), POINTER(Stemmers), c_char_p, ctypes.c_size_t, c_char_p, c_uint32,
    c_double, POINTER(_Found), POINTER(_Made),
)  # fmt: skip


class Forms(NamedTuple):
    """Forms of a word as a leaf of a program has them, and the spellings of which there is one."""

    forms: bytes
    ends: bytes
    sets: bytes
    spellings: frozenset[str]


def strings(given: Sequence[str]) -> _Strings:
    """Return some strings as the core reads them."""
    encoded = [one.encode("utf-8", "replace") for one in given]
    ends = struct.pack(f"<{len(encoded)}I", *accumulate(map(len, encoded)))
    return _Strings(b"".join(encoded), ends, len(encoded))  # which keeps what it is made of


def numbers_of(dictionaries: Dictionaries, words: Sequence[str]) -> list[tuple[int, ...]]:
    """Return for each dictionary the numbers of some words in it, NO_WORD where it does not hold one.

    Raises DamagedError.
    """
    return list(map(tuple, numbers_in(dictionaries, words).tolist()))


def numbers_in(dictionaries: Dictionaries, words: Sequence[str]) -> NDArray[np.uint32]:
    """Return the same as a row for each dictionary."""
    room = np.empty((len(dictionaries), len(words)), dtype=np.uint32)
    bad_place, bad_array = c_uint32(), c_uint32()
    status = core.fa_forms_numbers(
        dictionaries.pointers,
        len(dictionaries),
        byref(strings(words)),
        address_of(room),
        byref(bad_place),
        byref(bad_array),
    )
    _check(status, bad_place.value, bad_array.value)
    return room


class Lookup:
    """What may go together with a word. spellings: those given and those found; ways: a bit for each by which."""

    def __init__(
        self,
        dictionaries: Dictionaries,
        names: _Strings,
        given: Sequence[str],
        ways: Sequence[tuple[int, int]],
    ) -> None:
        """names: for each way how the names begin under which words are listed.

        given: the word, and others, none twice; ways: (way, number of one of those given whose name is looked for).
        Raises DamagedError.
        """
        self._handle = core.fa_forms_new()
        if not self._handle:
            raise MemoryError
        self._dictionaries = dictionaries
        found = _Found()
        status = core.fa_forms_find(
            self._handle, dictionaries.pointers, len(dictionaries), byref(names), byref(strings(given)),
            struct.pack(f"<{2 * len(ways)}I", *chain.from_iterable(ways)), len(ways), byref(found),
        )  # fmt: skip
        _check(status, found.bad_place, found.bad_array)
        count = self._count = int(found.count)
        bounds = (0, *_numbers(found.ends, "I", count))
        letters = string_at(found.spellings, bounds[-1])
        self.spellings = [letters[a:b].decode("utf-8", "replace") for a, b in pairwise(bounds)]
        self.ways = _numbers(found.ways, "Q", count)

    def __del__(self) -> None:
        core.fa_forms_free(self._handle)

    def forms(self, ways: Sequence[int], fold: float, others: float) -> Forms:
        """Return the forms of what belongs to the word: by spelling, by which ways it does; the word itself does.

        fold, others: what occurrences count for of spellings with other accents, and of those with the same stem.
        """
        made = _Made()
        given = struct.pack(f"<{self._count}Q", *ways)
        _check(core.fa_forms_make(self._handle, given, fold, others, byref(made)))
        return _forms(made, self._dictionaries)


def stemmed_forms(
    dictionaries: Dictionaries, names: _Strings, stemmers: Stemmers, word: str, others: float
) -> Forms:
    """Return the forms of a word of letters: of itself, and of all words that have the same stem in some language.

    names, others: as for a Lookup. stemmers: used by nobody else meanwhile. Raises DamagedError.
    """
    handle, found, made = core.fa_forms_new(), _Found(), _Made()
    if not handle:
        raise MemoryError
    try:
        letters, ways = word.encode("utf-8", "replace"), dictionaries.ways_of_stems
        status = core.fa_forms_stemmed(
            handle, dictionaries.pointers, len(dictionaries.layers), byref(names), byref(stemmers), letters,
            len(letters), ways, len(ways), others, byref(found), byref(made),
        )  # fmt: skip
        if status != OK:
            _check(status, found.bad_place, found.bad_array)
        return _forms(made, dictionaries)
    finally:
        core.fa_forms_free(handle)


def _forms(made: _Made, dictionaries: Dictionaries) -> Forms:
    spellings = string_at(made.used, made.used_bytes).decode("utf-8", "replace") if made.used_bytes else ""
    return Forms(
        string_at(made.forms, FORM_BYTES * made.form_count),
        string_at(made.ends, 4 * len(dictionaries.layers)),
        string_at(made.sets, made.set_bytes) if made.set_bytes else b"",
        frozenset(spellings.split("\0")) if spellings else frozenset(),
    )


_SIZES = {"I": 4, "Q": 8}


def _numbers(place: int, kind: str, count: int) -> tuple[int, ...]:
    # of one that was used before, struct has the layout at hand
    return struct.unpack(f"<{count}{kind}", string_at(place, count * _SIZES[kind]))


def _check(status: int, place: int = 0, array: int = 0) -> None:
    if status == NO_MEMORY:
        raise MemoryError
    if status == CORRUPT:
        raise DamagedError(place // 2, place % 2, ARRAYS[array])
    if status != OK:
        raise ValueError(f"the core refused a word: {status}")
