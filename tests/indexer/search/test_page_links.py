"""The links of one page: who points here, with what words; where it points, and what of that is archived."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import run_in_one_process

from indexer import IndexOptions, PageLink, build_index, open_index, remove_from_index
from tests.indexer.making import record, response, write_warc

HOME, BLOG = "http://www.birds.example/", "http://blog.example/post"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    run_in_one_process(monkeypatch)
    pages = [
        response(HOME, '<title>Birds</title><a href="herons">All  herons</a> <a href="/map.png"><img alt=""></a>'
                       f'<a href="{BLOG}">blog</a> <a href="mailto:a@birds.example">mail</a> <a href="#x">here</a>'
                       '<a href="http://never.example/">away</a>'),
        response(HOME, '<title>Birds, later</title><a href="herons">Our herons</a>', date="2022-01-01T00:00:00Z"),
        response(f"{HOME}herons", '<title>Herons</title><a href="/">Home</a>'),
        response(BLOG, '<base href="http://www.birds.example/x/"><a href="../herons">tall birds</a><title>A post'),
        record("resource", f"{HOME}map.png", b"x", "Content-Type: image/png"),
    ]  # fmt: skip
    build_index(
        [write_warc(tmp_path / "birds.warc.gz", pages)],
        str(tmp_path / "ix"),
        options=IndexOptions(workers=1),
    )
    return str(tmp_path / "ix")


def test_who_links_here_other_sites_first_and_each_page_once(folder: str) -> None:
    with open_index(folder) as index:
        links = index.links("https://WWW.birds.example/herons")
        assert links.incoming == (
            PageLink(BLOG, "A post", "20200101000000", ("tall birds",)),
            PageLink(HOME, "Birds, later", "20220101000000", ("All herons", "Our herons")),
        )
        assert links.total_in == 2
        assert [link.url for link in index.links("HTTP://www.birds.example/herons", limit=1).incoming] == [
            BLOG
        ]
        assert index.links(f"{HOME}herons", limit=1).total_in == 2


def test_where_a_capture_points_and_what_of_it_is_archived(folder: str) -> None:
    with open_index(folder) as index:
        links = index.links(HOME, "2020")
        assert links.outgoing == (
            PageLink(f"{HOME}herons", "Herons", "20200101000000", ("All herons",)),
            PageLink(f"{HOME}map.png", None, "20200101000000", ("",)),
            PageLink(BLOG, "A post", "20200101000000", ("blog",)),
            PageLink("http://never.example/", None, "", ("away",), is_archived=False),
        )
        assert links.total_out == 4 and links.is_read
        assert [link.texts for link in index.links(HOME).outgoing] == [("Our herons",)]
        assert index.links(HOME, "2020", limit=1).total_out == 4


def test_what_is_not_archived_can_still_be_linked_to(folder: str) -> None:
    with open_index(folder) as index:
        links = index.links("http://never.example/")
        assert [link.url for link in links.incoming] == [HOME] and not links.is_read and links.outgoing == ()
        assert not index.links(f"{HOME}map.png").is_read
        assert index.links("no address at all").total_in == 0


def test_links_of_pages_that_are_gone_are_gone(folder: str, tmp_path: Path) -> None:
    with open_index(folder) as index:
        remove_from_index(folder, "url", BLOG)
        assert [link.url for link in index.links(f"{HOME}herons").incoming] == [HOME]
        Path(tmp_path / "birds.warc.gz").unlink()
        assert not index.links(HOME).is_read and index.links(HOME).total_in == 1


def test_several_indexes_link_to_each_other(folder: str, tmp_path: Path) -> None:
    other = write_warc(
        tmp_path / "more.warc.gz", [response("http://c.example/", f'<a href="{HOME}">birds</a>')]
    )
    build_index([other], str(tmp_path / "more"), options=IndexOptions(workers=1))
    with open_index([folder, str(tmp_path / "more")]) as index:
        assert [link.url for link in index.links(HOME).incoming] == ["http://c.example/", f"{HOME}herons"]
