"""Words spelled nearly alike, as the core finds them, beside a library that counts changes."""

from __future__ import annotations

import random

import numpy as np
import pytest
from rapidfuzz.distance import OSA

from indexer.core.spelled import words_near
from indexer.search.lexicon import letters_of

ALPHABETS = ("ab", "abc", "abcdefgh", "aäß語𝄞", "abcdefghijklmnopqrstuvwxyzé")


def some_words(chance: random.Random, letters: str) -> list[str]:
    lengths = (1, 2, 3, 4, 5, 6, 8, 12, 70, 300)
    return sorted({"".join(chance.choices(letters, k=chance.choice(lengths))) for _ in range(60)})


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
    spelled = [word.encode() for word in words]
    for _ in range(40):
        word, most = changed(chance, chance.choice(words), letters), chance.randrange(5)
        rows, changes = words_near(
            word,
            most,
            int(letters_of(word)),
            data=np.frombuffer(b"".join(spelled), dtype=np.uint8),
            begins=np.cumsum([0, *map(len, spelled)], dtype=np.int64),
            lengths=np.array([len(word) % 256 for word in words], dtype=np.uint8),
            letters_of_words=np.array([letters_of(word) for word in words], dtype=np.uint32),
        )
        expected = [(row, OSA.distance(word, other)) for row, other in enumerate(words)]
        assert list(zip(rows.tolist(), changes.tolist(), strict=True)) == [
            (row, distance) for row, distance in expected if distance <= most
        ]


def test_words_that_end_behind_the_bytes_are_refused() -> None:
    with pytest.raises(ValueError, match="fit"):
        words_near(
            "ab",
            1,
            int(letters_of("ab")),
            data=np.frombuffer(b"ab", dtype=np.uint8),
            begins=np.array([0, 3], dtype=np.int64),
            lengths=np.array([2], dtype=np.uint8),
            letters_of_words=np.array([letters_of("ab")], dtype=np.uint32),
        )
