"""Batches of workers that wait to be committed, and what the writer is given of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from indexer.choosing import ArchiveFile
from indexer.store.commit_batch import CommitBatch, Repeat
from indexer.store.writer import IndexWriter
from indexer.text.documents import FileEntry
from indexer.worker import Batch


class Waiting:
    """A batch that waits to be committed.

    shows: versions of its captures; files: those it holds captures or the end of.
    """

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.holds = {version.number for version in batch.versions}
        self.shows = {capture.version for capture in batch.captures if capture.version}
        self.shows |= {version for version, _, _ in batch.repeats}
        self.ends = {number for number, _ in batch.finished}
        self.files = {capture.file for capture in batch.captures} | self.ends


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
    captures = batch.captures
    nameless = [place for place, capture in enumerate(captures) if not capture.document]
    numbers = writer.document_numbers([captures[place].url for place in nameless])
    for place, document in zip(nameless, numbers, strict=True):
        captures[place] = captures[place]._replace(document=document)
    repeated = writer.document_numbers([url for _, url, _ in batch.repeats])
    return CommitBatch(
        segment=batch.segment,
        links=batch.links,
        sums=batch.sums,
        counts=batch.counts,
        versions=batch.versions,
        captures=captures,
        ledger=[(number, _ledger_row(files[number], entry)) for number, entry in batch.finished],
        replaces={number for number, _ in batch.finished if files[number].replaces},
        given_up={number for number, _ in batch.finished if files[number].given_up},
        repeats=[
            Repeat(version, document, payload)
            for (version, _, payload), document in zip(batch.repeats, repeated, strict=True)
        ],
    )


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
