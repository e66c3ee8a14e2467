"""Ordinary records, which the core reads, are the same captures as the reader of all archives makes of them."""

from __future__ import annotations

import gzip
import re
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archiver.warc import DEFAULT_LIMITS
from archiver.warc.members import WHOLE
from indexer.core.records import ASIDE, RESPONSE, REVISIT, RecordReader
from indexer.text.documents import CaptureFound, FileEntry, read_captures

RESPONSE_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nServer: x\r\n\r\n"
PAGE = b"<!DOCTYPE html><title>Heron</title><p>a grey bird"


def record(
    block: bytes = RESPONSE_HEAD + PAGE,
    kind: str = "response",
    *fields: str,
    url: str = "http://a.example/p",
    date: str = "2017-01-18T07:07:38Z",
    length: int | str | None = None,
    end: bytes = b"\r\n\r\n",
) -> bytes:
    """Return a record of a WARC file."""
    lines = ["WARC/1.0", f"WARC-Type: {kind}", f"WARC-Target-URI: {url}", f"WARC-Date: {date}", *fields]
    lines.append(f"Content-Length: {len(block) if length is None else length}")
    return "\r\n".join([*lines, "", ""]).encode() + block + end


def written(records: list[bytes], path: Path) -> str:
    path.write_bytes(b"".join(gzip.compress(each, 1, mtime=0) for each in records))
    return str(path)


def told(path: str, share: tuple[int, int] = (0, 1)) -> tuple[list[CaptureFound], dict[str, Any]]:
    entry = FileEntry(path, share=share)
    return [by_itself(found) for found in read_captures(path, entry)], asdict(entry)


def by_itself(found: CaptureFound) -> CaptureFound:
    """Return a capture whose page does not lie in its record any more."""
    if (page := found.page) is None:
        return found
    markup = page.html.encode()
    return replace(found, page=replace(page, data=markup, begin=0, size=len(markup)))


def both_ways(path: str) -> tuple[list[CaptureFound], dict[str, Any]]:
    """Return what a file holds; with the core and without it that has to be the same."""
    found = told(path)
    with patch.object(RecordReader, "read_members", lambda self, packed, most: ([], False)):
        expected = told(path)
    assert found == expected
    return found


def is_ordinary(member: bytes) -> bool:
    return RecordReader().read(member) is not None


def test_what_is_told_of_an_ordinary_response() -> None:
    member = record(
        RESPONSE_HEAD + PAGE, "response", "WARC-Payload-Digest: sha1:ABC", url="<http://a.example/q>"
    )
    found = RecordReader().read(member)
    assert found is not None and (found.kind, found.version, found.status) == (RESPONSE, 10, 200)
    assert found.timestamp == b"20170118070738"
    for name, value in (
        ("type", b"response"),
        ("url", b"http://a.example/q"),
        ("payload", b"sha1:ABC"),
        ("refers_to", b""),
        ("http_type", b"text/html; charset=utf-8"),
        ("content_coding", b""),
        ("body", PAGE),
    ):
        begin, size = getattr(found, name), getattr(found, f"{name}_size")
        assert member[begin : begin + size] == value, name


@pytest.mark.parametrize("kind", ["warcinfo", "request", "metadata", "Request"])
def test_records_aside(kind: str) -> None:
    found = RecordReader().read(record(b"whatever", kind, url="dns:x", date="never"))
    assert found is not None and found.kind == ASIDE


def test_a_revisit_with_a_header_and_one_without() -> None:
    for block, status in ((b"", 0), (b"HTTP/1.1 304 Not Modified\r\n\r\n", 304)):
        found = RecordReader().read(record(block, "revisit"))
        assert found is not None and (found.kind, found.status) == (REVISIT, status)


