"""The core's reader of HTML finds what Lexbor's tree holds, whatever the markup; and keeps its limits."""

from __future__ import annotations

import random
import time
from html.entities import html5
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.core.library import TOO_LARGE, core
from indexer.core.tokens import Bytes
from indexer.text import pages
from indexer.text.analysis import words_of
from indexer.text.pages import CUT_LINKS, CUT_NESTING, PageReader, collect_page, page_text, text_of
from scripts import make_html_tables
from tests.indexer.text.differential import SCRAPS, differences, pages_of, spoil, too_costly
from tests.indexer.text.tree_walk import walked_page

TEXT_ALONE = 4  # FA_TEXT_ALONE


def same(html: str) -> bool:
    return differences(collect_page(html), walked_page(html)) == []


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
        "<xmp><b>raw</b></xmp><textarea><b>raw</b>&amp;</textarea><plaintext>raw</plaintext>",
        "<frameset><frame src=a name=b><noframes><p>b <a href=x>c</a></noframes></frameset>",
        "<a<b>odd name</a>",
        "<svg><a href=x>one<a href=y>two</a></a></svg>",
        "<script><!--<script></script>--></script>text<script><!--></script>more<script><!--<script></script>rest",
        # misnested: an end tag closes its element before the block and opens it again inside
        "<a href=x>1<p>2</a>3", "<a href=x>1<b>2<div>3<p>4</a>5</b>6", "<b>1<i>2<u>3<em>4<strong>5<p>6</b>7</p>8",
        "<a href=x><div><div><div><div><div><div><div><div><div><div>deep</a>after",
        "<b><b><b><b>x</b>y<p>z", "<p><b>x<p>y<p>z</b>w", "<font size=1><b><font size=2>x<p>y</b>z</font>w",
        # what may not stand in a table goes before it, and so does what is open there
        "a<table>b<tr>c<td>d</td>e</tr>f</table>g", "<table><a href=x>1<tr><td>2</td></tr>3</a>4</table>5",
        "<table><b>1<div>2</b>3<tr><td>4</table>5", "<table><a href=1>x<a href=2>y<tr><td>z</table>",
        "<a href=1><table><a href=2>x</a><tr><td><a href=3>y</table>z",
        "<table><tr><form><input alt=a type=image></table>b",
        "<table><td><table>x<td>y</table>z</table>", "<table><select><option>x<tr><td>y</table>",
        # implied ends
        "<p>a<ul><li>b<li>c<ul><li>d</ul>e</ul>f<dl><dt>g<dd>h<dt>i</dl>j", "<h1>a<h2>b</h1>c",
        "<button>a<button>b</button>c",
        "<select><option>a<optgroup>b<option>c</select>d<select><div>e</div><input>f",
        "<ruby>a<rt>b<rp>c<rtc>d<rb>e</ruby>f",
        "<!doctype html><p>a<b>b<table><tr><td>c</table>d", "<p>a<b>b<table><tr><td>c</table>d",
        # drawings and formulas
        "<svg><foreignObject><p>a<b>b</svg>c",
        "<math><mi>a<b>b</b><mglyph>c</mi><annotation-xml encoding=text/html><p>d</math>e",
        "<svg><![CDATA[a<b>&amp;]]>c</svg><![CDATA[d]]>e", "<svg><p>a</svg>b", "<svg/>a<svg><path/>b<desc><i>c</svg>d",
        "foo<?php echo 1 ?>bar<?xml x?>baz<? x ?>q</body><?php ?>r",
        "a</b>b</div>c</p>d</br>e</x>f", "x<noscript><p>y</noscript>z", "<head><noscript><link><p>y</noscript>z",
        "<body>a</body>b</html>c<body lang=x>d", "</p><html><p lang=a><html lang=b>x",
    ],
)  # fmt: skip
def test_a_page_has_the_words_of_its_tree(html: str) -> None:
    assert same(html)


