"""A page on its way into a batch: the core reads it and finds its words; its text as a whole is never a string."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from indexer.core.batch import Batch
from indexer.core.intake import (
    LEFT_LANGUAGE,
    STOPPED_LEFT,
    STOPPED_UNREAD,
    GivenPage,
    GivenPages,
    Intake,
    Taken,
)
from indexer.core.links import BatchLinks
from indexer.core.tokens import Tokenizer, encoded
from indexer.text.analysis import MAX_TEXT, folding_of, url_words
from indexer.text.detection import SAMPLE, letters_of, rules
from indexer.text.elements import PageText
from indexer.text.pages import PageReader, page_sample


class TakenPages(NamedTuple):
    """What became of some pages: the place of the first, (language, title, whether it is cut) of each.

    left: of the last one, if something is left of it. is_unread: whether the page behind them cannot be read.
    """

    begin: int
    told: list[tuple[str, str, bool]]
    left: Taken | None
    is_unread: bool


class PageWords:
    """Reads one page after the other; used by one thread at a time."""

    def __init__(self) -> None:
        self._rules, self._given = rules(), GivenPages()
        self.let_go()

    def let_go(self) -> None:
        """Give the memory of what was read back; the page in hand is an empty one then."""
        self._reader, self._tokenizer = PageReader(), Tokenizer()
        self.end_batch()

    def end_batch(self) -> None:
        """Hold the batch that pages went into no longer; `take_pages` may get another one at any time."""
        self._intake: Intake | None = None
        self._batch: Batch | None = None  # that the intake goes into

    def sample(self) -> PageText:
        """Return what the page in hand says of itself: title, language, base, and a text that tells its language."""
        return page_sample(self._reader.page.contents, SAMPLE)

    def take_pages(
        self,
        batch: Batch,
        links: BatchLinks,
        pages: Sequence[GivenPage],
        shown: Any,
        *,
        most: int = MAX_TEXT,
    ) -> Iterator[TakenPages]:
        """Read pages and take them, up to MOST_PAGES; yield what became of them, in their order.

        After each the page in hand is the last one, of which something may be left. A page that cannot be read is told
        of, and then taken as an empty one. shown: as of `Intake.take_pages`.
        """
        given = self._given
        given.give(pages)
        begin = at = 0
        try:
            while at < len(pages):
                intake = self._intake_of(batch, links, most)
                now_ms = int(time.monotonic() * 1000)
                at, stop = intake.take_pages(given, at, len(pages), now_ms, shown)
                taken = intake.taken
                if stop == STOPPED_LEFT:
                    if taken.left & LEFT_LANGUAGE and (text := taken.text):
                        intake.take_letters(given, at, letters_of(text))
                    if not taken.left and at < len(pages):
                        continue
                elif stop == STOPPED_UNREAD:
                    self.let_go()  # what is in hand may be the page before
                    if not given.empty(at):
                        raise MemoryError
                left = taken if stop == STOPPED_LEFT and taken.left else None
                yield TakenPages(begin, given.told(begin, at), left, is_unread=stop == STOPPED_UNREAD)
                begin = at
        finally:
            given.give(())

    def _intake_of(self, batch: Batch, links: BatchLinks, most: int) -> Intake:
        if self._intake is None or self._batch is not batch:
            self._intake = Intake(batch, links, self._tokenizer, self._reader.page, self._rules, most)
            self._batch = batch
        return self._intake

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
