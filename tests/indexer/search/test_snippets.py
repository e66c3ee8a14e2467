"""Snippets: the words of the query as data, in a passage of bounded length."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.search.snippets import LENGTH, SnippetPart, make_snippet
from indexer.text.analysis import words_of

ELLIPSES = len("… ") + len(" …")


def shown(parts: tuple[SnippetPart, ...]) -> str:
    return "".join(f"[{part.text}]" if part.hit else part.text for part in parts)


@pytest.mark.parametrize(
    "text, words, snippet",
    [
        ("", {"heron"}, ""),
        ("A grey  heron\nwaits.", {"heron"}, "A grey [heron] waits."),
        ("A grey heron waits.", {"gull"}, "A grey heron waits."),
        ("Herons and a HERON", {"heron"}, "Herons and a [HERON]"),
        ("<b>heron</b> & co", {"heron", "b"}, "<[b]>[heron]</[b]> & co"),
        ("東京都に行く", {"東京", "京都"}, "[東京都]に行く"),
        ("זה שלום עולם", {"שלום"}, "זה [שלום] עולם"),
        ("soft\u00adhyphen here", {"softhyphen"}, "[softhyphen] here"),
        ("zero\u200djoined here", {"zerojoined"}, "[zero\u200djoined] here"),
        ("Straße und Ｗｉｄｅ", {"strasse", "wide"}, "[Straße] und [Ｗｉｄｅ]"),
    ],
)
def test_marks(text: str, words: set[str], snippet: str) -> None:
    assert shown(make_snippet(text, frozenset(words))) == snippet


def test_the_words_of_a_phrase_are_marked() -> None:
    assert shown(make_snippet("a grey heron", frozenset(), [("grey", "heron")])) == "a [grey] [heron]"


def test_the_passage_is_where_most_words_stand() -> None:
    text = "heron " + "filler " * 500 + "the grey heron and the gull " + "filler " * 500
    parts = make_snippet(text, frozenset({"grey", "heron", "gull"}))
    assert [part.text for part in parts if part.hit] == ["grey", "heron", "gull"]
    assert parts[0] == SnippetPart("… ", False) and parts[-1] == SnippetPart(" …", False)


@pytest.mark.parametrize("filler", ["filler ", "日本", "İ ", "x", " ", "\u00ad", "שלום "])
def test_a_word_deep_in_the_page_is_shown(filler: str) -> None:
    parts = make_snippet(filler * 3000 + " heron " + filler * 3000, frozenset({"heron"}))
    assert [part.text for part in parts if part.hit] == ["heron"]
    assert len(shown(parts)) <= LENGTH + 24 + ELLIPSES


awkward = st.sampled_from(
    [
        "heron",
        "grey",
        " ",
        "\n",
        "日本語",
        "本",
        "İ",
        "ß",
        "\u00ad",
        "\u200f",
        "<b>",
        "x" * 300,
        ". ",
        "שלום",
        "e\u0301",
        "½",
    ]
)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.text(max_size=400), st.lists(awkward, max_size=80).map("".join)),
    st.sets(st.sampled_from(["heron", "grey", "日本", "本", "strasse", "ss", "שלום", "é", "i̇"])),
)
def test_a_snippet_is_a_bounded_part_of_the_page_with_only_wanted_words_marked(
    text: str, words: set[str]
) -> None:
    parts = make_snippet(text, frozenset(words))
    assert all(part.text for part in parts)
    assert sum(len(part.text) for part in parts) <= LENGTH + 20 + ELLIPSES
    plain = "".join(part.text for part in parts).removeprefix("… ").removesuffix(" …")
    assert "".join(plain.split()) in "".join(text.replace("\u00ad", "").split())
    for part in parts:
        if part.hit:
            assert set(words_of(part.text)) & words
