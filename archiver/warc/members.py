"""From the bytes of a file to the unpacked bytes of its compressed members, one after the other.

A *member* is what can be unpacked by itself: a gzip member, a Zstandard or LZ4
frame, a bzip2 stream; a file without compression counts as one member. Used by
`records.py`, which sees all formats through one interface:

    buffer[pos:]   unpacked bytes that nobody has taken yet
    inner          place of buffer[pos] in the unpacked member
    start, end     where the current member lies on disk (end: once `ended`)
    problem        why the member ended early; "" when it is sound
    astray         where the bytes begin that are no member; -1 while there are none

Memory stays at about one buffer, whatever a member unpacks to.
"""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .decoders import (
    DECODER_ERRORS,
    Decoder,
    Dictionary,
    GzipDecoder,
    ZlibDecoder,
    bzip2_decoder,
    lz4_decoder,
    zstd_decoder,
    zstd_dictionary,
)
from .header import LONGEST_SCAN, NEWLINES, find_header, starts_with_header
from .limits import MOST_BYTES, Limits
from .source import BLOCK, Source

STEP = 16 * 1024
"""Packed bytes for a decompressor at once; it copies back what it did not need, so more is slower."""

AT_ONCE = 64 * 1024
"""Packed bytes for who unpacks whole members, a dozen pages or more."""

WHOLE = 4
"""How many times as much as is looked ahead is unpacked at once: nearly all pages."""

RESCANS = 100
"""After so many broken members, the search for the next one no longer looks inside the broken ones.
Else a file made of overlapping broken members would be unpacked once for each of them."""

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18", re.DOTALL)
DICTIONARY_MAGIC = b"\x5d\x2a\x4d\x18"


class Fault(NamedTuple):
    """Bytes on disk that are no member and cannot be used."""

    offset: int
    length: int
    problem: str


Members = list[tuple[Any, bytes, int]]
ReadWhole = Callable[[memoryview, int], tuple[Members, bool]]
"""Reads records that are each alone in a gzip member.

It is given packed bytes, and how many a member may unpack to. It returns a list with what each of the first members
says, its unpacked bytes and how many packed ones they were; and whether the first goes on behind the packed bytes. The
list ends before a member that is not sound, too large, or of which nothing is made; if that is the first, and only
not understood, the list has it alone, with None.
"""


class MemberStream:
    """What the formats share: the buffer. It stands before the first member until `next_member` is called."""

    compression = "none"
    name = "record header"

    def __init__(self, source: Source, offset: int, limits: Limits) -> None:
        self.source = source
        self.limits = limits
        self.faults: list[Fault] = []
        self.stand_at(offset)

    def stand_at(self, offset: int) -> None:
        """Go on with the member that begins at `offset`, once `next_member` is called."""
        self.buffer = b""
        self.pos = self.base = 0
        self.start = self.end = self.read_to = offset
        self.ended = True
        self.problem = ""
        self.astray = -1
        self._before: list[tuple[int, int]] = []

    @property
    def inner(self) -> int:
        return self.base + self.pos

    def place(self) -> tuple[int, int]:
        """Return where on disk the member of buffer[pos] begins, and the place in it: an earlier one after a join."""
        start, inner = self.start, self.inner
        for before, size in reversed(self._before):
            if inner >= 0:
                break
            start, inner = before, inner + size
        return start, inner

    def ensure(self, count: int) -> int:
        """Hold at least `count` bytes in the buffer, fewer only if the member ends; return how many there are."""
        have = len(self.buffer) - self.pos
        if have >= count or self.ended:
            return have
        parts = [self.buffer[self.pos :]] if have else []
        while have < count and not self.ended:
            part = self._unpack(count - have)
            parts.append(part)
            have += len(part)
        self.base += self.pos
        self.pos = 0
        self.buffer = parts[0] if len(parts) == 1 else b"".join(parts)
        return have

    def take(self, count: int) -> bytes:
        """Return 1 to `count` of the next bytes; b"" at the end of the member."""
        if self.pos >= len(self.buffer) and not self.ensure(1):
            return b""
        data = self.buffer[self.pos : self.pos + count]
        self.pos += len(data)
        return data

    def skip(self, count: int) -> int:
        """Pass over up to `count` bytes of the member and return how many there were."""
        left = count
        while left > 0:
            have = len(self.buffer) - self.pos or self.ensure(1)
            if not have:
                break
            step = min(left, have)
            self.pos += step
            left -= step
        return count - left

    def next_member(self) -> bool:
        """Go to the next member; False when the file ends, or none follows at once: then `astray` says where."""
        raise NotImplementedError

    def first_bytes_behind(self) -> bytes:
        """Return how the next member begins, without going there; b"" if none follows at once."""
        return b""

    def join_next(self) -> None:
        """Append the next member to the buffer, since a record goes on in it; what is left has negative places then."""
        raise NotImplementedError

    def twin(self) -> MemberStream:
        """Return another stream that stands before the current member."""
        return type(self)(self.source, self.start, self.limits)

    def _unpack(self, wanted: int) -> bytes:
        """Return further bytes of the member, about as many as wanted; sets `ended` with or after the last ones."""
        raise NotImplementedError


