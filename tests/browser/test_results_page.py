"""The results page in a real browser: keys, suggestions, links. What axe-core says of it: test_every_page.py."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer import IndexOptions, build_index, open_index
from tests.indexer.making import response, write_warc
from webui import create_app
from webui.server import listen
from webui.setting_infos import settings_template
from webui.settings import load_settings

pytestmark = pytest.mark.browser


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of a site over a small real index."""
    from waitress.server import create_server

    words = "waits stands fishes flies sleeps walks calls nests preens dives looks feeds".split()
    pages = [
        response(
            f"http://birds.example/{n}",
            f"<html lang=en><title>Heron {n}</title><p>A heron {word}. {word} " * 3,
        )
        for n, word in enumerate(words)
    ]
    pages.append(
        response(
            "http://birds.example/he/",
            "<html lang=he><title>אנפה</title><p>heron זו אנפה",
            date="2009-01-01T00:00:00Z",
        )
    )
    archive = write_warc(tmp_path / "birds.warc.gz", pages)
    build_index([archive], str(tmp_path / "index"), options=IndexOptions(workers=1))
    (tmp_path / "settings.toml").write_text(settings_template())
    settings = load_settings(str(tmp_path / "settings.toml"), {}, {})
    listener = listen("127.0.0.1", 0)
    with open_index(str(tmp_path / "index")) as index:
        app = create_app(settings, lambda path, ranking: index)
        server = create_server(app, sockets=[listener], threads=4, ident=None)
        threading.Thread(target=server.run, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    complaints: list[str] = []
    # a key may come before the field has got the focus by itself; that is told, and does no harm
    page.on("console", lambda message: "Autofocus" in message.text or complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == []


def test_keys_walk_through_the_hits_and_can_be_switched_off(page: Any, address: str) -> None:
    page.goto(f"{address}/search?q=heron")
    titles = page.locator(".hit h2 a").all_inner_texts()
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.textContent") == titles[1]
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.textContent") == titles[0]
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("j")  # in the field a letter is a letter
    assert page.input_value("#q") == "j"
    page.context.add_cookies([{"name": "findingaid", "value": "shortcuts=0", "url": address}])
    page.goto(f"{address}/search?q=heron")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement === document.body")


def test_suggestions_while_typing_are_chosen_with_the_arrows(page: Any, address: str) -> None:
    page.goto(address)
    page.locator("#q").press_sequentially("her")
    page.locator(".suggestions li").first.wait_for()
    assert page.get_attribute("#q", "aria-expanded") == "true"
    page.keyboard.press("ArrowDown")
    assert page.input_value("#q") == "heron"
    page.keyboard.press("Escape")
    assert page.input_value("#q") == "her" and not page.locator(".suggestions").is_visible()
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=her*")


def test_without_scripts_filters_and_the_tree_work_by_links(browser: Any, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/search?q=heron")
    page.locator(".facets").get_by_role("link", name="2009").click()
    assert "1 page found" in page.inner_text(".count")
    page.locator(".chips a").click()
    assert "13 pages found" in page.inner_text(".count")
    page.get_by_role("link", name="Tree by site").click()
    page.locator(".tree .node").first.click()
    assert page.locator(".tree .tree li, .tree ul li").count() == 13
    context.close()
