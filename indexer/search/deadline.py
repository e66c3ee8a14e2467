"""How long a query may take."""

from __future__ import annotations

import time


class Deadline:
    """A moment after which a query takes up nothing new.

    looks: in tests the time is up when the core has looked at the clock so often.
    """

    looks: int | None = None

    def __init__(self, budget_s: float | None = None) -> None:
        """budget_s: seconds from now; None for no end."""
        self.is_endless = budget_s is None
        self._end = None if budget_s is None else time.perf_counter() + budget_s

    def is_over(self) -> bool:
        return self._end is not None and time.perf_counter() > self._end

    def left(self, share: float = 1.0) -> float:
        """Return a share of the seconds that are left; below 0 when there is no end."""
        return -1.0 if self._end is None else max(0.0, (self._end - time.perf_counter()) * share)

    def part(self, share: float) -> Deadline:
        """Return a deadline after a share of what is left until this one, for a step that leaves time for others."""
        return Deadline(None if self._end is None else (self._end - time.perf_counter()) * share)
