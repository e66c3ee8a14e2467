"""Compiles the core: a few C files that become one library beside them, loaded by `indexer.core.library`.

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
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
LIBRARY = FOLDER / ("core.dll" if sys.platform == "win32" else "core.so")
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


def is_fresh() -> bool:
    """Tell whether the library was made from the sources as they are."""
    try:
        return _STAMP + sources_digest().encode() in LIBRARY.read_bytes()
    except OSError:
        return False


def build(*, force: bool = False, flags: list[str] | None = None, output: Path = LIBRARY) -> bool:
    """Compile the library, whole or not at all, and tell whether there was anything to do. Raises BuildError.

    flags: further ones, behind ours.
    """
    if not force and output == LIBRARY and is_fresh():
        return False
    command = compiler()
    # two runs at once must not write one file
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".core-") as folder:
        made = Path(folder) / output.name
        stamp = f'-DFA_SOURCES="{_STAMP.decode()}{sources_digest()}"'
        order = [*command, *FLAGS, stamp, *(flags or []), "-o", str(made), *map(str, sources()), "-lm"]
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
    return True


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="indexer/core/build.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--force", action="store_true", help="compile also when nothing has changed")
    parser.add_argument(
        "--output", type=Path, default=LIBRARY, help="where to, instead of beside the sources"
    )
    parser.add_argument("--check", action="store_true", help="say whether there is a compiler (exit 1: none)")
    given = parser.parse_args()
    if given.check:
        sys.exit(0 if has_compiler() else 1)
    try:
        made = build(force=given.force, output=given.output)
    except BuildError as error:
        sys.exit(f"findingaid: {error}")
    sys.stdout.write(
        f"{given.output.name}: {given.output.stat().st_size:,} bytes, {'built' if made else 'as it was'}\n"
    )


if __name__ == "__main__":
    main()
