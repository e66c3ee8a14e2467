"""Times the web front under load, over loopback: results, cached pages, and the doors for programs.

    python benchmarks/web.py INDEX-FOLDER [--clients 16] [--requests 1000] [--only KIND]... [--json]
    python benchmarks/web.py INDEX-FOLDER --memory 10000
    python benchmarks/web.py INDEX-FOLDER --beside ARCHIVE [--only KIND]...

Starts `findingaid serve` on a free port and asks with so many clients at once, each on a
connection of its own and without a pause: a client asks again as soon as it is answered.
Prints for each kind of page, as soon as it is measured: requests a second, milliseconds from asking to the last byte
(p50, p95, p99, longest), answers other than 200, milliseconds of CPU that the server and this
program spent on one request (the clients run in this program and share the machine's cores
with the server).

--memory N asks for all kinds mixed, N requests in five parts, and prints resident memory and
the part of it that is the server's own (PSS) before and after each.
--beside ARCHIVE asks alone, then while a crawl of the demo site and an index run of the
archive file go on, again and again, and prints the ratio.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import re
import select
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from indexer import Index, open_index  # noqa: E402
from webui.addresses import cached_address, captures_address, replay_address  # noqa: E402

APP = HERE.parent / "app.py"
TICKS = os.sysconf("SC_CLK_TCK")
REPEATED = 20
LONGEST_S = 30  # without any answer: then it hangs
BEGINS_S = 120  # until the server says where it is, on a machine that is busy
Say = Callable[[str], None]
BARS_MS = {
    "results": 60,
    "results, asked before": 60,
    "bar": 80,
    "frame": 80,
    "bar, words": 80,
    "frame, words": 80,
}


@dataclass
class Figures:
    """What one kind of page took. times: rising, milliseconds; server_ms, client_ms: CPU a request."""

    times: list[float]
    seconds: float
    failed: int
    server_ms: float
    client_ms: float

    def at(self, share: float) -> float:
        return self.times[min(len(self.times) - 1, int(len(self.times) * share))]

    def as_json(self) -> dict[str, float]:
        return {
            "requests": len(self.times),
            "per_second": round(len(self.times) / self.seconds, 1),
            **{f"p{share}": round(self.at(share / 100), 2) for share in (50, 95, 99)},
            "max": round(self.times[-1], 2),
            "failed": self.failed,
            "server_cpu_ms": round(self.server_ms, 2),
            "client_cpu_ms": round(self.client_ms, 3),
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("index")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--requests", type=int, default=1000, help="of each kind (default 1000)")
    parser.add_argument("--queries", type=Path, default=HERE / "queries.tsv")
    parser.add_argument("--word", default="time", help="word to be marked in cached pages")
    parser.add_argument("--only", action="append", default=[], metavar="KIND")
    parser.add_argument("--memory", type=int, metavar="N")
    parser.add_argument("--beside", metavar="ARCHIVE")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the server"
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    kinds = make_kinds(given.index, given.queries, given.word)
    if unknown := set(given.only) - set(kinds):
        sys.exit(f"web.py: no such kind: {', '.join(unknown)}; there are: {', '.join(kinds)}")
    kinds = {kind: targets for kind, targets in kinds.items() if not given.only or kind in given.only}
    # for people, unless a program reads what is printed
    say = functools.partial(print, file=sys.stderr if given.json else sys.stdout, flush=True)
    with served(given.index, given.set) as (server, netloc):
        if given.memory:
            found: Any = measure_memory(say, kinds, server, netloc, given.clients, given.memory)
        elif given.beside:
            found = measure_beside(say, kinds, server, netloc, given.clients, given.requests, given.beside)
        else:
            found = measure(say, kinds, server, netloc, given.clients, given.requests)
            found["server memory"] = memory_of(server)
    if given.json:
        print(json.dumps(found))


# ---------------------------------------------------------------- what is asked for


def make_kinds(index_dir: str, queries: Path, word: str) -> dict[str, Iterator[str]]:
    """Return for each kind of page the targets of its requests, without end; no cached page comes twice soon."""
    with open_index(index_dir) as index:
        urls = addresses(index)
    random.Random(1).shuffle(urls)
    asked = [line.split("\t")[1] for line in queries.read_text("utf-8").splitlines() if "\t" in line]
    random.Random(2).shuffle(asked)
    pages = each_in_turn(urls)

    def of_pages(address: Callable[[str], str]) -> Iterator[str]:
        return (address(url) for url in pages)

    def of_queries(address: str, chosen: Sequence[str]) -> Iterator[str]:
        return (address + quote(query) for query in each_in_turn(chosen))

    return {
        "results": (f"/search?q={quote(query)}" for query in fresh(asked)),
        "results, asked before": of_queries("/search?q=", asked[:REPEATED]),
        "search.json": (f"/search.json?q={quote(query)}" for query in fresh(asked)),
        "bar": of_pages(lambda url: cached_address(url, "0")),
        "frame": of_pages(lambda url: replay_address(url, "0")),
        "bar, words": of_pages(lambda url: cached_address(url, "0", query=word)),
        "frame, words": of_pages(lambda url: replay_address(url, "0", query=word)),
        "text": of_pages(lambda url: cached_address(url, "0", query=word, view="text")),
        "captures": of_pages(lambda url: captures_address(url)),
        "cdx": of_pages(lambda url: f"/cdx?url={quote(url, safe='')}&output=json"),
        "home": each_in_turn(["/"]),
    }


def addresses(index: Index) -> list[str]:
    """Return the addresses of all pages."""
    with index._reading() as snapshot:  # no public list of all pages is needed anywhere else
        rows = snapshot.catalogue.connection().execute(
            "SELECT DISTINCT u.url FROM urls u JOIN versions v ON v.url = u.id ORDER BY u.url"
        )
        return [row[0] for row in rows]


def each_in_turn(values: Sequence[str]) -> Iterator[str]:
    while True:
        yield from values


def fresh(queries: Sequence[str]) -> Iterator[str]:
    """Yield queries that were not asked before: those given, then each with a word of another one, by OR."""
    yield from queries
    plain = [query for query in queries if " " not in query]
    step = 1
    while True:
        for place, query in enumerate(queries):
            yield f"{query} OR {plain[(place * 7 + step) % len(plain)]}"
        step += 1


# ---------------------------------------------------------------- asking


class Client:
    """One reader on a connection of its own; where the server ends it behind an answer, on the next one."""

    def __init__(self, host: str, port: int) -> None:
        self._place = (host, port)
        self._host = f"{host}:{port}"
        self._head, self._left, self._began = b"", -1.0, 0.0
        self._ends = False
        self.status = 0
        self.target, self.waits = "", False
        self.socket = self._connected()

    def _connected(self) -> socket.socket:
        connection = socket.create_connection(self._place)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def ask(self, target: str) -> None:
        if self._ends:
            self.socket.close()
            self.socket = self._connected()
        self._head, self._left, self._ends = b"", -1.0, False
        self.target, self.waits = target, True
        self._began = time.perf_counter()
        self.socket.sendall(
            f"GET {target} HTTP/1.1\r\nHost: {self._host}\r\nAccept: text/html\r\n\r\n".encode()
        )

    def hear(self) -> float | None:
        """Take in what has come; return the milliseconds that the whole answer took, once it is there."""
        data = self.socket.recv(1 << 18)
        if not data:
            if not self._ends:
                raise ConnectionError("the server closed the connection in the middle of an answer")
            self._left = 0
        elif self._left < 0:
            self._head += data
            head, end, body = self._head.partition(b"\r\n\r\n")
            if not end:
                return None
            self.status = int(head[9:12])
            length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
            self._left, data = float(length[1]) if length else float("inf"), body
            self._ends = re.search(rb"(?i)\r\nconnection: *close", head) is not None
        self._left -= len(data)
        self.waits = self._left > 0
        return None if self.waits else 1000 * (time.perf_counter() - self._began)


def ask(targets: Iterator[str], number: int, server: int, netloc: str, clients: int) -> Figures:
    """Ask for the next `number` targets, with so many clients at once."""
    host, _, port = netloc.rpartition(":")
    queue = deque(next(targets) for _ in range(number))
    times: list[float] = []
    failed = 0
    server_began, client_began, began = cpu_of(server), time.process_time(), time.perf_counter()
    with selectors.DefaultSelector() as selector:
        readers = [Client(host, int(port)) for _ in range(min(clients, number))]
        for reader in readers:
            reader.ask(queue.popleft())
            selector.register(reader.socket, selectors.EVENT_READ, reader)
        while len(times) < number:
            ready = selector.select(timeout=LONGEST_S)
            if not ready:
                asked = sorted(reader.target for reader in readers if reader.waits)
                sys.exit(f"web.py: nothing was answered for {LONGEST_S} s; asked were {asked}")
            for key, _events in ready:
                reader = key.data
                took = reader.hear()
                if took is not None:
                    times.append(took)
                    failed += reader.status != 200
                    selector.unregister(reader.socket)
                    if queue:
                        reader.ask(queue.popleft())
                        selector.register(reader.socket, selectors.EVENT_READ, reader)
        seconds = time.perf_counter() - began
        for reader in readers:
            reader.socket.close()
    server_ms = 1000 * (cpu_of(server) - server_began) / number
    return Figures(
        sorted(times), seconds, failed, server_ms, 1000 * (time.process_time() - client_began) / number
    )


# ---------------------------------------------------------------- the three measurements

HEADING = (
    f"{'page':<24}{'req/s':>7}{'p50 ms':>9}{'p95':>8}{'p99':>8}{'max':>8}{'not 200':>9}"
    f"{'server CPU ms':>15}{'client CPU ms':>15}  bar"
)


def measure(
    say: Say, kinds: dict[str, Iterator[str]], server: int, netloc: str, clients: int, number: int
) -> dict[str, Any]:
    say(HEADING)
    found: dict[str, Any] = {}
    for kind, targets in kinds.items():
        if kind == "results, asked before":
            ask(targets, REPEATED, server, netloc, clients)
        figures = ask(targets, number, server, netloc, clients)
        found[kind] = figures.as_json()
        say(as_line(kind, figures))
    return found


def as_line(kind: str, figures: Figures) -> str:
    bar = BARS_MS.get(kind)
    verdict = "" if bar is None else f"p95 under {bar}: {'yes' if figures.at(0.95) < bar else 'no'}"
    return (
        f"{kind:<24}{len(figures.times) / figures.seconds:>7.0f}{figures.at(0.5):>9.1f}{figures.at(0.95):>8.1f}"
        f"{figures.at(0.99):>8.1f}{figures.times[-1]:>8.1f}{figures.failed:>9}"
        f"{figures.server_ms:>15.2f}{figures.client_ms:>15.2f}  {verdict}"
    )


def measure_memory(
    say: Say, kinds: dict[str, Iterator[str]], server: int, netloc: str, clients: int, number: int
) -> dict[str, Any]:
    mixed = mix(kinds)
    ask(mixed, 200, server, netloc, clients)
    found = {"200": memory_of(server)}
    say(f"{'requests':>9}{'RSS MB':>9}{'PSS MB':>9}{'not mapped MB':>15}{'peak MB':>9}{'not 200':>9}")
    done, failed = 200, 0
    for part in range(6):
        memory = found[str(done)]
        say(
            f"{done:>9}{memory['rss']:>9.1f}{memory['pss']:>9.1f}{memory['not_mapped']:>15.1f}{memory['peak']:>9.1f}"
            f"{failed:>9}"
        )
        if part < 5:
            failed += ask(mixed, number // 5, server, netloc, clients).failed
            done += number // 5
            found[str(done)] = memory_of(server)
    return found


def mix(kinds: dict[str, Iterator[str]]) -> Iterator[str]:
    while True:
        for targets in kinds.values():
            yield next(targets)


def measure_beside(
    say: Say,
    kinds: dict[str, Iterator[str]],
    server: int,
    netloc: str,
    clients: int,
    number: int,
    archive: str,
) -> dict[str, Any]:
    found = {}
    say(f"{'page':<24}{'alone p95 ms':>14}{'beside p95 ms':>15}{'ratio p50':>11}{'ratio p95':>11}")
    for kind, targets in kinds.items():
        alone = ask(targets, number, server, netloc, clients)
        with busy(archive):
            beside = ask(targets, number, server, netloc, clients)
        ratios = {share: beside.at(share) / alone.at(share) for share in (0.5, 0.95)}
        found[kind] = {
            "alone": alone.as_json(),
            "beside": beside.as_json(),
            "ratio_p95": round(ratios[0.95], 2),
        }
        say(
            f"{kind:<24}{alone.at(0.95):>14.1f}{beside.at(0.95):>15.1f}{ratios[0.5]:>11.2f}{ratios[0.95]:>11.2f}"
        )
    return found


# ---------------------------------------------------------------- processes


@contextmanager
def served(index_dir: str, settings: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Run `findingaid serve`; give (process id, host and port)."""
    with tempfile.TemporaryDirectory(prefix="findingaid-web-") as folder:
        environment = {**os.environ}
        for setting in settings:
            key, _, value = setting.partition("=")
            environment["FINDINGAID_" + key.upper().replace(".", "__")] = value
        server = subprocess.Popen(
            [sys.executable, str(APP), "serve", "--index", os.path.abspath(index_dir), "--port", "0"],
            stdout=subprocess.PIPE, text=True, cwd=folder, env=environment,
        )  # fmt: skip
        try:
            assert server.stdout is not None
            is_there, _, _ = select.select([server.stdout], [], [], BEGINS_S)
            line = server.stdout.readline() if is_there else ""
            found = re.search(r"http://[^\s/]+", line)
            if not found:
                sys.exit(f"the server did not say its address: {line!r}")
            yield server.pid, urlsplit(found[0]).netloc
        finally:
            server.terminate()
            server.wait()


