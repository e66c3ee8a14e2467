"""The pieces that the core takes a page apart into, held against a plain reading of the same form."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from indexer.text.elements import INLINE
from tests.webui.hostile_pages import HostilePages
from webui.page_pieces import Pieces, name_of, pieces_of, plain
from webui.rewrite import _Page, rewrite_page
from webui.rewrite_context import RewriteContext

_START, _NAME = "<mark", "hit-"
_MOST = 1_000_000
_UNMARKED = frozenset({
    "script", "style", "title", "textarea", "option", "optgroup", "select", "datalist", "iframe", "noembed", "noframes",
    "xmp", "plaintext", "template", "head", "svg", "math", "audio", "video", "canvas", "progress", "meter",
})  # fmt: skip
_NAME_CHARS = r"[a-zA-Z][\w:.\x80-\U0010ffff-]*"  # `name_of` is "" for some of these
_TAG = re.compile(
    rf"(<(?:/{_NAME_CHARS}|{_NAME_CHARS}(?: =?[^ \t\n\f\r=/>]*=\"[^\"]*\")*/?|!--.*?--|\?[^>]*)>)", re.DOTALL
)
_PLAIN_ATTRIBUTES = (
    r'(?: (?:(?:class|id|name|title|alt|abbr|headers|summary|for|label|placeholder|value)="[^"&<>\r\x00]*"'
    r"|(?:align|valign|width|height|border|bgcolor|color|colspan|rowspan|cellpadding|cellspacing|nowrap|scope|size"
    r'|face|lang|dir|role|clear|type|start|rel|tabindex|hidden|open|(?:data|aria)-[a-z0-9-]+)="[^"&<>\r\x00/\\]*"))*'
)
_PLAIN_TAG = re.compile(
    r"<(?:/?(?:a|aside|bdi|bdo|button|data|details|fieldset|figcaption|html|label|legend|mark|summary|time|title|abbr|acronym|address|article|b|big|blockquote|caption|center|cite|code|dd|del|dfn|div|dl|dt|em|figure"
    r"|font|footer|h[1-6]|header|i|ins|kbd|li|main|nav|ol|p|pre|q|s|samp|section|small|span|strike|strong|sub|sup|table"
    rf"|tbody|td|tfoot|th|thead|tr|tt|u|ul|var)|br|hr|wbr|col){_PLAIN_ATTRIBUTES}>"
)
_WRITTEN = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"}


def plainly(form: str, marks: list[tuple[int, int]]) -> tuple[str, list[str]]:
    """Return the visible text and the pieces of a page, character by character."""
    visible, pieces = "", [""]
    hidden, is_parted, open_mark = 0, True, False
    numbers = {place: number for number, (low, high) in enumerate(marks, 1) for place in range(low, high)}
    begins = {low for low, _high in marks}
    for place, piece in enumerate(_TAG.split(form)):
        if place % 2 == 0:
            text = plain(piece)
            if text.isspace() and not hidden:
                is_parted = True
            is_visible = bool(text.strip()) and not hidden
            if is_visible and is_parted:
                visible, is_parted = visible + "\n", False
            for character in text:
                number = numbers.get(len(visible)) if is_visible else None
                if open_mark and (number is None or len(visible) in begins):
                    pieces[-1], open_mark = pieces[-1] + "</mark>", False
                if number is not None and not open_mark:
                    named = f' id="{_NAME}{number}"' if len(visible) in begins else ""
                    pieces[-1], open_mark = f"{pieces[-1]}{_START}{named}>", True
                pieces[-1] += _WRITTEN.get(character, character)
                visible += character if is_visible else ""
            if open_mark:
                pieces[-1], open_mark = pieces[-1] + "</mark>", False
            continue
        name = name_of(piece)
        is_parted = is_parted or name not in INLINE
        if name in _UNMARKED:
            hidden += -1 if piece[1] == "/" else 1
        if piece[1] in "!?":
            continue
        if _PLAIN_TAG.fullmatch(piece):
            pieces[-1] += piece
        else:
            pieces += [piece, ""]
    return visible, pieces


def taken_apart(form: str) -> Pieces:
    tree = LexborHTMLParser("<p>")
    assert tree.root is not None
    pieces = Pieces(tree.root, [])
    pieces._form, pieces._root = form.encode(), None
    return pieces


_TEXTS = ["a", "the dawn", " ", "\n", "\xa0", "&nbsp;", "&amp;lt;", "&lt;b&gt;", '"', "&quot;", "\r", "é", "日本",
          "\u2003", "\u0640", "\x1c", "\U0001f600", "\u180e", "\x85"]  # fmt: skip
_NAMES = sorted(
    {*INLINE, *_UNMARKED}
    | {"p", "div", "td", "tr", "h1", "h6", "h7", "br", "hr", "col", "wbr", "img", "form", "foreignObject", "x-é",
       "blockquote", "main", "nav", "html", "figcaption", "mfrac", "aside", "metera", "abb"}
)  # fmt: skip
_VALUES = ["", "x", "a/b", "a\\b", "&amp;", "&lt;", "\r", "x y", "é>", "'", "http://a.example/"]
_KEYS = ["class", "id", "title", "width", "nowrap", "rel", "tabindex", "href", "style", "onclick", "clas", "=x", 'a"<',
         "é", "data-a", "data-x:href", "aria-label", "data-", "xlink:href", "lang", "hidden"]  # fmt: skip
_attributes = st.lists(st.tuples(st.sampled_from(_KEYS), st.sampled_from(_VALUES)), max_size=3)
_starts = st.builds(
    lambda name, attributes, end: (
        f"<{name}" + "".join(f' {key}="{value}"' for key, value in attributes) + end
    ),
    st.sampled_from(_NAMES),
    _attributes,
    st.sampled_from([">", ">", ">", "/>"]),
)
_others = st.sampled_from(
    ["<!---->", "<!-- <b> -->", "<!-->-->", "<?x?>", *(f"</{name}>" for name in _NAMES)]
)
_forms = st.lists(st.one_of(st.sampled_from(_TEXTS), _starts, _others), max_size=25).map("".join)


@settings(max_examples=400, deadline=None)
@given(_forms, st.lists(st.integers(1, 6), max_size=12), st.booleans())
@example("<b>da</b>wn<p>x</p>", [1, 4, 2, 1], True)
def test_a_page_is_taken_apart_as_a_plain_reading_does(form: str, steps: list[int], is_wide: bool) -> None:
    # hidden elements that end before they begin are in no tree
    for name in _UNMARKED:
        if form.count(f"</{name}>") or f"<{name}" in form:
            form = re.sub(rf"</{name}>", "", form)
            form += f"</{name}>" * len(re.findall(rf"<{name}[ />]", form))
    places = [sum(steps[:end]) for end in range(1, len(steps) + 1)]
    pairs = zip(places[::2], places[1::2], strict=False) if is_wide else zip(places, places[1:], strict=False)
    visible, _ = plainly(form, [])
    marks = [(low, high) for low, high in pairs if high <= len(visible)]
    pieces = taken_apart(form)
    assert pieces.visible_text(_MOST) == visible
    assert pieces.visible_text(3) == visible[:3]
    assert pieces.split(marks, _START, _NAME) == plainly(form, marks)[1]


@pytest.mark.parametrize(
    "form",
    ["<", "a<b", "<b", "<b ", '<b a="', '<b a="x"', "<b a>", "<b  c=''>", '<b a="x">&', "&copy;", "&#60;", "</", "</>",
     "<!", "<!-", "<!-->", "<!doctype x>", "<!-- ", "<?", "<1>", "<a/b>", '<a a="x"b="y">', "a<![CDATA[x]]>", "&amp"],
)  # fmt: skip
def test_what_is_not_of_the_form_is_refused_as_a_whole(form: str) -> None:
    for page in (form, f"<p>the dawn</p>{form}"):
        pieces = taken_apart(page)
        with pytest.raises(ValueError, match="form"):
            pieces.split()
        with pytest.raises(ValueError, match="form"):
            pieces.visible_text(_MOST)


@pytest.mark.parametrize("marks", [[(2, 2)], [(3, 2)], [(2, 4), (3, 5)], [(4, 5), (1, 2)]])
def test_marks_that_do_not_rise_are_refused(marks: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="form"):
        taken_apart("<p>the dawn</p>").split(marks)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9))
def test_hostile_pages_are_taken_apart_as_a_plain_reading_does(seed: int) -> None:
    html = HostilePages(seed, ("http://mark.example",)).page()
    tree = LexborHTMLParser(html)
    assert tree.root is not None
    pieces = pieces_of(tree, tree.root, html)
    visible = pieces.visible_text(_MOST)
    marks = [(place, place + 3) for place in range(1, len(visible) - 3, 5)]
    found = pieces.split(marks, _START, _NAME)
    assert (visible, found) == plainly(pieces._form.decode(), marks)
    assert not [text for text in found[::2] if re.search(r"<(?!/?[a-z])|<(?:script|iframe|form|svg)", text)]


_PARTS = [
    "a", "b.html", "x-1", "/", "//", ".", "..", "../", "../../", "?", "?q=1&amp;r", "#", "#top", "#a%20b", "#é", ":",
    "http:", "http://", "https://", "site.example", "Site.example", "%20", " ", "é", ";", "[", "&quot;", "'", "\\",
    "\n", "@", "~", "=",
]  # fmt: skip
_links = st.lists(st.sampled_from(_PARTS), max_size=6).map("".join)
_BASES = [
    "http://site.example/a/b/page.html", "http://site.example/", "http://site.example/a/?x/y", "http://site.example",
    "https://site.example:80/a/", "http://site.example/a b/c", "http://site.example/a//b", "http://site.example/é/x",
    "http://site.example/a&b/c", "http://site.example/b.html",
]  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(
    st.lists(st.tuples(_links, st.sampled_from(["", ' class="x"', ' rel="y" id="z"'])), max_size=6),
    st.sampled_from(_BASES),
    st.sampled_from(
        ["", "<base target=side><iframe name=side></iframe>", "<base href='/a/c/'>", "<base target=other>"]
    ),
    st.booleans(),
)
@example(
    [("../x#y", ""), ("b.html#top", ""), ("#a", ""), ("../../../x", "")],
    "http://site.example/a/b.html",
    "",
    False,
)
def test_the_core_writes_links_as_they_are_written_without_it(
    links: list[tuple[str, str]], url: str, base: str, is_part: bool
) -> None:
    html = base + "".join(
        f'<a{more} href="{link}" title=t>{place}</a>' for place, (link, more) in enumerate(links)
    )
    written = []
    for plain_links in (_Page._plain_links, lambda page: None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_Page, "_plain_links", plain_links)
            written.append(rewrite_page(html, RewriteContext(url, "20150503140211", is_part=is_part)))
    assert written[0] == written[1]


def test_most_links_of_a_page_are_written_by_the_core() -> None:
    html = "<a href=x>1</a><a href='../y#z'>2</a><a href='/'>3</a><a href='#z'>4</a><a href='http://a.example/b'>5</a>"
    asked: list[str] = []

    def note(page: _Page, link: str, name: str, target: str) -> dict[str, str | None]:
        asked.append(link)
        return {}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Page, "_link_attributes", note)
        rewrite_page(html, RewriteContext("http://site.example/a/b/", "20150503140211"))
    assert asked == ["/"]  # a path without a name


@pytest.mark.parametrize(
    "html",
    [
        "<!--[if IE]><style>a{}</style><![endif]--><style>b{}</style>",
        "<p title='<style>'>&lt;style></p><style x>b{}</style>",
    ],
)
def test_what_only_looks_like_a_style_does_not_make_a_page_odd(
    html: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A walk over the tree takes ten times as long."""
    monkeypatch.setattr("webui.page_pieces._walked", None)
    tree = LexborHTMLParser(html)
    assert tree.root is not None
    assert pieces_of(tree, tree.root, html).sheets == ["b{}"]
