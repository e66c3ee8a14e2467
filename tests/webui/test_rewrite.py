"""Archived pages made fit for the frame."""

from __future__ import annotations

import re
import time
from html import escape

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from archiver.warc import resolve
from indexer.search.marking import Marker
from indexer.search.query import parse_query
from tests.webui.hostile_pages import HostilePages
from webui import page_pieces
from webui.rewrite import MAX_SRCDOC_CHARS, MAX_SRCDOC_DEPTH, MAX_SRCDOCS, rewrite_page
from webui.rewrite_context import RewriteContext
from webui.rewrite_css import rewrite_css

URL = "http://h.example/d/page?q=1"


def context() -> RewriteContext:
    return RewriteContext(URL, "20150503140211")


def rewritten(html: str) -> str:
    return rewrite_page(html, context())


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<a href="x.html">', 'href="/cached/20150503140211/http://h.example/d/x.html" target="_top"'),
        ('<a href="/x?a=1&amp;b=2#f">', 'href="/cached/20150503140211;at=f/http://h.example/x?a=1&amp;b=2"'),
        ('<a href="//other.example/">', 'href="/cached/20150503140211/http://other.example/"'),
        ('<a href="\\\\other.example\\x">', 'href="/cached/20150503140211/http://other.example/x"'),
        ('<a href=" ht\ntp://o.example/ ">', 'href="/cached/20150503140211/http://o.example/"'),
        ('<a href="#f">', 'href="#f"'),
        ('<img src="a b.png">', 'src="/web/20150503140211im_/http://h.example/d/a%20b.png"'),
        (
            '<img srcset="a.png 1x, /b,c.png 2x">',
            'srcset="/web/20150503140211im_/http://h.example/d/a.png 1x, '
            '/web/20150503140211im_/http://h.example/b%2Cc.png 2x"',
        ),
        (
            '<img src="data:image/gif;base64,AA" data-src="real.png">',
            ' src="/web/20150503140211im_/http://h.example/d/real.png"',
        ),
        ('<img src="data:image/gif;base64,AA">', 'src="data:image/gif;base64,AA"'),
        ('<link rel="stylesheet" href="s.css">', 'href="/web/20150503140211cs_/http://h.example/d/s.css"'),
        ('<body background="bg.gif">', 'background="/web/20150503140211im_/http://h.example/d/bg.gif"'),
        ('<p style="background: url(i.png)">', "/web/20150503140211im_/http://h.example/d/i.png"),
        (
            "<style>@import \"a.css\"; p { background: url('b.png') }</style>",
            '@import "/web/20150503140211cs_/http://h.example/d/a.css"; p { background: '
            'url("/web/20150503140211im_/http://h.example/d/b.png") }',
        ),
        ('<iframe src="f.html"></iframe>', 'src="/web/20150503140211if_/http://h.example/d/f.html"'),
        (
            '<frameset><frame src="f.html" name="f"></frameset>',
            'src="/web/20150503140211fr_/http://h.example/d/f.html"',
        ),
        (
            '<video src="v.mp4" poster="p.png"></video>',
            'src="/web/20150503140211oe_/http://h.example/d/v.mp4"',
        ),
        ('<svg><image xlink:href="p.png"/></svg>', "/http://h.example/d/p.png"),
        ('<input type="image" src="go.gif">', 'src="/web/20150503140211im_/http://h.example/d/go.gif"'),
        ('<noscript><img src="n.png"></noscript>', "/web/20150503140211im_/http://h.example/d/n.png"),
        ('<object data="x.swf"><p>instead</p></object>', "<p>instead</p>"),
    ],
)
def test_links_and_parts_point_into_the_archive(html: str, expected: str) -> None:
    assert expected in rewritten(html)


def test_a_base_element_counts_and_goes() -> None:
    html = rewritten('<base href="/other/"><a href="x">')
    assert "/cached/20150503140211/http://h.example/other/x" in html
    assert "<base" not in html


