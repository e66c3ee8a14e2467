"""Which versions of a segment match a query, and how strongly: posting lists -> masks and weights.

A leaf (word or phrase) is looked up once in each segment and gives a Match; the boolean tree is then
evaluated with masks of one byte a version, at most 65,536 of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.search.query import And, Node, Not, Phrase, Site, Word, is_implied
from indexer.store.bm25f import Ranking, norms, weights
from indexer.store.segment import KINDS, PostingList, Segment
from indexer.store.snapshot import LiveSegment
from indexer.store.weights import upper_bounds
from indexer.text.analysis import is_paired
from indexer.text.languages import has_stemmer, stem_words

Ordinals = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(slots=True)
class Form:
    """A spelling that a query word stands for in one segment.

    languages: True for each language of the segment in whose versions it counts; None for all.
    """

    text: str
    postings: PostingList
    languages: NDArray[np.bool_] | None


class Match:
    """Where one leaf of a query occurs in one segment.

    ordinals: rising; upper: a weight for each that is never below the exact one.
    """

    ordinals: Ordinals
    upper: Floats

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        """Return the exact weight at the `wanted` ordinals (rising), 0 where the leaf does not occur.

        norm: boost over length norm of each wanted version, shape (len(wanted), KINDS).
        """
        raise NotImplementedError


class NoMatch(Match):
    """A leaf that does not occur in the segment."""

    def __init__(self) -> None:
        self.ordinals = np.zeros(0, dtype=np.int64)
        self.upper = np.zeros(0)

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        return np.zeros(len(wanted))


class WordMatch(Match):
    """A word in its forms."""

    def __init__(self, segment: Segment, forms: list[Form], codes: NDArray[np.uint8], slack: float,
                 elements: frozenset[int] | None) -> None:
        self._segment = segment
        self._forms = forms
        self._mask = None if elements is None else _element_mask(elements)
        bounds = upper_bounds(slack)
        self._chosen: list[tuple[Ordinals, Ordinals]] = []  # per form: ordinals, and their pair numbers
        uppers = []
        for form in forms:
            postings = form.postings
            ordinals, pairs = postings.ordinals, None
            keep = None
            if form.languages is not None:
                keep = form.languages[segment.language[ordinals]]
            if self._mask is not None:
                shapes = segment.shape_numbers(postings.start, postings.count)
                inside = segment.shape_table[:, self._mask].any(axis=1)[shapes]
                keep = inside if keep is None else keep & inside
            if keep is None:
                uppers.append(bounds[codes[postings.start : postings.start + postings.count]])
                pairs = None
            else:
                rows = np.flatnonzero(keep)
                ordinals, pairs = ordinals[rows], rows + postings.start
                uppers.append(bounds[codes[pairs]])
            self._chosen.append((ordinals, pairs if pairs is not None else np.zeros(0, dtype=np.int64)))
        if len(forms) == 1:
            self.ordinals, self.upper = self._chosen[0][0], uppers[0]
        else:
            total = np.zeros(len(segment))
            for (ordinals, _), upper in zip(self._chosen, uppers, strict=True):
                total[ordinals] += upper
            self.ordinals = np.flatnonzero(total)
            self.upper = total[self.ordinals]

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        total = np.zeros(len(wanted))
        for form, (ordinals, pairs) in zip(self._forms, self._chosen, strict=True):
            if not len(ordinals):
                continue
            rows = np.minimum(np.searchsorted(ordinals, wanted), len(ordinals) - 1)
            found = np.flatnonzero(ordinals[rows] == wanted)
            numbers = pairs[rows[found]] if len(pairs) else rows[found] + form.postings.start
            counts = self._segment.shape_table[self._segment.shapes_at(numbers)]
            if self._mask is not None:
                counts = counts * self._mask
            total[found] += weights(counts, norm[found])
        return total


class PhraseMatch(Match):
    """A phrase, found by its positions; its weight is that of a word that occurs where it does."""

    def __init__(self, segment: Segment, lists: dict[int, PostingList], elements: frozenset[int] | None,
                 ranking: Ranking, means: Floats) -> None:
        ordinals, self._counts = _phrase_counts(segment, lists, elements)
        self.ordinals = ordinals
        self.upper = weights(self._counts, norms(ranking, segment.lengths[ordinals], means)) * (1 + 1e-9)

    def exact(self, wanted: Ordinals, norm: Floats) -> Floats:
        total = np.zeros(len(wanted))
        if len(self.ordinals):
            rows = np.minimum(np.searchsorted(self.ordinals, wanted), len(self.ordinals) - 1)
            found = np.flatnonzero(self.ordinals[rows] == wanted)
            total[found] = weights(self._counts[rows[found]], norm[found])
        return total


def _phrase_counts(
    segment: Segment, lists: dict[int, PostingList], elements: frozenset[int] | None
) -> tuple[Ordinals, NDArray[np.int64]]:
    """Return the versions that hold a phrase, and how often by element of its first word.

    lists: posting list of each word by its place in the phrase; place 0 is always there.
    """
    common = min(lists.values(), key=lambda postings: postings.count).ordinals
    for postings in lists.values():
        rows = np.minimum(np.searchsorted(postings.ordinals, common), postings.count - 1)
        common = common[postings.ordinals[rows] == common]
    if not len(common):
        return common, np.zeros((0, KINDS), dtype=np.int64)
    starts: NDArray[np.int64] | None = None
    element_of: NDArray[np.int64] | None = None
    # the first word is looked at last, so that its elements are those of the occurrences that are left
    room = max(lists)
    for place in sorted(lists, key=lambda place: (place == 0, lists[place].count)):
        postings = lists[place]
        pair, element, position = segment.positions(postings, np.searchsorted(postings.ordinals, common))
        if elements is not None:
            inside = _element_mask(elements)[element]
            pair, element, position = pair[inside], element[inside], position[inside]
        keys = (pair << 33) + position - place + room
        if starts is not None:
            starts.sort()
            rows = np.minimum(np.searchsorted(starts, keys), len(starts) - 1)
            keep = starts[rows] == keys if len(starts) else np.zeros(len(keys), dtype=bool)
            keys, element = keys[keep], element[keep]
        starts, element_of = keys, element
    assert starts is not None and element_of is not None
    counts = np.zeros((len(common), KINDS), dtype=np.int64)
    np.add.at(counts, (starts >> 33, element_of), 1)
    held = np.flatnonzero(counts.any(axis=1))
    return common[held], counts[held]


def _element_mask(elements: frozenset[int]) -> NDArray[np.bool_]:
    mask = np.zeros(KINDS, dtype=bool)
    mask[list(elements)] = True
    return mask


def match_leaf(
    leaf: Word | Phrase, live: LiveSegment, ranking: Ranking, means: Floats, slack: float
) -> tuple[Match, list[str]]:
    """Return where a word or phrase occurs in a segment, and the spellings it was found by."""
    segment = live.segment
    if isinstance(leaf, Phrase):
        lists: dict[int, PostingList] = {}
        for place, text in enumerate(leaf.words):
            if is_implied(leaf.words, place):
                continue
            word = segment.find_word(text)
            if word is None:
                return NoMatch(), []
            lists[place] = segment.postings(word)
        return PhraseMatch(segment, lists, leaf.elements, ranking, means), list(leaf.words)
    forms = _forms(leaf, segment)
    if not forms:
        return NoMatch(), []
    return WordMatch(segment, forms, live.weights.codes, slack, leaf.elements), [form.text for form in forms]


def _forms(leaf: Word, segment: Segment) -> list[Form]:
    """Return the spellings in a segment that a word stands for, in the order of their text.

    A version matches when it holds the word itself, or a word with the same stem in the version's language.
    """
    if len(leaf.text) == 1 and is_paired(leaf.text) and not leaf.exact:
        # one character of a script without spaces: every pair that starts with it
        return sorted(
            (Form(segment.word_at(index), segment.postings(index), None) for index in segment.words_with_prefix(leaf.text)),
            key=lambda form: form.text,
        )
    valid: dict[str, list[int]] = {}  # spelling -> numbers of the languages it is valid for
    if not leaf.exact and leaf.text.isalpha():
        for number, language in enumerate(segment.languages):
            if has_stemmer(language):
                stem = stem_words(language, [leaf.text])[0]
                candidates = {segment.word_at(index) for index in segment.words_of_stem(language, stem)}
                candidates.add(stem)
                spellings = sorted(spelling for spelling in candidates if spelling.isalpha())
                for spelling, own in zip(spellings, stem_words(language, spellings), strict=True):
                    if own == stem:
                        valid.setdefault(spelling, []).append(number)
    valid.pop(leaf.text, None)
    forms = []
    for spelling in sorted([leaf.text, *valid]):
        word = segment.find_word(spelling)
        if word is not None:
            languages = None
            if spelling != leaf.text and len(valid[spelling]) < len(segment.languages):
                languages = np.zeros(len(segment.languages), dtype=bool)
                languages[valid[spelling]] = True
            forms.append(Form(spelling, segment.postings(word), languages))
    return forms


def tree_mask(node: Node, live: LiveSegment, matches: dict[Word | Phrase, Match]) -> NDArray[np.bool_]:
    """Return for each version of a segment whether the query matches it; removed versions are not left out here."""
    size = len(live.segment)
    if isinstance(node, Word | Phrase):
        mask = np.zeros(size, dtype=bool)
        mask[matches[node].ordinals] = True
        return mask
    if isinstance(node, Site):
        return site_mask(node.host, live.segment)
    if isinstance(node, Not):
        return ~tree_mask(node.part, live, matches)
    first, *others = node.parts
    mask = tree_mask(first, live, matches)
    for part in others:
        if isinstance(node, And):
            if not mask.any():
                break
            mask &= tree_mask(part, live, matches)
        else:
            mask |= tree_mask(part, live, matches)
    return mask


def site_mask(host: str, segment: Segment) -> NDArray[np.bool_]:
    """Return for each version whether its host is `host` or lies below it."""
    below = "." + host
    wanted = [name == host or name.endswith(below) for name in segment.hosts()]
    mask: NDArray[np.bool_] = np.asarray(wanted, dtype=bool)[segment.host]
    return mask


def all_leaves(node: Node | None) -> list[Word | Phrase]:
    """Return every word and phrase of a tree, those under a Not too, each once."""
    if node is None or isinstance(node, Site):
        return []
    if isinstance(node, Word | Phrase):
        return [node]
    parts = (node.part,) if isinstance(node, Not) else node.parts
    return list(dict.fromkeys(leaf for part in parts for leaf in all_leaves(part)))

