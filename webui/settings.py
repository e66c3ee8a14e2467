"""The settings: what there is to set, where each value comes from, and how a change is saved.

Knows no Flask and imports little, because every command starts by loading the
settings. `app.py` loads them once and hands each package its own part; the
settings page shows them and saves changes.

A value is taken from the first of these that has it: an option of the command
line, an environment variable `FINDINGAID_SECTION__KEY`, the settings file, the
default. The dataclasses below are the one list of all settings; the shipped
`settings.toml` is made from it, docs and settings page are checked against it.
"""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import json
import math
import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

Origin = Literal["default", "file", "environment", "option"]
Value = str | int | float | bool | tuple[str, ...]

ENVIRONMENT_PREFIX = "FINDINGAID_"
FILE_NAME = "settings.toml"
_TEMPLATE_HEAD = """\
# Settings of Finding Aid. Every line here shows the default; change it, or delete the line.
# An option of the command line beats FINDINGAID_SECTION__KEY in the environment, which beats this file.
# Relative folders are relative to the folder of this file.
"""


class SettingsError(Exception):
    """A setting is wrong; the message is one line: where, which key, what was found, what is allowed."""

    def __init__(self, file: str, key: str, found: str, allowed: str) -> None:
        super().__init__(": ".join(part for part in (file, key, found) if part) + f"; allowed: {allowed}")
        self.file = file
        self.key = key
        self.found = found
        self.allowed = allowed


class SettingsChangedError(Exception):
    """The settings file changed since it was shown; nothing was saved."""


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """What one setting is.

    key: its full name, such as "search.boost.title".
    type: "text", "secret", "folder", "list" (of texts), "integer", "number", "switch" or "choice".
    unit: of a number, such as "s" or "MB"; "" when it has none.
    allowed: the values that are accepted, in words.
    choices: the values of a choice; empty for other types.
    low, high: the range of a number.
    editable: whether the settings page may change it. What decides who reaches the
        server, and which folders it may read, is changed in the file alone.
    """

    key: str
    type: str
    default: Value
    unit: str
    help: str
    allowed: str
    choices: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    editable: bool = False

    @property
    def section(self) -> str:
        return self.key.partition(".")[0]

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return ENVIRONMENT_PREFIX + self.key.upper().replace(".", "__")


def _setting(
    default: Any,
    about: str,
    *,
    type: str = "text",
    unit: str = "",
    low: float = -math.inf,
    high: float = math.inf,
    choices: tuple[str, ...] = (),
) -> Any:
    """Return the dataclass field of one setting; a dict stands for one setting for each of its keys."""
    meta = {"about": about, "type": type, "unit": unit, "low": low, "high": high, "choices": choices}
    if isinstance(default, dict):
        return field(default_factory=lambda: dict(default), metadata=meta)
    return field(default=default, metadata=meta)


@dataclass(frozen=True)
class ArchiveSettings:
    jobs_path: str = _setting("jobs/", "folder that holds one folder for each job", type="folder")
    job_id: str = _setting(
        "01/",
        "the job in use: the name of its folder in jobs_path; several with commas, or all with *, are searched as one",
        type="folder",
    )
    arcs_dir: str = _setting("Arcs/", "archive files of a job, inside jobs_path/job_id", type="folder")
    index_dir: str = _setting("Index/", "indexes of a job, inside jobs_path/job_id", type="folder")
    index_name: str = _setting(
        "MyIndex", "the index in use: the name of its folder in index_dir", type="folder"
    )
    debug_flag: bool = _setting(False, "tell more: debug log lines, and a traceback when a command fails")


@dataclass(frozen=True)
class IndexSettings:
    workers: int = _setting(0, "processes that read archives; 0 means one for each core", low=0, high=1024)
    commit_s: float = _setting(
        30.0,
        "what was read is kept, and found by searches, after at most about this time",
        unit="s",
        low=1,
        high=3600,
    )
    page_limit_s: float = _setting(
        60.0,
        "a page that takes longer to read is left out, with a line in the ledger",
        unit="s",
        low=1,
        high=3600,
    )


# The defaults of indexer.Ranking once more (a test compares them), because importing that takes too long here.
_BOOST = {
    "title": 2.0, "heading": 1.0, "anchor": 1.0, "emphasis": 1.2, "description": 1.5,
    "keywords": 1.5, "body": 1.0, "url": 8.0, "alt": 0.8, "inlink": 8.0,
}  # fmt: skip
_B = {**dict.fromkeys(_BOOST, 0.3), "title": 0.5, "body": 0.75, "url": 0.75, "inlink": 0.0}


