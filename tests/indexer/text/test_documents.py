"""Which records count as what: captures, pages, skipped records, damage, and sums that agree."""

from __future__ import annotations

import base64
import gzip
import hashlib
from pathlib import Path

import pytest

from archiver.warc import Damage
from indexer.text import documents
from indexer.text.documents import CaptureFound, FileEntry, payload_digest, read_captures
from tests.archiver.warc.archive_bytes import PACKERS
from tests.indexer.making import HTML_TYPE, http, record, response, write_warc

PAGE = "<html><head><title>Report</title></head><body>%s</body></html>"


def read(tmp_path: Path, *records: bytes) -> tuple[list[CaptureFound], FileEntry]:
    """Read an archive of these records; the sums of its ledger entry must agree."""
    return read_file(write_warc(tmp_path / "test.warc.gz", records))


def read_file(path: str) -> tuple[list[CaptureFound], FileEntry]:
    entry = FileEntry(path)
    found = list(read_captures(path, entry))
    assert entry.records == entry.captures + sum(entry.skipped.values())
    assert entry.captures == len(found)
    assert entry.documents == sum(capture.page is not None for capture in found)
    assert (entry.status == "indexed") == (not entry.damaged)
    return found, entry


def page_of(tmp_path: Path, block: bytes, kind: str = "response", *fields: str) -> str | None:
    """Return the markup of the only record, None if it is no page."""
    (capture,), _ = read(tmp_path, record(kind, "http://a.example/p", block, *fields))
    return capture.page.html if capture.page else None


def test_records_without_a_body_and_without_a_type(tmp_path: Path) -> None:
    found, entry = read(
        tmp_path,
        record("warcinfo", "", b""),
        record("metadata", "http://a.example/m", b""),
        record("response", "http://a.example/nothing", b""),
        record("response", "http://a.example/empty", http(b"")),
        record("resource", "http://a.example/r", b""),
        response("http://a.example/after", PAGE % "after"),
    )
    assert entry.skipped == {"warcinfo": 1, "metadata": 1}
    assert [(capture.url[17:], capture.status, capture.page is not None) for capture in found] == [
        ("nothing", 0, False),
        ("empty", 200, True),
        ("r", 0, False),
        ("after", 200, True),
    ]


@pytest.mark.parametrize(
    "status, end",
    [
        ("HTTP/1.1 200", b"\r\n"),
        ("HTTP/1.1 200 ", b"\n"),
        ("HTTP/1.0 200 OK", b"\n"),
        ("HTTP/2 200", b"\r\n"),
        ("HTTP/1.1  200  OK", b"\r\n"),
        ("HTTP/1.1 200 Est\u00e1 bien", b"\r\n"),
        ("HTTP/1.1 200 \u6210\u529f", b"\r\n"),
    ],
)
def test_odd_status_lines(tmp_path: Path, status: str, end: bytes) -> None:
    block = http(b"<p>text", HTML_TYPE, status=status).replace(b"\r\n", end)
    assert page_of(tmp_path, block) == "<p>text"


def test_bytes_beyond_ascii_in_headers(tmp_path: Path) -> None:
    block = b"HTTP/1.1 200 Est\xe1\r\nSet-Cookie: \xc4\xe3=%C0; path=/\r\nX-\xe9: \x07\xff\r\n"
    block += b"Content-Type: text/html\r\n\r\n<p>text"
    assert page_of(tmp_path, block) == "<p>text"


BODY = (PAGE % ("text " * 300)).encode()
PACKED = gzip.compress(BODY, mtime=0)  # the names of tests must not change with the clock
CHUNKED = b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)


@pytest.mark.parametrize(
    "stored, headers",
    [
        (PACKED, ["Content-Encoding: gzip"]),
        (BODY, ["Content-Encoding: gzip"]),
        (PACKED, ["Content-Encoding: x-GZIP"]),
        (CHUNKED, ["Transfer-Encoding: chunked"]),
        (BODY, ["Transfer-Encoding: chunked"]),
        (CHUNKED, ["Transfer-Encoding: Chunked"]),
        (PACKED, ["Transfer-Encoding: chunked", "Content-Encoding: gzip"]),
        *[
            (BODY, [f"Content-Length: {length}"])
            for length in ("151", "999999", "none", "-1", "00", "40, 40")
        ],
    ],
)
def test_bodies_that_are_not_what_their_headers_say(
    tmp_path: Path, stored: bytes, headers: list[str]
) -> None:
    assert page_of(tmp_path, http(stored, HTML_TYPE, *headers)) == BODY.decode()


