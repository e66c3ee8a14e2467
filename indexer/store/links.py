"""The links of a segment's pages: a file beside the segment, read when link texts are folded into their targets.

An *edge* is a target address with a text that names it; each edge lists the versions (ordinals) that have such a
link. A target is known by 64 bits of the MD5 of its sort key, so that every spelling of the address is met, and
also addresses of which nothing is archived yet. docs/index-format.md describes the bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from archiver.warc import base_of, canonical_url, in_charset, surt_key
from indexer.core.fold import STEP, FoldSource
from indexer.core.links import BatchLinks, LinkRows, LinkTable
from indexer.store.arrayfile import ArrayFile, write_arrays
from indexer.store.compact import page_number
from indexer.store.errors import IndexCorruptError
from indexer.store.packed_strings import PackedStrings, pack_strings
from indexer.text.elements import PageText

_OTHER_SCHEME = re.compile(r"\s*(?!https?:)[a-z][a-z0-9+.\-]*:", re.IGNORECASE)
_PATH_END = re.compile("[?#]")
_ODD_FOLDER = re.compile(r"//|/\.|[;?#%]")
_ROWS_AT_ONCE = 8192


def _sort_key(base: str, href: str) -> str:
    """Return the sort key of what a link points to. Raises ValueError for what is no address of a page."""
    return surt_key(canonical_url(href, base) if base else href)


def _number(base: str, href: str) -> int | None:
    """Return the number of the page that a link points to, None for what is no address of a page."""
    try:
        return page_number(_sort_key(base, href))
    except ValueError:
        return None


def _folder_key(folder: str) -> bytes:
    """Return the sort key of a folder behind which plain paths may be put; b"" where there is more to it."""
    if _ODD_FOLDER.search("/" + folder.partition("://")[2].partition("/")[2]):
        return b""
    try:
        return _sort_key("", folder).encode("ascii")
    except ValueError:
        return b""


def _folder_of(base: str) -> str:
    """Return the folder of an address, as browsers read it."""
    path = _PATH_END.split(base, 1)[0].replace("\\", "/")
    scheme, _, rest = path.partition("://")
    return path[: path.rfind("/") + 1] if "/" in rest else f"{scheme}://{rest}/"


class LinkCollector:
    """Collects the links of the pages of one batch, then writes them."""

    def __init__(self) -> None:
        self.links = BatchLinks()
        # for what addresses are relative to, a folder and the charset of a page: a number, and the folder's sort key
        self._folders: dict[tuple[str, str], tuple[int, bytes]] = {}
        # targets by what the address is relative to, without fragment: folders of a site share those from its root
        self._by_base: dict[tuple[str, str], int | None] = {}

    def add(self, ordinal: int, url: str, page: PageText, links: object) -> None:
        """Add the links of a page; those to itself and to what is no http or https address are left out.

        ordinal: no other page's. links: a pointer to the struct fa_page of the page.
        """
        base = base_of(url, page.base, page.charset)
        folder = _folder_of(base)
        known = self._folders.get((folder, page.charset))
        if known is None:
            known = self._folders[folder, page.charset] = len(self._folders), _folder_key(folder)
        number, key = known
        targets = [
            self._target(in_charset(written, page.charset), base, folder)
            for written in self.links.ask(links, number, ordinal, key)
        ]
        self.links.add(links, ordinal, _number("", url), targets)

    def explain(
        self, ordinal: int, url: str, base: str | None, links: object, own: int, asked: list[str]
    ) -> None:
        """Add the links of a page in UTF-8 that the core has looked at (`Intake.take`), which tells own and asked."""
        relative_to = base_of(url, base)
        folder = _folder_of(relative_to)
        self.links.add(links, ordinal, own, [self._target(written, relative_to, folder) for written in asked])

    def _target(self, href: str, base: str, folder: str) -> int | None:
        """Return the key of what a link points to, None for what is no page."""
        if _OTHER_SCHEME.match(href):
            return None
        if href.startswith(("http://", "https://")):
            base = ""
        elif href[0] == "/" and not href.startswith("//"):
            base = folder[: folder.find("/", folder.find("://") + 3) + 1]
        elif (href[0].isalnum() or href[0] == ".") and ":" not in href:  # "http:" is the page itself
            base = folder
        if (base, href) not in self._by_base:
            self._by_base[base, href] = _number(base, href)
        return self._by_base[base, href]

    def write(self, path: str, *, is_synced: bool = True) -> None:
        """Write what was collected. is_synced: see `write_arrays`. Raises DiskFullError."""
        rows = LinkRows()
        _write(path, rows.sorted(self.links), self.links.texts(), is_synced=is_synced)


def _write(path: str, table: LinkTable, texts: Sequence[bytes], *, is_synced: bool = True) -> None:
    """Write a file of links. texts: what the numbers of texts stand for; those that no link has are left out."""
    used = np.zeros(len(texts), dtype=bool)
    used[table.texts] = True
    number = np.cumsum(used, dtype=np.int64) - 1
    ends, data = pack_strings(compress(texts, used.tolist()))
    write_arrays(
        path,
        "links",
        {"links": len(table.sources), "texts": int(used.sum())},
        {
            "targets": table.targets,
            "edge_counts": _narrow(table.edges),
            "edge_texts": _narrow(number[table.texts]),
            "link_counts": _narrow(table.links),
            "sources": table.sources,
            "text_ends": ends,
            "texts": data,
        },
        is_synced=is_synced,
    )


def _narrow(column: NDArray[np.integer]) -> NDArray[np.unsignedinteger]:
    greatest = int(column.max(initial=0))
    kind = np.uint8 if greatest < 1 << 8 else np.uint16 if greatest < 1 << 16 else np.uint32
    return column.astype(kind)


@dataclass(slots=True)
class Edges:
    """Links to some targets. target: row of the asked key; text: number of the text; source: ordinal. A row a link."""

    target: NDArray[np.int64]
    text: NDArray[np.int64]
    source: NDArray[np.int64]


class Links:
    """The links of one segment, mapped into memory."""

    def __init__(self, path: str, versions: int) -> None:
        """versions: of the segment. Raises IndexMissingError, IndexVersionError, IndexCorruptError."""
        self.file = ArrayFile(path, "links")
        self.targets: NDArray[np.uint64] = self.file.array("targets")
        self._edges = Ranges(self.file.array("edge_counts"))
        self._texts_of = self.file.array("edge_texts")
        self._links = Ranges(self.file.array("link_counts"))
        self._sources = self.file.array("sources")
        self._texts = PackedStrings(
            path, int(self.file.meta["texts"]), self.file.array("text_ends"), self.file.array("texts")
        )
        if (
            len(self._edges) != len(self.targets)
            or self._edges.total != len(self._texts_of)
            or len(self._links) != len(self._texts_of)
            or self._links.total != len(self._sources)
            or len(self._sources) != self.file.meta["links"]
            or int(self._sources.max(initial=0)) >= max(versions, 1)
            or int(self._texts_of.max(initial=0)) >= max(len(self._texts), 1)
            or bool((self.targets[1:] <= self.targets[:-1]).any())
        ):
            raise IndexCorruptError(
                f"{path}: the lists of links do not fit each other or the segment of {versions} versions;"
                " index the archives again with --rebuild"
            )

    def __len__(self) -> int:
        return len(self._sources)

    def text_at(self, number: int) -> str:
        return self._texts.at(number).decode("utf-8", "replace")

    def texts_at(self, numbers: NDArray[np.integer]) -> list[bytes]:
        """Return some texts in UTF-8; soonest by rising numbers."""
        return self._texts.some(numbers.tolist())

    def texts(self) -> list[bytes]:
        """Return all texts in UTF-8."""
        return self._texts.all()

    def table(self) -> LinkTable:
        """Return the columns as they lie in the file."""
        names = ("targets", "edge_counts", "edge_texts", "link_counts", "sources")
        return LinkTable(*map(self.file.array, names))

    def fold_source(
        self, sites: NDArray[np.uint32], pages: NDArray[np.uint32], alive: NDArray[np.bool_] | None
    ) -> FoldSource:
        """Return the links as they are folded; see FoldSource."""
        begins = self._edges.reached, self._links.reached
        return FoldSource(self.table(), begins, sites, pages, alive, len(self._texts))

    def counts_to(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return how many links there are to each of some targets (rising keys)."""
        row, found = self._rows(keys)
        at = row[found]
        counts = np.zeros(len(keys), dtype=np.int64)
        counts[found] = self._links.begins(self._edges.begins(at + 1)) - self._links.begins(
            self._edges.begins(at)
        )
        return counts

    def edges_to(self, keys: NDArray[np.uint64]) -> Edges:
        """Return all links to some targets (rising keys)."""
        row, found = self._rows(keys)
        at = row[found]
        edge, of_key = spread(self._edges.begins(at), self._edges.begins(at + 1))
        link, of_edge = spread(self._links.begins(edge), self._links.begins(edge + 1))
        return Edges(
            found[of_key][of_edge],
            self._texts_of[edge].astype(np.int64)[of_edge],
            self._sources[link].astype(np.int64),
        )

    def links_from(
        self, wanted: NDArray[np.bool_]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
        """Return (target, text, source) of all links from the versions marked in `wanted`, a row a link."""
        link = np.flatnonzero(wanted[self._sources]) if len(self._sources) else np.zeros(0, dtype=np.int64)
        edge = self._links.that_hold(link)
        row = self._edges.that_hold(edge)
        return self.targets[row], self._texts_of[edge].astype(np.int64), self._sources[link].astype(np.int64)

    def _rows(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if not len(self.targets):
            return np.zeros(len(keys), dtype=np.int64), np.zeros(0, dtype=np.int64)
        row = np.minimum(np.searchsorted(self.targets, keys), len(self.targets) - 1)
        return row, np.flatnonzero(self.targets[row] == keys)


class Ranges:
    """Ranges that lie one behind the other, by how long each is. reached: where every STEP-th begins, and the end."""

    def __init__(self, counts: NDArray[np.unsignedinteger]) -> None:
        self._counts = counts
        self.reached = np.zeros(-(-len(counts) // STEP) + 1, dtype=np.int64)
        if len(counts):
            sums = np.add.reduceat(counts, np.arange(0, len(counts), STEP), dtype=np.int64)
            np.cumsum(sums, out=self.reached[1:])
        self.total = int(self.reached[-1])

    def __len__(self) -> int:
        return len(self._counts)

    def begins(self, row: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where ranges begin; behind the last one where there is no such range any more."""
        found = np.empty(len(row), dtype=np.int64)
        for first in range(0, len(row), _ROWS_AT_ONCE):
            step, before = np.divmod(row[first : first + _ROWS_AT_ONCE], STEP)
            sizes = np.where(np.arange(STEP) < before[:, None], self._of_step(step), 0)
            found[first : first + _ROWS_AT_ONCE] = self.reached[step] + sizes.sum(axis=1, dtype=np.int64)
        return found

    def that_hold(self, place: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the range that each place lies in; places are smaller than the total."""
        found = np.empty(len(place), dtype=np.int64)
        for first in range(0, len(place), _ROWS_AT_ONCE):
            places = place[first : first + _ROWS_AT_ONCE]
            step = np.searchsorted(self.reached, places, side="right") - 1
            ends = self.reached[step][:, None] + np.cumsum(self._of_step(step), axis=1, dtype=np.int64)
            found[first : first + _ROWS_AT_ONCE] = step * STEP + (ends <= places[:, None]).sum(axis=1)
        return found

    def _of_step(self, step: NDArray[np.int64]) -> NDArray[np.unsignedinteger]:
        """Return how long the ranges of some steps are; 0 for those behind the last one."""
        rows = step[:, None] * STEP + np.arange(STEP)
        return np.where(rows < len(self._counts), self._counts[np.minimum(rows, len(self._counts) - 1)], 0)


def spread(first: NDArray[np.int64], last: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all numbers of some ranges, one range behind the other, and the range each comes from."""
    counts = last - first
    of_range = np.repeat(np.arange(len(counts)), counts)
    inside = np.arange(len(of_range)) - np.repeat(np.cumsum(counts) - counts, counts)
    return first[of_range] + inside, of_range


def merge_links(path: str, links: Sequence[Links], places: Sequence[NDArray[np.int64]]) -> None:
    """Write the links of several segments as those of the segment they were merged into.

    places: for each segment its versions' new ordinals, -1 for those that were dropped. Raises DiskFullError,
    IndexCorruptError.
    """
    numbers: dict[bytes, int] = {}
    own_numbers = [
        np.array([numbers.setdefault(text, len(numbers)) for text in each.texts()], dtype=np.uint32)
        for each in links
    ]
    rows = LinkRows()
    try:
        table = rows.joined(
            [each.table() for each in links], [place.astype(np.int32) for place in places], own_numbers
        )
    except ValueError as error:
        raise IndexCorruptError(
            f"{path}: made of lists of links that do not fit each other; index the archives again with --rebuild"
        ) from error
    _write(path, table, list(numbers))
