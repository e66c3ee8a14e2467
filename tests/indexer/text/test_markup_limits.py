"""What is left of markup that would cost a tree too much: at each limit, one below and one above; judged by Lexbor."""

from __future__ import annotations

import random
import time

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from indexer.text.markup_limits import MarkupLimits, bounded_markup

WIDE = {"open": 4000, "formats": 256, "attributes_of_tag": 4000, "attributes": 300_000, "steps": 200_000_000}


def bounded(html: str, **limits: int) -> tuple[str, bool]:
    return bounded_markup(html, MarkupLimits(**{**WIDE, **limits}))


def depth_of(html: str) -> int:
    """Return how deep the elements of a page lie in each other."""
    deepest = 0
    for node in LexborHTMLParser(html).root.traverse(include_text=False):
        above: LexborNode | None = node
        depth = 0
        while above is not None and above.tag != "-undef":
            above, depth = above.parent, depth + 1
        deepest = max(deepest, depth)
    return deepest


@pytest.mark.parametrize(
    "html",
    [
        "",
        "a < b > c &lt; <",
        "<!DOCTYPE html><title>a</title><p class='>' id=\"<\">b<!-- <p> --><br/>",
        "<table><b>x<tr><td>y</b>",
        "<frameset><frame src=a><noframes><body><p>b</noframes></frameset>",
        "<svg><style><p>x</style><foreignObject><p>y</svg>z",
        "Ünï ℃ 𝒳 \ud800 <p title='é'>",
        "<p",
        "</",
        "<script><p></script",
    ],
)
def test_ordinary_markup_stays_as_it_is(html: str) -> None:
    assert bounded(html) == (html, False)


@pytest.mark.parametrize("most", [3, 10, 500])
@pytest.mark.parametrize("more", [-1, 0, 1, 40])
def test_open_elements(most: int, more: int) -> None:
    """html and body are open, too."""
    inside = most - 2
    html = (
        "<body>"
        + "<div>" * (inside + more)
        + "deep<img src=a><script>s</script>"
        + "</div>" * (inside + more)
    )
    expected = "<body>" + "<div>" * (inside + min(more, 0)) + "deep<img src=a><script>s</script>"
    assert bounded(html, open=most) == (expected + "</div>" * (inside + more), False)


def test_open_elements_of_drawings() -> None:
    html = "<body><svg>" + "<g>" * 10 + "<path/><path>" + "<p>out"
    assert bounded(html, open=6)[0] == "<body><svg>" + "<g>" * 3 + "<path/><p>out"


@pytest.mark.parametrize("more", [-1, 0, 1, 40])
def test_open_formats(more: int) -> None:
    html = "".join(f"<font id={n}><p>x" for n in range(20 + more))
    expected = "".join((f"<font id={n}>" if n < 20 else "") + "<p>x" for n in range(20 + more))
    assert bounded(html, formats=20) == (expected, False)
    assert (
        bounded("<b>" * 3 + "<table><td>" + "<i>" * 3, formats=3)[0] == "<b>" * 3 + "<table><td>" + "<i>" * 3
    )


@pytest.mark.parametrize("tag", ["p", "/p", "html", "body", "x-y"])
@pytest.mark.parametrize("quote", ["", "'", '"'])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_attributes_of_a_tag(tag: str, quote: str, more: int) -> None:
    html = f"a<{tag} {quote} " + " ".join(f"b{n}=<" for n in range(50 + more - bool(quote))) + ">c"
    assert bounded(html, attributes_of_tag=50) == (html if more < 1 else "ac", False)


def test_attributes_that_several_tags_give_the_body() -> None:
    html = "".join(f"<body a{n}><html b{n}>" for n in range(10))
    assert bounded(html, attributes_of_tag=12)[0] == "".join(f"<body a{n}><html b{n}>" for n in range(6))


@pytest.mark.parametrize("more", [-1, 0, 1, 2])
def test_attributes_of_all_tags(more: int) -> None:
    html = "<p a b>x" * 10 + "<p c>y" * (5 + more)
    assert bounded(html, attributes=25) == ("<p a b>x" * 10 + "<p c>y" * (5 + min(more, 0)), more > 0)


def test_options_of_a_list() -> None:
    """The parser looks at all options before a new one: 2, 3, 4 ... steps, besides those along what is open."""
    html = "<select>" + "<option>x" * 3000 + "</select>" + "<p>y"
    assert bounded(html) == (html, False)
    kept, is_cut = bounded(html, steps=100_000)
    assert is_cut and 400 < kept.count("<option>") < 450
    alone = "<option>x" * 3000
    assert bounded(alone, steps=100_000) == (alone, False)


def test_end_tags_that_nothing_is_open_for() -> None:
    html = "<body>" + "<span>" * 1000 + "</x>" * 1000
    kept, is_cut = bounded(html, steps=1_000_000)
    assert is_cut and kept.count("<span>") == 1000 and 450 < kept.count("</x>") < 550


