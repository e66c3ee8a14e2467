"""Archive file -> captures and pages: which records count as what, and which become text.

The rules of the ledger live here: each record is a capture or is skipped with a reason, and
byte ranges that hold no readable record are damage.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from archiver.warc import (
    DEFAULT_LIMITS,
    HTML_TYPES,
    ArchiveError,
    ArchiveReader,
    Damage,
    Headers,
    HttpResponse,
    Location,
    Record,
    RecordType,
    UnreadableError,
    WholeRecord,
    give_body,
    may_be_page,
    parse_head,
    parse_response,
    payload_sha1,
    read_record_at,
)
from archiver.warc.charsets import UTF_8
from archiver.warc.growing import final_name, is_growing, last_member_end
from indexer.core.records import ASIDE, RESPONSE, OrdinaryRecord, RecordReader
from indexer.text.charset import html_in_utf8
from indexer.text.turns import Turns

RECORDS_OF_A_SHARE = 128  # as many records on end belong to the same share of a file
MOST_PLACES = 10_000  # damaged places of one file that are told one by one
PAGE_LIMITS = replace(
    DEFAULT_LIMITS, body_bytes=8 << 20
)  # a page is parsed from memory, several copies of it at once

_LEFT_OUT = "the page was left out: reading it took too long, or ended the worker process more than once"
_AS_MOST_WRITE = re.compile("sha1:[A-Z2-7]{32}")
_CAPTURE_TYPES = frozenset(
    {RecordType.RESPONSE, RecordType.RESOURCE, RecordType.REVISIT, RecordType.CONVERSION}
)


@dataclass(slots=True)
class PageBody:
    """A page to be indexed: its markup, and what tells its versions apart.

    digest: SHA-1 of the decoded body; data: its markup in UTF-8, `size` bytes from `begin` on; charset: what it was
    written in; language: that of the HTTP header, "" if it names none or several.
    """

    digest: bytes
    data: bytes
    begin: int
    size: int
    charset: str
    language: str

    @property
    def html(self) -> str:
        """The markup as text."""
        return self.data[self.begin : self.begin + self.size].decode()


@dataclass(slots=True)
class CaptureFound:
    """One capture as read from an archive; `page` is None for what is not an HTML page.

    payload: payload digest as payload_digest spells it, "" when unknown;
    refers_to: the address that a revisit names as its original, "" for none.
    """

    url: str
    timestamp: str
    type: str
    status: int
    mime: str
    payload: str
    refers_to: str
    location: Location
    page: PageBody | None


class Damages(list[Damage]):
    """Damaged places of one file, in the order they are found: up to MOST_PLACES, and one entry for all beyond.

    So no file, however broken, fills the memory and the ledger.
    """

    _unlisted_problem = ""

    def append(self, damage: Damage) -> None:
        """Add a place; beyond MOST_PLACES it is counted in the last entry."""
        if len(self) < MOST_PLACES:
            super().append(damage)
            return
        offset, length, places = damage.offset, damage.length, 1
        if len(self) > MOST_PLACES:
            before = self.pop()
            offset, length, places = before.offset, before.length + length, before.places + 1
        else:
            self._unlisted_problem = damage.problem
        problem = f"{places:,} more damaged places begin up to byte {damage.offset}"
        problem += f"; the first: {self._unlisted_problem}"
        super().append(Damage(damage.path, offset, length, problem, damage.member, places))


@dataclass(slots=True)
class FileEntry:
    """What became of one archive file: one line of the ledger.

    records = captures + the sum of `skipped`; damage comes on top. documents: captures that are
    HTML pages. share: (number, of how many) when several workers read the file, each its share of the records.
    status: "indexed", "damaged" (some of it could not be read), "not an archive" or "unreadable".
    """

    file: str
    status: str = "indexed"
    format: str = ""
    records: int = 0
    captures: int = 0
    documents: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    damaged: Damages = field(default_factory=Damages)
    share: tuple[int, int] = (0, 1)

    def skip(self, reason: str) -> None:
        """Count one record that is no capture."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1


