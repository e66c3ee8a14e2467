"""Gzip members that lie in memory as a whole, unpacked by the core (inflate.h): one call a member."""

from __future__ import annotations

import ctypes

from isal import isal_zlib

from indexer.core.library import core
from indexer.core.tokens import Bytes

_SLACK = 512  # FA_UNPACK_SLACK


class _Unpacked(ctypes.Structure):
    """struct fa_unpacked."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("used", ctypes.c_size_t),
        ("checksum", ctypes.c_uint32),
        ("told_size", ctypes.c_uint32),
    ]


core.fa_unpack.argtypes = [Bytes, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(_Unpacked)]


class Unpacker:
    """Unpacks one member after the other; used by one thread at a time."""

    def __init__(self, most: int) -> None:
        """most: bytes that a member may unpack to."""
        self._room = ctypes.create_string_buffer(most + _SLACK)
        self._size = most + _SLACK
        self._unpacked = _Unpacked()
        self._place = ctypes.addressof(self._room)

    def unpack(self, packed: bytes) -> tuple[bytes, int] | None:
        """Return what the member unpacks to that the bytes begin with, and how many of them it has.

        None when it is not sound, does not end within the bytes, or unpacks to more than `most`.
        """
        told = self._unpacked
        if core.fa_unpack(Bytes(packed, len(packed)), self._place, self._size, told):
            return None
        data = ctypes.string_at(self._place, told.size)
        if told.size != told.told_size or isal_zlib.crc32(data) != told.checksum:
            return None
        return data, told.used
