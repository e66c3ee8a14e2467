"""What is remembered stays bounded, and what was used longest ago is forgotten first."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from indexer.store.recent import Derived, Recent


def test_what_was_used_longest_ago_goes_first() -> None:
    texts = Recent[str](10, len)
    for number in (1, 2):
        texts.keep(number, "heron")
    assert texts.find(1) == "heron"
    texts.keep(3, "gull")
    assert [texts.find(number) for number in (1, 2, 3)] == ["heron", None, "gull"]


def test_values_kept_together_are_kept_as_one_by_one() -> None:
    texts = Recent[str](10, len)
    texts.keep(1, "own")
    texts.keep_all({2: "longer than all room", 3: "heron"})
    assert texts.find_all([1, 2, 3]) == ["own", None, "heron"]
    texts.keep_all({4: "gulls", 5: "swans"})
    assert texts.find_all([1, 3, 4, 5]) == [None, None, "gulls", "swans"]


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


def test_of_many_kept_at_once_those_stay_that_there_is_room_for() -> None:
    texts = Recent[str](3)
    texts.keep(1, "stork")
    texts.keep_all({2: "heron", 3: "gull"})
    texts.keep_all({2: "heron", 3: "gull"})  # known: they count once
    assert texts.find_all([1, 2, 3]) == ["stork", "heron", "gull"]
    texts.keep_all({4: "swan", 5: "crane"})
    assert texts.find_all([1, 2, 3, 4, 5]) == [None, None, "gull", "swan", "crane"]


def test_what_many_threads_ask_for_at_once_is_worked_out_by_one_of_them() -> None:
    derived, made = Derived(), []
    all_ask = threading.Barrier(8)

    def make() -> list[int]:
        made.append(1)
        time.sleep(0.05)  # long enough for every other thread to come
        return made

    def ask() -> list[int]:
        all_ask.wait()
        return derived.once("totals", make)

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: ask(), range(8)))
    assert made == [1] and all(value is made for value in found)


def test_what_could_not_be_worked_out_is_worked_out_for_who_asks_next() -> None:
    derived = Derived()
    with pytest.raises(OSError, match="gone"):
        derived.once("totals", lambda: _fail())
    assert derived.once("totals", lambda: 3) == derived.once("totals", lambda: 4) == 3


def _fail() -> int:
    raise OSError("gone")
