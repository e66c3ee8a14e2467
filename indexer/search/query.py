"""What was asked: the text of a query -> a tree that knows no index.

    query   := any                          any  := all ("OR" all)*
    all     := one (["AND"] one)*           one  := ("NOT" | "-" | "+") one | part
    part    := "(" any ")" | ELEMENT ":" part | "site:" NAME | "=" WORD | '"' words '"' | WORD

Nothing a user can type is an error: what does not fit the grammar is read as plain words,
and a notice says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from indexer.search.nodes import (
    And,
    Appeared,
    Captured,
    Filter,
    Fuzzy,
    InUrl,
    Language,
    Leaf,
    LiveAt,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Site,
    Status,
    Type,
    Vanished,
    Wildcard,
    Word,
    all_leaves,
    describe,
    leaves,
    within,
)
from indexer.text.analysis import is_paired, words_of
from indexer.text.elements import ELEMENTS

__all__ = [
    "And",
    "Appeared",
    "Captured",
    "Filter",
    "Fuzzy",
    "InUrl",
    "Language",
    "Leaf",
    "LiveAt",
    "Near",
    "Node",
    "Not",
    "Or",
    "Phrase",
    "Query",
    "Site",
    "Status",
    "Type",
    "Vanished",
    "Wildcard",
    "Word",
    "all_leaves",
    "describe",
    "is_implied",
    "leaves",
    "parse_query",
    "within",
]

MAX_CHARACTERS = 2000
MAX_WORDS = 64


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query. tree is None when nothing was asked; notices say what was read otherwise than written."""

    text: str
    tree: Node | None
    notices: tuple[str, ...] = ()

    def __str__(self) -> str:
        return describe(self.tree) if self.tree else ""


_TOKEN = re.compile(
    r"""(?P<space>[\s\x00-\x1f]+)
      | (?P<quote>")
      | (?P<open>\()
      | (?P<close>\))
      | (?P<element>(?:"""
    + "|".join(ELEMENTS)
    + r"""|site):(?=[^\s:]))
      | (?P<sign>[-+=](?=[^\s\-+=)]))
      | (?P<word>[^\s"()\x00-\x1f]+)""",
    re.VERBOSE | re.IGNORECASE,
)
_OPERATORS = {"AND": "and", "OR": "or", "NOT": "not", "and": "and", "or": "or"}


def parse_query(text: str, *, operator: str = "and", max_words: int = MAX_WORDS) -> Query:
    """Return the parsed query. Raises nothing, whatever the text.

    operator: what words side by side mean. "and": all of them. "or": any of them; what is written with a + must be
    there, and what only limits (-word, site:) still does.
    """
    return _Parser(text, operator, max_words).parse()


