"""What was asked: the text of a query -> a tree that knows no index.

    query  := any                                any  := all ("OR" all)*
    all    := one (["AND"] one)*                 one  := ("NOT" | "-" | "+") one | near
    near   := part ("NEAR/5" part)*              part := "(" any ")" | FIELD ":" part | PHRASE | WORD

A WORD may be =exact, wom*n, fuzzy~1; a PHRASE may have slop, "a b"~3; both may have a boost, heron^2.
Nothing a user can type is an error: what does not fit the grammar is read as plain words, and a notice
says so. docs/query-language.md tells the same to users.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from archiver.notices import Notice
from indexer.search.fields import NoValue, filter_of
from indexer.search.lexing import FILTERS, MAX_DEPTH, Token, tokens_of
from indexer.search.nodes import (
    IN_ADDRESS,
    MAX_BOOST,
    RUNNING_TEXT,
    And,
    Appeared,
    Captured,
    Elements,
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
    boosted,
    children,
    describe,
    leaves,
    within,
)
from indexer.text.analysis import (
    MAX_WORD,
    compounds_of,
    is_paired,
    normalize,
    url_words,
    word_spans_of,
    words_of,
)
from indexer.text.elements import ELEMENTS, KEYWORDS, TITLE

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
    "children",
    "describe",
    "is_implied",
    "leaves",
    "parse_query",
    "within",
]

MAX_CHARACTERS = 8000
MAX_WORDS = 32
MAX_SLOP = 100


_QUERIES_KNOWN = 1024  # a query comes again with its next page, its facets, its snippets


@dataclass(frozen=True)
class Query:
    """A parsed query. tree is None when nothing was asked; notices say what was read otherwise than written."""

    text: str
    tree: Node | None
    notices: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return hash(self.text)  # which is known: a tree would be gone over each time

    def __str__(self) -> str:
        return self._described

    @cached_property
    def _described(self) -> str:
        return describe(self.tree) if self.tree else ""


@lru_cache(maxsize=_QUERIES_KNOWN)
def parse_query(text: str, *, operator: str = "and", max_words: int = MAX_WORDS) -> Query:
    """Return the parsed query. Raises nothing, whatever the text.

    operator: what words side by side mean. "and": all of them. "or": any of them; what is written with a + must be
    there, and what only limits (-word, site:) still does.
    """
    if plain := _plain_words(text, max_words):
        return Query(text, _side_by_side(plain, any_word=operator == "or"))
    notices: dict[str, None] = {}

    def note(template: str, **values: object) -> None:
        notices.setdefault(Notice(template, **values))

    asked = text
    if len(text) > MAX_CHARACTERS:
        note("only the first %(count)s characters of the query are used", count=MAX_CHARACTERS)
        text = text[:MAX_CHARACTERS]
    tokens = tokens_of(text, note)
    tree = _Parser(tokens, operator, max_words, note).parse()
    if tree is None and any(token.kind in _OPERATORS for token in tokens):
        # nothing but operators: then they are words
        notices.clear()
        note("operators without words beside them are read as words")
        words = [Token("word", token.text) for token in tokens if token.kind in _OPERATORS]
        tree = _Parser(words, operator, max_words, note).parse()
    if tree is None and text.strip() and not notices:
        note("the query holds no word")
    return Query(asked, tree, tuple(notices))


def _plain_words(text: str, most: int) -> list[str]:
    """Return the words of a text that is nothing but words as the analysis leaves them, as most queries are; else none.

    The parser would read each of them as a word.
    """
    if not text.isascii() or len(text) > MAX_CHARACTERS:
        return []
    words = text.split()
    are_words = (
        all(map(str.isalnum, words)) and "NEAR" not in words and max(map(len, words), default=0) <= _PLAIN
    )
    if not are_words or len(words) > most:
        return []
    words = text.lower().split()
    return words if _OPERATOR_WORDS.isdisjoint(words) else []


def _side_by_side(words: list[str], *, any_word: bool) -> Node:
    """Return the tree of plain words side by side."""
    parts = tuple(map(Word, words))
    if len(parts) == 1:
        return parts[0]
    return Or(parts, implied=True) if any_word else And(parts, implied=True)


_OPERATORS = ("and", "or", "not", "near")
_OPERATOR_WORDS = frozenset({"and", "or", "not"})  # in small and capital letters
_ENDS = ("", "close", "and", "or")


class _Parser:
    """Recursive descent over the tokens; parentheses and NOTs together nest no deeper than MAX_DEPTH."""

    def __init__(self, tokens: list[Token], operator: str, max_words: int, note: Callable[..., None]) -> None:
        self._tokens = tokens
        self._any_word = operator == "or"
        self._words_left = self._max_words = max_words
        self._note = note
        self._at = 0
        self._depth = 0
        self._cost = 1  # how often each word will stand in the tree
        self._field = ""  # the innermost field around, "" for none

    def parse(self) -> Node | None:
        """Return the tree of all tokens."""
        return self._any()

    def _peek(self) -> str:
        return self._tokens[self._at].kind if self._at < len(self._tokens) else ""

    def _next(self) -> Token:
        self._at += 1
        return self._tokens[self._at - 1]

    # -- operators

    def _any(self) -> Node | None:
        parts: list[Node | None] = [self._all()]
        while self._peek() == "or":
            self._at += 1
            parts.append(self._all())
        found = tuple(part for part in parts if part is not None)
        if len(found) < len(parts) and len(parts) > 1:
            self._note("OR without a word on each side is left out")
        return Or(found) if len(found) > 1 else found[0] if found else None

    def _all(self) -> Node | None:
        parts: list[Node] = []
        required: list[Node] = []
        implied = True
        while (kind := self._peek()) not in ("", "or", "close"):
            if kind == "and":
                self._at += 1
                if not parts or self._peek() in _ENDS:
                    self._note("AND without a word on each side is left out")
                else:
                    implied = False
                continue
            has_plus = kind == "sign" and self._tokens[self._at].text == "+"
            node = self._one()
            if node is not None:
                parts.append(node)
                if has_plus:
                    required.append(node)
        if self._any_word and implied and self._field != "task":
            return _any_word_of(parts, required)
        return _all_of(parts, implied=implied)

    def _one(self) -> Node | None:
        if self._peek() in ("word", "phrase") and self._depth <= MAX_DEPTH:
            return self._near()
        nots = 0
        while self._peek() == "not" or (self._peek() == "sign" and self._tokens[self._at].text == "+"):
            if self._next().kind == "not":
                nots += 1
        if nots and self._peek() in _ENDS:
            self._note("NOT without a word behind it is left out")
            return None
        if self._depth + nots > MAX_DEPTH:
            self._note("NOT nested deeper than %(count)s is left out", count=MAX_DEPTH)
            nots = max(0, MAX_DEPTH - self._depth)
        self._depth += nots
        node = self._near() if self._peek() not in _ENDS else None
        self._depth -= nots
        for _ in range(nots if node is not None else 0):
            node = Not(node) if node is not None else None
        return node

    def _near(self) -> Node | None:
        node = self._part()
        while self._peek() == "near":
            token = self._next()
            if node is None or self._peek() in (*_ENDS, "near", "not"):
                self._note("NEAR without a word on each side is read as a word")
                word = self._plain(token.text)
                node = _all_of([part for part in (node, word) if part is not None], implied=True)
                continue
            right = self._part()
            if right is None:
                continue
            if _can_be_near(node) and _can_be_near(right):
                node = Near(node, right, token.distance)
            else:
                self._note("NEAR joins words, phrases and groups of them; here it is read as AND")
                node = And((node, right))
        return node

    # -- parts

    def _part(self) -> Node | None:
        token = self._next()
        if token.kind == "near":  # at the start of a part
            return self._plain(token.text)
        if token.kind == "open":
            self._depth += 1
            node = self._any()
            self._depth -= 1
            boost = _number(self._next().suffix[1:])  # the lexer gave each its partner
            return boosted(node, boost) if node is not None and boost is not None else node
        if token.kind == "field":
            return self._in_field(token.text)
        if token.kind == "sign":
            # "=" before a word; a + or = before anything else changes nothing
            if self._peek() == "word" and token.text == "=":
                return self._value(self._next(), exact=True)
            return self._part() if self._peek() in ("word", "phrase", "open", "field") else None
        if token.kind in ("word", "phrase"):
            return self._value(token)
        return None

    def _in_field(self, name: str) -> Node | None:
        if self._depth >= MAX_DEPTH:
            self._note("parts nested deeper than %(count)s are left out", count=MAX_DEPTH)
            return None
        field, cost = self._field, self._cost
        self._field = name
        self._cost *= 3 if name == "task" else 1
        self._depth += 1
        node = self._one()
        self._depth -= 1
        self._field, self._cost = field, cost
        return _task(node) if name == "task" else node

    def _value(self, token: Token, *, exact: bool = False) -> Node | None:
        """Return what a word or phrase means in the field around it."""
        if self._field and self._field in FILTERS and self._field != "inurl":
            try:
                node = filter_of(self._field, token.text)
                return node if self._spend(1) else None
            except NoValue as error:
                problem = error.args[0]
                if token.text.strip():
                    self._note("%(problem)s; %(word)s is read as a word", problem=problem, word=token.text)
                else:
                    self._note("%(problem)s", problem=problem)
                self._field, before = "", self._field
                node_of_words = self._value(token, exact=exact)
                self._field = before
                return node_of_words
        if token.kind == "phrase":
            leaf = self._quoted(token)
        else:
            leaf = self._plain(token.text, exact=exact)
        if leaf is None:
            return None
        if self._field == "inurl":
            leaf = replace(leaf, exact=True) if isinstance(leaf, Word) else leaf
            return InUrl(replace(leaf, elements=IN_ADDRESS, boost=1.0))
        elements = self._elements()
        return leaf if elements is None else replace(leaf, elements=elements)

    def _elements(self) -> Elements:
        if self._field in ("", "task"):
            return None
        if self._field == "text":
            return RUNNING_TEXT
        return frozenset(ELEMENTS.index(name) for name in self._field.split(","))

    def _quoted(self, token: Token) -> Leaf | None:
        if "*" in token.text:
            self._note("in quotes a * stands for nothing; art* NEAR/1 gallery finds what begins so")
        slop, boost = 0, 1.0
        before, _, after = token.suffix.partition("^")
        if before.startswith("~") and before[1:].isdecimal():
            slop = int(before[1:5])
            if slop > MAX_SLOP:
                self._note('"..."~n takes at most %(count)s places', count=MAX_SLOP)
                slop = MAX_SLOP
        if after:
            boost = _number(after) or 1.0
        leaf = self._phrase(_words(token.text), quoted=True)
        if isinstance(leaf, Phrase):
            return replace(leaf, slop=slop, boost=boost)
        return replace(leaf, boost=boost) if leaf is not None else None

    def _plain(self, text: str, *, exact: bool = False) -> Leaf | None:
        """Return the leaf that a word without blanks means: with wildcards, fuzzy, or as it is written."""
        if _is_plain(text):
            return Word(text.lower(), exact) if self._spend(1) else None
        boost = 1.0
        base, caret, tail = text.rpartition("^")
        if caret and base and (number := _number(tail)) is not None:
            text, boost = base, number
        base, tilde, tail = text.rpartition("~")
        if (
            tilde
            and base
            and tail in ("", *"0123456789")
            and len(words := words_of(base)) == 1
            and not is_paired(words[0])
        ):
            return self._fuzzy(words[0], tail, boost)
        text = "*" if text == "*:*" else text  # every page, as other engines spell it
        if "*" in text or "?" in text:
            if (pattern := _pattern(text)) and not exact:
                return Wildcard(pattern, boost=boost) if self._spend(1) else None
            if "*" in text:
                self._note(
                    "a * stands for letters only within a word of letters and digits; here it is left out"
                )
        words = without_implied_last(_words(url_words(text) if "://" in text else text))
        if len(words) == 1:
            return Word(words[0], exact, boost=boost) if self._spend(1) else None
        leaf = self._phrase(words, quoted=False)
        return replace(leaf, boost=boost) if leaf is not None else None

    def _fuzzy(self, word: str, digits: str, boost: float) -> Leaf | None:
        edits = int(digits or 1)
        if edits > 2:
            self._note("word~n takes at most 2 changes")
        if not self._spend(1):
            return None
        return Fuzzy(word, min(edits, 2), boost=boost) if edits else Word(word, exact=True, boost=boost)

    def _phrase(self, words: list[str], *, quoted: bool) -> Word | Phrase | None:
        words = without_implied_last(words)
        fitting = self._words_left // self._cost
        if not self._spend(len(words)):
            words = without_implied_last(words[:fitting])
        if not words:
            return None
        if len(words) == 1:
            return Word(words[0], exact=quoted)
        return Phrase(tuple(words))

    def _spend(self, count: int) -> bool:
        """Count words against the limit; tell whether they all fit. Where some do not, nothing more will."""
        self._words_left -= count * self._cost
        if self._words_left >= 0:
            return True
        self._words_left = 0
        self._note(
            "the query has more than %(count)s words; the last ones are left out", count=self._max_words
        )
        return False


def _number(text: str) -> float | None:
    """Return a boost as it is shown, None for what is no number from 0 to MAX_BOOST."""
    try:
        number = round(float(text), 3)
    except (ValueError, OverflowError):
        return None
    return number if text.isascii() and 0 <= number <= MAX_BOOST else None


def _pattern(text: str) -> str:
    """Return a wildcard pattern as it is compared with words; "" if the text has no wildcard or is more than a word.

    A ? at the end is a question mark.
    """
    text = text.rstrip("?")
    pieces = text.replace("?", "*").split("*")
    if len(pieces) == 1:
        return ""
    signs = [character for character in text if character in "*?"]
    folded = [normalize(piece) for piece in pieces]
    if any(piece and (words_of(piece) != [piece] or is_paired(piece)) for piece in folded):
        return ""
    pattern = folded[0] + "".join(sign + piece for sign, piece in zip(signs, folded[1:], strict=True))
    while "**" in pattern:
        pattern = pattern.replace("**", "*")
    return pattern if len(pattern) - pattern.count("*") <= MAX_WORD else ""  # no word is that long


def _can_be_near(node: Node) -> bool:
    if isinstance(node, And | Or):
        return all(_can_be_near(part) for part in node.parts)
    if isinstance(node, Wildcard):
        return node.pattern != "*"  # any word at all is near everything
    return isinstance(node, Word | Phrase | Fuzzy | Near)


def _task(node: Node | None) -> Node | None:
    """Return what task:(...) asks: all of it in the keywords, or all in the title, or all in the running text."""
    if node is None or not all_leaves(node):
        return node
    places = (frozenset({KEYWORDS}), frozenset({TITLE}), RUNNING_TEXT)
    return Or(tuple(within(node, elements) for elements in places))


_PLAIN = 64  # letters of a word at most, as the analysis has it


def _is_plain(text: str) -> bool:
    """Tell whether a text is one word for the analysis, which leaves it as it is but for capitals."""
    return text.isascii() and text.isalnum() and len(text) <= _PLAIN


def _words(text: str) -> list[str]:
    """Return the words of a text as they are looked for: C++ is one word, that of its compound."""
    if _is_plain(text):
        return [text.lower()]  # what the analysis gives, without its arrays
    if not compounds_of(text):
        return words_of(text)
    words: list[str] = []
    start_before = -1
    for word, start, _ in word_spans_of(text):
        if start == start_before and words and word.startswith(words[-1]):
            words.pop()
        words.append(word)
        start_before = start
    return words


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
