"""`findingaid crawl` as a user types it: exit codes, one clear line for each error, JSON, steering, live index."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.archiver.crawl.site import Asked, Site, answer, page

REPOSITORY = Path(__file__).parents[1]
HOST = "127.0.0.1"


@pytest.fixture
def site() -> Iterator[Site]:
    routes: dict[str, Any] = {
        "/": page("Start", ["/1", "/2"], text="wonderful walrus"),
        "/1": page("One"),
        "/2": page("Two"),
    }
    with Site({HOST: routes}, addresses={HOST: HOST}) as started:
        yield started


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(REPOSITORY / "app.py"), *arguments],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    process = start(folder, *arguments)
    out, errors = process.communicate(timeout=60)
    return process.returncode, out, errors


def crawl(folder: Path, site: Site, *more: str) -> tuple[int, str, str]:
    return run(folder, "crawl", "--seed", site.url(HOST), "--allow-private", HOST, "--delay", "0", *more)


def test_crawl_into_a_job_and_look_at_it(tmp_path: Path, site: Site) -> None:
    code, out, _ = crawl(tmp_path, site, "--json")
    result = json.loads(out)
    assert code == 0
    assert set(result) == {
        "job",
        "state",
        "reason",
        "fetched",
        "failed",
        "skipped",
        "cut",
        "archives",
        "bytes",
        "seconds",
    }
    assert (result["job"], result["reason"], result["fetched"]) == ("01", "done", 3)
    assert [Path(a).parent for a in result["archives"]] == [tmp_path / "jobs/01/Arcs"]
    code, out, _ = run(tmp_path, "crawl", "status", "01", "--json")
    assert (code, json.loads(out)["state"], json.loads(out)["fetched"]) == (0, "finished", 3)
    code, out, _ = run(tmp_path, "crawl", "graph", "01", "g.json")
    assert code == 0 and len(json.loads((tmp_path / "g.json").read_text())["nodes"]) == 3


def test_what_was_not_had_whole_is_said_at_the_end_and_in_the_status(tmp_path: Path, site: Site) -> None:
    site.hosts[HOST]["/1"] = page("x", text="word " * 1000)
    _, out, _ = crawl(tmp_path, site, "--page-size", "2")
    assert "3 fetched, 0 failed, not had whole: 1 length (" in out
    assert "  not had whole: 1 length" in run(tmp_path, "crawl", "status", "01")[1]


def test_the_same_command_goes_on_and_fetches_nothing_twice(tmp_path: Path, site: Site) -> None:
    assert crawl(tmp_path, site, "--max-pages", "1")[0] == 0
    assert crawl(tmp_path, site, "--max-pages", "0")[0] == 0
    assert sorted(site.asked()) == ["127.0.0.1/", "127.0.0.1/1", "127.0.0.1/2"]


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["crawl", "--job", "09"], 2, "give --seed URL"),
        (["crawl", "--seed", "ftp://a.example/"], 2, "seed ftp://a.example/"),
        (["crawl", "--seed", "http://127.0.0.1:1/", "--retries-are-not-an-option"], 2, "No such option"),
        (
            ["crawl", "--seed", "http://127.0.0.1/"],
            1,
            "127.0.0.1 is loopback; to crawl it all the same, start with --allow-private",
        ),
        (["crawl", "--seed", "http://169.254.169.254/latest"], 1, "is link-local"),
        (
            ["crawl", "--seed", "http://a.example/", "--scope", "world"],
            3,
            "scope is 'world', expected one of page",
        ),
        (["crawl", "--seed", "http://a.example/", "--exclude", "("], 3, "no RE2 expression"),
        (["crawl", "--seed", "http://a.example/", "--order", "best"], 3, "--topic"),
        (["crawl", "status", "09"], 3, "not been started"),
        (["crawl", "pause", "09"], 1, "nothing to pause"),
        (["crawl", "set", "09", "delay_s"], 2, "expected KEY=VALUE"),
        (["crawl", "set", "09", "depth=x"], 2, "cannot be 'x'"),
    ],
)
def test_misuse_is_one_clear_line(tmp_path: Path, arguments: list[str], code: int, line: str) -> None:
    got, _, errors = run(tmp_path, *arguments)
    assert got == code, errors
    assert line in errors and "Traceback" not in errors


def test_wrong_job_file_names_file_and_key(tmp_path: Path) -> None:
    (tmp_path / "jobs/01").mkdir(parents=True)
    (tmp_path / "jobs/01/job.toml").write_text("depht = 2\n")
    code, _, errors = run(tmp_path, "crawl", "01")
    assert code == 3 and "job.toml: unknown key 'depht'" in errors and len(errors.splitlines()) == 1


def test_seed_from_standard_input(tmp_path: Path, site: Site) -> None:
    process = subprocess.run(
        [
            sys.executable,
            str(REPOSITORY / "app.py"),
            "crawl",
            "--seed-file",
            "-",
            "--allow-private",
            HOST,
            "--delay",
            "0",
            "--json",
        ],
        input=site.url(HOST) + "\n",
        cwd=tmp_path,
        text=True,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert json.loads(process.stdout)["fetched"] == 3


def test_a_refused_seed_is_fetched_once_its_host_is_allowed(tmp_path: Path, site: Site) -> None:
    code, _, errors = run(tmp_path, "crawl", "--seed", site.url(HOST), "--delay", "0")
    assert code == 1 and "--allow-private" in errors
    assert crawl(tmp_path, site)[0] == 0, "the job of the refused seed goes on as the message said"
    code, out, _ = crawl(tmp_path, site, "--json")
    assert (
        code == 0 and json.loads(out)["fetched"] > 0 and "blocked-address" not in json.loads(out)["skipped"]
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_in_order_and_the_job_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    def slow(asked: Asked) -> bytes:
        time.sleep(0.1)
        return page(asked.target, [f"/{n}" for n in range(25)])

    with Site({HOST: {"/*": slow}}, addresses={HOST: HOST}) as site:
        arguments = (
            "crawl",
            "--seed",
            site.url(HOST),
            "--allow-private",
            HOST,
            "--delay",
            "0",
            "--threads",
            "2",
            "--json",
        )
        process = start(tmp_path, *arguments)
        while len(site.asked()) < 4:
            time.sleep(0.02)
        process.send_signal(number)
        out, _ = process.communicate(timeout=20)
        assert process.returncode == 130
        assert json.loads(out)["reason"] == "user"
        assert not list(tmp_path.rglob("*.open"))
        code, out, _ = run(tmp_path, *arguments)
        assert (code, json.loads(out)["fetched"]) == (0, 26)
        assert len(site.asked()) == 26


def test_a_page_is_found_within_ten_seconds_of_its_fetch(tmp_path: Path) -> None:
    """The crawl goes on all the while: its last page takes longer than the test waits."""

    found = threading.Event()

    def last(_: Asked) -> bytes:
        found.wait(20)
        return page("late")

    routes: dict[str, Any] = {
        "/": page("Start", ["/new", "/last"]),
        "/new": page("New", text="pelicans everywhere"),
        "/last": last,
    }
    with Site({HOST: routes}, addresses={HOST: HOST}) as site:
        process = start(
            tmp_path,
            "crawl",
            "--seed",
            site.url(HOST),
            "--allow-private",
            HOST,
            "--delay",
            "0",
            "--index",
            "--json",
        )
        try:
            while "127.0.0.1/new" not in site.asked():
                time.sleep(0.02)
            fetched = time.monotonic()
            while True:
                code, out, _ = run(tmp_path, "search", "pelicans", "--job", "01", "--json")
                if code == 0 and json.loads(out)["total"]:
                    break
                assert time.monotonic() - fetched < 15
            assert time.monotonic() - fetched < 10
            assert process.poll() is None
        finally:
            found.set()
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)


def test_steering_a_running_crawl(tmp_path: Path) -> None:
    def slow(asked: Asked) -> bytes:
        time.sleep(0.05)
        return page(asked.target, [f"/{n}" for n in range(400)])

    with Site({HOST: {"/*": slow, "/robots.txt": answer("", "text/plain")}}, addresses={HOST: HOST}) as site:
        process = start(
            tmp_path,
            "crawl",
            "--seed",
            site.url(HOST),
            "--allow-private",
            HOST,
            "--delay",
            "0",
            "--threads",
            "2",
        )
        while len(site.asked()) < 4:
            time.sleep(0.02)
        assert run(tmp_path, "crawl", "pause", "01")[:2] == (0, "done\n")
        assert run(tmp_path, "crawl", "set", "01", "threads=1", "max_pages=100")[:2] == (0, "done\n")
        assert run(tmp_path, "crawl", "add", "01", site.url(HOST, "/more"))[:2] == (0, "1 new\n")
        assert "paus" in run(tmp_path, "crawl", "status", "01")[1]
        code, _, errors = run(tmp_path, "crawl", "--seed", site.url(HOST), "--allow-private", HOST)
        assert code == 7 and f"running already (process {process.pid})" in errors
        assert run(tmp_path, "crawl", "resume", "01")[:2] == (0, "done\n")
        assert run(tmp_path, "crawl", "stop", "01")[:2] == (0, "done\n")
        out, _ = process.communicate(timeout=20)
        assert "finished (user)" in out
        assert os.path.exists(tmp_path / "jobs/01/crawl.log")


def test_second_interrupt_ends_at_once_with_readable_files(tmp_path: Path) -> None:
    def endless(asked: Asked) -> bytes:
        if asked.target == "/slow":
            time.sleep(30)
        return page(asked.target, ["/slow", "/1"])

    with Site({HOST: {"/*": endless}}, addresses={HOST: HOST}) as site:
        process = start(
            tmp_path, "crawl", "--seed", site.url(HOST), "--allow-private", HOST, "--delay", "0", "--json"
        )
        while "127.0.0.1/slow" not in site.asked():
            time.sleep(0.02)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=5)
        assert process.returncode == 130 and "Traceback" not in errors
        assert json.loads(out)["reason"] == "user"
        assert not list(tmp_path.rglob("*.open"))


def slow_site(pages: int, pause_s: float = 0.15) -> Site:
    def answered(asked: Asked) -> bytes:
        time.sleep(pause_s)
        return page(asked.target, [f"/{n}" for n in range(pages)], text=f"walrus number{asked.target[1:]}x")

    return Site({HOST: {"/*": answered, "/robots.txt": answer("", "text/plain")}}, addresses={HOST: HOST})


def test_a_crawl_that_is_indexed_along_keeps_one_file_and_one_ranking(tmp_path: Path) -> None:
    """Files roll by size alone; what index and search do afterwards finds the weights as settings want them."""
    (tmp_path / "settings.toml").write_text("[search]\nk1 = 3.5\nslope = 0.4\n[search.boost]\ntitle = 7.0\n")
    with slow_site(60) as site:
        code, out, errors = crawl(tmp_path, site, "--index", "--threads", "2", "--json")
    assert (code, errors) == (0, "")
    result = json.loads(out)
    assert (result["fetched"], len(result["archives"])) == (61, 1)
    index = tmp_path / "jobs/01/Index/MyIndex"
    code, out, _ = run(tmp_path, "ledger", "--json")
    [entry] = json.loads(out)
    assert code == 0 and entry["status"] == "indexed" and entry["captures"] == 62
    code, out, errors = run(tmp_path, "index", "jobs/01/Arcs", "--index", "at-once", "--json")
    assert code == 0, errors
    at_once = json.loads(out)
    code, out, _ = run(tmp_path, "index", "--json")
    again = json.loads(out)
    assert {**again, "seconds": 0} == {**at_once, "seconds": 0}
    found = [
        run(tmp_path, "search", "walrus", "--json", "--index", str(place))[1] for place in (index, "at-once")
    ]
    hits = [[(hit["url"], hit["score"]) for hit in json.loads(one)["hits"]] for one in found]
    assert hits[0] == hits[1] and len(hits[0]) == 10
    weights = {file.name: file.stat().st_mtime_ns for file in index.rglob("*.w*")}
    assert weights and run(tmp_path, "index")[0] == 0
    assert {file.name: file.stat().st_mtime_ns for file in index.rglob("*.w*")} == weights, "written once"


def test_the_index_that_a_crawl_makes_has_the_weights_of_the_settings(tmp_path: Path, site: Site) -> None:
    (tmp_path / "settings.toml").write_text("[search]\nk1 = 3.5\n[search.boost]\ntitle = 7.0\n")
    assert crawl(tmp_path, site, "--index")[0] == 0
    index = tmp_path / "jobs/01/Index/MyIndex"

    def weights() -> list[tuple[str, int]]:
        return sorted((file.name, file.stat().st_ino) for file in index.rglob("*.w[0-9]*"))

    before = weights()
    assert run(tmp_path, "index")[0] == 0 and run(tmp_path, "optimize")[0] == 0
    assert weights() == before and before


def test_pages_go_to_the_index_that_is_named(tmp_path: Path, site: Site) -> None:
    code, out, errors = crawl(tmp_path, site, "--index-dir", "elsewhere")
    assert (code, errors) == (0, "") and "findingaid search WORDS --index" in out
    assert json.loads(run(tmp_path, "search", "wonderful", "--index", "elsewhere", "--json")[1])["total"] == 1
    assert not (tmp_path / "jobs/01/Index").exists()


def test_a_job_named_by_its_folder_is_indexed_there(tmp_path: Path, site: Site) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "job.toml").write_text(f'seeds = ["{site.url(HOST)}"]\ndelay_s = 0\n')
    assert run(tmp_path, "crawl", "./mine", "--allow-private", HOST, "--index")[0] == 0
    assert (folder / "Index/MyIndex/current").exists() and not (tmp_path / "jobs").exists()


def test_an_index_that_cannot_be_written_is_told_and_the_crawl_is_kept(tmp_path: Path, site: Site) -> None:
    (tmp_path / "file").write_text("")
    code, out, errors = crawl(tmp_path, site, "--index-dir", "file/index", "--json")
    assert code == 1 and json.loads(out)["reason"] == "done"
    assert "indexing: " in errors and len(errors.splitlines()) == 1


def test_hosts_that_were_allowed_stay_allowed_for_the_job(tmp_path: Path) -> None:
    with slow_site(5, 0) as site:
        assert crawl(tmp_path, site, "--max-pages", "2")[0] == 0
        code, out, errors = run(tmp_path, "crawl", "01", "--max-pages", "0", "--json")
        assert (code, errors, json.loads(out)["reason"], json.loads(out)["fetched"]) == (0, "", "done", 6)


def test_hosts_that_were_allowed_elsewhere_are_blocked_and_said_so(tmp_path: Path) -> None:
    """As when somebody hands his job on, state file and all."""
    with slow_site(5, 0) as site:
        assert crawl(tmp_path, site, "--max-pages", "2")[0] == 0
        shutil.copytree(tmp_path / "jobs/01", tmp_path / "jobs/02")
        code, out, errors = run(tmp_path, "crawl", "02", "--max-pages", "0", "--json")
        assert (code, json.loads(out)["reason"]) == (1, "blocked")
        hint = f"findingaid crawl {tmp_path}/jobs/02 --allow-private {HOST}"
        assert "4 of its pages are left" in errors and errors.strip().endswith(hint)
        assert json.loads(run(tmp_path, "crawl", "status", "02", "--json")[1])["reason"] == "blocked"
        code, out, _ = run(tmp_path, *hint.split()[1:], "--max-pages", "0", "--json")
        assert (code, json.loads(out)["reason"], json.loads(out)["fetched"]) == (0, "done", 6)


@pytest.mark.parametrize(
    "served", [("--job", "01"), ("--job", "05"), ("--job", "*"), ("--index", "own index")]
)
def test_a_crawl_started_in_the_browser_is_searched_there_while_it_runs(
    tmp_path: Path, served: tuple[str, str]
) -> None:
    found = threading.Event()

    def last(_: Asked) -> bytes:
        found.wait(30)
        return page("late")

    routes: dict[str, Any] = {
        "/": page("Start", ["/new", "/last"]),
        "/new": page("New", text="pelicans everywhere"),
        "/last": last,
    }
    with Site({HOST: routes}, addresses={HOST: HOST}) as site:
        assert crawl(tmp_path, site, "--job", "05", "--max-pages", "1")[0] == 0  # where its host is allowed
        file = tmp_path / "jobs/05/job.toml"
        file.write_text(file.read_text().replace("max_pages = 1", "max_pages = 0"))
        server = start(tmp_path, "serve", "--port", "0", *served) if served[0] == "--job" else None
        if server is None:
            assert (
                run(
                    tmp_path, "index", str(next((tmp_path / "jobs/05/Arcs").iterdir())), "--index", served[1]
                )[0]
                == 0
            )
            server = start(tmp_path, "serve", "--port", "0", *served)
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            with urllib.request.urlopen(f"{address}crawl/05/start", b"index=yes", timeout=30) as answered:
                assert answered.status == 200
            deadline = time.monotonic() + 40
            total = 0
            while not total and time.monotonic() < deadline:
                time.sleep(0.3)
                try:
                    with urllib.request.urlopen(
                        f"{address}search?q=pelicans&format=json", timeout=20
                    ) as answered:
                        total = json.load(answered)["total"]
                except urllib.error.HTTPError as error:
                    assert error.code == 503  # there is no index yet
            assert total == 1
            assert json.loads(run(tmp_path, "crawl", "status", "05", "--json")[1])["state"] == "running"
            with urllib.request.urlopen(
                f"{address}cached/2999/{site.url(HOST, '/new')}", timeout=20
            ) as shown:
                assert shown.status == 200
        finally:
            found.set()
            run(tmp_path, "crawl", "stop", "05")
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=20)
