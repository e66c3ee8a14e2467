"""Unpacking of gzip members in the core against zlib."""

from __future__ import annotations

import ctypes
import gzip
import io
import random
import zlib
from collections.abc import Iterator

import pytest

from indexer.core.library import core
from indexer.core.lists import Bytes

UNPACKED, CUT, FULL, ODD = range(4)  # enum fa_unpacked
MOST = 1 << 20
pytestmark = pytest.mark.usefixtures("processor")

core.fa_gunzip.argtypes = [
    Bytes,
    ctypes.c_void_p,
    ctypes.c_size_t,
    *[ctypes.POINTER(ctypes.c_size_t)] * 2,
]


def unpacked(member: bytes, most: int = MOST) -> tuple[int, bytes, int]:
    """Return (what is told, the bytes, how many packed ones they were); input and room lie in places of their own."""
    given = (ctypes.c_uint8 * len(member)).from_buffer_copy(member)
    room = (ctypes.c_uint8 * most)()
    packed, size = ctypes.c_size_t(), ctypes.c_size_t()
    told = core.fa_gunzip(Bytes(ctypes.addressof(given), len(member)), room, most, packed, size)
    made = bytes(room)[: size.value] if told in (UNPACKED, FULL) else b""
    return told, made, packed.value if told == UNPACKED else 0


def texts(chance: random.Random) -> Iterator[bytes]:
    """Yield bytes that are packed in all kinds of ways: repeats from afar and near, few and many different ones."""
    words = [chance.randbytes(chance.randrange(1, 12)) for _ in range(300)]
    for _ in range(30):
        size = chance.choice([0, 1, 3, 300, 9_000, 70_000, chance.randrange(200_000)])
        yield chance.randbytes(size)
        yield b" ".join(chance.choice(words) for _ in range(size // 7))
        yield bytes(chance.choice(b"ab") for _ in range(size // 9))
        yield chance.choice(words) * (size // 6)
        yield (chance.randbytes(chance.randrange(1, 40)) * chance.randrange(1, 300))[:size]


def packed(data: bytes, chance: random.Random) -> bytes:
    """Pack in one of all ways that zlib knows, perhaps in several blocks."""
    level, strategy = chance.randrange(10), chance.randrange(5)
    packing = zlib.compressobj(level, zlib.DEFLATED, 31, chance.randrange(1, 10), strategy)
    cut = chance.randrange(len(data) + 1)
    parts = [packing.compress(data[:cut])]
    if chance.random() < 0.4:
        parts.append(packing.flush(zlib.Z_FULL_FLUSH))
    parts += [packing.compress(data[cut:]), packing.flush()]
    return b"".join(parts)


def test_members_unpack_as_zlib_packed_them_whatever_follows() -> None:
    chance = random.Random(12)
    for data in texts(chance):
        member = packed(data, chance)
        behind = chance.randbytes(chance.randrange(30))
        assert unpacked(member + behind, len(data)) == (UNPACKED, data, len(member))
        assert unpacked(member + behind) == (UNPACKED, data, len(member))
        if data:
            most = chance.randrange(len(data))
            assert unpacked(member, most) == (FULL, data[:most], 0)
        for cut in (chance.randrange(len(member)), len(member) - 1, len(member) - 9):
            assert unpacked(member[:cut])[0] == CUT


def test_spoiled_members_are_refused_or_still_what_zlib_makes_of_them() -> None:
    chance = random.Random(34)
    for data in texts(chance):
        member = packed(data[:5000], chance)
        for _ in range(20):
            spoiled = bytearray(member)
            for _ in range(chance.randrange(1, 4)):
                spoiled[chance.randrange(len(spoiled))] ^= 1 << chance.randrange(8)
            told, got, _ = unpacked(bytes(spoiled), 100_000)
            if told == UNPACKED:
                assert got == zlib.decompressobj(31).decompress(bytes(spoiled))


def test_headers_with_a_name_are_passed_and_odd_ones_refused() -> None:
    room = io.BytesIO()
    with gzip.GzipFile("a name.warc", "wb", fileobj=room) as file:
        file.write(b"text" * 9)
    named = room.getvalue()
    assert unpacked(named) == (UNPACKED, b"text" * 9, len(named))
    plain = gzip.compress(b"text")
    extra = plain[:3] + bytes([4 | 8 | 16]) + plain[4:10] + b"\3\0abc" + b"name\0" + b"\0" + plain[10:]
    assert unpacked(extra) == (UNPACKED, b"text", len(extra))
    for end in range(len(extra)):
        assert unpacked(extra[:end])[0] == CUT
    for flags in (2, 0x20, 0x40, 0x80):
        assert unpacked(plain[:3] + bytes([flags]) + plain[4:])[0] == ODD
    for other in (b"WARC/1.0\r\n", b"\x1f\x8b\x07" + plain[3:], b"\0" * 40):
        assert unpacked(other)[0] == ODD
    far = plain[:3] + b"\4" + plain[4:10] + b"\xff\xff" + plain[10:]
    assert unpacked(far)[0] == CUT


@pytest.mark.parametrize(
    "block",
    [
        b"\x07",  # a kind of block that there is not
        b"\x01\x04\x00\x00\x00text",  # stored, and the sizes do not agree
        b"\x03\x02",  # a distance before the beginning
        b"\x05" + b"\xff" * 40,  # more codes than there can be
        b"\x05\xe0\x01" + b"\x00" * 40,  # no codes at all
    ],
)
def test_broken_blocks_are_told(block: bytes) -> None:
    head = gzip.compress(b"")[:10]
    assert unpacked(head + block + b"\0" * 16)[0] == ODD
