"""Whatever a server does between two answers: what is stored under an address was meant for that address."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from archiver.crawl import CrawlJob, CrawlResult, run_crawl
from archiver.warc import parse_response, read_records
from archiver.warc.record import Record
from tests.archiver.crawl.rude import ANY, BEHAVIOURS, NAMED, RudeServer

ROUNDS = int(os.environ.get("FINDINGAID_RUDE_ROUNDS", "4"))


def crawl_all(server: RudeServer, folder: Path) -> tuple[CrawlResult, dict[str, list[tuple[bytes, str]]]]:
    """Crawl all targets of a server; return what was stored, as (body, WARC-Truncated) by target."""
    result = run_crawl(
        CrawlJob(
            folder=str(folder),
            seeds=tuple(map(server.url, server.targets)),
            scope="page",
            depth=0,
            delay_s=0.0,
            retries=0,
            read_timeout_s=3.0,
            allow_private=("127.0.0.1",),
            obey_robots=False,
            min_free_mb=1.0,
        )
    )
    stored: dict[str, list[tuple[bytes, str]]] = {}
    for path in result.archives:
        for record in read_records(path):
            if isinstance(record, Record) and record.type in ("response", "revisit"):
                response = parse_response(record)
                assert response is not None
                target = record.url.removeprefix(server.url(""))
                stored.setdefault(target, []).append((response.body, record.headers.get("WARC-Truncated")))
    return result, stored


def check(server: RudeServer, result: CrawlResult, stored: dict[str, list[tuple[bytes, str]]]) -> None:
    for target in server.targets:
        told = f"{target} ({server.behaviour[target]}, seed {server.seed})"
        kept = server.scripts[target].kept
        answers = stored.pop(target, [])
        if kept is None:
            assert not answers, told
            continue
        ((body, truncated),) = answers
        assert set(NAMED.findall(body)) <= {target.encode()}, told
        if kept is not ANY:
            assert (body, truncated) == (kept, ""), told
        else:
            assert b"[[" not in body or truncated, told
    stored.pop("/elsewhere", None)  # where the redirects lead
    assert stored == {}
    assert result.failed == sum(script.kept is None for script in server.scripts.values())


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_each_way_to_misbehave(name: str, tmp_path: Path) -> None:
    with RudeServer(1, (name, "plain"), count=12) as server:
        check(server, *crawl_all(server, tmp_path))


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_all_ways_at_random(seed: int, tmp_path: Path) -> None:
    with RudeServer(seed) as server:
        check(server, *crawl_all(server, tmp_path))
