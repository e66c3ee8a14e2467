"""Reads spoiled archives of all formats and checks all that must hold for any file.

    python -m tests.fuzz.reading --minutes 20 --seed 1
    python -m tests.fuzz.reading --seed 4711 --files 1          one file again
    python -m tests.fuzz.reading --archives FOLDER              spoils real archives as well

Nothing may crash or hang, memory stays bounded, each record comes out the same at its own place, records, damages and
padding make up the file, and the sums of the ledger agree: see `check`. A file that fails is kept in `--keep`.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from random import Random
from types import FrameType

from archiver.warc import DEFAULT_LIMITS, Limits
from tests.archiver.warc.spoiled_archives import check, make_file, make_large_file, spoil

MOST_CPU_S = 20  # for one file of some megabytes
MOST_MEMORY_MB = 600
LARGEST_REAL = 2_000_000


def main() -> int:
    """Run until the time is over; return 0 if all held, 1 if something did not."""
    arguments = _arguments()
    real = (
        [path for path in sorted(arguments.archives.glob("**/*")) if path.is_file()]
        if arguments.archives
        else []
    )
    real = [path for path in real if path.stat().st_size <= LARGEST_REAL]
    signal.signal(signal.SIGVTALRM, _give_up)
    end = time.monotonic() + arguments.minutes * 60
    seed, failures, records = arguments.seed, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "archive"
        while time.monotonic() < end and (not arguments.files or seed < arguments.seed + arguments.files):
            random = Random(seed)
            data = _data(random, real)
            path.write_bytes(data)
            try:
                signal.setitimer(signal.ITIMER_VIRTUAL, MOST_CPU_S)
                records += check(path, _limits(random))
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
                _check_memory()
            except Exception as error:  # whatever it is, it is what we look for
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
                failures += 1
                arguments.keep.mkdir(parents=True, exist_ok=True)
                (arguments.keep / f"{seed}.bin").write_bytes(data)
                where = traceback.extract_tb(error.__traceback__)[-1]
                print(
                    f"seed {seed}, {len(data)} bytes: {type(error).__name__}: {error} ({where.name})",
                    flush=True,
                )
            seed += 1
    print(f"{seed - arguments.seed:,} files, {records:,} records, {failures} failures, peak {_peak_mb()} MB")
    return 1 if failures else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz.reading", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--minutes", type=float, default=1.0, help="how long (default 1)")
    parser.add_argument(
        "--seed", type=int, default=1, help="of the first file; each further one has the next"
    )
    parser.add_argument("--files", type=int, default=0, help="stop after so many (0: when the time is over)")
    parser.add_argument(
        "--archives", type=Path, help="a folder of archives to be spoiled, besides generated ones"
    )
    parser.add_argument(
        "--keep", type=Path, default=Path("fuzz-failures"), help="where files that fail are kept"
    )
    return parser.parse_args()


def _data(random: Random, real: list[Path]) -> bytes:
    chance = random.random()
    if real and chance < 0.2:
        data = random.choice(real).read_bytes()
        for _ in range(random.randint(0, 4)):
            data = spoil(random, data)
        return data
    return make_large_file(random) if chance > 0.97 else make_file(random)


def _limits(random: Random) -> Limits:
    """Small limits half of the time, so that blocks longer than the look-ahead are common."""
    if random.random() < 0.5:
        return DEFAULT_LIMITS
    return Limits(
        lookahead_bytes=random.choice((10_000, 40_000)), header_bytes=random.choice((4096, 1 << 20))
    )


def _give_up(signal_number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"took more than {MOST_CPU_S} s of CPU")


def _peak_mb() -> int:
    """Return the most memory of this program; what getrusage tells begins with that of whoever started it."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def _check_memory() -> None:
    assert _peak_mb() <= MOST_MEMORY_MB, f"memory has grown to {_peak_mb()} MB"


if __name__ == "__main__":
    sys.exit(main())
