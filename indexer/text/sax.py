"""HTML as a stream of events: start_element, characters, end_element, and part between blocks.

The tree is built by Lexbor (through selectolax), which repairs markup the way
browsers do, and is then walked once, without recursion. Pages that open many
elements without closing them would cost Lexbor time that grows with the square
of the depth; they go through libxml2's SAX parser instead, which is linear.
"""

from __future__ import annotations

from typing import Any, Protocol

from lxml import etree
from selectolax.lexbor import LexborHTMLParser

# Elements whose contents are never text of the page.
SKIPPED = frozenset({"script", "style", "template", "iframe", "noembed", "-comment", "!doctype"})
# Elements that do not part words: "foo<b>bar</b>" reads as one word. All others are blocks.
INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "blink", "cite", "code", "data", "del", "dfn", "em", "font", "i",
    "ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong",
    "sub", "sup", "time", "tt", "u", "var", "wbr",
})
_SKIP, _PASS, _PART, _TELL = range(4)

# 10,000 open elements cost Lexbor about 0.1 s, 100,000 about 13 s.
_TOO_DEEP = 8000


class Handler(Protocol):
    """What parse_html calls, in document order."""

    # Tags whose elements the handler wants to hear of; blocks among the others only part the text.
    tags: frozenset[str]

    def start_element(self, tag: str, attributes: Any) -> None:
        """An element of `tags` begins; `attributes` has get(name) -> str | None."""

    def end_element(self, tag: str) -> None:
        """The element of `tags` begun last of those still open ends."""

    def part(self) -> None:
        """A block begins or ends here: the words on both sides are not one."""

    def characters(self, text: str) -> None:
        """Text, with references resolved; never inside a skipped element."""


def parse_html(html: str, handler: Handler) -> None:
    """Send the events of a page to `handler`. Raises nothing for any markup."""
    if html.count("<") - html.count("</") > _TOO_DEEP and _may_be_deep(html):
        _parse_deep(html, handler)
    else:
        _walk(LexborHTMLParser(html), handler)


def _may_be_deep(html: str) -> bool:
    """Tell whether more elements stay open than Lexbor can take; void elements do not count."""
    lower = html.lower()
    void = sum(lower.count(tag) for tag in ("<br", "<img", "<hr", "<input", "<meta", "<link", "<!--", "<li", "<p", "<td",
                                            "<tr", "<option", "<area", "<param", "<dt", "<dd", "<col"))
    return html.count("<") - html.count("</") - void + lower.count("<p") // 2 > _TOO_DEEP


def _kinds(handler: Handler) -> dict[str, int]:
    """Return what to do at each tag; tags that are not in it part the text."""
    kinds = dict.fromkeys(INLINE, _PASS)
    kinds.update(dict.fromkeys(handler.tags, _TELL))
    kinds.update(dict.fromkeys(SKIPPED, _SKIP))
    return kinds


def _walk(parser: LexborHTMLParser, handler: Handler) -> None:
    start, end, part, characters = handler.start_element, handler.end_element, handler.part, handler.characters
    kind_of = _kinds(handler).get
    node = parser.root
    if node is None:
        return
    open_elements: list[tuple[Any, int]] = []
    while True:
        if node.is_text_node:
            characters(node.text_content or "")
        else:
            tag = node.tag
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
                end(node.tag)
            following = node.next
        node = following


class _DeepTarget:
    """The same events from libxml2."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._kinds = _kinds(handler)
        self._inside_skipped = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = self._kinds.get(tag, _PART)
        if self._inside_skipped or kind == _SKIP:
            self._inside_skipped += 1
        elif kind == _TELL:
            self._handler.start_element(tag, attributes)
        elif kind == _PART:
            self._handler.part()

    def end(self, tag: str) -> None:
        kind = self._kinds.get(tag, _PART)
        if self._inside_skipped:
            self._inside_skipped -= 1
        elif kind == _TELL:
            self._handler.end_element(tag)
        elif kind == _PART:
            self._handler.part()

    def data(self, text: str) -> None:
        if not self._inside_skipped:
            self._handler.characters(text)

    def close(self) -> None:
        return None


def _parse_deep(html: str, handler: Handler) -> None:
    parser = etree.HTMLParser(target=_DeepTarget(handler), huge_tree=True)
    # XML forbids NUL and lone surrogates; lxml refuses a str that holds them
    parser.feed(html.replace("\0", "").encode("utf-8", "replace").decode("utf-8"))
    parser.close()
