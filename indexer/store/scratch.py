"""Arrays in a file without a name: what is worked out once, read from time to time, and larger than memory should hold.

The system drops what is not read for long and reads it again from the disk; the file is gone with the arrays, or with
the process.
"""

from __future__ import annotations

import mmap
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ALIGN = 64


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
