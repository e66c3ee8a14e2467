"""The language of the pages: which one a reader gets, and their texts in it.

Texts are English in the code, marked with `_()` or `{% trans %}`, with `Notice()` where no reader is known, or with
`N_()` where they are looked up later. The catalogues of the other languages lie in `translations/` and are read as
they are written (.po): nothing has to be compiled. docs/translating.md says how to add a language.
"""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Callable
from functools import lru_cache
from importlib import resources

from babel import Locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations
from flask import Flask
from flask_babel import Babel, Domain

from archiver.notices import N_, Notice
from webui import formats
from webui.found_out import request_now
from webui.preferences import LANGUAGES, RIGHT_TO_LEFT, chosen_language, preferences, reader

__all__ = ["N_", "add_languages", "gettext", "language_name", "ngettext", "said", "said_of"]

ENGLISH = "en"


class _Catalogues(Domain):  # type: ignore[misc]
    """The texts of each language, read when it is first spoken."""

    def get_translations(self) -> NullTranslations:
        return catalogue_of_reader()


_reading = threading.Lock()


def catalogue_of(language: str) -> NullTranslations:
    """Return the texts of a language; for English, and for a language without a catalogue, those of the code."""
    with _reading:
        return _read(language)


@lru_cache(maxsize=32)
def _read(language: str) -> NullTranslations:
    file = resources.files("webui").joinpath("translations", language, "LC_MESSAGES", "messages.po")
    if language == ENGLISH or language not in LANGUAGES or not file.is_file():
        return NullTranslations()
    with file.open("rb") as source:
        written = read_po(source, locale=language)
    compiled = io.BytesIO()
    write_mo(compiled, written)
    compiled.seek(0)
    return Translations(compiled)


def add_languages(app: Flask) -> None:
    """Give the templates `_()` and `{% trans %}`, and each request its language."""
    babel = Babel(app, default_locale=ENGLISH, locale_selector=chosen_language)
    babel.domain_instance = _Catalogues()
    app.jinja_env.filters["said"] = said

    @app.context_processor
    def names() -> dict[str, object]:
        language = chosen_language()
        return {
            "language": language,
            "direction": "rtl" if language in RIGHT_TO_LEFT else "ltr",
            "languages": LANGUAGES,
            "prefs": preferences(),
            "here": address_here(),
        }


def address_here() -> str:
    """Return the path and query of this page, as a browser asked for them; "/" for the answer to a form."""
    request = request_now()
    if request.method != "GET":
        return "/"
    environ = request.environ
    asked = f"{environ.get('PATH_INFO', '')}?{environ.get('QUERY_STRING', '')}"
    if _IS_PLAIN.fullmatch(asked) and asked[:2] != "//":
        return _NEEDLESSLY_ESCAPED.sub(lambda found: chr(int(found[1], 16)), asked).removesuffix("?")
    return "/" + request.url.removeprefix(request.root_url)


# What Werkzeug makes the same of: it takes longer than all texts of a page.
_IS_PLAIN = re.compile(r"/(?:[A-Za-z0-9_.~/-])*+\?(?:[A-Za-z0-9_.~/=&+-]|%[2-7][0-9A-Fa-f])*+")
_NEEDLESSLY_ESCAPED = re.compile(r"%(?!2[0356B]|3D|7F)([2-7][0-9A-F])", re.IGNORECASE)


def gettext(text: str, **values: object) -> str:
    """Return a text in the reader's language, with its %(name)s filled in; imported as `_`."""
    found = str(catalogue_of_reader().ugettext(text))
    return found % values if values else found


def catalogue_of_reader() -> NullTranslations:
    """Return the texts in the reader's language."""
    of = reader()
    if of.catalogue is None:
        of.catalogue = catalogue_of(of.language)
    return of.catalogue


def ngettext(one: str, many: str, number: int, **values: object) -> str:
    """Return the text for a number of things in the reader's language; %(count)s stands for the number, grouped."""
    values.setdefault("count", formats.number(number))
    return str(catalogue_of_reader().ungettext(one, many, number)) % {"num": number, **values}


def said_of(error: Exception) -> str:
    """Return what an error says, in the reader's language if it says a notice."""
    text = error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
    return said(text)


def said(text: str) -> str:
    """Return a notice in the reader's language; a text that is none comes back as it is."""
    if not isinstance(text, Notice):
        return text
    values = {name: _said_value(value) for name, value in text.values.items()}
    return gettext(text.template, **values)


def _said_value(value: object) -> object:
    if isinstance(value, Notice):
        return said(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return formats.number(value)
    return value


def language_name(code: str) -> str:
    """Return "Portuguese" for pt, in the reader's language; the code itself when it names no language known here."""
    return _language_name(code, formats.locale_name())


def language_names(locale: str) -> Callable[[str], str]:
    """Return `language_name` for readers with the locale of a name."""
    return lambda code: _language_name(code, locale)


@lru_cache(maxsize=4096)
def _language_name(code: str, locale: str) -> str:
    name = Locale.parse(locale).languages.get(code.lower().replace("-", "_"))
    return str(name) if name else code
