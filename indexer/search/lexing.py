"""The text of a query -> tokens, in one pass over its characters; used by the parser in query.py.

( ) )^2                          open, close (always balanced, never deeper than MAX_DEPTH)
AND && OR || NOT NEAR NEAR/5     operators: and, or, not, near
- ! + =                          signs, where a word or part follows without a blank
title: title,heading: site:      field, where something follows without a blank
"grey heron" "grey heron"~3^2    phrase
[2009 TO 2010]                   word 2009..2010, directly behind from: appeared: vanished:
everything else                  word: up to the next blank, quote or parenthesis
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from indexer.text.elements import ELEMENTS

MAX_DEPTH = 40
DEFAULT_DISTANCE, MAX_DISTANCE = 10, 100
FILTERS = (
    "site",
    "inurl",
    "type",
    "lang",
    "status",
    "from",
    "to",
    "before",
    "after",
    "at",
    "appeared",
    "vanished",
)
FIELDS = frozenset({*ELEMENTS, *FILTERS, "text", "task"})

# Marks of direction and joiners that copied text brings along; inside words they mean nothing either.
_UNSEEN = "\u00ad\u061c\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064"
_SAME_AS = {
    **dict.fromkeys(map(ord, _UNSEEN + "\u2066\u2067\u2068\u2069\ufeff")),
    **dict.fromkeys(map(ord, "“”„‟«»＂"), '"'),
    ord("（"): "(",
    ord("）"): ")",
}
# What parts words: white space and control characters; and what goes on up to it, to a quote, parenthesis, && or ||.
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]")
_CHUNK = re.compile(r"(?:(?!&&|\|\|)[^\s\x00-\x1f\x7f-\x9f\"()])+")
_SIGNS = "-!+="
_RANGED = ("from", "appeared", "vanished")
_LONGEST_RANGE = 60  # characters of [2009 TO 2010]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query. text: as written; suffix: what follows a closing quote or parenthesis; distance: of a
    NEAR."""

    kind: str
    text: str
    suffix: str = ""
    distance: int = 0


def tokens_of(text: str, note: Callable[..., None]) -> list[Token]:
    """Return the tokens of a query. note: told what was read otherwise than written."""
    return _balanced(_Lexer(text.translate(_SAME_AS), note).split(), note)


class _Lexer:
    def __init__(self, text: str, note: Callable[..., None]) -> None:
        self._text, self._note = text, note
        self._quotes = text.count('"')
        self._tokens: list[Token] = []
        self._at = 0
        self._glued = False  # a sign or a field stands directly before: what follows is no operator

    def split(self) -> list[Token]:
        text = self._text
        while self._at < len(text):
            character = text[self._at]
            if character == " " or _BLANKS.match(character):
                self._at += 1
                self._glued = False
            elif character == '"':
                self._quote()
            elif character == "(":
                self._add(Token("open", character), 1)
            elif character == ")":
                self._close()
            else:
                self._chunk()
        return self._tokens

    def _add(self, token: Token, size: int, *, glues: bool = False) -> None:
        self._tokens.append(token)
        self._at += size
        self._glued = glues

    def _quote(self) -> None:
        start = self._at + 1
        end = self._text.find('"', start)
        if end < 0:
            self._note('a " without its partner is left out')
            self._at += 1
            return
        after = end + 1
        while after < len(self._text) and self._text[after] in "~^.0123456789":
            after += 1
        self._add(Token("phrase", self._text[start:end], self._text[end + 1 : after]), after - self._at)

    def _close(self) -> None:
        after = self._at + 1
        if self._text[after : after + 1] == "^":
            after += 1
            while self._text[after : after + 1] in tuple(".0123456789"):
                after += 1
        self._add(Token("close", ")", self._text[self._at + 1 : after]), after - self._at)

    def _range(self) -> Token | None:
        """Return the dates of [2009 TO 2010], where they stand directly behind a field, if that takes a range."""
        last = self._tokens[-1] if self._tokens else None
        if last is None or last.text not in _RANGED or self._text[self._at] != "[":
            return None
        end = self._text.find("]", self._at, self._at + _LONGEST_RANGE)
        words = self._text[self._at + 1 : end].split() if end > 0 else []
        if len(words) != 3 or words[1].upper() != "TO" or words[0] == words[2] == "*":
            return None
        first, last_date = ("" if word == "*" else word for word in (words[0], words[2]))
        token = Token("word", f"{first}..{last_date}")
        self._add(token, end + 1 - self._at)
        return token

    def _chunk(self) -> None:
        if self._glued and self._range():
            return
        found, start = _CHUNK.match(self._text, self._at), self._at
        if found is None:  # && or ||
            self._add(Token("and" if self._text[start] == "&" else "or", self._text[start : start + 2]), 2)
            return
        chunk, end = found[0], found.end()
        if chunk.isalnum():  # neither a sign nor a field
            self._add(self._word(chunk), len(chunk))
            return
        followed = self._text[end : end + 1] in ('"', "(")
        if chunk[0] in _SIGNS and (chunk[1:2] not in ("", *_SIGNS) or (len(chunk) == 1 and followed)):
            self._add(Token("not" if chunk[0] in "-!" else "sign", chunk[0]), 1, glues=True)
            return
        if field := self._field(chunk, followed):
            self._add(Token("field", field.lower()), len(field) + 1, glues=True)
            return
        self._add(self._word(chunk), len(chunk))

    def _field(self, chunk: str, followed: bool) -> str:
        """Return the name of the field that a chunk begins with, "" if there is none."""
        name, colon, value = chunk.partition(":")
        if not colon:
            return ""
        if not all(part in FIELDS for part in name.lower().split(",")):
            if len(name) > 1 and name.isalpha() and value and not value.startswith("/"):
                self._note("there is no %(field)s: to search in; it is read as a word", field=name)
            return ""
        if "," in name and not all(part in ELEMENTS for part in name.lower().split(",")):
            return ""
        if value.strip(":") or (not value and followed):
            return name
        self._note("%(field)s: needs a word directly behind it; it is read as a word", field=name)
        return ""

    def _word(self, chunk: str) -> Token:
        upper = chunk.upper()
        if not self._glued:
            if upper in ("AND", "OR", "NOT"):
                return Token(upper.lower(), chunk)
            if chunk == "NEAR":
                return Token("near", chunk, distance=DEFAULT_DISTANCE)
            if upper.startswith("NEAR/") and chunk[5:].isdecimal() and chunk[5:].isascii():
                return Token("near", chunk, distance=self._distance(chunk[5:]))
        return Token("word", chunk)

    def _distance(self, digits: str) -> int:
        distance = int(digits) if len(digits) < 6 else MAX_DISTANCE + 1
        if not 1 <= distance <= MAX_DISTANCE:
            self._note("NEAR/n takes 1 to %(count)s places", count=MAX_DISTANCE)
        return min(max(distance, 1), MAX_DISTANCE)


def _balanced(tokens: list[Token], note: Callable[..., None]) -> list[Token]:
    """Return the tokens with a partner for each parenthesis, and without those nested too deep."""
    balanced: list[Token] = []
    depth = 0
    for token in tokens:
        if token.kind == "open":
            depth += 1
            if depth > MAX_DEPTH:
                note("parentheses nested deeper than %(count)s are left out", count=MAX_DEPTH)
                continue
        elif token.kind == "close":
            if not depth:
                note("a ) without its ( is left out")
                continue
            depth -= 1
            if depth >= MAX_DEPTH:
                continue
        balanced.append(token)
    if depth:
        note("a ( without its ) is closed at the end")
    return balanced + [Token("close", ")")] * min(depth, MAX_DEPTH)
