"""A parsed page as what is sent of it at once and the tags between that are judged; for `rewrite.py` and `marks.py`.

A step in Python for each node of a tree was most of what a cached page cost. Lexbor writes a tree in a
thousandth of that, always in one form, and the core takes that apart (indexer/core/pieces.h): what stays as it is,
which is most of a page, is in one piece. Where Lexbor's form cannot be told apart (raw text, templates, drawings with
elements that end nowhere), the tree is walked and written in the same form here.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from indexer.core.library import CORRUPT, NO_MEMORY, OK, core
from indexer.core.tokens import Buffer, Bytes

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
_ATTRIBUTE = re.compile(rf' (=?[^{_SPACE}=/>]*)="([^"]*)"')
_MAY_BE_ODD = re.compile(r"<(?:svg|math|xmp|plaintext|template)", re.IGNORECASE)
_ODD = ", ".join([
    "xmp", "plaintext", "template", *(f"{raw} *" for raw in _EMPTIED),
    *(f"{around} {empty}" for around in sorted(FOREIGN) for empty in sorted(EMPTY)),
])  # fmt: skip
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)  # may hold what looks like a style
_BETWEEN = "\x00"  # between the pieces; stands in none of them


class _Links(ctypes.Structure):
    """struct fa_links."""

    _fields_ = [("start", Bytes), ("folder", Bytes), ("origin", ctypes.c_size_t), ("page", Bytes)]


core.fa_visible_text.argtypes = [Bytes, ctypes.c_size_t, ctypes.POINTER(Buffer)]
core.fa_page_pieces.argtypes = [
    Bytes, ctypes.c_void_p, ctypes.c_size_t, Bytes, Bytes, ctypes.POINTER(_Links), ctypes.POINTER(Buffer)
]  # fmt: skip


class PlainLinks(NamedTuple):
    """How links are written that nothing has to be put right in.

    start: what addresses of our pages begin with, up to their time. origin, folders: of the address that links are
    relative to; folders: "" or with "/" behind each. page: links to places of it stay there; "" for none. All are ASCII
    that stands in attributes as it is.
    """

    start: str
    origin: str
    folders: str
    page: str


def _bytes_of(text: str) -> Bytes:
    written = text.encode("utf-8", "replace")
    return Bytes(written, len(written))


class Pieces:
    """A page in the form that pieces.h tells of. Elements of raw text are empty.

    sheets: the texts of those named style, in their order.
    """

    def __init__(self, root: LexborNode, sheets: list[str] | None) -> None:
        """sheets: what was taken out of the tree; None where the form of Lexbor cannot be told apart."""
        self.sheets: list[str] = []
        form = root.html or "" if sheets is not None else ""
        if sheets is None or _styles_in(form) != len(sheets):
            form = _walked(root, self.sheets, sheets)
            self._root: LexborNode | None = None
        else:
            self.sheets, self._root = sheets, root
        self._form = form.encode("utf-8", "replace")

    def visible_text(self, most: int) -> str:
        """Return what a reader sees of the text, at most so many characters; "\n" where words are parted."""
        return self._taken(core.fa_visible_text, most)

    def split(
        self,
        marks: Sequence[tuple[int, int]] = (),
        start: str = "",
        name: str = "",
        links: PlainLinks | None = None,
    ) -> list[str]:
        """Return text, tag, text ... as they are sent, but for the tags.

        marks: (start, end) in the visible text, rising and apart. start, name: what each begins with, and its id less
        the number. links: how those that are plain are written; without it they are among the tags, too.
        """
        flat = (ctypes.c_uint32 * (2 * len(marks)))(*[place for mark in marks for place in mark])
        if links is not None:
            folder = _bytes_of(f"{links.origin}/{links.folders}")
            base = _Links(_bytes_of(links.start), folder, len(links.origin) + 1, _bytes_of(links.page))
        written = self._taken(
            core.fa_page_pieces,
            flat,
            len(marks),
            _bytes_of(start),
            _bytes_of(f' id="{name}'),
            None if links is None else base,
        )
        return written.split(_BETWEEN)

    def _taken(self, function: Any, *given: object) -> str:
        """Return what a function of the core tells of the page. Raises MemoryError."""
        buffer = Buffer()
        try:
            status = function(Bytes(self._form, len(self._form)), *given, buffer)
            if status == CORRUPT and self._root is not None:
                sheets, self.sheets = self.sheets, []
                self._form = _walked(self._root, self.sheets, sheets).encode("utf-8", "replace")
                self._root = None
                return self._taken(function, *given)
            if status == NO_MEMORY:
                raise MemoryError
            if status != OK:
                raise ValueError("a page is not written in the form that it was read in")
            return ctypes.string_at(buffer.data, buffer.size).decode() if buffer.size else ""
        finally:
            core.fa_pieces_free(buffer)


def pieces_of(tree: LexborHTMLParser, root: LexborNode, html: str) -> Pieces:
    """Return the pieces of a page. html: what the tree was made of; of no use for anything else then."""
    if _MAY_BE_ODD.search(html) is not None and tree.css_matches(_ODD):
        return Pieces(root, None)
    return Pieces(root, _take_out_raw_text(tree))


def _styles_in(form: str) -> int:
    if "<style" not in form:
        return 0
    if "<!--" in form:
        form = _COMMENT.sub("", form)
    return form.count("<style>") + form.count("<style ")


def _take_out_raw_text(tree: LexborHTMLParser) -> list[str]:
    """Leave elements of raw text empty; return what stood in those named style. None may hold an element."""
    sheets = []
    for node in tree.css(", ".join(_EMPTIED)):
        if node.tag == "style":
            sheets.append(node.text(deep=True))
        for child in list(node.iter(include_text=True)):
            child.remove()
    return sheets


def _walked(root: LexborNode, sheets: list[str], taken_out: list[str] | None) -> str:
    """Return a tree as Lexbor would write it, node by node; its sheets are put behind `sheets`.

    An element of a drawing that has an end tag here, but is written without one, is `<name a="value"/>`.
    taken_out: sheets that were taken out of the tree, in their order.
    What is kept for each open element is its end tag alone: a page may open a quarter of a million of them.
    """
    written: list[str] = []
    ends: list[str] = []
    left = iter(taken_out or ())
    foreign = 0
    node: LexborNode | None = root
    while node is not None:
        name = node.tag or "-"
        end: str | None = None  # None: nothing inside is told
        if name == "-text":
            written.append(_as_text(node.text_content or ""))
        elif name[0] == "-" or name == "template":
            written.append(NOTHING)
        else:
            if name.lower() == "style" and TAG_NAME.fullmatch(name):
                sheets.append(node.text(deep=True) if taken_out is None else next(left, ""))
            end = _open(written, node, name, foreign)
        below = node.first_child if end is not None else None
        if end is not None and below is not None:
            foreign += name.lower() in FOREIGN
            ends.append(end)
            node = below
            continue
        written.append(end or "")
        while ends and node is not None and (behind := node.next) is None:
            node = node.parent
            end = ends.pop()
            foreign -= end[2:-1].lower() in FOREIGN
            written.append(end)
        node = behind if ends else None
    return "".join(written)


def _open(written: list[str], node: LexborNode, name: str, foreign: int) -> str | None:
    """Write the start of an element; return its end tag, None when nothing inside is told."""
    lower = name.lower()
    if not TAG_NAME.fullmatch(name):
        written.append(NOTHING)
        return NOTHING
    start = f"<{name}" + "".join(
        f' {key}="{_as_value(value or "")}"' for key, value in node.attributes.items()
    )
    if lower in _EMPTIED:
        written.append(f"{start}></{name}>")
        return None
    if lower in EMPTY and not foreign:
        written.append(f"{start}>")
        return None
    written.append(f"{start}/>" if lower in EMPTY else f"{start}>")
    return f"</{name}>"


def _as_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("\xa0", "&nbsp;").replace("<", "&lt;").replace(">", "&gt;")


def _as_value(value: str) -> str:
    return _as_text(value).replace('"', "&quot;")


def plain(written: str) -> str:
    """Return a value without the references that stand for signs in it."""
    if "&" not in written:
        return written
    return (
        written.replace("&nbsp;", "\xa0")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", '"')
        .replace("&amp;", "&")
    )


def attributes_of(tag: str) -> dict[str, str | None]:
    """Return the attributes of a tag in their order; a value that is empty or missing is ""."""
    return {name: plain(value) for name, value in _ATTRIBUTE.findall(tag)}


@lru_cache(maxsize=4096)
def _name(start: str) -> str:
    found = TAG_NAME.fullmatch(start.lstrip("</").rstrip("/>"))
    return found[0] if found else ""


def name_of(tag: str) -> str:
    """Return the name of a start tag or an end tag, as it is written; "" for one that is none of ours."""
    return _name(tag.partition(" ")[0][:100])
