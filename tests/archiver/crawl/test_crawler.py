"""Whole crawls of small sites: the right addresses, the right manners, archives that others can read."""

from __future__ import annotations

import gzip
import os
import random
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from archiver.crawl import NoSeedError, crawl_status, send_command
from tests.archiver.crawl.conftest import Crawl
from tests.archiver.crawl.site import Asked, answer, page, redirect

OTHER = "http://b.example:@PORT"


def robots(text: str) -> bytes:
    return answer(text, "text/plain")


def many_hosts() -> dict[str, dict[str, Any]]:
    """A small web: links in circles, depth, redirects, requisites elsewhere, robots of several kinds, failures."""
    return {
        "a.example": {
            "/": page(
                "Start",
                [
                    "/1",
                    "/2",
                    "/loop",
                    "/private/x",
                    "/moved",
                    "/gone",
                    OTHER + "/",
                    "/?sid=0123456789abcdef01",
                ],
                head="<link rel=stylesheet href=/s.css>",
                text="<img src='http://c.example:@PORT/p.png'>",
            ),
            "/robots.txt": robots(
                "User-agent: *\nDisallow: /private\nSitemap: http://a.example:@PORT/map.xml\n"
            ),
            "/map.xml": answer(
                "<urlset><url><loc>http://a.example:@PORT/listed</loc></url></urlset>", "text/xml"
            ),
            "/listed": page("Listed"),
            "/1": page("1", ["/1/a", "/2"]),
            "/1/a": page("1.1", ["/1/a/b"]),
            "/1/a/b": page("1.1.1", ["/1/a/b/c"]),
            "/1/a/b/c": page("too deep"),
            # Reached at depth 3 by /1/a/b but at depth 1 from the start page: its links are in.
            "/2": page("2", ["/1/a/b", "/2/a"]),
            "/2/a": page("2.1", ["/2/a/a"]),
            "/2/a/a": page("2.1.1"),
            "/loop": redirect("/loop"),
            "/moved": redirect("/moved/here", "301 Moved"),
            "/moved/here": page("here"),
            "/s.css": answer(
                "@import 'more.css'; a { background: url(http://c.example:@PORT/bg.png) }", "text/css"
            ),
            "/more.css": answer("b{}", "text/css"),
        },
        "b.example": {"/": page("Other host")},
        "c.example": {
            "/p.png": answer(b"\x89PNG", "image/png"),
            "/bg.png": answer(b"\x89PNG2", "image/png"),
            "/robots.txt": answer("none", status="404 Not Found"),
        },
    }


EXPECTED = {
    "a.example/",
    "a.example/map.xml",
    "a.example/listed",
    "a.example/1",
    "a.example/1/a",
    "a.example/1/a/b",
    "a.example/1/a/b/c",
    "a.example/2",
    "a.example/2/a",
    "a.example/2/a/a",
    "a.example/loop",
    "a.example/moved",
    "a.example/moved/here",
    "a.example/gone",
    "a.example/s.css",
    "a.example/more.css",
    "c.example/p.png",
    "c.example/bg.png",
}


@pytest.mark.parametrize("threads", [1, 8])
@pytest.mark.parametrize("order", ["bfs", "dfs", "best"])
def test_every_order_gives_exactly_the_same_addresses(crawl_of: Any, order: str, threads: int) -> None:
    crawl = crawl_of(many_hosts())
    result = crawl.run(
        order=order, threads=threads, depth=3, topic="start" if order == "best" else "", keep_all=True
    )
    asked = Counter(crawl.site.asked())
    assert set(asked) == EXPECTED
    assert max(asked.values()) == 1
    assert (result.reason, result.failed) == ("done", 0)
    assert result.skipped == {"robots": 1, "scope": 1}


def test_depth_is_that_of_the_shortest_way_in_any_order(crawl_of: Any) -> None:
    hosts = {
        "a.example": {
            "/": page("0", ["/a", "/z"]),
            "/a": page("1", ["/b"]),
            "/b": page("2", ["/z"]),
            "/z": page("1", ["/y"]),
            "/y": page("2", ["/x"]),
            "/x": page("3", ["/w"]),
            "/w": page("4"),
        }
    }
    for order in ("bfs", "dfs"):
        crawl = crawl_of(hosts)
        crawl.folder += order
        crawl.run(order=order, threads=1, depth=3)
        assert set(crawl.site.asked("a.example")) == {"/", "/a", "/b", "/z", "/y", "/x"}


def test_order_of_a_single_thread(crawl_of: Any) -> None:
    tree = {"/": page("0", ["/a", "/b"]), "/a": page("a", ["/a/1", "/a/2"]), "/b": page("b", ["/b/1"])}
    tree |= {path: page(path) for path in ("/a/1", "/a/2", "/b/1")}
    orders = {}
    for order in ("bfs", "dfs"):
        crawl = crawl_of({"a.example": tree})
        crawl.folder += order
        crawl.run(order=order, threads=1)
        orders[order] = crawl.site.asked("a.example")
    assert orders == {
        "bfs": ["/", "/a", "/b", "/a/1", "/a/2", "/b/1"],
        "dfs": ["/", "/a", "/a/1", "/a/2", "/b", "/b/1"],
    }


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ("page", {"a.example/dir/"}),
        ("subtree", {"a.example/dir/", "a.example/dir/x"}),
        ("host", {"a.example/dir/", "a.example/dir/x", "a.example/up"}),
        ("domain", {"a.example/dir/", "a.example/dir/x", "a.example/up", "www.a.example/"}),
        ("web", {"a.example/dir/", "a.example/dir/x", "a.example/up", "www.a.example/", "b.example/"}),
    ],
)
def test_scopes(crawl_of: Any, scope: str, expected: set[str]) -> None:
    crawl = crawl_of(
        {
            "a.example": {
                "/dir/": page("0", ["x", "/up", "http://www.a.example:@PORT/", OTHER + "/"]),
                "/dir/x": page("x"),
                "/up": page("up"),
            },
            "www.a.example": {"/": page("www")},
            "b.example": {"/": page("b")},
        }
    )
    crawl.run(crawl.site.url("a.example", "/dir/"), scope=scope)
    assert set(crawl.site.asked()) == expected


