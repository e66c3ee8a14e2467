"""Records out of the unpacked bytes of one archive: where each begins, and where its block ends.

Content-Length is believed when the bytes behind the block look like the end of
a record: the end of the member, or line ends and the next header. Else the next
record must not be swallowed: a header inside the block ends it there; without
one the length stands, and what follows up to the next header is damage.

What a record is depends on the bytes from its own place on, never on what was
read before: so it comes out the same when it is read from its place alone.
"""

from __future__ import annotations

import re
import sys
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
from .limits import GIB, KIB, MOST_BYTES, Limits
from .members import GzipStream, MemberStream, PlainStream, ReadWhole, Streams
from .record import Damage, Headers, Location, Record, WholeRecord
from .scan import PROBE, scan, stands_at_boundary

HTTP_START = re.compile(rb"\s{0,16}HTTP\S{0,20}[ \t]+\d", re.IGNORECASE)
ARC_VERSION = re.compile(rb"([12]) (\d)[ \r\n]")
CUT_START = re.compile(rb"WARC/(?:\d|\Z)|filedesc:", re.IGNORECASE)
"""How a file begins that is an archive, even where its first header has no end."""

MOST_SCOUTED = 8 * GIB
"""Unpacked bytes that are looked at ahead in one file, to learn whether wrong lengths are right after all."""

SEARCHED_AT_ONCE = 256 * KIB
NO_HEADER = "no record header where one was expected"
TOO_SHORT = "Content-Length does not reach the end of the record"
BREAKS_OFF = "a record header that breaks off where the next one begins"
CUT_HEADER = "the file ends inside a record header"


def _said(length: int) -> str:
    return f"{length} bytes" + (" or more" if length == MOST_BYTES else "")


