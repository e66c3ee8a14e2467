"""The bar of a cached page in a real browser. What axe-core says of it: test_every_page.py."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.live_site import Site
from tests.webui.archive_text import PNG, page, response, write_archive

pytestmark = pytest.mark.browser

URL = "http://site.example/a"


@pytest.fixture
def site(serve: Callable[..., Site], tmp_path: Path) -> Site:
    """A page and its picture."""
    return serve(
        write_archive(
            tmp_path / "a.warc.gz",
            response(URL, page("First light " * 20, "<p>A wombat at dawn.<img src=/p.png>")),
            response("http://site.example/p.png", PNG, "image/png"),
        )
    )


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


def test_the_bar_tells_it_even_when_its_script_comes_after_the_page(browser: Any, site: Site) -> None:
    page = browser.new_page()
    held: list[Any] = []
    page.route("**/cached.js", lambda route: held.append(route))
    page.goto(f"{site.address}/cached/2015/{URL}", wait_until="commit")
    page.frame_locator("iframe").get_by_text("A wombat at dawn.").wait_for()
    page.frame(name="archived-page").wait_for_load_state("load")
    held[0].continue_()
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
