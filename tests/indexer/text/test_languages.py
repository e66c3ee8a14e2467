"""Stems and stop words."""

from __future__ import annotations

import pytest

from indexer.text.languages import STEMMERS, STOP_WORDS, has_stemmer, is_stemmable, stem_words


def test_every_stemmer_named_is_there() -> None:
    assert [code for code in STEMMERS if not has_stemmer(code)] == []
    assert not has_stemmer("ja") and not has_stemmer("und")


def test_stems() -> None:
    assert stem_words("en", ["running", "runs"]) == ["run", "run"]
    assert stem_words("de", ["häuser", "haus"]) == ["haus", "haus"]
    assert stem_words("ja", ["running"]) == ["running"]
    assert stem_words("", ["houses"]) == stem_words("en", ["houses"])


def test_stop_words_are_spelled_as_words_are() -> None:
    from indexer.text.analysis import words_of

    for language, words in STOP_WORDS.items():
        assert {word for word in words if words_of(word) != [word]} == set(), language


def test_every_language_with_a_stemmer_has_stop_words() -> None:
    assert [code for code in STEMMERS if code and code not in STOP_WORDS] == []


@pytest.mark.parametrize(
    "word, yes",
    [
        ("heron", True),
        ("किताबें", True),
        ("மரங்கள்", True),
        ("r2d2", False),
        ("\u0301a", False),
        ("x\u0301", True),
    ],
)
def test_words_with_vowel_signs_are_stemmed(word: str, yes: bool) -> None:
    assert is_stemmable(word) == yes