class PlainStream(MemberStream):
    """A file without compression: one member, and `inner` is the place in the file."""

    def next_member(self) -> bool:
        if self.read_to > self.start or not self.source.read_at(self.start, 1):
            return False
        self.base = self.start
        self.ended = False
        return True

    def skip(self, count: int) -> int:
        have = len(self.buffer) - self.pos
        if count <= have:
            self.pos += count
            return count
        before = self.inner
        self.read_to = max(self.read_to, min(before + count, self.source.size()))
        self.base, self.buffer, self.pos = self.read_to, b"", 0
        return self.read_to - before

    def _unpack(self, wanted: int) -> bytes:
        data = bytes(self.source.read_at(self.read_to, max(wanted, BLOCK)))
        self.read_to += len(data)
        if not data:
            self.ended = True
            self.end = self.read_to
        return data


class PackedStream(MemberStream):
    """A file of compressed members; the subclasses name the format."""

    magic = b""

    def __init__(self, source: Source, offset: int, limits: Limits) -> None:
        super().__init__(source, offset, limits)
        self._fed_from = offset
        self._decoder: Decoder
        self._unpacked = 0
        self._failures = 0

    def next_member(self) -> bool:
        at = self.end
        while True:
            head = bytes(self.source.read_at(at, 8))
            if not head:
                return False
            if self.is_member(head):
                break
            if (behind := self._pass_skippable(head, at)) < 0:
                self.astray = at
                return False
            at = behind
        self.buffer, self.pos, self.base = b"", 0, 0
        self._before = []
        self._open(at)
        return True

    def whole_members(self, read: ReadWhole, until: int = sys.maxsize) -> Members:
        """Return what is made of the next members before `until` that are sound and not too large; stay before them."""
        most = WHOLE * self.limits.lookahead_bytes - 1
        for count in (AT_ONCE, most + STEP):
            packed = self.source.read_at(self.end, count)[: max(0, until - self.end)]
            members, is_cut = read(packed, most)
            if members or not is_cut or len(packed) < count:
                return members
        return []

    def open_whole(self, data: bytes, length: int) -> None:
        """Go to the next member, of which all is unpacked."""
        at = self.end
        self.stand_at(at)
        self.buffer = data
        self.read_to = self.end = at + length

    def _open(self, at: int) -> None:
        self.start = self.read_to = self._fed_from = at
        self.ended = False
        self.problem = ""
        self._unpacked = 0
        self._decoder = self._new_decoder()

    def is_member(self, head: bytes) -> bool:
        """Does a member begin with these bytes?"""
        return head.startswith(self.magic)

    def _pass_skippable(self, head: bytes, at: int) -> int:
        return -1

    def find_member(self, at: int, end: int = sys.maxsize) -> int:
        """Return where, from `at` on and before `end`, a member begins that holds the start of a record.

        Else the end of the file, or `end` where that comes first.
        """
        while at < end:
            block = bytes(self.source.read_at(at, min(BLOCK, end - at + len(self.magic) - 1)))
            if len(block) < len(self.magic):
                return min(end, at + len(block))
            place = block.find(self.magic)
            while place >= 0:
                data = self.trial(at + place)[0]
                if data and starts_with_header(data, NEWLINES.match(data).end()):  # type: ignore[union-attr]
                    return at + place
                place = block.find(self.magic, place + 1)
            at += len(block) - len(self.magic) + 1
        return end

    def trial(self, at: int) -> tuple[bytes, int]:
        """Return the first unpacked bytes of the member at `at`, and its end if they are all; b"" if it is none."""
        packed = bytes(self.source.read_at(at, STEP))
        if not self.is_member(packed[:8]):
            return b"", -1
        decoder = self._new_decoder()
        try:
            data = decoder.decompress(packed, STEP)
        except DECODER_ERRORS as error:
            return self._bytes_before_error(packed) if "checksum" in str(error) else b"", -1
        return data, at + len(packed) - len(decoder.unused_data or b"") if decoder.eof else -1

    def _bytes_before_error(self, packed: bytes) -> bytes:
        """A member with a wrong checksum is one all the same."""
        decoder = self._slow_decoder()
        saved = b""
        try:
            for place in range(len(packed)):
                saved += decoder.decompress(packed[place : place + 1], STEP)
                if len(saved) >= STEP:
                    break
        except DECODER_ERRORS:
            pass
        return saved

    def first_bytes_behind(self) -> bytes:
        at = self.end
        for _ in range(100):
            data, end = self.trial(at)
            if data or end < 0:
                return data
            at = end
        return b""

    def join_next(self) -> None:
        rest = self.buffer[self.pos :]
        size = self.base + len(self.buffer)
        self._before = [*(self._before if size < len(rest) else ()), (self.start, size)] if rest else []
        self._open(self.end)
        self.buffer, self.pos, self.base = rest, 0, -len(rest)

    def _new_decoder(self) -> Decoder:
        raise NotImplementedError

    def _unpack(self, wanted: int) -> bytes:
        decoder = self._decoder
        limit = min(max(wanted, 8 * STEP), self.limits.lookahead_bytes)
        packed: bytes | memoryview = b""
        at_end = False
        if decoder.needs_input:
            packed = self.source.read_at(self.read_to, STEP)
            self._fed_from = self.read_to
            self.read_to += len(packed)
            at_end = not packed
        try:
            data = decoder.decompress(packed, limit)
        except DECODER_ERRORS as error:
            return self._salvage(_plain_words(error))
        self._unpacked += len(data)
        if decoder.eof:
            self.ended = True
            self.end = self.read_to - len(decoder.unused_data or b"")
        elif at_end and not data:
            self._fail("the file ends in the middle of it")
        elif self._unpacked > self.limits.member_bytes:
            self._check_ratio()
        return data

    def _check_ratio(self) -> None:
        if self._unpacked > self.limits.member_ratio * (self.read_to - self.start):
            self._fail(
                f"it unpacks to more than {self._unpacked >> 20} MiB, over {self.limits.member_ratio} times its size"
            )

    def _fail(self, problem: str, end: int = 0) -> None:
        """End the member early; what stands before `problem` is kept. end: on disk, if that is known."""
        self.problem = f"broken {self.name}: {problem}"
        self.ended = True
        self._failures += 1
        self.end = end or self.find_member(self.start + 1 if self._failures < RESCANS else self._fed_from + 1)

    def _salvage(self, problem: str) -> bytes:
        """Return what can be unpacked before the error: the decoder forgets the output of the call that failed.

        So the member is unpacked again up to that call, then in ever smaller steps, the last of one byte.
        """
        decoder = self._slow_decoder()
        known = self._unpacked
        saved = bytearray()
        at, step = self.start, STEP
        member_end = 0
        while at < self.read_to and not decoder.eof:
            before = decoder.copy() if isinstance(decoder, ZlibDecoder) else None
            if before is None:  # it cannot be asked twice
                step = min(STEP, self._fed_from - at) if at < self._fed_from else 1
            packed = self.source.read_at(at, min(step, self.read_to - at))
            if not packed:
                break  # the file has become shorter meanwhile
            pieces: list[bytes] = []
            failure = ""  # not the error itself: with its frames it would hold the decoders until the next collection
            try:
                for piece in _all_of(decoder, packed):
                    pieces.append(piece)
            except DECODER_ERRORS as error:
                failure = _plain_words(error)
            if failure and before is not None and len(packed) > 1:
                decoder, step = before, len(packed) // 2
                continue
            at += len(packed)
            for piece in pieces:
                drop = min(known, len(piece))
                known -= drop
                saved += piece[drop:]
            if failure:
                problem = failure
                if "incorrect data check" in failure:  # zlib has read 4 of the 8 bytes behind the data
                    member_end = at + 4
                elif "incorrect length check" in failure:
                    member_end = at
                break
        self._unpacked += len(saved)
        if member_end:
            member_end = self._end_of_broken(member_end)
        self._fail("wrong checksum" if member_end else problem, member_end)
        return bytes(saved)

    def _end_of_broken(self, end: int) -> int:
        """Return where a member with a wrong checksum ends: spoiled data can lead the decoder into those behind.

        So an end that no member follows is believed only if no member begins before it.
        """
        behind = bytes(self.source.read_at(end, 8))
        if not behind or self.is_member(behind) or self._failures >= RESCANS:
            return end
        return self.find_member(self.start + 1, end)

    def _slow_decoder(self) -> Decoder:
        return self._new_decoder()