@pytest.mark.parametrize(
    "html, kinds",
    [
        ("<body><noframes>a\0b<p></noframes>", ["words"]),
        ("<a href=x><noframes>t</noframes>", ["links"]),
        ("<body>" + "<noframes><body>" * 5 + "<p>deep", ["words"]),
        ("<table><image alt=picture>", ["words"]),
        ("<p><b>" + "".join(f"<font id={number}>" for number in range(300)) + "x</p>y", ["classes"]),
        ("<div>" * 4094 + "<h1><span>a", ["classes"]),
    ],
    ids=["zero", "link", "noframes", "image", "formats", "depth"],
)
def test_where_a_page_differs_from_its_tree_it_is_seen(html: str, kinds: list[str]) -> None:
    """The differences that `differential.py` explains; so it would see others, too."""
    assert differences(collect_page(html), walked_page(html)) == kinds


scraps = st.sampled_from(SCRAPS)


@settings(max_examples=600, deadline=None)
@given(st.lists(st.one_of(scraps, st.just(" ")), max_size=40).map("".join))
def test_any_markup_has_the_words_of_its_tree(html: str) -> None:
    assert same(html)


attributes = st.sampled_from(
    [
        " a='b'",
        ' a="b"',
        ' a="<b>"',
        " a='>' b=\"'\"",
        ' a=b="c>d"',
        ' ="e>f"',
        ' ab"="c>d"',
        "\ta='b'",
        "/a='b'",
        " a",
    ]
    + [
        " a='b'/",
        " a = 'b>'",
        ' data-of-a-long-name="c>"',
        " href=x",
        " href='>'",
        ' a="',
        "\x01a='>'",
        " a='b'c='>'",
    ]
)


@settings(max_examples=600, deadline=None)
@given(
    st.lists(
        st.one_of(
            scraps,
            st.text("x \n", max_size=3),
            st.tuples(
                st.sampled_from(["<a", "<b", "<em", "<p", "</a", "<dfn", "<div", "<img alt=y", "<font"]),
                st.lists(attributes, max_size=4).map("".join),
                st.sampled_from([">", ">", "/>", " >", ""]),
            ).map("".join),
        ),
        max_size=40,
    ).map("".join)
)
def test_text_for_passages_is_that_of_the_page(html: str) -> None:
    """No links and emphasised texts are told of then; and the words are those of the tree, whatever the attributes."""
    assert same(html)
    reader = PageReader()
    whole = reader.read(html)
    expected = whole.text.copy(), whole.description.copy()
    data = html.encode("utf-8", "ignore")
    assert core.fa_page_read(reader.page, Bytes(data, len(data)), TEXT_ALONE) == 0
    alone = reader.page.contents
    assert (alone.text.copy(), alone.description.copy()) == expected


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(scraps, st.just("\n"), st.text(max_size=5)), max_size=30).map("".join))
def test_text_for_readers_has_the_paragraphs_of_the_tree(html: str) -> None:
    def lines(text: str) -> list[str]:
        return [" ".join(line.split()) for line in text.split("\n") if line.strip()]

    ours = collect_page(html, paragraphs=True)
    assert lines(ours.text) == lines(walked_page(html, paragraphs=True).text)


def test_pages_of_real_archives_have_the_words_of_their_trees(shared: Path) -> None:
    """Each page as it is, and spoiled in a random way; see `differential.py` for what may differ then."""
    random_ = random.Random(7)
    compared, spoiled_compared, other = 0, 0, []
    for path in sorted(file for file in (shared / "archives").rglob("*") if file.is_file()):
        for html in pages_of(path):
            if too_costly(html):
                continue
            compared += 1
            assert same(html), path
            spoiled = spoil(random_, html)
            if len(html) < 100_000 and not too_costly(spoiled):
                spoiled_compared += 1
                other += [path.name] if not same(spoiled) else []
    assert compared > 300
    assert len(other) <= spoiled_compared // 100, other


