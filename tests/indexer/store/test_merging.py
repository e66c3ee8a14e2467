from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from store_batches import Page, colliding_words, contents, words_of_stem, write_segment

from indexer.store import merging
from indexer.store.errors import IndexCorruptError
from indexer.store.merging import merge_segments
from indexer.store.segment import Segment

words = st.sampled_from([*"cat cats dog ledger granite été 日本 x".split(), *colliding_words()])
page_lists = st.lists(
    st.dictionaries(
        st.tuples(words, st.integers(0, 9)),
        st.sets(st.integers(0, 500), min_size=1, max_size=5).map(sorted),
        min_size=1,
        max_size=6,
    ),
    min_size=1,
    max_size=5,
)


@given(st.lists(page_lists, min_size=1, max_size=4), st.data(), st.integers(1, 40))
@settings(max_examples=40, deadline=None)
def test_a_merged_segment_holds_the_live_versions_of_all(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[Page]], data: st.DataObject, at_once: int
) -> None:
    folder = tmp_path_factory.getbasetemp()
    segments, dead, together = [], [], {}
    languages = {}
    for number, pages in enumerate(parts):
        addresses = [f"http://h{place % 3}.example/{number}/{place}" for place in range(len(pages))]
        languages.update({url: ("en", "de", "")[(number + place) % 3] for place, url in enumerate(addresses)})
        named = dict(zip(addresses, pages, strict=True))
        write_segment(str(folder / f"{number}.seg"), named, languages)
        segments.append(Segment(str(folder / f"{number}.seg")))
        gone = sorted(data.draw(st.sets(st.integers(0, len(pages) - 1))))
        dead.append(gone)
        together.update({url: page for place, (url, page) in enumerate(named.items()) if place not in gone})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_BYTES_AT_ONCE", 9 * at_once)  # many parts
        places = merge_segments(str(folder / "merged.seg"), segments, dead)
    # as if all had been written at once
    write_segment(str(folder / "together.seg"), together, languages)
    merged, whole = Segment(str(folder / "merged.seg")), Segment(str(folder / "together.seg"))
    assert contents(merged) == contents(whole)
    assert (merged.lengths == whole.lengths).all() and (merged.extent == whole.extent).all()
    assert [merged.languages[i] for i in merged.language] == [whole.languages[i] for i in whole.language]
    assert [merged.hosts()[i] for i in merged.host] == [whole.hosts()[i] for i in whole.host]
    for stem, language in (("cat", "en"), ("cat", "de"), ("ledger", "en")):
        assert {merged.word_at(i) for i in words_of_stem(merged, language, stem)} == {
            whole.word_at(i) for i in words_of_stem(whole, language, stem)
        }
    live = [int(place) for column in places for place in column if place >= 0]
    assert live == list(range(len(together)))
    assert [[i for i, place in enumerate(column) if place < 0] for column in places] == dead


def test_all_versions_dead(tmp_path: Path) -> None:
    write_segment(str(tmp_path / "a"), {"http://a.example/": {("cat", 6): [1]}})
    places = merge_segments(str(tmp_path / "m"), [Segment(str(tmp_path / "a"))], [[0]])
    assert places[0].tolist() == [-1] and len(Segment(str(tmp_path / "m"))) == 0


@pytest.mark.parametrize(
    "name", ["pair_ends", "ordinals", "shapes", "position_ends", "word_ends", "word_ids", "extent"]
)
def test_lists_that_do_not_fit_each_other_are_damage_of_their_segment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Whatever the checksums say: what is read is held against what is there."""
    pages: list[Page] = [{("cat", 6): [3, 900], ("dog", 0): [1]}, {("cat", 6): [7], ("x", 1): [0]}]
    paths = [str(tmp_path / f"{number}.seg") for number in range(2)]
    for number, path in enumerate(paths):
        write_segment(path, {f"http://{number}.example/{row}": page for row, page in enumerate(pages)})
    arrays_of = merging._arrays_of

    def damaged(segment: Segment) -> dict[str, NDArray[Any]]:
        arrays = arrays_of(segment)
        if segment.path == paths[1]:
            changed = {"ordinals": 9, "shapes": 77, "extent": 1 << 30}.get(name)
            arrays[name] = (
                arrays[name][::-1].copy() if changed is None else np.full_like(arrays[name], changed)
            )
        return arrays

    monkeypatch.setattr(merging, "_arrays_of", damaged)
    with pytest.raises(IndexCorruptError, match=r"1\.seg: its lists do not fit each other"):
        merge_segments(str(tmp_path / "m"), [Segment(path) for path in paths], [(), ()])
