"""A page on its way into a batch: the core reads it and finds its words; its text as a whole is never a string."""

from __future__ import annotations

from indexer.core.batch import Batch
from indexer.core.intake import LEFT_LANGUAGE, Intake, Taken
from indexer.core.links import BatchLinks
from indexer.core.tokens import Tokenizer, encoded
from indexer.text.analysis import MAX_TEXT, folding_of, url_words
from indexer.text.detection import SAMPLE, letters_of, rules
from indexer.text.elements import PageText
from indexer.text.pages import PageReader, page_sample


class PageWords:
    """Reads one page after the other; used by one thread at a time."""

    def __init__(self) -> None:
        self._rules = rules()
        self.let_go()

    def let_go(self) -> None:
        """Give the memory of what was read back; the page in hand is an empty one then."""
        self._reader, self._tokenizer = PageReader(), Tokenizer()
        self._title = self._reader.page.contents.title
        self.end_batch()

    def end_batch(self) -> None:
        """Hold the batch that pages went into no longer; `take` may get another one at any time."""
        self._intake: Intake | None = None
        self._batch: Batch | None = None  # that the intake goes into

    def read(self, html: bytes, begin: int = 0, size: int | None = None) -> None:
        """Take a page in hand: UTF-8, of which it may be `size` bytes from `begin` on.

        Raises MemoryError, and ValueError for a page of more than 512 MiB; let_go is to be called then.
        """
        self._reader.read_part(html, begin, len(html) if size is None else size)

    @property
    def title(self) -> str:
        """The title of the page in hand, "" where it has none."""
        title: str = self._title.text()
        return title

    def sample(self) -> PageText:
        """Return what the page in hand says of itself: title, language, base, and a text that tells its language."""
        return page_sample(self._reader.page.contents, SAMPLE)

    def take(
        self,
        batch: Batch,
        links: BatchLinks,
        url: str,
        language: str,
        *,
        in_utf_8: bool,
        most: int = MAX_TEXT,
    ) -> Taken:
        """Put the words and links of the page in hand into a batch as far as they are as most are; see `Intake.take`.

        links: always the same with a batch. language: that of the HTTP header. most: as of `words`, which gives the
        words that are left. What comes out is there until the next page.
        """
        if self._intake is None or self._batch is not batch:
            self._intake = Intake(batch, links, self._tokenizer, self._reader.page, self._rules, most)
            self._batch = batch
        taken = self._intake.take(url, language, in_utf_8=in_utf_8)
        if taken.left & LEFT_LANGUAGE and (text := taken.text):
            self._intake.take_letters(url, letters_of(text))
        return taken

    @property
    def page(self) -> object:
        """A pointer to the struct fa_page of the page in hand, whose links other functions of the core take."""
        return self._reader.page

    def words(self, url: str, language: str, most: int = MAX_TEXT) -> Tokenizer:
        """Return a tokenizer with the words of the page in hand, until the next one is asked for.

        language: its code. most: code points that are looked at, once they are normalized; words of the address do not
        count. `is_cut` tells whether the page has more.
        """
        found = self._tokenizer
        found.find_words_of_page(self._reader.page, encoded(url_words(url)), folding_of(language), most)
        return found
