"""Runs of words and the best passage, as plain Python finds them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexer.core.passages import Places, WantedKinds, WordRuns
from indexer.core.tokens import encoded, tokenizer

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


WORDS = ["heron", "herons", "gull", "gulls", "dawn", "über"]


def best_place(places: list[tuple[int, str]], reach: int) -> tuple[int, set[str]]:
    """Return the place after which most kinds stand, then most words, then the first; and these kinds."""
    best, most = (0, set[str]()), (0, 0)
    for start, _ in places:
        inside = [word[:4] for place, word in places if start <= place < start + reach]
        if (len(set(inside)), len(inside)) > most:
            best, most = (start, set(inside)), (len(set(inside)), len(inside))
    return best


@given(
    st.lists(st.tuples(st.sampled_from([*WORDS, "other", "Heron"]), st.integers(1, 9)), max_size=40),
    st.frozensets(st.sampled_from(WORDS)),
    st.integers(1, 80),
    st.integers(0, 60),
)
def test_passages_are_the_best_there_are(
    words: list[tuple[str, int]], wanted: frozenset[str], reach: int, gap: int
) -> None:
    text = "".join(word + " " * blanks for word, blanks in words)
    plain: list[tuple[int, str]] = []
    at = 0
    for word, blanks in words:
        if word.lower() in wanted:
            plain.append((at, word.lower()))
        at += len(word) + blanks
    plain = [
        (place, word)
        for number, (place, word) in enumerate(plain)
        if sum(other == word for _, other in plain[:number]) < 3
    ]
    places = Places(tokenizer(), encoded(text), WantedKinds(wanted, lambda word: word[:4]), 3)
    assert places.count == len(plain)
    assert places.kinds == len({word[:4] for _, word in plain})
    first, kinds = best_place(plain, reach)
    assert places.best(reach) == (first, len(kinds))
    others = [
        (place, word)
        for place, word in plain
        if word[:4] not in kinds and not first - gap <= place < first + gap
    ]
    second, more = best_place(others, reach)
    assert places.best_two(reach, lambda place: (place - gap, place + gap)) == (
        first,
        second,
        len(kinds | more),
    )
