"""Checksums of the core against those of zlib."""

from __future__ import annotations

import ctypes
import random
import zlib

import pytest

from indexer.core.library import core
from indexer.store.pages import PAGE, sealed

core.fa_crc32.argtypes = (ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t)
core.fa_crc32.restype = ctypes.c_uint32


@pytest.mark.parametrize("size", [*range(200), 255, 256, 4088, 4096, 16384, 16385, 70_001])
def test_the_checksum_is_that_of_zlib(size: int) -> None:
    chance = random.Random(size)
    for begin in (0, 1, chance.getrandbits(32)):
        for data in (chance.randbytes(size), bytes(size), b"\xff" * size):
            assert core.fa_crc32(begin, data, size) == zlib.crc32(data, begin)


def test_the_first_page_that_does_not_fit_is_told() -> None:
    chance = random.Random(1)
    pages = [sealed(chance.randbytes(PAGE)) for _ in range(5)]

    def first(data: bytes, start: int = 0) -> int:
        return int(core.fa_pages_sound(data, len(data), start))

    whole = b"".join(pages)
    assert first(whole) == len(whole)
    assert first(b"") == 0
    assert first(whole[:-1]) == 4 * PAGE
    for place in (0, 3 * PAGE + 17, 2 * PAGE - 8, 2 * PAGE - 1, len(whole) - 1):
        damaged = bytearray(whole)
        damaged[place] ^= 16
        assert first(bytes(damaged)) == place // PAGE * PAGE
        assert first(bytes(damaged), place // PAGE * PAGE + PAGE) == len(whole)
