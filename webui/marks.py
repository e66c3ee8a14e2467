"""Marks the words of a query inside an archived page, while it is rewritten; used by `rewrite.py`.

Each place becomes a `mark` element with an id of its own, so that links outside the
frame can lead to it without any script. Marks stand in text that a reader sees: never
in scripts, styles, attributes, titles, form fields or drawings.
"""

from __future__ import annotations

from bisect import bisect_right

from selectolax.lexbor import LexborHTMLParser, LexborNode

from indexer.search.marking import Marker, Span
from indexer.text.detection import language_of
from indexer.text.elements import INLINE, PageText

MARK_ID = "finding-aid-hit-"
MAX_MARKS = 1_000
MAX_MARKED_CHARS = 2_000_000
_STYLE = "background:#ffe58a !important;color:#1c1f23 !important"
_SHEET = "mark.finding-aid-hit:target{outline:3px solid #7a4b00 !important;outline-offset:1px}"
# Text in these is no text of the page, or may hold no element.
_UNMARKED = frozenset({"script", "style", "title", "textarea", "option", "optgroup", "select", "datalist", "iframe",
                       "noembed", "noframes", "xmp", "plaintext", "template", "head", "svg", "math", "audio", "video",
                       "canvas", "progress", "meter"})  # fmt: skip

_Surroundings = tuple[bool, int]
# where a mark begins and ends in a text node, and its number; 0 for the rest of a word that began in the node before
_Inside = tuple[int, int, int]


def mark_words(tree: LexborHTMLParser, marker: Marker) -> int:
    """Mark what the query looks for in the tree and return how many places there are."""
    root = tree.root
    if root is None or not marker:
        return 0
    nodes, text = _visible_text(root)
    language = _language(root, text)
    spans = marker.spans(text, language, MAX_MARKS)
    if not spans:
        return 0
    for place, inside in _spans_by_node(nodes, spans).items():
        node, _, own = nodes[place]
        _mark_node(tree, node, own, inside)
    if tree.head is not None:
        sheet = tree.create_node("style")
        sheet.insert_child(_SHEET)
        tree.head.insert_child(sheet)
    return len(spans)


def _spans_by_node(nodes: list[tuple[LexborNode, int, str]], spans: list[Span]) -> dict[int, list[_Inside]]:
    """Return for each node that holds some of them the parts of spans inside."""
    found: dict[int, list[_Inside]] = {}
    starts = [start for _, start, _ in nodes]
    for number, (low, high) in enumerate(spans, 1):
        place = max(bisect_right(starts, low) - 1, 0)
        while place < len(nodes) and starts[place] < high:
            start, own = starts[place], nodes[place][2]
            begin, end = max(low - start, 0), min(high - start, len(own))
            if begin < end:
                found.setdefault(place, []).append((begin, end, number if low >= start else 0))
            place += 1
    return found


def _visible_text(root: LexborNode) -> tuple[list[tuple[LexborNode, int, str]], str]:
    """Return the text nodes with their place in the whole text, and its first MAX_MARKED_CHARS; blocks part words."""
    nodes: list[tuple[LexborNode, int, str]] = []
    pieces: list[str] = []
    known: dict[int, _Surroundings] = {}
    length = 0
    block = -1
    parted = True
    for node in root.traverse(include_text=True):
        if not node.is_text_node:
            parted = parted or (node.tag or "") not in INLINE
            continue
        own = node.text_content or ""
        if not own or own.isspace():
            parted = parted or bool(own)
            continue
        is_hidden, own_block = _surroundings(node, known)
        if is_hidden:
            continue
        if parted or own_block != block:
            pieces.append("\n")
            length += 1
        block, parted = own_block, False
        nodes.append((node, length, own))
        pieces.append(own[: MAX_MARKED_CHARS - length])
        length += len(own)
        if length >= MAX_MARKED_CHARS:
            break
    return nodes, "".join(pieces)


def _surroundings(node: LexborNode, known: dict[int, _Surroundings]) -> _Surroundings:
    """Return whether text of a node is left unmarked, and the number of the block that it stands in.

    known: what was found out about elements before, by their number.
    """
    above: list[LexborNode] = []
    found = (False, 0)
    parent = node.parent
    while parent is not None:
        if parent.mem_id in known:
            found = known[parent.mem_id]
            break
        above.append(parent)
        parent = parent.parent
    for element in reversed(above):
        tag = element.tag or ""
        found = (
            found[0] or tag in _UNMARKED,
            found[1] if tag in INLINE else element.mem_id,
        )
        known[element.mem_id] = found
    return found


def _language(root: LexborNode, text: str) -> str:
    declared = (root.attributes.get("lang") or root.attributes.get("xml:lang") or "").strip()
    return language_of(PageText(language=declared, marked=text))


def _mark_node(tree: LexborHTMLParser, node: LexborNode, text: str, spans: list[_Inside]) -> None:
    """Put mark elements into one text node."""
    at = 0
    for low, high, number in spans:
        if low > at:
            node.insert_before(text[at:low])
        mark = tree.create_node("mark")
        mark.attrs["class"] = "finding-aid-hit"
        mark.attrs["style"] = _STYLE
        if number:
            mark.attrs["id"] = f"{MARK_ID}{number}"
        mark.insert_child(text[low:high])
        node.insert_before(mark)
        at = high
    if at < len(text):
        node.insert_before(text[at:])
    node.decompose()