def read_captures(
    path: str,
    entry: FileEntry,
    *,
    skip_pages: frozenset[tuple[str, int, int]] = frozenset(),
    on_record: Callable[[int], None] = lambda position: None,
    is_removed: Callable[[str], bool] = lambda url: False,
    part: tuple[int, int | None] | None = None,
    turns: Turns | None = None,
) -> Iterator[CaptureFound]:
    """Yield the captures of an archive file in file order and fill in its ledger entry.

    part: from which byte to which it is read (None: to its end); all of it by default, and of one that is still being
    written what is whole.

    skip_pages: (member, offset, inner) of records whose pages are not to be parsed, because
    an earlier try took too long. on_record is called with the bytes of the file read so far.
    is_removed: whether captures of an address were taken out; they are skipped. With a share in `entry` only the
    captures of that share are yielded and counted; what is damaged is told by the first share. With `turns` the share
    is what they say, and damage goes with it; who takes the captures leaves the turn before they are worked on.
    Raises nothing for any content of the file: what cannot be read is in the entry.
    """
    share, shares = entry.share
    start = records = 0
    # by what the reader finds, which all shares find that are not in turns
    damaged = entry.damaged if share == 0 or turns else Damages()
    try:
        start, end = part or (0, last_member_end(path) if is_growing(path) else None)
        with ArchiveReader(path, start=start, end=end) as reader:
            items = reader.with_whole(RecordReader().read_members)
            for item in _in_turns(reader, items, turns) if turns else items:
                on_record(reader.position)
                if isinstance(item, Damage):
                    damaged.append(item)
                    continue
                for record in item if isinstance(item, list) else (item,):
                    records += 1
                    if shares > 1 and not turns and records // RECORDS_OF_A_SHARE % shares != share:
                        continue
                    entry.records += 1
                    take = _ordinary_capture if isinstance(record, WholeRecord) else _capture_of
                    capture = take(record, entry, skip_pages, is_removed)  # type: ignore[arg-type]
                    if capture is not None:
                        entry.captures += 1
                        entry.documents += capture.page is not None
                        yield capture
            entry.format = f"{reader.format}, {reader.compression}" if reader.format else ""
    except ArchiveError as error:
        damaged.append(_whole_file(path, start, str(error).removeprefix(f"{path}: ")))
        if not records:
            entry.status = "unreadable" if isinstance(error, UnreadableError) else "not an archive"
            return
    except OSError as error:
        damaged.append(_whole_file(path, start, f"cannot be read: {error.strerror or error}"))
        entry.status = "unreadable"
        return
    if entry.damaged or (damaged and not records):
        entry.status = "damaged"


def is_for_turns(path: str) -> bool:
    """Return whether a file begins with records that are alone in a gzip member, and ordinary."""
    try:
        with ArchiveReader(path) as reader:
            first = list(islice(reader.with_whole(RecordReader().read_members), 2))
    except ArchiveError:
        return False
    return all(isinstance(item, list) and not item[0].location.member for item in first)


def _in_turns(
    reader: ArchiveReader, items: Iterator[Record | list[WholeRecord] | Damage], turns: Turns
) -> Iterator[Record | list[WholeRecord] | Damage]:
    """Yield what is read in the turns of one share. What the file begins with is read by all, to know what it is.

    Who leaves a turn leaves it behind the records that were read at once, and works on the rest of these later.
    """
    if not isinstance(next(items, None), list):
        return  # it has become another one since it was shared out
    while (begin := turns.begin()) is not None:
        reader.go_on_at(begin, turns.until)
        for item in items:
            turns.reach(_end_of(item[-1]) if isinstance(item, list) else None)
            yield item
            if not turns.is_mine:
                break
        else:
            turns.end()


def _end_of(record: WholeRecord) -> int:
    return record.offset + record.length


def _whole_file(path: str, start: int, problem: str) -> Damage:
    try:
        size = os.path.getsize(path)
    except OSError:
        size = start
    return Damage(path, start, max(0, size - start), problem)


