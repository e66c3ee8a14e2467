"""Snapshot: one committed state of an index, as readers see it. It never changes; a new commit makes a new one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.store.bm25f import Ranking
from indexer.store.catalogue import Catalogue
from indexer.store.entries import Entry, alive_in, mean_lengths, open_inlinks
from indexer.store.errors import IndexCorruptError, IndexMissingError
from indexer.store.layout import segment_path
from indexer.store.recent import Derived
from indexer.store.segment import Segment
from indexer.store.timeline import CaptureColumns, captures_path
from indexer.store.weights import Basis, Weights, open_weights
from indexer.text.elements import INLINK

_NUMBERS_AT_ONCE = 500
_RANKINGS_KNOWN = 4


@dataclass(slots=True)
class LiveSegment:
    """A segment with what the catalogue says of it.

    alive: False for versions that were removed; None when all are there.
    shared: True for versions of pages that have several versions in this index; None when there are none.
    inlinks: the link texts of other pages, by the same ordinals; None while they are not folded in yet.
    """

    number: int
    segment: Segment
    weights: Weights
    captures: CaptureColumns
    alive: NDArray[np.bool_] | None
    shared: NDArray[np.bool_] | None
    inlinks: Segment | None = None

    @property
    def layers(self) -> list[Segment]:
        """The text of the versions, and the texts of links to them where there are any."""
        return [self.segment] if self.inlinks is None else [self.segment, self.inlinks]

    def lengths(self, ordinals: NDArray[np.int64]) -> NDArray[np.integer]:
        """Return the lengths by element of some versions, shape (n, KINDS)."""
        lengths = self.segment.lengths_of(ordinals)
        if self.inlinks is not None:
            lengths[:, INLINK] += self.inlinks.lengths_of(ordinals)[:, INLINK]
        return lengths


class Snapshot:
    """The segments of one commit, with the numbers that ranking needs of all of them together.

    repeated_pages: how often pages are held by one index more. Nothing in it refers to it: it goes, with the files that
    it maps, when nobody reads it any more.
    """

    repeated_pages: int = 0

    def __init__(self, catalogue: Catalogue) -> None:
        """Read the list of live segments and map them. Raises the errors of indexer.store.errors."""
        self.catalogue = catalogue
        self._languages: dict[str, int] | None = None
        self._address_ranks: NDArray[np.uint64] | None = None
        self._by_number: dict[int, LiveSegment] = {}
        self.derived = Derived()  # what searches work out of this state
        try:
            self._load()
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise IndexCorruptError(
                f"{catalogue.path}: the list of segments is not as it must be ({error!r});"
                " index the archives again with --rebuild"
            ) from error

    def _load(self) -> None:
        missed: list[Entry] | None = None
        while True:
            entries = self._read()
            try:
                self.segments = [self._open(entry) for entry in entries]
                break
            except IndexMissingError:
                # a merge replaced a segment between our reading its name and opening it; if none did, it is lost
                if entries == missed:
                    raise
                missed = entries
        _mark_shared(self.segments)
        self.entries = entries
        self.versions: int = sum(entry["versions"] - len(entry["dead"]) for entry in entries)
        self.means: NDArray[np.float64] = mean_lengths(entries)

    @property
    def members(self) -> tuple[Snapshot, ...]:
        """The snapshots of the single indexes that this one is made of; here only itself, see indexer.store.joined.

        What asks the catalogue goes through these, so that it works over several indexes.
        """
        return (self,)

    def pages(self) -> int:
        """Return the number of addresses that live versions are of."""
        # the catalogue knows them, too, but to count them there took two seconds for a million
        return distinct(_documents(self.segments))

    def sites(self) -> int:
        """Return the number of hosts that live versions come from."""
        hosts: set[str] = set()
        for live in self.segments:
            names = live.segment.hosts()
            used = live.segment.host if live.alive is None else live.segment.host[live.alive]
            hosts.update(names[number] for number in np.flatnonzero(np.bincount(used)).tolist())
        return len(hosts)

    def _read(self) -> list[Entry]:
        with self.catalogue.snapshot():
            entries: list[Entry] = self.catalogue.value("segments")
        return entries

    def _open(self, entry: Entry) -> LiveSegment:
        segment = Segment(segment_path(self.catalogue.index_dir, entry["number"]))
        inlinks = open_inlinks(self.catalogue.index_dir, entry, segment)
        weights = open_weights(self.catalogue.index_dir, entry, segment)
        captures = CaptureColumns(captures_path(self.catalogue.index_dir, entry), len(segment))
        alive = alive_in(entry, len(segment)) if entry["dead"] else None
        return LiveSegment(entry["number"], segment, weights, captures, alive, None, inlinks)

    def all_versions(self) -> tuple[NDArray[np.int64], ...]:
        """Return the ordinals of the live versions of each segment, rising."""
        return tuple(
            np.arange(len(live.segment)) if live.alive is None else np.flatnonzero(live.alive)
            for live in self.segments
        )

    def words_in(self, places: Sequence[tuple[int, int]]) -> list[int]:
        """Return how many words each of some versions has, by number of segment and ordinal; 0 when it is not there."""
        lives, asked = self._lives(), np.array(places, dtype=np.int64).reshape(-1, 2)
        words = np.zeros(len(places), dtype=np.int64)
        for number in lives.keys() & asked[:, 0].tolist():
            own = asked[:, 0] == number
            words[own] = lives[number].segment.words_of(asked[own, 1])
        counts: list[int] = words.tolist()
        return counts

    @contextmanager
    def reading(self) -> Iterator[None]:
        """All looks at the catalogue inside see one state of it."""
        with self.catalogue.snapshot():
            yield

    def live(self, number: int) -> LiveSegment:
        """Return the segment with a number; KeyError when there is none."""
        return self._lives()[number]

    def _lives(self) -> dict[int, LiveSegment]:
        if not self._by_number:
            self._by_number.update((live.number, live) for live in self.segments)
        return self._by_number

    def numbers_of(self, document: int) -> list[tuple[int, int]]:
        """Return for each member that knows the address of a page its place and the address's number there."""
        return [(0, document)]

    def versions_at(self, number: int, ordinal: int) -> list[tuple[int, int]]:
        """Return for each member that holds a version its place and the version's number there; empty if it is gone."""
        return self.versions_of([(number, ordinal)]).get((number, ordinal), [])

    def versions_of(self, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], list[tuple[int, int]]]:
        """Return what `versions_at` says of several versions, without those that are gone."""
        kept = zip(places, self.kept_of(places), strict=True)
        return {place: [(0, one[0])] for place, one in kept if one is not None}

    def kept_of(self, places: Sequence[tuple[int, int]]) -> list[tuple[int, str] | None]:
        """Return of each version its number in the catalogue, and its language; None: it is gone. Of one index."""
        found: list[tuple[int, str] | None] = []
        lives = self._lives()
        for number, ordinal in places:
            live = lives[number]
            if live.alive is None or live.alive[ordinal]:
                segment = live.segment
                language = segment.languages[segment.language[ordinal]]
                found.append((int(live.captures.numbers[ordinal]), language))
            else:
                found.append(None)
        return found

    def title_of(self, number: int, ordinal: int) -> str | None:
        """Return the title of a version."""
        for place, version in self.versions_at(number, ordinal):
            connection = self.members[place].catalogue.connection()
            row = connection.execute("SELECT title FROM versions WHERE id = ?", (version,)).fetchone()
            if row is not None:
                return str(row[0]) if row[0] is not None else None
        return None

    def title_repeated(self, url: str, payload: str) -> str | None:
        """Return the title of the page that a revisit repeats, for one that another member holds."""
        return None

    def hidden_files(self, place: int) -> Sequence[int]:
        """Return the numbers of files of a member that one before it holds, too: what they hold counts once."""
        return ()

    def language_of(self, number: int, ordinal: int) -> str:
        """Return the language of a version of the segment with this number; "" when it is not known."""
        try:
            segment = self.live(number).segment
        except KeyError:
            return ""
        return segment.languages[int(segment.language[ordinal])]

    def languages(self) -> dict[str, int]:
        """Return the number of live versions in each language; "" is the unknown one."""
        if self._languages is None:
            found: dict[str, int] = {}
            for live in self.segments:
                column = live.segment.language if live.alive is None else live.segment.language[live.alive]
                for name, count in zip(
                    live.segment.languages,
                    np.bincount(column, minlength=len(live.segment.languages)).tolist(),
                    strict=False,
                ):
                    found[name] = found.get(name, 0) + count
            self._languages = found
        return self._languages

    def address_ranks(self) -> NDArray[np.uint64]:
        """Return for each number of a page the rank of its urlkey; spellings of one address share a rank."""
        if self._address_ranks is None:
            rows = np.array(
                self.catalogue.connection()
                .execute("SELECT id, DENSE_RANK() OVER (ORDER BY urlkey) FROM urls")
                .fetchall(),
                dtype=np.int64,
            ).reshape(-1, 2)
            ranks = np.zeros(int(rows[:, 0].max(initial=0)) + 1, dtype=np.uint64)
            ranks[rows[:, 0]] = rows[:, 1]
            self._address_ranks = ranks
        return self._address_ranks

    def addresses(self, documents: Sequence[int]) -> list[str]:
        """Return the addresses of some pages, by their numbers; "" for one that is there no more."""
        connection = self.catalogue.connection()
        found: dict[int, str] = {}
        for start in range(0, len(documents), _NUMBERS_AT_ONCE):
            some = documents[start : start + _NUMBERS_AT_ONCE]
            places = ",".join("?" * len(some))
            found.update(
                connection.execute(f"SELECT id, url FROM urls WHERE id IN ({places})", some).fetchall()
            )
        return [found.get(document, "") for document in documents]

    def slack(self, live: LiveSegment, ranking: Ranking) -> float:
        """Return by what factor the stored weights of a segment may differ from those under `ranking` now."""
        known: list[tuple[dict[str, float], dict[str, float], dict[int, float]]]
        known = self.derived.setdefault("slack", [])
        found = next((slack for boost, b, slack in known if boost == ranking.boost and b == ranking.b), None)
        if found is None:
            basis = Basis.of(ranking, self.means)
            found = {own.number: own.weights.basis.slack(basis) for own in self.segments}
            known.insert(0, (dict(ranking.boost), dict(ranking.b), found))
            del known[_RANKINGS_KNOWN:]
        return found[live.number]


