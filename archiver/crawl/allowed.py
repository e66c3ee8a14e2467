"""Hosts that may have private addresses: named on the command line, and kept for the job's next start.

They are kept in the state file with the place of the job's folder on this disk. So a job that somebody else made, state
file and all, reaches no host in here before its user has named it.
"""

from __future__ import annotations

import json
import os

from archiver.crawl.job import CrawlJob
from archiver.crawl.statefile import StateFile

_KEY = "allow_private"


def allowed_hosts(file: StateFile, job: CrawlJob) -> tuple[str, ...]:
    """Return the hosts named for a job now and at its earlier starts here, and keep them."""
    found = os.stat(job.folder)
    place = [found.st_dev, found.st_ino]
    before = _kept(file, place)
    hosts = tuple(dict.fromkeys([*before, *job.allow_private]))
    if hosts != before:
        file.put(_KEY, json.dumps({"hosts": hosts, "place": place}))
    return hosts


def _kept(file: StateFile, place: list[int]) -> tuple[str, ...]:
    try:
        kept = json.loads(file.get(_KEY, "{}"))
        return tuple(map(str, kept["hosts"])) if kept["place"] == place else ()
    except (ValueError, LookupError, TypeError):
        return ()
