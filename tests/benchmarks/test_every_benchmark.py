"""Every benchmark runs once, as its page says, on 200 pages; what it measures is not looked at here.

`make test-benchmarks` runs this, with the other engines installed (benchmarks/requirements-peers.lock).
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from running import REPOSITORY, clean_environment
from tests.benchmarks.test_peers import SENTENCES
from tests.webui.archive_text import response, write_archive

pytestmark = pytest.mark.bench

BENCHMARKS = REPOSITORY / "benchmarks"
PAGES = 200

# What is typed behind the name of each; {corpus} holds packages/, arcs/, index/ and queries.tsv.
RUNS: dict[str, tuple[str, ...]] = {
    "corpus.py": ("--out {corpus} --packages one-doc --pages 150",),
    "queries.py": ("--arcs {corpus}/arcs --every 1 --out {work}/queries.tsv",),
    "index.py": (
        "--arcs {corpus}/arcs --index {work}/index",
        "--arcs {corpus}/arcs --index {work}/index --workers 1 --json",
        "--arcs {corpus}/arcs --stages",
    ),
    "core.py": ("{corpus}/arcs --runs 1",),
    "search.py": ("--arcs {corpus}/arcs --index {corpus}/index --queries 5",),
    "language.py": ("--arcs {corpus}/arcs --index {corpus}/index --queries 5",),
    "peers.py": (
        "--arcs {corpus}/arcs --queries {corpus}/queries.tsv --work {work} --slice 40 --passes 1 --verify",
    ),
    "engines.py": ("build fts5 {work}/fts5 1 {corpus}/arcs/docs-001.warc.gz",),
    "scale.py": (
        "--arcs {corpus}/arcs --queries {corpus}/queries.tsv --work {work} --pages 200,400 --passes 1",
    ),
    "crawl.py": ("--pages 200 --rounds 1", "--queued 2000"),
    "quality.py": ("--collections {corpus}/collections --data {corpus}/data --cross-validate",),
    "feedback.py": ("--collections {corpus}/collections --data {corpus}/data",),
    "rewrite.py": ("{corpus}/packages/one-doc/usr/share/doc/7.html",),
    "web.py": (
        "{corpus}/index --queries {corpus}/queries.tsv --requests 10 --clients 4 --json",
        "{corpus}/index --queries {corpus}/queries.tsv --memory 60 --clients 4 --json",
        "{corpus}/index --queries {corpus}/queries.tsv --requests 5 --only home"
        " --beside {corpus}/arcs/docs-001.warc.gz --json",
    ),
    "verification.py": ("--pages 200 --queries 8",),
    "hostile.py": ("--small --only word --view details",),
    "hostile_index.py": ("--size 0.001 --only ligatures",),
    "contact_sheet.py": ("{corpus}/index {work} 3",),
}


def run(script: str, arguments: str, places: Mapping[str, Path]) -> str:
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / script), *(part.format(**places) for part in arguments.split())],
        capture_output=True, text=True, timeout=600, cwd=places["work"],
        env=clean_environment(PYTHONPATH=str(REPOSITORY), **kept_variables()),
    )  # fmt: skip
    assert done.returncode == 0, f"{script} {arguments}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def kept_variables() -> dict[str, str]:
    names = ("FINDINGAID_SHARED", "FINDINGAID_CHROMIUM")
    return {name: os.environ[name] for name in names if name in os.environ}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two hundred pages with words of three hundred, a judged collection of some of them, an index and queries."""
    out = tmp_path_factory.mktemp("corpus")
    folder = out / "packages/one-doc/usr/share/doc"
    folder.mkdir(parents=True)
    chance = random.Random(1)
    words = [
        f"{a}{b}{c}"
        for a in ("her", "mol", "tas", "win")
        for b in "aeiou"
        for c in ("ron", "der", "tle", "nes")
    ]
    words += ["time", "letter", "folder", "river", "captain"]
    texts = []
    for number in range(PAGES):
        own = (
            "".join("abcdefghij"[int(digit)] for digit in f"{number // 3:03}") + "zel"
        )  # of three pages: a rare word
        chosen = [words[int(len(words) * chance.random() ** 2)] for _ in range(120)] + [own, own]
        links = "".join(f'<a href="{(number * step) % PAGES}.html">{chosen[step]}</a> ' for step in (2, 3, 7))
        running = " ".join(f"{SENTENCES[(number * step) % 5]} {own}." for step in (1, 2, 3, 4))
        texts.append(f"<title>{' '.join(chosen[:4])}</title><h1>{running}</h1><p>{' '.join(chosen)} {links}")
        (folder / f"{number}.html").write_text(texts[-1], encoding="utf-8")
    small = out / "collections/small"
    small.mkdir(parents=True)
    urls = [f"http://small.example/{number}" for number in range(20)]
    write_archive(small / "pages.warc.gz", *map(response, urls, texts))
    (small / "queries.tsv").write_text(
        "".join(f"{n}\t{' '.join(texts[n][7:].split()[:2])}\n" for n in range(10))
    )
    (small / "qrels.txt").write_text("".join(f"{n} 0 {urls[n]} 1\n" for n in range(10)))
    # a collection of abstracts, as to_warc.py would have made it
    abstracts = out / "collections/abstracts"
    abstracts.mkdir()
    (out / "data").mkdir()
    prefix = "http://collection.example/abstracts"
    named = [response(f"{prefix}/{number}", text) for number, text in enumerate(texts[:20])]
    write_archive(out / "data/abstracts.warc.gz", *named)
    shutil.copy(small / "queries.tsv", abstracts)
    (abstracts / "qrels.txt").write_text("".join(f"{n} 0 {n} 1\n" for n in range(10)))
    places = {"corpus": out, "work": out}
    run("corpus.py", "--out {corpus} --packages one-doc", places)
    run("index.py", "--arcs {corpus}/arcs --index {corpus}/index", places)
    run("queries.py", "--arcs {corpus}/arcs --every 1 --out {corpus}/queries.tsv", places)
    return out


@pytest.mark.parametrize(
    ("script", "arguments"),
    [(script, arguments) for script, runs in RUNS.items() for arguments in runs],
    ids=lambda text: text.replace("{corpus}/", "").replace("{work}/", "")[:60],
)
def test_runs(script: str, arguments: str, corpus: Path, tmp_path: Path) -> None:
    if script == "contact_sheet.py" and not (
        os.environ.get("FINDINGAID_CHROMIUM") or shutil.which("chromium")
    ):
        pytest.skip("needs Chromium")
    archives = Path(os.environ.get("FINDINGAID_SHARED") or REPOSITORY.parent / "shared")
    if script == "crawl.py" and not archives.is_dir():
        pytest.skip("needs the real archives")
    if script == "corpus.py":  # it writes beside the packages
        shutil.copytree(corpus / "packages", tmp_path / "packages")
        corpus = tmp_path
    printed = run(script, arguments, {"corpus": corpus, "work": tmp_path})
    assert printed.strip() or script in ("queries.py", "contact_sheet.py", "crawl.py")
