"""Words spelled nearly alike, or as a pattern says, beside a library that counts changes and regular expressions."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import numpy as np
import pytest
from rapidfuzz.distance import OSA

from indexer.core.spelled import ByLength, Spelled, by_length
from indexer.search.lexicon import letters_of

ALPHABETS = ("ab", "abc", "abcdefgh", "aäß語𝄞", "abcdefghijklmnopqrstuvwxyzé")


def some_words(chance: random.Random, letters: str) -> list[str]:
    lengths = (1, 2, 3, 4, 5, 6, 8, 12, 70, 300)
    return sorted({"".join(chance.choices(letters, k=chance.choice(lengths))) for _ in range(60)})


def spelled(words: list[str], held: Sequence[int] = ()) -> tuple[Spelled, ByLength]:
    encoded = [word.encode() for word in words]
    columns = (
        np.array([len(word) % 256 for word in words], dtype=np.uint8),
        np.array([letters_of(word) for word in words], dtype=np.uint32),
        np.array(held or [1] * len(words), dtype=np.uint32),
    )
    data, begins = b"".join(encoded), np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return Spelled(np.frombuffer(data, dtype=np.uint8), begins, *columns), by_length(*columns)


def changed(chance: random.Random, word: str, letters: str) -> str:
    """Return a word a few changes away."""
    held = list(word)
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(held))
        way = chance.randrange(4)
        if way == 0:
            held[at] = chance.choice(letters)
        elif way == 1:
            held.insert(at, chance.choice(letters))
        elif way == 2 and len(held) > 1:
            del held[at]
        else:
            held[at : at + 2] = held[at : at + 2][::-1]
    return "".join(held)


@pytest.mark.parametrize("seed", range(20))
def test_the_words_are_those_that_few_changes_make(seed: int) -> None:
    chance = random.Random(seed)
    letters = chance.choice(ALPHABETS)
    words = some_words(chance, letters)
    for _ in range(40):
        word, most = changed(chance, chance.choice(words), letters), chance.randrange(5)
        held, least = (
            [chance.choice((1, 2, 3, 65_535, 65_536)) for _ in words],
            chance.choice((0, 2, 3, 65_536)),
        )
        all_words, in_order = spelled(words, held)
        rows, changes = all_words.near(in_order, word, most, letters_of(word), least)
        expected = [(row, OSA.distance(word, other)) for row, other in enumerate(words)]
        assert sorted(zip(rows.tolist(), changes.tolist(), strict=True)) == [
            (row, distance) for row, distance in expected if distance <= most and held[row] >= least
        ]


@pytest.mark.parametrize("seed", range(20))
def test_the_words_are_those_that_fit_a_pattern(seed: int) -> None:
    chance = random.Random(seed)
    letters = chance.choice(ALPHABETS)
    words = [word for word in some_words(chance, letters) if len(word) < 256]
    for _ in range(100):
        held = list(chance.choice(words)[: chance.choice((3, 6, 300))])
        for _ in range(chance.randrange(1, 4)):
            held[chance.randrange(len(held))] = chance.choice(("*", "?", "**", "*?", chance.choice(letters)))
        pattern = "".join(held)
        as_expression = "".join({"*": ".*", "?": "."}.get(letter, re.escape(letter)) for letter in pattern)
        versions, least = [chance.randrange(5) for _ in words], chance.randrange(5)
        asked = letters_of(re.sub("[*?]", "", pattern))
        found = spelled(words, versions)[0].fitting(pattern, asked, least)
        assert found.tolist() == [
            row
            for row, word in enumerate(words)
            if re.fullmatch(as_expression, word) and versions[row] >= least
        ]


def test_words_that_end_behind_the_bytes_are_refused() -> None:
    columns = (
        np.array([2], dtype=np.uint8),
        np.array([letters_of("ab")], dtype=np.uint32),
        np.array([1], dtype=np.uint32),
    )
    words = Spelled(np.frombuffer(b"ab", dtype=np.uint8), np.array([0, 3], dtype=np.int64), *columns)
    with pytest.raises(ValueError, match="fit"):
        words.near(by_length(*columns), "ab", 1, letters_of("ab"), 1)
    with pytest.raises(ValueError, match="fit"):
        words.fitting("a?", letters_of("a"), 0)


def test_an_order_of_words_that_are_not_there_is_refused() -> None:
    words, in_order = spelled(["ab", "abc"])
    asked = ("ab", 1, letters_of("ab"), 0)
    assert len(words.near(in_order, *asked)[0]) == 2
    rows, letters, begins = in_order.arrays
    falling = begins.copy()
    falling[2:4] = 2, 1
    for order in (
        ByLength(rows + np.uint32(2), letters, begins),
        ByLength(rows, letters, begins * np.uint32(2)),
        ByLength(rows, letters, falling),
    ):
        with pytest.raises(ValueError, match="fit"):
            words.near(order, *asked)
