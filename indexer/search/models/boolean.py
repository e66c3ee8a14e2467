"""Boolean retrieval: a page matches or it does not; all that match are equally good."""

from __future__ import annotations

import numpy as np

from indexer.search.models import Given, Shares


def score(given: Given) -> Shares:
    """Return 1 for every version."""
    return Shares(np.ones(len(given)), {})
