"""Tokens of a batch are sorted the same way, whether or not an occurrence fits into 64 bits."""

from __future__ import annotations

import tracemalloc
from string import ascii_lowercase

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.store.columns import Occurrences
from indexer.store.inversion import _sorted_columns, _sorted_occurrences, words_by_language
from indexer.text.analysis import analyze_pages
from indexer.text.elements import ANCHOR, BODY, PageText, join_pieces

texts = st.lists(st.sampled_from("alpha beta c++ gamma".split()), max_size=6).map(" ".join)
pages = st.builds(
    lambda title, body, anchor: PageText(
        title, "", "", "", "", *join_pieces([(body, BODY), (anchor, ANCHOR)])
    ),
    texts,
    texts,
    texts,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(pages, min_size=1, max_size=3), min_size=1, max_size=3))
def test_both_ways_of_sorting_agree(batch: list[list[PageText]]) -> None:
    groups = [analyze_pages([("", page) for page in group]) for group in batch]
    words = sorted({word for group in groups for word in group.words})
    ranks = [np.array([words.index(word) for word in group.words], dtype=np.int64) for group in groups]
    first = np.cumsum([0, *(len(group.extents) for group in groups)])
    packed = _sorted_occurrences(words, groups, ranks)
    plain = _sorted_columns(words, groups, ranks, first)
    for name in ("word", "version", "element", "position"):
        assert getattr(packed, name).tolist() == getattr(plain, name).tolist()
    rows = list(zip(plain.word.tolist(), plain.version.tolist(), plain.element.tolist(), strict=True))
    assert rows == sorted(rows)


def test_pages_that_declare_very_many_languages_cost_no_more_memory() -> None:
    words, languages = 40_000, [f"{a}{b}q" for a in ascii_lowercase for b in ascii_lowercase]
    number = np.arange(words)
    version = number % len(languages)
    element = np.zeros(words, dtype=np.uint8)
    occurrences = Occurrences([f"w{n}" for n in number], number, version, element, number)
    tracemalloc.start()
    found = words_by_language(occurrences, np.arange(len(languages)), languages)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == {} and peak < 5 * words  # a byte for each word and language would be 27 million
    in_two = words_by_language(occurrences, np.arange(len(languages)), ["de", "en", *languages[2:]])
    assert in_two["de"].tolist() == number[version == 0].tolist()
    assert in_two["en"].tolist() == number[version == 1].tolist()
