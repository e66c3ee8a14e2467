"""Fetching: the bytes of the wire, cut where a limit says so, from checked addresses only."""

from __future__ import annotations

import contextlib
import gzip
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from archiver.crawl.errors import AddressRefusedError, FetchError
from archiver.crawl.fetcher import Exchange, Fetcher, FetchLimits
from archiver.crawl.guard import AddressGuard
from tests.archiver.crawl.site import Answer, Site, answer, page, redirect

HOST = "a.example"


def fetch_all(routes: dict[str, Answer], limits: FetchLimits | None = None) -> dict[str, Exchange]:
    with Site({HOST: routes}) as site:
        guard = AddressGuard(allow_private=[HOST], resolve=site.resolve)
        fetcher = Fetcher(guard, user_agent="testbot/1.0", limits=limits)
        return {target: fetcher.fetch(site.url(HOST, target)) for target in routes}


def fetch(raw: Answer, limits: FetchLimits | None = None) -> Exchange:
    return fetch_all({"/x": raw}, limits)["/x"]


def chunked(data: bytes, size: int = 7) -> bytes:
    pieces = [data[i : i + size] for i in range(0, len(data), size)]
    return b"".join(b"%x;ext=1\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\nX-Trailer: yes\r\n\r\n"


def test_keeps_the_response_as_it_came() -> None:
    raw = (
        b"HTTP/1.1 200 Fine\r\nContent-Type: text/html\r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\nX-Note: caf\xe9\r\n"
        b"Content-Length: 5\r\n\r\nHello"
    )
    exchange = fetch(raw)
    assert exchange.head + exchange.body == raw
    assert exchange.entity == b"Hello"
    assert exchange.headers.get_all("Set-Cookie") == ["a=1", "b=2"]
    assert (exchange.status, exchange.content_type, exchange.address) == (200, "text/html", "127.0.1.1")


def test_keeps_the_request_as_it_was_sent() -> None:
    with Site({HOST: {"/x?q=a%20b": page("x")}}) as site:
        guard = AddressGuard(allow_private=[HOST], resolve=site.resolve)
        exchange = Fetcher(guard, user_agent="testbot/1.0").fetch(site.url(HOST, "/x?q=a%20b"))
    assert exchange.request == site.log[0].head + b"\r\n\r\n"
    assert exchange.request.startswith(b"GET /x?q=a%20b HTTP/1.1\r\nHost: a.example:")


def test_keeps_chunk_sizes_and_trailers() -> None:
    raw = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(b"some words in chunks")
    exchange = fetch(raw)
    assert exchange.head + exchange.body == raw
    assert exchange.entity == b"some words in chunks"


def test_undoes_content_coding_only_when_asked() -> None:
    packed = gzip.compress(b"words " * 50)
    exchange = fetch(answer(packed, Content_Encoding="gzip"))
    assert exchange.body == exchange.entity == packed
    assert exchange.decoded(1000) == b"words " * 50
    assert exchange.decoded(10) == b"words word"


def test_content_coding_that_is_not_there() -> None:
    assert fetch(answer(b"plain", Content_Encoding="gzip")).decoded(100) == b"plain"


def test_chunked_that_is_not_chunked() -> None:
    raw = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n<p>plain</p>\n"
    exchange = fetch(lambda _: iter([raw]))
    assert exchange.entity == b"<p>plain</p>\n"


@pytest.mark.parametrize("coded", [False, True])
def test_longer_body_is_cut_at_the_limit(coded: bool) -> None:
    data = b"0123456789" * 100
    raw = (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(data, 64)
        if coded
        else answer(data)
    )
    exchange = fetch(raw, FetchLimits(page_bytes=250))
    assert exchange.entity == data[:250]
    assert exchange.truncated == "length"


def test_body_exactly_at_the_limit_is_whole() -> None:
    for length in (True, False):
        exchange = fetch(answer(b"x" * 250, length=length), FetchLimits(page_bytes=250))
        assert (len(exchange.entity), exchange.truncated) == (250, "")


def test_pictures_may_be_larger_than_pages() -> None:
    assert len(fetch(answer(b"x" * 5000, "image/png"), FetchLimits(page_bytes=250)).entity) == 5000


def test_endless_body_ends_at_the_limit() -> None:
    def endless(_: object) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\n\r\n"
        while True:
            yield b"more " * 100

    exchange = fetch(endless, FetchLimits(page_bytes=10_000))
    assert (len(exchange.entity), exchange.truncated) == (10_000, "length")


def test_dripping_body_ends_at_the_total_time() -> None:
    def drip(_: object) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
        for _number in range(100):
            yield b"x"
            time.sleep(0.05)

    start = time.monotonic()
    exchange = fetch(drip, FetchLimits(read_s=5, total_s=0.4))
    assert exchange.truncated == "time" and 2 <= len(exchange.entity) < 30
    assert time.monotonic() - start < 2


def test_dripping_head_ends_at_the_total_time() -> None:
    def drip(_: object) -> Iterator[bytes]:
        for _number in range(100):
            yield b"HTTP/1.1 200 OK\r\nX: "[: 1 + _number]
            time.sleep(0.05)

    start = time.monotonic()
    with pytest.raises(FetchError) as caught:
        fetch(drip, FetchLimits(read_s=5, total_s=0.4))
    assert caught.value.reason == "timeout"
    assert time.monotonic() - start < 2


def test_silent_server_ends_at_the_read_time() -> None:
    def silent(_: object) -> bytes:
        time.sleep(1)
        return page("late")

    with pytest.raises(FetchError, match="no answer within the time"):
        fetch(silent, FetchLimits(read_s=0.2))


def test_connection_lost_in_the_body_keeps_what_came() -> None:
    def lost(_: object) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this"

    exchange = fetch(lost)
    assert (exchange.entity, exchange.truncated) == (b"only this", "disconnect")


@pytest.mark.parametrize(("raw", "reason"), [(b"", "disconnect"), (b"nonsense\r\n\r\n", "not-http")])
def test_no_response_has_a_reason(raw: bytes, reason: str) -> None:
    with pytest.raises(FetchError) as caught:
        fetch(lambda _: iter([raw]))
    assert caught.value.reason == reason


def test_unknown_host_and_closed_port() -> None:
    with Site({HOST: {}}) as site:
        guard = AddressGuard(allow_private=[HOST, "gone.example"], resolve=site.resolve)
        fetcher = Fetcher(guard, user_agent="testbot/1.0")
        with pytest.raises(FetchError) as caught:
            fetcher.fetch("http://gone.example/")
        assert caught.value.reason == "dns"
        with pytest.raises(FetchError) as caught:
            fetcher.fetch("http://a.example:1/")
        assert caught.value.reason == "refused"


def test_refused_address_is_not_contacted() -> None:
    with Site({HOST: {"/": page("secret")}}) as site:
        fetcher = Fetcher(AddressGuard(ports=[site.port], resolve=site.resolve), user_agent="testbot/1.0")
        with pytest.raises(AddressRefusedError, match="loopback"):
            fetcher.fetch(site.url(HOST))
        assert site.log == []


def test_proxies_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("all_proxy", "http://127.0.0.1:1")
    assert fetch(page("x")).status == 200


def test_cookies_are_not_sent_back() -> None:
    with Site({HOST: {"/1": page("x", Set_Cookie="a=1"), "/2": page("y")}}) as site:
        fetcher = Fetcher(AddressGuard(allow_private=[HOST], resolve=site.resolve), user_agent="testbot/1.0")
        fetcher.fetch(site.url(HOST, "/1"))
        fetcher.fetch(site.url(HOST, "/2"))
        assert site.log[1].field("Cookie") == ""


def test_each_request_has_a_connection_of_its_own() -> None:
    """On one that is used again, bytes that come late are read as the answer to the next request."""
    with Site({HOST: {"/1": page("x")}}) as site:
        guard = AddressGuard(allow_private=[HOST], resolve=site.resolve)
        opened = []
        connect = guard.connect
        guard.connect = lambda *a: opened.append(a) or connect(*a)  # type: ignore[method-assign,func-returns-value]
        fetcher = Fetcher(guard, user_agent="testbot/1.0")
        for _ in range(3):
            fetcher.fetch(site.url(HOST, "/1"))
        assert len(opened) == 3
        assert site.log[0].field("Connection") == "close"


@pytest.mark.parametrize(
    "url", ["http://a.example/a b", "http://a.example/x\r\nX: y", "http://a.example/é", "ftp://a/"]
)
def test_what_would_break_the_request_is_not_asked_for(url: str) -> None:
    fetcher = Fetcher(AddressGuard(resolve=lambda _: ["192.0.2.1"]), user_agent="testbot/1.0")
    with pytest.raises(FetchError) as caught:
        fetcher.fetch(url)
    assert (caught.value.reason, caught.value.lasting) == ("address", True)


def test_secure_connections_are_checked_unless_told_otherwise() -> None:
    """The certificate is good for a.example, but nobody vouches for it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Path(__file__).with_name("self_signed.pem"))
    with context.wrap_socket(socket.create_server(("127.0.0.1", 0)), server_side=True) as server:

        def serve() -> None:
            for _ in range(2):
                with contextlib.suppress(OSError), server.accept()[0] as connection:
                    connection.recv(65536)
                    connection.sendall(answer(b"secret"))

        threading.Thread(target=serve, daemon=True).start()
        guard = AddressGuard(allow_private=[HOST], resolve=lambda _: ["127.0.0.1"])
        url = f"https://{HOST}:{server.getsockname()[1]}/"
        with pytest.raises(FetchError, match="self-signed certificate") as caught:
            Fetcher(guard, user_agent="testbot/1.0").fetch(url)
        assert caught.value.reason == "tls"
        exchange = Fetcher(guard, user_agent="testbot/1.0", verify_tls=False).fetch(url)
        assert (exchange.entity, exchange.address) == (b"secret", "127.0.0.1")


@pytest.mark.parametrize(
    ("location", "target"),
    [
        (b"/caf\xc3\xa9", "/caf%C3%A9"),
        (b"/caf\xe9", "/caf%E9"),
        (b"other?x=1", "/dir/other?x=1"),
        (b"", ""),
        (b"http://[bad/", ""),
    ],
)
def test_redirect_targets_as_bytes(location: bytes, target: str) -> None:
    exchange = fetch_all({"/dir/x": redirect(location)})["/dir/x"]
    assert exchange.redirect_target.removeprefix(exchange.url.removesuffix("/dir/x")) == target


def test_continue_is_no_part_of_the_response() -> None:
    assert fetch(b"HTTP/1.1 100 Continue\r\n\r\n" + answer(b"x")).head.startswith(b"HTTP/1.1 200")
