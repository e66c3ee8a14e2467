"""Measure how this project grows: the same figures at 73,000, 300,000 and 1,000,000 pages.

    python benchmarks/corpus.py && python benchmarks/scale.py
    python benchmarks/scale.py --pages 1000,4000 --arcs /tmp/small/arcs --work /tmp/scale --no-tantivy

The pages beyond the corpus are its own pages again, under other hosts, with a share of their words replaced,
so that the vocabulary grows as that of more real pages would and the lists of common words grow with the
pages. The same corpus, sizes and --shrink give the same bytes. The archives are written once, as a stream,
and kept in --work: about 3.5 kB a page, and the indexes beside them; --shrink 0.5 keeps half of each page.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import re
import shutil
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from corpus import FILE_BYTES, SEED, batches, response_record  # noqa: E402
from engines import pages_of  # noqa: E402
from index import measure  # noqa: E402
from peers import ask, check, machine, measure_build, members_of, table  # noqa: E402
from queries import read_queries  # noqa: E402
from search import measure_cold_start, measure_server  # noqa: E402

# Of the words that stand on less than COMMON of the pages, REPLACED get another spelling in each copy. From 460
# to 1,800 to 7,300 pages of the corpus its vocabulary grows with the power 0.60 and 0.63 of the pages; so it
# would be 5.1 times as large at 13.7 times the pages, and each copy has to bring a third of the words anew;
# short words, numbers and pairs of Han stay as they are.
COMMON = 0.01
REPLACED = 0.62
BATCH = 200


@dataclass(frozen=True)
class Part:
    """Some pages of the corpus as they are to be written in one copy. members: (file, start, end) of each."""

    copy: int
    members: list[tuple[str, int, int]]
    common: frozenset[str]
    shrink: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--arcs", type=Path, default=HERE / "data" / "arcs", help="the corpus, from corpus.py"
    )
    parser.add_argument("--work", type=Path, default=HERE / "data" / "scale", help="where all of it goes")
    parser.add_argument("--pages", default="73000,300000,1000000", help="sizes, rising, with commas")
    parser.add_argument(
        "--shrink", type=float, default=1.0, help="share of each page that is kept (default 1)"
    )
    parser.add_argument("--queries", type=Path, default=HERE / "queries.tsv", help="queries, from queries.py")
    parser.add_argument("--passes", type=int, default=3, help="how often each query is timed (default 3)")
    parser.add_argument("--workers", type=int, default=0, help="processes; 0 is one for each core")
    parser.add_argument("--no-tantivy", action="store_true", help="measure this project alone")
    parser.add_argument("--only-make", action="store_true", help="write the archives and stop")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--save", type=Path, help="also write the JSON to this file")
    arguments = parser.parse_args()
    sizes = sorted(int(size) for size in arguments.pages.split(","))
    names = ["findingaid"] + ([] if arguments.no_tantivy else ["tantivy"])
    check(names, arguments.arcs, arguments.queries)
    workers = arguments.workers or len(os.sched_getaffinity(0))
    files = make_archives(arguments.arcs, arguments.work / "arcs", sizes, arguments.shrink)
    if arguments.only_make:
        return
    result: dict[str, Any] = {
        "date": time.strftime("%Y-%m-%d"), "machine": machine(), "load": os.getloadavg()[0], "workers": workers,
        "shrink": arguments.shrink, "sizes": {},
    }  # fmt: skip
    for size in sizes:
        print(f"{size:,} pages", file=sys.stderr)
        result["sizes"][str(size)] = measure_size(files[size], arguments, names, workers)
    if arguments.save:
        arguments.save.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result) if arguments.json else as_text(result))


# ---------------------------------------------------------------- the pages


def make_archives(arcs: Path, folder: Path, sizes: list[int], shrink: float) -> dict[int, list[Path]]:
    """Write the archives, unless they are there, and return those that make up each size."""
    sources = sorted(arcs.glob("*.warc.gz"))
    wanted = {
        "sizes": sizes,
        "shrink": shrink,
        "sources": [[file.name, file.stat().st_size] for file in sources],
    }
    made = folder / "made.json"
    if not made.exists() or json.loads(made.read_text())["wanted"] != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        members = [(str(file), start, end) for file in sources for start, end in members_of(file)]
        common = common_words(sources, every=max(1, len(members) // 3000))
        names: dict[str, list[str]] = {}
        done = 0
        for size in sizes:
            print(f"writing pages {done:,} to {size:,}", file=sys.stderr)
            names[str(size)] = write_archives(
                parts_of(members, done, size, common, shrink), folder, f"to-{size}"
            )
            done = size
        made.write_text(json.dumps({"wanted": wanted, "names": names}))
    names = json.loads(made.read_text())["names"]
    files: dict[int, list[Path]] = {}
    so_far: list[Path] = []
    for size in sizes:
        so_far = so_far + [folder / name for name in names[str(size)]]
        files[size] = so_far
    return files


def parts_of(
    members: list[tuple[str, int, int]], done: int, size: int, common: frozenset[str], shrink: float
) -> Iterator[Part]:
    """Yield the pages from number `done` to number `size`; what is taken of a copy is spread over the corpus."""
    order = list(range(len(members)))
    random.Random(SEED).shuffle(order)
    while done < size:
        copy, first = divmod(done, len(members))
        last = min(len(members), first + size - done)
        for batch in batches((members[i] for i in sorted(order[first:last])), BATCH):  # type: ignore[arg-type, type-var]
            yield Part(copy, batch, common, shrink)
        done += last - first


def common_words(files: list[Path], every: int) -> frozenset[str]:
    """Return the words that stand on at least COMMON of the pages, in lower case."""
    pages_with: Counter[str] = Counter()
    pages = 0
    for file in files:
        for _, _, body in pages_of(str(file), every=every):
            pages += 1
            pages_with.update({word.lower() for word in re.findall(r"[^\W\d_]{4,}", body)})
    return frozenset(word for word, count in pages_with.items() if count >= max(2.0, pages * COMMON))


def write_archives(parts: Iterator[Part], folder: Path, name: str) -> list[str]:
    """Write the parts, in their order, into files of FILE_BYTES; return their names."""
    names: list[str] = []
    written = FILE_BYTES
    cores = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(cores) as pool:
        waiting = []
        for part in parts:
            waiting.append(pool.submit(records_of, part))
            if len(waiting) < 4 * cores:
                continue
            names, written = _append(folder, name, names, written, waiting.pop(0).result())
        for future in waiting:
            names, written = _append(folder, name, names, written, future.result())
    return names


def _append(folder: Path, name: str, names: list[str], written: int, data: bytes) -> tuple[list[str], int]:
    if written >= FILE_BYTES:
        names, written = [*names, f"{name}-{len(names) + 1:03d}.warc.gz"], 0
    with open(folder / names[-1], "ab") as file:
        file.write(data)
    return names, written + len(data)


def records_of(part: Part) -> bytes:
    """Return the gzip members of a part: of the first copy as they are, of others under another host."""
    from fastwarc.warc import ArchiveIterator

    done = []
    for file, start, end in part.members:
        with open(file, "rb") as stream:
            stream.seek(start)
            member = stream.read(end - start)
        if part.copy or part.shrink < 1:
            record = next(ArchiveIterator(io.BytesIO(member), parse_http=True))
            url = record.headers["WARC-Target-URI"].strip("<>")
            html = shrunk(record.reader.read(), part.shrink)
            if part.copy:
                url = url.replace("://", f"://c{part.copy}.", 1)
                html = reworded(html, part.copy, part.common)
            compressor = zlib.compressobj(6, zlib.DEFLATED, 31)
            member = compressor.compress(response_record(url, html)) + compressor.flush()
        done.append(member)
    return b"".join(done)


def shrunk(html: bytes, share: float) -> bytes:
    """Return the beginning of a page, cut before a tag."""
    if share >= 1:
        return html
    cut = html.find(b"<", int(len(html) * share))
    return html[:cut] if cut > 0 else html


_PIECE = re.compile(r"<[^>]*>|&#?\w+;|[^\W_]{4,}")


def reworded(html: bytes, copy: int, common: frozenset[str]) -> bytes:
    """Return the page with the words replaced that this copy spells otherwise; tags and references stay."""
    words = _words_of_copy(copy, common)
    text = html.decode("utf-8", "surrogateescape")
    text = _PIECE.sub(lambda match: match[0] if match[0][0] in "<&" else words[match[0]], text)
    return text.encode("utf-8", "surrogateescape")


@cache
def _words_of_copy(copy: int, common: frozenset[str]) -> _Words:
    return _Words(copy, common)


class _Words(dict[str, str]):
    """The spelling of each word in one copy. Forms of a word are replaced together: its first letters decide."""

    def __init__(self, copy: int, common: frozenset[str]) -> None:
        super().__init__()
        self._copy, self._common = copy, common
        choose = random.Random(SEED + copy)
        self._letters: dict[int, str] = {}
        for letters in ("aeiou", "bcdfghjklmnpqrstvwxyz", "аеиоуыэюя", "бвгджзйклмнпрстфхцчшщ"):
            other = choose.sample(letters, len(letters))
            self._letters.update(str.maketrans(letters, "".join(other)))
            self._letters.update(str.maketrans(letters.upper(), "".join(other).upper()))

    def __missing__(self, word: str) -> str:
        if len(self) > 500_000:
            self.clear()
        lower = word.lower()
        spelling = word
        if lower not in self._common and zlib.crc32(lower[:5].encode(), self._copy) % 1000 < REPLACED * 1000:
            spelling = word[:5].translate(self._letters) + word[5:]
        self[word] = spelling
        return spelling


# ---------------------------------------------------------------- the figures


def measure_size(
    files: list[Path], arguments: argparse.Namespace, names: list[str], workers: int
) -> dict[str, Any]:
    """Return the figures of this project at one size, and of tantivy those that there is a bar for."""
    queries = read_queries(arguments.queries)
    kinds = [kind for kind, _ in queries]
    folder = arguments.work / "findingaid"
    archive_bytes = sum(file.stat().st_size for file in files)
    figures: dict[str, Any] = {"archive_bytes": archive_bytes, **measure(files, folder, workers)}
    figures |= contents_of(folder)
    folders = {"findingaid": folder}
    if "tantivy" in names:
        folders["tantivy"] = arguments.work / "tantivy"
        figures["tantivy"] = measure_build("tantivy", files, folders["tantivy"], workers)
    asked = ask(folders, arguments.queries, arguments.passes, kinds)
    figures |= asked["findingaid"]
    if "tantivy" in names:
        figures["tantivy"] |= asked["tantivy"]
        shutil.rmtree(folders["tantivy"])
    some = [query for _, query in queries[:: max(1, len(queries) // 7)]]
    figures["cold_search_s"] = measure_cold_start(folder, some)
    figures |= measure_server(folder, [query for _, query in queries])
    return figures


def contents_of(folder: Path) -> dict[str, int]:
    """Return how many words, pairs of word and version, and occurrences an index holds, and in how many segments."""
    import numpy as np

    from indexer import open_index

    with open_index(str(folder)) as index, index._reading() as snapshot:
        segments = [live.segment for live in snapshot.segments]
        ids = np.concatenate([segment.word_ids for segment in segments])
        return {
            "segments": len(segments), "words": len(np.unique(ids)), "pairs": sum(s.pairs for s in segments),
            "occurrences": sum(s.occurrences for s in segments),
        }  # fmt: skip


def as_text(result: dict[str, Any]) -> str:
    """Return one table, a column for each size and the growth from the first to the last."""
    sizes: dict[str, dict[str, Any]] = result["sizes"]
    figures = list(sizes.values())

    def row(name: str, values: list[float], digits: int = 0) -> tuple[str, list[str]]:
        growth = f"{values[-1] / values[0]:.2f}" if values[0] else ""
        return name, [*(f"{value:,.{digits}f}" for value in values), growth]

    rows = [
        row("MB of archives", [f["archive_bytes"] / 1e6 for f in figures], 1),
        row("pages/s", [f["pages_per_second"] for f in figures]),
        row("CPU us/page", [f["cpu_us_per_page"] for f in figures]),
        row("peak MB", [f["peak_pss_mb"] for f in figures]),
        row("index bytes/page", [f["index_bytes_per_page"] for f in figures]),
        row("words", [f["words"] for f in figures]),
        row("pairs of word and page", [f["pairs"] for f in figures]),
        row("occurrences", [f["occurrences"] for f in figures]),
        row("segments", [f["segments"] for f in figures]),
        *(row(f"query {p} us", [f["exact"][p] for f in figures]) for p in ("p50", "p95", "p99")),
        *(row(f"query {p} us, no count", [f["no_count"][p] for f in figures]) for p in ("p50", "p95", "p99")),
        row("open and first query ms", [f["open_and_first_ms"] for f in figures], 1),
        row("findingaid search, new process s", [f["cold_search_s"] for f in figures], 3),
        row("findingaid serve MB, no mapped files", [f["serve_not_mapped_mb"] for f in figures]),
    ]
    if all("tantivy" in f for f in figures):
        others = [f["tantivy"] for f in figures]
        rows += [
            row("tantivy: pages/s", [f["pages_per_second"] for f in others]),
            row("tantivy: CPU us/page", [f["cpu_us_per_page"] for f in others]),
            row("tantivy: index bytes/page", [f["index_bytes_per_page"] for f in others]),
            *(row(f"tantivy: query {p} us", [f["exact"][p] for f in others]) for p in ("p50", "p95", "p99")),
            *(
                row(f"tantivy: query {p} us, no count", [f["no_count"][p] for f in others])
                for p in ("p50", "p95", "p99")
            ),
            *(
                row(
                    f"ours / tantivy, query {p}",
                    [f["exact"][p] / f["tantivy"]["exact"][p] for f in figures],
                    2,
                )
                for p in ("p50", "p95")
            ),
        ]
    for kind in figures[0]["by_kind"]:
        rows.append(row(f"{kind} p50 us", [f["by_kind"][kind]["p50"] for f in figures]))
    head = (f"{result['date']}", *(f"{int(size):,} pages" for size in sizes), "growth")
    lines = [
        f"{result['machine']}, {result['workers']} processes, load {result['load']:.1f} at the start",
        "",
        *table(head, rows),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
