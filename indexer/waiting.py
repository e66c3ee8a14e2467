"""Batches of workers that wait to be committed, and what the writer is given of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from indexer.choosing import ArchiveFile
from indexer.store.commit_batch import CommitBatch, NewCapture, NewVersion, Repeat, Rows
from indexer.store.writer import IndexWriter
from indexer.text.documents import FileEntry
from indexer.worker import Batch


class Waiting:
    """A batch that waits to be committed.

    shows: versions of its captures; files: those it holds captures or the end of.
    """

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.holds = set(Rows.of(NewVersion, batch.versions).column("number"))
        captures = Rows.of(NewCapture, batch.captures)
        self.shows = set(captures.column("version")) - {0}
        self.shows |= {version for version, _, _ in batch.repeats}
        self.ends = {number for number, _ in batch.finished}
        self.files = set(captures.column("file")) | self.ends


class Together:
    """Batches that may be committed in one transaction, and what those that would still wait have to do with them."""

    def __init__(self, ready: list[Waiting], later: list[Waiting]) -> None:
        self.holds = set[int]().union(*(waiting.holds for waiting in ready))
        self.shows = set[int]().union(*(waiting.shows for waiting in ready))
        self.ends = set[int]().union(*(waiting.ends for waiting in ready))
        self.shows_later = set[int]().union(*(waiting.shows for waiting in later))
        self.files_later = set[int]().union(*(waiting.files for waiting in later))


def commit_batch(batch: Batch, files: Mapping[int, ArchiveFile], writer: IndexWriter) -> CommitBatch:
    """Return what the writer is given of a batch. files: those of the run, by number."""
    repeated = writer.document_numbers([url for _, url, _ in batch.repeats])
    return CommitBatch(
        segment=batch.segment,
        links=batch.links,
        sums=batch.sums,
        counts=batch.counts,
        versions=batch.versions,
        captures=_with_documents(Rows.of(NewCapture, batch.captures), writer),
        ledger=[(number, _ledger_row(files[number], entry)) for number, entry in batch.finished],
        replaces={number for number, _ in batch.finished if files[number].replaces},
        given_up={number for number, _ in batch.finished if files[number].given_up},
        repeats=[
            Repeat(version, document, payload)
            for (version, _, payload), document in zip(batch.repeats, repeated, strict=True)
        ],
    )


def _with_documents(captures: Rows[NewCapture], writer: IndexWriter) -> Rows[NewCapture]:
    """Return captures with the numbers of their addresses, also those that came with the address alone."""
    documents, *rest = captures.columns
    nameless = [place for place, document in enumerate(documents) if not document]
    if not nameless:
        return captures
    numbered, urls = list(documents), captures.column("url")
    numbers = writer.document_numbers([urls[place] for place in nameless])
    for place, document in zip(nameless, numbers, strict=True):
        numbered[place] = document
    return Rows(NewCapture, (numbered, *rest))


def _ledger_row(file: ArchiveFile, entry: FileEntry) -> dict[str, Any]:
    row = asdict(entry)
    for damage in row["damaged"]:
        del damage["path"]
        if damage["places"] == 1:
            del damage["places"]
    del row["share"]
    row["state"] = file.state
    if file.before is not None:
        _add_to(row, file.before)
    if file.is_no_archive(row):
        row["damaged"] = []
    return row


def _add_to(row: dict[str, Any], before: dict[str, Any]) -> None:
    """Add what was read of a file before to the entry of what was read now, behind that."""
    for key in ("records", "captures", "documents"):
        row[key] += before[key]
    for reason, count in before["skipped"].items():
        row["skipped"][reason] = row["skipped"].get(reason, 0) + count
    row["damaged"] = [*before["damaged"], *row["damaged"]]
    row["format"] = row["format"] or before["format"]
    if row["status"] in ("indexed", "not an archive"):  # by what was read now
        row["status"] = "damaged" if row["damaged"] else "indexed"


def problems_of(file: ArchiveFile, entry: FileEntry) -> list[str]:
    """Return what is to be told of a file that was read to its end, a line each."""
    if file.is_no_archive(asdict(entry)):
        return [f"{entry.file}: is no archive; passed over"]
    problems = []
    for damage in entry.damaged[:3]:
        inside = f" in {damage.member}" if damage.member else ""
        problems.append(f"{entry.file}{inside}: byte {damage.offset}: {damage.problem}")
    more = sum(damage.places for damage in entry.damaged[3:])
    if more:
        problems.append(f"{entry.file}: {more:,} more places, see the ledger")
    return problems
