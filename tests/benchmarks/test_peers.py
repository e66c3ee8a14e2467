"""The comparison with other engines and the growth run, on a tiny corpus; how long they take is not tested.

Needs benchmarks/requirements-peers.txt in the same environment; skipped without.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from running import REPOSITORY, clean_environment

BENCHMARKS = REPOSITORY / "benchmarks"
MODULES = ("fastwarc", "selectolax", "tantivy", "bm25s", "numba", "Stemmer", "warcio", "bs4", "whoosh")
missing = [module for module in MODULES if importlib.util.find_spec(module) is None]
pytestmark = pytest.mark.skipif(
    bool(missing), reason=f"not installed: {', '.join(missing)} (benchmarks/requirements-peers.txt)"
)

SENTENCES = (
    "The harbour office keeps the ferry timetable in a folder on the upper shelf",
    "A letter from the captain to the inventory clerk about coal and winter bells",
    "Running ferries in winter is not what the captains of this river wanted",
    "Each folder holds the papers of one ship with its inventory and its letters",
    "Der Hafen an der Elbe liegt im Winter still und die Fähre ruht",
)


def run(script: str, *arguments: str | Path) -> Any:
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / script), *map(str, arguments)],
        capture_output=True, text=True, env=clean_environment(), timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ninety pages, each with some of the sentences and a word of its own, and queries made from them."""
    out = tmp_path_factory.mktemp("peers")
    folder = out / "packages/one-doc"
    folder.mkdir(parents=True)
    for number in range(90):
        own = "".join(chr(97 + int(digit)) for digit in f"{number:02d}") + "zel"
        chosen = [SENTENCES[(number * step) % len(SENTENCES)] for step in (1, 2, 3)]
        (folder / f"{number}.html").write_text(
            f"<title>Shelf {own}</title><script>var hidden</script><h1>{chosen[0]}</h1>"
            + "".join(f"<p>{sentence} {own} <b>{own}</b></p>" for sentence in chosen * 2),
            encoding="utf-8",
        )
    run("corpus.py", "--out", out, "--packages", "one-doc")
    run("queries.py", "--arcs", out / "arcs", "--every", "1", "--out", out / "queries.tsv")
    return out


def test_queries_are_made_of_the_corpus_and_are_the_same_every_time(corpus: Path) -> None:
    lines = (corpus / "queries.tsv").read_text(encoding="utf-8").splitlines()
    assert len(lines) >= 200
    kinds = {line.split("\t")[0] for line in lines}
    assert {"rare word", "common word", "stop words inside", "phrase of two"} <= kinds
    assert "hidden" not in "".join(lines)
    run("queries.py", "--arcs", corpus / "arcs", "--every", "1", "--out", corpus / "again.tsv")
    assert (corpus / "again.tsv").read_text(encoding="utf-8").splitlines() == lines


def test_the_queries_that_come_with_the_project_are_of_every_kind() -> None:
    lines = (BENCHMARKS / "queries.tsv").read_text(encoding="utf-8").splitlines()
    assert len(lines) >= 200 and all(line.count("\t") == 1 for line in lines)
    sizes = {len(line.split("\t")[1].split()) for line in lines}
    assert {1, 2, 3, 4, 5, 6} <= sizes


def test_every_engine_is_measured_and_our_ten_best_are_those_of_plain_scores(corpus: Path) -> None:
    result = json.loads(
        run(
            "peers.py", "--arcs", corpus / "arcs", "--work", corpus / "work", "--queries", corpus / "queries.tsv",
            "--slice", "40", "--passes", "1", "--workers", "1", "--pages", "80", "--verify", "--json",
            "--save", corpus / "saved.json",
        )
    )  # fmt: skip
    assert json.loads((corpus / "saved.json").read_text()) == result
    assert result["verified"]["wrong"] == [] and result["verified"]["queries"] >= 200
    pages = {name: figures["pages"] for name, figures in result["engines"].items()}
    assert pages == {"findingaid": 80, "floor": 80, "tantivy": 80, "fts5": 80, "bm25s": 80, "whoosh": 40}
    for name, figures in result["engines"].items():
        assert figures["cpu_us_per_page"] > 0 and figures["ratio_to_ours"]["pages/s"] > 0
        if name != "floor":
            assert figures["index_bytes_per_page"] > 0
            assert set(figures["exact"]) == set(figures["no_count"]) == {"p50", "p95", "p99"}
            assert figures["answered"] > 100


def test_the_table_is_printed(corpus: Path) -> None:
    text = run(
        "peers.py", "--arcs", corpus / "arcs", "--work", corpus / "work", "--queries", corpus / "queries.tsv",
        "--engines", "findingaid,floor,fts5", "--passes", "1", "--workers", "1",
    )  # fmt: skip
    rows = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")]
    assert rows[1:4] == ["findingaid", "floor", "fts5"]


def test_growth_is_measured_on_pages_that_are_repeated_with_other_words(corpus: Path) -> None:
    measured = ("--arcs", corpus / "arcs", "--work", corpus / "scale", "--queries", corpus / "queries.tsv")
    result = json.loads(
        run("scale.py", *measured, "--pages", "60,150", "--passes", "1", "--workers", "1", "--json")
    )
    small, large = result["sizes"]["60"], result["sizes"]["150"]
    assert (small["documents"], large["documents"]) == (60, 150)
    assert large["pairs"] > 2 * small["pairs"] and small["words"] < large["words"] < 2.5 * small["words"]
    assert large["tantivy"]["pages"] == 150 and large["serve_not_mapped_mb"] > 0
    archives = {file.name: file.read_bytes() for file in (corpus / "scale/arcs").glob("*.warc.gz")}
    (corpus / "scale/arcs/made.json").unlink()
    run("scale.py", *measured, "--pages", "60,150", "--only-make")
    assert {file.name: file.read_bytes() for file in (corpus / "scale/arcs").glob("*.warc.gz")} == archives
