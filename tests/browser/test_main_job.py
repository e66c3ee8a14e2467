"""The main job in a real browser: search, open the cached page, change a setting; with and without JavaScript."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.live_site import Site
from tests.webui.archive_text import page as html_page
from tests.webui.archive_text import response, write_archive

pytestmark = pytest.mark.browser


@pytest.fixture
def site(serve: Callable[..., Site], tmp_path: Path) -> Site:
    records = [
        response(
            f"http://site.example/{n}",
            html_page(f"Zebra {n}", f"<p>zebra number {n}. <a href=/1>first</a></p>"),
        )
        for n in range(12)
    ]
    later = response(
        "http://site.example/1", html_page("Zebra 1", "<p>zebra, later</p>"), date="2018-01-01T00:00:00Z"
    )
    return serve(write_archive(tmp_path / "zebras.warc.gz", *records, later))


@pytest.fixture(params=[(1280, "light", True), (320, "dark", False), (320, "light", True), (1280, "dark", False)],
                ids=lambda p: f"{p[0]}-{p[1]}-{'script' if p[2] else 'no script'}")  # fmt: skip
def reader(browser: Any, request: pytest.FixtureRequest) -> Any:
    """A browser window; whatever its console says is an error of ours."""
    width, scheme, with_script = request.param
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=with_script
    )
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == []


def test_search_open_the_cached_page_and_change_a_setting(reader: Any, site: Site) -> None:
    page = reader
    page.goto(site.address)
    page.get_by_label("Search words or a web address").fill("zebra")
    page.keyboard.press("Enter")
    page.get_by_text("12 pages found").wait_for()
    assert page.locator(".hit").count() == 10
    assert page.locator("mark").first.inner_text().lower() == "zebra"
    fits(page)
    page.get_by_role("link", name="next").click()
    assert page.locator(".hit").count() == 2
    page.get_by_role("link", name="previous").click()
    page.get_by_role("link", name="Zebra 1", exact=True).click()

    page.locator(".bar h1").wait_for()  # a title is there as soon as the bar is
    assert page.title() == "Archived: Zebra 1"
    assert page.get_by_text("1 January 2018").first.is_visible()
    assert page.frame_locator("iframe").get_by_text("zebra, later").is_visible()
    fits(page)
    if page.locator(".bar-menu summary").is_visible():  # a narrow bar is one line until it is opened
        page.locator(".bar-menu summary").click()
    page.get_by_role("link", name="previous capture").click()
    frame = page.frame_locator("iframe")
    assert frame.get_by_text("zebra number 1.").is_visible()
    assert page.locator("[data-frame-note]").is_hidden()
    page.go_back()
    page.get_by_role("link", name="Results").click()
    page.get_by_text("12 pages found").wait_for()

    page.get_by_role("link", name="Settings").click()
    page.get_by_label("k1").fill("3.75")
    fits(page)
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved: 1 change").wait_for()
    assert page.get_by_label("k1").input_value() == "3.75"
    text = Path(site.settings.path).read_text()
    assert "k1 = 3.75" in text and "# BM25F weight" in text


def test_all_is_done_by_keyboard(browser: Any, site: Site) -> None:
    page = browser.new_context().new_page()
    page.goto(site.address + "/search?q=zebra")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    seen = []
    for _ in range(12):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none"
    assert seen[:2] == ["q", "Search"] and any(text.startswith("Zebra") for text in seen)
    page.context.close()


def fits(page: Any) -> None:
    """The page needs no sideways scrolling."""
    box = page.locator("html").bounding_box()
    assert box["width"] <= page.viewport_size["width"]
    for part in ("header", "main"):
        inner = page.locator(part).first.bounding_box()
        assert inner["x"] >= 0 and inner["x"] + inner["width"] <= page.viewport_size["width"] + 1
