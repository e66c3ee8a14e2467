"""A server that keeps its connections open and misbehaves in every way between two answers, for crawler tests.

Every body names the address that it was meant for, as [[/target]]; what nobody
asked for names another one. So a test can tell whose bytes were kept where.
"""

from __future__ import annotations

import contextlib
import gzip
import random
import re
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

NAMED = re.compile(rb"\[\[([^\]]*)\]\]")
LATE_S = 0.03


@dataclass(frozen=True)
class Script:
    """What a server does for one request: pieces with the pause before each, and whether it then closes.

    kept: the body that must be stored, without codings; None where nothing may be stored;
        `ANY` where what is stored may be cut or odd, but is this address's own.
    """

    pieces: list[tuple[float, bytes]]
    kept: bytes | None
    closes: bool = False


ANY = b"(any part of its own)"


def body_of(target: str, rng: random.Random) -> bytes:
    filler = rng.choice([b"", b"x" * 40, b"words and more words " * rng.randrange(1, 400)])
    return b"<html><title>[[%s]]</title>%s</html>" % (target.encode(), filler)


def ok(body: bytes, *fields: bytes, version: bytes = b"1.1", status: bytes = b"200 OK") -> bytes:
    lines = [b"HTTP/%s %s" % (version, status), b"Content-Type: text/html", *fields]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def sized(body: bytes, *fields: bytes, length: int | None = None, **named: bytes) -> bytes:
    return ok(body, b"Content-Length: %d" % (len(body) if length is None else length), *fields, **named)


def chunks(body: bytes, rng: random.Random, end: bytes = b"0\r\n\r\n") -> bytes:
    parts, place = [], 0
    while place < len(body):
        size = rng.randrange(1, 1 + len(body))
        part = body[place : place + size]
        parts.append(b"%x%s\r\n%s\r\n" % (len(part), rng.choice([b"", b";a=b"]), part))
        place += size
    return b"".join(parts) + end


CHUNKED = b"Transfer-Encoding: chunked"
Behaviour = Callable[[str, bytes, bytes, random.Random], Script]
"""From target, its body, an answer to another address, and a source of chance."""


def once(data: bytes, kept: bytes | None, closes: bool = False) -> Script:
    return Script([(0, data)], kept, closes)


def hints(target: str, body: bytes, other: bytes, rng: random.Random) -> Script:
    count = rng.choice([1, 2, 5, 20])
    interim = [
        b"HTTP/1.1 %d Early\r\nLink: </s.css>; rel=preload\r\n\r\n" % rng.choice([100, 102, 103, 110, 199])
        for _ in range(count)
    ]
    pauses = [rng.choice([0, LATE_S]) for _ in range(count)]
    return Script([*zip(pauses, interim, strict=True), (rng.choice([0, LATE_S]), sized(body))], body)


def broken_head(target: str, body: bytes, other: bytes, rng: random.Random) -> Script:
    head = sized(b"", length=len(body))
    return once(head[: rng.randrange(1, len(head) - 1)], None, closes=True)


