"""A slow, plain search that walks every version: what the index has to agree with.

Nothing is shared with the product but the stemmer, the list of stop words and the parsed query tree. No numpy, no
posting lists, no segments: each version is tokenized letter by letter, each query is asked of each version, and all
arithmetic is Python's own float64.
"""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import cycle

from archiver.warc import canonical_url
from indexer.search.query import (
    And,
    Appeared,
    Captured,
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
    Query,
    Site,
    Status,
    Type,
    Vanished,
    Wildcard,
    Word,
)
from indexer.store.bm25f import Ranking
from indexer.store.compact import sort_key
from indexer.text.elements import ELEMENTS
from indexer.text.folding import folds_of
from indexer.text.languages import STOP_WORDS, has_stemmer, stem_words
from tests.indexer.plain_text import normalize

TITLE, DESCRIPTION, KEYWORDS, BODY, URL, INLINK = (
    ELEMENTS.index(name) for name in ("title", "description", "keywords", "body", "url", "inlink")
)
Counting = tuple[
    float, float
]  # what counts less than the word itself: with other accents, another form of it
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
    "COMBINING KATAKANA",
    "HENTAIGANA",
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
    captured: when; answers: (status, media type) of each capture, from the first on again if there are fewer.
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
    inlinks: tuple[str, ...] = field(default=(), compare=False)  # set by PlainSearch
    answers: tuple[tuple[int, str], ...] | None = field(default=None, compare=False)

    @property
    def captures(self) -> list[tuple[str, int, str]]:
        """(date, status, media type) of each capture."""
        answers = cycle(self.answers or ((self.status, self.mime),))
        return [(moment, *answer) for moment, answer in zip(self.captured, answers, strict=False)]

    @cached_property
    def _whole(self) -> str:
        """The running text, normalized: where an element begins or ends, no word does, nor a letter with its marks."""
        return normalize("".join(text for _, text in self.running), self.language)

    @cached_property
    def _sizes(self) -> list[int]:
        """Sizes of the pieces, each normalized by itself; [] when that gives another text than the whole."""
        folded = [normalize(text, self.language) for _, text in self.running]
        return [len(text) for text in folded] if "".join(folded) == self._whole else []

    def _owner(self, place: int) -> int:
        """Return the element of what has become the character at a place of the whole."""
        sizes = self._sizes
        if sum(sizes) != len(self._whole):
            # the first character without which there would be nothing at this place
            text = "".join(text for _, text in self.running)
            place = next(
                at for at in range(len(text)) if len(normalize(text[: at + 1], self.language)) > place
            )
            sizes = [len(text) for _, text in self.running]
        for (element, _), size in zip(self.running, sizes, strict=True):
            if place < size:
                return element
            place -= size
        raise AssertionError

    @cached_property
    def tokens(self) -> list[Token]:
        rest = self.url.split("://", 1)[-1].removeprefix("www.")
        parts = ((TITLE, self.title), (DESCRIPTION, self.description), (KEYWORDS, self.keywords), (URL, rest))
        tokens = [
            Token(word, element, section)
            for section, (element, text) in enumerate(parts)
            for word, _ in tokens_of(normalize(text, self.language if element != URL else ""))
        ]
        tokens += [Token(word, self._owner(place), 4) for word, place in tokens_of(self._whole)]
        for number, text in enumerate(self.inlinks):
            tokens += [Token(word, INLINK, 5 + number) for word, _ in tokens_of(normalize(text))]
        return tokens

    @cached_property
    def compounds_at(self) -> list[tuple[int, Token]]:
        """(index of the token at whose place it stands, compound): not among the tokens, these count the places."""
        rest = self.url.split("://", 1)[-1].removeprefix("www.")
        texts = [
            normalize(text, language)
            for text, language in (
                (self.title, self.language),
                (self.description, self.language),
                (self.keywords, self.language),
                (rest, ""),
            )
        ]
        texts.append(self._whole)
        texts += [normalize(text) for text in self.inlinks]
        found: list[tuple[int, Token]] = []
        before = 0
        for text in texts:
            index_of = {place: before + index for index, (_, place) in enumerate(tokens_of(text))}
            for compound, place in compounds_of(text):
                token = self.tokens[index_of[place]]
                found.append((index_of[place], Token(compound, token.element, token.section)))
            before += len(index_of)
        return found

    @property
    def compounds(self) -> list[Token]:
        return [token for _, token in self.compounds_at]

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


