"""Writes unicode_tables.h: what the tokenizer knows of each character, from Python's unicodedata.

    python indexer/core/make_unicode.py [--check]

The tables hold the Unicode version of the Python that ran this; indexes are then the same under every Python. With
--check nothing is written, and the exit code says whether the file is what this Python would write.

What a word is, is decided here: which characters are letters, which part words, and what is folded beyond Unicode's
rules. Three tables are looked up by code point, each in two steps (number of the block of 128, place in it):

fa_records: what becomes of a character that does not depend on its neighbours; the way of nearly all text
    bits 0-20   payload: a code point, a place in fa_strings, or a combining class
    bits 21-22  class of what it becomes: 0 parts words, 1 letter, digit or mark, 2 paired, 3 picture
    bits 23-25  kind, see RECORD KINDS below
fa_properties: bits 0-1 class as it stands, 2 counts as a mark of a letter, 3-5 special, see SPECIAL below,
    6 is what words are spelled with where only the language is asked: no digit, no mark; 7 is a letter or a mark
fa_combining: the canonical combining class
fa_decompositions, fa_foldings: place in fa_code_points of (length, code points) for full NFKD and case folding;
    0: itself
"""

from __future__ import annotations

import argparse
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

OUTPUT = Path(__file__).with_name("unicode_tables.h")
BLOCK = 128
_LETTER = re.compile(r"[^\W\d_]")
CODES = range(0x110000)
SEPARATOR, WORD, PAIRED, SINGLE = range(4)

# RECORD KINDS. The first three begin a segment: nothing in them joins what stands before, nor changes places with it.
SAME, ONE, SEVERAL = 0, 1, 2
DROPPED = 3  # ignorable: nothing becomes of it, and what follows joins what stands before
POINT = 4  # left out after normalizing, without having had any part in it
MARK = 5  # stays as it is behind a letter, and joins no letter; the payload is its combining class
TOGETHER = 6  # neighbours matter: the whole segment is normalized

# SPECIAL: what is done to a character before and after normalizing.
IGNORABLE, BLANK, LETTERLIKE, DOTTED, VOWEL_POINT, ALEF = 1, 2, 3, 4, 5, 6

# Where symbols (category So) are pictures that people search for: technical signs, weather to dingbats, stars, emoji.
PICTURE_RANGES = ((0x2300, 0x23FF), (0x2600, 0x27BF), (0x2B00, 0x2BFF), (0x1F000, 0x1FAFF))
# Scripts written without spaces.
PAIRED_RANGES = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1100, 0x11FF),
    (0x1780, 0x17FF),
    (0x3005, 0x3007),
    (0x302A, 0x302F),
    (0x3040, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
    (0xAC00, 0xD7FF),
    (0xF900, 0xFAFF),
    (0x1AFF0, 0x1B16F),
    (0x20000, 0x3FFFF),
)


def _characters(text: str) -> frozenset[str]:
    """Return the characters of the inside of a character class: "a-cx" gives a, b, c and x."""
    found: set[str] = set()
    at = 0
    while at < len(text):
        last = text[at + 2] if text[at + 1 : at + 2] == "-" else text[at]
        found.update(map(chr, range(ord(text[at]), ord(last) + 1)))
        at += 3 if text[at + 1 : at + 2] == "-" else 1
    return frozenset(found)


