"""Latent semantic indexing against a dense decomposition of the whole matrix."""

from __future__ import annotations

import math
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from indexer import build_index, open_index
from indexer.search.lsi import learn
from indexer.search.widening import Widening
from tests.indexer.making import DirectIndex, response, write_warc
from tests.indexer.plain import PlainVersion

# two subjects; "car" and "automobile" never meet, but stand beside the same words
TEXTS = [
    "car engine wheel road driver",
    "automobile engine wheel road driver",
    "car engine wheel garage",
    "automobile engine wheel garage",
    "car road driver garage",
    "automobile road driver garage",
    "heron pond reed nest frog",
    "heron pond reed frog",
    "pond reed nest heron",
    "frog pond nest reed",
    "nest heron frog reed",
    *(f"filler{n} page{n} other{n}" for n in range(10)),
]
VERSIONS = [PlainVersion(f"http://h.example/{n}", "", running=((6, text),)) for n, text in enumerate(TEXTS)]
OPTIONS = Widening(lsi_dimensions=2, lsi_words=5)


def test_words_in_the_same_company_are_near(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    with DirectIndex(tmp_path / "index") as made:
        made.add("one", VERSIONS[:6])
        made.add("two", VERSIONS[6:])
        near = learn(made.snapshot(), OPTIONS)
        assert "automobile" in [word.text for word in near.near(["car"], OPTIONS)]
        assert {word.text for word in near.near(["heron"], OPTIONS)} == {"pond", "reed", "nest", "frog"}
        assert near.near(["absent"], OPTIONS) == []


def test_nearness_is_that_of_a_dense_decomposition(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    with DirectIndex(tmp_path / "index") as made:
        made.add("one", VERSIONS)
        near = learn(made.snapshot(), OPTIONS)
    held = [Counter(token.word for token in version.tokens) for version in VERSIONS]
    matrix = np.zeros((len(near.words), len(VERSIONS)))
    for row, word in enumerate(near.words):
        counts = [page[word] for page in held]
        total = sum(counts)
        entropy = 1 + sum(n / total * math.log(n / total) for n in counts if n) / math.log(len(VERSIONS))
        matrix[row] = [math.log(1 + n) * entropy for n in counts]
    left, strength, _ = np.linalg.svd(matrix, full_matrices=False)
    points = left[:, :2] * strength[:2]
    points /= np.sqrt((points * points).sum(axis=1, keepdims=True))
    assert near.points @ near.points.T == pytest.approx(points @ points.T, abs=1e-6)


def test_removed_pages_teach_nothing(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    with DirectIndex(tmp_path / "index") as made:
        made.add("kept", VERSIONS[6:11])
        made.add("gone", VERSIONS[:6])
        made.forget("gone")
        assert "engine" not in learn(made.snapshot(), OPTIONS).words


def test_an_empty_index_teaches_nothing(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    with DirectIndex(tmp_path / "index") as made:
        assert learn(made.snapshot(), OPTIONS).near(["car"], OPTIONS) == []


def archive_of(folder: Path) -> str:
    records = [response(version.url, f"<p>{version.running[0][1]}</p>") for version in VERSIONS]
    build_index([write_warc(folder / "pages.warc.gz", records)], str(folder / "index"))
    return str(folder / "index")


def test_a_query_is_widened_by_near_words(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    with open_index(archive_of(tmp_path), widening=OPTIONS) as index:
        found = index.search("car", expand=["lsi"])
        assert "automobile" in [word.text for word in found.added]
        assert {word.source for word in found.added} == {"lsi"}
        assert found.total > index.search("car").total


def test_without_scipy_a_notice_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = archive_of(tmp_path)
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with open_index(folder) as index:
        found = index.search("car", expand=["lsi"])
        assert found.added == () and found.total == index.search("car").total
        assert any("pip install 'findingaid[lsi]'" in notice for notice in found.notices)
