"""The helper that reads pages: it gives what would be read here, and nothing hangs on it."""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from archiver.crawl import crawler, readers
from archiver.crawl.fetcher import Exchange
from archiver.crawl.readers import PageRead, PageTask, Readers, read_task
from archiver.warc.record import Headers
from tests.archiver.crawl.test_crawler import many_hosts

PAGE = b"""<html><head><title>Title &auml;</title><meta name=robots content="noarchive"><meta name=keywords content=k>
<base href="http://a.example/dir/"></head><body>%s<a href=one rel=nofollow>1</a><a href="/two?x=1#y">2</a>
<img src=p.png>
</body></html>""" % (b"so many words that it can be compared with others " * 20)


def task(body: bytes = PAGE, **changes: Any) -> PageTask:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    headers = Headers([("Content-Type", "text/html; charset=utf-8")])
    exchange = Exchange(
        "http://a.example/",
        datetime(2024, 2, 29, 1, 2, 3, tzinfo=UTC),
        0.1,
        "192.0.2.1",
        b"GET / HTTP/1.1\r\n\r\n",
        head,
        body,
        body,
        200,
        headers,
    )
    return replace(
        PageTask(
            exchange,
            "findingaid",
            with_link_text=True,
            with_sketch=True,
            with_text=True,
            with_records=True,
            sha1=b"",
        ),
        **changes,
    )


def plain(read: PageRead) -> tuple[Any, ...]:
    """Return what was read, records without what is another one each time."""
    parts = read.parts
    members = [
        [line for line in gzip.decompress(member).split(b"\r\n") if b"urn:uuid:" not in line]
        for member in (read.packed.members if read.packed else [])
    ]
    said = parts.links, parts.robots, parts.title, parts.keywords, parts.text, parts.is_cut
    return *said, read.sketch, read.is_cut, members


class Helped(Readers):
    """Readers whose helper is there from the start; pages: how many it was given."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self.helped = 0
        self._start()
        deadline = time.monotonic() + 60
        while not self._is_helping:
            assert time.monotonic() < deadline
            self.tend()
            time.sleep(0.01)

    def _pipe(self) -> Any:
        pipe = super()._pipe()
        self.helped += pipe is not None
        return pipe


@pytest.fixture
def helped() -> Iterator[Helped]:
    """Readers for one thread, with their helper."""
    found = Helped(1)
    yield found
    found.close()


def test_a_helper_reads_as_is_read_here(helped: Helped) -> None:
    tasks = [
        task(),
        task(b""),
        task(b"<a href=x>", with_text=False),
        task(with_text=False, with_sketch=False),
        task(with_records=False, with_link_text=False),
        task("<title>\ud800é\0</title><a href='\ufffe'>".encode("utf-8", "surrogatepass")),
        task(os.urandom(10_000)),
        task(b"<a href=/a>" * 20_000),
    ]
    for each in tasks:
        assert plain(helped.read(each)) == plain(read_task(each))
    assert helped.helped == len(tasks)
    assert plain(helped.read(task()))[2] == "Title ä"


def test_what_reading_raises_is_raised_here(helped: Helped) -> None:
    with pytest.raises(AttributeError):
        helped.read(task(exchange=replace(task().exchange, headers=None)))
    assert helped.read(task()).parts.title  # and the next page is read


def test_large_pages_and_those_of_more_threads_are_read_here(
    helped: Helped, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    monkeypatch.setattr(readers, "_MOST_HELPED_BYTES", len(PAGE) - 1)
    assert helped.read(task()).parts.title
    assert helped.helped == 0
    monkeypatch.setattr(readers, "_MOST_HELPED_BYTES", len(PAGE))
    found: list[PageRead] = []
    for _ in range(2):  # there is a pipe for one thread only
        thread = threading.Thread(target=lambda: found.append(helped.read(task())))
        thread.start()
        thread.join()
    assert [page.parts.title for page in found] == ["Title ä"] * 2
    assert helped.helped == 1


def test_a_helper_that_is_killed_is_done_without(helped: Helped) -> None:
    assert helped.read(task()).parts.title
    assert helped._process
    helped._process.kill()
    helped._process.wait()
    for _ in range(3):
        assert helped.read(task()).parts.title == "Title ä"
    assert helped.helped == 2


def test_a_helper_ends_with_its_crawl(helped: Helped) -> None:
    helped._free.get().close()  # as the system does for a crawl that is killed
    assert helped._process
    assert helped._process.wait(30) == 0


def test_a_helper_whose_crawl_is_killed_while_it_starts_ends_without_a_word(
    capfd: pytest.CaptureFixture[str],
) -> None:
    found = Readers(2)
    found._start()
    for pipe in found._starting:
        pipe.close()
    assert found._process
    assert found._process.wait(60) == 0
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("threads", [1, 4])
def test_a_crawl_with_a_helper_keeps_the_same(
    crawl_of: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any, threads: int
) -> None:
    alone = crawl_of(many_hosts())
    alone.run(scope="web", depth=3)
    made: list[Helped] = []

    def make(count: int) -> Helped:
        made.append(Helped(count))
        return made[-1]

    monkeypatch.setattr(crawler, "Readers", make)
    both = crawl_of(many_hosts())
    both.folder = str(tmp_path / "02")
    both.run(scope="web", depth=3, threads=threads)
    assert made[0].helped > 5
    assert made[0]._process and made[0]._process.returncode is not None
    assert {u.replace("@PORT", ""): p for u, p in both.payloads().items()}.keys() == alone.payloads().keys()
    assert (both.result.fetched, both.result.skipped) == (alone.result.fetched, alone.result.skipped)
