"""Measure this project beside the engines a user would pick instead: from WARC files to ten hits, in one run.

    python -m pip install -r benchmarks/requirements-peers.txt
    python benchmarks/corpus.py && python benchmarks/peers.py
    python benchmarks/peers.py --pages 2000 --work /tmp/peers --verify
    python benchmarks/peers.py --engines findingaid,tantivy --json --save peers.json

Every index is built in a process of its own, from nothing, with all cores; memory is the highest sum of
proportional set sizes of its processes. The engines take turns, a build each and again (--builds; the build of median
time counts), then a pass over the queries each and again (--passes, after one to warm up; the median of each counts),
so that whatever else the machine does falls on all of them. All but Whoosh are given the same titles and texts.
Queries come from queries.tsv. FTS5, bm25s and Whoosh have one way to answer, so that their
times without a count differ by the count alone. Whoosh sees only a slice (--slice): it would take hours.

--verify also compares our ten best for every query with the plain search of the tests, which walks every page in
float64; use it on a small corpus.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from engines import ENGINES, command_of  # noqa: E402
from index import run_measured  # noqa: E402
from queries import read_queries  # noqa: E402

FILES_A_CORE = 4  # a slice is dealt out over so many files, so that no core waits for the last one


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--arcs", type=Path, default=HERE / "data" / "arcs", help="archive files to index")
    parser.add_argument("--work", type=Path, default=HERE / "data" / "peers", help="where the indexes go")
    parser.add_argument("--queries", type=Path, default=HERE / "queries.tsv", help="queries, from queries.py")
    parser.add_argument("--pages", type=int, default=0, help="take so many pages, evenly spread; 0 takes all")
    parser.add_argument("--slice", type=int, default=1000, help="pages that Whoosh gets (default 1000)")
    parser.add_argument("--engines", default=",".join(ENGINES), help="which to measure, with commas")
    parser.add_argument("--passes", type=int, default=3, help="how often each query is timed (default 3)")
    parser.add_argument(
        "--builds", type=int, default=1, help="how often each index is built; the median counts"
    )
    parser.add_argument("--workers", type=int, default=0, help="processes; 0 is one for each core")
    parser.add_argument(
        "--verify", action="store_true", help="compare our ten best with plain float64 scores"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--save", type=Path, help="also write the JSON to this file")
    arguments = parser.parse_args()
    names = arguments.engines.split(",")
    check(names, arguments.arcs, arguments.queries)
    workers = arguments.workers or len(os.sched_getaffinity(0))
    files = archives_in(arguments.arcs)
    arguments.work.mkdir(parents=True, exist_ok=True)
    if arguments.pages:
        files = deal_out(files, arguments.pages, arguments.work / "arcs", workers * FILES_A_CORE)
    result: dict[str, Any] = {
        "date": time.strftime("%Y-%m-%d"), "machine": machine(), "load": os.getloadavg()[0], "workers": workers,
        "archive_bytes": sum(file.stat().st_size for file in files), "versions": versions_of(names), "engines": {},
    }  # fmt: skip
    queries = read_queries(arguments.queries)
    own = dict.fromkeys(names, files)
    if "whoosh" in own:
        own["whoosh"] = deal_out(files, arguments.slice, arguments.work / "slice", workers * FILES_A_CORE)
    builds: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for _ in range(arguments.builds):
        for name in names:
            print(f"{name}: indexing", file=sys.stderr)
            builds[name].append(measure_build(name, own[name], arguments.work / name, workers))
    asked = [name for name in names if name != "floor"]
    print(f"asking {len(queries)} queries of {', '.join(asked)}", file=sys.stderr)
    answers = ask(
        {name: arguments.work / name for name in asked},
        arguments.queries,
        arguments.passes,
        [kind for kind, _ in queries],
    )
    for name in names:
        figures = sorted(builds[name], key=lambda build: float(build["seconds"]))[len(builds[name]) // 2]
        result["engines"][name] = {**figures, **answers.get(name, {}), "what": ENGINES[name].what}
    if arguments.verify:
        result["verified"] = verify(arguments.work / "findingaid", files, [query for _, query in queries])
    add_ratios(result["engines"])
    if arguments.save:
        arguments.save.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result) if arguments.json else as_text(result))
    if result.get("verified", {}).get("wrong"):
        sys.exit(1)


def check(names: list[str], arcs: Path, queries: Path) -> None:
    """End with one line when something is missing."""
    for name in names:
        if name not in ENGINES:
            sys.exit(f"peers.py: no engine {name!r}; there are {', '.join(ENGINES)}")
        missing = [module for module in ENGINES[name].needs if importlib.util.find_spec(module) is None]
        if missing:
            sys.exit(
                f"peers.py: {name} needs {', '.join(missing)};"
                " install: python -m pip install -r benchmarks/requirements-peers.txt"
            )
    if not archives_in(arcs):
        sys.exit(
            f"peers.py: {arcs} holds no .warc or .warc.gz files; make them with: python benchmarks/corpus.py"
        )
    if not queries.exists():
        sys.exit(f"peers.py: {queries} does not exist; make it with: python benchmarks/queries.py")


def archives_in(folder: Path) -> list[Path]:
    """Return the WARC files below a folder."""
    return sorted([*folder.rglob("*.warc.gz"), *folder.rglob("*.warc")])


def deal_out(files: list[Path], pages: int, folder: Path, number: int) -> list[Path]:
    """Copy `pages` records, evenly spread over the files, into `number` files; gzip members are copied as they are."""
    members = [(file, start, end) for file in files for start, end in members_of(file)]
    if pages < len(members):
        members = [members[i * len(members) // pages] for i in range(pages)]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    paths = [folder / f"part-{i:02d}.warc.gz" for i in range(min(number, len(members)))]
    for path in paths:
        path.touch()
    for place, (file, start, end) in enumerate(members):
        with open(file, "rb") as source, open(paths[place % len(paths)], "ab") as target:
            source.seek(start)
            target.write(source.read(end - start))
    return paths


def members_of(file: Path) -> Iterator[tuple[int, int]]:
    """Yield where each response record of an archive with one gzip member a record starts and ends."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    with open(file, "rb") as stream:
        records = ArchiveIterator(stream, parse_http=False)
        starts = [(record.stream_pos, record.record_type == WarcRecordType.response) for record in records]
    starts.append((file.stat().st_size, False))
    for (start, is_response), (end, _) in zip(starts, starts[1:], strict=False):
        if is_response:
            yield start, end


