"""A slow, plain search that walks every version: what the index has to agree with.

Nothing is shared with the product but `normalize`, the stemmer, the list of stop words and the parsed
query tree. No numpy, no posting lists, no segments: each version is tokenized letter by letter, each query
is asked of each version, and all arithmetic is Python's own float64.
"""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from indexer.search.query import And, Node, Not, Or, Phrase, Query, Site, Word
from indexer.store.bm25f import Ranking
from indexer.text.analysis import normalize
from indexer.text.elements import ELEMENTS
from indexer.text.folding import folds_of
from indexer.text.languages import STOP_WORDS, has_stemmer, stem_words

TITLE, DESCRIPTION, KEYWORDS, BODY, URL = (
    ELEMENTS.index(name) for name in ("title", "description", "keywords", "body", "url")
)
_UNSPACED = (
    "THAI",
    "LAO ",
    "KHMER",
    "MYANMAR",
    "CJK",
    "IDEOGRAPHIC",
    "HIRAGANA",
    "KATAKANA",
    "HANGUL",
    "BOPOMOFO",
)


_PICTURES = (("\u2300", "\u23ff"), ("\u2600", "\u27bf"), ("\u2b00", "\u2bff"), ("\U0001f000", "\U0001faff"))


@cache
def kind_of(character: str) -> str:
    """Return "pair" for a letter of a script written without spaces, "word" for other letters, "" for the rest."""
    category = unicodedata.category(character)
    if category == "So" and any(low <= character <= high for low, high in _PICTURES):
        return "picture"
    if category[0] not in "LMN":
        return ""
    if category[0] != "N" and unicodedata.name(character, "").startswith(_UNSPACED):
        return "pair"
    return "word"


def tokens_of(text: str) -> list[tuple[str, int]]:
    """Return (word, place of its first character) of normalized text, character by character."""
    found = []
    at = 0
    while at < len(text):
        kind = kind_of(text[at])
        if kind == "pair":
            goes_on = at + 1 < len(text) and kind_of(text[at + 1]) == "pair"
            found.append((text[at : at + 1 + goes_on], at))
            at += 1
        elif kind == "picture":
            found.append((text[at], at))
            at += 1
        elif kind == "word":
            start = at
            while at < len(text) and kind_of(text[at]) == "word":
                at += 1
            found.append((text[start:at][:64], start))
        else:
            at += 1
    return found


def compounds_of(text: str) -> list[tuple[str, int]]:
    """Return (compound, place of its first character) of normalized text."""
    found = []
    for word, start in tokens_of(text):
        rest = text[start + len(word) :]
        if kind_of(word[0]) != "word" or len(word) > 62:
            continue
        if rest.startswith("++") and not rest.startswith("+++"):
            found.append((word + "++", start))
        elif rest.startswith("#") and not kind_of(rest[1:2] or " "):
            found.append((word + "#", start))
    return found


@dataclass(frozen=True)
class Token:
    """One occurrence. section: 0 title, 1 description, 2 keywords, 3 address, 4 running text."""

    word: str
    element: int
    section: int


