"""The keys under which words are listed, kept from segment to segment by the core (stems.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from indexer.core.library import core
from indexer.core.lists import Bytes, address_of, check

_FOLDED, _NONE = 0x2000, 64  # FA_FOLDED, the bit of no language
_AT_ONCE = 1 << 15  # words that are asked for at once


class _Words(ctypes.Structure):
    """struct fa_stem_words."""

    _fields_ = [
        ("words", Bytes),
        ("ends", ctypes.c_void_p),
        ("languages", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
    ]


class FoldRules(ctypes.Structure):
    """struct fa_fold_rules."""

    _fields_ = [
        ("plain", ctypes.c_void_p),
        ("spelled_out", ctypes.c_void_p),
        ("strings", Bytes),
        ("folded", Bytes),
        ("paired", Bytes),
    ]

    def __init__(self, letters: Mapping[int, tuple[str, str]], folded: str, paired: str) -> None:
        """letters: for code points what becomes of them without accents, plain and spelled out.

        folded, paired: what stands before such a word, and before the first character of a pair.
        """
        strings = bytearray(1)
        places: dict[str, int] = {}
        tables = np.zeros((2, _FOLDED), dtype=np.uint16)
        for code, ways in letters.items():
            for table, way in zip(tables, ways, strict=True):
                if way not in places:
                    places[way] = len(strings)
                    spelled = way.encode()
                    strings += bytes((len(spelled),)) + spelled
                table[code] = places[way]
        texts = [_array(text) for text in (strings, folded.encode(), paired.encode())]
        self._held = tables, texts
        begin = address_of(tables)
        super().__init__(begin, begin + tables[0].nbytes, *map(_bytes, texts))


class Stemmers(ctypes.Structure):
    """struct fa_stemmers."""

    _fields_ = [
        ("stem", ctypes.c_void_p),
        ("length", ctypes.c_void_p),
        ("languages", ctypes.c_void_p * _NONE),
        ("prefixes", Bytes * _NONE),
    ]

    def __init__(self, library: str, algorithms: Sequence[str], prefixes: Sequence[str]) -> None:
        """library: a file that has the functions of libstemmer; of one without them Python is asked for stems.

        algorithms: of each language, by its bit. prefixes: what stands before stems of the language in names.
        """
        super().__init__()
        self._held = [_array(prefix.encode()) for prefix in prefixes]
        for bit, held in enumerate(self._held):
            self.prefixes[bit] = _bytes(held)
        try:
            functions = ctypes.CDLL(library)
            self.stem, self.length = (
                ctypes.cast(functions[name], ctypes.c_void_p)
                for name in ("sb_stemmer_stem", "sb_stemmer_length")
            )
            new = functions["sb_stemmer_new"]
        except (AttributeError, OSError):
            return
        new.argtypes, new.restype = [ctypes.c_char_p, ctypes.c_char_p], ctypes.c_void_p
        for bit, algorithm in enumerate(algorithms):
            self.languages[bit] = new(algorithm.encode(), b"UTF_8")


_pointer, _size = ctypes.c_void_p, ctypes.c_size_t
_words, _told = ctypes.POINTER(_Words), ctypes.POINTER(ctypes.c_size_t)
core.fa_stems_new.argtypes = [ctypes.POINTER(FoldRules), ctypes.POINTER(Stemmers), _size]
core.fa_stems_new.restype = _pointer
core.fa_stems_free.argtypes = [_pointer]
core.fa_stems_free.restype = None
core.fa_stems_begin.argtypes = [_pointer, _words, _size, _size, _told]
core.fa_stems_ask.argtypes = [_pointer, ctypes.POINTER(ctypes.c_uint32), ctypes.POINTER(Bytes)]
core.fa_stems_tell.argtypes = [_pointer, Bytes]
core.fa_stems_take.argtypes = [_pointer, _words, _size]
core.fa_stems_end.argtypes = [_pointer, _told]
core.fa_stems_rows.argtypes = [_pointer, _pointer, _pointer]
core.fa_stems_rows.restype = None

core.fa_keys_of.argtypes = [Bytes, _pointer, _size, _pointer]


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
    """Keys of words by language; used by one thread at a time."""

    def __init__(
        self,
        rules: FoldRules,
        stemmers: Stemmers,
        stems_of: Callable[[int, list[bytes]], Sequence[bytes]],
        most: int,
    ) -> None:
        """stems_of: tells what `stemmers` do not: from a language, by its bit, and words of it in UTF-8, their stems.

        stemmers: used by nobody else meanwhile. most: bytes to be kept, about.
        """
        self._rules, self._stemmers, self._stems_of = rules, stemmers, stems_of
        self._handle = core.fa_stems_new(ctypes.byref(rules), ctypes.byref(stemmers), most)
        if not self._handle:
            raise MemoryError("the core has no memory left")

    def __del__(self) -> None:
        core.fa_stems_free(self._handle)

    def rows(
        self, words: NDArray[np.uint8], ends: NDArray[np.uint32], languages: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """Return (keys, words) of a segment, by rising key and then by the index of the word.

        words, ends: the words one behind the other in UTF-8, and where each ends; languages: a bit for each language
        that a word occurs in. Words with other letters than ASCII have keys by their letters alone as well, numbers and
        other words of ASCII that are not all letters have none. A key that stands for the word itself is left out when
        no other word has it. Raises ValueError.
        """
        held = (np.ascontiguousarray(words), np.ascontiguousarray(ends), np.ascontiguousarray(languages))
        if len(ends) != len(languages):
            raise ValueError(f"{len(ends)} words, {len(languages)} sets of languages")
        given = _Words(_bytes(held[0]), address_of(held[1]), address_of(held[2]), len(ends))
        first, reached = 0, _size()
        while first < len(ends):
            check(
                core.fa_stems_begin(self._handle, ctypes.byref(given), first, _AT_ONCE, ctypes.byref(reached))
            )
            self._learn()
            check(core.fa_stems_take(self._handle, ctypes.byref(given), first))
            first = reached.value
        check(core.fa_stems_end(self._handle, ctypes.byref(reached)))
        keys, rows = np.empty(reached.value, dtype=np.uint64), np.empty(reached.value, dtype=np.uint32)
        core.fa_stems_rows(self._handle, address_of(keys), address_of(rows))
        return keys, rows

    def _learn(self) -> None:
        """Have those words in hand stemmed that are not known."""
        bit, spelled = ctypes.c_uint32(), Bytes()
        while True:
            check(core.fa_stems_ask(self._handle, ctypes.byref(bit), ctypes.byref(spelled)))
            if bit.value == _NONE:
                return
            words = ctypes.string_at(spelled.data, spelled.size).split(b"\0")
            stems = _array(b"\0".join(self._stems_of(bit.value, words)))
            check(core.fa_stems_tell(self._handle, _bytes(stems)))


def _array(held: bytes | bytearray) -> NDArray[np.uint8]:
    return np.frombuffer(held, dtype=np.uint8)


def _bytes(held: NDArray[np.uint8]) -> Bytes:
    """Return where some bytes are, which the caller holds."""
    return Bytes(address_of(held), len(held))