def measure_build(name: str, files: list[Path], folder: Path, workers: int) -> dict[str, Any]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    taken = run_measured(command_of(name, [str(file) for file in files], folder, workers))
    if taken.exit_code not in (0, 4):
        sys.exit(f"peers.py: indexing with {name} ended with exit code {taken.exit_code}")
    counts = json.loads(taken.output)
    pages = counts.get("pages", counts.get("versions"))
    index_bytes = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return {
        "pages": pages,
        "seconds": round(taken.seconds, 2),
        "pages_per_second": round(pages / taken.seconds, 1),
        "cpu_us_per_page": round(taken.cpu_s / pages * 1e6),
        "peak_pss_mb": round(taken.peak["pss"] / 1e6, 1),
        "index_bytes_per_page": round(index_bytes / pages),
    }


def ask(folders: dict[str, Path], queries: Path, passes: int, kinds: list[str]) -> dict[str, dict[str, Any]]:
    """Time the queries, each engine in a process of its own and all in turn; return percentiles, of all and by kind."""
    asking: dict[str, Asking] = {}
    told: dict[str, dict[str, Any]] = {}
    for name, folder in folders.items():
        asking[name] = Asking(name, folder, queries)
        told[name] = asking[
            name
        ].told()  # before the next begins: how long one takes to open is measured alone
    timed: dict[str, list[dict[str, Any]]] = {name: [] for name in asking}
    for _ in range(passes):
        for name, engine in asking.items():
            engine.go()
            timed[name].append(engine.told())
    for engine in asking.values():
        engine.end()
    return {name: answers_of(folders[name], told[name], timed[name], kinds) for name in asking}


