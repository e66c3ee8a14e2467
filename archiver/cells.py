"""Texts of strangers as cells of tables (CSV, TSV): none may be taken for a formula by a spreadsheet program."""

from __future__ import annotations

import unicodedata

# Blanks to the eye that Unicode counts as letters or symbols: fillers of Hangul, the empty pattern of Braille.
_EMPTY_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")


def as_text_cell(text: str) -> str:
    """Return the text as a cell: with an apostrophe in front if it could be the beginning of a formula.

    Formulas begin with = + - @, also in their wide and small forms and with other dashes for the minus. Blanks and
    what is not seen (zero-width signs, marks of direction, controls) may stand before that: programs pass over some.
    """
    return f"'{text}" if text[:1] in ("\t", "\r", "\n") or _first_seen(text) in "=+-@" else text


def _first_seen(text: str) -> str:
    """Return the first character that can be seen, dashes as "-", signs as they are compared; " " if there is none."""
    for character in text:
        category = unicodedata.category(character)
        # separators, controls and format signs, what is not assigned, and marks, which have nothing to stand on
        if category[0] in "ZCM" or character in _EMPTY_LETTERS or character.isspace():
            continue
        plain = unicodedata.normalize("NFKC", character)[:1]
        return "-" if category == "Pd" or plain in "\u2212\u2796" else "+" if plain == "\u2795" else plain
    return " "
