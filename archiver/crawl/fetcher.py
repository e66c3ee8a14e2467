"""One request and its response, kept byte for byte; used by the crawler for pages, robots.txt and sitemaps.

requests builds the request and its adapter manages the connections; the body is
read here, from a stream that keeps what it reads, because an archive wants the
bytes as they came over the wire, chunk sizes and all. Redirects are not
followed: each is a capture of its own.
"""

from __future__ import annotations

import http.client
import re
import socket
import threading
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, cast
from urllib.parse import quote_from_bytes, urljoin

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from archiver.crawl.errors import AddressRefusedError, FetchError
from archiver.crawl.guard import AddressGuard
from archiver.warc.decoding import undo_codings
from archiver.warc.limits import DEFAULT_LIMITS
from archiver.warc.mediatype import media_type_of
from archiver.warc.record import Headers

_PIECE_BYTES = 1 << 16
_LONGEST_CHUNK_LINE = 4096
# Files that a page needs to look right may be larger than a page.
_REQUISITE_TYPES = (
    "image/",
    "font/",
    "text/css",
    "application/font",
    "application/javascript",
    "text/javascript",
    "application/x-javascript",
    "application/vnd.ms-fontobject",
    "application/x-font",
)


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """How long and how much: seconds to connect, between two bytes and in all; bytes of a page and of other files."""

    connect_s: float = 10.0
    read_s: float = 30.0
    total_s: float = 120.0
    page_bytes: int = 300_000
    requisite_bytes: int = 10_000_000


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response.

    request, head, body: the bytes of the wire; head is the status line and the
        fields up to the empty line, body still has its transfer coding.
    entity: the body without transfer coding, content coding still on.
    truncated: "" or why the body is cut: "length", "time", "disconnect".
    seconds: from sending the request to the last byte.
    """

    url: str
    started: datetime
    seconds: float
    address: str
    request: bytes
    head: bytes
    body: bytes
    entity: bytes
    status: int
    headers: Headers
    truncated: str = ""

    @property
    def content_type(self) -> str:
        """The media type, lower case and without parameters; "" when none was sent."""
        return media_type_of(self.headers)

    @property
    def redirect_target(self) -> str:
        """Where a redirect leads, absolute and in ASCII; "" for other answers and unusable targets."""
        if self.status not in (301, 302, 303, 307, 308):
            return ""
        # http.client reads header bytes as Latin-1, so this gives them back as they were sent.
        raw = self.headers.get("Location").strip().encode("latin-1", "replace")
        location = quote_from_bytes(raw, safe="!#$%&'()*+,/:;=?@[]~-._|^`{}\"<>\\ ")
        try:
            return urljoin(self.url, location) if location else ""
        except ValueError:
            return ""

    @property
    def retry_after_s(self) -> float:
        """Seconds that the server asks us to wait; 0 when it does not ask."""
        value = self.headers.get("Retry-After").strip()
        if value.isdigit():
            return float(value[:9])
        try:
            wait = parsedate_to_datetime(value) - datetime.now(UTC) if value else timedelta()
            return max(0.0, wait.total_seconds())
        except (ValueError, TypeError):
            return 0.0

    def decoded(self, limit: int) -> bytes:
        """Return at most `limit` bytes of the body without content coding; what cannot be decoded comes as it is."""
        codings = [n for v in self.headers.get_all("Content-Encoding") for n in v.split(",")]
        if not codings:
            return self.entity[:limit]
        return undo_codings(self.entity, codings, replace(DEFAULT_LIMITS, body_bytes=limit)).body[:limit]


class _Deadline(threading.local):
    """When the fetch of this thread has to be over, by the monotonic clock."""

    at = float("inf")


_deadline = _Deadline()


class _Overtime(OSError):
    """The total time for a fetch is used up."""


class _WireFile:
    """A response's stream that keeps every byte it hands out and looks at the clock before each wait.

    http.client reads the head through it, we the body. A plain buffered file
    would wait for a full buffer from a server that sends a byte a minute.
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        self.wire = bytearray()
        self.closed = False

    def _look(self) -> bytes:
        if time.monotonic() > _deadline.at:
            raise _Overtime("total time used up")
        return cast(bytes, self._file.peek(1))

    def readline(self, limit: int = -1) -> bytes:
        line = bytearray()
        while limit < 0 or len(line) < limit:
            ahead = self._look()
            if not ahead:
                break
            end = ahead.find(b"\n") + 1
            wanted = end or len(ahead)
            if limit >= 0:
                wanted = min(wanted, limit - len(line))
            line += self._file.read(wanted)
            if end and line.endswith(b"\n"):
                break
        self.wire += line
        return bytes(line)

    def read1(self, limit: int) -> bytes:
        """Return what is there, at least a byte and at most `limit`; b"" at the end."""
        self._look()
        data = cast(bytes, self._file.read1(limit))
        self.wire += data
        return data

    def read(self, size: int = -1) -> bytes:
        data = bytearray()
        while size < 0 or len(data) < size:
            piece = self.read1(_PIECE_BYTES if size < 0 else size - len(data))
            if not piece:
                break
            data += piece
        return bytes(data)

    def flush(self) -> None:
        return None

    def close(self) -> None:
        self.closed = True
        self._file.close()


