"""robots.txt by RFC 9309, on rules that other crawlers got wrong."""

from __future__ import annotations

import time

import pytest

from archiver.crawl.robots import Answer, meaning_of, parse_robots

RULES = [
    ("\ufeffUser-agent: *\nDisallow: /private\n", {"/private/x": False, "/": True}),
    (
        "User-agent: *\nDisallow: /*q=\nDisallow: /*.csv$\nDisallow: /*/print\n",
        {
            "/?q=abc": False,
            "/q/": True,
            "/data.csv": False,
            "/data.csv.html": True,
            "/data.csv?x=1": True,
            "/a/print": False,
            "/print": True,
            "/a/b/print/x": False,
        },
    ),
    (
        "User-agent: *\nDisallow: /\nAllow: /public/\nAllow:    /*/list/part=*/$\n",
        {"/public/x": True, "/other": False, "/1/list/part=5/": True, "/1/list/part=5/x": False},
    ),
    (
        "User-agent: *\nDisallow: /tie\nAllow: /tie\nDisallow: /tie/deep\n",
        {"/tie": True, "/tie/deep/x": False},
    ),
    (
        "user-AGENT:EXAMPLEBOT\r\nDISALLOW:/Secret # comment\r\n\r\nUser-agent: *\r\nDisallow: /\r\n",
        {"/Secret/x": False, "/secret/x": True, "/open": True},
    ),
    ("User-agent: *\nDisallow:\n", {"/x": True}),
    ("", {"/x": True}),
    ("User-agent: *\n# caf\u00e9\nDisallow: /x\n", {"/x": False, "/y": True}),
    ("User-agent: other\nDisallow: /\n", {"/x": True}),
    ("<html><body>not rules</body></html>", {"/x": True}),
]


@pytest.mark.parametrize(("text", "expected"), RULES)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_rules(text: str, expected: dict[str, bool], encoding: str) -> None:
    rules = parse_robots(text.encode(encoding, "ignore"), "examplebot")
    assert {path: rules.can_fetch("http://a.example" + path) for path in expected} == expected


def test_many_stars_take_no_time() -> None:
    start = time.monotonic()
    rules = parse_robots(b"User-agent: *\nDisallow: /" + b"*a" * 60 + b"b$\n", "examplebot")
    assert rules.can_fetch("http://a.example/" + "a" * 200)
    assert time.monotonic() - start < 1


def test_only_the_first_500_kib_are_read() -> None:
    rules = parse_robots(b"User-agent: *\n" + b"# padding\n" * 60_000 + b"Disallow: /\n", "examplebot")
    assert rules.can_fetch("http://a.example/x")


@pytest.mark.parametrize(
    ("line", "delay"), [("7", 7.0), ("0.5", 0.5), ("86400", 300.0), ("-1", 0.0), ("soon", 0.0), ("inf", 0.0)]
)
def test_crawl_delay(line: str, delay: float) -> None:
    assert parse_robots(f"User-agent: *\nCrawl-delay: {line}\n".encode(), "examplebot").crawl_delay_s == delay


def test_sitemaps_are_listed() -> None:
    assert parse_robots(b"Sitemap: http://a.example/s.xml\n", "x").sitemaps == ("http://a.example/s.xml",)


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (200, Answer.RULES),
        (404, Answer.FREE),
        (403, Answer.FREE),
        (401, Answer.FREE),
        (301, Answer.REDIRECT),
        (429, Answer.WAIT),
        (500, Answer.WAIT),
        (503, Answer.WAIT),
    ],
)
def test_what_a_status_means(status: int, answer: Answer) -> None:
    assert meaning_of(status) == answer
