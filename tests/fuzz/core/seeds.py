"""What fuzzing of the core starts from: for each target a few inputs that reach most of what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path


def write_seeds(target: str, folder: Path) -> None:
    """Write the inputs of a target into a folder."""
    for number, data in enumerate(SEEDS.get(target, _nothing)()):
        (folder / f"seed-{number}").write_bytes(data)


def _nothing() -> Iterator[bytes]:
    yield b""


# target -> what yields its inputs
SEEDS: dict[str, Callable[[], Iterator[bytes]]] = {}
