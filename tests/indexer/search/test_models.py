"""Other ways to score, with numbers worked out by hand; and scores that say what they are made of."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from indexer.search.explaining import Explanation
from indexer.search.models import Given, cosine, fuzzy, pnorm, score, tfidf
from indexer.search.nodes import And, Node, Not, Or, Word
from indexer.search.query import parse_query
from indexer.search.searcher import Ranked, search
from indexer.store.bm25f import Ranking
from tests.indexer.making import DirectIndex, addresses
from tests.indexer.plain import PlainVersion

CHEAP, ORIENTAL, CLAY, POT = (Word(text) for text in ("cheap", "oriental", "clay", "pot"))
# D1 John sells oriental pots for a dollar. D2 Oriental pots are made of clay.
# D3 Kate buys cheaper and cheaper clay pots.
COUNTS = {CHEAP: [0, 0, 2], ORIENTAL: [1, 1, 0], CLAY: [0, 1, 1], POT: [1, 1, 1]}
LOG_3, LOG_1_5 = math.log10(3), math.log10(3 / 2)


def given(
    tree: Node, counts: Mapping[Word, list[int]] = COUNTS, *, p: float = 2.0, **other: list[float]
) -> Given:
    """Return three pages that hold words so often; rarity is log10(3 / pages that hold the word)."""
    arrays = {word: np.array(column, dtype=np.float64) for word, column in counts.items()}
    return Given(
        tree=tree,
        counts=dict(arrays),
        rarity={word: math.log10(3 / np.count_nonzero(column)) for word, column in arrays.items()},
        times=dict.fromkeys(arrays, 1.0),
        holds=lambda node: np.ones(3, dtype=bool),
        lengths=lambda: np.array(other.get("lengths", [1.0] * 3)),
        greatest=lambda: np.array(other.get("greatest", [1.0] * 3)),
        p=p,
        size=3,
    )


def test_three_documents_of_the_vector_space_example() -> None:
    """With idf = log10(3 / df): "pot" is in all three and counts nothing, the order is D3, D2, D1."""
    found = tfidf.score(given(Or((CHEAP, ORIENTAL, CLAY, POT)))).total
    expected = [LOG_1_5, 2 * LOG_1_5, (1 + math.log10(2)) * LOG_3 + LOG_1_5]
    assert found == pytest.approx(expected)
    assert np.argsort(-found).tolist() == [2, 1, 0]


def test_cosine_of_the_same_example() -> None:
    """Of other words only those that one document holds are in the vectors: weight log10(3) each."""
    cheap = (1 + math.log10(2)) * LOG_3
    lengths = [  # D1: john sells dollar + oriental; D2: made + oriental clay; D3: kate buys + cheap clay
        math.sqrt(3 * LOG_3**2 + LOG_1_5**2), math.sqrt(LOG_3**2 + 2 * LOG_1_5**2),
        math.sqrt(2 * LOG_3**2 + cheap**2 + LOG_1_5**2),
    ]  # fmt: skip
    query = math.sqrt(LOG_3**2 + 2 * LOG_1_5**2)
    found = cosine.score(given(Or((CHEAP, ORIENTAL, CLAY, POT)), lengths=lengths)).total
    assert found == pytest.approx([
        LOG_1_5**2 / lengths[0] / query, 2 * LOG_1_5**2 / lengths[1] / query,
        (cheap * LOG_3 + LOG_1_5**2) / lengths[2] / query,
    ])  # fmt: skip
    assert np.argsort(-found).tolist() == [2, 1, 0]


def test_the_p_norm_lies_between_the_mean_and_the_extremes() -> None:
    weights = np.array([[1.0, 0.6], [0.0, 0.8]])
    assert pnorm.any_of(weights, 1) == pytest.approx([0.5, 0.7])
    assert pnorm.both_of(weights, 1) == pytest.approx([0.5, 0.7])
    assert pnorm.any_of(weights, 2) == pytest.approx([math.sqrt(0.5), math.sqrt(0.5)])
    assert pnorm.both_of(weights, 2) == pytest.approx([1 - math.sqrt(0.5), 1 - math.sqrt(0.1)])
    assert pnorm.any_of(weights, 400) == pytest.approx([1, 0.8], abs=0.01)
    assert pnorm.both_of(weights, 400) == pytest.approx([0, 0.6], abs=0.01)


def test_fuzzy_sets_take_the_least_and_the_greatest() -> None:
    a, b = Word("a"), Word("b")
    counts = {a: [4, 1, 0], b: [1, 4, 0]}  # of at most 4: memberships 1 and a quarter
    greatest = [4.0, 4.0, 4.0]
    for tree, expected in (
        (And((a, b)), [0.25, 0.25, 0]), (Or((a, b)), [1, 1, 0]), (Not(a), [0, 0.75, 1]),
        (And((a, Not(b))), [0.75, 0, 0]),
    ):  # fmt: skip
        assert fuzzy.score(given(tree, counts, greatest=greatest)).total == pytest.approx(expected)


def test_a_model_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="model 'pagerank': expected one of bm25f, cosine"):
        score("pagerank", given(POT))


PAGES = [
    PlainVersion("http://a.example/1", title="john sells oriental pots for a dollar"),
    PlainVersion("http://a.example/2", title="oriental pots are made of clay"),
    PlainVersion(
        "http://a.example/3/x",
        title="kate buys cheap and cheap clay pots",
        links=(("http://b.example/4", "a pot"),),
    ),
    PlainVersion("http://b.example/4", title="nothing of it", description="but clay, oriental clay"),
]


def ranked(folder: Path, query: str, ranking: Ranking) -> tuple[Ranked, list[str]]:
    with DirectIndex(folder) as index:
        index.add("1", PAGES[:2])
        index.add("2", PAGES[2:])
        index.writer.fold_links()
        snapshot = index.snapshot()
        found = search(snapshot, parse_query(query), ranking, offset=0, limit=10, explain=True)
        names = addresses(snapshot)
        return found, [names[item.document].rpartition("/")[2] for item in found.found]


@pytest.mark.parametrize("model", ["cosine", "tfidf"])
def test_models_of_vectors_on_an_index(tmp_path: Path, model: str) -> None:
    _, order = ranked(tmp_path, "cheap OR oriental OR clay OR pot", Ranking(model=model, other_forms=1.0))
    assert order[0] == "x" and order.index("2") < order.index("1")


def test_boolean_finds_what_matches_and_orders_nothing(tmp_path: Path) -> None:
    found, _ = ranked(tmp_path, "clay pot", Ranking(model="boolean"))
    assert [item.score for item in found.found] == [1.0] * 3 and found.total == 3


def test_the_p_norm_finds_what_meets_an_and_in_part(tmp_path: Path) -> None:
    found, order = ranked(tmp_path, "cheap AND oriental", Ranking(model="pnorm"))
    assert found.total == 4 and order[0] == "x"
    assert ranked(tmp_path / "fuzzy", "cheap AND oriental", Ranking(model="fuzzy"))[0].total == 0


@pytest.mark.parametrize("model", ["bm25f", "cosine", "tfidf", "boolean", "pnorm", "fuzzy"])
@pytest.mark.parametrize(
    "query", ["oriental clay pots", '"oriental pots" OR cheap', "clay^0.3 NEAR/3 pots", "-cheap", "pot*"]
)
def test_the_parts_of_a_score_add_up_to_it(tmp_path: Path, model: str, query: str) -> None:
    found, _ = ranked(tmp_path, query, replace(Ranking(), model=model))
    assert found.found
    for item in found.found:
        assert isinstance(item.explanation, Explanation) and item.explanation.model == model
        assert math.isclose(item.explanation.score, item.score, rel_tol=1e-9, abs_tol=1e-9)
        assert math.isclose(item.explanation.total(), item.score, rel_tol=1e-9, abs_tol=1e-9)
        for word in item.explanation.words:
            assert math.isclose(word.idf * word.times * word.saturation, word.score, abs_tol=1e-9)
            if word.elements:
                assert math.isclose(sum(part.score for part in word.elements), word.score, abs_tol=1e-9)
                assert math.isclose(sum(part.weight for part in word.elements), word.weight, abs_tol=1e-9)


def test_an_explanation_names_word_element_pair_and_prior(tmp_path: Path) -> None:
    found, order = ranked(tmp_path, "oriental clay OR pot", Ranking())
    explained = {name: item.explanation for name, item in zip(order, found.found, strict=True)}
    linked = explained["4"]
    assert linked is not None
    [pot] = [word for word in linked.words if word.text == "pot"]
    assert [part.element for part in pot.elements] == ["inlink"]
    assert [pair.text for pair in linked.pairs] == ["oriental clay"]
    assert {prior.name: prior.value for prior in linked.priors} == {"depth": 1, "linked": 1}


def test_the_word_as_typed_scores_above_its_other_forms(tmp_path: Path) -> None:
    pages = [
        PlainVersion(f"http://a.example/{word}", title=f"{word} here", language="en")
        for word in ("running", "run")
    ]
    with DirectIndex(tmp_path) as index:
        index.add("1", pages)
        snapshot = index.snapshot()
        names = addresses(snapshot)
        for word in ("run", "running"):
            found = search(snapshot, parse_query(f"title:{word}"), Ranking(), offset=0, limit=10).found
            assert [names[item.document] for item in found][0] == f"http://a.example/{word}"
            assert found[0].score > found[1].score


@pytest.mark.parametrize("model", ["fuzzy", "pnorm", "cosine", "tfidf", "boolean"])
@pytest.mark.parametrize(
    "text", ["pot appeared:2010", "clay OR vanished:2010", "pot at:2011", "NOT (appeared:2010 pot)"]
)
def test_filters_on_all_versions_of_a_page_go_with_all_models(tmp_path: Path, model: str, text: str) -> None:
    with DirectIndex(tmp_path) as index:
        index.add(
            "a",
            [
                PlainVersion("http://a.example/1", title="clay pot", captured=("20100101000000",)),
                PlainVersion("http://a.example/1", title="clay", captured=("20120101000000",)),
                PlainVersion("http://a.example/2", title="pot", captured=("20110101000000",)),
            ],
        )
        snapshot = index.snapshot()
        found, expected = (
            search(snapshot, parse_query(text), ranking, offset=0, limit=10)
            for ranking in (Ranking(model=model), Ranking())
        )
        assert expected.total > 0
        assert found.total == expected.total
        assert {page.document for page in found.found} == {page.document for page in expected.found}
        snapshot.catalogue.close()
