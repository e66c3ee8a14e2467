"""What there is to set: every setting with its default, unit, range and a line of help.

The dataclasses below are the one list of all settings; the shipped `settings.toml` is made from it, docs and
settings page are checked against it. Knows no Flask and imports little, because every command loads the settings.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from archiver.errors import ExitCode, FindingAidError
from archiver.notices import Notice

Value = str | int | float | bool | tuple[str, ...]

ENVIRONMENT_PREFIX = "FINDINGAID_"
_TEMPLATE_HEAD = """\
# Settings of Finding Aid. Every line here shows the default; change it, or delete the line.
# An option of the command line beats FINDINGAID_SECTION__KEY in the environment, which beats this file.
# Relative folders are relative to the folder of this file.
"""


class SettingsError(FindingAidError):
    """A setting is wrong; the message is one line: where, which key, what was found, what is allowed."""

    exit_code = ExitCode.WRONG_SETTINGS

    def __init__(self, file: str, key: str, found: str, allowed: str) -> None:
        super().__init__(": ".join(part for part in (file, key, found) if part) + f"; allowed: {allowed}")
        self.file = file
        self.key = key
        self.found = found
        self.allowed = allowed


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """What one setting is.

    key: its full name, such as "search.boost.title".
    type: "text", "secret", "folder", "list" (of texts), "networks", "origins" (lists as well), "integer", "number",
        "switch" or "choice".
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
    """Where archives and indexes lie."""

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
    """How archives are read."""

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
    "title": 3.0, "heading": 1.0, "anchor": 1.0, "emphasis": 1.2, "description": 1.5,
    "keywords": 1.5, "body": 1.0, "url": 8.0, "alt": 0.8, "inlink": 8.0,
}  # fmt: skip
_B = {**dict.fromkeys(_BOOST, 0.3), "title": 0.5, "body": 0.75, "url": 0.75, "inlink": 0.0}


@dataclass(frozen=True)
class SearchSettings:
    """How pages are found and ranked."""

    operator: str = _setting(
        "and", "what stands between two words of a query that name no operator", choices=("and", "or")
    )
    model: str = _setting(
        "bm25f",
        "how pages are scored; all but bm25f are for teaching and comparing",
        choices=("bm25f", "cosine", "tfidf", "boolean", "pnorm", "fuzzy"),
    )
    k1: float = _setting(
        80.0, "BM25F weight at which a word reaches half of its top score", low=0.001, high=1000
    )
    slope: float = _setting(
        0.5, "how steeply the score of a word rises around k1: 1 is plain BM25, less rises early and ends late",
        low=0.1, high=2,
    )  # fmt: skip
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
    """Which words are added to a query."""

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
    """Who may reach the server, and what it may take."""

    host: str = _setting("127.0.0.1", "address to listen on; the default answers this machine only")
    port: int = _setting(8080, "port to listen on; 0 means any free one", low=0, high=65535)
    threads: int = _setting(4, "requests answered at the same time", low=1, high=256)
    processes: int = _setting(
        0,
        "processes that answer, each on a core of its own and with some 100 MB of memory; 0: two for an index of up to"
        " 200,000 pages, else one",
        low=0,
        high=64,
    )
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
    proxies: tuple[str, ...] = _setting(
        (),
        "addresses of proxies before this server, or networks such as 10.0.0.0/8: what they tell of a reader's address"
        " (X-Forwarded-For) is believed",
        type="networks",
    )
    cors_origins: tuple[str, ...] = _setting(
        (),
        "sites whose pages may read the answers for programs and archived files, such as https://example.org;"
        " * stands for all",
        type="origins",
    )


