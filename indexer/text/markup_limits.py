"""Markup that a parser which builds a tree can read in bounded time and memory; see indexer/core/bounded.h."""

from __future__ import annotations

import ctypes

from indexer.core.library import NO_MEMORY, OK, core
from indexer.core.tokens import Bytes


class MarkupLimits(ctypes.Structure):
    """struct fa_markup_limits: what open elements, open formats, attributes and steps a page may have."""

    _fields_ = [
        ("open", ctypes.c_uint32),
        ("formats", ctypes.c_uint32),
        ("attributes_of_tag", ctypes.c_uint32),
        ("attributes", ctypes.c_uint32),
        ("steps", ctypes.c_uint64),
    ]


core.fa_bounded_markup.argtypes = [
    Bytes,
    ctypes.POINTER(MarkupLimits),
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_size_t),
    ctypes.POINTER(ctypes.c_int),
]
core.fa_bounded_markup.restype = ctypes.c_int


def bounded_markup(html: str, limits: MarkupLimits) -> tuple[str, bool]:
    """Return the markup less the tags that go beyond limits, and whether it ends before its end for them.

    Raises MemoryError, and ValueError for more than 512 MiB.
    """
    data = html.encode("utf-8", "surrogatepass")
    kept = ctypes.create_string_buffer(max(1, len(data)))
    size, is_cut = ctypes.c_size_t(), ctypes.c_int()
    status = core.fa_bounded_markup(Bytes(data, len(data)), limits, kept, size, is_cut)
    if status == NO_MEMORY:
        raise MemoryError
    if status != OK:
        raise ValueError(f"a page of {len(data)} bytes is too large")
    if size.value == len(data):
        return html, False
    return kept.raw[: size.value].decode("utf-8", "surrogatepass"), bool(is_cut)
