"""Text -> words: the same code for documents and for queries.

A word is a run of letters, digits and marks after NFKC and case folding; every
other character parts words. Runs in scripts written without spaces (Han, kana,
Hangul, Thai, Lao, Khmer, Myanmar) become overlapping pairs: ABC gives AB, BC, C;
the last character alone closes the run so that each character starts one word.
Each emoji or other picture sign is a word by itself. A word with "++" or "#" right behind it (C++, C#) stands
twice at its place: as it is, and with these signs as a *compound*.

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
from itertools import chain
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from indexer.text.elements import DESCRIPTION, ELEMENTS, KEYWORDS, MARK, TITLE, URL, PageText

MOST_MARKS = 30  # on one letter, as in the stream-safe format of Unicode (UAX 15)
_LAST_MARK = 0x1F000
_BEYOND_BMP = re.compile("[\U00010000-\U0001efff]")
MAX_WORD = 64  # code points; what is longer is indexed and searched by its first 64
_RUNNING = 4  # number of the section that holds the running text
SECTION_GAP = 32  # positions left free between title, description, keywords, address and running text

_HASHED_AT_ONCE = 1 << 17  # code points
_SEPARATOR, _WORD, _PAIRED, _SINGLE = 0, 1, 2, 3
# Where symbols (category So) are pictures that people search for: technical signs, weather to dingbats, stars, emoji.
_PICTURE_RANGES = ((0x2300, 0x23FF), (0x2600, 0x27BF), (0x2B00, 0x2BFF), (0x1F000, 0x1FAFF))
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
    text = _with_dots(text, language)
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", with_few_marks(_SPECIAL.sub(_untangled, text))).casefold()
    if _POINTED.search(text):
        text = _POINTED.sub(lambda found: _PLAIN_ALEF if found.group() in _ALEFS else "", text)
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def with_few_marks(text: str) -> str:
    """Return a text without the marks that follow MOST_MARKS others on one letter, which no script has.

    Normalizing sorts the marks of a letter, in a time that grows with the square of their number: a page that holds
    60,000 accents in a row keeps Python from doing anything else for minutes.
    """
    return text if text.isascii() else _crowd(bool(_BEYOND_BMP.search(text))).sub(r"\1", text)


@cache
def _crowd(with_all: bool) -> re.Pattern[str]:
    """Return what matches too many characters in a row that are marks, or become some when they are normalized.

    with_all: also those of the upper planes, which make looking for them forty times as slow.
    """
    marks = [
        character
        for character in map(chr, range(0x300, _LAST_MARK if with_all else 0x10000))
        if unicodedata.combining(character)
        or (
            unicodedata.decomposition(character)
            and unicodedata.combining(unicodedata.normalize("NFKD", character)[0])
        )
    ]
    a_mark = f"[{''.join(marks)}]"
    # a single mark first, which is looked for fast
    return re.compile(f"({a_mark}{a_mark}{{{MOST_MARKS - 1}}}){a_mark}+")


def _with_dots(text: str, language: str) -> str:
    """Return the text with those capitals folded that a language folds in its own way."""
    if language in _DOTLESS_LANGUAGES:
        return text.replace("I\u0307", "i").replace("I", "\u0131")
    return text


def _character_class(code: int) -> int:
    category = unicodedata.category(chr(code))
    if category == "So" and any(low <= code <= high for low, high in _PICTURE_RANGES):
        return _SINGLE
    if category[0] not in "LMN":
        return _SEPARATOR
    if category[0] != "N" and any(low <= code <= high for low, high in _PAIRED_RANGES):
        return _PAIRED
    return _WORD


# Class of each code point, filled in by blocks of 256 as they are met; 255 = not yet known.
_classes = np.full(0x110000, 255, dtype=np.uint8)
# What normalize makes of each code point, where that does not depend on its neighbours: one code point,
# _SEVERAL - n for the text number n in _several (which may be empty), or _TOGETHER where neighbours matter.
_folded = np.full(0x110000, -1, dtype=np.int32)
_several: list[NDArray[np.uint32]] = []
_UNKNOWN, _TOGETHER, _SEVERAL = -1, -2, -3


def _learn_block(block: int) -> None:
    codes = range(block << 8, (block + 1) << 8)
    _classes[codes.start : codes.stop] = [_character_class(code) for code in codes]
    if not 0xD8 <= block < 0xE0 and _is_plain("".join(map(chr, codes))):
        _folded[codes.start : codes.stop] = codes
        return
    for code in codes:
        text = chr(code)
        if text == MARK:
            _folded[code] = code
        elif 0xD800 <= code < 0xE000 or not all(map(_stands_alone, text + (folded := normalize(text)))):
            _folded[code] = _TOGETHER
        elif len(folded) == 1:
            _folded[code] = ord(folded)
        else:
            _folded[code] = _SEVERAL - len(_several)
            _several.append(_code_points(folded))


def _is_plain(text: str) -> bool:
    """Tell whether no character of a block changes or joins another, as with Chinese and Hangul syllables."""
    return (
        all(map(_stands_alone, text))
        and unicodedata.is_normalized("NFKC", text)
        and text.casefold() == text
        and not _SPECIAL.search(text)
        and not _POINTED.search(text)
        and MARK not in text
    )


def _stands_alone(character: str) -> bool:
    """Tell whether a character neither joins the one before it when text is composed, nor changes places."""
    return not unicodedata.combining(character) and character not in _joining()


@cache
def _joining() -> frozenset[str]:
    """Return what stands second in a composed character, and the vowels and final consonants of Hangul."""
    found = set(map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))))
    for code in chain(range(0xA0, 0x3400), range(0xA000, 0xAC00), range(0xF900, 0x20000)):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            found.add(chr(int(parts[1], 16)))
    return frozenset(found)


def _learn_blocks(codes: NDArray[np.uint32]) -> None:
    for block in np.flatnonzero(np.bincount(codes >> 8)).tolist():
        if _folded[block << 8] == _UNKNOWN:
            _learn_block(block)


def _classes_of(codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    classes = _classes[codes]
    if (classes == 255).any():
        _learn_blocks(codes)
        classes = _classes[codes]
    return classes


def _normalized_codes(texts: list[str]) -> NDArray[np.uint32]:
    """Return the code points of all texts, each normalized by itself, one behind the other."""
    codes = _code_points("".join(texts))
    folded = _folded[codes]
    if len(folded) and folded.min() < 0:
        if (folded == _UNKNOWN).any():
            _learn_blocks(codes)
            folded = _folded[codes]
        together = np.flatnonzero(folded == _TOGETHER)
        if len(together):
            ends = np.cumsum([len(text) for text in texts])
            odd = set(np.searchsorted(ends, together, side="right").tolist())
            columns = []
            for number, end in enumerate(ends.tolist()):
                if number in odd:
                    columns.append(_code_points(normalize(texts[number])))
                else:
                    columns.append(_spread(folded[end - len(texts[number]) : end]))
            return np.concatenate(columns)
        return _spread(folded)
    return folded.view(np.uint32)


def _spread(folded: NDArray[np.int32]) -> NDArray[np.uint32]:
    """Put the code points in where one has become several, or none."""
    places = np.flatnonzero(folded < 0)
    if not len(places):
        return folded.view(np.uint32)
    texts = [_several[number] for number in (_SEVERAL - folded[places]).tolist()]
    sizes = np.array([len(text) for text in texts])
    lengths = np.ones(len(folded), dtype=np.int64)
    lengths[places] = sizes
    spread = np.repeat(folded, lengths).view(np.uint32)
    # where they stand now: behind what the ones before have added or taken away
    starts = places + np.cumsum(sizes - 1) - (sizes - 1)
    inside = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    spread[np.repeat(starts, sizes) + inside] = np.concatenate(texts)
    return spread


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
    paired = np.flatnonzero(classes >= _PAIRED)
    if len(paired):
        continues = np.zeros(len(paired), dtype=np.int64)
        is_pair = classes[paired] == _PAIRED
        continues[:-1] = (np.diff(paired) == 1) & is_pair[:-1] & is_pair[1:]
        starts = np.concatenate([starts, paired])
        ends = np.concatenate([ends, paired + 1 + continues])
        order = np.argsort(starts, kind="stable")
        starts, ends = starts[order], ends[order]
    return starts, np.minimum(ends, starts + MAX_WORD)


def _compounds(
    codes: NDArray[np.uint32], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (rows of the words that signs follow, where the compounds end).

    "#" counts when no letter follows it (page.html#part holds no compound), "++" when no third "+" does.
    """
    after = codes[np.minimum(ends, len(codes) - 1)] if len(codes) else codes
    rows = np.flatnonzero(((after == ord("+")) | (after == ord("#"))) & (ends < len(codes)))
    if not len(rows):
        return rows, rows
    rows = rows[(ends[rows] - starts[rows] <= MAX_WORD - 2) & (_classes_of(codes[starts[rows]]) == _WORD)]
    place = ends[rows]
    around = np.concatenate([codes, np.zeros(3, dtype=codes.dtype)])
    has_sharp = (around[place] == ord("#")) & (_classes_of(around[place + 1]) == _SEPARATOR)
    has_plus = (around[place] == ord("+")) & (around[place + 1] == ord("+")) & (around[place + 2] != ord("+"))
    chosen = has_sharp | has_plus
    return rows[chosen], (place + np.where(has_plus, 2, 1))[chosen]