@dataclass(frozen=True)
class SearchSettings:
    operator: str = _setting(
        "and", "what stands between two words of a query that name no operator", choices=("and", "or")
    )
    model: str = _setting(
        "bm25f",
        "how pages are scored; all but bm25f are for teaching and comparing",
        choices=("bm25f", "cosine", "tfidf", "boolean", "pnorm", "fuzzy"),
    )
    k1: float = _setting(
        6.0, "BM25F weight at which a word reaches half of its top score", low=0.001, high=1000
    )
    idf: str = _setting(
        "plus", "rarity of a word: plus is log(1 + ...), never negative; classic can be negative",
        choices=("plus", "classic"),
    )  # fmt: skip
    fold: float = _setting(
        0.3,
        "what a word counts for that differs from the one asked for by its accents alone; 0: it is not found",
        low=0,
        high=1,
    )
    time_limit_s: float = _setting(
        1.0,
        "time that a search in the browser may take; what is found by then is shown, with a notice",
        unit="seconds",
        low=0.05,
        high=600,
    )
    other_forms: float = _setting(
        0.9, "what other forms of a word count for, where the word as it was typed counts 1", low=0.01, high=1
    )
    near: float = _setting(
        0.25,
        "what two words of a query add by standing side by side, as a share of what the rarer can add",
        low=0,
        high=10,
    )
    depth: float = _setting(
        0.05,
        "what the front page of a site has ahead, as a share of the greatest score of the query",
        low=0,
        high=10,
    )
    linked: float = _setting(
        0.05,
        "what a page has ahead that very many other sites link to, as a share of the greatest score of the query",
        low=0,
        high=10,
    )
    p: float = _setting(2.0, "exponent of the model pnorm", low=1, high=100)
    boost: dict[str, float] = _setting(
        _BOOST, "how much one occurrence in the element counts", low=0, high=1000
    )
    b: dict[str, float] = _setting(_B, "how much the length of the element lowers the weight", low=0, high=1)


# The defaults of indexer.search.widening.Widening once more (a test compares them).
@dataclass(frozen=True)
class WideningSettings:
    rocchio_alpha: float = _setting(1.0, "Rocchio: how much the query itself counts", low=0, high=100)
    rocchio_beta: float = _setting(1.0, "Rocchio: how much the relevant pages count", low=0, high=100)
    rocchio_gamma: float = _setting(
        0.15, "Rocchio: how much the pages that are not relevant count against a word", low=0, high=100
    )
    rocchio_relevant: int = _setting(
        3, "Rocchio: the best pages that are taken as relevant, when none are marked by hand", low=1, high=100
    )
    rocchio_nonrelevant: int = _setting(
        0, "Rocchio: the last of the best 1000 pages that are taken as not relevant", low=0, high=100
    )
    rocchio_words: int = _setting(40, "Rocchio: words added at most", low=0, high=200)
    rocchio_tfidf: bool = _setting(True, "Rocchio: rare words count for more (tf-idf weights)")
    cooccur_pages: int = _setting(
        20, "words that go together: the best pages that are looked at", low=1, high=100
    )
    cooccur_words: int = _setting(8, "words that go together: words added at most", low=0, high=200)
    cooccur_weight: float = _setting(
        0.3,
        "words that go together: what the best of them counts for beside a word of the query",
        low=0,
        high=10,
    )
    wordnet_words: int = _setting(3, "WordNet: synonyms added for each word at most", low=0, high=50)
    wordnet_weight: float = _setting(
        0.2, "WordNet: what a synonym counts for beside the word itself", low=0, high=10
    )
    lsi_pages: int = _setting(
        2000, "latent semantic indexing: pages that are learned from", low=10, high=100_000
    )
    lsi_dimensions: int = _setting(100, "latent semantic indexing: dimensions kept", low=2, high=1000)
    lsi_words: int = _setting(10, "latent semantic indexing: words added at most", low=0, high=200)
    lsi_weight: float = _setting(
        0.3,
        "latent semantic indexing: what the nearest word counts for beside a word of the query",
        low=0,
        high=10,
    )


