"""Segments: what is written is read back; words and addresses that share an MD5-8 id stay apart."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from indexer.search.query import parse_query
from indexer.search.searcher import search
from indexer.store.bm25f import Ranking
from indexer.store.checking import check_generation
from indexer.store.columns import word_id
from indexer.store.compact import doc_keys
from indexer.store.segment import Segment
from indexer.store.snapshot import Snapshot
from indexer.text.elements import ELEMENTS
from tests.indexer.making import BODY, HEADING, DirectIndex, addresses
from tests.indexer.plain import PlainSearch, PlainVersion
from tests.indexer.search.test_searcher import assert_agrees

# Found by hashing some hundred thousand made-up words and addresses: equal first 8 hex digits of the MD5.
WORD_PAIRS = [
    ("purafaba", "kefokaba"),
    ("cugubaba", "kevipaba"),
    ("cozineba", "beceseba"),
    ("seconeba", "pasateba"),
]
ADDRESS_PAIRS = [
    ("http://example.com/page/44348", "http://example.com/page/46811"),
    ("http://example.com/page/63669", "http://example.com/page/95603"),
    ("http://example.com/page/42037", "http://example.com/page/181318"),
]


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda handle: None)


def test_the_pairs_do_collide() -> None:
    assert all(word_id(one) == word_id(other) for one, other in WORD_PAIRS)
    assert all(one == other for one, other in (doc_keys([*pair]) >> 32 for pair in ADDRESS_PAIRS))


def pages_found(snapshot: Snapshot, query: str) -> list[str]:
    url_of = addresses(snapshot)
    found = search(snapshot, parse_query(query), Ranking(), offset=0, limit=50).found
    return sorted(url_of[item.document] for item in found)


@pytest.mark.parametrize("batches", [1, 2], ids=["in one segment", "in two segments"])
@pytest.mark.parametrize("merged", [False, True])
def test_words_that_share_an_id_are_not_one_word(tmp_path: Path, batches: int, merged: bool) -> None:
    versions = []
    for one, other in WORD_PAIRS:
        versions += [
            PlainVersion(f"http://a.example/1-{one}", running=((BODY, f"alpha {one} beta {one}"),)),
            PlainVersion(f"http://a.example/2-{one}", running=((HEADING, f"alpha {other}"),)),
        ]
    with DirectIndex(tmp_path) as index:
        for number in range(batches):
            index.add(str(number), versions[number::batches])
        if merged:
            index.writer.merge()
        snapshot = index.snapshot()
        assert len(snapshot.segments) == (1 if merged else batches)
        plain = PlainSearch(versions, Ranking(depth=0.0))
        for one, other in WORD_PAIRS:
            assert pages_found(snapshot, f"body:{one}") == [f"http://a.example/1-{one}"]
            assert pages_found(snapshot, other) == [f"http://a.example/2-{one}"]
            for query in (
                f"{one} OR {other}",
                f'"alpha {one}"',
                f'"alpha {other}"',
                f"heading:{one}",
                f"heading:{other}",
            ):
                assert_agrees(snapshot, plain, query)


@pytest.mark.parametrize("batches", [1, 2], ids=["in one segment", "in two segments"])
@pytest.mark.parametrize("merged", [False, True])
def test_addresses_that_share_an_id_are_not_one_page(tmp_path: Path, batches: int, merged: bool) -> None:
    versions = [
        PlainVersion(url, running=((BODY, f"same words {url[-3:]}"),))
        for pair in ADDRESS_PAIRS
        for url in pair
    ]
    with DirectIndex(tmp_path) as index:
        for number in range(batches):
            index.add(str(number), versions[number::batches])
        if merged:
            index.writer.merge()
        snapshot = index.snapshot()
        assert pages_found(snapshot, "same") == sorted(url for pair in ADDRESS_PAIRS for url in pair)
        for one, other in ADDRESS_PAIRS:
            assert pages_found(snapshot, one[-3:]) == [one]
            assert pages_found(snapshot, other[-3:]) == [other]
        assert_agrees(snapshot, PlainSearch(versions, Ranking(depth=0.0)), "same OR words")


def occurrences(segment: Segment) -> Counter[tuple[str, int, int, int]]:
    found: Counter[tuple[str, int, int, int]] = Counter()
    for first, last in segment.word_ranges(50):
        part = segment.occurrences_of(first, last)
        columns = (part.word, part.version, part.element, part.position)
        for word, version, element, position in zip(*(column.tolist() for column in columns), strict=True):
            found[part.words[word], version, element, position] += 1
    return found


def test_many_shapes_and_great_counts_are_read_back(tmp_path: Path) -> None:
    """More shapes than one byte can name, counts beyond 63 and 255, positions of many widths; and through a merge."""
    chance = random.Random(3)
    versions = []
    for number in range(400):
        words = [f"w{chance.randrange(60)}" for _ in range(chance.choice((1, 3, 40, 300)))]
        running = tuple((chance.choice((1, 2, 3, BODY, 8)), word + " ") for word in words)
        versions.append(
            PlainVersion(f"http://a.example/{number}", title=" ".join(words[:3]), running=running)
        )
    versions.append(
        PlainVersion("http://a.example/great", running=((BODY, "w1 " * 70_000), (HEADING, "w1 w2 " * 300)))
    )
    ordered = versions[::2] + versions[1::2]
    with DirectIndex(tmp_path) as index:
        index.add("a", versions[::2])
        index.add("b", versions[1::2])
        held: Counter[tuple[str, int, int, int]] = Counter()
        first = 0
        for segment in [live.segment for live in index.snapshot().segments]:
            own = occurrences(segment)
            assert len(segment.shape_table) > 256
            assert sum(own.values()) == segment.occurrences == int(segment.lengths.sum())
            held.update({(w, version + first, e, p): count for (w, version, e, p), count in own.items()})
            first += len(segment)
        expected = Counter(
            (word, number, element)
            for number, version in enumerate(ordered)
            for word, elements in version.words.items()
            for element in elements.elements()
        )
        assert Counter((word, version, element) for word, version, element, _ in held.elements()) == expected
        plain = PlainSearch(ordered, Ranking(depth=0.0))
        queries = ("w1", '"w1 w2"', "heading:w1", '"w3 w4 w5"', "w1 OR w7 -w9")
        for query in queries:
            assert_agrees(index.snapshot(), plain, query)
        index.writer.merge()
        (merged,) = [live.segment for live in index.snapshot().segments]
        assert occurrences(merged) == held
        for number in (0, 1, len(ordered) - 1):
            assert merged.lengths[number].tolist() == [
                ordered[number].lengths[e] for e in range(len(ELEMENTS))
            ]
        for query in queries:
            assert_agrees(index.snapshot(), plain, query)


def test_a_merge_drops_the_dead_also_when_nothing_else_is_left(tmp_path: Path) -> None:
    with DirectIndex(tmp_path) as index:
        index.add("a", [PlainVersion(f"http://a.example/{n}", running=((BODY, "alpha"),)) for n in range(5)])
        index.add("b", [PlainVersion("http://b.example/", running=((BODY, "beta"),))])
        index.forget("a")
        index.writer.merge()
        snapshot = index.snapshot()
        assert pages_found(snapshot, "alpha") == []
        assert pages_found(snapshot, "beta") == ["http://b.example/"]
        assert snapshot.segments[0].segment.find_word("alpha") is None
        index.forget("b")
        index.writer.merge()
        assert index.snapshot().segments == []
        assert pages_found(index.snapshot(), "beta") == []
        assert check_generation(str(tmp_path)) == []
