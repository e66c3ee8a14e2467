"""One request and its response, kept byte for byte; used by the crawler for pages, robots.txt and sitemaps.

requests holds the fields that every request has, checks them, and hands each
request to the transport that is mounted in its session, transport.py. The
address is asked for as it was written, letter for letter, and redirects are not
followed: each is a capture of its own.
"""

from __future__ import annotations

import re
import socket
import ssl
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote_from_bytes

import requests

from archiver.crawl.errors import FetchError
from archiver.crawl.guard import AddressGuard
from archiver.crawl.reasons import Reason
from archiver.crawl.transport import Transport
from archiver.crawl.wire import AnswerError
from archiver.warc.decoding import undo_codings
from archiver.warc.limits import DEFAULT_LIMITS
from archiver.warc.mediatype import media_type_of
from archiver.warc.record import Headers
from archiver.warc.urls import asked_url

_ASCII = "".join(map(chr, range(33, 127))) + " "
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
        self.limits = limits or FetchLimits()
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.headers.clear()
        self._session.headers.update(
            {
                "User-Agent": user_agent,
                "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
                "Accept-Encoding": "gzip, deflate",
                "Connection": "close",
            }
        )
        self._usual_fields = self._prepared({})
        transport = Transport(guard, total_s=self.limits.total_s, verify_tls=verify_tls)
        self._session.mount("http://", transport)
        self._session.mount("https://", transport)

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
        limits = self.limits
        request = self._request(url, fields or {})
        started, clock = datetime.now(UTC), time.monotonic()
        wait = (limits.connect_s, limits.read_s)
        try:
            with self._session.get_adapter(url).send(request, stream=True, timeout=wait) as response:
                answer: Any = response.raw
                head = answer.head
                body = answer.read_body(body_limit or self._body_limit(head.headers))
        except AnswerError as error:
            raise FetchError(url, error.reason, error.problem) from error
        except OSError as error:
            raise _translate(url, error) from error
        return Exchange(
            url,
            started,
            time.monotonic() - clock,
            answer.address,
            answer.request,
            head.raw,
            body.raw,
            body.entity,
            head.status,
            head.headers,
            body.truncated,
        )

    def _request(self, url: str, fields: dict[str, str]) -> requests.PreparedRequest:
        """Return the request for an address as it is written; what requests does to addresses would respell it."""
        if not _ASKABLE.fullmatch(url):
            raise FetchError(url, Reason.ADDRESS, "not an address that can be asked for", lasting=True)
        request = requests.PreparedRequest()
        request.prepare_method("GET")
        request.url = url
        request.headers = self._prepared(fields) if fields else self._usual_fields
        return request

    def _prepared(self, fields: dict[str, str]) -> Any:
        """Return the fields of a request, checked by requests; only read from then on."""
        request = requests.PreparedRequest()
        request.prepare_headers({**self._session.headers, **fields})
        return request.headers

    def _body_limit(self, headers: Headers) -> int:
        is_requisite = media_type_of(headers).startswith(_REQUISITE_TYPES)
        return self.limits.requisite_bytes if is_requisite else self.limits.page_bytes


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
