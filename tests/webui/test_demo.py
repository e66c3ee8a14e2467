"""The demo: its pages, its server, its archive."""

from __future__ import annotations

import base64
import hashlib
import re
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

import pytest

from archiver.warc import Record, RecordType, parse_response, read_records
from webui.demo import ADDRESS, demo_archive, served_site, site_files, write_demo_archive


def records(path: Path) -> list[tuple[RecordType, str, str, bytes, str]]:
    """Return type, URL, timestamp, body and payload digest of each record."""
    found = []
    for record in read_records(str(path)):
        assert isinstance(record, Record), record
        response = parse_response(record) if record.type is RecordType.RESPONSE else None
        body = response.body if response else b""
        found.append(
            (record.type, record.url, record.timestamp, body, record.headers.get("WARC-Payload-Digest"))
        )
    return found


def test_the_site_has_pages_in_six_languages_and_one_that_changes() -> None:
    files = {file.path: file for file in site_files()}
    pages = [file.content.decode() for file in files.values() if file.media_type.startswith("text/html")]
    languages = Counter(re.findall(r'<html lang="(\w+)"', "\n".join(pages)))
    assert len(pages) >= 12 and set(languages) == {"en", "de", "fr", "ru", "ja", "ar"}
    later = {file.path: file for file in site_files(changed=True)}
    assert [path for path in files if files[path] != later[path]] == ["/news.html"]


def test_each_link_of_the_site_leads_to_one_of_its_files() -> None:
    files = {file.path: file for file in site_files(changed=True)}
    for file in files.values():
        if file.media_type.startswith("text/html"):
            for target in re.findall(r'(?:href|src)="(/[^"#]*)', file.content.decode()):
                assert target in files, f"{file.path} links to {target}"


def test_the_archive_holds_both_visits(sample_warc: Path) -> None:
    found = records(sample_warc)
    count = len(site_files())
    assert Counter(kind for kind, *_ in found) == {
        RecordType.WARCINFO: 1,
        RecordType.RESPONSE: count + 1,
        RecordType.REVISIT: count - 1,
        RecordType.REQUEST: 2 * count,
    }
    stored = {
        (url, timestamp): body for kind, url, timestamp, body, _ in found if kind is RecordType.RESPONSE
    }
    for file in site_files():
        assert stored[ADDRESS + file.path, "20230314090000"] == file.content


def test_the_digests_are_those_of_the_pages(sample_warc: Path) -> None:
    for kind, _, _, body, digest in records(sample_warc):
        if kind is RecordType.RESPONSE:
            assert digest == "sha1:" + base64.b32encode(hashlib.sha1(body).digest()).decode()


def test_the_archive_is_the_same_every_time_and_not_written_twice(tmp_path: Path) -> None:
    path = Path(write_demo_archive(str(tmp_path / "Arcs")))
    assert path.read_bytes() == demo_archive()
    before = path.stat().st_mtime_ns
    write_demo_archive(str(tmp_path / "Arcs"))
    assert path.stat().st_mtime_ns == before
    path.write_bytes(b"cut off")
    write_demo_archive(str(tmp_path / "Arcs"))
    assert path.read_bytes() == demo_archive()
    assert [file.name for file in path.parent.iterdir()] == ["demo.warc.gz"]


def test_the_site_can_be_served() -> None:
    with served_site(changed=True) as address:
        with urllib.request.urlopen(f"{address}/ar/wasila.html", timeout=10) as answer:
            assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
            assert 'dir="rtl"' in answer.read().decode()
        with urllib.request.urlopen(f"{address}/news.html?from=test", timeout=10) as answer:
            assert b"can be read" in answer.read()
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{address}/../settings.py", timeout=10)
