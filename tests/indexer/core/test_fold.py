"""Texts of links gathered by target in the core, against the rules in plain Python (indexer/store/inlinks.py)."""

from __future__ import annotations

from contextlib import suppress
from math import floor, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.core.fold import STEP, FoldSource, fold
from indexer.core.links import LinkTable

Link = tuple[int, int, int]  # target, text, version
VERSIONS, TEXTS, TARGETS = 6, 4, 40
SITES = np.array([0, 0, 1, 2, 2, 3], dtype=np.uint32)
PAGES = np.array([0, 1, 2, 3, 4, 4], dtype=np.uint32)
some_links = st.lists(
    st.tuples(st.integers(0, TARGETS), st.integers(0, TEXTS - 1), st.integers(0, VERSIONS - 1)), max_size=60
)


def table_of(links: list[Link], kind: type[np.unsignedinteger]) -> LinkTable:
    rows = sorted(set(links))
    edges = sorted({row[:2] for row in rows})
    targets = sorted({row[0] for row in rows})
    return LinkTable(
        np.array(targets, dtype=np.uint64),
        np.array([sum(edge[0] == target for edge in edges) for target in targets], dtype=kind),
        np.array([edge[1] for edge in edges], dtype=kind),
        np.array([sum(row[:2] == edge for row in rows) for edge in edges], dtype=kind),
        np.array([row[2] for row in rows], dtype=np.uint16),
    )


def begins_of(counts: np.ndarray) -> np.ndarray:
    return np.append(0, np.cumsum(counts, dtype=np.int64))[::STEP].copy()


def source_of(table: LinkTable, alive: np.ndarray | None = None, pages: np.ndarray = PAGES) -> FoldSource:
    return FoldSource(table, (begins_of(table.edges), begins_of(table.links)), SITES, pages, alive, TEXTS)


def folded_plainly(
    links: list[Link], own: int, first_rank: int, most_texts: int, most_times: int
) -> tuple[list[tuple[int, int]], int]:
    """Return (text, times) of the texts that a target gets, and how many other sites link to it."""
    weighed = []
    for text in sorted({link[1] for link in links}):
        others = {(int(SITES[v]), int(PAGES[v])) for _, t, v in links if t == text and SITES[v] != own}
        sites, pages = len({site for site, _ in others}), len(others)
        times = min(sites + floor(log2(pages / sites)), most_times) if sites else 1
        if text >= first_rank:
            weighed.append((-sites, -times, text))
    linking = len({int(SITES[v]) for *_, v in links if SITES[v] != own})
    return [(text, -times) for _, times, text in sorted(weighed)[:most_texts]], linking


@settings(max_examples=200)
@given(
    st.lists(some_links, min_size=1, max_size=2),
    st.sets(st.integers(0, TARGETS + 2), min_size=1),
    st.integers(0, 63),
    st.integers(0, 1),
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from([np.uint8, np.uint16, np.uint32]),
)
def test_targets_get_the_texts_that_the_rules_give_them(
    files: list[list[Link]],
    targets: set[int],
    living: int,
    first_rank: int,
    most_texts: int,
    most_times: int,
    kind: type[np.unsignedinteger],
) -> None:
    alive = np.array([living >> version & 1 for version in range(VERSIONS)], dtype=bool)
    # the pages of another file are others
    sources = [
        source_of(table_of(links, kind), alive, PAGES + np.uint32(10 * place))
        for place, links in enumerate(files)
    ]
    keys = np.array(sorted(targets), dtype=np.uint64)
    own = np.array([key % 4 for key in sorted(targets)], dtype=np.uint32)
    ranks = np.arange(TEXTS, dtype=np.uint32)
    told = fold(
        sources,
        [source.ranks(source.texts_of(keys), ranks[source.texts_of(keys)]) for source in sources],
        keys,
        own,
        sites=4,
        first_rank=first_rank,
        most_texts=most_texts,
        most_times=most_times,
    )
    rows = list(zip(told.target.tolist(), told.text.tolist(), told.times.tolist(), strict=True))
    for place, key in enumerate(keys.tolist()):
        if len(files) == 1:
            there = [link for link in set(files[0]) if link[0] == key and key and alive[link[2]]]
            texts, linking = folded_plainly(there, int(own[place]), first_rank, most_texts, most_times)
            assert [row[1:] for row in rows if row[0] == place] == texts
            assert told.linking[place] == linking
        else:
            assert len([row for row in rows if row[0] == place]) <= most_texts
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)


@pytest.mark.parametrize("many", [20, 500, 3000])
def test_many_links_to_one_target(many: int) -> None:
    """A page counts once for a text, a site once; and once more for each doubling of its pages."""
    pages = np.arange(many, dtype=np.uint32)[::-1].copy()
    sites = (np.arange(many) % 3).astype(np.uint32)
    table = LinkTable(
        np.array([7], dtype=np.uint64),
        np.array([1], dtype=np.uint8),
        np.array([0], dtype=np.uint8),
        np.array([many], dtype=np.uint16),
        np.arange(many, dtype=np.uint16),
    )
    source = FoldSource(table, (begins_of(table.edges), begins_of(table.links)), sites, pages, None, 1)
    keys, own = np.array([7], dtype=np.uint64), np.array([9], dtype=np.uint32)
    told = fold([source], [np.zeros(1, dtype=np.uint32)], keys, own,
                sites=10, first_rank=0, most_texts=5, most_times=99)  # fmt: skip
    assert told.times.tolist() == [3 + floor(log2(many / 3))] and told.linking.tolist() == [3]


@given(st.data())
def test_columns_that_do_not_fit_are_refused_or_read(data: st.DataObject) -> None:
    """Files are a stranger's: whatever lies in them, nothing beyond them is read."""
    table = table_of(
        [(target, text, page) for target in range(1, 20) for text in (0, 1) for page in (4, 5)], np.uint8
    )
    columns = [column.copy() for column in (*table, begins_of(table.edges), begins_of(table.links))]
    changed = data.draw(st.integers(0, len(columns) - 1))
    if data.draw(st.booleans()):
        columns[changed] = columns[changed][: data.draw(st.integers(0, len(columns[changed])))].copy()
    else:
        place = data.draw(st.integers(0, len(columns[changed]) - 1))
        columns[changed][place] = data.draw(st.sampled_from([0, 1, 2, 200, 255]))
    source = FoldSource(LinkTable(*columns[:5]), (columns[5], columns[6]), SITES, PAGES, None, 2)
    keys, own = np.arange(1, 25, dtype=np.uint64), np.zeros(24, dtype=np.uint32)
    with suppress(ValueError):
        texts = source.texts_of(keys)
        fold([source], [source.ranks(texts, np.arange(len(texts), dtype=np.uint32))], keys, own,
             sites=4, first_rank=0, most_texts=9, most_times=9)  # fmt: skip