def wrong_chunk(target: str, body: bytes, other: bytes, rng: random.Random) -> Script:
    good, wrong = body[: len(body) // 2], body[len(body) // 2 :]
    size = rng.choice([len(wrong) - 1, len(wrong) + 5, 0xFFFFFFFF])
    data = ok(b"%x\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(good), good, size, wrong), CHUNKED)
    return once(data, ANY, closes=rng.random() < 0.5)


def pieces_at_random(data: bytes, kept: bytes | None, rng: random.Random) -> Script:
    cuts = sorted(rng.randrange(len(data)) for _ in range(3))
    parts = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    return Script([(rng.choice([0, 0.005]), part) for part in parts], kept)


BEHAVIOURS: dict[str, Behaviour] = {
    "plain": lambda t, b, o, r: once(sized(b), b),
    "in pieces": lambda t, b, o, r: pieces_at_random(sized(b), b, r),
    "chunked": lambda t, b, o, r: once(ok(chunks(b, r), CHUNKED), b),
    "chunked in pieces": lambda t, b, o, r: pieces_at_random(ok(chunks(b, r), CHUNKED), b, r),
    "interim answers": hints,
    "too many interim answers": lambda t, b, o, r: once(b"HTTP/1.1 103 Early\r\n\r\n" * 21 + sized(b), None),
    "interim answer with a body": lambda t, b, o, r: once(
        b"HTTP/1.1 103 Early\r\nContent-Length: 5\r\n\r\nhello" + sized(b), None
    ),
    "switching protocols": lambda t, b, o, r: once(b"HTTP/1.1 101 Switching\r\n\r\n" + sized(b), None),
    "bytes behind the body": lambda t, b, o, r: once(sized(b) + b"garbage\r\n", b),
    "late bytes behind the body": lambda t, b, o, r: Script([(0, sized(b)), (LATE_S, b"\r\ngarbage")], b),
    "a second answer": lambda t, b, o, r: once(sized(b) + o, b),
    "a late second answer": lambda t, b, o, r: Script([(0, sized(b)), (r.random() * 2 * LATE_S, o)], b),
    "many answers": lambda t, b, o, r: once(sized(b) + o * 5, b),
    "longer than its length": lambda t, b, o, r: once(sized(b + o, length=len(b)), b),
    "shorter than its length": lambda t, b, o, r: once(sized(b, length=len(b) + 10), ANY, r.random() < 0.5),
    "no content with a body": lambda t, b, o, r: once(sized(o, status=b"204 No Content"), b""),
    "not modified with a body": lambda t, b, o, r: once(sized(o, status=b"304 Not Modified"), b""),
    "trailers": lambda t, b, o, r: once(ok(chunks(b, r, b"0\r\nX-A: 1\r\nX-B: 2\r\n\r\n"), CHUNKED), b),
    "chunks behind the last": lambda t, b, o, r: once(ok(chunks(b, r) + chunks(o, r), CHUNKED), b),
    "garbage behind the last chunk": lambda t, b, o, r: once(ok(chunks(b, r) + b"xyz" + o, CHUNKED), b),
    "wrong chunk sizes": wrong_chunk,
    "no last chunk": lambda t, b, o, r: once(ok(chunks(b, r, b""), CHUNKED), ANY, closes=True),
    "chunked and a length": lambda t, b, o, r: once(sized(chunks(b, r), CHUNKED, length=7) + o, b),
    "two lengths": lambda t, b, o, r: once(sized(b, b"Content-Length: %d" % (len(b) // 2)), None),
    "the same length twice": lambda t, b, o, r: once(sized(b, b"Content-Length: %d" % len(b)) + o, b),
    "a length that is none": lambda t, b, o, r: once(ok(b, b"Content-Length: -5"), b, closes=True),
    "a length of ages": lambda t, b, o, r: once(sized(b, length=1 << 63), ANY, closes=True),
    "HTTP/1.0": lambda t, b, o, r: once(ok(b, version=b"1.0"), b, closes=True),
    "HTTP/1.0 kept alive": lambda t, b, o, r: once(
        sized(b, b"Connection: keep-alive", version=b"1.0") + o, b
    ),
    "HTTP/0.9": lambda t, b, o, r: once(b, None, closes=True),
    "half a head": broken_head,
    "nothing": lambda t, b, o, r: once(b"", None, closes=True),
    "close, then more": lambda t, b, o, r: Script([(0, sized(b, b"Connection: close")), (LATE_S, o)], b),
    "redirect with a body": lambda t, b, o, r: once(
        sized(b, b"Location: /elsewhere", status=b"302 Found") + o, b
    ),
    "gzip with bytes behind": lambda t, b, o, r: once(
        sized(gzip.compress(b) + b"\0\0", b"Content-Encoding: gzip") + o, b
    ),
    "a broken field": lambda t, b, o, r: once(
        ok(b, b"nonsense", b"X: a\rContent-Length: 2", b"Content-Length: %d" % len(b)) + o, b
    ),
    "folded fields": lambda t, b, o, r: once(sized(b, b"X-A: 1\r\n  2\r\n\t3") + o, b),
    "no blank after the colon": lambda t, b, o, r: once(ok(b, b"content-length:%d" % len(b)) + o, b),
}


@dataclass
class RudeServer:
    """Serves /BEHAVIOUR/N by the script of that behaviour, drawn by `seed`; `scripts` holds what was done."""

    seed: int
    names: tuple[str, ...] = tuple(BEHAVIOURS)
    targets: list[str] = field(default_factory=list)
    scripts: dict[str, Script] = field(default_factory=dict)
    behaviour: dict[str, str] = field(default_factory=dict)
    count: int = 60

    def __enter__(self) -> RudeServer:
        rng = random.Random(self.seed)
        for number in range(self.count):
            target = f"/{number}"
            other = sized(b"<html>[[/stray-%d]]<a href=/stray-%d>x</a></html>" % (number, number))
            if rng.random() < 0.5 and number:
                other = sized(b"<html>[[/%d]] of another answer</html>" % rng.randrange(number))
            name = rng.choice(self.names)
            self.targets.append(target)
            self.behaviour[target] = name
            self.scripts[target] = BEHAVIOURS[name](target, body_of(target, rng), other, rng)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def url(self, target: str) -> str:
        return f"http://127.0.0.1:{self.port}{target}"

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(20)
        data = b""
        with connection, contextlib.suppress(OSError):
            while True:
                while b"\r\n\r\n" not in data:
                    piece = connection.recv(65536)
                    if not piece:
                        return
                    data += piece
                head, _, data = data.partition(b"\r\n\r\n")
                target = head.split(b" ", 2)[1].decode()
                script = self.scripts.get(target)
                if script is None:
                    connection.sendall(sized(b"not here", status=b"404 Not Found"))
                    continue
                for pause_s, part in script.pieces:
                    time.sleep(pause_s)
                    connection.sendall(part)
                if script.closes:
                    return
