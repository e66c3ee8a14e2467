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
from indexer.core import library as loading
from indexer.core.build import (
    LIBRARY,
    LIBRARY_FOR_AVX2,
    BuildError,
    build,
    build_one,
    compiler,
    has_compiler,
    is_fresh,
    libraries,
    sources_digest,
)
from indexer.core.library import ABI, CoreMissingError, core

SCRIPT = Path(building.__file__)


def test_what_is_loaded_was_made_from_the_sources_as_they_are() -> None:
    assert is_fresh()
    assert core.fa_abi() == ABI
    for library in libraries():
        assert sources_digest().encode() in library.read_bytes()


def test_a_library_of_these_sources_is_kept_and_another_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not build(), "nothing to do"
    sound = LIBRARY.read_bytes()
    for name, place in (("core.so", "LIBRARY"), ("core-avx2.so", "LIBRARY_FOR_AVX2")):
        (tmp_path / name).write_bytes(sound)
        monkeypatch.setattr(building, place, tmp_path / name)
    assert is_fresh()
    for library in libraries():
        library.write_bytes(b"made from other sources")
        assert not is_fresh()
        library.unlink()
        assert not is_fresh(), "there is none"
        library.write_bytes(sound)


def test_it_compiles_without_a_warning_into_a_library_that_stands_alone(tmp_path: Path) -> None:
    build_one(tmp_path / "core.so", ["-Werror"])
    library = ctypes.CDLL(str(tmp_path / "core.so"))
    assert library.fa_abi() == ABI
    assert [path.name for path in tmp_path.iterdir()] == ["core.so"], "nothing else is left"


def test_the_library_for_avx2_is_loaded_where_the_processor_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FINDINGAID_CORE", raising=False)
    for_all = loading.Core(str(LIBRARY))
    made = LIBRARY_FOR_AVX2.exists()
    assert made == (LIBRARY_FOR_AVX2 in libraries())
    has_avx2 = bool(for_all.fa_has_avx2())
    if sys.platform == "linux":
        told = Path("/proc/cpuinfo").read_text()
        assert has_avx2 == all(f" {name} " in told for name in ("avx2", "bmi1", "bmi2", "abm", "popcnt"))
    used = loading._of_this_processor()
    assert Path(used._name) == (LIBRARY_FOR_AVX2 if has_avx2 else LIBRARY)
    monkeypatch.setattr(loading, "LIBRARY_FOR_AVX2", str(tmp_path / "core-avx2.so"))
    assert Path(loading._of_this_processor()._name) == LIBRARY, "the other one is not there"


def test_without_a_compiler_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert not has_compiler()
    with pytest.raises(BuildError, match=r"no C compiler: install one .* or the Python package ziglang"):
        build_one(tmp_path / "core.so", [])


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
        build_one(tmp_path / "core.so", [])
    assert not list(tmp_path.iterdir()), "whole or not at all"


def test_a_library_of_an_older_program_is_told_apart() -> None:
    with pytest.raises(
        CoreMissingError, match=r"core\S*.so: .* it lacks fa_of_tomorrow; make it with: python"
    ):
        core.fa_of_tomorrow()


def test_run_as_a_script_it_needs_no_package() -> None:
    """While pip installs the product nothing else is there yet."""
    isolated = [sys.executable, "-I", "-S", str(SCRIPT)]
    done = subprocess.run(isolated, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "as it was" in done.stdout
    empty = {"PATH": "", "HOME": os.environ.get("HOME", "")}
    assert subprocess.run([*isolated, "--check"], env=empty, check=False).returncode == 1