@dataclass(frozen=True)
class PlainVersion:
    """One version of a page. running: (element, text) pieces that are read one behind the other.

    links: (address, text) of its links, which do not stand in the running text.
    """

    url: str
    language: str = "en"
    title: str = ""
    description: str = ""
    keywords: str = ""
    running: tuple[tuple[int, str], ...] = ()
    captured: tuple[str, ...] = field(default=("20200101000000",), compare=False)
    status: int = field(default=200, compare=False)
    mime: str = field(default="text/html", compare=False)
    links: tuple[tuple[str, str], ...] = ()

    @cached_property
    def tokens(self) -> list[Token]:
        rest = self.url.split("://", 1)[-1].removeprefix("www.")
        parts = ((TITLE, self.title), (DESCRIPTION, self.description), (KEYWORDS, self.keywords), (URL, rest))
        tokens = [
            Token(word, element, section)
            for section, (element, text) in enumerate(parts)
            for word, _ in tokens_of(normalize(text, self.language if element != URL else ""))
        ]
        whole = ""
        owners: list[int] = []
        for element, text in self.running:
            folded = normalize(text, self.language)
            whole += folded
            owners += [element] * len(folded)
        tokens += [Token(word, owners[place], 4) for word, place in tokens_of(whole)]
        return tokens

    @cached_property
    def compounds(self) -> list[Token]:
        """What stands at the place of its first word as well; not among the tokens, so that these count the places."""
        rest = self.url.split("://", 1)[-1].removeprefix("www.")
        parts = ((TITLE, self.title), (DESCRIPTION, self.description), (KEYWORDS, self.keywords), (URL, rest))
        tokens = [
            Token(word, element, section)
            for section, (element, text) in enumerate(parts)
            for word, _ in compounds_of(normalize(text, self.language if element != URL else ""))
        ]
        whole = ""
        owners: list[int] = []
        for element, text in self.running:
            folded = normalize(text, self.language)
            whole += folded
            owners += [element] * len(folded)
        return tokens + [Token(word, owners[place], 4) for word, place in compounds_of(whole)]

    @cached_property
    def lengths(self) -> Counter[int]:
        return Counter(token.element for token in self.tokens + self.compounds)

    @cached_property
    def words(self) -> dict[str, Counter[int]]:
        """For each word, how often it stands in which element."""
        words: dict[str, Counter[int]] = {}
        for token in self.tokens + self.compounds:
            words.setdefault(token.word, Counter())[token.element] += 1
        return words

    @property
    def host(self) -> str:
        return self.url.split("://", 1)[-1].split("/", 1)[0].split(":", 1)[0].lower()


@cache
def _stem(language: str, word: str) -> str:
    return stem_words(language, [word])[0]


def _same_word(wanted: Word, held: str, language: str, fold: float) -> float:
    """Return what one occurrence of a word counts for: 1, `fold` where only accents differ, 0 for another word."""
    if held == wanted.text:
        return 1
    if wanted.exact:
        return 0
    if len(wanted.text) == 1 and kind_of(wanted.text) == "pair":
        return held.startswith(wanted.text)
    if (
        has_stemmer(language)
        and _is_spelled(wanted.text)
        and _is_spelled(held)
        and _stem(language, held) == _stem(language, wanted.text)
    ):
        return 1
    return fold if {held, *folds_of(held)} & {wanted.text, *folds_of(wanted.text)} else 0


def _is_spelled(word: str) -> bool:
    return word[0].isalpha() and all(unicodedata.category(letter)[0] in "LM" for letter in word)


def _need_not_be_there(words: Sequence[str], place: int) -> bool:
    # the last character of a run: on the page the run may go on
    here, before = words[place], words[place - 1] if place else ""
    return len(here) == 1 and kind_of(here) == "pair" and len(before) == 2 and before.endswith(here)


def counts_in(leaf: Word | Phrase, version: PlainVersion, fold: float) -> Counter[int]:
    """Return how often a word or phrase stands in a version, by element; empty if the version does not match.

    What only has other accents counts `fold` times as much: the numbers need not be whole.
    """
    counts: Counter[int] = Counter()
    if isinstance(leaf, Word):
        for held, elements in version.words.items():
            if factor := _same_word(leaf, held, version.language, fold):
                for element, count in elements.items():
                    counts[element] += count * factor  # type: ignore[assignment]
        if leaf.elements is not None:
            counts = Counter(
                {element: count for element, count in counts.items() if element in leaf.elements}
            )
        return counts
    tokens = version.tokens
    places = [place for place in range(len(leaf.words)) if not _need_not_be_there(leaf.words, place)]
    for start, first in enumerate(tokens):
        for place in places:
            token = tokens[start + place] if start + place < len(tokens) else None
            if token is None or token.word != leaf.words[place] or token.section != first.section:
                break
            if leaf.elements is not None and token.element not in leaf.elements:
                break
        else:
            counts[first.element] += 1
    return counts


