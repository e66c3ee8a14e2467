"""The fast way to the element texts finds what the walk over the tree finds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.text.analysis import analyze_pages
from indexer.text.elements import PageText, collect_page
from indexer.text.flat import read_written, written_out


def tokens_of(page: PageText) -> list[tuple[str, int, int]]:
    tokens = analyze_pages([("", page)])
    rows = zip(tokens.word.tolist(), tokens.element.tolist(), tokens.position.tolist(), strict=True)
    return [(tokens.words[word], element, position) for word, element, position in rows]


def same(fast: PageText, walked: PageText) -> bool:
    return tokens_of(fast) == tokens_of(walked) and all(
        getattr(fast, name) == getattr(walked, name)
        for name in ("title", "description", "keywords", "language", "robots", "base", "links")
    )


def fast_page(html: str) -> PageText | None:
    return read_written([written_out(html)])[0]


@pytest.mark.parametrize(
    "html",
    [
        "<html lang=de-AT><head><title>The &lt;title</title><meta name=Description content='what it &amp; is'></head>"
        "<body><h1>Head <a href=x>link</a></h1>plain <a class=b href=y>anchor <b>bold</b></a><a name=z>target</a>"
        "<a href=''>none</a><a title=' href=' href=x>yes</a> <em>emphasis</em>",
        "<base href=' /b '><base href=c><a href=x rel='external nofollow'>no</a><a rel=next href=' x&amp;y'>"
        "a <b>b</b><p>c<img alt='d&lt;'></a><map><area href=three alt=Third><area href=q rel=ugc></map>"
        "<a href=r><img src=e></a>",
        "<img alt='a &quot;picture&quot;'><area alt=b><input type=submit value=Go><input type=image alt=c>"
        "<input type=text value=no>foo<wbr>bar<b>baz</b><p>one<p>two<br>three",
        "<title>first</title><svg><title>picture</title></svg><title>second</title>x<title>third</title>y",
        "a<!-- <b> > -->b<script>if (a<b) c('<h1>')</script>c<style>p > a {}</style>d<template><i>e</i></template>f",
        "caf<b>e\u0301</b> e<i>\u0301</i> \u00df\u2026\ufb01\u00ad\u2122 \u1112\u1161\u11ab \u0e01\u0e33 x\x01y",
        "<caption>c</caption><table><caption>under</caption><tr><td><b>x</b>y</table><legend>z</legend>",
        "<h2> </h2> a <b> </b><i>b</i>&nbsp;<u></u>c",
        "<p title='a > b < c \"'>x</p><p a\"b='1' \"=2>y<a c\"=d href=e>z</a>",
    ],
)  # fmt: skip
def test_pages_read_fast_have_the_words_of_the_walk(html: str) -> None:
    fast = fast_page(html)
    assert fast is not None
    assert same(fast, collect_page(html))


@pytest.mark.parametrize(
    "html",
    [
        "<xmp><b>raw</b></xmp>",
        "<plaintext>raw",
        "<frameset><frame src=a><noframes><p>b</noframes></frameset>",
        "<a<b>odd name</a>",
        "<svg><a href=x>one<a>two</a></a></svg>",
        "<script><!--<script></script>--></script>text",
        "<div>" * 3000,
    ],
)
def test_pages_whose_brackets_may_mislead_are_left_to_the_walk(html: str) -> None:
    assert fast_page(html) is None


def test_a_page_left_to_the_walk_changes_nothing_for_its_neighbours() -> None:
    pages = ["<p>one<a href=x>two</a>", "<xmp><b></xmp>", None, "<a<b>", "<h1>three</h1><img alt=four>"]
    found = read_written([page and written_out(page) for page in pages])
    assert [page is None for page in found] == [False, True, True, True, False]
    assert [[piece.strip() for piece in page.pieces] for page in found if page] == [
        ["one", "two"],
        ["", "three", "four"],
    ]


scraps = st.sampled_from(
    "<a> <a_href=x> <a_class=c_href=y> <a_href=''> </a> <b> </b> <caption> </caption> <title> </title> <svg> </svg>"
    " <h1> </h1> <head> <body> <html_lang=x> <img_alt=q> <img_alt=''> <input_type=submit_value=w> <area_alt=e> <p> <br>"
    " <table> <td> </table> <script> </script> <style> </style> <template> </template> <iframe> </iframe> <!-- -->"
    " <noframes> </noframes> <xmp> </xmp> <math> <mi> </math> <select> <option> <textarea> </textarea> <i> </i> <span>"
    " </span> <?php_?> <meta_name=keywords_content='k_l'> <meta_property=og:description_content=d> < > & &amp;lt; &lt;"
    " \""
    " ' ="
    " <p_t=\"> <p_t='\"'> href= <a_t='_href=' one"
    " <a_rel=nofollow_href=z> <base_href=n> <area_href=m_alt=o> two \u00e9 e \u0301 \u1112 \u1161 \u3042 \u00df"
    " \u2026 \u00a0"
    " \0 \x01 \x0c <foreignObject> <desc> <noscript> </noscript> <!doctype_html> </p> </br> <a<b> <frameset>".split(" ")
).map(lambda scrap: scrap.replace("_", " "))  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(st.one_of(scraps, st.just(" ")), max_size=25).map("".join), min_size=1, max_size=3))
def test_any_pages_read_fast_have_the_words_of_the_walk(pages: list[str]) -> None:
    for html, fast in zip(pages, read_written([written_out(html) for html in pages]), strict=True):
        if fast is not None:
            assert same(fast, collect_page(html))
