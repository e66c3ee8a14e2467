"""HTML -> element texts: each kind of markup that old pages are full of."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.text.analysis import words_of
from indexer.text.elements import ELEMENTS, MAX_LINK_TEXT, MAX_LINKS, PageText
from indexer.text.pages import collect_page


def texts_by_element(page: PageText) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for element, text in zip(page.classes, page.pieces, strict=True):
        found.setdefault(ELEMENTS[element], []).extend(words_of(text))
    return {name: words for name, words in found.items() if words}


def test_each_text_counts_for_its_element() -> None:
    page = collect_page(
        "<html lang=de-AT><head><title>The title</title><meta name=Description content='what it is'>"
        "<META NAME=keywords CONTENT='one, two'></head><body><h1>Head <a href=x>link</a></h1>plain <a href=y>anchor "
        "<b>bold anchor</b></a> <a name=z>target</a> <em>emphasis</em> <img src=p alt='a picture'>end"
        "<input type=submit value=Go><input type=hidden value=hidden></body></html>"
    )
    assert page.title == "The title" and page.language == "de-AT"
    assert (page.description, page.keywords) == ("what it is", "one, two")
    assert texts_by_element(page) == {
        "heading": ["head", "link"],
        "body": ["plain", "target", "end"],
        "anchor": ["anchor", "bold", "anchor"],
        "emphasis": ["emphasis"],
        "alt": ["a", "picture", "go"],
    }


@pytest.mark.parametrize(
    "html, title",
    [
        ("<title></title><p>x", None),
        ("<p>x", None),
        ("<body><svg><title>icon</title></svg>", None),
        ("<title>Report</title><body><svg><title>icon</title></svg><title>Later</title>", "Report"),
        ("<title>\n Fish &amp; Chips &#8211;\n\t&lt;3 \n</title>", "Fish & Chips \u2013 <3"),
        ("<title>First</title><title>Second</title>", "First"),
        ("<!-- <title>Old</title> --><script>t='<title>Script</title>'</script><title>Real</title>", "Real"),
        ("<TITLE lang=en>A <b>bold</b> one</TITLE>", "A <b>bold</b> one"),
        ("<title>Broken &#xD83D; &#x110000; end</title>", "Broken \ufffd \ufffd end"),
        ("<title>nul \0 end</title>", "nul \ufffd end"),
    ],
)
def test_titles(html: str, title: str | None) -> None:
    assert collect_page(html).title == title


@pytest.mark.parametrize(
    "markup, words",
    [
        ("<script>document.write('<p>no</p>'); if (x </b/.test(y)) z('no');</script>yes", "yes"),
        ("<script><!--\nvar s = 'no <\\/script>'; //-->\n</script>yes", "yes"),
        ("<style type=text/css>p:before { content: 'no </div> <p>no' }</style>yes", "yes"),
        ("<!-- no > <p>no</p> -- > no -->yes", "yes"),
        ("<script type='text/html'><p>no</p></script>yes<template><p>no</p></template>", "yes"),
        ("<!--[if lt IE 9]><p>no</p><![endif]-->yes", "yes"),
        ("<SCRIPT>no</SCRIPT ><Style>no</sTYLE\n>yes", "yes"),
        ("<script>var a = \"</p>\", b = '<' + '/div>';</script><script src=x></script>yes", "yes"),
        ("<table><tr><td>a</td><td>b</td></tr></table><ul><li>c<li>d</ul>e<br>f<hr>g", "a b c d e f g"),
        ("<p>3 < 4 and yes</p>", "3 4 and yes"),
        ("foo<b>bar</b>baz<wbr>bin <span>x</span><i>y</i>", "foobarbazbin xy"),
        ("one<div>two</div>three<select><option>four<option>five</select>six", "one two three four five six"),
        ("<p>a \0 b</p>\0<p\0 class='a\0b'>c</p>", "a b c"),
        (
            "a&nbsp;b&#xA0;c&#10;d &#x; &#; &nosuch; &amp e&copy f &#55357;&#56832; g "
            "&#99999999999999999999; h &#150; i",
            "a b c d x nosuch e f g h i",
        ),
        (
            "<frameset><frame name=menu src=/m.html><noframes><p>Only for old ones</p></noframes></frameset>",
            "menu m html only for old ones",
        ),
        ("<textarea>kept</textarea><noscript><p>shown</p></noscript><iframe>no</iframe>", "kept shown"),
        ("", ""),
    ],
)
def test_running_text(markup: str, words: str) -> None:
    page = collect_page(markup if markup.startswith("<frameset") else f"<html><body>{markup}</body></html>")
    assert words_of(page.text) == words.split()


def test_deep_nesting_drops_nothing_and_costs_no_square() -> None:
    started = time.process_time()
    for markup in (
        "<table><tr><td>" * 300 + "inside" + "</td></tr></table>" * 300,
        "<div>" * 100_000 + "inside",
        "<b><font size=1><i>" * 8000 + "inside",
        "<p>" * 50_000 + "inside",
    ):
        page = collect_page(f"<html><head><title>Deep</title></head><body>{markup}<p>after</p></body></html>")
        assert page.title == "Deep"
        assert words_of(page.text) == ["inside", "after"]
    assert time.process_time() - started < 30


def test_a_page_nested_too_deep_gives_the_text_of_a_flat_one() -> None:
    inside = "<h1>Head</h1>foo<b>bar</b> <a href=x>link</a><script>no</script><!-- no --><img alt=pic><p>last"
    flat = collect_page(f"<body>{inside}")
    deep = collect_page("<body>" + "<div>" * 9000 + inside)
    assert texts_by_element(deep) == texts_by_element(flat)


def test_links_are_kept_with_the_text_that_stands_for_their_target() -> None:
    page = collect_page(
        "<base href='/deep/'><base href='/other/'><a href=' one.html#part '>The\n <b>first</b> page</a>"
        "<a name=no>none</a>"
        "<a href=two><img src=p alt='A picture'></a><a rel='nofollow external' href=spam>Buy</a>"
        "<map><area href=three alt='Third'></map><a href=four></a><a href=five>open"
    )
    assert page.base == "/deep/"
    assert page.links == [
        (" one.html#part ", "The first page"),
        ("two", "A picture"),
        ("three", "Third"),
        ("four", ""),
        ("five", "open"),
    ]


def test_links_of_a_page_are_bounded() -> None:
    page = collect_page(f"<a href=x>{'long ' * 1000}</a>" * 3000)
    assert len(page.links) == MAX_LINKS
    assert max(len(text) for _, text in page.links) == MAX_LINK_TEXT


tags = st.sampled_from(
    [
        "<p>",
        "</p>",
        "<b>",
        "</b>",
        "<a href=x>",
        "</a>",
        "<title>",
        "</title>",
        "<svg>",
        "</svg>",
        "<head>",
        "</head>",
        "<body>",
        "<noframes>",
        "</noframes>",
        "<script>",
        "</script>",
        "<template>",
        "<h1>",
        "</h1>",
        "<frameset>",
        "<img alt=x>",
        "<table>",
        "<td>",
        "<html lang=x>",
        "<math>",
        "<select>",
        "<option>",
        "text",
        " ",
        "&amp;",
        "\0",
        "<",
        ">",
        "<!--",
        "-->",
        "<meta name=keywords>",
        "\ud800",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(tags, max_size=40).map("".join)))
def test_any_markup_raises_nothing(html: str) -> None:
    page = collect_page(html)
    assert len(page.pieces) == len(page.classes)
    page.text.encode("utf-8", "replace")
