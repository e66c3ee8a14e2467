"""Search against a slow plain scorer that walks every version: same pages, same order, same scores."""

from __future__ import annotations

import hashlib
import math
import random
import tempfile
from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer import IndexOptions, build_index, open_index
from indexer.core.queries import KINDS, handle
from indexer.search import running
from indexer.search.deadline import Deadline
from indexer.search.nodes import Word
from indexer.search.programs import NO_FACTS, facts_of, program_of
from indexer.search.query import parse_query
from indexer.search.running import Carried
from indexer.search.searcher import search
from indexer.search.vocabulary import NOT_WIDE, expand
from indexer.store.bm25f import DEFAULT_B, DEFAULT_BOOST, Ranking
from indexer.store.snapshot import Snapshot
from indexer.text.detection import language_of
from indexer.text.elements import ELEMENTS
from indexer.text.pages import collect_page
from tests.indexer.making import (
    ALT,
    ANCHOR,
    BODY,
    EMPHASIS,
    HEADING,
    DirectIndex,
    addresses,
    page_html,
    version_records,
    write_warc,
)
from tests.indexer.plain import PlainSearch, PlainVersion

# Few words, so that they meet; with forms of one stem, in several languages and scripts, and awkward ones.
WORDS = (
    "run running runs Runner maison maisons Haus Häuser Hauses information informations the of and war der die "
    "information 日本語 日本 本 本日 東京都に ภาษาไทย 한국어 3d b2b don't foo-bar "
    "straße STRASSE ünïcode ﬁsh naïve x über uber ueber Isparta ısparta किताबें किताब שָׁלוֹם"
).split()
QUERY_WORDS = [*WORDS, "naive", "שלום", "日", "語", "京都", "absent", "runner", "example", "org", "one"]
HOSTS = ("one.example", "www.two.example", "deep.two.example", "three.org")
RANKINGS = (
    Ranking(),
    Ranking(idf="classic"),
    Ranking(k1=0.5, boost={**DEFAULT_BOOST, "title": 1.0, "body": 4.0}),
    Ranking(k1=1.2, b={name: 0.0 if name == "title" else 1.0 for name in ELEMENTS}),
    Ranking(boost={**DEFAULT_BOOST, "url": 0.0, "body": 0.0}, b={**DEFAULT_B, "heading": 0.9}),
)

texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
addresses_of_pages = st.tuples(
    st.sampled_from(HOSTS), st.sampled_from(["", "run", "a/b", "x?q=3d", "日本"])
).map(lambda parts: f"http://{parts[0]}/{parts[1]}")
pieces = st.tuples(st.sampled_from([HEADING, ANCHOR, EMPHASIS, BODY, BODY, ALT]), texts)


@st.composite
def versions(draw: st.DrawFn, *, joined: bool = True) -> PlainVersion:
    """A version; with `joined`, words may run on from one piece of running text to the next."""
    end = st.sampled_from(["\n", " ", ""]) if joined else st.just("\n")
    return PlainVersion(
        url=draw(addresses_of_pages),
        language=draw(
            st.sampled_from(["en", "en", "de", "fr", "ja", "ru", "tr", "hi", *([""] if joined else [])])
        ),
        title=draw(texts),
        description=draw(st.one_of(st.just(""), texts)),
        keywords=draw(st.one_of(st.just(""), texts)),
        running=tuple((element, text + draw(end)) for element, text in draw(st.lists(pieces, max_size=5))),
        captured=(draw(st.sampled_from(["20190101000000", "20200101000000"])),),
        links=tuple(draw(st.lists(st.tuples(addresses_of_pages, texts), max_size=2))),
    )


def simple_queries() -> st.SearchStrategy[str]:
    word = st.sampled_from(QUERY_WORDS)
    phrase = st.lists(word, min_size=1, max_size=3).map(lambda words: '"' + " ".join(words) + '"')
    one = st.one_of(word, word, word.map("={}".format), phrase, st.sampled_from(HOSTS).map("site:{}".format))
    with_element = st.tuples(st.sampled_from(ELEMENTS), one).map(lambda pair: f"{pair[0]}:{pair[1]}")
    return st.one_of(one, one, one, with_element)


