"""The element texts of many pages at once, from their trees written out again.

Walking a tree from Python makes an object for each node: 420 us for a page of 660 tags, more than reading and parsing
it together. Lexbor writes the same tree out in 65 us, and what it writes is regular: every `<` and `>` of texts and
attributes is escaped, so that the brackets alone show the tags. Those of a group of pages are found, told apart and
counted with array operations. A page whose brackets do not alternate, or that holds elements with raw text, is left
to the walk in elements.py; both give the same words at the same places (tests/indexer/text/test_flat.py).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
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
    MARK,
    MAX_LINKS,
    PageText,
    is_followed,
    link_text,
    take_meta,
    title_of,
)
from indexer.text.sax import INLINE, costs_lexbor_too_much, html_bytes

_ATTRIBUTE = re.compile(' (=?[^ =]*)="([^"]*)"')
_NAME = re.compile(b"<([a-z]+)(?=[ >])")
# The address of a link; no match where an attribute has a strange name or there is no address.
_ADDRESS = re.compile(rb'<a(?: [^ ="]+="[^"]*")*? href="([^"]*)"')

# What a tag does. Those from _META on have attributes that are looked at.
_PART, _PASS, _EMPHASIS, _EMPHASIS_BLOCK, _ANCHOR, _HEADING, _HEAD, _SVG, _TITLE, _LEFT_OUT, _WALK = range(11)
_META, _HTML, _IMAGE, _AREA, _INPUT, _BASE = range(11, 17)
_KINDS = (
    dict.fromkeys(INLINE, _PASS)
    | {tag: _EMPHASIS if tag in INLINE else _EMPHASIS_BLOCK for tag in EMPHASIS_TAGS}
    | dict.fromkeys(HEADING_TAGS, _HEADING)
    | {"a": _ANCHOR, "head": _HEAD, "svg": _SVG, "title": _TITLE, "meta": _META, "html": _HTML}
    | {"img": _IMAGE, "area": _AREA, "input": _INPUT, "base": _BASE}
    # never text of the page, and written as it stood
    | dict.fromkeys(("script", "style", "iframe", "noembed", "template"), _LEFT_OUT)
    # text written as it stood
    | dict.fromkeys(("xmp", "frame", "noframes", "plaintext"), _WALK)
)
# An element of this class wins over those of the classes behind it.
_CLASS_OF = np.array(
    [
        HEADING if heading else ANCHOR if anchor else EMPHASIS if emphasis else BODY
        for heading in (0, 1)
        for anchor in (0, 1)
        for emphasis in (0, 1)
    ],
    dtype=np.uint8,
)  # fmt: skip
_PARTS = np.zeros(17, dtype=bool)
_PARTS[[_PART, _EMPHASIS_BLOCK, _HEADING, _HEAD, _SVG, _META, _HTML, _IMAGE, _AREA, _INPUT, _BASE]] = True

_LOW, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_COMMENT, _COMMENT_BYTES = np.uint64(int.from_bytes(b"!--", "little")), np.uint64(0xFFFFFF)
_HREF_FIRST = np.uint64(int.from_bytes(b'a href="', "little"))
_MOST_BLANKS = 64  # longer blank text counts as text, which parts words all the same


# Most links of a site stand on all of its pages: markup from <a> to </a> -> (address, text); () is not followed.
_known_links: dict[bytes, tuple[str, str] | tuple[()]] = {}
_MOST_KNOWN_LINKS, _LONGEST_KNOWN_LINK = 20_000, 500
# Tags and their attributes: pages of a site share most of what their heads say.
_known_tags: dict[bytes, Mapping[str, str]] = {}
_MOST_KNOWN_TAGS = 2_000


def _name_code(name: str) -> int:
    return int.from_bytes(name.encode()[:8].ljust(8, b"\0"), "little")


def _name_table() -> tuple[np.uint64, NDArray[np.uint64], NDArray[np.uint8]]:
    """Return (factor, codes, kinds): a table without collisions of the names above, place (code * factor) >> 52."""
    codes = {_name_code(name): kind for name, kind in _KINDS.items()}
    factor = 0x9E3779B97F4A7C15
    while len({(code * factor % (1 << 64)) >> 52 for code in codes}) < len(codes):
        factor += 2
    names, kinds = np.zeros(4096, dtype=np.uint64), np.zeros(4096, dtype=np.uint8)
    for code, kind in codes.items():
        place = (code * factor % (1 << 64)) >> 52
        names[place], kinds[place] = code, kind
    return np.uint64(factor), names, kinds


_FACTOR, _NAMES, _KIND_OF_NAME = _name_table()


def written_out(html: str) -> str | None:
    """Return the markup of a page as Lexbor repairs and writes it, None if its tree must be walked."""
    data = html_bytes(html)
    if costs_lexbor_too_much(data):
        return None
    markup = LexborHTMLParser(data).html
    if not markup or not markup.startswith("<") or not markup.endswith(">"):
        return None
    return markup


def read_written(pages: Sequence[str | None]) -> list[PageText | None]:
    """Return the element texts of pages that written_out wrote; None for those that must be walked instead."""
    found: list[PageText | None] = [None] * len(pages)
    chosen = [number for number, page in enumerate(pages) if page]
    data = [page.encode("utf-8", "replace") for page in pages if page]
    while chosen:
        group = _Group(data)
        odd = group.odd_pages()
        if not odd:
            for number, page in zip(chosen, group.pages(), strict=True):
                found[number] = page
            break
        keep = [place for place in range(len(chosen)) if place not in odd]
        chosen, data = [chosen[place] for place in keep], [data[place] for place in keep]
    return found


class _Group:
    """The tags of a group of pages as columns, a row a tag."""

    def __init__(self, pages: list[bytes]) -> None:
        self._page_ends = np.cumsum([len(page) for page in pages])
        self._bytes = b"".join(pages)
        padded = np.frombuffer(b"".join((self._bytes, bytes(16))), dtype=np.uint8).copy()
        self._data = padded[: len(self._bytes)]
        brackets = np.flatnonzero((self._data ^ 62) & 0xFD == 0)
        opening = self._data[brackets] == ord("<")
        self._starts, self._ends = brackets[opening], brackets[~opening]
        self._wrong: set[int] = set()
        self._tell_tags(padded)
        self._leave_out()
        # the first tag of each page, and one more for the end
        self._first = np.searchsorted(self._starts, np.append(0, self._page_ends))
        self._sound = len(self._starts) == len(self._ends) and bool(
            (self._starts < self._ends).all() and (self._ends[:-1] < self._starts[1:]).all()
        )
        self._step = np.where(self._closing, -1, 1).astype(np.int32)

    def _tell_tags(self, padded: NDArray[np.uint8]) -> None:
        eight = np.lib.stride_tricks.as_strided(
            padded[:8].view(np.uint64), shape=(len(padded) - 7,), strides=(1,)
        )
        self._closing = self._data[self._starts + 1] == ord("/")
        self._names = eight[self._starts + 1 + self._closing]
        # the name ends before the first blank or bracket: their bytes become 0, and that zero is found
        blank, bracket = self._names ^ (_LOW * np.uint64(32)), self._names ^ (_LOW * np.uint64(62))
        stops = (((blank - _LOW) & ~blank) | ((bracket - _LOW) & ~bracket)) & _HIGH
        code = self._names & (((stops & (~stops + np.uint64(1))) >> np.uint64(7)) - np.uint64(1))
        place = (code * _FACTOR) >> np.uint64(52)
        self._kind = np.where(_NAMES[place] == code, _KIND_OF_NAME[place], np.uint8(_PART))

    def _leave_out(self) -> None:
        """Make one tag of each comment and of each element without text: its brackets are not those of tags."""
        comment = self._names & _COMMENT_BYTES == _COMMENT
        rows = np.flatnonzero(((self._kind == _LEFT_OUT) & ~self._closing) | comment)
        if not len(rows):
            return
        starts = self._starts[rows].tolist()
        page_of = np.searchsorted(self._page_ends, self._starts[rows], side="right").tolist()
        page_ends = self._page_ends.tolist()
        low, high = [], []
        end = 0
        for start, page, is_comment in zip(starts, page_of, comment[rows].tolist(), strict=True):
            if start < end:
                continue
            stop = b"-->"
            if not is_comment:
                name = _NAME.match(self._bytes, start)
                stop = b"</%b>" % name[1] if name else b""
            end = self._bytes.find(stop, start + 4, page_ends[page]) + len(stop)
            if end < len(stop) or not stop:
                self._wrong.add(page)
                end = page_ends[page]
            low.append(start)
            high.append(end - 1)
        kept = _outside(self._starts, np.array(low) + 1, np.array(high))
        self._kind[np.searchsorted(self._starts, low)] = _PASS
        self._starts, self._kind = self._starts[kept], self._kind[kept]
        self._names, self._closing = self._names[kept], self._closing[kept]
        self._ends = self._ends[_outside(self._ends, np.array(low), np.array(high))]

    def _depth(self, chosen: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return how many of the chosen elements are open after each tag."""
        return np.cumsum(self._step * chosen, dtype=np.int32)

    def odd_pages(self) -> set[int]:
        """Return the pages that must be walked; to be asked first."""
        if self._wrong:
            return self._wrong
        if not self._sound:
            return {number for number in range(len(self._page_ends)) if not self._alternate(number)}
        kind = self._kind
        is_anchor = kind == _ANCHOR
        self._heading = self._depth(kind == _HEADING)
        self._emphasis = self._depth((kind == _EMPHASIS) | (kind == _EMPHASIS_BLOCK))
        self._head, self._svg = self._depth(kind == _HEAD), self._depth(kind == _SVG)
        anchors = self._depth(is_anchor)
        odd = (kind == _WALK) | (kind == _LEFT_OUT) | (anchors > 1)
        rows = self._first[1:] - 1
        wrong = self._pages_with(odd)
        for depth in (self._heading, self._emphasis, self._head, self._svg, anchors):
            at_end = depth[rows]
            if at_end.any():
                wrong |= set(np.flatnonzero(np.diff(at_end, prepend=0)).tolist())
        if not wrong:
            self._links = self._depth(self._of_links(is_anchor))
            self._titles, wrong = self._find_titles()
            wrong |= self._pages_with(((kind == _AREA) & (self._links > 0)) | (is_anchor & (self._head > 0)))
        return wrong

    def _alternate(self, page: int) -> bool:
        begin, end = int(self._page_ends[page - 1]) if page else 0, int(self._page_ends[page])
        starts = self._starts[self._first[page] : self._first[page + 1]]
        ends = self._ends[np.searchsorted(self._ends, begin) : np.searchsorted(self._ends, end)]
        return (
            len(starts) == len(ends)
            and bool((starts < ends).all())
            and bool((ends[:-1] < starts[1:]).all())
            and self._bytes[begin : begin + 1] == b"<"
        )

    def _pages_with(self, chosen: NDArray[np.bool_]) -> set[int]:
        rows = np.flatnonzero(chosen)
        return set((np.searchsorted(self._first, rows, side="right") - 1).tolist())

    def _of_links(self, is_anchor: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which tags begin or end an <a> that has an address; none is open in another here."""
        rows = np.flatnonzero(is_anchor)
        begins = rows[~self._closing[rows]]
        has = np.zeros(len(begins), dtype=bool)
        href_first = self._names[begins] == _HREF_FIRST
        has[href_first] = self._data[self._starts[begins[href_first]] + 9] != ord('"')
        rest = np.flatnonzero(~href_first)
        rows_left = begins[rest]
        for place, row, start, end in zip(
            rest.tolist(),
            rows_left.tolist(),
            self._starts[rows_left].tolist(),
            self._ends[rows_left].tolist(),
            strict=True,
        ):
            if self._bytes.find(b" href=", start, end) > 0:
                found = _ADDRESS.match(self._bytes, start, end)
                has[place] = bool(found[1] if found else self._attributes(row).get("href"))
        of_links = np.zeros(len(is_anchor), dtype=bool)
        of_links[rows] = np.repeat(has, 2)
        self._is_link = of_links
        return of_links

    def _find_titles(self) -> tuple[list[int], set[int]]:
        """Return (row of the first title outside pictures of each page, -1 for none; pages where it holds elements)."""
        rows = np.flatnonzero((self._kind == _TITLE) & ~self._closing & (self._svg == 0))
        titles = [-1] * len(self._page_ends)
        for row, page in zip(
            rows.tolist(), (np.searchsorted(self._first, rows, side="right") - 1).tolist(), strict=True
        ):
            if titles[page] < 0:
                titles[page] = row
        wrong = {
            page for page, row in enumerate(titles)
            if row >= 0 and (self._kind[row + 1] != _TITLE or not self._closing[row + 1])
        }  # fmt: skip
        return titles, wrong

    def _attributes(self, row: int) -> Mapping[str, str]:
        tag = self._bytes[int(self._starts[row]) : int(self._ends[row])]
        found = _known_tags.get(tag)
        if found is None:
            text = tag.decode("utf-8", "replace")
            found = {name: _unescaped(value) for name, value in _ATTRIBUTE.findall(text)}
            if len(tag) <= _LONGEST_KNOWN_LINK:
                if len(_known_tags) >= _MOST_KNOWN_TAGS:
                    _known_tags.clear()
                _known_tags[tag] = found
        return found

    # -- texts

    def pages(self) -> Iterator[PageText]:
        """Yield the pages in their order."""
        texts = [PageText() for _ in self._page_ends]
        self._area_links: dict[int, list[tuple[int, str, str]]] = defaultdict(list)
        self._read_titles(texts)
        alternatives = self._read_attributes(texts)
        for page, (marked, classes, links) in zip(texts, self._running_texts(alternatives), strict=True):
            page.marked, page.classes, page.links = marked, classes, links
            yield page

    def _read_titles(self, texts: list[PageText]) -> None:
        for page, row in enumerate(self._titles):
            if row >= 0:
                written = self._bytes[int(self._ends[row]) + 1 : int(self._starts[row + 1])]
                texts[page].title = title_of(_unescaped(written.decode("utf-8", "replace")))

    def _read_attributes(self, texts: list[PageText]) -> list[tuple[int, int, int]]:
        """Take in what stands in attributes; return (row, start, end) of the texts that stand for pictures."""
        alternatives = []
        rows = np.flatnonzero((self._kind >= _META) & ~self._closing)
        pages = np.searchsorted(self._first, rows, side="right") - 1
        for row, page, kind in zip(rows.tolist(), pages.tolist(), self._kind[rows].tolist(), strict=True):
            if kind == _META:
                take_meta(texts[page], self._attributes(row))
            elif kind == _HTML:
                found = self._attributes(row)
                texts[page].language = (found.get("lang") or found.get("xml:lang") or "").strip()
            elif kind == _BASE:
                if texts[page].base is None:
                    texts[page].base = self._attributes(row).get("href")
            else:
                if kind == _AREA:
                    self._read_area(row, page)
                place = self._alternative(row, kind)
                if place is not None:
                    alternatives.append((row, *place))
        return alternatives

    def _read_area(self, row: int, page: int) -> None:
        found = self._attributes(row)
        if (href := found.get("href")) and is_followed(found.get("rel")):
            self._area_links[page].append((row, href, link_text(found.get("alt", ""))))

    def _alternative(self, row: int, kind: int) -> tuple[int, int] | None:
        start = int(self._starts[row])
        tag = self._bytes[start : int(self._ends[row])].decode("latin-1")  # places count bytes
        places = {found[1]: found.span(2) for found in _ATTRIBUTE.finditer(tag)}
        if kind == _INPUT:
            low, high = places.get("type", (0, 0))
            if tag[low:high].lower() not in BUTTONS:
                return None
            low, high = places.get("value", (0, 0))
            if low == high:
                low, high = places.get("alt", (0, 0))
        else:
            low, high = places.get("alt", (0, 0))
        return (start + low, start + high) if low < high else None

    def _running_texts(
        self, alternatives: list[tuple[int, int, int]]
    ) -> Iterator[tuple[str, NDArray[np.uint8], list[tuple[str, str]]]]:
        """Yield (marked text, classes, links) of each page.

        A segment is the text behind a tag; the line feed and the mark that come before it are put into the bytes of
        the tag, so that a segment with both is one stretch of bytes.
        """
        data = self._data
        data[data == ord(MARK)] = ord(" ")
        parts = _PARTS[self._kind] | (self._closing & (self._kind == _TITLE))
        first = self._first[:-1]
        parts[first] = True
        begins = self._ends + 1
        stops = np.append(self._starts[1:], len(data))
        hidden = self._head > 0
        hidden[[row for row in self._titles if row >= 0]] = True
        stops = np.where(hidden, begins, stops)
        classes = _CLASS_OF[
            (self._heading > 0) * np.uint8(4) + (self._links > 0) * np.uint8(2) + (self._emphasis > 0)
        ]
        if alternatives:
            begins, stops, classes, parts, first = self._with_alternatives(
                alternatives, begins, stops, classes, parts
            )
        begins, parts, mark = _with_signs(data, begins, stops, classes, parts, first)
        lengths = stops - begins
        before = np.cumsum(lengths)
        kept = np.repeat((begins - before + lengths).astype(np.int32), lengths)
        kept += np.arange(len(kept), dtype=np.int32)
        text = data[kept].tobytes()
        edges = np.append(np.append(0, before)[first], len(text)).tolist()
        rows = np.append(first, len(begins)).tolist()
        links = self._links_of_pages(text, before - lengths, [row for row, _, _ in alternatives])
        for page in range(len(first)):
            own = slice(rows[page], rows[page + 1])
            yield (
                _unescaped(text[edges[page] : edges[page + 1]].decode("utf-8", "replace")),
                np.append(np.uint8(BODY), classes[own][mark[own]]),
                links[page],
            )

    def _links_of_pages(
        self, text: bytes, text_starts: NDArray[np.int64], alternatives: list[int]
    ) -> list[list[tuple[str, str]]]:
        """Return the links of each page; text_starts: where in the running text each segment begins."""
        rows = np.flatnonzero((self._kind == _ANCHOR) & self._is_link)
        begins, ends = rows[0::2], rows[1::2]
        # a segment for the text of a picture comes before that of its tag
        place = rows + np.searchsorted(np.asarray(alternatives, dtype=np.int64), rows, side="right")
        low, high = text_starts[place[0::2]].tolist(), text_starts[place[1::2]].tolist()
        raw_low, raw_high = self._starts[begins].tolist(), self._starts[ends].tolist()
        first = np.searchsorted(begins, self._first).tolist()
        row_of = begins.tolist()
        pages = []
        for page in range(len(self._page_ends)):
            links = []
            for number in range(first[page], first[page + 1]):
                raw = self._bytes[raw_low[number] : raw_high[number]]
                link = _known_links.get(raw)
                if link is None:
                    inside = (
                        text[low[number] : high[number]]
                        .replace(MARK.encode(), b"")
                        .decode("utf-8", "replace")
                    )
                    link = self._link(row_of[number], _unescaped(inside))
                    if len(raw) <= _LONGEST_KNOWN_LINK:
                        if len(_known_links) >= _MOST_KNOWN_LINKS:
                            _known_links.clear()
                        _known_links[raw] = link
                if link:
                    links.append(link)
            if page in self._area_links:
                links = self._with_areas(page, links, row_of[first[page] : first[page + 1]])
            pages.append(links[:MAX_LINKS])
        return pages

    def _link(self, row: int, text: str) -> tuple[str, str] | tuple[()]:
        start, end = int(self._starts[row]), int(self._ends[row])
        found = _ADDRESS.match(self._bytes, start, end)
        if found and self._bytes.find(b" rel=", start, end) < 0:
            return _unescaped(found[1].decode("utf-8", "replace")), link_text(text)
        attributes = self._attributes(row)
        return (attributes["href"], link_text(text)) if is_followed(attributes.get("rel")) else ()

    def _with_areas(self, page: int, links: list[tuple[str, str]], rows: list[int]) -> list[tuple[str, str]]:
        followed = [row for row in rows if is_followed(self._attributes(row).get("rel"))]
        placed = [(row, *link) for row, link in zip(followed, links, strict=True)]
        return [(href, text) for _, href, text in sorted(placed + self._area_links[page])]

    def _with_alternatives(
        self,
        alternatives: list[tuple[int, int, int]],
        begins: NDArray[np.int64],
        stops: NDArray[np.int64],
        classes: NDArray[np.uint8],
        parts: NDArray[np.bool_],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8], NDArray[np.bool_], NDArray[np.int64]]:
        """Put a segment for the text of each picture before that behind its tag."""
        rows, low, high = (np.asarray(column) for column in zip(*alternatives, strict=True))
        begins, stops = np.insert(begins, rows, low), np.insert(stops, rows, high)
        classes, parts = np.insert(classes, rows, np.uint8(ALT)), np.insert(parts, rows, True)
        first = self._first[:-1] + np.searchsorted(rows, self._first[:-1])
        return begins, stops, classes, parts, first


def _outside(places: NDArray[np.int64], low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which of some rising places lie in no stretch from low to high (exclusive)."""
    steps = np.zeros(len(places) + 1, dtype=np.int32)
    np.add.at(steps, np.searchsorted(places, low), 1)
    np.add.at(steps, np.searchsorted(places, high), -1)
    outside: NDArray[np.bool_] = np.cumsum(steps[:-1]) == 0
    return outside


def _with_signs(
    data: NDArray[np.uint8],
    begins: NDArray[np.int64],
    stops: NDArray[np.int64],
    classes: NDArray[np.uint8],
    parts: NDArray[np.bool_],
    first: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Write line feeds and marks before the segments that need them.

    Changes `data` and `stops` (blank text at the edge of a block goes). Returns (begins with the signs, which segments
    have a line feed, which have a mark).
    """
    number = np.arange(len(begins))
    blank = _blank(data, begins, stops)
    last_part = np.maximum.accumulate(np.where(parts, number, -1))
    last_text = np.maximum.accumulate(np.where((stops > begins) & ~blank, number, -1))
    text_before = np.append(-1, last_text[:-1])
    dropped = blank & (last_part > text_before)
    stops[dropped] = begins[dropped]
    has_feed = parts & (text_before >= np.append(-1, last_part[:-1]))
    has_feed[first] = False
    spoken = np.flatnonzero(stops > begins)
    mark = np.zeros(len(begins), dtype=bool)
    if len(spoken):
        own = classes[spoken]
        previous = np.append(np.uint8(BODY), own[:-1])
        begins_page = np.searchsorted(spoken, first)
        previous[begins_page[begins_page < len(spoken)]] = BODY
        mark[spoken] = own != previous
    data[begins[has_feed] - 1] = ord("\n")
    begins = begins - has_feed
    data[begins[mark] - 1] = ord(MARK)
    return begins - mark, has_feed, mark


def _blank(data: NDArray[np.uint8], begins: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which segments hold blanks and nothing else."""
    blank = np.zeros(len(begins), dtype=bool)
    rows = np.flatnonzero(stops > begins)
    place, stop = begins[rows], stops[rows]
    for _ in range(_MOST_BLANKS):
        still = data[place] <= 32
        rows, place, stop = rows[still], place[still] + 1, stop[still]
        ended = place == stop
        blank[rows[ended]] = True
        rows, place, stop = rows[~ended], place[~ended], stop[~ended]
        if not len(rows):
            break
    return blank


def _unescaped(text: str) -> str:
    if "&" not in text:
        return text
    text = text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">")
    return text.replace("&quot;", '"').replace("&amp;", "&")
