"""BM25F: arithmetic only, no files and no state.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond"
(2009), section 3.6: counts are weighed by element and added before the score saturates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from indexer.text.elements import ELEMENTS

# Chosen by measurement, see docs/ranking.md; webui/setting_infos.py has the same numbers, and a test compares them.
DEFAULT_K1 = 80.0
DEFAULT_SLOPE = 0.5
DEFAULT_FOLD = 0.3
DEFAULT_BOOST = {
    "title": 3.0,
    "heading": 1.0,
    "anchor": 1.0,
    "emphasis": 1.2,
    "description": 1.5,
    "keywords": 1.5,
    "body": 1.0,
    "url": 8.0,
    "alt": 0.8,
    "inlink": 8.0,
}
DEFAULT_B = {**dict.fromkeys(ELEMENTS, 0.3), "title": 0.5, "body": 0.75, "url": 0.75, "inlink": 0.0}
DEFAULT_OTHER_FORMS = 0.9
DEFAULT_NEAR = 0.25
DEFAULT_DEPTH = 0.05
DEFAULT_LINKED = 0.05
DEFAULT_P = 2.0


@dataclass(frozen=True)
class Ranking:
    """The settings of the ranking.

    k1: weighted frequency at which a word reaches half of its top score.
    slope: how steeply the score of a word rises around k1; 1 is plain BM25, see `saturate`.
    idf: "plus" is log(1 + (N - df + 0.5) / (df + 0.5)), never negative; "classic" is without the 1 +.
    fold: what a word counts for that differs from the one asked for by its accents alone; 0: it is not found.
    boost, b: for each element its weight, and how much its length counts (0 not at all, 1 fully).
    other_forms: what other forms of the stem count for; 1 is as much as the word as it was typed.
    near: what two neighbouring words of a query add by standing side by side, as a share of what the rarer can add.
    depth, linked: what the front page of a site has ahead, and a page that very many other sites link to, as a share of
        the greatest score that the words of the query can give.
    model: "bm25f", or another of indexer.search.models. p: exponent of the p-norm.
    """

    k1: float = DEFAULT_K1
    slope: float = DEFAULT_SLOPE
    idf: str = "plus"
    fold: float = DEFAULT_FOLD
    other_forms: float = DEFAULT_OTHER_FORMS
    near: float = DEFAULT_NEAR
    depth: float = DEFAULT_DEPTH
    linked: float = DEFAULT_LINKED
    model: str = "bm25f"
    p: float = DEFAULT_P
    boost: dict[str, float] = field(default_factory=lambda: dict(DEFAULT_BOOST))
    b: dict[str, float] = field(default_factory=lambda: dict(DEFAULT_B))


def idf(ranking: Ranking, versions: int, holding: int) -> float:
    """Return the inverse document frequency of a word that `holding` of `versions` versions hold."""
    odds = (versions - holding + 0.5) / (holding + 0.5)
    return math.log(1 + odds) if ranking.idf == "plus" else math.log(odds)


def norms(ranking: Ranking, lengths: NDArray[np.integer], means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return boost / ((1 - b) + b * length / mean length) for each version and element, same shape as `lengths`.

    means: mean length of each element over the versions that have it; 0 where none has.
    """
    boost = np.array([ranking.boost[name] for name in ELEMENTS])
    b = np.array([ranking.b[name] for name in ELEMENTS])
    relative = np.divide(lengths, means, out=np.ones(lengths.shape), where=means > 0)
    result: NDArray[np.float64] = boost / np.maximum((1 - b) + b * relative, 1e-9)
    return result


def weights(
    counts: NDArray[np.integer] | NDArray[np.float64], norm: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the BM25F weight of rows: the sum over elements of count * norm, added in the order of ELEMENTS."""
    total = np.zeros(len(counts))
    for element in range(counts.shape[1]):
        total += counts[:, element] * norm[:, element]
    return total


def saturate(ranking: Ranking, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 / (1 + (k1 / weight) ** slope): 0 where the weight is 0, a half where it is k1, 1 without bound.

    With a slope of 1 it is weight / (k1 + weight). Less than 1 lets it rise early and end late, so that one setting
    serves abstracts, where a word stands once or twice, and pages of a site, where it stands in the address, the title
    and a hundred links. A half is quick, and the same on every machine: square roots are exact.
    """
    with np.errstate(divide="ignore"):
        result: NDArray[np.float64] = 1 / (1 + (ranking.k1 / weight) ** ranking.slope)
    return result
