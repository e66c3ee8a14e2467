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
from .job import CrawlJob, SeedSource, change_job, check_job, load_job, write_job
from .numbers import Numbers
from .states import COMMANDS, MOVES, JobState, crawl_status, is_running, send_command

__all__ = [
    "COMMANDS",
    "MOVES",
    "AddressRefusedError",
    "CrawlError",
    "CrawlJob",
    "CrawlResult",
    "FetchError",
    "JobError",
    "JobNotRunningError",
    "JobRunningError",
    "JobState",
    "MoveError",
    "NoSeedError",
    "Numbers",
    "SeedSource",
    "change_job",
    "check_job",
    "crawl_status",
    "is_running",
    "load_job",
    "run_crawl",
    "send_command",
    "write_job",
]
