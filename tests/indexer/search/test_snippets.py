"""Snippets: the words of the query as data, in a passage of bounded length."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.core.passages import SnippetPart
from indexer.core.tokens import encoded
from indexer.search.snippets import (
    START_CHARS,
    make_snippet,
    page_snippet,
    start_of_page,
    start_snippet,
)
from indexer.text.analysis import words_of
from tests.indexer.search.plain_snippets import LENGTH, plain_snippet

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


def test_words_that_stand_far_apart_are_shown_in_two_passages() -> None:
    text = "filler " * 300 + "a grey heron " + "filler " * 500 + "one gull, two gulls " + "filler " * 300
    parts = make_snippet(text, frozenset({"heron", "grey", "gull", "gulls"}))
    assert [part.text for part in parts if part.hit] == ["grey", "heron", "gull", "gulls"]
    assert [part.text for part in parts if "…" in part.text] == ["… ", " … ", " …"]
    assert len(shown(parts)) <= LENGTH + 40 + 2 * 4 + 3 + ELLIPSES


def test_a_mark_stays_with_its_letter() -> None:
    text = "e\u0301" * 400 + " heron " + "e\u0301" * 400
    assert not any(unicodedata.combining(part.text[0]) for part in make_snippet(text, frozenset({"heron"})))


@pytest.mark.parametrize(
    "hostile",
    ["<", "<!--", "<script", "<script>", "</script", "<a ", "<title><", "&", "&#", "<a href='>", "<!"],
)
def test_hostile_markup_takes_linear_time(hostile: str) -> None:
    """What looked at the rest of the page from each place would not come back from this."""
    page_snippet(hostile * 400_000, frozenset({"heron"}), ())


def test_words_that_only_the_parser_sees_are_shown() -> None:
    page = "<meta name=description content='A grey heron'><p>Nothing here<img alt='one gull'>"
    assert shown(page_snippet(page, frozenset({"gull"}), ())) == "Nothing here one [gull]"
    assert shown(page_snippet(page, frozenset({"heron"}), ())) == "A grey [heron]"
    assert shown(page_snippet(page, frozenset({"swan"}), ())).startswith("Nothing here")


def test_a_snippet_from_the_kept_start_of_a_page() -> None:
    start = start_of_page("<p>a grey <i>heron</i>" + "<p>filler" * 15_000 + "gull")
    assert not start.is_whole
    assert shown(start_snippet(start, frozenset({"heron"}), ())).startswith("a grey [heron] filler")
    assert start_snippet(start, frozenset({"gull"}), ()) == (), "it may stand further on"


def test_a_snippet_of_a_page_whose_start_is_all_of_it() -> None:
    start = start_of_page("<meta name=description content='one gull'><p>a grey <i>heron</i>")
    assert start.is_whole
    assert shown(start_snippet(start, frozenset({"heron"}), ())) == "a grey [heron]"
    assert shown(start_snippet(start, frozenset({"gull"}), ())) == "one [gull]"
    assert shown(start_snippet(start, frozenset({"swan"}), ())) == "a grey heron"
    empty = start_of_page("<meta name=description content='one gull'>")
    assert shown(start_snippet(empty, frozenset({"swan"}), ())) == "one gull"
    assert not start_of_page("<p>heron", is_whole=False).is_whole


@pytest.mark.parametrize("length", [START_CHARS - 1, START_CHARS, START_CHARS + 1])
def test_a_page_just_as_long_as_its_start(length: int) -> None:
    assert start_of_page("x" * length).is_whole == (length <= START_CHARS)


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
    assert sum(len(part.text) for part in parts) <= LENGTH + 40 + len(" … ") + ELLIPSES
    passages = "".join(part.text for part in parts).removeprefix("… ").removesuffix(" …").split(" … ")
    rest = "".join(text.replace("\u00ad", "").split())
    assert len(passages) <= 2
    for passage in passages:  # in the order of the page, and apart from each other
        shown_text = "".join(passage.split())
        assert shown_text in rest
        rest = rest[rest.index(shown_text) + len(shown_text) :]
    for part in parts:
        if part.hit:
            assert set(words_of(part.text)) & words


def test_the_rest_of_a_long_page_is_passed_over_where_its_start_has_all_that_was_asked_for() -> None:
    text = "a heron and a gull " + "filler " * 2000 + "heron gull heron"
    assert shown(make_snippet(text, frozenset({"heron", "gull"}), sought=2)).startswith(
        "a [heron] and a [gull]"
    )
    text = "a heron " + "filler " * 2000 + "heron gull"
    assert shown(make_snippet(text, frozenset({"heron", "gull"}), sought=2)).endswith("[heron] [gull]")


@pytest.mark.parametrize("filler", ["x", "é", "д", "İ", "日"])
def test_words_are_found_in_capitals_beside_letters_of_any_script(filler: str) -> None:
    text = f"{filler} ÜBER Über über HERON Дом {filler * 20}"
    parts = make_snippet(text, frozenset({"über", "heron", "дом"}))
    assert [part.text for part in parts if part.hit] == ["ÜBER", "Über", "über", "HERON", "Дом"]


pieces = st.one_of(
    awkward,
    st.sampled_from(
        [
            "herons ",
            "gull ",
            "filler " * 40,
            "filler\u3000\x1f\x85" * 3,
            "é̀́ ",
            "漢字" * 60,
            " c++ ",
            "x\u00a0",
        ]
    ),
    st.text(max_size=5),
)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.tuples(pieces, st.integers(1, 30)), max_size=30),
    st.frozensets(
        st.sampled_from(["heron", "herons", "grey", "gull", "filler", "日本", "本", "漢字", "c++", "c", "é"])
    ),
    st.integers(0, 3),
)
def test_the_passages_are_those_that_plain_python_finds(
    drawn: list[tuple[str, int]], words: frozenset[str], sought: int
) -> None:
    text = "".join(piece * times for piece, times in drawn)
    assert make_snippet(text, words, sought=sought) == plain_snippet(text, words, sought)
    assert make_snippet(encoded(text), words, sought=sought) == plain_snippet(text, words, sought)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=600), st.integers(1, 40), st.integers(0, 2))
def test_bytes_that_are_no_text_do_no_harm(data: bytes, times: int, sought: int) -> None:
    parts = make_snippet(data * times, frozenset({"a", "b"}), sought=sought)
    assert sum(len(part.text.encode()) for part in parts) < 4096
