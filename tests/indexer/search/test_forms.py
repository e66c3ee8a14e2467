"""Spellings that a word stands for, as the core looks them up, against a look at each word of each segment."""

from __future__ import annotations

import ctypes
import random
import struct
import threading
from pathlib import Path

import pytest

from indexer.core.forms import NO_WORD, Lookup, numbers_of, stemmed_forms, strings
from indexer.core.queries import FORM, DamagedError
from indexer.search.forms import forms_of
from indexer.search.nodes import Word
from indexer.search.prepared import Prepared
from indexer.store.segment import Segment
from indexer.store.snapshot import LiveSegment, Snapshot
from indexer.store.stems import _stemmers, stemmers_for_queries
from indexer.text.analysis import is_paired
from indexer.text.folding import folds_of
from indexer.text.languages import has_stemmer, is_stemmable, stem_words
from tests.indexer.making import BODY, HEADING, DirectIndex
from tests.indexer.plain import PlainVersion

WORDS = (
    "house houses housing house's häuser haus hauser café cafés cafe Müller mueller muller run runs running runner"
    " naïve naive 日本 日 本日 本 données donnée donner élan elan 1984 c++ информация информации ö oe o"
).split()
LANGUAGES = ("en", "de", "fr", "", "ja", "ru", "xx")


def versions(chance: random.Random, count: int, name: str) -> list[PlainVersion]:
    def text() -> str:
        return " ".join(chance.choices(WORDS, k=chance.randrange(1, 8)))

    return [
        PlainVersion(
            f"http://{name}.example/{number}",
            language=chance.choice(LANGUAGES),
            title=text(),
            running=((BODY, text()), (HEADING, text())),
            links=((f"http://{name}.example/{chance.randrange(count)}", text()),),
        )
        for number in range(count)
    ]


