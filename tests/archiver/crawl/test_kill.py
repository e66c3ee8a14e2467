"""kill -9 at random moments, power failure, full disk: nothing lost, nothing fetched twice that was kept."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from archiver.crawl import crawl_status
from archiver.crawl.guard import system_resolve
from tests.archiver.crawl.conftest import Crawl
from tests.archiver.crawl.site import page

THREADS = 4
DELAY_S = 0.02
PAGES = 40
HOSTS = 6
KILLS = 25
ALL_PAGES = 1 + HOSTS * (1 + PAGES + 1)  # a start page; robots.txt, the pages and a 404 for each host
_SCRIPT = """
import json, sys
from archiver.crawl import CrawlJob, run_crawl
names = json.loads(sys.argv[1]); options = json.loads(sys.argv[2])
options["seeds"] = tuple(options["seeds"])
result = run_crawl(CrawlJob(allow_private=tuple(names), **options), resolve=lambda host: [names[host]])
print(json.dumps([result.reason, result.fetched]))
"""


def start(crawl: Crawl, **options: Any) -> subprocess.Popen[str]:
    values = {
        "folder": crawl.folder,
        "seeds": [crawl.site.url("h0.example")],
        "scope": "web",
        "depth": 1000,
        "threads": THREADS,
        "delay_s": DELAY_S,
        "min_free_mb": 1.0,
        "max_siblings": 10_000,
        **options,
    }
    return subprocess.Popen(
        [sys.executable, "-c", _SCRIPT, json.dumps(crawl.site.addresses), json.dumps(values)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    )


def big_site() -> dict[str, dict[str, Any]]:
    chance = random.Random(7)

    def text(host: int, number: int) -> bytes:
        links = [
            f"/p{number + 1}",
            f"/p{number * 2 % PAGES}",
            f"http://h{(host + 1) % HOSTS}.example:@PORT/p{number}",
        ]
        return page(f"{host}/{number}", links, text=" ".join(chance.choices("abcdefghij", k=3000)))

    return {
        f"h{h}.example": {"/": page(f"home {h}", ["/p0"]), **{f"/p{n}": text(h, n) for n in range(PAGES)}}
        for h in range(HOSTS)
    }


def kept_addresses(crawl: Crawl) -> Counter[str]:
    return Counter(crawl.short(r.url) for r in crawl.records() if r.type in ("response", "revisit"))


def test_twenty_kills_lose_nothing_and_fetch_nothing_twice_that_was_kept(crawl_of: Any) -> None:
    crawl = crawl_of(big_site())
    chance = random.Random(os.environ.get("FINDINGAID_SEED", time.time_ns()))
    kills = 0
    while True:
        process = start(crawl)
        if kills == KILLS:
            out, _ = process.communicate(timeout=60)
            break
        # Some requests later, and then at any moment of the work that follows one.
        target = len(crawl.site.log) + chance.randint(1, 12)
        while len(crawl.site.log) < target and process.poll() is None:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.03))
        if process.poll() is not None:
            out, _ = process.communicate()
            break
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kills += 1
    assert kills >= 20, "the site was too small for enough kills"
    assert json.loads(out)[0] == "done"
    kept = kept_addresses(crawl)
    expected = {f"h{h}.example/p{n}" for h in range(HOSTS) for n in range(PAGES)}
    expected |= {f"h{h}.example/robots.txt" for h in range(HOSTS)} | {"h0.example/"}
    assert set(kept) >= expected
    assert {a for a, n in kept.items() if n > 1} == set()
    asked = Counter(crawl.site.asked(robots=True))
    assert sum(asked.values()) - len(asked) <= kills * THREADS
    assert all(name.endswith(".warc.gz") for name in os.listdir(os.path.join(crawl.folder, "Arcs")))
    assert min(crawl.site.shortest_pauses().values()) >= DELAY_S


def test_killed_job_is_shown_as_crashed(crawl_of: Any) -> None:
    crawl = crawl_of(big_site())
    process = start(crawl, delay_s=0.2)
    while not crawl.site.asked():
        time.sleep(0.05)
    process.kill()
    process.communicate()
    assert crawl_status(crawl.folder)["state"] == "crashed"


def test_records_lost_with_the_power_are_fetched_again(crawl_of: Any) -> None:
    """The state file knows of records that never reached the disk: the archive is cut short between the runs."""
    crawl = crawl_of(big_site())
    process = start(crawl)
    while len(crawl.site.asked()) < 60:
        time.sleep(0.02)
    process.kill()
    process.communicate()
    (archive,) = Path(crawl.folder, "Arcs").iterdir()
    os.truncate(archive, archive.stat().st_size // 2)
    with sqlite3.connect(f"{crawl.folder}/crawl.sqlite") as connection:
        connection.execute("UPDATE archives SET synced = 0")
    out, _ = start(crawl).communicate(timeout=60)
    assert json.loads(out)[0] == "done"
    kept = kept_addresses(crawl)
    assert len(kept) == ALL_PAGES
    assert max(kept.values()) == 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB that can be made larger; needs the right to mount."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "none", disk], capture_output=True, check=False
    ).returncode:
        pytest.skip("mounting a small disk needs root")
    yield disk
    subprocess.run(["umount", "-l", disk], check=False)


@pytest.mark.parametrize("min_free_mb", [0.0, 0.5])
def test_full_disk_ends_with_whole_records_and_the_job_goes_on(
    crawl_of: Any, small_disk: Path, min_free_mb: float
) -> None:
    """Without a reserve the writes fail, with one the crawl pauses before; either way nothing is lost."""
    crawl = crawl_of(big_site())
    crawl.folder = str(small_disk / "01")
    process = start(
        crawl, delay_s=0.0 if min_free_mb == 0 else 0.005, min_free_mb=min_free_mb, disk_wait_min=0.02
    )
    out, _ = process.communicate(timeout=60)
    assert json.loads(out)[0] == "disk_full"
    assert len(crawl.records()) > 10
    subprocess.run(["mount", "-o", "remount,size=50m", small_disk], check=True)
    out, _ = start(crawl, delay_s=0).communicate(timeout=60)
    assert json.loads(out)[0] == "done"
    kept = kept_addresses(crawl)
    assert len(kept) == ALL_PAGES and max(kept.values()) == 1


def test_job_that_runs_already_is_refused(crawl_of: Any) -> None:
    from archiver.crawl import JobRunningError

    crawl = crawl_of(big_site())
    process = start(crawl, delay_s=0.3)
    while not crawl.site.asked():
        time.sleep(0.05)
    with pytest.raises(JobRunningError, match=rf"running already \(process {process.pid}\)"):
        crawl.run()
    process.kill()
    process.communicate()


def test_system_resolver_knows_this_machine() -> None:
    assert "127.0.0.1" in system_resolve("localhost") + system_resolve("127.0.0.1")
