"""What is said to the C library about memory; glibc listens, others know no such words, and nothing happens there."""

from __future__ import annotations

import contextlib
import ctypes
import mmap

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -2, -3, -8  # of mallopt, in glibc's malloc.h


def tune_memory(
    *, trim_threshold: int = 0, top_pad: int = 0, mmap_threshold: int = 0, arenas: int = 0
) -> None:
    """Set what is given, in bytes; arenas: how many pools the threads share. Call it before other threads start."""
    options = {
        _ARENA_MAX: arenas,
        _TRIM_THRESHOLD: trim_threshold,
        _TOP_PAD: top_pad,
        _MMAP_THRESHOLD: mmap_threshold,
    }
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        for option, value in options.items():
            if value:
                mallopt(option, value)


def give_memory_back() -> None:
    """Let the system have what is kept of freed memory, also what lies between small pieces that live longer.

    It takes some milliseconds, beside other threads.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def memory_in_hand() -> int:
    """Return how many bytes of memory this process has, those of mapped files included; 0 where nobody tells."""
    try:
        with open("/proc/self/statm", "rb") as told:
            return int(told.read().split()[1]) * mmap.PAGESIZE
    except OSError:
        return 0
