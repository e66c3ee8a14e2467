"""Archive files -> records. The format is told from the bytes, never from the name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from .errors import ArchiveError, NotAnArchiveError, RecordError
from .limits import DEFAULT_LIMITS, MOST_BYTES, Limits
from .members import STEP, ReadWhole, Streams
from .record import Damage, Location, Record, WholeRecord
from .records import RecordStream
from .source import BLOCK, FileSource, PartSource, Source
from .wacz import (
    LIKE_AN_ARCHIVE,
    OF_MACOS,
    ZipError,
    holds_archive,
    is_stored,
    is_zip,
    member_problem,
    open_entry,
    zip_entries,
)


class ArchiveReader:
    """Iterator over the records and damages of an archive file, in file order; a context manager.

    format: "WARC/1.0", "ARC/1.1" and so on after the first record; "" when nothing was readable.
    compression: "none", "gzip", "gzip as one member", "zstd", "lz4", "bzip2", "zip: gzip" ...
    position: bytes of the file on disk read so far.

    Raises ArchiveError if the file cannot be opened or read, NotAnArchiveError (from the iteration) if it holds no
    record, nor ends inside of the header of its first. Anything less is a `Damage`.

    start, end: only what lies between these bytes is read; at `start`, if it is not 0, a gzip member begins.

    A damage lies where no record does, or it has the place of a record that is not whole. Records and damages, line
    ends, empty members and skippable frames make up the file.
    """

    def __init__(
        self, path: str, *, limits: Limits = DEFAULT_LIMITS, start: int = 0, end: int | None = None
    ) -> None:
        self.path = path
        self.limits = limits
        self.format = ""
        self._source: Source = FileSource(path)
        if end is not None:
            self._source = PartSource(self._source, 0, end)
        self._start = start
        self._records: RecordStream | None = None
        self._is_archive = False
        self._begin = 0
        self._compressions: list[str] = []
        self._is_zip = False
        self._read_whole: ReadWhole | None = None
        self._size = 0  # of the file, as it was last asked for

    @property
    def compression(self) -> str:
        names = list(self._compressions)
        if self._records is not None:
            names.append(self._records.compression)
        joined = ", ".join(dict.fromkeys(names)) or "none"
        return f"zip: {joined}" if self._is_zip else joined

    @property
    def position(self) -> int:
        if self._records is None:
            return self._begin
        position = self._begin + self._records.stream.read_to
        if position > self._size:
            self._size = self._source.size()
        return min(position, self._size)

    def __iter__(self) -> Iterator[Record | Damage]:
        return cast(Iterator[Record | Damage], self.with_whole(None))

    def with_whole(self, read_whole: ReadWhole | None) -> Iterator[Record | list[WholeRecord] | Damage]:
        """Iterate so that records which are alone in a gzip member may be read by somebody else, who is faster.

        read_whole: see `members.ReadWhole`; what it returns comes out in lists of `WholeRecord`, instead of the
        records. It has to know that the bytes are one record of WARC 1.0 or 1.1 whose Content-Length is right, with
        nothing but line ends behind.
        """
        self._read_whole = read_whole
        self._is_zip = not self._start and is_zip(self._source)
        held: list[Damage] = []
        items = self._read_zip() if self._is_zip else self._read_archive(self._source, "")
        for item in items:
            if isinstance(item, Damage):
                _hold(held, item)
                continue
            yield from held
            held = []
            yield item
            yield from items  # as they come: nothing has to be looked at any more
        if not self._is_archive:
            raise NotAnArchiveError(self._why_not(held))
        yield from held

    def go_on_at(self, place: int, until: int) -> None:
        """Read on at another byte of the file, where a gzip member begins. Only behind a list of `WholeRecord`.

        until: where another one begins; no list goes beyond it.
        """
        assert self._records is not None
        self._records.stream.stand_at(place)
        self._records.until = until

    def _read_archive(self, source: Source, member: str) -> Iterator[Record | list[WholeRecord] | Damage]:
        streams = Streams(source, self.limits)
        stream = streams.gzip_at(self._start) if self._start else None
        return self._read_stream(RecordStream(streams, self.path, member, self.limits, stream))

    def _read_stream(self, records: RecordStream) -> Iterator[Record | list[WholeRecord] | Damage]:
        self._records = records
        records.read_whole = self._read_whole
        items = iter(records)
        for item in items:
            self.format = self.format or records.format
            self._is_archive |= records.is_archive
            yield item
            if self.format and self._is_archive:
                yield from items  # all is known that is looked for here
        self._is_archive |= records.is_archive

    def _read_zip(self) -> Iterator[Record | list[WholeRecord] | Damage]:
        """Read each file inside that is an archive by its bytes; say so of one that is only named like one."""
        read_to = 0
        astray = False
        try:
            for entry in zip_entries(self._source, self.limits):
                problem, size = entry.problem(), min(entry.size, self._source.size())
                if not problem:
                    try:
                        inner, self._begin = open_entry(self._source, entry)
                        read_to = max(read_to, min(self._begin + entry.packed_size, self._source.size()))
                        if holds_archive(inner, entry.name, self.limits):
                            yield from self._read_archive(inner, entry.name)
                            self._close_member()
                            problem = member_problem(inner, entry)
                            size = inner.size()
                        elif LIKE_AN_ARCHIVE.search(entry.name) and not OF_MACOS.search(entry.name):
                            problem = (
                                "the file inside the ZIP file is named like an archive and holds no record"
                            )
                            astray = True
                    except ZipError as error:
                        problem = str(error)
                        astray = True
                if problem:
                    yield Damage(self.path, 0, size, problem, entry.name)
        except ZipError as error:
            yield Damage(
                self.path, 0, self._source.size(), f"{error}; what is not deflated is read without it"
            )
            yield from self._salvage_zip(read_to)
            return
        if astray and not self.format:  # its places are wrong, so what they point at says nothing
            yield from self._salvage_zip(0)

    def _salvage_zip(self, at: int) -> Iterator[Record | list[WholeRecord] | Damage]:
        """Without a right table of contents, the gzip members of stored files can still be found in the ZIP file.

        at: where the files end that the part of the table that can be read has named.
        """
        self._begin = 0
        streams = Streams(self._source, self.limits)
        yield from self._read_stream(RecordStream(streams, self.path, "", self.limits, streams.gzip_at(at)))

    def _close_member(self) -> None:
        assert self._records is not None
        self._begin = self.position
        self._compressions.append(self._records.compression)
        self._records = None

    def _why_not(self, held: list[Damage]) -> str:
        expected = "expected a WARC, ARC or WACZ file"
        if not self._source.size():
            return f"{self.path}: the file is empty; {expected}"
        if self._is_zip and not held:
            return f"{self.path}: a ZIP file without an archive inside; {expected}"
        what = held[0].problem if held else "no record found"
        return f"{self.path}: holds no record ({what}); {expected}"

    def close(self) -> None:
        self._source.close()

    def __enter__(self) -> ArchiveReader:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def read_records(path: str, *, limits: Limits = DEFAULT_LIMITS) -> Iterator[Record | Damage]:
    """Return the records and damages of an archive file in file order; see `ArchiveReader`."""
    with ArchiveReader(path, limits=limits) as reader:
        yield from reader


def read_record_at(location: Location, *, limits: Limits = DEFAULT_LIMITS) -> Record:
    """Return the record at a known place: one seek, one member.

    Raises RecordError if no record begins exactly there, ArchiveError if the file cannot be read.
    """
    source = open_place(location, limits=limits)
    try:
        return _record_at(source, location, limits)
    except BaseException:
        source.close()
        raise


def read_packed_at(locations: Iterable[Location], most: int) -> Iterator[bytes]:
    """Give the gzip members at some known places as they lie there, opening each file once.

    b"" for one that cannot be read, of which more than `most` bytes would be, or that holds other records, too.
    """
    files: dict[str, FileSource | None] = {}
    try:
        for path, offset, length, member, inner in locations:
            packed = b""
            if 0 < length <= most and 0 <= offset < MOST_BYTES and not member and not inner:
                try:
                    if path not in files:
                        files[path] = None
                        files[path] = FileSource(path)
                    if file := files[path]:
                        packed = file.bytes_at(offset, length)
                except ArchiveError:
                    pass
            yield packed
    finally:
        for file in filter(None, files.values()):
            file.close()


def open_place(location: Location, *, limits: Limits = DEFAULT_LIMITS) -> Source:
    """Return the bytes that the offsets of a location count in: those of its file, or of the archive inside it.

    Raises RecordError when there is no such archive inside, ArchiveError if the file cannot be opened.
    """
    source: Source = FileSource(location.path, block=_block_for(location))
    try:
        return _open_member(source, location, limits) if location.member else source
    except BaseException:
        source.close()
        raise


def _block_for(location: Location) -> int:
    """Return how many bytes are worth reading at once for one record: most are far smaller than a block."""
    if location.member or location.length <= 0:
        return BLOCK
    return min(BLOCK, max(STEP, location.length))


def stored_at(location: Location, *, limits: Limits = DEFAULT_LIMITS) -> int | None:
    """Return where the bytes of a location begin in the file itself; None when they are deflated there.

    Raises as `open_place` does.
    """
    if not location.member:
        return location.offset
    source = FileSource(location.path)
    try:
        inner, begin, stored = _member_of(source, location, limits)
        return begin + location.offset if stored else None
    finally:
        source.close()


def find_record(
    path: str, offset: int, member: str = "", inner: int = 0, *, limits: Limits = DEFAULT_LIMITS
) -> Record:
    """Return the record that begins at `offset` of a file, or of the archive `member` inside a ZIP file.

    Without `member`, each archive in a ZIP file is tried in turn; before them the ZIP file itself, where its table of
    contents is broken and its records were found without. inner: where the record begins in the
    unpacked gzip member at `offset`, for files that are compressed as a whole.

    Raises RecordError if no record begins there.
    """
    if not member:
        source = FileSource(path)
        try:
            names = _archives_inside(source, limits) if is_zip(source) else []
        finally:
            source.close()
        for name in names:
            try:
                return read_record_at(Location(path, offset, 0, name, inner), limits=limits)
            except RecordError:
                continue
    return read_record_at(Location(path, offset, 0, member, inner), limits=limits)


def _archives_inside(source: Source, limits: Limits) -> list[str]:
    """Return the names of the archives in a ZIP file; "" before them stands for the file itself."""
    names = []
    try:
        for entry in zip_entries(source, limits):
            if not entry.problem() and holds_archive(open_entry(source, entry)[0], entry.name, limits):
                names.append(entry.name)
    except ZipError:
        return ["", *names]
    return names


def _open_member(source: Source, location: Location, limits: Limits) -> Source:
    return _member_of(source, location, limits)[0]


def _member_of(source: Source, location: Location, limits: Limits) -> tuple[Source, int, bool]:
    """Return the bytes of the archive inside, where they begin in the file, and whether they lie there unpacked."""
    where = f"{location.path}: {location.member}"
    try:
        for entry in zip_entries(source, limits):
            if entry.name == location.member:
                problem = entry.problem()
                if problem:
                    raise RecordError(where, location.offset, problem)
                inner, begin = open_entry(source, entry)
                return inner, begin, is_stored(inner, entry)
    except ZipError as error:
        raise RecordError(where, location.offset, str(error)) from error
    raise RecordError(where, location.offset, "the ZIP file holds no such file")


def _record_at(source: Source, location: Location, limits: Limits) -> Record:
    where = f"{location.path}: {location.member}" if location.member else location.path
    if location.offset < 0 or location.offset >= source.size():
        raise RecordError(where, location.offset, f"the file has only {source.size()} bytes")
    for dialect in ("", "ARC"):  # a header that goes on in another member looks like one in ARC files alone
        streams = Streams(source, limits)
        stream = streams.at(location.offset)
        records = RecordStream(streams, location.path, location.member, limits, stream)
        records.dialect = dialect
        if stream.next_member() and stream.start == location.offset:
            if not records.plain:
                stream.skip(location.inner)
            record = records.read_header(after_newlines=not records.plain)
            if record is not None:
                records.owns_source = True
                return record
    raise RecordError(where, location.offset, "no record begins here")


def _hold(held: list[Damage], item: Damage) -> None:
    """Keep a damage met before the first record; from the thousandth on they are run together."""
    if len(held) < 1000:
        held.append(item)
    else:
        last = held[-1]
        end = max(last.offset + last.length, item.offset + item.length)
        held[-1] = Damage(last.path, last.offset, end - last.offset, last.problem, last.member)
