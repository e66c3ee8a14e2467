"""What is counted in a text to tell its language, against regular expressions."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.core.language import MOST_SPEAKERS, StopWords
from tests.indexer.core.test_tokens import ALL_KINDS, same_unicode

SCRIPTS = (
    "[\u3040-\u30ff]", "[\u1100-\u11ff\uac00-\ud7ff]", "[\u3400-\u9fff]", "[\u0e00-\u0e7f]",
    "[\u0370-\u03ff\u1f00-\u1fff]", "[\u0530-\u058f]", "[\u10a0-\u10ff]", "[\u0b80-\u0bff]", "[\u0e80-\u0eff]",
    "[\u1780-\u17ff]",
    "[\u1000-\u109f]",
)  # fmt: skip
STOPS = {"der": 1, "die": 1, "de": 2 | 4, "é": 4, "и": 8, "日本": 1 << 63}
EDGES = "".join(
    chr(code + more)
    for low in SCRIPTS
    for code in map(ord, re.findall("[^-\\[\\]]", low))
    for more in (-1, 0, 1)
)
pieces = st.one_of(
    st.sampled_from([*STOPS, "der9", "de_", " ", " ", "ab"]),
    st.text(st.one_of(st.sampled_from(ALL_KINDS + EDGES), st.characters()), max_size=4),
)


@same_unicode
@settings(max_examples=500, deadline=None)
@given(st.lists(pieces, max_size=30).map("".join))
def test_counts_of_a_text(text: str) -> None:
    found = StopWords(STOPS).sample(text)
    words = re.findall(r"[^\W\d_]+", text)
    assert found.words == len(words)
    assert found.letters == sum(map(len, words))
    assert found.foreign == len(re.findall("[\u0370-\uffff]", text))
    assert list(found.scripts) == [len(re.findall(script, text)) for script in SCRIPTS]
    spoken = Counter(STOPS[word] for word in words if word in STOPS)
    kinds = found.speaker_count
    assert dict(zip(found.speakers[:kinds], found.speaking[:kinds], strict=True)) == spoken


@pytest.mark.parametrize("kinds", [MOST_SPEAKERS - 1, MOST_SPEAKERS, MOST_SPEAKERS + 1])
def test_no_more_combinations_of_languages_are_told_than_fit(kinds: int) -> None:
    stops = {f"{chr(97 + number // 26)}{chr(97 + number % 26)}": number + 1 for number in range(kinds)}
    found = StopWords(stops).sample(" ".join([*stops, *stops]))
    assert found.speaker_count == min(kinds, MOST_SPEAKERS)
    assert set(found.speaking[: found.speaker_count]) == {2}
    assert found.words == 2 * kinds


def test_no_words_at_all() -> None:
    assert StopWords({}).sample("der die").speaker_count == 0
    assert StopWords(STOPS).sample("").words == 0
