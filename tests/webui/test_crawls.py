"""Crawls in the browser: each page and action over real jobs, crawled from a small web on loopback."""

from __future__ import annotations

import fcntl
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from archiver.crawl import CrawlJob, change_job, crawl_status, load_job, run_crawl, write_job
from archiver.crawl.states import JobLock
from tests.archiver.crawl.site import Site, page
from tests.webui.fake_index import FakeOpener
from webui import create_app
from webui.crawl_process import START_LOCK
from webui.settings import Settings

HOST = "walrus.test"


@pytest.fixture
def web() -> Iterator[Site]:
    routes = {
        "/": page("Start", ["/1", "/2", "http://heron.test:@PORT/"]),
        "/1": page("One", ["/2"]),
        "/2": page("<script>alert(1)</script>", ["/"]),
    }
    with Site({HOST: routes, "heron.test": {"/": page("Heron")}}) as started:
        yield started


@pytest.fixture
def client(settings: Settings) -> FlaskClient:
    app = create_app(settings, FakeOpener({}))
    app.testing = False
    return app.test_client()


@pytest.fixture
def crawl(settings: Settings, web: Site) -> Callable[..., CrawlJob]:
    """Return a function that crawls the small web into job 01 to its end."""

    def run(**options: object) -> CrawlJob:
        values = {"seeds": (web.url(HOST),), "delay_s": 0.0, "min_free_mb": 1.0, "scope": "web", **options}
        folder = str(Path(settings.jobs_path) / "01")
        job = change_job(CrawlJob(folder=folder, allow_private=tuple(web.hosts)), values)
        write_job(job)
        run_crawl(job, resolve=web.resolve)
        return job

    return run


def test_a_job_may_be_named_like_a_file(client: FlaskClient, settings: Settings) -> None:
    write_job(
        CrawlJob("notes.csv", str(Path(settings.jobs_path) / "notes.csv"), seeds=("http://a.example/",))
    )
    assert client.get("/crawl/notes.csv").mimetype == "text/html"


