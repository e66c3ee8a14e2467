"""Each page of the catalogue carries a checksum of itself, so that a flipped bit in it is found before it is used.

SQLite leaves RESERVED bytes at the end of each page to us. Whoever writes the catalogue opens it through a VFS of
ours (SQLite's layer above the operating system; its reads and writes are in indexer/core/sealing.c), which puts the
checksum there, CRC-32 of what is before it and four zero bytes, when a page goes to the file; whoever
opens the catalogue reads the file once and holds each page against its own. No page needs another one for that, so it
does not matter what a writer does beside it, or where one was killed. To verify a page when SQLite reads it was tried,
too: in a server each such read waits for the other threads, and a search needs dozens.

Where Python's sqlite3 does not let its library be reached, the catalogue has no such bytes, and says so
(`checksums` in its value `format`).
"""

from __future__ import annotations

import ctypes
import os
import sqlite3
import struct
import time
from functools import cache
from typing import Any

from isal.isal_zlib import crc32  # of many pages; twice as fast as zlib's

from indexer.core.library import core
from indexer.store.errors import IndexCorruptError
from indexer.store.handles import reading

PAGE, RESERVED = 4096, 8
_SUMMED = PAGE - RESERVED
_SUM = struct.Struct("<II")
_ZEROS = bytes(PAGE)
_AT_ONCE = 64  # pages read at once: they stay in the cache of a processor until they are looked at
_TRIES = 50  # a page may be met while it is being written
_OK, _MAIN_DB = 0, 0x100  # of sqlite3.h
core.fa_pages_sound.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
core.fa_pages_sound.restype = ctypes.c_size_t
_HEADER = 100  # bytes of the file's header, which SQLite reads first


def has_checksums(path: str) -> bool:
    """Return whether the pages of a catalogue carry checksums. Raises OSError."""
    with reading(path) as handle:
        return os.pread(handle, _HEADER, 0)[20:21] == bytes([RESERVED])


def verify_pages(path: str) -> None:
    """Hold each page of a catalogue against its checksum. Raises IndexCorruptError, OSError."""
    buffer = bytearray(_AT_ONCE * PAGE)
    data = (ctypes.c_char * len(buffer)).from_buffer(buffer)
    with reading(path) as handle:
        place = 0
        while size := os.preadv(handle, [buffer], place):
            start = 0
            while (start := core.fa_pages_sound(data, size, start)) < size:  # hardly ever
                if (
                    not _is_sound(bytes(buffer[start : min(start + PAGE, size)]))
                    and (place + start) // PAGE + 1 not in _pages_in_journal(path)
                    and not _is_sound_later(handle, place + start)
                ):
                    raise IndexCorruptError(
                        f"{path}: the page at byte {place + start} does not fit its checksum;"
                        " index the archives again with --rebuild"
                    )
                start = min(start + PAGE, size)
            place += size


def _is_sound(page: bytes) -> bool:
    # a page that was never written is a hole: what SQLite lets go of before it reaches the disk
    return page[_SUMMED:] == _SUM.pack(crc32(page[:_SUMMED]), 0) or page == _ZEROS


def _pages_in_journal(path: str) -> set[int]:
    """Return the numbers of the pages that SQLite reads from the journal beside the file (its write-ahead log).

    What a loss of power tears while they go from there to the file is mended from there.
    """
    pages: set[int] = set()
    try:
        with open(path + "-wal", "rb") as journal:
            salts = journal.read(32)[16:24]
            while len(frame := journal.read(24)) == 24 and frame[8:16] == salts:
                pages.add(int.from_bytes(frame[:4], "big"))
                journal.seek(PAGE, os.SEEK_CUR)
    except FileNotFoundError:
        pass
    return pages


def _is_sound_later(handle: int, place: int) -> bool:
    for _ in range(_TRIES):
        time.sleep(0.002)
        page = os.pread(handle, PAGE, place)
        if not page or _is_sound(page):  # or the file was made shorter meanwhile
            return True
    return False


# ---- the VFS

