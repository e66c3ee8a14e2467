"""What fuzzing of the core starts from: for each target a few inputs that reach most of what it does."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from indexer.core.merge import ARRAYS
from indexer.store.arrayfile import ArrayFile
from indexer.store.inversion import write_batch
from indexer.text.analysis import analyze_pages
from indexer.text.elements import PageText
from indexer.worker import version_columns


def write_seeds(target: str, folder: Path) -> None:
    """Write the inputs of a target into a folder."""
    for number, data in enumerate(SEEDS.get(target, _nothing)()):
        (folder / f"seed-{number}").write_bytes(data)


def _nothing() -> Iterator[bytes]:
    yield b""


def _batches() -> Iterator[bytes]:
    for seed in range(6):
        yield random.Random(seed).randbytes(900)


def _merges() -> Iterator[bytes]:
    """Yield pairs of small segments as tests/fuzz/core/merge.c reads them."""
    chosen = random.Random(1)
    for _ in range(6):
        with tempfile.TemporaryDirectory() as folder:
            yield b"".join(_segment(Path(folder) / str(number), chosen) for number in range(2))


def _segment(path: Path, chosen: random.Random) -> bytes:
    versions = chosen.choice((1, 3, 40))
    pages = [
        " ".join(f"w{chosen.randrange(chosen.choice((3, 30)))}" for _ in range(chosen.randrange(60)))
        for _ in range(versions)
    ]
    tokens = analyze_pages([("http://a.example/", PageText("cat", marked=text)) for text in pages])
    urls = [f"http://a.example/{number}" for number in range(versions)]
    write_batch(
        str(path), [tokens], version_columns(urls, list(range(versions)), ["en"] * versions, [tokens])
    )
    file = ArrayFile(str(path), "segment")
    arrays = [file.array(name) for name in ARRAYS]
    sizes = [file.array("rare_shapes").itemsize, file.array("shape_table").itemsize]
    packed = bytes([versions, *sizes, chosen.choice((1, 15))])
    return packed + b"".join(array.nbytes.to_bytes(2, "big") + array.tobytes() for array in arrays)


# target -> what yields its inputs
SEEDS: dict[str, Callable[[], Iterator[bytes]]] = {"batch": _batches, "merge": _merges}