def test_of_two_requests_to_start_a_job_one_starts_it(
    client: FlaskClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    running: list[JobLock] = []

    def start(settings: Settings, job: str, **more: object) -> None:
        with open(Path(settings.jobs_path) / START_LOCK) as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # nobody else starts one meanwhile
        running.append(JobLock(str(Path(settings.jobs_path) / job)))

    monkeypatch.setattr("webui.crawls.start_crawl", start)
    form = {"seeds": "http://a.example/", "job": "07", "scope": "host"}
    assert [client.post("/crawl", data=form).status_code for _ in range(2)] == [303, 409]
    assert client.post("/crawl/07/start").status_code == 303
    assert len(running) == 1
    running[0].release()


def test_a_finished_job_is_listed_and_shown(client: FlaskClient, crawl: Callable[..., CrawlJob]) -> None:
    crawl()
    listed = client.get("/crawl").text
    assert '<a href="/crawl/01">01</a>' in listed and "finished (done)" in listed
    shown = client.get("/crawl/01").text
    assert "Visit the pages again" in shown and "text/html" in shown
    assert "Pause<" not in shown  # nothing runs
    numbers = json.loads(client.get("/crawl/01.json").text)
    assert (numbers["state"], numbers["fetched"]) == ("finished", 4)
    assert client.get("/crawl.json").json["jobs"][0]["fetched"] == 4


def test_numbers_that_have_not_changed_are_not_sent_again(
    client: FlaskClient, crawl: Callable[..., CrawlJob]
) -> None:
    crawl()
    tag = client.get("/crawl/01.json").headers["ETag"]
    again = client.get("/crawl/01.json", headers={"If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")


def test_the_log_is_a_line_for_each_fetch(
    client: FlaskClient, crawl: Callable[..., CrawlJob], web: Site
) -> None:
    crawl()
    with client.get("/crawl/01/log") as answer:
        lines = answer.text.splitlines()
    assert answer.headers["Content-Disposition"] == "attachment; filename=crawl-01.log"
    assert sum(web.url(HOST, "/1") in line for line in lines) == 1


def test_titles_of_pages_are_text_in_the_graph(client: FlaskClient, crawl: Callable[..., CrawlJob]) -> None:
    crawl()
    shown = client.get("/crawl/01/graph").text
    assert "&lt;script&gt;alert(1)" in shown and "<script>alert" not in shown


def test_the_graph_holds_the_pages_and_their_links(
    client: FlaskClient, crawl: Callable[..., CrawlJob], web: Site
) -> None:
    crawl()
    graph = client.get("/crawl/01/graph.json").json
    urls = {node["id"]: node["label"] for node in graph["nodes"]}
    links = {(urls[edge["source"]], urls[edge["target"]]) for edge in graph["edges"]}
    start, one, two = (web.url(HOST, path).removeprefix("http://") for path in ("/", "/1", "/2"))
    heron = web.url("heron.test").removeprefix("http://")
    assert links == {(start, one), (start, two), (start, heron), (one, two), (two, start)}
    hosts = client.get("/crawl/01/graph.json?level=hosts").json
    assert sorted(node["groups"]["status"] for node in hosts["nodes"]) == ["fetched", "fetched"]
    assert [edge["weight"] for edge in hosts["edges"]] == [1]


@pytest.mark.parametrize(
    ("kind", "starts"),
    [("gexf", "<?xml"), ("nodes.csv", "id,url"), ("edges.csv", "Source,Target"), ("full.json", '{"nodes"')],
)
def test_the_whole_graph_for_other_programs(
    client: FlaskClient, crawl: Callable[..., CrawlJob], kind: str, starts: str
) -> None:
    crawl()
    answer = client.get(f"/crawl/01/graph-{kind}")
    assert answer.text.startswith(starts)
    assert "attachment" in answer.headers["Content-Disposition"]


def test_a_running_crawl_is_paused_resumed_changed_and_stopped(
    client: FlaskClient, settings: Settings, web: Site
) -> None:
    for number in range(200):
        web.hosts[HOST][f"/many/{number}"] = page(f"Page {number}", [f"/many/{number + 1}"])
    folder = str(Path(settings.jobs_path) / "01")
    job = change_job(
        CrawlJob(folder=folder, allow_private=(HOST,)),
        {"seeds": (web.url(HOST, "/many/0"),), "delay_s": 0.05, "min_free_mb": 1.0, "depth": 1000},
    )
    write_job(job)
    crawl = threading.Thread(target=run_crawl, args=(job,), kwargs={"resolve": web.resolve})
    crawl.start()
    _wait(folder, "running")
    assert "Pause<" in client.get("/crawl/01").text
    home = client.get("/").text
    assert '<tr data-job="01">' in home and 'data-running="/crawl.json?running=1"' in home
    [told] = client.get("/crawl.json?running=1").json["jobs"]
    assert client.get("/crawl.json?running=yes").status_code == 400
    assert (told["id"], told["state"], told["is_running"]) == ("01", "running", True)
    assert client.post("/crawl/01/pause").status_code == 303
    _wait(folder, "paused")
    assert client.post("/crawl/01/set", data={"delay_s": "0.01", "exclude": "/secret/"}).status_code == 303
    assert load_job(folder).exclude == ("/secret/",)  # the next start has it too
    assert client.post("/crawl/01/resume").status_code == 303
    _wait(folder, "running")
    asked = client.post("/crawl/01/stop").text
    assert "Let it run" in asked and crawl_status(folder)["state"] == "running"
    assert client.post("/crawl/01/stop", data={"sure": "yes"}).status_code == 303
    crawl.join(20)
    assert crawl_status(folder)["reason"] == "user"
    assert client.get("/crawl.json?running=1").json["jobs"] == [] and "data-job" not in client.get("/").text


def _wait(folder: str, state: str) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            if crawl_status(folder)["state"] == state:
                return
        except Exception:
            pass
        time.sleep(0.02)
    raise AssertionError(f"never {state}")


def test_a_crawl_is_started_and_its_refusal_told(client: FlaskClient, settings: Settings) -> None:
    """Addresses of this machine are refused whatever the page asks: that is for the command line alone."""
    answer = client.post(
        "/crawl", data={"seeds": "127.0.0.1:9", "job": "x1", "scope": "host", "index": "yes"}
    )
    assert (answer.status_code, answer.location) == (303, "/crawl/x1")
    folder = str(Path(settings.jobs_path) / "x1")
    _wait(folder, "finished")
    deadline = time.monotonic() + 10
    while "is loopback" not in (shown := client.get("/crawl/x1").text) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "is loopback" in shown
    assert settings.jobs_path not in shown


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ({"seeds": ""}, "at least one address"),
        ({"seeds": "javascript:alert(1)"}, "http or https"),
        ({"seeds": "ftp://a.example/"}, "http or https"),
        ({"seeds": "a.example", "job": "../up"}, "use letters"),
        ({"seeds": "a.example", "job": "a/b"}, "use letters"),
        ({"seeds": "a.example", "depth": "deep"}, "expected a number"),
        ({"seeds": "a.example", "depth": "-1"}, "expected 0"),
        ({"seeds": "a.example", "exclude": "("}, "no RE2 expression"),
        ({"seeds": "a.example", "scope": "all"}, "expected one of"),
        ({"seeds": " ".join(f"a{n}.example" for n in range(1001))}, "At most 1000"),
    ],
)
def test_what_cannot_be_meant_is_told_and_starts_nothing(
    client: FlaskClient, settings: Settings, typed: dict[str, str], told: str
) -> None:
    answer = client.post("/crawl", data={"scope": "host", **typed})
    assert answer.status_code == 400
    assert told in answer.text
    assert not Path(settings.jobs_path).exists()


@pytest.mark.parametrize("path", ["/crawl/nope", "/crawl/nope.json", "/crawl/nope/graph", "/crawl/nope/log",
                                  "/crawl/..%2f..%2fetc", "/crawl/nope/graph-gexf", "/crawl/01/graph-exe"])  # fmt: skip
def test_there_is_nothing_beside_the_jobs(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_another_site_cannot_start_or_stop_a_crawl(client: FlaskClient, settings: Settings) -> None:
    foreign = {"Sec-Fetch-Site": "cross-site", "Origin": "http://evil.example"}
    assert client.post("/crawl", data={"seeds": "a.example"}, headers=foreign).status_code == 403
    assert client.post("/crawl/01/stop", data={"sure": "yes"}, headers=foreign).status_code == 403
    assert not Path(settings.jobs_path).exists()


def test_a_job_that_is_a_link_out_of_the_jobs_is_not_followed(
    client: FlaskClient, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    Path(settings.jobs_path).mkdir(parents=True)
    (Path(settings.jobs_path) / "02").symlink_to(tmp_path / "elsewhere")
    assert client.get("/crawl/02").status_code == 404
    answer = client.post("/crawl", data={"seeds": "a.example", "job": "02", "scope": "host"})
    assert answer.status_code == 400 and "outside the folder" in answer.text