_pointer = ctypes.c_void_p
_METHODS = (
    "xClose xRead xWrite xTruncate xSync xFileSize xLock xUnlock xCheckReservedLock xFileControl xSectorSize"
    " xDeviceCharacteristics xShmMap xShmLock xShmBarrier xShmUnmap xFetch xUnfetch"
)
_CALLS = (
    "xOpen xDelete xAccess xFullPathname xDlOpen xDlError xDlSym xDlClose xRandomness xSleep xCurrentTime xGetLastError"
    " xCurrentTimeInt64 xSetSystemCall xGetSystemCall xNextSystemCall"
)


class _IoMethods(ctypes.Structure):  # sqlite3_io_methods
    _fields_ = [("iVersion", ctypes.c_int), *((name, _pointer) for name in _METHODS.split())]


class _SealingMethods(_IoMethods):  # fa_sealing of sealing.h
    _fields_ = [("theirRead", _pointer), ("theirWrite", _pointer)]


class _File(ctypes.Structure):  # sqlite3_file
    _fields_ = [("pMethods", ctypes.POINTER(_IoMethods))]


class _Vfs(ctypes.Structure):  # sqlite3_vfs
    _fields_ = [
        ("iVersion", ctypes.c_int),
        ("szOsFile", ctypes.c_int),
        ("mxPathname", ctypes.c_int),
        ("pNext", _pointer),
        ("zName", ctypes.c_char_p),
        ("pAppData", _pointer),
        *((name, _pointer) for name in _CALLS.split()),
    ]


_Open = ctypes.CFUNCTYPE(
    ctypes.c_int, _pointer, _pointer, ctypes.POINTER(_File), ctypes.c_int, ctypes.POINTER(ctypes.c_int)
)

_kept: list[Any] = []  # what SQLite points to; never let go


@cache
def writing_vfs() -> str:
    """Return the name of the VFS through which a catalogue is written, "" where there can be none."""
    try:
        import _sqlite3

        library = ctypes.CDLL(_sqlite3.__file__)
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        library.sqlite3_libversion.restype = ctypes.c_char_p
        if library.sqlite3_libversion().decode() != sqlite3.sqlite_version:
            raise AttributeError("another SQLite than that of the module sqlite3")
        default = library.sqlite3_vfs_find(None)
        ours = _sealing(default)
        _kept.append(ours)
        if library.sqlite3_vfs_register(ctypes.byref(ours), 0) != _OK:
            raise AttributeError("a VFS cannot be registered")
    except (ImportError, OSError, AttributeError) as error:
        import logging  # here alone: a search has nothing to log, and importing it takes as long as opening an index

        logging.getLogger(__name__).info("catalogues are written without checksums of their pages: %s", error)
        return ""
    return "findingaid"


def _sealing(default: Any) -> _Vfs:
    """Return a VFS that is another one, but for the pages that it writes to a database."""
    ours = _Vfs.from_buffer_copy(default.contents)
    ours.zName, ours.pNext = b"findingaid", None
    open_file = _Open(default.contents.xOpen)
    known: dict[int, _SealingMethods] = {}

    def open_and_take(_vfs: int, name: int, file: Any, flags: int, flags_out: Any) -> int:
        status = int(open_file(ctypes.addressof(default.contents), name, file, flags, flags_out))
        if status == _OK and flags & _MAIN_DB and file.contents.pMethods:
            theirs = file.contents.pMethods.contents
            methods = known.get(ctypes.addressof(theirs))
            if methods is None:
                methods = known[ctypes.addressof(theirs)] = _sealing_methods(theirs)
            file.contents.pMethods = ctypes.cast(ctypes.byref(methods), ctypes.POINTER(_IoMethods))
        return status

    callback = _Open(open_and_take)
    _kept.append((callback, known))
    ours.xOpen = ctypes.cast(callback, _pointer)
    return ours


def _sealing_methods(theirs: _IoMethods) -> _SealingMethods:
    """Return the methods of an open database that seal the pages written."""
    methods = _SealingMethods()
    ctypes.memmove(ctypes.byref(methods), ctypes.byref(theirs), ctypes.sizeof(theirs))
    methods.iVersion = min(theirs.iVersion, 2)  # the third has reads past xRead
    methods.theirRead, methods.theirWrite = theirs.xRead, theirs.xWrite
    methods.xRead = ctypes.cast(core.fa_sealing_read, _pointer)
    methods.xWrite = ctypes.cast(core.fa_sealing_write, _pointer)
    return methods
