"""Pages as a test wants them, without markup: with links as in indexer/core/page.h, with pieces of text."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from indexer.text.elements import BODY, MARK
from indexer.text.pages import Bytes, Page


class _Link(ctypes.Structure):
    """struct fa_link."""

    _fields_ = (("href", Bytes), ("text", Bytes))


def page_with_links(links: Sequence[tuple[str, str]]) -> object:
    """Return a pointer to a page that holds nothing but links, (address, text) each."""
    rows = (_Link * len(links))()
    kept = [tuple(part.encode("utf-8", "surrogatepass") for part in link) for link in links]
    for row, (href, text) in zip(rows, kept, strict=True):
        row.href, row.text = _bytes(href), _bytes(text)
    page = Page(links=ctypes.addressof(rows), link_count=len(rows))
    pointer = ctypes.pointer(page)
    pointer.kept = (page, rows, kept)  # type: ignore[attr-defined]  # as long as whoever holds the pointer
    return pointer


def _bytes(data: bytes) -> Bytes:
    return Bytes(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))


def join_pieces(pieces: Sequence[tuple[str, int]]) -> tuple[str, list[int]]:
    """Return (marked, classes) of a PageText from pieces and the elements they belong to."""
    if not pieces:
        return "", [BODY]
    return MARK.join([text.replace(MARK, " ") for text, _ in pieces]), [element for _, element in pieces]
