"""Near-duplicates are folded under the first of them, as a comparison of all pairs would have it."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.search.folding import fold
from tests.indexer.making import BODY, DirectIndex
from tests.indexer.plain import PlainVersion

WORDS = [f"word{number}" for number in range(100)]


def changed(text: str, word: str, place: int) -> str:
    words = text.split()
    words[place % len(words)] = word
    return " ".join(words)


@st.composite
def texts(draw: st.DrawFn) -> list[str]:
    bases = [" ".join(WORDS), " ".join(WORDS[50:] + WORDS[:50]), " ".join(WORDS[:90]), "short page", ""]
    found = []
    for _ in range(draw(st.integers(0, 8))):
        text = draw(st.sampled_from(bases))
        for place in draw(st.lists(st.integers(0, 99), max_size=4)):
            text = changed(text, "other", place) if text else text
        found.append(text)
    return found


@settings(deadline=None)
@given(texts())
def test_the_first_of_those_alike_stands_for_the_others(found: list[str]) -> None:
    def runs(text: str) -> set[tuple[str, ...]]:
        words = text.split()
        return {tuple(words[at : at + 4]) for at in range(len(words) - 3)} if len(words) >= 12 else set()

    expected: list[int] = []
    for place, text in enumerate(found):
        own = place
        for other in range(place):
            a, b = runs(found[other]), runs(text)
            lengths = sorted([len(found[other].split()), len(text.split())])
            alike = a and len(a & b) / len(a | b) >= 0.9 and lengths[0] >= 0.9 * lengths[1]
            if expected[other] == other and alike:
                own = other
                break
        expected.append(own)
    assert fold([len(text.split()) for text in found], lambda place: found[place].encode()) == expected


def test_the_text_of_a_hit_is_asked_for_only_when_another_is_as_long() -> None:
    asked: list[int] = []

    def text_of(place: int) -> bytes:
        asked.append(place)
        return " ".join(WORDS).encode()

    assert fold([100, 50, 99, 200], text_of) == [0, 1, 0, 3]
    assert sorted(asked) == [0, 2]


def test_pages_in_a_script_without_spaces_are_compared_by_their_pairs() -> None:
    text = "東京都に行くことがあります。京都にも行きたいと思います。大阪は遠いです。"
    assert fold([30, 30, 30], lambda place: (text if place else text[::-1]).encode()) == [0, 1, 1]


def test_short_texts_are_like_no_other() -> None:
    text = " ".join(WORDS[:11])
    assert fold([11, 11], lambda _: text.encode()) == [0, 1]


def test_words_of_versions_are_counted_over_all_elements_whatever_bytes_their_numbers_take(
    tmp_path: Path,
) -> None:
    counts = [0, 1, 255, 256, 70_000]
    pages = [
        PlainVersion(f"http://{number}.example/", title="two words", running=((BODY, "a " * count),))
        for number, count in enumerate(counts)
    ]
    with DirectIndex(tmp_path) as index:
        index.add("a.warc", pages)
        snapshot = index.snapshot()
        [live] = snapshot.segments
        places = [(live.number, ordinal) for ordinal in (*range(len(counts)), 2)]
        expected = live.segment.lengths.sum(axis=1).tolist()
        assert snapshot.words_in([*places, (live.number + 1, 0)]) == [*expected, expected[2], 0]
        assert max(expected) > 1 << 16
