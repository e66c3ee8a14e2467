"""Versions counted by their kinds, against a plain loop; and what does not fit together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.core.facets import Kinds
from indexer.search.prepared import packed


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4)), max_size=200), st.integers(1, 3))
def test_versions_are_counted_as_by_a_plain_loop(versions: list[tuple[bool, int]], each: int) -> None:
    places = np.arange(5 * each, dtype=np.uint32).reshape(5, each) % 7
    expected = [0] * 7
    for matches, kind in versions:
        for place in places[kind].tolist() if matches else ():
            expected[place] += 1
    totals = np.zeros(7, dtype=np.int64)
    mask = packed(np.array([matches for matches, _ in versions], dtype=bool))
    Kinds(np.array([kind for _, kind in versions], dtype=np.uint16), places).count(mask, totals)
    assert totals.tolist() == expected


@pytest.mark.parametrize(
    ("bit", "kind", "place"),
    [
        pytest.param(3, 0, 0, id="no such version"),
        pytest.param(0, 2, 0, id="no such kind"),
        pytest.param(0, 0, 4, id="no such place"),
    ],
)
def test_what_is_not_there_is_refused(bit: int, kind: int, place: int) -> None:
    matching = np.array([1 << bit], dtype=np.uint64)
    kind_of = np.array([kind, 0, 0], dtype=np.uint16)
    with pytest.raises(ValueError, match="not of kinds"):
        Kinds(kind_of, np.array([[place], [0]], dtype=np.uint32)).count(matching, np.zeros(4, dtype=np.int64))
