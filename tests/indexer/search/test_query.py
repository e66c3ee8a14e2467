"""parse_query: nothing a user can type is an error, and what it was read as can be typed again."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from indexer.search.query import And, Node, Not, Or, Phrase, Site, Word, leaves, parse_query
from indexer.text.elements import ELEMENTS

TITLE, BODY = frozenset({ELEMENTS.index("title")}), frozenset({ELEMENTS.index("body")})


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
        # a site that is no host name
        ("site:(a OR b)", Or((Word("a"), Word("b")))),
        ("site:-a", Not(Word("a"))),
        ('site:"two words"', Phrase(("two", "words"))),
    ],
)
def test_queries_and_their_trees(text: str, tree: Node | None) -> None:
    assert parse_query(text).tree == tree


A, B, C = Word("a"), Word("b"), Word("c")


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
    assert len(leaves(parse_query(" ".join(f"w{n}" for n in range(500))).tree)) == 64
    long = parse_query("日本" * 200).tree
    assert isinstance(long, Phrase) and len(long.words) == 64


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
    ]
)
typed = st.one_of(
    st.text(max_size=80),
    st.lists(syntax, max_size=25).map("".join),
    st.lists(syntax, max_size=25).map(" ".join),
)


@settings(max_examples=300, deadline=None)
@given(typed)
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
