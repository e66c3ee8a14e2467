"""The passages of a page that hold most of the query, with the words marked as data, never as HTML.

They are cut from the archive itself, by the readers of the core, and what pages shown lately begin with is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from indexer.core.passages import Snippet, WantedKinds, snippet
from indexer.core.stored_pages import PageStart
from indexer.core.tokens import encoded
from indexer.text.pages import text_of

START_CHARS = 96 << 10  # characters of a page's markup that are looked at first
_LOWERED_AT_ONCE = 64 << 10
_AROUND, _PARTS_AT_MOST = 8 << 10, 8  # characters around a place further on, and how many such places
_KIND = 4  # characters that the forms of a word mostly have in common: which word of the query they stand for
_SOFT_HYPHEN = "\u00ad".encode()


def start_of_page(markup: str | bytes, *, is_whole: bool = True) -> PageStart:
    """Return what the start of a page says. markup: bytes are UTF-8, at most START_CHARS.

    is_whole: there is no more of its markup.
    """
    return PageStart(*text_of(markup[:START_CHARS]), is_whole and len(markup) <= START_CHARS)


def start_snippet(
    start: PageStart, spellings: frozenset[str], phrases: tuple[tuple[str, ...], ...], sought: int = 0
) -> Snippet:
    """Return the best passages of the start of a page; () when no word of the query stands there, but may further on.

    sought: as in `make_snippet`.
    """
    if found := _with_hits(start.text, spellings, phrases, sought):
        return found
    if not start.is_whole:
        return ()
    found = _with_hits(start.description, spellings, phrases)
    return (
        found
        or make_snippet(start.text, spellings, phrases)
        or make_snippet(start.description, spellings, phrases)
    )


def _with_hits(
    text: str | bytes, spellings: frozenset[str], phrases: tuple[tuple[str, ...], ...], sought: int = 0
) -> Snippet:
    has_hits, parts = _passages(text, spellings, phrases, sought)
    return parts if has_hits else ()


def page_snippet(
    markup: str,
    spellings: frozenset[str],
    phrases: tuple[tuple[str, ...], ...],
    *,
    start: PageStart | None = None,
) -> Snippet:
    """Return the best passages of a page that hold words of the query; else the start of its text.

    A large page is not looked at whole: its start first, then around the places where the words stand in the markup.
    start: what its start says, where that is known: then the text there holds none of the words.
    """
    texts: list[bytes] = []
    descriptions: list[bytes] = []
    for part in _parts_to_look_at(markup, spellings | {word for phrase in phrases for word in phrase}):
        if start is not None and not texts:
            text, description, _ = start
        else:
            text, description = text_of(part)
            if found := _with_hits(text, spellings, phrases):
                return found
        texts.append(text)
        descriptions.append(description)
    for description in descriptions:
        if found := _with_hits(description, spellings, phrases):
            return found
    found_first = (make_snippet(text, spellings, phrases) for text in (*texts, *descriptions))
    return next(filter(None, found_first), ())


def _parts_to_look_at(markup: str, wanted: frozenset[str]) -> Iterator[str]:
    """Give the start of a page, then what is around the first places further on that words may stand at."""
    yield markup[:START_CHARS]
    spellings = {spelling for word in wanted for spelling in (word, _written(word))}
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
    text: str | bytes, spellings: frozenset[str], phrases: Iterable[tuple[str, ...]] = (), *, sought: int = 0
) -> Snippet:
    """Return the best passage of `text` in parts, or the best two where one does not hold all words that stand in it.

    Its start if no word stands in it; empty for an empty text. text: bytes are UTF-8. spellings: the words to be
    marked, normalized; phrases: word sequences to be marked. sought: how many words were asked for; a passage near the
    start that holds so many is taken without a look at the rest of a long text. 0: the whole text is looked at.
    """
    return _passages(text, spellings, phrases, sought)[1]


def _passages(
    text: str | bytes, spellings: frozenset[str], phrases: Iterable[tuple[str, ...]], sought: int = 0
) -> tuple[bool, Snippet]:
    """Return whether a word stands in the best passages, and these."""
    data = encoded(text) if isinstance(text, str) else text
    if _SOFT_HYPHEN in data:
        data = data.replace(_SOFT_HYPHEN, b"")  # nobody is to see them
    return snippet(data, looked_for(spellings, phrases), sought)


def looked_for(spellings: frozenset[str], phrases: Iterable[tuple[str, ...]]) -> WantedKinds:
    """Return the words to be marked as the core takes them."""
    return _looked_for(spellings.union(*phrases) if phrases else spellings)


@lru_cache(maxsize=256)  # the same for all hits of a search
def _looked_for(wanted: frozenset[str]) -> WantedKinds:
    return WantedKinds(wanted, _KIND, _written)


def _written(word: str) -> str:
    """Return how else a word may stand in markup with letters of ASCII in small, which alone are found in any case."""
    return word if word.isascii() else word.capitalize()