@pytest.mark.parametrize(
    "html",
    [
        "<script>mark()</script>",
        "<svg><script>mark()</script></svg>",
        "<p onclick='mark()'>",
        "<body onload=mark()>",
        "<svg onload=mark()>",
        "<a href='javascript:mark()'>",
        "<a href=' JaVa\tScript:mark()'>",
        "<a href='vbscript:mark'>",
        "<a href='data:text/html,mark'>",
        "<iframe src='javascript:mark'></iframe>",
        "<object data='data:text/html,mark'></object>",
        "<form action='mark'>",
        "<button formaction='mark'>",
        "<meta http-equiv='refresh' content='1;url=javascript:mark'>",
        "<link rel=preconnect href='//mark.example'>",
        "<link rel=dns-prefetch href='//mark.example'>",
        "<link rel=manifest href='mark'>",
        "<link rel='serviceworker' href='mark'>",
        "<a ping='mark' href=x>",
        "<html manifest=mark>",
        "<meta http-equiv='Set-Cookie' content='mark'>",
        "<meta name=referrer content=mark>",
        "<template><img src=mark></template>",
        "<applet code=mark></applet>",
        "<math><mtext><script>mark</script></mtext></math>",
        "<svg><style>&lt;/style>&lt;img src=x onerror=mark></style></svg>",
    ],
)
def test_what_acts_is_taken_out(html: str) -> None:
    result = rewritten(html + "<p>kept")
    tree = LexborHTMLParser(result)
    elements = list(tree.root.traverse(include_text=False)) if tree.root else []
    assert not any("mark" in (value or "") for node in elements for value in node.attributes.values())
    assert not {"script", "base", "template", "embed", "object", "applet"} & {node.tag for node in elements}
    assert "kept" in result


def test_a_refresh_becomes_a_link_to_read_and_follow() -> None:
    html = rewritten("<meta http-equiv=refresh content=\"0; URL='/next'\"><body>x")
    assert (
        'sends its visitors on to <a href="/cached/20150503140211/http://h.example/next" target="_top">'
        in html
    )


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("<a href=b>", '<a href="/cached/2015/http://h.example/b" target="_top">'),
        ("<a href=b target=_self>", '<a href="/cached/2015/http://h.example/b" target="_top">'),
        ("<a href=b target=_blank>", '<a href="/cached/2015/http://h.example/b" target="_top">'),
        ("<a href=b target=unknown>", '<a href="/cached/2015/http://h.example/b" target="_top">'),
        ("<a href=b target=side>", '<a href="/web/2015fr_/http://h.example/b" target="side">'),
        ("<a href=#place>", '<a href="#place">'),
        ("<a href=/#place>", '<a href="#place">'),
        ("<a href=b#place>", '<a href="/cached/2015;at=place/http://h.example/b" target="_top">'),
        ("<area href=b download ping=x>", '<area href="/cached/2015/http://h.example/b" target="_top">'),
        ("<a href=mailto:x@h.example>", "<a>"),
        (
            "<svg><a xlink:href=a href=b>",
            '<svg><a href="/cached/2015/http://h.example/b" target="_top">',
        ),
        ("<svg><a xlink:href=b>", '<svg><a xlink:href="/cached/2015/http://h.example/b" target="_top">'),
    ],
)
def test_links_lead_the_whole_window_to_the_cached_page_of_their_goal(link: str, expected: str) -> None:
    html = rewrite_page(
        f"<iframe name=side src=s></iframe>{link}x", RewriteContext("http://h.example/", "2015")
    )
    assert expected in html


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("<a href=b>", '<a href="/web/2015if_/http://h.example/b">'),
        ("<a href=b target=_self>", '<a href="/web/2015if_/http://h.example/b">'),
        ("<a href=b target=_top>", '<a href="/cached/2015/http://h.example/b" target="_top">'),
        ("<a href=b target=_parent>", '<a href="/cached/2015/http://h.example/b" target="_top">'),
        ("<base target=main><a href=b>", '<a href="/cached/2015/http://h.example/b" target="_top">'),
        ("<base target=main><a href=b target=_self>", '<a href="/web/2015if_/http://h.example/b">'),
    ],
)
def test_links_in_a_frame_of_a_page_stay_in_it_unless_they_mean_another(link: str, expected: str) -> None:
    context = RewriteContext("http://h.example/", "2015", is_part=True)
    assert expected in rewrite_page(f"{link}x", context)
    assert set(context.parts) == set()


