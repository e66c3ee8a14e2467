"""Times the rewriting of cached pages, and the parser that was not chosen.

    python benchmarks/rewrite.py PAGE.html...

Prints milliseconds a page (median of 5 runs) for our rewriter, and for the least
that BeautifulSoup on lxml would have to do: parse, visit each element, write out.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bs4 import BeautifulSoup

from webui.rewrite import rewrite_page
from webui.rewrite_context import RewriteContext

URL = "http://site.example/folder/page.html"


def main(paths: list[str]) -> None:
    if not paths:
        sys.exit(__doc__)
    print(f"{'page':<40} {'kB':>7} {'ours ms':>9} {'BeautifulSoup ms':>17}")
    for path in paths:
        html = Path(path).read_text("utf-8", "replace")
        ours = milliseconds(lambda html=html: rewrite_page(html, RewriteContext(URL, "20150503140211")))  # type: ignore[misc]
        soup = milliseconds(lambda html=html: visit(html))  # type: ignore[misc]
        print(f"{Path(path).name[:40]:<40} {len(html) / 1000:>7.1f} {ours:>9.2f} {soup:>17.2f}")


def visit(html: str) -> str:
    soup = BeautifulSoup(html, "lxml")
    for element in soup.find_all(True):
        for name, value in list(element.attrs.items()):
            if name in ("href", "src"):
                element.attrs[name] = value
    return str(soup)


def milliseconds(deed: Callable[[], object]) -> float:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        deed()
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


if __name__ == "__main__":
    main(sys.argv[1:])
