"""Text -> words: the tokenizer of the core against a walk letter by letter."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from indexer.text.analysis import (
    MAX_WORD,
    SECTION_GAP,
    analyze_pages,
    compounds_of,
    is_paired,
    normalize,
    url_words,
    word_spans_of,
    words_of,
)
from indexer.text.elements import ELEMENTS, PageText
from tests.indexer.core.test_tokens import same_unicode
from tests.indexer.page_structs import join_pieces
from tests.indexer.plain import PlainVersion, Token, kind_of, tokens_of
from tests.indexer.plain_text import MOST_MARKS

awkward = st.sampled_from(
    "\u0640\u064e\u0654\u0627\u0648\u0623\u05d0\u05b8\ufe71"
    "aB9é ++#☃️ß_-日本語カがᄀ각ภาษ\u0e33\u0301\u00ad\u200d´™①½ﬁİ\U0001f600\ud800\0\n"
)
texts = st.one_of(st.text(max_size=40), st.lists(awkward, max_size=40).map("".join))


@pytest.mark.parametrize(
    "text, words",
    [
        ("", []),
        ("Grey HERON, 3rd.", ["grey", "heron", "3rd"]),
        ("don't e-mail", ["don", "t", "e", "mail"]),
        ("snake_case", ["snake", "case"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("e\u0301te\u0301 \u00e9t\u00e9", ["été", "été"]),
        ("ﬁsh Ｗｉｄｅ", ["fish", "wide"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("日本語", ["日本", "本語", "語"]),
        ("日本 語x", ["日本", "本", "語", "x"]),
        ("第3回", ["第", "3", "回"]),
        ("ｶﾞｽ", ["ガス", "ス"]),
        ("no\u00a0break", ["no", "break"]),
        # accents that stand alone and trade marks part words
        ("don\u00b4t \u00b4hello\u00b4", ["don", "t", "hello"]),
        ("Java\u2122 SE", ["java", "se"]),
        ("\u0130STANBUL", ["istanbul"]),
        ("20\u2103 \u21165", ["20", "c", "no", "5"]),
        ("x" * 100, ["x" * MAX_WORD]),
        ("C++ and C#", ["c", "and", "c"]),
        ("I\u2764\ufe0fNY \U0001f600\U0001f600", ["i", "\u2764", "ny", "\U0001f600", "\U0001f600"]),
        ("\u00a9 2020 \u2014 20\u00b0", ["2020", "20"]),
        # vowel points and tatweel, and the ways to write alef
        ("\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd", ["\u05e9\u05dc\u05d5\u05dd"]),
        (
            "\u0645\u064f\u062d\u064e\u0645\u0651\u064e\u062f \u0645\u062d\u0640\u0640\u0645\u062f",
            ["\u0645\u062d\u0645\u062f"] * 2,
        ),
        ("\u0625\u0633\u0644\u0627\u0645 \u0622\u0628", ["\u0627\u0633\u0644\u0627\u0645", "\u0627\u0628"]),
    ],
)
def test_words_of_a_text(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize(
    "text, compounds",
    [
        ("C++, C# and F#!", ["c++", "c#", "f#"]),
        ("C++11 i++; a+++b x+ Notepad++", ["c++", "i++", "notepad++"]),
        ("page.html#part #tag ## ++ \u65e5++ " + "x" * 80 + "++", []),
        ("0++＋", []),  # a sign of full width is a sign
    ],
)
def test_compounds_of_a_text(text: str, compounds: list[str]) -> None:
    assert compounds_of(text) == compounds
    assert [word for word, _, _ in word_spans_of(text) if word.endswith(("+", "#"))] == compounds


@pytest.mark.parametrize(
    "marks",
    ["\u0301\u0316", "\u0f73", "\U0001d165\u0301", "\u0344\u0316"],
    ids=["both sides", "Tibetan", "music", "double"],
)
def test_marks_that_no_letter_has_are_left_out(marks: str) -> None:
    """Sorting them takes a time that grows with the square of their number: without a bound this takes an hour."""
    few = (marks * MOST_MARKS)[:MOST_MARKS]
    assert normalize("a" + marks * 200_000 + "b") == normalize(f"a{few}b")
    assert normalize("é" + few + "b").startswith("é") and normalize(f"a{few}b").endswith("b")


def test_capital_i_in_turkish() -> None:
    assert normalize("ISPARTA \u0130zmir I\u0307zmir", "tr") == "\u0131sparta izmir izmir"
    assert normalize("ISPARTA \u0130zmir", "en") == "isparta izmir"


@same_unicode
@settings(max_examples=400, deadline=None)
@given(texts)
@example("\ud800x")
def test_words_are_those_of_a_walk_letter_by_letter(text: str) -> None:
    assert words_of(text) == [word for word, _ in tokens_of(normalize(text))]


@same_unicode
@settings(max_examples=400, deadline=None)
@given(texts)
def test_words_are_found_again_by_themselves(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)
    for word in words_of(text):
        again = words_of(word)
        assert again[0] == word and len(again) <= 2  # a pair gives its last character too
        assert is_paired(word) == (kind_of(word[0]) == "pair")


@settings(max_examples=400, deadline=None)
@given(texts)
def test_spans_point_at_their_words(text: str) -> None:
    spans = word_spans_of(text)
    assert [start for _, start, _ in spans] == sorted(start for _, start, _ in spans)
    for word, start, end in spans:
        assert 0 <= start < end <= len(text)
        assert word in words_of(text[start:end]) + compounds_of(text[start:end])


def test_a_span_takes_soft_hyphens_along() -> None:
    assert word_spans_of("a soft\u00adhyphen") == [("a", 0, 1), ("softhyphen", 2, 13)]


@pytest.mark.parametrize(
    "url, words",
    [
        ("http://www.Example.org/a-b?c=d", ["example", "org", "a", "b", "c", "d"]),
        ("https://example.org/caf%C3%A9/%FF", ["example", "org", "café"]),
        ("urn:uuid:12-ab", ["urn", "uuid", "12", "ab"]),
    ],
)
def test_words_of_an_address(url: str, words: list[str]) -> None:
    assert words_of(url_words(url)) == words


pages = st.builds(
    PageText,
    title=st.one_of(st.none(), texts),
    description=texts,
    keywords=texts,
).flatmap(
    lambda page: st.lists(st.tuples(texts, st.sampled_from([1, 2, 3, 6, 8])), max_size=4).map(
        lambda parts: PageText(
            page.title,
            page.description,
            page.keywords,
            "",
            "",
            *join_pieces(parts),
        )
    )
)


@same_unicode
@settings(max_examples=150, deadline=None)
@given(st.lists(pages, max_size=4))
def test_columns_of_pages_hold_what_a_walk_over_each_page_finds(group: list[PageText]) -> None:
    tokens = analyze_pages([(f"http://a.example/{n}", page) for n, page in enumerate(group)])
    assert len(set(tokens.words)) == len(tokens.words)
    for number, page in enumerate(group):
        rows = tokens.document == number
        plain = PlainVersion(
            f"http://a.example/{number}",
            "en",
            page.title or "",
            page.description,
            page.keywords,
            tuple(zip(page.classes, page.pieces, strict=True)),
        )
        found_all = [
            (tokens.words[word], int(element), int(position))
            for word, element, position in zip(
                tokens.word[rows], tokens.element[rows], tokens.position[rows], strict=True
            )
        ]
        found = [row for row in found_all if not row[0].endswith(("+", "#"))]
        expected: list[Token] = plain.tokens
        assert [(word, element) for word, element, _ in found_all if word.endswith(("+", "#"))] == [
            (token.word, token.element) for token in plain.compounds
        ]
        for (word, _, here), (compound, _, there) in zip(found_all, found_all[1:], strict=False):
            assert not compound.endswith(("+", "#")) or (here == there and compound.rstrip("+#") == word)
        assert [(word, element) for word, element, _ in found] == [(t.word, t.element) for t in expected]
        # neighbours in a section stand one apart, and no phrase reaches over the edge of a section
        for (_, _, here), (_, _, there), one, other in zip(
            found, found[1:], expected, expected[1:], strict=False
        ):
            assert there - here == 1 if one.section == other.section else there - here > SECTION_GAP
        assert tokens.lengths[number].tolist() == [plain.lengths[element] for element in range(len(ELEMENTS))]
        assert tokens.extents[number] == (found[-1][2] + 1 if found else 0)
