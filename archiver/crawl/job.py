"""What to crawl and within which limits: the job, and the job.toml it is read from."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import re2

from archiver.crawl.errors import JobError
from archiver.files import whole_text_file
from archiver.notices import Notice

SCOPES = ("page", "subtree", "host", "domain", "web")
ORDERS = ("bfs", "dfs", "best")
SOURCE_KINDS = ("file", "sitemap", "index", "search", "cdx")
JOB_FILE = "job.toml"
STATE_FILE = "crawl.sqlite"
LOG_FILE = "crawl.log"
_JOB_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class SeedSource:
    """A place that seeds come from: its kind, where it is, and what to ask it.

    kind: "file" (a path, "-" for standard input), "sitemap" (a site whose
        robots.txt or sitemap lists pages), "index" (the project's own index),
        "search" (a SearXNG-style endpoint), "cdx" (a CDX server).
    query: the words or the address pattern to ask for; "" asks for the topic.
    """

    kind: str
    where: str
    query: str = ""
    limit: int = 100


@dataclass(frozen=True, slots=True)
class CrawlJob:
    """A job and its limits; 0 as a limit means none.

    folder: where the job lives; it holds job.toml, the archives, the index,
        the state and the log.
    allow_private: hosts that may have private addresses; from the command line
        only, never from the job file. See allowed.py.
    """

    id: str = "01"
    folder: str = ""
    arcs_dir: str = "Arcs"
    seeds: tuple[str, ...] = ()
    sources: tuple[SeedSource, ...] = ()
    scope: str = "host"
    depth: int = 3
    order: str = "bfs"
    topic: str = ""
    keep_all: bool = False
    threads: int = 8
    delay_s: float = 1.0
    delay_factor: float = 2.0
    page_size_kb: int = 64_000
    file_size_kb: int = 64_000
    max_pages: int = 0
    max_mb: float = 0.0
    max_minutes: float = 0.0
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    user_agent: str = "findingaid/0.1"
    contact: str = ""
    obey_robots: bool = True
    obey_meta_robots: bool = True
    obey_nofollow: bool = True
    sitemaps: bool = True
    requisites: bool = True
    verify_tls: bool = True
    ports: tuple[int, ...] = ()
    retries: int = 2
    retry_pause_s: float = 2.0
    connect_timeout_s: float = 10.0
    read_timeout_s: float = 30.0
    total_timeout_s: float = 120.0
    max_path_segments: int = 20
    max_path_repeats: int = 3
    max_url_length: int = 2000
    max_siblings: int = 100
    roll_over_mb: float = 1000.0
    min_free_mb: float = 500.0
    disk_wait_min: float = 10.0
    allow_private: tuple[str, ...] = field(default=(), metadata={"only": "command line"})

    @property
    def archive_folder(self) -> str:
        """The folder that the archives go to."""
        return os.path.join(self.folder, self.arcs_dir)

    @property
    def state_path(self) -> str:
        """The SQLite file with frontier, state and commands."""
        return os.path.join(self.folder, STATE_FILE)

    @property
    def full_user_agent(self) -> str:
        """The User-Agent as sent: product and where to complain."""
        return f"{self.user_agent} (+{self.contact})" if self.contact else self.user_agent

    @property
    def robots_token(self) -> str:
        """The product name that robots.txt files know the crawler by."""
        return re.split(r"[/ (]", self.user_agent.strip(), maxsplit=1)[0] or "findingaid"


_NOT_IN_FILE = frozenset({"id", "folder", "arcs_dir", "allow_private"})
_KEYS = {f.name: f for f in fields(CrawlJob) if f.name not in _NOT_IN_FILE}
_BOUNDS: dict[str, tuple[float, float]] = {
    "depth": (0, 10_000),
    "threads": (1, 64),
    "delay_s": (0, 86_400),
    "delay_factor": (0, 100),
    "page_size_kb": (1, 1_000_000),
    "file_size_kb": (1, 1_000_000),
    "max_pages": (0, 10**12),
    "max_mb": (0, 10**12),
    "max_minutes": (0, 10**9),
    "retries": (0, 20),
    "retry_pause_s": (0, 86_400),
    "connect_timeout_s": (0.1, 600),
    "read_timeout_s": (0.1, 3600),
    "total_timeout_s": (0.1, 86_400),
    "max_path_segments": (1, 1000),
    "max_path_repeats": (1, 1000),
    "max_url_length": (50, 100_000),
    "max_siblings": (1, 10**9),
    "roll_over_mb": (0.001, 100_000),
    "min_free_mb": (0, 10**9),
    "disk_wait_min": (0, 10**6),
}


def load_job(folder: str, *, arcs_dir: str = "Arcs") -> CrawlJob:
    """Return the job of a folder, from its job.toml. Raises JobError that names file, key and what was expected."""
    path = os.path.join(folder, JOB_FILE)
    try:
        with open(path, "rb") as file:
            data = tomllib.load(file)
    except FileNotFoundError as error:
        raise JobError(f"{path}: there is no such job; start one with --seed URL") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise JobError(f"{path}: not valid TOML: {error}") from error
    except OSError as error:
        raise JobError(f"{path}: cannot be read: {error.strerror}") from error
    job = CrawlJob(id=os.path.basename(os.path.normpath(folder)), folder=folder, arcs_dir=arcs_dir)
    return change_job(job, data, where=path)


def change_job(job: CrawlJob, values: Mapping[str, Any], *, where: str = "option") -> CrawlJob:
    """Return the job with other values, each checked as those of a job file are. Raises JobError."""
    changes: dict[str, Any] = {}
    for key, value in values.items():
        if key == "allow_private":
            raise JobError(
                f"{where}: allow_private cannot stand in a file; give --allow-private HOST when starting"
            )
        if key not in _KEYS:
            raise JobError(f"{where}: unknown key {key!r}; known are {', '.join(sorted(_KEYS))}")
        changes[key] = _checked(key, value, where)
    job = replace(job, **changes)
    check_job(job, where)
    return job


def check_job(job: CrawlJob, where: str = "job") -> None:
    """Raise JobError for values that cannot be meant."""
    if not is_job_id(job.id):
        raise JobError(f"{where}: job id {job.id!r}: use letters, digits, dot, dash and underscore")
    for key, choices in (("scope", SCOPES), ("order", ORDERS)):
        value = getattr(job, key)
        if value not in choices:
            raise JobError(f"{where}: {key} is {value!r}, expected one of {', '.join(choices)}")
    for key, (low, high) in _BOUNDS.items():
        value = getattr(job, key)
        if not low <= value <= high:
            raise JobError(
                Notice(
                    "%(where)s: %(key)s is %(value)s, expected %(low)s to %(high)s",
                    where=where,
                    key=key,
                    value=format(value, "g"),
                    low=format(low, "g"),
                    high=format(high, "g"),
                )
            )
    for key in ("include", "exclude"):
        for pattern in getattr(job, key):
            try:
                re2.compile(pattern)
            except re2.error as error:
                raise JobError(
                    Notice(
                        "%(where)s: %(key)s pattern %(pattern)s is no RE2 expression: %(why)s",
                        where=where,
                        key=key,
                        pattern=repr(pattern),
                        why=str(error),
                    )
                ) from error
    for port in job.ports:
        if not 1 <= port <= 65535:
            raise JobError(f"{where}: ports holds {port}, expected 1 to 65535")
    if job.order == "best" and not job.topic.strip():
        raise JobError(
            f'{where}: order "best" goes by the topic, and there is none; give one with --topic TEXT'
        )
    for text in (job.user_agent, job.contact):
        if not text.isprintable() or not text.isascii():
            raise JobError(f"{where}: user_agent and contact may hold printable ASCII only, found {text!r}")
    for source in job.sources:
        if source.kind not in SOURCE_KINDS:
            raise JobError(f"{where}: seed source {source.kind!r}, expected one of {', '.join(SOURCE_KINDS)}")


def is_job_id(name: str) -> bool:
    """Tell whether a name can be that of a job, and of its folder."""
    return bool(_JOB_ID.fullmatch(name))


def write_job(job: CrawlJob) -> str:
    """Write job.toml, each key with its meaning and unit, and return its path."""
    os.makedirs(job.folder, exist_ok=True)
    path = os.path.join(job.folder, JOB_FILE)
    lines = [
        f"# Crawl job {job.id}. 0 as a limit means none. The same command goes on where a stopped crawl was.",
        "",
    ]
    for key, comment in _COMMENTS.items():
        lines += [f"# {comment}", f"{key} = {_toml(getattr(job, key))}"]
    for source in job.sources:
        lines += [
            "",
            "[[sources]]",
            *(f"{f.name} = {_toml(getattr(source, f.name))}" for f in fields(SeedSource)),
        ]
    with whole_text_file(path) as file:
        file.write("\n".join(lines) + "\n")
    return path


def host_of(url: str) -> str:
    """Return the host of an address with its port if that is not the usual one."""
    front = _FRONT.match(url)
    return _host_in(front.group() if front else url)


_FRONT = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://[^/?#]*")


@lru_cache(maxsize=4096)  # most links of a page lead to few hosts
def _host_in(url: str) -> str:
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    port = parts.port
    return host if port in (None, 80, 443) else f"{host}:{port}"


def _checked(key: str, value: Any, where: str) -> Any:
    default = _KEYS[key].default
    if key == "sources":
        return _sources(value, where)
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise JobError(f"{where}: {key} is {value!r}, expected true or false")
        return value
    if isinstance(default, int | float):
        whole = isinstance(default, int)
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            raise JobError(f"{where}: {key} is {value!r}, expected a {'whole ' if whole else ''}number")
        return value if whole else float(value)
    if isinstance(default, str):
        if not isinstance(value, str):
            raise JobError(f"{where}: {key} is {value!r}, expected a text")
        return value
    kind = int if key == "ports" else str
    if not isinstance(value, list | tuple) or not all(isinstance(v, kind) for v in value):
        raise JobError(
            f"{where}: {key} is {value!r}, expected a list of {'numbers' if kind is int else 'texts'}"
        )
    return tuple(value)


def _sources(value: Any, where: str) -> tuple[SeedSource, ...]:
    if all(isinstance(v, SeedSource) for v in value):
        return tuple(value)
    try:
        return tuple(SeedSource(**entry) for entry in value)
    except TypeError as error:
        raise JobError(
            f"{where}: [[sources]] needs kind and where, may have query and limit: {error}"
        ) from error


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) and value != int(value) else str(int(value))
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(v) for v in value) + "]"
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04X}" for c in escaped) + '"'


_COMMENTS = {
    "seeds": "addresses the crawl starts from",
    "scope": "page | subtree | host | domain | web: which pages belong to the job, as seen from the seeds",
    "depth": "links from a seed to the farthest page",
    "order": "bfs (near the seeds first) | dfs (deep first) | best (by topic)",
    "topic": "words; with a topic only pages that are on it are kept, and what they need to look right",
    "keep_all": "keep pages that are not on topic too",
    "threads": "requests at the same time",
    "delay_s": "shortest pause for a host, in seconds from its last answer; 0 also lets requests to a host overlap",
    "delay_factor": "the pause is at least so many times what the last answer took",
    "page_size_kb": "a longer page, or whatever else a link leads to, is cut, marked and counted as cut, in kB",
    "file_size_kb": "the same for pictures, styles, scripts and fonts, in kB",
    "max_pages": "stop after so many pages (what pages need to look right does not count)",
    "max_mb": "stop after so many MB received",
    "max_minutes": "stop after so many minutes",
    "include": "RE2 patterns; when there are any, a page's address must match one",
    "exclude": "RE2 patterns; what matches is left out",
    "user_agent": "product name and version as sent to servers; robots.txt rules go by the name",
    "contact": "a web or mail address where site owners reach you",
    "obey_robots": "obey robots.txt",
    "obey_meta_robots": "obey meta robots and X-Robots-Tag: noindex, noarchive, nofollow",
    "obey_nofollow": 'obey rel="nofollow" on single links',
    "sitemaps": "take pages from the sitemaps that robots.txt names",
    "requisites": "fetch pictures, styles, scripts and fonts of pages, whatever their host",
    "verify_tls": "refuse servers whose certificate cannot be checked",
    "ports": "ports besides 80, 443, 8080 and 8443",
    "retries": "further tries after a failure that may pass",
    "retry_pause_s": "pause before the first of them, in seconds; each further pause is four times longer",
    "connect_timeout_s": "seconds to wait for a connection",
    "read_timeout_s": "seconds to wait for the next byte",
    "total_timeout_s": "seconds for one request in all",
    "max_path_segments": "trap guard: an address with more path segments is left out",
    "max_path_repeats": "trap guard: how often one path segment may come in an address",
    "max_url_length": "trap guard: longest address in bytes",
    "max_siblings": "trap guard: near-duplicates among addresses of one pattern before the pattern is left out",
    "roll_over_mb": "size at which a new archive file is begun, in MB",
    "min_free_mb": "pause when less is free on the disk, in MB",
    "disk_wait_min": "minutes to wait for room on the disk before the crawl ends",
}
