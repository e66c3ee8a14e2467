"""Starts Python again, for a worker of an index run or a crawl: with our code, and none from the folder we are in.

Left to itself, `python -c` and `python -m` look for modules in the current folder first, so that a `secrets.py` that
lies among somebody's archives would be run. Every child of ours is started here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

Started = subprocess.Popen[bytes]  # a process that was started here
OUR_CODE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def start_python(arguments: Sequence[str], *, cwd: str | None = None, **more: Any) -> Started:
    """Start a fresh interpreter and return its process.

    arguments: what comes behind `python` on the command line. cwd: the folder that it works in, ours by default.
    more: further arguments of subprocess.Popen, except for the environment.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(_places_of_modules(cwd or os.getcwd()))}
    command = [sys.executable, "-P", *arguments]  # -P: the current folder is not searched
    return subprocess.Popen(command, cwd=cwd, env=environment, **more)


def _places_of_modules(cwd: str) -> list[str]:
    """Return where the child finds modules: where we do, but in no folder that one of us works in, save our code's."""
    working = {os.path.realpath(folder) for folder in (os.getcwd(), cwd)} - {os.path.realpath(OUR_CODE)}
    searched = [os.path.abspath(place) for place in [*sys.path, OUR_CODE]]
    return [place for place in dict.fromkeys(searched) if os.path.realpath(place) not in working]
