"""Pages as they lie in archives: what they begin with, and their best passages (stored_pages.h)."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from indexer.core.library import core
from indexer.core.passages import Snippet, WantedKinds, WantedWords, as_part
from indexer.core.tokens import Buffer, check, tokenizer

PAGES_AT_ONCE, _PACKED_AT_ONCE = 10, 1 << 20  # each of the first: a page of results; bytes


class _Depth(ctypes.Structure):
    """struct fa_depth."""

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


_TOLD = struct.Struct("=6I")  # struct fa_page_told
_NOT_PLAIN, _CUT_SHORT, _SHOWN, _FURTHER_ON = range(4)  # enum fa_page_shown
core.fa_stored_pages.argtypes = [
    ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(_Page), ctypes.c_size_t, ctypes.POINTER(_Depth),
    ctypes.POINTER(WantedWords), ctypes.c_uint32, ctypes.c_void_p, ctypes.POINTER(Buffer),
    ctypes.POINTER(ctypes.c_size_t),
]  # fmt: skip

KnownStart = tuple[bytes, bytes, bool]  # text, description, is_whole of a StoredPage


class StoredPage(NamedTuple):
    """What the start of a page says, whether it is all of it, and the best passages.

    snippet: empty, too, where no word of the query stands in a start that is not all, and it was not looked further.
    """

    text: bytes
    description: bytes
    is_whole: bool
    snippet: Snippet


class Depth(NamedTuple):
    """How far into pages is looked: bytes of a record that are unpacked, and where these do not suffice: rising.

    characters: of markup that a page starts with. markup: bytes of it that are ever looked at, fewer than `most`.
    """

    first: int
    more: int
    most: int
    characters: int
    markup: int


def stored_pages(
    page: object,
    members: Iterable[tuple[bytes, KnownStart | None]],
    depth: Depth,
    wanted: WantedKinds,
    sought: int,
) -> Iterator[StoredPage | None]:
    """Give for each of some gzip members, as they lie in an archive, the page in it; None where that is no plain one.

    Of a page whose start was read before, that comes with its member and is given again; the member is b"" where it is
    not to be looked further than the start. page: a reader's. Raises MemoryError.
    """
    for some in _in_parts(members):
        while some:
            pages = _some_pages(page, some, _Depth(*depth), wanted, sought)
            yield from pages
            some = some[len(pages) :]


_Member = tuple[bytes, KnownStart | None]


def _in_parts(members: Iterable[_Member]) -> Iterator[list[_Member]]:
    some: list[_Member] = []
    packed = 0
    for member in members:
        some.append(member)
        packed += len(member[0])
        if len(some) == PAGES_AT_ONCE or packed > _PACKED_AT_ONCE:
            yield some
            some, packed = [], 0
    yield some


def _some_pages(
    page: object, members: Sequence[_Member], depth: _Depth, wanted: WantedKinds, sought: int
) -> list[StoredPage | None]:
    """Return what `stored_pages` says of the first of some members, as many as the core takes at once."""
    count = len(members)
    rows = [
        _Page(packed, len(packed), known[0], len(known[0]), known[1], len(known[1]), 1, known[2])
        if known
        else _Page(packed, len(packed))
        for packed, known in members
    ]
    told, answer, done = ctypes.create_string_buffer(count * _TOLD.size), Buffer(), ctypes.c_size_t()
    try:
        check(
            core.fa_stored_pages(
                page, tokenizer().handle, (_Page * count)(*rows), count, depth, wanted.told, sought, told, answer, done
            )
        )  # fmt: skip
        data = ctypes.string_at(answer.data, answer.size) if answer.size else b""
    finally:
        core.fa_pieces_free(answer)
    return _read_answer(list(_TOLD.iter_unpack(told))[: done.value], data, members)


def _read_answer(
    told: Sequence[tuple[int, ...]], data: bytes, members: Sequence[_Member]
) -> list[StoredPage | None]:
    """Return the pages of an answer of the core."""
    _, _, texts, descriptions, passages, counts = zip(*told, strict=True)
    begin = sum(texts) + sum(descriptions)
    parts = _read_parts(data[begin:], sum(passages), sum(counts))
    pages: list[StoredPage | None] = []
    at = begin = 0
    for (shown, is_whole, text, description, _, count), (_, known) in zip(told, members, strict=False):
        snippet = parts[at : at + count] if count else ()
        at += count
        if shown in (_NOT_PLAIN, _CUT_SHORT):
            pages.append(None)
        elif known:
            pages.append(StoredPage(*known, snippet))
        else:
            middle, end = begin + text, begin + text + description
            pages.append(StoredPage(data[begin:middle], data[middle:end], bool(is_whole), snippet))
            begin = end
    return pages


def _read_parts(data: bytes, size: int, count: int) -> Snippet:
    """Return the parts of snippets. data: their texts, of so many bytes; where each part ends; what each is."""
    text = data[:size].decode("utf-8", "replace")
    ends = struct.unpack_from(f"={count}I", data, size)
    texts = [text[begin:end] for begin, end in pairwise((0, *ends))]
    return tuple(map(as_part, zip(texts, map(bool, data[size + 4 * count :]), strict=True)))
