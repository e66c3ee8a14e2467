"""The settings in force: where each value comes from, and which folders they mean.

`app.py` loads them once and hands each package its own part; the settings page shows them and saves changes
(settings_file.py). What there is to set stands in setting_infos.py.

A value is taken from the first of these that has it: an option of the command
line, an environment variable `FINDINGAID_SECTION__KEY`, the settings file, the
default.
"""

from __future__ import annotations

import os
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from webui.setting_infos import (
    ENVIRONMENT_PREFIX,
    INFOS,
    SECTIONS,
    ArchiveSettings,
    CrawlSettings,
    IndexSettings,
    ReplaySettings,
    SearchSettings,
    ServerSettings,
    SettingInfo,
    SettingsError,
    Value,
    WideningSettings,
    known_setting,
)
from webui.setting_values import checked_value, shown_value, value_from_text

Origin = Literal["default", "file", "environment", "option"]

FILE_NAME = "settings.toml"


@dataclass(frozen=True)
class Settings:
    """All settings as loaded; each package gets its own part.

    path: the settings file that was read, or where one would be written; absolute.
    has_file: whether there was one.
    index_option: the index folder named on the command line; "" when none was.
    """

    archive: ArchiveSettings
    index: IndexSettings
    search: SearchSettings
    widening: WideningSettings
    server: ServerSettings
    replay: ReplaySettings
    crawl: CrawlSettings
    path: str
    has_file: bool
    index_option: str = ""
    _values: Mapping[str, tuple[Value, Origin]] = field(default_factory=dict, repr=False)
    _given: tuple[str | None, Mapping[str, str], Mapping[str, Any]] = field(
        default=(None, {}, {}), repr=False
    )

    @property
    def folder(self) -> str:
        """What relative folders in the file are relative to."""
        return os.path.dirname(self.path)

    @property
    def jobs_path(self) -> str:
        """The folder of all jobs, absolute; from an option or the environment, relative to where we are."""
        typed_here = self.origin("archive.jobs_path") in ("option", "environment")
        return os.path.join(os.getcwd() if typed_here else self.folder, self.archive.jobs_path)

    @property
    def job_ids(self) -> tuple[str, ...]:
        """The names of the jobs in use; of all that have an index where job_id is "*"."""
        names = [name.strip().rstrip("/") for name in self.archive.job_id.split(",")]
        if names != ["*"]:
            return tuple(dict.fromkeys(names))
        found = sorted(os.listdir(self.jobs_path)) if os.path.isdir(self.jobs_path) else []
        return tuple(name for name in found if os.path.exists(os.path.join(self.index_of(name), "current")))

    @property
    def job_path(self) -> str:
        """The folder of the job in use, absolute. SettingsError when there are several."""
        name = self.archive.job_id.strip().rstrip("/")
        if name == "*" or "," in name:
            where = self.path if self.origin("archive.job_id") == "file" else self.origin("archive.job_id")
            raise SettingsError(
                where,
                "archive.job_id",
                f"{shown_value(self.archive.job_id)} is more than one job",
                "one: --job ID",
            )
        return self._job(name)

    def _job(self, name: str) -> str:
        return os.path.normpath(os.path.join(self.jobs_path, name))

    def index_of(self, job: str) -> str:
        """The folder of a job's own index, absolute."""
        return os.path.normpath(os.path.join(self._job(job), self.archive.index_dir, self.archive.index_name))

    @property
    def arcs_path(self) -> str:
        """The folder of the job's archive files, absolute. SettingsError when there are several jobs."""
        return os.path.normpath(os.path.join(self.job_path, self.archive.arcs_dir))

    @property
    def archives_path(self) -> str:
        """The folder below which files are named on pages: that of the job's archives, or that of all jobs."""
        return self.arcs_path if self.has_one_job else os.path.normpath(self.jobs_path)

    @property
    def has_one_job(self) -> bool:
        return not (self.archive.job_id.strip() == "*" or "," in self.archive.job_id)

    @property
    def index_path(self) -> str:
        """The folder of the index in use: the one of `--index`, else the job's; absolute.

        SettingsError when there are several jobs: what is written goes into one.
        """
        if self.index_option:
            return os.path.abspath(self.index_option)
        return self.index_of(os.path.basename(self.job_path))

    @property
    def index_paths(self) -> tuple[str, ...]:
        """The folders of the indexes that are searched as one, absolute; never empty, but there may be none there."""
        if self.index_option:
            return (os.path.abspath(self.index_option),)
        return tuple(self.index_of(job) for job in self.job_ids) or (self.index_of("*"),)

    @property
    def folders_of_jobs(self) -> tuple[str, ...]:
        """The folders of the jobs in use and of their archives, absolute."""
        jobs = [self._job(name) for name in self.job_ids]
        return tuple(
            folder
            for job in jobs
            for folder in (job, os.path.normpath(os.path.join(job, self.archive.arcs_dir)))
        )

    @property
    def root_paths(self) -> tuple[str, ...]:
        """The folders of `server.roots`, absolute, links followed."""
        return tuple(os.path.realpath(os.path.join(self.folder, root)) for root in self.server.roots)

    def command_options(self, *, index: str = "", one_job: bool = False) -> str:
        """Return what has to follow another command so that it means the same index, with a blank before; often "".

        index: what to call an index folder that was named. one_job: the command wants one job, not several.
        """
        options = [f"--settings {shlex.quote(self.path)}"] if self._given[0] else []
        if self.index_option:
            options.append(f"--index {index or shlex.quote(self.index_option)}")
        elif self.origin("archive.job_id") == "option" or (one_job and not self.has_one_job):
            jobs = [name for name in self.job_ids if name] if one_job else [self.archive.job_id.strip("/")]
            options += [f"--job {shlex.quote(name)}" for name in jobs[:1]]
            if not jobs:
                options.append("--job 01")
        if self.origin("archive.jobs_path") == "option":
            options.append(f"--jobs-path {shlex.quote(self.archive.jobs_path)}")
        return "".join(f" {option}" for option in options)

    def value(self, key: str) -> Value:
        """Return the value in force of the setting `key`; KeyError when there is no such setting."""
        return self._values[key][0]

    def shown(self, key: str) -> Value:
        """Return the value of a setting as it may be shown: "(set)" for a secret that is set."""
        value = self.value(key)
        return "(set)" if INFOS[key].type == "secret" and value else value

    def origin(self, key: str) -> Origin:
        """Return where the value of `key` comes from; KeyError when there is no such setting."""
        return self._values[key][1]

    def reloaded(self, more_options: Mapping[str, Any] | None = None) -> Settings:
        """Return the settings as they are now: the file is read again, environment and options stay."""
        path, environ, options = self._given
        return load_settings(path, environ, {**options, **(more_options or {})})


