"""The benchmarks run, on a corpus of a few pages; how long they take is not tested."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from archiver.warc import Record, parse_response, read_records
from running import REPOSITORY, clean_environment
from tests.webui.archive_text import response, write_archive

WORDS = (
    "heron bell coal ferry timetable inventory folder shelf paper letter river harbour winter captain".split()
)


def run(script: str, *arguments: str | Path) -> Any:
    done = subprocess.run(
        [sys.executable, str(REPOSITORY / "benchmarks" / script), *map(str, arguments), "--json"],
        capture_output=True, text=True, env=clean_environment(), timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_verification_costs_is_measured_with_and_without_it() -> None:
    found = run("verification.py", "--pages", "200", "--queries", "8")
    assert set(found) == {"open_ms", "first_query_ms", "queries_once_ms", "queries_again_ms"}
    assert all(row["with"] > 0 and row["without"] > 0 and row["ratio"] > 0 for row in found.values())


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus made of two packages that are unpacked already, so that nothing is downloaded."""
    out = tmp_path_factory.mktemp("corpus")
    for package in ("one-doc", "lib++-doc"):
        folder = out / "packages" / package / "usr/share/doc"
        folder.mkdir(parents=True)
        for number in range(40):
            words = " ".join(WORDS[number % 7 :] * 5 + [f"page{chr(97 + number % 26)}"])
            (folder / f"{number} ü.html").write_text(
                f"<title>{words[:20]}</title><p>{words}", encoding="utf-8"
            )
        (folder / "notes.txt").write_text("no page")
    return out


def test_the_corpus_has_one_record_a_page_and_is_the_same_every_time(corpus: Path) -> None:
    made = run("corpus.py", "--out", corpus, "--packages", "one-doc,lib++-doc", "--pages", "50")
    assert made["pages"] == 50 and made["files"] == 1
    archive = corpus / "arcs/docs-001.warc.gz"
    first = archive.read_bytes()
    records = list(read_records(str(archive)))
    assert len(records) == 50
    record = next(iter(read_records(str(archive))))
    assert isinstance(record, Record) and record.url.startswith("http://one-doc.docs.example/usr/share/doc/")
    response = parse_response(record)
    assert response is not None and response.status == 200 and response.body.startswith(b"<title>")
    run("corpus.py", "--out", corpus, "--packages", "one-doc,lib++-doc", "--pages", "50")
    assert archive.read_bytes() == first


def test_indexing_and_searching_are_measured(corpus: Path) -> None:
    run("corpus.py", "--out", corpus, "--packages", "one-doc,lib++-doc")
    measured = run("index.py", "--arcs", corpus / "arcs", "--index", corpus / "index", "--workers", "1")
    assert measured["documents"] == 80 and measured["damaged"] == 0
    assert (
        measured["pages_per_second"] > 0
        and measured["peak_rss_mb"] > 0
        and measured["index_bytes_per_page"] > 0
    )
    stages = run("index.py", "--arcs", corpus / "arcs", "--stages")
    assert (
        stages["pages"] == 80
        and {"read", "texts, words, links and language", "merge"} <= stages["us_per_page"].keys()
    )
    times = run("search.py", "--arcs", corpus / "arcs", "--index", corpus / "index", "--queries", "3")
    assert times["serve_rss_mb"] > 0 and times["cold_start_s"] > 0
    assert set(times["results page, HTTP"]) == {"p50", "p95", "p99", "max"}


def test_quality_is_measured_and_tuned_on_topics_that_it_is_not_measured_on(tmp_path: Path) -> None:
    folder = tmp_path / "collections" / "small"
    folder.mkdir(parents=True)
    urls = [f"http://small.example/{word}" for word in WORDS]
    texts = [f"<title>{word}</title><p>{WORDS[number - 1]} {word} river" for number, word in enumerate(WORDS)]
    write_archive(folder / "pages.warc.gz", *map(response, urls, texts))
    (folder / "queries.tsv").write_text("".join(f"{word}\t{word} river\n" for word in WORDS[:6]))
    (folder / "qrels.txt").write_text(
        "".join(f"{WORDS[n]} 0 {urls[n]} 2\n{WORDS[n]} 0 {urls[n + 1]} 0\n" for n in range(6))
    )
    page = tmp_path / "ranking.md"
    page.write_text("before\n<!-- made by benchmarks/quality.py -->\nof yesterday\n<!-- end -->\nafter\n")
    measured = run(
        "quality.py",
        "--collections",
        folder.parent,
        "--data",
        tmp_path / "data",
        "--cross-validate",
        "--write",
        page,
    )
    assert measured["collections"] == {"small": [len(WORDS), 6]}
    assert measured["rows"]["default"]["small"]["ndcg@3"] == 1
    tried = measured["cross_validated"]["k1"]
    assert len(tried["chosen"]) == 5 and {"ndcg@10", "ndcg@3", "map"} == set(tried["held_out"][0])
    text = page.read_text()
    assert "| default | 1.0000 / 1.0000 / 1.0000 |" in text and "of yesterday" not in text
    assert text.startswith("before\n") and text.endswith("<!-- end -->\nafter\n")


def test_hostile_pages_are_made_and_asked_for() -> None:
    found = run("hostile.py", "--small", "--only", "word", "--view", "frame, marked", "--view", "details")
    costs = found["pages"]["word"]
    assert set(costs) == {"frame, marked", "details", "afterwards"}
    assert all(cost["status"] == 200 for cost in costs.values())
    assert costs["frame, marked"]["bytes"] > 41_000  # the page is there
    assert 0 < found["worst"][0][0] < 200


def test_hostile_pages_are_indexed_and_their_memory_is_told() -> None:
    found = run("hostile_index.py", "--size", "0.001", "--only", "ligatures", "--only", "all")
    assert set(found) == {"ligatures", "all"} and found["ligatures"]["pages"] == 3
    assert all(0 < row["peak_pss_mb"] < 500 for row in found.values())


def test_nasty_queries_are_the_same_for_a_seed_and_keep_to_the_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY / "benchmarks"))
    from nasty import Maker

    from indexer.search.query import parse_query

    one, other = (Maker(WORDS, 7) for _ in range(2))
    asked = [one.query() for _ in range(300)]
    assert asked == [other.query() for _ in range(300)]
    assert len(set(asked)) > 250
    assert all(parse_query(text).tree is not None for text in asked)
