"""The difference of two texts: nothing lost, nothing invented, never slow."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from webui.textdiff import GONE, NEW, SAME, text_diff

_TEXT = st.lists(st.sampled_from(["a", "b", "c", "dog", "cat", "\n", ". "]), max_size=40).map(" ".join)


def plain(text: str) -> str:
    return "".join(text.split())


@given(_TEXT, _TEXT, st.sampled_from([0, 20, 100_000]))
def test_each_side_is_the_text_it_was_made_from(old: str, new: str, steps: int) -> None:
    diff = text_diff(old, new, steps=steps)
    assert "".join(plain(part.text) for row in diff.rows for part in row.old) == plain(old)
    assert "".join(plain(part.text) for row in diff.rows for part in row.new) == plain(new)
    for row in diff.rows:
        assert [part for part in row.merged if part.kind != NEW] == list(row.old)
        assert [part for part in row.merged if part.kind != GONE] == list(row.new)


def test_words_that_changed_stand_in_their_paragraph() -> None:
    diff = text_diff("Title\nA wombat at dawn.\nEnd", "Title\nA heron at dawn, again.\nEnd")
    [changed] = [row for row in diff.rows if not row.is_same]
    assert [(part.kind, part.text) for part in changed.merged] == [
        (SAME, "A "),
        (GONE, "wombat"),
        (NEW, "heron"),
        (SAME, " at dawn"),
        (NEW, ", again"),
        (SAME, "."),
    ]
    assert (diff.gone_words, diff.new_words, diff.is_coarse) == (1, 2, False)


def test_the_same_text_has_no_difference() -> None:
    diff = text_diff("one\ntwo", "one \n\n two")
    assert all(row.is_same for row in diff.rows) and diff.gone_words == diff.new_words == 0


def test_hostile_texts_are_compared_coarsely_instead_of_for_ever() -> None:
    old, new = "the cat the dog " * 20_000, "the dog a cat the " * 20_000
    start = time.monotonic()
    diff = text_diff(old, new)
    assert diff.is_coarse and diff.rows
    assert time.monotonic() - start < 60  # the plain way would take hours
