"""The ten best of a query by brute force: what every page scores, in float64, without lists, bounds or shortcuts.

Used by `peers.py --verify` and by tests. The occurrences are those that the segments hold, decoded whole;
words, stems, phrases and masks are found anew from them. Everything is in memory: for small corpora.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer import Index
from indexer.search.query import (
    And,
    Node,
    Not,
    Or,
    Phrase,
    Query,
    Site,
    Word,
    is_implied,
    leaves,
    parse_query,
)
from indexer.text.analysis import is_paired
from indexer.text.elements import ELEMENTS
from indexer.text.languages import STOP_WORDS, has_stemmer, stem_words

KINDS = len(ELEMENTS)
Ranked = tuple[int, list[tuple[str, float]]]  # how many pages match, (address, score) of the best


class Reference:
    """All occurrences of an index: for each word the versions that hold it, with elements and positions."""

    def __init__(self, index: Index) -> None:
        with index._reading() as snapshot:
            self._ranking, self._means = index.ranking, snapshot.means
            self._addresses = dict(
                snapshot.catalogue.connection().execute("SELECT id, url FROM urls").fetchall()
            )
            segments = list(snapshot.segments)
        first = np.cumsum([0, *(len(live.segment) for live in segments)])
        self._size = int(first[-1])
        join = np.concatenate
        self._lengths = join([live.segment.lengths for live in segments]).astype(np.int64)
        self._document = join([live.segment.document for live in segments])
        self._key = join([live.segment.key for live in segments])
        self._alive = join([np.ones(len(s.segment), bool) if s.alive is None else s.alive for s in segments])
        self._language = [
            s.segment.languages[number] for s in segments for number in s.segment.language.tolist()
        ]
        self._host = [s.segment.hosts()[number] for s in segments for number in s.segment.host.tolist()]
        self._rows: dict[str, list[tuple[NDArray[Any], ...]]] = defaultdict(list)
        for live, offset in zip(segments, first.tolist(), strict=False):
            words = len(live.segment.word_ids)
            for start in range(0, words, 4096):
                found = live.segment.occurrences_of(start, min(start + 4096, words))
                edges = np.searchsorted(found.word, np.arange(len(found.words) + 1))
                for number, word in enumerate(found.words):
                    own = slice(edges[number], edges[number + 1])
                    self._rows[word].append(
                        (found.version[own] + offset, found.element[own], found.position[own])
                    )
        self._stems: dict[str, dict[str, list[str]]] = {}
        for language in set(self._language):
            if has_stemmer(language):
                words_of = self._stems[language] = defaultdict(list)
                plain = [word for word in self._rows if word.isalpha()]
                for word, stem in zip(plain, stem_words(language, plain), strict=True):
                    words_of[stem].append(word)

    def best(self, text: str, count: int) -> Ranked:
        """Return what Index.search should: the number of pages that match and the best `count`."""
        query = self._without_stop_words(parse_query(text))
        if query is None:
            return 0, []
        ranked = self._ranked(query, count)
        if not ranked[0] and isinstance(query, And) and query.implied:
            words = tuple(part for part in query.parts if isinstance(part, Word | Phrase))
            others = tuple(part for part in query.parts if not isinstance(part, Word | Phrase))
            if len(words) > 1:
                return self._ranked(And((Or(words), *others)) if others else Or(words), count)
        return ranked

    def _without_stop_words(self, query: Query) -> Node | None:
        tree = query.tree
        if not (isinstance(tree, And) and tree.implied):
            return tree
        of_language: dict[str, int] = defaultdict(int)
        for language, alive in zip(self._language, self._alive.tolist(), strict=True):
            of_language[language] += alive
        stops: set[str] = set()
        for language, pages in of_language.items():
            if pages >= 0.2 * sum(of_language.values()):
                stops |= set(STOP_WORDS.get(language or "en", ()))
        kept = tuple(
            part for part in tree.parts
            if not (isinstance(part, Word) and not part.exact and part.elements is None and part.text in stops)
        )  # fmt: skip
        if not any(isinstance(part, Word | Phrase | And | Or) for part in kept):
            return tree
        return And(kept, True) if len(kept) > 1 else kept[0]

    def _ranked(self, tree: Node, count: int) -> Ranked:
        matches = self._mask(tree) & self._alive
        score = np.zeros(self._size)
        times: dict[Word | Phrase, int] = defaultdict(int)
        for leaf in leaves(tree):
            times[leaf] += 1
        for leaf, often in times.items():
            counts = self._counts(leaf)
            holding = int((counts.any(axis=1) & self._alive).sum())
            odds = (int(self._alive.sum()) - holding + 0.5) / (holding + 0.5)
            idf = math.log(1 + odds) if self._ranking.idf == "plus" else math.log(odds)
            weight = self._weight(leaf)
            score += idf * often * (weight / (self._ranking.k1 + weight))
        best: dict[int, tuple[float, int]] = {}
        for row in np.flatnonzero(matches).tolist():
            place = (-float(score[row]), int(self._key[row]))
            document = int(self._document[row])
            best[document] = min(best.get(document, place), place)
        order = sorted(best, key=best.__getitem__)[:count]
        return len(best), [(self._addresses[document], -best[document][0]) for document in order]

    def _weight(self, leaf: Word | Phrase) -> NDArray[np.float64]:
        """Return the weight of a leaf in every version: form by form, element by element, as the formula adds them."""
        total = np.zeros(self._size)
        parts = [self._counts(leaf)] if isinstance(leaf, Phrase) else list(self._form_counts(leaf))
        for counts in parts:
            own = np.zeros(self._size)
            for element, name in enumerate(ELEMENTS):
                b, mean = self._ranking.b[name], self._means[element]
                relative = self._lengths[:, element] / mean if mean > 0 else np.ones(self._size)
                norm = self._ranking.boost[name] / np.maximum((1 - b) + b * relative, 1e-9)
                own += counts[:, element] * norm
            total += own
        return total

    def _counts(self, leaf: Word | Phrase) -> NDArray[np.int64]:
        """Return how often a leaf stands in each element of each version."""
        if isinstance(leaf, Phrase):
            return self._phrase_counts(leaf)
        return sum(self._form_counts(leaf), np.zeros((self._size, KINDS), dtype=np.int64))

    def _form_counts(self, leaf: Word) -> list[NDArray[np.int64]]:
        forms: dict[str, set[str] | None] = {leaf.text: None}  # languages in which it counts; None for all
        if len(leaf.text) == 1 and is_paired(leaf.text) and not leaf.exact:
            forms = {word: None for word in self._rows if word.startswith(leaf.text)}
        elif not leaf.exact and leaf.text.isalpha():
            for language, words_of in self._stems.items():
                for form in words_of.get(stem_words(language, [leaf.text])[0], ()):
                    if form != leaf.text:
                        known = forms.setdefault(form, set())
                        assert known is not None
                        known.add(language)
        result = []
        for form in sorted(forms):
            counts = np.zeros((self._size, KINDS), dtype=np.int64)
            allowed = forms[form]
            for version, element, _ in self._rows.get(form, ()):
                keep = np.ones(len(version), dtype=bool)
                if allowed is not None:
                    keep = np.array([self._language[v] in allowed for v in version.tolist()], dtype=bool)
                if leaf.elements is not None:
                    keep &= np.isin(element, list(leaf.elements))
                np.add.at(counts, (version[keep], element[keep]), 1)
            result.append(counts)
        return result

    def _phrase_counts(self, leaf: Phrase) -> NDArray[np.int64]:
        places: list[tuple[int, dict[tuple[int, int], list[int]]]] = []
        for place, word in enumerate(leaf.words):
            if is_implied(leaf.words, place):
                continue
            elements_at: dict[tuple[int, int], list[int]] = defaultdict(list)
            for version, element, position in self._rows.get(word, ()):
                for v, e, p in zip(version.tolist(), element.tolist(), position.tolist(), strict=True):
                    if leaf.elements is None or e in leaf.elements:
                        elements_at[v, p].append(e)
            places.append((place, elements_at))
        counts = np.zeros((self._size, KINDS), dtype=np.int64)
        for (version, position), elements in places[0][1].items():
            if all((version, position + place) in there for place, there in places[1:]):
                for element in elements:
                    counts[version, element] += 1
        return counts

    def _mask(self, node: Node) -> NDArray[np.bool_]:
        if isinstance(node, Word | Phrase):
            mask: NDArray[np.bool_] = self._counts(node).any(axis=1)
            return mask
        if isinstance(node, Site):
            return np.array(
                [host == node.host or host.endswith("." + node.host) for host in self._host], dtype=bool
            )
        if isinstance(node, Not):
            return ~self._mask(node.part)
        masks = [self._mask(part) for part in node.parts]
        return np.logical_and.reduce(masks) if isinstance(node, And) else np.logical_or.reduce(masks)