def test_include_and_exclude_patterns(crawl_of: Any) -> None:
    crawl = crawl_of({"a.example": {"/": page("0", ["/docs/1", "/docs/old", "/blog"]), "/docs/1": page("1")}})
    crawl.run(include=["/docs/"], exclude=["old$"])
    assert set(crawl.site.asked("a.example")) == {"/", "/docs/1"}
    assert crawl.result.skipped == {"excluded": 2}


def test_seed_that_redirects_to_another_host_brings_that_host_in(crawl_of: Any) -> None:
    crawl = crawl_of(
        {"a.example": {"/": redirect(OTHER + "/")}, "b.example": {"/": page("b", ["/x"]), "/x": page("x")}}
    )
    crawl.run()
    assert crawl.site.asked() == ["a.example/", "b.example/", "b.example/x"]


def test_scope_that_grows_by_a_redirect_takes_what_was_left_out_before(crawl_of: Any) -> None:
    def late(_: Asked) -> bytes:
        time.sleep(0.3)
        return redirect("http://www.b.example:@PORT/")

    crawl = crawl_of(
        {
            "a.example": {"/": page("a", ["http://www.b.example:@PORT/x"])},
            "b.example": {"/": late},
            "www.b.example": {"/": page("b"), "/x": page("x")},
        }
    )
    crawl.run(crawl.site.url("a.example"), crawl.site.url("b.example"))
    assert set(crawl.site.asked("www.b.example")) == {"/", "/x"}


# ------------------------------------------------------------ manners


def test_no_host_sees_requests_closer_than_its_delay(crawl_of: Any) -> None:
    """Measured by the server, from the end of an answer; two names on one address count as one host."""
    links = ["/1", "/2", "/slow", "/3"]
    pages = {f"/{n}": page(str(n)) for n in (1, 2, 3)}

    def slow(_: Asked) -> Iterator[bytes]:
        time.sleep(0.3)
        yield page("slow")

    crawl = crawl_of(
        {
            "a.example": {
                "/": page(
                    "0", [*links, OTHER + "/", "http://twin.example:@PORT/", "http://lazy.example:@PORT/"]
                ),
                **pages,
                "/slow": slow,
            },
            "b.example": {"/": page("b", ["/1", "/2"]), **pages},
            "twin.example": {"/": page("t", ["/1", "/2"]), **pages},
            "lazy.example": {
                "/": page("l", ["/1", "/2"]),
                **pages,
                "/robots.txt": robots("User-agent: *\nCrawl-delay: 0.5\n"),
            },
        },
        addresses={"a.example": "127.0.2.1", "twin.example": "127.0.2.1"},
    )
    crawl.run(scope="web", delay_s=0.2, delay_factor=2.0)
    assert len(crawl.site.asked()) == 14
    pauses = crawl.site.shortest_pauses()
    assert pauses[crawl.site.addresses["a.example"]] >= 0.2
    assert pauses[crawl.site.addresses["b.example"]] >= 0.2
    assert pauses[crawl.site.addresses["lazy.example"]] >= 0.5
    after_slow = [a.came for a in crawl.site.log if a.address == "127.0.2.1"]
    slow_end = next(a.answered for a in crawl.site.log if a.target == "/slow")
    assert all(came >= slow_end + 0.6 for came in after_slow if came > slow_end)


def test_retry_after_is_waited_for(crawl_of: Any) -> None:
    def busy(asked: Asked) -> bytes:
        return answer("busy", status="503 Busy", Retry_After="1") if asked.count == 1 else page("ok")

    crawl = crawl_of({"a.example": {"/": page("0", ["/busy", "/other"]), "/busy": busy, "/other": page("o")}})
    crawl.run(threads=1)
    times = [a.came for a in crawl.site.log if a.target == "/busy"]
    assert len(times) == 2 and times[1] - times[0] >= 1
    assert crawl.payloads()["a.example/busy"].endswith(b"</html>")


def test_robots_that_cannot_be_had_is_waited_for(crawl_of: Any) -> None:
    def flaky(asked: Asked) -> bytes:
        return (
            answer("oops", status="500 Oops") if asked.count < 3 else robots("User-agent: *\nDisallow: /x\n")
        )

    crawl = crawl_of({"a.example": {"/": page("0", ["/x", "/y"]), "/y": page("y"), "/robots.txt": flaky}})
    crawl.run()
    assert crawl.site.asked("a.example", robots=True) == ["/robots.txt"] * 3 + ["/", "/y"]


def test_site_whose_robots_stays_unreachable_is_left_alone(crawl_of: Any) -> None:
    crawl = crawl_of({"a.example": {"/": page("0"), "/robots.txt": answer("oops", status="503 Oops")}})
    result = crawl.run()
    assert crawl.site.asked() == []
    assert result.exit_code == 1
    assert "robots.txt cannot be had" in result.messages[0]


