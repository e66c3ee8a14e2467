"""The texts of the pages in other languages: none is missing, none is left in English, numbers and dates fit."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog, Message
from flask.testing import FlaskClient
from jinja2 import Environment, nodes
from selectolax.lexbor import LexborHTMLParser

from archiver.crawl import CrawlJob, write_job
from archiver.crawl.reasons import Reason
from archiver.crawl.states import JobState
from archiver.notices import Notice
from indexer import ELEMENTS, build_index, open_index
from indexer.search.query import parse_query
from tests.webui.archive_text import PNG, page, response, write_archive
from webui import create_app, formats, link_graph, words
from webui.preferences import COOKIE, LANGUAGES
from webui.setting_infos import describe_settings
from webui.settings import load_settings

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
    assert {*map(str, JobState), *map(str, Reason)} <= words.CRAWL_WORDS.keys()
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


# ---------------------------------------------------------------- the pages


A = "http://site.example/a"
PAGES = (
    "/", "/search?q=wombat", "/search?q=wombat&explain=1&expand=cooccur&site=site.example&from=2009&to=2020",
    "/search?q=wombat&view=tree&open=site.example/", "/search?q=nosuchword+wombat", "/search?q=wombat&size=7&page=9",
    "/search?q=%22wombat", "/search?q=http://site.example/a", "/search?q=x&sort=wrong", f"/similar?url={A}",
    f"/cached/2015;q=wombat/{A}", f"/cached/2015;view=text;q=wombat/{A}", f"/cached/2015;view=details/{A}",
    f"/cached/2015;view=cite/{A}", f"/captures/*/{A}", f"/captures/2011/{A}", f"/compare?url={A}&phrase=wombat",
    f"/compare?url={A}&view=side", "/compare", "/crawl", "/crawl/01", "/crawl/01/graph", "/crawl/none", "/settings",
    "/settings?saved=1&mine=saved", "/captures/*/http://none.example/", "/nothing", "/login", "/web/x", "/graph",
    f"/graph?url={A}", "/graph?q=wombat", "/help",
)  # fmt: skip


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    folder = tmp_path_factory.mktemp("languages")
    html = page(
        "Zzyzx", "<p>wombat zzyzx <img src=/p.png> <a href=/b>qwertz</a></p>", "<link rel=stylesheet href=x>"
    )
    archive = write_archive(
        folder / "small.warc.gz",
        response(A, html, date="2015-05-03T14:02:11Z"),
        response(A, page("Zzyzx", "<p>wombat again</p>"), date="2017-05-03T14:02:11Z"),
        response(
            "http://site.example/b", page("Qwertz", "<p>wombat qwertz zzyzx</p>"), date="2016-01-01T00:00:00Z"
        ),
        response(
            "http://other.example/c", page("Asdf", "<p>wombat asdf zzyzx</p>"), date="2016-01-01T00:00:00Z"
        ),
        response("http://site.example/p.png", PNG, "image/png", date="2015-05-03T14:02:11Z"),
    )
    build_index([str(archive)], str(folder / "ix"))
    write_job(CrawlJob("01", str(folder / "jobs" / "01"), seeds=(A,)))
    settings = load_settings(
        None, {}, {"archive.jobs_path": str(folder / "jobs"), "index": str(folder / "ix")}
    )
    with open_index(str(folder / "ix")) as index:
        app = create_app(settings, lambda path, ranking: index)
        app.testing = False
        yield app.test_client()


def shown_texts(html: str) -> Iterator[str]:
    """Yield what a reader of a page meets: texts and attributes, but for archived and for typed ones."""
    tree = LexborHTMLParser(html)
    for hidden in tree.css("style, script, code, pre, [lang=en], .foot, option:not([value])"):
        hidden.decompose()
    for node in tree.root.traverse(include_text=True) if tree.root else ():
        if node.is_text_node:
            yield " ".join((node.text_content or "").split())
            continue
        for name in ("aria-label", "title", "alt", "placeholder"):
            yield node.attributes.get(name) or ""


def english_in(html: str, catalogue: Catalog) -> list[str]:
    """Return the English texts of the catalogue that a page shows although there is another text for them."""
    whole, parts = set(), []
    for _one, english, translations in messages(catalogue):
        if english[0] == translations[0]:
            continue
        whole |= set(english)
        # between the placeholders, what is long enough to be no chance
        parts += [
            part.strip() for text in english for part in _PLACEHOLDER.split(text)[::2] if part.count(" ") > 3
        ]
    return [
        text
        for text in shown_texts(html)
        if text in whole - {"Finding Aid"} or any(part in text for part in parts)
    ]


@pytest.mark.parametrize("language", OTHERS)
def test_no_page_shows_an_english_text(reader: FlaskClient, language: str) -> None:
    catalogue = script.translated(language)
    reader.set_cookie(COOKIE, f"language={language}")
    direction = "rtl" if language == "ar" else "ltr"
    for address in PAGES:
        answer = reader.get(address)
        if answer.status_code in (302, 303):
            continue
        assert answer.status_code < 500, address
        assert f'<html lang="{language}" dir="{direction}"' in answer.text, address
        assert english_in(answer.text, catalogue) == [], address
    assert english_in("<p>Nothing was changed.</p>", catalogue) == ["Nothing was changed."]


# ---------------------------------------------------------------- which language


def test_the_language_is_the_chosen_one_else_that_of_the_browser_else_english(reader: FlaskClient) -> None:
    reader.delete_cookie(COOKIE)
    for asked, given in (
        ("", "en"),
        ("ja", "ja"),
        ("fr, ar;q=0.5", "ar"),
        ("fr", "en"),
        ("ar-EG", "ar"),
        ("*", "en"),
    ):
        answer = reader.get("/", headers={"Accept-Language": asked} if asked else {})
        assert f'<html lang="{given}"' in answer.text and answer.headers["Content-Language"] == given, asked
        assert {"cookie", "accept-language"} <= {name.lower() for name in answer.vary}
    reader.set_cookie(COOKIE, "language=ar")
    assert '<html lang="ar" dir="rtl"' in reader.get("/", headers={"Accept-Language": "ja"}).text


def test_programs_get_english_whatever_they_ask_for(reader: FlaskClient) -> None:
    reader.set_cookie(COOKIE, "language=ja")
    for address in (
        *("/search.json?q=%22wombat", "/search?q=%22wombat&format=json", "/search.json?q=x&nosuch=1"),
        *(
            "/search.rss?q=wombat",
            "/opensearch.xml",
            "/captures/*;view=json/http://none.example/",
            "/settings.json",
        ),
        *("/graph-gexf?q=wombat", "/graph-nodes.csv?q=wombat"),
    ):
        text = reader.get(address).get_data(as_text=True)
        assert not re.search(r"\\u[3-9]|[\u3040-\u30ff\u4e00-\u9fff]", text), address
    assert reader.get("/search", query_string={"q": '"x'}, headers={"Accept": "application/json"}).json[
        "notices"
    ] == ['a " without its partner is left out']


def test_an_address_of_a_page_may_end_as_those_for_programs(reader: FlaskClient) -> None:
    reader.set_cookie(COOKIE, "language=ja")
    for address in ("/cached/2015;view=none/http://a.example/b.json", "/captures/x/http://a.example/b.csv"):
        assert '<html lang="ja"' in reader.get(address).text, address


def test_who_finds_no_place_is_told_in_their_language(reader: FlaskClient) -> None:
    reader.set_cookie(COOKIE, "language=ja")
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(link_graph._places.take())
        answer = reader.get("/graph")
    assert answer.status_code == 503 and "graphs" not in answer.text


def test_scripts_of_a_page_get_its_language(reader: FlaskClient) -> None:
    reader.set_cookie(COOKIE, "language=ja")
    nodes_of = "/graph.json?q=wombat&level=hosts"
    assert " page" in reader.get(nodes_of).json["nodes"][0]["about"]
    assert "ページ" in reader.get(nodes_of + "&texts=page").json["nodes"][0]["about"]
    assert "texts=page" in reader.get("/graph?q=wombat").text


def test_the_switch_at_the_foot_keeps_the_language_and_leads_back(reader: FlaskClient) -> None:
    reader.delete_cookie(COOKIE)
    there = reader.get("/search?q=wombat+%26+co").text
    [back] = re.findall(r'name="back" value="([^"]*)"', there)
    answer = reader.post("/preferences/language", data={"language": "ja", "back": html_text(back)})
    assert (answer.status_code, answer.location) == (303, "/search?q=wombat+%26+co")
    assert '<html lang="ja"' in reader.get("/").text
    reader.post("/preferences/language", data={"language": "xx", "back": "/"})
    assert '<html lang="en"' in reader.get("/").text


def html_text(escaped: str) -> str:
    return escaped.replace("&amp;", "&")


@pytest.mark.parametrize(
    "back", ["//evil.example/", "/\\evil.example", "http://evil.example/", "/\t/evil.example", "", "x"]
)
def test_the_switch_leads_to_no_other_site(reader: FlaskClient, back: str) -> None:
    assert reader.post("/preferences/language", data={"language": "en", "back": back}).location == "/"


def test_another_site_cannot_switch_the_language(reader: FlaskClient) -> None:
    answer = reader.post(
        "/preferences/language", data={"language": "ja"}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert answer.status_code == 403 and "Set-Cookie" not in answer.headers


def test_dates_and_numbers_follow_the_language(reader: FlaskClient) -> None:
    for language, day, month in (
        ("en", "3 May 2015", "May 2015"),
        ("ja", "2015年5月3日", "2015年5月"),
        ("ar", "3 مايو 2015", "مايو 2015"),
    ):
        with reader.application.test_request_context(headers={"Accept-Language": language}):
            assert formats.date_in_words("20150503140211") == day
            assert formats.date_in_words("201505") == month
            assert formats.number(12431) == "12,431"
            assert formats.english_date("20150503") == "3 May 2015"
