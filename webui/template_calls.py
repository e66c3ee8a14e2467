"""What a template calls some hundred times a page, made quick: texts in the reader's language, addresses of ours.

A page of results looks up 300 texts and writes 60 addresses. Flask-Babel and Flask find out anew for each of them
which request it is for; here that is done once a page. What they return is the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

from flask import Flask, url_for
from markupsafe import Markup

from webui.addresses import quoted
from webui.found_out import app_now
from webui.i18n import catalogue_of
from webui.preferences import Reader, reader
from webui.template_code import written

_KEPT_TEXTS = 5_000
# Texts stand in our own templates and catalogues. Markup itself looks for more than a text first.
_safe: Callable[[str], Markup] = partial(str.__new__, Markup)
_HOLDS_NAMES_ONLY = re.compile(r"(?:[^%]|%%|%\(\w+\)s)*+")


class Texts:
    """The texts of one language for templates; safe as HTML, as those of Jinja's own `gettext` are."""

    def __init__(self, translations: Any) -> None:
        self._translations = translations
        self._plain: dict[str, Markup] = {}
        self._is_simple: dict[str, bool] = {}  # whether a text has nothing to fill in but names

    def gettext(self, text: str, /, **values: object) -> Markup:
        """Return a text in the reader's language; values fill in its %(name)s and are escaped."""
        if values:
            return self._filled(self._translations.ugettext(text), values)
        found = self._plain.get(text)
        if found is None:
            found = _safe(self._translations.ugettext(text)) % {}
            if len(self._plain) < _KEPT_TEXTS:
                self._plain[text] = found
        return found

    def ngettext(self, one: str, many: str, number: int, /, **values: object) -> Markup:
        """Return the text for a number of things; %(num)s stands for the number."""
        text = self._translations.ungettext(one, many, number)
        if not values and "%" not in text:
            return _safe(text)
        values.setdefault("num", number)
        return self._filled(text, values)

    def _filled(self, text: str, values: dict[str, object]) -> Markup:
        """Return a text of a catalogue with its values."""
        is_simple = self._is_simple.get(text)
        if is_simple is None:
            is_simple = _HOLDS_NAMES_ONLY.fullmatch(text) is not None
            if len(self._is_simple) < _KEPT_TEXTS:
                self._is_simple[text] = is_simple
        if not is_simple:
            return _safe(text) % values
        # the values are escaped here: Markup takes ten times as long
        return _safe(text % {name: written(value) for name, value in values.items()})


class Calls(NamedTuple):
    """What pages call some hundred times, for readers who are alike."""

    gettext: Callable[..., Markup]
    ngettext: Callable[..., Markup]
    url_for: Callable[..., str]
    reader: Reader


def calls_of_reader() -> Calls:
    """Return what the templates call, for a page that is written in Python."""
    calls: Calls = app_now().extensions["findingaid.calls"](reader())
    return calls


def add_template_calls(app: Flask) -> None:
    """Give the templates `_`, `gettext`, `ngettext` and `url_for`; called when all routes are known."""
    paths = {
        rule.endpoint: rule.rule for rule in reversed(list(app.url_map.iter_rules())) if not rule.arguments
    }

    texts_of = lru_cache(maxsize=32)(lambda language: Texts(catalogue_of(language)))
    addresses_below = lru_cache(maxsize=32)(lambda root: _addresses(paths, root))

    @lru_cache(maxsize=64)
    def calls_of(reader: Reader) -> Calls:
        texts = texts_of(reader.language)
        return Calls(texts.gettext, texts.ngettext, addresses_below(reader.root), reader)

    app.extensions["findingaid.calls"] = calls_of

    @app.context_processor
    def names() -> dict[str, Any]:
        gettext, ngettext, url_for, _reader = calls_of(reader())
        return {"_": gettext, "gettext": gettext, "ngettext": ngettext, "url_for": url_for}


def _addresses(paths: dict[str, str], root: str) -> Callable[..., str]:
    def address(endpoint: str, **values: Any) -> str:
        path = paths.get(endpoint)
        if path is None:
            return url_for(endpoint, **values)
        given = []
        for name, value in values.items():
            if name[0] == "_":
                return url_for(endpoint, **values)
            if value is not None:
                given.append(f"{name}={quoted(str(value))}")
        return f"{root}{path}?{'&'.join(given)}" if given else f"{root}{path}"

    return address
