"""Saving settings: changed values are written into the settings file, whose comments and order stay."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from archiver.errors import FindingAidError
from archiver.files import whole_file
from archiver.notices import Notice
from webui.setting_infos import INFOS, SettingsError, Value, known_setting, settings_template
from webui.setting_values import checked_value, shown_value, value_from_text
from webui.settings import settings_of_file


class SettingsChangedError(FindingAidError):
    """The settings file changed since it was shown; nothing was saved."""


def settings_hash(path: str) -> str:
    """Return the SHA-256 of the settings file in hex; a missing file counts as empty."""
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except FileNotFoundError:
        return hashlib.sha256(b"").hexdigest()


def save_settings(
    path: str, changes: Mapping[str, Any], expected_hash: str, *, check_only: bool = False
) -> str:
    """Write changed values into the settings file and return its new hash.

    changes: values by full key, typed or as text of a form. Only editable settings
        are accepted, and folders only inside `server.roots` of the file.
    expected_hash: what `settings_hash` said when the values were shown.
    check_only: raise what saving would raise, and write nothing.

    Comments and order of the file are kept; a missing file is made from the
    defaults. The file is replaced as a whole or not at all, with mode 0600.
    Raises SettingsError for a wrong key or value, SettingsChangedError when the
    file is no longer the one that was shown, DiskFullError, OSError when it cannot be written.
    """
    checked: dict[str, Value] = {}
    for key, raw in changes.items():
        info = known_setting(path, key)
        if not info.editable:
            raise SettingsError(
                path, key, Notice("cannot be changed from here"), Notice("a change in the file itself")
            )
        checked[key] = (value_from_text if isinstance(raw, str) else checked_value)(path, info, raw)
    return _write_values(path, checked, expected_hash, check_only=check_only)


def save_password(path: str, password_hash: str) -> None:
    """Write the hash of the readers' password into the settings file, which is made if need be. Raises as above."""
    value = checked_value(path, known_setting(path, "server.password"), password_hash)
    _write_values(path, {"server.password": value}, settings_hash(os.path.realpath(path)))


def _write_values(
    path: str, values: Mapping[str, Value], expected_hash: str, *, check_only: bool = False
) -> str:
    import tomlkit

    target = os.path.realpath(path)
    with _only_writer(os.path.dirname(target)):
        if settings_hash(target) != expected_hash:
            raise SettingsChangedError(
                f"{path}: the file changed since its values were shown; look at them again, then save"
            )
        text = settings_template()
        if os.path.exists(target):
            with open(target, encoding="utf-8") as before:
                text = before.read()
        document = tomlkit.parse(text)
        for key, value in values.items():
            *tables, name = key.split(".")
            table: Any = document
            for part in tables:
                table = table.setdefault(part, tomlkit.table())
            table[name] = list(value) if isinstance(value, tuple) else value
        text = tomlkit.dumps(document)
        _check_folders(path, target, tomllib.loads(text), values)
        if not check_only:
            with whole_file(target, mode=0o600) as file:
                file.write(text.encode("utf-8"))
    return settings_hash(target)


def _check_folders(shown: str, path: str, document: Mapping[str, Any], changes: Mapping[str, Value]) -> None:
    """Raise SettingsError when a changed folder lies outside `server.roots` of the file."""
    after = settings_of_file(document, shown, path)
    for key in changes:
        if INFOS[key].type != "folder":
            continue
        for folder in (after.jobs_path, *after.folders_of_jobs, *after.index_paths):
            real = os.path.realpath(folder)
            if not any(real == root or real.startswith(root.rstrip("/") + "/") for root in after.root_paths):
                found = Notice("%(value)s leads out of the allowed folders", value=shown_value(changes[key]))
                raise SettingsError(shown, key, found, Notice("a folder inside those of server.roots"))


@contextmanager
def _only_writer(folder: str) -> Iterator[None]:
    """Keep other processes and threads from saving settings in this folder meanwhile."""
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
