"""Measures what a request may cost in memory: pages made to be expensive, asked for in every way there is.

    python benchmarks/hostile.py [--only PAGE]... [--view VIEW]... [--small] [--at-once 16] [--json]

Makes an archive of hostile pages in a temporary folder (a word of 4 MB, 32 MB of entities, a million elements, links,
cells, captures ...) and indexes it. For each page a fresh `findingaid serve` is asked for all that can be shown of it,
one after the other. Printed for each request: by how many megabytes the server's own memory (what is not mapped from
files) was above that of the fresh server, at its highest meanwhile; and at the end some seconds later. The bar is 200.
Answers must come, and be none of ours that say an error (500). --at-once N then asks for the most expensive ones N at a
time. --small makes pages a hundredth of the size, to try the command itself.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from warcio.statusandheaders import StatusAndHeaders  # noqa: E402
from warcio.warcwriter import WARCWriter  # noqa: E402
from web import served  # noqa: E402

from indexer import build_index  # noqa: E402
from webui.addresses import cached_address, captures_address, replay_address  # noqa: E402

BAR_MB = 200
SETTLES_S = 4.0  # the server gives memory back some seconds after it was asked
ONE_PROCESS = ["server.processes=1"]  # that of which memory is looked at
WORD = "wombat"
# what is asked to be marked: plain, a beginning, a fuzzy word, a phrase
MARKS = f'{WORD} a* {WORD}s~2 "{WORD} heron"'


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", default=[], metavar="PAGE")
    parser.add_argument("--view", action="append", default=[], metavar="VIEW")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--at-once", type=int, default=0, metavar="N")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    pages = make_pages(100 if given.small else 1)
    if unknown := set(given.only) - set(pages) or set(given.view) - set(views_of("", "")):
        sys.exit(f"hostile.py: no such page or view: {', '.join(unknown)}")
    chosen = [name for name in pages if not given.only or name in given.only]
    with tempfile.TemporaryDirectory(prefix="findingaid-hostile-") as folder:
        archive, index = str(Path(folder, "hostile.warc.gz")), str(Path(folder, "index"))
        write(archive, {name: pages[name] for name in chosen}, 1_000 if given.small else 100_000)
        build_index([archive], index)
        found = {name: measure(index, name, given.view, given.json) for name in chosen}
        worst = sorted(
            ((cost["peak"], name, view) for name, views in found.items() for view, cost in views.items()), reverse=True
        )  # fmt: skip
        result: dict[str, Any] = {"pages": found, "worst": worst[:10]}
        if given.at_once:
            result["at once"] = measure_at_once(index, [w[1:] for w in worst[: given.at_once]], given.at_once)
    if given.json:
        print(json.dumps(result))
    else:
        print(f"worst: {worst[0]}; bar {BAR_MB} MB", result.get("at once", ""))


# ---------------------------------------------------------------- the pages


def make_pages(part: int) -> dict[str, list[tuple[str, Callable[[], bytes]]]]:
    """Return for each name the versions of a page, as (Content-Type, what makes the body)."""

    def html(*bodies: Callable[[], str]) -> list[tuple[str, Callable[[], bytes]]]:
        return [("text/html; charset=utf-8", lambda body=body: body().encode()) for body in bodies]

    def times(text: str, number: int) -> Callable[[], str]:
        return lambda: f"<title>{WORD}</title><p>{WORD} heron</p>" + text * (number // part)

    def numbered(form: str, number: int) -> Callable[[], str]:
        return lambda: (
            f"<title>{WORD}</title>{WORD} heron "
            + "".join(form.format(place) for place in range(number // part))
        )

    million, megabyte = 1_000_000, 1 << 20
    return {
        "word": html(times("a", 4 * megabyte), times("b", 4 * megabyte)),
        "wide word": html(times("𝒳", megabyte)),
        "word beside a wide sign": html(lambda: "𝒳 " + times("a", 4 * megabyte)()),
        "word of marks": html(times("\u0301", 2 * megabyte)),
        "growing signs": html(times("\ufdfa", megabyte + megabyte // 3)),
        "short words": html(times("a ", 2 * megabyte), times("b ", 2 * megabyte)),
        "marked words": html(times(f"{WORD} ", 32 * megabyte // 7)),
        "distinct words": html(numbered("w{} ", 4 * million), numbered("v{} ", 4 * million)),
        "han": html(times("漢字仮名", megabyte // 3), times("仮名漢字", megabyte // 3)),
        "signs": html(times("c++ c# ", megabyte // 2)),
        "pictures": html(times("\U0001f600", megabyte)),
        "entities": html(times("&amp;", 32 * megabyte // 5)),
        "wide entities": html(times("&#x1d4b3;", 32 * megabyte // 9)),
        "elements": html(times("<b>x</b>", million), times("<i>y</i>", million)),
        "paragraphs": html(times("<p>x", million), times("<p>y", million)),
        "breaks": html(times("<br>x\n", million)),
        "attribute": html(lambda: f"<p title='{'a ' * (15 * megabyte // part)}'>{WORD}"),
        "description": html(lambda: f"<meta name=description content='{'a ' * (15 * megabyte // part)}'>{WORD}"),
        "title": html(lambda: f"<title>{WORD} {'long ' * (6 * megabyte // part)}</title>{WORD}"),
        "nesting": html(times("<div>", 100_000), times("<div><span>", 100_000)),
        "tables": html(times("<table><tr><td>", 100_000)),
        "links": html(numbered("<a href=/{0}>l{0}</a> ", million), numbered("<a href=/x{0}>m{0}</a> ", million)),
        "pictures of a page": html(numbered("<img src=/{}.png>", million)),
        "srcset": html(
            lambda: f"{WORD}<img srcset='" + "".join(f"/{n}.png {n}w, " for n in range(million // part)) + "'>"
        ),
        "cells": html(times("<td>x", million), times("<td>y", million)),
        "style": html(lambda: f"{WORD}<style>" + "a{background:url(x.png)}" * (megabyte // part) + "</style>"),
        "style attributes": html(times("<p style='background:url(x)'>x", 200_000)),
        "comment": html(lambda: f"<!--{'x' * (30 * megabyte // part)}-->{WORD}"),
        "script": html(lambda: f"<script>{'x' * (30 * megabyte // part)}</script>{WORD}"),
        "sheet": [("text/css", lambda: b"a{background:url(x.png)}" * (4 * megabyte // 24 // part))],
        "text": [("text/plain", lambda: b"wombat " * (60 * megabyte // 7 // part))],
        "text of one word": [("text/plain", lambda: b"a" * (60 * megabyte // part))],
        "text in wide signs": [("text/plain; charset=utf-8", lambda: "𝒳 ".encode() * (60 * megabyte // 5 // part))],
        "xml": [("application/xml", lambda: b"<a><b/>wombat" * (60 * megabyte // 13 // part))],
        "json": [("application/json", lambda: b"[" * (60 * megabyte // part))],
        "picture": [("image/png", lambda: b"\x89PNG\r\n\x1a\n" + b"\0" * (64 * megabyte // part))],
        "headers": html(times("x", 10)),
        "captures": html(times("x", 10)),
    }  # fmt: skip


def write(path: str, pages: dict[str, list[tuple[str, Callable[[], bytes]]]], captures: int) -> None:
    """Write each version of each page as a capture of its own."""
    with open(path, "wb") as file:
        writer = WARCWriter(file, gzip=True)
        for name, versions in pages.items():
            for number, (content_type, body) in enumerate(versions):
                fields = [("Content-Type", content_type)]
                if name == "headers":
                    fields += [(f"X-{n}", "wombat " * 14) for n in range(9_000)]
                add(writer, address_of(name), f"{2015 + number}-05-03T14:02:11Z", fields, body())
            for number in range(captures if name == "captures" else 0):
                date = datetime(2016, 1, 1, tzinfo=UTC) + timedelta(minutes=7 * number)
                add(
                    writer,
                    address_of(name),
                    date.strftime("%Y-%m-%dT%H:%M:%SZ"),
                    [("Content-Type", "text/html")],
                    b"<title>t%d</title>" % number,
                )


def add(writer: WARCWriter, url: str, date: str, fields: list[tuple[str, str]], body: bytes) -> None:
    from io import BytesIO

    head = StatusAndHeaders("200 OK", fields, protocol="HTTP/1.1")
    record = writer.create_warc_record(
        url, "response", payload=BytesIO(body), http_headers=head, warc_headers_dict={"WARC-Date": date}
    )
    writer.write_record(record)


def address_of(name: str) -> str:
    return f"http://hostile.example/{quote(name.replace(' ', '-'))}"


# ---------------------------------------------------------------- what is asked


def views_of(url: str, query: str) -> dict[str, str]:
    """Return the targets of all requests that show something of a page."""
    asked = quote(url, safe="")
    return {
        "frame": replay_address(url, "0"),
        "frame, marked": replay_address(url, "0", query=query),
        "untouched": replay_address(url, "0", "id_"),
        "bar": cached_address(url, "0"),
        "bar, marked": cached_address(url, "0", query=query),
        "text": cached_address(url, "0", view="text"),
        "text, marked": cached_address(url, "0", view="text", query=query),
        **{
            view: cached_address(url, "0", view=view)
            for view in ("details", "json", "cite", "parts", "payload", "record")
        },
        "captures": captures_address(url),
        "captures for programs": captures_address(url).replace("/*/", "/*;view=json/"),
        "results": f"/search?q={WORD}+inurl:{asked}",
        "results, marked": f"/search?q={quote(query)}",
        "results as JSON": f"/search.json?q={WORD}&size=1000",
        "table": f"/search.csv?q={WORD}&size=1000",
        "feed": f"/search.rss?q={WORD}",
        "WACZ": f"/search.wacz?q={WORD}",
        "tree": f"/search?q={WORD}&view=tree",
        "suggestions": "/suggest?q=wo",
        "like it": f"/similar?url={asked}",
        "compared": f"/compare?url={asked}",
        "compared for programs": f"/compare.json?url={asked}",
        "phrase": f"/compare?url={asked}&phrase={WORD}+heron",
        "links": f"/graph?url={asked}",
        "links as a file": f"/graph-gexf?url={asked}",
        "all links": "/graph-full.json?q=",
        "cdx": f"/cdx?url={asked}",
        "cdx, nearest": f"/cdx?url={asked}&closest=2016",
        "time map": f"/timemap/json/{url}",
        "time gate": f"/timegate/{url}",
        "home": "/",
    }  # fmt: skip


def measure(index: str, name: str, views: list[str], quiet: bool) -> dict[str, dict[str, float]]:
    """Ask a fresh server for everything about a page; return what each request cost."""
    found: dict[str, dict[str, float]] = {}
    with served(index, ONE_PROCESS) as (pid, netloc):
        ask(netloc, "/")
        time.sleep(0.2)
        before = own_memory(pid)
        for view, target in views_of(address_of(name), MARKS).items():
            if views and view not in views:
                continue
            with watched(pid) as peak:
                status, size = ask(netloc, target)
            found[view] = {"peak": round(peak[0] - before, 1), "status": status, "bytes": size}
            if not quiet and (found[view]["peak"] > BAR_MB / 4 or status >= 500):
                print(
                    f"{name:<26}{view:<24}{found[view]['peak']:8.1f} MB  {status}  {size:,} bytes", flush=True
                )
        time.sleep(SETTLES_S)
        found["afterwards"] = {"peak": round(own_memory(pid) - before, 1), "status": 200, "bytes": 0}
    if not quiet:
        print(f"{name:<26}{'afterwards':<24}{found['afterwards']['peak']:8.1f} MB", flush=True)
    return found


def measure_at_once(index: str, wanted: list[tuple[str, str]], number: int) -> dict[str, float]:
    """Ask a fresh server for the costliest so many at once."""
    with served(index, ONE_PROCESS) as (pid, netloc):
        ask(netloc, "/")
        before = own_memory(pid)
        targets = [views_of(address_of(name), MARKS)[view] for name, view in wanted if view != "afterwards"]
        statuses: list[int] = []
        with watched(pid) as peak:
            threads = [
                threading.Thread(target=lambda target=target: statuses.append(ask(netloc, target)[0]))
                for target in (targets * number)[:number]
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        time.sleep(SETTLES_S)
        return {"peak": round(peak[0] - before, 1), "afterwards": round(own_memory(pid) - before, 1),
                "answered": statuses.count(200), "told to come again": statuses.count(503)}  # fmt: skip


def ask(netloc: str, target: str) -> tuple[int, int]:
    """Return status and length of an answer."""
    try:
        address = f"http://{netloc}" + quote(target, safe="%/:?#[]@!$&()*+,;=~-._")
        with urllib.request.urlopen(address, timeout=300) as answer:
            size = 0
            while piece := answer.read(1 << 16):
                size += len(piece)
            return answer.status, size
    except urllib.error.HTTPError as error:
        return error.code, len(error.read())


def own_memory(pid: int) -> float:
    """Return the megabytes of a process that are no mapped file."""
    status = Path(f"/proc/{pid}/status").read_text()
    return (
        sum(int(line.split()[1]) for line in status.splitlines() if line.startswith(("RssAnon", "RssShmem")))
        / 1024
    )


@contextmanager
def watched(pid: int) -> Iterator[list[float]]:
    """Give a list whose only number is the most that a process had meanwhile."""
    peak = [own_memory(pid)]
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.001):
            peak[0] = max(peak[0], own_memory(pid))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()


if __name__ == "__main__":
    main()