class _WireResponse(http.client.HTTPResponse):
    """http.client's response, reading through a _WireFile."""

    sent: bytes = b""
    peer: str = ""

    def __init__(
        self, sock: socket.socket, debuglevel: int = 0, method: str | None = None, url: str | None = None
    ) -> None:
        super().__init__(sock, debuglevel, method, url)
        self.stream = _WireFile(self.fp)
        self.fp = self.stream  # type: ignore[assignment]

    def _read_status(self) -> tuple[str, int, str]:
        # Called again after each "100 Continue", which is no part of the response.
        self.stream.wire.clear()
        return super()._read_status()  # type: ignore[misc,no-any-return]


def _guarded_pools(guard: AddressGuard) -> dict[str, type[HTTPConnectionPool]]:
    """Return pool classes whose connections are opened by the guard and remember what they sent."""

    class Guarded:
        host: str
        port: int
        timeout: Any
        sock: Any
        response_class = _WireResponse
        _sent: bytearray

        def _new_conn(self) -> socket.socket:
            wait = self.timeout if isinstance(self.timeout, (int, float)) else 10.0
            wait = max(0.1, min(wait, _deadline.at - time.monotonic()))
            try:
                return guard.connect(self.host, self.port, wait)
            except socket.gaierror as error:
                raise urllib3.exceptions.NameResolutionError(self.host, cast(Any, self), error) from error
            except TimeoutError as error:
                raise urllib3.exceptions.ConnectTimeoutError(cast(Any, self), "timed out") from error
            except OSError as error:
                raise urllib3.exceptions.NewConnectionError(cast(Any, self), str(error)) from error

        def putrequest(self, *arguments: Any, **named: Any) -> None:
            self._sent = bytearray()
            super().putrequest(*arguments, **named)  # type: ignore[misc]

        def send(self, data: Any) -> None:
            super().send(data)  # type: ignore[misc]
            self._sent += data

        def getresponse(self) -> urllib3.HTTPResponse:
            # Asked first, for a response that ends with its connection takes the socket away.
            peer = str(self.sock.getpeername()[0])
            response = cast(urllib3.HTTPResponse, super().getresponse())  # type: ignore[misc]
            original = cast(_WireResponse, response._original_response)
            original.sent, original.peer = bytes(self._sent), peer
            return response

    class GuardedHTTP(Guarded, HTTPConnection):  # type: ignore[misc]
        pass

    class GuardedHTTPS(Guarded, HTTPSConnection):  # type: ignore[misc]
        pass

    class HTTPPool(HTTPConnectionPool):
        ConnectionCls = cast(Any, GuardedHTTP)

    class HTTPSPool(HTTPSConnectionPool):
        ConnectionCls = cast(Any, GuardedHTTPS)

    return {"http": HTTPPool, "https": HTTPSPool}


class Fetcher:
    """Fetches one address at a time for each thread; safe from many threads.

    Cookies, proxies and passwords of the environment are never used, since the
    adapter is called without a session.
    """

    def __init__(
        self,
        guard: AddressGuard,
        *,
        user_agent: str,
        limits: FetchLimits | None = None,
        threads: int = 8,
        verify_tls: bool = True,
        sender: str = "",
    ) -> None:
        self._guard = guard
        self.limits = limits or FetchLimits()
        self._verify = verify_tls
        self._adapter = HTTPAdapter(pool_connections=threads * 8, pool_maxsize=threads, max_retries=0)
        self._adapter.poolmanager.pool_classes_by_scheme = _guarded_pools(guard)
        self._fields = {
            "User-Agent": user_agent,
            "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
            "Accept-Encoding": "gzip, deflate",
            "Connection": "keep-alive",
        }
        if sender:
            self._fields["From"] = sender

    def fetch(
        self, url: str, fields: dict[str, str] | None = None, *, body_limit: int | None = None
    ) -> Exchange:
        """Return the exchange for a canonical address.

        fields: further request fields, for a conditional request.
        body_limit: bytes of the body without transfer coding to take; None
            goes by the limits and the media type.
        Raises FetchError when no response came, AddressRefusedError when the
        guard refuses.
        """
        request = self._prepare(url, fields)
        started, clock = datetime.now(UTC), time.monotonic()
        _deadline.at = clock + self.limits.total_s
        try:
            response = self._adapter.send(
                request,
                stream=True,
                timeout=(self.limits.connect_s, self.limits.read_s),
                verify=self._verify,
                proxies={},
            )
        except AddressRefusedError:
            raise
        except Exception as error:
            raise _translate(url, error) from error
        raw = cast(urllib3.HTTPResponse, response.raw)
        original = cast(_WireResponse, raw._original_response)
        stream = original.stream
        head = bytes(stream.wire)
        stream.wire = bytearray()
        headers = Headers((name, value) for name, value in original.getheaders())
        if body_limit is None:
            media_type = media_type_of(headers)
            body_limit = (
                self.limits.requisite_bytes
                if media_type.startswith(_REQUISITE_TYPES)
                else self.limits.page_bytes
            )
        entity, truncated, whole = _read_body(original, stream, body_limit)
        body = bytes(stream.wire)
        if whole and not original.will_close:
            original.close()
            raw.release_conn()
        else:
            raw.close()
        return Exchange(
            url,
            started,
            time.monotonic() - clock,
            original.peer,
            original.sent,
            head,
            body,
            entity,
            original.status,
            headers,
            truncated,
        )

    def close(self) -> None:
        """Close all connections."""
        self._adapter.close()

    def _prepare(self, url: str, fields: dict[str, str] | None) -> requests.PreparedRequest:
        # Request.prepare would spell the address anew; ours is canonical and must be sent as it is stored.
        request = requests.PreparedRequest()
        request.method = "GET"
        request.url = url
        request.headers = requests.structures.CaseInsensitiveDict({**self._fields, **(fields or {})})
        request.body = None
        request.hooks = requests.hooks.default_hooks()
        return request


