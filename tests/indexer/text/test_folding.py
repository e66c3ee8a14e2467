"""Words without their accents."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.text.analysis import words_of
from indexer.text.folding import _folds_of, folds_of


@pytest.mark.parametrize(
    "word, folds",
    [
        ("cafe", ()),
        ("café", ("cafe",)),
        ("müller", ("muller", "mueller")),
        ("århus", ("arhus", "aarhus")),
        ("łódź", ("lodz",)),
        ("ısparta", ("isparta",)),
        ("ελλάδα", ("ελλαδα",)),
        ("ёлка", ("елка",)),
        ("йод", ()),
        ("مدرسة", ("مدرسه",)),
        ("カガ", ()),
        ("किताबें", ()),
    ],
)
def test_folds(word: str, folds: tuple[str, ...]) -> None:
    assert folds_of(word) == folds


@given(st.text(max_size=12))
def test_a_fold_has_no_further_fold(text: str) -> None:
    for word in words_of(text):
        for fold in folds_of(word):
            assert fold != word and folds_of(fold) == ()


def test_no_letter_that_folding_changes_is_passed_over() -> None:
    for code in range(sys.maxunicode + 1):
        if not 0xD800 <= code < 0xE000:
            assert folds_of(chr(code)) == _folds_of(chr(code)), hex(code)
