"""Several indexes as one: a snapshot over the segments of all, with the numbers that one big index would have.

Nothing is copied but what must differ: segments get numbers, and pages numbers, that are unique over all; a page that
several indexes hold has one number, and a version that several hold lives in the first of them alone, with the
captures of all. Idf, mean lengths and counts come from what is alive then, so that scores and totals are those of one
index over the same files. Texts of links count for pages of their own index only.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from archiver.warc import HTML_TYPES
from indexer.store.compact import compact_digest, kept_page
from indexer.store.entries import Entry, mean_lengths
from indexer.store.files import FileTable, fingerprint
from indexer.store.payloads import DIGEST_END, HAS_PAYLOAD, IS_REVISIT, versions_repeated
from indexer.store.recent import Derived
from indexer.store.snapshot import LiveSegment, Snapshot
from indexer.store.timeline import CaptureRow

_STEP = 10**9  # segment numbers of the next index begin here
_ROWS_AT_ONCE = 500

# Revisits of pictures and the like never show a version; they are many, and need not be looked up.
_LONE_REVISITS = (
    "SELECT u.url, c.payload, c.timestamp, c.status, c.mime, c.type FROM capture_rows r INDEXED BY revisits_alone"
    " JOIN captures c ON c.id = r.id JOIN urls u ON u.id = c.url"
    f" WHERE {IS_REVISIT.format('r')} AND r.version IS NULL AND r.payload <> '' AND r.copy = 0"
    f" AND (c.mime IN ('', {', '.join(map(repr, HTML_TYPES))}) OR c.mime LIKE 'application/http%')"
)
_VERSION_REPEATED = (
    "SELECT v.place >> 16, v.place & 65535 FROM urls u CROSS JOIN versions v"
    f" ON v.id IN ({versions_repeated('?1', 'u.id')}) WHERE u.page = ?3 AND u.url = ?2 ORDER BY v.id LIMIT 1"
)

Place = tuple[int, int, int]  # index, number of a segment in it, ordinal


class JoinedSnapshot(Snapshot):
    """One state of several indexes. `members`: theirs, in the order in which they were named."""

    def __init__(self, members: Sequence[Snapshot]) -> None:
        self._members = tuple(members)
        self._languages = None
        self._address_ranks = None
        self._by_number = {}
        self.derived = Derived()
        greatest = [
            int(_one(member, "SELECT COALESCE(MAX(id), 0) FROM addresses")) for member in self.members
        ]
        self._bases = [sum(greatest[:place]) for place in range(len(greatest))]
        self._total = sum(greatest)
        self._hidden = self._files_of_others()
        same = _SamePages(self.members)
        self.repeated_pages = same.repeated
        self.entries = [dict(entry) for member in self.members for entry in member.entries]
        self.segments = []
        entries = iter(self.entries)
        for place, member in enumerate(self.members):
            for live in member.segments:
                self.segments.append(self._renumbered(place, live, same, next(entries)))
        self.versions = sum(member.versions for member in self.members) - sum(map(len, same.dead.values()))
        self.means = mean_lengths(self.entries)

    @property
    def members(self) -> tuple[Snapshot, ...]:
        """The snapshots of the single indexes, in the order in which they were named."""
        return self._members

    def _renumbered(self, place: int, live: LiveSegment, same: _SamePages, entry: Entry) -> LiveSegment:
        """Return a segment as it is among all others, and bring its entry in line."""
        segment = copy.copy(live.segment)
        segment.document = live.segment.document + np.uint32(self._bases[place])
        for ordinal, (home, number) in same.renamed.get((place, live.number), {}).items():
            segment.document[ordinal] = self._bases[home] + number
        alive, shared, captures = live.alive, live.shared, live.captures
        if dead := same.dead.get((place, live.number)):
            alive = np.ones(len(segment), dtype=bool) if alive is None else alive.copy()
            alive[dead] = False
            lengths = live.lengths(np.array(dead))
            entry["sums"] = (np.array(entry["sums"]) - lengths.sum(axis=0, dtype=np.int64)).tolist()
            entry["counts"] = (np.array(entry["counts"]) - (lengths > 0).sum(axis=0)).tolist()
        if several := same.shared.get((place, live.number)):
            shared = np.zeros(len(segment), dtype=bool) if shared is None else shared.copy()
            shared[several] = True
        if more := same.captures.get((place, live.number)):
            captures = captures.with_rows(more)
        return replace(
            live,
            number=place * _STEP + live.number,
            segment=segment,
            alive=alive,
            shared=shared,
            captures=captures,
        )

    def _files_of_others(self) -> list[list[int]]:
        """Return for each index the numbers of files that one before it holds in the same state: they count once."""
        seen: set[tuple[str, tuple[int, str]]] = set()
        hidden = []
        for member in self.members:
            files = [
                (file.number, (file.whole, print_))
                for file in FileTable(member.catalogue).all()
                if (print_ := fingerprint(file.state)) is not None and file.begun is None
            ]
            hidden.append([number for number, key in files if key in seen])
            seen.update(key for _, key in files)
        return hidden

    @contextmanager
    def reading(self) -> Iterator[None]:
        with ExitStack() as stack:
            for member in self.members:
                stack.enter_context(member.reading())
            yield

    def hidden_files(self, place: int) -> Sequence[int]:
        return self._hidden[place]

    def _home(self, document: int) -> tuple[Snapshot, int]:
        place = max(place for place, base in enumerate(self._bases) if place == 0 or base < document)
        return self.members[place], document - self._bases[place]

    def numbers_of(self, document: int) -> list[tuple[int, int]]:
        home, number = self._home(document)
        [url] = home.addresses([number])
        return [
            (place, int(row[0]))
            for place, member in enumerate(self.members)
            if (row := _row(member, "SELECT id FROM urls WHERE page = ? AND url = ?", kept_page(url), url))
            is not None
        ]

    def versions_at(self, number: int, ordinal: int) -> list[tuple[int, int]]:
        place, own = divmod(number, _STEP)
        held = self.members[place].versions_at(own, ordinal)
        row = held and _row(
            self.members[place],
            "SELECT u.url, v.digest FROM versions v JOIN urls u ON u.id = v.url WHERE v.id = ?",
            held[0][1],
        )
        if not row:
            return []
        sql = (
            "SELECT v.id FROM urls u JOIN versions v ON v.url = u.id WHERE u.page = ?1 AND u.url = ?2"
            f" AND {DIGEST_END.format('v.digest')} = {DIGEST_END.format('?3')} AND v.digest = ?3"
        )
        return [
            (at, int(found[0]))
            for at, member in enumerate(self.members)
            if (found := _row(member, sql, kept_page(row[0]), *row)) is not None
        ]

    def versions_of(self, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], list[tuple[int, int]]]:
        found = {place: self.versions_at(*place) for place in places}
        return {place: numbers for place, numbers in found.items() if numbers}

    def title_repeated(self, url: str, payload: str) -> str | None:
        sql = (
            "SELECT v.title FROM captures c JOIN urls u ON u.id = c.url JOIN versions v ON v.id = c.version"
            f" WHERE {HAS_PAYLOAD} AND u.url = ?2 LIMIT 1"
        )
        rows = (_row(member, sql, compact_digest(payload), url) for member in self.members)
        return next((row[0] for row in rows if row is not None), None)

    def addresses(self, documents: Sequence[int]) -> list[str]:
        found = dict.fromkeys(documents, "")
        for place, member in enumerate(self.members):
            base = self._bases[place]
            end = self._bases[place + 1] if place + 1 < len(self._bases) else self._total
            own = [document for document in documents if base < document <= end]
            found.update(zip(own, member.addresses([d - base for d in own]), strict=True))
        return [found[document] for document in documents]

    def address_ranks(self) -> NDArray[np.uint64]:
        if self._address_ranks is None:
            keys = [""] * (self._total + 1)
            for base, member in zip(self._bases, self.members, strict=True):
                for number, key in member.catalogue.connection().execute("SELECT id, urlkey FROM urls"):
                    if base + number < len(keys):  # one that came since is in no segment of this state
                        keys[base + number] = key
            rank = {key: place for place, key in enumerate(sorted(set(keys)))}
            self._address_ranks = np.array([rank[key] for key in keys], dtype=np.uint64)
        return self._address_ranks


class _SamePages:
    """Which pages and versions several indexes hold.

    renamed: ordinals whose page has its number from an index before; dead: ordinals of versions that live in an index
    before; shared: ordinals of versions of such pages; captures: those that other indexes hold of versions that live
    here. All by (index, number of the segment). repeated: how often pages are held once more.
    """

    def __init__(self, members: Sequence[Snapshot]) -> None:
        self.renamed: dict[tuple[int, int], dict[int, tuple[int, int]]] = {}
        self.dead: dict[tuple[int, int], list[int]] = {}
        self.shared: dict[tuple[int, int], list[int]] = {}
        self.captures: dict[tuple[int, int], list[CaptureRow]] = {}
        self.repeated = 0
        self._members = members
        self._lives: dict[Place, Place] = {}
        keys = _keys_of_several(members)
        if len(keys):
            self._find_same(keys)
        self._join_revisits()

    def _find_same(self, keys: NDArray[np.uint64]) -> None:
        members = self._members
        pages: dict[str, list[tuple[int, int]]] = {}
        for place, member in enumerate(members):
            numbers = _pages_with(member, keys)
            for url, number in zip(member.addresses(numbers), numbers, strict=True):
                pages.setdefault(url, []).append((place, number))
        several = {url: held for url, held in pages.items() if len(held) > 1 and url}
        self.repeated = sum(len(held) - 1 for held in several.values())
        homes = {url: held[0] for url, held in several.items()}
        first: dict[tuple[str, bytes], Place] = {}
        for place, member in enumerate(members):
            there = {live.number for live in member.segments}
            own = {number: url for url, held in several.items() for at, number in held if at == place}
            for page, digest, segment, ordinal in _versions_of(member, list(own)):
                if segment in there:
                    self._note((place, segment, ordinal), own[page], digest, homes, first)

    def _note(
        self,
        at: Place,
        url: str,
        digest: bytes,
        homes: dict[str, tuple[int, int]],
        first: dict[tuple[str, bytes], Place],
    ) -> None:
        place, segment, ordinal = at
        home = homes[url]
        if home[0] != place:
            self.renamed.setdefault((place, segment), {})[ordinal] = home
        living = first.setdefault((url, digest), at)
        if living is at:
            self.shared.setdefault((place, segment), []).append(ordinal)
        else:
            self.dead.setdefault((place, segment), []).append(ordinal)
            self._lives[at] = living
            held = self._members[place].live(segment).captures.rows_of(ordinal)
            self.captures.setdefault(living[:2], []).extend((living[2], *row[1:]) for row in held)

    def _join_revisits(self) -> None:
        """Give revisits that repeat a page of another index to its version, as one index would."""
        for place, member in enumerate(self._members):
            others = [at for at in range(len(self._members)) if at != place]
            for url, payload, *capture in member.catalogue.connection().execute(_LONE_REVISITS).fetchall():
                for at in others:
                    row = _row(self._members[at], _VERSION_REPEATED, payload, url, kept_page(url))
                    if row is not None:
                        found = (at, *row)
                        living = self._lives.get(found, found)
                        self.captures.setdefault(living[:2], []).append((living[2], *capture))
                        break


def _keys_of_several(members: Sequence[Snapshot]) -> NDArray[np.uint64]:
    """Return the keys of addresses that more than one index may hold, rising."""
    each = [
        np.unique(np.concatenate([live.segment.key for live in member.segments] or [np.zeros(0, np.uint64)]))
        for member in members
    ]
    together = np.sort(np.concatenate(each))
    return np.unique(together[1:][together[1:] == together[:-1]])


def _pages_with(member: Snapshot, keys: NDArray[np.uint64]) -> list[int]:
    """Return the numbers of the pages of an index whose address has one of some keys and that have a live version."""
    found: set[int] = set()
    for live in member.segments:
        place = np.searchsorted(keys, live.segment.key)
        has = keys[np.minimum(place, len(keys) - 1)] == live.segment.key
        if live.alive is not None:
            has &= live.alive
        found.update(live.segment.document[has].tolist())
    return sorted(found)


def _versions_of(member: Snapshot, pages: list[int]) -> Iterator[tuple[int, bytes, int, int]]:
    connection = member.catalogue.connection()
    for start in range(0, len(pages), _ROWS_AT_ONCE):
        some = pages[start : start + _ROWS_AT_ONCE]
        yield from connection.execute(
            "SELECT url, digest, place >> 16, place & 65535 FROM versions WHERE id IN"
            f" (SELECT version FROM capture_rows WHERE url IN ({','.join('?' * len(some))})) ORDER BY id",
            some,
        )


def _row(member: Snapshot, sql: str, *values: Any) -> tuple[Any, ...] | None:
    row: tuple[Any, ...] | None = member.catalogue.connection().execute(sql, values).fetchone()
    return row


def _one(member: Snapshot, sql: str, *values: Any) -> Any:
    row = _row(member, sql, *values)
    return row[0] if row else None
