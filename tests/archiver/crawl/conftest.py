"""What crawler tests share: a crawl of a test site, and a look at what it wrote."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from archiver.crawl import CrawlJob, CrawlResult, change_job, run_crawl
from tests.archiver.crawl.site import Site


@dataclass
class Kept:
    """One record as warcio reads it, digests checked."""

    type: str
    url: str
    status: str
    payload: bytes
    fields: dict[str, str]
    http: list[tuple[str, str]]


def read_archives(folder: str) -> list[Kept]:
    """Return all records of a job's archives in their order; a wrong digest raises."""
    records = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                raw = record.raw_stream if record.rec_type == "revisit" else record.content_stream()
                http = record.http_headers
                records.append(
                    Kept(
                        record.rec_type,
                        record.rec_headers.get_header("WARC-Target-URI") or "",
                        http.get_statuscode() if http and record.rec_type != "request" else "",
                        raw.read(),
                        dict(record.rec_headers.headers),
                        list(http.headers) if http else [],
                    )
                )
    return records


class Crawl:
    """Crawls a site into one job folder, as often as asked; without pauses unless told otherwise."""

    def __init__(self, folder: Path, site: Site) -> None:
        self.site = site
        self.folder = str(folder / "01")
        self.result: CrawlResult

    def job(self, *seeds: str, **options: Any) -> CrawlJob:
        hosts = tuple(self.site.hosts)
        values = {
            "seeds": list(seeds or (self.site.url(hosts[0]),)),
            "delay_s": 0.0,
            "retry_pause_s": 0.05,
            "min_free_mb": 1.0,
            **options,
        }
        return change_job(CrawlJob(folder=self.folder, allow_private=hosts), values)

    def run(self, *seeds: str, again: bool = False, **options: Any) -> CrawlResult:
        self.result = run_crawl(self.job(*seeds, **options), resolve=self.site.resolve, again=again)
        return self.result

    def records(self) -> list[Kept]:
        return read_archives(os.path.join(self.folder, "Arcs"))

    def payloads(self) -> dict[str, bytes]:
        """Return the payloads of responses by host and target, without robots.txt."""
        return {
            self.short(r.url): r.payload
            for r in self.records()
            if r.type == "response" and not r.url.endswith("/robots.txt")
        }

    def short(self, url: str) -> str:
        return url.removeprefix("http://").replace(f":{self.site.port}", "")


@pytest.fixture
def crawl_of(tmp_path: Path) -> Iterator[Any]:
    """Return a function that starts a site from its hosts and gives a Crawl of it."""
    sites: list[Site] = []

    def start(hosts: dict[str, Any], **options: Any) -> Crawl:
        site = Site(hosts, **options)
        site.__enter__()
        sites.append(site)
        return Crawl(tmp_path, site)

    yield start
    for site in sites:
        site.__exit__()
