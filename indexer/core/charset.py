"""What the bytes of a page say of their charset (charset.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

from indexer.core.library import core
from indexer.core.tokens import Bytes

core.fa_prescan.restype = ctypes.c_size_t
core.fa_is_utf_8.argtypes = [Bytes]
core.fa_is_utf_8.restype = ctypes.c_int


class _Label(ctypes.Structure):
    """struct fa_bytes, as a place that the core fills in."""

    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


core.fa_prescan.argtypes = [Bytes, ctypes.c_size_t, ctypes.POINTER(_Label)]


def labels_of(start: bytes) -> Iterator[bytes]:
    """Yield the labels by which the meta elements of a page declare its charset, in their order."""
    given, label = Bytes(start, len(start)), _Label()
    at = 0
    while at := core.fa_prescan(given, at, label):
        yield ctypes.string_at(label.data, label.size) if label.size else b""


def is_utf_8(data: bytes) -> bool:
    """Tell whether bytes are text in UTF-8."""
    return bool(core.fa_is_utf_8(Bytes(data, len(data))))