def test_with_a_password_pages_of_ours_lie_elsewhere_than_archived_bytes() -> None:
    context = RewriteContext("http://h.example/", "2015", root="/k/key", pages_root="/shelf")
    html = rewrite_page("<a href=b><img src=c>", context)
    assert (
        '"/shelf/cached/2015/http://h.example/b"' in html
        and '"/k/key/web/2015im_/http://h.example/c"' in html
    )


def test_the_doctype_is_kept_because_it_decides_about_the_layout() -> None:
    old = '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2//EN">'
    assert rewritten(f"<!-- x -->\n{old}<p>x").startswith(old)
    assert not rewritten("<p>no doctype: quirks").lower().startswith("<!doctype")


def test_whole_elements_of_xhtml_do_not_swallow_the_page() -> None:
    html = rewrite_page(
        '<html><head><script src="x"/></head><body><div id="a"/><p>seen</p></body></html>',
        context(),
        is_xhtml=True,
    )
    assert "seen" in html and 'id="a"></div>' in html


def test_a_notice_stands_on_top_escaped() -> None:
    assert "only &lt;half&gt;" in rewrite_page("<p>x", context(), notice="only <half>")


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("a{b:url( x.png )}", 'a{b:url("/web/20150503140211im_/http://h.example/d/x.png")}'),
        ("a{b:url('x y).png')}", 'a{b:url("/web/20150503140211im_/http://h.example/d/x%20y%29.png")}'),
        (r"a{b:url(x\)y)}", 'a{b:url("/web/20150503140211im_/http://h.example/d/x%29y")}'),
        (
            "@import url(a.css) print;",
            '@import url("/web/20150503140211cs_/http://h.example/d/a.css") print;',
        ),
        ("a{b:url(data:image/png;base64,AA==)}", "a{b:url(data:image/png;base64,AA==)}"),
        ("a{b:url(#f)}", "a{b:url(#f)}"),
        ("a{b:url(javascript:x)}", 'a{b:url("data:,")}'),
        ("a{color:red}", "a{color:red}"),
    ],
)
def test_style_sheets_point_into_the_archive(css: str, expected: str) -> None:
    assert rewrite_css(css, context()) == expected


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 100_000,
        "<b>" * 100_000,
        "<a href=x>" * 50_000,
        "<table><tr><td>" * 20_000,
        "<svg><script>" * 5_000,
        "".join(f"<font id={number}><p>x" for number in range(10_000)),
        "".join(f"<font id={number}>" for number in range(500)) + "<p>x" * 50_000,
        "<p " + " ".join(f"a{number}" for number in range(100_000)) + ">",
    ],
    ids=["div", "b", "a", "table", "svg script", "font p", "fonts then p", "attributes"],
)
def test_pages_that_blow_up_parsers_are_answered(html: str) -> None:
    start = time.monotonic()
    assert len(rewritten(html + "end")) < 10_000_000
    assert time.monotonic() - start < 20


def test_unclosed_list_items_of_old_pages_are_all_kept() -> None:
    assert rewritten("<ul>" + "<li>x" * 5_000).count("<li>") == 5_000


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "<a href=",
                "<img src=x ",
                "onerror=bad ",
                "<script>",
                "</script>",
                "<svg>",
                "<style>",
                "</style>",
                "<!--",
                "-->",
                "'",
                '"',
                ">",
                "<",
                "x",
                " ",
                "/",
                "<table>",
                "<template>",
                "<math>",
                "<noscript>",
                "</noscript>",
                "<iframe>",
                "<title>",
                "</title>",
                "<textarea>",
                "<select>",
                "<object>",
                "</object>",
                "\x00",
                "&lt;",
                "<frameset>",
                "=",
            ]
        ),
        max_size=25,
    ).map("".join)
)
def test_no_mix_of_markup_leaves_a_script_or_a_handler(html: str) -> None:
    tree = LexborHTMLParser(rewritten(html))
    for node in tree.root.traverse(include_text=False) if tree.root else ():
        assert node.tag != "script"
        assert not any(name.startswith("on") for name in node.attributes)


