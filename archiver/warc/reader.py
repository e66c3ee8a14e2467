"""Archive files -> records. The format is told from the bytes, never from the name."""

from __future__ import annotations

from collections.abc import Iterator

from .errors import NotAnArchiveError, RecordError
from .limits import DEFAULT_LIMITS, Limits
from .members import PlainStream, open_members
from .record import Damage, Location, Record
from .records import RecordStream
from .source import FileSource, Source


class ArchiveReader:
    """Iterator over the records and damages of an archive file, in file order; a context manager.

    format: "WARC/1.0", "ARC/1.1" and so on after the first record; "" when nothing was readable.
    compression: "none", "gzip", "gzip as one member", "zstd", "lz4", "bzip2", "zip: gzip" ...
    position: bytes of the file on disk read so far.

    Raises ArchiveError if the file cannot be opened or read, NotAnArchiveError
    (from the iteration) if it holds no record. Anything less is a `Damage`.
    """

    def __init__(self, path: str, *, limits: Limits = DEFAULT_LIMITS) -> None:
        self.path = path
        self.limits = limits
        self._source: Source = FileSource(path)
        self._records: RecordStream | None = None
        self.format = ""
        self._zip = False

    @property
    def compression(self) -> str:
        records = self._records
        if records is None:
            return "none"
        name = records.stream.compression
        if records.shared and name != "none":
            name += " as one member" if name == "gzip" else " as one frame"
        return name

    @property
    def position(self) -> int:
        return self._records.stream.read_to if self._records else 0

    def __iter__(self) -> Iterator[Record | Damage]:
        yield from self._read_file()

    def _read_file(self) -> Iterator[Record | Damage]:
        stream = open_members(self._source, 0, self.limits)
        self._records = records = RecordStream(stream, self.path, "", self.limits)
        held: list[Damage] = []
        for item in records:
            if not records.records:
                held.append(item)  # type: ignore[arg-type]
                continue
            if held:
                yield from held
                held = []
            self.format = records.format
            yield item
        if not records.records:
            raise NotAnArchiveError(self._why_not(held))

    def _why_not(self, held: list[Damage]) -> str:
        if not self._source.size():
            return f"{self.path}: the file is empty; expected a WARC, ARC or WACZ file"
        what = held[0].problem if held else "no record found"
        return f"{self.path}: holds no record ({what}); expected a WARC, ARC or WACZ file"

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

    Raises RecordError if no record begins exactly there.
    """
    source: Source = FileSource(location.path)
    try:
        return _record_at(source, location, limits)
    except BaseException:
        source.close()
        raise


def _record_at(source: Source, location: Location, limits: Limits) -> Record:
    stream = open_members(source, location.offset, limits)
    records = RecordStream(stream, location.path, location.member, limits)
    records.owns_source = True
    if location.offset >= source.size():
        raise RecordError(location.path, location.offset, f"the file has only {source.size()} bytes")
    problem = "no record begins here"
    if stream.next_member() and stream.start == location.offset:
        if not isinstance(stream, PlainStream):
            if stream.skip(location.inner) < location.inner:
                raise RecordError(location.path, location.offset, problem)
            records._skip_newlines()
        record = records.read_header()
        if record is not None:
            return record
    raise RecordError(location.path, location.offset, problem)


def find_record(path: str, offset: int, member: str = "", *, limits: Limits = DEFAULT_LIMITS) -> Record:
    """Return the record that begins at `offset` of a file, or of the archive `member` inside a ZIP file."""
    return read_record_at(Location(path, offset, 0, member), limits=limits)
