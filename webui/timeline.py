"""All captures of one address over time, counted for the time line of the bar and for the calendar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from archiver.warc.dates import is_possible, latest_possible
from indexer import Capture
from webui.stored import as_seconds

TIMELINE_BARS = 48
BAR_HEIGHT = 16


@dataclass(frozen=True, slots=True)
class TimelineBar:
    """One stretch of time. place: from 0; height: 1 to BAR_HEIGHT; is_current: the capture shown lies in it."""

    place: int
    height: float
    is_current: bool


@dataclass(frozen=True, slots=True)
class Timeline:
    """The captures of an address, from the first year to the last."""

    first_year: str
    last_year: str
    bars: tuple[TimelineBar, ...]


def timeline_of(captures: Sequence[Capture], current: str) -> Timeline | None:
    """Return the time line, None when there are not two captures with a date that can be true.

    current: the timestamp shown; it has no bar when it cannot be true, and no other is marked then.
    """
    latest = latest_possible()
    times = [capture.timestamp for capture in captures if is_possible(capture.timestamp, latest)]
    if len(times) < 2:
        return None
    first_year, last_year = times[0][:4], times[-1][:4]
    start = as_seconds(f"{first_year}0101000000")
    length = max(1.0, as_seconds(f"{last_year}1231235959") - start)

    def place(timestamp: str) -> int:
        return min(TIMELINE_BARS - 1, max(0, int((as_seconds(timestamp) - start) / length * TIMELINE_BARS)))

    counts = Counter(place(time) for time in times)
    most = max(counts.values())
    here = place(current) if is_possible(current, latest) else -1
    bars = tuple(
        TimelineBar(number, round(3 + (BAR_HEIGHT - 3) * count / most, 1), number == here)
        for number, count in sorted(counts.items())
    )
    return Timeline(first_year, last_year, bars)


@dataclass(frozen=True, slots=True)
class Period:
    """A month or a day of the calendar. key: how the timestamps of it begin. shade: 0 for none to 4 for most.

    new: how many versions were seen here for the first time. errors: captures with a status of 400 or more.
    """

    key: str
    count: int
    new: int
    errors: int
    shade: int


@dataclass(frozen=True, slots=True)
class Year:
    """A year of the calendar with its twelve months. year: "" for captures without a date."""

    year: str
    count: int
    new: int
    months: tuple[Period, ...]


def calendar_of(captures: Sequence[Capture]) -> list[Year]:
    """Return the years that have captures, oldest first; captures come oldest first."""
    counts: Counter[str] = Counter()
    new: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    seen: set[str] = set()
    for capture in captures:
        is_new = bool(capture.digest) and capture.digest not in seen
        seen.add(capture.digest)
        for key in (capture.timestamp[:4], capture.timestamp[:6]):
            counts[key] += 1
            new[key] += is_new
            errors[key] += capture.status >= 400
    most = max((count for key, count in counts.items() if len(key) == 6), default=1)

    def period(key: str) -> Period:
        count = counts[key]
        return Period(key, count, new[key], errors[key], -(-4 * count // most))

    return [
        Year(
            key,
            counts[key],
            new[key],
            tuple(period(f"{key}{month:02}") for month in range(1, 13)) if key else (),
        )
        for key in sorted(key for key in counts if len(key) in (0, 4))
    ]
