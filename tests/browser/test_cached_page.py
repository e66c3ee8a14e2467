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
DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30"/></svg>'
)


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


def test_a_long_page_is_printed_whole_from_the_copy_that_the_bar_leads_to(
    browser: Any, serve: Callable[..., Site], tmp_path: Path
) -> None:
    """A frame is printed as a box: what was below its edge stayed away, and nothing said so."""
    text = "".join(f"<p>line {number}</p>" for number in range(400))
    site = serve(write_archive(tmp_path / "long.warc.gz", response(URL, page("Long", text))))
    opened = browser.new_page()
    opened.goto(f"{site.address}/cached/2015/{URL}", wait_until="load")
    assert not opened.locator(".on-paper").is_visible()
    opened.emulate_media(media="print")
    whole = opened.locator(".on-paper bdi").inner_text()
    opened.goto(whole, wait_until="load")
    assert opened.pdf().count(b"/Type /Page\n") > 5
    opened.close()


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """Pages that link each other, one with a frame, one with a place far below."""
    far = "<p>filler</p>" * 200
    framed = "<iframe src=inner name=in></iframe><a href=two target=in>in</a>"
    return write_archive(
        tmp_path / "linked.warc.gz",
        response("http://site.example/one", page("One", "<a href=two>to two</a> <a href=three#far>far</a>")),
        response(
            "http://site.example/two", page("Two", "<a href=one target=_blank>to one</a> <a href=none>gone</a>")
        ),
        response("http://site.example/three", page("Three", f"<a href=#far>here</a>{far}<h2 id=far>far below</h2>")),
        response("http://site.example/framed", page("F", framed)),
        response("http://site.example/inner", page("I", "<a href=three>stay</a> <a href=two target=_top>leave</a>")),
    )  # fmt: skip


@pytest.mark.parametrize("with_scripts", [True, False])
def test_the_bar_names_the_page_that_a_link_led_to(
    browser: Any, serve: Callable[..., Site], linked: Path, with_scripts: bool
) -> None:
    site = serve(linked)
    context = browser.new_context(java_script_enabled=with_scripts)
    page = context.new_page()
    inside = page.frame_locator("iframe")
    page.goto(f"{site.address}/cached/20150503140211/http://site.example/one")
    inside.get_by_role("link", name="to two").click()
    page.wait_for_url("**/cached/20150503140211/http://site.example/two")
    assert page.title() == "Archived: Two"
    assert (
        page.get_by_role("link", name="Cite")
        .get_attribute("href")
        .endswith(";view=cite/http://site.example/two")
    )
    assert page.get_by_role("link", name="Details").get_attribute("href").endswith("/http://site.example/two")
    # by keyboard, and what was meant for a new window
    inside.get_by_role("link", name="to one").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/cached/20150503140211/http://site.example/one")
    assert page.title() == "Archived: One" and len(context.pages) == 1
    page.go_back()
    page.wait_for_url("**/cached/20150503140211/http://site.example/two")
    inside.get_by_text("to one").wait_for()
    assert page.title() == "Archived: Two"
    # what is not archived offers ways on
    inside.get_by_role("link", name="gone").click()
    page.wait_for_url("**/http://site.example/none")
    page.get_by_role("link", name="What the archive holds of site.example").click()
    page.wait_for_url("**/search?q=site%3Asite.example")
    context.close()


def test_a_link_to_a_place_in_a_page_leads_there(
    browser: Any, serve: Callable[..., Site], linked: Path
) -> None:
    from playwright.sync_api import expect

    site = serve(linked)
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{site.address}/cached/20150503140211/http://site.example/one")
    page.frame_locator("iframe").get_by_role("link", name="far").click()
    page.wait_for_url("**/cached/20150503140211;at=far/http://site.example/three")
    expect(page.frame_locator("iframe").get_by_text("far below")).to_be_in_viewport()
    page.context.close()


def test_frames_of_a_page_are_steered_and_links_in_them_stay_or_lead_the_bar_along(
    browser: Any, serve: Callable[..., Site], linked: Path
) -> None:
    site = serve(linked)
    page = browser.new_context().new_page()
    outer = page.frame_locator("iframe")
    inner = outer.frame_locator("iframe")
    page.goto(f"{site.address}/cached/20150503140211/http://site.example/framed")
    inner.get_by_role("link", name="stay").click()
    inner.get_by_text("far below").wait_for()
    outer.get_by_role("link", name="in", exact=True).click()
    inner.get_by_text("to one").wait_for()
    assert page.title() == "Archived: F"
    page.reload()
    inner.get_by_role("link", name="leave").click()
    page.wait_for_url("**/http://site.example/two")
    assert page.title() == "Archived: Two"
    page.context.close()


def test_a_reader_who_is_logged_in_stays_so_behind_a_link(
    browser: Any, serve: Callable[..., Site], linked: Path
) -> None:
    from werkzeug.security import generate_password_hash

    site = serve(linked, password=generate_password_hash("a long password"))
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{site.address}/login")
    page.locator("input[type=password]").fill("a long password")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site.address}/")
    page.goto(f"{site.address}/cached/20150503140211/http://site.example/one")
    page.frame_locator("iframe").get_by_role("link", name="to two").click()
    page.get_by_role("heading", name="Two").wait_for()
    assert page.url == f"{site.address}/cached/20150503140211/http://site.example/two"
    page.context.close()


def test_a_frame_from_an_attribute_is_shown(browser: Any, serve: Callable[..., Site], tmp_path: Path) -> None:
    inner = "<p>in the attribute</p><img id=i src=p.svg>"
    file = write_archive(
        tmp_path / "srcdoc.warc.gz",
        response(URL, page("Outer", f"<iframe srcdoc='{inner}'></iframe>")),
        response("http://site.example/p.svg", DRAWING, "image/svg+xml"),
    )
    site = serve(file)
    page_ = browser.new_context().new_page()
    page_.goto(f"{site.address}/cached/2015/{URL}")
    inside = page_.frame_locator("iframe").frame_locator("iframe")
    inside.get_by_text("in the attribute").wait_for()
    page_.wait_for_load_state("load")
    assert inside.locator("#i").evaluate("image => image.naturalWidth") == 40
    page_.context.close()


def test_a_drawing_is_shown_as_a_picture(browser: Any, serve: Callable[..., Site], tmp_path: Path) -> None:
    site = serve(write_archive(tmp_path / "d.warc.gz", response(URL, DRAWING, "image/svg+xml")))
    page = browser.new_context().new_page()
    page.goto(f"{site.address}/cached/2015/{URL}")
    assert page.frame_locator("iframe").locator("img").evaluate("image => image.naturalWidth") == 40
    page.context.close()
