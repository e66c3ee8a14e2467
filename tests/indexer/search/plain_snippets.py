"""The passages of a text as plain Python finds them, for comparison with the core."""

from __future__ import annotations

import re
import unicodedata

from indexer.core.passages import SnippetPart
from indexer.core.tokens import Wanted, encoded, tokenizer

LENGTH = 240
NEAR = 6_000
EACH = 40


def plain_snippet(text: str, wanted: frozenset[str], sought: int = 0) -> tuple[SnippetPart, ...]:
    """Return what make_snippet is to return."""
    text = text.replace("\u00ad", "")
    parts: list[SnippetPart] = []
    windows = _windows(text, wanted, sought)
    for number, (start, end) in enumerate(windows):
        passage = _marked(" ".join(text[start:end].split()), wanted)
        if passage and (number or text[:start].strip()):
            parts.append(SnippetPart(" … " if number else "… ", False))
        parts += passage
    if parts and text[windows[-1][1] :].strip():
        parts.append(SnippetPart(" …", False))
    return tuple(parts)


def _spots(text: str, wanted: frozenset[str], each: int) -> list[tuple[int, int, str]]:
    """Return (start, end, kind)."""
    words = Wanted(wanted)
    found = tokenizer().find(encoded(text), words, each, 1 << 20)
    return [(start, end, words.words[which][:4]) for start, end, _, which in found]


def _windows(text: str, wanted: frozenset[str], sought: int) -> list[tuple[int, int]]:
    reach, half = LENGTH * 2 // 3, LENGTH // 2
    if sought and len(text) > NEAR:
        near = text[:NEAR].rpartition(" ")[0]
        place, kinds = _best(_spots(near, wanted, EACH), reach)
        if len(kinds) >= sought:
            return [_window(text, place, LENGTH)]
    spots = _spots(text, wanted, EACH)
    best, kinds = _best(spots, reach)
    single = [_window(text, best, LENGTH)]
    if kinds == {kind for _, _, kind in spots}:
        return single
    first, of_first = _best(spots, half * 2 // 3)
    begin, end = _window(text, first, half)
    others = [
        spot
        for spot in spots
        if spot[2] not in of_first and not begin - half <= spot[0] < end + half // 4 + 20
    ]
    second, of_second = _best(others, half * 2 // 3)
    if len(of_first | of_second) <= len(kinds):
        return single
    return sorted([(begin, end), _window(text, second, half)])


def _best(spots: list[tuple[int, int, str]], reach: int) -> tuple[int, set[str]]:
    """Return the place after which most kinds stand, then most words, then the first; and these kinds."""
    best: tuple[int, set[str]] = 0, set()
    most = 0
    for start, _, _ in spots:
        inside = [kind for place, _, kind in spots if start <= place < start + reach]
        if (len(set(inside)), len(inside)) > (len(best[1]), most):
            best, most = (start, set(inside)), len(inside)
    return best


def _window(text: str, place: int, length: int) -> tuple[int, int]:
    start = max(0, place - length // 4)
    least = start - 20
    while start and not text[start - 1].isspace() and start > least:
        start -= 1
    end = min(len(text), start + length)
    least = end - 20
    while end < len(text) and not text[end].isspace() and end > least:
        end -= 1
    while start and unicodedata.combining(text[start : start + 1] or " ") and start > place - length // 2:
        start -= 1
    while end > start and unicodedata.combining(text[end : end + 1] or " "):
        end -= 1
    return start, end


def _marked(passage: str, wanted: frozenset[str]) -> list[SnippetPart]:
    marked = [False] * len(passage)
    begins = set()
    for low, high, _ in _spots(passage, wanted, len(passage)):
        if not marked[low]:
            begins.add(low)
        marked[low:high] = [True] * (high - low)
    parts = []
    at = 0
    for piece in re.finditer("h+|-+|", "".join("h" if hit else "-" for hit in marked)):
        for place in [*sorted(begin for begin in begins if piece.start() < begin < piece.end()), piece.end()]:
            if at < place:
                parts.append(SnippetPart(passage[at:place], piece[0].startswith("h")))
                at = place
    return parts
