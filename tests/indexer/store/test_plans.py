"""Which segments are merged, and when."""

from __future__ import annotations

import random
from typing import Any

import pytest

from indexer.store import plans
from indexer.store.plans import can_wait, full_group, last_groups, whole_groups


@pytest.fixture(autouse=True)
def small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "MERGE_VERSIONS", 100)
    monkeypatch.setattr(plans, "MERGE_OCCURRENCES", 1000)
    monkeypatch.setattr(plans, "FREE_VERSIONS", 5)


def entries(*versions: int, dead: int = 0, occurrences: int = 1) -> list[dict[str, Any]]:
    return [
        {"number": number, "versions": count, "dead": list(range(dead)), "sums": [occurrences]}
        for number, count in enumerate(versions, start=1)
    ]


def numbers(groups: list[list[dict[str, Any]]]) -> list[list[int]]:
    return [sorted(entry["number"] for entry in group) for group in groups]


def test_during_a_run_small_segments_wait_until_they_fill_a_large_one() -> None:
    assert full_group(entries(30, 30, 30)) == []
    assert numbers([full_group(entries(30, 30, 30, 30))]) == [[1, 2, 3]]
    # what is large is left alone
    assert numbers([full_group(entries(90, 30, 30, 30, 30))]) == [[2, 3, 4]]
    # many words fill a segment, too
    assert numbers([full_group(entries(1, 1, 1, occurrences=400))]) == [[1, 2]]


def test_a_run_of_any_length_has_a_bounded_number_of_small_segments() -> None:
    live: list[dict[str, Any]] = []
    written = most = 0
    for number in range(1, 1000):
        live.append({"number": number, "versions": 7, "dead": [], "sums": [7]})
        if group := full_group(live):
            live = [entry for entry in live if entry not in group]
            together = sum(entry["versions"] for entry in group)
            live.append({"number": 10_000 + number, "versions": together, "dead": [], "sums": [1]})
            written += together
        most = max(most, sum(entry["versions"] < 50 for entry in live))
    assert most <= 100 // 7 + 1
    assert written <= 7 * 1000  # each version once


def test_a_merge_waits_for_the_end_when_every_worker_has_one_at_most_then() -> None:
    assert can_wait(entries(30, 30, 30, 30), growth=1.5, workers=2, occurrences=1000)
    assert not can_wait(entries(30, 30, 30, 30), growth=2, workers=2, occurrences=1000)
    assert not can_wait(entries(30, 30, 30, 30), growth=1.5, workers=1, occurrences=1000)
    # what all of them take at once is bounded, too
    assert not can_wait(entries(1, 1, occurrences=400), growth=1.5, workers=2, occurrences=1000)
    # what is large is left alone
    assert can_wait(entries(90, 90, 30), growth=2, workers=1, occurrences=1000)


def test_what_is_merged_at_the_same_time_is_of_one_size() -> None:
    assert numbers(last_groups(entries(*[10] * 13))) == [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12, 13]]
    assert numbers(last_groups(entries(90, *[10] * 12))) == [[2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13]]
    # words take time to merge, too, not pages alone
    uneven = entries(*[1] * 12, occurrences=10)
    for entry in uneven[:4]:
        entry["sums"] = [240]
    assert numbers(last_groups(uneven)) == [[1, 2, 3, 4], [5, 6, 7, 8, 9, 10, 11, 12]]


def test_at_the_end_of_a_run_neighbours_become_one_while_they_fit() -> None:
    assert numbers(last_groups(entries(40, 30, 20, 60, 30))) == [[1, 2, 3], [4, 5]]
    assert last_groups(entries(100)) == last_groups([]) == []
    assert numbers(last_groups(entries(30, 20, 100, 30))) == [[1, 2, 4]]  # on both sides of a full one
    assert numbers(last_groups(entries(30, 95, 30))) == [[1, 3]]


