"""The passages of a page that hold most of the query, with the words marked as data, never as HTML.

They are cut from the archive itself, by the readers of the core, and what pages shown lately begin with is kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from indexer.core.passages import Places, WantedKinds
from indexer.core.tokens import encoded, tokenizer
from indexer.text.pages import text_of

LENGTH = 240  # characters of a passage, or of two
_NEAR = 6_000  # characters of a text that are looked at first
_PLACES_AT_MOST = 40  # of each word
START_CHARS = 96 << 10  # characters of a page's markup that are looked at first
_LOWERED_AT_ONCE = 64 << 10
_AROUND, _PARTS_AT_MOST = 8 << 10, 8  # characters around a place further on, and how many such places
_SPACES, _NOT_SPACE = re.compile(r"\s+"), re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class SnippetPart:
    """A piece of a snippet; hit: it is a word of the query."""

    text: str
    hit: bool


class PageStart(NamedTuple):
    """What a page says in its first 98,304 characters of markup.

    is_whole: that is all of the page.
    """

    text: str
    description: str
    is_whole: bool


def start_of_page(markup: str | bytes, *, is_whole: bool = True) -> PageStart:
    """Return what the start of a page says. markup: bytes are UTF-8, at most START_CHARS.

    is_whole: there is no more of its markup.
    """
    return PageStart(*text_of(markup[:START_CHARS]), is_whole and len(markup) <= START_CHARS)


def start_snippet(
    start: PageStart, spellings: frozenset[str], phrases: tuple[tuple[str, ...], ...], sought: int = 0
) -> tuple[SnippetPart, ...]:
    """Return the best passages of the start of a page; () when no word of the query stands there, but may further on.

    sought: as in `make_snippet`.
    """
    if found := _with_hits(start.text, spellings, phrases, sought):
        return found
    if not start.is_whole:
        return ()
    found = _with_hits(start.description, spellings, phrases)
    return found or make_snippet(start.text if start.text.strip() else start.description, spellings, phrases)


def _with_hits(
    text: str, spellings: frozenset[str], phrases: tuple[tuple[str, ...], ...], sought: int = 0
) -> tuple[SnippetPart, ...]:
    snippet = make_snippet(text, spellings, phrases, sought=sought)
    return snippet if any(piece.hit for piece in snippet) else ()


def page_snippet(
    markup: str,
    spellings: frozenset[str],
    phrases: tuple[tuple[str, ...], ...],
    *,
    beyond_start: bool = False,
) -> tuple[SnippetPart, ...]:
    """Return the best passages of a page that hold words of the query; else the start of its text.

    A large page is not looked at whole: its start first, then around the places where the words stand in the markup.
    beyond_start: the text of the start holds none of the words, and need not be looked at again.
    """
    texts: list[str] = []
    descriptions: list[str] = []
    for part in _parts_to_look_at(markup, spellings | {word for phrase in phrases for word in phrase}):
        text, description = text_of(part)
        is_known = beyond_start and not texts
        if not is_known and (found := _with_hits(text, spellings, phrases)):
            return found
        texts.append(text)
        descriptions.append(description)
    for description in descriptions:
        if found := _with_hits(description, spellings, phrases):
            return found
    first = next((text for text in (*texts, *descriptions) if text.strip()), "")
    return make_snippet(first, spellings, phrases)


def _parts_to_look_at(markup: str, wanted: frozenset[str]) -> Iterator[str]:
    """Give the start of a page, then what is around the first places further on that words may stand at."""
    yield markup[:START_CHARS]
    spellings = {
        spelling for word in wanted for spelling in (word, word if word.isascii() else word.capitalize())
    }
    looked = START_CHARS
    for _ in range(_PARTS_AT_MOST):
        place = _next_place(markup, looked, spellings)
        if place < 0:
            return
        begin = markup.find(">", place - _AROUND // 2, place) + 1 or place
        looked = place + _AROUND
        yield markup[begin:looked]


def _next_place(markup: str, start: int, spellings: set[str]) -> int:
    """Return the first place from `start` on where one of some spellings stands, in any case of ASCII; -1: none."""
    longest = max(map(len, spellings), default=0)
    for begin in range(start, len(markup), _LOWERED_AT_ONCE):
        lower = _ascii_lowered(markup[begin : begin + _LOWERED_AT_ONCE + longest])
        first = len(lower)
        for spelling in spellings:
            place = lower.find(spelling, 0, first + len(spelling) - 1)
            first = place if place >= 0 else first
        if first < len(lower):
            return begin + first
    return -1


def _ascii_lowered(text: str) -> str:
    """Return the text with its ASCII letters in lower case: str.lower takes twenty times as long beside others."""
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def make_snippet(
    text: str,
    spellings: frozenset[str],
    phrases: Iterable[tuple[str, ...]] = (),
    *,
    length: int = LENGTH,
    sought: int = 0,
) -> tuple[SnippetPart, ...]:
    """Return the best passage of `text` in parts, or the best two where one does not hold all words that stand in it.

    Its start if no word stands in it; empty for an empty text. spellings: the words to be marked, normalized;
    phrases: word sequences to be marked. length: characters, of both passages together.
    sought: how many words were asked for; a passage near the start that holds so many is taken without a look at the
    rest of a long text. 0: the whole text is looked at.
    """
    text = text.replace("\u00ad", "")  # soft hyphens: nobody is to see them
    wanted = spellings | {word for phrase in phrases for word in phrase}
    windows = _windows(text, wanted, length, sought)
    parts: list[SnippetPart] = []
    for number, (start, end) in enumerate(windows):
        passage = _marked(_SPACES.sub(" ", text[start:end]).strip(), wanted)
        # runs of white space may have filled the window: what is left out on either side must still be text
        if passage and (number or _NOT_SPACE.search(text, 0, start)):
            parts.append(SnippetPart(" … " if number else "… ", False))
        parts += passage
    if parts and _NOT_SPACE.search(text, windows[-1][1]):
        parts.append(SnippetPart(" …", False))
    return tuple(parts)


def _windows(text: str, wanted: frozenset[str], length: int, sought: int) -> list[tuple[int, int]]:
    if sought and len(text) > _NEAR:
        near = text[:_NEAR].rpartition(" ")[0]
        best, kinds = _places(near, wanted).best(_reach(length))
        if kinds >= sought:
            return [_window(text, best, length)]
    return _best_windows(text, _places(text, wanted), length)


def _reach(length: int) -> int:
    """Return how far from its first word a passage of a length is sure to reach."""
    return length * 2 // 3


def _marked(passage: str, wanted: frozenset[str]) -> list[SnippetPart]:
    parts: list[SnippetPart] = []
    at = 0
    spots = tokenizer().find(encoded(passage), _looked_for(wanted).words, len(passage), len(passage))
    for low, high in _joined(spots):
        if low > at:
            parts.append(SnippetPart(passage[at:low], False))
        parts.append(SnippetPart(passage[low:high], True))
        at = high
    if at < len(passage):
        parts.append(SnippetPart(passage[at:], False))
    return parts


def _joined(spots: list[tuple[int, int, int, int]]) -> list[tuple[int, int]]:
    """Return where marks begin and end: overlapping pairs of a script without spaces are one."""
    joined: list[tuple[int, int]] = []
    for low, high, _, _ in spots:
        if joined and low < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined


@lru_cache(maxsize=256)  # the same for all hits of a search
def _looked_for(wanted: frozenset[str]) -> WantedKinds:
    return WantedKinds(wanted, _kind)


def _places(text: str, wanted: frozenset[str]) -> Places:
    return Places(tokenizer(), encoded(text), _looked_for(wanted), _PLACES_AT_MOST)


def _best_windows(text: str, places: Places, length: int) -> list[tuple[int, int]]:
    """Return one window of `length`, or two of half the length where they hold more different words."""
    best, kinds = places.best(_reach(length))
    single = _window(text, best, length)
    if kinds == places.kinds:
        return [single]
    half = length // 2

    def apart(place: int) -> tuple[int, int]:
        # the second may not touch the first: a window reaches from a quarter and a word before its place to its length
        # behind it
        first = _window(text, place, half)
        return first[0] - half, first[1] + half // 4 + 20

    first, second, of_both = places.best_two(_reach(half), apart)
    if of_both <= kinds:
        return [single]
    return sorted([_window(text, first, half), _window(text, second, half)])


def _kind(word: str) -> str:
    """Return what the forms of a word mostly have in common: which word of the query they stand for."""
    return word[:4]


def _window(text: str, place: int, length: int) -> tuple[int, int]:
    """Return where a passage begins and ends that has `place` in its first half, at the edges of words if it can."""
    start = max(0, place - length // 4)
    least = start - 20
    while start and not text[start - 1].isspace() and start > least:
        start -= 1
    end = min(len(text), start + length)
    least = end - 20
    while end < len(text) and not text[end].isspace() and end > least:
        end -= 1
    # a mark above a letter stays with its letter
    while start and unicodedata.combining(text[start : start + 1] or " ") and start > place - length // 2:
        start -= 1
    while end > start and unicodedata.combining(text[end : end + 1] or " "):
        end -= 1
    return start, end
