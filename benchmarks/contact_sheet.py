"""Takes a picture of cached pages in Chromium, and one sheet of all of them, to be looked at.

    python benchmarks/contact_sheet.py INDEX-FOLDER OUTPUT-FOLDER [NUMBER]

Pages with the most archived parts come first, few of each site. Prints for each what the
browser said: failed requests inside the archive are normal (parts that are not archived);
any request that leaves it, and any error of our own page, is told and makes the exit code 1.
"""

from __future__ import annotations

import html
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright
from waitress.server import create_server

from benchmarks.web import addresses
from indexer import Capture, Index, open_index
from webui import create_app
from webui.addresses import cached_address
from webui.parts import parts_report
from webui.rewritten import RewrittenPage, rewritten_page
from webui.server import listen
from webui.settings import load_settings

PER_SITE = 3
WIDTH, HEIGHT = 1280, 900


def main(arguments: list[str]) -> int:
    if len(arguments) not in (2, 3):
        sys.exit(__doc__)
    folder, output = arguments[0], Path(arguments[1])
    number = int(arguments[2]) if len(arguments) > 2 else 40
    output.mkdir(parents=True, exist_ok=True)
    app = create_app(load_settings(None, {}, {"index": folder}))
    with app.test_request_context(), open_index(folder) as index:
        chosen = choose(index, number)
    listener = listen("127.0.0.1", 0)
    server: Any = create_server(app, sockets=[listener], threads=4, ident=None)
    threading.Thread(target=server.run, daemon=True).start()
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    problems = take_pictures(address, chosen, output)
    server.close()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def choose(index: Index, number: int) -> list[tuple[Capture, str]]:
    """Return captures of pages with a line of words for each: most archived parts first, few of each site."""
    found: list[tuple[int, Capture, str]] = []
    for url in addresses(index):
        capture = index.closest(url)
        if capture is None or capture.status != 200 or capture.type == "revisit":
            continue
        try:
            page = rewritten_page(index, capture, capture.timestamp, "")
        except Exception as error:  # a damaged archive is no page to look at
            print(f"{url}: {error}")
            continue
        if isinstance(page, RewrittenPage) and len(page.body) > 500:
            report = parts_report(index, capture, page.parts)
            there = len(report.parts) - report.missing
            found.append((there, capture, f"{there} of {len(report.parts)} parts"))
    found.sort(key=lambda item: (-item[0], item[1].url))
    chosen: list[tuple[Capture, str]] = []
    of_site: dict[str, int] = {}
    for _, capture, words in found:
        host = urlsplit(capture.url).netloc
        of_site[host] = of_site.get(host, 0) + 1
        if of_site[host] <= PER_SITE and len(chosen) < number:
            chosen.append((capture, words))
    return chosen


def take_pictures(address: str, chosen: list[tuple[Capture, str]], output: Path) -> list[str]:
    """Write NN.png for each page and sheet.html, sheet.png; return what must not happen."""
    problems: list[str] = []
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(
            executable_path=os.environ.get("FINDINGAID_CHROMIUM") or shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu"],
        )
        context = chromium.new_context(viewport={"width": WIDTH, "height": HEIGHT})
        cells = []
        for place, (capture, words) in enumerate(chosen, 1):
            page = context.new_page()

            def heard(request: Any, capture: Capture = capture) -> None:
                if not request.url.startswith((address, "data:", "blob:")):
                    problems.append(f"{capture.url}: asked for {request.url}")

            page.on("request", heard)
            own = address + cached_address(capture.url, capture.timestamp)
            page.goto(own, wait_until="load", timeout=60_000)
            page.wait_for_timeout(300)
            if not page.title().startswith("Archived: "):
                problems.append(f"{capture.url}: the bar is gone")
            page.screenshot(path=str(output / f"{place:02}.png"))
            page.close()
            print(f"{place:02}  {words:>18}  {capture.timestamp}  {capture.url[:110]}")
            cells.append(
                f'<figure><img src="{place:02}.png" width="400"><figcaption>{place:02} {html.escape(words)}<br>'
                f"{html.escape(capture.url[:70])}</figcaption></figure>"
            )
        sheet = output / "sheet.html"
        sheet.write_text(
            "<!doctype html><meta charset=utf-8><style>body{display:flex;flex-wrap:wrap;gap:8px;margin:8px;"
            "font:11px sans-serif}figure{margin:0;width:400px}img{border:1px solid}</style>" + "".join(cells)
        )
        page = context.new_page()
        page.set_viewport_size({"width": 1660, "height": 1000})
        page.goto(sheet.resolve().as_uri())
        page.screenshot(path=str(output / "sheet.png"), full_page=True)
        chromium.close()
    return problems


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