def _all_of(decoder: Decoder, packed: bytes | memoryview) -> Iterator[bytes]:
    """Yield all that a decoder makes of some input, in pieces of about STEP bytes."""
    while packed or not decoder.needs_input:
        yield decoder.decompress(packed, STEP)
        packed = b""
        if decoder.eof:
            return


class GzipStream(PackedStream):
    compression = "gzip"
    magic = b"\x1f\x8b\x08"
    name = "gzip member"

    def is_member(self, head: bytes) -> bool:
        return head.startswith(self.magic) and len(head) > 3 and not head[3] & 0xE0

    def _new_decoder(self) -> Decoder:
        return GzipDecoder()

    def _slow_decoder(self) -> Decoder:
        return ZlibDecoder()


class Bzip2Stream(PackedStream):
    compression = "bzip2"
    magic = b"BZh"
    name = "bzip2 stream"

    def is_member(self, head: bytes) -> bool:
        """A block or the end follows the magic number; else an address of the scheme "BZh9x:" would be one."""
        is_begun = head.startswith(self.magic) and head[3:4].isdigit()
        return is_begun and (b"1AY&".startswith(head[4:8]) or head[4:8] == b"\x17rE8")

    def _new_decoder(self) -> Decoder:
        return bzip2_decoder()


class _FrameStream(PackedStream):
    """Zstandard and LZ4 have frames that hold nothing to unpack, with the same magic numbers."""

    def _pass_skippable(self, head: bytes, at: int) -> int:
        if not SKIPPABLE.match(head) or len(head) < 8:
            return -1
        end: int = at + 8 + struct.unpack("<I", head[4:8])[0]
        return end if end <= self.source.size() else -1