class _Parser:
    """Recursive descent over the tokens; nothing nests deeper than MAX_DEPTH."""

    MAX_DEPTH = 40

    def __init__(self, text: str, operator: str, max_words: int) -> None:
        self.text = text
        self._any_word = operator == "or"
        self.notices: list[str] = []
        if len(text) > MAX_CHARACTERS:
            self._notice(f"only the first {MAX_CHARACTERS} characters of the query are used")
            text = text[:MAX_CHARACTERS]
        self._words_left = max_words
        self._tokens = self._split(text)
        self._at = 0
        self._depth = 0

    def parse(self) -> Query:
        parts = []
        while self._at < len(self._tokens):
            node = self._any()
            if node is not None:
                parts.append(node)
            if self._at < len(self._tokens):
                self._notice("a ) without its ( is left out")
                self._at += 1
        tree = _any_word_of(parts, []) if self._any_word else _all_of(parts, implied=True)
        return Query(self.text, tree, tuple(self.notices))

    def _notice(self, text: str) -> None:
        if text not in self.notices:
            self.notices.append(text)

    def _split(self, text: str) -> list[tuple[str, str]]:
        tokens: list[tuple[str, str]] = []
        quotes = text.count('"')
        quoted = glued = False
        start = 0
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:  # cannot be: every character fits one of the kinds
                at += 1
                continue
            kind = match.lastgroup or "word"
            value = match.group()
            if kind == "quote":
                if quoted:
                    tokens.append(("phrase", text[start:at]))
                    quoted = False
                elif quotes > 1:
                    quoted, start = True, match.end()
                else:
                    self._notice('a " without its partner is left out')
                quotes -= 1
            elif not quoted and kind == "word" and value in _OPERATORS and not glued:
                tokens.append((_OPERATORS[value], value))
            elif not quoted and kind != "space":
                tokens.append((kind, value))
            glued = kind in ("element", "sign")  # what follows without a blank is a word, never an operator
            at = match.end()
        return tokens

    def _peek(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _any(self) -> Node | None:
        parts = [self._all()]
        while self._peek() == "or":
            self._at += 1
            parts.append(self._all())
        found = tuple(part for part in parts if part is not None)
        return Or(found) if len(found) > 1 else found[0] if found else None

    def _all(self) -> Node | None:
        parts: list[Node] = []
        required: list[Node] = []
        implied = True
        while (kind := self._peek()) not in ("", "or", "close"):
            if kind == "and":
                self._at += 1
                implied = implied and not parts
                continue
            has_plus = self._tokens[self._at] == ("sign", "+")
            node = self._one()
            if node is not None:
                parts.append(node)
                if has_plus:
                    required.append(node)
        if self._any_word and implied:
            return _any_word_of(parts, required)
        return _all_of(parts, implied=implied)

    def _one(self) -> Node | None:
        if self._depth >= self.MAX_DEPTH:
            self._notice(f"parts nested deeper than {self.MAX_DEPTH} are left out")
            self._at += 1
            return None
        self._depth += 1
        node = self._signed()
        self._depth -= 1
        return node

    def _signed(self) -> Node | None:
        kind, value = self._tokens[self._at]
        if kind == "not" or (kind == "sign" and value == "-"):
            self._at += 1
            if self._peek() in ("", "and", "or", "close"):
                return self._plain(value) if kind == "not" else None
            node = self._one()
            return Not(node) if node is not None else None
        if kind == "sign" and value == "+":
            self._at += 1
            return self._one() if self._peek() not in ("", "and", "or", "close") else None
        return self._part()

    def _part(self) -> Node | None:
        kind, value = self._tokens[self._at]
        self._at += 1
        if kind == "open":
            node = self._any()
            if self._peek() == "close":
                self._at += 1
            else:
                self._notice("a ( without its ) is left out")
            return node
        if kind == "element":
            return self._element(value[:-1].lower())
        if kind == "sign":  # "="
            if self._peek() == "word":
                word = self._tokens[self._at][1]
                self._at += 1
                return self._plain(word, exact=True)
            return None
        if kind == "phrase":
            return self._phrase(words_of(value), quoted=True)
        return self._plain(value)

    def _element(self, name: str) -> Node | None:
        if self._peek() in ("", "and", "or", "not", "close"):
            return self._plain(name)
        if name == "site":
            kind, text = self._tokens[self._at]
            if kind not in ("word", "phrase"):
                self._notice("site: needs the name of a host behind it")
                return None
            self._at += 1
            host = _host(text)
            if re.search(r"[\s()\x00-\x1f]", host):
                self._notice(f"site: needs the name of a host behind it, {text!r} is none")
                return self._phrase(words_of(text), quoted=True)
            return Site(host) if host else self._plain(text)
        node = self._one()
        return within(node, frozenset({ELEMENTS.index(name)})) if node is not None else None

    def _plain(self, text: str, *, exact: bool = False) -> Node | None:
        words = words_of(text)
        words = without_implied_last(words)
        if len(words) == 1:
            return Word(words[0], exact) if self._spend(1) else None
        return self._phrase(words, quoted=False)

    def _phrase(self, words: list[str], *, quoted: bool) -> Node | None:
        words = without_implied_last(words)
        words = without_implied_last(words[: self._words_left]) if not self._spend(len(words)) else words
        if not words:
            return None
        if len(words) == 1:
            return Word(words[0], exact=quoted)
        return Phrase(tuple(words))

    def _spend(self, count: int) -> bool:
        """Count words against the limit; tell whether they all fit."""
        fits = count <= self._words_left
        if not fits:
            self._notice("the query has too many words; the last ones are left out")
        else:
            self._words_left -= count
        return fits


def is_implied(words: Sequence[str], place: int) -> bool:
    """Tell whether a word is the lone last character of a run without spaces: the pair before it holds it too.

    On the page the run may go on, so that the lone character need not stand there as a word.
    """
    word = words[place]
    return (
        place > 0
        and len(word) == 1
        and len(words[place - 1]) == 2
        and words[place - 1][1] == word
        and is_paired(word)
    )


def without_implied_last(words: list[str]) -> list[str]:
    """Return the words of a text as they are looked for, without the lone character that closes a run."""
    return words[:-1] if words and is_implied(words, len(words) - 1) else words


def _host(text: str) -> str:
    text = re.sub(r"^[a-z]+://", "", text.strip().lower().strip("*."))
    return re.split(r"[/:?#]", text)[0].strip("*.")


def _all_of(parts: list[Node], *, implied: bool) -> Node | None:
    if len(parts) <= 1:
        return parts[0] if parts else None
    flat: list[Node] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, And) and part.implied and implied else [part])
    return And(tuple(flat), implied)


def _any_word_of(parts: list[Node], required: list[Node]) -> Node | None:
    """Return what parts side by side mean where any word will do: any of the words, all of what limits.

    A required word stands among the words too, for the score; NOT NOT demands it without counting it twice.
    """
    words: list[Node] = []
    limits: list[Node] = []
    for part in parts:
        if not leaves(part):
            limits.append(part)
        elif isinstance(part, Or) and part.implied:
            words.extend(part.parts)
        else:
            words.append(part)
    if all(word in required for word in words):
        return _all_of([*words, *limits], implied=True)
    limits.extend(Not(Not(part)) for part in required if leaves(part))
    return _all_of([Or(tuple(words), implied=True) if len(words) > 1 else words[0], *limits], implied=True)
