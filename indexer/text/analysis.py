"""Text -> words: the same code for documents and for queries.

A word is a run of letters, digits and marks after NFKC and case folding; every
other character parts words. Runs in scripts written without spaces (Han, kana,
Hangul, Thai, Lao, Khmer, Myanmar) become overlapping pairs: ABC gives AB, BC, C;
the last character alone closes the run so that each character starts one word.

Documents are analysed column by column: the code points of many pages form one
numpy array, and each step below is one operation on that array.
"""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from indexer.text.elements import BODY, DESCRIPTION, ELEMENTS, KEYWORDS, TITLE, URL, PageText

MAX_WORD = 64  # code points; what is longer is indexed and searched by its first 64
SECTION_GAP = 32  # positions left free between title, description, keywords, address and running text

_SEPARATOR, _WORD, _PAIRED = 0, 1, 2
_PAIRED_RANGES = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1100, 0x11FF),
    (0x1780, 0x17FF),
    (0x3005, 0x3007),
    (0x3040, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
    (0xAC00, 0xD7FF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
# Soft hyphen, joiners, direction marks and variation selectors stand inside words without parting them.
_JOINED = "\u00ad\u034f\u061c\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
_IGNORABLE = re.compile(f"[{_JOINED}]")

# Symbols that NFKC turns into letters or marks. Old pages write "don´t" and "Java™": accents that stand alone
# and trade marks part words; others (℃, №, ㈱) become words of their own, never parts of the word beside them.
_BLANKS = (
    "\u00a8\u00af\u00b4\u00b8\u02d8-\u02dd\u0384\u0385\u1fbd\u1fbf-\u1fc1\u1fcd-\u1fcf\u1fdd-\u1fdf\u1fed-\u1fef\u1ffd"
    "\u1ffe\u2017\u203e\u2120\u2122\u309b\u309c\ufe49-\ufe4c\uffe3"
)
_LETTERLIKE = (
    "\u20a8\u2100\u2101\u2103\u2105\u2106\u2109\u2116\u2121\u213b\u249c-\u24e9\u2e9f\u2ef3\u2f00-\u2fd5\u3196-\u319f"
    "\u3200-\u321e\u322a-\u3247\u3250\u3260-\u327e\u328a-\u32b0\u32c0-\u33ff\ufdfc\U0001f110-\U0001f12e\U0001f130-\U0001f14f\U0001f16a-\U0001f16c"
    "\U0001f190\U0001f200-\U0001f251"
)
# Folding gives "i" and a dot above it, which nobody types: İstanbul is found as istanbul.
_DOTTED_I = "\u0130"
_SPECIAL = re.compile(f"[{_JOINED}{_BLANKS}{_LETTERLIKE}{_DOTTED_I}]")
_BLANK = re.compile(f"[{_BLANKS}]")

# Hebrew and Arabic are read with and without vowel points, and lines are stretched with tatweel: all of it is left
# out, so that plain letters find pointed text and the other way round. Alef is written with hamza, madda or bare.
_POINTS = (
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
)
_ALEFS = "\u0622\u0623\u0625\u0671\u0672\u0673"
_POINTED = re.compile(f"[{_POINTS}{_ALEFS}]")
_PLAIN_ALEF = "\u0627"
# Languages in which I is the capital of \u0131, and \u0130 that of i.
_DOTLESS_LANGUAGES = ("tr", "az")


def _untangled(found: re.Match[str]) -> str:
    character = found.group()
    if character == _DOTTED_I:
        return "i"
    return "" if _IGNORABLE.match(character) else " " if _BLANK.match(character) else f" {character} "


def normalize(text: str, language: str = "") -> str:
    """Return `text` as it is compared: NFKC, case folded, without ignorable characters, vowel points and tatweel.

    language: of the page that the text is from; "" for a query. It matters to Turkish and Azerbaijani, where
    I is a capital dotless i; a query for it as "isparta" finds Isparta as a folded form (indexer.text.folding).
    """
    if language in _DOTLESS_LANGUAGES:
        text = text.replace("I\u0307", "i").replace("I", "\u0131")
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", _SPECIAL.sub(_untangled, text)).casefold()
    if _POINTED.search(text):
        text = _POINTED.sub(lambda found: _PLAIN_ALEF if found.group() in _ALEFS else "", text)
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def _character_class(code: int) -> int:
    category = unicodedata.category(chr(code))
    if category[0] not in "LMN":
        return _SEPARATOR
    if category[0] != "N" and any(low <= code <= high for low, high in _PAIRED_RANGES):
        return _PAIRED
    return _WORD


# Class of each code point, filled in by blocks of 256 as they are met; 255 = not yet known.
_classes = np.full(0x110000, 255, dtype=np.uint8)
_known_blocks = np.zeros(0x1100, dtype=bool)


def _classes_of(codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    classes = _classes[codes]
    if (classes == 255).any():
        for block in np.flatnonzero(np.bincount(codes >> 8)).tolist():
            if not _known_blocks[block]:
                start = block << 8
                _classes[start : start + 256] = [_character_class(code) for code in range(start, start + 256)]
                _known_blocks[block] = True
        classes = _classes[codes]
    return classes


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "replace"), dtype="<u4")


def _word_spans(codes: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where words start and end (exclusive), ordered by start; pairs overlap."""
    classes = _classes_of(codes)
    is_word = np.empty(len(codes) + 2, dtype=bool)
    is_word[0] = is_word[-1] = False
    np.equal(classes, _WORD, out=is_word[1:-1])
    edges = np.flatnonzero(is_word[1:] != is_word[:-1])
    starts, ends = edges[0::2], edges[1::2]
    paired = np.flatnonzero(classes == _PAIRED)
    if len(paired):
        continues = np.zeros(len(paired), dtype=np.int64)
        continues[:-1] = np.diff(paired) == 1
        starts = np.concatenate([starts, paired])
        ends = np.concatenate([ends, paired + 1 + continues])
        order = np.argsort(starts, kind="stable")
        starts, ends = starts[order], ends[order]
    return starts, np.minimum(ends, starts + MAX_WORD)


def words_of(text: str) -> list[str]:
    """Return the words of a text in their order, normalized; the words of a query or a snippet."""
    text = normalize(text)
    starts, ends = _word_spans(_code_points(text))
    return [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def word_spans_of(text: str) -> list[tuple[str, int, int]]:
    """Return (word, start, end) for the words of a text; start and end count characters of `text` itself.

    Text is folded word by word, so that the places fit text whose folding changes its length.
    """
    kept = [place for place, character in enumerate(text) if not _IGNORABLE.match(character)]
    starts, ends = _word_spans(_code_points("".join([text[place] for place in kept])))
    spans = []
    for first, last in zip(starts.tolist(), (ends - 1).tolist(), strict=True):
        start, end = kept[first], kept[last] + 1
        for word in words_of(text[start:end])[:1]:
            spans.append((word, start, end))
    return spans


def is_paired(word: str) -> bool:
    """Tell whether a word is a pair of (or a single) character of a script written without spaces."""
    return bool(word) and _character_class(ord(word[0])) == _PAIRED


# ---------------------------------------------------------------- columns of documents


# Words are told apart by a 64-bit hash over the code points while a batch is in memory.
# Its parameters are drawn anew in each process, so that no page can be made to collide.
@cache
def _hash_parameters() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return a number for each code point, and an odd factor for each place in a word."""
    of_code = np.frombuffer(secrets.token_bytes(8 * 0x110000), dtype=np.uint64)
    return of_code, np.frombuffer(secrets.token_bytes(8 * MAX_WORD), dtype=np.uint64) | np.uint64(1)


@dataclass(slots=True)
class Tokens:
    """The occurrences of a group of pages, in reading order page by page.

    words: the distinct words; word: for each occurrence an index into it.
    document: index of the page in the group; element: element number; position: place in the page,
    with SECTION_GAP free places between title, description, keywords, address and running text.
    lengths: occurrences by page and element, shape (pages, len(ELEMENTS)).
    extents: one more than the greatest position of each page, 0 for a page without words.
    """

    words: list[str]
    word: NDArray[np.uint32]
    document: NDArray[np.uint32]
    element: NDArray[np.uint8]
    position: NDArray[np.uint32]
    lengths: NDArray[np.uint32]
    extents: NDArray[np.uint32]


def analyze_pages(pages: Sequence[tuple[str, PageText]]) -> Tokens:
    """Return the tokens of a group of pages, each given as (address, text); the text knows its language by code."""
    pieces: list[str] = []
    elements: list[int] = []
    sections: list[int] = []
    pieces_before = [0]
    for url, page in pages:
        for section, (element, part) in enumerate(
            (
                (TITLE, page.title),
                (DESCRIPTION, page.description),
                (KEYWORDS, page.keywords),
                (URL, url_words(url)),
            )
        ):
            if part:
                pieces.append(normalize(part, page.language if element != URL else "") + "\n")
                elements.append(element)
                sections.append(section)
        pieces.extend(map(normalize, page.pieces, repeat(page.language)))
        pieces.append("\n")
        elements.extend(page.classes)
        elements.append(BODY)
        sections.extend([4] * (len(page.pieces) + 1))
        pieces_before.append(len(pieces))

    text = "".join(pieces)
    piece_lengths = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
    piece_document = np.repeat(np.arange(len(pages), dtype=np.uint32), np.diff(pieces_before))
    codes = _code_points(text)
    starts, ends = _word_spans(codes)
    piece_starts = np.zeros(len(pieces), dtype=np.int64)
    np.cumsum(piece_lengths[:-1], out=piece_starts[1:])
    piece_of_token = np.searchsorted(piece_starts, starts, side="right") - 1
    document_of_token = piece_document[piece_of_token]
    element_of_token = np.asarray(elements, dtype=np.uint8)[piece_of_token]
    section_of_token = np.asarray(sections, dtype=np.int64)[piece_of_token]

    first_token = np.searchsorted(document_of_token, np.arange(len(pages)))
    position = np.arange(len(starts)) - first_token[document_of_token] + section_of_token * SECTION_GAP
    kinds = len(ELEMENTS)
    lengths = np.bincount(
        document_of_token.astype(np.int64) * kinds + element_of_token, minlength=len(pages) * kinds
    )
    extents = np.zeros(len(pages), dtype=np.uint32)
    if len(starts):
        last_token = np.searchsorted(document_of_token, np.arange(len(pages)), side="right") - 1
        has_words = last_token >= first_token
        extents[has_words] = position[last_token[has_words]] + 1

    hashes = _hash_spans(codes, starts, ends)
    distinct, first, word = np.unique(hashes, return_index=True, return_inverse=True)
    words = [text[s:e] for s, e in zip(starts[first].tolist(), ends[first].tolist(), strict=True)]
    return Tokens(
        words=words,
        word=word.astype(np.uint32),
        document=document_of_token,
        element=element_of_token,
        position=position.astype(np.uint32),
        lengths=lengths.reshape(len(pages), kinds).astype(np.uint32),
        extents=extents,
    )


def _hash_spans(
    codes: NDArray[np.uint32], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each span of code points; equal spans have equal hashes."""
    lengths = ends - starts
    total = int(lengths.sum())
    if not total:
        return np.zeros(0, dtype=np.uint64)
    offsets = np.zeros(len(starts), dtype=np.int64)
    np.cumsum(lengths[:-1], out=offsets[1:])
    inside = np.arange(total) - np.repeat(offsets, lengths)
    of_code, factor = _hash_parameters()
    values = of_code[codes[np.repeat(starts, lengths) + inside]] * factor[inside]
    return np.add.reduceat(values, offsets)


_URL_SCHEME = re.compile(r"^[a-z][a-z0-9+.\-]*://(?:www\d?\.)?", re.IGNORECASE)


def url_words(url: str) -> str:
    """Return what of an address is indexed as text: without scheme and www, escapes undone where they are text."""
    return unquote(_URL_SCHEME.sub("", url), errors="replace")
