"""Link texts of other pages, folded into the pages they point to: the overlay of a segment.

An overlay is a segment of its own beside the segment, with the same versions in the same order. It holds only
occurrences of element INLINK, and two more columns: how many other sites link to the page of each version, and
how deep its address is. It is made from the links files of all segments, so it depends on what the index holds
and on nothing else: neither the order of files, nor runs, nor merges.

Which texts a page gets, and how often:
* A page that links counts once for a text, however many versions of it do.
* A text that pages of other sites use counts once for each of these sites, and one time more when ever twice as many
  pages use it; a text that only pages of the own site use counts by its pages alone. So a menu on
  10,000 pages of a site weighs little more than one on ten.
* Texts are parted by SECTION_GAP places: no phrase reaches from one into the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.core.fold import fold
from indexer.core.tokens import tokenizer
from indexer.store import disk
from indexer.store.columns import KINDS, VersionColumns
from indexer.store.entries import Entry
from indexer.store.inversion import write_batch
from indexer.store.layout import links_path, segment_path
from indexer.store.links import Links, spread
from indexer.store.merging import merge_segments
from indexer.store.segment import Segment
from indexer.text.analysis import SECTION_GAP, Tokens, distinct_words
from indexer.text.elements import INLINK

MAX_TEXTS = 1000  # distinct texts that a page gets; those of most sites first
MAX_TIMES = 16  # how often one of them counts at most
_COLUMNS = ("linking_sites", "depths")
_LINKS_AT_ONCE = 500_000


@dataclass(slots=True)
class Source:
    """A segment whose pages link. alive: False for versions that were removed; None when all are there."""

    segment: Segment
    links: Links
    alive: NDArray[np.bool_] | None


def changed_targets(
    segments: Sequence[Entry],
    sources: Sequence[Source],
    folded: Any,
    removed: Mapping[int, Sequence[int]],
) -> NDArray[np.uint64] | None:
    """Return the keys of pages to which links came or went since links were folded; None when that is not known.

    folded: (number, removed versions) of each segment then; removed: the versions removed since, by segment.
    """
    if not isinstance(folded, list):
        return None
    before: dict[int, int] = dict(folded)
    keys = [np.zeros(0, dtype=np.uint64)]
    for entry, source in zip(segments, sources, strict=True):
        gone = removed.get(entry["number"], ())
        if entry["number"] not in before:
            keys.append(source.links.targets)
        elif before[entry["number"]] + len(gone) != len(entry["dead"]):
            return None
        elif gone:
            wanted = np.zeros(len(source.segment), dtype=bool)
            wanted[list(gone)] = True
            keys.append(source.links.links_from(wanted)[0])
    return np.unique(np.concatenate(keys))


def open_source(folder: str, number: int, dead: Sequence[int]) -> Source:
    """Return a segment whose pages link, by its number. Raises as Segment and Links do."""
    segment = Segment(segment_path(folder, number))
    links = Links(links_path(folder, number), len(segment))
    alive = np.ones(len(segment), dtype=bool)
    alive[list(dead)] = False
    return Source(segment, links, alive if dead else None)


def write_overlay(
    path: str,
    segment: Segment,
    pages: NDArray[np.uint64],
    depths: NDArray[np.uint32],
    sources: Sequence[Source],
) -> None:
    """Write the overlay of a segment. Raises DiskFullError.

    pages: for each version the number by which links know its page, 0 for versions that were removed; depths: steps
    that each page lies below the front page of its site; sources: all segments.
    """
    columns = segment.version_columns()
    folded = _Sources(sources)
    site_of_host = folded.sites_of(columns.hosts)
    ranges = list(_ranges(pages, sources))
    parts = [path] if len(ranges) == 1 else [f"{path}.{number}.new" for number in range(len(ranges))]
    try:
        for part, rows in zip(parts, ranges, strict=True):
            texts = folded.gather(pages[rows], site_of_host[columns.host[rows]])
            tokens = _tokens_of(texts, len(pages[rows]))
            write_batch(
                part,
                [tokens],
                _overlay_columns(columns, rows, tokens),
                {"linking_sites": texts.linking_sites, "depths": depths[rows]},
                is_overlay=len(parts) == 1,
                is_synced=len(parts) == 1,
            )
        if len(parts) > 1:
            read = [Segment(part) for part in parts]
            merge_segments(path, read, [()] * len(parts), _COLUMNS, is_overlay=True)
    finally:
        for part in parts:
            if part != path:
                disk.remove(part)


def _overlay_columns(columns: VersionColumns, rows: slice, tokens: Tokens) -> VersionColumns:
    return VersionColumns(
        columns.document[rows],
        columns.key[rows],
        tokens.lengths,
        tokens.extents,
        columns.host[rows],
        columns.language[rows],
        columns.hosts,
        columns.languages,
    )


def depth_of(sort_key: str) -> int:
    """Return how many steps below the front page of its site an address is; a query is one step."""
    path = sort_key.partition(")")[2]
    steps = path.partition("?")[0].strip("/")
    return (steps.count("/") + 1 if steps else 0) + ("?" in path)


class _Sources:
    """All sources as they are folded, and the numbers of sites: a site is a host, with or without www."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._numbers: dict[str, int] = {}
        self.links = [source.links for source in sources]
        self.folded = [
            source.links.fold_source(
                self.sites_of(source.segment.hosts())[source.segment.host],
                np.ascontiguousarray(source.segment.document, dtype=np.uint32),
                source.alive,
            )
            for source in sources
        ]

    def sites_of(self, hosts: Sequence[str]) -> NDArray[np.uint32]:
        """Return the number of the site of each host."""
        numbers = self._numbers
        sites = [numbers.setdefault(host.removeprefix("www."), len(numbers)) for host in hosts]
        return np.array(sites, dtype=np.uint32)

    def gather(self, keys: NDArray[np.uint64], site: NDArray[np.uint32]) -> _Texts:
        """Return the texts of links to some versions, given by the keys of their pages and their own sites."""
        distinct, page_of = np.unique(keys, return_inverse=True)
        own = np.zeros(len(distinct), dtype=np.uint32)
        own[page_of] = site
        numbers: dict[bytes, int] = {}
        used, known = [], []
        for links, source in zip(self.links, self.folded, strict=True):
            used.append(source.texts_of(distinct))
            names = links.texts_at(used[-1])
            known.append(
                np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.uint32)
            )
        rank, texts = _by_spelling(list(numbers))
        folded = fold(
            self.folded,
            [
                source.ranks(some, rank[each])
                for source, some, each in zip(self.folded, used, known, strict=True)
            ],
            distinct,
            own,
            sites=len(self._numbers),
            first_rank=int(bool(texts) and not texts[0]),  # links without a text
            most_texts=MAX_TEXTS,
            most_times=MAX_TIMES,
        )
        # a text that no page gets has no words here: each word of a segment occurs in it
        kept, text = np.unique(folded.text, return_inverse=True)
        texts = [texts[number] for number in kept.tolist()]
        ends = np.searchsorted(folded.target, np.arange(len(distinct)), side="right")
        starts = np.searchsorted(folded.target, np.arange(len(distinct)))
        row, version = spread(starts[page_of], ends[page_of])
        return _Texts(version, text[row], folded.times[row], texts, folded.linking[page_of])