@pytest.mark.parametrize("space", ["svg", "math"])
@pytest.mark.parametrize(
    "name",
    [
        "noframes",
        "noembed",
        "xmp",
        "iframe",
        "plaintext",
        "noscript",
        "style",
        "script",
        "title",
        "textarea",
        "template",
    ],
)
def test_text_that_a_second_parsing_would_take_for_markup_is_none(space: str, name: str) -> None:
    page = f"<{space}><{name}>&lt;/{name}>&lt;iframe src=http://mark.example/>&lt;/iframe></{name}></{space}>"
    for html in (page, page.replace("&lt;", "&amp;lt;"), f"<{space}>{page}", f"<p title='{page}'>{page}"):
        written = rewritten(html)
        for _parsing in range(3):
            tree = LexborHTMLParser(written)
            frames = [node.attributes.get("src") for node in tree.css("iframe")]
            assert not any(src for src in frames)
            written = tree.root.html if tree.root else ""


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<pre>\n\nx</pre>", "<pre>\n\nx</pre>"),
        ("<textarea>\n\nx</textarea>", "<textarea>\n\nx</textarea>"),
        ("<pre><!-- c -->\nx</pre>", "<pre>\n\nx</pre>"),
        ("<xmp>\n<b>x</b></xmp>", "<pre>\n\n&lt;b&gt;x&lt;/b&gt;</pre>"),
        ("<plaintext><b>x</b>", "<pre>&lt;b&gt;x&lt;/b&gt;</pre>"),
        ("<p title='a&#13;b&quot;<c>'>x", '<p title="a&#13;b&quot;&lt;c&gt;">x</p>'),
        ("<noscript><p>shown</noscript>", "<body><p>shown</p></body>"),
        ("<form><math><mtext></form><form><mglyph>x", "<form><math><mtext>"),
        ("<svg><br><p>x", "<svg></svg><br><p>x</p>"),
        ("<!-- x --!><p>x", "<body><p>x</p></body>"),
        ("<svg><![CDATA[<p>x]]></svg>", "<svg>&lt;p&gt;x</svg>"),
        ("<svg><lineargradient id=a /></svg>", '<svg><linearGradient id="a"></linearGradient></svg>'),
        ("<style><!-- p{color:red} --></style>", "<style>  p{color:red}  </style>"),
        (
            "<style>p::after{content:'</b>&lt;'}</style>",
            "<style>p::after{content:'\\3c /b>\\26 lt;'}</style>",
        ),
        ("<style>@media (width<9px) { a { &:hover { b: c } } }</style>", "(width<9px) { a { &:hover {"),
    ],
)
def test_a_tree_is_written_so_that_it_is_read_as_the_same_tree(html: str, expected: str) -> None:
    assert expected in rewritten(html)


