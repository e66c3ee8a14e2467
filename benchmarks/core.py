"""CPU of the core's reader of HTML beside Lexbor's tree alone, and of its tokenizer, over the same pages in one run.

    python benchmarks/core.py ARCHIVE...

Needs no more than the product and its tests do. Times are the best of several runs over all pages; ratios hold on a
machine that is busy, too.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from indexer.core.tokens import Tokenizer
from indexer.text.detection import language_of
from indexer.text.documents import CaptureFound, FileEntry, read_captures
from indexer.text.elements import PageText
from indexer.text.pages import PageReader, collect_page


def main() -> None:
    """Print microseconds a page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("archives", nargs="+", type=Path, help="archive files, or folders of them")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    pages = [page.encode("utf-8", "ignore") for path in given.archives for page in _pages(path)]
    if not pages:
        sys.exit("core.py: no pages there")
    reader = PageReader()
    ways: dict[str, Callable[[bytes], object]] = {
        "Lexbor, a tree": LexborHTMLParser,
        "core, element texts and links": reader.read,
        "core, the same as Python strings": collect_page,
    }
    best = {name: float("inf") for name in ways}
    for _ in range(given.runs):
        for name, read in ways.items():
            best[name] = min(best[name], _seconds(read, pages))
    size = sum(map(len, pages)) / len(pages)
    sys.stdout.write(f"{len(pages):,} pages of {size:,.0f} bytes; CPU a page, best of {given.runs}\n")
    for name, seconds in best.items():
        ratio = seconds / best["Lexbor, a tree"]
        sys.stdout.write(f"{name:36} {seconds / len(pages) * 1e6:8.1f} us  {ratio:5.2f}\n")
    _time_words([reader.read(page).text.copy() for page in pages], given.runs)


def _time_words(texts: list[bytes], runs: int) -> None:
    """Print nanoseconds a word of the running texts."""
    own = Tokenizer()
    words = sum(own.count(text) for text in texts)
    pattern = re.compile(r"\w+")
    ways: dict[str, Callable[[bytes], object]] = {
        "core, words": own.count,
        "core, text normalized": lambda text: own.normalize(text),
        "re.findall of \\w+": lambda text: pattern.findall(text.decode("utf-8", "replace").lower()),
        "language of a page": lambda text: language_of(PageText(marked=text.decode("utf-8", "replace"))),
    }
    sys.stdout.write(f"{words:,} words in {sum(map(len, texts)):,} bytes of text; CPU a word and a page\n")
    for name, way in ways.items():
        seconds = min(_seconds(way, texts) for _ in range(runs))
        a_word, a_page = seconds / max(words, 1) * 1e9, seconds / len(texts) * 1e6
        sys.stdout.write(f"{name:36} {a_word:8.1f} ns {a_page:8.1f} us\n")


def _seconds(read: Callable[[bytes], object], pages: list[bytes]) -> float:
    started = time.process_time()
    for page in pages:
        read(page)
    return time.process_time() - started


def _pages(path: Path) -> list[str]:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    captures = (capture for file in files if file.is_file() for capture in _captures(file))
    return [capture.page.html for capture in captures if capture.page is not None]


def _captures(file: Path) -> list[CaptureFound]:
    return list(read_captures(str(file), FileEntry(str(file))))


if __name__ == "__main__":
    main()