def test_robots_behind_redirects_and_on_another_host(crawl_of: Any) -> None:
    crawl = crawl_of(
        {
            "a.example": {"/": page("0", ["/x", "/y"]), "/y": page("y"), "/robots.txt": redirect("/r")},
            "b.example": {"/robots.txt": redirect("http://a.example:@PORT/robots.txt")},
        }
    )
    crawl.site.hosts["a.example"]["/r"] = redirect(OTHER + "/rules")
    crawl.site.hosts["b.example"]["/rules"] = robots("User-agent: *\nDisallow: /x\n")
    crawl.run()
    assert crawl.site.asked(robots=True) == [
        "a.example/robots.txt",
        "a.example/r",
        "b.example/rules",
        "a.example/",
        "a.example/y",
    ]


def test_robots_is_asked_for_once_however_many_threads_want_it(crawl_of: Any) -> None:
    links = [f"/{n}" for n in range(30)]
    for attempt in range(5):
        crawl = crawl_of(
            {"a.example": {"/*": page("x")}, "b.example": {"/": page("b", links), "/*": page("x")}}
        )
        crawl.folder += str(attempt)
        seeds = [crawl.site.url("a.example", link) for link in links]
        crawl.run(*seeds, crawl.site.url("b.example"))
        assert sorted(a for a in crawl.site.asked(robots=True) if a.endswith("robots.txt")) == [
            "a.example/robots.txt",
            "b.example/robots.txt",
        ]


def test_endless_robots_redirects_mean_no_rules(crawl_of: Any) -> None:
    crawl = crawl_of({"a.example": {"/": page("0"), "/robots.txt": redirect("/robots.txt")}})
    crawl.run()
    assert crawl.site.asked("a.example", robots=True) == ["/robots.txt"] * 6 + ["/"]


def test_seed_refused_by_robots_is_one_clear_line(crawl_of: Any) -> None:
    crawl = crawl_of({"a.example": {"/": page("0"), "/robots.txt": robots("User-agent: *\nDisallow: /\n")}})
    result = crawl.run()
    assert (result.exit_code, result.skipped) == (1, {"robots": 1})
    assert result.messages == (
        f"seed {crawl.site.url('a.example')}: left out: robots.txt of its site does not allow it",
    )


def test_robots_directives_of_pages(crawl_of: Any) -> None:
    hosts = {
        "a.example": {
            "/": page("0", ["/meta", "/header", "/noindex", "/mine"], text="<a rel=nofollow href=/rel>x</a>"),
            "/meta": page("m", ["/m1"], head="<meta name=robots content='nofollow'>"),
            "/header": page("h", ["/h1"], X_Robots_Tag="nofollow"),
            "/noindex": page("n", ["/n1"], X_Robots_Tag="noindex"),
            "/n1": page("n1"),
            "/mine": page("mine", ["/x"], head="<meta name=findingaid content=none>"),
            "/m1": page("m1"),
            "/h1": page("h1"),
            "/rel": page("rel"),
            "/x": page("x"),
        }
    }
    crawl = crawl_of(hosts)
    crawl.run()
    assert set(crawl.site.asked("a.example")) == {"/", "/meta", "/header", "/noindex", "/n1", "/mine"}
    assert set(crawl.payloads()) == {"a.example/", "a.example/meta", "a.example/header", "a.example/n1"}
    crawl = crawl_of(hosts)
    crawl.folder += "free"
    crawl.run(obey_meta_robots=False, obey_nofollow=False)
    assert len(crawl.payloads()) == 10
    assert b"robots-meta: ignore\r\nrobots-nofollow: ignore" in crawl.records()[0].payload


# ------------------------------------------------------------ what is written


def test_responses_are_kept_as_they_came(crawl_of: Any) -> None:
    """Chunked, packed, both; two cookies; a raw byte in a header; no length."""
    text = page("Report", text="filler words " * 300).partition(b"\r\n\r\n")[2]

    def chunks(data: bytes) -> bytes:
        return (
            b"".join(
                b"%x\r\n%s\r\n" % (len(data[i : i + 500]), data[i : i + 500])
                for i in range(0, len(data), 500)
            )
            + b"0\r\n\r\n"
        )

    start = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Note: caf\xe9\r\n"
    zipped = gzip.compress(text)
    raws = {
        "/chunked": start + b"Transfer-Encoding: chunked\r\n\r\n" + chunks(text),
        "/gzip": start + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(zipped) + zipped,
        "/both": start
        + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
        + chunks(gzip.compress(text + b" ")),
        "/no-length": start + b"\r\n" + text + b"  ",
    }
    crawl = crawl_of({"a.example": {"/": page("0", list(raws)), **raws}})
    crawl.run()
    payloads = crawl.payloads()
    assert {k: v.strip() for k, v in payloads.items() if k != "a.example/"} == {
        f"a.example{target}": text.strip() for target in raws
    }
    for record in crawl.records():
        target = crawl.short(record.url).removeprefix("a.example")
        if record.type == "response" and target in raws:
            assert [v for k, v in record.http if k.lower() == "set-cookie"] == ["a=1", "b=2"]
            assert record.fields["WARC-IP-Address"] == crawl.site.addresses["a.example"]


