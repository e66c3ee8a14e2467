"""Sketches estimate how alike two texts are."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.text.analysis import words_of
from indexer.text.sketch import (
    BANDS,
    FEWEST_WORDS,
    MOST_SHINGLES,
    SHINGLE_WORDS,
    bands_of,
    resemblance,
)
from indexer.text.sketch import sketch_of as sketch_of_text
from tests.indexer.core.test_tokens import ALL_KINDS, same_unicode
from tests.indexer.text.plain_sketch import plain_bands, plain_resemblance, plain_sketch

WORDS = [f"word{number}" for number in range(3000)]


def sketch_of(words: Sequence[str]) -> bytes:
    return sketch_of_text(" ".join(words))


def text(seed: int, length: int = 800) -> list[str]:
    return random.Random(seed).choices(WORDS, k=length)


def jaccard(first: Sequence[str], second: Sequence[str]) -> float:
    def shingles(words: Sequence[str]) -> set[tuple[str, ...]]:
        return {tuple(words[i : i + SHINGLE_WORDS]) for i in range(len(words) - SHINGLE_WORDS + 1)}

    a, b = shingles(first), shingles(second)
    return len(a & b) / len(a | b)


def changed(words: list[str], changes: int, seed: int) -> list[str]:
    chance, words = random.Random(seed), list(words)
    for place in chance.sample(range(len(words)), changes):
        words[place] = "other" + str(place)
    return words


@pytest.mark.parametrize("changes", [0, 2, 5, 10, 20, 60, 200])
def test_estimates_the_jaccard_coefficient(changes: int) -> None:
    first = text(1)
    second = changed(first, changes, 2)
    assert resemblance(sketch_of(first), sketch_of(second)) == pytest.approx(jaccard(first, second), abs=0.1)


def test_different_texts_are_not_alike() -> None:
    assert resemblance(sketch_of(text(1)), sketch_of(text(2))) < 0.05


def test_near_duplicates_share_a_band_and_others_do_not() -> None:
    found = strangers = 0
    for seed in range(100):
        first = text(seed)
        second = changed(first, 8, seed)  # Jaccard about 0.92
        found += bool(set(bands_of(sketch_of(first))) & set(bands_of(sketch_of(second))))
        strangers += bool(set(bands_of(sketch_of(first))) & set(bands_of(sketch_of(text(seed + 1000)))))
    assert found >= 97
    assert strangers == 0


def test_size_is_the_same_for_any_text() -> None:
    assert {len(sketch_of(text(1, length))) for length in (12, 100, 100_000)} == {512}
    assert len(bands_of(sketch_of(text(1)))) == BANDS


def test_short_texts_have_none() -> None:
    assert sketch_of(["not", "found"]) == b""
    assert resemblance(b"", b"") == 0.0 and bands_of(b"") == []


def test_sketches_on_disk_stay_comparable() -> None:
    """A change of these numbers makes every stored sketch worthless: raise the job's and the index's version then."""
    assert sketch_of(WORDS[:50])[:8].hex() == "56ecd80564d68704"


word = st.one_of(
    st.sampled_from(["ferry", "C++", "a", "\U0001f600", "日本語", "x" * 65, "½"]),
    st.text(st.sampled_from(ALL_KINDS), min_size=1, max_size=5),
)


@same_unicode
@settings(max_examples=300, deadline=None)
@given(st.lists(word, max_size=40).map(" ".join), st.lists(word, max_size=40).map(" ".join))
def test_sketches_of_any_texts(first: str, second: str) -> None:
    sketches = [sketch_of_text(first), sketch_of_text(second)]
    plain = [plain_sketch(words_of(first)), plain_sketch(words_of(second))]
    assert sketches == plain
    assert [bands_of(each) for each in sketches] == [plain_bands(each) for each in plain]
    assert resemblance(*sketches) == plain_resemblance(*plain)


@pytest.mark.parametrize("length", [0, 1, FEWEST_WORDS - 1, FEWEST_WORDS, FEWEST_WORDS + 1])
def test_compounds_are_no_words_of_their_own(length: int) -> None:
    words = ["c++"] * length
    assert bool(sketch_of(words)) == (length >= FEWEST_WORDS)
    assert sketch_of(words) == plain_sketch(["c"] * length)


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("more", [-1, 0, 1, 2, 5000])
def test_of_a_long_text_the_smallest_shingles_count(more: int, repeats: int) -> None:
    words = [f"w{number}" for number in range(MOST_SHINGLES + SHINGLE_WORDS - 1 + more)] * repeats
    assert sketch_of(words) == plain_sketch(words)
