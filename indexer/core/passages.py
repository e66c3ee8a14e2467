"""What a page of results asks the core of the texts of its hits (passages.h): what is alike, the best passage."""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable, Iterable
from functools import lru_cache

from indexer.core.library import core
from indexer.core.tokens import WHOLE, Bytes, Wanted, check, tokenizer

_FEWEST_PLACES = 2


@lru_cache(maxsize=64)
def _table_type(room: int) -> type[ctypes.Array[ctypes.c_uint64]]:
    return ctypes.c_uint64 * room


class WordRuns:
    """The runs of four words of a text, parted by white space. word_count, run_count: of all, of different ones."""

    def __init__(self, text: bytes) -> None:
        self._room = max(_FEWEST_PLACES, 1 << max(0, len(text) - 1).bit_length())
        self._runs = _table_type(self._room)()
        found = ctypes.c_size_t()
        self.word_count: int = core.fa_word_runs(
            Bytes(text, len(text)), self._runs, self._room, ctypes.byref(found)
        )
        assert self.word_count != WHOLE
        self.run_count = found.value

    def common(self, other: WordRuns) -> int:
        """Return how many runs stand in both texts."""
        found: int = core.fa_common_runs(self._runs, self._room, other._runs, other._room)
        return found


class _Wanted(ctypes.Structure):
    """struct fa_wanted."""

    _fields_ = [
        ("hashes", ctypes.c_void_p),
        ("kind_of", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
        ("kind_count", ctypes.c_size_t),
    ]


class _Part(ctypes.Structure):
    """struct fa_snippet_part."""

    _fields_ = [("end", ctypes.c_uint32), ("is_hit", ctypes.c_uint32)]


class _Snippet(ctypes.Structure):
    """struct fa_snippet."""

    _fields_ = [
        ("part_count", ctypes.c_uint32),
        ("has_hits", ctypes.c_uint32),
        ("parts", _Part * 1024),
        ("text", ctypes.c_uint8 * 4096),
    ]


core.fa_word_runs.argtypes = [Bytes, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t)]
core.fa_word_runs.restype = ctypes.c_size_t
core.fa_common_runs.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]
core.fa_common_runs.restype = ctypes.c_size_t
_TEXT, _WANTED, _SNIPPET = Bytes, ctypes.POINTER(_Wanted), ctypes.POINTER(_Snippet)
core.fa_snippet_of.argtypes = [ctypes.c_void_p, _TEXT, _WANTED, ctypes.c_uint32, _SNIPPET]
core.fa_snippet_of_page.argtypes = [
    ctypes.c_void_p, ctypes.c_void_p, _TEXT, ctypes.c_size_t, ctypes.c_size_t, _WANTED, ctypes.c_uint32,
    ctypes.POINTER(ctypes.c_uint32), _SNIPPET, ctypes.POINTER(ctypes.c_uint32),
]  # fmt: skip
NOT_PLAIN, CUT_SHORT, SHOWN, FURTHER_ON = range(4)  # enum fa_page_shown
Parts = list[tuple[str, bool]]  # of a snippet: a text, and whether it is a word


class WantedKinds:
    """Words that are looked for, each of a kind; used by any thread."""

    def __init__(self, words: Iterable[str], kind: Callable[[str], str]) -> None:
        self._words = Wanted(words)
        names = [kind(word) for word in self._words.words]
        order = {name: number for number, name in enumerate(dict.fromkeys(names))}
        self._kind_of = (ctypes.c_uint32 * len(names))(*[order[name] for name in names])
        self.told = _Wanted(
            ctypes.addressof(self._words.hashes), ctypes.addressof(self._kind_of), len(names), len(order)
        )


def snippet(text: bytes, wanted: WantedKinds, sought: int) -> tuple[bool, Parts]:
    """Return whether a word stands in the best passages of a text, and these.

    See passages.h. Raises MemoryError and ValueError (a text of 2 GB).
    """
    found = _room()
    check(core.fa_snippet_of(tokenizer().handle, Bytes(text, len(text)), wanted.told, sought, found))
    return bool(found.has_hits), _parts(found)


def snippet_of_page(
    page: object, member: bytes, whole: int, characters: int, wanted: WantedKinds | None, sought: int
) -> tuple[int, bool, Parts]:
    """Return what came of a page (NOT_PLAIN and others), whether its start is all of it, and the best passages.

    page: a reader's, which then holds the start. wanted: None for no passages. See passages.h. Raises MemoryError.
    """
    found, shown, is_whole = _room(), ctypes.c_uint32(), ctypes.c_uint32()
    check(
        core.fa_snippet_of_page(
            page, tokenizer().handle, Bytes(member, len(member)), whole, characters, wanted and wanted.told, sought,
            shown, found, is_whole,
        )
    )  # fmt: skip
    return shown.value, bool(is_whole.value), _parts(found) if wanted and shown.value == SHOWN else []


def _room() -> _Snippet:
    found: _Snippet | None = getattr(_local, "snippet", None)
    if found is None:
        found = _local.snippet = _Snippet()
    return found


def _parts(found: _Snippet) -> Parts:
    count = found.part_count
    if not count:
        return []
    numbers = struct.unpack_from(f"{2 * count}I", found, _Snippet.parts.offset)
    ends, hits = numbers[::2], map(bool, numbers[1::2])
    shown = bytes(memoryview(found.text)[: ends[-1]])
    if shown.isascii():  # characters are bytes
        text = shown.decode()
        return list(zip([text[a:b] for a, b in zip((0, *ends), ends, strict=False)], hits, strict=True))
    texts = [shown[a:b].decode("utf-8", "replace") for a, b in zip((0, *ends), ends, strict=False)]
    return list(zip(texts, hits, strict=True))


_local = threading.local()
