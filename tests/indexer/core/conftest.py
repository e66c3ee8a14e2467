"""The core as it runs on other processors."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from indexer.core.library import core

ABILITIES = {"shift": 1, "fold": 2, "count": 4}  # FA_CAN_... of indexer/core/processor.h
EVERY = 2**32 - 1


@pytest.fixture
def use_of() -> Iterator[Callable[[int], int]]:
    """Tells the core which abilities of the processor it may use, for this test; gives those that it has."""
    yield core.fa_processor_use
    core.fa_processor_use(EVERY)


@pytest.fixture(params=["this", "plain"])
def processor(request: pytest.FixtureRequest, use_of: Callable[[int], int]) -> None:
    """The core as it runs here, and as it runs where the processor has nothing of what it would use."""
    use_of(EVERY if request.param == "this" else 0)
