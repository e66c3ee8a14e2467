from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from store_batches import Page, commit_pages, commit_revisit, contents, forget_file

from indexer import Ranking
from indexer.store import plans
from indexer.store import writer as writer_module
from indexer.store.checking import check_generation
from indexer.store.commit_batch import CommitBatch, NewCapture, Rows
from indexer.store.compact import kept_page
from indexer.store.layout import segment_path, weights_path
from indexer.store.merge_task import run_merge
from indexer.store.segment import Segment
from indexer.store.snapshot import Snapshot
from indexer.store.writer import IndexWriter

CAT: Page = {("cat", 6): [0, 4], ("title", 0): [9]}
DOG: Page = {("dog", 6): [1]}


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[IndexWriter]:
    found = IndexWriter(str(tmp_path / "g1"), Ranking())
    yield found
    found.close()


def rows(writer: IndexWriter, sql: str) -> list[tuple[Any, ...]]:
    return writer.catalogue.connection().execute(sql).fetchall()


def segments(writer: IndexWriter) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = writer.catalogue.dictionary["segments"]
    return found


def test_a_commit_is_whole_and_sound(writer: IndexWriter) -> None:
    commit_pages(writer, "a.warc", {"http://a.example/": CAT, "http://b.example/": DOG})
    assert check_generation(writer.folder) == []
    assert rows(writer, "SELECT url, page FROM urls ORDER BY id") == [
        (url, kept_page(url)) for url in ("http://a.example/", "http://b.example/")
    ]
    [entry] = segments(writer)
    assert (entry["versions"], entry["dead"], sum(entry["sums"])) == (2, [], 4)
    assert sorted(os.listdir(writer.folder))[:3] == ["000001.c1", "000001.links", "000001.seg"]


def test_pages_that_only_a_forgotten_file_holds_go(writer: IndexWriter) -> None:
    commit_pages(writer, "a.warc", {"http://a.example/": CAT, "http://b.example/": DOG})
    commit_pages(writer, "b.warc", {"http://c.example/": DOG})
    forget_file(writer, "a.warc")
    assert check_generation(writer.folder) == []
    assert [entry["dead"] for entry in segments(writer)] == [[0, 1], []]
    assert sum(segments(writer)[0]["sums"]) == 0
    assert rows(writer, "SELECT url FROM urls") == [("http://c.example/",)]
    assert getattr(writer.files.find("a.warc"), "entry", None) is None
    writer.merge()
    assert check_generation(writer.folder) == []
    [entry] = segments(writer)
    assert contents(Segment(segment_path(writer.folder, entry["number"]))) == {("dog", 0, 6): [1]}
    forget_file(writer, "unknown.warc")


def test_forgetting_the_last_file_leaves_nothing(writer: IndexWriter) -> None:
    commit_pages(writer, "a.warc", {"http://a.example/": CAT})
    forget_file(writer, "a.warc")
    writer.merge()
    assert segments(writer) == [] and check_generation(writer.folder) == []
    assert not [name for name in os.listdir(writer.folder) if name.endswith(".seg")]


@pytest.mark.parametrize("original_first", [True, False])
def test_revisits_join_their_original_in_both_orders(writer: IndexWriter, original_first: bool) -> None:
    steps = [
        lambda: commit_pages(writer, "a.warc", {"http://a.example/": CAT}),
        lambda: commit_revisit(writer, "b.warc", "http://a.example/"),
    ]
    for step in steps if original_first else reversed(steps):
        step()
    assert len(set(rows(writer, "SELECT version FROM captures"))) == 1
    assert rows(writer, "SELECT COUNT(*) FROM captures WHERE version IS NULL") == [(0,)]
    # a revisit does not hold what it shows: when the original goes, so does the version
    forget_file(writer, "a.warc")
    assert rows(writer, "SELECT version FROM captures") == [(None,)] and check_generation(writer.folder) == []
    [version] = commit_pages(writer, "c.warc", {"http://a.example/": CAT})
    assert rows(writer, "SELECT DISTINCT version FROM captures") == [(version,)]


def test_numbers_of_segments_are_never_used_twice(writer: IndexWriter) -> None:
    commit_pages(writer, "a.warc", {"http://a.example/": CAT})
    forget_file(writer, "a.warc")
    writer.merge()
    commit_pages(writer, "b.warc", {"http://b.example/": DOG})
    assert segments(writer)[0]["number"] > 2


