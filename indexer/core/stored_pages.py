"""Pages as they lie in archives: what they begin with, and their best passages (stored_pages.h)."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator, Sequence
from functools import partial
from operator import methodcaller
from typing import NamedTuple

from indexer.core.library import core
from indexer.core.passages import Snippet, WantedKinds, WantedWords, as_part
from indexer.core.tokens import Buffer, check, tokenizer

_PACKED_AT_ONCE = 1 << 20  # bytes


class Depth(ctypes.Structure):
    """How far into pages is looked (struct fa_depth).

    first, more, most: bytes of a record that are unpacked, and where these do not suffice: rising. characters: of
    markup that a page starts with. markup: bytes of it that are ever looked at, fewer than `most`.
    """

    _fields_ = [(name, ctypes.c_size_t) for name in ("first", "more", "most", "characters", "markup")]


class _Page(ctypes.Structure):
    """struct fa_stored_page."""

    _fields_ = [
        ("packed", ctypes.c_char_p),
        ("packed_size", ctypes.c_size_t),
        ("text", ctypes.c_char_p),
        ("text_size", ctypes.c_size_t),
        ("description", ctypes.c_char_p),
        ("description_size", ctypes.c_size_t),
        ("is_known", ctypes.c_uint32),
        ("is_whole", ctypes.c_uint32),
    ]


_TOLD = struct.Struct("=I?3x3I")  # struct fa_page_told
_SHOWN = 2  # enum fa_page_shown: from there on something came of a page
core.fa_stored_pages.argtypes = [
    ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(_Page), ctypes.c_size_t, ctypes.POINTER(Depth),
    ctypes.POINTER(WantedWords), ctypes.c_uint32, ctypes.c_void_p, ctypes.POINTER(Buffer),
    ctypes.POINTER(ctypes.c_size_t),
]  # fmt: skip


class PageStart(NamedTuple):
    """What the start of a page says, as UTF-8.

    is_whole: that is all of the page.
    """

    text: bytes
    description: bytes
    is_whole: bool


_as_start = partial(tuple.__new__, PageStart)  # without a call in Python
_as_text = methodcaller("decode", "utf-8", "replace")


def stored_pages(
    page: object,
    members: Iterator[bytes],
    known: Sequence[PageStart | None],
    depth: Depth,
    wanted: WantedKinds,
    sought: int,
    *,
    further: bool = False,
) -> list[tuple[PageStart, Snippet] | None]:
    """Return for each of some gzip members, as they lie in an archive, what is in it; None where that is no plain page.

    That is what the page starts with, and its best passages: none, too, where no word of the query stands in a start
    that is not all, and it was not looked further. known: of each page, its start if it was read before, which is then
    given again; such a page is among `members` only to be looked `further` than the start, others always. page: a
    reader's. Raises MemoryError.
    """
    pages: list[tuple[PageStart, Snippet] | None] = []
    rows: list[_Page] = []
    packed = 0
    for start in known:
        if start is None:
            member = next(members)
            size = len(member)
            rows.append(_Page(member, size))
        else:
            text, description, is_whole = start
            member = next(members) if further else b""
            size = len(member)
            rows.append(_Page(member, size, text, len(text), description, len(description), 1, is_whole))
        packed += size
        if packed > _PACKED_AT_ONCE:
            pages += _pages_of(rows, page, known[len(pages) :], depth, wanted, sought)
            rows, packed = [], 0
    return pages + _pages_of(rows, page, known[len(pages) :], depth, wanted, sought)


def _pages_of(
    rows: Sequence[_Page],
    page: object,
    known: Sequence[PageStart | None],
    depth: Depth,
    wanted: WantedKinds,
    sought: int,
) -> list[tuple[PageStart, Snippet] | None]:
    """Return what `stored_pages` says of some pages; the core may take fewer at once. known: at least of these."""
    pages: list[tuple[PageStart, Snippet] | None] = []
    while len(pages) < len(rows):
        left = rows[len(pages) :]
        count = len(left)
        given = (_Page * count)(*left)
        told, answer, done = ctypes.create_string_buffer(count * _TOLD.size), Buffer(), ctypes.c_size_t()
        try:
            check(
                core.fa_stored_pages(
                    page, tokenizer().handle, given, count, depth, wanted.told, sought, told, answer, done
                )
            )
            data = ctypes.string_at(answer.data, answer.size) if answer.size else b""
        finally:
            core.fa_pieces_free(answer)
        pages += _read_answer(
            _TOLD.iter_unpack(told.raw[: done.value * _TOLD.size]), data, known[len(pages) :]
        )
    return pages


def _read_answer(
    told: Iterator[tuple[int, ...]], data: bytes, known: Sequence[PageStart | None]
) -> list[tuple[PageStart, Snippet] | None]:
    """Return the pages of an answer of the core. known: at least of these."""
    rows = list(told)
    _, _, _, begin, count = rows[-1]
    end = len(data) - count
    parts: Snippet = ()
    if count:
        texts = data[begin:end].split(b"\xff")
        parts = tuple(map(as_part, zip(map(_as_text, texts), map(bool, data[end:]), strict=True)))
    pages: list[tuple[PageStart, Snippet] | None] = []
    begin = first = 0
    for (shown, is_whole, middle, end, last), start in zip(rows, known, strict=False):
        if shown < _SHOWN:
            pages.append(None)
            continue
        if start is None:
            start = _as_start((data[begin:middle], data[middle:end], is_whole))
            begin = end
        pages.append((start, parts[first:last]))
        first = last
    return pages
