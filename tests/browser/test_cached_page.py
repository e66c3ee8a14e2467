"""The cached page, its tabs, the calendar and the comparison in a real browser: fit, axe-core, narrow screens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.checks import WCAG
from tests.browser.live_site import Site
from tests.webui.archive_text import PNG, page, response, write_archive

pytestmark = pytest.mark.browser

URL = "http://site.example/a"
STATES = [
    f"/cached/2015/{URL}",
    f"/cached/2016;q=wombat/{URL}",
    f"/cached/2015;q=nowhere/{URL}",
    f"/cached/2015;view=text;q=wombat/{URL}",
    f"/cached/2015;view=details/{URL}",
    f"/cached/2015;view=cite/{URL}",
    "/cached/2015/http://site.example/doc.pdf",
    "/cached/2015/http://site.example/old",
    "/cached/2015/http://nowhere.example/",
    f"/captures/*/{URL}",
    f"/captures/2017/{URL}",
    "/compare",
    f"/compare?url={URL}&phrase=noon",
    f"/compare?url={URL}&view=side",
]


@pytest.fixture
def site(serve: Callable[..., Site], tmp_path: Path) -> Site:
    """Three captures of a page, in Latin and Hebrew letters, and what belongs to them."""
    long = "http://site.example/" + "long/" * 60
    return serve(
        write_archive(
            tmp_path / "a.warc.gz",
            response(
                URL, page("First light " * 20, f"<p>A wombat at dawn.<img src=/p.png><a href={long}>x</a>")
            ),
            response(URL, page("First light", "<p>A wombat at noon."), date="2017-01-01T00:00:00Z"),
            response(URL, page("אור ראשון", "<p dir=rtl>וומבט wombat"), date="2018-01-01T00:00:00Z"),
            response("http://site.example/p.png", PNG, "image/png"),
            response("http://site.example/doc.pdf", b"%PDF-1.4", "application/pdf"),
            response("http://site.example/old", "", status="301 Moved", headers="Location: /a\r\n"),
        )
    )


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (320, "dark"), (320, "light")])
def test_every_state_fits_and_has_no_violation(browser: Any, site: Site, width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for state in STATES:
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = context.new_page()
        complaints: list[str] = []
        page.on("pageerror", lambda error, heard=complaints: heard.append(str(error)))
        page.goto(site.address + state, wait_until="load")
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, state
        found = axe.run(page, options={"runOnly": WCAG}).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], state
        assert complaints == [], state
        context.close()


@pytest.mark.parametrize("with_scripts", [True, False])
def test_a_narrow_bar_is_one_line_until_it_is_opened(browser: Any, site: Site, with_scripts: bool) -> None:
    context = browser.new_context(viewport={"width": 320, "height": 640}, java_script_enabled=with_scripts)
    page = context.new_page()
    page.goto(f"{site.address}/cached/2015/{URL}", wait_until="load")
    assert page.locator("header.bar").bounding_box()["height"] < 48
    assert not page.get_by_role("link", name="Details").is_visible()
    page.locator(".bar-menu summary").click()
    assert page.get_by_role("link", name="Details").is_visible()
    context.close()


def test_the_bar_tells_what_is_missing_when_the_page_is_there(browser: Any, site: Site) -> None:
    page = browser.new_page()
    page.goto(f"{site.address}/cached/2015/{URL}", wait_until="load")
    page.get_by_text("Its one part is archived.").wait_for()
    page.close()


def test_printed_it_says_where_and_when(browser: Any, site: Site) -> None:
    page = browser.new_page()
    page.emulate_media(media="print")
    page.goto(f"{site.address}/cached/2015/{URL}", wait_until="load")
    assert page.locator(".bar-url").is_visible() and page.locator(".bar-time").is_visible()
    assert not page.locator(".bar-tabs").is_visible()
    page.goto(f"{site.address}/web/2015mp_/{URL}", wait_until="load")
    assert page.get_by_text(f"Archived copy of {URL}, 3 May 2015 14:02:11 UTC").is_visible()
    page.close()
