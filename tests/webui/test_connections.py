"""Who holds connections and does nothing with them keeps no reader out, and holds no thread and no memory for ever."""

from __future__ import annotations

import contextlib
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from waitress import wasyncore

from webui import connections
from webui.connections import Connection, Server, make_server, most_connections
from webui.processes import ConnectionCounts

REPOSITORY = Path(__file__).parents[2]
GET = b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n"
# What a connection sends and then leaves it at.
HALVES = {
    "nothing": b"",
    "half a request line": b"GET /search?q=",
    "half a header": b"GET / HTTP/1.1\r\nHost: x\r\nCookie: ",
    "half a body": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc",
    "half a chunk": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc",
    "one request": GET % b"short",
    "many requests": GET % b"short" * 50,
    "a long answer": GET % b"long",
    "the greeting of TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
}
LONG = bytes(place * place % 251 for place in range(2_000_001))
FILE_PIECES = 3_200
Serve = Callable[..., Server]


def answer_for(environ: dict[str, Any], start: Callable[..., Any]) -> Any:
    """/short: "ok"; /long: 2 MB in one piece; /file: 200 MB in pieces; else the length of the body that came."""
    path = environ["PATH_INFO"]
    if path == "/file":
        start("200 OK", [("Content-Length", str(FILE_PIECES << 16))])
        return (b"x" * (1 << 16) for _ in range(FILE_PIECES))
    body = {"/short": b"ok", "/long": LONG}.get(path) or str(len(environ["wsgi.input"].read())).encode()
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Start servers of `answer_for`; bounds of `connections` are given by their names."""
    running = []

    def start(threads: int = 2, application: Any = answer_for, **bounds: Any) -> Server:
        for name, value in bounds.items():
            monkeypatch.setattr(connections, name, value)
        listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        server = make_server(application, listener, threads)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        running.append((server, thread))
        return server

    yield start
    for server, thread in running:
        with contextlib.suppress(OSError):  # it was awake, and has closed what would wake it up
            server.trigger.pull_trigger(lambda server=server: close_all(server))
        thread.join(20)
        assert not thread.is_alive()
        server.task_dispatcher.shutdown()


def close_all(server: Server) -> None:
    for connection in list(server.active_channels.values()):
        connection.handle_close()
    wasyncore.close_all(server._map)


def connect(server: Server, sent: bytes = b"") -> socket.socket:
    link = socket.create_connection(("127.0.0.1", int(server.effective_port)), timeout=20)
    link.sendall(sent)
    return link


def ask(server: Server, request: bytes = GET % b"short") -> bytes:
    """Return the whole answer to a request, as a reader of its own gets it."""
    with connect(server, request.replace(b"Host: x", b"Host: x\r\nConnection: close")) as link:
        return read_all(link)


def read_all(link: socket.socket) -> bytes:
    """Return what comes until the server closes."""
    pieces = []
    with contextlib.suppress(ConnectionResetError):
        while piece := link.recv(1 << 16):
            pieces.append(piece)
    return b"".join(pieces)


def read_to(link: socket.socket, end: bytes) -> None:
    """Read until what came ends so."""
    came = b""
    while not came.endswith(end):
        piece = link.recv(1000)
        assert piece, came
        came += piece


def is_open(link: socket.socket) -> bool:
    link.settimeout(0.05)
    try:
        return bool(link.recv(1 << 16))
    except TimeoutError:
        return True
    except ConnectionResetError:
        return False


def allow_files(number: int) -> None:
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed < number:
        resource.setrlimit(resource.RLIMIT_NOFILE, (number if most < 0 else min(number, most), most))


# ---------------------------------------------------------------- readers are answered beside them


@pytest.mark.parametrize("sent", HALVES.values(), ids=HALVES)
def test_a_reader_is_answered_beside_500_that_leave_it_at_a_half(serve: Serve, sent: bytes) -> None:
    allow_files(4000)
    server = serve()
    with contextlib.ExitStack() as held:
        for _ in range(500):
            held.enter_context(connect(server, sent))
        assert ask(server).endswith(b"\r\n\r\nok")
        assert ask(server, GET % b"long").partition(b"\r\n\r\n")[2] == LONG


def test_a_reader_is_answered_beside_500_at_several_processes(small_index: Path, tmp_path: Path) -> None:
    allow_files(4000)
    settings = tmp_path / "settings.toml"
    settings.write_text("[server]\nprocesses = 2\nport = 0\n")
    with subprocess.Popen(
        [sys.executable, REPOSITORY / "app.py", "serve", "--index", small_index, "--settings", settings],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        port = int(process.stdout.readline().strip().strip("/").rpartition(":")[2])
        try:
            with contextlib.ExitStack() as held:
                for _ in range(500):
                    link = held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
                    link.sendall(HALVES["half a header"])
                for _ in range(8):  # a connection each, so that both are met
                    with socket.create_connection(("127.0.0.1", port), timeout=20) as reader:
                        reader.sendall(
                            f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()
                        )
                        assert read_all(reader).endswith(b"\r\n\r\nok\n")
        finally:
            process.terminate()


def test_a_new_connection_is_left_to_a_process_with_fewer_but_not_for_ever(serve: Serve) -> None:
    counts = ConnectionCounts(2)
    server = serve(_LEFT_TO_OTHERS_S=60.0)
    server.shares_with_others(counts, 0)
    counts.tell(1, 0)
    with connect(server, GET % b"short") as held:
        read_to(held, b"ok")
        assert server._is_for_others(), "the other has none"
        counts.tell(1, 1)
        assert not server._is_for_others()
        assert ask(server).endswith(b"ok"), "as many: it is taken"
        counts.tell(1, 0)
        server._left_since -= 100
        assert ask(server).endswith(b"ok"), "the other had its time"
        assert server._is_for_others(), "and has as much for the next one"


def test_an_answer_leaves_in_one_piece_and_meanwhile_nobody_is_woken_up_to_send_it(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    send, sent = Connection.send, []

    def noted(self: Connection, data: bytes, do_close: bool = True) -> int:
        sent.append((bytes(data), self.writable()))
        return send(self, data, do_close)

    monkeypatch.setattr(Connection, "send", noted)
    assert sent == [(ask(serve()), False)]


# ---------------------------------------------------------------- who is answered when


def test_requests_are_worked_on_one_at_a_time_as_they_came(serve: Serve) -> None:
    at_work, most, order = 0, 0, []

    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Any:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        order.append(environ["PATH_INFO"])
        time.sleep(0.02)
        at_work -= 1
        return answer_for(environ | {"PATH_INFO": "/short"}, start)

    server = serve(threads=4, application=answer, TURN_S=30.0)
    with contextlib.ExitStack() as held:
        links = []
        for number in range(12):
            links.append(held.enter_context(connect(server, GET % str(number).encode())))
            assert wait_until(lambda: len(order) + len(server.task_dispatcher.queue) == len(links))
        for link in links:
            read_to(link, b"ok")
    assert most == 1
    assert order == [f"/{number}" for number in range(12)]


@pytest.mark.parametrize("turn_s", [0.0, 0.05])
def test_requests_that_take_long_keep_no_others_waiting(serve: Serve, turn_s: float) -> None:
    ended = threading.Event()

    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Any:
        if environ["PATH_INFO"] == "/slow":
            ended.wait(20)
        return answer_for(environ | {"PATH_INFO": "/short"}, start)

    server = serve(threads=3, application=answer, TURN_S=turn_s)
    with contextlib.ExitStack() as held:
        slow = [held.enter_context(connect(server, GET % b"slow")) for _ in range(2)]
        for _ in range(20):
            assert ask(server).endswith(b"ok")
        # all threads are taken up: what comes now waits, and is not lost
        slow.append(held.enter_context(connect(server, GET % b"slow")))
        last = held.enter_context(connect(server, GET % b"short"))
        assert wait_until(lambda: len(server.task_dispatcher.queue) == 1)
        ended.set()
        for link in [*slow, last]:
            read_to(link, b"ok")


def test_a_thread_goes_on_where_a_request_fails(serve: Serve) -> None:
    def fail(environ: dict[str, Any], start: Callable[..., Any]) -> Any:
        raise SystemExit

    server = serve(threads=1, application=fail, TURN_S=30.0)
    with connect(server, GET % b"1"), connect(server, GET % b"2"):
        assert wait_until(
            lambda: not server.task_dispatcher.queue and server.task_dispatcher._has_turn is None
        )


# ---------------------------------------------------------------- how long a request may take


def is_closed_in_time(link: socket.socket) -> bool:
    return wait_until(lambda: not is_open(link))


def wait_until(is_so: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize("kind", ["half a request line", "half a header", "half a body", "half a chunk"])
def test_half_a_request_is_given_up_also_when_a_byte_comes_now_and_then(serve: Serve, kind: str) -> None:
    server = serve(HEADER_S=0.5, BODY_S=0.5)
    with connect(server, HALVES[kind]) as link:
        sent = 0
        with contextlib.suppress(OSError):
            for _ in range(60):  # half a body asks for no more than that
                time.sleep(0.1)
                link.sendall(b"a")
                sent += 1
        assert sent < 60


def test_a_body_has_longer_than_a_header(serve: Serve) -> None:
    server = serve(HEADER_S=0.3, BODY_S=30.0)
    with connect(server, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc") as link:
        time.sleep(2.5)  # two rounds of closing
        link.sendall(b"def")
        read_to(link, b"\r\n\r\n6")


@pytest.mark.parametrize("sent", [b"", GET % b"short"], ids=["at once", "after an answer"])
def test_empty_lines_do_not_keep_a_connection(serve: Serve, sent: bytes) -> None:
    server = serve(IDLE_S=0.5)
    with connect(server, sent) as link, contextlib.suppress(OSError):
        for _ in range(100):
            time.sleep(0.1)
            link.sendall(b"\r\n")
        pytest.fail("still open")


def test_between_two_requests_there_is_time(serve: Serve) -> None:
    server = serve(HEADER_S=0.1, BODY_S=0.1)
    with connect(server, GET % b"short") as link:
        read_to(link, b"ok")
        time.sleep(2.5)
        link.sendall(GET % b"short")
        read_to(link, b"ok")


# ---------------------------------------------------------------- what a request may be


@pytest.mark.parametrize(("fields", "status"), [(99, b"200"), (100, b"200"), (101, b"400")])
def test_header_fields_are_counted(serve: Serve, fields: int, status: bytes) -> None:
    more = b"".join(b"X-%d: 1\r\n" % number for number in range(fields - 1))
    answer = ask_plainly(serve(), b"GET /short HTTP/1.0\r\nHost: x\r\n" + more + b"\r\n")
    assert answer.split()[1] == status


def ask_plainly(server: Server, request: bytes) -> bytes:
    with connect(server, request) as link:
        return read_all(link)


@pytest.mark.parametrize(("size", "status"), [((1 << 16) - 1, b"200"), (1 << 16, b"431")])
def test_headers_are_bounded(serve: Serve, size: int, status: bytes) -> None:
    begin, end = b"GET /short HTTP/1.0\r\nCookie: ", b"\r\n\r\n"
    answer = ask_plainly(serve(), begin + b"a" * (size - len(begin) - len(end)) + end)
    assert answer.split()[1] == status


@pytest.mark.parametrize("way", ["length", "chunks"])
@pytest.mark.parametrize(("size", "status"), [(999_000, b"200"), (1_000_000, b"413")])
def test_bodies_are_bounded(serve: Serve, way: str, size: int, status: bytes) -> None:
    fields = b"Content-Length: %d" % size if way == "length" else b"Transfer-Encoding: chunked"
    body = b"a" * size if way == "length" else b"%x\r\n%s\r\n0\r\n\r\n" % (size, b"a" * size)
    server = serve()
    with connect(server, b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s\r\n\r\n" % fields) as link:
        with contextlib.suppress(OSError):  # what is too much is not read to its end
            link.sendall(body)
        answer = read_all(link)
    # a client that is still sending may lose the refusal
    assert answer.split()[1:2] == [status] or (not answer and status == b"413")


@pytest.mark.parametrize("line", [b"f" * 1_100, b"0\r\nX: " + b"a" * 1_100], ids=["size", "trailer"])
def test_a_long_line_between_chunks_is_refused(serve: Serve, line: bytes) -> None:
    answer = ask_plainly(serve(), b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + line)
    assert answer.split()[1] == b"400"


def test_the_greeting_of_tls_is_answered_at_once(serve: Serve) -> None:
    answer = ask_plainly(serve(), HALVES["the greeting of TLS"])
    assert answer.split()[1] == b"400" and b"TLS" in answer


# ---------------------------------------------------------------- room for new connections


def test_the_connection_that_has_waited_longest_makes_room(serve: Serve) -> None:
    server = serve(most_connections=lambda: 4)
    with contextlib.ExitStack() as held:
        links = []
        for _ in range(4):
            links.append(held.enter_context(connect(server, b"GET / HTTP/1.1\r\nX: ")))
            time.sleep(0.05)
        links[0].sendall(b"a")  # a byte now makes it no younger
        assert ask(server).endswith(b"ok")
        assert is_closed_in_time(links[0])
        assert all(map(is_open, links[1:]))
        links[1].sendall(b"\r\nHost: x\r\n\r\n")
        read_to(links[1], b"\r\n\r\n0")
        assert ask(server).endswith(b"ok")  # there is room
        assert ask(server).endswith(b"ok")
        for _ in range(2):
            held.enter_context(connect(server))
        assert is_closed_in_time(links[2])
        assert is_open(links[1]) and is_open(links[3])


def test_a_request_that_is_worked_on_is_not_dropped(serve: Serve) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def application(environ: dict[str, Any], start: Callable[..., Any]) -> Any:
        if environ["PATH_INFO"] == "/slow":
            inside.set()
            go_on.wait(20)
        return answer_for(environ | {"PATH_INFO": "/short"}, start)

    server = serve(application=application, most_connections=lambda: 3)
    with connect(server, GET % b"slow") as slow, contextlib.ExitStack() as held:
        assert inside.wait(20)
        for _ in range(30):
            held.enter_context(connect(server, b"GET"))
        assert ask(server).endswith(b"ok")
        go_on.set()
        read_to(slow, b"ok")


def test_without_files_for_new_connections_an_old_one_makes_room(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    with connect(server, b"GET") as old:
        assert wait_until(lambda: len(server.active_channels) == 1)
        plain_accept = server.socket.accept
        refusals = [OSError(24, "Too many open files")]

        class Refusing:
            def __getattr__(self, name: str) -> Any:
                return getattr(listener, name)

            def accept(self) -> Any:
                if refusals:
                    raise refusals.pop()
                return plain_accept()

        listener = server.socket
        monkeypatch.setattr(server, "socket", Refusing())
        assert ask(server).endswith(b"ok")
        assert is_closed_in_time(old)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [((20_000, 20_000), 1000), ((1024, 1024), 312), ((1024, 4096), 1000), ((64, 64), 32),
     ((1024, resource.RLIM_INFINITY), 1000), ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), 1000)],
)  # fmt: skip
def test_connections_follow_the_open_files_that_are_allowed(
    limits: tuple[int, int], expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [limits]
    monkeypatch.setattr(resource, "getrlimit", lambda kind: now[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda kind, wanted: now.append(wanted))
    assert most_connections() == expected


# ---------------------------------------------------------------- answers that nobody fetches


def test_an_answer_that_nobody_fetches_gives_its_thread_back(serve: Serve) -> None:
    server = serve(threads=1, HELD_ANSWER_BYTES=1 << 20)
    with connect(server, GET % b"file"), connect(server, GET % b"file"):
        assert ask(server).endswith(b"ok")


def test_answers_up_to_a_size_keep_no_thread(serve: Serve) -> None:
    server = serve(threads=1, SLOW_WHILE_OTHERS_WAIT_S=1e9, SLOW_FOR_A_THREAD_S=1e9)
    with connect(server, GET % b"long" * 20) as link:
        assert ask(server).endswith(b"ok")
        time.sleep(1.5)
        received = b""
        while len(received) < 20 * len(LONG):
            received += link.recv(1 << 20)
        assert received.count(LONG) == 20


def lazy(server: Server, sent: bytes) -> socket.socket:
    """Return a connection whose system takes little of what its client does not read."""
    link = socket.socket()
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    link.settimeout(20)
    link.connect(("127.0.0.1", int(server.effective_port)))
    link.sendall(sent)
    return link


def test_who_fetches_slowly_but_steadily_gets_all_of_it(serve: Serve) -> None:
    server = serve(threads=1, HELD_ANSWER_BYTES=1 << 20, SLOW_FOR_A_THREAD_S=1.5)
    got = 0
    with lazy(server, GET % b"file") as link:
        began = time.monotonic()
        while time.monotonic() < began + 4:
            got += len(link.recv(1 << 14))
            time.sleep(0.01)
        while got < FILE_PIECES << 16:
            piece = link.recv(1 << 20)
            assert piece
            got += len(piece)


def test_who_fetches_a_byte_now_and_then_is_left(serve: Serve) -> None:
    server = serve(SLOW_S=1.0)
    with lazy(server, GET % b"long" * 5) as link:
        for _ in range(5):
            time.sleep(0.3)
            assert link.recv(1)
        assert wait_until(lambda: not server.active_channels)


def test_answers_that_wait_take_bounded_room(serve: Serve) -> None:
    server = serve(MOST_UNFETCHED_BYTES=20_000_000, _CHECK_EVERY_S=1000)

    def unfetched() -> int:
        return sum(one.total_outbufs_len for one in list(server.active_channels.values()))

    with contextlib.ExitStack() as held:
        for _ in range(12):
            held.enter_context(lazy(server, GET % b"long" * 4))
        assert wait_until(
            lambda: (
                unfetched() > 30_000_000
                and not any(one.requests for one in list(server.active_channels.values()))
            )
        )
        server.trigger.pull_trigger(lambda: server.maintenance(0))
        assert wait_until(lambda: unfetched() <= 20_000_000)
        assert unfetched() > 8_000_000  # no more are dropped than have to be
        assert ask(server).endswith(b"ok")
