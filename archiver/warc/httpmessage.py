"""HTTP responses in records: status, headers, decoded body. Nothing here trusts what a header claims."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from .decoding import Decoded, undo_chunks, undo_codings
from .header import HEAD_END, decode, parse_fields
from .limits import DEFAULT_LIMITS, KIB, Limits
from .mediatype import content_type_of, media_type_of
from .record import Headers, Record, RecordType
from .sniffing import START_BYTES, computed_type

STATUS_LINE = re.compile(
    rb"\s{0,16}(HTTP[A-Z]{0,8}(?:/[^ \t\r\n]{0,20})?)[ \t]+(\d{3})(?!\d)[ \t]*([^\r\n]*)\r{0,2}(?:\n|\Z)",
    re.IGNORECASE,
)
MARKUP = re.compile(rb"\n(?=<[!?A-Za-z])")
"""Where the body begins behind a header without a blank line: no field begins with a bracket."""

CODING = re.compile(r"([^\s,;\"']+)[\"']?(?:\s*;[^,]*)?")
MOST_INTERIM = 8


@dataclass(slots=True)
class HttpResponse:
    """What a record says that the server answered.

    status: 0 for pages stored without an HTTP header (resource, conversion, some of ARC).
    body: transfer and content codings undone as far as they are true.
    problems: one plain sentence for each thing that was not as declared.
    truncated: a part of the body is missing: the record is cut, the data broken, or a limit was reached.
    raw_body_sha1: SHA-1 of the body with only the transfer coding undone, which
        is what WARC-Payload-Digest covers; b"" if it was too large to be held, or not asked for.
    body_sha1: SHA-1 of `body` where it is known already, which it is of a body without content coding; else b"".
    header_size: bytes of the record's block that stand before the body.
    """

    status: int
    reason: str
    version: str
    headers: Headers
    body: bytes = b""
    problems: tuple[str, ...] = ()
    truncated: bool = False
    raw_body_sha1: bytes = b""
    body_sha1: bytes = b""
    header_size: int = 0

    @property
    def content_type(self) -> str:
        """The Content-Type that counts, with its charset; "" if there is none. See `content_type_of`."""
        return content_type_of(self.headers)

    @property
    def media_type(self) -> str:
        """The media type that is declared, lower case, without parameters; "" if there is none."""
        return media_type_of(self.headers)

    @property
    def computed_type(self) -> str:
        """The media type that the body has, see `sniffing.computed_type`."""
        return computed_type(self.headers, self.body[:START_BYTES])


def parse_head(record: Record, *, limits: Limits = DEFAULT_LIMITS) -> HttpResponse | None:
    """Return the response without its body, which stays unread; None as in `parse_response`."""
    found = _find_head(record, limits)
    if not found:
        return None
    response = found[0]
    response.header_size = found[1]
    return response


def parse_response(
    record: Record,
    *,
    limits: Limits = DEFAULT_LIMITS,
    with_sha1: bool = True,
    head: HttpResponse | None = None,
) -> HttpResponse | None:
    """Return the response in a record, its body decoded; None if the block is no HTTP response.

    Resource and conversion records, and ARC records that hold no HTTP header,
    come out with status 0 and the media type of the record as their header.
    with_sha1: whether `raw_body_sha1` is wanted; it takes about as long as unpacking.
    head: what `parse_head` gave for the same record, of which nothing was read since; it becomes the response.
    """
    response = head or parse_head(record, limits=limits)
    if not response:
        return None
    problems = list(response.problems)
    _skip(record, response.header_size)
    raw = record.read(limits.body_bytes)
    if record.peek(1):
        problems.append(f"the body is longer than {limits.body_bytes >> 20} MiB; the rest is cut off")
        response.truncated = True
    if record.truncated == "file":
        problems.append("the file ends before the record does")
        response.truncated = True
    _decode_body(response, raw, problems, limits, with_sha1)
    return response


def give_body(response: HttpResponse, raw: bytes, *, limits: Limits = DEFAULT_LIMITS) -> None:
    """Give a response without body the one that its record holds, all of it; its codings are undone."""
    _decode_body(response, raw, list(response.problems), limits, with_sha1=True)


def payload_sha1(record: Record, *, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return the SHA-1 that WARC-Payload-Digest covers: of the body with only the transfer coding undone.

    b"" for a chunked body that is too large to be held. Reads the record to its end.
    """
    found = _find_head(record, limits)
    transfer: list[str] = []
    if found:
        _skip(record, found[1])
        transfer = _codings(found[0].headers, "transfer-encoding")
    if "chunked" in transfer:
        raw = record.read(limits.body_bytes)
        return (
            b""
            if record.peek(1)
            else hashlib.sha1(_unchunked(raw, transfer).body, usedforsecurity=False).digest()
        )
    digest = hashlib.sha1(usedforsecurity=False)
    while piece := record.read(64 * KIB):
        digest.update(piece)
    return digest.digest()


