"""The addresses in style sheets, by the tokens of CSS."""

from __future__ import annotations

import pytest

from indexer.text.css import addresses_in, pointed


@pytest.mark.parametrize(
    ("css", "addresses"),
    [
        ("a{b:url(c\\73s4.png)}", ["css4.png"]),
        ("a{b:u\\72l(x.png)}", ["x.png"]),
        ("a{b:URL( 'q r.png' )}", ["q r.png"]),
        ("a{b:url(a\\ b.png)}", ["a b.png"]),
        ('a{b:url("a\\22 b")}', ['a"b']),
        ("a{b:url()}", []),
        ("a{b:url(a b)}", []),
        ("a{b:url(#x),url(data:image/png,x)}", []),
        ("a{b:url(unclosed", ["unclosed"]),
        (
            'a{b:image-set("a.png" 1x, url(b.png) 2x, "c.png" type("image/png") 3x)}',
            ["a.png", "b.png", "c.png"],
        ),
        ('a{b:-webkit-image-set("a.png" 1x)}', ["a.png"]),
        ("/* url(no.png) */a{b:url(yes.png)/*url(no)*/}", ["yes.png"]),
        ('a{content:"url(no.png)"}', []),
        ("@namespace svg url(http://www.w3.org/2000/svg);", []),
        ("@font-face{src:url('f.eot?#x') format('eot'),url(f.woff)}", ["f.eot?#x", "f.woff"]),
    ],
)
def test_addresses_of_pictures(css: str, addresses: list[str]) -> None:
    assert addresses_in(css) == [(address, False) for address in addresses]


@pytest.mark.parametrize(
    "css",
    ["@import 'x.css';", '@import "x.css" screen;', "@import url(x.css)layer(y);", "@\\69mport 'x.css'"],
)
def test_addresses_of_imports(css: str) -> None:
    assert addresses_in(css) == [("x.css", True)]


def test_addresses_are_replaced_where_they_stand() -> None:
    css = "@import 'a';b{c:url( d ) 1px,image-set('e' 1x)}"
    assert pointed(css, lambda link, is_import: f"/{link}{'!' * is_import}") == (
        '@import "/a!";b{c:url("/d") 1px,image-set("/e" 1x)}'
    )


def test_hostile_sheets_come_to_an_end() -> None:
    for piece in ("url(", "image-set(", "/*", '"', "\\", "@import ", "u\\72", "((", "<!--"):
        assert len(addresses_in(piece * 50_000)) <= 1
