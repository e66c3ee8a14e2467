"""Running the command line as a process of its own, as a user does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]


@dataclass(frozen=True)
class Run:
    """How a command ended: its exit code and what it wrote."""

    code: int
    out: str
    err: str


def command(*arguments: str | Path | int) -> list[str]:
    """Return the command line that runs this checkout, whether or not it is installed."""
    return [sys.executable, str(REPOSITORY / "app.py"), *map(str, arguments)]


def clean_environment(**variables: str) -> dict[str, str]:
    """Return the environment without the settings of whoever runs the tests, and with `variables`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FINDINGAID_")}
    return kept | {"NO_COLOR": "1"} | variables


def run_command(*arguments: str | Path | int, cwd: Path, **variables: str) -> Run:
    """Run a command to its end, at most two minutes."""
    environment = clean_environment(**variables)
    done = subprocess.run(command(*arguments), cwd=cwd, env=environment, capture_output=True, timeout=120)
    return Run(
        done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    )


def stop(process: subprocess.Popen[str], number: int = signal.SIGTERM) -> str:
    """End a process by a signal, by force if it does not listen, and return what it wrote to stderr."""
    process.send_signal(number)
    try:
        return process.communicate(timeout=20)[1] or ""
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
