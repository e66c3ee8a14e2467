"""Arrays in a file without a name: what is worked out once, read from time to time, and larger than memory should hold.

The system drops what is not read for long and reads it again from the disk; the file is gone with the arrays, or with
the process.
"""

from __future__ import annotations

import errno
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


class _File:
    """A file without a name. bytes: what is in it, to be read."""

    def __init__(self, size: int) -> None:
        """Raises OSError where it cannot be had."""
        with tempfile.TemporaryFile(prefix="findingaid-") as file:
            # with all of its blocks: where the disk is full, it is known now
            os.posix_fallocate(file.fileno(), 0, size)
            self.bytes = np.frombuffer(
                mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ), dtype=np.uint8
            )
            self._handle = os.dup(file.fileno())
            self._writer = os.getpid()

    @property
    def is_ours(self) -> bool:
        """Whether this process made it: those that were split from each other write to files of their own."""
        return os.getpid() == self._writer

    def __del__(self) -> None:
        if hasattr(self, "_handle"):
            os.close(self._handle)

    def write(self, data: NDArray[np.uint8], offset: int) -> None:
        """Write bytes. Raises OSError."""
        # through memory each page would first be read in, which takes four times as long
        if os.pwrite(self._handle, data.data, offset) != len(data):
            raise OSError(errno.EIO, "a temporary file cannot be written to")


class ScratchRoom:
    """Room for some bytes: they are written at once, and stay as long as the room. address: where they lie then."""

    __slots__ = ("_bytes", "_file", "_offset", "address")

    def __init__(self, data: NDArray[np.uint8], file: _File | None = None, offset: int = 0) -> None:
        self._bytes, self._file, self._offset = data, file, offset
        self.address: int = data.__array_interface__["data"][0]

    def write(self, data: NDArray[np.uint8]) -> None:
        """Write the bytes, as many as there is room for. Raises OSError."""
        file, self._file = self._file, None
        if file is None:
            self._bytes[:] = data
        else:
            file.write(data, self._offset)


class ScratchRooms:
    """Room for what is written once, one behind the other in such files: in memory where there can be none.

    A file is gone when nothing that lies in it is used any more. Safe from many threads.
    """

    def __init__(self) -> None:
        self._file: _File | None = None
        self._used = 0
        self._lock = threading.Lock()

    def room(self, size: int) -> ScratchRoom:
        """Return room for some bytes, which begins at a multiple of 64."""
        whole = -(-size // _ALIGN) * _ALIGN
        with self._lock:
            if self._file is None or not self._file.is_ours or len(self._file.bytes) - self._used < whole:
                self._file, self._used = None, 0
                with suppress(OSError, ValueError, AttributeError):
                    self._file = _File(max(whole, _FILE))
            if self._file is None:
                return ScratchRoom(np.empty(size, dtype=np.uint8))
            offset, self._used = self._used, self._used + whole
            return ScratchRoom(self._file.bytes[offset : offset + size], self._file, offset)


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
