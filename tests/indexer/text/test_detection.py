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


EXAMPLE_DOMAIN = """Example Domain
This domain is for use in illustrative examples in documents. You may use this
domain in literature without prior coordination or asking for permission.
More information..."""


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (EXAMPLE_DOMAIN, "en"),
        ("It works! This is the default web page for this server. The web server software is running but no content"
         " has been added, yet.", "en"),
        ("Diese Seite ist noch nicht fertig, aber wir arbeiten daran und hoffen, dass sie bald zu sehen ist. Bis dahin"
         " bitten wir um etwas Geduld.", "de"),
        ("Cette page n'est pas encore disponible, mais nous y travaillons et elle sera en ligne dans les prochains"
         " jours avec tout ce que vous attendez.", "fr"),
        # names and labels say nothing, however they are spelt
        ("Imprimatur Domain Registrar Collegium Musicum Forum Via Appia Terra Nova Aurora Borealis Studio Agenda"
         " Museum Album Campus Alumni Data", ""),
        ("Products Solutions Support Company Careers Investors Press Events Partners Blog Resources Documentation"
         " Pricing Login Register Status", ""),
        ("Gallery Kontakt Home Impressum Datenschutz Cookies Newsletter Shop Blog Forum Wiki Download Login Team Jobs"
         " Presse Partner Service Hilfe", ""),
    ],
)  # fmt: skip
def test_a_short_text_tells_its_language_only_where_it_runs(text: str, language: str) -> None:
    assert language_of(page("", text)) == language
    assert language_of(page("fi", text)) in ("fi", language)


def test_latin_is_still_told_where_there_is_enough_of_it() -> None:
    text = (
        "Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae, aliam Aquitani, tertiam qui ipsorum"
        " lingua Celtae, nostra Galli appellantur. Hi omnes lingua, institutis, legibus inter se differunt. Gallos ab"
        " Aquitanis Garumna flumen, a Belgis Matrona et Sequana dividit. "
    )
    assert language_of(page("", text * 3)) == "la"
