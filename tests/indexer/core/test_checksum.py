"""Checksums of the core against those of zlib."""

from __future__ import annotations

import ctypes
import random
import zlib

import pytest

from indexer.core.library import core
from indexer.store.pages import PAGE, RESERVED

pytestmark = pytest.mark.usefixtures("processor")
core.fa_crc32.argtypes = (ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t)
core.fa_crc32.restype = ctypes.c_uint32


@pytest.mark.parametrize("size", [*range(200), 255, 256, 4088, 4096, 16384, 16385, 70_001])
def test_the_checksum_is_that_of_zlib(size: int) -> None:
    chance = random.Random(size)
    for begin in (0, 1, chance.getrandbits(32)):
        for data in (chance.randbytes(size), bytes(size), b"\xff" * size):
            assert core.fa_crc32(begin, data, size) == zlib.crc32(data, begin)


def sealed(page: bytes) -> bytes:
    """Return a page with its checksum in its reserved bytes: CRC-32 of what is before them, and four zero bytes."""
    page = page[:-RESERVED]
    return page + zlib.crc32(page).to_bytes(4, "little") + bytes(4)


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


Transfer = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int64)


class Methods(ctypes.Structure):  # fa_sealing
    _fields_ = [
        ("version", ctypes.c_int),
        *((f"own{n}", ctypes.c_void_p) for n in range(18)),
        ("read", Transfer),
        ("write", Transfer),
    ]


class File(ctypes.Structure):  # sqlite3_file
    _fields_ = [("methods", ctypes.POINTER(Methods))]


@pytest.mark.parametrize("status", [0, 522, 10])
def test_pages_are_sealed_on_their_way_and_nothing_else_is_changed(status: int) -> None:
    written, random_bytes = [], random.Random(status).randbytes

    def write(file: int, buffer: int, size: int, place: int) -> int:
        written.append((file, ctypes.string_at(buffer, size), place))
        return status

    methods = Methods(write=Transfer(write), read=Transfer(lambda file, buffer, size, place: status))
    file = File(ctypes.pointer(methods))
    address = ctypes.addressof(file)
    seal, read = (
        ctypes.cast(function, Transfer) for function in (core.fa_sealing_write, core.fa_sealing_read)
    )
    for size in (PAGE, 100, 1, PAGE - 1, PAGE + 1):
        given = random_bytes(size)
        buffer = ctypes.create_string_buffer(given, size)
        assert seal(address, ctypes.addressof(buffer), size, 7 * PAGE) == status
        assert written.pop() == (address, sealed(given) if size == PAGE else given, 7 * PAGE)
        assert buffer.raw == given, "SQLite's own memory stays"
    for size, place in ((100, 0), (100, 100), (PAGE, 0)):
        buffer = ctypes.create_string_buffer(bytes(size), size)
        assert read(address, ctypes.addressof(buffer), size, place) == status
        expected = bytearray(size)
        if (status, size, place) == (522, 100, 0):  # SQLITE_IOERR_SHORT_READ of the header of an empty file
            expected[16:18], expected[20] = PAGE.to_bytes(2, "big"), RESERVED
        assert buffer.raw == expected
