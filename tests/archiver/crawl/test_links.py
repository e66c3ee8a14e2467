"""Links, requisites and robots directives of a page."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

import archiver.crawl.links as links_module
from archiver.crawl.links import (
    LinkKind,
    css_links,
    extract_links,
    read_page,
    robots_directives,
    sitemap_links,
)
from archiver.warc.urls import base_of, canonical_url
from indexer.text.page_parts import HREF_PARTS, PICTURE_STYLES
from tests.indexer.text.differential import pages_of, too_costly

BASE = "http://a.example/dir/page.html"


def links(html: str, kind: LinkKind = LinkKind.PAGE) -> list[str]:
    return [
        link.url.removeprefix("http://a.example") for link in extract_links(html, BASE) if link.kind == kind
    ]


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ('" http://other.example/x "', ["http://other.example/x"]),
        ('"\n\t /feed.xml \n"', ["/feed.xml"]),
        ('"a&#10;b.html"', ["/dir/ab.html"]),
        ('"?p=2&amp;q=3"', ["/dir/page.html?p=2&q=3"]),
        ('"//cdn.example/z"', ["http://cdn.example/z"]),
        ('"../up.html"', ["/up.html"]),
        ("bare.html", ["/dir/bare.html"]),
        ("'single.html'", ["/dir/single.html"]),
        ('"/caf%C3%A9"', ["/caf%C3%A9"]),
        ('"/café"', ["/caf%C3%A9"]),
        ('"HTTP://A.EXAMPLE/upper#frag"', ["/upper"]),
    ],
)
def test_addresses_as_people_write_them(href: str, expected: list[str]) -> None:
    assert links(f"<p><a href={href}>x</a>") == expected


@pytest.mark.parametrize(
    "href",
    [
        "http://[bad",
        "http://[LINK='http://a.example/y'][/LINK]",
        "http://a.example:99999/",
        "http://a.example:abc/",
        "javascript:void(0)",
        " JavaScript:alert(1)",
        "mailto:a@a.example",
        "data:text/html,x",
        "tel:+1",
        "",
        "#top",
        "http://",
    ],
)
def test_what_is_no_address_of_a_page_is_left_out(href: str) -> None:
    assert links(f'<a href="{href}">x</a><a href="/last">y</a>') == ["/last"]


@pytest.mark.parametrize(
    ("charset", "query"),
    [("windows-1251", "%FF"), ("koi8-r", "%D1"), ("utf-8", "%D1%8F"), ("windows-1252", "%26%231103%3B")],
)
@pytest.mark.parametrize("deep", ["", "<div>" * 9000])
def test_queries_are_written_in_the_charset_of_the_page(charset: str, query: str, deep: str) -> None:
    page = f"<a href='/я?я=1#я'>x</a><base href='/b/'><img src='p?я'><img srcset='s?я 2x'>{deep}<a href='?я'>x</a>"
    body = page.encode(charset, "xmlcharrefreplace")
    found = {link.url for link in extract_links(body, BASE, f"text/html; charset={charset}")}
    expected = {f"/%D1%8F?{query}=1", f"/b/?{query}", f"/b/p?{query}", f"/b/s?{query}"}
    assert found == {"http://a.example" + url for url in expected}


def test_a_base_counts_for_the_whole_page_also_before_it() -> None:
    assert links("<a href=p>p</a><base href='/other/'>") == ["/other/p"]
    assert links("<base href=''><base href='/other/'><a href=p>p</a>") == ["/dir/p"]
    assert links("<base href='mailto:x'><base href='/other/'><a href=p>p</a>") == ["/dir/p"]


def test_only_the_first_base_with_an_address_counts() -> None:
    html = "<base target=_top><base href='/other/'><base href='http://wrong.example/'><a href=p>p</a><a href='#x'>x</a>"
    assert links(html) == ["/other/p"]


def test_comments_and_scripts_hold_no_links() -> None:
    html = "<!-- <a href='/c'> --><script>s = \"<a href='/s'>\";</script><A HREF=/yes>y</A><map><area href=/area></map>"
    assert links(html) == ["/yes", "/area"]


def test_meta_refresh_canonical_frames_and_alternates_are_pages() -> None:
    html = (
        "<meta http-equiv=Refresh content=\"0; URL='/next'\"><link rel=canonical href=/real>"
        "<link rel=alternate href=/feed>"
        "<link rel=dns-prefetch href=//x.example><iframe src=/frame></iframe>"
    )
    assert links(html) == ["/next", "/real", "/feed", "/frame"]


def test_requisites() -> None:
    html = """<link rel=stylesheet href=/s.css><link rel="shortcut icon" href=/i.ico><script src=/s.js></script>
        <body background=/bg.png><img src=/1.png srcset="/2,x.png 1x,/3.png 2x, /4.png">
        <picture><source srcset="/5.webp 100w"></picture><video poster=/6.jpg src=/7.mp4></video>
        <p style="background: url('/8.png')">x</p>
        <style>@import "/9.css"; /* url(/no.png) */ a{b:url( /10.png )}</style>
        <object data=/11.svg></object><input type=image src=/12.png><img src="data:image/png;base64,xx">"""
    assert links(html, LinkKind.REQUISITE) == [
        "/s.css",
        "/i.ico",
        "/s.js",
        "/bg.png",
        "/1.png",
        "/2,x.png",
        "/3.png",
        "/4.png",
        "/5.webp",
        "/7.mp4",
        "/6.jpg",
        "/8.png",
        "/9.css",
        "/10.png",
        "/11.svg",
        "/12.png",
    ]
    assert links(html) == []


def test_style_sheets_link_to_their_own_place() -> None:
    css = '@import url(more.css); b{c:url("i 1.png")} d{e:url(data:x)} f{g:url(#h)}'
    assert [link.url for link in css_links(css, "http://a.example/css/s.css")] == [
        "http://a.example/css/more.css",
        "http://a.example/css/i%201.png",
    ]


def test_nofollow_on_a_link_gives_way_to_a_second_link_without() -> None:
    found = extract_links(
        "<a href=/1 rel='external NoFollow'>x</a><a href=/2 rel=nofollow>y</a><a href=/2>y</a>", BASE
    )
    assert [(link.url[-2:], link.nofollow) for link in found] == [("/1", True), ("/2", False)]


def test_robots_directives_of_meta_elements() -> None:
    html = "<meta name=ROBOTS content='NoIndex, follow'><meta name=testbot content=nofollow>"
    html += "<meta name=other content=none>"
    assert read_page(html, BASE, agent="testbot").robots == {"noindex", "follow", "nofollow"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("noindex, nofollow", {"noindex", "nofollow"}),
        ("otherbot: nofollow", set()),
        ("testbot: nofollow", {"nofollow"}),
        ("otherbot: noindex, testbot: nofollow", {"nofollow"}),
        ("max-snippet: 3, nofollow", {"max-snippet: 3", "nofollow"}),
    ],
)
def test_x_robots_tag(value: str, expected: set[str]) -> None:
    assert robots_directives(value, "testbot") - {"max-snippet: 3"} == expected - {"max-snippet: 3"}


def test_text_title_and_keywords_without_markup() -> None:
    parts = read_page(
        "<title> A  page </title><meta name=keywords content='a, b'><script>no()</script><p>One<p><b>two</b></p>"
        "<style>no{}</style>",
        BASE,
        with_text=True,
    )
    assert (parts.title, parts.keywords, parts.text.split()) == ("A page", "a, b", ["One", "two"])


def test_link_text_in_the_encoding_of_the_page() -> None:
    html = "<meta charset=iso-8859-1><a href=/x>caf\u00e9</a>".encode("latin-1")
    assert read_page(html, BASE, with_link_text=True).links[0].text == "caf\u00e9"


def test_sitemaps() -> None:
    assert sitemap_links("<urlset><url><loc> http://a.example/?a=1&amp;b=2 </loc></url></urlset>") == (
        ["http://a.example/?a=1&b=2"],
        False,
    )
    assert sitemap_links(
        "<sitemapindex><sitemap><loc><![CDATA[http://a.example/s.xml]]></loc></sitemap></sitemapindex>"
    ) == (["http://a.example/s.xml"], True)
    assert sitemap_links("http://a.example/1\nhttp://a.example/2\n")[0] == [
        "http://a.example/1",
        "http://a.example/2",
    ]


def test_deep_and_endless_markup_is_read_in_time() -> None:
    start = time.monotonic()
    assert links("<div>" * 100_000 + "<a href=/deep>x</a>") == ["/deep"]
    assert len(links("<a href=/1>x" + "<p>" * 50_000)) == 1
    extract_links("<img srcset='" + "a," * 200_000 + "'>", BASE)
    css_links("url(" * 100_000, BASE)
    sitemap_links("<loc>" * 20_000)
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    ("html", "needed"),
    [
        ("<img data-src=a.png>", ["a.png"]),
        ("<img src='data:image/gif,x' data-original=a.png>", ["a.png"]),
        ("<img src=a.png data-src=b.png>", ["a.png"]),
        ("<img data-srcset='a.png 1x, b.png 2x'>", ["a.png", "b.png"]),
        ("<p style='background:url(c\\73s4.png)'>", ["css4.png"]),
        ("<style>p{background:image-set('a.png' 1x, url(b.png) 2x)}</style>", ["a.png", "b.png"]),
        ("<p style='background:image-set(&quot;a.png&quot; 1x)'>", ["a.png"]),
        ("<iframe srcdoc='<img src=a.png><base href=/x/>'></iframe>", ["/x/a.png"]),
        ("<iframe srcdoc='<style>@import \"a.css\";</style>' src=no.html></iframe>", ["a.css"]),
        ("<svg><image xlink:href=a.png /><use href='b.svg#c'/><rect fill='url(c.svg#d)'/></svg>",
         ["a.png", "b.svg", "c.svg"]),
        ("<svg><filter><feImage href=a.png /></filter></svg>", ["a.png"]),
        ("<picture><source srcset='a.webp 1x'><img src=b.png></picture>", ["a.webp", "b.png"]),
        ("<video poster=a.png src=b.mp4></video>", ["b.mp4", "a.png"]),
        ("<table background=a.png>", ["a.png"]),
    ],
)  # fmt: skip
def test_a_page_needs_what_its_cached_copy_asks_for(html: str, needed: list[str]) -> None:
    expected = [url if url[0] == "/" else f"/dir/{url}" for url in needed]
    assert links(html, LinkKind.REQUISITE) == expected


def test_frames_in_attributes_are_read_to_a_depth_and_give_links() -> None:
    html = "<a href=/deepest>x</a>"
    for depth in range(4, 0, -1):
        inside = html.replace("&", "&amp;").replace("'", "&#39;")
        html = f"<a href=/{depth}>x</a><iframe srcdoc='{inside}'></iframe>"
    assert links(html) == ["/1", "/2", "/3", "/4"]
    many = "<iframe srcdoc='<a href=/%d>x</a>'></iframe>"
    assert len(links("".join(many % number for number in range(101)))) == 100


def test_a_sheet_speaks_its_own_charset_an_attribute_and_an_import_utf_8() -> None:
    css = "@import '/i?\u044f';p{b:url(/u?\u044f)}"
    assert [link.url[16:] for link in css_links(css, BASE, "windows-1251")] == ["/i?%D1%8F", "/u?%FF"]
    page = "<style>p{b:url(/u?\u044f)}</style><p style='b:url(/a?\u044f)'>"
    page += "<iframe srcdoc='<img src=/s?\u044f>'></iframe>"
    found = extract_links(page.encode("windows-1251"), BASE, "text/html; charset=windows-1251")
    assert [link.url[16:] for link in found] == ["/u?%FF", "/a?%D1%8F", "/s?%D1%8F"]


_SELECTOR = (
    "a[href],area[href],link[href],img,source,script[src],iframe,frame[src],embed[src],object[data],video,audio,"
    "track[src],input[src],[background],[poster],[style],style,meta[content],"
    + ",".join(sorted(HREF_PARTS | {f"[{name}]" for name in PICTURE_STYLES}))
)


def links_of_tree(html: str, base_url: str) -> list[links_module.Link]:
    """Return what extract_links does, from Lexbor's tree: the plain way."""
    tree = LexborHTMLParser(html)
    base = tree.css_first("base[href]", default=None)
    href = (base.attributes["href"] or "") if base is not None else None
    found = links_module._Found(base_of(base_url, href), "utf-8", canonical_url)
    for node in tree.css(_SELECTOR):
        if found.is_cut:
            break
        tag, attributes = (
            (node.tag or "").lower(),
            {name: text or "" for name, text in node.attributes.items()},
        )
        if tag == "meta":
            links_module._read_meta(attributes, "", found, set(), links_module.PageParts())
        elif tag == "style":
            found.add_styles(node.text())
        links_module._read_element(tag, attributes, found)
    return list(found.links.values())


def test_pages_of_real_archives_have_the_links_of_their_trees(shared: Path) -> None:
    """Their order differs where a second body tag has a picture: it counts where it stands."""
    compared = 0
    for path in sorted(file for file in (shared / "archives").rglob("*") if file.is_file()):
        for html in pages_of(path):
            if not too_costly(html) and len(html) < 200_000:
                compared += 1
                assert sorted(extract_links(html, BASE)) == sorted(links_of_tree(html, BASE)), path
    assert compared > 300
