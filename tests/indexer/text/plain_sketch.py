"""Sketches by array operations: what the core (indexer/core/sketch.c) is held against."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from indexer.text.sketch import BANDS, FEWEST_WORDS, HASHES, MOST_SHINGLES, SHINGLE_WORDS

BAND_ROWS = 8
_MIX = np.uint64(0x9E3779B97F4A7C15)
# Fixed multipliers and addends, since sketches are kept on disk: h_i(x) = high half of (a_i * x + b_i).
_RANDOM = np.random.Generator(np.random.PCG64(20240229))
_FACTORS = (_RANDOM.integers(1, 1 << 63, HASHES, dtype=np.uint64) << np.uint64(1)) | np.uint64(1)
_ADDENDS = _RANDOM.integers(0, 1 << 63, HASHES, dtype=np.uint64)


def plain_sketch(words: Sequence[str]) -> bytes:
    """Return what sketch_of gives for a text with these words."""
    if len(words) < FEWEST_WORDS:
        return b""
    shingles = _shingles(words)
    smallest = np.full(HASHES, np.iinfo(np.uint64).max, dtype=np.uint64)
    for start in range(0, len(shingles), 1024):  # a bounded table, however long the text
        table = shingles[start : start + 1024, None] * _FACTORS[None, :]
        table += _ADDENDS[None, :]
        np.minimum(smallest, table.min(axis=0), out=smallest)
    return (smallest >> np.uint64(32)).astype("<u4").tobytes()


def plain_resemblance(first: bytes, second: bytes) -> float:
    """Return what resemblance gives."""
    if not first or not second:
        return 0.0
    return float(np.mean(np.frombuffer(first, "<u4") == np.frombuffer(second, "<u4")))


def plain_bands(sketch: bytes) -> list[int]:
    """Return what bands_of gives."""
    if not sketch:
        return []
    rows = np.frombuffer(sketch, "<u4").astype(np.uint64)[: BANDS * BAND_ROWS].reshape(BANDS, BAND_ROWS)
    keys = np.arange(1, BANDS + 1, dtype=np.uint64) * _MIX
    for column in range(BAND_ROWS):
        keys = _scramble(keys ^ rows[:, column])
    return [int(key) for key in keys.astype(np.int64)]


def _shingles(words: Sequence[str]) -> NDArray[np.uint64]:
    """Return the distinct hashes of all runs of four words, rising."""
    code_of = {word: zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in set(words)}
    codes = np.fromiter(map(code_of.__getitem__, words), dtype=np.uint64, count=len(words))
    runs = len(codes) - SHINGLE_WORDS + 1
    hashes = np.zeros(runs, dtype=np.uint64)
    for place in range(SHINGLE_WORDS):
        hashes = _scramble(hashes * np.uint64(31) + codes[place : place + runs])
    # The smallest hashes are a fair sample of a very long text.
    return np.unique(hashes)[:MOST_SHINGLES]


def _scramble(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    values = (values ^ (values >> np.uint64(31))) * _MIX
    return values ^ (values >> np.uint64(29))
