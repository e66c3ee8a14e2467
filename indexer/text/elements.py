"""Which text of a page belongs to which element: the handler that the indexer gives to `parse_html`.

The element of an occurrence decides its weight. Ten are told apart:
title, heading, anchor, emphasis, description, keywords, body, url, alt, inlink.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from archiver.warc.charsets import UTF_8
from indexer.text.sax import INLINE, parse_html

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
_SPACES = re.compile(r"\s+")
_NO_FOLLOW = re.compile(r"\b(?:nofollow|ugc|sponsored)\b", re.IGNORECASE)


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
    charset: str = UTF_8

    @property
    def text(self) -> str:
        """The running text as one string."""
        return self.marked.replace(MARK, "")

    @property
    def pieces(self) -> list[str]:
        """The running text piece by piece; as many as there are classes."""
        return self.marked.split(MARK)


class ElementCollector:
    """Turns the events of one page into a PageText."""

    tags = (
        HEADING_TAGS
        | EMPHASIS_TAGS
        | {"a", "title", "img", "area", "frame", "input", "meta", "base", "html", "head", "svg", "noframes"}
    )

    def __init__(self) -> None:
        self.page = PageText()
        self._title: list[str] | None = None
        self._title_done = False
        self._in_head = 0
        self._in_picture = 0
        self._raw_frames = False
        self._special = False  # text goes elsewhere than to the running text
        self._links: list[bool] = []  # for each open <a>: has it an address?
        self._link = ""  # address of the link whose text is being read
        self._link_text: list[str] | None = None
        # open elements that decide the class of the text inside: rank 3 heading, 2 anchor, 1 emphasis
        self._open = [0, 0, 0, 0]
        self._class = BODY
        self._pieces: list[tuple[str, int]] = []
        self._run: list[str] = []  # text since the element last changed
        self._run_class = BODY
        self._parted = True  # the text so far ends at a block's edge

    def start_element(self, tag: str, attributes: Any) -> None:
        if tag == "a":
            href = attributes.get("href")
            self._links.append(bool(href))
            if href:
                self._enter(2)
                self._begin_link(href, attributes)
            return
        if tag in EMPHASIS_TAGS:
            if tag not in INLINE:
                self.part()
            self._enter(1)
            return
        if tag == "title":
            if not self._title_done and not self._in_picture:
                self._title = []
                self._special = True
            return
        self.part()
        if tag in HEADING_TAGS:
            self._enter(3)
        elif tag == "img" or tag == "area":
            self._alternative(attributes.get("alt"))
            if tag == "area" and (href := attributes.get("href")):
                self._begin_link(href, attributes)
                self._end_link(attributes.get("alt") or "")
        elif tag == "frame":
            # a frameset has no text of its own: what it is made of is all that can be said of it
            self._alternative(
                " ".join(
                    filter(None, (attributes.get("title"), attributes.get("name"), attributes.get("src")))
                )
            )
        elif tag == "input":
            if (attributes.get("type") or "").lower() in BUTTONS:
                self._alternative(attributes.get("value") or attributes.get("alt"))
        elif tag == "meta":
            take_meta(self.page, attributes)
        elif tag == "base":
            if self.page.base is None and "href" in attributes:
                self.page.base = attributes["href"] or ""
        elif tag == "html":
            self.page.language = (attributes.get("lang") or attributes.get("xml:lang") or "").strip()
        elif tag == "head":
            self._in_head += 1
            self._special = True
        elif tag == "svg":
            self._in_picture += 1
        elif tag == "noframes":
            self._raw_frames = self._special = True

    def end_element(self, tag: str) -> None:
        if tag == "a":
            if self._links and self._links.pop():
                self._leave(2)
                self._end_link()
            return
        if tag in EMPHASIS_TAGS:
            self._leave(1)
            if tag not in INLINE:
                self.part()
            return
        if tag == "title":
            if self._title is not None:
                self.page.title = title_of("".join(self._title))
                self._title_done = True
                self._title = None
        elif tag in HEADING_TAGS:
            self._leave(3)
        elif tag == "head":
            self._in_head -= 1
        elif tag == "svg":
            self._in_picture -= 1
        elif tag == "noframes":
            self._raw_frames = False
        self._special = bool(self._in_head) or self._raw_frames
        self.part()

    def part(self) -> None:
        if not self._parted:
            self._run.append("\n")
            self._parted = True
            if self._link_text is not None:
                self._link_text.append(" ")

    def characters(self, text: str) -> None:
        if self._special:
            self._special_characters(text)
            return
        if self._parted:
            if text.isspace():
                return
            self._parted = False
        if self._class != self._run_class:
            self._end_piece()
            self._run_class = self._class
        self._run.append(text)
        if self._link_text is not None:
            self._link_text.append(text)

    def _special_characters(self, text: str) -> None:
        if self._title is not None:
            self._title.append(text)
        elif self._raw_frames and "<" in text:
            # what a frameset offers to readers without frames comes as one raw text
            self._raw_frames = self._special = False
            parse_html(text, self)
        elif not self._in_head:
            self._append(text, self._class)
            self._parted = False

    def finish(self) -> PageText:
        """Return the page; to be called once, after the last event."""
        self._end_piece()
        self.page.marked, self.page.classes = join_pieces(self._pieces)
        # not kept here: parsers hold on to what they send events to, until Python looks for such circles
        page, self.page, self._pieces = self.page, PageText(), []
        return page

    def _end_piece(self) -> None:
        if self._run:
            self._pieces.append(("".join(self._run), self._run_class))
            self._run = []

    def _begin_link(self, href: str, attributes: Any) -> None:
        self._end_link()  # links do not nest
        rel = attributes.get("rel")
        if len(self.page.links) < MAX_LINKS and is_followed(rel):
            self._link, self._link_text = href, []

    def _end_link(self, text: str | None = None) -> None:
        if self._link_text is not None:
            text = "".join(self._link_text) if text is None else text
            self.page.links.append((self._link, link_text(text)))
            self._link_text = None

    def _append(self, text: str, element: int) -> None:
        if element != self._run_class:
            self._end_piece()
            self._run_class = element
        self._run.append(text)

    def _enter(self, rank: int) -> None:
        self._open[rank] += 1
        self._choose()

    def _leave(self, rank: int) -> None:
        if self._open[rank]:
            self._open[rank] -= 1
        self._choose()

    def _choose(self) -> None:
        if self._open[3]:
            self._class = HEADING
        elif self._open[2]:
            self._class = ANCHOR
        elif self._open[1]:
            self._class = EMPHASIS
        else:
            self._class = BODY

    def _alternative(self, text: str | None) -> None:
        self.part()
        if text:
            self._append(text, ALT)
            if self._link_text is not None:
                self._link_text.append(text)
            self._parted = False
            self.part()


def join_pieces(pieces: Sequence[tuple[str, int]]) -> tuple[str, list[int]]:
    """Return (marked, classes) of a PageText from pieces and the elements they belong to."""
    if not pieces:
        return "", [BODY]
    return MARK.join([text.replace(MARK, " ") for text, _ in pieces]), [element for _, element in pieces]


def title_of(text: str) -> str | None:
    """Return the text of a title element with white space folded, None when there is none."""
    return _SPACES.sub(" ", text).strip() or None


def link_text(text: str) -> str:
    """Return the text of a link as it is kept."""
    return " ".join(text.replace(MARK, " ").split())[:MAX_LINK_TEXT]


def is_followed(rel: str | None) -> bool:
    """Tell whether a page vouches for what it links to, by the rel attribute of the link."""
    return not (rel and _NO_FOLLOW.search(rel))


def take_meta(page: PageText, attributes: Any) -> None:
    """Take in what a meta element says of a page; `attributes` has get(name) -> str | None."""
    name = (attributes.get("name") or attributes.get("property") or "").strip().lower()
    content = attributes.get("content") or ""
    if name == "description" or (name == "og:description" and not page.description):
        page.description = content
    elif name == "keywords":
        page.keywords = content
    elif name == "robots":
        page.robots = content
    elif (attributes.get("http-equiv") or "").strip().lower() == "content-language" and not page.language:
        page.language = content.split(",")[0].strip()


def collect_page(html: str) -> PageText:
    """Return the element texts of an HTML page; empty ones for a page without text."""
    collector = ElementCollector()
    parse_html(html, collector)
    return collector.finish()
