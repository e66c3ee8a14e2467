"""Words without their accents: the second chance of a query word, never in place of the word as it is spelled."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Letters that do not decompose into a plain one and a mark.
_PLAIN = str.maketrans(
    {
        "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ŧ": "t", "ı": "i", "ĸ": "k", "ŋ": "n", "ſ": "s",
        "æ": "ae", "œ": "oe", "þ": "th", "ə": "a",
        "ё": "е", "ѐ": "е", "ѝ": "и", "ґ": "г",
        # Arabic letters that are typed one for the other; Persian forms and those of old code pages
        "ة": "ه", "ى": "ي", "ی": "ي", "ې": "ي", "ک": "ك", "ؤ": "و", "ئ": "ي", "ۀ": "ه", "ہ": "ه", "ھ": "ه",
    }
)  # fmt: skip
# What German and Scandinavian languages write where a keyboard has no such letters: Mueller, Aarhus.
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_is_spelled_out = re.compile("[äöüøå]").search


# Any letter that folding changes: of Latin and Greek scripts nearly all beyond ASCII, of others those named above.
_has_accents = re.compile(f"[\u00c0-\u03ff\u1e00-\u1fff{''.join(map(chr, _PLAIN))}]").search


def folds_of(word: str) -> tuple[str, ...]:
    """Return the spellings without accents that a normalized word may be typed as; empty when it has no accents.

    Two words are folded forms of each other when they, or their folds, have a spelling in common: café and cafe,
    Müller and Mueller. Cyrillic й and the marks of Indic and East Asian scripts are letters, no accents.
    """
    if not _has_accents(word):
        return ()
    return _folds_of(word)


@lru_cache(maxsize=65536)
def _folds_of(word: str) -> tuple[str, ...]:
    plain = word.translate(_without_accents)
    if not _is_spelled_out(word):
        return (plain,) if plain != word else ()
    spelled_out = word.translate(_SPELLED_OUT)
    folds = [plain, folds_of(spelled_out)[0] if folds_of(spelled_out) else spelled_out]
    return tuple(fold for fold in dict.fromkeys(folds) if fold != word)


def accented_letters() -> dict[int, tuple[str, str]]:
    """Return what becomes of all letters that folding changes, by their code points: plain, and spelled out."""
    found = {}
    for code in range(0xC0, 0x2000):
        letter = chr(code)
        if _has_accents(letter):
            plain = _without_accents[code]
            found[code] = plain, letter.translate(_SPELLED_OUT) if _is_spelled_out(letter) else plain
    return found


class _WithoutAccents(dict[int, str]):
    """What each letter becomes, by its code point, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        plain = self[code] = "".join(
            character
            for letter in chr(code).translate(_PLAIN)
            for character in (unicodedata.normalize("NFD", letter) if _has_accent(letter) else letter)
            if not unicodedata.combining(character) or not _has_accent(letter)
        )
        return plain


_without_accents = _WithoutAccents()


def _has_accent(letter: str) -> bool:
    """Tell whether marks of a letter are accents: Latin and Greek ones, and those that stand alone after a letter."""
    code = ord(letter)
    return 0xC0 <= code < 0x0400 or 0x1E00 <= code < 0x2000