class Lz4Stream(_FrameStream):
    compression = "lz4"
    magic = b"\x04\x22\x4d\x18"
    name = "LZ4 frame"

    def _new_decoder(self) -> Decoder:
        return lz4_decoder()


class ZstdStream(_FrameStream):
    """Zstandard frames, with the dictionary that may stand in a skippable frame at the start of the file."""

    compression = "zstd"
    magic = ZSTD_MAGIC
    name = "Zstandard frame"

    def __init__(self, source: Source, offset: int, limits: Limits) -> None:
        super().__init__(source, offset, limits)
        self._dictionary: Dictionary | None = None
        self._looked_for_dictionary = False

    def _load_dictionary(self) -> None:
        self._looked_for_dictionary = True
        head = bytes(self.source.read_at(0, 8))
        if len(head) < 8 or not head.startswith(DICTIONARY_MAGIC):
            return
        size: int = struct.unpack("<I", head[4:8])[0]
        frame = min(8 + size, self.source.size())
        if size > self.limits.dictionary_bytes:
            self.faults.append(
                Fault(0, frame, f"a Zstandard dictionary of {size} bytes is larger than allowed")
            )
            return
        raw = bytes(self.source.read_at(8, size))
        try:
            if raw.startswith(ZSTD_MAGIC):
                raw = zstd_decoder(self.limits.window_log).decompress(raw, self.limits.dictionary_bytes)
            self._dictionary = zstd_dictionary(raw)
        except DECODER_ERRORS as error:
            self.faults.append(Fault(0, frame, f"the Zstandard dictionary cannot be used: {error}"))

    def _new_decoder(self) -> Decoder:
        if not self._looked_for_dictionary:
            self._load_dictionary()
        return zstd_decoder(self.limits.window_log, self._dictionary)

    def twin(self) -> MemberStream:
        other = type(self)(self.source, self.start, self.limits)
        other._dictionary, other._looked_for_dictionary = self._dictionary, self._looked_for_dictionary
        return other


