"""Making indexes for tests: straight from versions, or through WARC files and a whole run."""

from __future__ import annotations

import gzip
import hashlib
import html
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from indexer.store.bm25f import Ranking
from indexer.store.catalogue import Catalogue
from indexer.store.commit_batch import CommitBatch, NewCapture, NewVersion
from indexer.store.inversion import write_batch
from indexer.store.links import LinkCollector
from indexer.store.snapshot import Snapshot
from indexer.store.writer import IndexWriter
from indexer.text.analysis import analyze_pages
from indexer.text.elements import ELEMENTS, PageText
from indexer.worker import version_columns
from tests.indexer.page_structs import join_pieces, page_with_links
from tests.indexer.plain import PlainVersion
from tests.store_batches import forget_file

HEADING, ANCHOR, EMPHASIS, BODY, ALT = (
    ELEMENTS.index(name) for name in ("heading", "anchor", "emphasis", "body", "alt")
)
_MARKUP = {
    HEADING: "<h2>{}</h2>",
    ANCHOR: '<p><a href="/">{}</a></p>',
    EMPHASIS: "<p><b>{}</b></p>",
    BODY: "<p>{}</p>",
    ALT: '<img alt="{}">',
}


def page_text(version: PlainVersion) -> PageText:
    """Return a version as the parser would give it."""
    return PageText(
        version.title or None,
        version.description,
        version.keywords,
        version.language,
        "",
        *join_pieces([(text, element) for element, text in version.running]),
        links=list(version.links),
    )


def page_html(version: PlainVersion) -> bytes:
    """Return a version as markup; pieces of running text must end with a line feed, since each becomes a block."""
    assert all(text.endswith("\n") for _, text in version.running)
    head = f"<title>{html.escape(version.title)}</title>" if version.title else ""
    for name, content in (("description", version.description), ("keywords", version.keywords)):
        if content:
            head += f'<meta name="{name}" content="{html.escape(content)}">'
    body = "".join(_MARKUP[element].format(html.escape(text)) for element, text in version.running)
    return f'<!doctype html><html lang="{version.language}"><head>{head}</head><body>{body}</body></html>'.encode()


class DirectIndex:
    """An index written batch by batch, without archives and worker processes; each batch is one file and segment."""

    def __init__(self, folder: Path, ranking: Ranking | None = None) -> None:
        self.folder = str(folder)
        self.writer = IndexWriter(self.folder, ranking or Ranking())
        # these tests are about answers; what survives a power cut is tested elsewhere
        self.writer.catalogue.connection().execute("PRAGMA synchronous=OFF")
        self.files: dict[str, list[PlainVersion]] = {}
        self._number_of: dict[tuple[str, bytes], int] = {}

    def __enter__(self) -> DirectIndex:
        return self

    def __exit__(self, *exc: object) -> None:
        self.writer.close()

    def add(self, name: str, versions: Sequence[PlainVersion]) -> None:
        """Commit a file that shows these versions; those that are there already get a further capture."""
        writer, batch = self.writer, CommitBatch()
        file = writer.begin_files({name: {}})[name]
        new: list[PlainVersion] = []
        for version in versions:
            document = writer.document_numbers([version.url])[0]
            content = replace(
                version, captured=(), status=0, mime="", answers=None
            )  # the same page captured again
            digest = hashlib.sha1(repr(content).encode()).digest()
            number = next(
                (n.number for n in batch.versions if (n.document, n.digest) == (document, digest)), 0
            )
            number = number or writer.known_version(document, digest)
            if not number:
                number = writer.new_version_number()
                new.append(version)
                batch.versions.append(NewVersion(number, document, digest, version.title or None))
            for moment, status, mime in version.captures:
                batch.captures.append(
                    NewCapture(
                        document,
                        moment,
                        "response",
                        status,
                        mime,
                        "",
                        file,
                        "",
                        len(batch.captures),
                        1000 * file
                        + len(batch.captures)
                        + 1,  # no two of one length: none is a copy of another
                        0,
                        number,
                        "",
                    )
                )
        if new:
            tokens = analyze_pages([(version.url, page_text(version)) for version in new])
            columns = version_columns(
                [v.url for v in new],
                [v.document for v in batch.versions],
                [v.language for v in new],
                tokens.lengths,
                tokens.extents,
            )
            batch.segment, batch.links = "test.new", "test.links.new"
            links = LinkCollector()
            for ordinal, version in enumerate(new):
                page = page_text(version)
                links.add(ordinal, version.url, page, page_with_links(page.links))
            links.write(os.path.join(self.folder, batch.links))
            write_batch(os.path.join(self.folder, batch.segment), [tokens], columns)
            batch.sums = columns.lengths.sum(axis=0).tolist()
            batch.counts = (columns.lengths > 0).sum(axis=0).tolist()
        writer.commit([batch])
        self.files[name] = list(versions)

    def forget(self, name: str) -> None:
        """Take a file out of the index; what only it showed is dead."""
        forget_file(self.writer, name)
        del self.files[name]

    def live(self) -> list[PlainVersion]:
        """Return the versions that some file shows, each once, with the captures in all files."""
        captures: dict[PlainVersion, list[tuple[str, int, str]]] = {}
        for versions in self.files.values():
            for version in versions:
                captures.setdefault(version, []).extend(version.captures)
        return [
            replace(version, captured=tuple(c[0] for c in found), answers=tuple(c[1:] for c in found))
            for version, found in captures.items()
        ]

    def snapshot(self) -> Snapshot:
        return Snapshot(Catalogue(self.folder))


def addresses(snapshot: Snapshot) -> dict[int, str]:
    return dict(snapshot.catalogue.connection().execute("SELECT id, url FROM urls").fetchall())


HTML_TYPE = "Content-Type: text/html; charset=utf-8"


def http(body: bytes, *headers: str, status: str = "HTTP/1.1 200 OK") -> bytes:
    """Return an HTTP response; without headers it is HTML in UTF-8."""
    return "\r\n".join([status, *(headers or (HTML_TYPE,)), "", ""]).encode("utf-8", "surrogateescape") + body


def record(kind: str, url: str, block: bytes, *fields: str, date: str = "2020-01-01T00:00:00Z") -> bytes:
    """Return a WARC record; further fields as "Name: value"."""
    head = ["WARC/1.0", f"WARC-Type: {kind}", f"WARC-Date: {date}"]
    head += [f"WARC-Target-URI: {url}"] if url else []
    if kind in ("response", "revisit", "request") and not any(
        field.startswith("Content-Type") for field in fields
    ):
        head.append(
            f"Content-Type: application/http; msgtype={'request' if kind == 'request' else 'response'}"
        )
    return (
        "\r\n".join([*head, *fields, f"Content-Length: {len(block)}", "", ""]).encode() + block + b"\r\n\r\n"
    )


def response(url: str, html: str, *, date: str = "2020-01-01T00:00:00Z") -> bytes:
    """Return the record of a page."""
    return record("response", url, http(html.encode()), date=date)


def write_warc(path: Path, records: Iterable[bytes]) -> str:
    """Write a gzip WARC file, one member a record; return its name."""
    path.write_bytes(b"".join(gzip.compress(one, 1, mtime=0) for one in records))
    return str(path)


def version_records(versions: Iterable[PlainVersion]) -> list[bytes]:
    """Return a response record for each capture of the versions."""
    return [
        response(
            version.url,
            page_html(version).decode(),
            date=f"{t[:4]}-{t[4:6]}-{t[6:8]}T{t[8:10]}:{t[10:12]}:{t[12:14]}Z",
        )
        for version in versions
        for t in version.captured
    ]
