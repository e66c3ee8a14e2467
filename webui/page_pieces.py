"""A parsed page as the list of its tags and of the texts between them; what `rewrite.py` and `marks.py` work on.

A step in Python for each node of a tree was most of what a cached page cost. Lexbor writes a tree in a
thousandth of that, always in one form, and one regular expression takes that apart: what is done then for each tag is
a look into a dictionary, for most tags of a page stand there many times. Where Lexbor's form cannot be told apart (raw
text, templates, drawings with elements that end nowhere), the tree is walked and written in the same form here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

# Elements that have no end tag.
EMPTY = frozenset({
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link",
    "meta", "param", "source", "track", "wbr",
})  # fmt: skip
FOREIGN = frozenset({"svg", "math"})
TAG_NAME = re.compile(r"[a-zA-Z][\w:.-]*")
NOTHING = "<!---->"  # stands for what is not written, but parts words
# What is raw text, or a page of its own, is left out; that of style sheets is kept beside.
_EMPTIED = ("script", "style", "iframe", "noembed", "noframes")
_SPACE = r" \t\n\f\r"
_TAG = re.compile(
    r"(<(?:/[a-zA-Z][\w:.-]*"
    rf'|[a-zA-Z][\w:.-]*(?: =?[^{_SPACE}=/>]*="[^"]*")*'
    r"|!--.*?--|\?[^>]*)>)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(rf' (=?[^{_SPACE}=/>]*)="([^"]*)"')
_MAY_BE_ODD = re.compile(r"<(?:svg|math|xmp|plaintext|template)", re.IGNORECASE)
_ODD = ", ".join([
    "xmp", "plaintext", "template", *(f"{raw} *" for raw in _EMPTIED),
    *(f"{around} {empty}" for around in sorted(FOREIGN) for empty in sorted(EMPTY)),
])  # fmt: skip
_BETWEEN = "\x00"  # stands in no text: parsers put another sign in its place


@dataclass(slots=True)
class Pieces:
    """texts: as Lexbor writes them, the first before the first tag, each other behind a tag, so one more than tags.

    tags: `<name a="value">`, `</name>`, or what is not written (comments). `<name a="value"/>`: an element of a drawing
    that has an end tag here, but is written without one. Elements of raw text are empty; sheets: the texts of those
    named style, in their order.
    """

    texts: list[str] = field(default_factory=lambda: [""])
    tags: list[str] = field(default_factory=list)
    sheets: list[str] = field(default_factory=list)


def pieces_of(tree: LexborHTMLParser, html: str) -> Pieces:
    """Return the pieces of a page. html: what the tree was made of; of no use for anything else then."""
    root = tree.root
    if root is None:
        return Pieces()
    if _MAY_BE_ODD.search(html) is not None and tree.css_matches(_ODD):
        return _walked(root, None)
    sheets = _take_out_raw_text(tree)
    return _as_lexbor_writes(root, sheets) or _walked(root, iter(sheets))


def _take_out_raw_text(tree: LexborHTMLParser) -> list[str]:
    """Leave elements of raw text empty; return what stood in those named style. None may hold an element."""
    sheets = []
    for node in tree.css(", ".join(_EMPTIED)):
        if node.tag == "style":
            sheets.append(node.text(deep=True))
        for child in list(node.iter(include_text=True)):
            child.remove()
    return sheets


def _as_lexbor_writes(root: LexborNode, sheets: list[str]) -> Pieces | None:
    """Return the pieces as Lexbor writes them, None where they cannot be told apart."""
    written = _TAG.split(root.html or "")
    texts, tags = written[::2], written[1::2]
    styles = [tag for tag in tags if tag[:6] == "<style" and tag[6] in " >"]
    if "<" in _BETWEEN.join(texts) or len(styles) != len(sheets):
        return None
    return Pieces(texts, tags, sheets)


def _walked(root: LexborNode, sheets: Iterator[str] | None) -> Pieces:
    """Return the pieces of a tree, node by node. sheets: those that were taken out of it, in their order.

    What is kept for each open element is its end tag alone: a page may open a quarter of a million of them.
    """
    pieces = Pieces()
    ends: list[str] = []
    foreign = 0
    node: LexborNode | None = root
    while node is not None:
        name = node.tag or "-"
        end: str | None = None  # None: nothing inside is told
        if name == "-text":
            pieces.texts[-1] += _as_text(node.text_content or "")
        elif name[0] == "-" or name == "template":
            _add_tag(pieces, NOTHING)
        else:
            end = _open(pieces, node, name, foreign, sheets)
        below = node.first_child if end is not None else None
        if end is not None and below is not None:
            foreign += name.lower() in FOREIGN
            ends.append(end)
            node = below
            continue
        if end:
            _add_tag(pieces, end)
        while ends and node is not None and (behind := node.next) is None:
            node = node.parent
            end = ends.pop()
            foreign -= end[2:-1].lower() in FOREIGN
            _add_tag(pieces, end)
        node = behind if ends else None
    return pieces


def _open(
    pieces: Pieces, node: LexborNode, name: str, foreign: int, sheets: Iterator[str] | None
) -> str | None:
    """Add the start of an element; return its end tag, None when nothing inside is told."""
    lower = name.lower()
    if not TAG_NAME.fullmatch(name):
        _add_tag(pieces, NOTHING)
        return NOTHING
    start = f"<{name}" + "".join(
        f' {key}="{_as_value(value or "")}"' for key, value in node.attributes.items()
    )
    if lower in _EMPTIED:
        if lower == "style":
            pieces.sheets.append(node.text(deep=True) if sheets is None else next(sheets, ""))
        _add_tag(pieces, f"{start}>")
        _add_tag(pieces, f"</{name}>")
        return None
    if lower in EMPTY and not foreign:
        _add_tag(pieces, f"{start}>")
        return None
    _add_tag(pieces, f"{start}/>" if lower in EMPTY else f"{start}>")
    return f"</{name}>"


def _add_tag(pieces: Pieces, tag: str) -> None:
    pieces.tags.append(tag)
    pieces.texts.append("")


def _as_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("\xa0", "&nbsp;").replace("<", "&lt;").replace(">", "&gt;")


def _as_value(value: str) -> str:
    return _as_text(value).replace('"', "&quot;")


def plain(written: str) -> str:
    """Return a text or a value, or several at once, without the references that stand for signs in it."""
    if "&" not in written:
        return written
    return (
        written.replace("&nbsp;", "\xa0")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", '"')
        .replace("&amp;", "&")
    )


def plain_all(written: list[str]) -> list[str]:
    """Return several texts at once without references; see `plain`."""
    return plain(_BETWEEN.join(written)).split(_BETWEEN)


def attributes_of(tag: str) -> dict[str, str | None]:
    """Return the attributes of a tag in their order; a value that is empty or missing is ""."""
    return {name: plain(value) for name, value in _ATTRIBUTE.findall(tag)}


@lru_cache(maxsize=4096)
def _name(start: str) -> str:
    found = TAG_NAME.match(start, 2 if start[1] == "/" else 1)
    return found[0] if found else ""


def name_of(tag: str) -> str:
    """Return the name of a start tag or an end tag, as it is written; "" for what is not written."""
    return _name(tag.partition(" ")[0][:100])
