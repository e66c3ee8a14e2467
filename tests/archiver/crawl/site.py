"""A small web for crawler tests: many hosts on 127.0.0.0/8, raw answers, and a log of every request.

Answers are written byte for byte, so a test can lie, drip and break as real
servers do; @PORT in them becomes the port. `Site.resolve` stands in for the DNS.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

Body = bytes | Iterable[bytes]
Answer = Body | Callable[["Asked"], Body]


@dataclass
class Asked:
    """One request as the server saw it, with the moments it came in and the answer was out."""

    host: str
    target: str
    head: bytes
    came: float
    address: str
    count: int = 1
    answered: float = 0.0

    def field(self, name: str) -> str:
        found = re.search(rb"(?im)^" + name.encode() + rb":\s*(.*?)\r?$", self.head)
        return found.group(1).decode("latin-1") if found else ""


def answer(
    body: bytes | str = b"",
    kind: str = "text/html; charset=utf-8",
    status: str = "200 OK",
    length: bool = True,
    **fields: str,
) -> bytes:
    """Return a whole answer; fields are further header fields, with _ for -."""
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    if length:
        lines.append(f"Content-Length: {len(data)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + data


def page(title: str, links: Iterable[str] = (), text: str = "", head: str = "", **fields: str) -> bytes:
    """Return a page with links as a whole answer."""
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return answer(
        f"<html><head><title>{title}</title>{head}</head><body><h1>{title}</h1><p>{text}</p>{anchors}</body></html>",
        **fields,  # type: ignore[arg-type]
    )


def redirect(location: str | bytes, status: str = "302 Found") -> bytes:
    target = location if isinstance(location, bytes) else location.encode()
    return f"HTTP/1.1 {status}\r\nLocation: ".encode() + target + b"\r\nContent-Length: 0\r\n\r\n"


ROBOTS_FREE = answer("User-agent: *\nDisallow:\n", "text/plain")
NOT_FOUND = answer("<title>Not found</title>not here", status="404 Not Found")


@dataclass
class Site:
    """hosts: name -> target -> answer. A name gets 127.0.1.1, 127.0.1.2... unless `addresses` names one."""

    hosts: dict[str, dict[str, Answer]]
    addresses: dict[str, str] = field(default_factory=dict)
    robots: Answer = ROBOTS_FREE
    log: list[Asked] = field(default_factory=list)
    port: int = 0

    def __enter__(self) -> Site:
        for number, name in enumerate(self.hosts, 1):
            self.addresses.setdefault(name, f"127.0.1.{number}")
        self._lock = threading.Lock()
        self._closing = False
        self._sockets: list[socket.socket] = []
        for address in dict.fromkeys(self.addresses.values()):
            server = socket.create_server((address, self.port), backlog=64)
            self.port = server.getsockname()[1]
            self._sockets.append(server)
            threading.Thread(target=self._accept, args=(server, address), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing = True
        for server in self._sockets:
            server.close()

    def resolve(self, host: str) -> list[str]:
        if host in self.addresses:
            return [self.addresses[host]]
        with contextlib.suppress(OSError):
            return [socket.inet_ntoa(socket.inet_aton(host))]
        raise socket.gaierror(-2, "Name or service not known")

    def url(self, host: str, target: str = "/") -> str:
        return f"http://{host}:{self.port}{target}"

    def asked(self, host: str | None = None, robots: bool = False) -> list[str]:
        """Return the addresses asked for in their order, `host/target` without the port."""
        with self._lock:
            return [
                f"{a.host}{a.target}" if host is None else a.target
                for a in self.log
                if (host is None or a.host == host) and (robots or a.target != "/robots.txt")
            ]

    def shortest_pauses(self) -> dict[str, float]:
        """Return for each address (not name) the shortest time from an answer's end to the next request."""
        pauses: dict[str, float] = {}
        last: dict[str, float] = {}
        for asked in sorted(self.log, key=lambda a: a.came):
            if asked.address in last:
                pause = asked.came - last[asked.address]
                pauses[asked.address] = min(pause, pauses.get(asked.address, pause))
            last[asked.address] = asked.answered or asked.came
        return pauses

    def _accept(self, server: socket.socket, address: str) -> None:
        while not self._closing:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection, address), daemon=True).start()

    def _serve(self, connection: socket.socket, address: str) -> None:
        with connection:
            connection.settimeout(60)
            data = b""
            while not self._closing:
                try:
                    while b"\r\n\r\n" not in data:
                        piece = connection.recv(65536)
                        if not piece:
                            return
                        data += piece
                    head, _, data = data.partition(b"\r\n\r\n")
                    if not self._answer(connection, head, address):
                        return
                except OSError:
                    return

    def _answer(self, connection: socket.socket, head: bytes, address: str) -> bool:
        target = head.split(b" ", 2)[1].decode("latin-1")
        asked = Asked("", target, head, time.monotonic(), address)
        asked.host = asked.field("Host").rpartition(":")[0] or asked.field("Host")
        with self._lock:
            asked.count = 1 + sum(a.host == asked.host and a.target == target for a in self.log)
            self.log.append(asked)
        routes = self.hosts.get(asked.host, {})
        found = routes.get(target)
        if found is None:
            found = (
                self.robots
                if target == "/robots.txt"
                else next(
                    (v for k, v in routes.items() if k.endswith("*") and target.startswith(k[:-1])), NOT_FOUND
                )
            )
        body = found(asked) if callable(found) else found
        keep = True
        try:
            if isinstance(body, bytes):
                body = body.replace(b"@PORT", b"%05d" % self.port)
                asked.answered = time.monotonic()
                connection.sendall(body)
                start = body.partition(b"\r\n\r\n")[0].lower()
                keep = b"content-length:" in start or b"chunked" in start
            else:
                for piece in body:
                    asked.answered = time.monotonic()
                    connection.sendall(piece)
                keep = False
        finally:
            asked.answered = max(asked.answered, asked.came)
        return keep