# Soft hyphen, joiners, direction marks and variation selectors stand inside words without parting them.
IGNORABLES = _characters(
    "\u00ad\u034f\u061c\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
)
# Symbols that NFKC turns into letters or marks. Old pages write "don´t" and "Java™": accents that stand alone
# and trade marks part words; others (℃, №, ㈱) become words of their own, never parts of the word beside them.
BLANKS = _characters(
    "\u00a8\u00af\u00b4\u00b8\u02d8-\u02dd\u0384\u0385\u1fbd\u1fbf-\u1fc1\u1fcd-\u1fcf\u1fdd-\u1fdf\u1fed-\u1fef\u1ffd"
    "\u1ffe\u2017\u203e\u2120\u2122\u309b\u309c\ufe49-\ufe4c\uffe3"
)
LETTERLIKES = _characters(
    "\u20a8\u2100\u2101\u2103\u2105\u2106\u2109\u2116\u2121\u213b\u249c-\u24e9\u2e9f\u2ef3\u2f00-\u2fd5\u3196-\u319f"
    "\u3200-\u321e\u322a-\u3247\u3250\u3260-\u327e\u328a-\u32b0\u32c0-\u33ff\ufdfc\U0001f110-\U0001f12e\U0001f130-\U0001f14f\U0001f16a-\U0001f16c"
    "\U0001f190\U0001f200-\U0001f251"
)
# Folding gives "i" and a dot above it, which nobody types: İstanbul is found as istanbul.
DOTTED_I = "\u0130"
# Hebrew and Arabic are read with and without vowel points, and lines are stretched with tatweel: all of it is left
# out, so that plain letters find pointed text and the other way round. Alef is written with hamza, madda or bare.
POINTS = _characters(
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
)
ALEFS = frozenset("\u0622\u0623\u0625\u0671\u0672\u0673")
PLAIN_ALEF = "\u0627"


def class_of(character: str) -> int:
    code = ord(character)
    category = unicodedata.category(character)
    if category == "So" and any(low <= code <= high for low, high in PICTURE_RANGES):
        return SINGLE
    if category[0] not in "LMN":
        return SEPARATOR
    if category[0] != "N" and any(low <= code <= high for low, high in PAIRED_RANGES):
        return PAIRED
    return WORD


def special_of(character: str) -> int:
    for number, characters in (
        (IGNORABLE, IGNORABLES),
        (BLANK, BLANKS),
        (LETTERLIKE, LETTERLIKES),
        (DOTTED, DOTTED_I),
        (VOWEL_POINT, POINTS),
        (ALEF, ALEFS),
    ):
        if character in characters:
            return number
    return 0


def is_counted_mark(character: str) -> bool:
    """Tell whether a character is a mark, or becomes some when it is normalized."""
    return bool(
        unicodedata.combining(character)
        or (
            unicodedata.decomposition(character)
            and unicodedata.combining(unicodedata.normalize("NFKD", character)[0])
        )
    )


@cache
def compositions() -> dict[tuple[int, int], int]:
    """Return the pairs that normalizing joins to one character; Hangul, which is reckoned, is not among them."""
    pairs = {}
    for code in CODES:
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            one, other = (int(part, 16) for part in parts)
            if unicodedata.normalize("NFC", chr(one) + chr(other)) == chr(code):
                pairs[one, other] = code
    return pairs


@cache
def _joining() -> frozenset[str]:
    """Return what stands second in a composed character, and the vowels and final consonants of Hangul."""
    hangul = map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)))
    return frozenset(hangul) | {chr(second) for _first, second in compositions()}


def _stands_alone(character: str) -> bool:
    return not unicodedata.combining(character) and character not in _joining()


def _untangled(character: str) -> str:
    special = special_of(character)
    return {IGNORABLE: "", BLANK: " ", LETTERLIKE: f" {character} ", DOTTED: "i"}.get(special, character)


def _kept(folded: str) -> str:
    return "".join(
        PLAIN_ALEF if character in ALEFS else "" if character in POINTS else character for character in folded
    )


def record_of(character: str, strings: Callable[[str], int]) -> int:
    """Return the record of a character; `strings` gives the place of a string that is put into fa_strings."""
    special = special_of(character)
    if special == IGNORABLE:
        return DROPPED << 23
    start = _untangled(character)
    composed = unicodedata.normalize("NFKC", start)
    is_inert = composed == character == composed.casefold() and character not in _joining()
    if special == VOWEL_POINT and is_inert:
        return POINT << 23
    folded = unicodedata.normalize("NFC", _kept(composed.casefold()))
    passed = (unicodedata.normalize("NFKD", start)[:1], composed[:1], *folded)
    if not folded or not all(map(_stands_alone, passed)):
        if is_inert and special == 0 and (combining := unicodedata.combining(character)):
            return MARK << 23 | class_of(character) << 21 | combining
        return TOGETHER << 23
    if folded == character:
        return SAME << 23 | class_of(folded) << 21
    if len(folded) == 1:
        return ONE << 23 | class_of(folded) << 21 | ord(folded)
    return SEVERAL << 23 | strings(folded)


