"""Packed strings come back one by one and all together; bytes that are none are refused, never read on."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import IndexCorruptError
from indexer.store.packed_strings import IN_A_BLOCK, PackedStrings, pack_strings


@given(
    st.lists(st.text(st.characters(codec="utf-8"), max_size=5) | st.text("a\n", max_size=3), max_size=5),
    st.integers(0, 2 * IN_A_BLOCK + 1),
)
def test_strings_come_back(some: list[str], more: int) -> None:
    strings = [text.encode() for text in some + [f"text {number}" for number in range(more)]]
    packed = PackedStrings("x", len(strings), *pack_strings(strings))
    assert packed.all() == strings and len(packed) == len(strings)
    assert [packed.at(number) for number in range(len(strings))] == strings
    assert packed.some(range(len(strings))) == strings
    assert packed.some(reversed(range(len(strings)))) == strings[::-1]
    assert [packed.at(number) for number in reversed(range(len(strings)))] == strings[::-1]


def test_many_alike_take_few_bytes() -> None:
    _, data = pack_strings(b"page %d of the catalogue" % number for number in range(1000))
    assert len(data) < 6000


@pytest.mark.parametrize(
    "block",
    [
        b"",
        b"no zlib",
        zlib.compress(b"a\xff"),
        zlib.compress(b"a\xffb\xffc\xff"),
        zlib.compress(b"a\xffb\xff")[:-1],
    ],
)
def test_what_is_not_packed_so_is_refused(block: bytes) -> None:
    data = np.frombuffer(block, dtype=np.uint8)
    with pytest.raises(IndexCorruptError, match=r"file: 2 texts.*--rebuild"):
        PackedStrings("file", 2, np.array([len(block)], dtype=np.uint32), data).at(0)
    with pytest.raises(IndexCorruptError):
        PackedStrings("file", 2, np.array([1, 2], dtype=np.uint32), data)
    with pytest.raises(IndexCorruptError):
        PackedStrings("file", 2, np.array([len(block) + 1], dtype=np.uint32), data)


def test_a_block_that_unpacks_to_very_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.store.packed_strings._MOST", 1000)
    ends, data = pack_strings([b"a" * 2000])
    with pytest.raises(IndexCorruptError):
        PackedStrings("file", 1, ends, data).all()
