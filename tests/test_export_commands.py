"""findingaid export and check --cdxj, run as a user runs them."""

from __future__ import annotations

import gzip
import json
import os
import signal
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

import export_commands
from archiver.warc import read_records
from running import Run
from tests.webui.archive_text import PNG, page, record, response, write_archive

Command = Callable[..., Run]
A = "http://site.example/a"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A page with a picture, a style sheet that names another, a frame; a revisit; a page of another host."""
    revisit = record("revisit", A, b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
                     "application/http;msgtype=response", "2018-01-01T00:00:00Z")  # fmt: skip
    return write_archive(
        tmp_path / "small.warc.gz",
        response(
            A,
            page(
                "First light",
                "<p>A wombat at dawn. <img src=/p.png><iframe src=/f></iframe></p>",
                "<link rel=stylesheet href=s.css>",
            ),
        ),  # fmt: skip
        response("http://site.example/p.png", PNG, "image/png"),
        response("http://site.example/q.png", PNG + b"q", "image/png"),
        response("http://site.example/s.css", "body { background: url(q.png) }", "text/css"),
        response("http://site.example/f", page("Frame", "<img src=r.png>")),
        response("http://site.example/r.png", PNG + b"r", "image/png"),
        response("http://site.example/unused.png", PNG + b"u", "image/png"),
        response("http://other.example/", page("Other", "<p>A heron.</p>"), date="2016-01-01T00:00:00Z"),
        revisit,
    )


@pytest.fixture
def indexed(findingaid: Command, archive: Path) -> Command:
    assert findingaid("index", archive.name, "--index", "ix").code == 0
    return lambda *arguments: findingaid(*arguments, "--index", "ix")


def inside(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Return the addresses of the records of a WACZ file, and its pages."""
    with zipfile.ZipFile(path) as archive:
        with archive.open("archive/data-0001.warc.gz") as file:
            urls = [one.rec_headers.get_header("WARC-Target-URI") for one in ArchiveIterator(file)]
        pages = [json.loads(line) for line in archive.read("pages/pages.jsonl").splitlines()[1:]]
    return [url.removeprefix("http://site.example") for url in urls if url], pages


