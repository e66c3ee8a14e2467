"""The language of the pages: which one a reader gets.

Texts are English in the code, marked with `_()` or `{% trans %}`; the catalogues of the
other languages lie in `translations/`.
"""

from __future__ import annotations

from flask import Flask
from flask_babel import Babel, get_locale
from flask_babel import gettext as _translated
from flask_babel import ngettext as _translated_number

from webui.preferences import LANGUAGES, RIGHT_TO_LEFT, chosen_language, preferences


def add_languages(app: Flask) -> None:
    """Give the templates `_()` and `{% trans %}`, and each request its language."""
    Babel(app, default_locale=next(iter(LANGUAGES)), locale_selector=chosen_language)

    @app.context_processor
    def names() -> dict[str, object]:
        language = chosen_language()
        return {
            "language": language,
            "direction": "rtl" if language in RIGHT_TO_LEFT else "ltr",
            "prefs": preferences(),
        }


def gettext(text: str, **values: object) -> str:
    """Return a text in the reader's language, with its %(name)s filled in; imported as `_`."""
    return str(_translated(text, **values))


def ngettext(one: str, many: str, number: int, **values: object) -> str:
    """Return the text for a number of things in the reader's language; %(num)s stands for the number."""
    return str(_translated_number(one, many, number, **values))


def language_name(code: str) -> str:
    """Return "Portuguese" for pt, in the reader's language; the code itself when it names no language known here."""
    locale = get_locale()
    name = locale.languages.get(code.lower()) if locale is not None else None
    return str(name) if name else code