def _mark_shared(segments: Sequence[LiveSegment]) -> None:
    """Mark the versions of pages that have several. The catalogue knows them, too, but asking it reads all of it."""
    several = _twice(_documents(segments))
    for live in segments if len(several) else ():
        place = np.minimum(np.searchsorted(several, live.segment.document), len(several) - 1)
        shared = several[place] == live.segment.document
        if live.alive is not None:
            shared &= live.alive
        live.shared = shared if shared.any() else None


def _documents(segments: Sequence[LiveSegment]) -> NDArray[np.uint32]:
    """Return the number of the page of each live version."""
    documents = [
        live.segment.document if live.alive is None else live.segment.document[live.alive]
        for live in segments
    ]
    return np.concatenate([*documents, np.zeros(0, dtype=np.uint32)])


def distinct(numbers: NDArray[np.uint32]) -> int:
    """Return how many different numbers there are."""
    if not len(numbers) or int(numbers.max()) < 8 * len(numbers):
        return int(np.count_nonzero(np.bincount(numbers)))
    ordered = np.sort(numbers)
    return 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))


def _twice(numbers: NDArray[np.uint32]) -> NDArray[np.integer]:
    """Return the numbers that are there more than once, rising, each once."""
    if not len(numbers) or int(numbers.max()) < 8 * len(numbers):
        # numbers of pages have few gaps: counting them takes a tenth of the time of sorting them
        return np.flatnonzero(np.bincount(numbers) > 1)
    ordered = np.sort(numbers)
    # numpy.unique would import numpy.ma, which costs a cold search 30 ms
    again = ordered[1:][ordered[1:] == ordered[:-1]]
    several: NDArray[np.uint32] = again[np.append(True, again[1:] != again[:-1])[: len(again)]]
    return several


def not_hidden(snapshot: Snapshot, place: int) -> str:
    """Return the SQL condition that leaves out captures `c` that are copies, or in a file that another member holds."""
    hidden = snapshot.hidden_files(place)
    return " AND c.copy = 0" + (f" AND c.file NOT IN ({','.join(map(str, hidden))})" if hidden else "")