def _read_body(original: http.client.HTTPResponse, stream: _WireFile, limit: int) -> tuple[bytes, str, bool]:
    """Return the body without transfer coding, why it was cut ("" if not), and whether the stream is at its end."""
    entity = bytearray()
    try:
        if original.chunked:
            return _read_chunks(stream, entity, limit)
        length = original.length
        while length is None or len(entity) < length:
            if len(entity) >= limit:
                if length is None and not stream._look():
                    break
                return bytes(entity), "length", False
            wanted = min(_PIECE_BYTES, limit - len(entity))
            if length is not None:
                wanted = min(wanted, length - len(entity))
            piece = stream.read1(wanted)
            if not piece:
                return bytes(entity), "" if length is None else "disconnect", False
            entity += piece
        return bytes(entity), "", length is not None
    except (TimeoutError, _Overtime):
        return bytes(entity), "time", False
    except (OSError, http.client.HTTPException):
        return bytes(entity), "disconnect", False


def _read_chunks(stream: _WireFile, entity: bytearray, limit: int) -> tuple[bytes, str, bool]:
    while True:
        line = stream.readline(_LONGEST_CHUNK_LINE)
        if not line:
            return bytes(entity), "disconnect", False
        size_text = line.partition(b";")[0].strip()
        if not re.fullmatch(rb"[0-9a-fA-F]{1,8}", size_text):
            # The server says chunked and sends a plain body: it starts with what looked like a size.
            entity += line
            while len(entity) < limit and (piece := stream.read1(min(_PIECE_BYTES, limit - len(entity)))):
                entity += piece
            return bytes(entity), "length" if len(entity) >= limit and stream._look() else "", False
        left = int(size_text, 16)
        if left == 0:
            while stream.readline(_LONGEST_CHUNK_LINE).strip():
                pass
            return bytes(entity), "", True
        while left:
            if len(entity) >= limit:
                return bytes(entity), "length", False
            piece = stream.read1(min(_PIECE_BYTES, left, limit - len(entity)))
            if not piece:
                return bytes(entity), "disconnect", False
            entity += piece
            left -= len(piece)
        stream.readline(8)


def _translate(url: str, error: BaseException) -> FetchError:
    """Turn what requests and urllib3 raise into a FetchError with a short reason."""
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and len(causes) < 10:
        causes.append(cause)
        inner = next(
            (a for a in (getattr(cause, "reason", None), *cause.args) if isinstance(a, BaseException)), None
        )
        cause = inner or cause.__cause__ or cause.__context__
    for kind, reason, problem in (
        (_Overtime, "timeout", "took longer than the total time allowed"),
        (urllib3.exceptions.NameResolutionError, "dns", "the host name has no address"),
        (requests.exceptions.SSLError, "tls", "the secure connection failed"),
        (requests.exceptions.ConnectTimeout, "timeout", "no connection within the time allowed"),
        (TimeoutError, "timeout", "no answer within the time allowed"),
        (requests.exceptions.ReadTimeout, "timeout", "no answer within the time allowed"),
        (ConnectionRefusedError, "refused", "the connection was refused"),
        (ConnectionResetError, "reset", "the connection was reset"),
        (http.client.BadStatusLine, "not http", "the answer is not HTTP"),
        (http.client.HTTPException, "not http", "the answer is not proper HTTP"),
        (urllib3.exceptions.NewConnectionError, "connect", "no connection"),
        (requests.exceptions.InvalidURL, "address", "not an address that can be asked for"),
        (urllib3.exceptions.LocationValueError, "address", "not an address that can be asked for"),
    ):
        found = next((c for c in causes if isinstance(c, kind)), None)
        if found is not None:
            if isinstance(found, http.client.RemoteDisconnected):
                reason, problem = "disconnect", "the server closed the connection without an answer"
            detail = (
                ""
                if reason in ("timeout", "refused", "dns", "disconnect", "reset")
                else f" ({_short(causes[-1])})"
            )
            return FetchError(url, reason, problem + detail, lasting=reason == "address")
    return FetchError(url, "connect", f"no answer ({_short(causes[-1])})")


def _short(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return (text or type(error).__name__)[:200]
