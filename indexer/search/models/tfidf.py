"""Sum of tf-idf weights: (1 + log10 tf) * log10(N / df) of each word of the query.

Source: Salton and Buckley, "Term-weighting approaches in automatic text retrieval" (1988); Manning, Raghavan and
Schuetze, "Introduction to Information Retrieval" (2008), section 6.2. Long pages are not held back.
"""

from __future__ import annotations

from indexer.search.models import Given, Shares, log_frequency, summed


def score(given: Given) -> Shares:
    """Return the sum over the words of the query of their tf-idf weights, times how often the query has them."""
    parts = {
        leaf: given.times[leaf] * given.rarity[leaf] * log_frequency(given.counts[leaf])
        for leaf in given.times
    }
    return summed(parts, len(given))
