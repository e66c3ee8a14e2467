"""Errors of the crawler.

CrawlError              (exit 1 where no other code is named)
├── JobError              the job file or an option says something that cannot be meant (exit 3)
├── JobRunningError       another process works on this job (exit 7)
├── JobNotRunningError    a command was sent to a job that no process works on
├── NoSeedError           there is nothing to start from (exit 2)
├── MoveError             the state a job is in does not allow this
├── AddressRefusedError   the address guard refused to connect
└── FetchError            no response came; carries a short reason for the counts
"""

from __future__ import annotations

from archiver.crawl.reasons import Reason
from archiver.errors import ExitCode, FindingAidError


class CrawlError(FindingAidError):
    """A crawl cannot go on or cannot start; the message says why and what to do."""


class JobError(CrawlError):
    """The job file or an option is wrong."""

    exit_code = ExitCode.WRONG_SETTINGS


class JobRunningError(CrawlError):
    """Another process works on this job."""

    exit_code = ExitCode.LOCKED


class JobNotRunningError(CrawlError):
    """No process works on this job, so nobody would obey the command."""


class NoSeedError(CrawlError):
    """There is nothing to start from."""

    exit_code = ExitCode.MISUSED


class MoveError(CrawlError):
    """The state a job is in does not allow this move."""


class AddressRefusedError(CrawlError):
    """The address guard refused to connect."""


class FetchError(CrawlError):
    """No response came.

    reason: for the counts.
    lasting: trying again would give the same.
    """

    def __init__(self, url: str, reason: Reason, problem: str, *, lasting: bool = False) -> None:
        super().__init__(f"{url}: {problem}")
        self.url = url
        self.reason = reason
        self.problem = problem
        self.lasting = lasting
