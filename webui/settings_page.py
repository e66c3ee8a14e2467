"""The settings page: shows each setting with its source, saves changes, puts them in force at once.

`settings.py` says what there is and checks it; this file only asks and renders.
Who may reach the server and which folders it may read cannot be changed here.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from urllib.parse import urlencode

from flask import Blueprint, Response, make_response, redirect, render_template, request

from archiver.errors import DiskFullError, FindingAidError
from indexer import IndexMissingError
from webui.application import as_json_response, site
from webui.asked import wants_json
from webui.i18n import N_, ngettext, said
from webui.i18n import gettext as _
from webui.preferences import LANGUAGES, SIZES, Preferences, preferences, read_preferences
from webui.setting_infos import SettingInfo, SettingsError, Value, describe_settings
from webui.settings import Settings
from webui.settings_file import SettingsChangedError, save_settings, settings_hash

blueprint = Blueprint("settings", __name__)
log = logging.getLogger(__name__)

_SECTIONS = {
    "archive": N_("Archive"),
    "search": N_("Ranking"),
    "search.boost": N_("Ranking: how much a word counts in each part of a page"),
    "search.b": N_("Ranking: how much the length of a part lowers the weight"),
    "widening": N_("Widening a query"),
    "crawl": N_("Crawls"),
    "index": N_("Indexing"),
    "server": N_("Server"),
    "replay": N_("Cached pages"),
}
_SOURCES = {
    "default": N_("default"),
    "file": N_("settings file"),
    "environment": N_("environment"),
    "option": N_("command line"),
}


@dataclass(frozen=True, slots=True)
class Field:
    """One line of the form. locked: why it cannot be changed here, "" if it can."""

    info: SettingInfo
    text: str
    default: str
    source: str
    locked: str
    problem: str

    @property
    def id(self) -> str:
        return "set-" + self.info.key.replace(".", "-")

    @property
    def name(self) -> str:
        return self.info.key.rpartition(".")[2]


@blueprint.get("/settings.json", endpoint="show_json")
@blueprint.get("/settings")
def show() -> Response:
    if wants_json():
        return _as_json()
    saved = request.args.get("saved", "")
    message = ""
    if saved == "0":
        message = _("Nothing was changed.")
    elif saved.isascii() and saved.isdigit():
        message = ngettext(
            "Saved: %(count)s change, in force at once.",
            "Saved: %(count)s changes, in force at once.",
            int(saved[:4]),
        )
    return _page(message=message)


@blueprint.post("/settings")
def save() -> Response:
    state = site()
    with state.saving:
        settings = state.settings
        typed = {key: text.strip() for key, text in request.form.items()}
        check_only = bool(typed.pop("check", ""))
        unknown = [key for key in typed if key != "hash" and key not in _infos()]
        if unknown:
            return _page(400, problem=_("%(key)s: there is no such setting.", key=unknown[0][:60]))
        changes = {
            key: text for key, text in typed.items() if key != "hash" and text != as_text(settings.value(key))
        }
        locked = [key for key in changes if _locked(settings, _infos()[key])]
        if locked:
            return _page(
                403,
                problem=_(
                    "%(key)s %(locked)s.", key=locked[0], locked=_locked(settings, _infos()[locked[0]])
                ),
                typed=typed,
            )
        if not changes:
            return _to_page(0)
        try:
            save_settings(settings.path, changes, typed.get("hash", ""), check_only=check_only)
            if check_only:
                return _page(
                    changes={key: (as_text(settings.value(key)), text) for key, text in changes.items()},
                    typed=typed,
                )
            state.take_over()
        except SettingsError as error:
            problem = _(
                "%(key)s: %(found)s; allowed: %(allowed)s",
                key=error.key or os.path.basename(settings.path),
                found=said(error.found),
                allowed=said(error.allowed),
            )
            return _page(400, problem=problem, wrong_key=error.key, typed=typed)
        except SettingsChangedError:
            problem = _("The settings file was changed meanwhile. Below are its values as they are now.")
            state.take_over()
            return _page(409, problem=problem)
        except (DiskFullError, OSError) as error:
            return _page(
                403,
                problem=_cannot_write(error),
                typed=typed,
            )
    log.info("settings changed in the browser: %s", ", ".join(sorted(changes)))
    return _to_page(len(changes))


def _cannot_write(error: Exception) -> str:
    why = getattr(error, "strerror", None) or _("no room left on the disk")
    return _("The settings file cannot be written: %(why)s.", why=why)


def as_text(value: Value) -> str:
    """Return a value as it stands in a field of the form."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value)


