"""Segments and commits made by hand, for the tests of indexer.store."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from indexer.store.columns import KINDS, VersionColumns, stem_name
from indexer.store.commit_batch import CommitBatch, NewCapture, NewVersion
from indexer.store.files import IN_FILE, ledger_key, reading_key
from indexer.store.inversion import write_batch
from indexer.store.links import LinkCollector
from indexer.store.segment import Segment
from indexer.store.writer import IndexWriter
from indexer.text.analysis import Tokens
from indexer.worker import host_of

Page = Mapping[tuple[str, int], list[int]]  # (word, element) -> positions


def columns_of(pages: Mapping[str, Page], languages: Mapping[str, str] | None = None) -> VersionColumns:
    """Return the version columns of pages by address; document i + 1 for the ith."""
    lengths = np.zeros((len(pages), KINDS), dtype=np.uint32)
    extent = np.zeros(len(pages), dtype=np.uint32)
    for row, page in enumerate(pages.values()):
        for (_, element), positions in page.items():
            lengths[row, element] += len(positions)
            extent[row] = max(extent[row], *(position + 1 for position in positions))
    hosts = list(dict.fromkeys(host_of(url) for url in pages))
    names = [(languages or {}).get(url, "en") for url in pages]
    known = list(dict.fromkeys(names)) or ["en"]
    return VersionColumns(
        np.arange(1, len(pages) + 1, dtype=np.uint32),
        np.arange(len(pages), dtype=np.uint64),
        lengths,
        extent,
        np.array([hosts.index(host_of(url)) for url in pages], dtype=np.uint32),
        np.array([known.index(name) for name in names], dtype=np.uint32),
        hosts,
        known,
    )


def write_segment(
    path: str,
    pages: Mapping[str, Page],
    languages: Mapping[str, str] | None = None,
    documents: list[int] | None = None,
) -> VersionColumns:
    """Write a segment that holds these pages."""
    columns = columns_of(pages, languages)
    if documents is not None:
        columns.document[:] = documents
    write_batch(path, [tokens_of(pages)] if pages else [], columns)
    return columns


def tokens_of(pages: Mapping[str, Page]) -> Tokens:
    """Return the occurrences of pages as the tokenizer gives them, pages rising; within a page in no special order."""
    words = list(dict.fromkeys(word for page in pages.values() for word, _ in page))
    numbers = {word: number for number, word in enumerate(words)}
    rows = [
        (numbers[word], version, element, position)
        for version, page in enumerate(pages.values())
        for (word, element), positions in page.items()
        for position in positions
    ]
    word, version, element, position = (np.array([row[i] for row in rows], dtype=np.uint32) for i in range(4))
    columns = columns_of(pages)
    return Tokens(words, word, version, element.astype(np.uint8), position, columns.lengths, columns.extent)


def contents(segment: Segment) -> dict[tuple[str, int, int], list[int]]:
    """Return (word, version, element) -> positions of all occurrences in a segment."""
    found: dict[tuple[str, int, int], list[int]] = {}
    for first, last in segment.word_ranges(3):
        part = segment.occurrences_of(first, last)
        rows = zip(
            part.word.tolist(),
            part.version.tolist(),
            part.element.tolist(),
            part.position.tolist(),
            strict=True,
        )
        for word, version, element, position in rows:
            found.setdefault((part.words[word], version, element), []).append(position)
    return found


def commit_pages(writer: IndexWriter, file: str, pages: Mapping[str, Page], **capture: Any) -> list[int]:
    """Commit pages as captures of one file, which is read to its end thereby; return the numbers of the versions."""
    number = writer.begin_files({file: {"size": 1}})[file]
    name = f"{os.path.basename(file)}.new"
    documents = writer.document_numbers(list(pages))
    columns = write_segment(os.path.join(writer.folder, name), pages, documents=documents)
    LinkCollector().write(os.path.join(writer.folder, f"{name}.links.new"))
    versions = [writer.new_version_number() for _ in pages]
    writer.commit(
        [
            CommitBatch(
                segment=name,
                links=f"{name}.links.new",
                sums=columns.lengths.sum(axis=0).tolist(),
                counts=(columns.lengths > 0).sum(axis=0).tolist(),
                versions=[
                    NewVersion(version, writer.document_numbers([url])[0], url.encode(), url)
                    for version, url in zip(versions, pages, strict=True)
                ],
                captures=[
                    NewCapture(
                        writer.document_numbers([url])[0],
                        "20200101000000",
                        "response",
                        200,
                        "text/html",
                        f"sha1:{url}",
                        number,
                        "",
                        100 * row,
                        100,
                        0,
                        version,
                        "",
                    )
                    for row, (version, url) in enumerate(zip(versions, pages, strict=True))
                ],
                ledger=[(number, ledger_entry(file, len(pages)))],
            )
        ]
    )
    return versions


def commit_revisit(writer: IndexWriter, file: str, url: str) -> None:
    """Commit a revisit of a page of commit_pages."""
    number = writer.begin_files({file: {"size": 1}})[file]
    capture = NewCapture(
        writer.document_numbers([url])[0],
        "20210101000000",
        "revisit",
        200,
        "text/html",
        f"sha1:{url}",
        number,
        "",
        0,
        100,
        0,
        0,
        "",
    )
    writer.commit([CommitBatch(captures=[capture], ledger=[(number, ledger_entry(file, 1))])])


def ledger_entry(file: str, captures: int) -> dict[str, Any]:
    return {
        "file": file,
        "status": "indexed",
        "format": "",
        "records": captures,
        "captures": captures,
        "documents": captures,
        "skipped": {},
        "damaged": [],
        "state": {"size": 1},
    }


def stem_key(language: str, stem: str) -> int:
    """Return the key under which a segment lists the words with this stem."""
    return int.from_bytes(hashlib.md5(stem_name(language, stem).encode()).digest()[:8], "big")


def words_of_stem(segment: Segment, language: str, stem: str) -> list[int]:
    """Return the numbers of the words of a segment that are listed under a stem."""
    keys, words = segment.file.array("stem_keys"), segment.file.array("stem_words")
    return [int(word) for word in words[keys == stem_key(language, stem) >> 32]]


@functools.cache
def colliding_words() -> tuple[str, str]:
    """Return two words whose MD5 begins with the same 8 hex digits."""
    seen: dict[bytes, str] = {}
    number = 0
    while True:
        word = f"w{number}"
        key = hashlib.md5(word.encode()).digest()[:4]
        if key in seen:
            return seen[key], word
        seen[key] = word
        number += 1


def forget_file(writer: IndexWriter, path: str) -> None:
    """Take everything that only this file holds out of the index, and the file out of the ledger."""
    file = writer.files.find(path)
    if file is not None:
        with writer.catalogue.transaction() as connection:
            writer.drop_captures(connection, IN_FILE, [file.number])
            connection.execute("DELETE FROM pieces WHERE file = ?", (file.number,))
            for key in (ledger_key(file.number), reading_key(file.number)):
                writer.catalogue.dictionary.pop(key, None)
