"""A page on its way into a batch: the core reads it and finds its words; its text as a whole is never a string."""

from __future__ import annotations

from indexer.core.tokens import Tokenizer, encoded, tokenizer
from indexer.text.analysis import MAX_TEXT, folding_of, url_words
from indexer.text.elements import PageText
from indexer.text.pages import PageReader, page_text

_SAMPLE = (
    1 << 20
)  # bytes of running text from the middle of the page, for its language: nearly always all of it


class PageWords:
    """Reads one page after the other; used by one thread at a time."""

    def __init__(self) -> None:
        self._reader = PageReader()

    def read(self, html: str) -> PageText:
        """Return what a page says, with no more of its running text than a part from the middle.

        Raises MemoryError, and ValueError for a page of more than 512 MiB; the page in hand is an empty one then.
        """
        try:
            return page_text(self._reader.read(html), _SAMPLE)
        except Exception:
            self._reader.read("")
            raise

    def words(self, url: str, language: str, most: int = MAX_TEXT) -> Tokenizer:
        """Return the tokenizer of this thread with the words of the page in hand.

        language: its code. most: code points that are looked at, once they are normalized; words of the address do not
        count. `is_cut` tells whether the page has more.
        """
        found = tokenizer()
        found.find_words_of_page(self._reader.page, encoded(url_words(url)), folding_of(language), most)
        return found
