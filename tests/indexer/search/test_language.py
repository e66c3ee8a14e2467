"""Every operator of the query language against the plain matcher that walks all versions; limits, partial answers."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.search.query import parse_query
from indexer.search.searcher import search
from indexer.store.bm25f import Ranking
from indexer.store.snapshot import Snapshot
from indexer.text.elements import ELEMENTS
from tests.indexer.making import ALT, ANCHOR, BODY, HEADING, DirectIndex, addresses
from tests.indexer.plain import PlainSearch, PlainVersion
from tests.indexer.search.test_searcher import assert_agrees, cheap

# Few words, close to each other in spelling, so that wildcards, fuzzy words and nearness meet.
WORDS = "heron herons haron hreon her gull gulls full a b c the don't 800-44 C++ c# 日本語 本日 naïve élan Öl".split()
HOSTS = ("one.example", "www.two.example", "three.co.uk", "bücher.example", "xn--bcher-kva.example")
PATHS = ("", "heron", "a/b", "Gull-Heron.pdf", "x?id=3")
MOMENTS = ("20081231235959", "20090101000000", "20090615120000", "20100101000000", "20110601000000")
ANSWERS = ((200, "text/html"), (404, "text/html"), (200, "application/pdf"), (301, "text/plain"))
DATES = ("2008", "2009", "2009-06", "20090615", "2010", "2011", "20090615120000")

texts = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)


@st.composite
def versions(draw: st.DrawFn) -> PlainVersion:
    return PlainVersion(
        url=f"http://{draw(st.sampled_from(HOSTS))}/{draw(st.sampled_from(PATHS))}",
        language=draw(st.sampled_from(["en", "de", "ja", ""])),
        title=draw(texts),
        keywords=draw(st.one_of(st.just(""), texts)),
        running=tuple(
            (element, text + end)
            for element, text, end in draw(
                st.lists(
                    st.tuples(
                        st.sampled_from([HEADING, ANCHOR, BODY, BODY, ALT]),
                        texts,
                        st.sampled_from(["\n", " "]),
                    ),
                    max_size=4,
                )
            )
        ),
        captured=tuple(draw(st.lists(st.sampled_from(MOMENTS), min_size=1, max_size=3))),
        answers=tuple(draw(st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=2))),
    )


word = st.sampled_from(
    [*WORDS, "absent", "heron~1", "C++", "her~2", "gul~", "he*", "*ll*", "h?ron", "*", "*n", "gull^2"]
)
plain_word = st.sampled_from(WORDS)
phrase = st.builds(
    lambda words, slop: f'"{" ".join(words)}"' + (f"~{slop}" if slop else ""),
    st.lists(
        st.sampled_from(["heron", "gull", "a", "b", "the", "herons", "c++", "日本語"]), min_size=1, max_size=4
    ),
    st.integers(0, 5),
)
leaf = st.one_of(word, word, phrase, plain_word.map("={}".format))
near = st.recursive(
    leaf,
    lambda inner: st.one_of(
        st.builds("{} NEAR/{} {}".format, inner, st.integers(1, 4), leaf),
        st.builds("{} NEAR/{} ({})".format, leaf, st.integers(1, 4), inner),
        st.builds("({} OR {}) NEAR/2 {}".format, leaf, inner, leaf),
        st.builds("({} {}) NEAR/3 {}".format, leaf, leaf, inner),
        st.builds("{} NEAR/3 ({} {})".format, leaf, leaf, leaf),
    ),
    max_leaves=3,
)
dates = st.sampled_from(DATES)
filters = st.one_of(
    st.builds(
        "{}:{}".format,
        st.sampled_from(["from", "to", "before", "after", "at", "appeared", "vanished"]),
        dates,
    ),
    st.builds("{}:{}..{}".format, st.sampled_from(["from", "appeared", "vanished"]), dates, dates),
    st.sampled_from(
        [
            "status:200",
            "status:4xx",
            "status:3*",
            "type:html",
            "type:pdf",
            "type:text/plain",
            "lang:en",
            "lang:(de OR ja)",
            "lang:unknown",
            "site:example",
            "site:uk",
            "site:www.two.example",
            "inurl:heron",
            "inurl:a/b",
            "inurl:g*",
            "inurl:pdf",
            "status:(200 OR 301)",
            "(from:2009 to:2009)",
        ]
    ),
)
one = st.one_of(leaf, near, filters, filters)


def joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(inner, min_size=2, max_size=4)
    return st.one_of(
        several.map(" ".join),
        several.map(" AND ".join),
        several.map(lambda parts: "(" + " OR ".join(parts) + ")"),
        inner.map("-({})".format),
        st.builds("{}:({})".format, st.sampled_from([*ELEMENTS, "text", "title,keywords", "task"]), inner),
    )


queries = st.recursive(one, joined, max_leaves=5)


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda handle: None)


@cheap
@given(
    st.lists(st.lists(versions(), max_size=6), min_size=1, max_size=3),
    st.lists(queries, min_size=4, max_size=8),
    st.booleans(),
)
def test_every_operator_answers_like_the_plain_matcher(
    batches: list[list[PlainVersion]], asked: list[str], forget: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder, DirectIndex(Path(folder)) as index:
        for number, batch in enumerate(batches):
            index.add(str(number), batch)
        if forget and len(batches) > 1:
            index.forget("0")
        snapshot = index.snapshot()
        plain = PlainSearch(index.live(), Ranking(depth=0.0))
        for text in asked:
            assert_agrees(snapshot, plain, text)
        snapshot.catalogue.close()


@pytest.mark.parametrize(
    "text",
    [
        "at:2008 from:2009 to:2009",
        "at:2008 (heron from:2009 to:2009)",
        "heron from:2009 to:2009 appeared:2008",
    ],
)
def test_one_capture_fits_all_that_is_asked_of_captures_beside_filters_on_pages(
    tmp_path: Path, text: str
) -> None:
    with DirectIndex(tmp_path) as index:
        # one of its captures is before the end of 2009, the other one after its beginning; none is in it
        before_and_after = ("20081231235959", "20100101000000")
        inside = ("20081231235959", "20090301000000", "20100101000000")
        for number, captured in enumerate((before_and_after, inside)):
            url = f"http://a.example/{number}"
            index.add(str(number), [PlainVersion(url, title="heron", captured=captured)])
        snapshot = index.snapshot()
        plain = PlainSearch(index.live(), Ranking(depth=0.0))
        assert_agrees(snapshot, plain, text)
        assert plain.search(parse_query(text))[0] == 1
        snapshot.catalogue.close()


@pytest.mark.parametrize(
    "text",
    [
        'body:((gull OR "b herons"~4 NEAR/3 ("grey herons"~4 owl)) NEAR/2 heron)',
        'gull NEAR/2 ("grey owl"~3 "owl grey"~4)',
        '("gull owl"~2 OR grey) NEAR/3 ("owl heron"~5 OR gull) NEAR/9 "heron gull grey"~6',
    ],
)
def test_phrases_with_slop_among_the_parts_of_a_near(tmp_path: Path, text: str) -> None:
    """What was found of one part has to stay while the words of a phrase are read for another."""
    chance = random.Random(text)
    with DirectIndex(tmp_path) as index:
        words = ["gull", "heron", "grey", "owl", "herons", "b"]
        index.add(
            "a",
            [
                PlainVersion(
                    f"http://a.example/{number}",
                    title=" ".join(chance.choices(words, k=3)),
                    running=((BODY, " ".join(chance.choices(words, k=chance.randrange(2, 30)))),),
                )
                for number in range(80)
            ],
        )
        snapshot = index.snapshot()
        assert_agrees(snapshot, PlainSearch(index.live(), Ranking(depth=0.0)), text)
        assert search(snapshot, parse_query(text), Ranking(), offset=0, limit=1).total
        snapshot.catalogue.close()


ELEMENT_WORDS = "heron herons heronry her gull gulls maison maisons run running the".split()


@pytest.fixture(scope="module")
def many_shapes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Snapshot, PlainSearch]]:
    """Words that stand in elements in hundreds of ways, in two segments of which versions were removed."""
    chance = random.Random(17)

    def text(most: int) -> str:
        return " ".join(chance.choices(ELEMENT_WORDS, k=chance.randrange(most)))

    with DirectIndex(tmp_path_factory.mktemp("shapes")) as index:
        for batch in range(3):
            index.add(
                str(batch),
                [
                    PlainVersion(
                        f"http://a.example/{text(2)}/{batch}/{number}",
                        language=chance.choice(["en", "en", "de", "fr"]),
                        title=text(6),
                        description=text(9) if number % 3 else "",
                        keywords=text(5) if number % 2 else "",
                        running=tuple(
                            (element, text(size))
                            for element, size in ((HEADING, 12), (BODY, 120), (ANCHOR, 25), (ALT, 6))
                            if chance.random() < 0.8
                        ),
                    )
                    for number in range(90)
                ],
            )
        index.forget("1")
        snapshot = index.snapshot()
        assert max(live.segment.file.rows("shape_table") for live in snapshot.segments) > 256
        yield snapshot, PlainSearch(index.live(), Ranking(depth=0.0))
        snapshot.catalogue.close()


@pytest.mark.parametrize("seed", range(12))
def test_words_in_some_elements_are_found_whatever_their_shapes(
    many_shapes: tuple[Snapshot, PlainSearch], seed: int
) -> None:
    chance = random.Random(seed)
    snapshot, plain = many_shapes
    leaves = [
        *ELEMENT_WORDS,
        "*e*",
        "her*",
        "*s",
        "g?ll*",
        "heron~1",
        '"heron gull"',
        '"the run"~3',
        "=run",
        "her NEAR/3 *l*",
    ]
    for _ in range(6):
        parts = [
            f"{chance.choice([*ELEMENTS, 'text', 'title,keywords', 'task'])}:({chance.choice(leaves)})"
            for _ in range(chance.choice([1, 1, 2, 3]))
        ]
        parts = [f"-{part}" if chance.random() < 0.2 else part for part in parts]
        assert_agrees(snapshot, plain, chance.choice([" ", " OR "]).join(parts))


@pytest.fixture(scope="module")
def few_words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Snapshot, PlainSearch]]:
    """Long and short texts of very few words, so that phrases of repeated words are found or nearly so."""
    chance = random.Random(29)

    def text(most: int) -> str:
        return " ".join(chance.choices(["a", "a", "b", "c", "d", "don't"], k=chance.randrange(most)))

    with DirectIndex(tmp_path_factory.mktemp("few")) as index:
        for batch in range(3):
            index.add(
                str(batch),
                [
                    PlainVersion(
                        f"http://a.example/{batch}/{number}",
                        language=chance.choice(["en", "de"]),
                        title=text(8),
                        keywords=text(4),
                        running=((HEADING, text(5)), (BODY, text(25)), (ANCHOR, text(12)), (BODY, text(9))),
                    )
                    for number in range(40)
                ],
            )
        index.forget("1")
        snapshot = index.snapshot()
        yield snapshot, PlainSearch(index.live(), Ranking(depth=0.0))
        snapshot.catalogue.close()


@pytest.mark.parametrize("seed", range(20))
def test_phrases_of_repeated_words_with_and_without_slop(
    few_words: tuple[Snapshot, PlainSearch], seed: int
) -> None:
    chance = random.Random(seed)
    snapshot, plain = few_words
    for _ in range(8):
        number = chance.randrange(2, 7)
        words = " ".join(chance.choices(["a", "a", "a", "b", "c", "d", "don't"], k=number))
        # the plain search tries every way to place the words
        slop = chance.choice(
            ["", "", "~1", "~2"] + ["~3", "~4"] * (number < 5) + ["~9", "~100"] * (number < 3)
        )
        where = chance.choice(["", "", "title:", "body:", "text:", "title,anchor:"])
        assert_agrees(snapshot, plain, f'{where}"{words}"{slop}')


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('"a b"~5', 1), ('"a b"~4', 0), ('"b x a"~8', 1), ('"b x a"~7', 0), ('"x x b x x d"~100', 0),
        ('"a a"~100', 0), ('"d d"~100', 0), ('"d x x x d"~100', 0), ('"x d x"', 1), ('"x x x a x x x a"~2', 0),
        ('"x a x x x x x b x x"', 1), ('"x a x x x x b x x x"~1', 1), ('"x x b x"~100', 1), ('"x x d a"~100', 0),
    ],
)  # fmt: skip
def test_phrases_in_a_long_text(tmp_path: Path, text: str, found: int) -> None:
    """More positions than are looked at together."""
    words = ["x"] * 3000
    words[5], words[1100], words[1106], words[2100], words[2990] = "a", "a", "b", "d", "a"
    with DirectIndex(tmp_path) as index:
        index.add("a", [PlainVersion("http://far.example/", running=((BODY, " ".join(words)),))])
        snapshot = index.snapshot()
        assert search(snapshot, parse_query(text), Ranking(), offset=0, limit=1).total == found
        snapshot.catalogue.close()


@pytest.fixture(scope="module")
def all_frequencies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Snapshot, PlainSearch]]:
    """More versions than are looked at together, in which words stand once, some times and some hundred times."""
    chance = random.Random(12)
    words = ["the", "of", "grey", "heron", "herons", "gull", "gulls", "owl", "rare", "rarer"]
    with DirectIndex(tmp_path_factory.mktemp("all_frequencies")) as index:
        versions = []
        for number in range(400):
            often = [chance.choice((0, 0, 0, 1, 3, 30)) for _ in words[:-2]]
            length = chance.choice((3, 9, 9, 40, 40, 900 if number % 40 == 0 else 60))
            text = chance.choices(words, [*often, 1, 0 if number % 90 else 1], k=length)
            parts = chance.choices((BODY, BODY, HEADING, ANCHOR), k=3)
            versions.append(
                PlainVersion(
                    f"http://a.example/{number}",
                    title=" ".join(chance.choices(words[:8], k=chance.randrange(4))),
                    running=tuple((part, " ".join(text[each::3]) + "\n") for each, part in enumerate(parts)),
                )
            )
        index.add("a", versions)
        snapshot = index.snapshot()
        yield snapshot, PlainSearch(versions, Ranking())
        snapshot.catalogue.close()


@pytest.mark.parametrize("seed", range(8))
def test_phrases_and_nearness_of_words_of_all_frequencies(
    all_frequencies: tuple[Snapshot, PlainSearch], seed: int
) -> None:
    """Words of a phrase are looked for one by one, the rarest first: of those that stand in a version some times all
    places are read, of others what is near these; so are the words of a NEAR, by their forms, and two words that may be
    moved."""
    chance = random.Random(seed)
    snapshot, plain = all_frequencies
    words = ["the", "of", "grey", "heron", "gull", "owl", "rare", "rarer"]
    for _ in range(2):
        phrase = " ".join(chance.choices(words, k=chance.randrange(2, 6)))
        where = chance.choice(["", "", "", "title:", "body:", "text:"])
        assert_agrees(snapshot, plain, f'{where}"{phrase}"')
        one, other, third = chance.sample(words, 3)
        distance = chance.choice((1, 1, 2, 7, 60))
        for text in (f"{one} NEAR/{distance} {other}", f"{where}({one} NEAR/{distance} {third})",
                     f'"{one} {other}" NEAR/{distance} {third}',
                     f'"{one} {other}"~{chance.randrange(1, 4)}',
                     f'{where}"{other} {third}"~{chance.choice((1, 5, 30, 100))}'):  # fmt: skip
            assert_agrees(snapshot, plain, text)


@pytest.fixture(scope="module")
def many_words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Snapshot, PlainSearch]]:
    """Wildcards stand for more words than are looked for one by one in each version: for up to 64, and for more."""
    chance = random.Random(31)
    words = [f"{first}{second}{third}" for first in "ab" for second in "cde" for third in "fghijklmnopqrst"]

    def text(most: int) -> str:
        return " ".join(chance.choices([*words, "the"], k=chance.randrange(most)))

    with DirectIndex(tmp_path_factory.mktemp("many")) as index:
        for batch in range(3):
            index.add(
                str(batch),
                [
                    PlainVersion(
                        f"http://a.example/{batch}/{number}",
                        language=chance.choice(["en", "de"]),
                        title=text(6),
                        keywords=text(4),
                        running=(
                            (HEADING, text(5)),
                            (BODY, text(chance.choice([5, 20, 90]))),
                            (ANCHOR, text(9)),
                        ),
                    )
                    for number in range(50)
                ],
            )
        index.forget("1")
        snapshot = index.snapshot()
        yield snapshot, PlainSearch(index.live(), Ranking(depth=0.0))
        snapshot.catalogue.close()


@pytest.mark.parametrize("seed", range(8))
def test_wildcards_near_each_other(many_words: tuple[Snapshot, PlainSearch], seed: int) -> None:
    chance = random.Random(seed)
    snapshot, plain = many_words
    leaves = [
        "a*",
        "b*",
        "*f",
        "*c*",
        "?d?",
        "ac?",
        "*",
        "adf",
        "bem~1",
        "bem~2",
        "the",
        "*g",
        '"acf the"~9',
        "title:a*",
    ]

    def part(depth: int) -> str:
        if depth == 0 or chance.random() < 0.4:
            return chance.choice(leaves)
        joined = chance.choice([" OR ", " ", f" NEAR/{chance.choice([1, 2, 5, 70])} "])
        return "(" + joined.join(part(depth - 1) for _ in range(2)) + ")"

    for _ in range(6):
        text = f"{part(2)} NEAR/{chance.choice([1, 1, 2, 4, 100])} {part(2)}"
        field = chance.choice(["", "", "", "title:", "body:", "text:", "task:"])
        assert_agrees(snapshot, plain, f"{field}({text})" if field else text)


@pytest.mark.parametrize("length", [1, 3])
def test_what_is_as_near_as_is_asked_for_and_no_nearer(tmp_path: Path, length: int) -> None:
    """Words and phrases a number of places before and behind a word."""
    phrase = " ".join(f"grey{number}" for number in range(length))
    versions = [
        PlainVersion(
            f"http://a.example/{apart}/{way}",
            running=((BODY, " ".join(("word", *two[:1], *["and"] * (apart - 1), *two[1:], "word"))),),
        )
        for apart in range(1, 103)
        for way, two in (("before", (phrase, "owl")), ("behind", ("owl", phrase)))
    ]
    asked = phrase if length == 1 else f'"{phrase}"'
    with DirectIndex(tmp_path) as index:
        index.add("a", versions)
        snapshot = index.snapshot()
        for distance in (1, 2, 27, 28, 29, 57, 58, 63, 64, 65, 66, 99, 100):
            for text in (
                f"owl NEAR/{distance} {asked}",
                f"{asked} NEAR/{distance} owl",
                f"owl NEAR/{distance} ({asked} OR x)",
            ):
                found = search(snapshot, parse_query(text), Ranking(), offset=0, limit=300)
                assert found.total == 2 * distance, text
        snapshot.catalogue.close()


def test_wildcards_near_each_other_behind_very_many_words(tmp_path: Path) -> None:
    """About the longest texts that are indexed: their positions take 19 bits."""
    many = " ".join(f"one{number}" for number in range(20))
    others = " ".join(f"two{number}" for number in range(20))
    long = "word " * (1 << 18)
    near, apart = "word " * 9 + "one7 word word two3", "word " * 9 + "one7 word word word two3"
    texts = {
        "apart": f"{many} {long} {others} {apart}",
        "near": f"{many} {long} {others} {near}",
        "short": f"{many} {near}",
        "short-apart": f"{many} {apart}",
    }
    with DirectIndex(tmp_path) as index:
        index.add(
            "a",
            [
                PlainVersion(f"http://a.example/{name}", running=((BODY, text + "\n"),))
                for name, text in texts.items()
            ],
        )
        snapshot = index.snapshot()
        assert (snapshot.segments[0].segment.extent[:2] > 1 << 18).all()
        url_of = addresses(snapshot)
        found = search(snapshot, parse_query("one* NEAR/3 two*"), Ranking(), offset=0, limit=10).found
        assert {url_of[page.document] for page in found} == {
            "http://a.example/near",
            "http://a.example/short",
        }
        snapshot.catalogue.close()