ORDINARY = [
    record(),
    record(end=b""),
    record(end=b"\n" * 70_000),
    record(RESPONSE_HEAD),
    record(date="2016-02-29T23:59:59Z"),
    record(date="2016-02-28T23:59:59.123456789Z"),
    record(b"HTTP/2 404\r\n\r\n"),
    record(b"HTTP/1.0 404 Not Found\r\nX: 1\r\n\r\nnothing"),
    record(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG"),
    record(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n\x89PNG\r\n\x1a\n"),
    record(b"HTTP/1.1 200 OK\r\n\r\n<html>no type"),
    record(b"HTTP/1.1 200 OK\r\nX-Content-Type-Options: nosniff\r\n\r\n<html>no type"),
    record(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Language: de\r\n\r\n<p>x"),
    record(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
        + gzip.compress(PAGE, mtime=0)
    ),
    record(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
        + gzip.compress(PAGE, mtime=0)[:-9]
    ),
    record(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n0\r\n\r\n"
    ),
    record(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na{}\r\n0\r\n\r\n"
    ),
    record(RESPONSE_HEAD + PAGE, "response", "WARC-Payload-Digest: sha1:B2TMPKLWBGWDFHCC6WP4LFOBTKVZ4WJC"),
    record(RESPONSE_HEAD + PAGE, "response", "WARC-Payload-Digest: md5:abc", "Content-Type: a/b"),
    record(b"", "revisit", "WARC-Refers-To-Target-URI: <http://a.example/o>", "Content-Type: A/B ; c"),
    record(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
        "revisit",
        "WARC-Refers-To-Target-URI: http://o",
    ),
]
ODD = [
    record(end=b"x"),
    record(end=b"\r\n\r\n" + record()),
    record(length=len(RESPONSE_HEAD + PAGE) - 1),
    record(length=len(RESPONSE_HEAD + PAGE) + 5),
    record(length=""),
    record(length="1e3"),
    record(length="+3"),
    record(length="0" * 10 + "5"),
    record(date="2017-02-29T07:07:38Z"),
    record(date="1900-02-29T07:07:38Z"),
    record(date="2017-13-01T07:07:38Z"),
    record(date="2017-01-00T07:07:38Z"),
    record(date="2017-01-01T24:07:38Z"),
    record(date="2017-01-01T07:07:38"),
    record(date="2017-01-01T07:07:38.Z"),
    record(date="2017-01-01T07:07:38+01:00"),
    record(date="0000-01-01T07:07:38Z"),
    record(date="20170101070738"),
    record(url=""),
    record(url="<>"),
    record(url="DNS:a.example"),
    record(url="http://a.example/ä"),
    record(url="http://a.example/\x7f"),
    record(url="http://a.example/WARC/1.0"),
    record(url="http://a.example/\r\n folded"),
    record(RESPONSE_HEAD, "response", "WARC-Truncated: length"),
    record(RESPONSE_HEAD, "response", "WARC-Segment-Number: 1"),
    record(RESPONSE_HEAD, "response", "WARC-Type: request"),
    record(RESPONSE_HEAD, "response", "no colon"),
    record(RESPONSE_HEAD, "response", "a name : x"),
    record(RESPONSE_HEAD, "response", ": x"),
    record(RESPONSE_HEAD, "response", "a:\tx"),
    record(RESPONSE_HEAD, "resource"),
    record(RESPONSE_HEAD, "conversion"),
    record(RESPONSE_HEAD, "X-odd"),
    record(RESPONSE_HEAD, "response", f"long: {'x' * 40_000}"),
    record(b"", "response"),
    record(b"HTTP/1.1 200 OK\r\n", "revisit"),
    record(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"),
    record(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
    record(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 404 No\r\n\r\n"),
    record(b"HTTP/1.1 2000 OK\r\n\r\n"),
    record(b"HTTP/1.1 20\r\n\r\n"),
    record(b"HTTP/1.1 200 OK\n\n<p>x"),
    record(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\n\r\n\r\n<p>x"),
    record(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Type: a/b\r\n\r\n<p>x"),
    record(b"HTTP/1.1 200 OK\r\nA: b\r\n<html>\r\n\r\n<p>x"),
    record(b"HTTP/1.1 200 OK\r\nA: \xc3\xa4\r\n\r\n<p>x"),
    record(b"\nHTTP/1.1 200 OK\r\n\r\n<p>x"),
    b"",
    b"WARC/1.0\r\n",
    b"WARC/1.0\r\n\r\n",
    record().replace(b"WARC/1.0", b"WARC/0.18"),
    record().replace(b"WARC/1.0", b"warc/1.0"),
    b"\r\n" + record(),
]


@pytest.mark.parametrize("member", ORDINARY)
def test_ordinary_records(member: bytes, tmp_path: Path) -> None:
    assert is_ordinary(member)
    assert both_ways(written([record(), member, record()], tmp_path / "a.warc.gz"))[1]["records"] == 3


@pytest.mark.parametrize("member", ODD)
def test_odd_records_are_left_to_the_reader_of_all_archives(member: bytes, tmp_path: Path) -> None:
    assert not is_ordinary(member)
    both_ways(written([record(), member, record()], tmp_path / "a.warc.gz"))


PIECES = [
    b"\r\n", b"\n", b"\r", b" ", b":", b"<", b">", b"\t", b"\0", b"\xc3\xa4", b"0", b"9", b"Z", b"-", b"x" * 50,
    b"WARC/1.0\r\n", b"HTTP/1.1 200 OK\r\n", b"Content-Length: 5\r\n", b"Content-Type: text/xml\r\n",
    b"WARC-Truncated: file\r\n", b"\r\n\r\n", b"Transfer-Encoding: chunked\r\n",
    b"Content-Encoding: deflate\r\n", b"WARC-Segment-Number: 2\r\n", b"\x1f\x8b\x08",
]  # fmt: skip


def spoiled(random: Random, member: bytes) -> bytes:
    """Change a record at some places of its headers."""
    data = bytearray(member)
    for _ in range(random.randint(0, 3)):
        at = random.randrange(min(len(data), 400) + 1)
        end = at + random.choice([0, 0, 1, 1, 2, 20])
        data[at:end] = random.choice([b"", random.choice(PIECES), bytes([random.randrange(256)])])
    return bytes(data)


def mended(member: bytes) -> bytes:
    """Give a record the length that its block has, so that it is odd for other reasons, if it is."""
    head, blank, rest = member.partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"content-length")]
    block = rest.removesuffix(b"\r\n\r\n")
    return b"\r\n".join([*lines, b"Content-Length: %d" % len(block)]) + blank + block + b"\r\n\r\n"


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 1 << 32))
def test_spoiled_records(seed: int) -> None:
    random = Random(seed)
    members = [spoiled(random, random.choice(ORDINARY + ODD[:30])) for _ in range(4)]
    members = [mended(each) if random.random() < 0.7 else each for each in members]
    with tempfile.TemporaryDirectory() as folder:
        both_ways(written(members, Path(folder) / "a.warc.gz"))


def test_a_member_of_the_look_ahead_and_more(tmp_path: Path) -> None:
    most = DEFAULT_LIMITS.lookahead_bytes
    for size in (
        most - 400,
        most - 1,
        most,
        most + 1,
        2 * most,
        WHOLE * most - 1,
        WHOLE * most,
        WHOLE * most + 1,
    ):
        member = record(RESPONSE_HEAD, end=b"")
        inside = record() if size % 2 else b""  # the length is right all the same
        block = RESPONSE_HEAD + inside + b"x" * (size - len(member) - len(inside) + len(RESPONSE_HEAD))
        both_ways(written([record(block), record()], tmp_path / "a.warc.gz"))


def test_damage_between_ordinary_records_is_told_as_before(tmp_path: Path) -> None:
    sound, broken = gzip.compress(record(), mtime=0), bytearray(gzip.compress(record() * 1, mtime=0))
    broken[-6] ^= 1  # the checksum
    path = tmp_path / "a.warc.gz"
    for middle in (
        bytes(broken),
        b"junk" * 9,
        sound[:-3],
        gzip.compress(b"", mtime=0),
        b"\0" * 20,
        record(),
        sound[:40],
    ):
        path.write_bytes(sound + middle + sound)
        found, entry = both_ways(str(path))
        assert len(found) >= 2
        assert bool(entry["damaged"]) == (middle not in (gzip.compress(b"", mtime=0), record()))


def test_shares_of_a_file(tmp_path: Path) -> None:
    path = written([record(), ORDINARY[6], record(b"", "response")] * 100, tmp_path / "a.warc.gz")
    whole = told(path)[0]
    parts = [told(path, (share, 2))[0] for share in range(2)]
    assert sorted(place.location.offset for part in parts for place in part) == [
        each.location.offset for each in whole
    ]


def test_real_archives(shared: Path) -> None:
    captures = 0
    for path in sorted((shared / "archives").glob("**/*")):
        if path.is_file() and path.stat().st_size < 2_000_000:
            captures += len(both_ways(str(path))[0])
    assert captures > 1000


_PLAIN_TYPES = ["text/html", "text/html; charset=utf-8", "text/html;charset=UTF8", "text/html;charset=UTF-8"]
_TYPES = [
    *_PLAIN_TYPES,
    *("Text/HTML", "text/html ; charset=utf-8", "text/html;  charset=utf-8", "text/html; Charset=utf-8"),
    *("text/html;", "text/html; charset=", "text/html; charset=utf-16", 'text/html; charset="utf-8"'),
    *(
        "text/html; charset=utf-8; x=y",
        "text/html, a/b",
        "text/html; charset=x",
        "text/htmlx",
        "application/xml",
    ),
]
_META = b"<meta charset='utf-8'>"
_PLAIN_BODIES = [
    b"<html>" + _META + b"<p>x",
    b"\r\n\t <html>" + _META + "ü日".encode(),
    b"<!-- <meta charset=latin1> -->" + _META,
    b"<p>" + b"x" * 8100 + _META,
    b"<meta http-equiv=content-type content='a; charset=UTF8'><p>x",
    b"<p>x",
    "<p>ü日".encode(),
    b"<p>" + b"x" * 8192 + _META,
    b" <?xml encoding='latin1'?><p>x",
    b"<p>" + b"x" * 70 + b"\0",
]
_BODIES = [
    *_PLAIN_BODIES,
    *(b"", b"<", b"<p>", b"<p>x\xfc", b"<p>x\xc3", b"<p>\x1b$B0!\x1b(B", b"<p>\x1b", b"<p>x" + b"\0y" * 40),
    *(b"<?xml encoding='latin1'?><p>x\xfc", b"<?xml version='1.0'?><p>x", b"<p>x\0", b"<meta charset=''><p>x"),
    *(b"\x0b<p>" + _META, b"x<p>" + _META, b"\xef\xbb\xbf<p>" + _META, b"GIF89a" + _META),
    *(b"<\0?\0x\0", b"<\0\0\0" + _META, b"<p\0>" + _META, b"<\0p>" + _META),
    *(b"<p>" + _META + b"\xff", b"<p>" + _META + b"\xc3", _META + b"\xed\xa0\x80", b"\xfc<p>" + _META),
    *(b"<p>" + b"x" * 8170 + _META, b"<?xml encoding='utf-8'?><p>x"),
    *(b"<meta charset=x>" + _META, b"<meta charset=latin1>" + _META, b"<meta charset=utf-16><p>x"),
    *(b"<meta charset=' utf-8'>x", b"<meta charset=''>" + _META, b"\x1b$B0!\x1b(B<p>x"),
]  # fmt: skip


@pytest.mark.parametrize("written_type", _TYPES)
def test_pages_of_many_types_and_charsets(written_type: str, tmp_path: Path) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {written_type}\r\n"
    heads = [head, head + "Content-Language: de, en\r\n", head + "X-Content-Type-Options: nosniff\r\n"]
    members = [record(f"{head}\r\n".encode() + body) for head in heads for body in _BODIES]
    assert both_ways(written(members, tmp_path / "a.warc.gz"))[1]["records"] == len(members)
    for body in _PLAIN_BODIES:
        found = RecordReader().read(record(f"{head}\r\n".encode() + body))
        assert found is not None and found.is_plain_page == (written_type in _PLAIN_TYPES)


@pytest.mark.parametrize("status", ["HTTP/1.1 404 Not Found", "HTTP/1.1 206 Partial"])
def test_no_plain_page_of_another_status_or_kind(status: str) -> None:
    head = b"\r\nContent-Type: text/html\r\n\r\n"
    for member in (
        record(status.encode() + head + _PLAIN_BODIES[0]),
        record(b"HTTP/1.1 200 OK" + head + _PLAIN_BODIES[0], "revisit"),
    ):
        found = RecordReader().read(member)
        assert found is not None and not found.is_plain_page


def test_the_start_of_a_record_says_the_same_of_all_but_its_body() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    member = record(head + "<p>ü日\U0001f600 and more</p>".encode())
    whole = RecordReader().read(member)
    assert whole is not None
    for size in range(len(member) + 1):
        found = RecordReader().read(member[:size], len(member))
        assert RecordReader().read(member[:size], len(member) + 1) is None
        assert size >= len(member) - 1 or RecordReader().read(member[:size], len(member) - 1) is None
        if size < whole.body:
            assert found is None
            continue
        there = member[whole.body : min(size, whole.body + whole.body_size)]
        if len(there) < whole.body_size:
            there = re.sub(rb"[\xc0-\xff][\x80-\xbf]*\Z", b"", there)
        assert found is not None
        assert found._replace(body_size=0, is_plain_page=0) == whole._replace(body_size=0, is_plain_page=0)
        assert found.body_size == len(there) and found.is_plain_page == (len(there) > 3)
