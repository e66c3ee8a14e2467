"""HTML as a stream of events: start_element, characters, end_element, and part between blocks.

The tree is built by Lexbor (through selectolax), which repairs markup the way
browsers do, and is then walked once, without recursion. Some pages would cost
Lexbor too much time or memory; they go through libxml2's SAX parser instead,
which mends markup less like a browser, but in one pass and without a tree.
"""

from __future__ import annotations

import re
from typing import Any, Protocol

import numpy as np
from lxml import etree
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser

from indexer.text.elements import INLINE, SKIPPED

_SKIP, _PASS, _PART, _TELL = range(4)

# An element of the tree takes about 200 bytes.
_MAX_TAGS = 200_000
# Lexbor compares each attribute name of a tag with all before it: 200,000 of them took 75 s.
_HUGE_TAG_BYTES = 12000
_HUGE_TAG = re.compile(rb"<[^<>]{%d}" % _HUGE_TAG_BYTES)
# It walks its stack of open blocks for each new one (100,000 open: 13 s), and writes all open formatting
# elements again into each new paragraph (3,000 times `<font id=N><p>`: 40 kB of page, 1.5 GB of tree).
_MAX_BLOCK_DEPTH, _MAX_FORMATTING_DEPTH = 2000, 256
_FORMATTING = (
    "a",
    "b",
    "big",
    "code",
    "em",
    "font",
    "i",
    "nobr",
    "s",
    "small",
    "strike",
    "strong",
    "tt",
    "u",
)
# Tags that hold nothing, or that the next of their kind closes.
_NOT_NESTING = ("!--", "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta",
                "option",
                "p", "param", "source", "td", "th", "tr", "track", "wbr")  # fmt: skip


_NOTHING, _NESTING, _FORMAT, _FLAT = range(4)
_LETTER = np.zeros(256, dtype=np.int16)  # each byte of a tag's name, 0 for what ends the name
for _byte in b"abcdefghijklmnopqrstuvwxyz":
    _LETTER[_byte] = _LETTER[_byte - 32] = _byte - ord("a") + 1
_LETTER[ord("!")], _LETTER[ord("-")] = 27, 28


def _tag_kinds() -> NDArray[np.uint8]:
    """Return the kind of a tag by the first three letters of its name; enough to tell tags apart here."""
    kinds = np.full((32, 32, 32), _NESTING, dtype=np.uint8)
    kinds[0] = _NOTHING
    for names, kind in ((_NOT_NESTING, _FLAT), (_FORMATTING, _FORMAT)):
        for name in names:
            first, second, third = (int(_LETTER[byte]) for byte in name.encode()[:3].ljust(3, b"\0"))
            if second:
                kinds[first, second, third] = kind
            else:
                kinds[first, 0] = kind  # whatever comes after the end of the name
    return kinds.ravel()


_TAG_KINDS = _tag_kinds()


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
    data = html_bytes(html)
    if costs_lexbor_too_much(data):
        _parse_streaming(html, handler)
    else:
        _walk(LexborHTMLParser(data), handler)


def html_bytes(html: str) -> bytes:
    """Return markup as Lexbor reads it."""
    return html.encode("utf-8", "ignore")


def costs_lexbor_too_much(data: bytes) -> bool:
    """Tell whether a page (in UTF-8) is nested so deep that building its tree would take far longer than it should."""
    column = np.frombuffer(b"".join((data, bytes(5))), dtype=np.uint8)
    at = np.flatnonzero(column == ord("<")) + 1
    if len(at) > _MAX_TAGS:
        return True
    longest = int(np.diff(at, prepend=0, append=len(data)).max())
    if longest > _HUGE_TAG_BYTES and _HUGE_TAG.search(data):
        return True
    if len(at) < 2 * _MAX_FORMATTING_DEPTH:
        return False
    closes = column[at] == ord("/")
    at += closes
    # names of less than three letters are read over their end: _tag_kinds makes nothing of that
    code = _LETTER[column[at]] << 5
    code |= _LETTER[column[at + 1]]
    code <<= 5
    code |= _LETTER[column[at + 2]]
    kind = _TAG_KINDS[code]
    return any(
        np.count_nonzero((kind == chosen) & ~closes) > limit
        and _greatest_rise(np.where(closes[kind == chosen], -1, 1)) > limit
        for chosen, limit in ((_FORMAT, _MAX_FORMATTING_DEPTH), (_NESTING, _MAX_BLOCK_DEPTH))
    )


def _greatest_rise(steps: NDArray[np.int64]) -> int:
    if not len(steps):
        return 0
    depth = np.concatenate([[0], np.cumsum(steps)])
    # an end tag without a start tag closes nothing: the depth never falls below 0
    return int((depth - np.minimum.accumulate(depth)).max())


def _kinds(handler: Handler) -> dict[str, int]:
    """Return what to do at each tag; tags that are not in it part the text."""
    kinds = dict.fromkeys(INLINE, _PASS)
    kinds.update(dict.fromkeys(SKIPPED, _SKIP))
    kinds.update(dict.fromkeys(handler.tags, _TELL))
    return kinds


def _walk(parser: LexborHTMLParser, handler: Handler) -> None:
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


class _StreamTarget:
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


def _parse_streaming(html: str, handler: Handler) -> None:
    parser = etree.HTMLParser(target=_StreamTarget(handler), huge_tree=True)
    # XML forbids NUL and lone surrogates; lxml refuses a str that holds them
    parser.feed(html.replace("\0", "").encode("utf-8", "replace").decode("utf-8"))
    parser.close()
