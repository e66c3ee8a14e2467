"""How requests reach their hosts: an adapter for a session of requests; used by the fetcher.

Each request has a connection of its own. A server may send bytes behind its
answer, at once or late, or a second answer that nobody asked for; on a
connection that is used again these would be read as the answer to the next
request, and be stored under its address. Nothing in HTTP/1 tells them apart.

Hosts are checked by the guard, and answers are read in wire.py, which keeps the
bytes as they came.
"""

from __future__ import annotations

import re
import socket
import ssl
import time
from typing import Any
from urllib.parse import urlsplit

import certifi
import requests
from requests.adapters import BaseAdapter

from archiver.crawl.errors import FetchError
from archiver.crawl.guard import AddressGuard
from archiver.crawl.reasons import Reason
from archiver.crawl.wire import Body, Head, Wire, read_body, read_head

_PORTS = {"http": 80, "https": 443}
_AUTHORITY_AND_TARGET = re.compile(r"[a-z]+://([^/?#]*)(/.*)?", re.DOTALL)


class Answer:
    """An answer whose head was read, with the connection that its body comes over: `raw` of the response.

    address: of the host that answered. request: the bytes that were sent.
    """

    def __init__(self, connection: socket.socket, wire: Wire, request: bytes, head: Head) -> None:
        self._connection = connection
        self._wire = wire
        self.address = str(connection.getpeername()[0])
        self.request = request
        self.head = head

    def read_body(self, limit: int) -> Body:
        """Return the body, at most `limit` bytes of it without its transfer coding. Raises as read_body of wire.py."""
        return read_body(self._wire, self.head, limit)

    def close(self) -> None:
        """Close the connection; it serves no other request."""
        self._connection.close()


class Transport(BaseAdapter):
    """Sends a request over a new connection to a checked address. Proxies of the environment are never used.

    total_s: seconds from sending a request to the last byte of its answer.
    """

    def __init__(self, guard: AddressGuard, *, total_s: float, verify_tls: bool = True) -> None:
        super().__init__()
        self._guard = guard
        self._total_s = total_s
        self._tls = ssl.create_default_context(cafile=certifi.where())
        self._tls.set_alpn_protocols(["http/1.1"])
        if not verify_tls:
            self._tls.check_hostname = False
            self._tls.verify_mode = ssl.CERT_NONE

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = True,
        timeout: Any = None,
        verify: Any = None,
        cert: Any = None,
        proxies: Any = None,
    ) -> requests.Response:
        """Return the response to a request without a body; its `raw` is an Answer, from which the body is read.

        timeout: seconds to connect, and seconds to wait for a byte. The other arguments are those of requests and
            change nothing.
        Raises FetchError, AddressRefusedError, AnswerError, or the OSError of the connection.
        """
        connect_s, read_s = timeout
        deadline = time.monotonic() + self._total_s
        url = str(request.url)
        connection = self._connect(url, connect_s, deadline)
        try:
            sent = _as_bytes(request)
            connection.sendall(sent)
            wire = Wire(connection, read_s, deadline)
            answer = Answer(connection, wire, sent, read_head(wire))
        except BaseException:
            connection.close()
            raise
        response = requests.Response()
        response.request, response.url, response.raw = request, url, answer
        response.status_code = answer.head.status
        return response

    def close(self) -> None:
        """Nothing is kept between requests."""

    def _connect(self, url: str, connect_s: float, deadline: float) -> socket.socket:
        """Return a connection to a checked address of the host, with TLS for https."""
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
        try:
            port = parts.port or _PORTS[parts.scheme]
        except ValueError as error:
            raise FetchError(
                url, Reason.ADDRESS, f"not an address that can be asked for ({error})", lasting=True
            ) from error
        connection = self._guard.connect(host, port, _left_s(connect_s, deadline))
        if parts.scheme == "http":
            return connection
        try:
            connection.settimeout(_left_s(connect_s, deadline))
            return self._tls.wrap_socket(connection, server_hostname=host)
        except BaseException:
            connection.close()
            raise


def _as_bytes(request: requests.PreparedRequest) -> bytes:
    """Return the head of a request as it goes over the wire."""
    found = _AUTHORITY_AND_TARGET.fullmatch(str(request.url))
    assert found
    authority, target = found.groups()
    lines = [f"{request.method} {target or '/'} HTTP/1.1", f"Host: {authority.rpartition('@')[2]}"]
    lines += [f"{name}: {value}" for name, value in request.headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


def _left_s(most_s: float, deadline: float) -> float:
    return max(0.1, min(most_s, deadline - time.monotonic()))
