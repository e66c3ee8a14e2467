"""The one reader of HTML, indexer/core/extract.c: what a page says; for index, snippets, marks and the Text view."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import POINTER, c_int, c_size_t, c_uint32, c_void_p
from typing import NamedTuple

from indexer.core.library import NO_MEMORY, OK, TOO_LARGE, core
from indexer.core.tokens import Bytes as Given
from indexer.text.elements import BODY, MARK, PageText

CUT_LINKS, CUT_NESTING, CUT_PARTS = 1, 2, 4  # enum fa_cut in page.h
_PARAGRAPHS, _PARTS = 1, 2  # enum fa_reading


class Bytes(ctypes.Structure):
    """struct fa_bytes: bytes that belong to somebody else."""

    _fields_ = (("data", c_void_p), ("size", c_size_t))

    def copy(self) -> bytes:
        """Return the bytes, b"" where there are none."""
        return ctypes.string_at(self.data, self.size) if self.size else b""

    def text(self) -> str:
        """Return the text, "" where there is none."""
        return self.copy().decode("utf-8", "replace") if self.size else ""


class Page(ctypes.Structure):
    """struct fa_page, see page.h."""

    _fields_ = (
        ("text", Bytes),
        ("pieces", c_void_p),
        ("piece_count", c_size_t),
        ("title", Bytes),
        ("description", Bytes),
        ("keywords", Bytes),
        ("language", Bytes),
        ("robots", Bytes),
        ("base", Bytes),
        ("links", c_void_p),
        ("link_count", c_size_t),
        ("cut", c_uint32),
        ("part_strings", Bytes),
        ("parts", c_void_p),
        ("part_count", c_size_t),
    )


core.fa_page_new.argtypes = ()
core.fa_page_new.restype = POINTER(Page)
core.fa_page_free.argtypes = (POINTER(Page),)
core.fa_page_free.restype = None
core.fa_page_links.argtypes = (POINTER(Page), c_void_p)
core.fa_page_links.restype = c_size_t
core.fa_page_middle.argtypes = (POINTER(Page), c_size_t)
core.fa_page_middle.restype = Bytes
core.fa_page_read.argtypes = (POINTER(Page), Given, c_uint32)
core.fa_page_read.restype = c_int


class Part(NamedTuple):
    """An element that may hold addresses: its tag in lower case, those of its attributes that matter, and its text.

    The text is that of a link, or a style sheet; else "".
    """

    tag: str
    attributes: dict[str, str]
    text: str = ""


_readers = threading.local()


class PageReader:
    """Reads one page after the other; `page` is what the last one says, as long as no other is read."""

    def __init__(self) -> None:
        self.page = core.fa_page_new()
        if not self.page:
            raise MemoryError

    def __del__(self) -> None:
        if page := getattr(self, "page", None):
            core.fa_page_free(page)

    def read(self, html: str | bytes, *, paragraphs: bool = False, parts: bool = False) -> Page:
        """Read a page; bytes are UTF-8. Raises MemoryError, and ValueError for more than 512 MiB.

        paragraphs: line feeds of the markup are blanks, but for preformatted text. parts: also what the page points to.
        """
        data = html.encode("utf-8", "ignore") if isinstance(html, str) else html
        status = core.fa_page_read(
            self.page, Given(data, len(data)), _PARAGRAPHS * paragraphs + _PARTS * parts
        )
        if status == NO_MEMORY:
            raise MemoryError
        if status == TOO_LARGE:
            raise ValueError(f"a page of {len(data)} bytes is too large")
        assert status == OK
        found: Page = self.page.contents
        return found


def text_of(html: str | bytes) -> tuple[bytes, bytes]:
    """Return the running text of a page and its description, as UTF-8."""
    with _reading(html) as page:
        return page.text.copy(), page.description.copy()


def collect_page(html: str | bytes, *, paragraphs: bool = False) -> PageText:
    """Return the element texts of an HTML page; empty ones for a page without text.

    html: bytes are UTF-8. paragraphs: for readers: a line of the text is a paragraph, or a line of preformatted text.
    """
    with _reading(html, paragraphs=paragraphs) as page:
        return page_text(page)


class PageWithParts(NamedTuple):
    """What a crawl asks of a page. title, text, base: as in PageText.

    parts: all that it points to or needs, in document order. is_cut: there are more than are taken.
    """

    title: str
    text: str
    base: str | None
    parts: list[Part]
    is_cut: bool


def collect_parts(html: str | bytes, *, with_labels: bool = False) -> PageWithParts:
    """Return what a page says, points to and needs. html: bytes are UTF-8. with_labels: links come with their text."""
    with _reading(html, parts=True) as page:
        text = page.text.copy()
        return PageWithParts(
            page.title.text(),
            text.replace(MARK.encode(), b" ").decode("utf-8", "replace"),
            page.base.text() if page.base.data else None,
            _parts(page, text if with_labels else b""),
            bool(page.cut & CUT_PARTS),
        )


_LARGE = (
    1 << 20
)  # bytes of markup from which on a reader is not kept: a server has many threads, and each its own


def own_reader() -> PageReader:
    """Return the reader of this thread, for small pages."""
    reader: PageReader | None = getattr(_readers, "reader", None)
    if reader is None:
        reader = _readers.reader = PageReader()
    return reader


@contextmanager
def _reading(html: str | bytes, *, paragraphs: bool = False, parts: bool = False) -> Iterator[Page]:
    """Read a page with the reader of this thread; what it says is there until the block ends."""
    try:
        yield own_reader().read(html, paragraphs=paragraphs, parts=parts)
    finally:
        if len(html) > _LARGE:
            _readers.reader = None


def page_text(page: Page) -> PageText:
    """Return what a page says as strings."""
    marked, classes = _pieces(page)
    return PageText(
        title=page.title.text() or None,
        description=page.description.text(),
        keywords=page.keywords.text(),
        language=page.language.text(),
        robots=page.robots.text(),
        marked=marked,
        classes=classes,
        links=_links(page),
        base=_base(page),
    )


def page_sample(page: Page, most: int) -> PageText:
    """Return the title of a page, its language and base as declared, and some of its running text, which shows it.

    most: characters of the text, from its middle, of no element in particular: a MARK in them is a blank.
    """
    return PageText(
        title=page.title.text() or None,
        language=page.language.text(),
        marked=core.fa_page_middle(page, most).text().replace(MARK, " "),
        base=_base(page),
    )


def _base(page: Page) -> str | None:
    return page.base.text() if page.base.data else None


def _pieces(page: Page) -> tuple[str, list[int]]:
    if not page.piece_count:
        return "", [BODY]
    text = page.text.copy().replace(MARK.encode(), b" ")
    numbers = (c_uint32 * (2 * page.piece_count)).from_address(page.pieces)[:]
    begins, classes = numbers[::2], numbers[1::2]
    pieces = [text[low:high] for low, high in zip(begins, [*begins[1:], len(text)], strict=True)]
    return MARK.encode().join(pieces).decode("utf-8", "replace"), classes


def _links(page: Page) -> list[tuple[str, str]]:
    if not page.link_count:
        return []
    room = ctypes.create_string_buffer(core.fa_page_links(ctypes.byref(page), None))
    core.fa_page_links(ctypes.byref(page), room)
    strings = room.raw.decode("utf-8", "replace").split("\0")
    return list(zip(strings[:-1:2], strings[1::2], strict=True))


def _parts(page: Page, text: bytes) -> list[Part]:
    """Return the parts of a page. text: its running text, b"" if that of the links is not asked for."""
    if not page.part_count:
        return []
    strings = page.part_strings.text().split("\0")
    numbers = (c_uint32 * (3 * page.part_count)).from_address(page.parts)[:]
    parts, at = [], 0
    for count, begin, end in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
        if count == 3:  # most have one attribute
            attributes = {strings[at + 1]: strings[at + 2]}
        else:
            attributes = dict(
                zip(strings[at + 1 : at + count : 2], strings[at + 2 : at + count : 2], strict=True)
            )
        label = text[begin:end].decode("utf-8", "replace") if text and end > begin else ""
        if strings[at] == "style":
            label = attributes.pop("#text", "")
        parts.append(Part(strings[at], attributes, label))
        at += count
    return parts
