"""Rewritten pages before Chromium's own parser, without any header that would hold them.

A sample of what `python -m tests.browser.rewriting --pages 10000` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.conftest import CHROMIUM
from tests.browser.rewriting import judged
from tests.webui.hostile_pages import HostilePages

pytestmark = pytest.mark.browser

# Chromium connects for a frame before it refuses to load it.
REFUSED = """<meta http-equiv=content-security-policy content="frame-src 'none'">"""


def test_nothing_gets_out_of_rewritten_pages(driver: Any) -> None:
    def pages(outside: tuple[str, ...]) -> Iterator[str]:
        hostile = HostilePages(20261128, outside)
        return (hostile.page() for _ in range(500))

    findings = judged(driver, CHROMIUM, pages)
    assert findings.pages == 500
    assert findings.got_out == [] and findings.names == set()


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<script>top.ran=1</script>", "a script ran"),
        ("<p onclick='top.ran=1'>x", "onclick of p"),
        ("<img src='OUT/x.png'>", "asked for"),
        ("<iframe src='OUT/x'></iframe>", "asked for"),
        ("<style>body{background:url(OUT/x)}</style><p>x", "asked for"),
        ("<svg><a href='OUT/x'><text>x</text></a></svg>", "href of a"),
        ("<a href='javascript:x'>x</a>", "href of a"),
        (f"{REFUSED}<iframe src='OUT/x'></iframe>", "connections"),
        ("<template><script>x</script></template>", "<script>"),
    ],
)
def test_the_judge_sees_what_gets_out_of_a_page_that_is_not_rewritten(
    driver: Any, html: str, expected: str
) -> None:
    def pages(outside: tuple[str, ...]) -> Iterator[str]:
        yield html.replace("OUT", outside[0])

    findings = judged(driver, CHROMIUM, pages, rewrites=False)
    assert any(expected in what for _page, what in findings.got_out)


def test_the_judge_sees_names_that_are_looked_up(driver: Any) -> None:
    def pages(outside: tuple[str, ...]) -> Iterator[str]:
        yield f"{REFUSED}<iframe src='{outside[2]}'></iframe>"

    assert judged(driver, CHROMIUM, pages, rewrites=False).names