@pytest.mark.parametrize(
    "name", ["Aacute;", "amp", "nGt;", "CounterClockwiseContourIntegral;", "not", "notin;"]
)
def test_references_at_the_end_and_before_other_signs(name: str) -> None:
    for behind in ("", "x", "=", ";", " ", "&", "<b>", "1"):
        assert same(
            f"<title>&{name}{behind}</title>a&{name}{behind}<img alt='&{name}{behind}'><img alt=&{name}{behind}>"
        )


def test_all_references_are_those_of_the_standard() -> None:
    names = sorted(html5)
    links = []
    for low in range(0, len(names), 1000):
        markup = "".join(f"<a href='q&{name}'>x&{name} y</a>" for name in names[low : low + 1000])
        links += collect_page(markup).links
    assert [href for href, _ in links] == [f"q{html5[name]}" for name in names]
    assert [text for _, text in links] == [" ".join(f"x{html5[name]} y".split()) for name in names]


@pytest.mark.parametrize(
    "written, character",
    [("&#65;", "A"), ("&#x41", "A"), ("&#X00041;", "A"), ("&#128;", "\u20ac"), ("&#129;", "\x81"), ("&#0;", "\ufffd"),
     ("&#xD800;", "\ufffd"), ("&#x10FFFF;", "\U0010ffff"), ("&#x110000;", "\ufffd"),
     ("&#99999999999999999999;", "\ufffd"),
     ("&#;", "&#;"), ("&#x;", "&#x;"), ("&;", "&;"), ("&", "&"), ("&nosuch;", "&nosuch;"), ("&ampere", "&ere")],
)  # fmt: skip
def test_references_by_number(written: str, character: str) -> None:
    assert collect_page(f"<title>|{written}</title>").title == f"|{character}"


def test_links_at_the_limit_and_above() -> None:
    reader = PageReader()
    for count, cut in ((999, 0), (1000, 0), (1001, CUT_LINKS)):
        page = reader.read("<a href=x>y</a>" * count)
        assert (page.link_count, page.cut) == (min(count, 1000), cut)
    for length, kept in ((199, 199), (200, 200), (201, 200)):
        ((_, text),) = collect_page("<a href=x> " + "\u00e9" * length + " </a>").links
        assert len(text) == kept


def test_a_handle_gives_what_a_new_one_gives() -> None:
    reader = PageReader()
    for html in (
        "<title>a</title><a href=x>b</a>" * 50,
        "",
        "<b>c",
        "x" * 3_000_000,
        "<p>d<a href=e>f",
        "<frameset><noframes><b>",
    ):
        assert page_text(reader.read(html)) == collect_page(html)


def test_bytes_that_are_no_utf_8_are_handed_on() -> None:
    page = collect_page(b"<title>a\xff</title>b\xc3<b>\xa9</b>\xe2\x82 <a href='\xfe'>\xed\xa0\x80")
    assert page.title == "a\ufffd"
    assert page.pieces[0].startswith("b") and page.links[0][0] == "\ufffd"


def test_more_than_the_largest_page_is_refused() -> None:
    reader = PageReader()
    data = b"<p>x"
    given = Bytes(data, (512 << 20) + 1)  # refused before a byte is looked at
    assert core.fa_page_read(reader.page, given, 0) == TOO_LARGE
    assert reader.page.contents.piece_count == 0


MIB = 1 << 20


