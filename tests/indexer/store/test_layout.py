from __future__ import annotations

import os
from pathlib import Path

import pytest

from indexer import IndexCorruptError, IndexError_, IndexMissingError
from indexer.store.layout import live_folder, make_live, next_folder, remove_leftovers


def make_generation(index: Path, name: str) -> str:
    (index / name).mkdir()
    (index / name / "catalogue.sqlite").write_text(name)
    return str(index / name)


def test_the_first_generation_is_g1(tmp_path: Path) -> None:
    assert next_folder(str(tmp_path)) == str(tmp_path / "g1")


def test_making_one_live_removes_the_others(tmp_path: Path) -> None:
    make_live(str(tmp_path), make_generation(tmp_path, "g1"))
    assert next_folder(str(tmp_path)) == str(tmp_path / "g2")
    make_live(str(tmp_path), make_generation(tmp_path, "g2"))
    assert live_folder(str(tmp_path)) == str(tmp_path / "g2")
    assert sorted(os.listdir(tmp_path)) == ["current", "g2"]


def test_what_a_broken_rebuild_left_is_removed_and_the_live_one_kept(tmp_path: Path) -> None:
    make_live(str(tmp_path), make_generation(tmp_path, "g1"))
    make_generation(tmp_path, "g2")
    (tmp_path / "gallery").mkdir()
    remove_leftovers(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == ["current", "g1", "gallery"]


def test_a_generation_never_gets_the_folder_of_another(tmp_path: Path) -> None:
    make_generation(tmp_path, "g7")  # no `current`: nobody can tell whether it is whole
    assert next_folder(str(tmp_path)) == str(tmp_path / "g8")
    assert (tmp_path / "g7" / "catalogue.sqlite").exists(), "it goes when another is live, not before"


@pytest.mark.parametrize("content", ["", "g0", "g1/../..", "/etc", "g12345678901", "G1", "\x00"])
def test_only_a_generation_can_be_live(tmp_path: Path, content: str) -> None:
    (tmp_path / "current").write_text(content)
    with pytest.raises(IndexCorruptError, match="expected the name of a folder like g1"):
        live_folder(str(tmp_path))


def test_no_index(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IndexMissingError, match="make one with: findingaid index"):
        live_folder(str(tmp_path))
    with pytest.raises(IndexMissingError, match="not a folder"):
        live_folder(str(tmp_path / "file"))
    (tmp_path / "current").mkdir()
    with pytest.raises(IndexError_, match="cannot be read"):
        live_folder(str(tmp_path))
