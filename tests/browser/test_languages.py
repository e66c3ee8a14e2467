"""The pages in a language that runs from right to left, and in one without blanks between words, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("axe_playwright_python", reason="pip install axe-playwright-python")

from tests.browser.checks import violations
from tests.browser.whole_site import HERON, WholeSite, whole_site

pytestmark = pytest.mark.browser

STATES = (
    "/", "/search?q=heron", "/search?q=heron&view=tree&open=birds.example/", "/search?q=zebra+quagga",
    f"/cached/2015;q=heron/{HERON}", f"/cached/2015;view=details/{HERON}", f"/captures/*/{HERON}",
    f"/compare?url={HERON}", "/crawl", "/crawl/01", "/settings", "/help",
)  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[WholeSite]:
    with whole_site(tmp_path_factory.mktemp("whole")) as running:
        yield running


@pytest.mark.parametrize("language", ["ar", "ja"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (320, "dark")])
def test_pages_in_other_languages_fit_and_have_no_violation(
    browser: Any, site: WholeSite, language: str, width: int, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    context.add_cookies([{"name": "findingaid", "value": f"language={language}", "url": site.address}])
    page = context.new_page()
    for state in STATES:
        page.goto(site.address + state)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate("document.documentElement.lang") == language, state
        assert page.evaluate("document.documentElement.scrollWidth") <= width, state
        assert violations(page) == [], state
    context.close()


def test_the_language_is_switched_at_the_foot_of_a_page(browser: Any, site: WholeSite) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.address}/search?q=heron")
    page.get_by_role("button", name="العربية").click()
    page.wait_for_url("**/search?q=heron")
    assert page.locator("html").get_attribute("dir") == "rtl"
    assert page.locator("html").get_attribute("lang") == "ar"
    context.close()
