"""Every limit of the index, just below, at and above it, from pages to answers.

A limit either only says how much is done at once, and then it must not change any answer, or it drops something, and
then it drops it from every column. TABLE says for each number where that is tested; those of the store must be there.
"""

from __future__ import annotations

import ast
import random
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from faults import run_in_one_process

from indexer import IndexOptions, Ranking, build_index, open_index
from indexer.search.query import parse_query
from indexer.search.searcher import search
from indexer.store import timeline
from indexer.store.checking import check_generation
from indexer.worker import Worker
from running import REPOSITORY
from tests import index_damage
from tests.indexer.making import BODY, DirectIndex, addresses, response, write_warc
from tests.indexer.plain import PlainSearch, PlainVersion

AT_ONCE = "tests/indexer/test_limits.py::test_how_much_is_done_at_once_changes_no_answer"
COUNTS = "tests/indexer/test_limits.py::test_a_word_that_stands_so_many_times"
INLINKS = "tests/indexer/store/test_inlinks.py::"
HERE = "tests/indexer/test_limits.py::"
QUERY = "tests/indexer/search/test_query.py::"

# module:name -> where it is tested below, at and above; "-" and why there is nothing to be tested
TABLE = {
    "captures:_FEW": "tests/indexer/test_captures.py::test_an_address_with_many_spellings_is_found_as_with_few",
    "coordinator:_HEARD_AT_MOST": "tests/indexer/test_answering.py::",
    "coordinator:_REPEATS_AT_ONCE": "tests/indexer/test_repeats.py::",
    "coordinator:_KILLS_AT_MOST": "tests/indexer/test_build.py::test_how_a_worker_ended_is_told_truly",
    "index:_LOOK_S": "- a time",
    "choosing:_ARCHIVE_NAME": "- no number",
    "listing:_COUNTS_KNOWN": "tests/indexer/store/test_recent.py::test_what_was_used_longest_ago_goes_first",
    "listing:_PIECE": "tests/indexer/test_captures.py::",
    "comparing:MOST_TOLD": "- what is told of a comparison, not of an index",
    "run_merges:_FAILED_AT_MOST": "tests/indexer/test_merging_in_a_run.py::",
    "run_merges:_MERGED_AT_ONCE": "tests/indexer/test_merging_in_a_run.py::",
    "sharing:SHARED_BYTES": "tests/indexer/test_sharing.py::",
    "stored_pages:_CHARACTERS_KEPT": "tests/indexer/store/test_recent.py::test_what_was_used_longest_ago_goes_first",
    "stored_pages:_FIRST_BYTES": "tests/indexer/test_stored_pages.py::",
    "stored_pages:_HEADER_BYTES": "tests/indexer/test_stored_pages.py::",
    "worker:GROUP_PAGES": AT_ONCE,
    "worker:GROUP_CHARACTERS": AT_ONCE,
    "worker:GROUPS_AHEAD": AT_ONCE,
    "worker:LARGE_PAGE": HERE + "test_large_pages_are_worked_on_one_at_a_time",
    "worker:BATCH_PAGES": AT_ONCE,
    "worker:BATCH_TOKENS": AT_ONCE,
    "worker:BATCH_CAPTURES": AT_ONCE,
    "store/blocks:BLOCK": AT_ONCE,
    "store/blocks:SMALL": AT_ONCE,
    "store/checking:_PAIRS_AT_ONCE": AT_ONCE,
    "store/columns:MAX_VERSIONS": "tests/indexer/store/test_segment_bytes.py::test_too_many_versions_are_refused",
    "store/columns:RANK_BLOCK": COUNTS,
    "store/compact:_LONGEST_NAME": "tests/indexer/store/test_compact.py::test_a_plain_address_is_kept_as_any_other",
    "store/fold:_ADDRESSES_AT_ONCE": AT_ONCE,
    "store/fold:_SENT_AT_ONCE": AT_ONCE,
    "store/inlinks:MAX_TEXTS": INLINKS + "test_a_page_with_more_texts_than_it_gets",
    "store/inlinks:MAX_TIMES": INLINKS + "test_random_graphs_give_each_page_the_texts_of_the_plain_search",
    "store/inlinks:_LINKS_AT_ONCE": AT_ONCE,
    "store/joined:_ROWS_AT_ONCE": "tests/indexer/store/test_joined.py::",
    "store/links:_ROWS_AT_ONCE": "tests/indexer/store/test_links.py::test_more_rows_than_are_looked_at_at_once",
    "store/merging:_BYTES_AT_ONCE": AT_ONCE,
    "store/packed_strings:_MOST": "tests/indexer/store/test_packed_strings.py::"
    "test_a_block_that_unpacks_to_very_much_is_refused",
    "store/pages:_AT_ONCE": AT_ONCE,
    "store/plans:MERGE_VERSIONS": HERE + "test_segments_are_merged_up_to_so_many_versions",
    "store/plans:MERGE_OCCURRENCES": "tests/indexer/store/test_plans.py::",
    "store/plans:FEW_TIMES": "tests/indexer/store/test_plans.py::",
    "store/plans:FREE_VERSIONS": "tests/indexer/store/test_plans.py::",
    "store/plans:PARTS_AT_MOST": "tests/indexer/store/test_plans.py::",
    "store/plans:LEAST_PART": "tests/indexer/store/test_plans.py::",
    "store/postings:FEW": "tests/indexer/store/test_postings.py::test_a_word_of_each_page_takes_a_bit_a_page",
    "store/postings:OTHER": COUNTS,
    "store/postings:RARE": COUNTS,
    "store/runs:LONG": COUNTS,
    "store/segment:_READ_AT_ONCE": AT_ONCE,
    "store/snapshot:_NUMBERS_AT_ONCE": AT_ONCE,
    "store/snapshot:_RANKINGS_KNOWN": AT_ONCE,
    "store/timeline:_MIME_CHARS": HERE + "test_media_types_and_statuses_that_do_not_fit",
    "store/timeline:_MIMES_AT_MOST": HERE + "test_more_media_types_than_a_segment_keeps",
    "store/timeline:_GREATEST_STATUS": HERE + "test_media_types_and_statuses_that_do_not_fit",
    "store/writer:_ADDRESSES_AT_ONCE": AT_ONCE,
    "store/writer:_SEEN_BYTES": AT_ONCE,
    "text/analysis:MAX_WORD": HERE + "test_a_word_of_so_many_letters",
    "text/analysis:MAX_TEXT": HERE + "test_a_page_of_so_much_text",
    "text/documents:MOST_PLACES": "tests/indexer/text/test_documents.py::",
    "text/documents:RECORDS_OF_A_SHARE": "tests/indexer/test_sharing.py::",
    "text/elements:MAX_TITLE": HERE + "test_a_title_of_so_many_letters",
    "text/elements:MAX_LINKS": HERE + "test_a_page_with_so_many_links",
    "text/elements:MAX_LINK_TEXT": HERE + "test_a_link_of_so_many_letters",
    "text/detection:_FEW_WORDS": "tests/indexer/text/test_detection.py::",
    "text/sax:_MAX_TAGS": "tests/indexer/text/test_documents.py::",
    "text/sax:_MAX_BLOCK_DEPTH": "tests/indexer/text/test_documents.py::",
    "text/sax:_MAX_FORMATTING_DEPTH": "tests/indexer/text/test_documents.py::",
    "text/sketch:FEWEST_WORDS": "tests/indexer/text/test_sketch.py::",
    "text/sketch:MOST_SHINGLES": "tests/indexer/text/test_sketch.py::",
}
_LIMIT = re.compile(
    r"_?(MAX|MOST|LEAST|GREATEST|FEW|LONG|RARE)|.*(_AT_ONCE|_AT_MOST|AT_ONCE)$|_?(BATCH|GROUP|MERGE)_"
)