def _same_word(wanted: Word, held: str, language: str, fold: Counting) -> float:
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
        return fold[1]
    return fold[0] if {held, *folds_of(held)} & {wanted.text, *folds_of(wanted.text)} else 0


def _is_spelled(word: str) -> bool:
    return word[0].isalpha() and all(unicodedata.category(letter)[0] in "LM" for letter in word)


def _need_not_be_there(words: Sequence[str], place: int) -> bool:
    # the last character of a run: on the page the run may go on
    here, before = words[place], words[place - 1] if place else ""
    return len(here) == 1 and kind_of(here) == "pair" and len(before) == 2 and before.endswith(here)


def fits(pattern: str, word: str) -> bool:
    """Tell whether a word fits a pattern with * and ?, by trying every way."""
    if not pattern:
        return not word
    if pattern[0] == "*":
        return fits(pattern[1:], word) or bool(word and fits(pattern, word[1:]))
    return bool(word) and pattern[0] in ("?", word[0]) and fits(pattern[1:], word[1:])


def changes(one: str, other: str) -> int:
    """Return how many letters must be added, left out, replaced or swapped with a neighbour, each at most once."""
    table = [[max(i, j) if not i or not j else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            differs = one[i - 1] != other[j - 1]
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + differs)
            if i > 1 and j > 1 and (one[i - 1], one[i - 2]) == (other[j - 2], other[j - 1]):
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


def _factor(leaf: Word | Wildcard | Fuzzy, held: str, language: str, fold: Counting) -> float:
    """Return what a word on a page counts for a leaf, 0 if it is not meant."""
    if isinstance(leaf, Wildcard):
        return 1.0 if fits(leaf.pattern, held) else 0.0
    if isinstance(leaf, Fuzzy):
        edits = changes(leaf.text, held)
        return 0.5**edits if edits <= leaf.edits else 0.0
    return _same_word(leaf, held, language, fold)


def _spread(leaf: Phrase, version: PlainVersion, begin: int) -> bool:
    """Tell whether a phrase with slop stands with its first word at `begin`: try every way to place the others."""
    places = [place for place in range(len(leaf.words)) if not _need_not_be_there(leaf.words, place)]
    section = version.tokens[begin].section

    def placed(index: int, taken: list[int]) -> bool:
        moved = [at - place for at, place in zip(taken, places, strict=False)]
        if max(moved) - min(moved) > leaf.slop:
            return False
        if index == len(places):
            return True
        place = places[index]
        return any(
            at not in taken and _is_at(leaf, place, at, version, section) and placed(index + 1, [*taken, at])
            for at in range(max(0, begin + place - leaf.slop), begin + place + leaf.slop + 1)
        )

    return _is_at(leaf, 0, begin, version, section) and placed(1, [begin])


def _is_at(leaf: Phrase, place: int, at: int, version: PlainVersion, section: int) -> bool:
    tokens = version.tokens
    compounds = {token.word for index, token in version.compounds_at if index == at}
    return (
        at < len(tokens)
        and (tokens[at].word == leaf.words[place] or leaf.words[place] in compounds)
        and tokens[at].section == section
        and (leaf.elements is None or tokens[at].element in leaf.elements)
    )


def stands_at(leaf: Leaf, version: PlainVersion, fold: Counting) -> list[tuple[int, int, float]]:
    """Return (index of the first token, of the last, what it counts) of each place where a leaf stands."""
    tokens = version.tokens
    if isinstance(leaf, Phrase):
        places = [place for place in range(len(leaf.words)) if not _need_not_be_there(leaf.words, place)]
        return [(at, at + places[-1], 1.0) for at in range(len(tokens)) if _spread(leaf, version, at)]
    return [
        (at, at, factor)
        for at, token in [*enumerate(tokens), *version.compounds_at]
        if (leaf.elements is None or token.element in leaf.elements)
        and (factor := _factor(leaf, token.word, version.language, fold))
    ]


def counts_in(leaf: Leaf, version: PlainVersion, fold: Counting) -> dict[int, float]:
    """Return how often a leaf stands in a version, by element; empty if the version does not match.

    What only has other accents counts `fold` times as much, what is only similar less: the numbers need not be whole.
    """
    counts: dict[int, float] = {}
    for first, _, factor in stands_at(leaf, version, fold):
        element = version.tokens[first].element
        counts[element] = counts.get(element, 0.0) + factor
    return counts


def near_at(node: Node, version: PlainVersion, fold: Counting) -> list[tuple[int, int]]:
    """Return (first token, last token) of each place where a part of a NEAR stands; of a NEAR, its right part."""
    if isinstance(node, Near):
        if isinstance(node.right, And):
            found = [
                near_at(Near(node.left, part, node.distance), version, fold) for part in node.right.parts
            ]
            return [place for places in found for place in places] if all(found) else []
        lefts = node.left.parts if isinstance(node.left, And) else (node.left,)
        return [
            place
            for place in near_at(node.right, version, fold)
            if all(
                any(_are_near(place, other, node.distance, version) for other in near_at(left, version, fold))
                for left in lefts
            )
        ]
    if isinstance(node, And | Or):
        found = [near_at(part, version, fold) for part in node.parts]
        return [place for places in found for place in places] if isinstance(node, Or) or all(found) else []
    assert isinstance(node, Word | Phrase | Wildcard | Fuzzy)
    return [(first, last) for first, last, _ in stands_at(node, version, fold)]


def _are_near(one: tuple[int, int], other: tuple[int, int], distance: int, version: PlainVersion) -> bool:
    if version.tokens[one[0]].section != version.tokens[other[0]].section:
        return False
    return 1 <= one[0] - other[1] <= distance or 1 <= other[0] - one[1] <= distance


_TYPES = {"html": "text/html", "text": "text/plain", "pdf": "application/pdf"}


def _captures_of(node: Node, version: PlainVersion) -> set[tuple[str, int, str]] | None:
    """Return which captures of a version a filter on captures means, None for anything else."""
    captures = set(version.captures)
    if isinstance(node, Captured):
        return {one for one in captures if node.first <= int(one[0]) <= node.last}
    if isinstance(node, Status):
        return {
            one
            for one in captures
            if all(d in ("x", s) for d, s in zip(node.digits, str(one[1]), strict=True))
        }
    if isinstance(node, Type):
        return {one for one in captures if one[2] == _TYPES.get(node.name, node.name)}
    if isinstance(node, And | Or):
        parts = [_captures_of(part, version) for part in node.parts]
        known = [part for part in parts if part is not None]
        if len(known) == len(parts):
            return set.intersection(*known) if isinstance(node, And) else set.union(*known)
    return None


class PlainSearch:
    """All live versions, and the numbers that BM25F needs of them."""

    def __init__(
        self,
        versions: Iterable[PlainVersion],
        ranking: Ranking,
        *,
        folded: bool = False,
        pool: int = 100,
        most_texts: int = 1000,
        most_times: int = 16,
    ) -> None:
        """folded: links have been folded into their targets. pool: versions in which near words count.

        most_texts, most_times: texts of links that a page gets, and how often one of them counts at most.
        """
        self.versions = list(versions)
        self.ranking, self.pool = ranking, pool
        self.counting = ranking.fold, ranking.other_forms
        self.linking_sites = [0] * len(self.versions)
        self.folded = folded
        if folded:
            self._fold(most_texts, most_times)
        self.means = {}
        for element in range(len(ELEMENTS)):
            having = [v.lengths[element] for v in self.versions if v.lengths[element]]
            self.means[element] = sum(having) / len(having) if having else 0.0
        self._counts: dict[Leaf, list[dict[int, float]]] = {}

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
            if len(kept) < len(tree.parts) and any(isinstance(part, Leaf | Near | And | Or) for part in kept):
                notices += 1
                tree = And(kept, implied=True) if len(kept) > 1 else kept[0]
        found = self._first_found(tree)
        if not found and isinstance(tree, And) and tree.implied:
            words = tuple(part for part in tree.parts if isinstance(part, Leaf))
            others = tuple(part for part in tree.parts if not isinstance(part, Leaf))
            if len(words) > 1 and (found := self._first_found(And((Or(words), *others)))):
                notices += 1
        return len(found), found, notices

    def _first_found(self, tree: Node) -> list[tuple[str, float]]:
        """Return what is found as typed; where that is nothing, with other accents as a second chance."""
        found: list[tuple[str, float]] = []
        for fold in (0.0, self.ranking.fold):
            if not found:
                self._count_with(fold)
                found = self._ranked(tree)
        return found

    def _count_with(self, fold: float) -> None:
        self.counting = fold, self.ranking.other_forms
        self._counts.clear()

    def matching(self, tree: Node) -> list[PlainVersion]:
        """Return the versions that match a tree as it stands."""
        found: list[PlainVersion] = []
        for fold in (0.0, self.ranking.fold):
            if not found:
                self._count_with(fold)
                found = [
                    version for number, version in enumerate(self.versions) if self._matches(tree, number)
                ]
        return found

    def _stop_words(self) -> set[str]:
        share = Counter(version.language for version in self.versions)
        return {
            word
            for language, count in share.items()
            if count >= 0.2 * len(self.versions)
            for word in STOP_WORDS.get(language or "en", ())
        }

    def _counts_of(self, leaf: Leaf) -> list[dict[int, float]]:
        if leaf not in self._counts:
            self._counts[leaf] = [counts_in(leaf, version, self.counting) for version in self.versions]
        return self._counts[leaf]

    def _matches(self, node: Node, number: int) -> bool:
        version = self.versions[number]
        match node:
            case Word() | Phrase() | Wildcard() | Fuzzy():
                return bool(self._counts_of(node)[number])
            case InUrl():
                return self._matches(node.part, number)
            case Site():
                return version.host == node.host or version.host.endswith("." + node.host)
            case Language():
                return version.language == node.code
            case Near():
                return bool(near_at(node, version, self.counting))
            case LiveAt():
                page = [v for v in self.versions if v.url == version.url]
                moments = [int(m) for v in page for m in v.captured if int(m) <= node.moment]
                return bool(moments) and max(moments) in map(int, version.captured)
            case Appeared() | Vanished():
                return self._matches(And((node,)), number)
            case Not():
                return not self._matches(node.part, number)
            case _ if (captures := _captures_of(node, version)) is not None:
                return bool(captures)
            case Or():
                return any(self._matches(part, number) for part in node.parts)
            case And():
                return self._matches_all(node, number)
            case _:
                raise TypeError(node)

    def _matches_all(self, node: And, number: int) -> bool:
        version = self.versions[number]
        turns = [part for part in node.parts if isinstance(part, Appeared | Vanished)]
        about_captures = [part for part in node.parts if _captures_of(part, version) is not None]
        others = [part for part in node.parts if part not in turns and part not in about_captures]
        if turns:
            rest = And(tuple(part for part in node.parts if part not in turns))
            return self._turns(turns, rest, number)
        if about_captures and not _captures_of(And(tuple(about_captures)), version):
            return False
        return all(self._matches(part, number) for part in others)

    def _turns(self, turns: list[Appeared | Vanished], rest: And, number: int) -> bool:
        """Tell whether words came to a page, or went, in time, and whether this version shows it."""
        page = [n for n, v in enumerate(self.versions) if v.url == self.versions[number].url]
        matching = [n for n in page if not rest.parts or self._matches(rest, n)]
        if number not in matching:
            return False
        first = {n: min(map(int, self.versions[n].captured)) for n in page}
        last = {n: max(map(int, self.versions[n].captured)) for n in page}
        earliest, latest = min(first[n] for n in matching), max(last[n] for n in matching)
        for turn in turns:
            moment = earliest if isinstance(turn, Appeared) else latest
            if not turn.first <= moment <= turn.last:
                return False
            if isinstance(turn, Vanished) and latest == max(last.values()):
                return False
        return any(
            first[number] == earliest if isinstance(turn, Appeared) else last[number] == latest
            for turn in turns
        )

    def _fold(self, most_texts: int, most_times: int) -> None:
        links = [
            (sort_key(canonical_url(href, source.url)), text, _site(source.url), source.url)
            for source in self.versions
            for href, text in source.links
        ]
        folded = []
        for number, version in enumerate(self.versions):
            here = [
                (text, site, page)
                for key, text, site, page in links
                if key == sort_key(version.url) and sort_key(page) != key
            ]
            own = _site(version.url)
            self.linking_sites[number] = len({site for _, site, _ in here if site != own})
            weighed: list[tuple[int, int, str]] = []
            for text in {text for text, _, _ in here if text}:
                sites = {site for other, site, _ in here if other == text and site != own}
                pages = {page for other, site, page in here if other == text and site != own}
                times = len(sites) + int(math.log2(len(pages) / len(sites))) if sites else 1
                weighed.append((-len(sites), -min(times, most_times), text))
            uses = [text for _, less, text in sorted(weighed)[:most_texts] for _ in range(-less)]
            folded.append(replace(version, inlinks=tuple(uses)))
        self.versions = folded

    def _ranked(self, tree: Node) -> list[tuple[str, float]]:
        scored = _scored(tree)
        ranked: list[tuple[float, bytes, int]] = []
        for number, version in enumerate(self.versions):
            if self._matches(tree, number):
                score = sum(self._score(leaf, number) for leaf in scored) + self._prior(scored, number)
                ranked.append((-score, hashlib.md5(version.url.encode()).digest()[:8], number))
        ranked.sort()
        best: dict[str, float] = {}
        for place, (score, key, number) in enumerate(ranked):
            near = 0.0
            if place < self.pool or (score, key) == ranked[self.pool - 1][:2]:
                near = sum(self._near(*pair, number) for pair in _pairs(scored))
            url = self.versions[number].url
            best[url] = max(best.get(url, -math.inf), near - score)
        return sorted(best.items(), key=lambda item: (-item[1], hashlib.md5(item[0].encode()).digest()[:8]))

    def _prior(self, scored: list[Leaf], number: int) -> float:
        if not self.folded:
            return 0.0
        _, _, path = self.versions[number].url.partition("://")[2].partition("/")
        folders, _, query = path.partition("?")
        depth = len([part for part in folders.strip("/").split("/") if part]) + bool(query)
        sites = self.linking_sites[number]
        share = self.ranking.depth / (1 + depth) + self.ranking.linked * sites / (5 + sites)
        return share * sum(max(0.0, self._idf(leaf) * leaf.boost) for leaf in scored)

    def _near(self, first: Word, second: Word, number: int) -> float:
        """Return what two words of the query add by standing near each other."""
        version = self.versions[number]
        near: dict[int, float] = {}
        tokens = version.tokens
        here, there = (
            [at for at, _, _ in stands_at(word, version, self.counting)] for word in (first, second)
        )
        for place in here:
            distances = [
                abs(other - place) for other in there if tokens[other].section == tokens[place].section
            ]
            distances = [distance for distance in distances if 0 < distance <= 10]
            if distances:
                element = tokens[place].element
                near[element] = near.get(element, 0.0) + 1 / min(distances) ** 2
        weight = self._weight(near, number)
        rarity = max(0.0, min(self._idf(first), self._idf(second)))
        return self.ranking.near * rarity * self._saturated(weight)

    def _idf(self, leaf: Leaf) -> float:
        holding = sum(1 for each in self._counts_of(leaf) if each)
        odds = (len(self.versions) - holding + 0.5) / (holding + 0.5)
        return math.log(odds) if self.ranking.idf == "classic" else math.log(1 + odds)

    def _weight(self, counts: dict[int, float], number: int) -> float:
        weight = 0.0
        for element, count in counts.items():
            name = ELEMENTS[element]
            b = self.ranking.b[name]
            relative = self.versions[number].lengths[element] / self.means[element]
            weight += count * self.ranking.boost[name] / ((1 - b) + b * relative)
        return weight

    def _score(self, leaf: Leaf, number: int) -> float:
        counts = self._counts_of(leaf)[number]
        if not counts or leaf == Wildcard("*", getattr(leaf, "elements", None), leaf.boost):
            return 0.0
        weight = self._weight(counts, number)
        return leaf.boost * self._idf(leaf) * self._saturated(weight)

    def _saturated(self, weight: float) -> float:
        return 1 / (1 + (self.ranking.k1 / weight) ** self.ranking.slope) if weight else 0.0


def _site(url: str) -> str:
    return url.split("://", 1)[-1].split("/", 1)[0].split(":", 1)[0].lower().removeprefix("www.")


def _pairs(scored: list[Leaf]) -> list[tuple[Word, Word]]:
    pairs = [
        (first, second)
        for first, second in zip(scored, scored[1:], strict=False)
        if isinstance(first, Word)
        and isinstance(second, Word)
        and first.text != second.text
        and first.boost == second.boost == 1
    ]
    return list(dict.fromkeys(pairs))[:8]


def _scored(node: Node) -> list[Leaf]:
    if isinstance(node, Word | Phrase | Wildcard | Fuzzy):
        return [node]
    if isinstance(node, And | Or):
        return [leaf for part in node.parts for leaf in _scored(part)]
    if isinstance(node, Near):
        return _scored(node.left) + _scored(node.right)
    return []
