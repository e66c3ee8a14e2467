"""Arrays in a file without a name: what is worked out once, read from time to time, and larger than memory should hold.

The system drops what is not read for long and reads it again from the disk; the file is gone with the arrays, or with
the process.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ALIGN = 64


_FILE = 4 << 20  # bytes of a file for rooms, or more for a larger one


class ScratchRooms:
    """Room for what is written once, one behind the other in such files: in memory where there can be none.

    A file is gone when nothing that lies in it is used any more. Safe from many threads.
    """

    def __init__(self) -> None:
        self._left: NDArray[np.uint8] = np.empty(0, dtype=np.uint8)
        self._lock = threading.Lock()

    def room(self, size: int) -> NDArray[np.uint8]:
        """Return room for some bytes, which begins at a multiple of 64."""
        whole = -(-size // _ALIGN) * _ALIGN
        with self._lock:
            if len(self._left) < whole:
                self._left = _new_file(max(whole, _FILE))
                if not len(self._left):
                    return np.empty(size, dtype=np.uint8)
            given, self._left = self._left[:size], self._left[whole:]
        return given


def _new_file(size: int) -> NDArray[np.uint8]:
    """Return the bytes of a new file, none where it cannot be had."""
    with suppress(OSError, ValueError, AttributeError), tempfile.TemporaryFile(prefix="findingaid-") as file:
        # with all of its blocks: where the disk is full, a page that is written to would end the process
        os.posix_fallocate(file.fileno(), 0, size)
        return np.frombuffer(mmap.mmap(file.fileno(), size), dtype=np.uint8)
    return np.empty(0, dtype=np.uint8)


def in_scratch_file(*arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Return the same arrays, read-only and mapped from a file in the system's folder for temporary files.

    They come back as they are where no such file can be written: no folder, no room.
    """
    offsets = []
    try:
        with tempfile.TemporaryFile(prefix="findingaid-") as file:
            for array in arrays:
                offsets.append(file.tell())
                file.write(np.ascontiguousarray(array).data)
                file.write(bytes(-file.tell() % _ALIGN or _ALIGN))  # no file is empty
            file.flush()
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return arrays
    return tuple(
        np.ndarray(array.shape, dtype=array.dtype, buffer=mapped, offset=offset)
        for array, offset in zip(arrays, offsets, strict=True)
    )
