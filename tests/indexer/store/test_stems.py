"""Stem rows are those of the plain code, whatever is remembered of earlier segments and whatever is forgotten."""

from __future__ import annotations

import hashlib
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.core import stems as core_stems
from indexer.store.stems import _KEPT, _new_table, _stemmers, _stems_of, bits_of_versions, stem_rows
from indexer.text.languages import NUMBERS
from tests.indexer.store.numpy_writer import stems_of_words

NO_STEMMERS = _stemmers("no library")  # as where PyStemmer keeps its functions for itself

spellings = st.one_of(
    st.sampled_from(
        "cat cats catalogue run runs running Läufe laufen läuft cafe café ångström 日本 日 c++ 1st".split()
    ),
    st.text(min_size=1, max_size=4),
    # accents by themselves, letters that are spelled in two ways, marks of other scripts, digits, pairs
    st.text("aäöøåßœñỳάΐ\u0301\u0345ёґةی\u0939\u093f\u094d\u0663²日ไ", min_size=1, max_size=5),
)
segments = st.dictionaries(spellings, st.sets(st.sampled_from(["en", "de", "sv", ""])), max_size=12)


def columns(segment: dict[str, set[str]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what stem_rows takes."""
    encoded = [word.encode() for word in segment]
    return (
        np.frombuffer(b"".join(encoded), dtype=np.uint8),
        np.cumsum([len(item) for item in encoded], dtype=np.uint32),
        np.array([sum(1 << NUMBERS[name] for name in names) for names in segment.values()], dtype=np.uint64),
    )


def plain(segment: dict[str, set[str]]) -> list[tuple[int, int]]:
    names = sorted(set().union(*segment.values()))
    used = {name: np.array([i for i, held in enumerate(segment.values()) if name in held]) for name in names}
    found = stems_of_words(list(segment), used)
    return sorted(zip(found.keys.tolist(), found.words.tolist(), strict=True))


@settings(max_examples=100, deadline=None)
@given(st.lists(segments, min_size=1, max_size=5), st.sampled_from([0, 500, _KEPT]), st.booleans())
def test_rows_are_those_of_the_plain_code(made: list[dict[str, set[str]]], most: int, is_asked: bool) -> None:
    table = _new_table(most, NO_STEMMERS if is_asked else None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core_stems, "_AT_ONCE", 70)  # a few words are asked for at once
        for segment in made:
            keys, rows = table.rows(*columns(segment))
            assert list(zip(keys.tolist(), rows.tolist(), strict=True)) == plain(segment)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere PyStemmer may keep its functions for itself")
def test_the_core_has_a_stemmer_for_each_language() -> None:
    assert all(_stemmers().languages[: len(NUMBERS)]) and not any(NO_STEMMERS.languages)


def test_a_word_is_stemmed_once() -> None:
    asked: list[tuple[int, str]] = []

    def stems_of(number: int, words: list[bytes]) -> list[bytes]:
        asked.extend((number, word.decode()) for word in words)
        return _stems_of(number, words)

    table = _new_table(stemmers=NO_STEMMERS)
    table._stems_of = stems_of
    segment = {"cats": {"en", "de"}, "café": {"en"}}
    expected = plain(segment)
    for _ in range(3):
        keys, rows = table.rows(*columns(segment))
        assert list(zip(keys.tolist(), rows.tolist(), strict=True)) == expected
    assert sorted(asked) == sorted(
        [
            (NUMBERS["en"], "cats"),
            (NUMBERS["de"], "cats"),
            (NUMBERS["en"], "café"),
        ]
    )


@given(st.lists(st.text(), max_size=6), st.sampled_from(["", "en:", "~é"]))
def test_keys_are_the_first_bytes_of_a_digest(names: list[str], prefix: str) -> None:
    spelled = [(prefix + name).encode("utf-8", "replace") for name in names]
    digests = [hashlib.md5(name, usedforsecurity=False).digest() for name in spelled]
    found = core_stems.keys_of(names, prefix).tolist()
    assert found == [int.from_bytes(digest[:8], "big") for digest in digests]


def test_a_word_with_a_zero_byte_is_one_word() -> None:
    """Only a damaged index has such words."""
    segment = {"cats": {"en"}, "do\0gs": {"en"}, "runs": {"en"}}
    table = _new_table()
    keys, rows = table.rows(*columns(segment))
    assert list(zip(keys.tolist(), rows.tolist(), strict=True)) == plain(segment)


@pytest.mark.parametrize("size", [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000])
def test_a_digest_of_any_size(size: int) -> None:
    digest = hashlib.md5(b"x" * size, usedforsecurity=False).digest()
    assert core_stems.keys_of(["x" * size]).tolist() == [int.from_bytes(digest[:8], "big")]


def test_threads_do_not_mix_their_segments() -> None:
    made = [{f"{n}{word}": {"en"} for word in ("running", "runs", "Läufe")} | {"x": {"de"}} for n in range(6)]
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(40):
            keys, rows = stem_rows(*columns(made[number]))
            if list(zip(keys.tolist(), rows.tolist(), strict=True)) != plain(made[number]):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(made))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_ends_that_do_not_fit_are_refused() -> None:
    words, ends, languages = columns({"cats": {"en"}, "dogs": {"en"}})
    for bad in (ends + 1, ends[::-1].copy(), ends[:1]):
        with pytest.raises(ValueError):
            stem_rows(words, bad, languages)
    keys, rows = stem_rows(*columns({"dogs": {"en"}}))  # nothing is left of those
    assert rows.tolist() == [0] and len(keys) == 1


def test_versions_of_languages_without_a_stemmer_have_no_bit() -> None:
    assert bits_of_versions(np.array([0, 1, 0]), ["en", "tlh"]).tolist() == [
        NUMBERS["en"],
        255,
        NUMBERS["en"],
    ]
    assert max(NUMBERS.values()) < 63  # FA_SPELLING_BIT