_ADDRESSES = {"href", "src", "action", "data"}
_ATTRIBUTE = re.compile(r" ([^ \t\n\f\r\"'<>/=&`]+)=\"([^\"<>]*)\"")
_START = re.compile(r"<[a-zA-Z][\w:.-]*((?: [^ \t\n\f\r\"'<>/=&`]+=\"[^\"<>]*\")+)/?>")
_OURS = (
    r"[a-zA-Z][\w:.-]*(?: [^ \t\n\f\r\"'<>/=&`]+=\"[^\"<>]*\")*/?>",  # start of an element
    r"/[a-zA-Z][\w:.-]*>",
    r"!doctype[^<>]*>",
    r"[^a-zA-Z/!?]",  # no markup
)
_SECOND_START = re.compile(rf"<(?!{'|'.join(_OURS)})", re.IGNORECASE)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9))
def test_a_walk_over_the_tree_finds_the_pieces_that_lexbor_writes(seed: int) -> None:
    """One way for most pages, one for those that Lexbor writes in a form that cannot be taken apart."""
    html = "the dawn " + HostilePages(seed, ("http://mark.example",)).page() + "<b>da</b>wn"
    found = []
    for is_odd in (page_pieces._MAY_BE_ODD, re.compile("")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(page_pieces, "_MAY_BE_ODD", is_odd)
            patch.setattr(page_pieces, "_ODD", page_pieces._ODD if is_odd.pattern else "*")
            here = context()
            written = rewrite_page(html, here, marker=Marker(parse_query("dawn")), imprint="x")
            found.append((written, here.hits, here.parts, here.removed))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<svg><link href=x><g><p>a</p>b</svg>c", "<p>a</p>bc"),
        ("<svg><param><g id=x>d</g></param><g id=y>e</g></svg>", '<svg><g id="y">e</g></svg>'),
        ("<svg><animate attributeName=href><g>d</g></animate><g>e</g></svg>", "<svg><g>e</g></svg>"),
        ("<portal>a<portal>b</portal>c</portal>d", "d"),
        ("<portal><style>a{}</style></portal><style>b{}</style>", "<style>b{}</style>"),
        ("<form>a<svg><form>b</form></svg></form>", "<form>a<svg>b</svg></form>"),
        ("<xmp><b>&amp;</xmp>", "<pre>&lt;b&gt;&amp;amp;</pre>"),
        ("<pre>\n\na</pre><pre>\na</pre>", "<pre>\n\na</pre><pre>a</pre>"),
        ("<textarea id=x>\n\n</textarea>", '<textarea id="x">\n\n</textarea>'),
        ("<p title='&quot;\xa0<&gt;&amp;amp;'>", '<p title="&quot;\xa0&lt;&gt;&amp;amp;">'),
        ('"\xa0&amp;nbsp;', "&quot;\xa0&amp;nbsp;"),
        ("<template><b>a</b></template>b<!-- <style> -->c", "bc"),
    ],
)  # fmt: skip
def test_pages_are_taken_apart_where_their_elements_end(html: str, expected: str) -> None:
    assert expected in rewritten(html)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9))
@example(10019)  # the value of an attribute ends like the beginning of another
def test_all_that_looks_like_markup_in_a_written_page_was_written_as_such(seed: int) -> None:
    pages = HostilePages(seed, ("http://mark.example",), run="mark()")
    for html in (pages.page(), pages.page()):
        written = rewritten(html)
        assert not _SECOND_START.search(written)
        assert "<!--" not in written and "<![" not in written
        # one attribute after the other: a value may look like attributes, as the text of a sheet may
        attributes = [pair for tag in _START.findall(written) for pair in _ATTRIBUTE.findall(tag)]
        for address in [value for name, value in attributes if name.removeprefix("xlink:") in _ADDRESSES]:
            assert address.startswith(("/web/", "/cached/", "#")) or address[:5].lower() == "data:"


@pytest.mark.parametrize(
    ("html", "gone"),
    [
        ("<svg><a xlink:href=http://mark.example href=javascript:x>x</a></svg>", "javascript"),
        ("<svg><image xlink:href=a href=ftp://mark.example /></svg>", "mark.example"),
        ("<svg><image><set attributeName=href to=http://mark.example /></image></svg>", "mark.example"),
        (
            "<svg><image><animate attributeName=' XLINK:HREF ' values=http://mark.example /></image></svg>",
            "mark",
        ),
        ("<svg><animate attributeName=onload to=run() /></svg>", "run()"),
        ("<svg><rect fill=' url( javascript:x ) '/></svg>", "javascript"),
        ("<math href=http://mark.example xlink:href=http://mark.example>x</math>", "mark.example"),
        ("<math altimg=http://mark.example definitionURL=http://mark.example>x</math>", "mark.example"),
        ("<img src=a xml:base=http://mark.example>", "mark.example"),
        ("<p data-x=//mark.example y='\\\\\\\\mark.example'>x", "mark.example"),
        ("<iframe src=javascript:x></iframe>", "src="),
    ],
)
def test_each_attribute_counts_by_itself(html: str, gone: str) -> None:
    assert gone not in rewritten(html)


