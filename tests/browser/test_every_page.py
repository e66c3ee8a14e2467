"""Every page and state of the interface in a real browser, narrow and wide, light and dark: axe-core and own checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("axe_playwright_python", reason="pip install axe-playwright-python")

from tests.browser.checks import own_problems, violations
from tests.browser.whole_site import HERON, LONG, SPRAWLING, WholeSite, whole_site

pytestmark = pytest.mark.browser

# What is looked at: a name, the address, and what is done there first.
STATES: dict[str, str] = {
    "home": "/",
    "results": "/search?q=heron",
    "results, narrowed": "/search?q=heron&site=birds.example&from=2009&to=2020&sort=newest",
    "results, explained": "/search?q=heron&explain=1",
    "results, widened": "/search?q=heron&expand=cooccur",
    "results, second page": "/search?q=heron&page=2",
    "results, beyond the last page": "/search?q=heron&page=90",
    "results, did you mean": "/search?q=herron",
    "results, an address": "/search?q=birds.example/herons",
    "no results": "/search?q=zebra+quagga",
    "error in a search": "/search?q=heron&sort=x",
    "tree": "/search?q=heron&view=tree&open=birds.example/",
    "tree of all": "/search?q=&view=tree",
    "similar pages": f"/similar?url={HERON}",
    "cached": f"/cached/2015;q=heron/{HERON}",
    "cached, another time": f"/cached/2012/{HERON}",
    "cached, nothing to mark": f"/cached/2015;q=nowhere/{HERON}",
    "cached, a long title and address": f"/cached/0;q=heron/{LONG}",
    "cached, from right to left": "/cached/0/http://birds.example/he/",
    "cached, a PDF": "/cached/0/http://birds.example/leaflet.pdf",
    "cached, a picture": "/cached/0/http://birds.example/map.png",
    "cached, a redirect": "/cached/0/http://birds.example/old",
    "cached, text": f"/cached/2015;view=text;q=heron/{HERON}",
    "cached, details": f"/cached/2015;view=details/{HERON}",
    "cached, details without a place to break": f"/cached/0;view=details/{SPRAWLING}",
    "cached, text without a place to break": f"/cached/0;view=text/{SPRAWLING}",
    "cached, cite without a place to break": f"/cached/0;view=cite/{SPRAWLING}",
    "calendar without a place to break": f"/captures/*/{SPRAWLING}",
    "results without a place to break": "/search?q=sprawling",
    "link graph without a place to break": f"/graph?url={SPRAWLING}&depth=1",
    "cached, cite": f"/cached/2015;view=cite/{HERON}",
    "not archived": "/cached/0/http://nowhere.example/",
    "calendar": f"/captures/*/{HERON}",
    "calendar, one year": f"/captures/2010/{HERON}",
    "compare": f"/compare?url={HERON}&phrase=heron+stands",
    "compare, side by side": f"/compare?url={HERON}&view=side",
    "compare, asked": "/compare",
    "link graph": "/graph?q=heron",
    "link graph, hosts": "/graph?level=hosts",
    "link graph, one page": f"/graph?url={HERON}&depth=2&q=flies",
    "link graph, nothing": "/graph?url=http://nowhere.example/",
    "crawls": "/crawl",
    "crawls, an address to add": "/crawl?seed=http://nowhere.example/",
    "crawl, finished": "/crawl/01",
    "crawl, running": "/crawl/02",
    "crawl graph": "/crawl/01/graph",
    "crawl graph, hosts": "/crawl/01/graph?level=hosts",
    "help": "/help",
    "settings": "/settings",
    "settings, preferences of a link": "/settings?theme=dark&dense=1",
    "results, a notice": "/search?q=heron&lang=!!",
    "error 403": "/metrics",
    "error 404": "/nothing",
    "error 405": "/preferences",
    "error 500": "/broken",
}
POSTED: dict[str, tuple[str, str]] = {  # the page with the form, and the script that fills it and sends it
    "start of a crawl, refused": (
        "/crawl",
        "form => { form.seeds.value = 'ftp://a.example/'; form.submit(); }",
    ),
    "settings, refused": (
        "/settings",
        "form => { form.elements['search.k1'].value = 'much'; form.submit(); }",
    ),
}
OTHERS = {  # what answers with another status than 200
    "error in a search": 400,
    "error 403": 403,
    "error 404": 404,
    "not archived": 404,
    "error 405": 405,
    "error 500": 500,
    "start of a crawl, refused": 400,
    "settings, refused": 400,
}
COLOURS = ["color-contrast", "link-in-text-block"]
STRICT = {"login": "/login", "login, sent there": "/"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[WholeSite]:
    with whole_site(tmp_path_factory.mktemp("whole")) as running:
        yield running


def problems(page: Any, heard: list[str]) -> list[str]:
    """Return what is wrong with the page that is shown, in both colour schemes."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    found = []
    for scheme, rules in (
        ("light", None),
        ("dark", COLOURS),
    ):  # what does not hang on colours is the same in both
        page.emulate_media(color_scheme=scheme)
        found += [f"{scheme}: {one}" for one in violations(page, rules=rules)]
    found += own_problems(page)
    return found + heard


@pytest.mark.parametrize("width", [320, 1280])
def test_no_page_has_a_violation(browser: Any, site: WholeSite, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, reduced_motion="reduce")
    told: dict[str, list[str]] = {}
    heard: list[str] = []
    page = context.new_page()
    # a machine without a graphics card says so when a canvas is read
    page.on(
        "console",
        lambda message: "GL Driver Message" in message.text or heard.append(f"console: {message.text}"),
    )
    page.on("pageerror", lambda error: heard.append(f"script: {error}"))
    visits = [(name, site.address + state, "") for name, state in STATES.items()]
    visits += [(name, site.address + state, script) for name, (state, script) in POSTED.items()]
    visits += [(name, site.strict + state, "") for name, state in STRICT.items()]
    for name, address, script in visits:
        heard.clear()
        answer = page.goto(address)
        if script:
            with page.expect_navigation() as coming:
                page.locator("main form[method=post]").last.evaluate(script)
            answer = coming.value
        if page.locator("[data-graph]").count():
            page.locator("[data-settled=yes]").wait_for()
        # the browser itself tells of pages that come with an error; that is as it must be
        expected = [text for text in heard if f"status of {answer.status} (" in text and answer.status >= 400]
        found = problems(page, [text for text in heard if text not in expected])
        if answer.status != OTHERS.get(name, 200):
            found.append(f"answered with status {answer.status}")
        if found:
            told[name] = found
    context.close()
    assert not told, "\n".join(f"{name}: {one}" for name, found in told.items() for one in found)
