"""Which texts of links a page gets, worked out in the core (fold.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexer.core.library import core
from indexer.core.links import LinkTable
from indexer.core.lists import Bytes, address_of, check

STEP = 16
"""Where every so many-th target and edge begins is given (FA_FOLD_STEP)."""
_COLUMNS = (*LinkTable._fields, "edge_begins", "link_begins", "sites", "pages", "alive")


class _Source(ctypes.Structure):
    """struct fa_fold_source."""

    _fields_ = [
        *((name, Bytes) for name in _COLUMNS),
        *((name, ctypes.c_uint32) for name in ("edge_size", "text_size", "link_size", "text_count")),
    ]


class _Wish(ctypes.Structure):
    """struct fa_fold_wish."""

    _fields_ = [
        ("sources", ctypes.POINTER(_Source)),
        ("ranks", ctypes.POINTER(ctypes.c_void_p)),
        ("source_count", ctypes.c_size_t),
        ("keys", ctypes.c_void_p),
        ("own", ctypes.c_void_p),
        ("key_count", ctypes.c_size_t),
        *((name, ctypes.c_uint32) for name in ("site_count", "first_rank", "most_texts", "most_times")),
    ]


class _Table(ctypes.Structure):
    """struct fa_fold_table."""

    _fields_ = [(name, Bytes) for name in ("targets", "texts", "times", "linking")]


core.fa_fold_mark.argtypes = [ctypes.POINTER(_Source), ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
core.fa_fold_new.restype = ctypes.c_void_p
core.fa_fold_free.argtypes = [ctypes.c_void_p]
core.fa_fold_free.restype = None
core.fa_fold_run.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Wish), ctypes.POINTER(_Table)]


class Folded(NamedTuple):
    """A row a text of a target, by target and then by weight; linking: how many other sites link to each target."""

    target: NDArray[np.uint32]
    text: NDArray[np.uint32]
    times: NDArray[np.uint32]
    linking: NDArray[np.uint32]


class FoldSource:
    """A file of links, and the segment whose pages link, as the core reads them."""

    def __init__(
        self,
        table: LinkTable,
        begins: tuple[NDArray[np.int64], NDArray[np.int64]],
        sites: NDArray[np.uint32],
        pages: NDArray[np.uint32],
        alive: NDArray[np.bool_] | None,
        texts: int,
    ) -> None:
        """begins: how many edges, and links, are before every STEP-th target, and edge; texts: how many there are.

        sites, pages: of each version; alive: whether it is there, None when all are.
        """
        self._texts = texts
        everything = np.zeros(0, dtype=bool) if alive is None else alive
        self._held: tuple[NDArray[Any], ...] = (*table, *begins, sites, pages, everything)
        self.struct = _Source()
        for name, column in zip(_COLUMNS, self._held, strict=True):
            setattr(self.struct, name, Bytes(address_of(column), column.nbytes))
        self.struct.edge_size, self.struct.text_size = table.edges.itemsize, table.texts.itemsize
        self.struct.link_size, self.struct.text_count = table.links.itemsize, texts

    def texts_of(self, keys: NDArray[np.uint64]) -> NDArray[np.intp]:
        """Return which texts live pages call some targets by; keys: rising. Raises ValueError for what does not fit."""
        used = np.zeros(self._texts, dtype=bool)
        check(core.fa_fold_mark(ctypes.byref(self.struct), address_of(keys), len(keys), address_of(used)))
        return np.flatnonzero(used)

    def ranks(self, texts: NDArray[np.intp], ranks: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the ranks of some texts where `fold` looks for them."""
        found = np.zeros(self._texts, dtype=np.uint32)
        found[texts] = ranks
        return found


def fold(
    sources: Sequence[FoldSource],
    ranks: Sequence[NDArray[np.uint32]],
    keys: NDArray[np.uint64],
    own: NDArray[np.uint32],
    *,
    sites: int,
    first_rank: int,
    most_texts: int,
    most_times: int,
) -> Folded:
    """Return which texts some targets get; see struct fa_fold_wish. Raises ValueError for what does not fit."""
    handle = core.fa_fold_new()
    if not handle:
        raise MemoryError("the core has no memory left")
    try:
        given = (_Source * len(sources))(*(source.struct for source in sources))
        places = (ctypes.c_void_p * len(ranks))(*map(address_of, ranks))
        wish = _Wish(
            given, places, len(sources), address_of(keys), address_of(own), len(keys),
            sites, first_rank, most_texts, most_times,
        )  # fmt: skip
        table = _Table()
        check(core.fa_fold_run(handle, ctypes.byref(wish), ctypes.byref(table)))
        names = ("targets", "texts", "times", "linking")
        return Folded(*(getattr(table, name).view("<u4").copy() for name in names))
    finally:
        core.fa_fold_free(handle)