@contextmanager
def busy(archive: str) -> Iterator[None]:
    """Crawl the demo site and index an archive file, each begun again when it is done, until left."""
    from webui.demo import served_site

    with tempfile.TemporaryDirectory(prefix="findingaid-busy-") as folder, served_site() as site:
        loops = [
            f'n=0; while :; do n=$((n+1)); "{sys.executable}" "{APP}" crawl --seed {site} --job $n '
            f"--allow-private 127.0.0.1 --delay 0 --jobs-path {folder}/jobs; done",
            f'while :; do "{sys.executable}" "{APP}" index {archive} --index {folder}/index; '
            f"rm -rf {folder}/index; done",
        ]
        running = [
            subprocess.Popen(
                ["sh", "-c", loop],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                start_new_session=True,
            )  # fmt: skip
            for loop in loops
        ]
        try:
            time.sleep(3)
            yield
        finally:
            for process in running:
                os.killpg(process.pid, 15)
                process.wait()
            shutil.rmtree(f"{folder}/index", ignore_errors=True)


def tree_of(pid: int) -> list[int]:
    """Return a process and all below it."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return []
    return [pid, *(below for child in children for below in tree_of(int(child)))]


def cpu_of(pid: int) -> float:
    """Return the seconds of CPU that a process and those below it have spent."""
    total = 0
    for each in tree_of(pid):
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def memory_of(pid: int) -> dict[str, float]:
    """Return the megabytes of a process and those below it: resident, shares, of these not mapped from files, peaks."""
    sums = {"Rss": 0, "Pss": 0, "Pss_Anon": 0, "VmHWM": 0}
    for each in tree_of(pid):
        text = Path(f"/proc/{each}/smaps_rollup").read_text() + Path(f"/proc/{each}/status").read_text()
        for name in sums:
            found = re.search(rf"(?m)^{name}:\s+(\d+)", text)
            sums[name] += int(found[1]) if found else 0
    names = {"rss": "Rss", "pss": "Pss", "not_mapped": "Pss_Anon", "peak": "VmHWM"}
    return {name: round(sums[field] / 1024, 1) for name, field in names.items()}


if __name__ == "__main__":
    main()
