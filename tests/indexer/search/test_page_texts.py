"""The memory of page texts stays bounded and forgets what was used longest ago."""

from __future__ import annotations

import pytest

from archiver.warc import Location
from indexer.search import page_texts
from indexer.search.page_texts import PageTexts


def place(number: int) -> Location:
    return Location("a.warc", number, 1)


def test_what_was_used_longest_ago_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_texts, "_CHARACTERS_AT_MOST", 10)
    texts = PageTexts()
    for number in (1, 2):
        texts.keep(place(number), "heron")
    assert texts.get(place(1)) == "heron"
    texts.keep(place(3), "gull")
    assert [texts.get(place(number)) for number in (1, 2, 3)] == ["heron", None, "gull"]


def test_a_text_greater_than_all_room_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_texts, "_CHARACTERS_AT_MOST", 3)
    texts = PageTexts()
    texts.keep(place(1), "heron")
    assert texts.get(place(1)) is None
    texts.keep(place(1), "own")
    assert texts.get(place(1)) == "own"
