"""docs/query-language.md says what is true: each of its examples finds the pages that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.search.query import parse_query
from indexer.search.searcher import search
from indexer.store.bm25f import Ranking
from indexer.store.snapshot import Snapshot
from tests.indexer.making import BODY, DirectIndex, addresses
from tests.indexer.plain import PlainVersion

PAGE = Path(__file__).parents[3] / "docs/query-language.md"


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [
        [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines
    ]


EXAMPLES = [(row[0].strip("`"), row[1].split()) for row in rows() if len(row) == 3 and row[0].startswith("`")]
PAGES = [row for row in rows() if len(row) == 7 and row[1].startswith("http")]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    with DirectIndex(tmp_path_factory.mktemp("language")) as index:
        index.add(
            "pages",
            [
                PlainVersion(
                    url,
                    language,
                    title=title,
                    keywords=keywords,
                    running=((BODY, text + "\n"),),
                    captured=tuple(f"{day.replace('-', '')}120000" for day in captured.split()),
                )
                for _, url, captured, language, title, keywords, text in PAGES
            ],
        )
        snapshot = index.snapshot()
        yield snapshot
        snapshot.catalogue.close()


def test_the_page_has_its_examples() -> None:
    assert len(PAGES) == 5
    assert len(EXAMPLES) > 45


@pytest.mark.parametrize("query, names", EXAMPLES, ids=[query for query, _ in EXAMPLES])
def test_each_example_finds_what_the_page_says(snapshot: Snapshot, query: str, names: list[str]) -> None:
    parsed = parse_query(query)
    assert not parsed.notices
    found = search(snapshot, parsed, Ranking(), offset=0, limit=10).found
    name_of = {url: name for name, url, *_ in PAGES}
    url_of = addresses(snapshot)
    assert sorted(name_of[url_of[page.document]] for page in found) == sorted(names)
