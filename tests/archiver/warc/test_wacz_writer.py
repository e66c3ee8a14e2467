"""WACZ files: what must be inside, where players look for it, and nothing left behind when it fails."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zipfile
from pathlib import Path

import pytest
from archive_bytes import Seen, gzip_members, page

from archiver.warc import ArchiveError, Location, RecordError, read_record_at
from archiver.warc.cdxj import CdxLine
from archiver.warc.urls import player_key, urlkey
from archiver.warc.wacz_writer import WaczWriter
from archiver.warc.writer import DiskFullError


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip_members([page("one"), page("two"), page("three")]))
    return path


def write(source: Path, out: Path) -> None:
    with WaczWriter(str(out), title="Three", software="test") as writer:
        for word, place in zip(("one", "two", "three"), Seen(source).locations, strict=True):
            url = f"http://a.example/{word}"
            writer.add(CdxLine(url, "20200102030405", "text/html", "200"), place)
            writer.add_page(url, "20200102030405", word, f"the text of {word}")
            writer.add_page(url, "20200102030405", word, "captured again in the same second")
    assert (writer.records, writer.pages, writer.as_they_lay) == (3, 3, 3)


def test_every_file_is_listed_with_its_digest_and_the_list_has_one_too(source: Path, tmp_path: Path) -> None:
    write(source, tmp_path / "b.wacz")
    with zipfile.ZipFile(tmp_path / "b.wacz") as archive:
        package = json.loads(archive.read("datapackage.json"))
        digest = json.loads(archive.read("datapackage-digest.json"))
        assert digest["hash"] == "sha256:" + hashlib.sha256(archive.read("datapackage.json")).hexdigest()
        listed = {resource["path"]: resource for resource in package["resources"]}
        assert set(archive.namelist()) == {*listed, "datapackage.json", "datapackage-digest.json"}
        for path, resource in listed.items():
            data = archive.read(path)
            assert resource["bytes"] == len(data)
            assert resource["hash"] == "sha256:" + hashlib.sha256(data).hexdigest()
        for name in ("archive/data-0001.warc.gz", "indexes/index.cdx.gz"):
            assert archive.getinfo(name).compress_type == zipfile.ZIP_STORED
    assert package["wacz_version"] == "1.1.1" and package["profile"] == "data-package"
    assert (package["mainPageUrl"], package["mainPageDate"]) == (
        "http://a.example/one",
        "2020-01-02T03:04:05Z",
    )


ODD = [
    "http://a.example/x%2Cy.png", "http://a.example/x+y", "http://a.example/x-y", "http://a.example/x/",
    "http://a.example/x/y", "http://a.example/x,y.png", "http://www.a.example/X%20Y//z", "http://a.example/x.png",
    "http://a.example/?b=%5B1%5D&a=2", "http://a.example/?b&a-b&a=1", "https://a.example:443/%7Ex/", "http://a.example/é",
    "http://a.example/z?sid=0123456789abcdef0123456789abcdef&a=1", "urn:pageinfo:http://a.example/X/", "http://[::1]/a/",
    "http://a.example/a/http://b.example/", "http://a.example/a/%2e%2e/b", "http://192.0.2.7/a%7Cb",
]  # fmt: skip


@pytest.mark.parametrize("lines", [1, 2, 3, 5, 7, 1000])
def test_replayweb_page_and_others_find_each_capture_in_the_blocks_that_they_read(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: int
) -> None:
    """A border of blocks may lie between the key that ReplayWeb.page asks by and ours (%2C and a comma)."""
    monkeypatch.setattr("archiver.warc.wacz_writer._BLOCK_LINES", lines)
    out = tmp_path / "b.wacz"
    place = Seen(source).locations[0]
    with WaczWriter(str(out), title="Odd", software="test") as writer:
        for number, url in enumerate(ODD):
            for year in (2020, 2021):
                writer.add(CdxLine(url, f"{year}0102030405", "text/html", "200", f"sha1:{number}"), place)
    with zipfile.ZipFile(out) as archive:
        packed = archive.read("indexes/index.cdx.gz")
        table = archive.read("indexes/index.idx").decode().splitlines()[1:]
    starts = [line.split(" {")[0] for line in table]
    told = [json.loads(line.split(" ", 2)[2]) for line in table]
    blocks = [
        gzip.decompress(packed[block["offset"] : block["offset"] + block["length"]]).decode().splitlines()
        for block in told
    ]
    every = [line for block in blocks for line in block]
    assert every == sorted(every) and [block[0].split(" {")[0] for block in blocks] == starts
    assert all(not line.endswith(" ") for line in every)
    for url in ODD:
        # as pywb: the line under the urlkey, once for each capture
        own = [
            line
            for line in every
            if line.startswith(f"{urlkey(url)} ") and json.loads(line.split(" ", 2)[2])["url"] == url
        ]
        assert len(own) >= 2 and len(set(own)) == 2
        # as ReplayWeb.page: from the last block that begins before its key on backwards, while blocks begin with it
        key = player_key(url)
        read: list[str] = []
        for start, block in zip(reversed(starts), reversed(blocks), strict=True):
            if start < f"{key} 9999":
                read += block
                if not start.split(" ")[0].startswith(key):
                    break
        assert {
            line.split(" ")[1][:4] for line in read if json.loads(line.split(" ", 2)[2])["url"] == url
        } == {"2020", "2021"}
    if lines == 1000:
        assert len(every) <= 2 * len(ODD) + 2  # what the only block begins with may stand there twice


def test_the_index_leads_to_the_records_block_by_block(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("archiver.warc.wacz_writer._BLOCK_LINES", 2)
    out = tmp_path / "b.wacz"
    write(source, out)
    with zipfile.ZipFile(out) as archive:
        blocks = archive.read("indexes/index.cdx.gz")
        table = archive.read("indexes/index.idx").decode().splitlines()
    assert table[0].startswith("!meta 0 {")
    found = []
    for line in table[1:]:
        key, timestamp, place = line.split(" ", 2)
        told = json.loads(place)
        packed = blocks[told["offset"] : told["offset"] + told["length"]]
        lines = gzip.decompress(packed).decode().splitlines()
        assert lines[0].startswith(f"{key} {timestamp} ")
        found += [json.loads(one.split(" ", 2)[2]) for one in lines]
    assert [told["url"][17:] for told in found] == ["one", "three", "two"]  # sorted
    for told in found:
        place = Location(str(out), int(told["offset"]), int(told["length"]), "archive/" + told["filename"])
        with read_record_at(place) as record:
            assert record.url == told["url"]


def test_pages_are_listed_behind_a_head_line(source: Path, tmp_path: Path) -> None:
    write(source, tmp_path / "b.wacz")
    with zipfile.ZipFile(tmp_path / "b.wacz") as archive:
        head, *pages = [json.loads(line) for line in archive.read("pages/pages.jsonl").splitlines()]
    assert head == {"format": "json-pages-1.0", "id": "pages", "title": "All Pages", "hasText": True}
    assert pages[0]["url"] == "http://a.example/one" and pages[0]["ts"] == "2020-01-02T03:04:05Z"
    assert pages[0]["title"] == "one" and pages[0]["text"] == "the text of one" and pages[0]["id"]


def test_our_own_reader_finds_the_records_again(source: Path, tmp_path: Path) -> None:
    write(source, tmp_path / "b.wacz")
    seen = Seen(tmp_path / "b.wacz")
    assert seen.types == ["warcinfo", "response", "response", "response"] and not seen.damages
    assert seen.words[1:] == ["one", "two", "three"]


def test_nothing_is_left_when_it_fails_and_nothing_is_written_over(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "b.wacz"
    with pytest.raises(RuntimeError), WaczWriter(str(out), title="x", software="test"):
        raise RuntimeError
    assert os.listdir(tmp_path) == ["a.warc.gz"]
    out.write_text("mine")
    with pytest.raises(ArchiveError, match="choose another name"):
        WaczWriter(str(out), title="x", software="test")
    assert out.read_text() == "mine"


def test_a_full_disk_is_told_and_leaves_nothing(source: Path, tmp_path: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    out = tmp_path / "b.wacz"
    with pytest.raises(DiskFullError), WaczWriter(str(out), title="x", software="test") as writer:
        writer._file.flush()
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, writer._file.fileno())
        os.close(full)
        for _ in range(100):
            writer.add(CdxLine("http://a.example/one", "20200102030405"), Seen(source).locations[0])
    assert not list(tmp_path.glob("b.wacz*"))


def test_a_broken_record_leaves_the_file_sound(source: Path, tmp_path: Path) -> None:
    with WaczWriter(str(tmp_path / "b.wacz"), title="x", software="test") as writer:
        with pytest.raises(RecordError):
            writer.add(CdxLine("http://a.example/", "20200102030405"), Location(str(source), 3, 10))
        writer.add(CdxLine("http://a.example/one", "20200102030405"), Seen(source).locations[0])
    assert Seen(tmp_path / "b.wacz").words[1:] == ["one"]


def test_a_new_file_begins_when_one_is_full(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("archiver.warc.wacz_writer.ROLL_OVER_BYTES", 800)
    write(source, tmp_path / "b.wacz")
    with zipfile.ZipFile(tmp_path / "b.wacz") as archive:
        names = [name for name in archive.namelist() if name.startswith("archive/")]
        lines = gzip.decompress(archive.read("indexes/index.cdx.gz")).decode().splitlines()
    assert names == ["archive/data-0001.warc.gz", "archive/data-0002.warc.gz"]
    for line in lines:
        told = json.loads(line.split(" ", 2)[2])
        place = Location(
            str(tmp_path / "b.wacz"), int(told["offset"]), int(told["length"]), "archive/" + told["filename"]
        )
        with read_record_at(place) as record:
            assert record.url == told["url"]


def test_local_headers_have_no_more_fields_than_the_table(source: Path, tmp_path: Path) -> None:
    """ReplayWeb.page works out from the table where the bytes of a file begin."""
    write(source, tmp_path / "b.wacz")
    data = (tmp_path / "b.wacz").read_bytes()
    with zipfile.ZipFile(tmp_path / "b.wacz") as archive:
        for entry in archive.infolist():
            extra = int.from_bytes(data[entry.header_offset + 28 : entry.header_offset + 30], "little")
            assert extra == len(entry.extra) == 0
