"""Cells of tables: whatever begins a formula has an apostrophe in front, and nothing else is changed."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archiver.cells import as_text_cell

STARTERS = "=+-@＝＋－＠﹦﹢﹣﹫⁼⁺⁻−‐‑‒–—―➕➖"
UNSEEN = {
    "nothing": "", "a blank": " ", "a tab": "\t", "a carriage return": "\r", "a line feed": "\n",
    "a no-break space": "\u00a0", "a wide space": "\u3000", "a zero-width space": "\u200b", "a joiner": "\u200d",
    "a word joiner": "\u2060", "a byte order mark": "\ufeff", "a soft hyphen": "\u00ad",
    "a mark of direction": "\u202e", "an isolate": "\u2067", "NUL": "\0", "a C1 control": "\x85",
    "a line separator": "\u2028",
    "a variation selector": "\ufe0f", "a grapheme joiner": "\u034f", "a filler": "\u3164", "empty Braille": "\u2800",
    "a tag": "\U000e0020", "a combining accent": "\u0301", "several": "\ufeff \u200b\u00ad",
}  # fmt: skip


@pytest.mark.parametrize("unseen", UNSEEN.values(), ids=UNSEEN)
@pytest.mark.parametrize("starter", STARTERS)
def test_what_begins_a_formula_is_marked_also_behind_what_is_not_seen(unseen: str, starter: str) -> None:
    text = f"{unseen}{starter}1+1"
    assert as_text_cell(text) == "'" + text


@pytest.mark.parametrize("text", ["\tx", "\rx", "\nx", "\t"])
def test_a_text_that_begins_with_a_break_is_marked(text: str) -> None:
    assert as_text_cell(text) == "'" + text


@pytest.mark.parametrize(
    "text", ["", " ", "a=1", "1-2", "1", "'=1", "http://site.example/?a=-1", "東京=1", "é", "«x»", "\u200b"]
)
def test_other_texts_stay(text: str) -> None:
    assert as_text_cell(text) == text


@given(st.text())
def test_only_an_apostrophe_is_added(text: str) -> None:
    cell = as_text_cell(text)
    assert cell in (text, "'" + text)
    seen = unicodedata.normalize("NFKC", text).lstrip(
        "".join(map(chr, range(0x21))) + "\xa0\u200b\ufeff\u2060"
    )
    assert cell != text or seen[:1] not in ("=", "+", "-", "@", "\u2212")


def test_every_character_that_compares_as_a_sign_is_known() -> None:
    """The whole of Unicode: what normalizes to a sign, or is a dash, is marked; letters and digits are not."""
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        cell = as_text_cell(character + "1")
        plain = unicodedata.normalize("NFKC", character)[:1]
        if plain in ("=", "+", "-", "@", "\u2212") or unicodedata.category(character) == "Pd":
            assert cell == f"'{character}1", hex(code)
        elif character.isalnum() and character.isprintable():
            assert cell == f"{character}1", hex(code)
