"""Ordinary records of WARC files, read in the core (record.h): one call a record."""

from __future__ import annotations

import ctypes
import struct
from typing import NamedTuple

from indexer.core.library import core

ODD, RESPONSE, REVISIT, ASIDE = range(4)  # enum fa_record_kind
_RECORD = struct.Struct("<26I14s2x")  # struct fa_record

core.fa_record_read.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
core.fa_record_read.restype = None


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

    def read(self, member: bytes, size: int | None = None) -> OrdinaryRecord | None:
        """Return what the record says that is all of an unpacked member, None when it is no ordinary one.

        size: of all the member, where only its start is given; then the body is what is there of it, up to a character.
        """
        core.fa_record_read(member, len(member), len(member) if size is None else size, self._room)
        found = OrdinaryRecord._make(_RECORD.unpack(self._room))
        return found if found.kind else None