def test_identical_payloads_become_revisits(crawl_of: Any) -> None:
    same = page("same", ["rel"], text="The same words at two addresses.")
    crawl = crawl_of(
        {
            "a.example": {
                "/": page("0", ["/1/x", "/2/x"]),
                "/1/x": same,
                "/2/x": same,
                "/1/rel": page("r1"),
                "/2/rel": page("r2"),
            }
        }
    )
    crawl.run(threads=1)
    assert {"/1/rel", "/2/rel"} <= set(crawl.site.asked("a.example"))
    (revisit,) = [r for r in crawl.records() if r.type == "revisit"]
    original = next(r for r in crawl.records() if r.url.endswith("/1/x") and r.type == "response")
    assert crawl.short(revisit.url) == "a.example/2/x"
    assert revisit.fields["WARC-Refers-To"] == original.fields["WARC-Record-ID"]
    assert revisit.fields["WARC-Refers-To-Target-URI"] == original.url
    assert revisit.fields["WARC-Payload-Digest"] == original.fields["WARC-Payload-Digest"]
    assert revisit.fields["WARC-Profile"].endswith("identical-payload-digest")


def test_near_duplicates_are_kept_marked_and_counted(crawl_of: Any) -> None:
    text = " ".join(f"word{n}" for n in range(400))
    crawl = crawl_of(
        {
            "a.example": {
                "/": page("0", ["/1", "/2", "/3"]),
                "/1": page("1", text=text),
                "/2": page("2", text=text + " and one"),
                "/3": page("3", text="Quite another text " * 10),
            }
        }
    )
    crawl.run(threads=1)
    assert {"a.example/1", "a.example/2", "a.example/3"} < set(crawl.payloads())
    (note,) = [r for r in crawl.records() if r.type == "metadata"]
    assert (
        note.url.endswith("/2")
        and b"near-duplicate-of: " + crawl.site.url("a.example", "/1").encode() in note.payload
    )
    assert crawl_status(crawl.folder)["near_duplicates"] == 1


def test_long_page_is_cut_and_marked(crawl_of: Any) -> None:
    crawl = crawl_of({"a.example": {"/": page("0", ["/1"], text="x" * 5000)}})
    crawl.run(page_size_kb=2)
    (record,) = [r for r in crawl.records() if r.type == "response" and crawl.short(r.url) == "a.example/"]
    assert (len(record.payload), record.fields["WARC-Truncated"]) == (2000, "length")


def test_warcinfo_says_who_and_how(crawl_of: Any) -> None:
    crawl = crawl_of({"a.example": {"/": page("0")}})
    crawl.run(contact="https://library.example/bot", obey_robots=False)
    info = crawl.records()[0].payload.decode()
    assert "http-header-user-agent: findingaid/0.1 (+https://library.example/bot)" in info
    assert "robots: ignore" in info and "allow-private: a.example" in info
    assert crawl.site.asked(robots=True) == ["a.example/"]


# ------------------------------------------------------------ traps and odd servers


def test_redirects_in_circles_without_end_without_target(crawl_of: Any) -> None:
    def chain(asked: Asked) -> bytes:
        return redirect(f"/chain/{int(asked.target.rpartition('/')[2]) + 1}")

    crawl = crawl_of(
        {
            "a.example": {
                "/": page("0", ["/self", "/loop-a", "/utf8", "/latin-1", "/chain/0", "/none", "/bad", "/ok"]),
                "/self": redirect("/self"),
                "/loop-a": redirect("/loop-b"),
                "/loop-b": redirect("/loop-a"),
                "/utf8": redirect("/café".encode()),
                "/latin-1": redirect(b"/caf\xe9-l"),
                "/chain/*": chain,
                "/none": b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n",
                "/bad": redirect("http://[bad/"),
                "/ok": page("ok"),
                "/caf%C3%A9": page("c"),
                "/caf%E9-l": page("l"),
            }
        }
    )
    crawl.run()
    asked = Counter(crawl.site.asked("a.example"))
    assert {"/ok", "/caf%C3%A9", "/caf%E9-l", "/loop-b"} <= set(asked)
    assert max(asked.values()) == 1
    assert "/caf%C3%83%C2%A9" not in asked and "/chain/21" not in asked and "/chain/20" in asked


def test_calendar_without_end_keeps_to_the_page_limit_and_loses_no_page(crawl_of: Any) -> None:
    def calendar(asked: Asked) -> bytes:
        month = int(asked.target.rpartition("=")[2])
        return page(f"Month {month}", [f"/cal?month={month + 1}", f"/cal?month={max(0, month - 1)}", "/"])

    pages = {f"/p{n}": page(f"Page {n}", [f"/cal?month={n}", f"/p{min(8, n + 1)}"]) for n in range(1, 9)}
    crawl = crawl_of({"a.example": {"/": page("0", ["/cal?month=1", "/p1"]), **pages, "/cal*": calendar}})
    result = crawl.run(max_pages=40, depth=100)
    assert result.reason == "page_limit"
    assert len(crawl.site.asked()) == 40
    assert set(pages) <= set(crawl.site.asked("a.example"))


def test_siblings_that_are_near_duplicates_end(crawl_of: Any) -> None:
    def calendar(asked: Asked) -> bytes:
        month = int(asked.target.rpartition("=")[2])
        return page(
            "Month",
            [f"/cal?month={month + 1}", f"/cal?month={month + 2}"],
            text=" ".join(f"day{n}" for n in range(200)),
        )

    crawl = crawl_of({"a.example": {"/": page("0", ["/cal?month=1"]), "/cal*": calendar}})
    result = crawl.run(depth=10_000, max_siblings=10, threads=1)
    assert result.reason == "done" and 10 <= len(crawl.site.asked()) <= 15
    assert result.skipped["trap"] >= 1


