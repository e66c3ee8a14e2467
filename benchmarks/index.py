"""Measure `findingaid index`: pages a second, CPU a page, memory of all its processes, size of the index.

    python benchmarks/corpus.py && python benchmarks/index.py
    python benchmarks/index.py --arcs /tmp/small/arcs --workers 1 --json
    python benchmarks/index.py --stages

The index is built from nothing in a process of its own, as a user would build it.
Memory is sampled every 0.1 s over the whole process tree: the sum of the resident
sets counts shared pages once for each process, the proportional sum counts them once.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
APP = HERE.parent / "app.py"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--arcs", type=Path, default=HERE / "data" / "arcs", help="archive files to index")
    parser.add_argument("--index", type=Path, default=HERE / "data" / "index", help="where the index goes")
    parser.add_argument("--workers", type=int, default=0, help="worker processes; 0 is one for each core")
    parser.add_argument("--stages", action="store_true", help="print the CPU a page of each stage instead")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    arguments = parser.parse_args()
    if not arguments.arcs.exists():
        sys.exit(f"index.py: {arguments.arcs} does not exist; make it with: python benchmarks/corpus.py")
    if arguments.stages:
        sys.path.insert(0, str(APP.parent))
        from stages import measure_stages, stages_as_text

        found = measure_stages([arguments.arcs])
        print(json.dumps(found) if arguments.json else stages_as_text(found))
        return
    result = measure([arguments.arcs], arguments.index, arguments.workers)
    print(json.dumps(result) if arguments.json else as_text(result))


def measure(paths: list[Path], index: Path, workers: int) -> dict[str, Any]:
    """Index archives (files or folders) into a new index, removing one that is there, and return what it took."""
    shutil.rmtree(index, ignore_errors=True)
    command = [sys.executable, str(APP), "index", *map(str, paths), "--index", str(index), "--json", "-q"]
    command += ["--workers", str(workers)]
    taken = run_measured(command)
    if taken.exit_code not in (0, 4):
        sys.exit(f"index.py: findingaid index ended with exit code {taken.exit_code}")
    counts = json.loads(taken.output)
    seconds, cpu_s, peak = taken.seconds, taken.cpu_s, taken.peak
    pages = max(counts["versions"], 1)
    index_bytes = sum(file.stat().st_size for file in index.rglob("*") if file.is_file())
    return {
        "pages": counts["versions"],
        "documents": counts["documents"],
        "damaged": len(counts["damaged"]),
        "workers": workers or os.cpu_count(),
        "seconds": round(seconds, 2),
        "cpu_seconds": round(cpu_s, 2),
        "pages_per_second": round(pages / seconds, 1),
        "pages_per_cpu_second": round(pages / cpu_s, 1),
        "cpu_us_per_page": round(cpu_s / pages * 1e6),
        "peak_rss_mb": round(peak["rss"] / 1e6, 1),
        "peak_pss_mb": round(peak["pss"] / 1e6, 1),
        "processes": peak["processes"],
        "index_mb": round(index_bytes / 1e6, 1),
        "index_bytes_per_page": round(index_bytes / pages),
    }


@dataclass(frozen=True)
class Taken:
    """What a command took. peak: the highest of memory_of_tree; cpu_s: of all its processes."""

    exit_code: int
    output: str
    seconds: float
    cpu_s: float
    peak: dict[str, int]


def run_measured(command: list[str]) -> Taken:
    """Run a command to its end, and measure it with all processes below it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    output = tempfile.TemporaryFile("w+")  # noqa: SIM115  # a pipe would stop the command once it is full
    process = subprocess.Popen(command, stdout=output)
    peak = {"rss": 0, "pss": 0, "not_mapped": 0, "processes": 0}
    while process.poll() is None:
        for name, value in memory_of_tree(process.pid).items():
            peak[name] = max(peak[name], value)
        time.sleep(0.1)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    output.seek(0)
    with output:
        return Taken(process.returncode, output.read(), seconds, cpu_s, peak)


def as_text(result: dict[str, Any]) -> str:
    return (
        "{pages:,} pages ({documents:,} documents, {damaged} damaged places) with {workers} workers\n"
        "{seconds} s, {cpu_seconds} s of CPU: {pages_per_second:,} pages/s, "
        "{pages_per_cpu_second:,} pages/s and core, {cpu_us_per_page:,} us of CPU a page\n"
        "memory at most {peak_rss_mb} MB resident in {processes} processes; "
        "{peak_pss_mb} MB with shared pages counted once\n"
        "index {index_mb} MB, {index_bytes_per_page:,} bytes a page"
    ).format(**result)


def memory_of_tree(pid: int) -> dict[str, int]:
    """Return the memory of `pid` and all processes below it: resident, proportional, that of no file, how many."""
    total = {"rss": 0, "pss": 0, "not_mapped": 0, "processes": 0}
    for each in [pid, *descendants(pid)]:
        try:
            with open(f"/proc/{each}/smaps_rollup", encoding="ascii") as file:
                fields = dict(line.split(":", 1) for line in file if ":" in line and line[0].isupper())
        except OSError:  # it ended meanwhile
            continue
        total["rss"] += int(fields["Rss"].split()[0]) * 1024
        total["pss"] += int(fields["Pss"].split()[0]) * 1024
        total["not_mapped"] += int(fields["Anonymous"].split()[0]) * 1024
        total["processes"] += 1
    return total


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                for child in map(int, file.read().split()):
                    found += [child, *descendants(child)]
    except OSError:
        pass
    return found


if __name__ == "__main__":
    main()
