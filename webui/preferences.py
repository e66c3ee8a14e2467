"""What a reader likes: colours, language, results on a page. Kept in a cookie of their browser, nowhere else."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from flask import Blueprint, Response, g, has_request_context, redirect, request
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from webui.asked import is_for_a_program, remembered
from webui.found_out import known

blueprint = Blueprint("preferences", __name__)

COOKIE = "findingaid"
THEMES = ("auto", "light", "dark")
SIZES = (10, 20, 50, 100)
# The pages speak these; the first is spoken to whom no other fits. Names in the languages themselves.
LANGUAGES = {"en": "English", "ar": "العربية", "ja": "日本語"}
RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur"})
_YEAR_S = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a reader likes; language "": what the browser asks for."""

    theme: str = "auto"
    language: str = ""
    size: int = SIZES[0]
    dense: bool = False
    new_tab: bool = False
    shortcuts: bool = True

    def as_text(self) -> str:
        """Return what the cookie holds, and what follows the ? of a link that shares the preferences."""
        return urlencode(
            {name: int(value) if isinstance(value, bool) else value for name, value in asdict(self).items()}
        )


def read_preferences(text: str) -> Preferences:
    """Return the preferences in a text; what cannot be meant keeps its default."""
    return _read(text[:1000]) if text.count("&") < 20 else Preferences()


@remembered
def _read(text: str) -> Preferences:
    found = Preferences()
    typed = dict(parse_qsl(text))
    for field in fields(Preferences):
        value = typed.get(field.name)
        if value is None:
            continue
        if field.name == "theme" and value in THEMES:
            found = replace(found, theme=value)
        elif field.name == "language" and (value in LANGUAGES or not value):
            found = replace(found, language=value)
        elif field.name == "size" and value in map(str, SIZES):
            found = replace(found, size=int(value))
        elif field.name in ("dense", "new_tab", "shortcuts") and value in ("0", "1"):
            switched: Any = {field.name: value == "1"}
            found = replace(found, **switched)
    return found


def preferences() -> Preferences:
    """Return what the reader of this request likes."""
    found: Preferences | None = known("preferences")
    if found is None:
        if not has_request_context():
            return Preferences()
        found = g.preferences = read_preferences(request.cookies.get(COOKIE, ""))
    return found


def chosen_language() -> str:
    """Return the language of the answer to this request: the chosen one, else the best that the browser asks for.

    English for programs, whatever they send: they compare texts, and people read them in logs.
    """
    found: str | None = known("language")
    if found is None:
        found = next(iter(LANGUAGES))
        if not has_request_context():
            return found
        if not is_for_a_program():
            asked = request.environ.get("HTTP_ACCEPT_LANGUAGE", "")
            found = preferences().language or _best_language(asked) or found
        g.language = found
    return found


@remembered
def _best_language(accepted: str) -> str | None:
    return parse_accept_header(accepted, LanguageAccept).best_match(list(LANGUAGES))


@blueprint.post("/preferences")
def save() -> Response:
    typed = request.form.to_dict()
    for name in ("dense", "new_tab", "shortcuts"):
        typed[name] = "1" if typed.get(name) else "0"
    chosen = read_preferences(urlencode(typed))
    return _kept(chosen, "/settings?mine=saved")


@blueprint.post("/preferences/language")
def save_language() -> Response:
    """Take over the language of a switch at the foot of a page, and lead back to that page."""
    language = request.form.get("language", "")
    chosen = replace(preferences(), language=language if language in LANGUAGES else "")
    return _kept(chosen, _page_of_ours(request.form.get("back", "")))


def _page_of_ours(address: str) -> str:
    """Return a path below our root, "/" for what is none: a form must not lead to another site."""
    is_path = address.startswith("/") and address[1:2] not in ("/", "\\") and address.isprintable()
    return address if is_path and len(address) < 4000 else "/"


def _kept(chosen: Preferences, path: str) -> Response:
    response = redirect(request.script_root + path, 303)
    assert isinstance(response, Response)
    response.set_cookie(
        COOKIE,
        chosen.as_text(),
        max_age=_YEAR_S,
        path=f"{request.script_root}/",
        secure=request.is_secure,
        httponly=True,
        samesite="Strict",
    )
    return response
