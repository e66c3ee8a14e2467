"""The rules of what a page needs that the crawl and replay share."""

from __future__ import annotations

import pytest

from indexer.text.page_parts import picture_of, srcset_of


@pytest.mark.parametrize(
    ("attributes", "picture"),
    [
        ({"src": "a"}, ("a", "")),
        ({"src": "a", "data-src": "b"}, ("a", "")),
        ({"data-src": "b"}, ("b", "")),
        ({"src": "  ", "data-original": " b "}, ("b", "")),
        ({"src": "Data:image/gif,x", "data-src": "", "data-lazy-src": "b"}, ("b", "")),
        ({"src": "data:image/gif,x"}, ("data:image/gif,x", "")),
        ({"data-srcset": "b 2x"}, ("", "b 2x")),
        ({"src": "a", "srcset": "c", "data-srcset": "b"}, ("a", "c")),
        ({"src": None, "srcset": None}, ("", "")),
    ],
)
def test_a_picture_that_a_script_would_fill_in(
    attributes: dict[str, str | None], picture: tuple[str, str]
) -> None:
    assert picture_of(attributes) == picture


@pytest.mark.parametrize(
    ("value", "candidates"),
    [
        ("", []),
        ("a", [("a", "")]),
        (" a 1x , b 2x ", [("a", "1x"), ("b", "2x")]),
        ("a, b", [("a", ""), ("b", "")]),
        ("a,b 2x", [("a,b", "2x")]),
        ("a,,, b,", [("a", ""), ("b", "")]),
        (",,a 100w,b\n50w", [("a", "100w"), ("b", "50w")]),
        ("a (1,2) x, b", [("a", "(1,2) x"), ("b", "")]),
        ("data:image/png;base64,xx 1x, b 2x", [("b", "2x")]),
    ],
)
def test_the_candidates_of_a_srcset(value: str, candidates: list[tuple[str, str]]) -> None:
    assert list(srcset_of(value)) == candidates