class RecordStream:
    """Iterator over the records and damages of one archive, in file order.

    member: name of the archive inside a ZIP file, for locations and damages.
    stream: where to begin; by default with the first bytes.
    format: version of the first record, "" before it.
    shared: some member held more than one record.
    read_whole: what is asked first of members that can be unpacked at once, see `ArchiveReader.with_whole`.
    until: where a member begins that it is not asked of, nor of those behind.
    is_archive: there was a record, or what begins as the header of one and ends with the file.
    """

    def __init__(
        self, streams: Streams, path: str, member: str, limits: Limits, stream: MemberStream | None = None
    ) -> None:
        self.streams = streams
        self.stream = stream or streams.first()
        self.path = path
        self.member = member
        self.limits = limits
        self.format = ""
        self.dialect = ""
        self.shared = False
        self.is_archive = False
        self.plain = isinstance(self.stream, PlainStream)
        self.owns_source = False
        self._compression = self.stream.compression
        self._arc_version: str | None = None
        self._current: Record | None = None
        self._left = 0
        self._taken = 0
        self._start = self._start_inner = self._end = 0
        self._known_ends: dict[int, int] = {}
        self._damages: list[Damage] = []
        self._records_in_member = 0
        self._searched_head, self._has_head = 0, False
        self._scout: MemberStream | None = None
        self._scouted = 0
        self.read_whole: ReadWhole | None = None
        self.until = sys.maxsize

    # ---------------------------------------------------------------- going through the archive

    def __iter__(self) -> Iterator[Record | list[WholeRecord] | Damage]:
        while True:
            if self._current is not None:
                self._finish_record()
            yield from self._take_damages()
            self._skip_newlines()
            if not self.stream.ensure(1):
                self._leave_member()
                yield from self._take_damages()
                if self.read_whole is not None:
                    yield from self._whole_records(self.read_whole)
                    if self.stream.pos < len(self.stream.buffer):
                        continue
                if not self._go_to_next_member():
                    yield from self._take_damages()
                    return
                continue
            if self.stream.inner < 0:
                self._go_back()
            record = self.read_header()
            if record is not None:
                yield record
            elif not self._damages:
                self._pass_garbage()

    def _whole_records(self, read_whole: ReadWhole) -> Iterator[list[WholeRecord]]:
        """Yield records as long as something is made of the next members; one of which nothing is made is open then."""
        stream = self.stream
        while isinstance(stream, GzipStream) and (members := stream.whole_members(read_whole, self.until)):
            found, data, length = members[0]
            if found is None:
                stream.open_whole(data, length)
                self._records_in_member = 0
                return
            self.is_archive, self.dialect = True, "WARC"
            if not self.format:
                self.format = data[:8].decode("ascii")
            whole, at = [], stream.end
            for found, data, length in members:
                whole.append(WholeRecord(found, data, self.path, at, length, self.member))
                at += length
            stream.stand_at(at)
            yield whole

    @property
    def compression(self) -> str:
        name = self._compression
        if self.shared:
            name += {"none": "", "gzip": " as one member", "bzip2": " as one stream"}.get(
                name, " as one frame"
            )
        return name

    def _go_to_next_member(self) -> bool:
        """Go on behind the member that ends here, in another format if that is what follows; False at the end."""
        stream = self.stream
        self._records_in_member = 0
        if stream.next_member():
            return True
        if stream.astray < 0:
            return False
        return self._go_on_behind(stream.astray, stream.astray, fresh=True)

    def _go_back(self) -> None:
        """The last record was thought to go on in another member, and another one begins before: read it afresh."""
        start, inner = self.stream.place()
        if self._scouted <= MOST_SCOUTED:
            self.stream.stand_at(start)
            self.stream.next_member()
            self._scouted += self.stream.skip(inner)
            self._records_in_member = 1

    def _go_on_behind(self, begin: int, at: int, problem: str = "", *, fresh: bool = False) -> bool:
        """Bytes that are no record begin at `begin`: go to the first record from `at` on and report what was passed.

        So files that were joined from several formats are read to their end. False where no record follows.
        """
        only = (
            self.stream if self.member else None
        )  # the size in a ZIP file may be wrong, and other files follow
        found, place = self.streams.find(at, self.dialect if self.plain else "", fresh=fresh, only=only)
        if place > begin:
            self._damage(begin, place - begin, problem or self._describe_gap(begin, place))
        if found is None:
            self.stream.stand_at(place)
            return False
        self.stream = found
        self.stream.stand_at(place)
        self.plain = isinstance(found, PlainStream)
        self._known_ends, self._scout = {}, None
        if not self.format:
            self._compression = found.compression
        return found.next_member()

    def _describe_gap(self, begin: int, end: int) -> str:
        if not any(self.stream.source.read_at(begin, min(end - begin, 4096))):
            return f"zero bytes where a {self.stream.name} was expected"
        return f"bytes that are no {self.stream.name}"

    def read_header(self, after_newlines: bool = False) -> Record | None:
        """Return the record that begins at the next byte; None if none does."""
        stream = self.stream
        if after_newlines:
            self._skip_newlines()
        self._start, self._start_inner = stream.place()
        self._joined = False
        most = self.limits.header_bytes
        self._searched_head, self._has_head = 0, False
        have, held = stream.ensure(KIB), -1
        while have > held and not self._holds_head():
            held = have
            if stream.ended and not self.plain:
                have = self._complete_header(have)
            if WARC_START.match(stream.buffer, stream.pos):
                have = self._hold_long_header()  # of which the member may end now
            elif have < LONGEST_SCAN:
                have = stream.ensure(LONGEST_SCAN)
        if not starts_with_header(stream.buffer, stream.pos, self.dialect) or self._is_inside_line():
            return None
        if WARC_START.match(stream.buffer, stream.pos):
            again = breaks_off(stream.buffer, stream.pos, most, self.plain)
            if again >= 0:
                begin, stream.pos = stream.inner, again
                self._report_passed(begin, BREAKS_OFF, more=True)
                return None
        head = parse_header(stream.buffer, stream.pos, self.limits)
        if head is not None:
            return self._begin(head)
        if len(stream.buffer) - stream.pos >= most:
            self._pass_long_header()
        else:
            self._pass_cut_header()
        return None

    def _is_inside_line(self) -> bool:
        """A part of an ARC header line looks like one itself: "ttp://..." after the "h"."""
        stream = self.stream
        if not self.plain or not stream.inner or KNOWN_START.match(stream.buffer, stream.pos):
            return False
        return bytes(stream.source.read_at(stream.inner - 1, 1)).isalnum()

    def _hold_long_header(self) -> int:
        """Hold the whole header in the buffer, as far as it may go; in steps, since most are short.

        Return how many bytes are held.
        """
        stream = self.stream
        have = 0
        for count in (16 * KIB, 64 * KIB, self.limits.header_bytes):
            have = stream.ensure(min(count, self.limits.header_bytes))
            if self._holds_head():
                break
        return have

    def _holds_head(self) -> bool:
        """Tell whether the buffer holds a whole header; what was searched for its end is not searched again."""
        stream = self.stream
        begin = stream.pos + max(0, self._searched_head - 3)
        self._has_head = self._has_head or HEAD_END.search(stream.buffer, begin) is not None
        self._searched_head = len(stream.buffer) - stream.pos
        return self._has_head

    def _complete_header(self, have: int) -> int:
        """Some writers cut their output into members without regard to records, even within a header."""
        stream = self.stream
        while stream.ended and have < self.limits.header_bytes and not self._holds_head():
            start = stream.buffer[stream.pos : stream.pos + 5].upper()
            if not (
                b"WARC/".startswith(start)
                if self.dialect != "ARC"
                else stream.buffer.find(b"\n", stream.pos) < 0
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
        self.is_archive = True
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

    # What is known of the current record's length: cut by the end of the file, goes on in another member, followed
    # by bytes that belong to nothing, not told by its header, not looked at to its end.
    _cut = False
    _joined = False
    _ragged = False
    _unclaimed = False
    _in_doubt = False
    _searched = 0
    _length_problem = ""

    def _arc_type(self, head: Head) -> str:
        start = self.peek_block(None, 128)
        if head.type_name:
            found = ARC_VERSION.match(start)
            if found:
                head.version = f"ARC/{found[1].decode()}.{found[2].decode()}"
            return head.type_name
        head.version = self.arc_version() or head.version
        return "response" if HTTP_START.match(start) else "resource"

    def arc_version(self) -> str:
        """Return the version that the first record of an ARC file states; "" if it states none."""
        if self._arc_version is None:
            records = RecordStream(Streams(self.streams.source, self.limits), "", "", self.limits)
            records._arc_version = ""
            first = next(iter(records), None)
            states = isinstance(first, Record) and first.type_name == "warcinfo" and first.version
            self._arc_version = states if states and states.startswith("ARC/") else ""
        return self._arc_version

    # ---------------------------------------------------------------- how long a block is

    def _settle_length(self, claimed: int) -> int:
        """Return how many bytes the block has, as judged from what stands at its end. Sets what is known of it.

        Where the header has no usable length (-1), the block goes on to the next header or the end of the member.
        """
        self._cut = self._ragged = self._in_doubt = False
        self._searched = 0
        self._length_problem = ""
        self._unclaimed = claimed < 0
        if self._unclaimed:
            claimed = MOST_BYTES
        return self._settle_long(claimed) if self.plain else self._settle_packed(claimed)

    def _settle_packed(self, claimed: int) -> int:
        """Blocks that are longer than the look-ahead are judged when they are read; see `_search_block`."""
        stream = self.stream
        window = min(claimed, self.limits.lookahead_bytes)
        have = stream.ensure(window + 4)
        while have < window and self._go_on_in_next_member():
            have = stream.ensure(window + 4)
        if have >= window < claimed:
            self._in_doubt = True
            return claimed
        if have >= claimed and self._is_boundary(claimed):
            return claimed
        stream.ensure(window + LONGEST_SCAN)
        inside = find_header(stream.buffer, stream.pos, stream.pos + min(claimed, have), self.dialect)
        if inside >= 0:
            return self._shorten(claimed, inside - stream.pos)
        if have < claimed:
            return self._end_early(claimed, have)
        return claimed

    def _settle_long(self, claimed: int) -> int:
        """Without compression the end of a block is looked at where it is, and what lies before it only if need be."""
        stream = self.stream
        window = self.limits.lookahead_bytes
        begin, size = stream.inner, stream.source.size()
        end = begin + claimed
        if claimed <= window:
            if stream.ensure(claimed + 4) >= claimed and self._is_boundary(claimed):
                return claimed
        elif end <= size:
            ahead = PlainStream(stream.source, end, self.limits)
            ahead.next_member()
            if stands_at_boundary(ahead, self.dialect):
                return claimed
        there = min(claimed, size - begin)
        inside = scan(PlainStream(stream.source, begin, self.limits), there, self.dialect)
        if inside >= 0:
            return self._shorten(claimed, inside)
        if not self.member:
            packed, place = self.streams.find_packed(begin, begin + there)
            if packed:
                return self._shorten(claimed, place - begin)
        if end > size:
            return self._end_early(claimed, there)
        self._ragged = bytes(stream.source.read_at(end, 1)) not in (b"\r", b"\n")
        return claimed

    def _search_block(self, count: int) -> None:
        """Search the next `count` bytes of a block in doubt for the header of another record: it may end there."""
        stream = self.stream
        while self._in_doubt and self._searched < min(count, self._left):
            have = stream.ensure(self._searched + SEARCHED_AT_ONCE + LONGEST_SCAN)
            end = min(have if stream.ended else have - LONGEST_SCAN, self._left)
            found = find_header(stream.buffer, stream.pos + self._searched, stream.pos + end, self.dialect)
            if found >= 0:
                self._in_doubt = False
                if not self._stands_ahead():
                    self._left = self._shorten(self._taken + self._left, found - stream.pos)
                return
            if stream.ended or end == self._left:
                self._searched = end
                return
            self._searched = end - 4  # the line ends before a header are no part of the block

    def _stands_ahead(self) -> bool:
        """Is the length of the block right, to the letter? Looked at with a second stream, in constant memory."""
        if self._unclaimed:
            return False
        end = self.stream.inner + self._left
        scout = self._scout_at(end)
        return scout is not None and scout.inner == end and stands_at_boundary(scout, self.dialect)

    def _scout_at(self, inner: int) -> MemberStream | None:
        """Return a second stream at a place of the current member. It only goes on, so it costs one more
        unpacking in all, where wrong lengths do not make it start again; None where that becomes too much."""
        scout = self._scout
        if scout is None or scout.start != self.stream.start or scout.inner > inner:
            if self._scouted > MOST_SCOUTED:
                return None
            scout = self._scout = self.stream.twin()
            if not scout.next_member():
                return None
        self._scouted += scout.skip(inner - scout.inner)
        return scout

    def _is_boundary(self, length: int) -> bool:
        """Does a record end `length` bytes on? Then there is nothing but line ends before a header or the end."""
        stream = self.stream
        while True:
            begin = stream.pos + length
            place = NEWLINES.match(stream.buffer, begin, begin + PROBE).end()  # type: ignore[union-attr]
            if place == begin + PROBE:
                return True
            if stream.ended:
                break
            behind = len(stream.buffer) - place
            if behind >= 10 * KIB or (behind >= 8 and stream.buffer.find(b"\n", place) >= 0):
                break
            stream.ensure(len(stream.buffer) - stream.pos + 10 * KIB)
        if place >= len(stream.buffer):
            return True
        if place == begin and self.dialect == "ARC" and self._cuts_a_line(place):
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

    def _shorten(self, claimed: int, ahead: int) -> int:
        """The next header stands `ahead` bytes on, inside of the claimed block: return what is left of the block."""
        length = self._taken + ahead
        if not self._unclaimed:
            self._length_problem = (
                f"Content-Length says {_said(claimed)}, the next record begins after {length}"
            )
        return self._without_line_ends(ahead)

    def _without_line_ends(self, ahead: int) -> int:
        """Return where the block ends, when those behind it end `ahead` bytes on."""
        stream = self.stream
        most = min(ahead, KIB if self._unclaimed else 4)
        if self.plain:
            last = bytes(stream.source.read_at(stream.inner + ahead - most, most))
        else:
            last = stream.buffer[stream.pos + ahead - most : stream.pos + ahead]
        return ahead - len(last) + len(last.rstrip(b"\r\n"))

    def _end_early(self, claimed: int, ahead: int) -> int:
        """The file or member ends `ahead` bytes on, inside of the claimed block: return what is left of the block."""
        self._note_early_end(claimed, ahead)
        is_whole = (
            not self.plain and not self.stream.problem
        )  # then the line ends behind the block are there, too
        return self._without_line_ends(ahead) if is_whole or self._unclaimed else ahead

    def _note_early_end(self, claimed: int, have: int) -> None:
        if self._unclaimed:
            self._cut = bool(self.stream.problem)
            return
        self._cut = True
        end = "the file" if self.stream.problem or self.plain else "the member"
        self._length_problem = f"Content-Length says {_said(claimed)}, {end} ends after {have}"

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
        if limit < 0:
            limit = MOST_BYTES
        parts = []
        while limit > 0 and self._left > 0:
            part = self._take(limit)
            if not part:
                break
            parts.append(part)
            limit -= len(part)
        if len(parts) == 1:
            return parts[0]
        return b"".join(parts)

    def _take(self, count: int) -> bytes:
        part = self.stream.take(self._certain(count))
        while not part:
            if not self._left:
                return b""
            if not self._go_on_in_next_member():
                self._note_cut()
                return b""
            part = self.stream.take(self._certain(count))
        self._pass(len(part))
        return part

    def _certain(self, count: int) -> int:
        """Return how many of the next `count` bytes are known to be of the block: some, unless the member ends."""
        if not self._in_doubt:
            return min(count, self._left)
        self._search_block(1)
        return min(count, self._left, self._searched) if self._in_doubt else min(count, self._left)

    def _pass(self, count: int) -> None:
        self._left -= count
        self._taken += count
        self._searched = max(0, self._searched - count)

    def _note_cut(self) -> None:
        self._note_early_end(self._taken + self._left, self._taken)
        if self._current is not None and self._cut:
            self._current.truncated = "file"
        self._left = 0

    def peek_block(self, record: Record | None, count: int) -> bytes:
        if record is not None and record is not self._current:
            raise ArchiveError(
                f"{self.path}: the reader has moved on from this record; read it before the next one"
            )
        stream = self.stream
        while True:
            self._search_block(count)
            count = min(count, self._left)
            if stream.ensure(count) >= count or not self._go_on_in_next_member():
                break
        return stream.buffer[stream.pos : stream.pos + count]

    def _pass_block(self) -> None:
        while self._left > 0:
            passed = self.stream.skip(self._certain(self._left))
            self._pass(passed)
            if not passed and self._left and not self._go_on_in_next_member():
                self._note_cut()
        if self._ragged:
            self._ragged = False
            self._pass_rest()

    def _pass_rest(self) -> None:
        """What follows a block that is too short, up to the next record, belongs to no other record."""
        stream = self.stream
        begin = stream.inner
        only = stream if self.member else None
        _, place = self.streams.find(begin, self.dialect, only=only)
        stream.skip(place - begin)
        self._damage(begin, place - begin, TOO_SHORT)

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
        if self._length_problem and self._cut and self.stream.problem:
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
        stream = self.stream
        if not stream.ensure(1):  # a cut header was passed
            return
        if stream.ended and len(stream.buffer) - stream.pos <= LONGEST_SCAN:
            rest = stream.buffer[stream.pos :]
            if b"\n" not in rest and KNOWN_START.match(rest):
                self._pass_cut_header()
                return
        if self.plain:
            begin = stream.inner
            self._go_on_behind(begin, begin, NO_HEADER)
        else:
            stream.pos += 1
            self._pass_to_header(NO_HEADER, back=1)

    def _pass_cut_header(self) -> None:
        """The file or member ends inside a header. What it says is not believed: an address may be cut, too."""
        stream = self.stream
        self.is_archive |= CUT_START.match(stream.buffer, stream.pos) is not None
        begin = stream.inner
        stream.pos = len(stream.buffer)
        if not stream.problem:
            self._report_passed(begin, CUT_HEADER, more=False)

    def _pass_long_header(self) -> None:
        stream = self.stream
        problem = f"a record header longer than {self.limits.header_bytes} bytes"
        step = self.limits.header_bytes // 2  # a header that begins in this half would have no end, either
        if self.plain:
            self._go_on_behind(stream.inner, stream.inner + step, problem)
        else:
            stream.pos += step
            self._pass_to_header(problem, back=step)

    def _pass_to_header(self, problem: str, back: int) -> None:
        """Go on at the next header in the member, or at its end, and report what was passed over."""
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
            end = self._member_end() if more else stream.end
            self._damage(
                self._start,
                end - self._start,
                f"{problem} at unpacked byte {self._start_inner}, {passed} bytes passed over",
            )

    def _damage(self, offset: int, length: int, problem: str) -> None:
        self._damages.append(Damage(self.path, offset, length, problem, self.member))

    def _take_damages(self) -> Iterator[Damage]:
        faults = self.stream.faults
        if not self._damages and not faults:
            return
        found = [*self._damages, *(Damage(self.path, *fault, self.member) for fault in faults)]
        faults.clear()
        self._damages = []
        yield from found

    def close_if_owner(self) -> None:
        if self.owns_source:
            self.stream.source.close()
            # It refers to this stream, whose buffers would live until Python looks for circles.
            self._current = None
