"""What a batch is given of a page is what the strings of the page give."""

from __future__ import annotations

import ctypes
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.core.batch import Batch
from indexer.core.intake import GivenPage
from indexer.core.links import BatchLinks
from indexer.core.tokens import Tokenizer, tokenizer
from indexer.text.analysis import _sections
from indexer.text.elements import MARK
from indexer.text.page_words import PageWords
from indexer.text.pages import PageReader, collect_page, page_sample, page_text

pieces = st.sampled_from(
    [
        "<title>Über die Ilse</title>",
        "<h1>Kopf</h1>",
        "<p>foo<b>bar</b> C++ ",
        '<a href="/x">İlk I</a>',
        '<meta name=description content="kurz gesagt">',
        '<meta name=keywords content="a, b">',
        "<img alt=bild>",
        "日本語",
        f"x{MARK}y",
        "\ufffd\0",
        "<!--",
        "</p>",
        "<title>noch einer",
    ]
)
READER = PageWords()


def take_in_hand(reader: PageWords, html: str) -> None:
    data = html.encode()
    page = GivenPage(data, 0, len(data), "http://a.example/", "", True, 0, 0)
    for _ in reader.take_pages(Batch(), BatchLinks(), [page], (ctypes.c_int64 * 7)()):
        pass


def told(found: Tokenizer) -> tuple[Any, ...]:
    columns = [found.tokens[name].tolist() for name in ("hash", "rank", "element", "section", "flags")]
    return (*columns, found.lengths, found.extent, found.is_cut)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(pieces, max_size=12).map("".join),
    st.sampled_from(["de", "tr", ""]),
    st.sampled_from([5, 40, 10_000]),
)
def test_words_are_those_of_the_strings(html: str, language: str, most: int) -> None:
    page = collect_page(html)
    take_in_hand(READER, html)
    said = READER.sample()
    for name in ("title", "language", "base"):
        assert getattr(said, name) == getattr(page, name)
    assert said.text == page.text.replace(MARK, " ")  # shorter than a sample
    page.language = language
    found = tokenizer()
    found.find_words(_sections("http://www.a.example/%C3%A9t%C3%A9", page), most)
    expected = told(found)
    assert told(READER.words("http://www.a.example/%C3%A9t%C3%A9", language, most)) == expected


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("aö日🐦\u0301 "), max_size=30), st.integers(0, 32))
def test_of_a_long_text_the_middle_is_told(text: str, most: int) -> None:
    reader = PageReader()
    page = reader.read(f"<pre>x{text}")
    whole = page_text(page).text
    begin = max(0, (len(whole) - most) // 2)
    assert page_sample(page, most).text == whole[begin : begin + most]


def test_what_was_let_go_leaves_the_words_of_an_address() -> None:
    take_in_hand(READER, "<p>heron")
    READER.let_go()
    found = READER.words("http://a.example/gull", "")
    assert len(found.tokens) == 3 and sum(found.lengths) == 3
