"""One HTTP/1 answer as it comes over a connection: every byte kept, nothing believed; used by the fetcher.

An archive wants the bytes of the wire, chunk sizes and all, so head and body
are read here and not by an HTTP library. Servers lie about lengths, cut chunks
short, send answers before the answer and bytes behind it; what cannot be told
apart for certain is no answer.

    HTTP/1.1 103 Early Hints      interim answers: read over
    HTTP/1.1 200 OK               head: up to the empty line
    ...                           body: as its framing says, or to the end of the connection
"""

from __future__ import annotations

import re
import socket
import time
from dataclasses import dataclass

from archiver.crawl.reasons import Reason
from archiver.warc.decoding import undo_chunks
from archiver.warc.limits import DEFAULT_LIMITS
from archiver.warc.record import Headers

MOST_HEAD_BYTES = 256 << 10  # what browsers take; the archive reader takes more
MOST_INTERIM = 20
_PIECE_BYTES = 1 << 16
_LONGEST_CHUNK_LINE = 4096
_CHUNK_ROOM_BYTES = 1 << 16
_STATUS_LINE = re.compile(rb"HTTP/\d[^ \t\r\n]{0,10}[ \t]+(\d{3})(?!\d)[^\n]*\n", re.IGNORECASE)
_CHUNK_SIZE = re.compile(rb"[ \t]*0{0,64}([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\r\n]*)?\r?\n")
_NUMBER = re.compile(r"[0-9]{1,1000}")
_EMPTY_LINE = re.compile(rb"\r{0,2}\n")
_MARKUP = re.compile(rb"<[!?A-Za-z]")
_NO_BODY = frozenset({204, 304})
_SWITCHING_PROTOCOLS = 101


class AnswerError(Exception):
    """What came is no answer. reason: for the counts, as in FetchError."""

    def __init__(self, reason: Reason, problem: str) -> None:
        super().__init__(problem)
        self.reason = reason
        self.problem = problem


class Wire:
    """What comes over a connection, in lines and pieces; `taken` holds the bytes handed out so far.

    read_s: seconds to wait for the next byte. deadline: when all must be over, by
        the monotonic clock. Both raise TimeoutError, also for a server that drips.
    """

    def __init__(self, connection: socket.socket, read_s: float, deadline: float) -> None:
        self._connection = connection
        self._read_s = read_s
        self._deadline = deadline
        self._ahead = b""
        self._place = 0
        self.taken = bytearray()

    def is_at_end(self) -> bool:
        """Has the server closed the connection, with nothing left to hand out? Waits for what comes next."""
        if self._place < len(self._ahead):
            return False
        left_s = self._deadline - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("total time used up")
        self._connection.settimeout(min(self._read_s, left_s))
        self._ahead, self._place = self._connection.recv(_PIECE_BYTES), 0
        return not self._ahead

    def piece(self, limit: int) -> bytes:
        """Return what is there, at least a byte and at most `limit`; b"" at the end."""
        if limit <= 0 or self.is_at_end():
            return b""
        data = self._ahead[self._place : self._place + limit]
        self._place += len(data)
        self.taken += data
        return data

    def line(self, limit: int) -> bytes:
        """Return the bytes up to a line feed and with it; fewer when there are `limit` of them or the end comes."""
        line = b""
        while len(line) < limit and not line.endswith(b"\n") and not self.is_at_end():
            end = self._ahead.find(b"\n", self._place) + 1 or len(self._ahead)
            line += self.piece(min(end - self._place, limit - len(line)))
        return line

    def put_back(self, data: bytes) -> None:
        """Let what was handed out last be handed out again."""
        self._ahead, self._place = data + self._ahead[self._place :], 0
        del self.taken[len(self.taken) - len(data) :]


@dataclass(frozen=True, slots=True)
class Head:
    """The head of an answer.

    raw: its bytes with the empty line. length: of the body as the header tells it,
        None when it does not; a chunked body ends with its last chunk instead.
    """

    raw: bytes
    status: int
    headers: Headers
    is_chunked: bool
    length: int | None


@dataclass(frozen=True, slots=True)
class Body:
    """The body of an answer. raw: its bytes; entity: without transfer coding.

    truncated: "" or why it is cut, in the words of WARC-Truncated: "length" (the
        limit), "time", "disconnect", "unspecified" (the chunks are broken).
    """

    raw: bytes
    entity: bytes
    truncated: str


def read_head(wire: Wire) -> Head:
    """Return the head of the final answer; answers before it (1xx) are read over.

    Header values are Latin-1, so they give back the bytes as sent. Raises
    AnswerError, and OSError (TimeoutError among them) when the connection fails.
    """
    for _ in range(MOST_INTERIM + 1):
        wire.taken.clear()
        status = _read_status(wire)
        headers = _read_fields(wire)
        if status == _SWITCHING_PROTOCOLS:
            raise AnswerError(
                Reason.NOT_HTTP, "the server switches to another protocol, which nobody asked for"
            )
        if status >= 200:
            coding = [t.strip().lower() for v in headers.get_all("Transfer-Encoding") for t in v.split(",")]
            if status in _NO_BODY:
                return Head(bytes(wire.taken), status, headers, False, 0)
            return Head(bytes(wire.taken), status, headers, "chunked" in coding, _length(headers))
    raise AnswerError(Reason.NOT_HTTP, f"more than {MOST_INTERIM} interim answers and no final one")


