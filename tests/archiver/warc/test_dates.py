from __future__ import annotations

from datetime import UTC, datetime

import pytest

from archiver.warc.dates import is_possible, latest_possible

LATEST = latest_possible(datetime(2026, 11, 28, 12, tzinfo=UTC))


@pytest.mark.parametrize(
    ("timestamp", "possible"),
    [
        ("", False),
        ("19700101000000", False),
        ("19901130235959", False),
        ("19901201000000", True),
        ("20260101000000", True),
        ("20261129120000", True),
        ("20261129120001", False),
        ("26050101000000", False),
    ],
)
def test_captures_were_made_after_the_first_web_page_and_before_tomorrow(
    timestamp: str, possible: bool
) -> None:
    assert is_possible(timestamp, LATEST) is possible
