"""Columns that lie in a file without a name while a segment is made, chunk behind chunk, instead of in memory.

The file is beside the segment (the folder for temporary files may itself be memory), has no name and is never synced:
nothing but the process that wrote it can see it, and it is gone with that process.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from indexer.store.errors import DiskFullError, is_disk_full


class SpillFile:
    """The file that some columns share; it is gone when nothing refers to it any more."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None  # made when there is something to write
        self._end = 0

    def append(self, chunk: NDArray[Any]) -> int:
        """Write a chunk and return at which byte it begins. Raises DiskFullError."""
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._folder or ".", buffering=0)  # noqa: SIM115
                weakref.finalize(self, self._file.close)
            data = np.ascontiguousarray(chunk).data.cast("B")
            written = 0
            while written < len(data):
                written += self._file.write(data[written:])
        except OSError as error:
            if is_disk_full(error):
                raise DiskFullError(
                    f"{self._folder}: no space left on the disk to merge segments; free some and run again"
                ) from error
            raise
        start = self._end
        self._end += len(data)
        return start

    def read(self, start: int, size: int) -> bytes:
        """Return some bytes of what was written."""
        assert self._file is not None
        parts = []
        while size:
            part = os.pread(self._file.fileno(), size, start)
            if not part:
                raise OSError(f"{self._folder}: a file of a merge is shorter than what was written to it")
            parts.append(part)
            start, size = start + len(part), size - len(part)
        return b"".join(parts)


class Spilled:
    """A column of numbers of one type as chunks: in a file, or in memory where there is none (for small segments).

    Each walk over it reads the chunks anew, one at a time.
    """

    def __init__(self, file: SpillFile | None, dtype: Any) -> None:
        self._file, self.dtype = file, np.dtype(dtype)
        self._held: list[NDArray[Any]] = []
        self._places: list[tuple[int, int]] = []  # first byte, rows

    def append(self, chunk: NDArray[Any]) -> None:
        """Add rows. Raises DiskFullError."""
        chunk = chunk.astype(self.dtype, copy=False)
        if self._file is None:
            self._held.append(chunk)
        elif len(chunk):
            self._places.append((self._file.append(chunk), len(chunk)))

    def __iter__(self) -> Iterator[NDArray[Any]]:
        yield from self._held
        for start, rows in self._places:
            assert self._file is not None
            yield np.frombuffer(self._file.read(start, rows * self.dtype.itemsize), dtype=self.dtype)