class PlainSearch:
    """All live versions, and the numbers that BM25F needs of them."""

    def __init__(self, versions: Iterable[PlainVersion], ranking: Ranking) -> None:
        self.versions = list(versions)
        self.ranking = ranking
        self.means = {}
        for element in range(len(ELEMENTS)):
            having = [v.lengths[element] for v in self.versions if v.lengths[element]]
            self.means[element] = sum(having) / len(having) if having else 0.0
        self._counts: dict[Word | Phrase, list[Counter[int]]] = {}

    def search(self, query: Query) -> tuple[int, list[tuple[str, float]], int]:
        """Return (number of pages, [(address, score)] best first, number of notices added)."""
        tree = query.tree
        if tree is None:
            return 0, [], 0
        notices = 0
        if isinstance(tree, And) and tree.implied:
            stops = self._stop_words()
            kept = tuple(
                part
                for part in tree.parts
                if not (
                    isinstance(part, Word) and not part.exact and part.elements is None and part.text in stops
                )
            )
            if len(kept) < len(tree.parts) and any(not isinstance(part, Site | Not) for part in kept):
                notices += 1
                tree = And(kept, implied=True) if len(kept) > 1 else kept[0]
        found = self._ranked(tree)
        if not found and isinstance(tree, And) and tree.implied:
            words = tuple(part for part in tree.parts if isinstance(part, Word | Phrase))
            others = tuple(part for part in tree.parts if not isinstance(part, Word | Phrase))
            if len(words) > 1 and (found := self._ranked(And((Or(words), *others)))):
                notices += 1
        return len(found), found, notices

    def matching(self, tree: Node) -> list[PlainVersion]:
        """Return the versions that match a tree as it stands."""
        return [version for number, version in enumerate(self.versions) if self._matches(tree, number)]

    def _stop_words(self) -> set[str]:
        share = Counter(version.language for version in self.versions)
        return {
            word
            for language, count in share.items()
            if count >= 0.2 * len(self.versions)
            for word in STOP_WORDS.get(language or "en", ())
        }

    def _counts_of(self, leaf: Word | Phrase) -> list[Counter[int]]:
        if leaf not in self._counts:
            self._counts[leaf] = [counts_in(leaf, version, self.ranking.fold) for version in self.versions]
        return self._counts[leaf]

    def _matches(self, node: Node, number: int) -> bool:
        if isinstance(node, Word | Phrase):
            return bool(self._counts_of(node)[number])
        if isinstance(node, Site):
            host = self.versions[number].host
            return host == node.host or host.endswith("." + node.host)
        if isinstance(node, Not):
            return not self._matches(node.part, number)
        answers = [self._matches(part, number) for part in node.parts]
        return all(answers) if isinstance(node, And) else any(answers)

    def _ranked(self, tree: Node) -> list[tuple[str, float]]:
        best: dict[str, float] = {}
        for number, version in enumerate(self.versions):
            if self._matches(tree, number):
                score = sum(self._score(leaf, number) for leaf in _scored(tree))
                best[version.url] = max(best.get(version.url, -math.inf), score)
        return sorted(best.items(), key=lambda item: (-item[1], hashlib.md5(item[0].encode()).digest()[:8]))

    def _score(self, leaf: Word | Phrase, number: int) -> float:
        counts, ranking = self._counts_of(leaf)[number], self.ranking
        if not counts:
            return 0.0
        holding = sum(1 for each in self._counts_of(leaf) if each)
        odds = (len(self.versions) - holding + 0.5) / (holding + 0.5)
        idf = math.log(odds) if ranking.idf == "classic" else math.log(1 + odds)
        weight = 0.0
        for element, count in counts.items():
            name = ELEMENTS[element]
            b = ranking.b[name]
            relative = self.versions[number].lengths[element] / self.means[element]
            weight += count * ranking.boost[name] / ((1 - b) + b * relative)
        return idf * weight / (ranking.k1 + weight) if weight else 0.0


def _scored(node: Node) -> list[Word | Phrase]:
    if isinstance(node, Word | Phrase):
        return [node]
    if isinstance(node, And | Or):
        return [leaf for part in node.parts for leaf in _scored(part)]
    return []
