"""Synonyms from WordNet."""

from __future__ import annotations

import pytest

from indexer.search.widening import Widening
from indexer.search.wordnet import bases_of, synonyms_of, wordnet

OPTIONS = Widening()


def synonyms(words: str) -> dict[str, list[str]]:
    return {word: [one.text for one in found] for word, found in synonyms_of(words.split(), OPTIONS).items()}


def test_synonyms_of_a_word_carry_source_and_weight() -> None:
    (added, *_) = synonyms_of(["car"], Widening(wordnet_weight=0.25))["car"]
    assert (added.text, added.weight, added.source, added.from_word) == ("auto", 0.25, "wordnet", "car")


@pytest.mark.parametrize(
    "words, of, some",
    [
        ("car", "car", "automobile"),
        ("cars", "cars", "automobile"),
        ("geese", "geese", "goose"),
        ("plant factory", "plant", "works"),
        ("cheap", "cheap", "inexpensive"),
        ("bank money", "bank", "depository financial institution"),
    ],
)
def test_synonyms(words: str, of: str, some: str) -> None:
    assert some in synonyms(words)[of]


def test_the_other_words_choose_the_sense() -> None:
    bank = wordnet().best_sense("bank", {"money", "loan"})
    slope = wordnet().best_sense("bank", {"river", "water"})
    assert bank and "depository financial institution" in bank.lemmas
    assert slope and "slope" in slope.definition


def test_words_of_the_query_are_no_synonyms() -> None:
    assert "automobile" not in synonyms("car automobile")["car"]


@pytest.mark.parametrize("word", ["", "xyzzy", "río", "river", "\ud800", "a\tb", "\n"])
def test_words_without_synonyms(word: str) -> None:
    assert synonyms_of([word], OPTIONS) == {}


def test_no_more_than_asked_for() -> None:
    assert len(synonyms_of(["car"], Widening(wordnet_words=1))["car"]) == 1
    assert synonyms_of(["car"], Widening(wordnet_words=0)) == {}


def test_every_lemma_leads_to_synsets_that_hold_it() -> None:
    data = wordnet()
    for lemma in ("car", "bank", "run", "heavy", "ice cream", "zymosis"):
        assert all(lemma in sense.lemmas for sense in data.senses(lemma)) and data.senses(lemma)


def test_bases() -> None:
    assert bases_of("running") == ["runne", "runn"]
    assert bases_of("ponies") == ["ponie", "pony", "poni"]