def joined_queries(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(inner, min_size=2, max_size=3)
    return st.one_of(
        several.map(" ".join),
        several.map(" AND ".join),
        several.map(" OR ".join),
        several.map(lambda parts: "(" + " OR ".join(parts) + ")"),
        inner.map("NOT {}".format),
        inner.map("-({})".format),
        st.tuples(inner, inner).map("{0[0]} -{0[1]}".format),
        st.sampled_from(ELEMENTS).flatmap(lambda name: inner.map(lambda part: f"{name}:({part})")),
    )


queries = st.recursive(simple_queries(), joined_queries, max_leaves=5)


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda handle: None)


cheap = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def assert_agrees(snapshot: Snapshot, plain: PlainSearch, text: str, limit: int = 1000) -> None:
    """Hold the product's answer to a query against the plain one."""
    query = parse_query(text)
    url_of = addresses(snapshot)
    ranked = search(snapshot, query, plain.ranking, offset=0, limit=limit)
    total, expected, notices = plain.search(query)
    assert ranked.total == total, (text, ranked.total, total)
    assert len(ranked.query.notices) == len(query.notices) + notices, text
    found = [(url_of[item.document], item.score) for item in ranked.found]
    assert len(found) == min(total, limit)
    scores = dict(expected)
    for (url, score), (_, plain_score) in zip(found, expected, strict=False):
        assert math.isclose(score, scores[url], rel_tol=1e-9, abs_tol=1e-12), (text, url, score, scores[url])
        assert math.isclose(score, plain_score, rel_tol=1e-9, abs_tol=1e-12), (text, url, score, plain_score)
    order = [(-score, hashlib.md5(url.encode()).digest()[:8]) for url, score in found]
    assert order == sorted(order), text
    assert len({url for url, _ in found}) == len(found)


def assert_pages_agree(snapshot: Snapshot, plain: PlainSearch, text: str) -> None:
    """Results asked for in portions are those asked for at once."""
    query = parse_query(text)
    whole = search(snapshot, query, plain.ranking, offset=0, limit=1000).found
    portions = [
        search(snapshot, query, plain.ranking, offset=at, limit=2).found for at in range(0, len(whole) + 2, 2)
    ]
    assert [(item.document, item.score) for part in portions for item in part] == [
        (item.document, item.score) for item in whole
    ]


@cheap
@given(
    batches=st.lists(st.lists(versions(), min_size=1, max_size=6), min_size=1, max_size=3),
    asked=st.lists(queries, min_size=15, max_size=25),
    ranking=st.sampled_from(RANKINGS),
    weighed_as=st.sampled_from(RANKINGS),
    forgotten=st.integers(0, 2),
    merged=st.booleans(),
    pool=st.sampled_from([1, 3, 100]),
)
def test_answers_are_those_of_a_plain_scorer(
    batches: list[list[PlainVersion]],
    asked: list[str],
    ranking: Ranking,
    weighed_as: Ranking,
    forgotten: int,
    merged: bool,
    pool: int,
) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        DirectIndex(Path(folder), weighed_as) as index,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(running, "POOL", pool)
        for number, batch in enumerate(batches):
            index.add(f"file{number}", batch)
        forgets = len(batches) > 1 and forgotten < len(batches)
        if forgets:
            index.forget(f"file{forgotten}")
        if merged:
            index.writer.merge()
        snapshot = index.snapshot()
        plain = PlainSearch(index.live(), ranking, folded=merged or forgets, pool=pool)
        for text in asked:
            assert_agrees(snapshot, plain, text)
        assert_agrees(snapshot, plain, asked[0], limit=3)
        assert_pages_agree(snapshot, plain, asked[0])
        snapshot.catalogue.close()


def many_versions(seed: int, some: int = 0) -> list[PlainVersion]:
    """Several hundred versions, more than are scored without a look at the bounds first."""
    chance = random.Random(seed)
    some = some or chance.choice((320, 400, 500))
    vocabulary = [f"word{number}" for number in range(20)] + WORDS
    found = []
    for number in range(some):
        words = chance.choices(vocabulary, k=chance.randrange(1, 20))
        if chance.random() < 0.8:
            words += ["common"] * chance.randrange(1, 12)
        found.append(
            PlainVersion(
                url=f"http://{chance.choice(HOSTS)}/{number % (some - 40)}",
                language=chance.choice(("en", "de")),
                title=" ".join(
                    chance.choices(vocabulary, k=chance.randrange(3)) + ["common"] * (chance.random() < 0.1)
                ),
                running=((chance.choice((BODY, HEADING, ALT)), " ".join(words) + "\n"),),
            )
        )
    return found


