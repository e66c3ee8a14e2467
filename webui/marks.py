"""Marks the words of a query inside an archived page, while it is rewritten; used by `rewrite.py`.

Each place becomes a `mark` element with an id of its own, so that links outside the
frame can lead to it without any script. Marks stand in text that a reader sees: never
in scripts, styles, attributes, titles, form fields or drawings.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from operator import or_

from indexer.search.marking import Marker, Span
from indexer.text.detection import language_of
from indexer.text.elements import INLINE, PageText
from webui.page_pieces import Pieces, attributes_of, name_of, plain_all

MARK_ID = "finding-aid-hit-"
MAX_MARKS = 1_000
MAX_MARKED_CHARS = 2_000_000
_START = '<mark class="finding-aid-hit" style="background:#ffe58a !important;color:#1c1f23 !important"'
SHEET = "<style>mark.finding-aid-hit:target{outline:3px solid #7a4b00 !important;outline-offset:1px}</style>"
# Text in these is no text of the page, or may hold no element.
_UNMARKED = frozenset({"script", "style", "title", "textarea", "option", "optgroup", "select", "datalist", "iframe",
                       "noembed", "noframes", "xmp", "plaintext", "template", "head", "svg", "math", "audio", "video",
                       "canvas", "progress", "meter"})  # fmt: skip

_PARTS, _OPENS, _CLOSES = 1, 2, 3
# where a mark begins and ends in a text, and its number; 0 for the rest of a word that began in the text before
_Inside = tuple[int, int, int]
# place among the texts of a page, place in the whole visible text, the text itself
_Placed = tuple[int, int, str]


@dataclass(slots=True)
class Marks:
    """How many places are marked, and each text that holds some of them, as it is to be written, by its place."""

    count: int = 0
    written: dict[int, str] = field(default_factory=dict)


def mark_words(pieces: Pieces, marker: Marker, escaped: Callable[[str], str]) -> Marks:
    """Mark what the query looks for in a page. escaped: gives a text as it stands in HTML."""
    if not marker or not pieces.tags:
        return Marks()
    texts, visible = _visible_text(pieces)
    spans = marker.spans(visible, _language(pieces, visible), MAX_MARKS)
    inside = _spans_by_text(texts, spans)
    written = {texts[place][0]: _marked(texts[place][2], own, escaped) for place, own in inside.items()}
    return Marks(len(spans), written)


def _spans_by_text(texts: list[_Placed], spans: list[Span]) -> dict[int, list[_Inside]]:
    """Return for each text that holds some of them the parts of spans inside."""
    found: dict[int, list[_Inside]] = {}
    starts = [start for _, start, _ in texts]
    for number, (low, high) in enumerate(spans, 1):
        place = max(bisect_right(starts, low) - 1, 0)
        while place < len(texts) and starts[place] < high:
            start, own = starts[place], texts[place][2]
            begin, end = max(low - start, 0), min(high - start, len(own))
            if begin < end:
                found.setdefault(place, []).append((begin, end, number if low >= start else 0))
            place += 1
    return found


class _Kinds(dict[str, int]):
    """What a tag does to the visible text: 0 nothing, _PARTS its words, _OPENS or _CLOSES an element not marked."""

    def __missing__(self, tag: str) -> int:
        name = name_of(tag)
        kind = _PARTS if name not in INLINE else 0
        if name in _UNMARKED:
            kind = _CLOSES if tag[1] == "/" else _OPENS
        self[tag] = kind
        return kind


def _visible_text(pieces: Pieces) -> tuple[list[_Placed], str]:
    """Return the texts with their place in the whole text, and its first MAX_MARKED_CHARS; blocks part words."""
    texts = plain_all(pieces.texts)
    kinds = [_PARTS, *map(_Kinds().__getitem__, pieces.tags)]
    hidden = begin = 0
    for place in [place for place, kind in enumerate(kinds) if kind > _PARTS]:
        if hidden:
            texts[begin:place] = [""] * (place - begin)
        hidden += 1 if kinds[place] == _OPENS else -1
        begin = place
    blank = list(map(str.isspace, texts))
    breaks = list(accumulate(map(or_, kinds, blank)))  # up to each text; blank ones part words, too
    placed: list[_Placed] = []
    visible: list[str] = []
    length = before = 0
    for place, text in [(place, text) for place, text in enumerate(texts) if text and not blank[place]]:
        if breaks[place] != before:
            before = breaks[place]
            visible.append("\n")
            length += 1
        placed.append((place, length, text))
        visible.append(text[: MAX_MARKED_CHARS - length])
        length += len(text)
        if length >= MAX_MARKED_CHARS:
            break
    return placed, "".join(visible)


def _language(pieces: Pieces, text: str) -> str:
    attributes = attributes_of(pieces.tags[0])
    declared = (attributes.get("lang") or attributes.get("xml:lang") or "").strip()
    return language_of(PageText(language=declared, marked=text))


def _marked(text: str, spans: list[_Inside], escaped: Callable[[str], str]) -> str:
    """Return a text as it stands in HTML, with its marks."""
    written: list[str] = []
    at = 0
    for low, high, number in spans:
        name = f' id="{MARK_ID}{number}"' if number else ""
        written.append(f"{escaped(text[at:low])}{_START}{name}>{escaped(text[low:high])}</mark>")
        at = high
    written.append(escaped(text[at:]))
    return "".join(written)
