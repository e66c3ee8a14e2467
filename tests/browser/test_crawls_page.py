"""The crawls in a real browser, with and without scripts: watched, paused, changed, resumed, stopped, started."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from archiver.crawl import crawl_status, load_job
from tests.browser.whole_site import WholeSite, until, until_state, whole_site

pytestmark = pytest.mark.browser


def reload(page: Any) -> None:
    """Load the page anew; without scripts it does so by itself, and the two may meet."""
    from playwright.sync_api import Error

    try:
        page.reload()
    except Error:
        page.wait_for_load_state()
        page.reload()


@pytest.fixture
def site(tmp_path: Path, browser: Any) -> Iterator[WholeSite]:
    with whole_site(tmp_path) as running:
        yield running


@pytest.fixture(params=[True, False], ids=["script", "no script"])
def page(browser: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    context = browser.new_context(java_script_enabled=request.param, accept_downloads=True)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: "GL Driver" in message.text or complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.has_script = request.param
    yield page
    context.close()
    assert complaints == []


def test_a_crawl_is_watched_and_ruled_from_the_browser(page: Any, site: WholeSite) -> None:
    folder = str(site.jobs_path / "02")
    page.goto(site.address)
    running = page.locator("[data-running] tbody tr")
    assert running.count() == 1 and "running" in running.inner_text()
    if page.has_script:
        fetched = running.locator("[data-number=fetched]")
        before = fetched.inner_text()
        page.wait_for_function(
            "(before) => document.querySelector('[data-number=fetched]').textContent !== before", arg=before
        )
    page.get_by_role("link", name="02").click()

    page.get_by_role("button", name="Pause").click()
    until_state(folder, "paused")
    reload(page)
    assert page.locator("[data-state]").inner_text() == "paused"
    page.locator("summary", has_text="Change it").click()
    page.get_by_label("Pause for a host, in seconds").fill("0.05")
    page.get_by_label("Leave out addresses that match").fill("/secret/")
    page.get_by_role("button", name="Change", exact=True).click()
    page.get_by_text("Done.").wait_for()
    assert load_job(folder).exclude == ("/secret/",) and load_job(folder).delay_s == 0.05
    page.locator("summary", has_text="Change it").click()
    page.get_by_label("More addresses to start from").fill("http://walrus.test:9/more")
    page.get_by_role("button", name="Add").click()
    page.get_by_text("Done.").wait_for()
    page.get_by_role("button", name="Resume").click()
    until_state(folder, "running")
    # a browser without scripts is through with all of this before the crawl has its second page
    until(folder, lambda status: status["fetched"] > 1, "fetched no more after it was resumed")

    page.goto(f"{site.address}/crawl/02")
    if page.has_script:
        page.locator("[data-rate] polyline[points*=',']").wait_for(state="attached")
    with page.expect_download() as coming:
        page.get_by_role("link", name="Log", exact=True).click()
    assert "walrus.test" in coming.value.path().read_text()
    page.get_by_role("link", name="Graph of the pages found").click()
    assert page.locator("table tbody tr").count() > 1
    page.locator("[data-settled=yes]" if page.has_script else "svg.picture circle").first.wait_for()
    page.go_back()

    page.get_by_role("button", name="Stop").click()
    page.get_by_role("link", name="Let it run").click()
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Stop it").click()
    until_state(folder, "finished")
    page.goto(f"{site.address}/crawl")
    assert "finished (user)" in page.locator("tr", has_text="02").inner_text()
    assert crawl_status(folder)["fetched"] > 1


def test_a_crawl_is_started_from_the_browser(page: Any, site: WholeSite) -> None:
    """Addresses of this machine are refused to the browser, so this one ends at once, and says why."""
    page.goto(site.address)
    page.get_by_role("navigation", name="Site").get_by_role("link", name="Crawls").click()
    page.get_by_label("Addresses to start from").fill("127.0.0.1:9")
    page.get_by_label("Job", exact=True).fill("x1")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url("**/crawl/x1*")
    until_state(str(site.jobs_path / "x1"), "finished")
    reload(page)
    assert page.locator("[data-state]").inner_text() == "finished"
    page.get_by_role("button", name="Visit the pages again").wait_for()


def test_nodes_of_a_graph_are_found_and_moved_without_a_mouse(browser: Any, site: WholeSite) -> None:
    page = browser.new_context(reduced_motion="reduce").new_page()
    page.goto(f"{site.address}/graph?q=heron")
    page.locator("[data-settled=yes]").wait_for()
    page.get_by_label("Find a node").fill("herons")
    chosen = page.locator("[data-graph-node]")
    chosen.get_by_role("link", name="birds.example/herons").wait_for()
    for name in ("Nearer", "Farther", "Left", "Right", "Up", "Down", "Whole graph"):
        page.get_by_role("button", name=name).press("Enter")
    assert page.locator("[data-graph-legend] li").count() >= 2
    page.get_by_label("Colour").select_option("matched")
    assert "found (17)" in page.locator("[data-graph-legend]").inner_text()
    chosen.get_by_role("link", name="what is near it").click()
    page.wait_for_url(lambda url: "url=http" in url)
    page.locator("[data-settled=yes]").wait_for()
    page.context.close()
