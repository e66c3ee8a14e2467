"""Make the pictures of the pages in docs/: `python scripts/screenshots.py` (needs Chromium and Playwright).

The bundled site of the demo is indexed and crawled in a folder of its own, served, and looked at in Chromium. Where
Pillow is installed the pictures are brought down to 64 colours: a third of the bytes.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from archiver.crawl import CrawlJob, run_crawl, write_job
from indexer import IndexOptions, build_index, open_index
from webui import create_app
from webui.demo import ADDRESS, served_site, write_demo_archive
from webui.server import listen
from webui.settings import load_settings

DOCS = Path(__file__).resolve().parent.parent / "docs"
WIDTH, HEIGHT, COLOURS = 1000, 640, 64
PAGES = {
    "home": "/",
    "results": "/search?q=ferry",
    "cached": f"/cached/2024;q=ferry/{ADDRESS}/news.html",
    "graph": "/graph",
    "crawl": "/crawl/shelf",
    "settings": "/settings",
}


def main() -> None:
    """Write docs/NAME.png for each of PAGES."""
    from playwright.sync_api import sync_playwright
    from waitress.server import create_server

    with tempfile.TemporaryDirectory() as folder:
        index_dir, jobs = os.path.join(folder, "index"), os.path.join(folder, "jobs")
        build_index([write_demo_archive(folder)], index_dir, options=IndexOptions(workers=1))
        _crawl(os.path.join(jobs, "shelf"))
        settings = load_settings(None, {}, {"archive.jobs_path": jobs, "index": index_dir})
        with open_index(index_dir) as index, sync_playwright() as driver:
            listener = listen("127.0.0.1", 0)
            app = create_app(settings, lambda path, ranking: index)
            server = create_server(app, sockets=[listener], threads=4, ident=None)
            threading.Thread(target=server.run, daemon=True).start()
            browser = driver.chromium.launch(
                executable_path=os.environ.get("FINDINGAID_CHROMIUM") or shutil.which("chromium"),
                args=["--no-sandbox", "--disable-gpu"],
            )
            page = browser.new_page(
                viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce", locale="en"
            )
            for name, address in PAGES.items():
                for _ in range(3):  # the time of a search is that of a server that is warm
                    page.goto(f"http://127.0.0.1:{listener.getsockname()[1]}{address}")
                _take(page, DOCS / f"{name}.png")
            browser.close()
            server.close()


def _crawl(folder: str) -> None:
    with served_site() as site:
        job = CrawlJob(
            "shelf", folder, seeds=(site + "/",), delay_s=0.0, min_free_mb=1.0, allow_private=("127.0.0.1",)
        )
        write_job(job)
        run_crawl(job)


def _take(page: Any, path: Path) -> None:
    if page.locator("[data-graph]").count():
        page.locator("[data-settled=yes]").wait_for()
        page.locator("[data-graph-panel]").evaluate("panel => panel.scrollIntoView()")
    page.wait_for_load_state("networkidle")
    page.screenshot(path=path)
    try:
        from PIL import Image
    except ImportError:
        return
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()
