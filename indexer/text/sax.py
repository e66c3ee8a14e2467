"""HTML as a stream of events: start_element, characters, end_element.

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

_NO_ATTRIBUTES: dict[str, str] = {}

# 10,000 open elements cost Lexbor about 0.1 s, 100,000 about 13 s.
_TOO_DEEP = 8000


class Handler(Protocol):
    """What parse_html calls, in document order."""

    # Tags whose attributes the handler looks at; for others `attributes` is empty.
    attribute_tags: frozenset[str]

    def start_element(self, tag: str, attributes: Any) -> None:
        """An element begins; `attributes` has get(name) -> str | None."""

    def end_element(self, tag: str) -> None:
        """The element begun last of those still open ends."""

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


def _walk(parser: LexborHTMLParser, handler: Handler) -> None:
    start, end, characters = handler.start_element, handler.end_element, handler.characters
    wanted = handler.attribute_tags
    node = parser.root
    if node is None:
        return
    open_elements: list[tuple[Any, str]] = []
    while True:
        if node.is_text_node:
            characters(node.text_content or "")
        else:
            tag = node.tag
            if tag not in SKIPPED:
                start(tag, node.attrs if tag in wanted else _NO_ATTRIBUTES)
                child = node.first_child
                if child is not None:
                    open_elements.append((node, tag))
                    node = child
                    continue
                end(tag)
        following = node.next
        while following is None:
            if not open_elements:
                return
            node, tag = open_elements.pop()
            end(tag)
            following = node.next
        node = following


class _DeepTarget:
    """The events of libxml2, without those inside skipped elements."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._inside_skipped = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._inside_skipped or tag in SKIPPED:
            self._inside_skipped += 1
        else:
            self._handler.start_element(tag, attributes)

    def end(self, tag: str) -> None:
        if self._inside_skipped:
            self._inside_skipped -= 1
        else:
            self._handler.end_element(tag)

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
