"""Gzip members that the core unpacks: what zlib makes of them, or nothing."""

from __future__ import annotations

import gzip
import random
import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.core.inflate import Unpacker

unpacker = Unpacker(1 << 20)
HEAD = b"\x1f\x8b\x08\x00\0\0\0\0\0\xff"

texts = st.one_of(
    st.binary(max_size=400),
    st.builds(lambda part, times: part * times, st.binary(min_size=1, max_size=40), st.integers(1, 4000)),
    st.builds(
        lambda seed, letters, size: bytes(random.Random(seed).choices(range(letters), k=size)),
        st.integers(0, 99),
        st.sampled_from([1, 2, 3, 60, 200, 256]),
        st.integers(0, 60_000),
    ),
)
strategies = [zlib.Z_DEFAULT_STRATEGY, zlib.Z_FILTERED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE, zlib.Z_FIXED]


def member(deflated: bytes, text: bytes, head: bytes = HEAD) -> bytes:
    return head + deflated + struct.pack("<II", zlib.crc32(text), len(text) & 0xFFFFFFFF)


def deflate(text: bytes, level: int, strategy: int, flushes: int = 0) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, -15, 9, strategy)
    step = len(text) // (flushes + 1) + 1
    parts = []
    for at in range(0, len(text), step):
        parts += [packer.compress(text[at : at + step]), packer.flush(zlib.Z_FULL_FLUSH) if flushes else b""]
    return b"".join([*parts, packer.flush()])


@settings(deadline=None)
@given(texts, st.integers(0, 9), st.sampled_from(strategies), st.integers(0, 5), st.binary(max_size=20))
def test_what_was_deflated_comes_out_again(
    text: bytes, level: int, strategy: int, flushes: int, behind: bytes
) -> None:
    packed = member(deflate(text, level, strategy, flushes), text)
    assert unpacker.unpack(packed + behind) == (text, len(packed))


def test_headers_of_all_kinds() -> None:
    packed = deflate(b"text", 6, 0)
    extra, name, comment = b"\x03\0abc", b"file\0", b"words\0"
    for flags, more in ((1, b""), (4, extra), (8, name), (16, comment), (28, extra + name + comment)):
        whole = member(packed, b"text", HEAD[:3] + bytes([flags]) + HEAD[4:] + more)
        assert unpacker.unpack(whole) == (b"text", len(whole))
    for flags in (2, 32, 64, 128):  # a checksum of the header, and flags that nobody knows
        assert unpacker.unpack(member(packed, b"text", HEAD[:3] + bytes([flags]) + HEAD[4:])) is None
    for head in (b"\x1f\x8b\x07" + HEAD[3:], b"PK" + HEAD[2:]):
        assert unpacker.unpack(member(packed, b"text", head)) is None


@pytest.mark.parametrize("level", [0, 6])
def test_a_member_that_is_cut_is_none(level: int) -> None:
    packed = gzip.compress(b"".join(b"%d, " % (n * n) for n in range(300)), level)
    for size in range(len(packed)):
        assert unpacker.unpack(packed[:size]) is None


def test_a_spoiled_member_is_none_or_what_zlib_makes_of_it() -> None:
    chosen = random.Random(3)
    text = b" ".join(b"<p>word %d</p>" % (n * n % 97) for n in range(200))
    for packed in (gzip.compress(text), member(deflate(text, 6, zlib.Z_FIXED), text)):
        for _ in range(3000):
            spoiled = bytearray(packed)
            for _ in range(chosen.randint(1, 3)):
                spoiled[chosen.randrange(10, len(spoiled))] = chosen.randrange(256)
            found = unpacker.unpack(bytes(spoiled))
            if found is not None:
                inflate = zlib.decompressobj(31)
                assert inflate.decompress(spoiled) == found[0]
                assert inflate.eof and len(spoiled) - len(inflate.unused_data) == found[1]


def test_wrong_sums_are_told() -> None:
    packed = gzip.compress(b"text")
    assert unpacker.unpack(packed[:-8] + b"\0\0\0\0" + packed[-4:]) is None
    assert unpacker.unpack(packed[:-4] + b"\5\0\0\0") is None


@pytest.mark.parametrize("strategy", strategies)
def test_no_more_is_unpacked_than_was_said(strategy: int) -> None:
    for text in (
        b"a" * 5000,
        bytes(random.Random(1).choices(b"abc", k=5000)),
        random.Random(1).randbytes(5000),
    ):
        packed = member(deflate(text, 6, strategy), text)
        assert Unpacker(len(text)).unpack(packed) == (text, len(packed))
        assert Unpacker(len(text) - 1).unpack(packed) is None
        assert Unpacker(0).unpack(packed) is None


def test_codes_that_cannot_be_are_none() -> None:
    def bits(*pairs: tuple[int, int]) -> bytes:
        number = size = 0
        for value, count in pairs:
            number |= value << size
            size += count
        return number.to_bytes((size + 7) // 8 + 30, "little")

    begin = [(1, 1), (2, 2)]
    for deflated in (
        bits((1, 1), (3, 2)),  # a block of no kind
        bits(*begin, (31, 5), (0, 5), (0, 4), *[(1, 3)] * 4),  # 288 literals
        bits(*begin, (0, 5), (0, 5), (15, 4), *[(1, 3)] * 19),  # more codes of one bit than there are
        bits(*begin, (0, 5), (0, 5), (0, 4), (1, 3), (0, 3), (0, 3), (1, 3)),  # repeats what is not there
        bits((1, 1), (1, 2), (0b0000001, 7), (0, 5)),  # a distance to before the begin
    ):
        assert unpacker.unpack(HEAD + deflated) is None


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    found = unpacker.unpack(HEAD + data)
    assert found is None or found[1] <= len(data) + len(HEAD)