def _infos() -> dict[str, SettingInfo]:
    return {info.key: info for info in describe_settings()}


def _locked(settings: Settings, info: SettingInfo) -> str:
    if not info.editable:
        return _("is changed in the settings file only")
    origin = settings.origin(info.key)
    if origin == "environment":
        return _("is set by the environment variable %(name)s", name=info.variable)
    if origin == "option":
        return _("is set on the command line")
    return ""


def _page(
    status: int = 200,
    *,
    message: str = "",
    problem: str = "",
    wrong_key: str = "",
    typed: dict[str, str] | None = None,
    changes: dict[str, tuple[str, str]] | None = None,
) -> Response:
    settings = site().settings
    sections: dict[str, list[Field]] = {name: [] for name in _SECTIONS}
    for info in describe_settings():
        section = info.key.rpartition(".")[0]
        value = as_text(settings.shown(info.key))
        locked = _locked(settings, info)
        sections.setdefault(section, []).append(
            Field(
                info=info,
                text=value if locked else (typed or {}).get(info.key, value),
                default=as_text(info.default),
                source=_(_SOURCES[settings.origin(info.key)]),
                locked=locked,
                problem=problem if info.key == wrong_key else "",
            )
        )
    page = render_template(
        "settings.html",
        sections=[(_(_SECTIONS.get(name, name)), fields) for name, fields in sections.items() if fields],
        hash=settings_hash(settings.path),
        file_name=os.path.basename(settings.path),
        has_file=settings.has_file,
        index_is_option=bool(settings.index_option),
        index_state=_index_state(),
        mine=_shown_preferences(),
        mine_saved=request.args.get("mine") == "saved",
        mine_shared="theme" in request.args,
        languages=LANGUAGES,
        sizes=SIZES,
        message=message,
        changes=changes or {},
        problem=problem,
        wrong_id="set-" + wrong_key.replace(".", "-") if wrong_key in _infos() else "",
    )
    response = make_response(page, status)
    response.headers["Cache-Control"] = "no-store"
    return response


def _as_json() -> Response:
    """Return the settings as they are in force, without secrets and without the folders of the server."""
    settings = site().settings
    answer = [
        {
            "key": info.key,
            "value": _without_folders(settings.shown(info.key)),
            "default": _without_folders(info.default),
            "origin": settings.origin(info.key),
            "unit": info.unit,
            "allowed": info.allowed,
            "editable": not _locked(settings, info),
            "help": info.help,
        }
        for info in describe_settings()
    ]
    response = as_json_response({"settings": answer})
    response.headers["Cache-Control"] = "no-store"
    return response


def _without_folders(value: Value) -> object:
    if isinstance(value, tuple):
        return [_without_folders(one) for one in value]
    return os.path.basename(value) if isinstance(value, str) and os.path.isabs(value) else value


def _shown_preferences() -> Preferences:
    """Return the preferences in the address, if it shares some, else those of the reader."""
    return read_preferences(urlencode(request.args)) if "theme" in request.args else preferences()


def _index_state() -> str:
    try:
        with site().index_access.lease() as index:
            return ngettext(
                "The index in use holds %(count)s page.",
                "The index in use holds %(count)s pages.",
                index.statistics().documents,
            )
    except IndexMissingError:
        return _("There is no index at this place yet.")
    except FindingAidError as error:
        log.error("index: %s", error)
        return _("The index at this place cannot be used; the log of the server says why.")


def _to_page(changes: int) -> Response:
    response = redirect(f"{request.script_root}/settings?saved={changes}", 303)
    assert isinstance(response, Response)
    return response