@dataclass(frozen=True)
class ServerSettings:
    host: str = _setting("127.0.0.1", "address to listen on; the default answers this machine only")
    port: int = _setting(8080, "port to listen on; 0 means any free one", low=0, high=65535)
    threads: int = _setting(4, "requests answered at the same time", low=1, high=256)
    roots: tuple[str, ...] = _setting((".",), "folders inside which the settings page may point", type="list")
    base_url: str = _setting("", "address that readers use when it is not http://host:port (behind a proxy)")
    password: str = _setting(
        "", "hash of the password that readers need, made by `findingaid password`; empty lets everybody in",
        type="secret",
    )  # fmt: skip
    read_only: bool = _setting(False, "nothing can be changed in the browser: no crawls, no settings")
    metrics_token: str = _setting(
        "", "token that /metrics asks for; empty: it answers this machine only", type="secret"
    )


@dataclass(frozen=True)
class ReplaySettings:
    mode: str = _setting(
        "safe", "how cached pages are shown: safe is our own frame without scripts; external links to another player",
        choices=("safe", "external"),
    )  # fmt: skip
    external: str = _setting(
        "",
        "address of the other player, with {timestamp} and {url}, such as http://host/web/{timestamp}/{url}",
    )


@dataclass(frozen=True)
class CrawlSettings:
    threads: int = _setting(8, "pages fetched at the same time", low=1, high=256)
    delay_s: float = _setting(
        1.0, "pause for one host, from the end of an answer to the next request", unit="s", low=0, high=3600
    )
    depth: int = _setting(3, "links followed from a seed", low=0, high=100)
    page_limit_kb: int = _setting(
        300, "how much of one answer is kept; the rest is cut off and marked", unit="kB", low=1, high=1048576
    )
    max_pages: int = _setting(
        0, "pages after which a crawl ends; 0 means no limit", low=0, high=1_000_000_000
    )
    timeout_s: float = _setting(30.0, "time that a host has to answer", unit="s", low=0.1, high=3600)
    user_agent: str = _setting("findingaid/0.1", "name given to the sites that are crawled")
    contact: str = _setting("", "address where a site's owner reaches you, sent along with the name")


_SECTIONS: dict[str, type[Any]] = {
    "archive": ArchiveSettings,
    "index": IndexSettings,
    "search": SearchSettings,
    "widening": WideningSettings,
    "server": ServerSettings,
    "replay": ReplaySettings,
    "crawl": CrawlSettings,
}
_EDITABLE_SECTIONS = ("archive", "search", "widening", "crawl")
_INSIDE_JOB = ("archive.arcs_dir", "archive.index_dir")  # no way up out of the job
# Names, not paths: they never lead out of the folder above.
_ALLOWED_NAMES = {
    "archive.job_id": 'the name of one folder, several names with commas, or "*"',
    "archive.index_name": "the name of one folder",
}


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
        return tuple(name for name in found if os.path.exists(os.path.join(self._index_of(name), "current")))

    @property
    def job_path(self) -> str:
        """The folder of the job in use, absolute. SettingsError when there are several."""
        name = self.archive.job_id.strip().rstrip("/")
        if name == "*" or "," in name:
            where = self.path if self.origin("archive.job_id") == "file" else self.origin("archive.job_id")
            raise SettingsError(
                where,
                "archive.job_id",
                f"{_shown(self.archive.job_id)} is more than one job",
                "one: --job ID",
            )
        return self._job(name)

    def _job(self, name: str) -> str:
        return os.path.normpath(os.path.join(self.jobs_path, name))

    def _index_of(self, job: str) -> str:
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
        return self._index_of(os.path.basename(self.job_path))

    @property
    def index_paths(self) -> tuple[str, ...]:
        """The folders of the indexes that are searched as one, absolute; never empty, but there may be none there."""
        if self.index_option:
            return (os.path.abspath(self.index_option),)
        return tuple(self._index_of(job) for job in self.job_ids) or (self._index_of("*"),)

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

    def value(self, key: str) -> Value:
        """Return the value in force of the setting `key`; KeyError when there is no such setting."""
        return self._values[key][0]

    def shown(self, key: str) -> Value:
        """Return the value of a setting as it may be shown: "(set)" for a secret that is set."""
        value = self.value(key)
        return "(set)" if _INFOS[key].type == "secret" and value else value

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
            values[key] = _value_from_text(where, _known(where, key), text), "environment"
    index_option = str(given.pop("index", ""))
    for key, raw in given.items():
        info = _known("command line", key)
        read = _value_from_text if isinstance(raw, str) else _checked
        values[key] = read("command line", info, raw), "option"

    return Settings(
        **{section: _build_section(section, values) for section in _SECTIONS},
        path=file,
        has_file=has_file,
        index_option=index_option,
        _values=values,
        _given=(file if named else None, ours, dict(options or {})),
    )


