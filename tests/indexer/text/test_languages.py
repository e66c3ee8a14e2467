"""Language of a page, stems and stop words."""

from __future__ import annotations

import pytest

from indexer.text.elements import PageText
from indexer.text.languages import STEMMERS, STOP_WORDS, has_stemmer, language_of, stem_words

GERMAN = (
    "Der schnelle braune Fuchs springt über den faulen Hund, und danach geht er wieder nach Hause zu seiner Familie. "
    * 3
)


@pytest.mark.parametrize(
    "declared, text, language",
    [
        ("en", GERMAN, "en"),
        ("EN-us", "", "en"),
        ("pt_BR", "", "pt"),
        ("nb-NO", "", "no"),
        ("", GERMAN, "de"),
        ("deutsch", GERMAN, "de"),
        ("", "too short to tell", ""),
        ("", "", ""),
        ("x\ud800", "", ""),
    ],
)
def test_language_of_a_page(declared: str, text: str, language: str) -> None:
    assert language_of(PageText(language=declared, pieces=[text], classes=[6])) == language


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
