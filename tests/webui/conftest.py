"""What the tests of the web front end share: a small archive, a site over it, a client for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.webui.archive_text import PNG, page, response, write_archive
from tests.webui.fake_index import FakeOpener
from webui import create_app
from webui.setting_infos import settings_template
from webui.settings import Settings, load_settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with a file of their own."""
    file = tmp_path / "settings.toml"
    file.write_text(settings_template())
    return load_settings(str(file), {}, {})


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Two captures of one page, its picture and style, and some things that are no page."""
    return write_archive(
        tmp_path / "small.warc.gz",
        response(
            "http://site.example/a",
            page(
                "First light", "<p>A wombat at dawn. <img src=/p.png></p>", "<link rel=stylesheet href=s.css>"
            ),
        ),
        response(
            "http://site.example/a",
            page("First light, again", "<p>A wombat at noon.</p>"),
            date="2017-01-01T00:00:00Z",
        ),
        response("http://site.example/b", page("Second", "<p>A heron. <a href='/a#x'>back</a></p>")),
        response("http://site.example/p.png", PNG, "image/png"),
        response("http://site.example/s.css", "body { background: url(p.png) }", "text/css"),
        response("http://site.example/doc.pdf", b"%PDF-1.4 x", "application/pdf"),
        response("http://site.example/old", "", status="301 Moved", headers="Location: /a\r\n"),
        response("http://site.example/gone", page("Gone", "gone"), status="404 Not Found"),
        response("http://site.example/busy", page("Busy", "busy"), status="503 Busy"),
    )


@pytest.fixture
def client(settings: Settings, archive: Path) -> FlaskClient:
    """A client for a site over `archive`."""
    app = create_app(settings, FakeOpener({"Index/MyIndex": [archive]}))
    app.testing = False  # errors become pages, as they do for a reader
    return app.test_client()
