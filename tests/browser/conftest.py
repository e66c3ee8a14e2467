"""What the tests in a real browser share: Chromium, a running site, a server that must hear nothing.

They run when asked (`pytest -m browser`) and are skipped where Chromium or
Playwright is missing: apt-get install chromium; pip install playwright.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.browser.live_site import Canary, Site
from tests.browser.rewriting import ARGUMENTS
from tests.webui.fake_index import FakeOpener
from webui import create_app
from webui.server import listen
from webui.setting_infos import settings_template
from webui.settings import load_settings

CHROMIUM = os.environ.get("FINDINGAID_CHROMIUM") or shutil.which("chromium") or ""


@pytest.fixture(scope="session")
def driver() -> Iterator[Any]:
    """Playwright, for tests that start a Chromium of their own."""
    if not CHROMIUM:
        pytest.skip("there is no Chromium here (apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    with playwright.sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def browser(driver: Any) -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright."""
    chromium = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
    yield chromium
    chromium.close()


@pytest.fixture
def canary() -> Iterator[Canary]:
    """A server under another origin that writes down each request."""
    canary = Canary()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/favicon.ico":
                canary.heard.append(f"{self.command} {self.path}")
            self.send_response(200)
            self.send_header("Content-Type", canary.content_type)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()
            with contextlib.suppress(OSError):  # the page has gone on
                self.wfile.write(canary.body if self.path == "/probe" else b"canary")

        do_POST = do_HEAD = do_GET

        def log_message(self, *args: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    canary.address = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield canary
    server.shutdown()
    server.server_close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Return a function that serves a site over the given archive files."""
    from waitress.server import create_server

    servers: list[Any] = []

    def start(*files: Path, password: str = "") -> Site:
        settings_file = tmp_path / "settings.toml"
        text = settings_template()
        if password:
            text = re.sub(r"(?m)^password = .*", f'password = "{password}"', text)
        settings_file.write_text(text)
        settings = load_settings(str(settings_file), {}, {})
        listener = listen("127.0.0.1", 0)
        app = create_app(settings, FakeOpener({"Index/MyIndex": list(files)}))
        server = create_server(app, sockets=[listener], threads=4, ident=None)
        threading.Thread(target=server.run, daemon=True).start()
        servers.append(server)
        return Site(f"http://127.0.0.1:{listener.getsockname()[1]}", settings)

    yield start
    for server in servers:
        server.close()
