"""The keys under which words are listed, kept from segment to segment by the core (stems.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexer.core.library import core
from indexer.core.lists import Bytes, address_of, check

SPELLING_BIT = 63  # stands for all languages
_AT_ONCE = 1 << 15  # words that are asked for at once


class _Words(ctypes.Structure):
    """struct fa_stem_words."""

    _fields_ = [
        ("words", Bytes),
        ("ends", ctypes.c_void_p),
        ("languages", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
    ]


_pointer, _size = ctypes.c_void_p, ctypes.c_size_t
_words, _told = ctypes.POINTER(_Words), ctypes.POINTER(ctypes.c_size_t)
core.fa_stems_new.argtypes = [_size]
core.fa_stems_new.restype = _pointer
core.fa_stems_free.argtypes = [_pointer]
core.fa_stems_free.restype = None
core.fa_stems_missing.argtypes = [_pointer, _words, _size, _pointer, _pointer, _size, _told, _told]
core.fa_stems_spell.argtypes = [_words, _pointer, _size, _pointer]
core.fa_stems_spell.restype = _size
core.fa_stems_put.argtypes = [
    *(_pointer, _words, ctypes.c_uint),
    *(_pointer, _pointer, _size),
    *(Bytes, Bytes, _pointer, _size),
]
core.fa_stems_take.argtypes = [_pointer, _words, _size, _size]
core.fa_stems_end.argtypes = [_pointer, _told]
core.fa_stems_rows.argtypes = [_pointer, _pointer, _pointer]
core.fa_stems_rows.restype = None

core.fa_keys_of.argtypes = [Bytes, _pointer, _size, _pointer]


class Names(NamedTuple):
    """What some words are listed under. names: of their keys, in UTF-8, one word behind the other, behind `prefix`.

    counts: how many names each word has, at most 15.
    """

    prefix: str
    names: Sequence[bytes]
    counts: bytes


def keys_of(names: Sequence[str], prefix: str = "") -> NDArray[np.uint64]:
    """Return for each name behind the prefix the first 8 bytes of its MD5 as a big-endian number."""
    joined = prefix.join(("", *names))
    if joined.isascii():
        spelled, sizes = joined.encode("ascii"), map(len, names)
    else:
        encoded = [name.encode("utf-8", "surrogatepass") for name in names]
        begin = prefix.encode()
        spelled, sizes = begin.join((b"", *encoded)), map(len, encoded)
    more = np.uint32(len(prefix.encode()))
    ends = np.cumsum(np.fromiter(sizes, dtype=np.uint32, count=len(names)) + more, dtype=np.uint32)
    data = np.frombuffer(spelled, dtype=np.uint8)
    keys = np.empty(len(names), dtype=np.uint64)
    check(core.fa_keys_of(Bytes(address_of(data), len(data)), address_of(ends), len(ends), address_of(keys)))
    return keys


class StemTable:
    """Keys of words by language, by the names that `names_of` tells once for each; used by one thread at a time."""

    def __init__(self, names_of: Callable[[int, list[bytes]], Names], most: int) -> None:
        """names_of: from a language, by its bit, and words of it in UTF-8, to the names of their keys.

        most: bytes to be kept, about.
        """
        self._names_of = names_of
        self._handle = core.fa_stems_new(most)
        if not self._handle:
            raise MemoryError("the core has no memory left")

    def __del__(self) -> None:
        core.fa_stems_free(self._handle)

    def rows(
        self, words: NDArray[np.uint8], ends: NDArray[np.uint32], languages: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """Return (keys, words) of a segment, by rising key and then by the index of the word.

        words, ends: the words one behind the other in UTF-8, and where each ends; languages: a bit for each language
        that a word occurs in. Words with other letters than ASCII have those of SPELLING_BIT as well, numbers and other
        words of ASCII that are not all letters have none. A key that stands for the word itself is left out when no
        other word has it. Raises ValueError.
        """
        held = (np.ascontiguousarray(words), np.ascontiguousarray(ends), np.ascontiguousarray(languages))
        if len(ends) != len(languages):
            raise ValueError(f"{len(ends)} words, {len(languages)} sets of languages")
        spelled = Bytes(address_of(held[0]), len(words))
        given = _Words(spelled, address_of(held[1]), address_of(held[2]), len(ends))
        first = 0
        while first < len(ends):
            last = self._learn(given, first)
            check(core.fa_stems_take(self._handle, ctypes.byref(given), first, last))
            first = last
        count = _size()
        check(core.fa_stems_end(self._handle, ctypes.byref(count)))
        keys, rows = np.empty(count.value, dtype=np.uint64), np.empty(count.value, dtype=np.uint32)
        core.fa_stems_rows(self._handle, address_of(keys), address_of(rows))
        return keys, rows

    def _learn(self, given: _Words, first: int) -> int:
        """Ask for the keys of those words from `first` on that nothing is known of; return up to where."""
        rows, bits = np.empty(_AT_ONCE, dtype=np.uint32), np.empty(_AT_ONCE, dtype=np.uint8)
        found, reached = ctypes.c_size_t(), ctypes.c_size_t()
        check(
            core.fa_stems_missing(
                self._handle,
                ctypes.byref(given),
                first,
                address_of(rows),
                address_of(bits),
                _AT_ONCE,
                ctypes.byref(found),
                ctypes.byref(reached),
            )
        )
        rows, bits = rows[: found.value], bits[: found.value]
        for bit in np.flatnonzero(np.bincount(bits)).tolist():  # np.unique would import numpy.ma
            of_bit = rows[bits == bit]
            words = _spelled(given, of_bit)
            if len(words) == len(of_bit):
                self._put(given, of_bit, bit, self._names_of(bit, words))
                continue
            for row in of_bit:  # of a damaged index: words have no zero bytes
                one = of_bit[of_bit == row]
                self._put(given, one, bit, self._names_of(bit, [b"\0".join(_spelled(given, one))]))
        return reached.value

    def _put(self, given: _Words, rows: NDArray[np.uint32], bit: int, told: Names) -> None:
        prefix, names = told.prefix.encode(), b"".join(told.names)
        ends = np.cumsum(
            np.fromiter(map(len, told.names), dtype=np.uint32, count=len(told.names)), dtype=np.uint32
        )
        check(
            core.fa_stems_put(
                *(self._handle, ctypes.byref(given), bit),
                *(address_of(rows), address_of(np.frombuffer(told.counts, dtype=np.uint8)), len(rows)),
                *(_bytes(prefix), _bytes(names), address_of(ends), len(ends)),
            )
        )


def _bytes(held: bytes) -> Bytes:
    """Return where some bytes are, which the caller holds."""
    return Bytes(address_of(np.frombuffer(held, dtype=np.uint8)), len(held))


def _spelled(given: _Words, rows: NDArray[np.uint32]) -> list[bytes]:
    """Return the words of some rows in sound UTF-8; more than there are rows when one has a zero byte."""
    place = address_of(rows)
    size = core.fa_stems_spell(ctypes.byref(given), place, len(rows), None)
    room = np.empty(max(size, 1), dtype=np.uint8)
    core.fa_stems_spell(ctypes.byref(given), place, len(rows), address_of(room))
    spelled = room[: max(size - 1, 0)].tobytes()
    try:
        spelled.decode()
    except UnicodeDecodeError:  # of a damaged index
        spelled = spelled.decode("utf-8", "replace").encode()
    return spelled.split(b"\0")