def compounds_of(text: str) -> list[str]:
    """Return the compounds of a text in their order, normalized: "C++ and C#" gives c++ and c#.

    words_of gives their parts (c, c), at whose places they stand.
    """
    text = normalize(text)
    codes = _code_points(text)
    starts, ends = _word_spans(codes)
    rows, compound_ends = _compounds(codes, starts, ends)
    return [text[start:end] for start, end in zip(starts[rows].tolist(), compound_ends.tolist(), strict=True)]


def words_of(text: str) -> list[str]:
    """Return the words of a text in their order, normalized; the words of a query or a snippet."""
    text = normalize(text)
    starts, ends = _word_spans(_code_points(text))
    return [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def word_spans_of(text: str) -> list[tuple[str, int, int]]:
    """Return (word, start, end) for the words of a text; start and end count characters of `text` itself.

    A compound comes behind the word that it begins with.
    Text is folded word by word, so that the places fit text whose folding changes its length.
    """
    kept = [place for place, character in enumerate(text) if not _IGNORABLE.match(character)]
    codes = _code_points("".join([text[place] for place in kept]))
    starts, ends = _word_spans(codes)
    rows, compound_ends = _compounds(codes, starts, ends)
    end_of_compound = dict(zip(rows.tolist(), compound_ends.tolist(), strict=True))
    spans = []
    for row, (first, last) in enumerate(zip(starts.tolist(), (ends - 1).tolist(), strict=True)):
        start, end = kept[first], kept[last] + 1
        piece = text[start:end]
        # lower() is what normalizing does to ASCII, at a twentieth of the time
        for word in [piece.lower()] if piece.isascii() else words_of(piece)[:1]:
            spans.append((word, start, end))
            if row in end_of_compound:
                behind = end_of_compound[row]
                signs_end = kept[behind - 1] + 1
                # a sign of full width behind them, once normalized, would be one too many
                with_next = text[start : kept[behind] + 1] if behind < len(kept) else text[start:]
                spans += [(compound, start, signs_end) for compound in compounds_of(with_next)[:1]]
    return spans


def is_paired(word: str) -> bool:
    """Tell whether a word is a pair of (or a single) character of a script written without spaces."""
    return bool(word) and _character_class(ord(word[0])) == _PAIRED


def is_separator(character: str) -> bool:
    """Tell whether a character ends words and is in none, as a space does."""
    return _character_class(ord(character)) == _SEPARATOR and not _IGNORABLE.match(character)


def is_picture(character: str) -> bool:
    """Tell whether a character is an emoji or other picture sign, which is a word by itself."""
    return _character_class(ord(character)) == _SINGLE


# ---------------------------------------------------------------- columns of documents


# Words are told apart by a 64-bit hash over the code points while a batch is in memory.
# Its parameters are drawn anew in each process, so that no page can be made to collide.
@cache
def _hash_parameters() -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]:
    """Return a number for each code point, the powers of r, and those of its inverse."""
    of_code = np.frombuffer(secrets.token_bytes(8 * 0x110000), dtype=np.uint64)
    # r = 3 modulo 4: the differences of its powers have few factors of two
    root = int.from_bytes(secrets.token_bytes(8), "little") | 3
    powers = [
        np.multiply.accumulate(np.full(_HASHED_AT_ONCE, number, dtype=np.uint64))
        for number in (root, pow(root, -1, 1 << 64))
    ]
    return of_code, powers[0], powers[1]


