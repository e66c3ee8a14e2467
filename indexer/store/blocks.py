"""No answer comes from bytes that were not verified: an array of a file is told sound block by block, at first use.

The file holds a CRC-32 for each block of each array (see arrayfile.py). What reads an array gets either all of it,
verified (`Blocks.whole`), or a `Column`, which verifies the blocks that it is asked for and then hands their items
out. What was verified once is remembered as long as the file is open.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy as np
from isal.isal_zlib import crc32  # six times as fast as zlib's
from numpy.typing import NDArray

from indexer.store.errors import IndexCorruptError

BLOCK = 1 << 14  # bytes: a query for a rare word needs some items here and there, each costs a block at first
SMALL = (
    1 << 18
)  # bytes: an array that is no longer is verified as a whole, which is sooner done than asked about


def blocks_of(nbytes: int) -> int:
    """Return how many blocks an array of some bytes has."""
    return -(-nbytes // BLOCK)


def checksums_of(chunks: Iterable[NDArray[Any]]) -> list[int]:
    """Return the CRC-32 of each block of an array that is given as chunks; none for an empty array."""
    sums: list[int] = []
    crc, room = 0, BLOCK
    for chunk in chunks:
        if not chunk.nbytes:
            continue
        data = np.ascontiguousarray(chunk).data.cast("B")
        while data:
            part, data = data[:room], data[room:]
            crc, room = crc32(part, crc), room - len(part)
            if not room:
                sums.append(crc)
                crc, room = 0, BLOCK
    if room < BLOCK:
        sums.append(crc)
    return sums


class Blocks:
    """The bytes of one array of a file with the checksums of their blocks. Safe from many threads."""

    def __init__(self, path: str, name: str, data: memoryview, checksums: NDArray[np.uint32]) -> None:
        self._path, self._name, self._data = path, name, data
        self._checksums = checksums
        self._is_sound = bytearray(len(checksums))
        self._verified = 0  # about as many, where threads meet

    def placed(self) -> tuple[int, int, int]:
        """Return where the checksums and the bytes that tell of verified blocks lie, and the size of a block.

        The core verifies blocks by itself and notes it there. All stays as long as this.
        """
        sound = (ctypes.c_char * len(self._is_sound)).from_buffer(self._is_sound)
        return int(self._checksums.__array_interface__["data"][0]), ctypes.addressof(sound), BLOCK

    def are_worth_it(self) -> bool:
        """Tell whether all blocks should be verified now: few are left, or few there are."""
        return len(self._data) <= SMALL or 2 * self._verified > len(self._is_sound)

    def are_sound(self, start: int, end: int) -> bool:
        """Tell whether the blocks of the bytes `start` to `end` (excluded, greater) have been verified."""
        return self._is_sound.find(0, start // BLOCK, (end - 1) // BLOCK + 1) < 0

    def require(self, start: int, end: int) -> None:
        """Verify the blocks of the bytes `start` to `end` (excluded). Raises IndexCorruptError."""
        last = blocks_of(end)
        block = self._is_sound.find(0, start // BLOCK, last) if end > start else -1
        while block >= 0:
            self._verify(block)
            block = self._is_sound.find(0, block + 1, last)

    def require_all(self) -> None:
        """Verify all blocks. Raises IndexCorruptError."""
        self.require(0, len(self._data))

    def require_at(self, places: NDArray[np.integer]) -> None:
        """Verify the blocks that hold the bytes at some places. Raises IndexCorruptError."""
        # bytes behind the array belong to no block: an item may reach over its end
        inside = np.minimum(places.ravel(), len(self._data) - 1)
        used = np.bincount(inside // BLOCK, minlength=len(self._is_sound))
        for block in np.flatnonzero(used).tolist():
            if not self._is_sound[block]:
                self._verify(block)

    def _verify(self, block: int) -> None:
        if crc32(self._data[block * BLOCK : (block + 1) * BLOCK]) != self._checksums[block]:
            raise IndexCorruptError(
                f"{self._path}: the bytes of {self._name!r} do not fit their checksum;"
                " index the archives again with --rebuild"
            )
        self._is_sound[block] = 1
        self._verified += 1


class Column:
    """An array of numbers in a file that is read here and there; what is handed out was verified before.

    It is read like an array of numpy: by number, range or an array of numbers that are not negative. As a whole
    (`whole`, or where numpy makes an array of it) all of it is verified.
    """

    def __init__(self, array: NDArray[Any], blocks: Blocks) -> None:
        """array: the items where they lie in the file; one may begin at each byte and reach over the next ones."""
        self._array, self._blocks = array, blocks
        # a row of several numbers does not reach over the next ones
        self._step, self._reach = array.strides[0], max(0, array.itemsize - array.strides[0])
        self._is_sound = False

    def __len__(self) -> int:
        return len(self._array)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._array.dtype

    def __getitem__(self, key: Any) -> Any:
        if not self._is_sound:
            self._require(key)
        return self._array[key]

    def take(self, rows: NDArray[np.integer]) -> NDArray[Any]:
        """Return the items at some places, in their order."""
        if not self._is_sound:
            self._require(rows)
        taken: NDArray[Any] = self._array.take(rows)
        return taken

    def searchsorted(self, values: Any, side: Any = "left") -> Any:
        """Return where numpy's searchsorted places values in a rising column.

        Only the items beside these places are verified: in a column that rises they prove that the places are right.
        """
        at = self._array.searchsorted(values, side)
        if not self._is_sound and len(self._array):
            place = np.asarray(at)
            before, behind = np.maximum(place - 1, 0), np.minimum(place, len(self._array) - 1)
            low, high, wanted = self[before.ravel()], self[behind.ravel()], np.asarray(values).ravel()
            is_first, is_last = place.ravel() == 0, place.ravel() == len(self._array)
            proved = (
                (is_first | (low < wanted)) & (is_last | (high >= wanted))
                if side == "left"
                else (is_first | (low <= wanted)) & (is_last | (high > wanted))
            )
            if not proved.all():
                return self.whole().searchsorted(values, side)
        return at

    def whole(self) -> NDArray[Any]:
        """Return all items as an array, verified."""
        if not self._is_sound:
            self._blocks.require_all()
            self._is_sound = True
        return self._array

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.asarray(self.whole(), dtype=dtype)

    def _require(self, key: Any) -> None:
        blocks = self._blocks
        if blocks.are_worth_it():
            self.whole()
        elif isinstance(key, slice):
            start, end, step = key.indices(len(self._array))
            if step != 1:
                raise ValueError("a column is read by ranges of step 1")
            blocks.require(start * self._step, end * self._step + self._reach)
        elif isinstance(key, np.ndarray) and key.dtype != bool:
            if not key.size:
                return
            low, high = int(key.min()), int(key.max())
            if low < 0:
                raise ValueError("a column has no negative rows")
            if not blocks.are_sound(low * self._step, high * self._step + self._array.itemsize):
                first = key.astype(np.int64) * self._step
                blocks.require_at(first)
                if self._reach:
                    blocks.require_at(first + self._reach)
        elif isinstance(key, int | np.integer):
            number = int(key)
            first_byte = (number + len(self._array) if number < 0 else number) * self._step
            blocks.require(first_byte, first_byte + self._array.itemsize)
        else:
            blocks.require_all()


Values = NDArray[Any] | Column
