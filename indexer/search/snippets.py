"""The passage of a page that holds most of the query, with the words marked as data, never as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from indexer.text.analysis import is_paired, word_spans_of

LENGTH = 240  # characters of a passage
_LOOK_AT_MOST = 300_000  # characters of the page that are looked through
_PLACES_AT_MOST = 400
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class SnippetPart:
    """A piece of a snippet; hit: it is a word of the query."""

    text: str
    hit: bool


def make_snippet(
    text: str, spellings: frozenset[str], phrases: Iterable[tuple[str, ...]] = (), *, length: int = LENGTH
) -> tuple[SnippetPart, ...]:
    """Return the best passage of `text` in parts; its start if no word stands in it; empty for an empty text.

    spellings: the words to be marked, normalized; phrases: word sequences to be marked.
    """
    text = _SPACES.sub(" ", text[:_LOOK_AT_MOST]).strip()
    wanted = spellings | {word for phrase in phrases for word in phrase}
    start, end = _best_window(text, _places(text, wanted), length)
    passage = text[start:end]
    parts: list[SnippetPart] = []
    at = 0
    for word, low, high in _merged(word_spans_of(passage), wanted):
        if low > at:
            parts.append(SnippetPart(passage[at:low], False))
        parts.append(SnippetPart(passage[low:high], True))
        at = high
    if at < len(passage):
        parts.append(SnippetPart(passage[at:], False))
    if start > 0 and parts:
        parts.insert(0, SnippetPart("… ", False))
    if end < len(text):
        parts.append(SnippetPart(" …", False))
    return tuple(parts)


def _places(text: str, wanted: Iterable[str]) -> list[tuple[int, str]]:
    """Return (place, word) of likely occurrences; a quick look that the exact marking later confirms."""
    if not wanted:
        return []
    pattern = "|".join(
        re.escape(word) if is_paired(word) else rf"(?<!\w){re.escape(word)}(?!\w)" for word in sorted(wanted, key=lambda w: (-len(w), w))
    )
    found = []
    for match in re.finditer(pattern, text, re.IGNORECASE):
        found.append((match.start(), match.group().lower()))
        if len(found) >= _PLACES_AT_MOST:
            break
    return found


def _best_window(text: str, places: list[tuple[int, str]], length: int) -> tuple[int, int]:
    """Return the window with the most different words, then the most words, then the earliest."""
    best, best_value = 0, (0, 0)
    for index, (start, _) in enumerate(places):
        inside = [word for place, word in places[index : index + 30] if place < start + length * 2 // 3]
        value = (len(set(inside)), len(inside))
        if value > best_value:
            best, best_value = start, value
    start = max(0, best - length // 4)
    if start:  # begin at a word
        blank = text.rfind(" ", max(0, start - 20), start + 1)
        start = blank + 1 if blank >= 0 else start
    end = min(len(text), start + length)
    if end < len(text):
        blank = text.rfind(" ", end - 20, end)
        end = blank if blank > start else end
    return start, end


def _merged(spans: list[tuple[str, int, int]], wanted: frozenset[str] | set[str]) -> list[tuple[str, int, int]]:
    """Return the spans of wanted words, overlapping and touching pairs joined."""
    marked: list[tuple[str, int, int]] = []
    for word, low, high in spans:
        if word in wanted:
            if marked and low < marked[-1][2]:
                marked[-1] = (marked[-1][0], marked[-1][1], max(high, marked[-1][2]))
            else:
                marked.append((word, low, high))
    return marked
