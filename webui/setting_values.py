"""The values of settings: a text of a form, an option or the environment becomes a typed value, or is refused."""

from __future__ import annotations

import json
import re
from typing import Any

from archiver.notices import Notice
from webui.setting_infos import ALLOWED_NAMES, INSIDE_JOB, LISTS, SettingInfo, SettingsError, Value

_ORIGIN = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?", re.IGNORECASE)


def checked_value(where: str, info: SettingInfo, raw: Any) -> Value:
    """Return the typed value; SettingsError when it is of another type or out of range."""
    if info.type == "switch":
        right = isinstance(raw, bool)
    elif info.type in ("integer", "number"):
        numeric = isinstance(raw, int if info.type == "integer" else (int, float)) and not isinstance(
            raw, bool
        )
        right = numeric and info.low <= raw <= info.high  # false for nan, too
    elif info.type in LISTS:
        right = isinstance(raw, (list, tuple)) and all(
            isinstance(item, str) and _is_item(info.type, item) for item in raw
        )
    elif info.type == "choice":
        right = raw in info.choices
    else:
        right = isinstance(raw, str) and not any(ord(c) < 32 or ord(c) == 127 for c in raw)
        if right and info.type == "folder":
            names = raw.split(",") if info.key == "archive.job_id" else [raw]
            leads_out = any(_leads_out(name.strip().rstrip("/")) for name in names)
            parts = raw.rstrip("/").split("/")
            too_long = any(len(part.encode("utf-8", "replace")) > 255 for part in parts)
            climbs = info.key in INSIDE_JOB and ".." in parts
            right = raw != "" and not (leads_out and info.key in ALLOWED_NAMES) and not (too_long or climbs)
    if not right:
        raise SettingsError(
            where, info.key, Notice("%(value)s is not accepted", value=shown_value(raw)), info.allowed
        )
    if info.type == "number":
        return float(raw)
    value: Value = tuple(raw) if info.type in LISTS else raw
    return value


def _is_item(type_: str, text: str) -> bool:
    """Tell whether a text can stand in a list of a type."""
    if type_ == "networks":
        import ipaddress  # most commands have no need of it

        try:
            ipaddress.ip_network(text)
        except ValueError:
            return False
    if type_ == "origins":
        return text == "*" or bool(_ORIGIN.fullmatch(text))
    return bool(text)


_SWITCH_WORDS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


def _leads_out(name: str) -> bool:
    return name in ("", ".", "..") or "/" in name or "\\" in name


def value_from_text(where: str, info: SettingInfo, text: str) -> Value:
    """Return the value that a text of the environment, an option or a form stands for."""
    raw: Any = text
    try:
        if info.type == "switch":
            raw = _SWITCH_WORDS.get(text.strip().lower(), text)
        elif info.type == "integer":
            raw = int(text)
        elif info.type == "number":
            raw = float(text)
        elif info.type in LISTS:
            raw = [part.strip() for part in text.split(",") if part.strip()]
        elif info.type == "choice":
            raw = text.strip().lower()
    except ValueError:
        pass  # checked_value refuses the text as it is and says what is allowed
    return checked_value(where, info, raw)


def shown_value(raw: Any) -> str:
    text = json.dumps(raw, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "..."
