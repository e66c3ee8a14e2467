"""Bytes of an archive by their place: a file, a part of a file, or a deflated ZIP member.

`members.py` reads through these; they know nothing of records.
"""

from __future__ import annotations

import os
import stat
import zlib
from typing import Protocol

from .errors import UnreadableError
from .growing import final_name
from .limits import MOST_BYTES

BLOCK = 256 * 1024


class Source(Protocol):
    """Random access to bytes that may be a file that grows or shrinks while it is read."""

    def read_at(self, offset: int, count: int) -> memoryview:
        """Return up to `count` bytes from `offset` on; empty at or behind the end."""

    def size(self) -> int:
        """Return the size in bytes as far as it is known now."""

    def close(self) -> None:
        """Let go of the file."""


class FileSource:
    """A regular file on disk, read in blocks of 256 KiB, or as much as is said to be needed."""

    _fd = -1

    def __init__(self, path: str, *, block: int = BLOCK) -> None:
        self.path = path
        self._least = block
        self._fd = -1
        self._block = memoryview(b"")
        self._block_at = 0
        self._fd = -1  # until the file is open, for close()
        self._fd = _open_regular(path)

    def read_at(self, offset: int, count: int) -> memoryview:
        if offset >= MOST_BYTES:
            return memoryview(b"")
        start = offset - self._block_at
        if start >= 0 and start + count <= len(self._block):
            return self._block[start : start + count]
        self._block, self._block_at = memoryview(self.bytes_at(offset, max(count, self._least))), offset
        return self._block[:count]

    def bytes_at(self, offset: int, count: int) -> bytes:
        """Return up to `count` bytes from `offset` on, below MOST_BYTES, as they are read."""
        try:
            return os.pread(self._fd, count, offset)
        except OSError as error:
            raise UnreadableError(f"{self.path}: cannot read at byte {offset}: {error.strerror}") from error

    def size(self) -> int:
        return os.fstat(self._fd).st_size

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
            self._block = memoryview(b"")

    def __del__(self) -> None:
        self.close()


def _open_regular(path: str) -> int:
    """Return a file descriptor; a folder, pipe or device is refused and never waited for."""
    how = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        try:
            fd = os.open(path, how)
        except FileNotFoundError:
            if final_name(path) == path:
                raise
            fd = os.open(final_name(path), how)  # closed since its name was looked up
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or str(error)
        raise UnreadableError(f"{path!s}: cannot open: {problem}") from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise UnreadableError(f"{path}: is not a regular file; expected a WARC, ARC or WACZ file")
    return fd


class PartSource:
    """`length` bytes of another source from `start` on, such as a stored ZIP member."""

    def __init__(self, whole: Source, start: int, length: int) -> None:
        self._whole = whole
        self._start = start
        self._length = length

    def read_at(self, offset: int, count: int) -> memoryview:
        count = min(count, self._length - offset)
        return self._whole.read_at(self._start + offset, count) if count > 0 else memoryview(b"")

    def size(self) -> int:
        return max(0, min(self._length, self._whole.size() - self._start))

    def close(self) -> None:
        self._whole.close()


class InflateSource:
    """The bytes of a deflated ZIP member, unpacked as they are asked for.

    Going forward is cheap; going back behind the last half MiB starts anew.
    length, checksum: what the ZIP directory promises; what lies beyond is never unpacked.
    problem: why the bytes ended otherwise than promised; "" while they did not.
    """

    def __init__(self, packed: Source, length: int, checksum: int) -> None:
        self.problem = ""
        self._promised = checksum
        self._packed = packed
        self._length = length
        self._restart()

    def _restart(self) -> None:
        self._inflate = zlib.decompressobj(-15)
        self._packed_at = 0
        self._tail = b""
        self._block = b""
        self._block_at = 0
        self._ended = False
        self._checksum = 0

    def read_at(self, offset: int, count: int) -> memoryview:
        if offset < self._block_at:
            self._restart()
        while not self._ended and self._block_at + len(self._block) < offset + count:
            self._unpack()
        start = offset - self._block_at
        return memoryview(self._block)[start : start + count]

    def _unpack(self) -> None:
        packed: bytes | memoryview = self._tail
        if not packed:
            packed = self._packed.read_at(self._packed_at, BLOCK)
            self._packed_at += len(packed)
        try:
            data = self._inflate.decompress(packed, BLOCK)
        except zlib.error as error:
            data = b""
            self._ended = True
            self.problem = f"the deflated data is broken: {str(error).rpartition('data: ')[2]}"
        self._tail = self._inflate.unconsumed_tail
        if self._inflate.eof or (not packed and not data):
            self._ended = True
        left = self._length - self._block_at - len(self._block)
        if len(data) > left:
            self.problem = f"it unpacks to more than the {self._length} bytes that the ZIP file promises"
        if len(data) >= left:
            data = data[:left]
            self._ended = True
        elif self._ended and not self.problem:
            there = self._length - left + len(data)
            self.problem = f"it unpacks to {there} bytes, the ZIP file promises {self._length}"
        self._checksum = zlib.crc32(data, self._checksum)
        if self._ended and not self.problem and self._checksum != self._promised:
            self.problem = "it has a wrong checksum"
        drop = max(0, len(self._block) - 2 * BLOCK)
        self._block = self._block[drop:] + data
        self._block_at += drop

    def size(self) -> int:
        return self._block_at + len(self._block) if self._ended else self._length

    def close(self) -> None:
        self._packed.close()