def _capture_of(
    record: Record,
    entry: FileEntry,
    skip_pages: frozenset[tuple[str, int, int]],
    is_removed: Callable[[str], bool],
) -> CaptureFound | None:
    if record.type not in _CAPTURE_TYPES:
        entry.skip(record.type_name.lower() if record.type != RecordType.UNKNOWN else "unknown type")
        if record.type == RecordType.CONTINUATION:
            entry.damaged.append(_at(record.location, _told_of_part(record)))
        return None
    if record.url.lower().startswith("dns:"):
        entry.skip("dns")
        return None
    if record.url and is_removed(record.url):
        entry.skip("removed")
        return None
    status, mime, page = 0, record.content_type, None
    payload = payload_digest(record.headers.get("WARC-Payload-Digest"))
    if record.type in (RecordType.RESPONSE, RecordType.RESOURCE):
        head = parse_head(record)
        if head is not None:
            status, mime = head.status, head.media_type
        elif record.type == RecordType.RESPONSE:
            mime = ""
        if head is not None and may_be_page(mime) and (status == 200 or record.type == RecordType.RESOURCE):
            response = parse_response(record, limits=PAGE_LIMITS, head=head)
            if response is not None:
                payload = payload or ("" if record.part else _raw_digest(response))
                mime, page = _page_in(response, mime, record.location, entry, skip_pages)
        elif not payload:
            payload = _computed_digest(record)
    elif record.type == RecordType.CONVERSION and not payload:
        payload = _computed_digest(record)
    elif record.type == RecordType.REVISIT:
        head = parse_head(record)
        if head is not None:
            status, mime = head.status, head.media_type
    if record.part:
        entry.damaged.append(_at(record.location, _told_of_part(record)))
    # made last of all: it names the place of the record, and to learn that skips what is left of it
    url = record.url or _made_up_address(record)
    if not record.url and is_removed(url):
        entry.skip("removed")
        return None
    return CaptureFound(
        url=url,
        timestamp=record.timestamp,
        type=str(record.type),
        status=status,
        mime=mime,
        payload=payload,
        refers_to=record.headers.get("WARC-Refers-To-Target-URI").strip("<> "),
        location=record.location,
        page=page,
    )


def _ordinary_capture(
    record: WholeRecord,
    entry: FileEntry,
    skip_pages: frozenset[tuple[str, int, int]],
    is_removed: Callable[[str], bool],
) -> CaptureFound | None:
    """Return what `_capture_of` says of a record that the core has read: the same, in a fraction of the time."""
    says: OrdinaryRecord = record.found
    if says.kind == ASIDE:
        entry.skip(record.data[says.type : says.type + says.type_size].decode("ascii").lower())
        return None
    head = record.data[: says.body].decode("ascii")  # all texts lie before the body
    url = head[says.url : says.url + says.url_size]
    if is_removed(url):
        entry.skip("removed")
        return None
    place, page = record.location, None
    payload = payload_digest(head[says.payload : says.payload + says.payload_size])
    if says.is_plain_page:
        mime = "text/html"
        begin, size = says.body, says.body_size
        # the body is not copied: it is some microseconds of a page
        digest = hashlib.sha1(memoryview(record.data)[begin : begin + size], usedforsecurity=False).digest()
        payload = payload or payload_digest("sha1:" + digest.hex())
        if not _is_left_out(place, entry, skip_pages):
            language = _one_language(head[says.http_language : says.http_language + says.http_language_size])
            page = PageBody(digest, record.data, begin, size, UTF_8, language)
    elif says.status:
        response = _ordinary_response(head, says)
        mime = response.media_type
        is_seen = says.kind == RESPONSE and says.status == 200 and may_be_page(mime)
        if is_seen or (says.kind == RESPONSE and not payload):
            give_body(response, record.data[says.body : says.body + says.body_size], limits=PAGE_LIMITS)
            payload = payload or _raw_digest(response)
        if is_seen:
            mime, page = _page_in(response, mime, place, entry, skip_pages)
    else:
        declared = head[says.content_type : says.content_type + says.content_type_size]
        mime = declared.partition(";")[0].strip().lower()
    return CaptureFound(
        url,
        says.timestamp.decode("ascii"),
        "response" if says.kind == RESPONSE else "revisit",
        says.status,
        mime,
        payload,
        head[says.refers_to : says.refers_to + says.refers_to_size].strip("<> "),
        place,
        page,
    )


def _ordinary_response(head: str, says: OrdinaryRecord) -> HttpResponse:
    """Return the response without its body, with those of its fields that matter to the index."""
    places = (
        ("Content-Type", says.http_type, says.http_type_size),
        ("Content-Language", says.http_language, says.http_language_size),
        ("Content-Encoding", says.content_coding, says.content_coding_size),
        ("Transfer-Encoding", says.transfer_coding, says.transfer_coding_size),
        ("X-Content-Type-Options", says.no_sniffing, says.no_sniffing_size),
    )
    fields = [(name, head[begin : begin + size]) for name, begin, size in places if begin]
    return HttpResponse(says.status, "", "", Headers(fields))


