"""Did you mean, suggestions and pages like another, over an index of real archives."""

from __future__ import annotations

import gc
import re
import weakref
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from indexer import Index, build_index, open_index
from indexer.search.lexicon import Lexicon, frequent_words, holdings
from indexer.search.suggest import Suggestion, completions, host_suggestions
from indexer.text.languages import STOP_WORDS
from tests.indexer.making import DirectIndex, response, write_warc
from tests.indexer.plain import PlainVersion
from tests.store_batches import colliding_words

TEXTS = [
    ("http://herons.example/grey", "Grey heron", "The grey heron stands in the pond. Web archives keep it."),
    ("http://herons.example/night", "Night heron", "The night heron nests near the pond in reeds."),
    ("http://pond.example/", "Pond life", "Frogs and herons live in the pond among reeds."),
    ("http://pond.example/cafe", "Café by the pond", "Coffee at the pond."),
    ("http://other.example/", "Orchestra", "The orchestra plays research music."),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("spelling")
    records = [
        response(
            f"{url}?{copy}" if copy else url,
            f'<html lang="en"><title>{title}</title><p>{text} {copy}</p></html>',
        )
        for url, title, text in TEXTS
        for copy in range(7)
    ]
    build_index([write_warc(folder / "pages.warc.gz", records)], str(folder / "index"))
    with open_index(str(folder / "index")) as opened:
        yield opened


@pytest.mark.parametrize(
    "query, meant",
    [
        ("orchstra", "orchestra"),
        ("orhcestra music", "orchestra music"),
        ("grey hreon", "grey heron"),
        ("greyheron", "grey heron"),
        ("re search", "research"),
        ("title:orchstra", "title:orchestra"),
        ("site:other.example orchstra", "site:other.example orchestra"),
        # right as they are, quoted, too short, or nothing near
        ("heron", None),
        ("orchestra", None),
        ("=orchstra", None),
        ('"orchstra"', None),
        ("xyzzyx", None),
        ("hte", None),
        ("", None),
        ("-orchstra", None),
        # other words would find no page either
        ("orchstra frogs", None),
    ],
)
def test_did_you_mean(index: Index, query: str, meant: str | None) -> None:
    found = index.search(query)
    assert found.did_you_mean == meant
    if meant:
        assert index.search(meant).total > (0 if len(query.split()) > 1 else found.total)


def test_suggestions(index: Index) -> None:
    found = index.suggest("grey he")
    assert Suggestion("word", "grey heron", "grey heron", 14) in found
    assert [one.text for one in found if one.kind == "title"] == ["Grey heron"]
    (host,) = [one for one in index.suggest("her") if one.kind == "host"]
    assert (host.text, host.query, host.pages) == ("herons.example", "site:herons.example", 14)


def test_what_is_suggested_finds_something(index: Index) -> None:
    for typed in ("g", "he", "po", "caf", "orch", "night h"):
        for one in index.suggest(typed):
            assert index.search(one.query).total > 0, one


@pytest.mark.parametrize(
    "typed", ["", " ", "heron ", '"', "-", "site:", "a:b:c", "\ud800", "日", "x" * 5000, "(", "zzzz", "\0"]
)
def test_odd_beginnings_are_no_error(index: Index, typed: str) -> None:
    assert all(one.text for one in index.suggest(typed))


def test_stop_words_are_not_suggested(index: Index) -> None:
    assert "the" not in [one.text for one in index.suggest("th")]


def test_pages_like_another(index: Index) -> None:
    found = index.similar("http://herons.example/grey", limit=20)
    assert "http://herons.example/grey" not in [hit.url for hit in found.hits]
    assert found.hits[0].url.startswith("http://herons.example/grey?")
    assert {word.text for word in found.added} >= {"grey", "stands"} and max(
        word.weight for word in found.added
    ) == 1
    assert all(word.source == "similar" for word in found.added)
    assert index.similar("http://nowhere.example/").hits == ()
    assert len(index.similar("http://pond.example/", limit=3).hits) == 3
    assert index.similar("http://pond.example/", limit=0).hits == ()


words = st.text(st.sampled_from("abcdé日x"), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.lists(words, min_size=1, max_size=8), min_size=1, max_size=4), words)
def test_the_lexicon_agrees_with_a_walk_over_all_words(
    tmp_path_factory: pytest.TempPathFactory, pages: list[list[str]], asked: str
) -> None:
    with DirectIndex(tmp_path_factory.mktemp("lexicon")) as made:
        versions = [
            PlainVersion(f"http://h{n}.example/", "fr", running=((6, " ".join(page)),))
            for n, page in enumerate(pages)
        ]
        made.add("one", versions[:2])
        if versions[2:]:
            made.add("two", versions[2:])
        snapshot = made.snapshot()
        held: Counter[str] = Counter()
        for version in versions:
            held.update(set(version.words))
        for live in snapshot.segments:
            lexicon, segment = Lexicon.of(live.segment), live.segment
            mine = [segment.word_at(row) for row in range(len(segment.word_ids))]
            assert sorted(segment.word_at(int(row)) for row in lexicon.beginning(asked)) == sorted(
                word for word in mine if word.startswith(asked)
            )
            for pattern, expression in (
                ("{}*", "{}.*"),
                ("{}**", "{}.*"),
                ("*{}*", ".*{}.*"),
                ("?{}*", ".{}.*"),
            ):
                fits = re.compile(expression.format(asked)).fullmatch
                rows = lexicon.fitting(pattern.format(asked)).tolist()
                assert rows == [row for row, word in enumerate(mine) if fits(word)]
            for edits in (1, 2):
                assert sorted(word for _, word, _ in lexicon.alike(asked, edits)) == sorted(
                    word for word in mine if OSA.distance(asked, word) <= edits
                )
        assert holdings(snapshot, [*held, "absent"]).tolist() == [*held.values(), 0]
        expected = sorted(
            ((word, count) for word, count in held.items() if word.startswith(asked)),
            key=lambda item: (-item[1], item[0]),
        )
        assert completions(snapshot, asked, 100) == [
            item for item in expected if item[0] not in STOP_WORDS["fr"]
        ]


