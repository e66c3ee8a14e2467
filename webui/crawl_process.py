"""Starts crawls from the web front end: each runs in a process of its own, which outlives the server.

The process is `findingaid crawl`, so that a crawl is the same thing wherever it was started.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import threading
import time
from collections.abc import Iterator

from archiver.crawl import CrawlJob, change_job, is_running
from archiver.interpreter import start_python
from webui.settings import Settings

OUTPUT_FILE = "crawl.out"  # what the process has said
START_LOCK = ".starting"  # beside the jobs
MOST_CRAWLS = 4  # at the same time, started from here
_START_S = 4.0
_MESSAGE_BYTES = 4000


def job_from_settings(settings: Settings, folder: str) -> CrawlJob:
    """Return a new job of a folder with the values of the settings' [crawl]. Raises JobError."""
    arcs = settings.archive.arcs_dir.strip("/") or "Arcs"
    job = CrawlJob(id=os.path.basename(os.path.normpath(folder)), folder=folder, arcs_dir=arcs)
    part = settings.crawl
    values = {
        "threads": part.threads,
        "delay_s": part.delay_s,
        "depth": part.depth,
        "page_size_kb": part.page_limit_kb,
        "max_pages": part.max_pages,
        "user_agent": part.user_agent,
        "contact": part.contact,
        "read_timeout_s": part.timeout_s,
    }
    return change_job(job, values, where="settings [crawl]")


@contextlib.contextmanager
def starting_alone(jobs_path: str) -> Iterator[None]:
    """Let no other crawl be started from here meanwhile, by any thread or process: two requests at once are one behind
    the other, and the second finds that the job runs. Raises OSError where the folder cannot be written.
    """
    os.makedirs(jobs_path, exist_ok=True)
    with open(os.path.join(jobs_path, START_LOCK), "a", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def start_crawl(settings: Settings, job_id: str, *, again: bool = False, with_index: bool = True) -> None:
    """Start the process that works on a job whose job.toml is written; return when it is at work, or has ended.

    What it said stands in `process_messages` then.
    again: visit its pages anew. with_index: index what is fetched into the index that is searched here.
    """
    command = ["-m", "app"]
    if settings.has_file:
        command += ["--settings", settings.path]
    command += ["crawl", "start", "--job", job_id, "--jobs-path", settings.jobs_path, "--quiet"]
    command += ["--again"] * again
    if with_index:
        command += ["--index-dir", index_for(settings, job_id)]
    folder = os.path.join(settings.jobs_path, job_id)
    path = os.path.join(folder, OUTPUT_FILE)
    with open(path, "wb") as output:
        process = start_python(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=settings.folder,
            start_new_session=True,  # Ctrl-C for the server is none for the crawl
        )
    threading.Thread(target=process.wait, daemon=True).start()  # so that it leaves no zombie behind
    deadline = time.monotonic() + _START_S
    while process.returncode is None and not is_running(folder) and time.monotonic() < deadline:
        time.sleep(0.05)


def index_for(settings: Settings, job_id: str) -> str:
    """Return the folder of the index that pages of a job go to, so that they are found where the crawl was started:
    the job's own if that is searched here, else the first of those that are."""
    own = settings.index_of(job_id)
    if not settings.index_option and (own in settings.index_paths or settings.archive.job_id.strip() == "*"):
        return own
    return settings.index_paths[0]


def process_messages(folder: str) -> str:
    """Return the last of what the process of a job has said, without the place of the job; "" for nothing."""
    try:
        with open(os.path.join(folder, OUTPUT_FILE), "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _MESSAGE_BYTES))
            said = file.read().decode("utf-8", "replace").strip()
    except OSError:
        return ""
    for place in (os.path.abspath(folder), folder):
        said = said.replace(place + os.sep, "").replace(place, os.path.basename(folder))
    return said