@pytest.mark.parametrize(
    "html",
    [
        "".join(f'<font a="<" id={n}><p>' for n in range(30_000)),
        "".join(f"<font id={n}><p>x" for n in range(10_000)),
        "".join(f"<b id={n}>" for n in range(200)) + "<p>x" * 50_000,
        "".join(f"<b id={n}><div></b>" for n in range(30_000)),
        "<p a b c d e f g h>" * 220_000,
        "<p ' " + " ".join(f"a{n}" for n in range(100_000)) + ">",
        "<select>" + "<option>" * 200_000,
        "<select>" + "<optgroup><option>" * 100_000,
        "<span>" * 100_000 + "</x>" * 100_000,
        "<table><tr><td>" * 50_000 + "</x>" * 50_000,
        "".join(f"<html a{n}><body b{n}>" for n in range(50_000)),
        "<svg>" + "<g>" * 50_000 + "</h>" * 50_000,
        "<a><x>" * 50_000,
        "".join(f"<nobr id={n}><x>" for n in range(50_000)),
        "<button><p>" * 50_000,
        "<template>" * 50_000 + "</x>" * 50_000,
        "<math>" + "<mi><p>" * 50_000,
    ],
    ids=lambda html: html[:20],
)
def test_what_is_left_is_parsed_in_bounded_time(html: str) -> None:
    """Each took half a minute or more, or hundreds of megabytes."""
    began = time.process_time()
    tree = LexborHTMLParser(bounded(html, formats=min(256, max(8, 400_000 // html.count("<"))))[0])
    assert time.process_time() - began < 10
    assert len(tree.html or "") < 50_000_000


@pytest.mark.parametrize("seed", range(60))
def test_random_markup_stays_below_its_limits(seed: int) -> None:
    some = random.Random(seed)
    tags = "div p b i font a table tr td span svg g math mi li ul select option script style textarea br img x".split()
    pieces = []
    for _ in range(some.randint(1, 300)):
        tag = some.choice(tags)
        attributes = "".join(
            some.choice((" a", " b='<'", ' c=">"', " d", "/")) for _ in range(some.randint(0, 5))
        )
        pieces.append(
            some.choice(
                (f"<{tag}{attributes}>", f"<{tag}{attributes}>", f"</{tag}>", "text", "<", "<!--<p>-->")
            )
        )
    html = "".join(pieces)
    kept, is_cut = bounded(html, open=20, formats=5, attributes_of_tag=3)
    assert not is_cut and depth_of(kept) <= 22
    assert all(
        len(node.attributes) <= 3 for node in LexborHTMLParser(kept).root.traverse() if node.tag != "-text"
    )
    rest = iter(html)
    assert all(
        letter in rest for letter in kept.replace("<</>", "<")
    )  # some is left out, nothing else changed
    assert bounded(kept, open=20, formats=5, attributes_of_tag=3) == (kept, False)


def test_no_tag_comes_out_of_what_stood_around_one() -> None:
    flood = " ".join(f"a{n}" for n in range(10))
    for html in (f"<<b {flood}>p {flood}>", f"<<b {flood}>/p {flood}>", f"<<b {flood}><b {flood}>script>"):
        kept, _ = bounded(html, attributes_of_tag=5)
        assert kept.startswith("<</>") and kept.count("<") == 2
        body = LexborHTMLParser(kept).body
        assert body is not None and body.child is not None
        assert body.child.tag == "-text" and body.child.next is None


def test_limits_that_the_reader_itself_does_not_reach() -> None:
    assert bounded("<p>", open=4095) == ("<p>", False)
    assert bounded("<p>", formats=256) == ("<p>", False)
    for beyond in ({"open": 4096}, {"formats": 257}):
        with pytest.raises(ValueError, match="too large"):
            bounded("<p>", **beyond)


@pytest.mark.parametrize(
    "again",
    ["<p><b title='{}'>" + "<p>x" * 400, "<b title='{}'>" + "<div>x</b>" * 400, "<table><b title='{}'>" + "<tr>x" * 400,
     "<b title='{}'>" + "<div>" * 100 + "</b>" * 100, "<b title='{}'><i title='{}'>" + "<div>" * 100 + "</b>" * 100,
     "<a title='{}'>" + "<div><a title='{}'>" * 20],
)  # fmt: skip
def test_attributes_that_a_parser_would_write_again_and_again_end_the_page(again: str) -> None:
    """A page of 100 kB became a tree of 700 MB."""
    html = again.replace("{}", "x" * 100_000)
    kept, is_cut = bounded(html)
    assert len(LexborHTMLParser(kept).root.html) < len(html) + 10_000_000
    assert is_cut or len(kept) == len(html)
    assert bounded(again.replace("{}", "x" * 1000)) == (again.replace("{}", "x" * 1000), False)
