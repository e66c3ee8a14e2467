"""Runs of words, as plain Python finds them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexer.core.passages import WordRuns
from indexer.core.tokens import encoded

BLANKS = " \t\n\x1c\x85\xa0\u1680\u2003\u2028\u3000"


def runs_of(text: str) -> set[tuple[str, ...]]:
    words = text.split()
    return {tuple(words[at : at + 4]) for at in range(len(words) - 3)}


texts = st.lists(
    st.tuples(
        st.sampled_from(["one", "two", "drei", "чет", "五", "\u200b", "\ufeff", "\ud800", "a\x00b"]),
        st.text(BLANKS, min_size=1, max_size=2),
    ),
    max_size=60,
).map(lambda pairs: "".join(word + blank for word, blank in pairs))


@given(texts, texts)
def test_runs_are_those_of_words_between_white_space(first: str, second: str) -> None:
    found = [WordRuns(encoded(text)) for text in (first, second)]
    for text, runs in zip((first, second), found, strict=True):
        assert (runs.word_count, runs.run_count) == (len(text.split()), len(runs_of(text)))
    assert found[0].common(found[1]) == found[1].common(found[0]) == len(runs_of(first) & runs_of(second))


def test_single_letters_fill_the_table_as_far_as_it_goes() -> None:
    text = " ".join(chr(97 + number % 26) + chr(97 + number // 26) for number in range(600))
    assert WordRuns(encoded(text)).run_count == len(runs_of(text)) == 597
    letters = " ".join("abcdefgh"[number % 7] for number in range(1025))
    assert WordRuns(encoded(letters)).run_count == 7
    assert WordRuns(b"").run_count == WordRuns(b" ").word_count == 0
