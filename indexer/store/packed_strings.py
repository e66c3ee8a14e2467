"""Many short strings in few bytes: packed by the hundreds, and unpacked so when one of them is asked for."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from indexer.store.errors import IndexCorruptError

IN_A_BLOCK = 256  # strings
_BEHIND = b"\xff"  # behind each string: a byte that UTF-8 never has
_LEVEL = 1  # of zlib: the higher ones take twice the time for a tenth of the bytes
_MOST = 1 << 28  # bytes that a block is unpacked to


def pack_strings(strings: Iterable[bytes]) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Return (ends, bytes) of blocks of IN_A_BLOCK strings in UTF-8, each block a zlib stream."""
    left = iter(strings)
    blocks: list[bytes] = []
    while block := list(islice(left, IN_A_BLOCK)):
        blocks.append(zlib.compress(_BEHIND.join((*block, b"")), _LEVEL))
    ends = np.cumsum(np.array([len(each) for each in blocks], dtype=np.int64)).astype(np.uint32)
    return ends, np.frombuffer(b"".join(blocks), dtype=np.uint8)


class PackedStrings:
    """What pack_strings gave, for reading; keeps the block that was read last."""

    def __init__(self, path: str, count: int, ends: NDArray[np.uint32], data: NDArray[np.uint8]) -> None:
        """path: of the file, for errors; count: of the strings. Raises IndexCorruptError."""
        self._path, self._count, self._ends, self._data = path, count, ends, data
        self._number, self._block = -1, list[bytes]()
        if len(ends) != -(-count // IN_A_BLOCK) or (int(ends[-1]) if len(ends) else 0) != len(data):
            raise self._broken()

    def __len__(self) -> int:
        return self._count

    def at(self, index: int) -> bytes:
        """Return one string in UTF-8. Raises IndexCorruptError."""
        number, place = divmod(index, IN_A_BLOCK)
        if number != self._number:
            self._block, self._number = self._unpacked(number), number
        return self._block[place]

    def some(self, indexes: Iterable[int]) -> list[bytes]:
        """Return some strings; each block is unpacked once if the indexes rise. Raises IndexCorruptError."""
        found = []
        for index in indexes:
            if index // IN_A_BLOCK != self._number:
                self.at(index)
            found.append(self._block[index % IN_A_BLOCK])
        return found

    def all(self) -> list[bytes]:
        """Return all strings in their order. Raises IndexCorruptError."""
        return [string for number in range(len(self._ends)) for string in self._unpacked(number)]

    def _unpacked(self, number: int) -> list[bytes]:
        start = int(self._ends[number - 1]) if number else 0
        unpacker = zlib.decompressobj()
        try:
            raw = unpacker.decompress(self._data[start : int(self._ends[number])].tobytes(), _MOST)
        except zlib.error as error:
            raise self._broken() from error
        if not unpacker.eof or raw.count(_BEHIND) != min(IN_A_BLOCK, self._count - number * IN_A_BLOCK):
            raise self._broken()
        return raw.split(_BEHIND)[:-1]

    def _broken(self) -> IndexCorruptError:
        return IndexCorruptError(
            f"{self._path}: {self._count} texts are not packed as they must be; index the archives again with --rebuild"
        )
