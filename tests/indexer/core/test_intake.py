"""A page that the core takes in one call is in the batch as the steps one by one put it there."""

from __future__ import annotations

import ctypes
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from indexer.core.batch import Batch
from indexer.core.intake import (
    LEFT_ADDRESSES,
    LEFT_LANGUAGE,
    LEFT_LINKS,
    LEFT_WORDS,
    MOST_PAGES,
    GivenPage,
)
from indexer.core.language import small_letters
from indexer.core.links import BatchLinks
from indexer.store.links import LinkCollector
from indexer.text.detection import language_of
from indexer.text.elements import MAX_TITLE
from indexer.text.languages import STOP_WORDS
from indexer.text.page_words import PageWords, TakenPages

HOSTS = [
    "a.example",
    "www.b.example",
    "WWW2.b.example",
    "c.example:8080",
    "10.0.0.1",
    "x",
    "-.example",
    "bücher.example",
]
PATHS = [
    "",
    "/",
    "/a",
    "/a/b.html",
    "/a/./b",
    "//a",
    "/a;b/c",
    "/a%20b",
    "/é/ü",
    "/a?q=/b/c",
    "/a/..",
    "/a/.",
    "/a/..?q",
    "/a/%2E%2e/b",
    "/a/b%2Bc/d",
    "/a/%zz/d",
    "/a/b/c/d/e?x=/../y",
    "/.a/b",
    "/a/b/.c",
    "?q",
    "/a#b",
    "\\a\\b",
    "/ a",
]
SCHEMES = ["http://", "https://", "HTTP://", "ftp://", "//", "http:", ""]
HREFS = [
    "/",
    "x",
    "../x",
    "#a",
    "?q",
    "http://d.example/x",
    "//e.example",
    "mailto:x",
    "é",
    "http:y",
    " z ",
    "a\\b",
    "%41",
]
BASES = [
    *HREFS,
    *(
        "../",
        "../../",
        "./",
        "..",
        ".",
        "a/..",
        "x/./y",
        "/",
        "//",
        "/a//b/",
        "/%2e%2e/",
        "a%2fb/",
        "%2E/x",
        "",
    ),
    *("..;x/", ".a/", "/.a/b", "a/.b"),
]
CODES = [
    "en",
    "EN-us",
    "de_AT",
    "nb",
    "jp",
    "tr",
    "az",
    "xx",
    "eng",
    "engl",
    "e",
    "",
    "de, en",
    " fr ",
    "ja",
    "el",
    "ru",
]


def a_text(generator: random.Random) -> str:
    words = [
        generator.choice(sorted(STOP_WORDS[generator.choice(["en", "de", "pt", "es", "tr", "el", "ru"])]))
    ]
    if generator.random() < 0.5:
        words = sorted(STOP_WORDS[generator.choice(["en", "de", "pt", "fr", "pl", "ru"])])
    others = [
        "Kran",
        "Isparta",
        "İzmir",
        "日本語",
        "ΟΔΟΣ",
        "Ωμέγα",
        "ŁÓDŹ",
        "Привет",
        "\x01",
        "ﬁ",
        "𝒜",
        "ẞ",
        "ꙀA",
        "ქართული",
    ]
    share = generator.random()
    return " ".join(
        generator.choice(words).title() if generator.random() < share else generator.choice(others)
        for _ in range(generator.choice([0, 5, 11, 12, 40, 70, 900]))
    )


def a_page(generator: random.Random) -> str:
    language = generator.choice(CODES)
    links = "".join(
        f'<a href="{generator.choice(HREFS)}">{generator.choice("xyz")}</a> '
        for _ in range(generator.randrange(5))
    )
    base = f'<base href="{generator.choice(BASES)}">' if generator.random() < 0.4 else ""
    return f'<html lang="{language}"><title>T</title>{base}<p>{a_text(generator)}<p>{links}'


def contents(batch: Batch, links: LinkCollector) -> tuple[Any, ...]:
    lengths, extents = batch.lengths().tolist(), batch.extents().tolist()
    columns = [column.tolist() for column in links.links.columns()]
    lists = batch.invert([0] * len(batch))  # type: ignore[arg-type]
    names = ("words", "word_ids", "ordinals", "positions")
    return lengths, extents, columns, links.links.texts(), *(lists.column(name).tolist() for name in names)


def given(html: str, url: str, header: str = "", charset: str = "utf-8") -> GivenPage:
    """Return a page whose markup lies among other bytes."""
    data = html.encode()
    return GivenPage(b"head" + data + b"tail", 4, len(data), url, header, charset == "utf-8", 7, 0)


def take(
    pages: PageWords, batch: Batch, links: LinkCollector, some: list[GivenPage]
) -> Iterator[tuple[int, TakenPages]]:
    """Yield what is taken, with the number of the last page of it."""
    for taken in pages.take_pages(batch, links.links, some, (ctypes.c_int64 * 7)()):
        yield taken.begin + len(taken.told) - 1, taken


