"""What the core reads of words looked for is what Python says of them."""

from __future__ import annotations

import ctypes
import random

import pytest

from indexer.core.passages import WantedKinds, WantedWords
from indexer.core.tokens import MAX_WORD, encoded, hash_of

LETTERS = "abcAx19+#\u00fc\u0301\u691c\U0001f600"


@pytest.mark.parametrize("seed", range(4))
def test_words_are_told_by_rising_hash_each_of_its_kind(seed: int) -> None:
    chance = random.Random(seed)
    for count in (0, 1, 2, 3, 30, 500):
        longest = chance.choice([3, 6, MAX_WORD + 3])
        words = {"".join(chance.choices(LETTERS, k=chance.randrange(1, longest + 1))) for _ in range(count)}
        wanted = WantedKinds({*words, *chance.choice([(), ("",)])}, 4, str.capitalize)
        told = wanted.told
        hashes = (ctypes.c_uint64 * len(words)).from_address(told.hashes)[:]
        kinds = (ctypes.c_uint32 * len(words)).from_address(told.kind_of)[:]
        starts = (ctypes.c_uint64 * (MAX_WORD + 1)).from_address(told.starts)[:]
        assert told.count == len(words)
        by_hash = {hash_of(word): word for word in words}
        assert hashes == sorted(by_hash)
        spelled = [by_hash[number][:4] for number in hashes]
        assert told.kind_count == len(set(spelled)) == len(set(zip(spelled, kinds, strict=True)))
        assert set(kinds) == set(range(told.kind_count))
        expected = [0] * (MAX_WORD + 1)
        for word in map(encoded, words):
            if len(word) <= MAX_WORD:
                expected[len(word)] |= 1 << (word[0] & 63)
        assert starts == expected
        others = {word.capitalize() for word in words} if not "".join(words).isascii() else set()
        place = ctypes.c_void_p.from_buffer(told, WantedWords.written.offset).value
        written = (ctypes.string_at(place, told.written_size) if place else b"").decode().split("\0")
        assert set(written) - {""} == words | others and len(written) == len(words | others) + 1