class Asking:
    """A process that has opened the index of an engine and times a pass over the queries when it is told to."""

    def __init__(self, name: str, folder: Path, queries: Path) -> None:
        self._name = name
        command = [sys.executable, str(HERE / "engines.py"), "ask", name, str(folder), str(queries)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def go(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def told(self) -> dict[str, Any]:
        """Return what it says next; waits for it."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"peers.py: asking {self._name} ended with exit code {self._process.wait()}")
        said: dict[str, Any] = json.loads(line)
        return said

    def end(self) -> None:
        self._process.communicate()


def answers_of(
    folder: Path, opened: dict[str, Any], timed: list[dict[str, Any]], kinds: list[str]
) -> dict[str, Any]:
    """Return the figures of an engine from what it said: when it was opened, and after each pass."""
    medians = {
        name: [
            statistics.median(times) for times in zip(*(one["times_us"][name] for one in timed), strict=True)
        ]
        for name in ("exact", "no_count")
    }
    by_kind: dict[str, dict[str, float]] = {}
    for kind in dict.fromkeys(kinds):
        by_kind[kind] = percentiles([medians["exact"][i] for i, own in enumerate(kinds) if own == kind])
    index_bytes = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return {
        "exact": percentiles(medians["exact"]),
        "no_count": percentiles(medians["no_count"]),
        "first": percentiles(opened["first_us"]),
        "by_kind": by_kind,
        "answered": opened["answered"],
        "open_and_first_ms": round(opened["first_ms"], 1),
        "ask_rss_mb": timed[-1]["rss_mb"],
        "ask_not_mapped_mb": timed[-1]["not_mapped_mb"],
        "index_bytes_when_asked": index_bytes,
    }


def percentiles(times_us: list[float]) -> dict[str, float]:
    """Return p50, p95 and p99 in microseconds."""
    ordered = sorted(times_us)
    at = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    return {
        name: round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 1)
        for name, share in at.items()
    }


def verify(folder: Path, files: list[Path], queries: list[str]) -> dict[str, Any]:
    """Return how many queries were compared with the plain search of the tests, and those whose ten best differ.

    The plain search reads the same archives and walks every page for every query: for small corpora.
    """
    from indexer import open_index
    from indexer.search.query import parse_query
    from tests.indexer.plain import PlainSearch

    print("findingaid: comparing with plain scores", file=sys.stderr)
    wrong = []
    with open_index(str(folder)) as index:
        plain = PlainSearch(plain_versions(files), index.ranking, folded=True)
        for query in queries:
            total, ranked, _ = plain.search(parse_query(query))
            expected = (total, [(url, round(score, 9)) for url, score in ranked[:10]])
            results = index.search(query, limit=10, with_snippets=False)
            found = (results.total, [(hit.url, round(hit.score, 9)) for hit in results.hits])
            if found != expected:
                wrong.append({"query": query, "expected": expected, "found": found})
    return {"queries": len(queries), "wrong": wrong}


def plain_versions(files: list[Path]) -> Iterator[Any]:
    """Yield the versions of archives as the plain search wants them."""
    from indexer.text.detection import language_of
    from indexer.text.documents import FileEntry, read_captures
    from indexer.text.pages import collect_page
    from tests.indexer.plain import PlainVersion

    for file in files:
        for capture in read_captures(str(file), FileEntry(str(file))):
            if capture.page is None:
                continue
            page = collect_page(capture.page.html)
            running = tuple(zip(map(int, page.classes), page.pieces, strict=True))
            head = (page.title or "", page.description, page.keywords)
            yield PlainVersion(capture.url, language_of(page), *head, running, links=tuple(page.links))


RATIOS = {
    "pages/s": lambda figures: figures.get("pages_per_second"),
    "CPU": lambda figures: figures.get("cpu_us_per_page"),
    "index": lambda figures: figures.get("index_bytes_per_page"),
    "p50": lambda figures: figures.get("exact", {}).get("p50"),
    "p95": lambda figures: figures.get("exact", {}).get("p95"),
    "p50 n": lambda figures: figures.get("no_count", {}).get("p50"),
    "p95 n": lambda figures: figures.get("no_count", {}).get("p95"),
}


def add_ratios(engines: dict[str, dict[str, Any]]) -> None:
    """Add to each engine its figures divided by ours."""
    ours = engines.get("findingaid")
    if ours is None:
        return
    for figures in engines.values():
        figures["ratio_to_ours"] = {
            name: round(figure(figures) / figure(ours), 2)
            for name, figure in RATIOS.items() if figure(figures) and figure(ours)
        }  # fmt: skip


def versions_of(names: list[str]) -> dict[str, str]:
    import sqlite3

    packages = {"fastwarc", "selectolax", "numpy"} | (
        {"tantivy", "bm25s", "whoosh-reloaded"} & {*names, "whoosh-reloaded"}
    )
    found = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    for package in sorted(packages):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def machine() -> str:
    """Return the processor, the cores and the memory in a few words."""
    model = platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    memory_gb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return f"{model}, {len(os.sched_getaffinity(0))} cores, {memory_gb:.0f} GB"


def as_text(result: dict[str, Any]) -> str:
    """Return the tables: indexing and queries with the ratios to ours last, then queries by kind."""
    engines: dict[str, dict[str, Any]] = result["engines"]
    columns = (
        "pages", "pages/s", "CPU us/page", "peak MB", "bytes/page", "p50 us", "p95", "p99", "no count p50", "p95",
        "p99", *(f"x {name}" for name in RATIOS),
    )  # fmt: skip
    rows = []
    for name, figures in engines.items():
        row = [
            f"{figures['pages']:,}", f"{figures['pages_per_second']:,.0f}", f"{figures['cpu_us_per_page']:,}",
            f"{figures['peak_pss_mb']:,.0f}", f"{figures['index_bytes_per_page']:,}",
        ]  # fmt: skip
        for which in ("exact", "no_count"):
            row += [f"{figures[which][p]:,.0f}" if which in figures else "" for p in ("p50", "p95", "p99")]
        ratios = figures.get("ratio_to_ours", {})
        row += [f"{ratios[ratio]:.2f}" if ratio in ratios else "" for ratio in RATIOS]
        rows.append((name, row))
    lines = [
        f"{result['date']}, {result['machine']}, {result['workers']} processes, load {result['load']:.1f} at the start",
        f"{result['archive_bytes'] / 1e6:,.1f} MB of archives; times of queries in microseconds, to ten addresses;"
        " x: divided by ours",
        "",
        *table(("", *columns), rows),
        "",
    ]
    kinds = {kind for figures in engines.values() for kind in figures.get("by_kind", {})}
    asked = [name for name in engines if "by_kind" in engines[name]]
    if asked:
        order = list(engines[asked[0]]["by_kind"])
        rows = [
            (kind, [f"{engines[name]['by_kind'][kind][p]:,.0f}" for name in asked for p in ("p50", "p95")])
            for kind in order if kind in kinds
        ]  # fmt: skip
        lines += table(("us, with count", *(f"{name} {p}" for name in asked for p in ("p50", "p95"))), rows)
        lines.append("")
        lines += [
            f"{name}: opened and first query {engines[name]['open_and_first_ms']:,.0f} ms, each query asked for the"
            f" first time p50 {engines[name]['first']['p50']:,.0f} us, p95 {engines[name]['first']['p95']:,.0f},"
            f" then {engines[name]['ask_not_mapped_mb']:,.0f} MB that are no mapped file;"
            f" {engines[name]['answered']} queries have hits; {engines[name]['what']}"
            for name in asked
        ]
    lines.append(", ".join(f"{name} {version}" for name, version in result["versions"].items()))
    if "verified" in result:
        wrong = result["verified"]["wrong"]
        lines.append(
            f"verified against plain scores: {result['verified']['queries']} queries, {len(wrong)} differ"
        )
        lines += [
            f"  {item['query']}\n    expected {item['expected']}\n    found    {item['found']}"
            for item in wrong[:5]
        ]
    return "\n".join(lines)


def table(head: tuple[str, ...], rows: list[tuple[str, list[str]]]) -> list[str]:
    """Return the lines of a table, in the form that Markdown takes."""
    cells = [list(head), *([name, *row] for name, row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(head))]
    lines = [
        "| "
        + " | ".join(
            f"{text:<{w}}" if not i else f"{text:>{w}}"
            for i, (text, w) in enumerate(zip(line, widths, strict=True))
        )
        + " |"
        for line in cells
    ]
    rule = "|" + "|".join("-" * (w + 1) + ("-" if not i else ":") for i, w in enumerate(widths)) + "|"
    return [lines[0], rule, *lines[1:]]


if __name__ == "__main__":
    main()