def describe_settings() -> list[SettingInfo]:
    """Return what there is to set, in the order of the settings file."""
    return list(_INFOS.values())


def settings_template() -> str:
    """Return a settings file with every setting at its default, each with comment, unit and range."""
    lines = [_TEMPLATE_HEAD.rstrip()]
    table = ""
    for info in _INFOS.values():
        parent, _, name = info.key.rpartition(".")
        unit = f" ({info.unit})" if info.unit else ""
        comment = f"# {info.help}{unit}. Allowed: {info.allowed}"
        one_comment_for_all = "." in parent
        if parent != table:
            lines += ["", f"[{parent}]"] + [comment] * one_comment_for_all
            table = parent
        lines += [comment] * (not one_comment_for_all) + [f"{name} = {as_toml(info.default)}"]
    return "\n".join(lines) + "\n"


def as_toml(value: Value) -> str:
    """Return a value as it is written in the settings file."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


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
    file is no longer the one that was shown, OSError when it cannot be written.
    """
    checked: dict[str, Value] = {}
    for key, raw in changes.items():
        info = _known(path, key)
        if not info.editable:
            raise SettingsError(path, key, "cannot be changed from here", "a change in the file itself")
        checked[key] = (_value_from_text if isinstance(raw, str) else _checked)(path, info, raw)
    return _write_values(path, checked, expected_hash, check_only=check_only)


def save_password(path: str, password_hash: str) -> None:
    """Write the hash of the readers' password into the settings file, which is made if need be. Raises as above."""
    value = _checked(path, _known(path, "server.password"), password_hash)
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
            with open(target, encoding="utf-8") as file:
                text = file.read()
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
            _replace_file(target, text.encode("utf-8"))
    return settings_hash(target)


# What there is to set ------------------------------------------------------------------


def _describe() -> Iterator[SettingInfo]:
    for section, kind in _SECTIONS.items():
        for item in dataclasses.fields(kind):
            key = f"{section}.{item.name}"
            if item.default_factory is dataclasses.MISSING:
                yield _describe_one(key, item.default, item.metadata)
            else:
                for name, default in item.default_factory().items():
                    yield _describe_one(f"{key}.{name}", default, item.metadata)


def _describe_one(key: str, default: Any, meta: Mapping[str, Any]) -> SettingInfo:
    low, high = meta["low"], meta["high"]
    if meta["choices"]:
        type_, allowed = "choice", " or ".join(f'"{choice}"' for choice in meta["choices"])
    elif meta["type"] == "secret":
        type_, allowed = "secret", "a text in one line"
    elif isinstance(default, bool):
        type_, allowed = "switch", "true or false"
    elif isinstance(default, int):
        type_, allowed = "integer", f"a whole number from {low} to {high}"
    elif isinstance(default, float):
        type_, allowed = "number", f"a number from {low} to {high}"
    elif meta["type"] == "list":
        type_, allowed = "list", "a list of texts"
    elif meta["type"] == "folder":
        type_, allowed = (
            "folder",
            _ALLOWED_NAMES.get(key, "the path of a folder"),
        )
    else:
        type_, allowed = "text", "a text in one line"
    editable = key.partition(".")[0] in _EDITABLE_SECTIONS
    return SettingInfo(
        key, type_, default, meta["unit"], meta["about"], allowed, meta["choices"], low, high, editable
    )


_INFOS: dict[str, SettingInfo] = {info.key: info for info in _describe()}


def _known(where: str, key: str) -> SettingInfo:
    """Return what the setting `key` is; SettingsError that names what there is when it is unknown."""
    if key in _INFOS:
        return _INFOS[key]
    table = key.rpartition(".")[0]
    beside = [name.rpartition(".")[2] for name in _INFOS if name.rpartition(".")[0] == table]
    near = difflib.get_close_matches(key, _INFOS, n=1, cutoff=0.75)
    if beside:
        allowed = ", ".join(beside)
    elif near:
        allowed = f"{near[0]}, if that is what is meant"
    else:
        allowed = "the sections " + ", ".join(_SECTIONS)
    raise SettingsError(where, key, "there is no such setting", allowed)


