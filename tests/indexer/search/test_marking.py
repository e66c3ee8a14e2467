"""Where the words of a query stand in a text: the same words that a search would count."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.search.marking import Marker, spans_within
from indexer.search.query import Query, Word, parse_query
from indexer.text.analysis import word_spans_of


def marked(query: str, text: str, language: str = "en") -> list[str]:
    return [text[low:high] for low, high in Marker(parse_query(query)).spans(text, language)]


@pytest.mark.parametrize(
    ("query", "text", "language", "expected"),
    [
        ("running dog", "The dogs RUN; the runner ran, running-dog", "en", ["dogs", "RUN", "running", "dog"]),
        ("=dog", "dog dogs", "en", ["dog"]),
        (
            '"first light"',
            "First\nlight, light first. first light",
            "en",
            ["First", "light", "first", "light"],
        ),
        ("the wombat", "the wombat", "en", ["wombat"]),
        ("the", "the wombat", "en", ["the"]),
        ("日本語", "これは日本語と日本", "ja", ["日本語"]),
        ("字", "漢字", "ja", ["字"]),
        ("café", "CAFÉ cafe\u0301 cafe", "", ["CAFÉ", "cafe\u0301", "cafe"]),
        ("mueller", "Müller Muller", "", ["Müller"]),
        ("istanbul", "İstanbul", "tr", ["İstanbul"]),
        ("co\u00adop", "coop co\u00adop", "en", ["coop", "co\u00adop"]),
        ("wom*", "womb wombat, two", "en", ["womb", "wombat"]),
        ("wombat~1", "wombats combat bat", "en", ["wombats", "combat"]),
        ("*", "anything", "en", []),
        ('"first light"~2', "light at first", "en", ["light", "first"]),
        ("dog NEAR/2 cat", "dog cat", "en", ["dog", "cat"]),
        ("dog -cat site:h.example", "dog cat h.example", "en", ["dog"]),
        ("C++", "C+\u200c+ and c\u00ad++, C++\u200d+", "en", ["C+\u200c+", "c\u00ad++"]),
        ("", "anything", "en", []),
        ("-cat", "cat", "en", []),
    ],
)
def test_marks_stand_on_the_words_that_match(
    query: str, text: str, language: str, expected: list[str]
) -> None:
    assert marked(query, text, language) == expected


@settings(deadline=None)
@given(st.text(max_size=60) | st.text(st.sampled_from("aC0½é#+＋日 \u200d"), max_size=20), st.data())
def test_any_word_of_any_text_is_found_again(text: str, data: st.DataObject) -> None:
    spans = word_spans_of(text)
    if not spans:
        return
    word, low, high = data.draw(st.sampled_from(spans))
    found = Marker(Query("", Word(word, exact=True))).spans(text, "")
    assert any(start <= low and end >= high for start, end in found)
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(first[1] <= second[0] for first, second in zip(found, found[1:], strict=False))


def test_spans_are_cut_to_the_piece_of_text_asked_for() -> None:
    assert spans_within([(2, 8), (10, 12)], 5, 11) == [(0, 3), (5, 6)]
    assert spans_within([(2, 8)], 8, 20) == []