def _skip(record: Record, count: int) -> None:
    while count > 0:
        part = record.read(count)
        if not part:
            break
        count -= len(part)


def _decode_body(
    response: HttpResponse, raw: bytes, problems: list[str], limits: Limits, with_sha1: bool
) -> None:
    fields = response.headers
    transfer = _codings(fields, "transfer-encoding")
    chunked = "chunked" in transfer
    if chunked and raw:
        unchunked = _unchunked(raw, transfer)
        problems += unchunked.problems
        response.truncated |= unchunked.truncated
        raw = unchunked.body
    if with_sha1 and (not response.truncated or len(raw) < limits.body_bytes):
        response.raw_body_sha1 = hashlib.sha1(raw, usedforsecurity=False).digest()
    codings = _codings(fields, "content-encoding")
    codings += [name for name in transfer if name != "chunked"]
    if codings and raw:
        result = undo_codings(raw, codings, limits)
        problems += result.problems
        response.truncated |= result.truncated
        raw = result.body
    else:
        response.body_sha1 = response.raw_body_sha1
    response.body = raw
    response.problems = tuple(problems)


def _unchunked(raw: bytes, transfer: list[str]) -> Decoded:
    unchunked = undo_chunks(raw)
    if transfer.count("chunked") > 1 and unchunked.body:  # declared twice is seldom true, yet there are some
        again = undo_chunks(unchunked.body)
        if not again.problems:
            return Decoded(again.body, unchunked.problems, unchunked.truncated)
    return unchunked


def _codings(fields: Headers, name: str) -> list[str]:
    if name not in fields:
        return []
    return [part.lower() for value in fields.get_all(name) for part in CODING.findall(value)]


def _find_head(record: Record, limits: Limits) -> tuple[HttpResponse, int, list[str]] | None:
    """Return the head of the response, its size in bytes and its problems; the block stays unread."""
    if record.type in (RecordType.REQUEST, RecordType.WARCINFO, RecordType.METADATA):
        return None
    start = record.peek(4 * KIB)
    status_line = STATUS_LINE.match(start)
    if record.type in (RecordType.RESOURCE, RecordType.CONVERSION) and not (
        status_line and record.content_type == "application/http"
    ):
        types = [("Content-Type", value) for value in record.headers.get_all("Content-Type") if value]
        return HttpResponse(0, "", "", Headers(types)), 0, []
    if not status_line:
        return None
    problems: list[str] = []
    begin = 0
    for _ in range(MOST_INTERIM):
        start, end = _hold_head(record, status_line, limits)
        following = STATUS_LINE.match(start, end) if end and _is_interim(status_line) else None
        if not following:
            break
        begin, status_line = end, following
    markup = MARKUP.search(start, status_line.end() - 1, end or len(start))
    if markup:
        end = markup.end()
        problems.append("the HTTP header has no blank line at its end")
    elif not end:
        end = len(start)
        problems.append(f"the HTTP header has no end within {end - begin} bytes")
    fields, _ = parse_fields(decode(start[status_line.end() : end]), limits.header_fields)
    version, status, reason = status_line.groups()
    response = HttpResponse(int(status), decode(reason).strip(), decode(version), Headers(fields))
    response.problems = tuple(problems)
    return response, end, problems


def _hold_head(record: Record, status_line: re.Match[bytes], limits: Limits) -> tuple[bytes, int]:
    """Return the start of the block and where in it the header with this status line ends; 0 where it has no end."""
    start = b""
    for count in (4 * KIB, 64 * KIB, limits.header_bytes):
        start = record.peek(status_line.start() + min(count, limits.header_bytes))
        end = HEAD_END.search(start, status_line.end() - 1)
        if end:
            return start, end.end()
    return start, 0


def _is_interim(status_line: re.Match[bytes]) -> bool:
    """Is this an answer before the answer: "100 Continue", "103 Early Hints", a proxy's "Connection established"?"""
    _, status, reason = status_line.groups()
    return status.startswith(b"1") or reason.strip().lower() == b"connection established"