@dataclass(slots=True)
class Tokens:
    """The occurrences of a group of pages, in reading order page by page.

    words: the distinct words; word: for each occurrence an index into it. A compound stands behind its word, at
    the same position.
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
    texts: list[str] = []
    elements: list[NDArray[np.uint8]] = []
    sections: list[int] = []
    section_sizes: list[int] = []
    pieces_before = [0]
    for url, page in pages:
        count = pieces_before[-1]
        for section, (element, part) in enumerate(
            (
                (TITLE, page.title),
                (DESCRIPTION, page.description),
                (KEYWORDS, page.keywords),
                (URL, url_words(url)),
            )
        ):
            if part:
                texts.append(
                    _with_dots(part.replace(MARK, " "), page.language if element != URL else "") + _END
                )
                elements.append(_ALONE[element])
                sections.append(section)
                section_sizes.append(1)
                count += 1
        texts.append(_with_dots(page.marked, page.language) + _END)
        elements.append(np.asarray(page.classes, dtype=np.uint8))
        sections.append(_RUNNING)
        section_sizes.append(len(page.classes))
        pieces_before.append(count + len(page.classes))

    codes, piece_starts = _without_marks(_normalized_codes(texts))
    starts, ends = _word_spans(codes)
    rank = np.arange(len(starts))
    rows, compound_ends = _compounds(codes, starts, ends)
    if len(rows):
        rank = np.insert(rank, rows + 1, rows)
        starts, ends = np.insert(starts, rows + 1, starts[rows]), np.insert(ends, rows + 1, compound_ends)
    piece_of_token = np.searchsorted(piece_starts, starts, side="right") - 1
    piece_document = np.repeat(np.arange(len(pages), dtype=np.uint32), np.diff(pieces_before))
    document_of_token = piece_document[piece_of_token]
    element_of_token = np.concatenate(elements)[piece_of_token] if elements else np.zeros(0, dtype=np.uint8)
    gap_of_piece = np.repeat(np.asarray(sections, dtype=np.int64) * SECTION_GAP, section_sizes)

    # tokens come page by page: those of page d are rows first_token[d] to first_token[d + 1]
    first_token = np.searchsorted(piece_of_token, pieces_before)
    first_rank = np.append(rank, 0)[first_token[:-1]]
    position = rank + (gap_of_piece - np.repeat(first_rank, np.diff(pieces_before)))[piece_of_token]
    kinds = len(ELEMENTS)
    lengths = np.bincount(
        document_of_token.astype(np.int64) * kinds + element_of_token, minlength=len(pages) * kinds
    )
    extents = np.zeros(len(pages), dtype=np.uint32)
    has_words = first_token[1:] > first_token[:-1]
    extents[has_words] = position[first_token[1:][has_words] - 1] + 1

    word, first = _number_words(_hash_spans(codes, starts, ends))
    text = codes.tobytes().decode("utf-32-le", "replace")
    words = [text[s:e] for s, e in zip(starts[first].tolist(), ends[first].tolist(), strict=True)]
    return Tokens(
        words=words,
        word=word,
        document=document_of_token,
        element=element_of_token,
        position=position.astype(np.uint32),
        lengths=lengths.reshape(len(pages), kinds).astype(np.uint32),
        extents=extents,
    )


_END = "\n" + MARK
_ALONE = np.arange(len(ELEMENTS), dtype=np.uint8).reshape(-1, 1)  # the classes of a text of one element


def _without_marks(codes: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the code points without marks, and where the pieces between marks begin in them."""
    is_mark = codes == ord(MARK)
    marks = np.flatnonzero(is_mark)
    return codes[~is_mark], np.append(0, (marks - np.arange(len(marks)))[:-1])


