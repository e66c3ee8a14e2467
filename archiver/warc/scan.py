"""Going ahead in a stream in search of a record header, in constant memory. Used by `records.py`."""

from __future__ import annotations

from .header import LONGEST_SCAN, NEWLINES, find_header, starts_with_header
from .limits import KIB
from .members import MemberStream, PlainStream

PROBE = 64 * KIB
"""Line ends that are looked through behind a block for what follows."""


def stands_at_boundary(stream: MemberStream, dialect: str) -> bool:
    """Is there nothing but line ends before the next header or the end of the member?"""
    stream.ensure(PROBE)
    place = NEWLINES.match(stream.buffer, stream.pos).end()  # type: ignore[union-attr]
    return place == len(stream.buffer) or starts_with_header(stream.buffer, place, dialect)


def scan(
    stream: MemberStream, count: int, dialect: str, *, move: bool = False, to_the_end: bool = False
) -> int:
    """Return how far ahead, within `count` bytes (-1: to the end of the member), a header begins; else -1.

    Leaves the stream at the header with `move`, `count` bytes on with `to_the_end`, else somewhere.
    """
    if isinstance(stream, PlainStream) and not stream.read_to > stream.start:
        stream.next_member()
    passed = 0
    first = -1
    while True:
        have = stream.ensure(256 * KIB)
        left = have if count < 0 else min(have, count - passed)
        if first < 0:
            found = find_header(stream.buffer, stream.pos, stream.pos + left, dialect)
            if found >= 0:
                first = passed + found - stream.pos
                if move:
                    stream.pos = found
                if not to_the_end:
                    return first
        last = stream.ended or left < have
        step = left if last else max(1, min(left, have - LONGEST_SCAN))
        stream.pos += step
        passed += step
        if last or passed == count:
            return first
