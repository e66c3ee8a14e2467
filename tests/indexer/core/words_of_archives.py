"""Compares the words of every page in archives with a walk letter by letter: what the tokenizer finds, and where.

    python -m tests.indexer.core.words_of_archives ARCHIVE...

Prints how many pages and words were the same; exits with 1 at the first difference. Takes some milliseconds a page.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from indexer.core.tokens import Tokenizer
from indexer.text.analysis import word_spans_of
from indexer.text.pages import collect_page
from tests.indexer.core.test_tokens import agrees, agrees_in_turkish
from tests.indexer.plain_text import normalize
from tests.indexer.text.differential import pages_of


def main() -> int:
    """Return the exit status."""
    files = [file for name in sys.argv[1:] for file in files_below(Path(name))]
    pages, words, difference = compared(files)
    sys.stdout.write(
        f"{pages:,} pages of {len(files):,} files, {words:,} words: {difference or 'the same'}\n"
    )
    return 1 if difference else 0


def compared(files: Iterable[Path]) -> tuple[int, int, str]:
    """Return how many pages and words were the same, and the first difference, "" without one."""
    tokenizer = Tokenizer()
    pages = words = 0
    for file in files:
        for html in pages_of(file):
            page = collect_page(html)
            for text in (page.text, page.title or "", page.description, page.keywords):
                if not agrees(tokenizer, text) or not agrees_in_turkish(tokenizer, text):
                    return pages, words, f"{file}: words differ in {ascii(text[:200])}"
                spans = word_spans_of(text)
                for word, start, end in spans:
                    if word.rstrip("+#")[:1] not in normalize(text[start:end]):
                        return pages, words, f"{file}: {ascii(word)} is not at {start} of {ascii(text[:200])}"
                words += len(spans)
            pages += 1
    return pages, words, ""


def files_below(path: Path) -> list[Path]:
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


if __name__ == "__main__":
    sys.exit(main())
