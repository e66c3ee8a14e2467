"""Which pages of a run are new, and who indexes them: each version is granted to one worker, once."""

from __future__ import annotations

from collections.abc import Iterable

from indexer.store.writer import IndexWriter

Page = tuple[int, bytes]  # number of the address, digest of the body


class Grants:
    """Pages granted to workers and not yet committed, and those whose worker is gone."""

    def __init__(self, writer: IndexWriter) -> None:
        self._writer = writer
        self._granted: dict[Page, tuple[int, str]] = {}  # version, name of the worker
        # whoever claims one of these next gets the same number, for captures may show it already
        self._lost: dict[Page, int] = {}

    def answer(self, pages: Iterable[tuple[str, bytes]], name: str) -> list[tuple[int, int, bool]]:
        """Return (version, address number, whether this worker is to index it) for each (address, digest)."""
        answers = []
        pages = list(pages)
        documents = self._writer.document_numbers([url for url, _ in pages])
        for (_, digest), document in zip(pages, documents, strict=True):
            granted = self._granted.get((document, digest))
            if granted is not None:
                answers.append((granted[0], document, False))
                continue
            known = self._writer.known_version(document, digest)
            if known:
                answers.append((known, document, False))
                continue
            version = self._lost.pop((document, digest), 0) or self._writer.new_version_number()
            self._granted[document, digest] = (version, name)
            answers.append((version, document, True))
        return answers

    def end(self, pages: Iterable[Page]) -> None:
        """Forget that some pages were granted: they are committed, or to be claimed anew."""
        for page in pages:
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
