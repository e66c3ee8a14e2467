"""What a reader likes: colours, language, results on a page. Kept in a cookie of their browser, nowhere else."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from babel import Locale
from flask import Blueprint, Response, redirect, request
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from webui.asked import is_for_a_program, remembered
from webui.found_out import Request, request_if_any

if TYPE_CHECKING:
    from babel.support import NullTranslations

blueprint = Blueprint("preferences", __name__)

COOKIE, SESSION_COOKIE = "findingaid", "findingaid_session"
THEMES = ("auto", "light", "dark")
SIZES = (10, 20, 50, 100)
# The pages speak these; the first is spoken to whom no other fits. Names in the languages themselves.
LANGUAGES = {"en": "English", "ar": "العربية", "ja": "日本語"}
RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur"})
_BRITISH = Locale("en", "GB")
_READERS_KNOWN = 64
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


class Reader:
    """For whom an answer is written: all of a request that our pages depend on beside what it asks for.

    The same object for readers who are alike, so that pages and parts of pages can be kept by it. language: of the
    answer: the chosen one, else the best that the browser asks for; English for programs, whatever they send: they
    compare texts, and people read them in logs. root: what our addresses begin with. catalogue: the texts of the
    language, see `webui.i18n`.
    """

    __slots__ = ("catalogue", "has_session", "language", "locale", "locale_name", "preferences", "root")

    def __init__(self, preferences: Preferences, language: str, has_session: bool, root: str) -> None:
        self.preferences, self.language, self.has_session, self.root = (
            preferences,
            language,
            has_session,
            root,
        )
        # English as written in Britain: 3 May 2015
        self.locale = _BRITISH if language == "en" else Locale.parse(language)
        self.locale_name = str(self.locale)  # Babel puts it together anew each time it is asked
        self.catalogue: NullTranslations | None = None


_reader = lru_cache(maxsize=_READERS_KNOWN)(Reader)
_NOBODY = Reader(Preferences(), next(iter(LANGUAGES)), False, "")


def reader() -> Reader:
    """Return the reader of the answer to this request; one who likes nothing in particular where there is none."""
    request = request_if_any()
    if request is None:
        return _NOBODY
    if request.reader is None:
        request.reader = _reader_of(request)
    return request.reader


def _reader_of(request: Request) -> Reader:
    environ = request.environ
    cookies = request.cookies if "HTTP_COOKIE" in environ else {}
    likes = read_preferences(cookies.get(COOKIE, ""))
    language = next(iter(LANGUAGES))
    if not is_for_a_program():
        language = likes.language or _best_language(environ.get("HTTP_ACCEPT_LANGUAGE", "")) or language
    return _reader(likes, language, SESSION_COOKIE in cookies, request.root_path)


def preferences() -> Preferences:
    """Return what the reader of this request likes."""
    return reader().preferences


def chosen_language() -> str:
    """Return the language of the answer to this request, see `Reader`."""
    return reader().language


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
