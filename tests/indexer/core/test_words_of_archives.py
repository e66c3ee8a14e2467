"""The words of real pages, against a walk letter by letter."""

from __future__ import annotations

from pathlib import Path

from tests.indexer.core.test_tokens import same_unicode
from tests.indexer.core.words_of_archives import compared, files_below


@same_unicode
def test_words_of_real_pages(shared: Path) -> None:
    """Of every fifth archive; `python -m tests.indexer.core.words_of_archives` looks at all of them."""
    pages, words, difference = compared(files_below(shared / "archives")[::5])
    assert difference == ""
    assert pages > 20 and words > 10_000
