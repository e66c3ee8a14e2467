"""Seeds -> WARC files: a polite crawl that can be stopped, killed and gone on with.

    result = run_crawl(CrawlJob(folder="jobs/01", seeds=("https://example.org/",)))

A crawl runs in a process of its own; others look on with `crawl_status` and
speak to it with `send_command`. Who else is needed is told in crawler.py.
"""

from .crawler import CrawlResult, run_crawl
from .errors import (
    AddressRefusedError,
    CrawlError,
    FetchError,
    JobError,
    JobNotRunningError,
    JobRunningError,
    MoveError,
    NoSeedError,
)
from .job import CrawlJob, SeedSource, change_job, check_job, is_job_id, load_job, write_job
from .numbers import Numbers
from .overview import Fetch, JobOverview, Site, SiteLink, last_fetches, linked_sites, list_jobs
from .states import COMMANDS, MOVES, JobState, crawl_status, is_running, send_command

__all__ = [
    "COMMANDS",
    "MOVES",
    "AddressRefusedError",
    "CrawlError",
    "CrawlJob",
    "CrawlResult",
    "Fetch",
    "FetchError",
    "JobError",
    "JobNotRunningError",
    "JobOverview",
    "JobRunningError",
    "JobState",
    "MoveError",
    "NoSeedError",
    "Numbers",
    "SeedSource",
    "Site",
    "SiteLink",
    "change_job",
    "check_job",
    "crawl_status",
    "is_job_id",
    "is_running",
    "last_fetches",
    "linked_sites",
    "list_jobs",
    "load_job",
    "run_crawl",
    "send_command",
    "write_job",
]
