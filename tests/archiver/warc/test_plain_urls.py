"""Addresses in which nothing is to be mended take a shorter way to their keys; it gives the same."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archiver.warc import urls
from archiver.warc.urls import canonical_url, surt_key

NEVER = re.compile(r"(?!)")

parts = st.lists(
    st.sampled_from(
        [
            *"abZ09-_~.!$&'()*+,;=:@/?%#[] \\\t",
            "www.",
            ".org",
            "..",
            "/.",
            "%2e",
            "%41",
            "é",
            "xn--",
            "://",
            ":80",
        ]
    ),
    max_size=14,
).map("".join)


@given(st.sampled_from(["http://", "https://", "HTTP://", "ftp://", ""]), parts, parts)
def test_the_short_way_gives_the_same(scheme: str, host: str, rest: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for url in (f"{scheme}{host}", f"{scheme}a.example/{rest}", f"{scheme}{host}.example{rest}"):
            found = [_or_error(function, url) for function in (canonical_url, surt_key)]
            patch.setattr(urls, "_PLAIN_PAGE", NEVER)
            assert [_or_error(function, url) for function in (canonical_url, surt_key)] == found
            patch.undo()


def test_a_host_that_is_too_long_is_refused() -> None:
    label = "a" * 49 + "."
    assert canonical_url(f"http://{label * 5}com") == f"http://{label * 5}com/"
    with pytest.raises(ValueError, match="no host"):
        canonical_url(f"http://{label * 5}comm/")


def _or_error(function: object, url: str) -> str:
    try:
        return function(url)  # type: ignore[operator, no-any-return]
    except ValueError:
        return "ValueError"