def read_body(wire: Wire, head: Head, limit: int) -> Body:
    """Return the body that belongs to a head, cut at `limit` bytes without transfer coding; never raises OSError."""
    wire.taken.clear()
    try:
        truncated = (
            _read_chunks(wire, head.length, limit)
            if head.is_chunked
            else _read_plain(wire, head.length, limit)
        )
    except TimeoutError:
        truncated = "time"
    except OSError:
        truncated = "disconnect"
    raw = bytes(wire.taken)
    # Undone by the reader of archives, so that a page is the same here, in the index and in replay.
    entity = undo_chunks(raw).body[:limit] if head.is_chunked else raw
    return Body(raw, entity, truncated)


def _read_status(wire: Wire) -> int:
    line = wire.line(_LONGEST_CHUNK_LINE)
    if not line:
        raise AnswerError(Reason.DISCONNECT, "the server closed the connection without an answer")
    found = _STATUS_LINE.match(line)
    if not found or not 100 <= int(found[1]) <= 999:
        raise AnswerError(Reason.NOT_HTTP, f"the answer is not HTTP ({line[:60].decode('latin-1')!r})")
    return int(found[1])


def _read_fields(wire: Wire) -> Headers:
    """Read to the empty line, or to markup where a server left the empty line out.

    Parsed as bytes: as text, the last byte of "città" in UTF-8 would be a blank and be stripped.
    """
    fields: list[tuple[str, str]] = []
    while True:
        line = wire.line(MOST_HEAD_BYTES + 1 - len(wire.taken))
        if len(wire.taken) > MOST_HEAD_BYTES:
            raise AnswerError(Reason.HEADER, f"the header is longer than {MOST_HEAD_BYTES >> 10} KiB")
        if not line.endswith(b"\n"):
            raise AnswerError(Reason.DISCONNECT, "the connection was closed in the middle of the header")
        if _MARKUP.match(line):
            wire.put_back(line)
            break
        if _EMPTY_LINE.fullmatch(line):
            break
        name, colon, value = (part.strip().decode("latin-1") for part in line.partition(b":"))
        if line[:1] in (b" ", b"\t"):
            if fields:
                last, before = fields[-1]
                fields[-1] = (last, f"{before} {line.strip().decode('latin-1')}".strip(" "))
        elif colon and len(fields) < DEFAULT_LIMITS.header_fields:
            fields.append((name, value))
    return Headers(fields)


def _length(headers: Headers) -> int | None:
    """Return the length that the header tells; None for none and for what is no number."""
    values = {v.strip(" \t") for field in headers.get_all("Content-Length") for v in field.split(",")} - {""}
    if not all(map(_NUMBER.fullmatch, values)):
        return None
    lengths = {int(value) for value in values}
    if len(lengths) > 1:
        raise AnswerError(
            Reason.NOT_HTTP, f"the answer has two lengths: {', '.join(map(str, sorted(lengths)))[:60]}"
        )
    return lengths.pop() if lengths else None


def _read_plain(wire: Wire, length: int | None, limit: int) -> str:
    while length is None or len(wire.taken) < length:
        left = limit - len(wire.taken)
        if left <= 0:
            return "" if length is None and wire.is_at_end() else "length"
        if not wire.piece(left if length is None else min(left, length - len(wire.taken))):
            return "" if length is None else "disconnect"
    return ""


def _read_chunks(wire: Wire, length: int | None, limit: int) -> str:
    """Read chunks to the last one and its trailers; a plain body that is only called chunked is read to its end."""
    size_read = 0
    while True:
        line = wire.line(_LONGEST_CHUNK_LINE)
        found = _CHUNK_SIZE.fullmatch(line)
        if not line:
            return "disconnect"
        if not found:
            wire.put_back(line)
            return "unspecified" if size_read else _read_plain(wire, length, limit)
        left = int(found[1], 16)
        if left == 0:
            _read_trailers(wire)
            return ""
        is_first = not size_read
        while left:
            if size_read >= limit or len(wire.taken) > 2 * limit + _CHUNK_ROOM_BYTES:
                return "length"
            piece = wire.piece(min(left, limit - size_read))
            if not piece:
                # The first line of a page may look like a size, such as that of a year.
                return "" if is_first and not line.endswith(b"\r\n") else "disconnect"
            size_read += len(piece)
            left -= len(piece)
        if not _EMPTY_LINE.fullmatch(end := wire.line(2)):
            if not end:
                return "disconnect"
            return _read_plain(wire, length, limit) if is_first else "unspecified"


def _read_trailers(wire: Wire) -> None:
    most = len(wire.taken) + MOST_HEAD_BYTES
    while len(wire.taken) < most and (line := wire.line(_LONGEST_CHUNK_LINE)):
        if _EMPTY_LINE.fullmatch(line):
            return