def test_drawings_keep_what_is_their_own() -> None:
    html = (
        "<svg viewbox='0 0 1 1'><defs><lineargradient id=a /></defs><rect fill='url(#a)'/><use href='#b'/>"
        "<rect><animate attributeName=x from=0 to=9 /></rect></svg>"
    )
    result = rewritten(html)
    for part in ('viewBox="0 0 1 1"', 'fill="url(#a)"', 'href="#b"', 'attributeName="x" from="0" to="9"'):
        assert part in result
    pointed = rewritten("<svg><rect fill='url(s.svg#a)'/><image href=p.png /></svg>")
    assert 'fill="url(&quot;/web/20150503140211im_/http://h.example/d/s.svg#a&quot;)"' in pointed
    assert 'href="/web/20150503140211im_/http://h.example/d/p.png"' in pointed


def test_a_page_in_an_attribute_is_rewritten_to_a_depth() -> None:
    def nested(depth: int) -> str:
        inner = nested(depth - 1) if depth else "<script>run()</script><img src=p.png><a href=b>deep</a>"
        return f"<p>depth {depth}</p><iframe srcdoc='{escape(inner)}' src=http://mark.example></iframe>"

    for depth in range(MAX_SRCDOC_DEPTH + 2):
        written, given = rewritten(nested(depth)), context()
        shown = 0
        while frame := LexborHTMLParser(written).css_first("iframe[srcdoc]", default=None):
            assert "src" not in frame.attributes
            written = frame.attributes["srcdoc"] or ""
            shown += 1
        assert "run()" not in written
        is_shown = depth < MAX_SRCDOC_DEPTH
        assert shown == min(depth, MAX_SRCDOC_DEPTH) + 1
        assert ('src="/web/20150503140211im_/http://h.example/d/p.png"' in written) == is_shown
        assert ('<a href="/web/20150503140211if_/http://h.example/d/b">' in written) == is_shown
        assert ("Not shown: " in written) != is_shown
        rewrite_page(nested(depth), given)
        assert list(given.parts) == (["http://h.example/d/p.png"] if is_shown else [])


def test_pages_in_attributes_are_limited_in_number_and_length() -> None:
    for number in (MAX_SRCDOCS - 1, MAX_SRCDOCS, MAX_SRCDOCS + 1):
        html = rewritten("<iframe srcdoc=x></iframe>" * number)
        assert html.count("Not shown: ") == max(0, number - MAX_SRCDOCS)
    for length in (MAX_SRCDOC_CHARS - 1, MAX_SRCDOC_CHARS, MAX_SRCDOC_CHARS + 1):
        html = rewritten(f"<iframe srcdoc='{'x' * length}'></iframe>")
        assert ("Only the first part" in html) == (length > MAX_SRCDOC_CHARS)


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("a{content:\"url('\"} b{c:url(x.png)}", ["x.png"]),
        ("/* url(a.png) ' */ b{c:url(x.png)}", ["x.png"]),
        ("a{b:url(x.png", ["x.png"]),
        ("@import 'x.css", ["x.css"]),
        ("@\\69mport 'x.css';", ["x.css"]),
        ("a{b:image\\2dset('x.png' 1x)}", ["x.png"]),
        ("a{b:src('x.png')} c{d:image('y.png')}", ["x.png", "y.png"]),
        ("a{--b:'http://site.example/d/x.png';c:image-set(var(--b) 1x)}", ["x.png"]),
        ("a{b:image-set(if(media(print):'//site.example/d/x.png';else:'http://site.example/d/y.png') 1x)}",
         ["x.png", "y.png"]),
        ("@property --b{initial-value:'http://site.example/d/x.png'}", ["x.png"]),
        ("a[href^='http://site.example/d/x']{b:c}", []),
        ("a::after{content:'http://site.example/d/x'}", []),
        ("a{b:url(x.png)}\r\n@import url(\ty.css\n) screen;", ["x.png", "y.css"]),
    ],
)  # fmt: skip
def test_styles_are_read_token_by_token(css: str, expected: list[str]) -> None:
    result = rewrite_css(css, RewriteContext("http://site.example/d/page", "2015"))
    assert re.findall(r'"/web/2015(?:im|cs)_/http://site.example/d/([^"]+)"', result) == expected
    if not expected:
        assert result == css


