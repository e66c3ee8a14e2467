"""The compiled core, loaded: `core.fa_...` are its functions, with types declared in the modules that call them.

ctypes lets other threads run during every call. What is passed as an address has to live until the call is over.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

# Where build.py puts it; that is not imported here, since it takes longer than loading the library.
LIBRARY = os.path.join(os.path.dirname(__file__), "core.dll" if sys.platform == "win32" else "core.so")
ABI = 14  # FA_ABI in core.h
OK, NO_MEMORY, TOO_LARGE, CORRUPT, TIME_UP = range(5)


class CoreMissingError(ImportError):
    """The compiled core is not there, or is not of this version of the program."""


_HOW = "make it with: python indexer/core/build.py (make and pip install do so by themselves)"


class Core(ctypes.CDLL):
    """The library, or another build of it that the tests name; a function that it lacks says what to do."""

    def __init__(self) -> None:
        place = os.environ.get("FINDINGAID_CORE") or LIBRARY
        try:
            super().__init__(place)
        except OSError as error:
            raise CoreMissingError(
                f"{place}: the compiled core cannot be loaded ({error}); {_HOW}"
            ) from error
        self.fa_abi.restype = ctypes.c_uint32
        found = self.fa_abi()
        if found != ABI:
            raise CoreMissingError(
                f"{place}: the compiled core has interface {found}, expected {ABI}; {_HOW}"
            )

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError as error:
            if name.startswith("__"):
                raise
            raise CoreMissingError(
                f"{self._name}: the compiled core is older than the program, it lacks {name}; {_HOW}"
            ) from error


core = Core()
