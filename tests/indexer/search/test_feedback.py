"""Rocchio and words that go together: textbook numbers, and a slow plain version."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.search.feedback import feedback_words, log_likelihood, rocchio, words_that_go_together
from indexer.search.vectors import Terms
from indexer.search.widening import Widening


def test_rocchio_of_the_textbook() -> None:
    """Manning, Raghavan, Schütze, "Introduction to Information Retrieval" (2008), exercise 9.4.

    Query "cheap CDs cheap DVDs extremely cheap CDs"; relevant: "CDs cheap software cheap CDs"; not relevant:
    "cheap thrills DVDs". Columns: cheap, CDs, DVDs, extremely, software, thrills.
    """
    query = np.array([3.0, 2, 1, 1, 0, 0])
    relevant = np.array([[2.0, 2, 0, 0, 1, 0]])
    nonrelevant = np.array([[1.0, 0, 1, 0, 0, 1]])
    moved = rocchio(query, relevant, nonrelevant, alpha=1, beta=0.75, gamma=0.25)
    assert moved.tolist() == [4.25, 3.5, 0.75, 1.0, 0.75, 0.0]


def test_rocchio_without_pages_is_the_query() -> None:
    query = np.array([1.0, 0.0])
    assert rocchio(query, np.zeros((0, 2)), np.zeros((0, 2)), alpha=2, beta=9, gamma=9).tolist() == [2.0, 0.0]


def test_log_likelihood_of_dunning() -> None:
    """Dunning (1993), table 2: "the swiss" in 31,777 words of a text, counts 110, 2442, 111, 29114."""
    found = log_likelihood(np.array([110.0]), 110 + 2442, np.array([111.0]), 111 + 29114)
    assert float(found[0]) == pytest.approx(270.72, abs=0.01)


weights = st.lists(
    st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.9]), min_size=6, max_size=6), min_size=1, max_size=4
)


def terms(rows: list[list[float]]) -> Terms:
    words = ["heron", "grey", "nest", "pond", "reed", "fish"]
    return Terms(words, words, np.array(rows), np.array([3, 5, 2, 7, 1, 4]), ["de"] * len(rows))


@settings(deadline=None)
@given(weights, st.integers(1, 4), st.booleans())
def test_feedback_agrees_with_a_plain_walk(rows: list[list[float]], relevant: int, tfidf: bool) -> None:
    relevant = min(relevant, len(rows))
    options = Widening(rocchio_tfidf=tfidf, rocchio_beta=0.7, rocchio_gamma=0.3, rocchio_words=3)
    good, bad = list(range(relevant)), list(range(relevant, len(rows)))
    added, own = feedback_words(["heron", "elsewhere"], terms(rows), good, bad, 10, options)

    held = [3, 5, 2, 7, 1, 4]
    rarity = [math.log(1 + 10 / n) if tfidf else 1.0 for n in held]
    vectors = []
    for row in rows:
        vector = [weight * rare for weight, rare in zip(row, rarity, strict=True)]
        length = math.sqrt(sum(value * value for value in vector))
        vectors.append([value / length if length else 0.0 for value in vector])
    expected = {}
    for place, word in enumerate(("heron", "grey", "nest", "pond", "reed", "fish")):
        value = 1.0 if word == "heron" else 0.0
        value += 0.7 * sum(vectors[i][place] for i in good) / len(good)
        value -= 0.3 * sum(vectors[i][place] for i in bad) / len(bad) if bad else 0.0
        expected[word] = max(value, 0.0) / rarity[place] * rarity[0]
    top = max(expected["heron"], 1.0)
    assert own == pytest.approx({"heron": expected["heron"] / top, "elsewhere": 1.0 / top})
    # reed stands in one version alone
    wanted = {
        word: value / top
        for word, value in expected.items()
        if word not in ("heron", "reed") and value > 0.0005 * top
    }
    for word in added:
        assert word.source == "rocchio" and word.weight == pytest.approx(wanted[word.text], abs=1e-4)
    assert len(added) == min(3, len(wanted))


def test_words_that_go_together_are_those_frequent_here_and_rare_elsewhere() -> None:
    rows = [[0.5, 0.5, 0.5, 0.0, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.0, 0.0]]
    added = words_that_go_together(["heron"], terms(rows), 1000, Widening(cooccur_weight=0.4))
    assert [word.text for word in added] == ["nest", "grey"]  # held by 2 and by 5 versions
    assert added[0].weight == 0.4 > added[1].weight > 0
