"""Text -> words: the same code for documents and for queries, the tokenizer of the core (indexer/core/tokens.h).

A word is a run of letters, digits and marks after NFKC and case folding; every
other character parts words. Runs in scripts written without spaces (Han, kana,
Hangul, Thai, Lao, Khmer, Myanmar) become overlapping pairs: ABC gives AB, BC, C;
the last character alone closes the run so that each character starts one word.
Each emoji or other picture sign is a word by itself. A word with "++" or "#" right behind it (C++, C#) stands
twice at its place: as it is, and with these signs as a *compound*.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from indexer.core import tokens as core
from indexer.core.tokens import decoded, encoded
from indexer.text.elements import BODY, DESCRIPTION, ELEMENTS, KEYWORDS, MARK, TITLE, URL, PageText

MAX_WORD = 64  # code points; what is longer is indexed and searched by its first 64
SECTION_GAP = 32  # positions left free between title, description, keywords, address and running text
MAX_TEXT = 2_000_000  # code points of a page that are indexed, counted as they are once normalized

# Languages in which I is the capital of \u0131, and \u0130 that of i.
_DOTLESS_LANGUAGES = ("tr", "az")


def folding_of(language: str) -> int:
    """Return how the core folds text of a language, given by its code; "" for none."""
    return core.DOTLESS_I if language in _DOTLESS_LANGUAGES else 0


def normalize(text: str, language: str = "") -> str:
    """Return `text` as it is compared: NFKC, case folded, without ignorable characters, vowel points and tatweel.

    language: of the page that the text is from; "" for a query. It matters to Turkish and Azerbaijani, where
    I is a capital dotless i; a query for it as "isparta" finds Isparta as a folded form (indexer.text.folding).
    """
    folding = folding_of(language)
    if text.isascii() and not folding:
        return text.lower()
    return decoded(core.tokenizer().normalize(encoded(text), folding))


def words_of(text: str) -> list[str]:
    """Return the words of a text in their order, normalized; the words of a query or a snippet."""
    tokens, words = _spelled(encoded(text))
    is_compound = tokens["flags"] & core.COMPOUND
    return [word for word, left_out in zip(words, is_compound.tolist(), strict=True) if not left_out]


def compounds_of(text: str) -> list[str]:
    """Return the compounds of a text in their order, normalized: "C++ and C#" gives c++ and c#.

    words_of gives their parts (c, c), at whose places they stand.
    """
    tokens, words = _spelled(encoded(text))
    is_compound = tokens["flags"] & core.COMPOUND
    return [word for word, chosen in zip(words, is_compound.tolist(), strict=True) if chosen]


def word_spans_of(text: str) -> list[tuple[str, int, int]]:
    """Return (word, start, end) for the words of a text; start and end count characters of `text` itself.

    A compound comes behind the word that it begins with. A character that becomes several words (½) is the place of
    each; a place takes along what is left out inside of the word, and vowel points behind it.
    """
    source = encoded(text)
    tokens, words = _spelled(source)
    starts, ends = tokens["from"], tokens["to"]
    if len(source) != len(text):
        # characters that begin before each byte
        begun = np.append(0, np.cumsum(np.frombuffer(source, dtype=np.int8) >= -64))
        starts, ends = begun[starts], begun[ends]
    return list(zip(words, starts.tolist(), ends.tolist(), strict=True))


def _spelled(text: bytes) -> tuple[NDArray[np.void], list[str]]:
    """Return the tokens of a text, and how each is spelled."""
    tokenizer = core.tokenizer()
    tokens = tokenizer.tokenize(text)
    return tokens, _spellings(tokenizer.normal, tokens)


def _spellings(normal: bytes, tokens: NDArray[np.void]) -> list[str]:
    begins = tokens["begin"].tolist()
    ends = (tokens["begin"] + tokens["size"]).tolist()
    if normal.isascii():
        text = normal.decode("ascii")
        return [text[begin:end] for begin, end in zip(begins, ends, strict=True)]
    return [normal[begin:end].decode() for begin, end in zip(begins, ends, strict=True)]


def is_paired(word: str) -> bool:
    """Tell whether a word is a pair of (or a single) character of a script written without spaces."""
    return bool(word) and not word[0].isascii() and core.class_of(word[0]) == core.PAIRED


# ---------------------------------------------------------------- columns of documents


@dataclass(slots=True)
class Tokens:
    """The occurrences of a group of pages, in reading order page by page.

    words: the distinct words; word: for each occurrence an index into it. A compound stands behind its word, at
    the same position.
    document: index of the page in the group; element: element number; position: place in the page,
    with SECTION_GAP free places between title, description, keywords, address and running text.
    lengths: occurrences by page and element, shape (pages, len(ELEMENTS)).
    extents: one more than the greatest position of each page, 0 for a page without words.
    cut: for each page, whether it has more text than is indexed; [] when nobody asked.
    """

    words: list[str]
    word: NDArray[np.uint32]
    document: NDArray[np.uint32]
    element: NDArray[np.uint8]
    position: NDArray[np.uint32]
    lengths: NDArray[np.uint32]
    extents: NDArray[np.uint32]
    cut: list[bool] = field(default_factory=list)


def analyze_pages(pages: Sequence[tuple[str, PageText]], most: int = MAX_TEXT) -> Tokens:
    """Return the tokens of a group of pages, each given as (address, text); the text knows its language by code.

    most: code points of each that are looked at, once they are normalized; words of the address do not count.
    """
    tokenizer = core.tokenizer()
    columns, normals, counts, starts = [np.zeros(0, dtype=core.TOKEN)], [], [], [0]
    lengths, extents, cut = [], [], []
    for url, page in pages:
        tokens = tokenizer.tokenize_sections(_sections(url, page), most)
        columns.append(tokens)
        counts.append(len(tokens))
        normals.append(tokenizer.normal)
        starts.append(starts[-1] + len(normals[-1]))
        lengths.append(tokenizer.lengths)
        extents.append(tokenizer.extent)
        cut.append(tokenizer.is_cut)
    all_ = np.concatenate(columns)
    document = np.repeat(np.arange(len(pages), dtype=np.uint32), counts)
    begins = all_["begin"].astype(np.int64) + np.repeat(np.array(starts[:-1], dtype=np.int64), counts)
    words, word = distinct_words(b"".join(normals), all_, begins)
    return Tokens(
        words=words,
        word=word,
        document=document,
        element=all_["element"].copy(),
        position=all_["rank"].copy(),
        lengths=np.array(lengths, dtype=np.uint32).reshape(len(pages), len(ELEMENTS)),
        extents=np.array(extents, dtype=np.uint32),
        cut=cut,
    )


def distinct_words(
    normal: bytes, tokens: NDArray[np.void], begins: NDArray[np.integer] | None = None
) -> tuple[list[str], NDArray[np.uint32]]:
    """Return (words, word): the distinct words in the order in which they are first met, and for each token its number.

    begins: where the spelling of each token begins in `normal`, when that is not what the tokens say.
    """
    _, first, word = np.unique(tokens["hash"], return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(first), dtype=np.uint32)
    number[order] = np.arange(len(first), dtype=np.uint32)
    first = first[order]
    low = (tokens["begin"] if begins is None else begins)[first].astype(np.int64)
    high = low + tokens["size"][first]
    words = [normal[a:b].decode() for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    return words, number[word.reshape(-1)]


def _sections(url: str, page: PageText) -> list[tuple[int, bytes, int, NDArray[np.uint32] | None]]:
    folding = folding_of(page.language)
    pieces = [encoded(piece) for piece in page.pieces]
    rows = np.empty((len(pieces), 2), dtype=np.uint32)
    sizes = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
    rows[:, 0], rows[:, 1] = np.cumsum(sizes) - sizes, page.classes
    return [
        (TITLE, encoded((page.title or "").replace(MARK, " ")), folding, None),
        (DESCRIPTION, encoded(page.description.replace(MARK, " ")), folding, None),
        (KEYWORDS, encoded(page.keywords.replace(MARK, " ")), folding, None),
        (URL, encoded(url_words(url)), 0, None),
        (BODY, b"".join(pieces), folding, rows),
    ]


_URL_SCHEME = re.compile(r"^[a-z][a-z0-9+.\-]*://(?:www\d?\.)?", re.IGNORECASE)


def url_words(url: str) -> str:
    """Return what of an address is indexed as text: without scheme and www, escapes undone where they are text."""
    return unquote(_URL_SCHEME.sub("", url), errors="replace")
