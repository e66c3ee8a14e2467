"""Pages of real archives: untouched bytes come out as they were stored, and marking changes no word."""

from __future__ import annotations

from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from archiver.warc import ArchiveError, parse_response
from indexer import IndexOptions, build_index, open_index
from indexer.search.marking import Marker
from indexer.search.query import parse_query
from indexer.text.charset import decode_html
from webui import create_app
from webui.addresses import replay_address
from webui.rewrite import rewrite_page
from webui.rewrite_context import RewriteContext
from webui.settings import load_settings

FILES = ("netarchivesuite__solrwayback", "webrecorder__pywb", "ukwa__webarchive-test-suite", "iipc__jwarc")


@pytest.fixture(scope="module")
def index_folder(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An index of some of the real archives."""
    folder = str(tmp_path_factory.mktemp("real") / "index")
    files = [
        str(file) for name in FILES for file in sorted((shared / "archives" / name).glob("**/*.warc*"))[:12]
    ]
    build_index(files, folder, options=IndexOptions(workers=1))
    return folder


def test_untouched_payloads_are_those_of_the_archive(index_folder: str) -> None:
    client = create_app(load_settings(None, {}, {"index": index_folder})).test_client()
    seen = 0
    with open_index(index_folder) as index:
        addresses = {hit.url for hit in index.search("the OR a OR site OR page OR web", limit=60).hits}
        for url in sorted(addresses):
            for capture in index.captures(url)[:3]:
                if capture.type == "revisit" or not capture.timestamp:
                    continue
                try:
                    with index.record(capture) as record:
                        stored = parse_response(record)
                except ArchiveError:
                    continue
                address = replay_address(capture.url, capture.timestamp, "id_", digest=capture.digest)
                answer = client.get(address)
                assert stored is not None and answer.data == stored.body, address
                seen += 1
    assert seen > 20


def test_marks_change_no_word_of_a_page(index_folder: str) -> None:
    marker = Marker(parse_query("the OR page OR archive* OR web~1"))
    marked = 0
    with open_index(index_folder) as index:
        for hit in index.search("the OR archive OR page", limit=30).hits:
            capture = index.closest(hit.url, hit.timestamp, hit.digest)
            assert capture is not None
            with index.record(capture) as record:
                stored = parse_response(record)
            assert stored is not None
            html = decode_html(stored.body, stored.headers.get("Content-Type"))[0]
            plain = RewriteContext(capture.url, capture.timestamp)
            with_marks = RewriteContext(capture.url, capture.timestamp)
            texts = [
                "".join(text_of(rewrite_page(html, context, marker=one)).split())
                for context, one in ((plain, None), (with_marks, marker))
            ]
            assert texts[0] == texts[1], hit.url
            assert plain.parts == with_marks.parts
            marked += with_marks.hits
    assert marked > 50


def text_of(html: str) -> str:
    body = LexborHTMLParser(html).body
    return body.text() if body else ""
