"""Rewritten pages before the judge: Chromium's own parser, without any header that would hold them.

    python -m tests.browser.rewriting --pages 10000 --seed 1
    python -m tests.browser.rewriting --minutes 20 --seed 2

makes hostile pages, rewrites them and lets Chromium parse and show them, each in a frame without sandbox. Prints what
got out, with the page that did it, and ends with exit code 1 if anything did: an element that runs a script, a
handler, an address outside that is asked for, a connection that is opened, a name that is looked up.
"""

from __future__ import annotations

import argparse
import json
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.webui.hostile_pages import HostilePages
from webui.rewrite import rewrite_page
from webui.rewrite_context import RewriteContext

SHELF = "http://shelf.test"
PAGES_AT_ONCE = 50
LISTENED, LOOKED_UP = "out.test", "names.test"
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
_JUDGE = Path(__file__).with_name("judge.js").read_text()


@dataclass
class Listener:
    """Counts the connections to a port of this machine; each is closed at once."""

    address: str = ""
    connections: int = 0


@contextmanager
def listener() -> Iterator[Listener]:
    """Listen on a port of the loopback."""
    door = socket.create_server(("127.0.0.1", 0))
    found = Listener(f"127.0.0.1:{door.getsockname()[1]}")

    def count() -> None:
        while True:
            try:
                connection, _ = door.accept()
            except OSError:
                return
            found.connections += 1
            connection.close()

    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    yield found
    door.close()


@dataclass
class Findings:
    """What got out: (page, what) in order; names that were looked up."""

    pages: int = 0
    got_out: list[tuple[str, str]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    @property
    def is_silent(self) -> bool:
        return not self.got_out and not self.names


def looked_up(log: Path) -> set[str]:
    """Return the names that Chromium's log of the net says were looked up."""
    text = log.read_text("utf-8", "replace").rstrip().rstrip(",")
    try:
        whole = json.loads(text)
    except ValueError:
        whole = json.loads(text + "]}")  # the browser was ended before it closed the list
    kinds = {number: name for name, number in whole["constants"]["logEventTypes"].items()}
    hosts = [
        str(event.get("params", {}).get("host", ""))
        for event in whole["events"]
        if kinds.get(event["type"], "").startswith("HOST_RESOLVER")
    ]
    return {host for host in hosts if LOOKED_UP in host}


def outside(heard: Listener) -> tuple[str, ...]:
    """Return addresses that nothing may ask for: of this machine, of a name that leads here, of a name alone."""
    port = heard.address.rpartition(":")[2]
    return (
        f"http://{heard.address}",
        f"http://a.{LISTENED}:{port}",
        f"http://b.{LOOKED_UP}",
        f"https://c.{LISTENED}:{port}",
    )


def judged(
    driver: Any, chromium: str, pages: Callable[[tuple[str, ...]], Iterator[str]], *, rewrites: bool = True
) -> Findings:
    """Return what pages do in Chromium.

    driver: Playwright's; chromium: the path of the program. pages: gives them, when told the outside; rewrites: they
    are rewritten first.
    """
    findings = Findings()
    folder = Path(tempfile.mkdtemp())
    log = folder / "net.json"
    with listener() as heard:
        browser = driver.chromium.launch(
            executable_path=chromium,
            args=[*ARGUMENTS, f"--log-net-log={log}", f"--host-resolver-rules=MAP *.{LISTENED} 127.0.0.1"],
        )
        try:
            _judge_all(browser, pages(outside(heard)), heard, findings, rewrites)
        finally:
            browser.close()
    findings.names = looked_up(log)
    shutil.rmtree(folder)
    return findings


def _judge_all(
    browser: Any, pages: Iterator[str], heard: Listener, findings: Findings, rewrites: bool
) -> None:
    context = browser.new_context()
    asked: list[str] = []

    def answer(route: Any) -> None:
        address = route.request.url
        if not address.startswith((SHELF, "data:", "about:", "blob:")):
            asked.append(address)
        kind = "text/html" if route.request.resource_type == "document" else "text/plain"
        route.fulfill(status=200, content_type=kind, body="")

    context.route("**/*", answer)
    page = context.new_page()
    page.goto(f"{SHELF}/judge")
    while batch := [html for _, html in zip(range(PAGES_AT_ONCE), pages, strict=False)]:
        _judge(page, batch, heard, asked, findings, rewrites)
        if not page.url.startswith(f"{SHELF}/judge"):
            page.goto(f"{SHELF}/judge")
        findings.pages += len(batch)
    context.close()


def _judge(
    page: Any, batch: list[str], heard: Listener, asked: list[str], findings: Findings, rewrites: bool
) -> None:
    """Judge some pages at once; which of them got out is found by halves."""
    before = heard.connections
    asked.clear()
    shown = [rewritten(html) for html in batch] if rewrites else batch
    try:
        found = page.evaluate(_JUDGE, shown)
    except Exception as error:
        found = [[-1, f"the page was left: {error}"[:200]]]
        page.goto(f"{SHELF}/judge")
    told = [(batch[number], str(what)) for number, what in found if number >= 0]
    silent = [str(what) for number, what in found if number < 0] + [
        f"asked for {address}" for address in asked
    ]
    silent += [f"{heard.connections - before} connections"] * (heard.connections > before)
    findings.got_out += told
    if not silent:
        return
    if len(batch) == 1:
        findings.got_out += [(batch[0], what) for what in silent]
        return
    middle = len(batch) // 2
    known = len(findings.got_out)
    for half in (batch[:middle], batch[middle:]):
        _judge(page, half, heard, asked, findings, rewrites)
    if len(findings.got_out) == known:
        findings.got_out += [("one of many pages", what) for what in silent]


def rewritten(html: str) -> str:
    """Return a page as it is shown in the frame."""
    return rewrite_page(html, RewriteContext("http://site.example/d/page", "2015"))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pages", type=int, default=0, help="how many, 0 for no end")
    parser.add_argument("--minutes", type=float, default=0.0, help="how long, 0 for no end")
    parser.add_argument("--chromium", default=shutil.which("chromium") or "")
    options = parser.parse_args()
    if not (options.pages or options.minutes):
        parser.error("--pages or --minutes is needed")
    until = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")

    def pages(outside: tuple[str, ...]) -> Iterator[str]:
        hostile = HostilePages(options.seed, outside)
        made = 0
        while time.monotonic() < until and (made < options.pages or not options.pages):
            made += 1
            yield hostile.page()

    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        findings = judged(driver, options.chromium, pages)
    for page, what in findings.got_out:
        sys.stdout.write(f"{what}\n  {page!r}\n  {rewritten(page)!r}\n")
    for name in sorted(findings.names):
        sys.stdout.write(f"looked up: {name}\n")
    sys.stdout.write(f"{findings.pages} pages, seed {options.seed}: {len(findings.got_out)} got out\n")
    return 0 if findings.is_silent else 1


if __name__ == "__main__":
    sys.exit(main())