@pytest.fixture(params=range(4))
def snapshot(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Snapshot:
    monkeypatch.setattr("indexer.store.blocks.BLOCK", 64)
    chance = random.Random(request.param)
    with DirectIndex(tmp_path) as index:
        for name in "abc":
            index.add(name, versions(chance, chance.choice((1, 6, 40)), name))
        index.writer.fold_links()
        return index.snapshot()


def plain_factor(word: Word, spelling: str, language: str, fold: float, others: float) -> float:
    """Return what a spelling in a version of a language counts for."""
    text = word.text
    if spelling == text:
        return 1.0
    if word.exact:
        return 0.0
    if len(text) == 1 and is_paired(text):
        return 1.0 if len(spelling) == 2 and spelling.startswith(text) else 0.0
    if is_stemmable(text) and is_stemmable(spelling) and has_stemmer(language):
        one, other = stem_words(language, [text, spelling])
        if one == other:
            return 1.0 if is_paired(text) else others
    return fold if {text, *folds_of(text)} & {spelling, *folds_of(spelling)} else 0.0


def languages_of(row: int, segment: Segment, live: LiveSegment) -> set[int]:
    """Return the numbers of the languages of the versions that hold a word."""
    return set(live.segment.language[segment.postings(row).ordinals].tolist())


def plain_forms(
    word: Word, segment: Segment, live: LiveSegment, fold: float, others: float
) -> dict[tuple[str, int], float]:
    """Return for each spelling and number of a language in whose versions it stands what it counts for there."""
    found = {}
    for row in range(len(segment.word_ids)):
        spelling = segment.word_at(row)
        for number in languages_of(row, segment, live):
            factor = plain_factor(word, spelling, segment.languages[number], fold, others)
            if factor:
                found[spelling, number] = factor
    return found


@pytest.mark.parametrize(("fold", "has_stemmers"), [(0.0, True), (0.0, False), (0.3, True)])
def test_forms_are_those_that_a_look_at_each_word_finds(
    snapshot: Snapshot, fold: float, has_stemmers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_stemmers:  # as where PyStemmer keeps its functions for itself
        none = threading.Lock(), _stemmers("no library")
        monkeypatch.setattr("indexer.search.forms.stemmers_for_queries", lambda: none)
    prepared = Prepared.of(snapshot)
    for word in [*map(Word, [*WORDS, "absent", "hausen", "donnees"]), Word("house", exact=True)]:
        made = forms_of(word, prepared.dictionaries, fold, 0.7)
        rows = list(struct.iter_unpack(FORM, made.forms))
        ends = [0, *struct.unpack(f"<{2 * len(snapshot.segments)}I", made.ends)]
        spellings = set()
        for place, live in enumerate(snapshot.segments):
            for layer, segment in enumerate(live.layers):
                here = rows[ends[2 * place + layer] : ends[2 * place + layer + 1]]
                texts = [segment.word_at(row) for row, _, _ in here]
                assert texts == sorted(texts)
                found: dict[tuple[str, int], float] = {}
                for text, (row, languages, factor) in zip(texts, here, strict=True):
                    for number in languages_of(row, segment, live):
                        if not languages or made.sets[languages - 1 + number]:
                            assert (text, number) not in found
                            found[text, number] = factor
                assert found == plain_forms(word, segment, live, fold, 0.7), (word, segment.path)
                spellings |= set(texts)
        assert made.spellings == spellings
    snapshot.catalogue.close()


def test_numbers_of_words(snapshot: Snapshot) -> None:
    dictionaries = Prepared.of(snapshot).dictionaries
    layers = [layer for live in snapshot.segments for layer in (*live.layers, None)[:2]]
    for layer, numbers in zip(layers, numbers_of(dictionaries, [*WORDS, "absent", ""]), strict=True):
        expected = [layer.find_word(word) if layer else None for word in [*WORDS, "absent", ""]]
        assert numbers == tuple(NO_WORD if number is None else number for number in expected)
    snapshot.catalogue.close()


@pytest.mark.parametrize("array", ("word_sizes", "words", "word_ids", "stem_keys", "stem_words"))
def test_damage_is_told_where_words_are_looked_up(snapshot: Snapshot, array: str) -> None:
    """Any byte may be another one, also where the checksums fit."""
    prepared, chance = Prepared.of(snapshot), random.Random(1)
    layers = prepared.dictionaries.layers
    places = [place for place, layer in enumerate(layers) if layer]
    told = 0
    for _ in range(150):
        place = chance.choice(places)
        dictionary = layers[place]
        placed = getattr(dictionary, array)
        data = bytearray(ctypes.string_at(placed.data, placed.size))
        if not data:
            continue
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        room = (ctypes.c_char * len(data)).from_buffer(data)
        kept = placed.data, placed.sums
        placed.data, placed.sums = ctypes.addressof(room), None
        try:
            forms_of(Word(chance.choice(WORDS)), prepared.dictionaries, 0.3)
        except DamagedError as error:
            told += 1
            assert (error.place, error.layer) == divmod(place, 2)
        finally:
            placed.data, placed.sums = kept
    assert told or array not in ("word_sizes", "stem_words")
    snapshot.catalogue.close()


def test_a_stem_is_refused_for_which_there_is_no_stemmer(snapshot: Snapshot) -> None:
    dictionaries, (_, stemmers) = Prepared.of(snapshot).dictionaries, stemmers_for_queries()
    for ways in (bytes([61]), bytes([62]), bytes([255]), bytes(63)):
        dictionaries.ways_of_stems = ways
        with pytest.raises(ValueError, match="refused"):
            stemmed_forms(dictionaries, strings([""] * 64), stemmers, "house", 1.0)
    snapshot.catalogue.close()


def test_a_word_is_refused_that_is_given_twice_or_not_at_all(snapshot: Snapshot) -> None:
    names = strings([""] * 64)
    for given, ways in (([], []), (["a", "a"], []), (["a"], [(0, 1)]), (["a"], [(64, 0)])):
        with pytest.raises(ValueError, match="refused"):
            Lookup(Prepared.of(snapshot).dictionaries, names, given, ways)
    snapshot.catalogue.close()
