"""Records out of the unpacked bytes of one archive: where each begins, and where its block ends.

Content-Length is believed when the bytes behind the block look like the end of
a record: the end of the member, or line ends and the next header. Else the next
record must not be swallowed: a header inside the block ends it there; without
one the length stands, and what follows up to the next header is damage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .errors import ArchiveError
from .header import (
    HEAD_END,
    KNOWN_START,
    LONGEST_SCAN,
    NEWLINES,
    WARC_START,
    Head,
    breaks_off,
    find_header,
    parse_header,
    starts_with_header,
)
from .limits import KIB, Limits
from .members import MemberStream, PlainStream, find_format
from .record import Damage, Headers, Location, Record
from .scan import PROBE, scan, stands_at_boundary
from .source import WindowSource

HTTP_START = re.compile(rb"\s{0,16}HTTP\S{0,20}[ \t]+\d", re.IGNORECASE)
ARC_VERSION = re.compile(rb"([12]) (\d)[ \r\n]")
TRAILING_NEWLINES = re.compile(rb"[\r\n]+\Z")
MOST_SCOUTS = 20
NO_HEADER = "no record header where one was expected"
TOO_SHORT = "Content-Length does not reach the end of the record"
BREAKS_OFF = "a record header that breaks off where the next one begins"
OTHERWISE = (NO_HEADER, TOO_SHORT, BREAKS_OFF)
"""Bytes passed over in a plain file that may be records of a packed one."""

SMALLEST = 20
"""Bytes that hold a record at the least, packed or not."""


class RecordStream:
    """Iterator over the records and damages of one archive, in file order.

    member: name of the archive inside a ZIP file, for locations and damages.
    format: version of the first record, "" before it.
    shared: some member held more than one record.
    within_another: the records lie where another stream found none of its own.
    """

    def __init__(self, stream: MemberStream, path: str, member: str, limits: Limits) -> None:
        self.stream = stream
        self.path = path
        self.member = member
        self.limits = limits
        self.format = ""
        self.dialect = ""
        self.shared = False
        self.records = 0
        self.plain = isinstance(stream, PlainStream)
        self.owns_source = False
        self.within_another = False
        self._arc_version = ""
        self._current: Record | None = None
        self._left = 0
        self._taken = 0
        self._start = self._start_inner = self._end = 0
        self._known_ends: dict[int, int] = {}
        self._damages: list[Damage] = []
        self._records_in_member = 0
        self._scout: MemberStream | None = None
        self._scouts = 0

    # ---------------------------------------------------------------- going through the archive

    def __iter__(self) -> Iterator[Record | Damage]:
        stream = self.stream
        while True:
            if self._current is not None:
                self._finish_record()
            if self._damages or stream.gaps:
                yield from self._take_damages()
            self._skip_newlines()
            if not stream.ensure(1):
                self._leave_member()
                if self._damages or stream.gaps:
                    yield from self._take_damages()
                if not stream.next_member():
                    yield from self._take_damages()
                    return
                self._records_in_member = 0
                continue
            record = self.read_header()
            if record is not None:
                yield record
            elif not self._damages:
                self._pass_garbage()

    @property
    def compression(self) -> str:
        name = self.stream.compression
        if self.shared and not self.plain:
            name += {"gzip": " as one member", "bzip2": " as one stream"}.get(name, " as one frame")
        return name

    def read_header(self, after_newlines: bool = False) -> Record | None:
        """Return the record that begins at the next byte; None if none does."""
        stream = self.stream
        if after_newlines:
            self._skip_newlines()
        self._start, self._start_inner = stream.start, stream.inner
        self._end = -1
        self._joined = False
        have = stream.ensure(KIB)
        if not HEAD_END.search(stream.buffer, stream.pos):
            if stream.ended and not self.plain:
                have = self._complete_header(have)
            if WARC_START.match(stream.buffer, stream.pos):
                self._hold_long_header()
            elif have < LONGEST_SCAN:
                stream.ensure(LONGEST_SCAN)
        if not starts_with_header(stream.buffer, stream.pos, self.dialect):
            return None
        if WARC_START.match(stream.buffer, stream.pos):
            again = breaks_off(stream.buffer, stream.pos, self.plain)
            if again >= 0:
                begin, stream.pos = stream.inner, again
                self._report_passed(begin, BREAKS_OFF, more=True)
                return None
        head = parse_header(stream.buffer, stream.pos, self.limits)
        if head is None:
            self._pass_long_header()
            return None
        return self._begin(head)

    def _hold_long_header(self) -> None:
        """Hold the whole header in the buffer, as far as it may go; in steps, since most are short."""
        stream = self.stream
        for count in (16 * KIB, 64 * KIB, self.limits.header_bytes):
            stream.ensure(min(count, self.limits.header_bytes))
            if HEAD_END.search(stream.buffer, stream.pos):
                return

    def _complete_header(self, have: int) -> int:
        """Some writers cut their output into members without regard to records, even within a header."""
        stream = self.stream
        while (
            stream.ended
            and have < self.limits.header_bytes
            and not HEAD_END.search(stream.buffer, stream.pos)
        ):
            start = stream.buffer[stream.pos : stream.pos + 5].upper()
            if not (
                b"WARC/".startswith(start)
                if self.dialect != "ARC"
                else b"\n" not in stream.buffer[stream.pos :]
            ):
                break
            if not self._go_on_in_next_member("WARC" if start == b"WARC/" else self.dialect):
                break
            have = stream.ensure(KIB)
        return have

    def _begin(self, head: Head) -> Record:
        stream = self.stream
        raw_header = bytes(stream.buffer[stream.pos : stream.pos + head.size])
        stream.pos += head.size
        self._taken = 0
        self.dialect = head.dialect
        self._left = self._settle_length(head.length)
        self.records += 1
        self._records_in_member += 1
        if self._records_in_member > 1:
            self.shared = True
        type_name = head.type_name
        if head.dialect == "ARC":
            type_name = self._arc_type(head)
        if not self.format:
            self.format = head.version
        record = Record(
            self,
            type_name,
            head.version,
            head.url,
            head.date,
            Headers(head.fields),
            head.content_type.partition(";")[0].strip().lower(),
            head.length,
            head.truncated,
            raw_header,
        )
        self._current = record
        if self._cut:
            record.truncated = "file"
        return record

    # What is known of the current record's length: cut by the end of the file, goes on in another member,
    # followed by bytes that belong to nothing.
    _cut = False
    _joined = False
    _ragged = False
    _length_problem = ""

    def _arc_type(self, head: Head) -> str:
        start = self.peek_block(None, 128)
        if head.type_name:
            found = ARC_VERSION.match(start)
            if found:
                self._arc_version = f"ARC/{found[1].decode()}.{found[2].decode()}"
            head.version = self._arc_version or head.version
            return head.type_name
        head.version = self._arc_version or head.version
        return "response" if HTTP_START.match(start) else "resource"

    # ---------------------------------------------------------------- how long a block is

    def _settle_length(self, claimed: int) -> int:
        """Return how many bytes the block has, as judged from what stands at its end. Sets `_cut`.

        Blocks that are longer than the look-ahead are judged by reading ahead in
        the file where that is cheap, and else believed.
        """
        stream = self.stream
        self._cut = self._ragged = False
        self._length_problem = ""
        if claimed < 0:
            return self._unclaimed_length()
        window = self.limits.lookahead_bytes
        if claimed > window and (self.plain or stream.ensure(window) >= window):
            return self._settle_long(claimed)
        have = stream.ensure(claimed + 4)
        while have < claimed and self._go_on_in_next_member():
            have = stream.ensure(claimed + 4)
        if have >= claimed and self._is_boundary(claimed):
            return claimed
        stream.ensure(claimed + LONGEST_SCAN)
        inside = find_header(stream.buffer, stream.pos, stream.pos + claimed, self.dialect)
        if inside >= 0:
            return self._shorten(claimed, inside - stream.pos)
        if have < claimed:
            self._cut_short(claimed, have)
            return have
        self._ragged = self.plain and stream.buffer[stream.pos + claimed] not in b"\r\n"
        return claimed

    def _unclaimed_length(self) -> int:
        stream = self.stream
        have = stream.ensure(self.limits.lookahead_bytes)
        inside = find_header(stream.buffer, stream.pos, len(stream.buffer), self.dialect)
        end = inside if inside >= 0 else len(stream.buffer)
        trailing = TRAILING_NEWLINES.search(stream.buffer, max(stream.pos, end - KIB), end)
        if trailing and (inside >= 0 or stream.ended):
            end = trailing.start()
        return min(have, end - stream.pos)

    def _settle_long(self, claimed: int) -> int:
        """The same for a block longer than the look-ahead: go to its end with a second stream, in constant memory.

        In a packed file that is done only where records share a member: elsewhere
        the end of the member is the end of the record.
        """
        stream = self.stream
        begin = stream.inner
        if self.plain:
            size = stream.source.size()
            ahead: MemberStream = PlainStream(stream.source, begin, self.limits)
            if begin + claimed > size:
                inside = scan(ahead, size - begin, self.dialect)
                if inside < 0:
                    self._cut_short(claimed, size - begin)
                    return size - begin
                return self._shorten(claimed, inside)
            ahead.next_member()
            ahead.skip(claimed)
            if stands_at_boundary(ahead, self.dialect):
                return claimed
            inside = scan(PlainStream(stream.source, begin, self.limits), claimed, self.dialect)
            if inside >= 0:
                return self._shorten(claimed, inside)
            self._ragged = True
            return claimed
        if not self._records_in_member:
            return claimed
        scout = self._scout_at(begin)
        if scout is None:
            return claimed
        inside = scan(scout, claimed, self.dialect, to_the_end=True)
        if inside < 0 or (scout.inner - begin == claimed and stands_at_boundary(scout, self.dialect)):
            return claimed
        return self._shorten(claimed, inside)

    def _scout_at(self, inner: int) -> MemberStream | None:
        """Return a second stream at a place of the current member. It only goes on, so it costs one more
        unpacking in all; where wrong lengths make it start again, it does so a few times and then no more."""
        scout = self._scout
        if scout is None or scout.start != self.stream.start or scout.inner > inner:
            if self._scouts == MOST_SCOUTS:
                return None
            self._scouts += 1
            scout = self._scout = self.stream.twin()
            if not scout.next_member():
                return None
        scout.skip(inner - scout.inner)
        return scout

    def _is_boundary(self, length: int) -> bool:
        """Does a record end `length` bytes on? Then there is nothing but line ends before a header or the end."""
        stream = self.stream
        while True:
            place = NEWLINES.match(stream.buffer, stream.pos + length).end()  # type: ignore[union-attr]
            if stream.ended or place - stream.pos - length > PROBE:
                break
            behind = len(stream.buffer) - place
            if behind >= 10 * KIB or (behind >= 8 and b"\n" in stream.buffer[place:]):
                break
            stream.ensure(len(stream.buffer) - stream.pos + 10 * KIB)
        if place >= len(stream.buffer):
            return True
        if place == stream.pos + length and self.dialect == "ARC" and self._cuts_a_line(place):
            return False
        return starts_with_header(stream.buffer, place, self.dialect)

    def _cuts_a_line(self, place: int) -> bool:
        """Is `place` inside of an ARC header line? A length that is a little too large leads there."""
        buffer = self.stream.buffer
        if KNOWN_START.match(buffer, place):
            return False
        if buffer[place - 1 : place].isalnum():
            return True
        begin = buffer.rfind(b"\n", max(self.stream.pos, place - KIB), place) + 1
        return 0 < begin < place and find_header(buffer, begin - 1, begin + 1, "ARC") >= 0

    def _shorten(self, claimed: int, length: int) -> int:
        """The next header stands `length` bytes on, inside of the claimed block."""
        self._length_problem = f"Content-Length says {claimed} bytes, the next record begins after {length}"
        stream = self.stream
        if length <= len(stream.buffer) - stream.pos:
            end = stream.pos + length
            trailing = TRAILING_NEWLINES.search(stream.buffer, max(stream.pos, end - 4), end)
            if trailing:
                return trailing.start() - stream.pos
        return length

    def _cut_short(self, claimed: int, have: int) -> None:
        self._cut = True
        end = "the file" if self.stream.problem or self.plain else "the member"
        self._length_problem = f"Content-Length says {claimed} bytes, {end} ends after {have}"

    def _go_on_in_next_member(self, dialect: str = "") -> bool:
        """The member ended inside a header or block: if the next one begins no record, it goes on there.

        dialect: of the record, where `self.dialect` does not tell it yet.
        """
        stream = self.stream
        if self.plain or stream.problem:
            return False
        start = stream.first_bytes_behind()
        if not start or starts_with_header(start, NEWLINES.match(start).end(), dialect or self.dialect):  # type: ignore[union-attr]
            return False
        if not self._joined:
            self._end = stream.end
            self._joined = True
        stream.join_next()
        self._records_in_member = 0
        return True

    # ---------------------------------------------------------------- the block of the current record

    def read_block(self, record: Record, limit: int) -> bytes:
        if record is not self._current:
            raise ArchiveError(
                f"{self.path}: the reader has moved on from this record; read it before the next one"
            )
        if limit < 0 or limit > self._left:
            limit = self._left
        parts = []
        while limit > 0:
            part = self._take(limit)
            if not part:
                break
            parts.append(part)
            limit -= len(part)
        if len(parts) == 1:
            return parts[0]
        return b"".join(parts)

    def _take(self, count: int) -> bytes:
        stream = self.stream
        part = stream.take(count)
        while not part:
            if not self._go_on_in_next_member():
                self._note_cut()
                return b""
            part = stream.take(count)
        self._left -= len(part)
        self._taken += len(part)
        return part

    def _note_cut(self) -> None:
        self._cut_short(self._taken + self._left, self._taken)
        if self._current is not None:
            self._current.truncated = "file"
        self._left = 0

    def peek_block(self, record: Record | None, count: int) -> bytes:
        if record is not None and record is not self._current:
            raise ArchiveError(
                f"{self.path}: the reader has moved on from this record; read it before the next one"
            )
        count = min(count, self._left)
        stream = self.stream
        while stream.ensure(count) < count and self._go_on_in_next_member():
            pass
        return stream.buffer[stream.pos : stream.pos + count]

    def _pass_block(self) -> None:
        while self._left > 0:
            passed = self.stream.skip(self._left)
            self._left -= passed
            self._taken += passed
            if self._left and not self._go_on_in_next_member():
                self._note_cut()
        if self._ragged:
            self._ragged = False
            self._pass_to_header(TOO_SHORT)

    def locate(self, record: Record) -> Location:
        """Return where the current record lies; see `Record.location`."""
        if record is not self._current:
            raise ArchiveError(
                f"{self.path}: the reader has moved on from this record; ask for its place before"
            )
        self._pass_block()
        if self.plain:
            length = self.stream.inner - self._start_inner
            return Location(self.path, self._start_inner, length, self.member)
        end = self._end if self._joined else self._member_end()
        return Location(self.path, self._start, end - self._start, self.member, self._start_inner)

    def _member_end(self) -> int:
        """Return the end of the member the record began in; a shared one is unpacked once more, ahead, to learn it."""
        stream = self.stream
        self._skip_newlines()
        if not stream.ended:
            stream.ensure(1)
        if stream.ended:
            return stream.end
        if stream.start not in self._known_ends:
            ahead = stream.twin()
            ahead.next_member()
            while ahead.skip(1 << 30):
                pass
            self._known_ends = {stream.start: ahead.end}
        return self._known_ends[stream.start]

    # ---------------------------------------------------------------- between records

    def _skip_newlines(self) -> None:
        stream = self.stream
        while True:
            stream.pos = NEWLINES.match(stream.buffer, stream.pos).end()  # type: ignore[union-attr]
            if stream.pos < len(stream.buffer) or not stream.ensure(1):
                return

    def _finish_record(self) -> None:
        record = self._current
        assert record is not None
        self._pass_block()
        if self._cut and self.stream.problem:
            self.stream.problem += f" ({self._length_problem})"
            self._length_problem = ""
        if self._length_problem:
            place = self.locate(record)
            self._damage(place.offset, place.length, self._length_problem)
            self._length_problem = ""
        self._current = None

    def _leave_member(self) -> None:
        """Report what broke the member that ends here."""
        stream = self.stream
        if stream.problem:
            self._damage(stream.start, stream.end - stream.start, stream.problem)
            stream.problem = ""

    def _pass_garbage(self) -> None:
        self.stream.pos += 1
        self._pass_to_header(NO_HEADER, back=1)

    def _pass_long_header(self) -> None:
        step = self.limits.header_bytes // 2  # a header that begins in this half would have no end, either
        self.stream.pos += step
        self._pass_to_header(f"a record header longer than {self.limits.header_bytes} bytes", back=step)

    def _pass_to_header(self, problem: str, back: int = 0) -> None:
        """Go on at the next header, or at the end of the member, and report what was passed over."""
        stream = self.stream
        begin = stream.inner - back
        found = scan(stream, -1, self.dialect, move=True)
        self._report_passed(begin, problem, more=found >= 0)

    def _report_passed(self, begin: int, problem: str, *, more: bool) -> None:
        """Report what was passed over from `begin` of the member to here; more: a header follows in the member."""
        stream = self.stream
        passed = stream.inner - begin
        if self.plain:
            self._damage(begin, passed, problem)
        else:
            start = stream.start
            end = self._member_end() if more else stream.end
            self._damage(
                start, end - start, f"{problem} at unpacked byte {begin}, {passed} bytes passed over"
            )

    def _damage(self, offset: int, length: int, problem: str) -> None:
        self._damages.append(Damage(self.path, offset, length, problem, self.member))

    def _take_damages(self) -> Iterator[Record | Damage]:
        gaps = [Damage(self.path, *gap, self.member) for gap in self.stream.gaps]
        self.stream.gaps.clear()
        damages, self._damages = self._damages + gaps, []
        for damage in damages:
            if damage in gaps or (self.plain and damage.problem in OTHERWISE):
                yield from self._read_otherwise(damage)
            else:
                yield damage

    def _read_otherwise(self, damage: Damage) -> Iterator[Record | Damage]:
        """Bytes that are nothing in this format may be records in another: some files are joined from several."""
        stream = None
        # a file inside a ZIP file whose size is wrong would give the records of the next one, too
        if not self.within_another and not self.member and damage.length >= SMALLEST:
            end = damage.offset + damage.length
            stream = find_format(WindowSource(self.stream.source, end), damage.offset, self.limits)
        if stream is None or type(stream) is type(self.stream):
            yield damage
            return
        records = RecordStream(stream, self.path, self.member, self.limits)
        records.within_another = True
        for item in records:
            self.format = self.format or records.format
            yield item

    def close_if_owner(self) -> None:
        if self.owns_source:
            self.stream.source.close()
