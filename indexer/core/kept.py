"""Addresses as the catalogue keeps them, for those that are as most are (kept.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from indexer.core.library import core
from indexer.core.lists import Bytes, address_of, check

ODD = 0  # enum fa_kept_how

_KEPT = np.dtype(
    [
        ("page", "<i8"),
        *((name, "<u4") for name in ("begin", "folder", "name", "capitals", "bits", "how")),
    ]
)  # struct fa_kept
core.fa_keep_addresses.argtypes = [Bytes, ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_void_p] * 3]

Fields = tuple[int, int, int, int, int, int, int]


def keep_addresses(urls: Sequence[str]) -> tuple[str, bytes, list[Fields]]:
    """Return urlkeys, one behind the other with gaps, what is written of capital letters alike, and the fields of a
    struct fa_kept for each address.
    """
    spelled = [url.encode("utf-8", "surrogatepass") for url in urls]
    data = np.frombuffer(b"".join(spelled), dtype=np.uint8)
    ends = np.cumsum(np.fromiter(map(len, spelled), dtype=np.uint32, count=len(spelled)), dtype=np.uint32)
    kept, room = np.empty(len(urls), dtype=_KEPT), np.zeros((2, len(data)), dtype=np.uint8)
    places = map(address_of, (ends, kept, room[0], room[1]))
    given = next(places)
    check(core.fa_keep_addresses(Bytes(address_of(data), len(data)), given, len(ends), *places))
    rows: list[Any] = kept.tolist()
    return room[0].tobytes().decode("latin-1"), room[1].tobytes(), rows
