"""parse_query: nothing a user can type is an error, and what it was read as can be typed again."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from indexer.search import query as query_module
from indexer.search.fields import as_address
from indexer.search.query import (
    And,
    Appeared,
    Captured,
    Fuzzy,
    InUrl,
    Language,
    LiveAt,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Site,
    Status,
    Type,
    Vanished,
    Wildcard,
    Word,
    leaves,
    parse_query,
)
from indexer.text.elements import ELEMENTS

TITLE, BODY, URL, KEYWORDS = (
    frozenset({ELEMENTS.index(name)}) for name in ("title", "body", "url", "keywords")
)
TEXT = frozenset(ELEMENTS.index(name) for name in ("heading", "anchor", "emphasis", "body", "alt"))


@pytest.mark.parametrize(
    "text, tree",
    [
        ("", None),
        ("Heron", Word("heron")),
        ("=Herons", Word("herons", exact=True)),
        ('"Herons"', Word("herons", exact=True)),
        ('"grey heron"', Phrase(("grey", "heron"))),
        ("e-mail", Phrase(("e", "mail"))),
        ("grey heron", And((Word("grey"), Word("heron")), implied=True)),
        ("grey AND heron", And((Word("grey"), Word("heron")))),
        ("grey OR heron gull", Or((Word("grey"), And((Word("heron"), Word("gull")), implied=True)))),
        ("heron -grey", And((Word("heron"), Not(Word("grey"))), implied=True)),
        ("NOT grey", Not(Word("grey"))),
        ("+grey", Word("grey")),
        ("title:heron", Word("heron", elements=TITLE)),
        ('title:"grey heron"', Phrase(("grey", "heron"), TITLE)),
        ("title:(grey OR body:heron)", Or((Word("grey", elements=TITLE), Word("heron", elements=BODY)))),
        (
            "-title:(grey heron)",
            Not(And((Word("grey", elements=TITLE), Word("heron", elements=TITLE)), implied=True)),
        ),
        ("title: heron", And((Word("title"), Word("heron")), implied=True)),
        ("site:Example.ORG", Site("example.org")),
        ("site:https://*.example.org:80/x", Site("example.org")),
        ('site:"example.org"', Site("example.org")),
        ("a(b)c", And((Word("a"), Word("b"), Word("c")), implied=True)),
        ("日本語", Phrase(("日本", "本語"))),
        ("日本", Word("日本")),
        ("日", Word("日")),
        # an operator glued to a prefix is a word
        ("=or", Word("or", exact=True)),
        ("title:and", Word("and", elements=TITLE)),
        ("-NOT", Not(Word("not"))),
        ("site:(a OR b)", Or((Site("a"), Site("b")))),
        ("site:-a", Not(Site("a"))),
        ("site:.gov.pt", Site("gov.pt")),
        # a site that is no host name
        ('site:"two words"', Phrase(("two", "words"))),
    ],
)
def test_queries_and_their_trees(text: str, tree: Node | None) -> None:
    assert parse_query(text).tree == tree


A, B, C = Word("a"), Word("b"), Word("c")


@pytest.mark.parametrize(
    "text, tree",
    [
        # operators in any case and spelling
        ("a And b", And((A, B))),
        ("a && b", And((A, B))),
        ("a&&b", And((A, B))),
        ("a || b", Or((A, B))),
        ("not a", Not(A)),
        ("!a", Not(A)),
        ("a and not b", And((A, Not(B)))),
        ("-(a b)", Not(And((A, B), implied=True))),
        (r"\and a", And((Word("and"), A), implied=True)),
        # what is left alone
        ("a AND", A),
        ("OR a", A),
        ("a NOT", A),
        ("a AND OR b", Or((A, B))),
        ("AND", Word("and")),
        ("or not", And((Word("or"), Word("not")), implied=True)),
        ("a NEAR", And((A, Word("near")), implied=True)),
        ("hotel near a", And((Word("hotel"), Word("near"), A), implied=True)),
        ("\u200fNOT\u200e a", Not(A)),
        ("“a b”", Phrase(("a", "b"))),
        # phrases and nearness
        ('"a b"~3', Phrase(("a", "b"), slop=3)),
        ('"a b"~3000', Phrase(("a", "b"), slop=100)),
        ('"a b"^2', Phrase(("a", "b"), boost=2.0)),
        ("a NEAR/5 b", Near(A, B, 5)),
        ("a near/5 b", Near(A, B, 5)),
        ("a NEAR b", Near(A, B, 10)),
        ("a NEAR/0 b", Near(A, B, 1)),
        ("a NEAR/2 b NEAR/3 c", Near(Near(A, B, 2), C, 3)),
        ("a NEAR/2 (b NEAR/3 c)", Near(A, Near(B, C, 3), 2)),
        ("a NEAR/2 (b OR c)", Near(A, Or((B, C)), 2)),
        ("title:(a NEAR/2 b)", Near(Word("a", elements=TITLE), Word("b", elements=TITLE), 2)),
        ("NOT a NEAR/2 b c", And((Not(Near(A, B, 2)), C), implied=True)),
        ("a NEAR/2 site:x.org", And((A, Site("x.org")))),
        # wildcards, fuzzy words, boosts
        ("wom*n", Wildcard("wom*n")),
        ("*GRAPH", Wildcard("*graph")),
        ("te?t", Wildcard("te?t")),
        ("**", Wildcard("*")),
        ("title:*", Wildcard("*", elements=TITLE)),
        ("what?", Word("what")),
        ("a.php?id=3", Phrase(("a", "php", "id", "3"))),
        ("b-c*", Phrase(("b", "c"))),
        ("日*", Word("日")),
        ("heron~", Fuzzy("heron", 1)),
        ("Heron~2", Fuzzy("heron", 2)),
        ("heron~9", Fuzzy("heron", 2)),
        ("heron~0", Word("heron", exact=True)),
        ("heron^2.5", Word("heron", boost=2.5)),
        ("title:heron~1^0.5", Fuzzy("heron", 1, TITLE, 0.5)),
        # words with signs inside
        ("800-444-5555", Phrase(("800", "444", "5555"))),
        ("name@host.org", Phrase(("name", "host", "org"))),
        ("don't", Phrase(("don", "t"))),
        ("C++", Word("c++")),
        ("c#/a", Phrase(("c#", "a"))),
        ('"a C++"', Phrase(("a", "c++"))),
        ("foo_bar.h", Phrase(("foo", "bar", "h"))),
        ("http://www.example.org/a", Phrase(("example", "org", "a"))),
        ("10:30", Phrase(("10", "30"))),
        ("nofield:a", Phrase(("nofield", "a"))),
        # elements and filters
        ("text:a", Word("a", elements=TEXT)),
        ("title,keywords:a", Word("a", elements=TITLE | KEYWORDS)),
        ("inurl:press", InUrl(Word("press", exact=True, elements=URL))),
        ("inurl:a/b", InUrl(Phrase(("a", "b"), URL))),
        ("inurl:*blog*", InUrl(Wildcard("*blog*", URL))),
        ("type:PDF", Type("pdf")),
        ("type:image/", Type("image/*")),
        ("lang:pt-BR", Language("pt")),
        ("lang:german", Language("de")),
        ("lang:unknown", Language("")),
        ("status:2*", Status("2xx")),
        ("status:404", Status("404")),
        ("from:2009", Captured(first=20090101000000)),
        ("to:2009-02", Captured(last=20090228235959)),
        ("before:20090301", Captured(last=20090228235959)),
        ("after:2009-12-31T23:59:59Z", Captured(first=20100101000000)),
        ("from:2009..201005", Captured(20090101000000, 20100531235959)),
        ("at:2009-5-7", LiveAt(20090507235959)),
        ("appeared:2009", Appeared(20090101000000, 20091231235959)),
        ("appeared:2009..", Appeared(first=20090101000000)),
        ("vanished:..2009", Vanished(last=20091231235959)),
        ("lang:(en OR de)", Or((Language("en"), Language("de")))),
        ("task:a", Or((Word("a", elements=KEYWORDS), Word("a", elements=TITLE), Word("a", elements=TEXT)))),
        # values that are none
        ("from:2009-13", Phrase(("2009", "13"))),
        ("status:ok", Word("ok")),
        ("lang:x", Word("x")),
    ],
)
def test_the_whole_language(text: str, tree: Node) -> None:
    query = parse_query(text)
    assert query.tree == tree
    assert parse_query(str(query)).tree == tree


@pytest.mark.parametrize(
    "text, notice",
    [
        ('say "hello', 'a " without its partner'),
        ("a ) b", "a ) without its ("),
        ("(a", "a ( without its )"),
        ("a AND", "AND without a word"),
        ("a OR", "OR without a word"),
        ("a NOT", "NOT without a word"),
        ("NEAR a", ""),
        ("AND", "operators without words"),
        ("title: a", "title: needs a word directly behind it"),
        ("nofield:a", "there is no nofield:"),
        ("from:soon", "from: takes a date"),
        ("b-c*", "a * stands for letters"),
        ("heron~5", "at most 2 changes"),
        ("...", "the query holds no word"),
        ("a NEAR/500 b", "NEAR/n takes 1 to 100"),
        ("a NEAR/5 site:x.org", "read as AND"),
        (" ".join("x" * 40), "more than 32 words"),
        ("(" * 50 + "a" + ")" * 50, "nested deeper"),
        ("a " * 5000, "only the first 8,000 characters"),
    ],
)
def test_a_notice_says_what_was_read_otherwise(text: str, notice: str) -> None:
    notices = parse_query(text).notices
    assert any(notice in found for found in notices) if notice else not notices


@pytest.mark.parametrize(
    "text", ["(" * 10_000, "-" * 10_000, "title:" * 2_000, "title:-" * 1_500, "a NEAR " * 1_500]
)
def test_ten_kilobytes_of_anything_are_read(text: str) -> None:
    query = parse_query(text)
    assert parse_query(str(query)).tree == query.tree


def test_a_task_is_held_by_the_keywords_or_the_title_or_the_text() -> None:
    tree = parse_query("task:(a b)").tree
    assert str(parse_query("task:(a b)")) == (
        "(keywords:a keywords:b) OR (title:a title:b) OR (text:a text:b)"
    )
    assert parse_query("task:(a b)", operator="or").tree == tree


@pytest.mark.parametrize(
    "text, address",
    [
        ("example.org", "http://example.org"),
        ("www.example.org/a?b=c", "http://www.example.org/a?b=c"),
        ("example.org:8080", "http://example.org:8080"),
        ("https://example.org/", "https://example.org/"),
        ("127.0.0.1/x", "http://127.0.0.1/x"),
        ("localhost:8080", "http://localhost:8080"),
        ("heron", None),
        ("index.html", None),
        ("name@example.org", None),
        ("3.14", None),
        ("a b.org", None),
        ("title:heron", None),
        ("javascript://x", None),
    ],
)
def test_an_address_typed_into_the_box_is_known(text: str, address: str | None) -> None:
    assert as_address(text) == address


@pytest.mark.parametrize(
    "text, tree",
    [
        ("a", A),
        ("a b", Or((A, B), implied=True)),
        ("a a", Or((A, A), implied=True)),
        ("a AND b", And((A, B))),
        ("a b OR c", Or((Or((A, B), implied=True), C))),
        ("a b -c", And((Or((A, B), implied=True), Not(C)), implied=True)),
        ("a b site:x.org", And((Or((A, B), implied=True), Site("x.org")), implied=True)),
        ("site:x.org -a", And((Site("x.org"), Not(A)), implied=True)),
        ("+a b", And((Or((A, B), implied=True), Not(Not(A))), implied=True)),
        ("+a +b", And((A, B), implied=True)),
        ("+a", A),
        ("title:(a b)", Or((Word("a", elements=TITLE), Word("b", elements=TITLE)), implied=True)),
        ("(a b) c", Or((A, B, C), implied=True)),
        ("(a AND b) c", Or((And((A, B)), C), implied=True)),
        ("a ) b", Or((A, B), implied=True)),
        ("-a", Not(A)),
        ("( )", None),
    ],
)
def test_words_side_by_side_can_mean_any_of_them(text: str, tree: Node | None) -> None:
    query = parse_query(text, operator="or")
    assert query.tree == tree
    if "OR" not in text:  # what is shown means the same, whatever stands between words
        assert leaves(parse_query(str(query)).tree) == leaves(query.tree)


@pytest.mark.parametrize(
    "text",
    [
        "(",
        ")",
        "^2",
        ")^2",
        ")^",
        "[2009 TO 2010]",
        "[* TO 2009]",
        "[",
        '"',
        "((a",
        "a))b",
        'say "hello',
        "NOT",
        "AND",
        "OR OR",
        "- + =",
        "title:",
        "site:",
        "-",
        '""',
        "()",
    ],
)
def test_what_does_not_fit_is_read_leniently(text: str) -> None:
    parse_query(text)


def test_deep_nesting_and_length_are_bounded() -> None:
    assert parse_query("(" * 1000 + "a" + ")" * 900).notices
    assert parse_query("NOT " * 490 + "a").notices
    assert len(leaves(parse_query(" ".join(f"w{n}" for n in range(500))).tree)) == 32
    long = parse_query("日本" * 200).tree
    assert isinstance(long, Phrase) and len(long.words) == 32


syntax = st.sampled_from(
    [
        "AND",
        "OR",
        "NOT",
        "and",
        "or",
        "not",
        "And",
        "Or",
        "(",
        ")",
        '"',
        "-",
        "+",
        "=",
        "title:",
        "body:",
        "site:",
        "TITLE:",
        "a",
        "b-c",
        "日本語",
        "本",
        "日",
        "第3回",
        "ภาษา",
        "the",
        " ",
        "  ",
        "\t",
        "example.org",
        "ﬁ",
        "½",
        "™",
        "e\u0301",
        "_",
        "*",
        "İ",
        "&&",
        "||",
        "!",
        "NEAR/3",
        "NEAR",
        "~2",
        "^2",
        "^0.25",
        '"a b"~3',
        '"a b"^1.5',
        "wo*n",
        "?",
        "*",
        "a~1",
        "inurl:",
        "type:",
        "lang:",
        "status:",
        "from:",
        "to:",
        "before:",
        "after:",
        "at:",
        "appeared:",
        "vanished:",
        "task:",
        "text:",
        "title,body:",
        "2009",
        "2009-05",
        "20090517",
        "2009..2010-06",
        "4xx",
        "C++",
        "c#",
        "\\",
        "de",
        "\u202e",
        "\x00",
    ]
)
typed = st.one_of(
    st.text(max_size=80),
    st.lists(syntax, max_size=25).map("".join),
    st.lists(syntax, max_size=25).map(" ".join),
)


@settings(max_examples=300, deadline=None)
@given(typed)
@example("TASK:0:0:0:0ᄀ0ᄀ0☀0⭍)0⭍0")  # more words than a query may have
@example(" ".join("abcdefghijklmnopqrstuvwxyzabcd") + ' "a b c d e" f')
@example("task:" + "a" * 4000 + "*")  # longer than any word
@example('title:"')
@example("日本 本 本語")
@example('"日本 本 本語"')
@example("site:*.*")
@example("site:\x85")
def test_a_described_query_is_parsed_to_the_same_tree(text: str) -> None:
    parse_query(text, operator="or")
    query = parse_query(text)
    assert query.text == text
    described = str(query)
    assert parse_query(described).tree == query.tree, described
    assert str(parse_query(described)) == described


PIECES = [
    "cat", "Dog", "1984", "and", "AND", "Or", "not", "NEAR", "near", "NEARBY", "a" * 64, "b" * 65, "café", "a_b", "-x",
    "\t", "\n", "\x1c", "\x0b", "\x00", "\x7f", "\x85", "\xa0", '"', "(", "x*", "title:z", "\u200d",
]  # fmt: skip


@given(
    st.lists(st.sampled_from(PIECES), max_size=8), st.sampled_from(["and", "or"]), st.sampled_from([3, 32])
)
def test_plain_words_are_read_as_the_parser_reads_them(pieces: list[str], operator: str, most: int) -> None:
    text, parse = " ".join(pieces), parse_query.__wrapped__
    found = parse(text, operator=operator, max_words=most)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(query_module, "_plain_words", lambda text, most: [])
        assert found == parse(text, operator=operator, max_words=most)
