"""One answer from the wire: where its head and its body end, and what is no answer at all."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archiver.crawl.wire import (
    MOST_HEAD_BYTES,
    MOST_INTERIM,
    AnswerError,
    Body,
    Head,
    Wire,
    read_body,
    read_head,
)
from archiver.warc import parse_response, read_records
from archiver.warc.record import Record, RecordType
from archiver.warc.writer import HTTP_RESPONSE_TYPE, NewRecord, pack_record
from tests.archiver.crawl.site import answer


class Sent:
    """A connection on which these pieces come, then its end."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = [piece for piece in pieces if piece]

    def settimeout(self, _seconds: float) -> None:
        return None

    def recv(self, limit: int) -> bytes:
        if not self._pieces:
            return b""
        piece = self._pieces.pop(0)
        if len(piece) > limit:
            self._pieces.insert(0, piece[limit:])
        return piece[:limit]


def read(*pieces: bytes, limit: int = 1_000_000) -> tuple[Head, Body]:
    wire = Wire(cast(Any, Sent(pieces)), 1.0, time.monotonic() + 60)
    head = read_head(wire)
    return head, read_body(wire, head, limit)


def problem_of(*pieces: bytes) -> tuple[str, str]:
    with pytest.raises(AnswerError) as caught:
        read(*pieces)
    return caught.value.reason, caught.value.problem


HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("count", [0, 1, MOST_INTERIM])
def test_answers_before_the_answer_are_read_over(count: int) -> None:
    head, body = read(HINTS * count + answer(b"x"))
    assert (head.status, body.entity) == (200, b"x")
    assert head.raw.startswith(b"HTTP/1.1 200")
    assert not head.headers.get("Link")


def test_one_answer_before_the_answer_too_many() -> None:
    assert problem_of(HINTS * (MOST_INTERIM + 1) + answer(b"x")) == (
        "not-http",
        "more than 20 interim answers and no final one",
    )


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "disconnect"),
        (b"HTTP/1.1 200 OK", "not-http"),
        (b"HTTP/1.1 200 OK\r\n", "disconnect"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n", "disconnect"),
        (HINTS, "disconnect"),
        (HINTS + b"body of the hints" + answer(b"x"), "not-http"),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n" + answer(b"x"), "not-http"),
        (b"HTTP/1.1 99 Low\r\n\r\n", "not-http"),
        (b"HTTP/1.1 2000 High\r\n\r\n", "not-http"),
        (b"SSH-2.0-OpenSSH\r\n", "not-http"),
        (b"<html>page</html>", "not-http"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy", "not-http"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\nxy", "not-http"),
    ],
)
def test_what_is_no_answer(raw: bytes, reason: str) -> None:
    assert problem_of(raw)[0] == reason


@pytest.mark.parametrize("excess", [-1, 0, 1])
def test_longest_head(excess: int) -> None:
    start, end = b"HTTP/1.1 200 OK\r\nX: ", b"\r\nContent-Length: 1\r\n\r\n"
    raw = start + b"v" * (MOST_HEAD_BYTES + excess - len(start) - len(end)) + end
    if excess > 0:
        assert problem_of(raw + b"x")[0] == "header"
    else:
        head, body = read(raw + b"x")
        assert (len(head.raw), body.entity) == (MOST_HEAD_BYTES + excess, b"x")


def test_head_without_end_does_not_fill_the_memory() -> None:
    def endless() -> Iterable[bytes]:
        yield b"HTTP/1.1 200 OK\r\n"
        for _ in range(10_000):
            yield b"X: y\r\n" * 1000

    assert problem_of(*list(endless())[:200])[0] == "header"


@pytest.mark.parametrize(
    ("fields", "sent", "entity", "truncated"),
    [
        (b"Content-Length: 3", b"abcdef", b"abc", ""),
        (b"Content-Length: 3, 3", b"abcdef", b"abc", ""),
        (b"content-length:3", b"abcdef", b"abc", ""),
        (b"Content-Length: 003", b"abcdef", b"abc", ""),
        (b"Content-Length: 0", b"abcdef", b"", ""),
        (b"Content-Length: 9", b"abcdef", b"abcdef", "disconnect"),
        (b"Content-Length: 9223372036854775808", b"abcdef", b"abcdef", "disconnect"),
        (b"Content-Length: +3", b"abcdef", b"abcdef", ""),
        (b"Content-Length: 3_0", b"abcdef", b"abcdef", ""),
        (b"Content-Length: \xb2", b"abcdef", b"abcdef", ""),
        (b"Content-Length: 3, x", b"abcdef", b"abcdef", ""),
        (b"Content-Length: " + b"9" * 5000, b"abcdef", b"abcdef", ""),
        (b"no field\r\nContent-Length: 3", b"abcdef", b"abc", ""),
        (b"X: a\rContent-Length: 1", b"abcdef", b"abcdef", ""),
        (b"X: 1\r\n Content-Length: 1", b"abcdef", b"abcdef", ""),
        (b"Transfer-Encoding: Chunked", b"3\r\nabc\r\n0\r\n\r\nmore", b"abc", ""),
        (b"Transfer-Encoding: chunked\r\nContent-Length: 1", b"3\r\nabc\r\n0\r\n\r\n", b"abc", ""),
        (b"Transfer-Encoding: chunked\r\nContent-Length: 4", b"plain text", b"plai", ""),
        (b"Transfer-Encoding: chunked", b"3\r\nabc\r\n", b"abc", "disconnect"),
        (b"Transfer-Encoding: chunked", b"3\r\nabc\r\n5\r\nde", b"abcde", "disconnect"),
        (b"Transfer-Encoding: chunked", b"", b"", "disconnect"),
        (b"Transfer-Encoding: chunked", b"3\r\nabc\r\nno size\r\nabc", b"abc", "unspecified"),
        (b"Transfer-Encoding: chunked", b"3\r\nabc\r\n2\r\nabc\r\n0\r\n\r\n", b"abcabc\r", "unspecified"),
        (b"Transfer-Encoding: chunked", b"2026\nwas a year", b"2026\nwas a year", ""),
        (b"Transfer-Encoding: chunked", b"5\nwas a year", b"5\nwas a year", ""),
        (b"Transfer-Encoding: chunked", b"<p>plain", b"<p>plain", ""),
    ],
)
def test_where_the_body_ends(fields: bytes, sent: bytes, entity: bytes, truncated: str) -> None:
    _, body = read(b"HTTP/1.1 200 OK\r\n" + fields + b"\r\n\r\n" + sent)
    assert (body.entity, body.truncated) == (entity, truncated)