def test_of_two_content_types_the_last_one_that_can_be_read_counts(tmp_path: Path) -> None:
    plain, html = "Content-Type: text/plain", "Content-Type: text/html; charset=iso-8859-2"
    assert page_of(tmp_path, http(b"<p>\xb1", plain, html)) == "<p>\u0105"
    assert (
        page_of(tmp_path, http(b"<p>\xb1", html, "Content-Type: */*", "Content-Type: text/html"))
        == "<p>\u0105"
    )
    assert page_of(tmp_path, http(b"<p>text", html, plain)) is None


def test_versions_are_told_apart_by_the_decoded_body(tmp_path: Path) -> None:
    found, _ = read(
        tmp_path,
        *[
            record("response", "http://a.example/p", http(stored, HTML_TYPE, *headers))
            for stored, headers in (
                (BODY, []),
                (PACKED, ["Content-Encoding: gzip"]),
                (CHUNKED, ["Transfer-Encoding: chunked"]),
            )
        ],
    )
    assert {capture.page.digest for capture in found if capture.page} == {hashlib.sha1(BODY).digest()}


def test_what_is_a_page_and_what_is_not(tmp_path: Path) -> None:
    assert page_of(tmp_path, http(b"<p>x", "Content-Type: application/xhtml+xml")) == "<p>x"
    assert page_of(tmp_path, http(b"<p>x", "Content-Type: TEXT/HTML , text/html")) == "<p>x"
    assert page_of(tmp_path, http(b"x", "Content-Type: text/plain")) is None
    assert page_of(tmp_path, http(b"<p>x", HTML_TYPE, status="HTTP/1.1 404 Not Found")) is None
    assert page_of(tmp_path, b"<p>x", "resource", "Content-Type: text/html; charset=utf-8") == "<p>x"
    assert page_of(tmp_path, b"<p>x", "resource", "Content-Type: image/png") is None
    assert page_of(tmp_path, http(b"<p>x"), "revisit") is None
    for start in (b"\x89PNG\r\n\x1a\n", b"%PDF-1.4", b"PK\x03\x04", b"GIF89a"):
        assert page_of(tmp_path, http(start + b"secret")) is None


def test_records_that_look_like_pages_and_are_none(tmp_path: Path) -> None:
    page = (PAGE % "hidden").encode()
    found, entry = read(
        tmp_path,
        record(
            "request", "http://a.example/f", b"POST /f HTTP/1.1\r\nContent-Type: text/html\r\n\r\n" + page
        ),
        record("metadata", "http://a.example/m", page, "Content-Type: text/html"),
        record("X-Own", "http://a.example/x", page, "Content-Type: text/html"),
        record(
            "response",
            "dns:a.example",
            b"20200101000000\na.example. 1 IN A 192.0.2.1\n",
            "Content-Type: text/dns",
        ),
    )
    assert found == []
    assert entry.skipped == {"request": 1, "metadata": 1, "unknown type": 1, "dns": 1}


def test_revisits_are_captures_without_text(tmp_path: Path) -> None:
    digest = "sha1:" + base64.b32encode(hashlib.sha1(b"<p>x").digest()).decode()
    found, entry = read(
        tmp_path,
        response("http://a.example/p", "<p>x"),
        record(
            "revisit",
            "http://a.example/p",
            http(b""),
            f"WARC-Payload-Digest: {digest}",
            "WARC-Refers-To-Target-URI: <http://a.example/p>",
        ),
        record("revisit", "http://a.example/p", b"", f"WARC-Payload-Digest: {digest.lower()}"),
    )
    assert [(capture.type, capture.status, capture.page is None) for capture in found] == [
        ("response", 200, False),
        ("revisit", 200, True),
        ("revisit", 0, True),
    ]
    # the first record names no digest: it is computed, in the same spelling
    assert {capture.payload for capture in found} == {digest}
    assert found[1].refers_to == "http://a.example/p"
    assert entry.documents == 1


def test_a_digest_that_a_record_does_not_name_is_computed_of_whatever_it_holds(tmp_path: Path) -> None:
    """As WARC-Payload-Digest has it: without the HTTP header and the chunks, content codings left as they are."""
    url, picture = "http://a.example/p", b"\x89PNG" + bytes(200_000)
    chunked = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n"
    packed = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Encoding: gzip\r\n\r\n"
    plain = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n"
    found, entry = read(
        tmp_path,
        record("response", url, chunked + b"30d44\r\n" + picture + b"\r\n0\r\n\r\n"),
        record("response", url, packed + gzip.compress(picture, mtime=0)),
        record("response", url, plain + b"<p>gone"),
        record("response", url, plain),
        record("resource", url, picture, "Content-Type: image/png"),
        record("conversion", url, b"text", "Content-Type: text/plain"),
        record("response", url, plain + b"x", "WARC-Payload-Digest: sha1:odd"),
        record("revisit", url, plain),
    )
    bodies = [picture, gzip.compress(picture, mtime=0), b"<p>gone", b"", picture, b"text"]
    digests = ["sha1:" + base64.b32encode(hashlib.sha1(body).digest()).decode() for body in bodies]
    assert [capture.payload for capture in found] == [*digests, "sha1:odd", ""]
    assert (entry.records, entry.damaged) == (8, [])


