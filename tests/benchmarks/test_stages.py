from __future__ import annotations

import pytest

from benchmarks.stages import groups_that_fit


@pytest.mark.parametrize(
    ("versions", "groups"),
    [
        ({}, []),
        ({"a": 10}, [["a"]]),
        ({"a": 4, "b": 5}, [["a", "b"]]),
        ({"a": 4, "b": 6}, [["a", "b"]]),
        ({"a": 4, "b": 7}, [["a"], ["b"]]),
        ({"a": 10, "b": 1, "c": 9, "d": 1}, [["a"], ["b", "c"], ["d"]]),
    ],
)
def test_no_more_segments_are_merged_at_once_than_fit_into_one(
    versions: dict[str, int], groups: list[list[str]]
) -> None:
    assert groups_that_fit(versions, 10) == groups