def test_workers_with_nothing_to_do_make_parts_of_one_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only of what takes long to merge; parts are left beside each other until much comes to them."""
    monkeypatch.setattr(plans, "LEAST_PART", 2000)  # ten pages, nearly
    assert numbers(last_groups(entries(*[6] * 8), 1)) == [[1, 2, 3, 4, 5, 6, 7, 8]]
    assert numbers(last_groups(entries(*[6] * 8), 2)) == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert numbers(last_groups(entries(*[6] * 8), 16)) == [[1, 2], [3, 4], [5, 6], [7, 8]]
    assert numbers(last_groups(entries(*[6] * 7), 4)) == [[1, 2], [3, 4, 5], [6, 7]]  # none is alone
    assert numbers(last_groups(entries(*[4] * 4), 2)) == [[1, 2, 3, 4]]  # too little for two
    assert numbers(last_groups(entries(*[9] * 13), 3)) == [[1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13]]
    assert last_groups(entries(40, 40), 2) == last_groups(entries(40, 40), 1) == []
    assert last_groups(entries(22, 22, 22, 22), 1) == []
    assert numbers(last_groups(entries(16, 16, 16, 16, 16), 1)) == [[1, 2, 3, 4, 5]]  # nobody makes so many
    assert last_groups(entries(40, 40, 1), 2) == []
    assert numbers(last_groups(entries(40, 40, 1, 5), 2)) == [[3, 4]]
    assert numbers(last_groups(entries(30, 30, 9), 2)) == [[1, 2, 3]]


@pytest.mark.parametrize("seed", range(5))
def test_however_many_runs_there_are_pages_are_written_a_few_times(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(plans, "LEAST_PART", 2000)
    chosen = random.Random(seed)
    live: list[dict[str, Any]] = []
    number = written = came = 0
    for _ in range(300):
        for _ in range(chosen.randint(1, 6)):
            number, count = number + 1, chosen.choice([1, 1, 2, 5, 9])
            came += count
            live.append({"number": number, "versions": count, "dead": [], "sums": [count]})
        rounds = 0
        while groups := last_groups(live, chosen.randint(1, 8)):
            rounds += 1
            for group in groups:
                number, count = number + 1, sum(entry["versions"] for entry in group)
                written += count
                live = [entry for entry in live if entry not in group]
                live.append({"number": number, "versions": count, "dead": [], "sums": [count]})
        assert rounds <= 3
    assert written < 5 * came
    assert len(live) < came / 20


def test_a_large_segment_is_not_written_anew_for_a_few_pages() -> None:
    assert last_groups(entries(80, 2)) == []
    assert numbers(last_groups(entries(80, 2, 2))) == [[2, 3]]
    assert numbers(last_groups(entries(60, 20))) == [[1, 2]]
    assert numbers(last_groups(entries(5, 1))) == [[1, 2]]  # so small that it costs nothing
    assert numbers(last_groups(entries(3, 80))) == []
    # those beside it are merged with each other
    assert numbers(last_groups(entries(90, 3, 9, 2))) == [[2, 3, 4]]
    assert numbers(last_groups(entries(3, 90, 9, 2))) == [[1, 3, 4]]


def test_many_removed_versions_are_reason_enough() -> None:
    assert numbers(last_groups(entries(20, dead=6))) == [[1]]
    assert last_groups(entries(20, dead=4)) == []
    assert numbers(whole_groups(entries(20, dead=1))) == [[1]]


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("count", [2, 3, 150])
def test_pages_without_words_that_are_all_removed_are_merged_away(count: int, workers: int) -> None:
    groups = last_groups(entries(*[2] * count, dead=2, occurrences=0), workers)
    assert sorted(entry["number"] for group in groups for entry in group) == list(range(1, count + 1))


def test_optimizing_leaves_as_few_as_fit() -> None:
    assert numbers(whole_groups(entries(40, 60, 70, 30, 10))) == [[3, 4], [1, 2]]
    assert whole_groups(entries(60, 60, 60)) == []