@pytest.mark.parametrize("weighed_as, ranking", [(0, 0), (0, 1), (1, 2), (2, 3), (4, 0), (3, 4)])
def test_bounds_leave_out_only_what_cannot_reach_the_top(weighed_as: int, ranking: int) -> None:
    asked = [
        "common",
        "common OR run",
        "common word1 OR word2 OR word3",
        "common common run",
        "NOT word5",
        "site:two.example",
        "common -word1",
        "title:common OR body:common",
        '"common common" OR run',
        "common OR NOT word1",
        "=common OR heading:common",
    ]
    many = many_versions(seed=ranking * 10 + weighed_as)
    with tempfile.TemporaryDirectory() as folder, DirectIndex(Path(folder), RANKINGS[weighed_as]) as index:
        # the second file moves the mean lengths and makes a segment that starts with a floor; some of it dies
        index.add("a", many[: len(many) * 2 // 3])
        index.add("b", many[len(many) // 3 :])
        index.forget("a")
        index.writer.fold_links()
        snapshot = index.snapshot()
        plain = PlainSearch(index.live(), RANKINGS[ranking], folded=True)
        for text in asked:
            for limit in (1, 10, 70):
                assert_agrees(snapshot, plain, text, limit)
        snapshot.catalogue.close()


@pytest.mark.parametrize("seed", range(3))
def test_an_element_without_bound_leaves_the_bounds_of_others_as_they_are(tmp_path: Path, seed: int) -> None:
    # with b = 1 there is no bound for an occurrence in an element that the version has not
    ranking = Ranking(b=dict.fromkeys(ELEMENTS, 1.0))
    with DirectIndex(tmp_path, ranking) as index:
        index.add("a", many_versions(seed))
        index.writer.fold_links()
        snapshot = index.snapshot()
        plain = PlainSearch(index.live(), ranking, folded=True)
        for text in ("run OR common", "running OR word2 OR common", "common OR uber"):
            for limit in (1, 10, 70):
                assert_agrees(snapshot, plain, text, limit)
        snapshot.catalogue.close()


@pytest.mark.parametrize(
    "text", ["heading:common", "heading:common OR word1", "heading:comm*", "heading:common title:x"]
)
def test_bounds_of_a_word_in_one_element_are_those_of_the_pages_that_have_it_there(
    tmp_path: Path, text: str
) -> None:
    chance = random.Random(11)
    many = []
    for number in range(1200):
        element = HEADING if chance.random() < 0.4 else BODY
        words = ["common"] * (1 if chance.random() < 0.9 else chance.randrange(2, 60)) + ["word1"] * (
            number % 3 == 0
        )
        many.append(
            PlainVersion(
                f"http://a.example/{number}", title="x", running=((element, " ".join(words) + "\n"),)
            )
        )
    with DirectIndex(tmp_path) as index:
        index.add("a", many)
        index.writer.fold_links()
        snapshot = index.snapshot()
        plain = PlainSearch(index.live(), Ranking(), folded=True)
        for limit in (1, 10, 100):
            assert_agrees(snapshot, plain, text, limit)
        snapshot.catalogue.close()


@pytest.mark.parametrize("ranking", RANKINGS[:4])
def test_what_is_kept_of_words_gives_the_same_answers_again(tmp_path: Path, ranking: Ranking) -> None:
    many = many_versions(seed=4, some=1500)
    asked = (
        "run",
        "common",
        "common run",
        "run OR word1",
        "runs -common",
        "common Häuser",
        '"run" informations',
    )
    with DirectIndex(tmp_path, ranking) as index:
        index.add("a", many[:1100])
        index.add("b", many[900:])
        index.forget("a")
        index.add("c", many[:1000])
        index.writer.fold_links()
        snapshot = index.snapshot()
        plain = PlainSearch(index.live(), ranking, folded=True)
        for text in asked:
            for limit in (10, 1, 300, 10):
                assert_agrees(snapshot, plain, text, limit)
        otherwise = PlainSearch(index.live(), RANKINGS[4], folded=True)
        for text in asked[:4]:
            for scorer in (otherwise, plain, otherwise):  # weights are kept of each ranking
                assert_agrees(snapshot, scorer, text, 10)
        kept = facts_of(snapshot)

        def key_of(word: str) -> Hashable:
            [key] = program_of(snapshot, Word(word), ranking, 0.0, NOT_WIDE).fact_keys
            return key

        words = [key_of(word) for word in ("common", "run", "runs")]
        sizes = [facts.size for facts in kept.find_all(words) if facts is not None]
        assert len(sizes) == 3
        assert all(1000 < size < 30_000 for size in sizes)
        assert kept.find(key_of("absent")) in (None, NO_FACTS)
        snapshot.catalogue.close()


def test_the_bounds_are_looked_at(tmp_path: Path) -> None:
    """The test above is worth something only if most versions are left out unscored."""
    with DirectIndex(tmp_path) as index:
        index.add(
            "a",
            [PlainVersion(f"http://a.example/{n}", running=((BODY, "word " * (n + 1)),)) for n in range(600)],
        )
        index.writer.fold_links()  # a segment has no weights, and so no bounds, before the end of a run
        snapshot = index.snapshot()
        with handle() as query:
            tree = parse_query("word").tree
            assert tree is not None
            carried = Carried(
                query, snapshot, program_of(snapshot, tree, Ranking(), 0.0, NOT_WIDE), Deadline(), count=5
            )
            assert carried.total == 600
            assert len(list(carried.found())) == 5
            assert 0 < carried.told.scored < 200
        snapshot.catalogue.close()


FEW_WORDS = ("the", "run", "runs", "and", "don't", "don", "t")


def versions_with_long_runs(seed: int) -> list[PlainVersion]:
    """Versions in which few words stand again and again, in several elements, some of them very often."""
    chance = random.Random(seed)

    def text(most: int) -> str:
        weights = [chance.random() ** 3 + 0.01 for _ in FEW_WORDS]
        return " ".join(chance.choices(FEW_WORDS, weights, k=chance.randrange(most)))

    return [
        PlainVersion(
            f"http://{chance.choice(HOSTS)}/{number}",
            chance.choice(("en", "de")),
            title=text(5),
            description=text(30),
            keywords=text(5),
            running=tuple(
                (chance.choice((HEADING, ANCHOR, BODY, ALT)), text(chance.choice((5, 40, 150))) + "\n")
                for _ in range(chance.randrange(6))
            ),
            links=((f"http://{chance.choice(HOSTS)}/{chance.randrange(15)}", text(4)),),
        )
        for number in range(15)
    ]


@pytest.mark.parametrize("seed", range(4))
def test_places_of_words_that_stand_again_and_again(tmp_path: Path, seed: int) -> None:
    """Of long runs of positions only some are read: those near the places of another word."""
    chance = random.Random(seed)

    def words(count: int) -> list[str]:
        return chance.choices([*FEW_WORDS, "example"], k=count)

    def asked() -> str:
        phrase = " ".join(words(chance.randrange(1, 5)))
        one, other = words(2)
        text = chance.choice(
            (
                f'"{phrase}"',
                f'"{phrase}"~{chance.randrange(1, 4)}',
                f'"{one} {other}"~{chance.choice((1, 2, 20))}',
                f"{one} NEAR/{chance.choice((1, 2, 3, 20, 28, 29, 58, 100))} {other}",
                f"={one} NEAR/{chance.randrange(1, 4)} {other}",
                f'{one} NEAR/2 "{phrase}"',
            )
        )
        return chance.choice((text, text, f"{chance.choice(ELEMENTS)}:({text})", f"text:({text})"))

    with DirectIndex(tmp_path) as index:
        index.add("a", versions_with_long_runs(seed))
        index.add("b", versions_with_long_runs(seed + 100))
        index.writer.fold_links()
        snapshot = index.snapshot()
        plain = PlainSearch(index.live(), Ranking(), folded=True)
        for _ in range(60):
            assert_agrees(snapshot, plain, asked())
        snapshot.catalogue.close()


def test_near_words_and_phrases_around_where_marks_of_a_page_end(tmp_path: Path) -> None:
    """Of pages of up to 16,384 words is marked what stands where; longer ones are read otherwise."""
    chance, marks = random.Random(5), 1 << 14

    def page(number: int) -> PlainVersion:
        words = ["filler"] * (marks + chance.choice((-30, 5, 11, 400)))
        for place in (
            0,
            marks - 12,
            len(words) - 12,
        ):  # the words in groups, also around the last place with a mark
            words[place : place + 12] = chance.choices([*FEW_WORDS, "filler", "filler"], k=12)
        for _ in range(chance.choice((0, 10, 200))):  # more than are read one and all
            words[chance.randrange(len(words))] = chance.choice(FEW_WORDS)
        link = (f"http://one.example/{chance.randrange(4)}", " ".join(chance.choices(FEW_WORDS, k=3)))
        running = ((BODY, " ".join(words) + "\n"), (HEADING, " ".join(chance.choices(FEW_WORDS, k=4)) + "\n"))
        return PlainVersion(
            f"http://one.example/{number}", "en", title="the run", running=running, links=(link,)
        )

    with DirectIndex(tmp_path) as index:
        index.add("a", [page(number) for number in range(4)])
        index.writer.fold_links()
        snapshot = index.snapshot()
        plain = PlainSearch(index.live(), Ranking(), folded=True)
        for _ in range(12):
            words = chance.choices(FEW_WORDS, k=chance.randrange(2, 5))
            text = chance.choice(('"%s"', "%s", "text:(%s)")) % " ".join(words)
            assert_agrees(snapshot, plain, text, limit=chance.choice((1, 3, 1000)))
        snapshot.catalogue.close()


def test_words_that_no_page_holds_together_are_never_near(tmp_path: Path) -> None:
    """Whether lists of them have masks or not, and where pages have several versions."""
    versions = [
        PlainVersion(
            f"http://one.example/{number % (90 if number % 3 else 7)}",
            "en",
            running=((BODY, " ".join(("often run" if number % 2 else "much runs", f"rare{number}", "of"))),),
        )
        for number in range(100)
    ]
    with DirectIndex(tmp_path) as index:
        index.add("a", versions)
        index.add(
            "b", [PlainVersion("http://two.org/", "en", title="often much", running=((BODY, "rare2 rare5"),))]
        )
        snapshot = index.snapshot()
        plain = PlainSearch(index.live(), Ranking())
        for text in ("often much", "often OR much", "rare1 rare2", "rare2 rare5", "rare4 often", "rare4 OR often",
                     "title:often much", "often rare5 much", "run OR runs OR rare8"):  # fmt: skip
            for limit in (1, 3, 1000):
                assert_agrees(snapshot, plain, text, limit)
        snapshot.catalogue.close()


@pytest.mark.parametrize("seed", range(3))
def test_near_words_are_read_of_some_versions_at_a_time(tmp_path: Path, seed: int) -> None:
    """Those that may win first, so that lists of rare and of frequent forms are gone back in."""
    chance = random.Random(seed)
    forms = ("run", "running", "runs", "runner", "often", "oftener", "much")

    def version(number: int) -> PlainVersion:
        words = chance.choices(forms, weights=(30, 8, 4, 1, 30, 1, 30), k=chance.randrange(3, 40))
        words += ["filler"] * chance.randrange(60)
        chance.shuffle(words)
        return PlainVersion(f"http://one.example/{number}", "en", running=((BODY, " ".join(words)),))

    with DirectIndex(tmp_path) as index:
        index.add("a", [version(number) for number in range(150)])
        index.add("b", [version(number) for number in range(150, 240)])
        snapshot = index.snapshot()
        plain = PlainSearch(index.live(), Ranking())
        for text in (
            "run often",
            "runs much often",
            "run OR often OR much",
            "oftener run",
            "runner much run",
        ):
            for limit in (1, 3, 10, 1000):
                assert_agrees(snapshot, plain, text, limit)
        snapshot.catalogue.close()


def random_versions(seed: int) -> list[PlainVersion]:
    chance = random.Random(seed)
    found = []
    for number in range(60):
        captured = tuple(f"20{chance.randrange(10, 25)}0101000000" for _ in range(chance.randrange(1, 3)))
        found.append(
            PlainVersion(
                f"http://{chance.choice(HOSTS)}/{number % 45}",
                chance.choice(("en", "de", "fr", "ja", "tr")),
                title=" ".join(chance.choices(WORDS, k=chance.randrange(6))),
                description=" ".join(chance.choices(WORDS, k=chance.randrange(6))),
                keywords=" ".join(chance.choices(WORDS, k=chance.randrange(6))),
                running=tuple(
                    (
                        chance.choice((HEADING, ANCHOR, EMPHASIS, BODY, ALT)),
                        " ".join(chance.choices(WORDS, k=6)) + "\n",
                    )
                    for _ in range(chance.randrange(5))
                ),
                captured=captured,
            )
        )
    return found


def test_archives_indexed_in_several_runs_answer_like_the_plain_scorer(tmp_path: Path) -> None:
    """The whole way: WARC files, three runs of build_index, a file that changes, merges, a rebuild."""
    ask = parse_asked(40, seed=1)
    folder = str(tmp_path / "index")
    versions_of = {name: random_versions(seed) for seed, name in enumerate("abc")}
    files = {
        name: write_warc(tmp_path / f"{name}.warc.gz", version_records(found))
        for name, found in versions_of.items()
    }
    options = IndexOptions(workers=2)
    build_index([files["a"]], folder, options=options)
    statistics = build_index([files["b"], files["c"], files["a"]], folder, options=options)
    assert_index_agrees(folder, versions_of, ask)
    assert statistics.captures == sum(len(v.captured) for found in versions_of.values() for v in found)
    # a file that changes is read anew: what only it held goes
    versions_of["a"] = [*random_versions(7)[:20], *versions_of["b"][:5]]
    write_warc(tmp_path / "a.warc.gz", version_records(versions_of["a"]))
    build_index([files["a"]], folder, options=options)
    assert_index_agrees(folder, versions_of, ask)
    build_index(list(files.values()), folder, options=IndexOptions(workers=2, rebuild=True))
    assert_index_agrees(folder, versions_of, ask)


def parse_asked(count: int, seed: int) -> list[str]:
    chance = random.Random(seed)

    def part() -> str:
        word = chance.choice(QUERY_WORDS)
        return chance.choice(
            (
                word,
                word,
                f"={word}",
                f'"{word} {chance.choice(WORDS)}"',
                f"title:{word}",
                f"site:{chance.choice(HOSTS)}",
                f"-{word}",
            )
        )

    return [
        chance.choice((" ", " AND ", " OR ")).join(part() for _ in range(chance.randrange(1, 4)))
        for _ in range(count)
    ]


def assert_index_agrees(folder: str, versions_of: dict[str, list[PlainVersion]], asked: list[str]) -> None:
    live = [
        replace(version, language=language_of(collect_page(page_html(version).decode())))
        for version in dict.fromkeys(version for found in versions_of.values() for version in found)
    ]
    plain = PlainSearch(live, Ranking(), folded=True)
    with open_index(folder) as index:
        assert index.check() == []
        statistics = index.statistics()
        assert statistics.versions == len(live)
        assert statistics.sites == len({version.host for version in live})
        assert statistics.documents == len({version.url for version in live})
        for text in asked:
            results = index.search(text, limit=1000, with_snippets=False)
            total, expected, _ = plain.search(parse_query(text))
            assert results.total == total == len(results.hits), text
            for hit, (_, score) in zip(results.hits, expected, strict=True):
                assert math.isclose(hit.score, score, rel_tol=1e-9, abs_tol=1e-12), text
                assert math.isclose(hit.score, dict(expected)[hit.url], rel_tol=1e-9, abs_tol=1e-12), text
                same = [v for found in versions_of.values() for v in found if v.url == hit.url]
                # the same record in two files is one capture for readers; within a file each counts
                held = Counter[tuple[PlainVersion, str]]()
                for found in versions_of.values():
                    held |= Counter((v, t) for v in found if v.url == hit.url for t in v.captured)
                assert hit.captures == held.total()
                assert hit.versions == len(set(same))


@pytest.mark.parametrize("text", ["w*", "title:w*", "run", '"common common"'])
def test_weights_of_many_versions_are_those_of_each(tmp_path: Path, text: str) -> None:
    with DirectIndex(tmp_path) as index:
        index.add("a", many_versions(seed=7, some=700))
        snapshot = index.snapshot()
        tree = parse_query(text).tree
        assert tree is not None
        expansions = expand(tree, (layer for live in snapshot.segments for layer in live.layers), Deadline())
        with handle() as query:
            carried = Carried(
                query, snapshot, program_of(snapshot, tree, Ranking(), 0.0, expansions), Deadline(), count=1
            )
            [leaf] = carried.leaves
            for chosen in (np.arange(700), np.arange(3, 700, 2)):
                norms = np.random.default_rng(1).random((len(chosen), KINDS))
                together = carried.weights(leaf, 0, chosen, norms)
                alone = [
                    carried.weights(leaf, 0, chosen[n : n + 1], norms[n : n + 1])[0]
                    for n in range(len(chosen))
                ]
                assert together.tolist() == alone
                assert (together > 0).any()
        snapshot.catalogue.close()
