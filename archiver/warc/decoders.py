"""One interface over the decompressors of five libraries; used for archive members and for HTTP bodies.

Each decoder has, like those of the standard library:
    decompress(packed, limit)  at most about `limit` bytes of output; b"" to go on with input it still holds
    needs_input                it holds no input to go on with
    eof, unused_data           the end was reached; what was given behind it
"""

from __future__ import annotations

import bz2
import struct
import sys
import zlib
from typing import Any, Protocol, cast

import brotli
import lz4.frame
from isal import isal_zlib

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

DECODER_ERRORS: tuple[type[Exception], ...] = (
    cast(type[Exception], isal_zlib.error),
    zlib.error,
    zstd.ZstdError,
    brotli.error,
    struct.error,
    OSError,  # bz2
    EOFError,
    RuntimeError,  # lz4
    ValueError,
    MemoryError,
)
"""What the libraries raise on bytes they cannot read."""

Dictionary = zstd.ZstdDict


class Decoder(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, packed: bytes | memoryview, limit: int) -> bytes: ...


class GzipDecoder:
    """gzip by ISA-L, faster than zlib; does not tell a wrong checksum from wrong data.

    By zlib where the first input ends within the header: there ISA-L takes a header of several fields for data.
    """

    __slots__ = ("_inflate", "_tail", "eof", "needs_input", "unused_data")

    def __init__(self) -> None:
        self._inflate: Any = None
        self._tail = b""
        self.eof = False
        self.needs_input = True
        self.unused_data = b""

    def decompress(self, packed: bytes | memoryview, limit: int) -> bytes:
        inflate = self._inflate
        if inflate is None:
            library = isal_zlib if _holds_header(packed) else zlib
            inflate = self._inflate = library.decompressobj(31)
        data: bytes = inflate.decompress(packed or self._tail, limit)
        if inflate.eof:
            self.eof = True
            self.unused_data = inflate.unused_data
        else:
            self._tail = inflate.unconsumed_tail
            self.needs_input = not self._tail
        return data


def _holds_header(packed: bytes | memoryview) -> bool:
    """Tell whether a gzip header ends within the first bytes of a member (RFC 1952)."""
    checksum, extra, name, comment = 2, 4, 8, 16
    if len(packed) < 12:
        return False
    flags, end = packed[3], 10
    if flags & extra:
        end += 2 + packed[10] + (packed[11] << 8)
    for field in (name, comment):
        if flags & field:
            end = bytes(packed).find(0, end) + 1
            if not end:
                return False
    return end + (2 if flags & checksum else 0) <= len(packed)


class ZlibDecoder:
    """zlib: gzip (wbits 31), zlib (15) or raw deflate data (-15), slower and with every byte before an error."""

    def __init__(self, wbits: int = 31) -> None:
        self._inflate = zlib.decompressobj(wbits)
        self._tail = b""

    def copy(self) -> ZlibDecoder:
        """Return a decoder that goes on from here by itself."""
        other = ZlibDecoder.__new__(ZlibDecoder)
        other._inflate, other._tail = self._inflate.copy(), self._tail
        return other

    @property
    def eof(self) -> bool:
        return self._inflate.eof

    @property
    def needs_input(self) -> bool:
        return not self._tail

    @property
    def unused_data(self) -> bytes:
        return self._inflate.unused_data

    def decompress(self, packed: bytes | memoryview, limit: int) -> bytes:
        data = self._inflate.decompress(packed or self._tail, limit)
        self._tail = self._inflate.unconsumed_tail
        return data


class BrotliDecoder:
    """Brotli. Its library may return up to twice the limit, and does not say what lay behind the end."""

    unused_data = b""

    def __init__(self) -> None:
        self._brotli = brotli.Decompressor()

    @property
    def eof(self) -> bool:
        finished: bool = self._brotli.is_finished()
        return finished

    @property
    def needs_input(self) -> bool:
        wants: bool = self._brotli.can_accept_more_data()
        return wants

    def decompress(self, packed: bytes | memoryview, limit: int) -> bytes:
        data: bytes = self._brotli.process(bytes(packed), output_buffer_limit=limit)
        return data


def bzip2_decoder() -> Decoder:
    return bz2.BZ2Decompressor()


def lz4_decoder() -> Decoder:
    decoder: Decoder = lz4.frame.LZ4FrameDecompressor()
    return decoder


def zstd_decoder(window_log: int, dictionary: Dictionary | None = None) -> Decoder:
    """Return a decoder that refuses frames that need a window of more than 2**window_log bytes."""
    return zstd.ZstdDecompressor(dictionary, {zstd.DecompressionParameter.window_log_max: window_log})


def zstd_dictionary(raw: bytes) -> Dictionary:
    """Return a trained dictionary, or take any other bytes as content to refer to.

    Raises one of DECODER_ERRORS for what begins like a trained one and is damaged.
    """
    dictionary = zstd.ZstdDict(raw, is_raw=not raw.startswith(b"\x37\xa4\x30\xec"))
    zstd.ZstdDecompressor(dictionary)  # its tables are looked at here only
    return dictionary