@dataclass(frozen=True)
class ReplaySettings:
    """How stored pages are shown."""

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
    """How pages are fetched."""

    threads: int = _setting(8, "pages fetched at the same time", low=1, high=64)
    delay_s: float = _setting(
        1.0, "pause for one host, from the end of an answer to the next request", unit="s", low=0, high=3600
    )
    depth: int = _setting(3, "links followed from a seed", low=0, high=100)
    page_limit_kb: int = _setting(
        64000,
        "how much of one answer is kept; the rest is cut off, marked and counted",
        unit="kB",
        low=1,
        high=1000000,
    )
    max_pages: int = _setting(
        0, "pages after which a crawl ends; 0 means no limit", low=0, high=1_000_000_000
    )
    timeout_s: float = _setting(30.0, "time that a host has to answer", unit="s", low=0.1, high=3600)
    user_agent: str = _setting("findingaid/0.1", "name given to the sites that are crawled")
    contact: str = _setting("", "address where a site's owner reaches you, sent along with the name")


SECTIONS: dict[str, type[Any]] = {
    "archive": ArchiveSettings,
    "index": IndexSettings,
    "search": SearchSettings,
    "widening": WideningSettings,
    "server": ServerSettings,
    "replay": ReplaySettings,
    "crawl": CrawlSettings,
}
_EDITABLE_SECTIONS = ("archive", "search", "widening", "crawl")
# Types of lists, with what each of the texts is.
LISTS = {
    "list": Notice("a list of texts"),
    "networks": Notice("a list of IP addresses and networks"),
    "origins": Notice('a list of sites (http or https, host, and port if it is unusual), or "*"'),
}
INSIDE_JOB = ("archive.arcs_dir", "archive.index_dir")  # no way up out of the job
# Names, not paths: they never lead out of the folder above.
ALLOWED_NAMES = {
    "archive.job_id": Notice('the name of one folder, several names with commas, or "*"'),
    "archive.index_name": Notice("the name of one folder"),
}


def describe_settings() -> list[SettingInfo]:
    """Return what there is to set, in the order of the settings file."""
    return list(INFOS.values())


def settings_template() -> str:
    """Return a settings file with every setting at its default, each with comment, unit and range."""
    lines = [_TEMPLATE_HEAD.rstrip()]
    table = ""
    for info in INFOS.values():
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


def _describe() -> Iterator[SettingInfo]:
    for section, kind in SECTIONS.items():
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
        type_, allowed = "choice", reduce(_either, (f'"{choice}"' for choice in meta["choices"]))
    elif meta["type"] == "secret":
        type_, allowed = "secret", Notice("a text in one line")
    elif isinstance(default, bool):
        type_, allowed = "switch", Notice("true or false")
    elif isinstance(default, int):
        type_, allowed = (
            "integer",
            Notice("a whole number from %(low)s to %(high)s", low=str(low), high=str(high)),
        )
    elif isinstance(default, float):
        type_, allowed = "number", Notice("a number from %(low)s to %(high)s", low=str(low), high=str(high))
    elif meta["type"] in LISTS:
        type_, allowed = meta["type"], LISTS[meta["type"]]
    elif meta["type"] == "folder":
        type_, allowed = (
            "folder",
            ALLOWED_NAMES.get(key, Notice("the path of a folder")),
        )
    else:
        type_, allowed = "text", Notice("a text in one line")
    editable = key.partition(".")[0] in _EDITABLE_SECTIONS
    return SettingInfo(
        key, type_, default, meta["unit"], meta["about"], allowed, meta["choices"], low, high, editable
    )


def _either(one: str, other: str) -> str:
    return Notice("%(one)s or %(other)s", one=one, other=other)


INFOS: dict[str, SettingInfo] = {info.key: info for info in _describe()}


def known_setting(where: str, key: str) -> SettingInfo:
    """Return what the setting `key` is; SettingsError that names what there is when it is unknown."""
    if key in INFOS:
        return INFOS[key]
    table = key.rpartition(".")[0]
    beside = [name.rpartition(".")[2] for name in INFOS if name.rpartition(".")[0] == table]
    import difflib

    near = difflib.get_close_matches(key, INFOS, n=1, cutoff=0.75)
    if beside:
        allowed = ", ".join(beside)
    elif near:
        allowed = Notice("%(key)s, if that is what is meant", key=near[0])
    else:
        allowed = Notice("the sections %(sections)s", sections=", ".join(SECTIONS))
    raise SettingsError(where, key, Notice("there is no such setting"), allowed)
