"""Segments as the core reads them: the same lists as Python decodes, and damage that is told, never followed."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from indexer.core import queries
from indexer.search.deadline import Deadline
from indexer.search.prepared import Prepared
from indexer.search.programs import program_of
from indexer.search.query import parse_query
from indexer.search.running import Carried
from indexer.search.vocabulary import NOT_WIDE
from indexer.store.bm25f import Ranking
from indexer.store.errors import IndexCorruptError
from indexer.store.snapshot import Snapshot
from tests.indexer.making import ALT, BODY, HEADING, DirectIndex
from tests.indexer.plain import PlainVersion

QUERIES = (
    "common",
    "common rare1",
    '"common rare1"',
    '"rare2 common"~4',
    "common NEAR/3 rare1",
    "NOT common",
)


def versions(count: int, seed: int) -> list[PlainVersion]:
    chance, words, weights = random.Random(seed), ["common", "rare1", "rare2", "often"], [9, 1, 1, 4, 2]
    return [
        PlainVersion(
            f"http://a.example/{seed}/{number}",
            title="title" if number % 3 else "common",
            running=tuple(
                (
                    element,
                    " ".join(chance.choices(words + [f"word{number}"], weights, k=chance.randrange(1, most))),
                )
                for element, most in ((BODY, 60), (HEADING, 25), (ALT, 8))
            ),
        )
        for number in range(count)
    ]


@pytest.fixture
def snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Snapshot:
    monkeypatch.setattr("indexer.store.blocks.BLOCK", 64)
    with DirectIndex(tmp_path) as index:
        index.add("a", versions(300, 1))
        index.add("b", versions(40, 2))
        index.writer.fold_links()
        return index.snapshot()


def ask(snapshot: Snapshot, text: str) -> tuple[int, list[tuple[float, int]]]:
    tree = parse_query(text).tree
    assert tree is not None
    with queries.handle() as handle:
        carried = Carried(
            handle, snapshot, program_of(snapshot, tree, Ranking(), 0.0, NOT_WIDE), Deadline(), count=10
        )
        return carried.total, [(row[0], row[3]) for row in carried.found()]


def test_lists_are_those_that_python_decodes(snapshot: Snapshot) -> None:
    prepared = Prepared.of(snapshot)
    for live, layers in zip(snapshot.segments, prepared.layers, strict=True):
        for segment, core in zip(live.layers, layers, strict=True):
            for word in range(core.words):
                assert queries.ordinals_of(core, word).tolist() == segment.postings(word).ordinals.tolist()


def test_a_word_that_is_not_there_is_refused(snapshot: Snapshot) -> None:
    core = Prepared.of(snapshot).layers[0][0]
    with pytest.raises(queries.DamagedError):
        queries.ordinals_of(core, core.words)


def test_a_phrase_whose_places_do_not_rise_is_refused(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def backwards(count: int) -> list[int]:
        return list(reversed(range(count)))

    assert ask(snapshot, '"common rare1 common"~9')[0] > 0
    snapshot.derived.clear()
    monkeypatch.setattr("indexer.search.programs.range", backwards, raising=False)
    with pytest.raises(ValueError, match="the core refused a program"):
        ask(snapshot, '"common rare1 common"~9')


@pytest.mark.parametrize(("extent", "bits"), [(0, 0), (1, 0), (2, 1), (3, 2), (1 << 28, 28)])
def test_an_extent_tells_how_many_bits_hold_a_position(snapshot: Snapshot, extent: int, bits: int) -> None:
    assert set(queries.segment_facts(with_extent(snapshot, extent))[1].tolist()) == {bits}


@pytest.mark.parametrize("extent", [(1 << 28) + 1, 1 << 32, (1 << 64) - 1])
def test_an_extent_that_no_page_can_have_is_refused(snapshot: Snapshot, extent: int) -> None:
    with pytest.raises(queries.DamagedError):
        queries.segment_facts(with_extent(snapshot, extent))


def with_extent(snapshot: Snapshot, extent: int) -> queries.Segment:
    """Return a segment whose versions all have an extent, in numbers of eight bytes."""
    made = Prepared.of(snapshot).layers[0][0]
    extents = np.full(made.versions, extent, dtype=np.uint64)
    made.extent.data, made.extent.size, made.extent.width = extents.ctypes.data, extents.nbytes, 8
    made.extent.sums = None
    made.keep = (*made.keep, extents)
    return made


@pytest.mark.parametrize("array", queries.ARRAYS)
def test_numbers_that_fit_their_checksum_and_mean_nothing_are_refused(snapshot: Snapshot, array: str) -> None:
    """Each array with other bytes, whose checksums nobody compares: an answer or an error."""
    expected = {text: ask(snapshot, text) for text in QUERIES}
    place = getattr(Prepared.of(snapshot).layers[0][0], array)
    own, sums = place.size, place.sums
    size = own or 4  # what is there although there should be nothing
    data = (queries.ctypes.c_uint8 * (size + 8)).from_address(place.data)
    chance = random.Random(array)
    told = 0
    for change in range(60):
        changed = bytearray(data[:size])
        for _ in range(chance.choice((1, 4, 64))):
            changed[chance.randrange(size)] = chance.choice((0, 1, 255, chance.randrange(256)))
        copy = (queries.ctypes.c_uint8 * size).from_buffer(changed)
        place.data, place.sums = queries.ctypes.addressof(copy), None
        snapshot.derived.pop("facts", None)  # what is known of words is not read again
        if change % 3 == 0:
            place.size = chance.randrange(size)
        for text in QUERIES:
            try:
                ask(snapshot, text)
            except IndexCorruptError as error:
                told += 1
                assert f"{array!r}" in str(error) or "do not mean anything" in str(error)
        place.data, place.size, place.sums = queries.ctypes.addressof(data), own, sums
    assert told or array in ("lengths", "codes", "extent", "language") or not own
    snapshot.derived.pop("facts", None)
    assert {text: ask(snapshot, text) for text in QUERIES} == expected


def test_bytes_that_do_not_fit_their_checksum_are_named(snapshot: Snapshot) -> None:
    place = Prepared.of(snapshot).layers[0][0].ordinals
    wrong = (queries.ctypes.c_uint32 * (place.size // 64 + 1))()
    place.sums = queries.ctypes.addressof(wrong)
    (queries.ctypes.c_uint8 * (place.size // 64 + 1)).from_address(place.verified)[:] = bytes(
        place.size // 64 + 1
    )
    with pytest.raises(IndexCorruptError, match=r"\.seg: the bytes of 'ordinals' do not fit their checksum"):
        ask(snapshot, "common")
