"""Measure what it costs that nothing is answered from bytes that were not verified: opening, first and later queries.

    python benchmarks/verification.py --index /path/to/index
    python benchmarks/verification.py --pages 20000 --json

Each figure is CPU time, with and without verification, each in a process of its own; without an index one is made of
pages of words by Zipf's law. Queries are words of the index, frequent and rare ones, two of them, and phrases.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import accumulate
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
REPEATS = 3
FIGURES = ("open_ms", "first_query_ms", "queries_once_ms", "queries_again_ms")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--index", type=Path, help="the index to search; without one it is made")
    parser.add_argument(
        "--pages", type=int, default=5000, help="pages of the index that is made (default 5000)"
    )
    parser.add_argument("--queries", type=int, default=60, help="number of queries (default 60)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--child", choices=("with", "without"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(measure(given.index, given.queries, verified=given.child == "with")))
        return
    with tempfile.TemporaryDirectory() as folder:
        index = given.index or make_index(Path(folder), given.pages)
        runs: dict[str, list[dict[str, float]]] = {"with": [], "without": []}
        for _ in range(REPEATS):
            for mode, figures in runs.items():
                command = [
                    sys.executable,
                    __file__,
                    "--index",
                    index,
                    "--queries",
                    given.queries,
                    "--child",
                    mode,
                ]
                figures.append(json.loads(subprocess.check_output([*map(str, command)])))
    best = {
        mode: {name: min(run[name] for run in figures) for name in FIGURES} for mode, figures in runs.items()
    }
    result = {
        name: {
            "with": best["with"][name],
            "without": best["without"][name],
            "ratio": round(best["with"][name] / max(best["without"][name], 1e-9), 3),
        }
        for name in FIGURES
    }
    print(json.dumps(result) if given.json else as_text(result))


def make_index(folder: Path, pages: int) -> Path:
    """Return a new index of pages of words by Zipf's law."""
    from indexer import build_index

    chosen = random.Random(1994)
    words = [
        f"{chosen.choice('bcdfgklmnprst')}{chosen.choice('aeiou')}{number:x}" for number in range(60_000)
    ]
    weights = [*accumulate(1 / (rank + 3) for rank in range(len(words)))]
    archive = folder / "pages.warc"
    with archive.open("wb") as file:
        for number in range(pages):
            text = " ".join(chosen.choices(words, cum_weights=weights, k=chosen.choice((60, 200, 600))))
            html = f"<html lang=en><title>{text[:40]}</title><p>{text}"
            body = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}"
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h{number % 97}.example/{number}\r\n"
                f"WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: application/http\r\nContent-Length: {len(body)}"
            )
            file.write(f"{head}\r\n\r\n{body}\r\n\r\n".encode())
    build_index([str(archive)], str(folder / "index"))
    return folder / "index"


def measure(index: Path, number: int, *, verified: bool) -> dict[str, float]:
    """Return the CPU time in milliseconds of opening, of the first query, and of all queries once and again."""
    from indexer import open_index

    if not verified:
        leave_out()
    started = time.process_time()
    opened = open_index(str(index))
    figures = {"open_ms": time.process_time() - started}
    queries = queries_for(index, number)

    def ask(some: list[str]) -> float:
        started = time.process_time()
        for query in some:
            opened.search(query, with_snippets=False)
        return time.process_time() - started

    ask(["warmup"])  # what is imported or made at the first query has nothing to do with the index
    figures["first_query_ms"] = ask(queries[:1])
    figures["queries_once_ms"] = figures["first_query_ms"] + ask(queries[1:])
    figures["queries_again_ms"] = statistics.median(ask(queries) for _ in range(3))
    opened.close()
    return {name: round(1000 * value, 2) for name, value in figures.items()}


def leave_out() -> None:
    """Take everything for sound."""
    from indexer.store import blocks
    from indexer.store.catalogue import Catalogue

    def begin(self: Any, array: Any, of: Any) -> None:
        column_of(self, array, of)
        self._is_sound = True

    def trust(self: Any) -> None:
        self._has_checksums = True

    column_of = blocks.Column.__init__
    blocks.Column.__init__ = begin  # type: ignore[method-assign]
    blocks.Blocks.require = lambda self, start, end: None  # type: ignore[method-assign]
    Catalogue.verify = trust  # type: ignore[method-assign]


def queries_for(index: Path, number: int) -> list[str]:
    """Return queries of words of an index: the same for the same index. Another opening reads them."""
    from indexer import open_index
    from indexer.store.segment import Segment

    with open_index(str(index)) as other, other._reading() as snapshot:
        path = max((live.segment for live in snapshot.segments), key=len).path
    segment = Segment(path)
    chosen = random.Random(7)
    rows = [chosen.randrange(len(segment.word_ids)) for _ in range(40 * number)]
    counts = {segment.word_at(row): len(segment.postings(row).ordinals) for row in rows}
    frequent = sorted(filter(str.isalnum, counts), key=lambda word: -counts[word])
    kinds = [
        lambda: chosen.choice(frequent[: number // 2]),
        lambda: chosen.choice(frequent),
        lambda: " ".join(chosen.sample(frequent[: number // 2], 2)),
        lambda: '"' + " ".join(chosen.sample(frequent[: number // 4], 2)) + '"',
    ]
    return [kinds[place % len(kinds)]() for place in range(number)]


def as_text(result: dict[str, dict[str, float]]) -> str:
    lines = [f"{'':18}{'with':>10}{'without':>10}{'ratio':>8}"]
    lines += [
        f"{name:18}{row['with']:>10.2f}{row['without']:>10.2f}{row['ratio']:>8.2f}"
        for name, row in result.items()
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