class Pool:
    """Sequences of numbers, one behind the other, each once."""

    def __init__(self) -> None:
        self.numbers: list[int] = [0]
        self._places: dict[tuple[int, ...], int] = {}

    def place_of(self, numbers: Iterable[int]) -> int:
        key = tuple(numbers)
        if key not in self._places:
            self._places[key] = len(self.numbers)
            self.numbers += key
        return self._places[key]


def _array(kind: str, name: str, numbers: Iterable[int], as_hex: bool = False) -> str:
    texts = [f"{number:#x}" if as_hex and number > 9 else str(number) for number in numbers]
    lines, line = [], ""
    for text in texts:
        if len(line) + len(text) > 118:
            lines.append(line)
            line = ""
        line += text + ","
    lines.append(line)
    return f"const {kind} {name}[{len(texts)}] = {{\n" + "\n".join(lines) + "\n};\n"


def _two_levels(kind: str, name: str, values: list[int]) -> str:
    blocks: dict[tuple[int, ...], int] = {}
    numbers = [
        blocks.setdefault(tuple(values[start : start + BLOCK]), len(blocks))
        for start in range(0, len(values), BLOCK)
    ]
    size = "uint8_t" if len(blocks) <= 256 else "uint16_t"
    flat = [value for block in blocks for value in block]
    return _array(size, f"{name}_blocks", numbers) + _array(kind, name, flat, as_hex=True)


def made() -> str:
    """Return the text of unicode_tables.h."""
    strings, code_points = Pool(), Pool()

    def string_place(text: str) -> int:
        spelled = text.encode()
        assert len(spelled) <= 64  # LONGEST_STRING in normal.c
        return strings.place_of((len(spelled), len(text), *spelled))

    records, properties, combining, decompositions, foldings = [], [], [], [], []
    for code in CODES:
        character = chr(code)
        records.append(record_of(character, string_place))
        properties.append(
            class_of(character)
            | is_counted_mark(character) << 2
            | special_of(character) << 3
            | bool(_LETTER.match(character)) << 6
            | (unicodedata.category(character)[0] in "LM") << 7
        )
        combining.append(unicodedata.combining(character))
        apart = unicodedata.normalize("NFKD", character)
        is_hangul = 0xAC00 <= code < 0xD7A4
        decompositions.append(
            0 if apart == character or is_hangul else code_points.place_of((len(apart), *map(ord, apart)))
        )
        folded = character.casefold()
        foldings.append(0 if folded == character else code_points.place_of((len(folded), *map(ord, folded))))
        # what is folded once has to need no NFKD again, so that one table of decompositions is enough
        for letter in unicodedata.normalize("NFKC", _untangled(character)).casefold():
            assert unicodedata.normalize("NFKD", letter) == unicodedata.normalize("NFD", letter), code
    assert max(len(strings.numbers), len(code_points.numbers)) < 1 << 16
    pairs = sorted(compositions().items())
    return "".join(
        [
            f"/* Unicode {unicodedata.unidata_version}. Written by make_unicode.py; included by unicode.c alone. */\n",
            f'#define FA_UNICODE_VERSION "{unicodedata.unidata_version}"\n',
            _two_levels("uint32_t", "fa_records", records),
            _array("uint8_t", "fa_strings", strings.numbers),
            _two_levels("uint8_t", "fa_properties", properties),
            _two_levels("uint8_t", "fa_combining", combining),
            _two_levels("uint16_t", "fa_decompositions", decompositions),
            _two_levels("uint16_t", "fa_foldings", foldings),
            _array("uint32_t", "fa_code_points", code_points.numbers, as_hex=True),
            "/* Pairs that join: first << 21 | second, rising, and what they become. */\n",
            _array("uint64_t", "fa_pairs", (one << 21 | other for (one, other), _ in pairs), as_hex=True),
            _array("uint32_t", "fa_joined", (code for _, code in pairs), as_hex=True),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the file is another")
    text = made()
    if parser.parse_args().check:
        sys.exit(OUTPUT.read_text(encoding="ascii") != text)
    OUTPUT.write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()