def test_new_boosts_weigh_the_index_anew_without_an_archive(writer: IndexWriter) -> None:
    commit_pages(writer, "a.warc", {"http://a.example/": CAT})
    [before] = segments(writer)
    writer.ranking = Ranking(boost={**Ranking().boost, "body": 9.0})
    writer.merge()
    [after] = segments(writer)
    assert after["weights"] == before["weights"] + 1
    assert os.path.exists(weights_path(writer.folder, after)) and not os.path.exists(
        weights_path(writer.folder, before)
    )
    assert check_generation(writer.folder) == []


def test_segments_are_weighed_once_at_the_end_of_a_run(
    writer: IndexWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plans, "MERGE_VERSIONS", 1)  # nothing is merged
    commit_pages(writer, "a.warc", {"http://a.example/": CAT})
    commit_pages(writer, "b.warc", {"http://b.example/": {("dog", 6): list(range(60))}})
    assert [entry["weights"] for entry in segments(writer)] == [0, 0]
    assert check_generation(writer.folder) == []
    for live in Snapshot(writer.catalogue).segments:  # until then nothing is left out by its weights
        assert live.weights.placed("norms") is None
    writer.merge()
    assert [entry["weights"] for entry in segments(writer)] == [1, 1]


def test_what_is_removed_while_a_merge_is_at_work_is_removed_from_its_result(writer: IndexWriter) -> None:
    commit_pages(writer, "a.warc", {"http://a.example/": CAT, "http://b.example/": DOG})
    commit_pages(writer, "b.warc", {"http://c.example/": DOG})
    commit_pages(writer, "c.warc", {"http://d.example/": CAT})
    forget_file(writer, "c.warc")
    task = writer.merge_task(segments(writer), "beside", with_weights=True)
    places = run_merge(task)
    forget_file(writer, "b.warc")
    commit_pages(writer, "e.warc", {"http://e.example/": CAT})
    writer.commit_merge(task, places)
    assert check_generation(writer.folder) == []
    late, merged = segments(writer)
    assert (merged["versions"], merged["dead"], merged["weights"]) == (3, [2], 1)
    writer.merge()
    assert check_generation(writer.folder) == [] and late["versions"] == 1
    [entry] = segments(writer)
    assert (entry["versions"], entry["dead"]) == (3, [])


@pytest.mark.parametrize("seed", range(20))
def test_captures_are_kept_alike_in_one_batch_and_in_one_each(tmp_path: Path, seed: int) -> None:
    """Of several files among each other, with archives in them, repeated, of no page, and with what is not known."""
    random = Random(seed)
    kept = []
    captures = [
        NewCapture(
            document=document,
            timestamp=random.choice(["", "20200101000000", "20210101000000"]),
            type=random.choice(["response", "revisit", "resource"]),
            status=random.choice([0, 200, 404]),
            mime=random.choice(["text/html", ""]),
            payload=random.choice(["", f"sha1:{'A' * 32}", f"sha1:{'B' * 32}", "md5:x"]),
            file=random.randint(1, 2),
            member=random.choice(["", "in.warc"]),
            offset=random.randint(0, 3),
            length=random.choice([5, 6]),
            inner=random.randint(0, 1),
            version=random.choice([0, document]),  # one for each page, with its number
            refers_to=random.choice(["", "", "20190101000000"]),
        )
        for document in random.choices([1, 2, 3], k=random.randint(1, 30))
    ]
    places = [(capture.file, capture.member, capture.offset, capture.inner) for capture in captures]
    first = [capture for n, capture in enumerate(captures) if places.index(places[n]) == n]
    for name, batches in (
        ("one", [captures]),
        ("each", [[capture] for capture in first]),
        ("again", [first, captures]),
    ):
        writer = IndexWriter(str(tmp_path / name), Ranking())
        writer.begin_files({"a.warc": {}, "b.warc": {}})
        commit_pages(writer, "c.warc", {f"http://{host}.example/": CAT for host in "abc"})
        for batch in batches:
            columns = Rows(NewCapture, tuple(zip(*batch, strict=True)))
            writer.commit([CommitBatch(captures=random.choice([batch, columns]))])
        assert check_generation(writer.folder) == []
        kept.append(
            rows(
                writer,
                "SELECT url, timestamp, type, status, mime, payload, file, member, offset, length, inner, version,"
                " refers_to, copy FROM captures ORDER BY file, member, offset, inner",
            )
        )
        writer.close()
    assert kept[0] == kept[1] == kept[2] and len(kept[0]) == len(first) + 3


