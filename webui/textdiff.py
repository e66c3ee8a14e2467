"""What changed between two texts, paragraph by paragraph and word by word, in bounded time.

First the paragraphs are matched, then the words inside those that differ. Both levels use
the same steps: what is equal at both ends is set aside; elements that occur once on each
side are anchors (patience diff); between anchors the shortest edit is looked for (E. Myers,
"An O(ND) difference algorithm and its variations", 1986) while a budget of steps lasts.
Where it does not last, the whole stretch counts as replaced, so no page can hang us.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

STEPS = 1_500_000
_MAX_DEPTH = 12
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")

SAME, GONE, NEW = "same", "gone", "new"
Match = tuple[int, int, int]  # start in the old, start in the new, length


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A piece of text. kind: SAME, GONE or NEW."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class DiffRow:
    """Paragraphs that belong beside each other. old, new: each side; merged: both in one."""

    is_same: bool
    old: tuple[DiffPart, ...]
    new: tuple[DiffPart, ...]
    merged: tuple[DiffPart, ...]


@dataclass(slots=True)
class TextDiff:
    """The rows in their order; words that are gone and new; is_coarse: the budget did not last."""

    rows: list[DiffRow] = field(default_factory=list)
    gone_words: int = 0
    new_words: int = 0
    is_coarse: bool = False


class _Budget:
    def __init__(self, steps: int) -> None:
        self.left = steps
        self.is_spent = False


def text_diff(old: str, new: str, *, steps: int = STEPS) -> TextDiff:
    """Return the difference of two texts; paragraphs are parted by line feeds, white space does not count."""
    budget = _Budget(steps)
    before, after = _paragraphs(old), _paragraphs(new)
    diff = TextDiff()
    at_old = at_new = 0
    for start_old, start_new, length in [*_matches(before, after, budget), (len(before), len(after), 0)]:
        gone, come = before[at_old:start_old], after[at_new:start_new]
        if gone or come:
            diff.rows += _changed_rows(gone, come, budget, diff)
        for paragraph in before[start_old : start_old + length]:
            part = (DiffPart(SAME, paragraph),)
            diff.rows.append(DiffRow(True, part, part, part))
        at_old, at_new = start_old + length, start_new + length
    diff.is_coarse = budget.is_spent
    return diff


def _paragraphs(text: str) -> list[str]:
    return [line for line in (" ".join(line.split()) for line in text.split("\n")) if line]


def _changed_rows(gone: list[str], come: list[str], budget: _Budget, diff: TextDiff) -> list[DiffRow]:
    """Return rows for paragraphs that differ: one beside the other where there are as many on both sides."""
    pairs = (
        list(zip(gone, come, strict=True)) if len(gone) == len(come) else [("\n".join(gone), "\n".join(come))]
    )
    return [_changed_row(old, new, budget, diff) for old, new in pairs]


def _changed_row(old: str, new: str, budget: _Budget, diff: TextDiff) -> DiffRow:
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    olds: list[DiffPart] = []
    news: list[DiffPart] = []
    merged: list[DiffPart] = []
    at_old = at_new = 0
    for start_old, start_new, length in [*_matches(before, after, budget), (len(before), len(after), 0)]:
        gone, come = before[at_old:start_old], after[at_new:start_new]
        if gone:
            part = DiffPart(GONE, "".join(gone))
            olds.append(part)
            merged.append(part)
            diff.gone_words += sum(word[0].isalnum() for word in gone)
        if come:
            part = DiffPart(NEW, "".join(come))
            news.append(part)
            merged.append(part)
            diff.new_words += sum(word[0].isalnum() for word in come)
        if length:
            part = DiffPart(SAME, "".join(before[start_old : start_old + length]))
            for side in (olds, news, merged):
                side.append(part)
        at_old, at_new = start_old + length, start_new + length
    return DiffRow(False, tuple(olds), tuple(news), tuple(merged))


# ---------------------------------------------------------------- matching two sequences


def _matches(old: Sequence[str], new: Sequence[str], budget: _Budget) -> list[Match]:
    """Return runs of equal elements, rising on both sides and apart from each other."""
    found: list[Match] = []
    todo = [(0, len(old), 0, len(new), 0)]
    while todo:
        low, high, new_low, new_high, depth = todo.pop()
        head = _common_start(old, new, low, high, new_low, new_high)
        if head:
            found.append((low, new_low, head))
            low, new_low = low + head, new_low + head
        tail = _common_end(old, new, low, high, new_low, new_high)
        if tail:
            high, new_high = high - tail, new_high - tail
            found.append((high, new_high, tail))
        if low == high or new_low == new_high:
            continue
        anchors = _anchors(old, new, low, high, new_low, new_high) if depth < _MAX_DEPTH else []
        if not anchors:
            found += _shortest_edit(old, new, low, high, new_low, new_high, budget)
            continue
        for place, new_place in anchors:
            found.append((place, new_place, 1))
            todo.append((low, place, new_low, new_place, depth + 1))
            low, new_low = place + 1, new_place + 1
        todo.append((low, high, new_low, new_high, depth + 1))
    return _run_together(sorted(found))


def _run_together(matches: list[Match]) -> list[Match]:
    joined: list[Match] = []
    for place, new_place, length in matches:
        if joined and joined[-1][0] + joined[-1][2] == place and joined[-1][1] + joined[-1][2] == new_place:
            joined[-1] = (joined[-1][0], joined[-1][1], joined[-1][2] + length)
        else:
            joined.append((place, new_place, length))
    return joined


def _common_start(
    old: Sequence[str], new: Sequence[str], low: int, high: int, new_low: int, new_high: int
) -> int:
    most = min(high - low, new_high - new_low)
    count = 0
    while count < most and old[low + count] == new[new_low + count]:
        count += 1
    return count


def _common_end(
    old: Sequence[str], new: Sequence[str], low: int, high: int, new_low: int, new_high: int
) -> int:
    most = min(high - low, new_high - new_low)
    count = 0
    while count < most and old[high - count - 1] == new[new_high - count - 1]:
        count += 1
    return count


def _anchors(
    old: Sequence[str], new: Sequence[str], low: int, high: int, new_low: int, new_high: int
) -> list[tuple[int, int]]:
    """Return pairs of places of elements that occur once on each side: the longest list rising on both."""
    counts, new_counts = Counter(old[low:high]), Counter(new[new_low:new_high])
    places = {element: new_low + number for number, element in enumerate(new[new_low:new_high])}
    pairs = [
        (place, places[element])
        for place, element in enumerate(old[low:high], low)
        if counts[element] == 1 and new_counts.get(element) == 1 and not element.isspace()
    ]
    ends: list[int] = []  # the smallest new place that a rising list of each length ends with
    ends_at: list[int] = []
    before: list[int] = []
    for number, (_, new_place) in enumerate(pairs):
        length = bisect_left(ends, new_place)
        before.append(ends_at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(new_place)
            ends_at.append(number)
        else:
            ends[length], ends_at[length] = new_place, number
    chosen: list[tuple[int, int]] = []
    number = ends_at[-1] if ends_at else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = before[number]
    return chosen[::-1]


def _shortest_edit(
    old: Sequence[str], new: Sequence[str], low: int, high: int, new_low: int, new_high: int, budget: _Budget
) -> list[Match]:
    """Return the equal elements of a shortest edit; nothing when the budget does not last for it."""
    size, new_size = high - low, new_high - new_low
    reach = {1: 0}
    trail: list[dict[int, int]] = []
    for edits in range(size + new_size + 1):
        trail.append(dict(reach))
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (
                diagonal != edits and reach.get(diagonal - 1, -1) < reach.get(diagonal + 1, -1)
            )
            x = reach[diagonal + 1] if down else reach[diagonal - 1] + 1
            y = x - diagonal
            while x < size and y < new_size and old[low + x] == new[new_low + y]:
                x, y = x + 1, y + 1
                budget.left -= 1
            reach[diagonal] = x
            if x >= size and y >= new_size:
                return _walk_back(trail, edits, size, new_size, low, new_low)
        budget.left -= 2 * edits + 2  # the steps, and the copy of what was reached
        if budget.left <= 0:
            budget.is_spent = True
            return []
    return []


def _walk_back(
    trail: list[dict[int, int]], edits: int, x: int, y: int, low: int, new_low: int
) -> list[Match]:
    found: list[Match] = []
    for number in range(edits, -1, -1):
        reach = trail[number]
        diagonal = x - y
        down = diagonal == -number or (
            diagonal != number and reach.get(diagonal - 1, -1) < reach.get(diagonal + 1, -1)
        )
        before = diagonal + 1 if down else diagonal - 1
        before_x = reach[before] if number else 0
        before_y = before_x - before if number else 0
        start_x = before_x if down or not number else before_x + 1
        length = x - start_x
        if length > 0:
            found.append((low + x - length, new_low + y - length, length))
        x, y = before_x, before_y
    return found
