"""What fuzzing of the core starts from: for each target a few inputs that reach most of what it does."""

from __future__ import annotations

import random
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from indexer.core import forms, queries
from indexer.core.merge import ARRAYS
from indexer.core.stems import keys_of
from indexer.store import merging
from indexer.store.arrayfile import ArrayFile
from indexer.store.inversion import write_batch
from indexer.store.segment import Segment
from indexer.text.analysis import analyze_pages
from indexer.text.elements import PageText
from indexer.worker import version_columns
from tests.indexer.text.differential import SCRAPS
from tests.indexer.text.test_records import record


def write_seeds(target: str, folder: Path) -> None:
    """Write the inputs of a target into a folder."""
    for number, data in enumerate(SEEDS.get(target, _nothing)()):
        (folder / f"seed-{number}").write_bytes(data)


def _nothing() -> Iterator[bytes]:
    yield b""


def _batches() -> Iterator[bytes]:
    for seed in range(6):
        yield random.Random(seed).randbytes(900)


def _pages() -> Iterator[bytes]:
    """Yield pages made of what changes how markup is read."""
    chosen = random.Random(1)
    yield b"<!doctype html><html lang=en><title>A &amp; b</title><meta name=keywords content=x><h1>c</h1><a href=d>e<p>"
    for _ in range(200):
        few = chosen.sample(SCRAPS, chosen.choice((4, 8, 16, len(SCRAPS))))
        yield "".join(
            chosen.choice(few) + chosen.choice(("", " ", "w")) for _ in range(chosen.randint(1, 80))
        ).encode()


def _records() -> Iterator[bytes]:
    """Yield members of archives: ordinary ones, odd ones, and pages that declare their charset in many ways."""
    for body in (*_BODIES, *_META):
        for written in ("text/html", "text/html; charset=utf-8", "image/png"):
            head = f"HTTP/1.1 200 OK\r\nContent-Type: {written}\r\nContent-Language: de\r\n\r\n".encode()
            yield record(head + body)
    yield record(b"", "revisit", "WARC-Refers-To-Target-URI: <http://a.example/o>", "Content-Type: A/B ; c")
    yield record(b"x", "request")
    yield record(
        b"HTTP/1.0 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n", "response", "WARC-Truncated: time"
    )


_BODIES = (
    b"<p>x",
    b"<meta charset=utf-8>\xc3\xa4",
    b"<!-- x --><meta http-equiv=content-type content='a;charset=utf8'>",
)
_META = (
    b"<meta content='charset = \"x\"' http-equiv=content-type>",
    b"<a b='<meta charset=x>'></a><meta\tcharset=y>",
)


def _shown_pages() -> Iterator[bytes]:
    """Yield records of pages, as tests/fuzz/core/passages.c reads them."""
    for number, body in enumerate((*_BODIES, *_META, *map(str.encode, SCRAPS))):
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
        text = "<p>x a long page, with\u00ad words \u00e4 <a href=y>page</a> ".encode() * (number % 5)
        yield bytes((255, number % 3, number % 2, number % 4)) + record(
            head + b"<title>a</title>" + text + body
        )


def _intakes() -> Iterator[bytes]:
    """Yield an address, a language and a page, as tests/fuzz/core/intake.c reads them."""
    chosen = random.Random(2)
    for url in (
        "http://www.a.example/x/y.html?q",
        "https://a.example/%41/../b",
        "HTTP://A.example",
        "ftp://a/b;c//d",
    ):
        for page in _pages():
            if chosen.random() < 0.1:
                base = chosen.choice(("", "<base href='../'>", "<base href='http://b.example/c/'>"))
                links = "<a href='../x'>x</a><a href='//b.example/%7e'>y</a><a href=\u00e9>z</a>"
                language = chosen.choice(("", "en", "de-AT", "nb", "ja"))
                yield f"{url}\n{language}\n{base}{links}<p>the der a ".encode() + page


def _merges() -> Iterator[bytes]:
    """Yield pairs of small segments as tests/fuzz/core/merge.c reads them."""
    chosen = random.Random(1)
    for _ in range(6):
        with tempfile.TemporaryDirectory() as folder:
            yield b"".join(_segment(Path(folder) / str(number), chosen) for number in range(2))


def _written(path: Path, chosen: random.Random) -> tuple[ArrayFile, int]:
    """Write a small segment; return it, and how many versions it has."""
    versions = chosen.choice((1, 3, 40))
    pages = [
        " ".join(f"w{chosen.randrange(chosen.choice((3, 30)))}" for _ in range(chosen.randrange(60)))
        for _ in range(versions)
    ]
    tokens = analyze_pages([("http://a.example/", PageText("cat", marked=text)) for text in pages])
    urls = [f"http://a.example/{number}" for number in range(versions)]
    write_batch(
        str(path),
        [tokens],
        version_columns(urls, list(range(versions)), ["en"] * versions, tokens.lengths, tokens.extents),
    )
    return ArrayFile(str(path), "segment"), versions


