"""What a page of results asks the core of the texts of its hits (passages.h): the best passage of each."""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from indexer.core.library import core
from indexer.core.tokens import MAX_WORD, Bytes, check, encoded, numbers, tokenizer


class WantedWords(ctypes.Structure):
    """struct fa_wanted."""

    _fields_ = [
        ("hashes", ctypes.c_void_p),
        ("starts", ctypes.c_void_p),
        ("kind_of", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
        ("kind_count", ctypes.c_size_t),
        ("written", ctypes.c_char_p),
        ("written_size", ctypes.c_size_t),
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


_TEXT, _WANTED, _SNIPPET = Bytes, ctypes.POINTER(WantedWords), ctypes.POINTER(_Snippet)
core.fa_wanted_read.argtypes = [_TEXT, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p, _WANTED]
core.fa_snippet_of.argtypes = [ctypes.c_void_p, _TEXT, _WANTED, ctypes.c_uint32, _SNIPPET]


class SnippetPart(NamedTuple):
    """A piece of a snippet; hit: it is a word of the query."""

    text: str
    hit: bool


as_part = partial(tuple.__new__, SnippetPart)  # without a call in Python
Snippet = tuple[SnippetPart, ...]


class WantedKinds:
    """Words that are looked for, each of a kind; used by any thread."""

    def __init__(self, words: Iterable[str], alike: int, written: Callable[[str], str] = str) -> None:
        """alike: words are of one kind when so many first characters are the same.

        written: how else a word that is not in ASCII may stand in markup than as it is, with letters of ASCII in small.
        """
        spelled = sorted(filter(None, words))
        self._written = told = _joined(spelled)
        if not told.isascii():
            self._written = _joined(dict.fromkeys((*spelled, *map(written, spelled))))
        count = len(spelled)
        self._room = numbers(3 * count + 2 * MAX_WORD + 3)
        self.told = WantedWords()
        check(core.fa_wanted_read(Bytes(told, len(told)), count, alike, self._room, self.told))
        self.told.written, self.told.written_size = self._written, len(self._written)


def _joined(words: Iterable[str]) -> bytes:
    """Return words with a zero byte behind each."""
    joined = encoded("\0".join(words))
    return joined and joined + b"\0"


def snippet(text: bytes, wanted: WantedKinds, sought: int) -> tuple[bool, Snippet]:
    """Return whether a word stands in the best passages of a text, and these.

    See passages.h. Raises MemoryError and ValueError (a text of 2 GB).
    """
    found = _rooms.snippet
    check(core.fa_snippet_of(tokenizer().handle, Bytes(text, len(text)), wanted.told, sought, found))
    return bool(found.has_hits), _parts(ctypes.addressof(found), found.part_count)


class _Rooms(threading.local):
    """What the core writes its answers to: of each thread, for to make it anew each time costs more than the answer."""

    def __init__(self) -> None:
        self.snippet = _Snippet()


_rooms = _Rooms()


def _parts(snippet: int, count: int) -> Snippet:
    """Return the parts of the struct fa_snippet at an address."""
    if not count:
        return ()
    numbers = struct.unpack(f"{2 * count}I", ctypes.string_at(snippet + _Snippet.parts.offset, 8 * count))
    ends, hits = numbers[::2], map(bool, numbers[1::2])
    shown = ctypes.string_at(snippet + _Snippet.text.offset, ends[-1])
    if shown.isascii():  # characters are bytes
        text = shown.decode()
        texts = [text[a:b] for a, b in zip((0, *ends), ends, strict=False)]
    else:
        texts = [shown[a:b].decode("utf-8", "replace") for a, b in zip((0, *ends), ends, strict=False)]
    return tuple(map(as_part, zip(texts, hits, strict=True)))
