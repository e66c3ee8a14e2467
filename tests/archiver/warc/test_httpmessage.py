"""What servers declare and what is true."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable
from pathlib import Path

import brotli
import pytest
from archive_bytes import HTML, http, warc, zstd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archiver.warc import DEFAULT_LIMITS, HttpResponse, Limits, find_record, parse_head, parse_response

PAGE = b"<!doctype html><title>Report</title><p>" + b"words of no account " * 60 + b"</p>\n"


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "GZip": gzip.compress,
    "deflate": zlib.compress,
    "Deflate": raw_deflate,
    "br": lambda data: brotli.compress(data, quality=5),
    "zstd": zstd.compress,
}


def chunked(body: bytes, *sizes: int, end: bytes = b"0\r\n\r\n") -> bytes:
    framed = b""
    for size in sizes or (7, 64, 1000, 1 << 20):
        part, body = body[:size], body[size:]
        if part:
            framed += b"%x\r\n" % len(part) + part + b"\r\n"
    return framed + end


@pytest.fixture
def parse(tmp_path: Path) -> Callable[..., HttpResponse]:
    """Return what `parse_response` makes of a block in an archive."""

    def parse_block(block: bytes, limits: Limits = DEFAULT_LIMITS, **more: object) -> HttpResponse:
        path = tmp_path / "a.warc"
        path.write_bytes(warc(block, **more))  # type: ignore[arg-type]
        with find_record(str(path), 0) as record:
            response = parse_response(record, limits=limits)
        assert response is not None
        return response

    return parse_block


# ---------------------------------------------------------------- status line and header


@pytest.mark.parametrize(
    ("status", "eol", "reason", "version"),
    [
        ("HTTP/1.1 200", b"\r\n", "", "HTTP/1.1"),
        ("HTTP/1.1 200 ", b"\n", "", "HTTP/1.1"),
        ("HTTP/1.0 200 OK", b"\n", "OK", "HTTP/1.0"),
        ("HTTP/2 200", b"\r\n", "", "HTTP/2"),
        ("HTTP/1.1  200  OK", b"\r\n", "OK", "HTTP/1.1"),
        ("HTTPX/1.1 200 OK", b"\r\n", "OK", "HTTPX/1.1"),
        ("http/1.1 200 Está bien", b"\r\n", "Está bien", "http/1.1"),
    ],
)
def test_status_lines(
    parse: Callable[..., HttpResponse], status: str, eol: bytes, reason: str, version: str
) -> None:
    response = parse(http(PAGE, status=status, eol=eol))
    assert (response.status, response.reason, response.version) == (200, reason, version)
    assert (response.body, response.problems) == (PAGE, ())


def test_header_bytes_that_are_not_ascii_keep_their_meaning(parse: Callable[..., HttpResponse]) -> None:
    block = b"HTTP/1.1 200 \xe6\x88\x90\r\nX-\xc3\xa9: \x07\xc3\xa9\r\nContent-Type: text/html\r\n\r\nbody"
    response = parse(block)
    assert (response.reason, response.headers.get("x-é"), response.body) == ("成", "\x07é", b"body")
    assert parse(block.replace(b"\xe6\x88\x90", b"\xe9")).reason == "é"


def test_a_header_without_an_end_has_no_body(parse: Callable[..., HttpResponse]) -> None:
    response = parse(b"HTTP/1.0 200 OK\nContent-type: text/plain\nHello\n")
    assert (response.status, response.media_type, response.body) == (200, "text/plain", b"")
    assert "no end" in response.problems[0]


@pytest.mark.parametrize("rest", [b"", b"\r\n\r\n<p>more"])
def test_markup_ends_a_header_that_has_no_blank_line(parse: Callable[..., HttpResponse], rest: bytes) -> None:
    body = b"<!DOCTYPE html>\r\n<p>one" + rest
    response = parse(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n" + body)
    assert (response.media_type, response.body) == ("text/html", body)
    assert response.problems == ("the HTTP header has no blank line at its end",)


def test_a_bracket_in_a_folded_line_ends_no_header(parse: Callable[..., HttpResponse]) -> None:
    response = parse(http(b"body", "Link: </a>,\r\n </b>", HTML))
    assert (response.headers.get("Link"), response.body) == ("</a>, </b>", b"body")


@pytest.mark.parametrize(
    "before",
    [
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 100\r\nX: " + b"x" * 5000 + b"\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n",
        b"HTTP/1.0 200 Connection established\r\n\r\n",
        b"\r\n",
        b" \n",
    ],
)
def test_what_stands_before_the_answer_is_passed_over(
    parse: Callable[..., HttpResponse], before: bytes
) -> None:
    response = parse(before + http(b"<p>one", HTML, status="HTTP/1.1 200 Fine"))
    assert (response.status, response.reason) == (200, "Fine")
    assert (response.media_type, response.body) == ("text/html", b"<p>one")


def test_an_interim_answer_alone_is_the_answer(parse: Callable[..., HttpResponse]) -> None:
    response = parse(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\nHTTP")
    assert (response.status, response.headers.get("Upgrade"), response.body) == (101, "websocket", b"HTTP")


def test_line_ends_that_were_translated_twice(parse: Callable[..., HttpResponse]) -> None:
    response = parse(http(b"<p>one", HTML, eol=b"\r\r\n"))
    assert (response.media_type, response.body) == ("text/html", b"<p>one")


def test_only_responses_are_parsed(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    for kind, content_type, status in (
        ("request", "application/http; msgtype=request", None),
        ("metadata", "text/html", None),
        ("warcinfo", "application/warc-fields", None),
        ("response", "text/dns", None),
        ("revisit", "application/http", None),
        ("resource", "text/html; charset=utf-8", 0),
        ("conversion", "text/plain", 0),
    ):
        path.write_bytes(warc(PAGE, kind=kind, content_type=content_type))
        with find_record(str(path), 0) as record:
            response = parse_response(record)
        assert (response.status if response else None) == status
        if response:
            assert response.headers.get("content-type") == content_type
            assert (response.body, response.raw_body_sha1) == (PAGE, hashlib.sha1(PAGE).digest())


def test_the_head_alone_leaves_the_body_unread(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(warc(http(PAGE)))
    with find_record(str(path), 0) as record:
        head = parse_head(record)
        assert head and (head.status, head.media_type, head.body) == (200, "text/html", b"")
        whole = parse_response(record)
        assert whole and whole.body == PAGE


# ---------------------------------------------------------------- codings


@pytest.mark.parametrize("coding", CODINGS)
def test_codings_that_are_true(parse: Callable[..., HttpResponse], coding: str) -> None:
    packed = CODINGS[coding](PAGE)
    response = parse(http(packed, HTML, f"Content-Encoding: {coding}"))
    assert (response.body, response.problems, response.truncated) == (PAGE, (), False)
    assert response.raw_body_sha1 == hashlib.sha1(packed).digest()


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("body", [PAGE, b"plain words", b"{}", b"\n\n<p>", "é".encode() * 40, b"x"])
def test_codings_that_are_not_true_leave_the_bytes(
    parse: Callable[..., HttpResponse], coding: str, body: bytes
) -> None:
    response = parse(http(body, HTML, f"Content-Encoding: {coding}"))
    assert (response.body, response.truncated) == (body, False)
    assert response.problems == (f"declared {coding.lower()}, the body is not",)


@pytest.mark.parametrize(
    ("declared", "true"),
    [
        ("deflate", "gzip"),
        ("br", "gzip"),
        ("zstd", "gzip"),
        ("gzip", "zstd"),
        ("br", "zstd"),
        ("gzip", "deflate"),
        ("gzip", "br"),
        ("deflate", "br"),
        ("zstd", "br"),
        ("gzip", "Deflate"),
    ],
)
def test_a_body_in_another_coding_than_declared_is_undone(
    parse: Callable[..., HttpResponse], declared: str, true: str
) -> None:
    response = parse(http(CODINGS[true](PAGE), HTML, f"Content-Encoding: {declared}"))
    assert (response.body, response.truncated) == (PAGE, False)
    assert response.problems == (f"declared {declared}, the body is {true.lower()}",)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "zstd"])
def test_a_picture_is_in_no_coding(parse: Callable[..., HttpResponse], coding: str) -> None:
    picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 20
    response = parse(http(picture, "Content-Type: image/png", f"Content-Encoding: {coding}"))
    assert (response.body, response.truncated) == (picture, False)


@pytest.mark.parametrize("name", ['"gzip"', "gzip;q=1", "gzip; q=1.0, identity", "utf-8 gzip", "GZIP ,"])
def test_names_of_codings_with_what_belongs_to_no_name(parse: Callable[..., HttpResponse], name: str) -> None:
    assert parse(http(gzip.compress(PAGE), HTML, f"Content-Encoding: {name}")).body == PAGE


def test_chunks_declared_as_content_coding_or_made_twice(parse: Callable[..., HttpResponse]) -> None:
    once = b"%x\r\n%s\r\n0\r\n\r\n" % (len(PAGE), PAGE)
    twice = b"%x\r\n%s\r\n0\r\n\r\n" % (len(once), once)
    assert parse(http(once, "Content-Encoding: chunked")).body == PAGE
    assert parse(http(twice, "Transfer-Encoding: chunked, chunked")).body == PAGE
    assert parse(http(once, "Transfer-Encoding: chunked, chunked")).body == PAGE
    assert parse(http(b"0" * 30 + once, "Transfer-Encoding: chunked")).body == PAGE


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_body_that_is_cut_gives_its_first_part(parse: Callable[..., HttpResponse], coding: str) -> None:
    text = " ".join(str(number * 7919) for number in range(100_000)).encode()
    response = parse(http(CODINGS[coding](text)[:-20_000], HTML, f"Content-Encoding: {coding}"))
    assert response.truncated and len(response.problems) == 1
    assert len(response.body) > 100_000 and text.startswith(response.body)


def test_the_checksum_cut_off_is_noted_and_nothing_lost(parse: Callable[..., HttpResponse]) -> None:
    response = parse(http(gzip.compress(PAGE)[:-8], HTML, "Content-Encoding: gzip"))
    assert (response.body, response.truncated) == (PAGE, True)


def test_broken_data_keeps_every_byte_before_the_error(parse: Callable[..., HttpResponse]) -> None:
    text = " ".join(str(number * 7919) for number in range(20_000)).encode()
    packed = bytearray(gzip.compress(text))
    packed[len(packed) // 2] ^= 0xFF
    response = parse(http(bytes(packed), HTML, "Content-Encoding: gzip"))
    assert response.truncated and text.startswith(response.body[: len(text) // 3])
    assert len(response.body) > len(text) // 3


def test_nested_codings_up_to_two(parse: Callable[..., HttpResponse]) -> None:
    twice = brotli.compress(gzip.compress(PAGE))
    assert parse(http(twice, HTML, "Content-Encoding: gzip, br")).body == PAGE
    assert parse(http(twice, HTML, "Content-Encoding: gzip", "Content-Encoding: br")).body == PAGE
    thrice = gzip.compress(twice)
    response = parse(http(thrice, HTML, "Content-Encoding: gzip, br, gzip"))
    assert response.body == gzip.compress(PAGE) or response.body[:2] == b"\x1f\x8b"
    assert "more than 2 nested" in response.problems[0]


def test_codings_that_mean_nothing_or_are_not_known(parse: Callable[..., HttpResponse]) -> None:
    assert parse(http(PAGE, "Content-Encoding: identity")).problems == ()
    response = parse(http(PAGE, "Content-Encoding: utf-8"))
    assert (response.body, len(response.problems)) == (PAGE, 1)


def test_several_gzip_members_are_one_body(parse: Callable[..., HttpResponse]) -> None:
    packed = gzip.compress(b"one ") + gzip.compress(b"two")
    assert parse(http(packed, "Content-Encoding: gzip")).body == b"one two"


# ---------------------------------------------------------------- chunks


@pytest.mark.parametrize("name", ["chunked", "Chunked", "CHUNKED"])
def test_chunked_bodies(parse: Callable[..., HttpResponse], name: str) -> None:
    response = parse(http(chunked(PAGE), HTML, f"Transfer-Encoding: {name}"))
    assert (response.body, response.problems) == (PAGE, ())
    assert response.raw_body_sha1 == hashlib.sha1(PAGE).digest()
    packed = gzip.compress(PAGE)
    both = parse(http(chunked(packed), HTML, f"Transfer-Encoding: {name}", "Content-Encoding: gzip"))
    assert (both.body, both.raw_body_sha1) == (PAGE, hashlib.sha1(packed).digest())


@pytest.mark.parametrize("body", [PAGE, b"12 monkeys\r\n and more", b"5\nhello", b"cafe\r\nbabe", b"\r\n"])
def test_bodies_that_are_not_chunked_stay_as_they_are(
    parse: Callable[..., HttpResponse], body: bytes
) -> None:
    if body == b"cafe\r\nbabe":
        body += b"x" * 0xCAFE  # the size is followed by no line end, so it is no size
    response = parse(http(body, "Transfer-Encoding: chunked"))
    assert response.body in (body, b"hello")
    packed = gzip.compress(PAGE)
    assert parse(http(packed, "Transfer-Encoding: chunked", "Content-Encoding: gzip")).body == PAGE


def test_chunks_with_extensions_trailers_and_no_end(parse: Callable[..., HttpResponse]) -> None:
    te = "Transfer-Encoding: chunked"
    assert parse(http(b"5;a=b\r\nhello\r\n0\r\nX-Trailer: 1\r\n\r\n", te)).body == b"hello"
    cut = parse(http(b"5\r\nhello\r\n40\r\nwor", te))
    assert (cut.body, cut.truncated) == (b"hellowor", True)
    open_end = parse(http(b"5\r\nhello\r\n", te))
    assert (open_end.body, open_end.truncated) == (b"hello", True)
    spoiled = parse(http(b"5\r\nhello\r\nnot a size\r\n", te))
    assert spoiled.body == b"hello" + b"not a size\r\n"


@pytest.mark.parametrize("length", ["3", "999999", "none", "-1", "40, 40"])
def test_the_http_length_is_only_a_claim(parse: Callable[..., HttpResponse], length: str) -> None:
    assert parse(http(PAGE, HTML, f"Content-Length: {length}")).body == PAGE


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    body=st.binary(max_size=300),
    coding=st.sampled_from(["gzip", "br", "deflate", "zstd", "gzip, br", "x"]),
    spoil=st.integers(0, 300),
    te=st.sampled_from(["", "chunked", "gzip, chunked"]),
)
def test_no_body_is_ever_a_crash(
    parse: Callable[..., HttpResponse], body: bytes, coding: str, spoil: int, te: str
) -> None:
    packed = bytearray(CODINGS.get(coding, gzip.compress)(body))
    if packed:
        packed[spoil % len(packed)] ^= 0x55
    for data in (body, bytes(packed), bytes(packed[:spoil]), chunked(bytes(packed), spoil + 1)):
        headers = [HTML, f"Content-Encoding: {coding}"] + ([f"Transfer-Encoding: {te}"] if te else [])
        response = parse(http(data, *headers))
        assert response.status == 200


# ---------------------------------------------------------------- limits


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_is_cut_at_its_ratio(parse: Callable[..., HttpResponse], coding: str) -> None:
    response = parse(http(CODINGS[coding](b" " * (30 << 20)), HTML, f"Content-Encoding: {coding}"))
    assert response.truncated and "200 times" in response.problems[0]
    assert 1 << 20 <= len(response.body) <= 8 << 20


def test_bodies_are_cut_at_the_limit(parse: Callable[..., HttpResponse]) -> None:
    limits = Limits(body_bytes=1000)
    for block in (http(b"x" * 5000), http(gzip.compress(bytes(range(256)) * 20), "Content-Encoding: gzip")):
        response = parse(block, limits=limits)
        assert (len(response.body), response.truncated) == (1000, True)


def test_a_http_header_without_bounds(parse: Callable[..., HttpResponse]) -> None:
    response = parse(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200_000 + b"\r\nbody")
    assert len(response.headers) == 10_000
    assert "no end" in response.problems[0]


def test_a_http_header_as_large_as_some_are(parse: Callable[..., HttpResponse]) -> None:
    response = parse(http(b"<p>one", *(f"Set-Cookie: {n}={'y' * 90}" for n in range(2000)), HTML))
    assert (response.media_type, response.body) == ("text/html", b"<p>one")
