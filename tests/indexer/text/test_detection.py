"""Language of a page: what it declares against what it says."""

from __future__ import annotations

import pytest

from indexer.text.detection import language_of
from indexer.text.elements import PageText

GERMAN = (
    "Der schnelle braune Fuchs springt über den faulen Hund, und danach geht er wieder nach Hause zu seiner Familie. "
    * 3
)
PORTUGUESE = (
    "A cidade do Porto recebe hoje os visitantes que chegam de toda a parte para ver a exposição sobre a história da"
    " navegação portuguesa e dos descobrimentos."
)
ENGLISH = (
    "The city of Porto welcomes today the visitors who come from everywhere to see the exhibition about the history"
    " of navigation and of the discoveries."
)
JAPANESE = "ポルト市は今日、航海の歴史に関する展示会を見るために世界中からやってくる訪問者を歓迎します。" * 3
CODE = (
    "int main(int argc, char **argv) { std::vector<int> v; for (auto x : v) printf(x); return 0; } template<T> "
    * 6
)


def page(declared: str, text: str) -> PageText:
    return PageText(language=declared, marked=text, classes=[6])


@pytest.mark.parametrize(
    "declared, text, language",
    [
        ("en", ENGLISH, "en"),
        ("EN-us", "", "en"),
        ("pt_BR", "", "pt"),
        ("nb-NO", "", "no"),
        ("eng", "", "en"),
        ("", GERMAN, "de"),
        ("deutsch", GERMAN, "de"),
        ("", PORTUGUESE, "pt"),
        ("", JAPANESE, "ja"),
        ("", "Η πόλη υποδέχεται σήμερα τους επισκέπτες", "el"),
        ("", "too short to tell", ""),
        ("", CODE, ""),
        ("", "", ""),
        ("x\ud800", "", ""),
    ],
)
def test_language_of_a_page(declared: str, text: str, language: str) -> None:
    assert language_of(page(declared, text)) == language


@pytest.mark.parametrize(
    "declared, text, language",
    [
        ("en", PORTUGUESE, "pt"),
        ("en", GERMAN, "de"),
        ("en", JAPANESE, "ja"),
        ("pt", ENGLISH, "en"),
        # what says too little, or nothing clear, leaves the declaration standing
        ("en", "A cidade do Porto", "en"),
        ("en", CODE, "en"),
        ("pt", "Porto " * 100, "pt"),
        ("gl", PORTUGUESE, "pt"),
        ("en", "Home | News | Archiv | Kontakt | Impressum", "en"),
        ("zh", JAPANESE, "zh"),
    ],
)
def test_a_declaration_holds_unless_the_text_clearly_contradicts_it(
    declared: str, text: str, language: str
) -> None:
    assert language_of(page(declared, text)) == language


def test_menus_at_the_start_do_not_hide_the_text() -> None:
    assert language_of(page("en", "Home News Contact About Us\n" * 20 + PORTUGUESE * 20)) == "pt"
