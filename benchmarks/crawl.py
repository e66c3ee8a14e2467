"""How fast the crawler is: a local site of 5,000 real pages, politeness off; wget and Scrapy do the same beside it.

    python benchmarks/crawl.py [--pages 5000] [--rounds 3] [--only findingaid,wget,scrapy] [--python PYTHON_WITH_SCRAPY]
    python benchmarks/crawl.py --queued 1000000      memory with a million addresses queued

The pages come from the archives under FINDINGAID_SHARED (default: ../shared);
each keeps its markup and gets a <base>, so that its own links lead out of the
site, and ten links to other pages of the site. The server is a process of its
own on the same machine; all crawlers extract links and write WARC files.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

SHARED = Path(os.environ.get("FINDINGAID_SHARED", Path(__file__).parents[2] / "shared"))
HOST = "127.0.0.1"


def real_pages(wanted: int) -> list[bytes]:
    """Return the HTML of real captures, each once; when there are too few, again with another ending."""
    from archiver.warc import ArchiveError, Record, parse_response, read_records

    pages: dict[bytes, None] = {}
    for path in [
        *sorted(SHARED.glob("archives/*/**/*arc*")),
        *sorted(SHARED.glob("collections/**/*.warc.gz")),
    ]:
        if len(pages) >= wanted:
            break
        try:
            for record in read_records(str(path)):
                if (
                    not isinstance(record, Record)
                    or record.type != "response"
                    or not record.url.startswith("http")
                ):
                    continue
                response = parse_response(record)
                if response is None or response.status != 200 or len(response.body) < 500:
                    continue
                if "html" in response.headers.get("Content-Type"):
                    pages[response.body[:300_000]] = None
                if len(pages) >= wanted:
                    break
        except (ArchiveError, OSError):
            continue  # the archives hold damaged files on purpose
    found = list(pages)
    if not found:
        raise SystemExit(f"no pages under {SHARED}/archives; set FINDINGAID_SHARED")
    print(
        f"{len(found)} different real pages, {sum(map(len, found)) / len(found) / 1000:.1f} kB each",
        file=sys.stderr,
    )
    return [
        found[n % len(found)] + (b"<!-- copy %d -->" % n if n >= len(found) else b"") for n in range(wanted)
    ]


def serve(pages: list[bytes], ready: multiprocessing.Queue[int]) -> None:
    """Serve the pages at /p/N, as fast as one process can, keeping connections open."""
    answers: dict[bytes, bytes] = {b"/robots.txt": b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"}

    class Protocol(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = transport
            self.data = b""

        def data_received(self, data: bytes) -> None:
            self.data += data
            while b"\r\n\r\n" in self.data:
                head, _, self.data = self.data.partition(b"\r\n\r\n")
                target = head.split(b" ", 2)[1]
                self.transport.write(answers.get(target, answers[b"/robots.txt"]))  # type: ignore[attr-defined]

    async def main() -> None:
        server = await asyncio.get_running_loop().create_server(Protocol, HOST, 0)
        port = server.sockets[0].getsockname()[1]
        count = len(pages)
        for number, body in enumerate(pages):
            targets = [(number * 10 + k) % count for k in range(1, 11)]
            links = "".join(f'<a href="http://{HOST}:{port}/p/{t}">page {t}</a> ' for t in targets).encode()
            content = b'<base href="http://elsewhere.example/dir/">' + links + body
            answers[b"/p/%d" % number] = (
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(content)
            ) + content
        ready.put(port)
        await server.serve_forever()

    asyncio.run(main())


def run_findingaid(url: str, folder: str) -> None:
    from archiver.crawl import CrawlJob, run_crawl

    run_crawl(
        CrawlJob(
            folder=folder,
            seeds=(url,),
            allow_private=(HOST,),
            delay_s=0.0,
            depth=10_000,
            requisites=False,
            obey_meta_robots=False,
            min_free_mb=1.0,
            threads=int(os.environ.get("THREADS", "8")),
        )
    )


SPIDER = """
import gzip, io, sys, scrapy
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

class Spider(scrapy.Spider):
    name = "bench"
    start_urls = [sys.argv[1]]
    custom_settings = {"CONCURRENT_REQUESTS": 8, "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "DOWNLOAD_DELAY": 0,
                       "LOG_LEVEL": "ERROR",
                       "ROBOTSTXT_OBEY": True, "DEPTH_LIMIT": 0, "TELNETCONSOLE_ENABLED": False}
    allowed_domains = ["127.0.0.1"]

    def __init__(self):
        self.out = open(sys.argv[2] + "/scrapy.warc.gz", "wb")
        self.writer = WARCWriter(self.out, gzip=True)

    def parse(self, response):
        headers = [(k.decode("latin-1"), b", ".join(v).decode("latin-1")) for k, v in response.headers.items()]
        head = StatusAndHeaders("200 OK", headers, protocol="HTTP/1.1")
        self.writer.write_record(self.writer.create_warc_record(
            response.url, "response", payload=io.BytesIO(response.body),
                                                                http_headers=head))
        if hasattr(response, "text"):
            for link in response.css("a::attr(href)").getall():
                try:
                    yield response.follow(link)
                except ValueError:
                    pass

