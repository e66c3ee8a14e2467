"""What a cached page asks for is what the crawl would have fetched, over generated pages."""

from __future__ import annotations

import html
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from archiver.crawl.links import LinkKind, css_links, extract_links
from archiver.warc import canonical_url
from webui.rewrite import rewrite_page
from webui.rewrite_context import RewriteContext
from webui.rewrite_css import rewrite_css

PAGE = "http://a.example/dir/page.html"
CHARSETS = ["utf-8", "windows-1251", "windows-1252", "shift_jis", "iso-2022-jp"]

ADDRESSES = st.sampled_from(
    ["p.png", "/q.png?x=1&y", "../r.png?я", "//b.example/s.png", "HTTP://C.example:80/ü?ü", "?表=é", "a,b.png",
     " t.png ", "data:image/gif,x", "#place", "mailto:x@y.example", "javascript:x", "http://[", "", "x%3d%61.png"]
)  # fmt: skip
# An address in a style sheet: with escapes, in quotes or without.
CSS_ADDRESSES = st.sampled_from(
    ["url(p.png)", "url( 'q.png?я' )", 'url("r\\73.png")', "u\\72l(s.png)", "URL(c\\73s4.png)", "url(a b.png)", "url()",
     'image-set("u.png" 1x, url(v.png) 2x, "w.png" type("image/png"))', "-webkit-image-set(url(x.png) 1x)",
     "/* url(no.png) */ red", "'url(no.png)'", "url(data:image/png,x)", "url(#mask)", "url(unclosed.png"]
)  # fmt: skip
SHEETS = st.builds(
    "{}p{{background:{};cursor:{}}}".format,
    st.sampled_from(
        ["", "@import 'i.css?я';", "@import url(j.css) screen;", "@namespace url(http://n.example/);", "<!--"]
    ),
    CSS_ADDRESSES,
    CSS_ADDRESSES,
)
SRCSETS = st.lists(
    st.builds("{} {}".format, ADDRESSES, st.sampled_from(["1x", "2x", "", "(1,2)"])), max_size=3
).map(", ".join)
_SOURCES = ["src", "data-src", "data-original", "data-lazy-src", "srcset", "data-srcset"]


_STYLED = CSS_ADDRESSES.map("background:{}".format)
_VALUES = {"srcset": SRCSETS, "data-srcset": SRCSETS, "style": _STYLED} | dict.fromkeys(
    ("fill", "mask"), CSS_ADDRESSES
)


def _attributes(draw: Any, names: list[str]) -> str:
    chosen = draw(st.lists(st.sampled_from(names), unique=True, max_size=4))
    return "".join(f' {name}="{html.escape(draw(_VALUES.get(name, ADDRESSES)))}"' for name in chosen)


@st.composite
def elements(draw: Any, depth: int = 0) -> str:
    kind = draw(
        st.sampled_from(
            ["img", "picture", "video", "style", "svg", "table", "p", "link", "frame", "noscript"]
        )
    )
    if kind == "img":
        return f"<img{_attributes(draw, [*_SOURCES, 'style'])}>"
    if kind == "picture":
        return f"<picture><source{_attributes(draw, ['srcset', 'src'])}><img{_attributes(draw, _SOURCES)}></picture>"
    if kind == "video":
        tracks = f"<source{_attributes(draw, ['src'])}><track{_attributes(draw, ['src'])}>"
        return f"<video{_attributes(draw, ['src', 'poster'])}>{tracks}</video>"
    if kind == "style":
        return f"<style>{draw(SHEETS)}</style>"
    if kind == "svg":
        inside = f"<image{_attributes(draw, ['href', 'xlink:href'])} /><use{_attributes(draw, ['href'])} />"
        return f"<svg><rect{_attributes(draw, ['fill', 'mask', 'style'])} />{inside}</svg>"
    if kind == "link":
        return f"<link rel=stylesheet{_attributes(draw, ['href'])}>"
    if kind == "frame" and depth < 2:
        page = "".join(draw(st.lists(elements(depth + 1), max_size=3)))
        around = draw(st.sampled_from(["", "<base href=/frame/>"]))
        return f'<iframe srcdoc="{html.escape(around + page)}"></iframe>'
    tag = {"table": "table", "noscript": "noscript"}.get(kind, "p")
    if tag == "noscript":
        return f"<noscript><img{_attributes(draw, ['src'])}></noscript>"
    return f"<{tag}{_attributes(draw, ['background', 'style'])}></{tag}>"


@settings(max_examples=400, deadline=None)
@given(
    st.lists(elements(), max_size=6),
    st.sampled_from(["", "<base href='/base/x?я'>"]),
    st.sampled_from(CHARSETS),
)
def test_a_cached_page_asks_for_what_the_crawl_fetches(parts: list[str], base: str, charset: str) -> None:
    body = f"<!doctype html><body>{base}{''.join(parts)}".encode(charset, "xmlcharrefreplace")
    found = extract_links(body, PAGE, f"text/html; charset={charset}")
    context = RewriteContext(PAGE, "2020", parts_only=True, charset=charset)
    rewrite_page(body.decode(charset), context)
    assert {canonical_url(url) for url in context.parts} == {
        link.url for link in found if link.kind == LinkKind.REQUISITE
    }


@settings(max_examples=200, deadline=None)
@given(st.lists(SHEETS, max_size=4).map("\n".join), st.sampled_from(CHARSETS))
def test_a_style_sheet_asks_for_what_the_crawl_fetches(css: str, charset: str) -> None:
    context = RewriteContext(PAGE, "2020", charset=charset)
    rewrite_css(css, context)
    assert {canonical_url(url) for url in context.parts} == {
        link.url for link in css_links(css, PAGE, charset)
    }
