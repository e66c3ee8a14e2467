"""Small shelves of archives for the tests of the index, and what an index answers, to compare two of them."""

from __future__ import annotations

import hashlib
import random
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from indexer import Index, open_index
from indexer.store.pages import writing_vfs

WORDS = (
    "archive ledger shelf catalogue parchment index lantern harbour granite meadow signal copper violet anchor "
    "orchard thunder pepper canvas marble walnut"
).split()
QUERIES = (
    "archive",
    "shelf ledger",
    "harbour OR meadow",
    "title:lantern",
    '"copper violet"',
    "walnut -pepper",
    "unique7",
)


def record(
    url: str, html: str, *, date: str = "2020-01-02T03:04:05Z", kind: str = "response", status: int = 200
) -> bytes:
    """Return a WARC record: the answer to a request for `url`, or a revisit that repeats `html`."""
    head = f"HTTP/1.1 {status} OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n".encode()
    block = head if kind == "revisit" else head + html.encode()
    digest = hashlib.sha1(html.encode()).hexdigest()
    fields = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"
        f"WARC-Payload-Digest: sha1:{digest}\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return fields.encode() + block + b"\r\n\r\n"


def page(number: int, *, words: int = 40) -> str:
    """Return a page with words of its own: the same for the same number."""
    chosen = random.Random(number)
    text = " ".join(chosen.choices(WORDS, k=words))
    return (
        f"<html lang=en><title>{chosen.choice(WORDS)} page {number}</title><h1>{chosen.choice(WORDS)}</h1>"
        f"<p>{text} unique{number}</p>"
    )


def write_shelf(folder: Path, files: int, pages: int) -> list[str]:
    """Write archives that share some pages, hold versions and revisits, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for file in range(files):
        records = []
        for number in range(pages):
            own = file * pages + number
            records.append(
                record(
                    f"http://site{own % 7}.example/{own}", page(own), date=f"2020-01-02T03:04:{own % 60:02}Z"
                )
            )
        # the first page of every file once more, changed; a page that all share; a revisit of the next file's page
        records.append(
            record(f"http://site{file}.example/changing", page(1000 + file % 3), date="2021-01-01T00:00:00Z")
        )
        records.append(record("http://shared.example/", page(999), date=f"2022-01-01T00:00:{file:02}Z"))
        other = ((file + 1) % files) * pages
        records.append(
            record(
                f"http://site{other % 7}.example/{other}",
                page(other),
                kind="revisit",
                date="2023-01-01T00:00:00Z",
            )
        )
        records.append(record(f"http://site{file}.example/gone", "gone", status=404))
        path = folder / f"{file:03}.warc"
        path.write_bytes(b"".join(records))
        paths.append(str(path))
    return paths


def open_catalogue(path: str | Path) -> sqlite3.Connection:
    """Return a connection to a catalogue that may write to it as the program does, with checksums that fit."""
    return sqlite3.connect(f"{Path(path).absolute().as_uri()}?vfs={writing_vfs()}", uri=True)


def answers(index_dir: str | Path, queries: Sequence[str] = QUERIES) -> dict[str, Any]:
    """Return all that an index says: documents, versions, captures, ledger, and its answers with scores in order.

    Numbers that differ from run to run (of addresses, versions, segments) are left out.
    """
    with open_index(str(index_dir)) as index:
        return answers_of(index, queries)


def answers_of(index: Index, queries: Sequence[str] = QUERIES) -> dict[str, Any]:
    """Return all that an open index says."""
    with index._reading() as snapshot:
        rows = (
            snapshot.catalogue.connection()
            .execute("SELECT url FROM urls WHERE id IN (SELECT url FROM captures)")
            .fetchall()
        )
    urls = [row[0] for row in rows]
    return {
        "statistics": index.statistics(),
        "ledger": index.ledger(),
        "captures": sorted({repr(capture) for url in urls for capture in index.captures(url)}),
        "searches": {query: _search(index, query) for query in queries},
    }


def _search(index: Index, query: str) -> tuple[Any, ...]:
    found = index.search(query, limit=1000, with_snippets=False)
    rows = [
        (
            hit.url,
            hit.title,
            hit.timestamp,
            round(hit.score, 9),
            hit.file,
            hit.offset,
            hit.captures,
            hit.versions,
        )
        for hit in found.hits
    ]
    return found.total, found.notices, rows