def test_traps_are_told_from_their_addresses(crawl_of: Any) -> None:
    def deeper(asked: Asked) -> bytes:
        return page(asked.target, [asked.target.rstrip("/") + "/again/", asked.target + "?" + "x" * 3000])

    crawl = crawl_of({"a.example": {"/*": deeper}})
    crawl.run(depth=10_000)
    assert max(a.count("again") for a in crawl.site.asked()) == 3
    assert max(map(len, crawl.site.asked())) < 100


def test_one_bad_page_does_not_end_the_crawl(crawl_of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import archiver.crawl.links as links_module
    import archiver.crawl.readers as module

    read = links_module.read_page

    def breaks(html: Any, url: str, *rest: Any, **named: Any) -> Any:
        if url.endswith("/bad"):
            raise RuntimeError("unforeseen")
        return read(html, url, *rest, **named)

    monkeypatch.setattr(module, "read_page", breaks)
    crawl = crawl_of(
        {"a.example": {"/": page("0", ["/bad", "/good"]), "/bad": page("b"), "/good": page("g")}}
    )
    result = crawl.run()
    assert (result.failed, "a.example/good" in crawl.payloads()) == (1, True)


def test_servers_that_answer_nonsense_are_counted_and_left(crawl_of: Any) -> None:
    crawl = crawl_of(
        {
            "a.example": {
                "/": page("0", ["/nonsense", "/closes", "/ok", "http://nowhere.example/"]),
                "/nonsense": lambda _: iter([b"nonsense\r\n\r\n"]),
                "/closes": lambda _: iter([b""]),
                "/ok": page("ok"),
            }
        }
    )
    result = crawl.run(scope="web", retries=1)
    assert result.failed == 3
    assert crawl_status(crawl.folder)["failures"] == {"not-http": 1, "disconnect": 1, "dns": 1}


# ------------------------------------------------------------ address guard


def test_private_addresses_are_refused_for_links_redirects_and_seeds(crawl_of: Any) -> None:
    crawl = crawl_of(
        {
            "a.example": {
                "/": page("0", ["http://127.0.0.1:@PORT/x", "/to-b", "http://2130706433:@PORT/"]),
                "/to-b": redirect(OTHER + "/secret"),
            },
            "b.example": {"/*": page("secret")},
        }
    )
    job = crawl.job(scope="web")
    from dataclasses import replace

    from archiver.crawl import run_crawl

    run_crawl(replace(job, allow_private=("a.example",)), resolve=crawl.site.resolve)
    assert set(crawl.site.asked(robots=True)) == {"a.example/robots.txt", "a.example/", "a.example/to-b"}
    assert crawl_status(crawl.folder)["skipped"]["blocked-address"] >= 2


def test_robots_redirect_to_a_private_address_closes_the_site(crawl_of: Any) -> None:
    from dataclasses import replace

    from archiver.crawl import run_crawl

    crawl = crawl_of(
        {
            "a.example": {"/": page("0"), "/robots.txt": redirect(OTHER + "/r")},
            "b.example": {"/*": page("secret")},
        }
    )
    result = run_crawl(replace(crawl.job(), allow_private=("a.example",)), resolve=crawl.site.resolve)
    assert crawl.site.asked(robots=True) == ["a.example/robots.txt"]
    assert result.exit_code == 1


def test_refused_seed_is_one_clear_line(crawl_of: Any) -> None:
    from dataclasses import replace

    from archiver.crawl import run_crawl

    crawl = crawl_of({"a.example": {"/": page("0")}})
    job = replace(crawl.job(), allow_private=(), ports=(crawl.site.port,))
    result = run_crawl(job, resolve=crawl.site.resolve)
    assert result.exit_code == 1 and crawl.site.log == []
    assert "127.0.1.1 is loopback" in result.messages[0] and "--allow-private a.example" in result.messages[0]


# ------------------------------------------------------------ topic


def test_only_pages_on_topic_are_kept_and_their_requisites(crawl_of: Any) -> None:
    hosts = {
        "a.example": {
            "/": page("Start", ["/uni", "/food"], text="<img src=/start.png>"),
            "/uni": page("Università di Tor Vergata", ["/deep"], text="<img src=/uni.png>"),
            "/deep": page("x", text="about the universita of tor vergata in Rome"),
            "/food": page("Food", ["/more"], text="pizza"),
            "/more": page("x", head="<meta name=keywords content='vergata tor universita'>"),
            "/uni.png": answer(b"png", "image/png"),
            "/start.png": answer(b"png2", "image/png"),
        }
    }
    crawl = crawl_of(hosts)
    result = crawl.run(topic="Universita Tor Vergata")
    assert set(crawl.payloads()) == {"a.example/uni", "a.example/deep", "a.example/more", "a.example/uni.png"}
    assert result.skipped == {"off-topic": 2}
    assert crawl_status(crawl.folder)["on_topic_share"] == 0.6


def test_best_order_asks_for_promising_pages_first(crawl_of: Any) -> None:
    pages: dict[str, Any] = {
        f"/dull{n}": page("Dull", [f"/dull{n + 100}"], text="nothing of interest " * 10) for n in range(10)
    }
    pages |= {
        f"/falcons/{n}": page("Falcons", [f"/falcons/{n + 1}"], text="peregrine falcons nest on towers " * 5)
        for n in range(10)
    }
    crawl = crawl_of(
        {"a.example": {"/": page("Start", [*[f"/dull{n}" for n in range(10)], "/falcons/0"]), **pages}}
    )
    crawl.run(topic="peregrine falcons", order="best", threads=1, depth=20, max_pages=14)
    asked = crawl.site.asked("a.example")
    assert sum(a.startswith("/falcons") for a in asked[:14]) >= 8


# ------------------------------------------------------------ limits, commands, going on


def test_nothing_to_start_from(crawl_of: Any) -> None:
    crawl = crawl_of({"a.example": {}})
    with pytest.raises(NoSeedError, match="seed ftp://x.example/"):
        crawl.run("ftp://x.example/")


def test_unreachable_seed_is_one_clear_line(crawl_of: Any) -> None:
    crawl = crawl_of({"a.example": {}})
    result = crawl.run("http://nowhere.example/")
    assert result.exit_code == 1
    assert result.messages == (
        "seed http://nowhere.example/: could not be fetched: the host name has no address",
    )


def test_crawl_at_its_page_limit_goes_on_with_a_higher_one(crawl_of: Any) -> None:
    crawl = crawl_of({"a.example": {"/": page("0", [f"/{n}" for n in range(20)]), "/*": page("x")}})
    assert crawl.run(max_pages=5).reason == "page_limit"
    assert len(crawl.site.asked()) == 5
    assert crawl.run(max_pages=0).reason == "done"
    assert max(Counter(crawl.site.asked(robots=True)).values()) == 1
    assert len(crawl.site.asked()) == 21


def test_deeper_crawl_of_the_same_job_takes_what_was_too_deep(crawl_of: Any) -> None:
    crawl = crawl_of(
        {
            "a.example": {
                "/": page("0", ["/1"]),
                "/1": page("1", ["/2"]),
                "/2": page("2", ["/3"]),
                "/3": page("3"),
            }
        }
    )
    crawl.run(depth=1)
    assert crawl.result.skipped == {"depth": 1}
    crawl.run(depth=3)
    assert crawl.site.asked("a.example") == ["/", "/1", "/2", "/3"]


def wait_for(crawl: Crawl, condition: Any) -> dict[str, Any]:
    for _ in range(200):
        time.sleep(0.05)
        try:
            status = crawl_status(crawl.folder)
        except Exception:
            continue
        if condition(status):
            return status
    raise AssertionError(f"never came: {status}")


def test_pause_set_add_resume_and_stop_from_outside(crawl_of: Any) -> None:
    def slow(asked: Asked) -> bytes:
        time.sleep(0.03)
        return page(asked.target, [f"/{asked.target.strip('/')}{n}" for n in range(3)])

    crawl = crawl_of({"a.example": {"/*": slow}, "b.example": {"/": page("added")}})
    thread = threading.Thread(target=crawl.run, kwargs={"depth": 1000, "max_path_segments": 1000})
    thread.start()
    wait_for(crawl, lambda s: s["state"] == "running" and s.get("fetched", 0) > 3)
    send_command(crawl.folder, "pause")
    wait_for(crawl, lambda s: s["state"] == "paused")
    asked = len(crawl.site.log)
    time.sleep(0.3)
    assert len(crawl.site.log) == asked
    send_command(crawl.folder, "add", {"seeds": [crawl.site.url("b.example")]})
    send_command(crawl.folder, "set", {"exclude": ["a\\.example"], "threads": 2, "delay_s": 0.0})
    send_command(crawl.folder, "resume")
    thread.join(15)
    assert not thread.is_alive()
    assert crawl.site.asked()[asked - 1 :] == ["b.example/"]
    assert crawl_status(crawl.folder)["state"] == "finished"


def test_stop_ends_in_order_and_the_same_job_goes_on(crawl_of: Any) -> None:
    is_stopped = threading.Event()

    def slow(asked: Asked) -> bytes:
        is_stopped.wait(0.5)  # the crawl is at it when it is told to stop, however busy the machine is
        return page(asked.target, [f"/{n}" for n in range(60)])

    crawl = crawl_of({"a.example": {"/*": slow}})
    thread = threading.Thread(target=crawl.run, kwargs={"threads": 2, "max_siblings": 1000})
    thread.start()
    wait_for(crawl, lambda s: s.get("fetched", 0) > 3)
    send_command(crawl.folder, "stop")
    thread.join(10)
    is_stopped.set()
    assert crawl.result.reason == "user" and len(crawl.site.asked()) < 61
    crawl.run(max_siblings=1000)
    asked = Counter(crawl.site.asked())
    assert len(asked) == 61 and max(asked.values()) == 1


def test_graph_is_kept(crawl_of: Any) -> None:
    crawl = crawl_of({"a.example": {"/": page("Start", ["/1"]), "/1": page("One", ["/"])}})
    crawl.run()
    connection = sqlite3.connect(f"{crawl.folder}/crawl.sqlite")
    assert connection.execute("SELECT source, target, kind FROM edges").fetchall() == [(1, 3, 0), (3, 1, 0)]


# ------------------------------------------------------------ freshness


def test_again_asks_conditionally_and_keeps_what_changed(crawl_of: Any) -> None:
    def tagged(asked: Asked) -> bytes:
        if asked.field("If-None-Match") == '"v1"':
            return b'HTTP/1.1 304 Not Modified\r\nETag: "v1"\r\n\r\n'
        return page("Tagged", ETag='"v1"')

    def gone(asked: Asked) -> bytes:
        return page("still here") if asked.count == 1 else answer("gone", status="404 Not Found")

    crawl = crawl_of(
        {
            "a.example": {
                "/": lambda a: page(
                    f"Visit {a.count}", ["/tagged", "/same", "/gone", *(["/new"] if a.count > 1 else [])]
                ),
                "/tagged": tagged,
                "/same": page("Same"),
                "/gone": gone,
                "/new": page("New"),
            }
        }
    )
    crawl.run()
    first = len(crawl.records())
    result = crawl.run(again=True)
    later = [
        (r.type, crawl.short(r.url).removeprefix("a.example"), r.status)
        for r in crawl.records()[first + 1 :]
        if r.type != "request"
    ]
    assert sorted(later) == [
        ("response", "/", "200"),
        ("response", "/gone", "404"),
        ("response", "/new", "200"),
        ("revisit", "/same", "200"),
        ("revisit", "/tagged", "304"),
    ]
    profile = next(
        r.fields["WARC-Profile"]
        for r in crawl.records()[first:]
        if r.url.endswith("/tagged") and r.type == "revisit"
    )
    assert profile.endswith("server-not-modified")
    assert result.reason == "done"


def test_pages_that_changed_come_first_next_time(crawl_of: Any) -> None:
    crawl = crawl_of(
        {
            "a.example": {
                "/": page("0", ["/still", "/moving"]),
                "/still": page("still"),
                "/moving": lambda a: page(f"moving {a.count}"),
            }
        }
    )
    crawl.run(threads=1)
    crawl.run(again=True, threads=1)
    crawl.site.log.clear()
    crawl.run(again=True, threads=1)
    assert crawl.site.asked("a.example") == ["/", "/moving", "/still"]


# ------------------------------------------------------------ spellings


def test_addresses_are_asked_for_as_written_and_once_for_all_their_spellings(crawl_of: Any) -> None:
    links = [
        "/%61?b=%3d",
        "/a?b=%3D",
        "/bare?",
        "/bare",
        "/x%2fy",
        "/x%2Fy",
        "/p|q",
        "/p%7Cq",
        "/d//e",
    ]
    crawl = crawl_of({"a.example": {"/": page("0", links), "/*": lambda asked: page(asked.target)}})
    crawl.run(threads=1)
    written = ["/%61?b=%3d", "/bare?", "/x%2fy", "/p|q", "/d//e"]
    assert crawl.site.asked("a.example") == ["/", *written]
    targets = {crawl.short(r.url).removeprefix("a.example") for r in crawl.records() if r.type == "response"}
    assert targets == {"/robots.txt", "/", *written}


def test_redirects_to_another_spelling_of_the_same_address_are_followed(crawl_of: Any) -> None:
    def session(asked: Asked) -> bytes:
        return redirect(f"/s;jsessionid={asked.count}")

    crawl = crawl_of(
        {
            "a.example": {
                "/": page("0", ["/%61", "/bare", "/s", "/round"]),
                "/%61": redirect("/a"),
                "/a": page("a"),
                "/bare": redirect("/bare?"),
                "/bare?": page("bare"),
                "/s": session,
                "/s;*": page("with a session"),
                "/round": redirect("/r%6fund"),
                "/r%6fund": redirect("/%72ound"),
                "/%72ound": redirect("/round"),
            }
        }
    )
    crawl.run()
    asked = Counter(crawl.site.asked("a.example"))
    assert {"/a", "/bare?", "/s;jsessionid=1", "/r%6fund", "/%72ound"} <= set(asked)
    assert max(asked.values()) == 1


def test_robots_and_scope_hold_for_every_spelling(crawl_of: Any) -> None:
    links = ["/dir/%70rivate", "/dir/priv%61te/x", "/%64ir/in", "/dir/%2e%2e/out", "/dir/cal%65ndar/1"]
    crawl = crawl_of(
        {
            "a.example": {
                "/dir/": page("0", links),
                "/*": page("x"),
                "/robots.txt": robots("User-agent: *\nDisallow: /dir/private\n"),
            }
        }
    )
    crawl.run(crawl.site.url("a.example", "/dir/"), scope="subtree", exclude=["/calendar/"])
    assert crawl.site.asked("a.example") == ["/dir/", "/%64ir/in"]
    assert crawl.result.skipped == {"robots": 2, "scope": 1, "excluded": 1}


def test_redirect_to_a_name_that_ends_in_an_accent(crawl_of: Any) -> None:
    """The last byte of "à" in UTF-8 is a blank to many a function."""
    crawl = crawl_of({"a.example": {"/": redirect("/città".encode()), "/citt%C3%A0": page("x")}})
    crawl.run()
    assert crawl.site.asked("a.example") == ["/", "/citt%C3%A0"]


# ------------------------------------------------------------ what was not had whole


def test_pages_and_files_of_some_megabytes_are_kept_whole(crawl_of: Any) -> None:
    text = "word " * 300_000
    routes = {
        "/": page("0", ["/long", "/report.pdf", "/file"], text="<img src=/picture.png>"),
        "/long": page("long", ["/behind"], text=text),
        "/report.pdf": answer(b"%PDF" + bytes(2_000_000), "application/pdf"),
        "/file": answer(b"PK" + bytes(2_000_000), "application/octet-stream"),
        "/picture.png": answer(b"\x89PNG" + bytes(2_000_000), "image/png"),
        "/behind": page("behind"),
    }
    crawl = crawl_of({"a.example": routes})
    assert crawl.run().cut == {}
    payloads = crawl.payloads()
    assert {f"a.example{target}": raw.partition(b"\r\n\r\n")[2] for target, raw in routes.items()} == payloads
    assert not any("WARC-Truncated" in record.fields for record in crawl.records())


def test_what_was_cut_is_counted_by_reason_everywhere(crawl_of: Any) -> None:
    start = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    big = "<a href=/there>x</a>" + "x" * 5000
    crawl = crawl_of(
        {
            "a.example": {
                "/": page("0", ["/page", "/pdf", "/packed", "/lost", "/chunks", "/exact"]),
                "/page": answer(big),
                "/pdf": answer(big, "application/pdf"),
                "/packed": answer(gzip.compress(random.Random(1).randbytes(9000)), Content_Encoding="gzip"),
                "/exact": answer("y" * 2000),
                "/lost": lambda _: iter([start + b"Content-Length: 100\r\n\r\n<a href=/here>x</a>"]),
                "/chunks": start + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nfive\r\n",
                "/there": page("there"),
                "/here": page("here"),
            }
        }
    )
    result = crawl.run(page_size_kb=2)
    expected = {"length": 3, "disconnect": 1, "unspecified": 1}
    assert result.cut == result.as_json()["cut"] == crawl_status(crawl.folder)["cut"] == expected
    marks = {
        crawl.short(r.url): r.fields["WARC-Truncated"]
        for r in crawl.records()
        if "WARC-Truncated" in r.fields
    }
    assert marks == {
        "a.example/page": "length",
        "a.example/pdf": "length",
        "a.example/packed": "length",
        "a.example/lost": "disconnect",
        "a.example/chunks": "unspecified",
    }
    # Links come from what is there.
    assert {"/there", "/here"} <= set(crawl.site.asked("a.example"))
    assert crawl.run(page_size_kb=2).cut == expected  # over all runs, as the other numbers


@pytest.mark.parametrize(("excess", "cut"), [(-1, {}), (0, {}), (1, {"links": 1})])
def test_more_links_than_are_taken_are_counted(
    crawl_of: Any, monkeypatch: pytest.MonkeyPatch, excess: int, cut: dict[str, int]
) -> None:
    import archiver.crawl.links as links_module

    monkeypatch.setattr(links_module, "MOST_LINKS", 5)
    links = [f"/{n}" for n in range(5 + excess)]
    crawl = crawl_of({"a.example": {"/": page("0", [*links, "/0"]), "/*": page("x")}})
    assert crawl.run().cut == cut
    assert set(crawl.site.asked("a.example")) == {"/", *links[:5]}


@pytest.mark.parametrize(("excess", "cut"), [(-1, {}), (0, {}), (1, {"links": 1})])
def test_pages_that_are_not_read_to_their_end_are_counted(
    crawl_of: Any, monkeypatch: pytest.MonkeyPatch, excess: int, cut: dict[str, int]
) -> None:
    import archiver.crawl.readers as readers_module

    body = b"<title>x</title><a href=/1>1</a>" + b" " * 100
    monkeypatch.setattr(readers_module, "_READ_BYTES", len(body) - excess)
    crawl = crawl_of(
        {"a.example": {"/": answer(gzip.compress(body), Content_Encoding="gzip"), "/1": answer("short")}}
    )
    assert crawl.run().cut == cut
    assert crawl.site.asked("a.example") == ["/", "/1"]


@pytest.mark.parametrize(("excess", "cut"), [(0, {}), (1, {"sitemap": 1})])
def test_sitemaps_of_which_not_all_is_taken_are_counted(
    crawl_of: Any, monkeypatch: pytest.MonkeyPatch, excess: int, cut: dict[str, int]
) -> None:
    import archiver.crawl.visitor as visitor_module

    monkeypatch.setattr(visitor_module, "_MOST_SITEMAP_URLS", 3)
    urls = "".join(f"<url><loc>http://a.example:@PORT/{n}</loc></url>" for n in range(3 + excess))
    crawl = crawl_of(
        {
            "a.example": {
                "/robots.txt": robots("Sitemap: http://a.example:@PORT/map.xml\n"),
                "/map.xml": answer(f"<urlset>{urls}</urlset>", "text/xml"),
                "/*": page("x"),
            }
        }
    )
    assert crawl.run().cut == cut
    assert set(crawl.site.asked("a.example")) == {"/", "/map.xml", "/0", "/1", "/2"}


def test_redirect_that_must_not_be_indexed_is_followed(crawl_of: Any) -> None:
    moved = b"HTTP/1.1 301 Moved\r\nLocation: /new\r\nX-Robots-Tag: noindex\r\nContent-Length: 0\r\n\r\n"
    crawl = crawl_of({"a.example": {"/": moved, "/new": page("new")}})
    crawl.run()
    assert crawl.site.asked("a.example") == ["/", "/new"]


def test_threads_that_fetch_share_a_processor_and_others_are_left_alone(
    crawl_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = crawl_of({f"{name}.example": {"/": page(name)} for name in "abcd"})
    before = os.sched_getaffinity(0)
    seen: list[frozenset[int]] = []
    resolve = crawl.site.resolve

    def noting(host: str) -> list[str]:
        seen.append(frozenset(os.sched_getaffinity(0)))
        return resolve(host)

    monkeypatch.setattr(crawl.site, "resolve", noting)
    crawl.run(*(crawl.site.url(host) for host in crawl.site.hosts), threads=4)
    assert len(seen) >= 4
    assert len(set(seen)) == 1 and len(seen[0]) == 1
    assert os.sched_getaffinity(0) == before