@pytest.mark.parametrize("status", [204, 304])
def test_answers_that_have_no_body(status: int) -> None:
    for framing in (
        b"Content-Length: 3\r\n\r\nabc",
        b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    ):
        assert read(b"HTTP/1.1 %d None\r\n" % status + framing)[1] == Body(b"", b"", "")


@pytest.mark.parametrize("excess", [-1, 0, 1])
def test_limit_of_the_body(excess: int) -> None:
    data = b"x" * (100 + excess)
    length = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(data) + data
    to_the_end = b"HTTP/1.1 200 OK\r\n\r\n" + data
    chunks = CHUNKED + b"%x\r\n" % len(data) + data + b"\r\n0\r\n\r\n"
    for raw in (length, to_the_end, chunks):
        _, body = read(raw, limit=100)
        assert (len(body.entity), body.truncated) == (min(len(data), 100), "length" if excess > 0 else "")


def test_chunks_that_are_nearly_nothing_but_sizes_end() -> None:
    chunk = b"1;" + b"e" * 4000 + b"\r\nx\r\n"
    _, body = read(CHUNKED, *[chunk] * 200, limit=1000)
    assert body.truncated == "length"
    assert len(body.raw) < 100_000


def test_trailers_without_end_end() -> None:
    _, body = read(CHUNKED + b"1\r\nx\r\n0\r\n", *[b"X-Trailer: y\r\n" * 1000] * 100)
    assert (body.entity, body.truncated) == (b"x", "")
    assert len(body.raw) < MOST_HEAD_BYTES + 10_000


def test_header_values_give_back_their_bytes() -> None:
    head, _ = read(
        b"HTTP/1.1 302 Found\r\nLocation: /citt\xc3\xa0\r\nX: caf\xe9\r\nContent-Length: 0\r\n\r\n"
    )
    assert head.headers.get("Location").encode("latin-1") == b"/citt\xc3\xa0"
    assert head.headers.get("X") == "caf\xe9"


# ------------------------------------------------------------ what the archive gives back

PARTS = st.sampled_from(
    [
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.0 404 Not Found\n",
        b"HTTP/1.1 103 Early Hints\r\n\r\n",
        b"Content-Length: 7\r\n",
        b"Content-Length: 7\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Content-Type: text/html\r\n",
        b"X: 1\r\n 2\r\n",
        b"no field\r\n",
        b"\r\n",
        b"\n",
        b"\r",
        b"5\r\nhello\r\n",
        b"5\r\nhello",
        b"5;a=b\nhello\n",
        b"0\r\n\r\n",
        b"ffffffff\r\n",
        b"<html>",
        b"text",
        b"2026\n",
    ]
)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wire") / "one.warc.gz"


@given(parts=st.lists(PARTS, max_size=12), in_pieces=st.booleans())
def test_reader_of_archives_sees_the_same_body(archive: Path, parts: list[bytes], in_pieces: bool) -> None:
    raw = b"HTTP/1.1 200 OK\r\n" + b"".join(parts)
    try:
        head, body = read(*([bytes((b,)) for b in raw] if in_pieces else [raw]))
    except AnswerError:
        return
    assert (b"".join([head.raw, body.raw])) in raw
    moment = datetime(2026, 11, 28, tzinfo=UTC)
    new = NewRecord(RecordType.RESPONSE, head.raw + body.raw, moment, "http://a.example/", HTTP_RESPONSE_TYPE)
    archive.write_bytes(pack_record(new))
    responses = [parse_response(r) for r in read_records(str(archive)) if isinstance(r, Record)]
    (response,) = responses
    assert response is not None
    assert (response.status, response.body) == (head.status, body.entity)
    assert response.headers.get("Content-Length") == head.headers.get("Content-Length")