def test_the_table_names_every_limit_of_the_store() -> None:
    found = set()
    root = REPOSITORY / "indexer"
    for path in root.glob("store/*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            for target in targets:
                names = target.elts if isinstance(target, ast.Tuple) else [target]
                found |= {
                    f"{path.relative_to(root).with_suffix('')}:{name.id}"
                    for name in names
                    if isinstance(name, ast.Name) and name.id.isupper() and _LIMIT.match(name.id)
                }
    assert found - TABLE.keys() == set()
    for place in TABLE.values():
        if not place.startswith("-"):
            file, _, name = place.partition("::")
            assert f"def {name}" in (REPOSITORY / file).read_text(encoding="utf-8")


# ---- how much is done at once

_ALL_AT_ONCE = [
    f"indexer.{name.partition(':')[0].replace('/', '.')}.{name.partition(':')[2]}"
    for name, place in TABLE.items()
    if place == AT_ONCE
] + [
    "indexer.search.hits._AT_ONCE", "indexer.search.link_table._LINKS_AT_ONCE",
    "indexer.search.link_table._ROWS_AT_ONCE", "indexer.search.lsi._PAIRS_AT_ONCE",
    "indexer.search.scoring._SCORED_AT_ONCE", "indexer.search.scoring._FIRST",
    "indexer.listing._KEYS_AT_ONCE",
]  # fmt: skip
_FLOORS = {"BLOCK": 64, "SMALL": 0}  # of what cannot be any number


@pytest.mark.parametrize("amount", [1, 2, 7])
def test_how_much_is_done_at_once_changes_no_answer(tmp_path: Path, amount: int) -> None:
    paths = index_damage.write_archives(tmp_path, random.Random(5))
    (index := tmp_path / "index").mkdir()

    def answers() -> dict[str, Any]:
        build_index(paths, str(index), options=IndexOptions(workers=1, rebuild=True))
        with open_index(str(index)) as opened:
            assert opened.check() == []
            questions = index_damage.questions_for(opened)
            return {name: question(opened) for name, question in questions.items()}

    with pytest.MonkeyPatch.context() as patch:
        run_in_one_process(patch, batch_pages=2500)
        patch.setattr("indexer.index._LOOK_S", 60)
        build_index(paths, str(index), options=IndexOptions(workers=1))
        expected = answers()
        for name in _ALL_AT_ONCE:
            last = name.rpartition(".")[2]
            patch.setattr(name, max(amount, _FLOORS.get(last, 1)) if last != "SMALL" else 0)
        assert answers() == expected


# ---- what does not fit


def check_against_plain(index: DirectIndex, queries: Sequence[str], *, folded: bool = True) -> None:
    """Assert that an index is sound and answers as the plain search does."""
    if folded:
        index.writer.merge()
    assert check_generation(index.folder) == []
    snapshot = index.snapshot()
    names = addresses(snapshot)
    plain = PlainSearch(index.live(), Ranking(), folded=folded)
    for query in queries:
        found = search(snapshot, parse_query(query), Ranking(), offset=0, limit=10_000)
        total, expected, _ = plain.search(parse_query(query))
        assert (found.total, [names[item.document] for item in found.found]) == (
            total, [url for url, _ in expected],
        )  # fmt: skip
        assert [item.score for item in found.found] == pytest.approx([score for _, score in expected])


def version(number: int, text: str, **more: Any) -> PlainVersion:
    return PlainVersion(f"http://a.example/{number}", running=((BODY, text + "\n"),), **more)


@pytest.mark.parametrize("times", [7, 8, 9, 63, 64, 65, 254, 255, 256, 257, 65_535, 65_536])
def test_a_word_that_stands_so_many_times(tmp_path: Path, times: int) -> None:
    with DirectIndex(tmp_path) as index:
        index.add("1", [version(1, "heron " * times + "gull"), version(2, "heron gull"), version(3, "gull")])
        check_against_plain(index, ["heron", '"heron gull"', "gull"] if times < 300 else ["heron", "gull"])


@pytest.mark.parametrize("shapes", [13, 14, 15, 16, 17, 18, 253, 254, 255, 256, 257, 258])
def test_so_many_shapes_of_a_pair(tmp_path: Path, shapes: int) -> None:
    pages = [version(n, "heron " * (n // 20 + 1), title="heron " * (n % 20) + "x") for n in range(shapes)]
    with DirectIndex(tmp_path) as index:
        index.add("1", pages)
        check_against_plain(index, ["heron", "title:heron"])


@pytest.mark.parametrize("gap", [253, 254, 255, 256, 257, 511, 512])
def test_a_gap_of_so_many_versions(tmp_path: Path, gap: int) -> None:
    pages = [version(n, "heron" if n in (0, gap, gap + 1) else "gull") for n in range(gap + 3)]
    with DirectIndex(tmp_path) as index:
        index.add("1", pages)
        check_against_plain(index, ["heron"])


@pytest.mark.parametrize("count", [255, 256, 257])
def test_so_many_hosts_and_languages(tmp_path: Path, count: int) -> None:
    codes = [f"{chr(97 + n // 26 % 26)}{chr(97 + n % 26)}x" for n in range(count)]
    pages = [
        PlainVersion(f"http://h{n}.example/", language=codes[n], running=((BODY, "heron\n"),))
        for n in range(count)
    ]
    with DirectIndex(tmp_path) as index:
        index.add("1", pages)
        check_against_plain(
            index, [f"heron site:h{count - 1}.example", f"heron lang:{codes[-1]}", f"lang:{codes[0]} heron"]
        )


@pytest.mark.parametrize("pages", [3, 4, 5, 8, 9])
def test_segments_are_merged_up_to_so_many_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: int
) -> None:
    monkeypatch.setattr("indexer.store.plans.MERGE_VERSIONS", 4)
    with DirectIndex(tmp_path) as index:
        for number in range(pages):
            index.add(str(number), [version(number, f"heron word{number}")])
        check_against_plain(index, ["heron", f"word{pages - 1}"])
        sizes = [entry["versions"] for entry in index.writer.segments()]
        assert max(sizes) <= 4 and len(sizes) == -(-pages // 4)


@pytest.mark.parametrize("letters", [63, 64, 65, 200])
def test_a_word_of_so_many_letters(tmp_path: Path, letters: int) -> None:
    word = "x" * letters
    with DirectIndex(tmp_path) as index:
        index.add("1", [version(1, word + " end"), version(2, "x" * 64), version(3, "x" * 63)])
        check_against_plain(index, [word, word + "y", "x" * 63, "end"])


def test_media_types_and_statuses_that_do_not_fit(tmp_path: Path) -> None:
    types = ["text/" + "x" * (length - 5) for length in (99, 100, 101)]
    pages = [version(n, "heron", mime=mime) for n, mime in enumerate(types)]
    pages += [version(9 + n, "heron", status=status) for n, status in enumerate((65_534, 65_535, 65_536, -1))]
    with DirectIndex(tmp_path) as index:
        index.add("1", pages)
        index.writer.merge()
        assert check_generation(index.folder) == []
        [live] = index.snapshot().segments
        assert [row[3] for row in live.captures.rows()[:3]] == [mime[:100] for mime in types]
        assert live.captures.status.tolist()[3:] == [65_534, 65_535, 0, 0]


@pytest.mark.parametrize("count", [2, 3, 4, 6])
def test_more_media_types_than_a_segment_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(timeline, "_MIMES_AT_MOST", 4)  # the first is ""
    pages = [version(n, "heron", mime=f"text/x{n}") for n in range(count)]
    with DirectIndex(tmp_path) as index:
        index.add("1", pages)
        index.add("2", [version(0, "heron", mime="text/again", captured=("20300101000000",))])
        index.writer.merge()
        assert check_generation(index.folder) == []
        [live] = index.snapshot().segments
        known = [row[3] for row in live.captures.rows() if row[3]]
        assert len(set(known)) == len(known) == min(count + 1, 3)


# ---- from markup on


def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: dict[str, str]) -> str:
    run_in_one_process(monkeypatch, batch_pages=100)
    path = write_warc(tmp_path / "a.warc.gz", [response(url, html) for url, html in pages.items()])
    build_index([path], str(tmp_path / "index"), options=IndexOptions(workers=1))
    with open_index(str(tmp_path / "index")) as index:
        assert index.check() == []
    return str(tmp_path / "index")


def total(index: str, query: str) -> int:
    with open_index(index) as opened:
        return opened.search(query, with_snippets=False).total


# an odd tag makes the tree be walked; without it the markup is read from its columns
WAYS = pytest.mark.parametrize("odd", ["", "<noframes>x</noframes>"])


@WAYS
@pytest.mark.parametrize("links", [999, 1000, 1001])
def test_a_page_with_so_many_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: str, links: int
) -> None:
    names = "".join(f"<a href=http://b.example/>word{number}</a> " for number in range(links))
    pages = {"http://a.example/": odd + names, "http://b.example/": "<p>heron"}
    index = built(tmp_path, monkeypatch, pages)
    for number in (0, 998, 999, 1000):
        assert total(index, f"inlink:word{number}") == (number < min(links, 1000)), number
        assert total(index, f"anchor:word{number}") == (number < links)


@WAYS
@pytest.mark.parametrize("letters", [199, 200, 201])
def test_a_link_of_so_many_letters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: str, letters: int
) -> None:
    text = "x" * (letters - 4) + " end"
    html = f"{odd}<p><a href=http://b.example/>{text}</a>"
    index = built(tmp_path, monkeypatch, {"http://a.example/": html, "http://b.example/": "<p>heron"})
    assert total(index, "inlink:end") == (letters <= 200)
    assert total(index, "inlink:en") == (letters == 201)
    assert total(index, "anchor:end") == 1


@WAYS
@pytest.mark.parametrize("letters", [999, 1000, 1001])
def test_a_title_of_so_many_letters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: str, letters: int
) -> None:
    title = "x" * (letters - 4) + " end"
    index = built(tmp_path, monkeypatch, {"http://a.example/": f"<title>{title}</title>{odd}<p>heron"})
    with open_index(index) as opened:
        [hit] = opened.search("title:end").hits
    assert hit.title == title[:1000]


