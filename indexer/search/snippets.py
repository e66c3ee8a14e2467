"""The passages of a page that hold most of the query, with the words marked as data, never as HTML.

They are cut from the archive itself, and the texts of pages shown lately are kept. Measured on 160 hits of 73,000
pages, microseconds a hit: reading and unpacking the record 300, parsing the page 1,000, taking its tags away 250. A
stored text would save about half of a first look, for 2 kB a page more in an index of 1.8 kB a page; a second look
needs no reading at all.
"""

from __future__ import annotations

import html
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from indexer.text.analysis import MAX_WORD, is_paired, is_separator, word_spans_of
from indexer.text.elements import INLINE, SKIPPED
from indexer.text.pages import collect_page

LENGTH = 240  # characters of a passage, or of two
_NEAR = 6_000  # characters of a text that are looked at first
_PLACES_AT_MOST = 40  # of each word
START_CHARS = 32 << 10  # characters of a page's markup that are looked at first
_LOWERED_AT_ONCE = 64 << 10
_AROUND, _PARTS_AT_MOST = 8 << 10, 8  # characters around a place further on, and how many such places
_SPACES = re.compile(r"\s+")
_END_OF_WORD = re.compile(r"[\W_]|\Z")  # what isalnum() is not true for
_NO_SPACE = re.compile(r"\S+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_FEW_OTHERS = 1.1  # bytes a character of a text that is ASCII for the most part
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")

# Every pattern stops at the next "<" or runs to the end once: time stays linear whatever stands in a page.
_HIDDEN = sorted(name for name in SKIPPED if name.isalpha()) + ["title"]
_UNSEEN = re.compile(
    # the look ahead passes over most tags at once
    rf"<(?=[!{''.join(sorted({name[0] + name[0].upper() for name in _HIDDEN}))}])"
    rf"(?:!--.*?(?:-->|\Z)|({'|'.join(_HIDDEN)})\b.*?(?:</\1\b[^<>]*>|\Z))",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(r"<([a-zA-Z/!?][^\s<>]*)[^<>]*>")
_INLINE = {prefix + spelling for name in INLINE for spelling in (name, name.upper()) for prefix in ("", "/")}


@dataclass(frozen=True, slots=True)
class SnippetPart:
    """A piece of a snippet; hit: it is a word of the query."""

    text: str
    hit: bool


def start_of_page(markup: str) -> str:
    """Return the text of the first 32,768 characters of a page's markup."""
    return visible_text(markup[:START_CHARS])


def quick_snippet(
    start: str, spellings: frozenset[str], phrases: tuple[tuple[str, ...], ...], sought: int = 0
) -> tuple[SnippetPart, ...]:
    """Return the best passages of the start of a page; () when no word of the query stands there.

    sought: as in `make_snippet`.
    """
    snippet = make_snippet(start, spellings, phrases, sought=sought)
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
    parts: list[str] = []
    for part in _parts_to_look_at(markup, spellings | {word for phrase in phrases for word in phrase}):
        parts.append(part)
        if beyond_start and len(parts) == 1:
            continue
        if found := quick_snippet(visible_text(part), spellings, phrases):
            return found
    # the words may stand in what only the parser finds: descriptions, the alternatives of pictures, frames
    first: tuple[SnippetPart, ...] = ()
    for part in parts:
        page = collect_page(part)
        for text in (page.text, page.description):
            snippet = make_snippet(text, spellings, phrases)
            if any(piece.hit for piece in snippet):
                return snippet
            first = first or snippet
    return first


def visible_text(markup: str) -> str:
    """Return about the text that a page shows, by taking its tags away; quicker than parsing, good enough to read."""
    pieces = _TAG.split(_UNSEEN.sub("\n", markup))  # text, name of a tag, text, ...
    pieces[1::2] = ["" if name in _INLINE else "\n" for name in pieces[1::2]]
    text = "".join(pieces)
    return html.unescape(text) if "&" in text else text


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
    text = text.replace("\u00ad", "")  # soft hyphens: the quick look would miss the words that hold them
    wanted = spellings | {word for phrase in phrases for word in phrase}
    windows = _windows(text, wanted, length, sought)
    parts: list[SnippetPart] = []
    for number, (start, end) in enumerate(windows):
        passage = _marked(_SPACES.sub(" ", text[start:end]).strip(), wanted)
        # runs of white space may have filled the window: what is left out on either side must still be text
        if passage and (number or text[:start].strip()):
            parts.append(SnippetPart(" … " if number else "… ", False))
        parts += passage
    if parts and text[windows[-1][1] :].strip():
        parts.append(SnippetPart(" …", False))
    return tuple(parts)


def _windows(text: str, wanted: frozenset[str], length: int, sought: int) -> list[tuple[int, int]]:
    if sought and len(text) > _NEAR:
        near = text[:_NEAR].rpartition(" ")[0]
        best, words = _best_place(_places(near, wanted), length)
        if len(words) >= sought:
            return [_window(text, best, length)]
    return _best_windows(text, _places(text, wanted), length)


def _marked(passage: str, wanted: frozenset[str] | set[str]) -> list[SnippetPart]:
    parts: list[SnippetPart] = []
    at = 0
    for _, low, high in _merged(word_spans_in(passage), wanted):
        if low > at:
            parts.append(SnippetPart(passage[at:low], False))
        parts.append(SnippetPart(passage[low:high], True))
        at = high
    if at < len(passage):
        parts.append(SnippetPart(passage[at:], False))
    return parts


def word_spans_in(passage: str) -> list[tuple[str, int, int]]:
    """Return what word_spans_of does, in a fraction of the time for passages that have white space or are ASCII."""
    if "+" not in passage and "#" not in passage:
        others = set(_NOT_ASCII.findall(passage)) if not passage.isascii() else ()
        if all(map(_is_like_space, others)):
            return _ascii_spans(passage)
    spans = []
    for match in _NO_SPACE.finditer(passage):
        at = match.start()
        spans += [(word, at + low, at + high) for word, low, high in _spans_of_token(match[0])]
    return spans


def _ascii_spans(text: str) -> list[tuple[str, int, int]]:
    return [
        (match[0].lower()[:MAX_WORD], match.start(), min(match.end(), match.start() + MAX_WORD))
        for match in _ASCII_WORD.finditer(text)
    ]


@lru_cache(maxsize=2048)
def _is_like_space(run: str) -> bool:
    """Tell whether characters are in no word, nor in the middle of one: quotation marks, dashes, dots."""
    return all(map(is_separator, run))


@lru_cache(maxsize=2048)
def _spans_of_token(token: str) -> list[tuple[str, int, int]]:
    if token.isascii() and "+" not in token and "#" not in token:
        return _ascii_spans(token)
    return word_spans_of(token)


def _places(text: str, wanted: frozenset[str]) -> list[tuple[int, str]]:
    """Return (place, word) of likely occurrences in their order; a quick look that the exact marking later confirms.

    The forms of a word begin alike, and are looked for together: a stem can have fifty of them.
    """
    lower = _lowered(text)
    families, others = _families(wanted)
    found: list[tuple[int, str]] = []
    for word in others:
        found += _places_of(lower, word)
    for start, family in families:
        found += _places_of_family(lower, start, family)
    return sorted(found)


@lru_cache(maxsize=256)
def _families(wanted: frozenset[str]) -> tuple[list[tuple[str, frozenset[str]]], list[str]]:
    """Return the words that begin alike together, each with what it begins with, and words that are not so simple."""
    families: dict[str, list[str]] = {}
    others = []
    for word in wanted:
        if word.isalnum() and not is_paired(word):
            families.setdefault(_kind(word), []).append(word)
        else:
            others.append(word)
    return [(os.path.commonprefix(family), frozenset(family)) for family in families.values()], others


def _lowered(text: str) -> str:
    """Return the text in lower case, each character in its place."""
    if text.isascii():
        return text.lower()
    if len(text.encode("utf-8", "surrogatepass")) < _FEW_OTHERS * len(text):
        lower = _ascii_lowered(text)
        if any(run != run.lower() for run in set(_NOT_ASCII.findall(text))):
            lower = _NOT_ASCII.sub(lambda run: run[0].lower(), lower)
    else:
        lower = text.lower()
    if len(lower) != len(text):  # İ becomes two characters: places would no longer fit
        lower = "".join([character.lower()[:1] for character in text])
    return lower


def _ascii_lowered(text: str) -> str:
    """Return the text with its ASCII letters in lower case: str.lower takes twenty times as long beside others."""
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def _places_of(lower: str, word: str) -> Iterator[tuple[int, str]]:
    free = is_paired(word)
    at = lower.find(word)
    for _ in range(_PLACES_AT_MOST):
        if at < 0:
            return
        end = at + len(word)
        if free or not (lower[at - 1 : at].isalnum() or lower[end : end + 1].isalnum()):
            yield at, word
        at = lower.find(word, end)


def _places_of_family(lower: str, start: str, words: frozenset[str]) -> Iterator[tuple[int, str]]:
    at = lower.find(start)
    for _ in range(_PLACES_AT_MOST):
        if at < 0:
            return
        end = _END_OF_WORD.search(lower, at + len(start)).start()  # type: ignore[union-attr]
        if not lower[at - 1 : at].isalnum() and lower[at:end] in words:
            yield at, lower[at:end]
        at = lower.find(start, max(end, at + 1))


def _best_windows(text: str, places: list[tuple[int, str]], length: int) -> list[tuple[int, int]]:
    """Return one window of `length`, or two of half the length where they hold more different words."""
    best, words = _best_place(places, length)
    single = _window(text, best, length)
    if len(words) == len({_kind(word) for _, word in places}):
        return [single]
    half = length // 2
    first_place, first_words = _best_place(places, half)
    first = _window(text, first_place, half)
    # the second may not touch the first, and is there for the words that the first has not
    # a window reaches from a quarter and a word before its place to its length behind it
    others = [
        (place, word)
        for place, word in places
        if _kind(word) not in first_words and not first[0] - half <= place < first[1] + half // 4 + 20
    ]
    second_place, second_words = _best_place(others, half)
    if len(first_words | second_words) <= len(words):
        return [single]
    second = _window(text, second_place, half)
    return sorted([first, second])


def _kind(word: str) -> str:
    """Return what the forms of a word mostly have in common: which word of the query they stand for."""
    return word[:4]


def _best_place(places: list[tuple[int, str]], length: int) -> tuple[int, set[str]]:
    """Return the place after which most different words stand, then most words, then the first; and these words."""
    best, most_words, most_places, best_words = 0, 0, 0, set[str]()
    kinds = [_kind(word) for _, word in places]
    inside: dict[str, int] = {}
    end = 0
    for index, (start, _) in enumerate(places):
        reach = start + length * 2 // 3
        while end < len(places) and places[end][0] < reach:
            inside[kinds[end]] = inside.get(kinds[end], 0) + 1
            end += 1
        if len(inside) > most_words or (len(inside) == most_words and end - index > most_places):
            best, most_words, most_places, best_words = start, len(inside), end - index, set(inside)
        inside[kinds[index]] -= 1
        if not inside[kinds[index]]:
            del inside[kinds[index]]
    return best, best_words


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
