"""The language of the pages: which one a reader gets.

Texts are English in the code, marked with `_()` or `{% trans %}`; the catalogues of the
other languages lie in `translations/`.
"""

from __future__ import annotations

from flask import Flask, request
from flask_babel import Babel
from flask_babel import gettext as _translated

LANGUAGES = ("en",)


def add_languages(app: Flask) -> None:
    """Give the templates `_()` and `{% trans %}`, and each request its language."""
    Babel(app, default_locale=LANGUAGES[0], locale_selector=_chosen_language)


def _chosen_language() -> str:
    return request.accept_languages.best_match(LANGUAGES) or LANGUAGES[0]


def gettext(text: str, **values: object) -> str:
    """Return a text in the reader's language, with its %(name)s filled in; imported as `_`."""
    return str(_translated(text, **values))
