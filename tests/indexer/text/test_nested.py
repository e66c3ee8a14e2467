"""Pages read without a tree have the texts that the walk over their tree finds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.text.analysis import analyze_pages
from indexer.text.elements import PageText, collect_page
from indexer.text.nested import as_written, read_nested


def page_of(body: str, head: str = "<title>t</title>") -> str:
    return f"<!DOCTYPE html>\n<html lang='de'>\n<head>{head}</head>\n<body>{body}</body>\n</html>\n"


def nested(html: str) -> PageText | None:
    return read_nested([as_written(html)])[0]


def tokens_of(page: PageText) -> list[tuple[str, int, int]]:
    tokens = analyze_pages([("", page)])
    rows = zip(tokens.word.tolist(), tokens.element.tolist(), tokens.position.tolist(), strict=True)
    return [(tokens.words[word], element, position) for word, element, position in rows]


def same(fast: PageText, walked: PageText) -> bool:
    return tokens_of(fast) == tokens_of(walked) and all(
        getattr(fast, name) == getattr(walked, name)
        for name in ("title", "description", "keywords", "language", "robots", "base", "links")
    )


@pytest.mark.parametrize(
    "body",
    [
        "<h1>Head <a href=\"x\">link</a></h1>plain <a class='b' href='y'>anchor <b>bold</b></a><a name='z'>target</a>"
        '<a href="">none</a><a\nhref="two" rel="nofollow">no</a> <em>emphasis</em>'
        '<a href="?a&amp;b" href="c">&copy;</a>',
        "<table><caption>over</caption><colgroup><col/></colgroup><thead><tr>"
        "<th>a</th> <td><b>c</b>d</td></tr><!-- - -->\n"
        "</thead><tbody><tr><td><ul><li>e</li><li><p>f</p></li></ul></td></tr></tbody></table><dl><dt>g</dt><dd>h</dd></dl>",
        "<pre>\nfirst</pre><textarea>\n second &lt;b&gt;</textarea><select><option>o</option></select>a<br/>b<hr />c",
        "<img alt='d&lt;' src='e'><img alt=\"\" alt='f'>g<img alt='h'>i"
        "<input type='submit' value='Go'><area href=\"k\" alt=\"l\">"
        "<iframe><p></iframe>",
        "a<!-- <b> > -->b<script>if (a<b) c('<h1>')</script>c<style>p > a {}</style>d &#8212; &amp;lt; &nbsp; &hellip;",
        "<p>one<div>two</div>three</p><a href='q'><div><p>block in a link</p></div></a> caf\u00e9<b>e\u0301</b>",
    ],
)  # fmt: skip
def test_strictly_nested_pages_need_no_tree(body: str) -> None:
    html = page_of(body)
    found = nested(html)
    assert found is not None
    assert same(found, collect_page(html))


@pytest.mark.parametrize(
    "body",
    [
        "<p>not closed",
        "<b>a<i>b</b>c</i>",
        "<table>moved<tr><td>a</td></tr></table>",
        "<table><tr><td>a</td></tr><!-- c --> moved</table>",
        "<table><div>moved</div><tr><td>a</td></tr></table>",
        "<p><b>a<div>opened again</div></b></p>",
        "<p><legend>a<ul></ul>closed</legend></p>",
        "<h1>a<h2>b</h2>c</h1>",
        "<ul><li>a<li>b</li></li></ul>",
        "<a href=x>a<span><a href=y>b</a></span></a>",
        "<button>a<button>b</button>c</button>",
        "<script><!-- <script></script> --></script>text",
        "<title>a<b></title>",
        "<svg><title>a</title></svg>",
        "<template>a</template>",
        "<noframes><b>a</b></noframes>",
        "<p title='a > b'>c</p>",
        "<img alt=a>b",
        "AT&T",
        "&notit;",
        "&#128;",
        "&#38;lt;",
        "<P>a</P>",
        "<body>a</body>",
        "</body><b>a</b><body>",
        "<tr></tr>",
        "a\x01b\0",
        "<a href=x / >a</a>",
    ],
)
def test_pages_with_anything_odd_are_left_to_the_tree(body: str) -> None:
    assert nested(page_of(body)) is None


@pytest.mark.parametrize(
    "html",
    [
        "",
        "text",
        "<p>fragment</p>",
        page_of("a") + "more",
        "before" + page_of("a"),
        "<!-- c --> before" + page_of("a"),
        page_of("a", "<title>t</title>text"),
        page_of("a", "<div></div>"),
        page_of("a").replace("</head>", "</head>x"),
        page_of("a") + page_of("b"),
    ],
)
def test_pages_with_anything_odd_about_their_start_or_end_are_left_to_the_tree(html: str) -> None:
    assert nested(html) is None


def test_a_page_left_to_the_tree_changes_nothing_for_its_neighbours() -> None:
    pages = [
        page_of("<h1>one</h1>"),
        page_of("<b><p>"),
        "x",
        page_of("<a href='y'>two</a><h2>three</h2>"),
        page_of("<i>"),
    ]
    found = read_nested([as_written(page) for page in pages])
    assert [page is None for page in found] == [False, True, True, False, True]
    assert [page.links for page in found if page] == [[], [("y", "two")]]
    assert all(same(page, collect_page(html)) for page, html in zip(found, pages, strict=True) if page)


tags = st.sampled_from(
    "a b i p div span h1 h2 ul li dl dt dd table tr td tbody caption form button pre textarea select option legend mark"
    " section label code noscript object summary center".split()
)
pieces = st.sampled_from(
    "one|two &amp;|caf\u00e9| |\n|&copy;|<br>|<hr/>|<!-- c -->|<script>a<b</script>|<img alt='x'>|<a href='y'>z</a>"
    "|<a rel='nofollow' href='n'>m</a>|<input type='submit' value='Go'>|<area href='k'>|<textarea>\nl</textarea>"
    "|<tr><td>cell</td></tr>|<ul><li>item</li></ul>|<meta name='keywords' content='w'>|<title>q</title>|& ".split(
        "|"
    )
)
bodies = st.recursive(
    pieces,
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>", tags, st.lists(inner, max_size=4)
    ),
    max_leaves=15,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(bodies, max_size=3).map("".join), min_size=1, max_size=3))
def test_any_pages_read_without_a_tree_have_the_words_of_the_walk(texts: list[str]) -> None:
    pages = [page_of(text) for text in texts]
    for html, found in zip(pages, read_nested([as_written(page) for page in pages]), strict=True):
        if found is not None:
            assert same(found, collect_page(html))
