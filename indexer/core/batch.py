"""A batch of pages in the core (batch.h): pages are added, then all is inverted to the lists of a segment."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.core.library import core
from indexer.core.lists import ELEMENTS, Bytes, Lists, address_of, check
from indexer.core.tokens import Tokenizer


class _Columns(ctypes.Structure):
    """struct fa_columns."""

    _fields_ = [
        ("words", Bytes),
        ("word_ends", ctypes.c_void_p),
        ("word_count", ctypes.c_size_t),
        ("word", ctypes.c_void_p),
        ("page", ctypes.c_void_p),
        ("element", ctypes.c_void_p),
        ("position", ctypes.c_void_p),
        ("occurrences", ctypes.c_size_t),
        ("pages", ctypes.c_uint32),
    ]


core.fa_batch_new.restype = ctypes.c_void_p
core.fa_batch_free.argtypes = [ctypes.c_void_p]
core.fa_batch_free.restype = None
core.fa_batch_empty.argtypes = [ctypes.c_void_p]
core.fa_batch_empty.restype = None
core.fa_batch_add_columns.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Columns)]
core.fa_batch_add_tokens.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
core.fa_batch_pages.argtypes = [ctypes.c_void_p]
core.fa_batch_pages.restype = ctypes.c_uint32
core.fa_batch_occurrences.argtypes = [ctypes.c_void_p]
core.fa_batch_occurrences.restype = ctypes.c_uint64
core.fa_batch_lengths.argtypes = core.fa_batch_extents.argtypes = [ctypes.c_void_p]
core.fa_batch_lengths.restype = core.fa_batch_extents.restype = Bytes
core.fa_batch_invert.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
core.fa_batch_lists.argtypes = [ctypes.c_void_p]
core.fa_batch_lists.restype = ctypes.c_void_p


class Batch:
    """Pages by number, from 0 on, and the occurrences of their words."""

    def __init__(self) -> None:
        self.handle = core.fa_batch_new()
        if not self.handle:
            raise MemoryError("the core has no memory left")

    def __del__(self) -> None:
        core.fa_batch_free(self.handle)

    def empty(self) -> None:
        """Let all pages go, and lists that came of them; the memory stays for the next pages."""
        core.fa_batch_empty(self.handle)

    def __len__(self) -> int:
        return int(core.fa_batch_pages(self.handle))

    @property
    def occurrences(self) -> int:
        """How many occurrences the pages have together."""
        return int(core.fa_batch_occurrences(self.handle))

    def add_page(self, tokenizer: Tokenizer) -> None:
        """Add a page, whose words the tokenizer holds. Raises OverflowError like `add`."""
        check(core.fa_batch_add_tokens(self.handle, tokenizer.handle))

    def add(
        self,
        words: list[str],
        word: NDArray[np.integer],
        page: NDArray[np.integer],
        element: NDArray[np.integer],
        position: NDArray[np.integer],
        pages: int,
    ) -> None:
        """Add `pages` pages by columns of their occurrences, the pages rising from 0; word: index into words.

        Raises ValueError, OverflowError (more than 65,536 pages, a position of 2^28 or more); the batch is of no use
        then.
        """
        encoded = [spelling.encode("utf-8", "replace") for spelling in words]
        ends = np.cumsum([len(item) for item in encoded], dtype=np.uint32)
        spelled = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        held = [np.ascontiguousarray(column, dtype=np.uint32) for column in (word, page, position)]
        kinds = np.ascontiguousarray(element, dtype=np.uint8)
        if {len(held[0]), len(held[1]), len(held[2])} != {len(kinds)}:
            raise ValueError("columns of different length")
        given = _Columns(
            Bytes(address_of(spelled), len(spelled)),
            address_of(ends),
            len(ends),
            address_of(held[0]),
            address_of(held[1]),
            address_of(kinds),
            address_of(held[2]),
            len(kinds),
            pages,
        )
        check(core.fa_batch_add_columns(self.handle, ctypes.byref(given)))

    def lengths(self) -> NDArray[np.uint32]:
        """Return for each page its occurrences by element."""
        lengths: NDArray[np.uint32] = core.fa_batch_lengths(self.handle).view("<u4").copy()
        return lengths.reshape(-1, ELEMENTS)

    def extents(self) -> NDArray[np.uint32]:
        """Return for each page one more than its greatest position, 0 for one without words."""
        extents: NDArray[np.uint32] = core.fa_batch_extents(self.handle).view("<u4").copy()
        return extents

    def invert(self, languages: NDArray[Any]) -> Lists:
        """Return the lists of all words; nothing can be added any more.

        languages: for each page a number, which below 64 stands for a bit in the column `languages`.
        """
        given = np.ascontiguousarray(languages, dtype=np.uint8)
        if len(given) != len(self):
            raise ValueError(f"{len(given)} languages of {len(self)} pages")
        check(core.fa_batch_invert(self.handle, address_of(given)))
        return Lists(core.fa_batch_lists(self.handle), self)
