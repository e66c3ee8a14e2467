"""Widening a query: words that are added to it, each with its source and weight, each shown and removable.

Four ways, in any combination: "rocchio" (the words of the best pages), "cooccur" (words that go together with the
query's in this archive), "lsi" (words near in meaning, by latent semantic indexing), "wordnet" (English synonyms).
The first three add words to the whole query; WordNet gives each word its own synonyms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from indexer.search.nodes import (
    And,
    Group,
    Node,
    Not,
    Or,
    Phrase,
    Spelled,
    Word,
    leaves,
)

WAYS = ("rocchio", "cooccur", "lsi", "wordnet")


@dataclass(frozen=True)
class Widening:
    """The settings of widening; each is described in docs/settings.md.

    Defaults of rocchio: chosen by cross-validation, see benchmarks/feedback.py.
    """

    rocchio_alpha: float = 1.0
    rocchio_beta: float = 1.0
    rocchio_gamma: float = 0.15
    rocchio_relevant: int = 3
    rocchio_nonrelevant: int = 0
    rocchio_words: int = 40
    rocchio_tfidf: bool = True
    cooccur_pages: int = 20
    cooccur_words: int = 8
    cooccur_weight: float = 0.3
    wordnet_words: int = 3
    wordnet_weight: float = 0.2
    lsi_pages: int = 2000
    lsi_dimensions: int = 100
    lsi_words: int = 10
    lsi_weight: float = 0.3


@dataclass(frozen=True, slots=True)
class AddedWord:
    """A word that was added to a query.

    text: the word; several, with blanks, where it is a phrase. weight: what it counts for beside a word of the query,
    above 0. source: one of WAYS. from_word: the word of the query that it is a synonym of; "" for the whole query.
    """

    text: str
    weight: float
    source: str
    from_word: str = ""


def with_words(
    tree: Node | None, added: Sequence[AddedWord], weights: dict[str, float] | None = None
) -> Node | None:
    """Return a query with words added to it as a whole.

    Where words stand side by side, pages that hold added words alone are found too, as long as they pass what limits
    the query (site:, NOT); where the query has operators of its own, the same pages are found in another order.
    weights: new factors of the query's own words, by their text.
    """
    new = tuple(Word(word.text, boost=word.weight) for word in added)
    if tree is None:
        return (Or(new, implied=True) if len(new) > 1 else new[0]) if new else None
    tree = _weighed(tree, weights) if weights else tree
    if not new:
        return tree
    if isinstance(tree, Spelled):
        return Or((tree, *new), implied=True)
    if isinstance(tree, Or) and tree.implied:
        return Or((*tree.parts, *new), implied=True)
    if isinstance(tree, And) and tree.implied:
        words = tuple(part for part in tree.parts if isinstance(part, Spelled))
        ors = tuple(p for part in tree.parts if isinstance(part, Or) and part.implied for p in part.parts)
        limits = tuple(part for part in tree.parts if not leaves(part))
        others = len(tree.parts) - len(words) - len(limits)
        if not others or (ors and not words and others == 1):
            wide = Or((*words, *ors, *new), implied=True)
            return And((wide, *limits), implied=True) if limits else wide
    return And((Or((tree, *new)), Not(Not(tree))))


def with_synonyms(tree: Node, synonyms: dict[str, list[AddedWord]]) -> Node:
    """Return a query in which each word that has synonyms may also be met by one of them, in the same elements."""
    if isinstance(tree, Word) and not tree.exact and tree.text in synonyms:
        more: list[Node] = []
        for added in synonyms[tree.text]:
            words = tuple(added.text.split())
            boost = added.weight * tree.boost
            if len(words) == 1:
                more.append(Word(words[0], elements=tree.elements, boost=boost))
            else:
                more.append(Phrase(words, elements=tree.elements, boost=boost))
        return Or((tree, *more)) if more else tree
    if isinstance(tree, Group):
        return replace(tree, parts=tuple(with_synonyms(part, synonyms) for part in tree.parts))
    return tree


def plain_words(tree: Node | None) -> list[Word]:
    """Return the words that count for the score and are looked for by their stem, in their order, with repetitions."""
    return [leaf for leaf in leaves(tree) if isinstance(leaf, Word) and not leaf.exact]


def words_asked(tree: Node | None) -> list[str]:
    """Return all words of the query that count for the score, those in phrases too."""
    words: list[str] = []
    for leaf in leaves(tree):
        if isinstance(leaf, Word):
            words.append(leaf.text)
        elif isinstance(leaf, Phrase):
            words.extend(leaf.words)
    return words


def _weighed(tree: Node, weights: dict[str, float]) -> Node:
    if isinstance(tree, Word):
        return replace(tree, boost=weights.get(tree.text, tree.boost))
    if isinstance(tree, Group):
        return replace(tree, parts=tuple(_weighed(part, weights) for part in tree.parts))
    return tree