@pytest.mark.parametrize("walked", [0, 16])
def test_after_a_merge_each_version_is_where_its_page_is(
    writer: IndexWriter, walked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Moved one by one, or with all between the first and the last: with versions dropped before and meanwhile."""
    monkeypatch.setattr(writer_module, "_WALKED", walked)
    for file in "abc":
        commit_pages(writer, f"{file}.warc", {f"http://{file}.example/{n}": CAT for n in range(4)})
    drop_pages(writer, "http://a.example/1")
    chosen = segments(writer)
    task = writer.merge_task([chosen[0], chosen[2]], "beside")
    places = run_merge(task)
    drop_pages(writer, "http://a.example/2", "http://c.example/0")
    writer.commit_merge(task, places)
    documents = {
        entry["number"]: Segment(segment_path(writer.folder, entry["number"])).document.tolist()
        for entry in segments(writer)
    }
    found = rows(
        writer,
        "SELECT u.url, v.url, v.place >> 16, v.place & 65535 FROM versions v JOIN urls u ON u.id = v.url",
    )
    assert all(documents[segment][ordinal] == document for _, document, segment, ordinal in found)
    assert sorted(url for url, *_ in found) == sorted(
        {f"http://{file}.example/{n}" for file in "abc" for n in range(4)}
        - {"http://a.example/1", "http://a.example/2", "http://c.example/0"}
    )
    assert all("the ledger counts" in problem for problem in check_generation(writer.folder))


def drop_pages(writer: IndexWriter, *urls: str) -> None:
    numbers = writer.document_numbers(urls)
    with writer.catalogue.transaction() as connection:
        writer.drop_captures(connection, f"url IN ({','.join('?' * len(numbers))})", numbers)


def test_a_merge_of_which_all_is_removed_meanwhile_leaves_nothing(writer: IndexWriter) -> None:
    commit_pages(writer, "a.warc", {"http://a.example/": CAT})
    commit_pages(writer, "b.warc", {"http://b.example/": DOG})
    task = writer.merge_task(segments(writer), "beside")
    places = run_merge(task)
    forget_file(writer, "a.warc")
    forget_file(writer, "b.warc")
    writer.commit_merge(task, places)
    assert segments(writer) == [] and check_generation(writer.folder) == []
    assert not [name for name in os.listdir(writer.folder) if "seg" in name]


def test_what_no_commit_names_is_removed_at_the_start_and_at_the_end(tmp_path: Path) -> None:
    folder = str(tmp_path / "g1")
    first = IndexWriter(folder, Ranking())
    commit_pages(first, "a.warc", {"http://a.example/": CAT})
    junk = ["000002.seg", "000001.w7", "x-w1-1.new", "x-w1-1.new.tmp"]
    for name in junk:
        (tmp_path / "g1" / name).write_text("junk")
    (tmp_path / "g1" / "notes.txt").write_text("not ours")
    first.close()
    assert not set(junk) & set(os.listdir(folder))
    for name in junk:
        (tmp_path / "g1" / name).write_text("junk")
    second = IndexWriter(folder, Ranking())
    assert not set(junk) & set(os.listdir(folder)) and "notes.txt" in os.listdir(folder)
    second.close()
    assert check_generation(folder) == []


def test_a_commit_that_fails_changes_nothing(writer: IndexWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    commit_pages(writer, "a.warc", {"http://a.example/": CAT})
    before = (
        [rows(writer, f"SELECT * FROM {table}") for table in ("urls", "versions", "captures")],
        segments(writer),
    )
    monkeypatch.setattr(
        IndexWriter, "_keep", lambda *_: (_ for _ in ()).throw(OSError(5, "Input/output error"))
    )
    with pytest.raises(OSError):
        commit_pages(writer, "b.warc", {"http://b.example/": DOG})
    assert before == (
        [rows(writer, f"SELECT * FROM {table}") for table in ("urls", "versions", "captures")],
        segments(writer),
    )
    assert check_generation(writer.folder) == []
