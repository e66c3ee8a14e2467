"""Texts that are alike, as plain Python finds them by the sets of their runs of words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexer.core.alike import Likeness, fold_alike
from indexer.core.tokens import encoded

BLANKS = " \t\n\x1c\x85\xa0\u1680\u2003\u2028\u3000"
ALL = 1_000_000  # more characters than any text or word has

texts = st.lists(
    st.tuples(
        st.sampled_from(
            ["one", "two", "drei", "чет", "五", "\u200b", "\ufeff", "\ud800", "a\x00b", "1" * 40]
        ),
        st.text(BLANKS, min_size=1, max_size=2),
    ),
    max_size=60,
).map(lambda pairs: "".join(word + blank for word, blank in pairs))


def share_of(first: str, second: str) -> float:
    """Return the Jaccard coefficient of the runs of four words of two texts."""

    def runs(text: str) -> set[tuple[str, ...]]:
        words = text.split()
        return {tuple(words[at : at + 4]) for at in range(len(words) - 3)}

    either = runs(first) | runs(second)
    return len(runs(first) & runs(second)) / len(either) if either else 1.0


def are_alike(first: str, second: str, likeness: Likeness) -> bool:
    return fold_alike([encoded(first), encoded(second)], [1, 1], likeness) == [0, 0]


@given(texts, texts)
def test_texts_are_as_alike_as_their_runs_of_words_between_white_space(first: str, second: str) -> None:
    share = share_of(first, second)
    for given_share in (share - 0.001, share + 0.001):
        likeness = Likeness(given_share, 0, ALL, ALL)
        expected = given_share < share
        assert are_alike(first, second, likeness) == are_alike(second, first, likeness) == expected


@given(texts, st.integers(0, 60))
def test_a_text_of_fewer_words_is_like_no_other(text: str, fewest: int) -> None:
    assert are_alike(text, text, Likeness(0.5, fewest, ALL, ALL)) == (len(text.split()) >= fewest)


def test_many_runs_are_counted_whether_they_come_once_or_often() -> None:
    words = [chr(97 + number % 26) + chr(97 + number // 26) for number in range(600)]
    letters = ["abcdefgh"[number % 7] for number in range(1025)]
    for first, second in ((words, words[:400]), (letters, letters[:11]), (words, letters)):
        share = share_of(" ".join(first), " ".join(second))
        for given_share in (share - 0.001, share + 0.001):
            likeness = Likeness(given_share, 0, ALL, ALL)
            assert are_alike(" ".join(first), " ".join(second), likeness) == (given_share < share)


@given(st.text("ab 検ü\U0001f600", max_size=30), st.integers(0, 31))
def test_as_many_characters_are_compared_as_said(text: str, characters: int) -> None:
    start = text[:characters]
    for other in (start, start + "x", start[:-1]):
        expected = share_of(start, other[:characters]) == 1
        assert are_alike(text, other, Likeness(1.0, 0, characters, ALL)) == expected


def test_where_words_are_longer_than_any_are_pairs_of_characters_are_compared() -> None:
    text = "東京都に行くことがあります。京都にも行きたいと思います。C++は難しい。"
    changed = text.replace("。", "、")
    assert not are_alike(text, changed, Likeness(0.9, 2, ALL, ALL)), "one word"
    assert are_alike(text, changed, Likeness(1.0, 12, ALL, 20))
    spaced = " ".join(text)
    assert not are_alike(spaced, changed, Likeness(0.9, 2, ALL, 20)), "there are spaces"


def test_one_stands_only_for_those_that_are_about_as_long() -> None:
    text = encoded(" ".join(f"w{number}" for number in range(20)))
    likeness = Likeness(0.9, 12, ALL, 20)
    assert fold_alike([text] * 5, [100, 90, 89, 0, 0], likeness) == [0, 0, 2, 3, 3]
    assert fold_alike([], [], likeness) == []
    assert fold_alike([text] * 2, [1 << 62, 9 << 58], likeness) == [0, 1]
