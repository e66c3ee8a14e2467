"""Cosine of the angle between the vectors of query and page, weighed ltc.ltc.

Both weigh a word (1 + log10 tf) * log10(N / df), and are divided by the length of their vector.
Source: Salton, Wong and Yang, "A vector space model for automatic indexing" (1975); the letters are those of the SMART
system, in Manning, Raghavan and Schuetze (2008), section 6.4. Every version that
matches is scored: there are no champion lists.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from indexer.search.models import Floats, Given, Shares, log_frequency, summed
from indexer.search.nodes import Leaf


def score(given: Given) -> Shares:
    """Return the cosine of each version with the query, between 0 and 1 (rounding aside)."""
    query = query_vector(given.times, given.rarity)
    lengths = given.lengths()
    parts = {
        leaf: query[leaf] * document_weights(given.counts[leaf], given.rarity[leaf], lengths)
        for leaf in given.times
    }
    return summed(parts, len(given))


def query_vector(times: Mapping[Leaf, float], rarity: Mapping[Leaf, float]) -> dict[Leaf, float]:
    """Return the weight of each word in the query, a vector of length 1; all 0 when no word is rare."""
    weights = {
        leaf: float(log_frequency(np.array([count]))[0]) * rarity[leaf] for leaf, count in times.items()
    }
    length = math.sqrt(sum(weight**2 for weight in weights.values()))
    return {leaf: weight / length if length else 0.0 for leaf, weight in weights.items()}


def document_weights(counts: Floats, rarity: float, lengths: Floats) -> Floats:
    """Return the weight of a word in the vectors of some versions, which have these lengths."""
    weights = log_frequency(counts) * rarity
    return np.divide(weights, lengths, out=np.zeros(len(weights)), where=lengths > 0)
