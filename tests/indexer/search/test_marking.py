"""Where the words of a query stand in a text: the same words that a search would count."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.core.tokens import tokenizer
from indexer.search import marking
from indexer.search.marking import LONG_TEXT, Marker, spans_within
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


@pytest.mark.parametrize("length", [1, 2, 5, 20])
@settings(deadline=None, max_examples=50)
@given(
    words=st.lists(
        st.sampled_from(["漢字", "漢字仮名", "仮名", "cat", "e\u0301té", "c++", "c", "ไ"]), max_size=30
    ),
    query=st.sampled_from(
        ["漢", "=漢", "漢字", '"漢字 仮名"', "字仮", "名", '"字 仮"', "été cat", '"c++ c cat"', "c++"]
    ),
)
def test_a_long_text_is_marked_part_by_part(length: int, words: list[str], query: str) -> None:
    marker = Marker(parse_query(query))
    text = " ".join(words)
    whole = marker.spans(text, "ja")
    with pytest.MonkeyPatch.context() as patch:
        # no part is so small that a word does not fit
        patch.setattr(marking, "CHARACTERS_AT_ONCE", 2 * len("漢字仮名 ") + length)
        assert marker.spans(text, "ja") == whole


def test_the_first_marks_are_told_in_order() -> None:
    text = "dog cat. the dog, a cat dog " * 50
    for query in ("dog", "dog cat", '"dog cat"', '"cat dog" cat', '"dog the cat"'):
        marker = Marker(parse_query(query))
        whole = marker.spans(text, "en")
        for most in (1, 2, 7, len(whole) - 1, len(whole), len(whole) + 1):
            assert marker.spans(text, "en", most) == whole[:most], (query, most)


@pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""), reason="a core that watches itself keeps what was freed"
)
@pytest.mark.parametrize(
    "text",
    ["'a' * (4 << 20)", "'\\u0301\\u0316' * (1 << 20)", "'c++ ' * (1 << 16)"],
)
def test_a_text_of_megabytes_takes_little_memory(text: str) -> None:
    """A word of 4 MB took half a gigabyte, and accents in a row took hours."""
    code = (
        "import re, sys\n"
        "from indexer.search.marking import Marker\n"
        "from indexer.search.query import parse_query\n"
        "def peak():\n"
        "    return int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]) / 1024\n"
        'marker = Marker(parse_query(\'a* 漢 "a c++" c++ "漢字 漢" wombat~1\'))\n'
        "marker.spans('a c++ 漢字 é', 'en')\n"
        f"text = {text}\n"
        "before = peak()\n"
        "found = marker.spans(text, 'en', 1000)\n"
        "print(peak() - before, len(found))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout.split()[0]) < 60


@pytest.mark.parametrize(("length", "is_kept"), [(-1, True), (0, True), (1, False)])
def test_what_a_long_text_needed_is_not_kept_in_the_thread(length: int, is_kept: bool) -> None:
    text = "wombat " + "x" * (LONG_TEXT + length - 7)
    before = tokenizer()
    assert Marker(parse_query("wombat")).spans(text, "en") == [(0, 6)]
    assert (tokenizer() is before) == is_kept


def test_spans_are_cut_to_the_piece_of_text_asked_for() -> None:
    assert spans_within([(2, 8), (10, 12)], 5, 11) == [(0, 3), (5, 6)]
    assert spans_within([(2, 8)], 8, 20) == []
