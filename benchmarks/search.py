"""Measure searching: query times by kind, a results page, memory of the server, a cold `findingaid search`.

    python benchmarks/corpus.py && python benchmarks/index.py && python benchmarks/search.py
    python benchmarks/search.py --index /tmp/small/index --arcs /tmp/small/arcs --queries 200 --json

The queries are made from words of the corpus with a fixed seed: the same corpus
gives the same queries. Each kind is asked once to warm up and once to measure.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
APP = HERE.parent / "app.py"
SEED = 1994
PAGES_READ_A_FILE = 400


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--index", type=Path, default=HERE / "data" / "index", help="the index to search")
    parser.add_argument(
        "--arcs", type=Path, default=HERE / "data" / "arcs", help="its archives, to take words from"
    )
    parser.add_argument("--queries", type=int, default=100, help="queries of each kind")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    arguments = parser.parse_args()
    for folder in (arguments.index, arguments.arcs):
        if not folder.exists():
            sys.exit(f"search.py: {folder} does not exist; run corpus.py and index.py of this folder first")
    queries = make_queries(sorted(arguments.arcs.glob("*.warc.gz")), arguments.queries)
    everything = [query for kind in queries.values() for query in kind]
    pages = everything[:: max(1, len(everything) // 200)]
    result = {
        "queries": {
            "engine, no snippets": measure_engine(arguments.index, queries, with_snippets=False),
            "engine, 10 snippets": measure_engine(arguments.index, {"all": everything}, with_snippets=True),
        },
        "results page, test client": measure_test_client(arguments.index, pages),
        **measure_server(arguments.index, pages),
        "cold_start_s": measure_cold_start(arguments.index, pages[:7]),
    }
    print(json.dumps(result) if arguments.json else as_text(result))


def make_queries(files: list[Path], number: int) -> dict[str, list[str]]:
    """Return `number` queries of each kind, made of words from the first pages of each file."""
    from archiver.warc import Record, parse_response, read_records

    texts: list[list[str]] = []
    for file in files:
        pages = 0
        for record in read_records(str(file)):
            response = parse_response(record) if isinstance(record, Record) else None
            if response is None or "html" not in response.headers.get("Content-Type"):
                continue
            text = re.sub(
                r"(?is)<(script|style).*?</\1>|<[^>]*>|&\S+;", " ", response.body.decode("utf-8", "ignore")
            )
            texts.append(re.findall(r"[^\W\d_]{3,15}", text.lower()))
            pages += 1
            if pages == PAGES_READ_A_FILE:
                break
    pages_with = Counter(word for words in texts for word in set(words))
    ranked = [word for word, _ in pages_with.most_common()]
    common, rare = ranked[: max(50, len(ranked) // 200)], ranked[len(ranked) // 4 :]
    choose = random.Random(SEED)

    def phrase() -> str:
        words = choose.choice([words for words in texts if len(words) > 50])
        place = choose.randrange(len(words) - 1)
        return f'"{words[place]} {words[place + 1]}"'

    kinds: dict[str, Callable[[], str]] = {
        "one rare word": lambda: choose.choice(rare),
        "one common word": lambda: choose.choice(common),
        "two words": lambda: f"{choose.choice(common)} {choose.choice(rare)}",
        "three common words": lambda: " ".join(choose.sample(common, 3)),
        "three common words with OR": lambda: " OR ".join(choose.sample(common, 3)),
        "phrase": phrase,
        "word without word": lambda: f"{choose.choice(common)} -{choose.choice(common)}",
        "in the title": lambda: f"title:{choose.choice(common)}",
    }
    return {kind: [make() for _ in range(number)] for kind, make in kinds.items()}


def measure_engine(index_dir: Path, queries: dict[str, list[str]], *, with_snippets: bool) -> dict[str, Any]:
    from indexer import open_index

    index = open_index(str(index_dir))
    try:
        results = {}
        for kind, texts in queries.items():
            for query in texts:
                index.search(query, with_snippets=with_snippets)
            results[kind] = timings(texts, lambda query: index.search(query, with_snippets=with_snippets))
        return results
    finally:
        index.close()


def measure_test_client(index_dir: Path, queries: list[str]) -> dict[str, float]:
    from webui import create_app
    from webui.settings import load_settings

    client = create_app(load_settings(None, {}, {"index": str(index_dir)})).test_client()

    def ask(query: str) -> None:
        answer = client.get(f"/search?q={quote(query)}", base_url="http://127.0.0.1:8080")
        assert answer.status_code == 200, f"{query}: {answer.status}"

    ask(queries[0])
    return timings(queries, ask)


def measure_server(index_dir: Path, queries: list[str]) -> dict[str, Any]:
    """Start `findingaid serve`, ask for results pages over one connection, and read its memory."""
    from index import memory_of_tree

    command = [sys.executable, str(APP), "serve", "--index", str(index_dir), "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = urlsplit(server.stdout.readline().strip())
        connection = http.client.HTTPConnection(address.hostname or "127.0.0.1", address.port)

        def ask(query: str) -> None:
            connection.request("GET", f"/search?q={quote(query)}")
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200, f"{query}: {answer.status}"

        ask(queries[0])
        times = timings(queries, ask)
        memory = memory_of_tree(server.pid)
    finally:
        server.terminate()
        server.wait()
    return {
        "results page, HTTP": times,
        "serve_rss_mb": round(memory["rss"] / 1e6, 1),
        "serve_pss_mb": round(memory["pss"] / 1e6, 1),
        "serve_not_mapped_mb": round(memory["not_mapped"] / 1e6, 1),
    }


def measure_cold_start(index_dir: Path, queries: list[str]) -> float:
    """Return the median time of `findingaid search` as a new process, in seconds."""
    times = []
    for query in queries:
        start = time.perf_counter()
        command = [sys.executable, str(APP), "search", "--index", str(index_dir), "--", query]
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return round(statistics.median(times), 3)


def timings(queries: Iterable[str], ask: Callable[[str], object]) -> dict[str, float]:
    """Return p50, p95, p99 and the longest time, in milliseconds, of asking each query."""
    times = []
    for query in queries:
        start = time.perf_counter()
        ask(query)
        times.append((time.perf_counter() - start) * 1000)
    times.sort()
    at = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return {name: round(times[min(len(times) - 1, int(len(times) * share))], 3) for name, share in at.items()}


def as_text(result: dict[str, Any]) -> str:
    lines = [f"{'milliseconds':42}{'p50':>9}{'p95':>9}{'p99':>9}{'max':>9}"]

    def add(name: str, times: dict[str, float]) -> None:
        lines.append(f"{name:42}" + "".join(f"{value:9.2f}" for value in times.values()))

    for where, kinds in result["queries"].items():
        for kind, times in kinds.items():
            add(f"{where}: {kind}"[:42], times)
    for where in ("results page, test client", "results page, HTTP"):
        add(where, result[where])
    lines.append(
        f"findingaid serve: {result['serve_rss_mb']} MB resident ({result['serve_pss_mb']} MB of its own)"
    )
    lines.append(f"findingaid search as a new process: {result['cold_start_s']} s")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
