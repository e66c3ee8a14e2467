"""Queries made up by the grammar of docs/query-language.md to take long: all it has, of the most frequent words."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

LETTERS = "eaoitnsrhldcumfpgw"
MOST_WORDS = 32
KINDS_OF_FILTERS = (
    "site:org",
    "lang:en",
    "type:html",
    "status:200",
    "from:2009 to:2030",
    "at:2020",
    "appeared:2009..2030",
    "vanished:2009..2030",
)
ELEMENTS = ("title", "body", "anchor", "inlink", "text", "url", "title,body,heading")


class Maker:
    """Makes queries, of one seed always the same. words: the most frequent first."""

    def __init__(self, words: Sequence[str], seed: int) -> None:
        self._words, self._choose = words, random.Random(seed)
        self._left = MOST_WORDS

    def query(self) -> str:
        """Return the next query."""
        self._left = MOST_WORDS
        kinds: list[Callable[[], str]] = [
            self._phrase,
            self._chain,
            lambda: self._near(self._choose.randrange(1, 6)),
            lambda: self._tree(self._choose.randrange(1, 5)),
            self._wide,
            lambda: f"{self._near(2)} {self._tree(2)}",
            lambda: " ".join(self._leaf() for _ in range(self._choose.randrange(1, 8))),
        ]
        return self._choose.choice(kinds)()

    def _word(self) -> str:
        self._left -= 1
        most = self._choose.choice((2, 10, 10, 50, 300))
        return self._choose.choice(self._words[:most])

    def _pattern(self) -> str:
        self._left -= 1
        one, other = self._choose.choices(LETTERS, k=2)
        shapes = (
            f"*{one}*",
            f"*{one}*",
            f"{one}*",
            f"*{one}",
            f"*{one}*{other}*",
            f"*{one}{other}*",
            f"?{one}*",
            "*",
        )
        return self._choose.choice(shapes)

    def _phrase(self) -> str:
        length = min(max(self._left, 2), self._choose.choice((2, 2, 3, 5, 9, 16, 30)))
        some = self._words[: self._choose.choice((1, 2, 3, 10, 40))]
        self._left -= length
        slop = self._choose.choice(("", "", "~1", "~3", "~10", "~50", "~100"))
        return f'"{" ".join(self._choose.choices(some, k=length))}"{slop}'

    def _leaf(self) -> str:
        kind = self._choose.randrange(12)
        if kind < 5:
            return self._word()
        if kind < 8:
            return self._pattern()
        if kind < 10:
            return self._phrase()
        if kind == 10:
            self._left -= 1
            return f"{self._choose.choice(self._words[:3000])[:6]}~{self._choose.choice((1, 2))}"
        return f"{self._choose.choice(ELEMENTS)}:{self._word()}"

    def _operator(self) -> str:
        return f"NEAR/{self._choose.choice((1, 2, 5, 10, 50, 100, 100))}"

    def _chain(self) -> str:
        make = self._choose.choice((self._word, self._pattern, self._leaf))
        length = self._choose.choice((2, 2, 3, 5, 10, 32))
        parts = [make()]
        while len(parts) < length and self._left > 0:
            parts.append(f"{self._operator()} {make()}")
        return " ".join(parts)

    def _near(self, depth: int) -> str:
        if depth == 0 or self._left < 2:
            return self._leaf()
        if self._choose.random() < 0.3:
            joined = self._choose.choice((" OR ", " AND ", " ")).join(
                self._near(depth - 1) for _ in range(self._choose.randrange(2, 4))
            )
            return f"({joined})"
        return f"({self._near(depth - 1)} {self._operator()} {self._near(depth - 1)})"

    def _tree(self, depth: int) -> str:
        if depth == 0 or self._left < 2:
            return self._choose.choice(
                (self._leaf, self._chain, lambda: self._choose.choice(KINDS_OF_FILTERS))
            )()
        joined = self._choose.choice((" OR ", " AND ", " ", " NOT ")).join(
            self._tree(depth - 1) for _ in range(self._choose.randrange(2, 5))
        )
        return f"({joined})"

    def _wide(self) -> str:
        length = self._choose.choice((1, 2, 3, 8, 32))
        make = self._choose.choice((self._pattern, self._pattern, self._word))
        return self._choose.choice((" ", " OR ", " NEAR/100 ")).join(make() for _ in range(length))
