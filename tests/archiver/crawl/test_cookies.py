"""Cookie walls: asked once more with the cookie of the host itself, and of no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from archiver.crawl.cookies import LONGEST_COOKIE, MOST_COOKIES, MOST_HOSTS, Cookies
from archiver.warc.record import Headers
from tests.archiver.crawl.site import Asked, answer, page, redirect

URL = "https://a.example/x"


def after(*fields: str, url: str = URL) -> Cookies:
    cookies = Cookies()
    cookies.take(url, Headers([("Set-Cookie", field) for field in fields]))
    return cookies


@pytest.mark.parametrize(
    ("fields", "sent"),
    [
        (["a=1; Path=/; HttpOnly", "b=2"], "a=1; b=2"),
        (["a=1", "a=2"], "a=2"),
        (["a=1", "a=; Max-Age=0"], ""),
        (["a=1", "a=2; Max-Age=-1"], ""),
        (["a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], ""),
        (["a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60"], "a=1"),
        (["a=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT"], "a=1"),
        (["a=1; Expires=nonsense"], "a=1"),
        (["a=b=c"], "a=b=c"),
        (["no cookie", "=x", "a=\xe9", "a=1\x07"], ""),
        (["a=" + "x" * (LONGEST_COOKIE - 2)], "a=" + "x" * (LONGEST_COOKIE - 2)),
        (["a=" + "x" * (LONGEST_COOKIE - 1)], ""),
    ],
)
def test_what_is_sent_back(fields: list[str], sent: str) -> None:
    assert after(*fields).field_for(URL) == sent


@pytest.mark.parametrize(
    "other", ["https://b.a.example/", "https://example/", "https://a.example:8443/", "http://a.example/"]
)
def test_no_other_host_sees_a_cookie(other: str) -> None:
    assert after("a=1; Domain=example").field_for(other) == ""


def test_secure_cookies_go_over_secure_connections_alone() -> None:
    cookies = after("a=1; Secure", "b=2", url="http://a.example/")
    assert cookies.field_for("http://a.example/") == "b=2"


def test_memory_is_bounded() -> None:
    cookies = after(*(f"c{n}=1" for n in range(MOST_COOKIES + 5)))
    assert cookies.field_for(URL).count("=") == MOST_COOKIES
    for number in range(MOST_HOSTS):
        cookies.take(f"https://h{number}.example/", Headers([("Set-Cookie", "a=1")]))
    assert cookies.field_for(URL) == ""
    assert cookies.field_for("https://h0.example/") == "a=1"


# ------------------------------------------------------------ in a crawl


def wall(location: str, behind: bytes, cookie: str = "seen=1") -> Callable[[Asked], bytes]:
    """Return what answers everybody without the cookie with a redirect that sets it."""

    def give(asked: Asked) -> bytes:
        if cookie in asked.field("Cookie"):
            return behind
        return redirect(location).replace(b"\r\n\r\n", f"\r\nSet-Cookie: {cookie}; Path=/\r\n\r\n".encode())

    return give


def test_page_that_redirects_to_itself_with_a_cookie_is_had(crawl_of: Any) -> None:
    crawl = crawl_of(
        {
            "a.example": {
                "/": wall("/", page("behind", ["/1", "http://b.example:@PORT/"])),
                "/1": page("one"),
            },
            "b.example": {"/": wall("/", page("other"), "b=2")},
        }
    )
    result = crawl.run(scope="web")
    assert (result.failed, result.cut, result.fetched) == (0, {}, 3)
    assert {"a.example/", "a.example/1", "b.example/"} == set(crawl.payloads())
    assert b"behind" in crawl.payloads()["a.example/"]
    sent = sorted((asked.host, asked.target, asked.field("Cookie")) for asked in crawl.site.log)
    assert [s for s in sent if s[1] != "/robots.txt"] == [
        ("a.example", "/", ""),
        ("a.example", "/", "seen=1"),
        ("a.example", "/1", ""),
        ("b.example", "/", ""),
        ("b.example", "/", "b=2"),
    ]


def test_circle_by_way_of_a_page_that_sets_the_cookie(crawl_of: Any) -> None:
    def check(asked: Asked) -> bytes:
        return page("behind") if "ok=1" in asked.field("Cookie") else redirect("/set")

    crawl = crawl_of({"a.example": {"/": check, "/set": wall("/", page("never"), "ok=1")}})
    result = crawl.run()
    assert crawl.site.asked("a.example") == ["/", "/set", "/"]
    kept = [(crawl.short(r.url), r.status) for r in crawl.records() if r.type == "response"]
    assert kept[1:] == [("a.example/", "302"), ("a.example/set", "302"), ("a.example/", "200")]
    assert result.cut == {}


@pytest.mark.parametrize("with_cookie", [False, True])
def test_circle_that_nothing_opens_is_counted_and_ends(crawl_of: Any, with_cookie: bool) -> None:
    def give(asked: Asked) -> bytes:
        return wall("/", b"", f"n={asked.count}")(asked) if with_cookie else redirect("/")

    crawl = crawl_of({"a.example": {"/": give}})
    result = crawl.run()
    assert len(crawl.site.asked("a.example")) == (2 if with_cookie else 1)
    assert result.cut == {"redirect-loop": 1}


def test_wall_with_pauses_keeps_them(crawl_of: Any) -> None:
    links = [f"/{n}" for n in range(3)]
    routes = {link: wall(link, page(link)) for link in links}
    crawl = crawl_of({"a.example": {"/": page("0", links), **routes}})
    crawl.run(delay_s=0.1)
    assert len(crawl.site.asked("a.example")) == 7
    assert min(crawl.site.shortest_pauses().values()) >= 0.1


# ------------------------------------------------------------ answers to something else


def test_not_modified_that_nobody_asked_for_is_asked_again(crawl_of: Any) -> None:
    def odd(asked: Asked) -> bytes:
        return b"HTTP/1.1 304 Not Modified\r\n\r\n" if asked.count == 1 else page("whole")

    crawl = crawl_of({"a.example": {"/": odd}})
    crawl.run()
    assert b"whole" in crawl.payloads()["a.example/"]


def test_not_modified_of_another_version_is_asked_again_without_conditions(crawl_of: Any) -> None:
    def odd(asked: Asked) -> bytes:
        if asked.field("If-None-Match"):
            return b'HTTP/1.1 304 Not Modified\r\nETag: "of another page"\r\n\r\n'
        return page(f"visit {asked.count}", ETag='"mine"')

    crawl = crawl_of({"a.example": {"/": odd}})
    crawl.run()
    crawl.run(again=True)
    kept = [(r.type, r.status) for r in crawl.records() if r.type in ("response", "revisit")]
    assert kept[-1] == ("response", "200")
    assert b"visit 3" in crawl.payloads()["a.example/"]


def test_page_that_was_cut_is_asked_for_whole_the_next_time(crawl_of: Any) -> None:
    def tagged(asked: Asked) -> bytes:
        if asked.field("If-None-Match"):
            return b"HTTP/1.1 304 Not Modified\r\n\r\n"
        return page("long", text="word " * 1000, ETag='"v1"')

    crawl = crawl_of({"a.example": {"/": tagged}})
    assert crawl.run(page_size_kb=1).cut == {"length": 1}
    crawl.run(again=True, page_size_kb=100)
    assert crawl.payloads()["a.example/"].endswith(b"</html>")


def test_robots_that_broke_off_does_not_allow_what_it_would_forbid(crawl_of: Any) -> None:
    def broken(asked: Asked) -> Any:
        if asked.count == 1:
            return iter([b"HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\nUser-agent: *\nDisa"])
        return answer("User-agent: *\nDisallow: /x\n", "text/plain")

    crawl = crawl_of({"a.example": {"/": page("0", ["/x"]), "/x": page("x"), "/robots.txt": broken}})
    crawl.run()
    assert crawl.site.asked("a.example", robots=True) == ["/robots.txt", "/robots.txt", "/"]