# Values --------------------------------------------------------------------------------


def _defaults() -> dict[str, tuple[Value, Origin]]:
    return {key: (info.default, "default") for key, info in _INFOS.items()}


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
    return _SECTIONS[section](**arguments)


def _checked(where: str, info: SettingInfo, raw: Any) -> Value:
    """Return the typed value; SettingsError when it is of another type or out of range."""
    if info.type == "switch":
        right = isinstance(raw, bool)
    elif info.type in ("integer", "number"):
        numeric = isinstance(raw, int if info.type == "integer" else (int, float)) and not isinstance(
            raw, bool
        )
        right = numeric and info.low <= raw <= info.high  # false for nan, too
    elif info.type == "list":
        right = isinstance(raw, (list, tuple)) and all(isinstance(item, str) and item for item in raw)
    elif info.type == "choice":
        right = raw in info.choices
    else:
        right = isinstance(raw, str) and not any(ord(c) < 32 or ord(c) == 127 for c in raw)
        if right and info.type == "folder":
            names = raw.split(",") if info.key == "archive.job_id" else [raw]
            leads_out = any(_leads_out(name.strip().rstrip("/")) for name in names)
            parts = raw.rstrip("/").split("/")
            too_long = any(len(part.encode("utf-8", "replace")) > 255 for part in parts)
            climbs = info.key in _INSIDE_JOB and ".." in parts
            right = raw != "" and not (leads_out and info.key in _ALLOWED_NAMES) and not (too_long or climbs)
    if not right:
        raise SettingsError(where, info.key, f"{_shown(raw)} is not accepted", info.allowed)
    if info.type == "number":
        return float(raw)
    value: Value = tuple(raw) if info.type == "list" else raw
    return value


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


def _value_from_text(where: str, info: SettingInfo, text: str) -> Value:
    """Return the value that a text of the environment, an option or a form stands for."""
    raw: Any = text
    try:
        if info.type == "switch":
            raw = _SWITCH_WORDS.get(text.strip().lower(), text)
        elif info.type == "integer":
            raw = int(text)
        elif info.type == "number":
            raw = float(text)
        elif info.type == "list":
            raw = [part.strip() for part in text.split(",") if part.strip()]
        elif info.type == "choice":
            raw = text.strip().lower()
    except ValueError:
        pass  # _checked refuses the text as it is and says what is allowed
    return _checked(where, info, raw)


def _shown(raw: Any) -> str:
    text = json.dumps(raw, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "..."


# The file ------------------------------------------------------------------------------


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
        info.key: (_checked(where, info, raw), "file")
        for info, raw in _settings_in(document, where, prefix="")
    }


def _settings_in(table: Mapping[str, Any], where: str, prefix: str) -> Iterator[tuple[SettingInfo, Any]]:
    for name, value in table.items():
        key = prefix + name
        is_table = any(known.startswith(key + ".") for known in _INFOS)
        if is_table and isinstance(value, dict):
            yield from _settings_in(value, where, key + ".")
        elif is_table:
            raise SettingsError(where, key, f"{_shown(value)} is not accepted", f"a table [{key}]")
        else:
            yield _known(where, key), value


def _check_folders(shown: str, path: str, document: Mapping[str, Any], changes: Mapping[str, Value]) -> None:
    """Raise SettingsError when a changed folder lies outside `server.roots` of the file."""
    values = _defaults() | _values_of_file(document, shown)
    after = Settings(
        **{section: _build_section(section, values) for section in _SECTIONS},
        path=path,
        has_file=True,
        _values=values,
    )
    for key in changes:
        if _INFOS[key].type != "folder":
            continue
        for folder in (after.jobs_path, *after.folders_of_jobs, *after.index_paths):
            real = os.path.realpath(folder)
            if not any(real == root or real.startswith(root.rstrip("/") + "/") for root in after.root_paths):
                found = f"{_shown(changes[key])} leads out of the allowed folders"
                raise SettingsError(shown, key, found, "a folder inside those of server.roots")


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


def _replace_file(path: str, content: bytes) -> None:
    """Write the file as a whole: another reader sees the old content or the new, never a part."""
    temporary = f"{path}.{os.getpid()}.new"
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            os.fchmod(handle, 0o600)
            file.write(content)
            file.flush()
            os.fsync(handle)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
