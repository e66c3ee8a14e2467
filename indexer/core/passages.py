"""What a page of results asks the core of the texts of its hits (passages.h): what is alike, the best passage."""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from typing import NamedTuple

from indexer.core.library import core
from indexer.core.tokens import WHOLE, Buffer, Bytes, Wanted, check, starts_of, tokenizer

_FEWEST_PLACES = 2
PAGES_AT_ONCE, _PACKED_AT_ONCE = 10, 1 << 20  # each of the first: a page of results; bytes


@lru_cache(maxsize=64)
def _table_type(room: int) -> type[ctypes.Array[ctypes.c_uint64]]:
    return ctypes.c_uint64 * room


class WordRuns:
    """The runs of four words of a text, parted by white space. word_count, run_count: of all, of different ones."""

    def __init__(self, text: bytes) -> None:
        # words of four letters and more need no larger table, and a small one is at hand sooner
        self._room = max(_FEWEST_PLACES, 1 << max(0, len(text) // 2 - 1).bit_length())
        found = ctypes.c_size_t()
        while True:
            self._runs = _table_type(self._room)()
            self.word_count: int = core.fa_word_runs(
                Bytes(text, len(text)), self._runs, self._room, ctypes.byref(found)
            )
            if self.word_count != WHOLE:
                break
            self._room *= 2
        self.run_count = found.value

    def common(self, other: WordRuns) -> int:
        """Return how many runs stand in both texts."""
        found: int = core.fa_common_runs(self._runs, self._room, other._runs, other._room)
        return found


class _Wanted(ctypes.Structure):
    """struct fa_wanted."""

    _fields_ = [
        ("hashes", ctypes.c_void_p),
        ("starts", ctypes.c_void_p),
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


class _StoredPage(ctypes.Structure):
    """struct fa_stored_page."""

    _fields_ = [
        ("packed", Bytes),
        ("known_text", Bytes),
        ("known_description", Bytes),
        ("is_known", ctypes.c_uint32),
        ("shown", ctypes.c_uint32),
        ("is_whole", ctypes.c_uint32),
        ("text", ctypes.c_size_t),
        ("description", ctypes.c_size_t),
        ("end", ctypes.c_size_t),
        ("snippet", _Snippet),
    ]


core.fa_word_runs.argtypes = [Bytes, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t)]
core.fa_word_runs.restype = ctypes.c_size_t
core.fa_common_runs.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]
core.fa_common_runs.restype = ctypes.c_size_t
_TEXT, _WANTED, _SNIPPET = Bytes, ctypes.POINTER(_Wanted), ctypes.POINTER(_Snippet)
core.fa_snippet_of.argtypes = [ctypes.c_void_p, _TEXT, _WANTED, ctypes.c_uint32, _SNIPPET]
core.fa_stored_pages.argtypes = [
    ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(_StoredPage), *[ctypes.c_size_t] * 4, _WANTED, ctypes.c_uint32,
    ctypes.POINTER(Buffer), ctypes.POINTER(ctypes.c_size_t),
]  # fmt: skip
_NOT_PLAIN, _CUT_SHORT, _SHOWN, _FURTHER_ON = range(4)  # enum fa_page_shown
_STORED = struct.Struct("@48x4x2I3N2I")  # struct fa_stored_page, up to the parts of its snippet


class SnippetPart(NamedTuple):
    """A piece of a snippet; hit: it is a word of the query."""

    text: str
    hit: bool


_as_part = partial(tuple.__new__, SnippetPart)  # without a call in Python
Snippet = tuple[SnippetPart, ...]


class WantedKinds:
    """Words that are looked for, each of a kind; used by any thread."""

    def __init__(self, words: Iterable[str], kind: Callable[[str], str]) -> None:
        self._words = Wanted(words)
        names = [kind(word) for word in self._words.words]
        order = {name: number for number, name in enumerate(dict.fromkeys(names))}
        self._kind_of = (ctypes.c_uint32 * len(names))(*[order[name] for name in names])
        self._starts = starts_of(self._words.words)
        self.told = _Wanted(
            ctypes.addressof(self._words.hashes),
            ctypes.addressof(self._starts),
            ctypes.addressof(self._kind_of),
            len(names),
            len(order),
        )


def snippet(text: bytes, wanted: WantedKinds, sought: int) -> tuple[bool, Snippet]:
    """Return whether a word stands in the best passages of a text, and these.

    See passages.h. Raises MemoryError and ValueError (a text of 2 GB).
    """
    found = _rooms.snippet
    check(core.fa_snippet_of(tokenizer().handle, Bytes(text, len(text)), wanted.told, sought, found))
    return bool(found.has_hits), _parts(ctypes.addressof(found), found.part_count)


KnownStart = tuple[bytes, bytes, bool]  # text, description, is_whole of a StoredPage


class StoredPage(NamedTuple):
    """What the start of a page says, whether it is all of it, and the best passages.

    snippet: empty, too, where no word of the query stands in a start that is not all.
    """

    text: bytes
    description: bytes
    is_whole: bool
    snippet: Snippet


def stored_pages(
    page: object,
    members: Iterable[bytes | KnownStart],
    first: int,
    most: int,
    characters: int,
    wanted: WantedKinds,
    sought: int,
) -> Iterator[StoredPage | None]:
    """Give for each of some gzip members, as they lie in an archive, the page in it; None where that is no plain one.

    Of a page whose start was read before, that is given instead of its member, and again.
    page: a reader's. first, most: bytes that are unpacked at first, and where these do not suffice. See passages.h.
    Raises MemoryError.
    """
    for some in _in_parts(members):
        while some:
            told, texts, done = _rooms.pages, Buffer(), ctypes.c_size_t()
            for stored, member in zip(told, some, strict=False):
                stored.is_known = isinstance(member, tuple)
                if isinstance(member, tuple):
                    text, description, stored.is_whole = member
                    stored.known_text = Bytes(text, len(text))
                    stored.known_description = Bytes(description, len(description))
                else:
                    stored.packed = Bytes(member, len(member))
            try:
                check(
                    core.fa_stored_pages(
                        page, tokenizer().handle, told, len(some), first, most, characters, wanted.told, sought, texts,
                        done,
                    )
                )  # fmt: skip
                pages = [
                    _told(stored, texts.data, member)
                    for stored, member in zip(told[: done.value], some, strict=False)
                ]
            finally:
                core.fa_pieces_free(texts)
            yield from pages
            some = some[done.value :]


def _in_parts(members: Iterable[bytes | KnownStart]) -> Iterator[list[bytes | KnownStart]]:
    some: list[bytes | KnownStart] = []
    packed = 0
    for member in members:
        some.append(member)
        packed += len(member)
        if len(some) == PAGES_AT_ONCE or packed > _PACKED_AT_ONCE:
            yield some
            some, packed = [], 0
    yield some


def _told(stored: _StoredPage, texts: int | None, member: bytes | KnownStart) -> StoredPage | None:
    """Return what came of a page. texts: the address of the texts of all, None where all are empty."""
    shown, is_whole, text, description, end, part_count, _ = _STORED.unpack_from(stored)
    if shown in (_NOT_PLAIN, _CUT_SHORT):
        return None
    snippet: Snippet = ()
    if shown == _SHOWN:
        snippet = _parts(ctypes.addressof(stored) + _StoredPage.snippet.offset, part_count)
    if isinstance(member, tuple):
        return StoredPage(*member, snippet)
    return StoredPage(
        ctypes.string_at(texts + text, description - text) if texts else b"",
        ctypes.string_at(texts + description, end - description) if texts else b"",
        bool(is_whole),
        snippet,
    )


class _Rooms(threading.local):
    """What the core writes its answers to: of each thread, for to make it anew each time costs more than the answer."""

    def __init__(self) -> None:
        self.snippet = _Snippet()
        self.pages = (_StoredPage * PAGES_AT_ONCE)()


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
    return tuple(map(_as_part, zip(texts, hits, strict=True)))
