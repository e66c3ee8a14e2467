"""Damage to the bytes of an index: each answer is what it was before, or an error that names the file.

Used by tests/indexer/store/test_damage.py on a few seeds; this takes as many random small indexes as time allows:

    python -m tests.index_damage --minutes 20 --seed 1
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from indexer import GraphWish, Index, IndexError_, IndexOptions, build_index, open_index, remove_from_index
from indexer.listing import KeyRange
from indexer.store import blocks
from tests.faults import run_in_one_process

WORDS = "heron gull harbour lantern lanterns été naïve café 日本語 C++ meadow granite signal copper violet".split()
HOSTS = ("a.example", "www.a.example", "b.example", "c.example")
QUERIES = (
    "heron", "gull OR meadow", "lantern harbour", '"copper violet"', '"heron gull"~5', "gran*", "lantrn~1", "cafe",
    "日本", "title:heron -gull", "inlink:signal", "heron NEAR/5 copper", "site:a.example", "lang:de",
    "from:2011 to:2014 gull", "status:200 type:html copper", "appeared:2012", "url:x*", "harbuor",
)  # fmt: skip


# ---- indexes


def write_archives(folder: Path, chosen: random.Random) -> list[str]:
    """Write archives of pages that link to each other, with versions, revisits and what is no page."""
    paths = []
    urls = [f"http://{host}/{path}" for host in HOSTS for path in ("", "x", "xy/z?q=1", "p%20q")]
    for file in range(chosen.randrange(1, 4)):
        records = []
        for number in range(chosen.randrange(3, 25)):
            url = chosen.choice(urls) if chosen.random() < 0.7 else f"http://d{number}.example/{number}"
            text = (
                " ".join(chosen.choices(WORDS, k=chosen.choice((3, 20, 90))))
                + f" rare{chosen.randrange(999)}"
            )
            links = "".join(
                f"<a href={chosen.choice(urls)}>{chosen.choice(WORDS)}</a> "
                for _ in range(chosen.randrange(4))
            )
            title = " ".join(chosen.choices(WORDS, k=chosen.randrange(3)))
            language = chosen.choice(("en", "de", "fr"))
            html = f"<html lang={language}><title>{title}</title><h1>{text[:9]}</h1><p>{text} {links}"
            kind, status = chosen.choice((("response", 200),) * 6 + (("revisit", 200), ("response", 404)))
            date = f"{chosen.randrange(2009, 2016)}-0{chosen.randrange(1, 9)}-02T03:04:0{number % 10}Z"
            records.append(_record(url, html, date, kind, status))
        path = folder / f"{file}.warc"
        path.write_bytes(b"".join(records))
        paths.append(str(path))
    return paths


def _record(url: str, html: str, date: str, kind: str, status: int) -> bytes:
    from tests.shelf import record

    return record(url, html, date=date, kind=kind, status=status)


@contextmanager
def small_blocks() -> Iterator[pytest.MonkeyPatch]:
    """Make indexes in one process, of several segments, in blocks of a few bytes: most are verified by themselves."""
    with pytest.MonkeyPatch.context() as patch:
        run_in_one_process(patch, batch_pages=7)
        patch.setattr("indexer.store.plans.MERGE_VERSIONS", 12)
        patch.setattr("indexer.index._LOOK_S", 60)  # else what a busy machine does not find in time differs
        patch.setattr(blocks, "BLOCK", 64)
        patch.setattr(blocks, "SMALL", 0)
        yield patch


def make_index(folder: Path, chosen: random.Random) -> Path:
    """Return a new index of new archives; call it within small_blocks()."""
    folder.mkdir(parents=True, exist_ok=True)
    index = folder / "index"
    build_index(write_archives(folder, chosen), str(index), options=IndexOptions(workers=1))
    if chosen.random() < 0.5:
        with open_index(str(index)) as opened:
            hit = opened.search("*", limit=1).hits[0]
        remove_from_index(str(index), "url", hit.url)
    return index


# ---- questions

Question = Callable[[Index], Any]


def questions_for(index: Index) -> dict[str, Question]:
    """Return all kinds of questions that an index answers, by name."""
    urls = sorted({hit.url for hit in index.search("*", limit=5).hits})
    asked: dict[str, Question] = {
        f"search {query}": partial(_found, query=query, facets=True) for query in QUERIES
    }
    for sort in ("newest", "oldest", "url"):
        asked[f"search by {sort}"] = lambda i, sort=sort: _found(i, "heron OR gull", sort=sort, explain=True)
    asked |= {
        "expand": lambda i: _found(i, "heron", expand=("rocchio", "cooccur", "lsi")),
        "model": lambda i: _found(i, "heron gull", model="cosine"),
        "near-duplicates": lambda i: _found(i, "heron", fold=True),
        "tree": lambda i: replace(i.tree(""), took_ms=0.0),
        "newest": lambda i: i.newest(9),
        "suggest": lambda i: i.suggest("la") + i.suggest("a.ex") + i.suggest("heron g"),
        "graph": lambda i: i.link_graph(wish=GraphWish(depth=1)),
        "graph of hosts": lambda i: i.link_graph("heron", wish=GraphWish(level="hosts")),
        "list": lambda i: i.list_captures(KeyRange.everything()),
        "list backwards": lambda i: i.list_captures(KeyRange.everything(), newest_first=True, first="2012"),
        "count": lambda i: i.count_captures(KeyRange.of(f"http://{HOSTS[0]}/", "domain")),
        "ledger": lambda i: i.ledger(),
        "statistics": lambda i: i.statistics(),
        "removals": lambda i: i.removals(),
        "missing files": lambda i: i.missing_files(),
    }
    for url in urls:
        asked[f"captures {url}"] = lambda i, url=url: (
            i.captures(url),
            i.closest(url, "2012"),
            i.around(url, "20120101000000"),
        )
        asked[f"links {url}"] = lambda i, url=url: i.links(url)
        asked[f"similar {url}"] = lambda i, url=url: i.similar(url).hits
        asked[f"graph {url}"] = lambda i, url=url: i.link_graph(url=url)
    return asked


def _found(index: Index, query: str, **options: Any) -> tuple[Any, ...]:
    found = index.search(query, limit=20, **options)
    return found.total, found.notices, found.hits, found.facets, found.added, found.parsed, found.did_you_mean


# ---- damage


def damaged(data: bytes, chosen: random.Random) -> tuple[str, bytes]:
    """Return what was done to some bytes, and the bytes after it."""
    place = chosen.randrange(len(data)) if data else 0
    size = chosen.choice((1, 2, 8, 64, 512, 4096))
    end = min(len(data), place + size)
    kind = chosen.randrange(8) if data else 7
    if kind <= 2:
        bit = chosen.randrange(8)
        changed = data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]
        return f"bit {bit} of byte {place} flipped", changed
    if kind == 3:
        return f"bytes {place} to {end} are others", data[:place] + chosen.randbytes(end - place) + data[end:]
    if kind == 4:
        return f"bytes {place} to {end} are zero", data[:place] + bytes(end - place) + data[end:]
    if kind == 5:
        other = chosen.randrange(max(1, len(data) - size))
        part = data[other : other + end - place]
        return f"bytes {place} to {end} come from byte {other}", data[:place] + part + data[
            place + len(part) :
        ]
    if kind == 6:
        return f"cut at byte {place}", data[:place]
    return f"{size} bytes more", data + chosen.choice((bytes(size), chosen.randbytes(size)))


def files_of(index: Path) -> list[Path]:
    """Return the files of an index that hold something."""
    return sorted(path for path in index.rglob("*") if path.is_file() and path.name != "writer.lock")


def wrong_answers(
    index: Path, expected: dict[str, Any], questions: dict[str, Question], path: Path
) -> list[str]:
    """Return one line for each answer of an index that is neither right nor an error that names the damaged file."""
    try:
        opened = open_index(str(index))
    except IndexError_ as error:
        return _badly_told(error, path)
    wrong, refused = [], 0
    with opened:
        for name, question in questions.items():
            try:
                answer = question(opened)
            except IndexError_ as error:
                refused += 1
                wrong += [f"{name}: {problem}" for problem in _badly_told(error, path)]
            except Exception as error:
                wrong.append(f"{name}: {error!r}")
            else:
                if answer != expected[name]:
                    wrong.append(f"{name}: another answer: {answer!r}")
        if refused and not opened.check():
            wrong.append("check finds nothing")
    return wrong


def _badly_told(error: IndexError_, path: Path) -> list[str]:
    text = str(error)
    named = (
        path.name in text
        or path.name == "current"
        or path.name.startswith("catalogue")
        and "catalogue" in text
    )
    helps = "--rebuild" in text or "findingaid index" in text
    return [] if named and helps and "\n" not in text else [f"told badly: {text}"]


def try_damage(index: Path, chosen: random.Random, tries: int, until: float = float("inf")) -> Iterator[str]:
    """Damage one file of an index after the other, and yield what is answered wrongly then; the files are put back."""
    with open_index(str(index)) as opened:
        questions = questions_for(opened)
        expected = {name: question(opened) for name, question in questions.items()}
    for _ in range(tries):
        if time.monotonic() > until:
            return
        path = chosen.choice(files_of(index))
        whole = path.read_bytes()
        what, changed = damaged(whole, chosen)
        _put(path, changed)
        try:
            for problem in wrong_answers(index, expected, questions, path):
                yield f"{path.name}: {what}: {problem}"
        finally:
            _put(path, whole)


def _put(path: Path, data: bytes) -> None:
    """Put another file in the place of one: who has the old one mapped keeps it."""
    path.with_suffix(".other").write_bytes(data)
    path.with_suffix(".other").rename(path)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    until = time.monotonic() + 60 * given.minutes
    number = found = 0
    while time.monotonic() < until:
        chosen = random.Random(f"{given.seed} {number}")
        with tempfile.TemporaryDirectory() as folder, small_blocks():
            for problem in try_damage(make_index(Path(folder), chosen), chosen, 60, until):
                found += 1
                sys.stdout.write(f"seed {given.seed}, index {number}: {problem[:600]}\n")
                sys.stdout.flush()
        number += 1
    sys.stdout.write(f"{number} indexes, {found} wrong answers\n")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
