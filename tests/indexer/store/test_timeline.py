"""The capture columns agree with the catalogue, whatever was committed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_batches import commit_pages, commit_revisit, forget_file, ledger_entry

from indexer.store.bm25f import Ranking
from indexer.store.checking import check_generation
from indexer.store.commit_batch import CommitBatch, NewCapture
from indexer.store.errors import IndexCorruptError
from indexer.store.snapshot import Snapshot
from indexer.store.timeline import (
    CaptureColumns,
    CaptureRow,
    captures_path,
    catalogue_rows,
    columns_of,
    stored_row,
    write_columns,
)
from indexer.store.writer import IndexWriter

CAT = {("cat", 7): [0]}


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[IndexWriter]:
    writer = IndexWriter(str(tmp_path / "g1"), Ranking())
    yield writer
    writer.close()


def columns(writer: IndexWriter) -> list[list[CaptureRow]]:
    """Return the captures of each live segment, as a reader sees them."""
    return [live.captures.rows() for live in Snapshot(writer.catalogue).segments]


def test_a_new_segment_has_the_captures_of_its_versions(writer: IndexWriter) -> None:
    commit_pages(writer, "one.warc", {"http://a/": CAT, "http://b/": CAT})
    assert columns(writer) == [
        [
            (0, "20200101000000", 200, "text/html", "response"),
            (1, "20200101000000", 200, "text/html", "response"),
        ]
    ]


def test_a_revisit_of_a_later_file_joins_the_version_it_repeats(writer: IndexWriter) -> None:
    commit_pages(writer, "one.warc", {"http://a/": CAT, "http://b/": CAT})
    commit_revisit(writer, "two.warc", "http://a/")
    captures = Snapshot(writer.catalogue).segments[0].captures
    assert captures.counts().tolist() == [2, 1]
    assert captures.rows()[1] == (0, "20210101000000", 200, "text/html", "revisit")
    forget_file(writer, "two.warc")
    assert Snapshot(writer.catalogue).segments[0].captures.counts().tolist() == [1, 1]


def test_a_version_that_is_no_more_has_no_captures(writer: IndexWriter) -> None:
    commit_pages(writer, "one.warc", {"http://a/": CAT})
    commit_pages(writer, "two.warc", {"http://b/": CAT})
    forget_file(writer, "one.warc")
    assert [len(rows) for rows in columns(writer)] == [0, 1]
    writer.merge()
    assert [len(rows) for rows in columns(writer)] == [1]


def test_old_editions_are_removed(writer: IndexWriter) -> None:
    commit_pages(writer, "one.warc", {"http://a/": CAT})
    commit_revisit(writer, "two.warc", "http://a/")
    assert [name for name in os.listdir(writer.folder) if ".c" in name and "sqlite" not in name] == [
        "000001.c2"
    ]


def test_a_damaged_edition_is_made_anew_from_the_catalogue(writer: IndexWriter) -> None:
    commit_pages(writer, "one.warc", {"http://a/": CAT, "http://b/": CAT})
    path = os.path.join(writer.folder, "000001.c1")
    data = bytearray(Path(path).read_bytes())
    data[-72] ^= 1  # the last array, before its padding and 8 spare bytes
    Path(path).write_bytes(data)
    assert any("000001.c1" in problem for problem in check_generation(writer.folder))
    commit_revisit(writer, "two.warc", "http://a/")
    assert [row[0] for row in columns(writer)[0]] == [0, 0, 1]


def test_columns_that_differ_from_the_catalogue_are_reported(writer: IndexWriter) -> None:
    commit_pages(writer, "one.warc", {"http://a/": CAT})
    other = columns_of([1], [(0, "19990101000000", 200, "text/html", "response")])
    write_columns(os.path.join(writer.folder, "000001.c1"), other)
    assert [p for p in check_generation(writer.folder) if "captures are not those of the catalogue" in p]


def test_columns_of_another_segment_are_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "1.c1")
    write_columns(path, columns_of([7, 8, 300], []))
    with pytest.raises(IndexCorruptError, match="the segment has 2 versions"):
        CaptureColumns(path, 2)


def test_what_does_not_fit_is_unknown(tmp_path: Path) -> None:
    path = str(tmp_path / "1.c1")
    rows = [(0, "", -1, "x" * 500, "conversion"), (0, "20200101000000", 99_999, "", "resource")]
    write_columns(path, columns_of([5], rows))
    captures = CaptureColumns(path, 1)
    assert captures.timestamp.tolist() == [0, 20200101000000]
    assert captures.status.tolist() == [0, 0]
    assert captures.mimes[captures.mime[0]] == "x" * 100


URLS = ("http://a/", "http://a/b", "http://c/")
FILES = ("one", "two", "three")
pages = st.dictionaries(st.sampled_from(URLS), st.integers(0, 2), min_size=1)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("pages"), st.sampled_from(FILES), pages),
        st.tuples(st.just("revisit"), st.sampled_from(FILES), st.sampled_from(URLS)),
        st.tuples(st.just("again"), st.sampled_from(FILES), st.sampled_from(URLS)),
        st.tuples(st.just("forget"), st.sampled_from(FILES), st.none()),
        st.tuples(st.just("merge"), st.none(), st.none()),
    ),
    max_size=8,
)


@settings(deadline=None, max_examples=60)
@given(steps)
def test_columns_agree_with_the_catalogue_after_any_commits(history: list[tuple[str, str, object]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        writer = IndexWriter(folder, Ranking())
        writer.catalogue.connection().execute("PRAGMA synchronous=OFF")
        try:
            for serial, (kind, file, what) in enumerate(history):
                _do(writer, serial, kind, file, what)
                _compare(writer)
        finally:
            writer.close()


def _do(writer: IndexWriter, serial: int, kind: str, file: str, what: object) -> None:
    if kind == "merge":
        writer.merge()
    elif kind == "forget":
        forget_file(writer, file)
    elif kind == "pages":
        assert isinstance(what, dict)
        known = {
            url for url in what if writer.known_version(writer.document_numbers([url])[0], url.encode())
        }  # commit_pages makes one version of each address
        commit_pages(writer, f"{file}{serial}", {url: CAT for url in what if url not in known})
    elif kind == "revisit":
        commit_revisit(writer, f"{file}{serial}", str(what))
    else:  # a file is read anew: its captures make place for one of a version that is there, or for none
        number = writer.begin_files({file: {}})[file]
        document = writer.document_numbers([str(what)])[0]
        version = writer.known_version(document, str(what).encode())
        capture = NewCapture(
            document, f"{2000 + serial}0101000000", "response", 200, "text/html", "", number, "", 0, 1, 0, version, ""
        )  # fmt: skip
        writer.commit(
            [CommitBatch(captures=[capture], replaces={number}, ledger=[(number, ledger_entry(file, 1))])]
        )


def _compare(writer: IndexWriter) -> None:
    connection = writer.catalogue.connection()
    for live in Snapshot(writer.catalogue).segments:
        expected = sorted(map(stored_row, catalogue_rows(connection, live.number)))
        assert live.captures.rows() == expected
        rising = np.diff(live.captures.timestamp.astype(np.int64)) >= 0
        same = np.diff(live.captures.version_of_rows()) == 0
        assert rising[same].all()
    for entry in writer.catalogue.dictionary["segments"]:
        assert os.path.exists(captures_path(writer.folder, entry))