def test_a_word_is_not_held_where_another_one_of_its_id_is(tmp_path: Path) -> None:
    first, second = colliding_words()
    records = [response("http://a.example/", f"<p>{first} pond</p>")]
    build_index([write_warc(tmp_path / "pages.warc.gz", records)], str(tmp_path / "index"))
    with open_index(str(tmp_path / "index")) as opened:
        assert holdings(opened._current(), [second, first, "pond"]).tolist() == [0, 1, 1]


def test_words_and_hosts_of_removed_pages_are_not_suggested(tmp_path: Path) -> None:
    with DirectIndex(tmp_path / "index") as made:
        made.add("kept", [PlainVersion("http://here.example/", "en", running=((6, "heron hero"),))])
        gone = [PlainVersion("http://gone.example/", "en", running=((6, "herring heron"),))]
        stays = [PlainVersion("http://too.example/", "en", running=((6, "hermit"),))]
        made.add("gone", gone)
        made.add("more", [*stays, *gone])
        made.forget("gone")
        assert dict(completions(made.snapshot(), "her", 9)) == {
            "heron": 2,
            "hero": 1,
            "hermit": 1,
            "herring": 1,
        }
        made.forget("more")
        snapshot = made.snapshot()
        assert dict(completions(snapshot, "her", 9)) == {"heron": 1, "hero": 1}
        assert [one.text for one in host_suggestions(snapshot, "g", 9)] == []
        assert [one.text for one in host_suggestions(snapshot, "exam", 9)] == ["here.example"]


def test_what_is_learned_of_a_segment_goes_with_it(tmp_path: Path) -> None:
    path = str(tmp_path / "index")
    build_index([write_warc(tmp_path / "a.warc", [response("http://a.example/", "heron")])], path)
    with open_index(path) as index:
        [live] = index._current().segments
        lexicon = Lexicon.of(live.segment)
        assert Lexicon.of(live.segment) is lexicon
        segment = weakref.ref(live.segment)
    del live, lexicon
    gc.collect()
    assert segment() is None


def test_the_words_that_most_versions_hold_come_first(index: Index, tmp_path: Path) -> None:
    words = index.frequent_words(4)
    held = holdings(index._current(), words).tolist()
    assert words[0] == "example" and held == sorted(held, reverse=True) and len(words) == 4
    assert len(index.frequent_words(10_000)) < 10_000
    with DirectIndex(tmp_path) as made:
        assert frequent_words(made.snapshot(), 3) == []
        made.add("a", [PlainVersion(url=f"http://a.example/{n}", title="heron") for n in range(3)])
        made.add("b", [PlainVersion(url=f"http://b.example/{n}", title="egret heron") for n in range(2)])
        assert frequent_words(made.snapshot(), 3) == ["example", "heron", "a"]
        assert frequent_words(made.snapshot(), 1) == ["example"]
