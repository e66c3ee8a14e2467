"""Which of the texts shown together are alike (alike.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import NamedTuple

from indexer.core.library import core
from indexer.core.tokens import check, tokenizer


class _Text(ctypes.Structure):
    """struct fa_shown_text."""

    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t), ("words", ctypes.c_uint64)]


class _Likeness(ctypes.Structure):
    """struct fa_likeness."""

    _fields_ = [
        ("share", ctypes.c_double),
        ("fewest_words", ctypes.c_uint32),
        ("characters", ctypes.c_uint32),
        ("longest_mean", ctypes.c_uint32),
    ]


core.fa_fold_alike.argtypes = [
    ctypes.c_void_p, ctypes.POINTER(_Text), ctypes.c_size_t, ctypes.POINTER(_Likeness), ctypes.c_void_p,
]  # fmt: skip


class Likeness(NamedTuple):
    """How alike texts are to be: see struct fa_likeness."""

    share: float
    fewest_words: int
    characters: int
    longest_mean: int


def fold_alike(texts: Sequence[bytes], words: Sequence[int], likeness: Likeness) -> list[int]:
    """Return for each text the place of the one that stands for it: itself, or the first before it that is alike.

    words: how many each text has in all; texts are compared where these are about as many. Raises MemoryError.
    """
    count = len(texts)
    shown = (_Text * count)(*map(_Text, texts, map(len, texts), words))
    stands_for = (ctypes.c_uint32 * count)()
    check(core.fa_fold_alike(tokenizer().handle, shown, count, _Likeness(*likeness), stands_for))
    return stands_for[:]
