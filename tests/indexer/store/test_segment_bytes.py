"""What is written comes back, whatever it is: properties of segments, occurrence by occurrence."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_batches import Page, colliding_words, columns_of, contents, words_of_stem, write_segment

from indexer.store.columns import MAX_VERSIONS, VersionColumns, word_id
from indexer.store.inversion import write_batch
from indexer.store.segment import Segment

words = st.sampled_from("cat dog Dogs été 日本 x a b".split())
pages = st.lists(
    st.dictionaries(
        st.tuples(words, st.integers(0, 9)),
        st.sets(st.integers(0, 3000), min_size=1, max_size=90).map(sorted),
        min_size=1,
        max_size=8,
    ),
    min_size=1,
    max_size=8,
)


@given(pages)
@settings(max_examples=60)
def test_all_occurrences_come_back_in_order(
    tmp_path_factory: pytest.TempPathFactory, found: list[Page]
) -> None:
    path = str(tmp_path_factory.getbasetemp() / "s.seg")
    write_segment(path, {f"http://h{n % 3}.example/{n}": page for n, page in enumerate(found)})
    segment = Segment(path)
    expected = {
        (word, n, element): places for n, page in enumerate(found) for (word, element), places in page.items()
    }
    assert contents(segment) == expected
    assert segment.file.problems() == []
    for word in {word for word, _, _ in expected}:
        index = segment.find_word(word)
        assert index is not None and segment.word_at(index) == word
        postings = segment.postings(index)
        assert postings.ordinals.tolist() == sorted(
            {n for found_word, n, _ in expected if found_word == word}
        )
        part = segment.occurrences_of(index, index + 1)
        rows = zip(part.version.tolist(), part.element.tolist(), part.position.tolist(), strict=True)
        assert list(rows) == [
            (n, kind, place)
            for (found_word, n, kind), places in sorted(expected.items())
            if found_word == word
            for place in places
        ]
    assert segment.find_word("absent") is None


def test_words_that_share_an_id_stay_two_words(tmp_path: Path) -> None:
    first, second = colliding_words()
    assert word_id(first) == word_id(second)
    write_segment(
        str(tmp_path / "s"),
        {
            "http://a.example/": {(first, 6): [0, 5], (second, 6): [1]},
            "http://b.example/": {(second, 0): [7]},
        },
    )
    segment = Segment(str(tmp_path / "s"))
    found = {word: segment.find_word(word) for word in (first, second)}
    assert None not in found.values() and len(set(found.values())) == 2
    assert segment.postings(found[first]).ordinals.tolist() == [0]  # type: ignore[arg-type]
    assert segment.postings(found[second]).ordinals.tolist() == [0, 1]  # type: ignore[arg-type]


def test_more_shapes_than_a_byte_tells(tmp_path: Path) -> None:
    made = {
        f"http://a.example/{n}": {("cat", 6): list(range(n + 1)), ("cat", n % 6): [900], ("dog", 6): [901]}
        for n in range(600)
    }
    write_segment(str(tmp_path / "s"), made)
    segment = Segment(str(tmp_path / "s"))
    assert len(segment.shape_table) > 256
    index = segment.find_word("cat")
    assert index is not None
    postings = segment.postings(index)
    shapes = segment.shape_numbers(postings.start, postings.count)
    for n in (0, 255, 256, 300, 599):
        counts = Counter({6: n + 1})
        counts[n % 6] += 1
        assert {
            kind: count for kind, count in enumerate(segment.shape_table[shapes[n]].tolist()) if count
        } == counts


def test_a_count_of_more_than_63_is_no_other_shape(tmp_path: Path) -> None:
    write_segment(
        str(tmp_path / "s"),
        {"http://a.example/": {("cat", 0): list(range(64))}, "http://b.example/": {("cat", 1): [0]}},
    )
    assert sorted(contents(Segment(str(tmp_path / "s")))) == [("cat", 0, 0), ("cat", 1, 1)]


def test_stems(tmp_path: Path) -> None:
    page: Page = {(word, 6): [place] for place, word in enumerate(["cat", "cats", "catalogue", "dog"])}
    write_segment(str(tmp_path / "s"), {"http://a.example/": page})
    segment = Segment(str(tmp_path / "s"))
    assert {segment.word_at(i) for i in words_of_stem(segment, "en", "cat")} == {"cat", "cats"}
    assert words_of_stem(segment, "de", "cat") == []


def test_a_segment_without_pages_can_be_written_and_read(tmp_path: Path) -> None:
    write_segment(str(tmp_path / "s"), {})
    segment = Segment(str(tmp_path / "s"))
    assert (len(segment), segment.pairs, segment.find_word("cat"), contents(segment)) == (0, 0, None, {})


def test_too_many_versions_are_refused() -> None:
    columns = columns_of({})
    many = np.zeros(MAX_VERSIONS + 1, dtype=np.uint32)
    with pytest.raises(ValueError, match="65537 versions"):
        write_batch(
            "",
            [],
            VersionColumns(
                many, columns.key, columns.lengths, columns.extent, columns.host, columns.language, [], []
            ),
        )


@given(st.lists(st.text(min_size=1, max_size=5), unique=True))
def test_words_are_sorted_by_id_then_spelling(
    tmp_path_factory: pytest.TempPathFactory, unsorted: list[str]
) -> None:
    path = str(tmp_path_factory.getbasetemp() / "words.seg")
    write_segment(path, {"http://a.example/": {(word, 6): [place] for place, word in enumerate(unsorted)}})
    segment = Segment(path)
    expected = sorted(unsorted, key=lambda word: (word_id(word), word))
    assert [segment.word_at(index) for index in range(len(unsorted))] == expected
    assert segment.word_ids.whole().tolist() == [word_id(word) for word in expected]
