"""The open index: one for all requests, exchanged without cutting a request off."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

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