@pytest.mark.parametrize(
    "markup",
    [
        pytest.param("<div>" * 100_000, id="open blocks"),
        pytest.param("".join(f"<font id={number}><p>" for number in range(3000)), id="fonts and paragraphs"),
        pytest.param("".join(f"<font id={number}>" for number in range(2000)) + "<p>x" * 300_000, id="fonts reopened"),
        pytest.param("<p " + " ".join(f"a{number}=1" for number in range(200_000)) + ">", id="attributes"),
        pytest.param("<b>" * 250 + "<div>" * 4000 + "</b>" * 500_000, id="ends that cross blocks"),
        pytest.param(("<b>" * 40 + "<div>" * 400 + "</b>" * 2000 + "</div>" * 400) * 50, id="ends that cross again"),
        pytest.param("<div>" * 4000 + "<table></table>" * 200_000, id="tables far below"),
        pytest.param("<svg>" + "<g>" * 4000 + "</x>" * 500_000, id="ends of nothing in a drawing"),
        pytest.param("<x>" * 4000 + "</y>" * 500_000, id="ends of nothing"),
        pytest.param("<p><object>" + "<i>" * 3000 + "<hr>" * 500_000, id="questions for a paragraph far below"),
        pytest.param("<table><tr><td>" * 100_000, id="tables"),
        pytest.param("<table>" + "<b>x" * 200_000, id="moved before a table"),
        pytest.param("<table><b>" * 100_000, id="tables in elements moved before tables"),
        pytest.param("<a href=x><p>" * 100_000, id="links that cross paragraphs"),
        pytest.param("<!--" * MIB, id="comment"),
        pytest.param("<!-- >" * MIB, id="comment with brackets"),
        pytest.param("<script><!--<script>" + "</scrip" * MIB, id="script"),
        pytest.param("<textarea>" + "</textare" * MIB, id="raw text"),
        pytest.param("&" * 4 * MIB, id="ampersands"),
        pytest.param("&amp" * 2 * MIB, id="references"),
        pytest.param("\0" * 4 * MIB, id="zeros"),
        pytest.param("<" * 4 * MIB, id="brackets"),
        pytest.param("<a" * 4 * MIB, id="a name"),
        pytest.param("<svg>" + "<![CDATA[" + "]" * 4 * MIB, id="CDATA"),
        pytest.param("<noframes>" * 500_000 + "<p>x", id="noframes"),
        pytest.param("<template>" * 500_000 + "<p>x", id="templates"),
        pytest.param("<frameset>" * 500_000 + "<frame src=x>" * 100_000, id="framesets"),
        pytest.param("<title>" + "a \n" * 2 * MIB, id="title"),
        pytest.param("<a href=x>" * 500_000, id="links"),
        pytest.param("<meta name=keywords content=x>" * 200_000, id="metas"),
    ],
)  # fmt: skip
def test_hostile_pages_cost_what_their_size_costs(markup: str) -> None:
    """Twice the page takes about twice the time: a square would take four times, and these minutes."""
    reader = PageReader()
    started = time.process_time()
    reader.read(markup + "<p>after")
    assert time.process_time() - started < 10


def test_what_is_nested_too_deep_is_closed_early_and_said_so() -> None:
    reader = PageReader()
    for depth, cut in ((4000, 0), (4200, CUT_NESTING)):
        page = reader.read("<div>" * depth + "inside" + "</div>" * depth + "<p>after")
        assert page.cut == cut
        assert words_of(page_text(page).text) == ["inside", "after"]
    assert reader.read("<b>x</b>").cut == 0


def test_the_tables_are_those_that_the_script_writes() -> None:
    assert (make_html_tables.FOLDER / "html_tables.h").read_text() == make_html_tables.header()
    assert (make_html_tables.FOLDER / "html_tables.c").read_text() == make_html_tables.body()


def test_what_a_large_page_needed_is_not_kept_for_the_next_one_of_the_thread() -> None:
    """A server has many threads, each with a reader of its own."""
    assert collect_page("<p>small").text == "small\n"
    kept = pages._readers.reader
    assert kept is not None
    assert collect_page("<p>again").text == "again\n" and pages._readers.reader is kept
    large = "<p>" + "x " * (pages._LARGE // 2)
    assert len(collect_page(large).text) > pages._LARGE - 10
    assert pages._readers.reader is None
    assert text_of(large)[0].startswith(b"x x") and pages._readers.reader is None