def _ranges(keys: NDArray[np.uint64], sources: Sequence[Source]) -> Iterator[slice]:
    """Yield ranges of versions to which about _LINKS_AT_ONCE links point each."""
    order = np.argsort(keys)
    counts = np.zeros(len(keys), dtype=np.int64)
    for source in sources:
        counts[order] += source.links.counts_to(keys[order])
    reached = np.cumsum(counts)
    if not len(keys):
        yield slice(0, 0)
    first = 0
    while first < len(keys):
        before = int(reached[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(reached, before + _LINKS_AT_ONCE, side="right")))
        yield slice(first, last)
        first = last


@dataclass(slots=True)
class _Texts:
    """Which text each version gets, and how often: a row a text of a version, by version and then by weight.

    text: index into `texts`; linking_sites: of each version.
    """

    version: NDArray[np.int64]
    text: NDArray[np.int64]
    times: NDArray[np.uint32]
    texts: list[bytes]
    linking_sites: NDArray[np.uint32]


def _by_spelling(texts: list[bytes]) -> tuple[NDArray[np.uint32], list[bytes]]:
    """Return the place of each text among them all in order, and the texts in that order."""
    order = sorted(range(len(texts)), key=texts.__getitem__)
    rank = np.zeros(len(texts), dtype=np.uint32)
    rank[order] = np.arange(len(texts))
    return rank, [texts[number] for number in order]


def _tokens_of(found: _Texts, versions: int) -> Tokens:
    """Return the texts of some versions as occurrences of INLINK."""
    words, word, counts, inside = _spelled(found.texts)  # each text once, however many pages it names
    starts = np.cumsum(counts) - counts
    row = np.repeat(np.arange(len(found.text)), found.times)
    text, version = found.text[row], found.version[row]
    token, of_use = spread(starts[text], starts[text] + counts[text])
    # where each use of a text begins in its page
    room = counts[text] + SECTION_GAP
    reached = np.cumsum(room) - room
    first_of_version = np.searchsorted(version, np.arange(versions))
    base = reached - np.append(reached, 0)[first_of_version][version]
    position = base[of_use] + inside[token]
    document = version[of_use]
    lengths = np.zeros((versions, KINDS), dtype=np.uint32)
    lengths[:, INLINK] = np.bincount(document, minlength=versions)
    extents = np.zeros(versions, dtype=np.uint32)
    np.maximum.at(extents, document, (position + 1).astype(np.uint32))
    return Tokens(
        words,
        word[token],
        document.astype(np.uint32),
        np.full(len(token), INLINK, dtype=np.uint8),
        position.astype(np.uint32),
        lengths,
        extents,
    )


def _spelled(
    texts: list[bytes],
) -> tuple[list[str], NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]:
    """Return (words, word, counts, inside): the distinct words of some texts; then, text behind text, the word of each
    occurrence, how many of them a text has, and the place of each in its text.

    The texts hold no line feed; they are read as the lines of one, for a line feed parts words and joins nothing.
    """
    reader = tokenizer()
    tokens = reader.tokenize(b"\n".join(texts))
    words, word = distinct_words(reader.normal, tokens)
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) + 1
    ends = np.searchsorted(tokens["from"], np.cumsum(sizes))
    counts = np.diff(ends, prepend=0)
    first = np.append(tokens["rank"], 0).astype(np.int64)[ends - counts]
    return words, word, counts, tokens["rank"].astype(np.int64) - np.repeat(first, counts)
