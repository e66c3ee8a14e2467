"""Compiles the core: a few C files that become a library beside them, loaded by `indexer.core.library`.

On x86-64 they become two: one that every processor can run, and one for those with AVX2, which nearly all have.

    python indexer/core/build.py [--force] [--output FILE] [--check]

No headers of Python and no make are needed. The compiler is $CC, else cc, gcc or clang of the system, else the
one of the PyPI package `ziglang` (`python -m ziglang cc`). A library made from the sources as they are is kept.
This file imports nothing but the standard library, and is run by its path: it runs while the product is installed (see
`build_backend.py`), when the packages around it cannot be imported yet.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
_ENDING = "dll" if sys.platform == "win32" else "so"
LIBRARY = FOLDER / f"core.{_ENDING}"
LIBRARY_FOR_AVX2 = FOLDER / f"core-avx2.{_ENDING}"
_STAMP = b"findingaid-sources:"

FLAGS = [
    "-std=c11",
    "-O3",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    # scores must be the same bits everywhere: no multiplication joined with an addition
    "-ffp-contract=off",
    "-fno-math-errno",
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Wstrict-prototypes",
]
# What fa_has_avx2 asks the processor for (processor.c). With them a page takes a twelfth less time. No FMA: see above.
FLAGS_FOR_AVX2 = ["-mavx2", "-mbmi", "-mbmi2", "-mlzcnt", "-mpopcnt"]


class BuildError(Exception):
    """The core cannot be compiled; the message says what is missing, in one line."""


def sources() -> list[Path]:
    """Return the C files, in the order of their names."""
    return sorted(FOLDER.glob("*.c"))


def sources_digest() -> str:
    """Return a digest of all that the library is made of."""
    digest = hashlib.sha256()
    for path in [*sorted(FOLDER.glob("*.[ch]")), Path(__file__)]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:32]


def has_compiler() -> bool:
    """Tell whether there is a compiler without asking for a package."""
    return _system_compiler() is not None


def compiler() -> list[str]:
    """Return the command of the compiler. Raises BuildError."""
    found = _system_compiler()
    if found is not None:
        return found
    if importlib.util.find_spec("ziglang") is not None:
        # its checks for undefined behaviour trap; what debuggers need would be twice the library
        return [sys.executable, "-m", "ziglang", "cc", "-fno-sanitize=undefined", "-g0"]
    raise BuildError(
        "no C compiler: install one (on Debian: apt-get install gcc libc6-dev), or the Python package ziglang, or"
        " name one in CC"
    )


def _system_compiler() -> list[str] | None:
    if named := os.environ.get("CC", "").strip():
        return shlex.split(named)
    for name in ("cc", "gcc", "clang"):
        if path := shutil.which(name):
            return [path]
    return None


def libraries() -> dict[Path, list[str]]:
    """Return what is to be made, and with which flags beside those for all."""
    made: dict[Path, list[str]] = {LIBRARY: []}
    if platform.machine().lower() in ("x86_64", "amd64"):
        made[LIBRARY_FOR_AVX2] = FLAGS_FOR_AVX2
    return made


def is_fresh() -> bool:
    """Tell whether the libraries were made from the sources as they are."""
    stamp = _STAMP + sources_digest().encode()
    try:
        return all(stamp in library.read_bytes() for library in libraries())
    except OSError:
        return False


def build(*, force: bool = False) -> bool:
    """Compile the libraries, all at a time, and tell whether there was anything to do. Raises BuildError."""
    if not force and is_fresh():
        return False
    wanted = libraries()
    with ThreadPoolExecutor(len(wanted)) as pool:
        list(pool.map(build_one, wanted, wanted.values()))
    return True


def build_one(output: Path, flags: list[str]) -> None:
    """Compile one library, whole or not at all. Raises BuildError.

    flags: further ones, behind ours.
    """
    command = compiler()
    # two runs at once must not write one file
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".core-") as folder:
        made = Path(folder) / output.name
        stamp = f'-DFA_SOURCES="{_STAMP.decode()}{sources_digest()}"'
        order = [*command, *FLAGS, stamp, *flags, "-o", str(made), *map(str, sources()), "-lm"]
        try:
            done = subprocess.run(order, capture_output=True, text=True, cwd=folder)
        except OSError as error:
            raise BuildError(
                f"the C compiler {command[0]} cannot be run: {error.strerror or error}"
            ) from error
        if done.returncode or not made.exists():
            said = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
            raise BuildError(
                f"{shlex.join(command)} could not compile the core: {said[0] if said else 'it said nothing'}"
            )
        if done.stderr.strip():
            sys.stderr.write(done.stderr)
        os.replace(made, output)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="indexer/core/build.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--force", action="store_true", help="compile also when nothing has changed")
    parser.add_argument(
        "--output", type=Path, help="make one library that every processor can run, and put it there"
    )
    parser.add_argument("--check", action="store_true", help="say whether there is a compiler (exit 1: none)")
    given = parser.parse_args()
    if given.check:
        sys.exit(0 if has_compiler() else 1)
    made = True
    try:
        if given.output:
            build_one(given.output, [])
        else:
            made = build(force=given.force)
    except BuildError as error:
        sys.exit(f"findingaid: {error}")
    for library in [given.output] if given.output else libraries():
        told = "built" if made else "as it was"
        sys.stdout.write(f"{library.name}: {library.stat().st_size:,} bytes, {told}\n")


if __name__ == "__main__":
    main()
