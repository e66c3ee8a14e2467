"""A site in which every page of the interface has something to show: an index, jobs, a crawl that runs."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Flask

from archiver.crawl import CrawlJob, change_job, crawl_status, run_crawl, send_command, write_job
from indexer import IndexOptions, build_index, open_index
from tests.archiver.crawl.site import Site as Web
from tests.archiver.crawl.site import page as web_page
from tests.indexer.making import record, response, write_warc
from webui import create_app
from webui.server import listen
from webui.setting_infos import settings_template
from webui.settings import load_settings

HERON = "http://birds.example/herons"
LONG = "http://very-long-name-of-a-host-that-does-not-fit.example/" + "path/" * 60
SPRAWLING = (
    "http://birds.example/" + "unbroken" * 20
)  # what has no place to break a line: addresses, names, texts
_WORDS = "waits stands fishes flies sleeps walks calls nests preens dives looks feeds".split()


@dataclass
class WholeSite:
    """A running site. address: of it; strict: of a second one that wants a password, has no index and little time."""

    address: str
    strict: str
    jobs_path: Path


def archive(path: Path) -> str:
    """Write an archive with pages of several sites, languages and captures, with pictures, a redirect and links."""
    menu = '<a href="/herons">Herons</a> <a href="/map.png"><img src="/map.png" alt="map"></a>'
    pages = [
        response(
            f"http://birds.example/{n}",
            f"<html lang=en><title>Heron {n}</title>{menu}<p>A heron {word}. {word} " * 3,
        )
        for n, word in enumerate(_WORDS)
    ]
    parts = "".join(f'<a href="/{"x" * 190}{n}">{"y" * 150}</a><img src="/{"z" * 290}{n}">' for n in range(3))
    sprawling = f"<title>{'Sprawling heron page, ' * 9}</title>{menu}<p>heron {parts}"
    pages += [
        response(
            HERON, f"<html lang=en><title>Grey herons</title>{menu}<p>A heron stands.<p>Old words.", date=date
        )
        for date in ("2009-01-01T00:00:00Z", "2010-02-01T00:00:00Z")
    ]
    pages += [
        response(HERON, f"<html lang=en><title>Grey herons</title>{menu}<p>A heron flies. <a href=/1>one</a>",
                 date="2015-05-03T14:02:11Z"),
        response("http://birds.example/he/", "<html lang=he><title>אנפה</title><p>heron זו אנפה"),
        response(LONG, "<title>" + "heron " * 40),
        record("response", SPRAWLING,
               f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-{'Long' * 40}: {'v' * 900}\r\n\r\n{sprawling}"
               .encode()),
        response("http://birds.example/" + "x" * 190 + "0",
                 f"<title>{'t' * 300}</title><p>heron <a href={SPRAWLING}>{'q' * 99}</a>"),
        record("resource", "http://birds.example/map.png", b"\x89PNG\r\n\x1a\nx", "Content-Type: image/png"),
        record("resource", "http://birds.example/leaflet.pdf", b"%PDF-1.4", "Content-Type: application/pdf"),
        record("response", "http://birds.example/old",
               b"HTTP/1.1 301 Moved\r\nLocation: /herons\r\nContent-Type: text/html\r\n\r\n"),
    ]  # fmt: skip
    return write_warc(path, pages)


@contextlib.contextmanager
def whole_site(folder: Path) -> Iterator[WholeSite]:
    """Run the site: job 01 is done, job 02 runs until the end."""
    build_index([archive(folder / "birds.warc.gz")], str(folder / "ix"), options=IndexOptions(workers=1))
    jobs = folder / "jobs"
    # enough for twenty minutes: a page of a crawl that ends is loaded anew, away from under the test
    routes = {f"/{n}": web_page(f"Page {n}", [f"/{n + 1}", "/missing"]) for n in range(4000)}
    with Web({"walrus.test": routes}) as web, contextlib.ExitStack() as stack:
        for name, values in (
            ("01", {"max_pages": 3, "delay_s": 0.0}),
            ("02", {"delay_s": 0.3, "depth": 1000}),
        ):
            seeds = {"seeds": (web.url("walrus.test", "/0"),), "min_free_mb": 1.0}
            job = change_job(
                CrawlJob(name, str(jobs / name), allow_private=tuple(web.hosts)), {**seeds, **values}
            )
            write_job(job)
            if name == "01":
                run_crawl(job, resolve=web.resolve)
        crawl = threading.Thread(target=run_crawl, args=(job,), kwargs={"resolve": web.resolve}, daemon=True)
        crawl.start()
        until_state(job.folder, "running")
        index = stack.enter_context(open_index(str(folder / "ix")))
        (folder / "settings.toml").write_text(settings_template())
        base = {"server.metrics_token": "secret", "archive.jobs_path": str(jobs), "index": str(folder / "ix")}
        settings = load_settings(str(folder / "settings.toml"), {}, base)
        app = create_app(settings, lambda path, ranking: index)

        @app.get("/broken")
        def broken() -> str:
            raise RuntimeError("as a test wants it")

        from werkzeug.security import generate_password_hash

        guarded = {
            "archive.jobs_path": str(folder / "none"),
            "server.password": generate_password_hash("secret"),
        }
        strict = create_app(load_settings(str(folder / "settings.toml"), {}, guarded))
        yield WholeSite(stack.enter_context(_served(app)), stack.enter_context(_served(strict)), jobs)
        with contextlib.suppress(Exception):
            send_command(job.folder, "stop")
        crawl.join(20)


@contextlib.contextmanager
def _served(app: Flask) -> Iterator[str]:
    from waitress.server import create_server

    listener = listen("127.0.0.1", 0)
    server: Any = create_server(app, sockets=[listener], threads=4, ident=None)
    threading.Thread(target=server.run, daemon=True).start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.close()


def until_state(folder: str, *states: str) -> None:
    """Wait until a job is in one of some states."""
    until(folder, lambda status: status["state"] in states, f"never {states}")


def until(folder: str, is_there: Callable[[dict[str, Any]], bool], failure: str) -> None:
    """Wait until the status of a job is as wanted."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with contextlib.suppress(Exception):
            if is_there(crawl_status(folder)):
                return
        time.sleep(0.02)
    raise AssertionError(f"{folder}: {failure}")
