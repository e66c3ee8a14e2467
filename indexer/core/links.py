"""The links of a batch in the core (links.h): a page is handed over, what is new of its addresses is asked back."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from indexer.core.library import core
from indexer.core.lists import Bytes, check


class _Columns(ctypes.Structure):
    """struct fa_link_columns."""

    _fields_ = [(name, Bytes) for name in ("targets", "texts", "sources", "spelled", "text_ends")]


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
        """Return (target, text, source), a row a link: its target's number, index of its text, ordinal of its page."""
        told = self._told()
        return told.targets.view("<u8").copy(), told.texts.view("<u4").copy(), told.sources.view("<u4").copy()

    def texts(self) -> list[str]:
        """Return the texts that the columns count."""
        told = self._told()
        spelled = ctypes.string_at(told.spelled.data, told.spelled.size) if told.spelled.size else b""
        ends = told.text_ends.view("<u4").tolist()
        return [
            spelled[low:high].decode("utf-8", "replace") for low, high in zip([0, *ends], ends, strict=False)
        ]

    def _told(self) -> _Columns:
        told = _Columns()
        core.fa_links_columns(self.handle, ctypes.byref(told))
        return told
