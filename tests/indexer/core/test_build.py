"""The core is compiled with whatever compiler there is, and says in one line what is missing."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.core import build as building
from indexer.core.build import LIBRARY, BuildError, build, compiler, has_compiler, is_fresh, sources_digest
from indexer.core.library import ABI, CoreMissingError, core

SCRIPT = Path(building.__file__)


def test_what_is_loaded_was_made_from_the_sources_as_they_are() -> None:
    assert is_fresh()
    assert core.fa_abi() == ABI
    assert sources_digest().encode() in LIBRARY.read_bytes()


def test_a_library_of_these_sources_is_kept_and_another_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not build(), "nothing to do"
    monkeypatch.setattr(building, "LIBRARY", tmp_path / "core.so")
    assert not is_fresh(), "there is none"
    (tmp_path / "core.so").write_bytes(b"made from other sources")
    assert not is_fresh()


def test_it_compiles_without_a_warning_into_a_library_that_stands_alone(tmp_path: Path) -> None:
    assert build(output=tmp_path / "core.so", flags=["-Werror"])
    library = ctypes.CDLL(str(tmp_path / "core.so"))
    assert library.fa_abi() == ABI
    assert [path.name for path in tmp_path.iterdir()] == ["core.so"], "nothing else is left"


def test_without_a_compiler_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert not has_compiler()
    with pytest.raises(BuildError, match=r"no C compiler: install one .* or the Python package ziglang"):
        build(force=True, output=tmp_path / "core.so")


def test_where_the_system_has_none_the_package_is_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    assert compiler() == [sys.executable, "-m", "ziglang", "cc", "-fno-sanitize=undefined", "-g0"]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("/nowhere/cc", "the C compiler /nowhere/cc cannot be run: No such file or directory"),
        ("false", "false could not compile the core: it said nothing"),
    ],
)
def test_a_compiler_that_fails_is_named(
    command: str, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CC", command)
    with pytest.raises(BuildError, match=told):
        build(force=True, output=tmp_path / "core.so")
    assert not list(tmp_path.iterdir()), "whole or not at all"


def test_a_library_of_an_older_program_is_told_apart() -> None:
    with pytest.raises(CoreMissingError, match=r"core.so: .* it lacks fa_of_tomorrow; make it with: python"):
        core.fa_of_tomorrow()


def test_run_as_a_script_it_needs_no_package() -> None:
    """While pip installs the product nothing else is there yet."""
    isolated = [sys.executable, "-I", "-S", str(SCRIPT)]
    done = subprocess.run(isolated, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "as it was" in done.stdout
    empty = {"PATH": "", "HOME": os.environ.get("HOME", "")}
    assert subprocess.run([*isolated, "--check"], env=empty, check=False).returncode == 1
