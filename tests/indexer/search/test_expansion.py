"""A query made wider, over an index of real archives: what is added, that it is shown, and that it can be taken out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer import AddedWord, Index, build_index, open_index
from indexer.evaluation import Topic, evaluate
from indexer.search.expansion import Wish
from indexer.search.nodes import And, Not, Or, Phrase, Site, Word
from indexer.search.query import parse_query
from indexer.search.widening import with_synonyms, with_words
from tests.indexer.making import response, write_warc

PAGES = {
    "http://a.example/1": "grey heron pond reed nest",
    "http://a.example/2": "heron pond reed fishing",
    "http://a.example/3": "pond reed frogs",
    "http://a.example/4": "automobile prices insurance",
    "http://a.example/5": "car insurance cheap",
    "http://b.example/6": "reed instruments orchestra clarinet",
    "http://b.example/7": "clarinet orchestra music",
    "http://b.example/8": "train timetable station",
}
ADDED = AddedWord("pond", 0.5, "rocchio")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("widening")
    records = [
        response(url, f'<html lang="en"><title>page</title><p>{text}</p></html>')
        for url, text in PAGES.items()
    ]
    build_index([write_warc(folder / "pages.warc.gz", records)], str(folder / "index"))
    with open_index(str(folder / "index")) as opened:
        yield opened


def test_feedback_finds_pages_without_a_word_of_the_query(index: Index) -> None:
    plain, wide = index.search("heron"), index.search("heron", expand=["rocchio"])
    assert plain.total == 2 and plain.added == ()
    assert {"pond", "reed"} <= {word.text for word in wide.added}
    assert all(word.weight > 0 and word.source == "rocchio" for word in wide.added)
    found = [hit.url for hit in wide.hits]
    assert set(found[:2]) == {hit.url for hit in plain.hits} and "http://a.example/3" in found[2:]
    assert wide.parsed == "heron"


def test_added_words_can_be_taken_out(index: Index) -> None:
    wide = index.search("heron", expand=["rocchio", "cooccur", "wordnet"])
    without = index.search("heron", expand=["rocchio", "cooccur", "wordnet"], without=["Reed"])
    assert {word.text for word in wide.added} - {word.text for word in without.added} == {"reed"}
    none = index.search("heron", expand=["rocchio"], without=[word.text for word in wide.added])
    plain = index.search("heron")
    assert none.added == () and [(hit.url, hit.score) for hit in none.hits] == [
        (hit.url, hit.score) for hit in plain.hits
    ]


def test_marked_pages_teach(index: Index) -> None:
    found = index.search("reed", marked=(["http://b.example/6"], ["http://a.example/3"]))
    assert {word.text for word in found.added} >= {"orchestra", "clarinet"}
    assert not {"pond", "frogs"} & {word.text for word in found.added}
    assert found.hits[0].url == "http://b.example/6"
    assert index.search("reed", marked=(["http://nowhere.example/"], [])).added == ()


def test_synonyms_keep_the_element(index: Index) -> None:
    found = index.search("car insurance", expand=["wordnet"])
    assert {hit.url for hit in found.hits} == {"http://a.example/5", "http://a.example/4"}
    assert found.hits[0].url == "http://a.example/5"
    assert AddedWord("automobile", 0.2, "wordnet", "car") in found.added
    assert index.search("title:car", expand=["wordnet"]).total == 0


def test_what_limits_a_query_still_limits_the_wider_one(index: Index) -> None:
    for query in ("reed site:b.example", "reed AND site:b.example", "reed AND NOT pond"):
        found = index.search(query, expand=["rocchio", "cooccur", "wordnet"])
        assert {hit.url for hit in found.hits} <= {f"http://b.example/{n}" for n in (6, 7, 8)}, query


def test_an_unknown_way_is_an_error() -> None:
    with pytest.raises(ValueError, match="found 'magic', expected some of rocchio"):
        Wish.of(["magic"])


def test_topics_are_evaluated_with_a_wider_query(index: Index) -> None:
    judgements = {"1": {"http://a.example/3": 1}}
    topics = [Topic("1", "heron")]
    assert evaluate(index, topics, judgements).mean.recall == 0
    assert evaluate(index, topics, judgements, expand=["rocchio"]).mean.recall == 1


def test_nothing_to_learn_from(index: Index) -> None:
    for query in ("", "absent", "-heron", "site:a.example"):
        assert index.search(query, expand=["rocchio", "cooccur", "wordnet"]).added == ()


def test_words_join_words_side_by_side_and_never_pass_operators() -> None:
    a, b, pond = Word("a"), Word("b"), Word("pond", boost=0.5)
    assert with_words(a, [ADDED]) == Or((a, pond), implied=True)
    assert with_words(And((a, b), implied=True), [ADDED]) == Or((a, b, pond), implied=True)
    limited = And((a, Site("x.example"), Not(b)), implied=True)
    assert with_words(limited, [ADDED]) == And(
        (Or((a, pond), implied=True), Site("x.example"), Not(b)), implied=True
    )
    tree = And((a, b))
    assert with_words(tree, [ADDED]) == And((Or((tree, pond)), Not(Not(tree))))
    assert with_words(tree, []) == tree


def test_synonyms_stand_beside_their_word() -> None:
    car = Word("car", elements=frozenset({0}))
    synonyms = {
        "car": [AddedWord("auto", 0.2, "wordnet", "car"), AddedWord("motor car", 0.2, "wordnet", "car")]
    }
    assert with_synonyms(And((car, Not(Word("car")), Word("car", exact=True))), synonyms).parts[0] == Or(
        (
            car,
            Word("auto", elements=frozenset({0}), boost=0.2),
            Phrase(("motor", "car"), elements=frozenset({0}), boost=0.2),
        )
    )


asked = st.lists(
    st.sampled_from(
        ["heron", "reed", "AND", "OR", "NOT", "(", ")", '"', "-pond", "site:a.example", "title:page", "=reed"]
    ),
    max_size=7,
).map(" ".join)


@settings(deadline=None)
@given(asked)
def test_wider_queries_lose_no_page(index: Index, text: str) -> None:
    plain = {url for url, _ in index.ranked_pages(parse_query(text), None)}
    wide = {
        url
        for url, _ in index.ranked_pages(parse_query(text), None, expand=["rocchio", "cooccur", "wordnet"])
    }
    assert plain <= wide
