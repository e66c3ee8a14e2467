"""The hostile half of the memory benchmark: archives of pages that cost as much as pages can, indexed and measured.

    python benchmarks/hostile_index.py
    python benchmarks/hostile_index.py --only "one word" --json

Each kind is an archive of its own; `all` is the folder with all of them, read by two workers. The memory is that of the
whole process tree, shared pages counted once (see index.py), and should stay below 500 MB whatever is in the folder.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
MOST_MB = 500
MB = 1 << 20


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", default=[], metavar="KIND", help="some kinds alone")
    parser.add_argument(
        "--size", type=float, default=1.0, help="share of the full size of each page (default 1)"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = measure_kinds(Path(folder), given.only or [*KINDS, "all"], given.size)
    print(json.dumps(result) if given.json else as_text(result))


def measure_kinds(folder: Path, kinds: list[str], size: float) -> dict[str, dict[str, Any]]:
    """Return for each kind the memory at its highest, pages, and what it took."""
    import index as indexing

    arcs = folder / "arcs"
    arcs.mkdir()
    for kind in KINDS if "all" in kinds else kinds:
        write(arcs / f"{kind}.warc.gz", kind, size)
    result = {}
    for kind in kinds:
        paths = [arcs] if kind == "all" else [arcs / f"{kind}.warc.gz"]
        taken = indexing.measure(paths, folder / "index", 2)
        result[kind] = {name: taken[name] for name in ("peak_pss_mb", "pages", "cpu_seconds", "index_mb")}
    return result


def write(path: Path, kind: str, size: float) -> None:
    """Write an archive of a few pages of a kind."""
    with path.open("wb") as file:
        for number in range(3):
            body = KINDS[kind](number, size)
            coding = b""
            if kind.startswith("bomb"):
                packer = zlib.compressobj(9, wbits=31)
                body = packer.compress(body) + packer.flush()
                coding = b"Content-Encoding: gzip\r\n"
            block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n" + coding + b"\r\n" + body
            url = f"http://{kind.replace(' ', '-')}.example/{number}"
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
                f"Content-Type: application/http\r\nContent-Length: {len(block)}\r\n\r\n"
            )
            file.write(gzip.compress(head.encode() + block + b"\r\n\r\n", 1))


def _filled(start: str, piece: str, end: str = "") -> Callable[[int, float], bytes]:
    """Return a maker of pages of 40 MB that repeat a piece, a bit more than is read of a page."""

    def make(number: int, size: float) -> bytes:
        room = int(40 * MB * size)
        one = piece.encode()
        return (start + str(number)).encode() + one * (room // len(one)) + end.encode()

    return make


def _distinct(number: int, size: float) -> bytes:
    return b"<p>" + b" ".join(b"w%x%d" % (word, number) for word in range(int(1_000_000 * size)))


def _links(number: int, size: float) -> bytes:
    return b"".join(
        b"<a href=/%d/%d>text %d</a>" % (number, link, link) for link in range(int(800_000 * size))
    )


def _attributes(number: int, size: float) -> bytes:
    return b"<p " + b" ".join(b"a%d=%d" % (name, number) for name in range(int(1_500_000 * size))) + b">x"


KINDS: dict[str, Callable[[int, float], bytes]] = {
    "bomb": _filled("<p>", "bomb "),
    "bomb of nothing": _filled("<p>", "\0"),
    "one word": _filled("<p>", "w"),
    "one letter words": _filled("<p>", "a "),
    "distinct words": _distinct,
    "pairs": _filled("<p>", "日本語"),
    "ligatures": _filled("<p>", "\ufdfa"),
    "emoji": _filled("<p>", "\U0001f600"),
    "compounds": _filled("<p>", "c++ "),
    "marks": _filled("<p>e", "\u0301"),
    "open": _filled("<p>", "<div>"),
    "open inline": _filled("<p>", "<b>x<i>"),
    "elements": _filled("<p>", "<b>x</b> "),
    "empty elements": _filled("<p>", "<br>"),
    "links": _links,
    "links to one": _filled("<p>", "<a href=/>x y</a>"),
    "attribute": _filled("<p title='", "x", "'>y"),
    "attributes": _attributes,
    "meta": _filled("<meta name=description content='", "x y ", "'>y"),
    "alternatives": _filled("<p>", "<img alt='a b'>"),
    "title": _filled("<title>", "x "),
    "entities": _filled("<p>", "&amp;&copy; "),
    "comments": _filled("<p>", "<!-- x -->"),
    "script": _filled("<p>x<script>", "x "),
    "tables": _filled("<p>", "<table><tr><td>x"),
    "selects": _filled("<select>", "<option>x"),
    "svg": _filled("<p>", "<svg><title>x</title>"),
    "languages": lambda number, size: b"".join(
        b"<p lang=%c%c%c>w%d</p>" % (97 + a, 97 + b, 97 + number, a * b) for a in range(26) for b in range(26)
    ),
    "broken utf-8": lambda number, size: b"<p>" + b"\xff\xfe " * int(13 * MB * size),
}


def as_text(result: dict[str, dict[str, Any]]) -> str:
    lines = [f"{'':20}{'memory':>10}{'pages':>7}{'CPU s':>8}{'index MB':>10}"]
    for kind, row in sorted(result.items(), key=lambda item: -item[1]["peak_pss_mb"]):
        over = "" if row["peak_pss_mb"] < MOST_MB else f"  more than {MOST_MB} MB"
        memory, rest = row["peak_pss_mb"], f"{row['cpu_seconds']:>8.1f}{row['index_mb']:>10.1f}"
        lines.append(f"{kind:20}{memory:>7.0f} MB{row['pages']:>7}{rest}{over}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