def test_the_pages_found_come_with_all_that_they_need(
    indexed: Command, archive: Path, tmp_path: Path
) -> None:
    done = indexed("export", "wacz", "wombat", "-o", "w.wacz", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert (told["captures"], told["pages"], told["as_they_lay"], told["left_out"]["count"]) == (6, 1, 6, 0)
    urls, pages = inside(tmp_path / "w.wacz")
    assert sorted(urls) == ["/a", "/f", "/p.png", "/q.png", "/r.png", "/s.css"]
    assert [(one["url"], one["title"]) for one in pages] == [(A, "First light")]
    assert "A wombat at dawn." in pages[0]["text"]
    with zipfile.ZipFile(tmp_path / "w.wacz") as packed:
        copied = packed.read("archive/data-0001.warc.gz")
    for place in [item.location for item in read_records(str(archive))][:6]:
        assert archive.read_bytes()[place.offset : place.offset + place.length] in copied  # as it lies


def test_pages_alone_without_parts_and_text(indexed: Command, tmp_path: Path) -> None:
    assert indexed("export", "wacz", "wombat", "-o", "w.wacz", "--no-parts", "--no-text").code == 0
    urls, pages = inside(tmp_path / "w.wacz")
    assert urls == ["/a"] and "text" not in pages[0]


def test_a_site_a_page_and_all(indexed: Command, tmp_path: Path) -> None:
    for name, options, count in (
        ("site", ("--site", "other.example"), 1),
        ("page", ("--url", A), 7),  # both captures, and the parts
        ("until", ("--url", A, "--to", "2016", "--no-parts"), 1),
        ("below", ("--url", "http://site.example/*", "--no-parts"), 8),
        ("all", ("--all",), 9),
    ):
        done = indexed("export", "wacz", *options, "-o", f"{name}.wacz", "--json")
        assert (done.code, json.loads(done.out)["captures"]) == (0, count), name


def test_an_export_is_found_again_by_our_own_index(indexed: Command, findingaid: Command) -> None:
    indexed("export", "wacz", "--all", "-o", "all.wacz")
    assert findingaid("index", "all.wacz", "--index", "again").code == 0
    for query in ("wombat", "heron"):
        [first], [second] = (
            json.loads(findingaid("search", query, "--json", "--index", folder).out)["hits"]
            for folder in ("ix", "again")
        )
        assert (first["url"], first["timestamp"], first["snippet"]) == (
            second["url"],
            second["timestamp"],
            second["snippet"],
        )
    missing = findingaid("export", "cdxj", "small.warc.gz", "-o", "list.cdxj")
    assert missing.code == 0
    assert findingaid("check", "--cdxj", "list.cdxj", "--index", "again").code == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("wombat", "--all"), 2), ((), 2), (("nowhereword",), 1), (("--site", "none.example"), 1),
     (("wombat", "--from", "2015"), 2), (("--all", "--from", "soon"), 2), (("--url", "http://"), 2)],
)  # fmt: skip
def test_what_cannot_be_exported_is_told_and_leaves_no_file(
    indexed: Command, tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    done = indexed("export", "wacz", *arguments, "-o", "w.wacz")
    assert done.code == code and done.err.count("\n") == 1
    assert not list(tmp_path.glob("w.wacz*"))


def test_an_archive_that_is_gone_is_told_and_the_rest_exported(indexed: Command, tmp_path: Path) -> None:
    more = write_archive(
        tmp_path / "more.warc.gz", response("http://third.example/", page("Third", "<p>wombat</p>"))
    )
    assert indexed("index", more.name).code == 0
    more.unlink()
    done = indexed("export", "wacz", "wombat", "-o", "w.wacz")
    assert done.code == 4 and "http://third.example/" in done.err
    assert len(inside(tmp_path / "w.wacz")[0]) == 6


def test_a_list_leads_other_tools_to_the_records(indexed: Command, archive: Path, tmp_path: Path) -> None:
    lines = indexed("export", "cdxj").out.splitlines()
    assert lines == sorted(lines) and len(lines) == 9
    data = archive.read_bytes()
    for line in lines:
        told = json.loads(line.split(" ", 2)[2])
        at = int(told["offset"])
        assert told["filename"] == "small.warc.gz"
        assert f"WARC-Target-URI: {told['url']}".encode() in gzip.decompress(
            data[at : at + int(told["length"])]
        )
    indexed("export", "wacz", "--all", "-o", "all.wacz")
    packed = (tmp_path / "all.wacz").read_bytes()
    for line in indexed("export", "cdxj", "all.wacz").out.splitlines():
        told = json.loads(line.split(" ", 2)[2])
        at = int(told["offset"])
        assert told["filename"] == "all.wacz"  # by its place in the ZIP file, so that any tool can seek to it
        assert f"URI: {told['url']}".encode() in gzip.decompress(packed[at : at + int(told["length"])])


def test_lists_of_parts_packed_and_with_whole_paths(indexed: Command, archive: Path, tmp_path: Path) -> None:
    assert len(indexed("export", "cdxj", "--site", "other.example").out.splitlines()) == 1
    assert len(indexed("export", "cdxj", "--url", A, "--from", "2017").out.splitlines()) == 1
    assert indexed("export", "cdxj", "-o", "l.cdxj.gz", "--full-paths").code == 0
    text = gzip.decompress((tmp_path / "l.cdxj.gz").read_bytes()).decode()
    assert json.dumps(str(archive)) in text
    assert indexed("export", "cdxj", "small.warc.gz", "--site", "x.example").code == 2


def test_what_a_list_has_and_the_index_has_not_is_told(indexed: Command, tmp_path: Path) -> None:
    text = indexed("export", "cdxj").out
    (tmp_path / "list.cdxj").write_text(
        text.replace("20180101000000", "20190101000000")
        + 'z,y)/ 20200101000000 {"url": "http://y.z/"}\nnothing\n'
    )
    done = indexed("check", "--cdxj", "list.cdxj", "--json")
    told = json.loads(done.out)
    assert done.code == 1
    assert (told["lines"], told["held"], told["missing"], told["bad"]) == (11, 8, 2, 1)
    assert {"url": "http://y.z/", "timestamp": "20200101000000"} in told["missing_captures"]
    plain = indexed("check", "--cdxj", "list.cdxj")
    assert "missing: 20200101000000 http://y.z/" in plain.out
    (tmp_path / "list.cdxj").write_text(text)
    assert indexed("check", "--cdxj", "list.cdxj").code == 0
    assert indexed("check", "--cdxj", "none.cdxj").code == 1


@pytest.mark.parametrize("arguments", [["wacz", "--all"], ["cdxj"]])
def test_an_export_that_is_ended_leaves_nothing_behind(
    small_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    def end(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(export_commands._Lines, "__call__", end)
    monkeypatch.setattr("os.replace", end)
    try:
        with pytest.raises(SystemExit):
            export_commands.export_group.main(
                [*arguments, "-o", str(tmp_path / "file"), "--index", str(small_index)], standalone_mode=False
            )
    finally:
        signal.signal(signal.SIGTERM, before)
    assert list(tmp_path.iterdir()) == []
