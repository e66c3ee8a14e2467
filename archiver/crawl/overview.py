"""What somebody who looks on wants to know of the jobs: which there are, last fetches, links between sites."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from archiver.crawl.errors import JobError
from archiver.crawl.job import JOB_FILE, LOG_FILE, STATE_FILE, is_job_id
from archiver.crawl.statefile import StateFile
from archiver.crawl.states import crawl_status, is_running
from archiver.errors import FindingAidError

_LINE_BYTES = 4096  # room for one line of the log, at least


@dataclass(frozen=True, slots=True)
class JobOverview:
    """A job in a list. state: "" for a folder that holds archives or an index but was never crawled.

    problem: why its numbers cannot be read, "" when they can. pages_per_s: lately, 0 for one that does not run.
    """

    id: str
    state: str
    reason: str
    fetched: int
    queued: int
    problem: str = ""
    pages_per_s: float = 0.0
    is_running: bool = False


@dataclass(frozen=True, slots=True)
class Fetch:
    """A line of the crawl's log. note: "-" when there is nothing to say; status 0: no answer came."""

    time: str
    status: int
    size: int
    mime: str
    kind: str
    depth: str
    note: str
    url: str


@dataclass(frozen=True, slots=True)
class Site:
    """All addresses of one origin: how many are known, fetched, failed, and links from and to other origins."""

    id: int
    origin: str
    known: int
    fetched: int
    failed: int
    links_in: int
    links_out: int


@dataclass(frozen=True, slots=True)
class SiteLink:
    """Links from the pages of one site to those of another; count: how many."""

    source: int
    target: int
    count: int


def list_jobs(jobs_path: str, *, running_only: bool = False) -> list[JobOverview]:
    """Return the jobs below a folder, by name; an empty list when there is no such folder.

    running_only: those that a process works on; no others are looked at, so that it costs next to nothing.
    """
    names = _job_names(jobs_path)
    if running_only:
        names = [name for name in names if is_running(os.path.join(jobs_path, name))]
    return [_overview(os.path.join(jobs_path, name), name) for name in names]


def _job_names(jobs_path: str) -> list[str]:
    try:
        return sorted(
            entry.name for entry in os.scandir(jobs_path) if entry.is_dir() and is_job_id(entry.name)
        )
    except OSError:
        return []


def _overview(folder: str, name: str) -> JobOverview:
    if not os.path.exists(os.path.join(folder, STATE_FILE)):
        begun = os.path.exists(os.path.join(folder, JOB_FILE))
        return JobOverview(name, "queued" if begun else "", "", 0, 0)
    try:
        status = crawl_status(folder)
    except (FindingAidError, sqlite3.Error) as error:
        return JobOverview(name, "", "", 0, 0, str(error))
    runs = is_running(folder)
    return JobOverview(
        name,
        str(status["state"]),
        str(status["reason"]),
        status.get("fetched", 0),
        status.get("queued", 0),
        pages_per_s=float(status.get("pages_per_s", 0)) if runs else 0.0,
        is_running=runs,
    )


def last_fetches(job_dir: str, limit: int) -> list[Fetch]:
    """Return the last lines of a job's log, newest first; empty before the first fetch."""
    lines = _last_lines(os.path.join(job_dir, LOG_FILE), limit)
    return [fetch for fetch in map(_fetch, lines) if fetch]


def _last_lines(path: str, limit: int) -> Iterator[str]:
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - limit * _LINE_BYTES))
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return
    whole = lines[1:] if size > limit * _LINE_BYTES else lines
    for line in reversed([line for line in whole if line][-limit:]):
        yield line.decode("utf-8", "replace")


def _fetch(line: str) -> Fetch | None:
    parts = line.split(" ", 7)
    if len(parts) < 8 or not parts[1].isdecimal() or not parts[2].isdecimal():
        return None
    time, status, size, mime, kind, depth, note, url = parts
    return Fetch(time, int(status), int(size), mime, kind, depth, note, url)


def linked_sites(job_dir: str, limit: int) -> tuple[list[Site], list[SiteLink], int]:
    """Return the sites of a crawl with most pages fetched, at most `limit`, the links between them, and how many
    sites there are in all. Raises JobError for a job that was never started."""
    file = StateFile(os.path.join(job_dir, STATE_FILE), read_only=True, cache_mb=16)
    try:
        counts = file.execute(
            "SELECT o.id, o.origin, COUNT(*), COUNT(CASE WHEN u.state = 2 THEN 1 END),"
            " COUNT(CASE WHEN u.state = 4 THEN 1 END) FROM urls u JOIN origins o ON o.id = u.origin"
            " WHERE u.kind IN (0, 1) GROUP BY o.id ORDER BY 4 DESC, 3 DESC, o.origin"
        ).fetchall()
        shown = {row[0] for row in counts[:limit]}
        links = [
            SiteLink(source, target, count)
            for source, target, count in file.execute(
                "SELECT a.origin, b.origin, COUNT(*) FROM edges e JOIN urls a ON a.id = e.source"
                " JOIN urls b ON b.id = e.target WHERE a.origin <> b.origin GROUP BY 1, 2 ORDER BY 1, 2"
            )
        ]
    except sqlite3.Error as error:
        raise JobError(f"{job_dir}: the crawl's links cannot be read: {error}") from error
    finally:
        file.close()
    coming, going = dict.fromkeys(shown, 0), dict.fromkeys(shown, 0)
    for link in links:
        if link.target in coming:
            coming[link.target] += link.count
        if link.source in going:
            going[link.source] += link.count
    sites = [
        Site(number, origin, known, fetched, failed, coming[number], going[number])
        for number, origin, known, fetched, failed in counts[:limit]
    ]
    between = [link for link in links if link.source in shown and link.target in shown]
    return sites, between, len(counts)