from scrapy.crawler import CrawlerProcess
process = CrawlerProcess()
process.crawl(Spider)
process.start()
"""


def run_other(name: str, url: str, folder: str, python: str) -> list[str]:
    if name == "wget":
        return [
            "wget",
            "--quiet",
            "--recursive",
            "--level=inf",
            "--delete-after",
            "--no-directories",
            "-P",
            folder,
            f"--warc-file={folder}/wget",
            f"--warc-tempdir={folder}",
            url,
        ]
    script = Path(folder, "spider.py")
    script.write_text(SPIDER, encoding="utf-8")
    return [python, str(script), url, folder]


def count_responses(folder: str) -> int:
    from archiver.warc import Record, read_records

    paths = [str(p) for p in Path(folder).rglob("*.warc.gz")]
    return sum(
        isinstance(r, Record) and r.type in ("response", "revisit") and "/p/" in r.url
        for p in paths
        for r in read_records(p)
    )


def memory_kb(pid: int) -> int:
    """Return the most memory that a process and those that it has started have had so far."""
    found = 0
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        for each in [pid, *children]:
            # Not ru_maxrss: that counts what this process had when it forked.
            text = Path(f"/proc/{each}/status").read_text(encoding="ascii")
            found += sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("VmHWM"))
    except OSError:
        pass  # one has just ended
    return found


def measure(name: str, url: str, python: str) -> tuple[float, float, float, int]:
    """Return seconds, CPU seconds, peak memory in MB and pages kept of one crawl."""
    folder = tempfile.mkdtemp(prefix="crawl-bench-")
    command = (
        [sys.executable, __file__, "--run", url, folder]
        if name == "findingaid"
        else run_other(name, url, folder, python)
    )
    start = time.monotonic()
    process = subprocess.Popen(command)
    peak_kb = 0
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        peak_kb = max(peak_kb, memory_kb(process.pid))
        time.sleep(0.05)
    seconds = time.monotonic() - start
    kept = count_responses(folder)
    shutil.rmtree(folder)
    if status and name != "wget":
        print(f"{name} ended with status {status}", file=sys.stderr)
    return seconds, usage.ru_utime + usage.ru_stime, peak_kb / 1000, kept


def measure_queue(count: int) -> None:
    """Queue so many addresses, hand some out, and print time and memory."""
    from archiver.crawl import CrawlJob
    from archiver.crawl.frontier import Frontier
    from archiver.crawl.items import Item, Outlink, UrlKind
    from archiver.crawl.links import LinkKind
    from archiver.crawl.scope import Scope
    from archiver.crawl.statefile import StateFile

    folder = tempfile.mkdtemp(prefix="crawl-queue-")
    job = CrawlJob(folder=folder, scope="web", delay_s=0.0)
    frontier = Frontier(StateFile(job.state_path), job, Scope(job, []))
    source = Item(0, "http://h0.example/", UrlKind.PAGE, 0, 0, 0, 0, 1, 1, None, False, None)
    start = time.monotonic()
    for number in range(0, count, 100):
        frontier.add_links(
            source,
            [
                Outlink(f"http://h{(number + k) % 1000}.example/page/{number + k}", LinkKind.PAGE)
                for k in range(100)
            ],
        )
    queued = time.monotonic() - start
    start = time.monotonic()
    for _ in range(2000):
        item = frontier.take()
        assert item is not None
        frontier.release(item, 0.01)
        frontier.done(item)
    taken = (time.monotonic() - start) / 2000
    print(
        json.dumps(
            {
                "queued": count,
                "add_us": round(queued / count * 1e6, 1),
                "take_and_done_us": round(taken * 1e6),
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000,
                "file_mb": os.path.getsize(job.state_path) // 1_000_000,
            }
        )
    )
    shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="findingaid,wget,scrapy")
    parser.add_argument("--python", default=sys.executable, help="a Python that has Scrapy and warcio")
    parser.add_argument("--queued", type=int)
    parser.add_argument("--run", nargs=2)
    arguments = parser.parse_args()
    if arguments.run:
        run_findingaid(*arguments.run)
        return
    if arguments.queued:
        measure_queue(arguments.queued)
        return
    ready: multiprocessing.Queue[int] = multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(real_pages(arguments.pages), ready), daemon=True)
    server.start()
    url = f"http://{HOST}:{ready.get()}/p/0"
    results: dict[str, list[tuple[float, float, float, int]]] = {
        name: [] for name in arguments.only.split(",")
    }
    for round_number in range(arguments.rounds):
        for name, figures in results.items():  # turn about, so that a busy moment hits all of them
            figures.append(measure(name, url, arguments.python))
            seconds, cpu, memory, kept = figures[-1]
            print(
                f"round {round_number + 1} {name}: {kept} pages, {kept / seconds:.0f} pages/s, "
                f"CPU {cpu:.1f} s, {memory:.0f} MB",
                file=sys.stderr,
            )
    server.terminate()
    print(
        json.dumps(
            {
                name: {
                    "pages": figures[0][3],
                    "pages_per_s": round(statistics.median(f[3] / f[0] for f in figures), 1),
                    "cpu_ms_per_page": round(
                        statistics.median(f[1] / max(1, f[3]) for f in figures) * 1000, 2
                    ),
                    "peak_mb": round(max(f[2] for f in figures)),
                }
                for name, figures in results.items()
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
