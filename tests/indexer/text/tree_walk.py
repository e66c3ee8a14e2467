"""The plain way to the element texts of a page, which the core's reader is held against: Lexbor's tree, walked once.

It is slow, and on pages that nest thousands of elements very slow; nothing of the product uses it.
"""

from __future__ import annotations

import re
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from indexer.text.elements import (
    ALT,
    ANCHOR,
    BODY,
    BUTTONS,
    EMPHASIS,
    EMPHASIS_TAGS,
    HEADING,
    HEADING_TAGS,
    INLINE,
    MARK,
    MAX_LINK_TEXT,
    MAX_LINKS,
    SKIPPED,
    PageText,
)
from tests.indexer.page_structs import join_pieces

_SKIP, _PASS, _PART, _TELL = range(4)
_SPACES = re.compile(r"\s+")
_NO_FOLLOW = re.compile(r"\b(?:nofollow|ugc|sponsored)\b", re.IGNORECASE)


def walked_page(html: str, *, paragraphs: bool = False) -> PageText:
    """Return the element texts of an HTML page, as `indexer.text.pages.collect_page` does."""
    collector = ParagraphCollector() if paragraphs else ElementCollector()
    parse_html(html, collector)
    return collector.finish()


def parse_html(html: str, handler: Any) -> None:
    """Send the events of a page to `handler`: start_element, end_element, characters, and part between blocks."""
    _walk(LexborHTMLParser(html.encode("utf-8", "ignore")), handler)


def _kinds(handler: Any) -> dict[str, int]:
    """Return what to do at each tag; tags that are not in it part the text."""
    kinds = dict.fromkeys(INLINE, _PASS)
    kinds.update(dict.fromkeys(SKIPPED, _SKIP))
    kinds.update(dict.fromkeys(handler.tags, _TELL))
    return kinds


def _walk(parser: LexborHTMLParser, handler: Any) -> None:
    start, end, part, characters = (
        handler.start_element,
        handler.end_element,
        handler.part,
        handler.characters,
    )
    kind_of = _kinds(handler).get
    node = parser.root
    if node is None:
        return
    open_elements: list[tuple[Any, int]] = []
    while True:
        if node.is_text_node:
            characters(node.text_content or "")
        else:
            tag = node.tag or ""
            kind = kind_of(tag, _PART)
            if kind:
                if kind == _PART:
                    part()
                elif kind == _TELL:
                    start(tag, node.attrs)
                child = node.first_child
                if child is not None:
                    open_elements.append((node, kind))
                    node = child
                    continue
                if kind == _TELL:
                    end(tag)
        following = node.next
        while following is None:
            if not open_elements:
                return
            node, kind = open_elements.pop()
            if kind == _PART:
                part()
            elif kind == _TELL:
                end(node.tag or "")
            following = node.next
        node = following


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
        self._language_known = False
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
        elif tag == "html" and not self._language_known:
            self._language_known = True  # those in noframes, drawings and formulas say nothing of the page
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


class ParagraphCollector(ElementCollector):
    """Collects text for readers: line feeds of the markup are blanks, but for preformatted text."""

    tags = ElementCollector.tags | {"pre"}

    def __init__(self) -> None:
        super().__init__()
        self._preformatted = 0

    def start_element(self, tag: str, attributes: Any) -> None:
        if tag == "pre":
            self._preformatted += 1
            self.part()
        else:
            super().start_element(tag, attributes)

    def end_element(self, tag: str) -> None:
        if tag == "pre":
            self._preformatted = max(0, self._preformatted - 1)
            self.part()
        else:
            super().end_element(tag)

    def characters(self, text: str) -> None:
        super().characters(text if self._preformatted else text.replace("\n", " "))


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