@pytest.mark.parametrize(
    "written, digest",
    [
        ("", ""),
        ("md5:AbC=", "md5:AbC="),
        ("SHA-1: 3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ ", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
        ("sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
        ("sha1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
        ("sha1:odd", "sha1:odd"),
    ],
)
def test_payload_digests_have_one_spelling(written: str, digest: str) -> None:
    assert payload_digest(written) == digest


def test_a_bomb_costs_its_page_and_stands_in_the_ledger(tmp_path: Path) -> None:
    bomb = gzip.compress(b"<p>top</p>" + b" " * (200 << 20), 9)
    found, entry = read(
        tmp_path,
        response("http://a.example/before", PAGE % "before"),
        record("response", "http://a.example/bomb", http(bomb, HTML_TYPE, "Content-Encoding: gzip")),
        response("http://a.example/after", PAGE % "after"),
    )
    assert [capture.url[17:] for capture in found] == ["before", "bomb", "after"]
    assert entry.damaged and entry.status == "damaged"
    assert all(len(capture.page.html) <= 33 << 20 for capture in found if capture.page)


def test_damage_is_told_with_its_place_and_the_rest_is_read(tmp_path: Path) -> None:
    path = Path(
        write_warc(
            tmp_path / "a.warc.gz", [response(f"http://a.example/{n}", PAGE % f"page{n}") for n in range(3)]
        )
    )
    data = bytearray(path.read_bytes())
    size = len(data) // 3
    data[size + 40 : size + 60] = b"\xff" * 20
    path.write_bytes(data)
    found, entry = read_file(str(path))
    assert {"http://a.example/0", "http://a.example/2"} <= {capture.url for capture in found}
    assert entry.status == "damaged" and entry.damaged[0].offset >= size - 10


@pytest.mark.parametrize(
    "content, status",
    [(b"", "not an archive"), (b"just text\n" * 50, "not an archive"), (None, "unreadable")],
)
def test_files_that_are_no_archives(tmp_path: Path, content: bytes | None, status: str) -> None:
    path = tmp_path / "file"
    if content is not None:
        path.write_bytes(content)
    found, entry = read_file(str(path))
    assert (found, entry.status, len(entry.damaged)) == ([], status, 1)


def test_a_capture_without_an_address_is_not_lost(tmp_path: Path) -> None:
    found, _ = read(
        tmp_path,
        record("response", "", http(b"<p>x"), "WARC-Record-ID: <urn:uuid:1>"),
        record("response", "", http(b"<p>y")),
    )
    assert found[0].url == "urn:uuid:1"
    assert found[1].url.startswith("urn:x-no-address:test.warc.gz:")


def test_a_page_without_an_address_is_read_all_the_same(tmp_path: Path) -> None:
    """Its address is made from its place, and to learn that ends the reading of the record."""
    page = record(
        "response", "", http((PAGE % "nameless").encode(), HTML_TYPE), "WARC-Date: 2020-01-01T00:00:00Z"
    )
    plain = tmp_path / "plain.warc"
    plain.write_bytes(page)
    packed = write_warc(tmp_path / "packed.warc.gz", [page])
    for path in (str(plain), packed):
        (capture,), entry = read_file(path)
        assert capture.url.startswith("urn:x-no-address:") and capture.status == 200
        assert capture.page is not None and "nameless" in capture.page.html
        assert entry.documents == 1
        gone = FileEntry(path)
        assert not list(read_captures(path, gone, is_removed=lambda url: url.startswith("urn:x-no-address:")))
        assert gone.skipped == {"removed": 1} and gone.records == 1


def test_damaged_places_beyond_a_number_are_told_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_PLACES", 2)
    damaged = documents.Damages()
    for offset in (0, 100, 250, 400, 900):
        damaged.append(Damage("a.warc", offset, 10, "broken", "m"))
    assert [place.offset for place in damaged] == [0, 100, 250]
    assert [place.places for place in damaged] == [1, 1, 3]
    assert damaged[-1].length == 30
    assert damaged[-1].problem == "3 more damaged places begin up to byte 900; the first: broken"


@pytest.mark.parametrize(
    ("fields", "body", "mime"),
    [
        ("", PAGE % "x", "text/html"),
        ("Content-Type: */*\r\n", PAGE % "x", "text/html"),
        ("Content-Type: html\r\n", PAGE % "x", "text/html"),
        ("Content-Type: unknown/unknown\r\n", PAGE % "x", "text/html"),
        (
            "Content-Type: text/xml\r\n",
            "<html xmlns='http://www.w3.org/1999/xhtml'/>",
            "application/xhtml+xml",
        ),
        ("X-Content-Type-Options: nosniff\r\n", PAGE % "x", None),
        ("Content-Type: text/plain\r\n", PAGE % "x", None),
        ("", "only text", None),
    ],
)
def test_a_page_is_what_browsers_take_for_one(
    tmp_path: Path, fields: str, body: str, mime: str | None
) -> None:
    zipped = gzip.compress(body.encode())
    found, entry = read(
        tmp_path,
        record("response", "http://a.example/plain", f"HTTP/1.1 200 OK\r\n{fields}\r\n{body}".encode()),
        record(
            "response",
            "http://a.example/zipped",
            f"HTTP/1.1 200 OK\r\n{fields}Content-Encoding: gzip\r\n\r\n".encode() + zipped,
        ),
        record("response", "http://a.example/404", f"HTTP/1.1 404 No\r\n{fields}\r\n{body}".encode()),
    )
    assert [capture.page.html if capture.page else None for capture in found] == [
        body if mime else None
    ] * 2 + [None]
    assert entry.documents == (2 if mime else 0)
    if mime:
        assert {capture.mime for capture in found[:2]} == {mime}


@pytest.mark.parametrize(
    ("field", "language"), [("pt-BR", "pt-BR"), (" de ", "de"), ("de, en", ""), ("", "")]
)
def test_a_header_may_say_the_language(tmp_path: Path, field: str, language: str) -> None:
    block = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Language: {field}\r\n\r\n<p>x".encode()
    (found,), _ = read(tmp_path, record("response", "http://a.example/p", block))
    assert found.page is not None and found.page.language == language


# ---------------------------------------------------------------- records in several parts

PARTS = [b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>begin", b" middle", b" end"]
ORIGIN = "WARC-Segment-Origin-ID: <urn:uuid:1>"


def part(number: int, block: bytes, *fields: str) -> bytes:
    kind = "response" if number == 1 else "continuation"
    return record(kind, "http://a.example/long", block, f"WARC-Segment-Number: {number}", *fields)


@pytest.mark.parametrize("order", [(1, 2, 3), (1, 3, 2), (3, 2, 1), (1, 2, 2, 3), (1, 3)])
def test_the_parts_of_a_record_are_told_in_the_ledger(tmp_path: Path, order: tuple[int, ...]) -> None:
    records = [part(number, PARTS[number - 1], *([ORIGIN] if number > 1 else [])) for number in order]
    found, entry = read(tmp_path, *records, response("http://a.example/after", PAGE % "after"))
    assert [capture.url[17:] for capture in found] == ["long", "after"]
    assert found[0].page is not None and found[0].page.html == "<p>begin"
    assert found[0].payload == "", "the digest of a part is not that of the page"
    assert entry.skipped == {"continuation": len(order) - 1}
    assert [damage.problem for damage in entry.damaged] == [
        "part 1 of a record that goes on in others; parts are not joined, only this one is read"
        if number == 1
        else f"part {number} of a record that begins elsewhere (urn:uuid:1); parts are not joined, it is not searched"
        for number in order
    ]
    first = next(damage for damage in entry.damaged if damage.problem.startswith("part 1 "))
    assert (first.offset, first.length) == (found[0].location.offset, found[0].location.length)


@pytest.mark.parametrize(
    ("number", "total", "is_told"),
    [
        ("1", "", True),
        ("2", "", True),
        ("0", "", False),
        ("-1", "", False),
        ("one", "", False),
        ("\u0661", "", False),
        ("0001", "", True),
        (str(2**63), "", True),
        ("9" * 5000, "", True),
        ("1", "whole", False),  # the only part of its record
        ("1", "999999", True),
        ("1", "0", True),
        ("1", str(2**64), True),
        ("2", "whole", True),
    ],
)
def test_what_segment_numbers_say(tmp_path: Path, number: str, total: str, is_told: bool) -> None:
    block = http((PAGE % "one").encode(), HTML_TYPE)
    fields = [f"WARC-Segment-Number: {number}"]
    if total:
        fields.append(f"WARC-Segment-Total-Length: {len(block) if total == 'whole' else total}")
    found, entry = read(tmp_path, record("response", "http://a.example/p", block, *fields))
    assert found[0].page is not None
    assert [damage.problem.partition(" of a record")[0][:5] for damage in entry.damaged] == [
        "part "
    ] * is_told


def test_a_continuation_that_names_nothing(tmp_path: Path) -> None:
    _, entry = read(tmp_path, record("continuation", "", b"rest"))
    assert (entry.skipped, len(entry.damaged)) == ({"continuation": 1}, 1)
    assert "it does not say which" in entry.damaged[0].problem


# ---------------------------------------------------------------- files that end too early

RECORDS = [
    record("response", f"http://a.example/{word}", http((PAGE % word).encode(), HTML_TYPE))
    for word in ("one", "two")
]
ARC_RECORDS = [
    b"filedesc://a.arc 0.0.0.0 20040925001013 text/plain 71\n1 1 ExampleOrg\n"
    b"URL IP-address Archive-date Content-type Archive-length\n\n",
    b"http://a.example/one 192.0.2.7 20040925001013 text/html 60\nHTTP/1.1 200 OK\r\n" + b"x" * 43 + b"\n",
]
INSIDE_HEADER = "the file ends inside a record header"


@pytest.mark.parametrize("records", [RECORDS, ARC_RECORDS], ids=["WARC", "ARC"])
def test_a_plain_file_cut_anywhere_is_told_as_what_it_is(tmp_path: Path, records: list[bytes]) -> None:
    """docs/commands.md tells what the ledger says of each: here for every byte at which a file may end."""
    is_arc = records is ARC_RECORDS
    data = b"".join(records)
    begins = [0, len(records[0])]
    heads = [1 + record.index(b"\n") if is_arc else 4 + record.index(b"\r\n\r\n") for record in records]
    bodies = (
        [71, 60] if is_arc else [len(record) - head - 4 for record, head in zip(records, heads, strict=True)]
    )
    for size in range(len(data)):
        path = tmp_path / "cut"
        path.write_bytes(data[:size])
        _, entry = read_file(str(path))
        at = size >= begins[1]
        inside = size - begins[at]
        problems = [damage.problem for damage in entry.damaged]
        if size < (9 if is_arc else 5):
            assert (entry.status, entry.records) == ("not an archive", 0), data[:size]
        elif not inside or inside >= heads[at] + bodies[at]:
            assert (entry.status, problems, entry.records) == ("indexed", [], at + (inside > 0)), data[:size]
        elif inside < heads[at]:
            assert (entry.status, entry.records, len(problems)) == ("damaged", int(at), 1), data[:size]
            assert problems[0] == INSIDE_HEADER or inside < 9, data[:size]
            assert (entry.damaged[0].offset, entry.damaged[0].length) == (begins[at], inside)
        else:
            claimed, there = bodies[at], inside - heads[at]
            assert (entry.status, entry.records) == ("damaged", at + 1)
            assert problems[-1] == f"Content-Length says {claimed} bytes, the file ends after {there}", data[
                :size
            ]


@pytest.mark.parametrize("container", ["gzip", "zstd", "lz4", "bzip2"])
def test_a_packed_file_cut_anywhere_is_told_as_what_it_is(tmp_path: Path, container: str) -> None:
    members = [PACKERS[container]([record]) for record in RECORDS]
    path = tmp_path / "cut"
    for size in range(sum(map(len, members))):
        path.write_bytes(b"".join(members)[:size])
        _, entry = read_file(str(path))
        if size == len(members[0]):
            assert (entry.status, entry.records) == ("indexed", 1)
        elif size > len(members[0]):
            assert (entry.status, entry.records >= 1) == ("damaged", True), size
            assert entry.damaged[-1].offset + entry.damaged[-1].length == size
            assert {damage.offset for damage in entry.damaged} == {len(members[0])}
        else:  # as long as nothing of the record is there, it may be any packed file
            assert entry.status == ("damaged" if entry.records else entry.status)
            assert entry.status in ("damaged", "not an archive")
            assert entry.damaged


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "the file is empty"),
        (b"\r\n\r\n\n", "no record found"),
        (b"WARC", "no record header where one was expected"),
        (b"\x1f\x8b\x08", "no record header where one was expected"),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\xff", "the file ends in the middle of it"),
        (b"http://a.example/ 192.0.2.7 2004", "the file ends inside a record header"),
    ],
)
def test_files_too_short_to_be_an_archive(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "short").write_bytes(data)
    _, entry = read_file(str(tmp_path / "short"))
    assert (entry.status, entry.records, len(entry.damaged)) == ("not an archive", 0, 1)
    assert why in entry.damaged[0].problem