def _hash_spans(
    codes: NDArray[np.uint32], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each span of code points, given by rising start; equal spans have equal hashes.

    A hash is the sum of number-of-code-point times r ** place-in-word, modulo 2 ** 64: a difference of two running
    sums, brought to the place of the word by a power of the inverse of r.
    """
    hashes = np.empty(len(starts), dtype=np.uint64)
    if not len(starts):
        return hashes
    of_code, powers, inverses = _hash_parameters()
    row = 0
    while row < len(starts):
        begin = int(starts[row])
        last = int(np.searchsorted(starts, begin + _HASHED_AT_ONCE - MAX_WORD, side="right"))
        own = slice(row, last)
        stop = int(ends[own].max())
        sums = np.zeros(stop - begin + 1, dtype=np.uint64)
        np.cumsum(of_code[codes[begin:stop]] * powers[: stop - begin], out=sums[1:])
        low = starts[own] - begin
        hashes[own] = (sums[ends[own] - begin] - sums[low]) * inverses[low]
        row = last
    return hashes


def _number_words(hashes: NDArray[np.uint64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return (number of the word of each hash, a row that has it for each number).

    A table of rows, found by some bits of the hash, instead of a sort: whoever writes last into a place stands for its
    hash; those with another hash there go on to a table by other bits.
    """
    representative = np.empty(len(hashes), dtype=np.int64)
    rows = np.arange(len(hashes))
    bits = max(8, len(hashes).bit_length() + 2)
    table = np.empty(1 << bits, dtype=np.int32)  # the largest array of all, for a page of a million words
    factor = np.uint64(0x9E3779B97F4A7C15)
    mixed = hashes
    while len(rows):
        mixed = mixed * factor
        place = mixed >> np.uint64(64 - bits)
        table[place] = rows
        found = table[place]
        representative[rows] = found
        other = hashes[found] != hashes[rows]
        rows, mixed = rows[other], mixed[other]
        mixed ^= mixed >> np.uint64(32)
    first = np.flatnonzero(representative == np.arange(len(hashes)))
    numbers = np.empty(len(hashes), dtype=np.uint32)
    numbers[first] = np.arange(len(first), dtype=np.uint32)
    return numbers[representative], first


_URL_SCHEME = re.compile(r"^[a-z][a-z0-9+.\-]*://(?:www\d?\.)?", re.IGNORECASE)


def url_words(url: str) -> str:
    """Return what of an address is indexed as text: without scheme and www, escapes undone where they are text."""
    return unquote(_URL_SCHEME.sub("", url), errors="replace")
