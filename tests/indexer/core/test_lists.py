"""Shapes of pairs in their places, against a plain walk over them."""

from __future__ import annotations

import numpy as np
import pytest

from indexer.core.lists import coded_shapes
from indexer.store.columns import RANK_BLOCK
from indexer.store.postings import OTHER, RARE


@pytest.mark.parametrize("pairs", [0, 1, RANK_BLOCK - 1, RANK_BLOCK, RANK_BLOCK + 1, 2 * RANK_BLOCK, 5000])
@pytest.mark.parametrize("shapes", [1, OTHER, OTHER + 1, RARE, RARE + 1, 1000])
def test_shapes_come_into_their_places(pairs: int, shapes: int) -> None:
    random = np.random.default_rng(pairs + shapes)
    places = random.permutation(shapes).astype(np.uint32)
    numbers = random.integers(0, shapes, pairs).astype(np.uint32)
    made = coded_shapes(places, np.array_split(numbers, 3), pairs)
    told, others, rare, ranks = [], [], [], []
    for pair in range(0, pairs + 1, RANK_BLOCK):
        before = places[numbers[:pair]]
        ranks.append([int((before >= OTHER).sum()), int((before >= RARE).sum())])
    for place in places[numbers].tolist():
        told.append(min(place, OTHER))
        others += [min(place, RARE)] * (place >= OTHER)
        rare += [place] * (place >= RARE)
    told += [0] * (pairs % 2)
    assert made["shapes"].tolist() == [
        low | high << 4 for low, high in zip(told[::2], told[1::2], strict=True)
    ]
    assert made["other_shapes"].tolist() == others
    assert made["rare_shapes"].tolist() == rare
    assert made["shape_ranks"].tolist() == ranks


def test_shapes_that_are_not_there_or_too_many_are_refused() -> None:
    places = np.zeros(2, dtype=np.uint32)
    for numbers, pairs in (([2], 1), ([0, 1], 1), ([0], 2)):
        with pytest.raises(ValueError):
            coded_shapes(places, [np.array(numbers, dtype=np.uint32)], pairs)
