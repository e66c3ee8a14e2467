"""Make the worked dump of docs/index-format.md: an index of two small pages, byte by byte.

python docs/make_index_dump.py            prints it
python docs/make_index_dump.py --write    puts it into the document
"""

from __future__ import annotations

import json
import os
import sqlite3
import struct
import sys
import tempfile
from pathlib import Path

DOCUMENT = Path(__file__).with_name("index-format.md")
BEGIN, END = "<!-- dump -->\n", "<!-- end of dump -->\n"
BOOST = (5.0, 2.0, 1.0, 1.2, 1.5, 1.5, 1.0, 3.0, 0.8, 5.0)
PAGES = (
    ("http://a.example/", "<html lang=en><title>Two cats</title><p>A cat sat. A <b>cat</b>!"),
    ("http://b.example/b", "<html lang=de><title>Katze</title><p>Der <a href=//a.example>cat</a>"),
)


def archive() -> bytes:
    """Return the archive with the two pages."""
    records = []
    for url, html in PAGES:
        block = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}"
        records.append(
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n"
            f"Content-Type: application/http\r\nContent-Length: {len(block)}\r\n\r\n{block}\r\n\r\n"
        )
    return "".join(records).encode()


def hex_lines(data: bytes, start: int) -> list[str]:
    """Return lines of 16 bytes, with their offset and as text."""
    lines = []
    for at in range(0, len(data), 16):
        part = data[at : at + 16]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        lines.append(f"{start + at:06x}  {part.hex(' '):47}  {text}")
    return lines


def dump() -> str:
    """Return the dump as Markdown."""
    from indexer import ELEMENTS, IndexOptions, Ranking, build_index

    # fixed, so that the page does not change with the default ranking
    ranking = Ranking(boost=dict(zip(ELEMENTS, BOOST, strict=True)), b=dict.fromkeys(ELEMENTS, 0.5))

    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("two.warc").write_bytes(archive())
            os.utime("two.warc", ns=(0, 1_577_934_245_000_000_000))
            build_index(["two.warc"], "MyIndex", options=IndexOptions(workers=1, ranking=ranking))
            return "\n".join(
                [
                    *segment_lines("MyIndex/g1/000001.seg"),
                    *small_file_lines("MyIndex/g1/000001.links"),
                    *small_file_lines("MyIndex/g1/000001.i1"),
                    *small_file_lines("MyIndex/g1/000001.w1"),
                    *small_file_lines("MyIndex/g1/000001.c1"),
                    *catalogue_lines(),
                ]
            ).replace(os.path.realpath(folder), "/home/ada")
        finally:
            os.chdir(before)


def segment_lines(path: str) -> list[str]:
    data = Path(path).read_bytes()
    length = struct.unpack_from("<I", data, 8)[0]
    header = json.loads(data[20 : 20 + length])
    lines = [f"`g1/000001.seg`, {len(data)} bytes, begins:", "", "```", *hex_lines(data[:64], 0), "```", ""]
    lines += ["`meta` in its header:", "", "```json", json.dumps(header["meta"]), "```", ""]
    return [*lines, "Its arrays:", "", "```", *array_lines(data, header), "```", ""]


def array_lines(data: bytes, header: dict[str, object]) -> list[str]:
    lines = []
    arrays: list[dict[str, object]] = header["arrays"]  # type: ignore[assignment]
    for array in arrays:
        offset, shape = int(array["offset"]), array["shape"]  # type: ignore[call-overload]
        items = 1
        for extent in shape:  # type: ignore[attr-defined]
            items *= extent
        kind = {"|u1": "B", "<u2": "H", "<u4": "I", "<u8": "Q"}[str(array["dtype"])]
        numbers = struct.unpack_from(f"<{items}{kind}", data, offset)
        if array["name"] in ("words", "hosts"):
            shown = repr(bytes(numbers).decode())
        elif len(shape) == 2:  # type: ignore[arg-type]
            width = shape[1]  # type: ignore[index]
            shown = "\n".join(
                ("" if row == 0 else " " * 31) + " ".join(map(str, numbers[row : row + width]))
                for row in range(0, items, width)
            )
        elif kind == "Q" and array["name"] != "timestamp":
            shown = " ".join(f"{number:016x}" for number in numbers)
        else:
            shown = " ".join(
                f"{number:08x}" if array["name"] == "word_ids" else str(number) for number in numbers
            )
        lines.append(f"{offset:06x}  {array['name']:13} {array['dtype']:3}    {shown}".rstrip())
    return lines


def small_file_lines(path: str) -> list[str]:
    """Return the arrays of one of the files beside a segment."""
    data = Path(path).read_bytes()
    header = json.loads(data[20 : 20 + struct.unpack_from("<I", data, 8)[0]])
    return [f"`g1/{Path(path).name}`, {len(data)} bytes:", "", "```", *array_lines(data, header), "```", ""]


def catalogue_lines() -> list[str]:
    connection = sqlite3.connect("MyIndex/g1/catalogue.sqlite")
    lines = ["`g1/catalogue.sqlite`:", "", "```"]
    for table in "catalogue files folders addresses versions kinds capture_rows pieces".split():
        for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1"):
            shown = (
                value.hex() if isinstance(value, bytes) else "NULL" if value is None else str(value)
                for value in row
            )
            lines.append(f"{table}: {' | '.join(shown)}")
    connection.close()
    return [*lines, "```", ""]


def main() -> None:
    if "--write" in sys.argv[1:]:
        text = DOCUMENT.read_text(encoding="utf-8")
        head, rest = text.split(BEGIN)
        DOCUMENT.write_text(head + BEGIN + dump() + END + rest.split(END)[1], encoding="utf-8")
    else:
        sys.stdout.write(dump())


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()
