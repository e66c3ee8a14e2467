from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indexer import ELEMENTS, Ranking, open_index
from indexer.store.arrayfile import ArrayFile
from indexer.store.bm25f import norms, weights
from indexer.store.weights import STEPS, ZERO, Basis, encode_norms

KINDS = len(ELEMENTS)
boosts = st.lists(st.one_of(st.just(0.0), st.floats(0.01, 50)), min_size=KINDS, max_size=KINDS)
b_values = st.lists(st.sampled_from([0.0, 0.3, 0.75, 1.0]), min_size=KINDS, max_size=KINDS)
mean_values = st.lists(st.one_of(st.just(0.0), st.floats(0.5, 5000)), min_size=KINDS, max_size=KINDS)
rows = st.lists(st.integers(0, 40), min_size=KINDS, max_size=KINDS)


def upper_bounds(slack: float) -> np.ndarray:
    """Return for each byte a weight that is never below the exact one; the last byte has no bound."""
    bounds = 2.0 ** ((np.arange(256) - ZERO) / STEPS) * slack * (1 + 1e-6)
    bounds[255] = np.inf
    return bounds


def ranking_of(boost: list[float], b: list[float]) -> Ranking:
    return Ranking(boost=dict(zip(ELEMENTS, boost, strict=True)), b=dict(zip(ELEMENTS, b, strict=True)))


def exact(ranking: Ranking, counts: np.ndarray, lengths: np.ndarray, means: np.ndarray) -> np.ndarray:
    return weights(counts, norms(ranking, lengths, means))


@given(st.lists(st.floats(0, 1e6), max_size=40))
def test_a_code_is_an_upper_bound_and_a_close_one(values: list[float]) -> None:
    weight = np.array(values)
    codes = encode_norms(weight)
    bounds = upper_bounds(1.0)
    assert (bounds[codes] >= weight).all()
    inside = (codes > 0) & (codes < 255)
    assert (weight[inside] >= bounds[codes[inside]] * 2 ** (-1 / STEPS) * (1 - 1e-5)).all()


@given(
    st.lists(st.tuples(rows, rows), min_size=1, max_size=6),
    boosts,
    boosts,
    b_values,
    b_values,
    mean_values,
    mean_values,
    st.booleans(),
)
def test_bounds_hold_the_exact_weight_when_means_and_boosts_have_changed(
    pairs: list[tuple[list[int], list[int]]],
    boost: list[float],
    boost2: list[float],
    b: list[float],
    b2: list[float],
    mean: list[float],
    mean2: list[float],
    same_b: bool,
) -> None:
    counts = np.array([counts for counts, _ in pairs])
    # a version is at least as long as what a word counts in it; an element that no version has, it has not
    lengths = counts + np.array([more for _, more in pairs])
    means, means2 = np.array(mean), np.array(mean2)
    for column in range(KINDS):
        if lengths[:, column].any():
            means[column], means2[column] = means[column] or 1.0, means2[column] or 1.0
    then, now = ranking_of(boost, b), ranking_of(boost2, b if same_b else b2)
    slack = Basis.of(then, means).slack(Basis.of(now, means2))
    assert slack >= 1
    codes = encode_norms(norms(then, lengths, means))
    with np.errstate(invalid="ignore"):
        bounds = np.where(counts > 0, counts * upper_bounds(slack)[codes], 0).sum(axis=1)
    assert (bounds >= exact(now, counts, lengths, means2)).all()


def test_the_stored_norms_of_an_index_are_those_of_its_lengths(small_index: Path) -> None:
    with open_index(str(small_index)) as index:
        snapshot = index._current()
        for live in snapshot.segments:
            basis = live.weights.basis
            ranking = ranking_of(list(basis.boost), list(basis.b))
            lengths = live.lengths(np.arange(len(live.segment)))
            expected = encode_norms(norms(ranking, lengths, np.array(basis.means)))
            assert (expected == ArrayFile(live.weights.path, "weights").array("norms").T).all()
            assert snapshot.slack(live, index.ranking) < 1.3
