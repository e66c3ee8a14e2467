"""How long a query may take, and how much of a segment was looked at when the time was up."""

from __future__ import annotations

import time


class OutOfTime(Exception):
    """The time of the query is up in the middle of a step; the step is given up."""


class Deadline:
    """A moment after which a query takes up nothing new."""

    def __init__(self, budget_s: float | None = None) -> None:
        """budget_s: seconds from now; None for no end."""
        self._end = None if budget_s is None else time.perf_counter() + budget_s

    def is_over(self) -> bool:
        return self._end is not None and time.perf_counter() > self._end

    def part(self, share: float) -> Deadline:
        """Return a deadline after a share of what is left until this one, for a step that leaves time for others."""
        return Deadline(None if self._end is None else (self._end - time.perf_counter()) * share)


class Portion:
    """The versions of a segment for which a query has been answered: those with an ordinal below `complete`."""

    def __init__(self, versions: int, deadline: Deadline) -> None:
        self.versions = self.complete = versions
        self._deadline = deadline

    @property
    def is_whole(self) -> bool:
        return self.complete == self.versions

    def is_over(self) -> bool:
        """Tell whether the time is up."""
        return self._deadline.is_over()

    def check(self) -> None:
        """Raise OutOfTime when the time is up."""
        if self._deadline.is_over():
            raise OutOfTime

    def end_at(self, ordinal: int) -> None:
        """Note that versions from this ordinal on were not looked at."""
        self.complete = min(self.complete, ordinal)
