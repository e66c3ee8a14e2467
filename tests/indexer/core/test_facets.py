"""Versions counted by their kinds, and what most are, against plain loops; and what does not fit together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.core.facets import NO_RANK, Column, Counter, Kinds
from indexer.search.prepared import packed

NOTHING = np.zeros((0, 2), dtype=np.uint32)
Versions = list[tuple[bool, int]]  # whether each matches, and its kind


def mask_of(versions: Versions) -> np.ndarray:
    return packed(np.array([matches for matches, _ in versions], dtype=bool))


@given(
    st.lists(st.lists(st.tuples(st.booleans(), st.integers(0, 4)), max_size=200), max_size=4),
    st.integers(1, 3),
)
def test_versions_are_counted_as_by_a_plain_loop(segments: list[Versions], each: int) -> None:
    places = np.arange(5 * each, dtype=np.uint32).reshape(5, each) % 7
    expected, kinds, masks, first = [1] * 7, [], [np.zeros(0, dtype=np.uint64)], 0
    for versions in segments:
        for matches, kind in versions:
            for place in places[kind].tolist() if matches else ():
                expected[place] += 1
        kind_of = np.array([kind for _, kind in versions], dtype=np.uint16)
        kinds.append(Kinds(kind_of, places, first))
        masks.append(mask_of(versions))
        first += len(masks[-1])
    totals = np.ones(7, dtype=np.int64)  # what is there already is added to
    columns = [Column(0, 7, 7, None, NOTHING)] * each
    told = Counter(kinds, columns).count(np.concatenate(masks), totals)
    assert totals.tolist() == expected
    assert told == [(7, list(range(1, 7)), expected[1:])] * each


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=12),
    st.permutations(range(12)),
    st.sets(st.integers(0, 11)),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=5),
    st.integers(0, 13),
)
def test_what_most_are_comes_first(
    own: list[int], order: list[int], unnamed: set[int], above: list[tuple[int, int]], most: int
) -> None:
    size = len(own)
    pairs = [(low, high) for low, high in above if low < size and high < size]
    ranks = [NO_RANK if value in unnamed else order[value] for value in range(size)]
    totals = own.copy()
    for low, high in pairs:
        totals[high] += totals[low]
    best = sorted((-totals[value], ranks[value], value) for value in range(size) if own[value])
    named = [(value, -count) for count, rank, value in best if rank != NO_RANK][:most]
    column = Column(
        2, 2 + size, most, np.array(ranks, dtype=np.uint32), np.array(pairs, dtype=np.uint32).reshape(-1, 2)
    )
    given_totals = np.array([9, 9, *own], dtype=np.int64)
    [(held, values, counts)] = Counter([], [column]).count(np.zeros(0, dtype=np.uint64), given_totals)
    assert held == sum(count > 0 for count in own)
    assert list(zip(values, counts, strict=True)) == named


@pytest.mark.parametrize(
    ("bit", "kind", "place", "first"),
    [
        pytest.param(3, 0, 0, 0, id="no such version"),
        pytest.param(0, 2, 0, 0, id="no such kind"),
        pytest.param(0, 0, 4, 0, id="no such place"),
        pytest.param(0, 0, 0, 1, id="no such bits"),
    ],
)
def test_what_is_not_there_is_refused(bit: int, kind: int, place: int, first: int) -> None:
    matching = np.array([1 << bit], dtype=np.uint64)
    kinds = Kinds(np.array([kind, 0, 0], dtype=np.uint16), np.array([[place], [0]], dtype=np.uint32), first)
    with pytest.raises(ValueError, match="not of kinds"):
        Counter([kinds], [Column(0, 4, 4, None, NOTHING)]).count(matching, np.zeros(4, dtype=np.int64))


@pytest.mark.parametrize(
    ("begin", "end", "below"),
    [
        pytest.param(0, 5, [], id="beyond the totals"),
        pytest.param(3, 2, [], id="ends before it begins"),
        pytest.param(1, 4, [(0, 3)], id="nothing above"),
        pytest.param(1, 4, [(3, 0)], id="nothing below"),
    ],
)
def test_columns_that_do_not_fit_are_refused(begin: int, end: int, below: list[tuple[int, int]]) -> None:
    column = Column(begin, end, 4, None, np.array(below, dtype=np.uint32).reshape(-1, 2))
    with pytest.raises(ValueError, match="not of kinds"):
        Counter([], [column]).count(np.zeros(0, dtype=np.uint64), np.zeros(4, dtype=np.int64))