@pytest.mark.parametrize("seed", range(25))
def test_many_pages_in_a_call_are_as_good_as_one_by_one(seed: int) -> None:
    generator = random.Random(seed)
    plain, plain_batch, plain_links, expected = PageWords(), Batch(), LinkCollector(), []
    some, charsets = [], []
    for ordinal in range(MOST_PAGES):
        html, header = a_page(generator), generator.choice(["", "", "de", "tr-TR"])
        url = f"http://a.example/{generator.choice('ab')}/{ordinal}"
        if generator.random() < 0.3:
            url = f"http://a.example{generator.choice(PATHS)}"
        elif generator.random() < 0.6:
            url = generator.choice(SCHEMES) + generator.choice(HOSTS) + generator.choice(PATHS)
        charset = generator.choice(["utf-8", "utf-8", "windows-1252"])
        if ordinal == 0:  # seldom made
            html, url, charset = '<base href="../x/"><a href="é">y</a>', "http://a.example/b/c", "utf-8"
        some.append(given(html, url, header, charset))
        charsets.append(charset)
        list(take(plain, Batch(), LinkCollector(), some[-1:]))
        page = plain.sample()
        page.language, page.charset = page.language or header, charset
        expected.append(language_of(page))
        plain_links.add(ordinal, url, page, plain.page)
        plain_batch.add_page(plain.words(url, expected[-1]))

    pages, batch, links, languages, lefts = PageWords(), Batch(), LinkCollector(), list[str](), 0
    for ordinal, taken in take(pages, batch, links, some):
        languages += [language for language, _, _ in taken.told]
        titles = [title for _, title, _ in taken.told]
        assert titles == ["" if number == 0 else "T" for number in range(taken.begin, ordinal + 1)]
        assert taken.left or ordinal == MOST_PAGES - 1
        if not taken.left:
            continue
        left, url, page = taken.left, some[ordinal].url, pages.sample()
        page.language, page.charset = page.language or some[ordinal].language, charsets[ordinal]
        languages[-1] = left.language
        if left.left & LEFT_LANGUAGE:
            languages[-1] = language_of(page)
            assert not left.text
        lefts |= left.left
        if left.left & LEFT_ADDRESSES:
            links.explain(ordinal, url, page.base, pages.page, left.own, left.asked)
        if left.left & LEFT_LINKS:
            links.add(ordinal, url, page, pages.page)
        if left.left & LEFT_WORDS:
            batch.add_page(pages.words(url, languages[-1]))
    assert languages == expected
    assert contents(batch, links) == contents(plain_batch, plain_links)
    assert lefts == LEFT_ADDRESSES | LEFT_LANGUAGE | LEFT_LINKS | LEFT_WORDS


def test_an_ordinary_page_leaves_nothing() -> None:
    pages, batch, links = PageWords(), Batch(), LinkCollector()
    html = '<html lang="en-GB"><p>the heron and the gull are at the weir<p><a href="b.html">b</a>'
    [(_, taken)] = take(pages, batch, links, [given(html, "https://www.a.example/x/a.html?q=1")])
    assert taken.told == [("en", "", False)] and taken.left is None and not taken.is_unread
    assert len(batch) == 1 and batch.occurrences == 17
    assert links.links.texts() == [b"b"]


def test_pages_are_shown_while_they_are_read() -> None:
    shown = (ctypes.c_int64 * 7)()
    some = [GivenPage(b"<p>", 0, 3, "http://a.example/é", "", True, at, 5) for at in (11, 12)]
    seen = [
        (list(shown)[1:3], shown[5], shown[6])
        for _ in PageWords().take_pages(Batch(), BatchLinks(), some, shown)
    ]
    assert seen == [([11, 5], 1, 1), ([12, 5], 2, 1)]
    assert abs(shown[0] - time.monotonic() * 1000) < 60_000


def test_titles_are_told_each_for_itself_and_long_ones_by_their_beginning() -> None:
    titles = ["", "Über die Ilse", "日" * 2000, "x" * 5000, "", "\U00010348" * 1500, "last"]
    some = [given(f"<title>{title}</title>", f"http://a.example/{k}") for k, title in enumerate(titles)]
    told = [
        title[:MAX_TITLE]
        for _, taken in take(PageWords(), Batch(), LinkCollector(), some)
        for _, title, _ in taken.told
    ]
    assert told == [title[:MAX_TITLE] for title in titles]


def test_small_letters_are_those_of_python() -> None:
    known = 0
    for code in range(sys.maxunicode + 1):
        if 0xD800 <= code < 0xE000:
            continue
        found = small_letters(f"A{chr(code)}Z")
        if found is not None:
            known += 1
            assert found == f"A{chr(code)}Z".lower(), hex(code)
    assert known > 100_000


def test_a_sigma_at_the_end_of_a_word_is_another_one() -> None:
    simple, odd = "ΣΣΣΑάς a1_-", "'.:^`·é\u0301\u00adЖ日"
    numbers = random.Random(1)
    for _ in range(5_000):
        text = "".join(numbers.choices(simple, k=6))
        assert small_letters(text) == text.lower(), text
        text = "".join(numbers.choices(simple + odd, k=6))
        assert small_letters(text) in (text.lower(), None), text


def test_no_small_letters_of_what_depends_on_its_neighbours() -> None:
    assert small_letters("ΟΔΟ\u0301Σ") is None and small_letters("İ") is None
    assert small_letters("Straße ÄÖ ŁÓDŹ ЖЗ") == "straße äö łódź жз"
