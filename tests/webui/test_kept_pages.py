"""Results pages that are kept: which request gets one, and what makes a new one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from indexer import Index, build_index, open_index
from tests.webui.archive_text import page, response, write_archive
from webui import create_app
from webui.application import SiteState
from webui.settings import Settings

ADDRESS = "/search?q=wombat"


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that the index was really asked."""
    asked: list[str] = []
    search = Index.search

    def counted(self: Index, query: str, **more: Any) -> Any:
        asked.append(query)
        return search(self, query, **more)

    monkeypatch.setattr(Index, "search", counted)
    return asked


@pytest.fixture
def index_dir(tmp_path: Path) -> str:
    archive = write_archive(
        tmp_path / "one.warc.gz", response("http://a.example/", page("First", "<p>A wombat at dawn."))
    )
    build_index([str(archive)], str(tmp_path / "index"))
    return str(tmp_path / "index")


@pytest.fixture
def client(settings: Settings, index_dir: str, searches: list[str]) -> FlaskClient:
    app = create_app(settings, lambda paths, ranking: open_index([index_dir], ranking=ranking))
    return app.test_client()


def test_a_page_asked_for_again_is_not_made_again(client: FlaskClient, searches: list[str]) -> None:
    first, second = client.get(ADDRESS), client.get(ADDRESS)
    assert searches == ["wombat"]
    assert (second.data, second.headers) == (first.data, first.headers)


def test_a_browser_that_has_it_is_told_so(client: FlaskClient) -> None:
    etag = client.get(ADDRESS).headers["ETag"]
    again = client.get(ADDRESS, headers={"If-None-Match": etag})
    assert (again.status_code, again.data) == (304, b"")
    assert {"Accept", "Cookie", "Accept-Language"} <= set(again.vary)
    assert again.headers["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize(
    "other",
    [
        {"path": ADDRESS + "&size=20"},
        {"headers": {"Accept-Language": "ja"}},
        {"base_url": "http://localhost/below/"},
    ],
)
def test_what_makes_another_page(client: FlaskClient, searches: list[str], other: dict[str, Any]) -> None:
    first = client.get(ADDRESS)
    second = client.get(**({"path": ADDRESS} | other))
    assert second.status_code == 200 and second.data != first.data
    assert len(searches) == 2


def test_what_a_reader_likes_makes_another_page(client: FlaskClient) -> None:
    client.get(ADDRESS)
    client.set_cookie("findingaid", "theme=dark")
    assert 'data-theme="dark"' in client.get(ADDRESS).text


def test_an_answer_that_time_cut_short_is_tried_again(
    client: FlaskClient, searches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Index.search
    monkeypatch.setattr(
        Index, "search", lambda *given, **more: replace(whole(*given, **more), timed_out=True)
    )
    assert "ETag" not in client.get(ADDRESS).headers
    monkeypatch.setattr(Index, "search", whole)
    assert "ETag" in client.get(ADDRESS).headers


def test_programs_get_no_page(client: FlaskClient) -> None:
    client.get(ADDRESS)
    assert client.get(ADDRESS, headers={"Accept": "application/json"}).get_json()["total"] == 1


def test_a_commit_makes_another_page(client: FlaskClient, index_dir: str, tmp_path: Path) -> None:
    first = client.get(ADDRESS)
    more = write_archive(
        tmp_path / "two.warc.gz", response("http://b.example/", page("Second", "<p>A wombat at noon."))
    )
    build_index([str(more)], index_dir)
    second = client.get(ADDRESS, headers={"If-None-Match": first.headers["ETag"]})
    assert "1 page found" in first.text and "2 pages found" in second.text


def test_other_settings_make_another_page(client: FlaskClient, searches: list[str]) -> None:
    client.get(ADDRESS)
    state: SiteState = client.application.extensions["findingaid"]
    Path(state.settings.path).write_text('[search]\nmodel = "cosine"\n')
    state.take_over()
    client.get(ADDRESS)
    assert len(searches) == 2


def test_a_page_whose_archive_could_not_be_read_is_tried_again(
    client: FlaskClient, searches: list[str], tmp_path: Path
) -> None:
    (tmp_path / "one.warc.gz").rename(tmp_path / "away")
    without = client.get(ADDRESS)
    (tmp_path / "away").rename(tmp_path / "one.warc.gz")
    assert "at dawn" not in without.text and "at dawn" in client.get(ADDRESS).text
