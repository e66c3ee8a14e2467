"""The totals of an index."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.ledger import statistics_of
from tests.indexer.making import DirectIndex
from tests.indexer.plain import PlainVersion


@pytest.mark.parametrize(
    ("moments", "first", "last", "impossible"),
    [
        (("",), "", "", 0),
        (("20200101000000", "", "20100101000000"), "20100101000000", "20200101000000", 0),
        (("20200101000000", "19700101000000"), "20200101000000", "20200101000000", 1),
        (("99990101000000", "19700101000000"), "", "", 2),
        (("19901130235959", "19901201000000", "29990101000000"), "19901201000000", "19901201000000", 2),
    ],
)  # fmt: skip
def test_moments_that_cannot_be_are_counted_and_left_out(
    tmp_path: Path, moments: tuple[str, ...], first: str, last: str, impossible: int
) -> None:
    with DirectIndex(tmp_path) as index:
        index.add("a.warc", [PlainVersion("http://www.a.example/", captured=moments)])
        index.add("b.warc", [PlainVersion("http://b.example/", captured=("",))])
        found = statistics_of(index.snapshot())
    assert (found.first, found.last, found.impossible_dates) == (first, last, impossible)
    assert (found.versions, found.sites) == (2, 2)
