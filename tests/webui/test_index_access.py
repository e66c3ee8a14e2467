"""The open index: one for all requests, exchanged without cutting a request off."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from indexer import IndexMissingError
from tests.webui.fake_index import FakeOpener
from webui.index_access import IndexAccess
from webui.settings import Settings


def renamed(settings: Settings, name: str) -> Settings:
    return replace(settings, archive=replace(settings.archive, index_name=name))


def test_one_index_serves_all(settings: Settings, archive: Path) -> None:
    opener = FakeOpener({"MyIndex": [archive]})
    access = IndexAccess(settings, opener)
    with access.lease() as first, access.lease() as second:
        assert first is second
    assert len(opener.opened) == 1 and not opener.opened[0].closed


def test_an_exchanged_index_is_closed_after_its_last_reader(settings: Settings, archive: Path) -> None:
    opener = FakeOpener({"MyIndex": [archive], "Second": [archive]})
    access = IndexAccess(settings, opener)
    with access.lease():
        access.configure(renamed(settings, "Second"))
        with access.lease() as new:
            assert new is opener.opened[1]
        assert not opener.opened[0].closed
    assert opener.opened[0].closed and not opener.opened[1].closed


def test_a_missing_index_is_looked_for_each_time(settings: Settings, archive: Path) -> None:
    opener = FakeOpener({})
    access = IndexAccess(settings, opener)
    with pytest.raises(IndexMissingError), access.lease():
        pass
    opener.indexes["MyIndex"] = [archive]
    with access.lease() as index:
        assert index.statistics().documents == 2


def test_reopening_gives_a_fresh_index(settings: Settings, archive: Path) -> None:
    opener = FakeOpener({"MyIndex": [archive]})
    access = IndexAccess(settings, opener)
    with access.lease():
        access.reopen()
    with access.lease() as index:
        assert index is opener.opened[1]
    assert opener.opened[0].closed


def test_all_jobs_are_served_as_one_and_a_new_one_is_taken_in(tmp_path: Path, sample_warc: Path) -> None:
    from indexer import IndexOptions, build_index
    from webui import create_app
    from webui.settings import load_settings

    def make(job: str) -> None:
        folder = tmp_path / "jobs" / job / "Arcs"
        folder.mkdir(parents=True)
        archive = str(shutil.copy(sample_warc, folder / f"{job}.warc.gz"))
        build_index(
            [archive], str(tmp_path / "jobs" / job / "Index/MyIndex"), options=IndexOptions(workers=1)
        )

    def answer() -> dict[str, Any]:
        found: dict[str, Any] = client.get("/search?q=the+OR+a&format=json").get_json()
        return found

    make("01")
    settings = load_settings(None, {}, {"archive.jobs_path": str(tmp_path / "jobs"), "archive.job_id": "*"})
    client = create_app(settings).test_client()
    before = answer()
    make("02")
    after = answer()
    assert before["total"] == after["total"] > 0
    assert after["hits"][0]["captures"] == 2 * before["hits"][0]["captures"]
    assert all("jobs" not in hit["file"] for hit in after["hits"])
    for path in ("/", "/search?q=the+OR+a", "/web/*/" + after["hits"][0]["url"]):
        assert client.get(path, follow_redirects=True).status_code == 200, path
