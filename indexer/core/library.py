"""The compiled core, loaded: `core.fa_...` are its functions, with types declared in the modules that call them.

ctypes lets other threads run during every call. What is passed as an address has to live until the call is over.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any

from indexer.core.build import LIBRARY

ABI = 1  # FA_ABI in core.h
OK, NO_MEMORY, TOO_LARGE, CORRUPT, TIME_UP = range(5)


class CoreMissingError(ImportError):
    """The compiled core is not there, or is not of this version of the program."""


def _loaded() -> ctypes.CDLL:
    how = "make it with: python indexer/core/build.py (make and pip install do so by themselves)"
    place = os.environ.get("FINDINGAID_CORE") or str(LIBRARY)  # the tests have another build to try
    try:
        library = ctypes.CDLL(place)
    except OSError as error:
        raise CoreMissingError(f"{place}: the compiled core cannot be loaded ({error}); {how}") from error
    try:
        library.fa_abi.restype = ctypes.c_uint32
        found = library.fa_abi()
    except AttributeError:
        found = 0
    if found != ABI:
        raise CoreMissingError(f"{place}: the compiled core has interface {found}, expected {ABI}; {how}")
    return library


core: Any = _loaded()
