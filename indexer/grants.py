"""Which pages of a run are new, and who indexes them: each version is granted to one worker, once."""

from __future__ import annotations

from collections.abc import Sequence

from indexer.store.commit_batch import NewVersion, Rows
from indexer.store.writer import IndexWriter

Page = tuple[int, bytes]  # number of the address, digest of the body


class Grants:
    """Pages granted to workers and not yet committed, and those whose worker is gone."""

    def __init__(self, writer: IndexWriter) -> None:
        self._writer = writer
        self._granted: dict[Page, tuple[int, str]] = {}  # version, name of the worker
        # whoever claims one of these next gets the same number, for captures may show it already
        self._lost: dict[Page, int] = {}

    def answer(self, pages: Sequence[tuple[str, bytes]], name: str) -> list[tuple[int, int, bool]]:
        """Return (version, address number, whether this worker is to index it) for each (address, digest)."""
        answers = []
        granted, lost, writer = self._granted, self._lost, self._writer
        urls, digests = zip(*pages, strict=True) if pages else ((), ())
        for page in zip(writer.document_numbers(urls), digests, strict=True):
            document = page[0]
            if grant := granted.get(page):
                answers.append((grant[0], document, False))
            elif known := writer.known_version(*page):
                answers.append((known, document, False))
            else:
                version = (lost and lost.pop(page, 0)) or writer.new_version_number()
                granted[page] = version, name
                answers.append((version, document, True))
        return answers

    def end(self, versions: Sequence[NewVersion]) -> None:
        """Forget that the pages of some versions were granted: they are committed, or to be claimed anew."""
        _, documents, digests, _ = Rows.of(NewVersion, versions).columns
        for page in zip(documents, digests, strict=True):
            self._granted.pop(page, None)

    def release(self, name: str, kept: set[int]) -> None:
        """Take back what was granted to a worker that is gone. kept: versions of its that wait to be committed."""
        for page, (version, owner) in list(self._granted.items()):
            if owner == name and version not in kept:
                del self._granted[page]
                self._lost[page] = version

    def forget_lost(self) -> None:
        """Forget what workers that are gone had: no capture shows it any more."""
        self._lost.clear()

    def are_missing(self, versions: set[int]) -> bool:
        """Return whether one of some versions, which no batch at hand holds, is in work or lost."""
        return bool(versions) and (
            not versions.isdisjoint(self._lost.values())
            or not versions.isdisjoint(version for version, _ in self._granted.values())
        )