def _raw_digest(response: HttpResponse) -> str:
    """Return the digest of the payload, "" where it is not known."""
    return payload_digest("sha1:" + response.raw_body_sha1.hex()) if response.raw_body_sha1 else ""


def _page_in(
    response: HttpResponse,
    mime: str,
    place: Location,
    entry: FileEntry,
    skip_pages: frozenset[tuple[str, int, int]],
) -> tuple[str, PageBody | None]:
    """Return the media type of a response that may be a page, and the page if it is one and is to be read."""
    if (kind := response.computed_type) not in HTML_TYPES:
        return mime, None
    if _is_left_out(place, entry, skip_pages):
        return kind, None
    if response.truncated:
        entry.damaged.append(_at(place, "; ".join(response.problems) or "the body is cut short"))
    return kind, _page_of(response)


def _is_left_out(place: Location, entry: FileEntry, skip_pages: frozenset[tuple[str, int, int]]) -> bool:
    if not skip_pages or ("", place.offset, place.inner) not in skip_pages:
        return False
    entry.damaged.append(_at(place, _LEFT_OUT))
    return True


def _told_of_part(record: Record) -> str:
    if record.type == RecordType.CONTINUATION:
        origin = record.headers.get("WARC-Segment-Origin-ID").strip("<> ")[:200] or "it does not say which"
        begun = f"part {record.part} of a record that begins elsewhere ({origin})"
        return f"{begun}; parts are not joined, it is not searched"
    return (
        f"part {record.part} of a record that goes on in others; parts are not joined, only this one is read"
    )


def _computed_digest(record: Record) -> str:
    """Return the digest of the payload, "" where it is not all in the record or cannot be held."""
    digest = b"" if record.part else payload_sha1(record)
    return payload_digest("sha1:" + digest.hex()) if digest else ""


def _made_up_address(record: Record) -> str:
    """Return an address for a capture without one: its record id, else its place, so that it is not lost."""
    record_id = record.headers.get("WARC-Record-ID").strip("<> ")
    if record_id:
        return record_id
    place = record.location
    return f"urn:x-no-address:{os.path.basename(final_name(place.path))}:{place.offset + place.inner}"


def _at(place: Location, problem: str) -> Damage:
    return Damage(place.path, place.offset, place.length, problem, place.member)


def payload_digest(written: str) -> str:
    """Return a payload digest as most write it ("sha1:" and base32), so that a revisit meets its original.

    Digests of other kinds keep their value; "" stays "".
    """
    if _AS_MOST_WRITE.fullmatch(written):
        return written
    name, colon, value = written.strip().partition(":")
    if not colon:
        return name
    name = name.strip().lower().replace("sha-", "sha")
    value = value.strip()
    if name == "sha1":
        if re.fullmatch("[0-9a-fA-F]{40}", value):
            value = base64.b32encode(bytes.fromhex(value)).decode("ascii")
        elif re.fullmatch("[a-zA-Z2-7]{32}", value):
            value = value.upper()
    return f"{name}:{value}"


def page_at(place: Location) -> PageBody | None:
    """Return the page in a record, None when the archive cannot be read now or holds no page there."""
    try:
        with read_record_at(place) as record:
            response = parse_response(record, limits=PAGE_LIMITS)
    except (ArchiveError, OSError):
        return None
    return _page_of(response) if response is not None and response.computed_type in HTML_TYPES else None


def _page_of(response: HttpResponse) -> PageBody:
    markup, charset = html_in_utf8(response.body, response.content_type)
    digest = response.body_sha1 or hashlib.sha1(response.body, usedforsecurity=False).digest()
    return PageBody(digest, markup, 0, len(markup), charset, header_language(response))


def header_language(response: HttpResponse) -> str:
    """Return the language that an HTTP header declares, as written; "" where it declares none, or several."""
    return _one_language(response.headers.get("Content-Language"))


def _one_language(written: str) -> str:
    named = written.strip()
    return "" if "," in named else named
