"""Seeds found automatically: every kind of source, and what happens when one fails."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from archiver.crawl import CrawlJob, SeedSource
from archiver.crawl.addresses import spell
from archiver.crawl.fetcher import Fetcher
from archiver.crawl.guard import AddressGuard
from archiver.crawl.seeds import seeds_from
from tests.archiver.crawl.site import Answer, Site, answer

SITEMAP = "<urlset><url><loc>http://a.example/1</loc></url><url><loc>http://a.example/2</loc></url></urlset>"
CDX_JSON = json.dumps([["original"], ["http://a.example/1"], ["http://a.example/2"]])
ROUTES: dict[str, Answer] = {
    "/robots.txt": answer("Sitemap: http://a.example:@PORT/index.xml\n", "text/plain"),
    "/index.xml": answer(
        "<sitemapindex><sitemap><loc>http://a.example:@PORT/map.xml.gz</loc></sitemap></sitemapindex>",
        "text/xml",
    ),
    "/map.xml.gz": answer(gzip.compress(SITEMAP.encode()), "application/gzip"),
    "/search?q=tor%20vergata&format=json": answer(
        json.dumps({"results": [{"url": "http://a.example/1"}, {"url": "http://a.example/2"}]})
    ),
    "/cdx?url=a.example/*&fl=original&collapse=urlkey&filter=statuscode:200&limit=100": answer(
        "http://a.example/1\nhttp://a.example/2\n"
    ),
    "/cdxj?url=a.example/*&fl=original&collapse=urlkey&filter=statuscode:200&limit=100": answer(CDX_JSON),
}


def seeds(
    *sources: SeedSource, providers: Any = None, topic: str = "tor vergata"
) -> tuple[list[str], list[str]]:
    with Site({"a.example": ROUTES}) as site:
        fetcher = Fetcher(AddressGuard(allow_private=["a.example"], resolve=site.resolve), user_agent="x")
        placed = tuple(
            SeedSource(s.kind, s.where.replace("@PORT", str(site.port)), s.query, s.limit) for s in sources
        )
        return seeds_from(CrawlJob(topic=topic, sources=placed), fetcher, providers or {}, spell)


@pytest.mark.parametrize(
    "source",
    [
        SeedSource("sitemap", "a.example:@PORT"),
        SeedSource("sitemap", "http://a.example:@PORT/map.xml.gz"),
        SeedSource("search", "http://a.example:@PORT/search"),
        SeedSource("cdx", "http://a.example:@PORT/cdx", "a.example/*"),
        SeedSource("cdx", "http://a.example:@PORT/cdxj", "a.example/*"),
    ],
)
def test_sources_on_the_web(source: SeedSource) -> None:
    assert seeds(source) == (["http://a.example/1", "http://a.example/2"], [])


def test_file_with_comments_and_bare_hosts(tmp_path: Path) -> None:
    path = tmp_path / "seeds.txt"
    path.write_text("\ufeff# a comment\nhttp://a.example/1\n\na.example/2\nmailto://x\n", encoding="utf-8")
    assert seeds(SeedSource("file", str(path)))[0] == ["http://a.example/1", "http://a.example/2"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("http://a.example/1\n"))
    assert seeds(SeedSource("file", "-"))[0] == ["http://a.example/1"]


def test_own_index_is_asked_for_the_topic() -> None:
    asked: list[str] = []

    def own_index(source: SeedSource) -> list[str]:
        asked.append(source.query)
        return ["http://b.example"]

    found, problems = seeds(SeedSource("index", "Index/"), providers={"index": own_index})
    assert (found, problems, asked) == (["http://b.example/"], [], ["tor vergata"])


def test_failing_source_says_why_and_the_others_go_on() -> None:
    found, problems = seeds(
        SeedSource("search", "http://a.example:@PORT/missing"),
        SeedSource("cdx", "http://127.0.0.1:@PORT/"),
        SeedSource("file", "/none"),
        SeedSource("index", "x"),
        SeedSource("sitemap", "a.example:@PORT"),
    )
    assert found == ["http://a.example/1", "http://a.example/2"]
    assert len(problems) == 4
    assert (
        "status 404, expected 200" in problems[0]
        and "loopback" in problems[1]
        and "No such file" in problems[2]
    )


def test_no_more_than_asked_for() -> None:
    assert seeds(SeedSource("sitemap", "a.example:@PORT", limit=1))[0] == ["http://a.example/1"]
