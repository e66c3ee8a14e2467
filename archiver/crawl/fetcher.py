"""One request and its response, kept byte for byte; used by the crawler for pages, robots.txt and sitemaps.

Each request has a connection of its own. A server may send bytes behind its
answer, at once or late, or a second answer that nobody asked for; on a
connection that is used again these would be read as the answer to the next
request, and be stored under its address. Nothing in HTTP/1 tells them apart.

The address is asked for as it was written, letter for letter, and redirects
are not followed: each is a capture of its own. The answer is read in wire.py.
"""

from __future__ import annotations

import re
import socket
import ssl
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import quote_from_bytes, urlsplit

import certifi

from archiver.crawl.errors import FetchError
from archiver.crawl.guard import AddressGuard
from archiver.crawl.reasons import Reason
from archiver.crawl.wire import AnswerError, Wire, read_body, read_head
from archiver.warc.decoding import undo_codings
from archiver.warc.limits import DEFAULT_LIMITS
from archiver.warc.mediatype import media_type_of
from archiver.warc.record import Headers
from archiver.warc.urls import asked_url

_ASCII = "".join(map(chr, range(33, 127))) + " "
_PORTS = {"http": 80, "https": 443}
# What can be asked for. Nothing else gets into a request line, which a blank or a line break would end.
_ASKABLE = re.compile(r"(https?)://([^/?#\s]+)(/[\x21-\x7e]*)?")
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
    page_bytes: int = 64_000_000
    requisite_bytes: int = 64_000_000


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
        # Header values are Latin-1, so this gives the bytes back as they were sent. Of str's blanks one is the end of
        # "à" in UTF-8.
        raw = self.headers.get("Location").strip(" \t").encode("latin-1", "replace")
        location = quote_from_bytes(raw, safe=_ASCII)
        try:
            return asked_url(location, self.url) if location else ""
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


class Fetcher:
    """Fetches addresses; safe from many threads. Cookies, proxies and passwords of the environment are never used."""

    def __init__(
        self,
        guard: AddressGuard,
        *,
        user_agent: str,
        limits: FetchLimits | None = None,
        verify_tls: bool = True,
    ) -> None:
        self._guard = guard
        self.limits = limits or FetchLimits()
        self._tls = ssl.create_default_context(cafile=certifi.where())
        self._tls.set_alpn_protocols(["http/1.1"])
        if not verify_tls:
            self._tls.check_hostname = False
            self._tls.verify_mode = ssl.CERT_NONE
        self._fields = {
            "User-Agent": user_agent,
            "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
            "Accept-Encoding": "gzip, deflate",
            "Connection": "close",
        }

    def fetch(
        self, url: str, fields: dict[str, str] | None = None, *, body_limit: int | None = None
    ) -> Exchange:
        """Return the exchange for an address, which is asked for as it is written here.

        fields: further request fields, for a conditional request.
        body_limit: bytes of the body without transfer coding to take; None
            goes by the limits and the media type.
        Raises FetchError when no response came, AddressRefusedError when the
        guard refuses.
        """
        askable = _ASKABLE.fullmatch(url)
        if not askable:
            raise FetchError(url, Reason.ADDRESS, "not an address that can be asked for", lasting=True)
        scheme, authority, target = askable.groups()
        lines = [f"GET {target or '/'} HTTP/1.1", f"Host: {authority.rpartition('@')[2]}"]
        lines += [f"{name}: {value}" for name, value in {**self._fields, **(fields or {})}.items()]
        request = ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")
        started, clock = datetime.now(UTC), time.monotonic()
        try:
            with self._connect(url, clock + self.limits.total_s) as connection:
                address = str(connection.getpeername()[0])
                connection.sendall(request)
                wire = Wire(connection, self.limits.read_s, clock + self.limits.total_s)
                head = read_head(wire)
                body = read_body(wire, head, body_limit or self._body_limit(head.headers))
        except AnswerError as error:
            raise FetchError(url, error.reason, error.problem) from error
        except OSError as error:
            raise _translate(url, error) from error
        return Exchange(
            url,
            started,
            time.monotonic() - clock,
            address,
            request,
            head.raw,
            body.raw,
            body.entity,
            head.status,
            head.headers,
            body.truncated,
        )

    def _connect(self, url: str, deadline: float) -> socket.socket:
        """Return a connection to a checked address of the host, with TLS for https."""
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
        try:
            port = parts.port or _PORTS[parts.scheme]
        except ValueError as error:
            raise FetchError(
                url, Reason.ADDRESS, f"not an address that can be asked for ({error})", lasting=True
            ) from error
        connection = self._guard.connect(host, port, _left_s(self.limits.connect_s, deadline))
        if parts.scheme == "http":
            return connection
        try:
            connection.settimeout(_left_s(self.limits.connect_s, deadline))
            return self._tls.wrap_socket(connection, server_hostname=host)
        except BaseException:
            connection.close()
            raise

    def _body_limit(self, headers: Headers) -> int:
        is_requisite = media_type_of(headers).startswith(_REQUISITE_TYPES)
        return self.limits.requisite_bytes if is_requisite else self.limits.page_bytes


def _left_s(most_s: float, deadline: float) -> float:
    return max(0.1, min(most_s, deadline - time.monotonic()))


def _translate(url: str, error: OSError) -> FetchError:
    """Return a FetchError with a short reason for what a connection raises."""
    for kind, reason, problem in (
        (socket.gaierror, Reason.DNS, "the host name has no address"),
        (TimeoutError, Reason.TIMEOUT, "no answer within the time allowed"),
        (ConnectionRefusedError, Reason.REFUSED, "the connection was refused"),
        (ConnectionResetError, Reason.RESET, "the connection was reset"),
        (BrokenPipeError, Reason.RESET, "the connection was reset"),
        (ssl.SSLError, Reason.TLS, f"the secure connection failed ({_short(error)})"),
    ):
        if isinstance(error, kind):
            return FetchError(url, reason, problem)
    return FetchError(url, Reason.CONNECT, f"no connection ({_short(error)})")


def _short(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return (text or type(error).__name__)[:200]
