"""Ordinary records of WARC files, unpacked and read in the core (record.h): many in one call."""

from __future__ import annotations

import ctypes
import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexer.core.library import core
from indexer.core.lists import Bytes, address_of

ODD, RESPONSE, REVISIT, ASIDE = range(4)  # enum fa_record_kind
_RECORD = struct.Struct("<26I14s2x")  # struct fa_record
_MEMBER = struct.Struct("<3Q26I14s2x")  # struct fa_member
AT_ONCE = 16  # members

core.fa_record_read.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
core.fa_record_read.restype = None
core.fa_members_read.argtypes = [
    Bytes,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.c_uint32,
    ctypes.POINTER(ctypes.c_uint32),
]
core.fa_members_read.restype = ctypes.c_uint32


class OrdinaryRecord(NamedTuple):
    """What an ordinary record says: numbers, and of each text where it begins in the member, and its bytes.

    version: 10 or 11; status: of the HTTP response, 0 without one; timestamp: 14 digits. Of an ASIDE only the type is
    of use. is_plain_page: whether the body is a page in UTF-8 as it stands.
    """

    kind: int
    version: int
    status: int
    type: int
    type_size: int
    url: int
    url_size: int
    payload: int
    payload_size: int
    refers_to: int
    refers_to_size: int
    content_type: int
    content_type_size: int
    http_type: int
    http_type_size: int
    http_language: int
    http_language_size: int
    transfer_coding: int
    transfer_coding_size: int
    content_coding: int
    content_coding_size: int
    no_sniffing: int
    no_sniffing_size: int
    body: int
    body_size: int
    is_plain_page: int
    timestamp: bytes


class RecordReader:
    """Reads one record after the other; used by one thread at a time."""

    def __init__(self) -> None:
        self._room = ctypes.create_string_buffer(_RECORD.size)
        self._at_once = AT_ONCE
        self._told = ctypes.create_string_buffer(self._at_once * _MEMBER.size)
        self._unpacked: NDArray[np.uint8] = np.empty(0, dtype=np.uint8)

    def read(self, member: bytes, size: int | None = None) -> OrdinaryRecord | None:
        """Return what the record says that is all of an unpacked member, None when it is no ordinary one.

        size: of all the member, where only its start is given; then the body is what is there of it, up to a character.
        """
        core.fa_record_read(member, len(member), len(member) if size is None else size, self._room)
        found = OrdinaryRecord._make(_RECORD.unpack(self._room))
        return found if found.kind else None

    def read_members(
        self, packed: memoryview, most: int
    ) -> tuple[list[tuple[OrdinaryRecord | None, bytes, int]], bool]:
        """Return what gzip members say that lie one behind the other, as `archiver.warc.records.ReadWhole` has it."""
        if len(self._unpacked) < most:
            self._unpacked = np.empty(most, dtype=np.uint8)
        given, is_cut = np.frombuffer(packed, dtype=np.uint8), ctypes.c_uint32()
        room = address_of(self._unpacked)
        count = core.fa_members_read(
            Bytes(address_of(given), len(given)), room, most, self._told, self._at_once, is_cut
        )
        unpacked = self._unpacked.data
        rows = list(_MEMBER.iter_unpack(memoryview(self._told)[: count * _MEMBER.size]))
        return [
            (
                OrdinaryRecord._make(row[3:]) if row[3] else None,
                bytes(unpacked[row[1] : row[1] + row[2]]),
                row[0],
            )
            for row in rows
        ], bool(is_cut.value)