def _segment(path: Path, chosen: random.Random) -> bytes:
    file, versions = _written(path, chosen)
    held = merging._arrays_of(Segment(str(path)))
    arrays = [held[name] for name in ARRAYS]
    sizes = [file.array("rare_shapes").itemsize, file.array("shape_table").itemsize]
    packed = bytes([versions, *sizes, chosen.choice((1, 15))])
    return packed + b"".join(array.nbytes.to_bytes(2, "big") + array.tobytes() for array in arrays)


def _packed_segment(path: Path, chosen: random.Random) -> bytes:
    """Return a small segment as tests/fuzz/core/segment_input.h reads it."""
    file, versions = _written(path, chosen)
    packed = versions.to_bytes(2, "big") + b"\2" + bytes(file.meta["length_bytes"])
    for name in queries.ARRAYS:
        array = (
            file.array(name) if name != "norms" else np.full(10 * file.meta["versions"], 130, dtype=np.uint8)
        )
        packed += bytes([array.itemsize]) + array.nbytes.to_bytes(2, "big") + array.tobytes()
    return packed + file.meta["pairs"].to_bytes(3, "big")


def _segments() -> Iterator[bytes]:
    chosen = random.Random(2)
    for _ in range(6):
        with tempfile.TemporaryDirectory() as folder:
            yield _packed_segment(Path(folder) / "s", chosen)


def _programs() -> Iterator[bytes]:
    """Yield segments, each with a program of random bytes."""
    chosen = random.Random(3)
    for segment in [*_segments()] * 8:
        yield segment + chosen.randbytes(1) + chosen.randbytes(200)


def _dictionaries() -> Iterator[bytes]:
    """Yield pairs of dictionaries as tests/fuzz/core/forms.c reads them, and bytes that say what belongs to a word."""
    chosen = random.Random(4)
    for _ in range(12):
        packed = b""
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                file, _ = _written(Path(folder) / "s", chosen)
                arrays = [file.array(name) for name in forms.ARRAYS]
                arrays[-2] = np.full(
                    len(arrays[4]), keys_of(["w1"], "en:")[0] >> np.uint64(32), dtype=np.uint32
                )
                arrays[-1] = np.arange(len(arrays[4]), dtype=np.uint32)
                packed += b"\3"
                for array in arrays:
                    packed += bytes([array.itemsize]) + array.nbytes.to_bytes(2, "big") + array.tobytes()
        yield packed + chosen.randbytes(40)


def _members() -> Iterator[bytes]:
    """Two bytes for the room, and a gzip member."""
    chance = random.Random(5)
    words = [chance.randbytes(chance.randrange(1, 9)) for _ in range(90)]
    for strategy in range(5):
        for size in (0, 5, 700, 9000):
            data = b" ".join(chance.choice(words) for _ in range(size // 5))
            packing = zlib.compressobj(chance.randrange(10), zlib.DEFLATED, 31, 9, strategy)
            yield b"\xff\xff" + packing.compress(data) + packing.flush()


def _texts() -> Iterator[bytes]:
    """Four bytes that say how, and a text."""
    for text in (
        "The Grey HERON, 3rd: C++ and C#; don\u00b4t Stra\u00dfe \ufb01sh \u0130I\u0307I",
        "e\u0301te\u0301 \u1ea5 a\u0323\u0302 \u0344\u0345 \u0f73\u0f71\u0f72 \U0001d165\U0001d16e",
        "\u65e5\u672c\u8a9e \u30ab\u3099 \uff76\uff9e \u1112\u1161\u11ab \ud55c \u0e01\u0e33 \u0e48",
        "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd \u0645\u064f\u062d\u0640 \u0627\u0653\u0654 \ufdfa",
        "soft\u00adhyphen \u2764\ufe0f \U0001f600 \u2103 \u2116 \u00bd \u0915\u094d\u0937 \u0928\u093c",
    ):
        for how in (b"\0\0\3\4", b"\1\0\3\4", b"\2\7\3\4"):
            yield how + text.encode()


# target -> what yields its inputs
SEEDS: dict[str, Callable[[], Iterator[bytes]]] = {
    "batch": _batches,
    "inflate": _members,
    "passages": _shown_pages,
    "intake": _intakes,
    "record": _records,
    "extract": _pages,
    "forms": _dictionaries,
    "merge": _merges,
    "query": _programs,
    "segment": _segments,
    "tokens": _texts,
}