def test_a_meta_element_that_is_kept_does_nothing_else() -> None:
    page = (
        "<meta name=viewport content='width=9'><meta name=viewport http-equiv=refresh content='0;url=http://b.example/'>"
        "<meta name=viewport content='width=7' onload=run()>"
    )
    shown = rewrite_page(page, RewriteContext("http://a.example/", "20200102030405"))
    assert "width=9" in shown and "width=7" in shown
    assert "http-equiv" not in shown and "onload" not in shown


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("image-set('a.png' 1x, url(b.png) 2x)", ["a.png", "b.png"]),
        ('-webkit-image-set("a.png" type("image/png") 1x)', ["a.png"]),
        ("b { background: u\\72l(a.png) }", ["a.png"]),
        ("b { background: URL( 'a\\2epng' ) }", ["a.png"]),
        ("@import/**/'a.css' layer(x);", ["a.css"]),
        ("@import /* a */ url(a.css) screen;", ["a.css"]),
        ("@namespace svg url(http://www.w3.org/2000/svg); @namespace url(x:y);", []),
        ("b { background: url(#x), url(data:image/png;base64,AA) }", []),
        ("b { content: 'a'; src: url('unclosed", ["unclosed"]),
    ],
)
def test_addresses_in_styles_lead_into_the_archive(css: str, expected: list[str]) -> None:
    context = RewriteContext("http://site.example/d/page", "2015")
    result = rewrite_css(css, context)
    assert re.findall(r'"/web/2015(?:im|cs)_/http://site.example/d/([^"]+)"', result) == expected
    if not expected:
        assert result == css


@given(st.text(alphabet="url(image-set'\"\\)@ import/*7 52,;", max_size=80))
def test_a_rewritten_style_can_be_read_again(css: str) -> None:
    first = rewrite_css(css, RewriteContext("http://site.example/", "2015"))
    inside = RewriteContext("http://site.example/", "2015")
    again = rewrite_css(first, inside)
    assert again.count("/web/2015") >= first.count("/web/2015")  # nothing that was pointed inside gets lost


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<object data=a.png type=image/png><p>no", '<img src="/web/2015im_/http://site.example/d/a.png">'),
        (
            "<object data=a.html type=text/html></object>",
            '<iframe src="/web/2015if_/http://site.example/d/a.html"',
        ),
        (
            "<embed src=f/a.swf>",
            '<a href="/cached/2015/http://site.example/d/f/a.swf" target="_top">a.swf</a>',
        ),
        ("<object data=a.swf><embed src=a.swf></object>", '<embed src="'),
        ("<object data=a.swf><p>instead</object>", "<p>instead</p>"),
        ("<embed src='javascript:x'>kept", "kept"),
    ],
)
def test_what_plugins_showed_is_shown_or_linked(html: str, expected: str) -> None:
    result = rewrite_page(html, RewriteContext("http://site.example/d/page", "2015"))
    if expected.startswith("<embed"):
        assert "<embed" not in result and "<object" not in result
    else:
        assert expected in result and "<object" not in result


def test_styles_that_a_script_would_switch_on_are_on() -> None:
    html = (
        "<link rel=preload as=style href=a.css onload=\"this.rel='stylesheet'\">"
        "<link rel=stylesheet media=print href=b.css onload=\"this.media='all'\">"
        "<link rel=preload as=image href=c.png><link rel=stylesheet media=print href=d.css>"
    )
    result = rewrite_page(html, RewriteContext("http://site.example/", "2015"))
    assert '<link rel="stylesheet" href="/web/2015cs_/http://site.example/a.css">' in result
    assert '<link rel="stylesheet" href="/web/2015cs_/http://site.example/b.css">' in result
    assert "c.png" not in result and 'media="print" href="/web/2015cs_/http://site.example/d.css"' in result


