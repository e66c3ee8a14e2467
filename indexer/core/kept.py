"""Addresses as the catalogue keeps them, for those that are as most are (kept.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from indexer.core.library import core
from indexer.core.lists import Bytes, address_of, check

ODD, PLAIN, CAPITALS = range(3)  # enum fa_kept_how

_KEPT = np.dtype(
    [("page", "<i8"), ("begin", "<u4"), ("folder", "<u4"), ("name", "<u4"), ("bits", "<u2"), ("how", "<u2")]
)  # struct fa_kept
core.fa_keep_addresses.argtypes = [Bytes, *[ctypes.c_void_p, ctypes.c_size_t], *[ctypes.c_void_p] * 2]


def keep_addresses(urls: Sequence[str]) -> tuple[str, list[tuple[int, int, int, int, int, int]]]:
    """Return urlkeys, one behind the other with gaps, and the fields of a struct fa_kept for each address."""
    spelled = [url.encode("utf-8", "surrogatepass") for url in urls]
    data = np.frombuffer(b"".join(spelled), dtype=np.uint8)
    ends = np.cumsum(np.fromiter(map(len, spelled), dtype=np.uint32, count=len(spelled)), dtype=np.uint32)
    kept, room = np.empty(len(urls), dtype=_KEPT), np.zeros(len(data), dtype=np.uint8)
    given = Bytes(address_of(data), len(data))
    check(core.fa_keep_addresses(given, address_of(ends), len(ends), address_of(kept), address_of(room)))
    rows: list[Any] = kept.tolist()
    return room.tobytes().decode("latin-1"), rows
