"""A reader of an index in plain Python, written from docs/index-format.md alone, and the dump in that page."""

from __future__ import annotations

import hashlib
import json
import os
import random
import sqlite3
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from faults import run_in_one_process
from shelf import page, record

from indexer import ELEMENTS, IndexOptions, build_index
from indexer.store.writer import IndexWriter
from indexer.text.analysis import analyze_pages
from indexer.text.pages import collect_page
from running import REPOSITORY

# ---- the reader

TYPES = {"|u1": "B", "<u2": "H", "<u4": "I", "<u8": "Q"}


def read_array_file(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header of an array file, and its arrays: tuples of numbers, or of rows of them."""
    with open(path, "rb") as file:
        data = file.read()
    magic, version, length, blocks, crc = struct.unpack_from("<4sIIII", data)
    assert (magic, version) == (b"FAid", 8)
    assert zlib.crc32(data[:16] + data[20 : 20 + length + 4 * blocks]) == crc
    header = json.loads(data[20 : 20 + length])
    checksums = list(struct.unpack_from(f"<{blocks}I", data, 20 + length))
    assert header["size"] == len(data) and data[-8:] == bytes(8)
    arrays: dict[str, Any] = {}
    for array in header["arrays"]:
        rows, columns = [*array["shape"], 1][:2]
        kind = f"<{rows * columns}{TYPES[array['dtype']]}"
        assert array["offset"] % 64 == 0
        read = data[array["offset"] : array["offset"] + struct.calcsize(kind)]
        for start in range(0, len(read), 1 << 14):
            assert zlib.crc32(read[start : start + (1 << 14)]) == checksums.pop(0)
        numbers = struct.unpack_from(kind, data, array["offset"])
        if len(array["shape"]) == 2:
            numbers = tuple(numbers[at : at + columns] for at in range(0, rows * columns, columns))
        arrays[array["name"]] = numbers
    assert not checksums
    return header, arrays


def items(ends: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Yield where each item begins and ends."""
    start = 0
    for end in ends:
        yield start, end
        start = end


def sizes(a: dict[str, Any], name: str) -> Iterator[tuple[int, int]]:
    """Yield where each item begins and ends whose sizes are kept under a name."""
    great = iter(a[f"{name}_great"])
    start = seen = 0
    for place, size in enumerate(a[f"{name}_sizes"]):
        if place % 64 == 0:
            assert a[f"{name}_marks"][place // 64] == (start, seen)
        seen += size == 255
        end = start + (next(great) if size == 255 else size)
        yield start, end
        start = end
    assert not list(great)


def read_gaps(data: bytes, count: int) -> list[int]:
    """Return the gaps of a list of `count` pairs."""
    if count < 4:
        return list(struct.unpack(f"<{count}H", data))
    size = (count * data[0] + 7) // 8
    packed = int.from_bytes(data[1 : 1 + size], "little")
    great = iter(struct.unpack(f"<{(len(data) - 1 - size) // 2}H", data[1 + size :]))
    all_ones = (1 << data[0]) - 1
    gaps = [packed >> place * data[0] & all_ones for place in range(count)]
    gaps = [next(great) if gap == all_ones else gap for gap in gaps]
    assert not list(great)
    return gaps


class Bits:
    """The positions of a list that are still to be read."""

    def __init__(self, data: Sequence[int]) -> None:
        self.number = int.from_bytes(bytes(data), "little")

    def take(self, size: int) -> int:
        found = self.number & ((1 << size) - 1)
        self.number >>= size
        return found

    def run(self, count: int, size: int) -> list[int]:
        """Return the positions of a run in a version of `size` bits."""
        split = count.bit_length() - 1
        if count < 8 or split >= size:
            return [self.take(size) for _ in range(count)]
        low = [self.take(size - split) for _ in range(count)]
        ones = [place for place in range(count + (1 << split)) if self.take(1)]
        return [(one - j << size - split) + low[j] for j, one in enumerate(ones)]


def read_segment(path: str) -> Iterator[tuple[str, int, int, int]]:
    """Yield (word, ordinal, element, position) of all occurrences in a segment."""
    header, a = read_array_file(path)
    others = rare = 0
    lists = zip(*(sizes(a, name) for name in ("word", "pair", "ordinal", "position")), strict=True)
    for word_id, (letters, pairs, gap_bytes, position_bytes) in zip(a["word_ids"], lists, strict=True):
        word = bytes(a["words"][slice(*letters)]).decode()
        assert word_id == int(hashlib.md5(word.encode()).hexdigest()[:8], 16)
        count = pairs[1] - pairs[0]
        gaps = read_gaps(bytes(a["ordinals"][slice(*gap_bytes)]), count)
        bits = Bits(a["positions"][slice(*position_bytes)])
        ordinal = -1
        for pair, gap in zip(range(*pairs), gaps, strict=True):
            ordinal += gap + 1
            if pair % 256 == 0:
                assert tuple(a["shape_ranks"][pair // 256]) == (others, rare)
            shape = a["shapes"][pair // 2] >> 4 * (pair % 2) & 15
            if shape == 15:
                shape = a["other_shapes"][others]
                others += 1
                if shape == 255:
                    shape = a["rare_shapes"][rare]
                    rare += 1
            size = max(a["extent"][ordinal] - 1, 0).bit_length()
            for element, times in enumerate(a["shape_table"][shape]):
                for position in bits.run(times, size):
                    yield word, ordinal, element, position
        assert bits.number == 0
    assert (header["meta"]["pairs"] + 1) // 2 == len(a["shapes"])


def read_index(index_dir: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield (word, address, element, position) of all occurrences in an index."""
    with open(os.path.join(index_dir, "current")) as file:
        folder = os.path.join(index_dir, file.read().strip())
    catalogue = sqlite3.connect(os.path.join(folder, "catalogue.sqlite"))
    maps = {key: json.loads(value) for key, value in catalogue.execute("SELECT key, value FROM catalogue")}
    assert maps["format"] == {"version": 8, "checksums": True}
    for segment in maps["segments"]:
        rows = catalogue.execute(
            "SELECT v.place % 65536, f.prefix || a.name, a.written FROM versions v JOIN addresses a ON a.id = v.url"
            " JOIN folders f ON f.id = a.folder WHERE v.place / 65536 = ?",
            (segment["number"],),
        )
        urls = {ordinal: address(urlkey, written) for ordinal, urlkey, written in rows}
        assert (
            not set(segment["dead"]) & set(urls) and len(urls) + len(segment["dead"]) == segment["versions"]
        )
        for word, ordinal, element, position in read_segment(
            os.path.join(folder, f"{segment['number']:06}.seg")
        ):
            if ordinal not in segment["dead"]:
                yield word, urls[ordinal], element, position
        if segment["weights"]:
            weights, _ = read_array_file(
                os.path.join(folder, f"{segment['number']:06}.w{segment['weights']}")
            )
            assert weights["kind"] == "weights" and len(weights["meta"]["boost"]) == 10
        check_captures(catalogue, folder, segment)
    catalogue.close()


def address(urlkey: str, written: int | bytes | str) -> str:
    """Return the address of a row of `addresses`."""
    if isinstance(written, str):
        return written
    if isinstance(written, bytes):
        plain, made, others = address(urlkey, written[0]), "", 0
        for gap in written[1:]:
            others += gap
            if gap < 255:
                start = len(made)
                made += plain[start : start + others] + plain[start + others].upper()
                others = 0
        return made + plain[len(made) :]
    host, path = urlkey.split(")", 1)
    name, *port = host.split(":") if "," in host else [host]
    front = ("http://", "https://", "http://www.", "https://www.")[written & 3]
    return front + ":".join([".".join(name.split(",")[::-1]), *port]) + path + "/" * (written >> 2)


def check_captures(catalogue: sqlite3.Connection, folder: str, segment: dict[str, Any]) -> None:
    """Check that the capture columns of a segment say what the catalogue says."""
    header, a = read_array_file(os.path.join(folder, f"{segment['number']:06}.c{segment['captures']}"))
    kinds = ("response", "resource", "revisit", "conversion")
    read = [
        (ordinal, f"{a['timestamp'][row]:014}", a["status"][row], header["meta"]["mimes"][a["mime"][row]],
         kinds[a["kind"][row]])
        for ordinal, (start, end) in enumerate(items(a["ends"]))
        for row in range(start, end)
    ]  # fmt: skip
    expected = catalogue.execute(
        "SELECT v.place % 65536, c.time, k.status, k.mime, k.id % 4 FROM capture_rows c JOIN kinds k ON k.id = c.kind"
        " JOIN versions v ON v.id = c.version WHERE v.place / 65536 = ?",
        (segment["number"],),
    ).fetchall()
    assert header["kind"] == "captures"
    assert read == sorted((*row[:1], f"{row[1]:014}", *row[2:4], kinds[row[4]]) for row in expected)
    versions = catalogue.execute(
        "SELECT place % 65536, id FROM versions WHERE place / 65536 = ?", (segment["number"],)
    )
    assert all(a["version"][ordinal] + header["meta"]["first"] == number for ordinal, number in versions)


# ---- the tests


def what_went_in(pages: dict[str, str]) -> list[tuple[str, str, int, int]]:
    """Return the occurrences in pages, as the analysis gives them to the store."""
    found = []
    for url, html in pages.items():
        tokens = analyze_pages([(url, collect_page(html))])
        columns = (tokens.word.tolist(), tokens.element.tolist(), tokens.position.tolist())
        found += [
            (tokens.words[word], url, element, position)
            for word, element, position in zip(*columns, strict=True)
        ]
    return sorted(found)


def odd_page(number: int) -> str:
    """Return a page with words as often, in as many elements, as no other has: more shapes than a byte tells."""
    chosen = random.Random(number)
    body = " ".join(
        f"<{tag}>{'granite ' * chosen.randrange(9)}</{tag}>" for tag in ("h2", "b", "p", "p", "a href=/x")
    )
    return f"<title>{'granite ' * chosen.randrange(5)}</title>{body} <p>{'日本 ' * (number % 3)} été {number}"


@pytest.mark.parametrize("merged", [False, True])
def test_the_reader_finds_every_occurrence_that_went_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, merged: bool
) -> None:
    run_in_one_process(monkeypatch, batch_pages=150)
    if not merged:
        monkeypatch.setattr(IndexWriter, "merge", lambda self, stop: None)
    pages = {f"http://h{n % 9}.example/{n}": odd_page(n) for n in range(400)}
    pages |= {f"http://words.example/{n}": page(n) for n in range(20)} | {"http://empty.example/": ""}
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(record(url, html) for url, html in pages.items()))
    index = str(tmp_path / "index")
    build_index([str(path)], index, options=IndexOptions(workers=1))
    # some pages go, one changes
    pages = {url: html for url, html in pages.items() if not url.endswith("7")} | {
        "http://words.example/3": page(3000)
    }
    path.write_bytes(b"".join(record(url, html) for url, html in pages.items()))
    build_index([str(path)], index, options=IndexOptions(workers=1))
    found = sorted(read_index(index))
    assert len(found) > 5000 and {element for _, _, element, _ in found} >= set(range(3))
    assert found == what_went_in(pages)


def test_the_dump_in_the_document_is_what_the_code_makes() -> None:
    made = subprocess.run(
        [sys.executable, str(REPOSITORY / "docs/make_index_dump.py")],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    document = (REPOSITORY / "docs/index-format.md").read_text(encoding="utf-8")
    shown = document.partition("<!-- dump -->\n")[2].partition("<!-- end of dump -->\n")[0]
    assert shown == made, "renew it: python docs/make_index_dump.py --write"


def test_the_document_names_every_array_key_table_and_column(small_index: Path) -> None:
    document = (REPOSITORY / "docs/index-format.md").read_text(encoding="utf-8")
    with open(small_index / "current") as file:
        folder = small_index / file.read().strip()
    for name in os.listdir(folder):
        if ".sqlite" not in name:
            header, arrays = read_array_file(str(folder / name))
            for word in (*arrays, *header["meta"], *header):
                assert f"`{word}`" in document, word
    connection = sqlite3.connect(folder / "catalogue.sqlite")
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        assert f"| `{table}` |" in document
        for column in connection.execute(f"PRAGMA table_info({table})").fetchall():
            assert f"`{column[1]}`" in document, column
    for key, value in connection.execute("SELECT key, value FROM catalogue").fetchall():
        assert f"`{key.partition(':')[0]}" in document, key
        for entry in json.loads(value) if key == "segments" else []:
            assert all(f"`{name}`" in document for name in entry)
    connection.close()
    for number, element in enumerate(ELEMENTS):
        assert element in document.partition("numbered 0 to 9: ")[2].split(".")[0].split(",")[number]
