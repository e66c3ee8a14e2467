"""The passage of a page that holds most of the query, with the words marked as data, never as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from indexer.text.analysis import is_paired, word_spans_of
from indexer.text.elements import collect_page

LENGTH = 240  # characters of a passage
_PLACES_AT_MOST = 100  # of each word
_START = 32 << 10  # characters of a page's markup that are parsed first
_AROUND, _PARTS_AT_MOST = 8 << 10, 8  # characters around a place further on, and how many such places
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class SnippetPart:
    """A piece of a snippet; hit: it is a word of the query."""

    text: str
    hit: bool


def page_snippet(
    html: str, spellings: frozenset[str], phrases: tuple[tuple[str, ...], ...]
) -> tuple[SnippetPart, ...]:
    """Return the best passage of a page that holds a word of the query; else the start of its text.

    A large page is not parsed whole: its start first, then around the places where the words stand in the markup.
    """
    first: tuple[SnippetPart, ...] = ()
    for part in _parts_to_look_at(html, spellings | {word for phrase in phrases for word in phrase}):
        page = collect_page(part)
        for text in (page.text, page.description):
            snippet = make_snippet(text, spellings, phrases)
            if any(piece.hit for piece in snippet):
                return snippet
            first = first or snippet
    return first


def _parts_to_look_at(html: str, wanted: Iterable[str]) -> Iterator[str]:
    yield html[:_START]
    if len(html) <= _START:
        return
    lower = html.lower()
    places = sorted(place for word in wanted for place in _few_places(lower, word))
    looked = 0
    for place in places[:_PARTS_AT_MOST]:
        if place >= looked:
            begin = html.find(">", place - _AROUND // 2, place) + 1 or place
            looked = place + _AROUND
            yield html[begin:looked]


def _few_places(lower: str, word: str) -> Iterator[int]:
    at = lower.find(word, _START)
    for _ in range(_PARTS_AT_MOST):
        if at < 0:
            return
        yield at
        at = lower.find(word, at + _AROUND)


def make_snippet(
    text: str, spellings: frozenset[str], phrases: Iterable[tuple[str, ...]] = (), *, length: int = LENGTH
) -> tuple[SnippetPart, ...]:
    """Return the best passage of `text` in parts; its start if no word stands in it; empty for an empty text.

    spellings: the words to be marked, normalized; phrases: word sequences to be marked.
    """
    text = text.replace("\u00ad", "")  # soft hyphens: the quick look would miss the words that hold them
    wanted = spellings | {word for phrase in phrases for word in phrase}
    start, end = _best_window(text, _places(text, wanted), length)
    passage = _SPACES.sub(" ", text[start:end]).strip()
    # runs of white space may have filled the window: what is left out on either side must still be text
    is_cut = (bool(text[:start].strip()), bool(text[end:].strip()))
    parts: list[SnippetPart] = []
    at = 0
    for _, low, high in _merged(word_spans_of(passage), wanted):
        if low > at:
            parts.append(SnippetPart(passage[at:low], False))
        parts.append(SnippetPart(passage[low:high], True))
        at = high
    if at < len(passage):
        parts.append(SnippetPart(passage[at:], False))
    if is_cut[0] and parts:
        parts.insert(0, SnippetPart("… ", False))
    if is_cut[1] and parts:
        parts.append(SnippetPart(" …", False))
    return tuple(parts)


def _places(text: str, wanted: Iterable[str]) -> list[tuple[int, str]]:
    """Return (place, word) of likely occurrences in their order; a quick look that the exact marking later confirms."""
    lower = text.lower()
    if len(lower) != len(text):  # İ becomes two characters: places would no longer fit
        lower = "".join([character.lower()[:1] for character in text])
    found = []
    for word in wanted:
        free = is_paired(word)
        at = lower.find(word)
        for _ in range(_PLACES_AT_MOST):
            if at < 0:
                break
            end = at + len(word)
            if free or not (lower[at - 1 : at].isalnum() or lower[end : end + 1].isalnum()):
                found.append((at, word))
            at = lower.find(word, end)
    return sorted(found)


def _best_window(text: str, places: list[tuple[int, str]], length: int) -> tuple[int, int]:
    """Return the window with the most different words, then the most words, then the earliest."""
    best, best_value = 0, (0, 0)
    for index, (start, _) in enumerate(places):
        inside = [word for place, word in places[index : index + 30] if place < start + length * 2 // 3]
        value = (len(set(inside)), len(inside))
        if value > best_value:
            best, best_value = start, value
    start = max(0, best - length // 4)
    while start and not text[start - 1].isspace() and start > best - length // 4 - 20:  # begin at a word
        start -= 1
    end = min(len(text), start + length)
    while end < len(text) and not text[end].isspace() and end > start + length - 20:
        end -= 1
    return start, end


def _merged(
    spans: list[tuple[str, int, int]], wanted: frozenset[str] | set[str]
) -> list[tuple[str, int, int]]:
    """Return the spans of wanted words, overlapping and touching pairs joined."""
    marked: list[tuple[str, int, int]] = []
    for word, low, high in spans:
        if word in wanted:
            if marked and low < marked[-1][2]:
                marked[-1] = (marked[-1][0], marked[-1][1], max(high, marked[-1][2]))
            else:
                marked.append((word, low, high))
    return marked