def _plain_words(error: Exception) -> str:
    """zlib puts a number and the same few words before what is wrong."""
    return str(error).rpartition("data: ")[2] or type(error).__name__


PACKED = (GzipStream, ZstdStream, Lz4Stream, Bzip2Stream)


class Streams:
    """The streams over one source, one for each format, and which of them goes on where."""

    def __init__(self, source: Source, limits: Limits) -> None:
        self.source = source
        self.plain = PlainStream(source, 0, limits)
        self._packed = [kind(source, 0, limits) for kind in PACKED]

    def first(self) -> MemberStream:
        """Return the stream that begins the file: of the format of its first bytes, else of its first record."""
        begun = self._begun_at(0)
        if begun and begun[1]:
            stream: MemberStream = begun[0]
        else:
            found = self.find(0, "", fresh=True, most=BLOCK)[0]
            stream = found or (begun[0] if begun else self.plain)
        stream.stand_at(0)
        return stream

    def at(self, offset: int) -> MemberStream:
        """Return the stream for a record or member that begins at `offset`."""
        begun = self._begun_at(offset)
        found = begun[0] if begun else self.plain
        found.stand_at(offset)
        return found

    def gzip_at(self, offset: int) -> MemberStream:
        """Return the stream of gzip members, whatever lies at `offset`."""
        stream = self._packed[0]
        stream.stand_at(offset)
        return stream

    def _begun_at(self, offset: int) -> tuple[PackedStream, bool] | None:
        """Return the stream whose member begins at `offset`, behind skippable frames, and if it can be unpacked."""
        at = offset
        for _ in range(1000):
            head = bytes(self.source.read_at(at, 8))
            for stream in self._packed:
                if stream.is_member(head):
                    data, end = stream.trial(at)
                    return stream, bool(data) or end >= 0
            if not SKIPPABLE.match(head) or len(head) < 8:
                return None
            at += 8 + struct.unpack("<I", head[4:8])[0]
        return None

    def find(
        self,
        at: int,
        dialect: str,
        *,
        fresh: bool = False,
        only: MemberStream | None = None,
        most: int = MOST_BYTES,
    ) -> tuple[MemberStream | None, int]:
        """Return the stream whose record comes first from `at` on, and where; (None, where the search ended) for none.

        fresh: a record without compression may begin at `at` itself, behind line ends, as well as a packed one.
        only: look for this format, no other. most: bytes to search, and some more.
        """
        end = at + most
        if fresh and only in (None, self.plain):
            block = bytes(self.source.read_at(at, BLOCK))
            if starts_with_header(block, NEWLINES.match(block).end()):  # type: ignore[union-attr]
                return self.plain, at
        while True:
            block = bytes(self.source.read_at(at, BLOCK))
            last = len(block) < BLOCK or at + BLOCK >= end
            searched = len(block) if last else len(block) - LONGEST_SCAN
            found: MemberStream | None = None
            first = at + searched
            if only in (None, self.plain) and (place := find_header(block, 1, searched, dialect)) >= 0:
                found, first = self.plain, at + place
            packed, place = self.find_packed(at, first, only=only)
            if packed:
                found, first = packed, place
            if found or last:
                return found, first
            at = first - 1  # the line end before an ARC header is a part of what is looked for

    def find_packed(
        self, at: int, end: int, *, only: MemberStream | None = None
    ) -> tuple[MemberStream | None, int]:
        """Return the stream of the first member from `at` on and before `end` that begins with a record, and where."""
        found: MemberStream | None = None
        for stream in self._packed:
            if only in (None, stream) and (place := stream.find_member(at, end)) < min(
                end, self.source.size()
            ):
                found, end = stream, place
        return found, end