def load_settings(
    path: str | None = None,
    environ: Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Settings:
    """Return the settings in force.

    path: the settings file; None takes the one that FINDINGAID_SETTINGS names,
        else settings.toml in the current folder if there is one, else none.
    environ: the environment; None takes that of the process.
    options: values from the command line by full key; None as a value means not
        given. The key "index" names an index folder that stands above job and names.

    Raises SettingsError for a file that cannot be read, an unknown key or a wrong value.
    """
    environ = os.environ if environ is None else environ
    ours = {name: text for name, text in environ.items() if name.startswith(ENVIRONMENT_PREFIX)}
    given = {key: value for key, value in (options or {}).items() if value is not None}
    named = path or ours.get("FINDINGAID_SETTINGS")
    shown = named or FILE_NAME
    file = os.path.abspath(shown)
    has_file = bool(named) or os.path.isfile(file)

    values = _defaults()
    if has_file:
        values |= _values_of_file(_read_toml(file, shown), shown)
    for name, text in sorted(ours.items()):
        if "__" in name:
            where = f"environment variable {name}"
            key = name.removeprefix(ENVIRONMENT_PREFIX).lower().replace("__", ".")
            values[key] = value_from_text(where, known_setting(where, key), text), "environment"
    index_option = str(given.pop("index", ""))
    for key, raw in given.items():
        info = known_setting("command line", key)
        read = value_from_text if isinstance(raw, str) else checked_value
        values[key] = read("command line", info, raw), "option"

    return Settings(
        **{section: _build_section(section, values) for section in SECTIONS},
        path=file,
        has_file=has_file,
        index_option=index_option,
        _values=values,
        _given=(file if named else None, ours, dict(options or {})),
    )


def settings_of_file(document: Mapping[str, Any], shown: str, path: str) -> Settings:
    """Return what the tables of a settings file say by themselves, without environment and options.

    shown: the file as it is named in errors. Raises SettingsError for an unknown key or a wrong value.
    """
    values = _defaults() | _values_of_file(document, shown)
    return Settings(
        **{section: _build_section(section, values) for section in SECTIONS},
        path=path,
        has_file=True,
        _values=values,
    )


def _defaults() -> dict[str, tuple[Value, Origin]]:
    return {key: (info.default, "default") for key, info in INFOS.items()}


def _build_section(section: str, values: Mapping[str, tuple[Value, Origin]]) -> Any:
    arguments: dict[str, Any] = {}
    for key, (value, _) in values.items():
        parts = key.split(".")
        if parts[0] != section:
            continue
        if len(parts) == 2:
            arguments[parts[1]] = value
        else:
            arguments.setdefault(parts[1], {})[parts[2]] = value
    return SECTIONS[section](**arguments)


def _read_toml(path: str, shown: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise SettingsError(
            shown, "", f"cannot be read: {error.strerror}", "a settings file in TOML"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(shown, "", f"is not TOML: {error}", "a settings file in TOML") from error


def _values_of_file(document: Mapping[str, Any], where: str) -> dict[str, tuple[Value, Origin]]:
    return {
        info.key: (checked_value(where, info, raw), "file")
        for info, raw in _settings_in(document, where, prefix="")
    }


_TABLES = frozenset(
    ".".join(names[:end]) for names in (key.split(".") for key in INFOS) for end in range(1, len(names))
)


def _settings_in(table: Mapping[str, Any], where: str, prefix: str) -> Iterator[tuple[SettingInfo, Any]]:
    for name, value in table.items():
        key = prefix + name
        is_table = key in _TABLES
        if is_table and isinstance(value, dict):
            yield from _settings_in(value, where, key + ".")
        elif is_table:
            raise SettingsError(where, key, f"{shown_value(value)} is not accepted", f"a table [{key}]")
        else:
            yield known_setting(where, key), value