@WAYS
@pytest.mark.parametrize("room", [8, 9, 10, 11, 12, 13])
def test_a_page_of_so_much_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: str, room: int) -> None:
    monkeypatch.setattr("indexer.worker.MAX_TEXT", room)
    html = f"<title>ab</title><p>cd <b>ef</b> gh{odd}"  # 2 and 8 characters
    index = built(tmp_path, monkeypatch, {"http://a.example/": html})
    for word, end in (("ab", 2), ("cd", 4), ("ef", 7), ("gh", 10)):
        assert total(index, word) == (end <= room), word
    # the end of the last block is text, too
    whole = 11 + (2 if odd else 0)
    with open_index(index) as opened:
        assert any("longer than" in damage.problem for damage in opened.statistics().damaged) == (
            room < whole
        )


@pytest.mark.parametrize(("room", "words"), [(36, 4), (37, 8), (38, 8), (55, 8), (56, 12)])
def test_text_is_counted_as_it_is_once_normalized(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, words: int
) -> None:
    """U+FDFA alone becomes four words of 18 characters: a page of nothing else took 1.5 GB."""
    monkeypatch.setattr("indexer.worker.MAX_TEXT", room)
    index = built(tmp_path, monkeypatch, {"http://a.example/": "<p>" + "\ufdfa " * 5})
    with open_index(index) as opened:
        [live] = opened._current().segments
        assert live.segment.lengths[0, BODY] == words


def test_large_pages_are_worked_on_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_in_one_process(monkeypatch)
    monkeypatch.setattr("indexer.worker.GROUP_CHARACTERS", 1000)
    monkeypatch.setattr("indexer.worker.LARGE_PAGE", 1600)
    real, inside, most = Worker._add_pages, list[int](), list[int]()

    def count(self: Worker, new: Any, entry: Any) -> None:
        assert len(new) == 1
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.02)  # long enough for another to come in
        real(self, new, entry)
        inside.pop()

    monkeypatch.setattr(Worker, "_add_pages", count)
    paths = [
        write_warc(
            tmp_path / f"{name}.warc.gz",
            [response(f"http://{name}.example/{n}", f"<p>heron {n} " + "x " * 800) for n in range(9)],
        )
        for name in "abcd"
    ]
    build_index(paths, str(tmp_path / "index"), options=IndexOptions(workers=4))
    assert len(most) == 36 and max(most) == 1
    assert total(str(tmp_path / "index"), "heron") == 36
