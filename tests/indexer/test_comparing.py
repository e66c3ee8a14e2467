"""Lists of other tools held against an index."""

from __future__ import annotations

from pathlib import Path

import pytest

from archiver.warc.cdxj import BadLine, CdxLine
from indexer import open_index
from indexer.comparing import compare_with_list


@pytest.mark.parametrize(
    ("written", "held"),
    [("{digest}", 1), ("sha1:{bare}", 1), ("{bare}", 1), ("SHA1:{lower}", 1), ("-", 1), ("", 1), ("md5:ABC", 1),
     ("sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 0)],
)  # fmt: skip
def test_only_digests_of_one_kind_can_differ(small_index: Path, written: str, held: int) -> None:
    with open_index(str(small_index)) as index:
        url = index.search("archive", limit=1).hits[0].url
        capture = index.captures(url)[0]
        bare = capture.digest.removeprefix("sha1:")
        digest = written.format(digest=capture.digest, bare=bare, lower=bare.lower())
        found = compare_with_list(index, [CdxLine(url, capture.timestamp, digest=digest), BadLine(2, "no")])
    assert (found.lines, found.held, found.differing, found.bad, found.missing) == (2, held, 1 - held, 1, 0)
