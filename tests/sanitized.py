"""Runs the tests of the core on a core that watches itself: addresses and undefined behaviour (ASan, UBSan).

    python -m tests.sanitized [--plain|--avx2] [TEST...]

Without names: the tests of indexer/core, text, store and search, but those of compiling, and of how cached pages are
taken apart. --plain: the core as it is on processors of other families, with room for few decoded lists. --avx2: as it
is on those with AVX2; left out on others. Needs gcc, whose sanitizers are loaded into Python. What the core reads of
pages and words lies in blocks that are watched however small they are; with the tests of store and search, which take
twice as long so, Python keeps its small blocks itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from indexer.core.build import FLAGS_FOR_AVX2, build_one
from indexer.core.library import core

FLAGS = [
    "-g",
    "-O1",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=undefined",
    "-fno-omit-frame-pointer",
    "-DFA_AT_FIRST=2",
]
PLAIN = ["-DFA_NO_ABILITIES", "-U__SSE2__", "-U__BYTE_ORDER__", "-DFA_RETAINED=4096", "-DFA_MANY_PAIRS=0"]
TESTS = [
    *(f"tests/indexer/{room}" for room in ("core", "text", "store", "search")),
    "tests/webui/test_page_pieces.py",
]
# Here Python's small blocks are watched, too.
READING = ("tests/indexer/core", "tests/indexer/text", "tests/webui")
# Those of compiling run a compiler, and none of the core under test; `make test` has them.
LEFT_OUT = ["--ignore=tests/indexer/core/test_build.py"]


def main() -> int:
    """Return the exit status of pytest."""
    ways = {"--plain": PLAIN, "--avx2": FLAGS_FOR_AVX2}
    tests = [name for name in sys.argv[1:] if name not in ways]
    way = [flag for name in sys.argv[1:] for flag in ways.get(name, ())]
    preload = [place for name in ("libasan.so", "libubsan.so") if (place := _library(name))]
    if len(preload) < 2:
        sys.exit(
            "tests.sanitized: gcc and its sanitizers are not here (on Debian: apt-get install gcc libc6-dev)"
        )
    if way == FLAGS_FOR_AVX2 and not core.fa_has_avx2():
        sys.stderr.write("tests.sanitized: left out, this processor has no AVX2\n")
        return 0
    given = tests or TESTS
    reading = [name for name in given if name.startswith(READING)]
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "core.so"
        os.environ["CC"] = "gcc"
        build_one(library, [*FLAGS, *way])
        environment = {
            **os.environ,
            "FINDINGAID_CORE": str(library),
            "LD_PRELOAD": " ".join(preload),
            # leaks of the interpreter are none of ours; where a block was made is told by few calls: each costs time
            "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1:malloc_context_size=5",
        }
        statuses = [
            _status_of(reading, {**environment, "PYTHONMALLOC": "malloc"}),
            _status_of([name for name in given if name not in reading], environment),
        ]
    return next((status for status in statuses if status), 0)  # one that was killed is below 0


def _status_of(tests: list[str], environment: dict[str, str]) -> int:
    """Return the exit status of pytest with these tests, 0 where there are none."""
    if not tests:
        return 0
    order = [sys.executable, "-m", "pytest", "-n", "auto", "--dist", "worksteal", *tests, *LEFT_OUT]
    return subprocess.run(order, env=environment, check=False).returncode


def _library(name: str) -> str:
    """Return where gcc has a library of its own, "" where it has none."""
    try:
        told = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    place = told.stdout.strip()
    return place if os.path.isabs(place) else ""


if __name__ == "__main__":
    sys.exit(main())
