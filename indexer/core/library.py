"""The compiled core, loaded: `core.fa_...` are its functions, with types declared in the modules that call them.

ctypes lets other threads run during every call. What is passed as an address has to live until the call is over.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

# Where build.py puts them; that is not imported here, since it takes longer than loading the library.
_ENDING = "dll" if sys.platform == "win32" else "so"
LIBRARY = os.path.join(os.path.dirname(__file__), f"core.{_ENDING}")
LIBRARY_FOR_AVX2 = os.path.join(os.path.dirname(__file__), f"core-avx2.{_ENDING}")
ABI = 17  # FA_ABI in core.h
OK, NO_MEMORY, TOO_LARGE, CORRUPT, TIME_UP = range(5)


class CoreMissingError(ImportError):
    """The compiled core is not there, or is not of this version of the program."""


_HOW = "make it with: python indexer/core/build.py (make and pip install do so by themselves)"


class Core(ctypes.CDLL):
    """A library; a function that it lacks says what to do."""

    def __init__(self, place: str) -> None:
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


def _of_this_processor() -> Core:
    """Return the library that is made for this processor, or the build of it that FINDINGAID_CORE names, for tests."""
    if place := os.environ.get("FINDINGAID_CORE"):
        return Core(place)
    for_all = Core(LIBRARY)
    return Core(LIBRARY_FOR_AVX2) if for_all.fa_has_avx2() and os.path.exists(LIBRARY_FOR_AVX2) else for_all


core = _of_this_processor()