@given(
    st.sampled_from(
        [
            "http://h.example/d/e/page?q=1",
            "https://h.example:8080/",
            "http://h.example/a/../b/",
            "http://h.example//a/b",
            "http://h.example",
            "HTTP://H/x",
        ]
    ),
    st.sampled_from(
        [
            "",
            "/",
            "../",
            "../../",
            "../../../",
            "./",
            "a/b",
            "//",
            "http://o.example",
            "https://o.example/",
            "http:",
            "?",
            "a",
        ]
    ),
    st.text(alphabet="ab/.?#;:[]%é \\-", max_size=12),
)
def test_common_links_are_joined_as_all_others(base: str, start: str, rest: str) -> None:
    link = (start + rest).strip()
    try:
        joined = resolve(link, base)
    except ValueError:
        joined = ""
    expected = joined if joined.lower().startswith(("http://", "https://")) else None
    assert RewriteContext(base, "2015").absolute(link) == expected


_MARKUP = [
    "<p>", "</p>", "<b>", "</b>", "<table><tr><td>", "</table>", "<pre>\n", "</pre>", "<select><option>",
    "</select>", "<svg><text>", "</svg>", "<script>dog</script>", "<style>dog</style>", "<textarea>", "</textarea>",
    "<a href=dog>", "</a>", "<title>dog</title>", "<img alt=dog>", "<!-- dog -->", "do", "g", " dog ", "dogs", "&amp;",
    "&lt;dog&gt;", "cat", " ", "\n", "<noscript>", "<frameset>", "<ruby>", "<plaintext>", "<math><mi>",
]  # fmt: skip


@settings(max_examples=300)
@given(st.lists(st.sampled_from(_MARKUP), max_size=25).map("".join))
def test_marks_add_nothing_but_marks(html: str) -> None:
    plain, marked = context(), context()
    without = LexborHTMLParser(rewrite_page(html, plain))
    with_marks = LexborHTMLParser(rewrite_page(html, marked, marker=Marker(parse_query("dog"))))
    numbers = [node.attributes.get("id") for node in with_marks.css("mark[id]")]
    assert numbers == [f"finding-aid-hit-{number}" for number in range(1, marked.hits + 1)]
    for sheet in with_marks.css("head > style"):
        if "finding-aid-hit" in sheet.text():
            sheet.decompose()
    with_marks.unwrap_tags(["mark"])
    assert [node.tag for node in with_marks.css("*")] == [node.tag for node in without.css("*")]
    assert "".join(with_marks.text().split()) == "".join(without.text().split())


def test_the_parts_alone_are_those_of_the_whole_page() -> None:
    html = (
        "<link rel=stylesheet href=s.css><body background=b.png><a href=other.html><img src=p.png></a>"
        "<style>p { background: url(q.png) }</style><iframe src=f></iframe><video poster=v.png></video>"
    )
    whole, parts = context(), RewriteContext(URL, "20150503140211", parts_only=True)
    assert rewrite_page(html, whole) and not rewrite_page(html, parts)
    assert parts.parts == whole.parts and len(whole.parts) == 6


@pytest.mark.parametrize("number", [3_997, 3_998, 3_999, 100_000])
def test_elements_are_nested_up_to_a_depth_and_their_text_stays(number: int) -> None:
    """html and body are two of the 4,000 that may be open."""
    inside = "<x>" * min(number, 3_998) + "deep" + "</x>" * min(number, 3_998)
    assert rewrite_page("<body>" + "<x>" * number + "deep", context()) == (
        '<html><head><meta charset="utf-8"></head><body>' + inside + "</body></html>"
    )


@pytest.mark.parametrize("is_frame", [False, True])
def test_a_page_that_ends_early_for_its_cost_says_so(is_frame: bool) -> None:
    html = "<select>" + "<option>x" * 30_000
    shown = rewritten(f'<iframe srcdoc="{html}"></iframe>' if is_frame else html)
    assert (
        "only its first part is shown" in shown
        and 15_000 < shown.count("option") // 2 + shown.count("option;") < 30_000
    )
