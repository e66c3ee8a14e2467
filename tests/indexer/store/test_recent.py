"""What is remembered stays bounded, and what was used longest ago is forgotten first."""

from __future__ import annotations

from indexer.store.recent import Recent


def test_what_was_used_longest_ago_goes_first() -> None:
    texts = Recent[str](10, len)
    for number in (1, 2):
        texts.keep(number, "heron")
    assert texts.find(1) == "heron"
    texts.keep(3, "gull")
    assert [texts.find(number) for number in (1, 2, 3)] == ["heron", None, "gull"]


def test_what_is_greater_than_all_room_is_not_kept_and_drives_nothing_out() -> None:
    texts = Recent[str](3, len)
    texts.keep(1, "own")
    texts.keep(2, "heron")
    assert (texts.find(1), texts.find(2)) == ("own", None)


def test_a_value_is_made_once_and_counted_once() -> None:
    known = Recent[list[int]](2)
    first = known.get("a", lambda: [1])
    assert known.get("a", lambda: [2]) is first
    known.keep("a", [3])  # another thread made it, too
    assert known.get("b", lambda: [4]) == [4] and known.find("a") is first
