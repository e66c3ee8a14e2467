"""Measure the query language: query times of phrases, wildcards, fuzzy words, nearness and filters, and of the worst.

    python benchmarks/corpus.py && python benchmarks/index.py && python benchmarks/language.py
    python benchmarks/language.py --index /tmp/small/index --arcs /tmp/small/arcs --queries 200 --json
    python benchmarks/language.py --generate 400 --seed 7

Queries are made from words of the corpus with a fixed seed. The worst ones are asked with the time limit of the
search page, once each; --generate makes up that many more (nasty.py) and shows those that took longest.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
SEED = 1994
BUDGET_S = 1.0
MOST_SHOWN = 20  # of the queries that are made up
STOPS = "the of to in a is for on that with".split()


def main() -> None:
    from nasty import Maker
    from search import make_queries, measure_engine

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--index", type=Path, default=HERE / "data" / "index", help="the index to search")
    parser.add_argument(
        "--arcs", type=Path, default=HERE / "data" / "arcs", help="its archives, to take words from"
    )
    parser.add_argument("--queries", type=int, default=100, help="queries of each kind")
    parser.add_argument("--generate", type=int, default=0, help="make up so many nasty queries")
    parser.add_argument("--seed", type=int, default=SEED, help="of these")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    arguments = parser.parse_args()
    plain = make_queries(sorted(arguments.arcs.glob("*.warc.gz")), arguments.queries)
    queries = make_language_queries(plain, arguments.queries)
    result: dict[str, Any] = {
        "queries": {"": measure_engine(arguments.index, {**plain, **queries}, with_snippets=False)},
        "worst": measure_worst(arguments.index, worst_queries(plain)),
    }
    if arguments.generate:
        maker = Maker(STOPS + plain["one common word"], arguments.seed)
        rows = measure_worst(arguments.index, [maker.query() for _ in range(arguments.generate)], models=())
        result["worst"] += sorted(rows, key=lambda row: -row["cpu_ms"])[:MOST_SHOWN]
    print(json.dumps(result) if arguments.json else as_lines(result))


def make_language_queries(plain: dict[str, list[str]], number: int) -> dict[str, list[str]]:
    choose = random.Random(SEED)
    rare, common = plain["one rare word"], plain["one common word"]
    phrases = plain["phrase"]
    long = [word for word in rare if len(word) >= 6]

    def cut(word: str) -> str:
        at = choose.randrange(2, len(word) - 2)
        return word[:at] + "*" + word[at + choose.randrange(3) :]

    def misspelt(word: str) -> str:
        at = choose.randrange(1, len(word) - 1)
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]

    kinds: dict[str, Callable[[], str]] = {
        "phrase with slop": lambda: f"{choose.choice(phrases)}~{choose.randrange(1, 6)}",
        "near": lambda: f"{choose.choice(common)} NEAR/{choose.randrange(2, 10)} {choose.choice(common)}",
        "prefix": lambda: choose.choice(long)[: choose.randrange(4, 6)] + "*",
        "ending": lambda: "*" + choose.choice(long)[-4:],
        "infix": lambda: cut(choose.choice(long)),
        "one change": lambda: misspelt(choose.choice(long)) + "~1",
        "two changes": lambda: misspelt(choose.choice(long)) + "~2",
        "site": lambda: f"{choose.choice(common)} site:{choose.choice(('com', 'org', 'uk'))}",
        "dates": lambda: f"{choose.choice(common)} from:2009 to:2020",
        "live then": lambda: f"{choose.choice(common)} at:2020",
        "appeared": lambda: f"{choose.choice(common)} appeared:2009..2020",
        "status and type": lambda: f"{choose.choice(common)} status:200 type:html",
        "in the address": lambda: f"{choose.choice(common)} inurl:{choose.choice(common)}",
        "task": lambda: f"task:({choose.choice(common)} {choose.choice(rare)})",
    }
    return {kind: [make() for _ in range(number)] for kind, make in kinds.items()}


WORST_FOR_MODELS = ("*e* *a*", "(*e* OR *a*) AND (*o* OR *i*)")
MODELS = ("pnorm", "fuzzy", "cosine", "tfidf")  # these score all that is found


def worst_queries(plain: dict[str, list[str]]) -> list[str]:
    long = sorted({word for word in plain["one rare word"] if len(word) >= 5})
    common = plain["one common word"]
    return [
        "* *",
        "a* b* c*",
        "*a*",
        "*e* NEAR/100 *a*",
        "(*a* OR *e*) NEAR/100 (*o* OR *i*)",
        "title:*a* OR body:*e* OR anchor:*o*",
        '"the the"~100 NEAR/100 in',
        "*s* NEAR/100 *d NEAR/100 *r*",
        "?????",
        " ".join(f"{word}~2" for word in long[:32]),
        " ".join(f"{word[:3]}~2" for word in long[:32]),
        " NEAR/100 ".join(STOPS),
        " NEAR/1 ".join(STOPS[:2]),
        f'"{" ".join(STOPS)}"~100',
        f'"{" ".join(["the"] * 30)}"~100',
        f'"{" ".join(STOPS[:3])}"',
        f'"{" ".join(STOPS[:2])}"~50',
        " OR ".join(STOPS),
        " OR ".join(f"title,body:{word}" for word in common[:32]),
        " OR ".join(f"{word[:2]}*" for word in common[:32]),
        f"NOT {long[0]}",
        "task:(*a* *b* *c*)",
        "(" * 5000 + "a" + ")" * 5000,
        "appeared:2009..2020 vanished:2009..2020 the",
        "site:a OR " * 100 + "the",
    ]


def measure_worst(
    index_dir: Path, queries: list[str], models: tuple[str, ...] = MODELS
) -> list[dict[str, Any]]:
    """Return for each query how long it took as it would on the search page, and whether its answer was partial."""
    from indexer import open_index

    rows = []
    with open_index(str(index_dir)) as index:
        for query, model in [
            *((query, "bm25f") for query in queries),
            *((query, model) for query in WORST_FOR_MODELS for model in models),
        ]:
            start, cpu = time.perf_counter(), time.process_time()
            results = index.search(query, budget_s=BUDGET_S, with_snippets=False, model=model)
            rows.append(
                {
                    "query": re.sub(r"(.{60}).*", r"\1...", query)
                    + (f" ({model})" if model != "bm25f" else ""),
                    "cpu_ms": round((time.process_time() - cpu) * 1000, 1),
                    "ms": round((time.perf_counter() - start) * 1000, 1),
                    "partial": results.timed_out,
                    "total": results.total,
                }
            )
    return rows


def as_lines(result: dict[str, Any]) -> str:
    lines = [f"{'milliseconds':34}{'p50':>9}{'p95':>9}{'p99':>9}{'max':>9}"]
    for kind, times in result["queries"][""].items():
        lines.append(f"{kind:34}" + "".join(f"{value:9.2f}" for value in times.values()))
    lines.append("")
    for row in result["worst"]:
        partial = " partial" if row["partial"] else ""
        times = f"{row['ms']:9.1f} ms {row['cpu_ms']:9.1f} ms CPU"
        lines.append(f"{row['query']:66}{times} {row['total']:8,}{partial}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
