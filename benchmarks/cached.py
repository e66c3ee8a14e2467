"""Times the cached page over loopback: the bar, the framed page, both with query words to be marked.

    python benchmarks/cached.py INDEX-FOLDER [--clients 16] [--requests 2000] [--word WORD]

Starts `findingaid serve` on a free port and asks for other pages each time, as many readers
would. Prints for each kind of page: requests a second, milliseconds (median, 95 and 99 of
100), answers that were no 200, and the memory of the server afterwards.
"""

from __future__ import annotations

import argparse
import http.client
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.contact_sheet import addresses
from indexer import open_index
from webui.addresses import cached_address, replay_address

APP = Path(__file__).resolve().parent.parent / "app.py"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("index")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--word", default="time")
    given = parser.parse_args()
    with open_index(given.index) as index:
        urls = addresses(index)
    random.Random(1).shuffle(urls)
    server = subprocess.Popen(
        [sys.executable, str(APP), "serve", "--index", given.index, "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        found = re.search(r"http://[^\s/]+", line)
        if not found:
            sys.exit(f"the server did not say its address: {line!r}")
        netloc = urlsplit(found[0]).netloc
        kinds: dict[str, Callable[[str], str]] = {
            "bar": lambda url: cached_address(url, "0"),
            "frame": lambda url: replay_address(url, "0"),
            "bar, words": lambda url: cached_address(url, "0", query=given.word),
            "frame, words": lambda url: replay_address(url, "0", query=given.word),
            "text": lambda url: cached_address(url, "0", view="text"),
            "details": lambda url: cached_address(url, "0", view="details"),
        }
        print(f"{'page':<14}{'req/s':>8}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}{'not 200':>9}{'MB':>7}")
        start = 0
        for kind, address in kinds.items():
            # other pages for each kind, so that none finds ready what the one before it made
            chosen = [urls[(start + n) % len(urls)] for n in range(given.requests)]
            start += given.requests
            times, bad, seconds = ask([address(url) for url in chosen], netloc, given.clients)
            p50, p95, p99 = (1000 * times[int(len(times) * share)] for share in (0.5, 0.95, 0.99))
            memory = _memory_mb(server.pid)
            print(
                f"{kind:<14}{len(times) / seconds:>8.0f}{p50:>9.1f}{p95:>9.1f}{p99:>9.1f}{bad:>9}{memory:>7.0f}"
            )
    finally:
        server.terminate()
        server.wait()


def ask(targets: list[str], netloc: str, clients: int) -> tuple[list[float], int, float]:
    """Ask for all targets with so many clients at once; return (rising seconds, answers not 200, seconds in all)."""
    queue = list(targets)
    times: list[float] = []
    bad = [0]
    lock = threading.Lock()

    def client() -> None:
        connection = http.client.HTTPConnection(netloc, timeout=60)
        while True:
            with lock:
                if not queue:
                    break
                target = queue.pop()
            begin = time.perf_counter()
            connection.request("GET", target)
            answer = connection.getresponse()
            answer.read()
            taken = time.perf_counter() - begin
            with lock:
                times.append(taken)
                bad[0] += answer.status != 200
        connection.close()

    threads = [threading.Thread(target=client) for _ in range(clients)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(times), bad[0], time.perf_counter() - begin


def _memory_mb(pid: int) -> float:
    text = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", text)
    return int(found[1]) / 1024 if found else 0.0


if __name__ == "__main__":
    main()
