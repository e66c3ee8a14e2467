"""What is told apart in the text of a page, and the text by elements; `indexer.text.pages` reads it from HTML.

The element of an occurrence decides its weight. Ten are told apart:
title, heading, anchor, emphasis, description, keywords, body, url, alt, inlink.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

ELEMENTS = (
    "title",
    "heading",
    "anchor",
    "emphasis",
    "description",
    "keywords",
    "body",
    "url",
    "alt",
    "inlink",
)
TITLE, HEADING, ANCHOR, EMPHASIS, DESCRIPTION, KEYWORDS, BODY, URL, ALT, INLINK = range(len(ELEMENTS))

MAX_TITLE = 1000  # characters kept for display; all words of the title are indexed
MAX_LINKS, MAX_LINK_TEXT = (
    1000,
    200,
)  # links of a page that give their text to other pages; characters of each

HEADING_TAGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
EMPHASIS_TAGS = frozenset({"b", "strong", "em", "i", "u", "mark", "dfn", "caption", "big", "legend"})
BUTTONS = ("submit", "button", "image")  # types of an <input> whose label is text of the page
MARK = "\x01"  # stands between pieces of running text; in the text of a page it becomes a blank
# Elements whose contents are never text of the page.
SKIPPED = frozenset({"script", "style", "template", "iframe", "noembed", "-comment", "!doctype"})
# Elements that do not part words: "foo<b>bar</b>" reads as one word. All others are blocks.
INLINE = frozenset(
    {
        "a",
        "abbr",
        "acronym",
        "b",
        "bdi",
        "bdo",
        "big",
        "blink",
        "cite",
        "code",
        "data",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "ins",
        "kbd",
        "label",
        "mark",
        "nobr",
        "q",
        "rp",
        "rt",
        "ruby",
        "s",
        "samp",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "time",
        "tt",
        "u",
        "var",
        "wbr",
    }
)


@dataclass(slots=True)
class PageText:
    """The text of a page in reading order.

    marked, classes: the running text (headings, links, emphasis, alternatives of
        images, everything else) with a MARK where the element changes; classes holds
        an element number for each piece between marks. Neighbouring pieces may be parts
        of one word; blocks are parted by line feeds.
    title: the first title outside pictures, white space folded; None if there is none.
    language: the lang attribute of the page, as written; "" when there is none.
    links: (address as written, text) of the first MAX_LINKS links, in document order of their ends; the text of a
        picture is its alternative, white space is folded. Without those that the page does not vouch for (nofollow).
    base: the address in the first base element that has one, as written; None when there is none.
    charset: what the page was written in; its links mean something else in another one, see `archiver.warc.in_charset`.
    """

    title: str | None = None
    description: str = ""
    keywords: str = ""
    language: str = ""
    robots: str = ""
    marked: str = ""
    classes: Sequence[int] | NDArray[np.uint8] = (BODY,)
    links: list[tuple[str, str]] = field(default_factory=list)
    base: str | None = None
    charset: str = "utf-8"  # as archiver.warc.charsets has it, whose tables a search need not make

    @property
    def text(self) -> str:
        """The running text as one string."""
        return self.marked.replace(MARK, "")

    @property
    def pieces(self) -> list[str]:
        """The running text piece by piece; as many as there are classes."""
        return self.marked.split(MARK)
