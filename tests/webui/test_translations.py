"""The texts of the pages in other languages: none is missing, none is left in English, numbers and dates fit."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog, Message
from jinja2 import Environment, nodes

from archiver.crawl.states import FINISH_REASONS, JobState
from archiver.notices import Notice
from indexer import ELEMENTS
from indexer.search.query import parse_query
from webui import words
from webui.preferences import LANGUAGES
from webui.setting_infos import describe_settings

REPOSITORY = Path(__file__).parents[2]
TEMPLATES = REPOSITORY / "webui" / "templates"
OTHERS = [code for code in LANGUAGES if code != "en"]
_PLACEHOLDER = re.compile(r"%\((\w+)\)s")
_MARKUP = re.compile(r"<[^>]+>")


def _script() -> Any:
    spec = importlib.util.spec_from_file_location("translations", REPOSITORY / "scripts" / "translations.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script = _script()


@pytest.fixture(scope="module")
def source() -> Catalog:
    """All texts of the code."""
    found = script.extracted()
    assert isinstance(found, Catalog) and len(found) > 600
    return found


def messages(catalogue: Catalog) -> Iterator[tuple[Message, tuple[str, ...], tuple[str, ...]]]:
    """Yield each message with its English forms and its translations."""
    for one in catalogue:
        if one.id:
            english = one.id if isinstance(one.id, tuple) else (one.id,)
            yield one, english, one.string if isinstance(one.string, tuple) else (one.string,)


# ---------------------------------------------------------------- the catalogues


@pytest.mark.parametrize("language", OTHERS)
def test_no_text_of_the_code_is_untranslated(language: str, source: Catalog) -> None:
    """`make translations` writes new texts into the catalogues; the translation has to be written by hand."""
    assert script.untranslated(script.updated(language, source)) == []


@pytest.mark.parametrize("language", OTHERS)
def test_the_catalogue_is_what_the_script_writes(language: str, source: Catalog) -> None:
    written = script.path_of(language).read_bytes()
    assert written == script.as_text(script.updated(language, source)), "run: make translations"
    assert b"fuzzy" not in written
    assert (script.FOLDER / "messages.pot").read_bytes() == script.as_text(source), "run: make translations"


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_placeholders_and_the_markup_of_its_text(language: str) -> None:
    catalogue = script.translated(language)
    for one, english, translations in messages(catalogue):
        wanted = set(_PLACEHOLDER.findall(english[-1]))
        for form, text in enumerate(translations):
            found = set(_PLACEHOLDER.findall(text))
            # forms for one, two or none of a thing may say so in words
            spelt_out = {"count", "missing"} if one.pluralizable and form < 3 else set()
            assert found <= wanted and wanted - found <= spelt_out, text
            assert sorted(_MARKUP.findall(text)) == sorted(_MARKUP.findall(english[-1])), text
            assert text.count("%(") == len(_PLACEHOLDER.findall(text)), text


@pytest.mark.parametrize("language", OTHERS)
def test_each_plural_has_all_forms_of_the_language(language: str) -> None:
    catalogue = script.translated(language)
    assert catalogue.num_plurals == {"ar": 6, "ja": 1}[language]
    for one, _english, translations in messages(catalogue):
        if one.pluralizable:
            assert len(translations) == catalogue.num_plurals and all(translations), one.id


# ---------------------------------------------------------------- the code


def bare_texts(template: str) -> list[str]:
    """Return what a template would show as it stands, and texts of attributes that readers meet."""
    environment = Environment(extensions=["jinja2.ext.i18n"])
    template = re.sub(r"\{#.*?#\}|\{% block page_class %\}.*?\{% endblock %\}", "", template, flags=re.DOTALL)
    tree = environment.parse(template)
    inside_trans = {
        id(part)
        for call in tree.find_all(nodes.Call)
        if isinstance(call.node, nodes.Name) and call.node.name in ("gettext", "ngettext", "_")
        for part in call.find_all(nodes.TemplateData)
    }
    html = "\x00".join(
        part.data if isinstance(part, nodes.TemplateData) else "\x00"
        for output in tree.find_all(nodes.Output)
        for part in output.nodes
        if id(part) not in inside_trans
    )
    html = re.sub(r"<(code|style|script)\b.*?</\1>", "", html, flags=re.DOTALL)
    attributes = re.findall(r'(?:aria-label|title|alt|placeholder)="([^"\x00]*)"', html)
    return [text.strip() for text in [*re.sub(r"<[^>]*>", "\x00", html).split("\x00"), *attributes]]


# Names, units of formats, and what stands for itself in every language.
SAME_EVERYWHERE = {
    "Finding Aid", "JSON", "CSV", "RSS", "WACZ", "GEXF", "example.org", "html", "en", "2009", "2010-12-31",
    "findingaid", "– Finding Aid",
}  # fmt: skip


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.html")), ids=lambda path: path.name)
def test_a_template_has_no_text_that_is_not_marked(path: Path) -> None:
    for text in bare_texts(path.read_text(encoding="utf-8")):
        assert text in SAME_EVERYWHERE or not re.search(r"[A-Za-z]{2,}", text), text


def test_bare_text_is_found_where_there_is_some() -> None:
    assert "Sort" in bare_texts('<p>{{ _("a") }}</p><b>Sort</b>')
    assert "Sort" in bare_texts('<a title="Sort" href="{{ x }}">{{ y }}</a>')
    assert not any(bare_texts('<p>{% trans %}Sort{% endtrans %}{{ _("By") }}</p>'))


@pytest.mark.parametrize(
    "path", sorted((REPOSITORY / "webui" / "static").glob("*.js")), ids=lambda path: path.name
)
def test_a_script_shows_no_words_of_its_own(path: Path) -> None:
    """Scripts get their words from the page: data attributes, or links and buttons that are there already."""
    if path.name.startswith("graph"):
        return  # built from libraries; its source is in graph_sources
    shown = re.findall(
        r'(?:textContent|innerText|title|placeholder|ariaLabel)\s*=\s*["\'`]([^"\'`]*)', path.read_text()
    )
    assert not [text for text in shown if re.search(r"[A-Za-z]{2,}", re.sub(r"\$\{[^}]*\}", "", text))]


def test_words_of_programs_have_a_name_for_readers() -> None:
    assert set(ELEMENTS) == words.ELEMENT_NAMES
    assert {*map(str, JobState), *FINISH_REASONS} <= words.CRAWL_WORDS
    assert {info.unit for info in describe_settings()} - {""} <= words.UNITS


# ---------------------------------------------------------------- notices


def test_a_notice_is_english_text_that_remembers_what_it_is_made_of() -> None:
    notice = Notice("%(word)s stands for more than %(count)s words", word="a*", count=12431)
    assert notice == "a* stands for more than 12,431 words"
    assert (notice.template, notice.values["count"]) == (
        "%(word)s stands for more than %(count)s words",
        12431,
    )
    assert Notice("100%") == "100%"


@pytest.mark.parametrize(
    "query", ['a "b', "(a", "a)", "nosuch:x a", "lang:x1 a", "NEAR", "x~9", "- -", "NOT", "a OR"]
)
def test_what_a_query_is_read_as_is_said_in_notices(query: str) -> None:
    assert all(isinstance(notice, Notice) for notice in parse_query(query).notices)
