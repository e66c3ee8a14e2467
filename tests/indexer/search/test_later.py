"""Values that are worked out when they are asked for."""

from __future__ import annotations

import pytest

from indexer.search.later import Later


def test_got_once_and_not_before_it_is_asked_for() -> None:
    asked: list[int] = []

    def get() -> int:
        asked.append(1)
        return 7

    later = Later(get)
    assert asked == []
    assert (later.value(), later.value(), asked) == (7, 7, [1])


def test_what_failed_is_tried_anew() -> None:
    outcomes = iter([ValueError("no"), None])

    def get() -> str:
        if (problem := next(outcomes)) is not None:
            raise problem
        return "yes"

    later = Later(get)
    with pytest.raises(ValueError, match="no"):
        later.value()
    assert later.value() == "yes"
