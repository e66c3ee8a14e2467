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
    times = run("search.py", "--arcs", corpus / "arcs", "--index", corpus / "index", "--queries", "3")
    assert times["serve_rss_mb"] > 0 and times["cold_start_s"] > 0
    assert set(times["results page, HTTP"]) == {"p50", "p95", "p99", "max"}
