"""How several workers read one file of ordinary records: in turns, so that each byte is unpacked once.

Only who has read what stands before a record can be sure that it is one. So at any time one worker reads, and each goes
on where the one before has stopped; what they have read they work on at the same time, which takes ten times as long.
Whoever is free takes the next turn: none is left with more to do than the others.

The turns stand in a file, a row each, so that what a dead worker took can be read again. Who reads locks it.
"""

from __future__ import annotations

import fcntl
import os
import struct
import sys
from collections.abc import Callable

_ROW = struct.Struct("<3q")  # share, first byte, end
_TO_THE_END = -1


class Turns:
    """The turns of one share of a file."""

    def __init__(self, path: str, share: int, on_wait: Callable[[], bool] = lambda: False) -> None:
        """path: of the file with the turns; it need not be there.

        on_wait: called while another one reads; True when it had something to do, and is to be called again.
        """
        self._share, self._on_wait = share, on_wait
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        self._begin = self._old_end = 0
        self._place: int | None = None
        self._is_old = False
        self.is_mine = False
        # of a worker that died
        self._old = [(begin, end) for number, begin, end in self._rows() if number == share]

    def begin(self) -> int | None:
        """Wait for the next turn, and return the byte that it begins at; None when all is read."""
        self._is_old = bool(self._old)
        if self._is_old:
            self._begin, self._old_end = self._old.pop(0)
        else:
            while not self._took_turn():
                if not self._on_wait():
                    fcntl.flock(self._file, fcntl.LOCK_EX)
                    break
            self._begin = self._last_end()
            if self._begin == _TO_THE_END:
                fcntl.flock(self._file, fcntl.LOCK_UN)
                return None
        self.is_mine, self._place = True, None
        return self._begin

    @property
    def until(self) -> int:
        """Where the turn in hand ends if that is known, as it is of one that a dead worker took."""
        return self._old_end if self._is_old else sys.maxsize

    def reach(self, place: int | None) -> None:
        """Note where a record ended behind which another worker may go on; None where none may."""
        self._place = place
        if self._is_old and place == self._old_end:
            self.is_mine = False

    def leave(self) -> None:
        """Let others go on, if they may here."""
        if self.is_mine and not self._is_old and self._place is not None:
            self._finish(self._place)

    def end(self) -> None:
        """Note that the file is read to its end."""
        if self.is_mine and not self._is_old:
            self._finish(_TO_THE_END)
        self.is_mine = False

    def close(self) -> None:
        os.close(self._file)

    def _finish(self, end: int) -> None:
        os.pwrite(self._file, _ROW.pack(self._share, self._begin, end), self._size())
        fcntl.flock(self._file, fcntl.LOCK_UN)
        self.is_mine = False

    def _took_turn(self) -> bool:
        """Take the turn if nobody has it, and tell whether it is ours."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _rows(self) -> list[tuple[int, int, int]]:
        return list(_ROW.iter_unpack(os.pread(self._file, self._size(), 0)))

    def _last_end(self) -> int:
        """Return where the last turn ended, alone: a large file has thousands of them."""
        size = self._size()
        return _ROW.unpack(os.pread(self._file, _ROW.size, size - _ROW.size))[2] if size else 0

    def _size(self) -> int:
        """Return how many bytes the rows take; one may be cut off."""
        return os.fstat(self._file).st_size // _ROW.size * _ROW.size
