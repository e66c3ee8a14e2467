"""Where items of different length end that lie one behind the other: kept as their sizes, a byte each.

Most words have few pairs, and few bytes of lists: 255 stands for one of the numbers of four bytes that stand apart. At
each MARK-th item it is told what is before it, so that an item is found from the sizes of less than MARK others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indexer.store.arrayfile import ArrayFile
from indexer.store.errors import IndexCorruptError

MARK = 64
_GREAT = 255


def packed_ends(name: str, ends: NDArray[np.integer]) -> dict[str, NDArray[np.unsignedinteger]]:
    """Return the arrays that keep where items end: `name`_sizes, `name`_great and `name`_marks."""
    sizes = np.diff(ends.astype(np.int64), prepend=0)
    is_great = sizes >= _GREAT
    marked = np.arange(len(sizes) // MARK + 1) * MARK
    before = [np.append(0, np.cumsum(column, dtype=np.int64))[marked] for column in (sizes, is_great)]
    return {
        f"{name}_sizes": np.minimum(sizes, _GREAT).astype(np.uint8),
        f"{name}_great": sizes[is_great].astype(np.uint32),
        f"{name}_marks": np.stack(before, axis=1).astype(np.uint32),
    }


class Ends:
    """Reads what packed_ends made; each method raises IndexCorruptError."""

    def __init__(self, file: ArrayFile, name: str) -> None:
        self._path, self._name = file.path, name
        self._sizes, self._great = file.column(f"{name}_sizes"), file.column(f"{name}_great")
        self._marks = file.column(f"{name}_marks")
        if file.shape(f"{name}_marks") != (len(self._sizes) // MARK + 1, 2):
            raise self._damaged()

    def __len__(self) -> int:
        return len(self._sizes)

    def bounds(self, item: int) -> tuple[int, int]:
        """Return where one item begins and ends."""
        block = item // MARK
        sizes = self._sizes[block * MARK : item + 1].tobytes()
        if _GREAT in sizes:
            begins = self.between(item, item + 1).tolist()
            return begins[0], begins[1]
        start = int(self._marks[block][0]) + sum(sizes[:-1])
        return start, start + sizes[-1]

    def between(self, first: int, last: int) -> NDArray[np.int64]:
        """Return where the items `first` to `last` (exclusive) begin, and behind that where the last of them ends."""
        block = first // MARK
        before, great = self._marks[block].tolist()
        sizes = self._sizes[block * MARK : last].astype(np.int64)
        rows = np.flatnonzero(sizes == _GREAT)
        if great + len(rows) > len(self._great):
            raise self._damaged()
        if len(rows):
            sizes[rows] = self._great[great : great + len(rows)]
        begins: NDArray[np.int64] = np.append(0, np.cumsum(sizes))[first - block * MARK :] + before
        return begins

    def whole(self) -> NDArray[np.int64]:
        """Return where all items end."""
        return self.between(0, len(self))[1:]

    def _damaged(self) -> IndexCorruptError:
        return IndexCorruptError(
            f"{self._path}: the sizes of {self._name!r} do not fit each other; index the archives again with --rebuild"
        )
