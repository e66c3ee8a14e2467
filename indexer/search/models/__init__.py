"""Ways to score beside BM25F, each in a module of its own: `search.model` or `model=` names one.

    cosine    angle between the vectors of query and page (ltc.ltc)
    tfidf     sum of tf-idf weights
    boolean   1 for every page that matches
    pnorm     extended Boolean: AND and OR that are met in part
    fuzzy     fuzzy sets: AND is the least, OR the greatest membership

They read counts over all elements alike: boosts and lengths of elements are BM25F's own. A model is given the versions
that match and returns a score for each; which versions match is the same for all of them, but for pnorm, which
also wants those that hold some of the words of an AND.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.search.nodes import Leaf, Node

Floats = NDArray[np.float64]
MODELS = ("bm25f", "cosine", "tfidf", "boolean", "pnorm", "fuzzy")


@dataclass(frozen=True)
class Given:
    """What a model is given of some versions of a segment.

    tree: the query. counts: how often each of its leaves stands in each version, also those under a Not, other forms of
    a word at what they count for. rarity: log10(versions / versions that hold it) of each leaf, 0 where none does.
    times: how often each leaf that counts for the score stands in the query, with its boost.
    holds: which versions match a part of the tree that is no leaf. lengths: length of the vector of each version;
    greatest: greatest count of any word in it. p: exponent of the p-norm. size: number of versions.
    """

    tree: Node
    counts: dict[Leaf, Floats]
    rarity: dict[Leaf, float]
    times: dict[Leaf, float]
    holds: Callable[[Node], NDArray[np.bool_]]
    lengths: Callable[[], Floats]
    greatest: Callable[[], Floats]
    p: float
    size: int

    def __len__(self) -> int:
        return self.size


@dataclass(frozen=True)
class Shares:
    """Scores of versions, and what each leaf brings to them; `parts` is empty where a score is no sum over leaves."""

    total: Floats
    parts: dict[Leaf, Floats]


def log_frequency(counts: Floats) -> Floats:
    """Return 1 + log10(count), 0 for a count of 0; what counts less than once counts in proportion."""
    return np.where(counts >= 1, 1 + np.log10(np.maximum(counts, 1)), counts)


def summed(parts: dict[Leaf, Floats], size: int) -> Shares:
    """Return shares whose total is the sum of the parts, added in their order."""
    total = np.zeros(size)
    for part in parts.values():
        total += part
    return Shares(total, parts)


def score(model: str, given: Given) -> Shares:
    """Return the scores of versions by the model of this name. Raises ValueError for another name."""
    from indexer.search.models import boolean, cosine, fuzzy, pnorm, tfidf

    chosen: dict[str, Callable[[Given], Shares]] = {
        "cosine": cosine.score,
        "tfidf": tfidf.score,
        "boolean": boolean.score,
        "pnorm": pnorm.score,
        "fuzzy": fuzzy.score,
    }
    if model not in chosen:
        raise ValueError(f"model {model!r}: expected one of {', '.join(MODELS)}")
    return chosen[model](given)
