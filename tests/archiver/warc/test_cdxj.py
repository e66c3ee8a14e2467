"""Lists of captures: keys as other tools make them, lines in and out, sorting more than memory holds."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from archiver.warc.cdxj import BadLine, CdxError, CdxLine, SortedLines, read_cdx


def test_a_line_that_was_written_is_read_again(tmp_path: Path) -> None:
    line = CdxLine(
        "http://a.example/é", "20200102030405", "text/html", "200", "sha1:ABC", "12", "34", "a.warc.gz"
    )
    path = tmp_path / "a.cdxj"
    path.write_text(line.text() + "\n")
    assert list(read_cdx(str(path))) == [line]
    assert path.read_text().startswith("example,a)/%c3%a9 20200102030405 {")


def test_what_others_write_is_read(tmp_path: Path) -> None:
    """Numbers for strings, 17-digit times, comments, gzip; and the older CDX table with its head line."""
    cdxj = '!meta {}\ncom,a)/ 20200102030405678 {"url": "http://a.com/", "status": 200, "length": 5}\n\n'
    path = tmp_path / "a.cdxj.gz"
    path.write_bytes(gzip.compress(cdxj.encode()))
    assert list(read_cdx(str(path))) == [CdxLine("http://a.com/", "20200102030405", status="200", length="5")]
    table = " CDX N b a m s k r M S V g\ncom,a)/ 20200102030405 http://a.com/ text/html 200 ABC - - 5 7 a.warc.gz\n"
    (tmp_path / "a.cdx").write_text(table)
    assert list(read_cdx(str(tmp_path / "a.cdx"))) == [
        CdxLine("http://a.com/", "20200102030405", "text/html", "200", "ABC", "5", "7", "a.warc.gz")
    ]


@pytest.mark.parametrize(
    "line",
    ["nothing", "a 2020 {}", 'a 20200102030405 {"x": 1}', "a 20200102030405 {", "a 20200102030405 []",
     "a 20200102030405 " + "[" * 100_000, "x" * 300_000, 'a 99 {"url": "http://a.example/"}'],
)  # fmt: skip
def test_a_line_that_tells_no_capture_is_told_and_the_next_one_read(line: str, tmp_path: Path) -> None:
    good = CdxLine("http://a.example/", "20200102030405")
    path = tmp_path / "a.cdxj"
    path.write_text(f"{line}\n{good.text()}\n")
    bad, then = read_cdx(str(path))
    assert isinstance(bad, BadLine) and bad.number == 1 and bad.problem
    assert then == good


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CdxError, match="cannot be read"):
        list(read_cdx(str(tmp_path / "none")))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"x" * 1000)[:-9])
    with pytest.raises(CdxError, match="ends too early"):
        list(read_cdx(str(tmp_path / "cut.gz")))
    packed = bytearray(gzip.compress(b"".join(b"line %d\n" % number for number in range(9000))))
    for place in range(20, 4000, 97):
        spoiled = packed[:place] + bytes((packed[place] ^ 0xFF,)) + packed[place + 1 :]
        (tmp_path / "spoiled.gz").write_bytes(spoiled)
        with pytest.raises(CdxError):
            list(read_cdx(str(tmp_path / "spoiled.gz")))


def test_lines_are_sorted_by_their_bytes_also_when_they_lie_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("archiver.warc.cdxj._SORTED_AT_ONCE", 1000)
    lines = [f"com,{number:x})/ {json.dumps(number)}" for number in range(2000)]
    random.Random(7).shuffle(lines)
    with SortedLines() as kept:
        for line in lines:
            kept.add(line)
        assert kept.count == 2000
        assert list(kept) == sorted(line.encode() + b"\n" for line in lines)
