"""Which dates of captures can be true. Archives hold others: clocks that were wrong, fields that were typed by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

# The first web page was served in December 1990; 1970 is what a clock says that was never set.
EARLIEST = "19901201000000"


def latest_possible(now: datetime | None = None) -> str:
    """Return the last timestamp, 14 digits in UTC, that a capture can truly have: a day from `now`, for odd clocks."""
    return f"{(now or datetime.now(UTC)) + timedelta(days=1):%Y%m%d%H%M%S}"


def is_possible(timestamp: str, latest: str | None = None) -> bool:
    """Return whether a capture can have been made then; False for "". latest: of `latest_possible`, if at hand."""
    return EARLIEST <= timestamp <= (latest or latest_possible())
