"""Filters beside a query narrow it, and change nothing about its words."""

from __future__ import annotations

import pytest

from indexer.search.narrowing import narrowed
from indexer.search.query import parse_query


@pytest.mark.parametrize(
    ("query", "filters", "same_as"),
    [
        ("cat", "site:a.org", "cat site:a.org"),
        ("cat dog", "site:a.org -site:b.a.org", "cat dog site:a.org -site:b.a.org"),
        ("cat OR dog", "site:a.org", "(cat OR dog) site:a.org"),
        ('"cat dog" -bird', "site:a.org", '"cat dog" -bird site:a.org'),
        ("NOT cat", "site:a.org", "(NOT cat) site:a.org"),
        ("", "site:a.org", "site:a.org"),
        ("cat", "", "cat"),
        ("", "", ""),
    ],
)
def test_filters_stand_beside_what_was_asked(query: str, filters: str, same_as: str) -> None:
    found = narrowed(parse_query(query), parse_query(filters))
    assert (found.text, found.tree) == (query, parse_query(same_as).tree)
