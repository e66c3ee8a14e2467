"""How much an archive may ask of us; used by the reader and by the HTTP decoder."""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30
MOST_BYTES = 1 << 62
"""Longer than any file: a length beyond it is taken for it, so that places and sums of them fit in 64 bits."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on memory and work for one file, record or page. Reading is streamed, so sound data of any size passes.

    header_bytes, header_fields: of one record or HTTP header. A record header
        that is longer is reported as damage; fields beyond the number are dropped.
        Large, because addresses that hold a whole picture ("data:") stand in headers.
    member_bytes, member_ratio: a compressed member is given up once it has
        unpacked to more than `member_bytes` AND by more than `member_ratio`
        times. Both, because a video of 5 GiB in one member is honest (it hardly
        packs), and a whole crawl packed as one member is too (about 5 times).
    lookahead_bytes: how much of a record is held in memory to check its length.
    body_bytes: of one decoded HTTP body; the rest is cut off.
    body_ratio, body_ratio_from: a body that unpacks by more than `body_ratio`
        times is cut, but never before `body_ratio_from` bytes.
    encodings: nested content codings that are undone.
    window_log: largest Zstandard window (2**n bytes) in archive files.
    body_window_log: the same for Content-Encoding: zstd (RFC 9659 allows 8 MB).
    dictionary_bytes: largest Zstandard dictionary.
    zip_entries, zip_directory_bytes: of the table of contents of one ZIP file.
    """

    header_bytes: int = MIB
    header_fields: int = 10_000
    member_bytes: int = GIB
    member_ratio: int = 200
    lookahead_bytes: int = MIB
    body_bytes: int = 64 * MIB
    body_ratio: int = 200
    body_ratio_from: int = MIB
    encodings: int = 2
    window_log: int = 27
    body_window_log: int = 23
    dictionary_bytes: int = 16 * MIB
    zip_entries: int = 100_000
    zip_directory_bytes: int = 32 * MIB


DEFAULT_LIMITS = Limits()
