"""Tokens of a batch are sorted the same way, whether or not an occurrence fits into 64 bits."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.store.inversion import _sorted_columns, _sorted_occurrences
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
