"""The links of a batch in the core (links.h): a page is handed over, what is new of its addresses is asked back."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexer.core.library import core
from indexer.core.lists import Bytes, address_of, check


class _Columns(ctypes.Structure):
    """struct fa_link_columns."""

    _fields_ = [(name, Bytes) for name in ("targets", "texts", "sources", "spelled", "text_ends")]


class _Table(ctypes.Structure):
    """struct fa_link_table."""

    _fields_ = [(name, Bytes) for name in ("targets", "edges", "texts", "links", "sources")]


class _Part(ctypes.Structure):
    """struct fa_link_part."""

    _fields_ = [
        *_Table._fields_,
        *(
            (name, ctypes.c_uint32)
            for name in ("edge_size", "text_size", "link_size", "versions", "text_count")
        ),
        ("places", ctypes.c_void_p),
        ("numbers", ctypes.c_void_p),
    ]


core.fa_links_new.restype = ctypes.c_void_p
core.fa_links_free.argtypes = [ctypes.c_void_p]
core.fa_links_free.restype = None
core.fa_links_ask.argtypes = [
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_uint32,
    Bytes,
    ctypes.c_uint32,
    ctypes.POINTER(Bytes),
]
core.fa_links_add.argtypes = [
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_uint32,
    ctypes.c_uint64,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_size_t,
]
core.fa_links_columns.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Columns)]
core.fa_links_columns.restype = None
core.fa_link_rows_new.restype = ctypes.c_void_p
core.fa_link_rows_free.argtypes = [ctypes.c_void_p]
core.fa_link_rows_free.restype = None
core.fa_link_rows_sort.argtypes = [*[ctypes.c_void_p] * 4, ctypes.c_size_t]
core.fa_link_rows_join.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Part), ctypes.c_size_t]
core.fa_link_rows_table.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Table)]
core.fa_link_rows_table.restype = None


def addresses_in(asked: Bytes) -> list[str]:
    """Return the addresses that the core asks for."""
    if not asked.size:
        return []
    return ctypes.string_at(asked.data, asked.size - 1).decode("utf-8", "replace").split("\0")


class BatchLinks:
    """Links by the number of their target, the pages by ordinals."""

    def __init__(self) -> None:
        self.handle = core.fa_links_new()
        if not self.handle:
            raise MemoryError("the core has no memory left")

    def __del__(self) -> None:
        core.fa_links_free(getattr(self, "handle", None))

    def ask(self, page: object, folder: int, ordinal: int, folder_key: bytes = b"") -> list[str]:
        """Return the addresses of a page, without fragments, that the core cannot explain; each once in its folder.

        page: a pointer to struct fa_page. folder: a number for what its addresses are relative to. folder_key: the sort
        key of that, b"" where nothing can be put behind it as it is. ordinal: no other page's. `add` has to follow.
        Raises MemoryError, OverflowError (4 GB of addresses).
        """
        asked = Bytes()
        key = Bytes(ctypes.cast(ctypes.c_char_p(folder_key), ctypes.c_void_p), len(folder_key))
        check(core.fa_links_ask(self.handle, page, folder, key, ordinal, ctypes.byref(asked)))
        return addresses_in(asked)

    def add(self, page: object, ordinal: int, own: int | None, targets: Sequence[int | None] = ()) -> None:
        """Add the links of the page that was asked for last, but for those to itself and to what is no page.

        own: the number of the page itself, None for none. targets: for each address asked for the number of what it
        leads to, None for what is no page.
        """
        numbers = (ctypes.c_uint64 * len(targets))(*[target or 0 for target in targets])
        are_pages = bytes(target is not None for target in targets)
        check(core.fa_links_add(self.handle, page, ordinal, own or 0, numbers, are_pages, len(targets)))

    def columns(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]:
        """Return (target, text, source), a row a link: its target's number, index of its text, ordinal of its page.

        They are valid until more links are added.
        """
        told = self._told()
        return told.targets.view("<u8"), told.texts.view("<u4"), told.sources.view("<u4")

    def texts(self) -> list[bytes]:
        """Return the texts that the columns count, in UTF-8."""
        told = self._told()
        spelled = ctypes.string_at(told.spelled.data, told.spelled.size) if told.spelled.size else b""
        ends = told.text_ends.view("<u4").tolist()
        texts = [spelled[low:high] for low, high in zip([0, *ends], ends, strict=False)]
        try:
            spelled.decode()
        except UnicodeDecodeError:
            return [text.decode("utf-8", "replace").encode() for text in texts]
        return texts

    def _told(self) -> _Columns:
        told = _Columns()
        core.fa_links_columns(self.handle, ctypes.byref(told))
        return told


class LinkTable(NamedTuple):
    """Links by target, text and page, each once: the columns of a file of links (link_rows.h)."""

    targets: NDArray[np.uint64]
    edges: NDArray[np.unsignedinteger[Any]]  # of each target
    texts: NDArray[np.unsignedinteger[Any]]  # of each edge
    links: NDArray[np.unsignedinteger[Any]]  # of each edge
    sources: NDArray[np.uint16]


class LinkRows:
    """Makes a LinkTable, once; the table is valid as long as this lives."""

    def __init__(self) -> None:
        self._handle = core.fa_link_rows_new()
        if not self._handle:
            raise MemoryError("the core has no memory left")

    def __del__(self) -> None:
        core.fa_link_rows_free(getattr(self, "_handle", None))

    def sorted(self, links: BatchLinks) -> LinkTable:
        """Return the links of a batch. Raises ValueError for an ordinal above 65535."""
        targets, texts, sources = links.columns()
        given = address_of(targets), address_of(texts), address_of(sources)
        check(core.fa_link_rows_sort(self._handle, *given, len(targets)))
        return self._table()

    def joined(
        self,
        tables: Sequence[LinkTable],
        places: Sequence[NDArray[np.int32]],
        numbers: Sequence[NDArray[np.uint32]],
    ) -> LinkTable:
        """Return the links of several files as those of one. Raises ValueError for what does not fit.

        places, numbers: for each of them the new ordinal of each version, -1 for one that is dropped, and of each text.
        """
        parts = (_Part * len(tables))()
        for part, table, place, number in zip(parts, tables, places, numbers, strict=True):
            for name in LinkTable._fields:
                column: NDArray[Any] = getattr(table, name)
                setattr(part, name, Bytes(address_of(column), column.nbytes))
            part.edge_size, part.text_size = table.edges.itemsize, table.texts.itemsize
            part.link_size = table.links.itemsize
            part.versions, part.text_count = len(place), len(number)
            part.places, part.numbers = address_of(place), address_of(number)
        check(core.fa_link_rows_join(self._handle, parts, len(parts)))
        return self._table()

    def _table(self) -> LinkTable:
        told = _Table()
        core.fa_link_rows_table(self._handle, ctypes.byref(told))
        kinds = ("<u8", "<u4", "<u4", "<u4", "<u2")
        return LinkTable(
            *(getattr(told, name).view(kind) for name, kind in zip(LinkTable._fields, kinds, strict=True))
        )
