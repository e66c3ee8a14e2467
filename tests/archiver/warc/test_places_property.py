"""Property: whatever the reader gives of a file, sound or spoiled, comes out the same at its own place."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archiver.warc import Limits
from tests.archiver.warc.archive_bytes import gzip_members, http, warc
from tests.archiver.warc.spoiled_archives import check, make_file

thorough = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))


@thorough
@given(random=st.randoms(use_true_random=False))
def test_every_record_comes_out_the_same_at_its_place(tmp_path: Path, random: Random) -> None:
    path = tmp_path / "archive"
    path.write_bytes(make_file(random))
    check(path)


@thorough
@given(random=st.randoms(use_true_random=False), window=st.sampled_from([10_000, 40_000]))
def test_the_same_for_blocks_that_are_longer_than_the_look_ahead(
    tmp_path: Path, random: Random, window: int
) -> None:
    path = tmp_path / "archive"
    path.write_bytes(make_file(random))
    check(path, Limits(lookahead_bytes=window, header_bytes=4096))


@pytest.mark.parametrize("seed", range(200))
def test_the_same_for_fixed_seeds(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "archive"
    path.write_bytes(make_file(Random(seed)))
    check(path)


@pytest.mark.parametrize(
    "body", [b"<p>0", "<p>\u00e4".encode(), b"<p>\xe4", b"<meta charset=utf-8><p>x", b"0", b""]
)
@pytest.mark.parametrize("count", [1, 2, 40])
def test_the_same_for_pages_that_are_read_whole(tmp_path: Path, body: bytes, count: int) -> None:
    path = tmp_path / "archive"
    path.write_bytes(gzip_members(warc(http(body), f"http://a.example/{n}") for n in range(count)))
    assert check(path) == count
