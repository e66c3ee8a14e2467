"""Fuzzes the core: a target fed with changed inputs, steered by what code they reach (libFuzzer).

    python -m tests.fuzz.core extract --minutes 60            needs clang
    python -m tests.fuzz.core extract --input FILE...         inputs once again
    python -m tests.fuzz.core --list

A target is a C file here with a function LLVMFuzzerTestOneInput. It is compiled together with the core under the
sanitizers of addresses and of undefined behaviour; the first input that breaks it is kept in `--keep`, as is one that
takes longer than 10 seconds or more than 1 GB. What it starts from is made by `seeds.py`.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from indexer.core.build import FOLDER, sources
from tests.fuzz.core.seeds import write_seeds

HERE = Path(__file__).parent
SANITIZERS = "-fsanitize=fuzzer,address,undefined"
FLAGS = [
    "-std=c11",
    "-g",
    "-O1",
    "-fno-omit-frame-pointer",
    "-fno-sanitize-recover=undefined",
    "-ffp-contract=off",
    "-DFA_WORTH_IT=1",
    "-DFA_AT_FIRST=2",
]
SLOWEST_S, MOST_MB = 10, 1024


def main() -> int:
    """Fuzz, and return 0 if nothing was found."""
    given = _arguments()
    if given.list:
        print("\n".join(targets()))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(given.target, Path(folder))
        limits = [f"-timeout={SLOWEST_S}", f"-rss_limit_mb={MOST_MB}", f"-artifact_prefix={given.keep}/"]
        given.keep.mkdir(exist_ok=True)
        if given.input:
            return subprocess.run([program, *limits, *given.input], check=False).returncode
        corpus = given.corpus or Path(folder) / "corpus"
        corpus.mkdir(exist_ok=True)
        write_seeds(given.target, corpus)
        order = [program, *limits, f"-max_total_time={int(given.minutes * 60)}", f"-seed={given.seed}"]
        order += ["-print_final_stats=1", "-max_len=65536", "-verbosity=1", str(corpus)]
        return subprocess.run(order, check=False).returncode


def targets() -> list[str]:
    """Return the names of the targets."""
    return sorted(path.stem for path in HERE.glob("*.c"))


def compiled(target: str, folder: Path) -> str:
    """Return the program of a target, compiled with the whole core."""
    clang = shutil.which("clang")
    if clang is None:
        sys.exit(
            "tests.fuzz.core: needs clang and its libFuzzer (on Debian: apt-get install clang libclang-rt-14-dev)"
        )
    program = folder / target
    files = [str(HERE / f"{target}.c"), *map(str, sources())]
    subprocess.run([clang, *FLAGS, SANITIZERS, f"-I{FOLDER}", "-o", str(program), *files, "-lm"], check=True)
    return str(program)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", nargs="?", choices=targets())
    parser.add_argument("--list", action="store_true", help="the targets")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--input", nargs="+", metavar="FILE", help="try these, and nothing else")
    parser.add_argument(
        "--corpus", type=Path, help="where inputs that reach new code are kept, to go on from"
    )
    parser.add_argument(
        "--keep", type=Path, default=Path("fuzz-failures"), help="where an input goes that fails"
    )
    given = parser.parse_args()
    if not given.list and given.target is None:
        parser.error("name a target, or --list")
    return given


if __name__ == "__main__":
    sys.exit(main())
