"""Text -> words, letter by letter: what the tokenizer of the core has to agree with.

Nothing is shared with the product: what is special and what is a letter stands here once more. Normalizing is Python's
own, of a whole text at once.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

MOST_MARKS = 30  # on one letter
_LAST_MARK = 0x1F000
_BEYOND_BMP = re.compile("[\U00010000-\U0001efff]")
MAX_WORD = 64
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
