"""How dates, addresses and texts are written."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from babel.dates import format_date
from hypothesis import given
from hypothesis import strategies as st

from webui import formats


@pytest.mark.parametrize(
    ("timestamp", "words"),
    [
        ("20150503140211", "3 May 2015"),
        ("201505", "May 2015"),
        ("2015", "2015"),
        ("", "date unknown"),
        ("x", "date unknown"),
        ("20151399000000", "2015"),
        ("20150500000000", "May 2015"),
    ],
)
def test_dates(timestamp: str, words: str) -> None:
    assert formats.date_in_words(timestamp) == words


@pytest.mark.parametrize("name", ["en_GB", "ar", "ja", "af", "lv"])
def test_days_are_written_as_babel_writes_them(name: str) -> None:
    written = formats.dates_in(name)
    for number in range(366):
        day = date(2024, 1, 1) + timedelta(days=number)
        assert written(day.strftime("%Y%m%d")) == format_date(day, "long", name)


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("http://example.org/docs/page", ["example.org", "docs", "page"]),
        ("http://example.org/a/b/c/d/e.html", ["example.org", "a", "b", "…", "e.html"]),
        ("http://user@example.org:81/", ["example.org:81"]),
        ("http://example.org/caf%C3%A9?x=1", ["example.org", "café", "?x=1"]),
        ("http://ex\u0430mple.org/", ["xn--exmple-4nf.org"]),
        ("http://[bad", ["http://[bad"]),
        ("http://h/%ff%fe", ["h", "%ff%fe"]),
    ],
)
def test_breadcrumbs(url: str, parts: list[str]) -> None:
    assert formats.breadcrumb(url) == parts


@given(st.text())
def test_no_text_breaks_a_format(text: str) -> None:
    assert not set(formats.clean(text)) & set("\x00\x1b\u202e\u2066")
    assert formats.breadcrumb("http://" + text) and formats.date_in_words(text)
    assert len(formats.shorten(text, 10)) <= 10
    formats.time_utc(text), formats.iso_time(text)


def test_numbers() -> None:
    assert [formats.number(n) for n in (7, 12_431, 0.5)] == ["7", "12,431", "0.5"]
    sizes = (5, 14_200, 3_200_000, 2_339_000_000)
    assert [formats.size_in_words(n) for n in sizes] == ["5 bytes", "14 kB", "3.2 MB", "2.3 GB"]
    assert formats.decimal(1234.5, 3) == "1,234.500"
